/*
 * Figures about the whole: info.*
 */
#include "groups.h"

static const scree_item info_items[] = {
    SCREE_ITEM(scree_info, particles, "particles", INTEGER, 1, "1", false, "Number of grains"),
    SCREE_ITEM(scree_info, contacts, "contacts", INTEGER, 1, "1", true, "Number of closed contacts"),
    SCREE_ITEM(scree_info, mass, "mass", REAL, 1, "kg", false, "Mass of all grains"),
    SCREE_ITEM(scree_info, momentum, "momentum", REAL, 3, "kg.m/s", false, "Momentum of all grains"),
    SCREE_ITEM(scree_info, center, "center", REAL, 3, "m", false, "Centre of mass of all grains"),
    SCREE_ITEM(scree_info, kinetic_energy, "kineticEnergy", REAL, 1, "J", false, "Kinetic energy of all grains"),
    SCREE_ITEM(scree_info, mean_overlap, "meanOverlap", REAL, 1, "1", true,
               "Overlap over sum of radii, mean over the closed contacts"),
    SCREE_ITEM(scree_info, max_overlap, "maxOverlap", REAL, 1, "1", true, "Overlap over sum of radii, the largest"),
    SCREE_ITEM(scree_info, overlap_error, "overlapError", REAL, 1, "1", true,
               "Difference of overlap and the overlap that bears the contact's force at rest, over sum of radii, mean"),
    SCREE_ITEM(scree_info, residual, "residual", REAL, 1, "1", true,
               "How far the last substep is from solved: the largest of the four residuals below"),
    SCREE_ITEM(scree_info, residual_normal, "residualNormal", REAL, 1, "1", true, "Residual of non-penetration"),
    SCREE_ITEM(scree_info, residual_friction, "residualFriction", REAL, 1, "1", true, "Residual of the friction cone"),
    SCREE_ITEM(scree_info, residual_rolling, "residualRolling", REAL, 1, "1", true, "Residual of the rolling cones"),
    SCREE_ITEM(scree_info, residual_momentum, "residualMomentum", REAL, 1, "1", true,
               "Residual of the momentum balance"),
    SCREE_ITEM(scree_info, substeps, "substeps", INTEGER, 1, "1", true, "Substeps of the last frame"),
    SCREE_ITEM(scree_info, sweeps, "sweeps", REAL, 1, "1", true, "Sweeps per substep of the last frame, mean"),
    SCREE_ITEM(scree_info, impacts, "impacts", INTEGER, 1, "1", true, "Impacts in the last step"),
    SCREE_ITEM(scree_info, asleep, "asleep", INTEGER, 1, "1", true, "Grains that slept in the last frame"),
};

static scree_status get_info(const scree_world *world, uint32_t owner, void *values)
{
    (void)owner;
    scree_world_get_info(world, values);
    return SCREE_OK;
}

const scree_group scree_info_group = {
    .name = "info",
    .element = SCREE_ELEMENT_SCENE,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(info_items),
    .size = sizeof(scree_info),
    .get = get_info,
};

#define STAGE(stage_, name_, help_)                                                                                    \
    SCREE_ITEM(scree_profile, seconds[SCREE_STAGE_##stage_], name_, REAL, 1, "s", true,                                \
               "Time on the clock that went to " help_ "")

static const scree_item profile_items[] = {
    STAGE(FEED, "feed", "grains that come and go, and their order in memory"),
    STAGE(SEARCH, "search", "pairs of grains that may touch"),
    STAGE(WALLS, "walls", "contacts with bodies: search and rows"),
    STAGE(IMPACTS, "impacts", "contacts that close too fast for a substep"),
    STAGE(PREDICT, "predict", "gravity and warm start"),
    STAGE(SWEEP, "sweep", "impulses between grains"),
    STAGE(BODIES, "bodies", "impulses on bodies, and mechanisms"),
    STAGE(RESIDUAL, "residual", "errors, once per frame"),
    STAGE(MOVE, "move", "positions"),
    STAGE(MEASURE, "measure", "wrenches, sensors, impedance"),
};

static bool has_profile(const scree_scene *scene, uint32_t owner)
{
    (void)owner;
    return scene->solver.profile != 0;
}

static scree_status get_profile(const scree_world *world, uint32_t owner, void *values)
{
    (void)owner;
    scree_world_get_profile(world, values);
    return SCREE_OK;
}

const scree_group scree_profile_group = {
    .name = "profile",
    .when = "solver profile=\"1\"",
    .has = has_profile,
    .element = SCREE_ELEMENT_SCENE,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(profile_items),
    .size = sizeof(scree_profile),
    .get = get_profile,
};
