#include "settle.h"

#include "base/log.h"
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

/* At rest: kinetic energy of translation as a share of m g d, mean over the grains and of the fastest; residual. */
static const double REST_MEAN = 1e-6, REST_MOST = 1e-4, REST_RESIDUAL = 0.05;
static const double REST_TIME = 0.1; /* s, for which it must stay so */
static const double DRAG = 10.0;     /* time constant of the drag while settling, over √(d/g) */

/* ---------------------------------------------------------------- coming to rest */

static scree_rest measure_rest(const scree_world *world, double gravity)
{
    scree_info info;
    scree_rest rest = {0};
    double sum = 0.0;
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; i < world->particles.count; i++) {
        vec3 v = world->particles.twist[i].v;
        double energy = 0.5 * dot(v, v) / (gravity * 2.0 * world->particles.place[i].r);
        sum += energy;
        rest.most = fmax(rest.most, energy);
    }
    rest.mean = world->particles.count ? sum / world->particles.count : 0.0;
    rest.residual = info.residual;
    return rest;
}

static bool is_quiet(const scree_rest *rest)
{
    return rest->mean < REST_MEAN && rest->most < REST_MOST && rest->residual < REST_RESIDUAL;
}

static void slow_down(scree_world *world, double factor)
{
    for (uint32_t i = 0; i < world->particles.count; i++) {
        scree_twist *twist = &world->particles.twist[i];
        twist->v = scale(factor, twist->v);
        twist->w = scale(factor, twist->w);
    }
}

static scree_status run_to_rest(scree_world *world, double limit, scree_settle_watch *watch, void *context,
                                scree_rest *rest, scree_error *error)
{
    double gravity = length(vec3_of(world->settings->head.gravity)), frame = world->settings->solver.frame;
    double drag = exp(-frame / (DRAG * sqrt(world->mean_diameter / gravity))), quiet = 0.0;
    double most = ceil(limit / frame - 1e-9);
    for (double n = 1.0; n <= most && quiet < REST_TIME; n += 1.0) {
        scree_status status = scree_world_step(world, frame, error);
        if (status != SCREE_OK)
            return status;
        slow_down(world, drag);
        *rest = measure_rest(world, gravity);
        rest->time = n * frame;
        quiet = is_quiet(rest) ? quiet + frame : 0.0;
        if (watch && !watch(context, rest))
            return scree_fail(error, SCREE_STATE, "settling was interrupted after %g s", rest->time);
    }
    if (quiet >= REST_TIME)
        return SCREE_OK;
    return scree_fail(
        error, SCREE_LIMIT,
        "not at rest after %g s: kinetic energy %.2g m g d per grain, %.2g of the fastest, residual %.2g; "
        "at rest it is below %g, %g, %g. Do grains fall out of the scene? Else allow more time, or more "
        "substeps",
        rest->time, rest->mean, rest->most, rest->residual, REST_MEAN, REST_MOST, REST_RESIDUAL);
}

scree_status scree_world_settle(scree_world *world, double limit, scree_settle_watch *watch, void *context,
                                scree_rest *rest, scree_error *error)
{
    double start = scree_world_time(world);
    *rest = (scree_rest){0};
    if (!world->started)
        return scree_fail(error, SCREE_STATE, "the world has not been started");
    if (!(length(vec3_of(world->settings->head.gravity)) > 0.0))
        return scree_fail(error, SCREE_INVALID, "there is no gravity, and without it nothing settles");
    if (world->particles.count == 0)
        return scree_fail(error, SCREE_INVALID, "there are no grains that could settle");
    world->settling = true;
    scree_status status = run_to_rest(world, limit, watch, context, rest, error);
    world->settling = false;
    size_t size = 0;
    if (status == SCREE_OK)
        status = scree_world_save(world, NULL, 0, &size, error);
    uint8_t *bytes = status == SCREE_OK ? scree_allocate(&world->memory, size, 1) : NULL;
    if (status == SCREE_OK && !bytes)
        status = scree_fail(error, SCREE_MEMORY, "out of memory for the settled state");
    if (status == SCREE_OK)
        status = scree_world_save(world, bytes, size, &size, error);
    if (status != SCREE_OK) {
        scree_release(&world->memory, bytes);
        world->started = false;
        return status;
    }
    scree_release(&world->memory, world->settled.own);
    world->settled = (scree_settled){.bytes = bytes, .size = size, .own = bytes};
    return scree_world_start(world, start, error);
}

scree_status scree_world_set_settled(scree_world *world, const uint8_t *bytes, size_t size, scree_error *error)
{
    scree_loaded from = {0};
    scree_status status = bytes ? scree_snapshot_read(world, bytes, size, &from, error) : SCREE_OK;
    scree_snapshot_drop(&from, &world->memory);
    if (status != SCREE_OK)
        return status;
    scree_release(&world->memory, world->settled.own);
    world->settled = (scree_settled){.bytes = bytes, .size = bytes ? size : 0};
    return SCREE_OK;
}

/* ---------------------------------------------------------------- whether it fits */

typedef enum verdict { FITS, ADJUSTS, REFUSED } verdict;

/* What another value of a setting means for a bed that has settled with the old one. */
static verdict judge_setting(scree_element element, const scree_field *field)
{
    static const char *const contact[] = {"density", "youngs", "poisson"}; /* masses, and the overlaps at rest */
    switch (element) {
    case SCREE_ELEMENT_SCENE: /* gravity */
    case SCREE_ELEMENT_FILL:
        return REFUSED;
    case SCREE_ELEMENT_BODY:
        return (field->flags & SCREE_FIELD_DYNAMIC) ? REFUSED : FITS;
    case SCREE_ELEMENT_MATERIAL:
        for (size_t i = 0; i < sizeof contact / sizeof contact[0]; i++)
            if (strcmp(field->name, contact[i]) == 0)
                return REFUSED;
        return ADJUSTS;
    case SCREE_ELEMENT_PAIR:
        return ADJUSTS;
    default:
        return FITS;
    }
}

/* The worst of the settings that differ; why: its name. */
static verdict judge_settings(const scree_scene *now, const scree_scene *then, char *why, size_t room)
{
    verdict worst = FITS;
    for (uint32_t i = 0; i < now->record_count; i++) {
        scree_record record = now->records[i];
        const scree_element_info *info = scree_element_describe((scree_element)record.element);
        for (uint32_t k = 0; k < info->field_count; k++) {
            const scree_field *field = &info->fields[k];
            size_t size =
                field->kind == SCREE_FIELD_COUNT ? sizeof(uint32_t) : scree_field_components(field) * sizeof(double);
            if (!(field->flags & SCREE_FIELD_SETTABLE) ||
                memcmp(scree_scene_value(now, record, field), scree_scene_value(then, record, field), size) == 0)
                continue;
            verdict here = judge_setting((scree_element)record.element, field);
            if (here <= worst)
                continue;
            worst = here;
            bool named = info->field_count && info->fields[0].kind == SCREE_FIELD_ID;
            snprintf(why, room, "%s of %s%s%s", field->name, info->name, named ? " " : "",
                     named ? (const char *)scree_scene_value(now, record, &info->fields[0]) : "");
        }
    }
    return worst;
}

static bool same_pose(scree_pose a, scree_pose b)
{
    vec3 turn = quat_log(quat_mul(a.q, quat_conj(b.q)));
    return length(sub(a.x, b.x)) < 1e-9 && length(turn) < 1e-9; /* m and rad: a master's rounding */
}

/* Bodies that a port has put elsewhere: a hole is left where they were, and they must not be in grains. */
static verdict judge_bodies(const scree_world *world, const scree_loaded *then, char *why, size_t room)
{
    const scree_scene *settings = world->settings;
    verdict worst = FITS;
    for (uint32_t i = 0; i < settings->body_count; i++) {
        if (world->bodies[i].dynamic || same_pose(world->bodies[i].now, then->bodies[i].now))
            continue;
        if (worst == FITS)
            snprintf(why, room, "the place of body %s", settings->bodies[i].id);
        worst = worst == FITS ? ADJUSTS : worst;
        for (uint32_t s = 0; s < settings->shape_count; s++)
            for (uint32_t k = 0; settings->shapes[s].body == i && k < then->particles.count; k++) {
                const scree_place *place = &then->particles.place[k];
                if (scree_shape_distance(&world->shapes[s], place->x) >= 0.9 * place->r)
                    continue;
                snprintf(why, room, "the place of body %s, which has grains in it,", settings->bodies[i].id);
                return REFUSED;
            }
    }
    return worst;
}

/* ---------------------------------------------------------------- taking it over */

static void move_list(scree_contact_list *to, scree_contact_list *from)
{
    *to = *from;
    *from = (scree_contact_list){0};
}

/* Grains, contacts, dynamic bodies and what joints bear; all else is the world's own. */
static void take(scree_world *world, scree_loaded *from)
{
    world->particles = from->particles;
    from->particles = (scree_particles){0};
    world->pairs = from->pairs;
    from->pairs = (scree_pairs){0};
    move_list(&world->walls, &from->walls);
    move_list(&world->heavy.loads, &from->loads);
    move_list(&world->heavy.knocks, &from->knocks);
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        if (world->bodies[i].dynamic)
            world->bodies[i] = from->bodies[i];
    for (uint32_t i = 0; i < world->mechanism.count; i++)
        memcpy(world->mechanism.nodes[i].impulse, from->nodes[i].impulse, sizeof from->nodes[i].impulse);
    world->substep = from->state.substep;
    scree_world_place_shapes(world);
}

scree_status scree_settled_take(scree_world *world, bool *taken, scree_error *error)
{
    scree_loaded from = {0};
    char why[SCREE_ID_SIZE + 64] = "", place[SCREE_ID_SIZE + 64] = "";
    *taken = false;
    if (!world->settled.bytes)
        return SCREE_OK;
    scree_status status = scree_snapshot_read(world, world->settled.bytes, world->settled.size, &from, error);
    if (status == SCREE_OK) {
        verdict settings = judge_settings(world->settings, from.settings, why, sizeof why);
        verdict bodies = judge_bodies(world, &from, place, sizeof place);
        const char *cause = bodies > settings ? place : why;
        verdict worst = bodies > settings ? bodies : settings;
        if (worst == REFUSED)
            scree_log_write(&world->log, SCREE_LOG_WARNING,
                            "%s differs from what the bed was settled with: the grains start where the fills put them, "
                            "and not at rest",
                            cause);
        if (worst == ADJUSTS)
            scree_log_write(&world->log, SCREE_LOG_WARNING,
                            "%s differs from what the bed was settled with: it may move at first", cause);
        if (worst != REFUSED) {
            take(world, &from);
            *taken = true;
        }
    }
    scree_snapshot_drop(&from, &world->memory);
    return status;
}
