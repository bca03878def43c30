#include "collide/shapes.h"

scree_placed scree_shape_place(const scree_shape *shape, scree_pose pose)
{
    scree_placed placed = {.kind = shape->kind, .body = shape->body};
    placed.x = add(pose.x, quat_rotate(pose.q, vec3_of(shape->position)));
    if (shape->kind == SCREE_SHAPE_PLANE) {
        vec3 n = vec3_of(shape->normal);
        placed.n = quat_rotate(pose.q, scale(1.0 / length(n), n));
    } else {
        placed.q = quat_mul(pose.q, quat_exp(vec3_of(shape->rotation)));
        placed.half = scale(0.5, vec3_of(shape->size));
        if (shape->kind == SCREE_SHAPE_TUBE) {
            double half = shape->length > 0.0 ? 0.5 * shape->length : HUGE_VAL;
            placed.half = (vec3){shape->radius, shape->radius, half};
        }
    }
    return placed;
}

static double clamp(double value, double bound)
{
    return value > bound ? bound : value < -bound ? -bound : value;
}

/* The centre is inside the box: out through the nearest face. p is in the frame of the box. */
static scree_touch touch_inside(const scree_placed *box, vec3 p, double r)
{
    double depth[3] = {box->half.x - fabs(p.x), box->half.y - fabs(p.y), box->half.z - fabs(p.z)};
    vec3 inward = {p.x > 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    double least = depth[0];
    if (depth[1] < least) {
        least = depth[1];
        inward = (vec3){0.0, p.y > 0.0 ? -1.0 : 1.0, 0.0};
    }
    if (depth[2] < least) {
        least = depth[2];
        inward = (vec3){0.0, 0.0, p.z > 0.0 ? -1.0 : 1.0};
    }
    return (scree_touch){.overlap = r + least, .n = quat_rotate(box->q, inward)};
}

static scree_touch touch_box(const scree_placed *box, vec3 x, double r)
{
    vec3 p = quat_rotate(quat_conj(box->q), sub(x, box->x));
    vec3 nearest = {clamp(p.x, box->half.x), clamp(p.y, box->half.y), clamp(p.z, box->half.z)};
    vec3 gap = sub(nearest, p);
    double distance = length(gap);
    if (distance < 1e-12 * r)
        return touch_inside(box, p, r);
    return (scree_touch){.overlap = r - distance, .n = quat_rotate(box->q, scale(1.0 / distance, gap))};
}

/*
 * Without ends: the inside of a bore, solid beyond its radius. With ends: a thin shell, nearest point of the segment at
 * the radius; a grain touches it from inside, from outside and at its rims. Both distances change no faster than the
 * grain moves, which the search relies on.
 */
static scree_touch touch_tube(const scree_placed *tube, vec3 x, double r)
{
    vec3 p = quat_rotate(quat_conj(tube->q), sub(x, tube->x));
    double out = sqrt(p.x * p.x + p.y * p.y), radius = tube->half.x;
    vec3 outward = out > 1e-12 * r ? (vec3){p.x / out, p.y / out, 0.0} : (vec3){1.0, 0.0, 0.0};
    if (isinf(tube->half.z))
        return (scree_touch){.overlap = out + r - radius, .n = quat_rotate(tube->q, outward)};
    vec3 gap = mul_add((vec3){0.0, 0.0, clamp(p.z, tube->half.z) - p.z}, radius - out, outward);
    double distance = length(gap);
    vec3 n = distance > 1e-12 * r ? scale(1.0 / distance, gap) : outward;
    return (scree_touch){.overlap = r - distance, .n = quat_rotate(tube->q, n)};
}

scree_touch scree_shape_touch(const scree_placed *shape, vec3 x, double r)
{
    if (shape->kind == SCREE_SHAPE_PLANE)
        return (scree_touch){.overlap = r - dot(shape->n, sub(x, shape->x)), .n = scale(-1.0, shape->n)};
    return shape->kind == SCREE_SHAPE_BOX ? touch_box(shape, x, r) : touch_tube(shape, x, r);
}

double scree_shape_speed(const scree_placed *shape, const scree_rigid *rigid, vec3 x)
{
    if (rigid->dynamic)
        return rigid->mass.fastest;
    double arm = shape->kind != SCREE_SHAPE_BOX ? length(sub(x, rigid->now.x))
                                                : length(sub(shape->x, rigid->now.x)) + length(shape->half);
    return length(rigid->v) + length(rigid->w) * arm;
}
