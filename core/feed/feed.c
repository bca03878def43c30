#include "feed/feed.h"

#include "body/regions.h"
#include "feed/emit.h"

#include <string.h>

bool scree_feeding_create(scree_feeding *feeding, const scree_scene *settings, const scree_memory *memory)
{
    *feeding = (scree_feeding){.emitters = scree_allocate(memory, settings->emitter_count, sizeof *feeding->emitters),
                               .sinks = scree_allocate(memory, settings->sink_count, sizeof *feeding->sinks),
                               .sizes = scree_allocate(memory, settings->emitter_count, sizeof *feeding->sizes)};
    bool complete = feeding->emitters && feeding->sinks && feeding->sizes;
    for (uint32_t i = 0; i < settings->emitter_count && complete; i++) {
        const scree_emitter *emitter = &settings->emitters[i];
        feeding->emitters[i].rate = (scree_feed_rate){emitter->mass_rate, emitter->grain_rate};
        complete = scree_sizes_make(&feeding->sizes[i], settings, SCREE_OWNER_EMITTER, i, memory);
    }
    return complete;
}

void scree_feeding_free(scree_feeding *feeding, const scree_scene *settings, const scree_memory *memory)
{
    for (uint32_t i = 0; feeding->sizes && i < settings->emitter_count; i++)
        scree_sizes_free(&feeding->sizes[i], memory);
    scree_release(memory, feeding->emitters);
    scree_release(memory, feeding->sinks);
    scree_release(memory, feeding->sizes);
    *feeding = (scree_feeding){0};
}

void scree_feed_start(scree_world *world)
{
    const scree_scene *settings = world->settings;
    for (uint32_t i = 0; i < settings->emitter_count; i++) {
        const scree_emitter *emitter = &settings->emitters[i];
        scree_emitter_state *state = &world->feeding.emitters[i];
        scree_feed_rate rate = {emitter->mass_rate, emitter->grain_rate};
        if (emitter->input != SCREE_FEED_PARAMETER)
            rate = state->rate;
        *state = (scree_emitter_state){.rate = rate, .random = scree_random_seeded(emitter->seed)};
    }
    if (settings->sink_count)
        memset(world->feeding.sinks, 0, settings->sink_count * sizeof *world->feeding.sinks);
}

void scree_feed_begin(scree_world *world)
{
    for (uint32_t i = 0; i < world->settings->emitter_count; i++)
        world->feeding.emitters[i].step_mass = 0.0;
    for (uint32_t i = 0; i < world->settings->sink_count; i++)
        world->feeding.sinks[i].step_mass = 0.0;
}

double scree_feed_diameter(const scree_world *world)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < world->settings->emitter_count; i++)
        sum += cbrt(world->feeding.sizes[i].mean_cube) / world->settings->emitter_count;
    return sum;
}

/* The sink that takes a grain at x, or UINT32_MAX. */
static uint32_t sink_at(const scree_scene *settings, const scree_placed_region *regions, vec3 x)
{
    for (uint32_t i = 0; i < settings->sink_count; i++)
        if (scree_region_contains(&regions[i], x) != (settings->sinks[i].outside != 0))
            return i;
    return UINT32_MAX;
}

static bool remove_grains(scree_world *world)
{
    const scree_scene *settings = world->settings;
    scree_particles *particles = &world->particles;
    uint32_t *order = scree_arena_get(&world->arena, particles->count, sizeof *order), kept = 0;
    scree_placed_region *regions = scree_arena_get(&world->arena, settings->sink_count, sizeof *regions);
    if (!order || !regions)
        return false;
    for (uint32_t i = 0; i < settings->sink_count; i++)
        regions[i] = scree_region_place(&settings->regions[settings->sinks[i].region], world->bodies);
    for (uint32_t i = 0; i < particles->count; i++) {
        uint32_t at = sink_at(settings, regions, particles->place[i].x);
        if (at == UINT32_MAX) {
            order[kept++] = i;
            continue;
        }
        scree_sink_state *sink = &world->feeding.sinks[at];
        double mass = 1.0 / particles->twist[i].inv_mass; /* as it was counted when it came */
        scree_sum_add(&sink->mass, mass);
        sink->step_mass += mass;
        sink->count++;
    }
    return kept == particles->count || scree_world_renumber(world, order, kept);
}

bool scree_feed_run(scree_world *world, double time, double frame)
{
    const scree_scene *settings = world->settings;
    if (settings->sink_count == 0 && settings->emitter_count == 0)
        return true;
    scree_arena_reset(&world->arena);
    world->rows = (scree_rows){0}; /* they were in the arena */
    if (settings->sink_count > 0 && world->particles.count > 0 && !remove_grains(world))
        return false;
    uint32_t before = world->particles.count;
    for (uint32_t i = 0; i < settings->emitter_count && !world->settling; i++)
        if (!scree_emit(world, i, time, frame))
            return false;
    return world->particles.count == before || scree_world_extend(world, before);
}

/* ---------------------------------------------------------------- from outside */

scree_status scree_world_set_rate(scree_world *world, uint32_t emitter, const scree_feed_rate *rate, scree_error *error)
{
    const scree_scene *settings = world->settings;
    if (emitter >= settings->emitter_count || settings->emitters[emitter].input == SCREE_FEED_PARAMETER)
        return scree_fail(error, SCREE_INVALID, "emitter number %u takes no rate", (unsigned)emitter);
    if (!isfinite(rate->mass_rate) || !isfinite(rate->grain_rate))
        return scree_fail(error, SCREE_INVALID, "emitter %s: the rate is not finite", settings->emitters[emitter].id);
    world->feeding.emitters[emitter].rate = *rate;
    return SCREE_OK;
}

const scree_feed_rate *scree_world_get_rate(const scree_world *world, uint32_t emitter)
{
    return emitter < world->settings->emitter_count ? &world->feeding.emitters[emitter].rate : NULL;
}

static uint32_t shown(uint64_t count)
{
    return count > INT32_MAX ? INT32_MAX : (uint32_t)count; /* as large as an FMI integer may be */
}

scree_fed scree_world_get_emitted(const scree_world *world, uint32_t emitter)
{
    if (emitter >= world->settings->emitter_count)
        return (scree_fed){0};
    const scree_emitter_state *state = &world->feeding.emitters[emitter];
    double step = world->last_dt, unit = 1.0;
    if (!scree_emits_mass(world, emitter)) {
        const scree_emitter *given = &world->settings->emitters[emitter];
        double density = world->settings->materials[given->material].density;
        unit = density * SCREE_PI / 6.0 * world->feeding.sizes[emitter].mean_cube; /* of a grain, mean */
    }
    return (scree_fed){.mass = state->mass.high,
                       .mass_flow = step > 0.0 ? state->step_mass / step : 0.0,
                       .waiting = unit * state->owed,
                       .count = shown(state->count)};
}

scree_fed scree_world_get_removed(const scree_world *world, uint32_t sink)
{
    if (sink >= world->settings->sink_count)
        return (scree_fed){0};
    const scree_sink_state *state = &world->feeding.sinks[sink];
    double step = world->last_dt;
    return (scree_fed){.mass = state->mass.high,
                       .mass_flow = step > 0.0 ? state->step_mass / step : 0.0,
                       .count = shown(state->count)};
}
