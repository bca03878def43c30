/*
 * Variables of emitters and sinks: <emitter>.massRate in, <emitter>.mass, <sink>.mass … out.
 */
#include "groups.h"

#include <string.h>

/* ---------------------------------------------------------------- rate in */

static bool takes_mass_rate(const scree_scene *scene, uint32_t emitter)
{
    return scene->emitters[emitter].input == SCREE_FEED_MASS_RATE;
}

static bool takes_grain_rate(const scree_scene *scene, uint32_t emitter)
{
    return scene->emitters[emitter].input == SCREE_FEED_GRAIN_RATE;
}

static const scree_item rate_items[] = {
    {.name = "massRate",
     .unit = "kg/s",
     .help = "Mass of grains per time that should come",
     .type = SCREE_TYPE_REAL,
     .count = 1,
     .offset = offsetof(scree_feed_rate, mass_rate),
     .has = takes_mass_rate},
    {.name = "grainRate",
     .unit = "1/s",
     .help = "Number of grains per time that should come",
     .type = SCREE_TYPE_REAL,
     .count = 1,
     .offset = offsetof(scree_feed_rate, grain_rate),
     .has = takes_grain_rate},
};

static void start_rate(const scree_scene *scene, uint32_t emitter, void *values)
{
    const scree_emitter *given = &scene->emitters[emitter];
    scree_feed_rate rate = {given->mass_rate, given->grain_rate};
    memcpy(values, &rate, sizeof rate);
}

static scree_status get_rate(const scree_world *world, uint32_t emitter, void *values)
{
    memcpy(values, scree_world_get_rate(world, emitter), sizeof(scree_feed_rate));
    return SCREE_OK;
}

static scree_status set_rate(scree_world *world, uint32_t emitter, const void *values, scree_error *error)
{
    return scree_world_set_rate(world, emitter, values, error);
}

const scree_group scree_rate_group = {
    .name = "rate",
    .element = SCREE_ELEMENT_EMITTER,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(rate_items),
    .size = sizeof(scree_feed_rate),
    .start = start_rate,
    .get = get_rate,
    .set = set_rate,
};

/* ---------------------------------------------------------------- emitted */

static const scree_item emitted_items[] = {
    SCREE_ITEM(scree_fed, mass, "mass", REAL, 1, "kg", true, "Mass of the grains that have come since the start"),
    SCREE_ITEM(scree_fed, count, "count", INTEGER, 1, "1", true, "Number of the grains that have come since the start"),
    SCREE_ITEM(scree_fed, mass_flow, "massFlow", REAL, 1, "kg/s", true,
               "Mass of the grains that have come, per time, mean over the last step"),
    SCREE_ITEM(scree_fed, waiting, "waiting", REAL, 1, "kg", true,
               "Mass that the rate has asked for and that has not come yet: less than a grain, or no room"),
};

static scree_status get_emitted(const scree_world *world, uint32_t emitter, void *values)
{
    scree_fed fed = scree_world_get_emitted(world, emitter);
    memcpy(values, &fed, sizeof fed);
    return SCREE_OK;
}

const scree_group scree_emitted_group = {
    .name = "emitted",
    .element = SCREE_ELEMENT_EMITTER,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(emitted_items),
    .size = sizeof(scree_fed),
    .get = get_emitted,
};

/* ---------------------------------------------------------------- removed */

static const scree_item removed_items[] = {
    SCREE_ITEM(scree_fed, mass, "mass", REAL, 1, "kg", true,
               "Mass of the grains that have been removed since the start"),
    SCREE_ITEM(scree_fed, count, "count", INTEGER, 1, "1", true,
               "Number of the grains that have been removed since the start"),
    SCREE_ITEM(scree_fed, mass_flow, "massFlow", REAL, 1, "kg/s", true,
               "Mass of the grains that have been removed, per time, mean over the last step"),
};

static scree_status get_removed(const scree_world *world, uint32_t sink, void *values)
{
    scree_fed fed = scree_world_get_removed(world, sink);
    memcpy(values, &fed, sizeof fed);
    return SCREE_OK;
}

const scree_group scree_removed_group = {
    .name = "removed",
    .element = SCREE_ELEMENT_SINK,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(removed_items),
    .size = sizeof(scree_fed),
    .get = get_removed,
};
