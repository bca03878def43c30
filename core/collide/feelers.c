#include "collide/feelers.h"

#include "collide/narrow.h"

enum { MOST_OF_SHAPE = 26, RIM = 12 };

static bool is_round(uint32_t kind)
{
    return kind == SCREE_SHAPE_SPHERE || kind == SCREE_SHAPE_CAPSULE;
}

static scree_feeler corner_of(const scree_shape *shape, vec3 local, double r_law)
{
    vec3 at = add(vec3_of(shape->position), quat_rotate(quat_exp(vec3_of(shape->rotation)), local));
    return (scree_feeler){.local = at, .r_law = r_law};
}

/* The corners of a box. */
static uint32_t feel_box(const scree_shape *shape, scree_feeler out[MOST_OF_SHAPE])
{
    const double *s = shape->size;
    double least = fmin(s[0], fmin(s[1], s[2]));
    for (uint32_t k = 0; k < 8; k++) {
        vec3 corner = {k & 1 ? 0.5 * s[0] : -0.5 * s[0], k & 2 ? 0.5 * s[1] : -0.5 * s[1],
                       k & 4 ? 0.5 * s[2] : -0.5 * s[2]};
        out[k] = corner_of(shape, corner, 0.5 * least);
    }
    return 8;
}

/* The ends of a round shape, with its radius. */
static uint32_t feel_round(const scree_shape *shape, scree_feeler out[MOST_OF_SHAPE])
{
    uint32_t count = shape->length > 0.0 ? 2 : 1;
    for (uint32_t k = 0; k < count; k++) {
        out[k] = corner_of(shape, (vec3){0.0, 0.0, (k ? 0.5 : -0.5) * shape->length}, shape->radius);
        out[k].r = shape->radius;
        out[k].round = 1;
    }
    return count;
}

/* Points around the ends of what turns about an axis. */
static uint32_t feel_rims(const scree_placed *placed, const scree_shape *shape, scree_feeler out[MOST_OF_SHAPE])
{
    uint32_t count = 0;
    double wide = fmax(placed->rho[0], placed->rho[1]);
    double r_law = shape->length > 0.0 ? fmin(wide, 0.5 * shape->length) : wide;
    for (uint32_t end = shape->kind == SCREE_SHAPE_DISC; end < 2; end++) /* a disc's outer edge alone */
        for (uint32_t k = 0; k < (placed->rho[end] > 0.0 ? RIM : 1); k++) {
            double angle = 2.0 * SCREE_PI * k / (RIM);
            vec3 at = {placed->rho[end] * cos(angle), placed->rho[end] * sin(angle), placed->z[end]};
            out[count++] = corner_of(shape, at, r_law);
        }
    return count;
}

/* The vertices of a mesh that are farthest out in 26 directions. */
static uint32_t feel_mesh(const scree_shape *shape, const scree_surface *surface, scree_feeler out[MOST_OF_SHAPE])
{
    uint32_t farthest[MOST_OF_SHAPE], count = 0;
    double least = HUGE_VAL; /* half of the smallest extent */
    for (int k = 0; k < 27; k++) {
        vec3 way = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        uint32_t best = 0, known = 0;
        double high = -HUGE_VAL, low = HUGE_VAL;
        for (uint32_t i = 0; i < surface->vertex_count; i++) {
            double along = dot(way, vec3_of(surface->vertices[i]));
            best = along > high ? i : best;
            high = fmax(high, along);
            low = fmin(low, along);
        }
        while (known < count && farthest[known] != best)
            known++;
        if (k == 13) /* no direction */
            continue;
        least = fmin(least, 0.5 * (high - low) / length(way));
        if (known == count)
            farthest[count++] = best;
    }
    for (uint32_t k = 0; k < count; k++)
        out[k] = corner_of(shape, scale(shape->scale, vec3_of(surface->vertices[farthest[k]])),
                           fmax(shape->scale * least, 1e-6));
    return count;
}

/* The feelers of one shape; returns their number. */
static uint32_t feelers_of(const scree_scene *settings, uint32_t index, scree_feeler out[MOST_OF_SHAPE])
{
    const scree_shape *shape = &settings->shapes[index];
    if (settings->bodies[shape->body].kind != SCREE_BODY_DYNAMIC)
        return 0;
    if (shape->kind == SCREE_SHAPE_MESH)
        return feel_mesh(shape, &settings->meshes[shape->mesh].surface, out);
    scree_placed placed = scree_shape_place(shape, NULL, (scree_pose){.q = {1.0, 0.0, 0.0, 0.0}});
    if (isinf(placed.half.x))
        return 0;
    if (shape->kind == SCREE_SHAPE_BOX)
        return feel_box(shape, out);
    return is_round(shape->kind) ? feel_round(shape, out) : feel_rims(&placed, shape, out);
}

static bool is_dynamic(const scree_scene *settings, uint32_t body)
{
    return body != UINT32_MAX && settings->bodies[body].kind == SCREE_BODY_DYNAMIC;
}

/* The lowest body that joints connect with each; joints are few, and passes are repeated until nothing changes. */
static void number_machines(uint32_t *machines, const scree_scene *settings)
{
    for (uint32_t i = 0; i < settings->body_count; i++)
        machines[i] = i;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < settings->joint_count; i++) {
            const scree_joint *joint = &settings->joints[i];
            if (!is_dynamic(settings, joint->a) || !is_dynamic(settings, joint->b) ||
                machines[joint->a] == machines[joint->b])
                continue;
            uint32_t least = machines[joint->a] < machines[joint->b] ? machines[joint->a] : machines[joint->b];
            machines[joint->a] = machines[joint->b] = least;
            again = true;
        }
    }
}

bool scree_feelers_make(scree_feelers *feelers, const scree_scene *settings, const scree_memory *memory)
{
    scree_feeler few[MOST_OF_SHAPE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < settings->shape_count; i++)
        count += feelers_of(settings, i, few);
    scree_feelers_free(feelers, memory);
    feelers->items = scree_allocate(memory, count, sizeof *feelers->items);
    feelers->machines = scree_allocate(memory, settings->body_count, sizeof *feelers->machines);
    if (!feelers->items || !feelers->machines)
        return false;
    number_machines(feelers->machines, settings);
    for (uint32_t i = 0; i < settings->shape_count; i++) {
        uint32_t made = feelers_of(settings, i, few);
        for (uint32_t k = 0; k < made; k++) {
            few[k].body = settings->shapes[i].body;
            feelers->items[feelers->count++] = few[k];
        }
    }
    return true;
}

void scree_feelers_free(scree_feelers *feelers, const scree_memory *memory)
{
    scree_release(memory, feelers->items);
    scree_release(memory, feelers->machines);
    *feelers = (scree_feelers){0};
}

void scree_feelers_place(scree_feelers *feelers, const scree_rigid *bodies)
{
    for (uint32_t i = 0; i < feelers->count; i++) {
        scree_feeler *feeler = &feelers->items[i];
        const scree_pose *pose = &bodies[feeler->body].now;
        feeler->x = add(pose->x, quat_rotate(pose->q, feeler->local));
    }
}

/* From the shape's position to its farthest point. */
static double shape_reach(const scree_scene *settings, const scree_shape *shape)
{
    if (shape->kind != SCREE_SHAPE_MESH)
        return length(scree_shape_place(shape, NULL, (scree_pose){.q = {1.0, 0.0, 0.0, 0.0}}).half);
    const scree_surface *surface = &settings->meshes[shape->mesh].surface;
    double most = 0.0;
    for (uint32_t i = 0; i < surface->vertex_count; i++)
        most = fmax(most, shape->scale * length(vec3_of(surface->vertices[i])));
    return most;
}

double scree_body_reach(const scree_scene *settings, uint32_t body)
{
    vec3 center = vec3_of(settings->bodies[body].center);
    double most = 0.0;
    for (uint32_t i = 0; i < settings->shape_count; i++) {
        const scree_shape *shape = &settings->shapes[i];
        if (shape->body == body)
            most = fmax(most, length(sub(vec3_of(shape->position), center)) + shape_reach(settings, shape));
    }
    return most;
}

/* Round meets round once, from the body with the lower number; corners leave round shapes to the round one's feeler. */
static bool may_meet(const scree_feelers *feelers, const scree_scene *settings, const scree_feeler *feeler,
                     const scree_placed *shape)
{
    uint32_t a = feeler->body, b = shape->body;
    if (feelers->machines[a] == feelers->machines[b])
        return false;
    for (uint32_t i = 0; i < settings->joint_count; i++) {
        const scree_joint *joint = &settings->joints[i];
        if ((joint->a == a && joint->b == b) || (joint->a == b && joint->b == a))
            return false;
    }
    return !is_round(shape->kind) || (feeler->round && feeler->body < shape->body);
}

bool scree_feelers_search(const scree_feelers *feelers, scree_arena *arena, const scree_scene *settings,
                          const scree_placed *shapes, const scree_rigid *bodies, double frame, scree_found *found)
{
    size_t room = (size_t)feelers->count * settings->shape_count * SCREE_SLOTS;
    *found = (scree_found){.items = scree_arena_get(arena, room, sizeof *found->items)};
    if (!found->items)
        return false;
    for (uint32_t i = 0; i < feelers->count; i++) {
        const scree_feeler *feeler = &feelers->items[i];
        double own = bodies[feeler->body].mass.fastest;
        for (uint32_t k = 0; k < settings->shape_count; k++) {
            const scree_placed *shape = &shapes[k];
            double margin = frame * (own + scree_shape_speed(shape, &bodies[shape->body], feeler->x));
            double depth = shape->mesh ? feeler->r_law : 0.0; /* a corner within a mesh is near its surface */
            if (!may_meet(feelers, settings, feeler, shape) ||
                !scree_shape_within(shape, feeler->x, feeler->r + margin + depth))
                continue;
            for (uint32_t slot = 0; slot < scree_narrow_slots(shape); slot++)
                found->items[found->count++] = (scree_candidate){.a = i, .b = k * SCREE_SLOTS + slot};
        }
    }
    return true;
}
