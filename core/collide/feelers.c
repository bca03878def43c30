#include "collide/feelers.h"

enum { MOST_OF_SHAPE = 8 };

/* The feelers of one shape; returns their number. */
static uint32_t feelers_of(const scree_shape *shape, scree_feeler out[MOST_OF_SHAPE])
{
    vec3 x = vec3_of(shape->position);
    quat q = quat_exp(vec3_of(shape->rotation));
    const double *s = shape->size;
    if (shape->kind != SCREE_SHAPE_BOX)
        return 0;
    double least = s[0] < s[1] ? s[0] : s[1];
    least = s[2] < least ? s[2] : least;
    for (uint32_t k = 0; k < 8; k++) {
        vec3 corner = {k & 1 ? 0.5 * s[0] : -0.5 * s[0], k & 2 ? 0.5 * s[1] : -0.5 * s[1],
                       k & 4 ? 0.5 * s[2] : -0.5 * s[2]};
        out[k] = (scree_feeler){.local = add(x, quat_rotate(q, corner)), .r_law = 0.5 * least};
    }
    return 8;
}

bool scree_feelers_make(scree_feelers *feelers, const scree_scene *settings, const scree_memory *memory)
{
    scree_feeler few[MOST_OF_SHAPE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < settings->shape_count; i++)
        if (settings->bodies[settings->shapes[i].body].kind == SCREE_BODY_DYNAMIC)
            count += feelers_of(&settings->shapes[i], few);
    scree_feelers_free(feelers, memory);
    feelers->items = scree_allocate(memory, count, sizeof *feelers->items);
    if (!feelers->items)
        return false;
    for (uint32_t i = 0; i < settings->shape_count; i++) {
        uint32_t body = settings->shapes[i].body;
        uint32_t made = settings->bodies[body].kind == SCREE_BODY_DYNAMIC ? feelers_of(&settings->shapes[i], few) : 0;
        for (uint32_t k = 0; k < made; k++) {
            few[k].body = body;
            feelers->items[feelers->count++] = few[k];
        }
    }
    return true;
}

void scree_feelers_free(scree_feelers *feelers, const scree_memory *memory)
{
    scree_release(memory, feelers->items);
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

/* From the shape's centre to its farthest point. */
static double shape_reach(const scree_shape *shape)
{
    if (shape->kind == SCREE_SHAPE_TUBE)
        return hypot(shape->radius, 0.5 * shape->length);
    return 0.5 * length(vec3_of(shape->size));
}

double scree_body_reach(const scree_scene *settings, uint32_t body)
{
    vec3 center = vec3_of(settings->bodies[body].center);
    double most = 0.0;
    for (uint32_t i = 0; i < settings->shape_count; i++) {
        const scree_shape *shape = &settings->shapes[i];
        if (shape->body != body)
            continue;
        double far = length(sub(vec3_of(shape->position), center)) + shape_reach(shape);
        most = far > most ? far : most;
    }
    return most;
}

static bool is_round(uint32_t kind)
{
    (void)kind;
    return false; /* of the shapes there are so far none is */
}

/* Round meets round once, from the body with the lower number; corners leave round shapes to the round one's feeler. */
static bool may_meet(const scree_feeler *feeler, const scree_placed *shape)
{
    if (feeler->body == shape->body)
        return false;
    return !is_round(shape->kind) || (feeler->round && feeler->body < shape->body);
}

bool scree_feelers_search(const scree_feelers *feelers, scree_arena *arena, const scree_scene *settings,
                          const scree_placed *shapes, const scree_rigid *bodies, double frame, scree_found *found)
{
    size_t room = (size_t)feelers->count * settings->shape_count;
    *found = (scree_found){.items = scree_arena_get(arena, room, sizeof *found->items)};
    if (!found->items)
        return false;
    for (uint32_t i = 0; i < feelers->count; i++) {
        const scree_feeler *feeler = &feelers->items[i];
        double own = bodies[feeler->body].mass.fastest;
        for (uint32_t k = 0; k < settings->shape_count; k++) {
            const scree_placed *shape = &shapes[k];
            double margin = frame * (own + scree_shape_speed(shape, &bodies[shape->body], feeler->x));
            if (may_meet(feeler, shape) && scree_shape_touch(shape, feeler->x, feeler->r).overlap > -margin)
                found->items[found->count++] = (scree_candidate){.a = i, .b = k};
        }
    }
    return true;
}
