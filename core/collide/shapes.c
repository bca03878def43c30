#include "collide/shapes.h"

/* The segment that turns about the z axis. */
static void set_profile(scree_placed *placed, const scree_shape *shape)
{
    double half = 0.5 * shape->length;
    placed->rho[0] = placed->rho[1] = shape->radius;
    placed->z[0] = -half;
    placed->z[1] = half;
    if (shape->kind == SCREE_SHAPE_CONE)
        placed->rho[1] = shape->radius_top;
    if (shape->kind == SCREE_SHAPE_DISC)
        placed->rho[0] = shape->hole;
    double wide = fmax(placed->rho[0], placed->rho[1]);
    placed->half = (vec3){wide, wide, half};
    if (shape->kind == SCREE_SHAPE_TUBE && half == 0.0)
        placed->half = (vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL}; /* solid beyond its radius, and without end */
    if (shape->kind == SCREE_SHAPE_CAPSULE)
        placed->half.z += shape->radius;
    if (shape->kind == SCREE_SHAPE_SPHERE)
        placed->half.z = shape->radius;
}

scree_placed scree_shape_place(const scree_shape *shape, const scree_mesh *mesh, scree_pose pose)
{
    scree_placed placed = {.kind = shape->kind, .body = shape->body, .solid = shape->solid != 0, .mesh = mesh};
    if (mesh) {
        placed.x = pose.x;
        placed.q = pose.q;
        placed.middle = scale(0.5, add(mesh->low, mesh->high));
        placed.half = scale(0.5, sub(mesh->high, mesh->low));
        return placed;
    }
    placed.x = add(pose.x, quat_rotate(pose.q, vec3_of(shape->position)));
    placed.q = quat_mul(pose.q, quat_exp(vec3_of(shape->rotation)));
    if (shape->kind == SCREE_SHAPE_PLANE) {
        vec3 n = vec3_of(shape->normal);
        placed.n = quat_rotate(pose.q, scale(1.0 / length(n), n));
        placed.half = (vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    } else if (shape->kind == SCREE_SHAPE_BOX) {
        placed.half = scale(0.5, vec3_of(shape->size));
    } else {
        set_profile(&placed, shape);
    }
    return placed;
}

static scree_touch touch_plane(const scree_placed *plane, const scree_probe *probe)
{
    return (scree_touch){.overlap = probe->r - dot(plane->n, sub(probe->x, plane->x)), .n = scale(-1.0, plane->n)};
}

static scree_touch touch_local(const scree_placed *shape, const scree_local *at)
{
    switch ((scree_shape_kind)shape->kind) {
    case SCREE_SHAPE_BOX:
        return scree_touch_box(shape, at);
    case SCREE_SHAPE_TUBE:
        return isinf(shape->half.z) ? scree_touch_bore(shape, at) : scree_touch_shell(shape, at);
    case SCREE_SHAPE_CONE:
        return shape->solid ? scree_touch_solid(shape, at) : scree_touch_shell(shape, at);
    case SCREE_SHAPE_DISC:
        return scree_touch_shell(shape, at);
    case SCREE_SHAPE_CYLINDER:
        return scree_touch_solid(shape, at);
    case SCREE_SHAPE_SPHERE:
    case SCREE_SHAPE_CAPSULE:
        return scree_touch_capsule(shape, at);
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_MESH:
        break;
    }
    return (scree_touch){.overlap = -HUGE_VAL};
}

static scree_touch touch_mesh(const scree_placed *shape, const scree_probe *probe)
{
    scree_mesh_point point;
    vec3 p = quat_rotate(quat_conj(shape->q), sub(probe->x, shape->x));
    if (scree_mesh_minima(shape->mesh, p, probe->r, NULL, 1, &point) == 0)
        return (scree_touch){.overlap = -HUGE_VAL};
    double side = point.behind ? -1.0 : 1.0;
    return (scree_touch){.overlap = probe->r - side * point.distance, .n = quat_rotate(shape->q, scale(side, point.n))};
}

scree_touch scree_shape_touch(const scree_placed *shape, const scree_probe *probe, vec3 last)
{
    if (shape->mesh)
        return touch_mesh(shape, probe);
    if (shape->kind == SCREE_SHAPE_PLANE)
        return touch_plane(shape, probe);
    quat back = quat_conj(shape->q);
    scree_local at = {.p = quat_rotate(back, sub(probe->x, shape->x)),
                      .r = probe->r,
                      .way = quat_rotate(back, probe->way),
                      .last = quat_rotate(back, last)};
    scree_touch touch = touch_local(shape, &at);
    touch.n = quat_rotate(shape->q, touch.n);
    return touch;
}

double scree_shape_distance(const scree_placed *shape, vec3 x)
{
    if (shape->mesh)
        return scree_mesh_distance(shape->mesh, quat_rotate(quat_conj(shape->q), sub(x, shape->x)));
    scree_probe point = {.x = x, .r = 1e-9}; /* m; a radius that gives a length its scale */
    return point.r - scree_shape_touch(shape, &point, (vec3){0.0, 0.0, 0.0}).overlap;
}

bool scree_shape_within(const scree_placed *shape, vec3 x, double reach)
{
    if (shape->mesh)
        return scree_mesh_within(shape->mesh, quat_rotate(quat_conj(shape->q), sub(x, shape->x)), reach);
    return scree_shape_distance(shape, x) < reach;
}

/* In the world frame. */
static vec3 middle_of(const scree_placed *shape)
{
    return shape->mesh ? add(shape->x, quat_rotate(shape->q, shape->middle)) : shape->x;
}

scree_bounds scree_shape_bounds(const scree_placed *shape)
{
    if (isinf(shape->half.x))
        return (scree_bounds){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    vec3 x = quat_rotate(shape->q, (vec3){shape->half.x, 0.0, 0.0});
    vec3 y = quat_rotate(shape->q, (vec3){0.0, shape->half.y, 0.0});
    vec3 z = quat_rotate(shape->q, (vec3){0.0, 0.0, shape->half.z});
    vec3 half = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                 fabs(x.z) + fabs(y.z) + fabs(z.z)};
    return (scree_bounds){sub(middle_of(shape), half), add(middle_of(shape), half)};
}

double scree_shape_speed(const scree_placed *shape, const scree_rigid *rigid, vec3 x)
{
    if (rigid->dynamic)
        return rigid->mass.fastest;
    double arm = isinf(shape->half.x) ? length(sub(x, rigid->now.x))
                                      : length(sub(middle_of(shape), rigid->now.x)) + length(shape->half);
    return rigid->speed + rigid->spin * arm;
}
