/*
 * Checks of what puts grains into a scene, beyond the ranges of single values.
 */
#include "scene/check.h"
#include "scene/sizes.h"

#include <math.h>

static const double LEAST_HELD = 0.01; /* of a law must lie within its bounds: else they were meant otherwise */

static bool is_size(uint32_t element)
{
    return element == SCREE_ELEMENT_SIZE || element == SCREE_ELEMENT_GRADING_SIZE ||
           element == SCREE_ELEMENT_EMITTER_SIZE;
}

/* Names the field that is wrong, with the message in error; NULL: all is well. */
static const char *check_uniform(const scree_size *size, scree_error *error)
{
    if (size->diameter_max == 0.0 || size->diameter_max >= size->diameter)
        return NULL;
    scree_fail(error, SCREE_INVALID, "size: diameterMax = %g must be at least diameter = %g m, or 0",
               size->diameter_max, size->diameter);
    return "diameterMax";
}

/* Laws without an end of their own need bounds, and bounds that hold a good part of the law. */
static const char *check_normal(const scree_size *size, scree_error *error)
{
    const char *law = size->law == SCREE_SIZE_NORMAL ? "normal" : "lognormal";
    const char *field = NULL;
    if (!(size->deviation > 0.0) || (size->law == SCREE_SIZE_LOGNORMAL && size->deviation > 3.0)) {
        field = "deviation";
        scree_fail(error, SCREE_INVALID, "size: law \"%s\" needs a deviation above 0%s", law,
                   size->law == SCREE_SIZE_NORMAL ? " m" : " and up to 3, that of the logarithm");
    } else if (!(size->diameter_min >= 1e-6 && size->diameter_max > size->diameter_min)) {
        field = size->diameter_min >= 1e-6 ? "diameterMax" : "diameterMin";
        scree_fail(error, SCREE_INVALID,
                   "size: law \"%s\" has no ends of its own and needs bounds: diameterMin from 1e-06 m and diameterMax "
                   "above it",
                   law);
    } else if (size->law == SCREE_SIZE_NORMAL && size->by != SCREE_SHARE_NUMBER) {
        field = "by";
        scree_fail(error, SCREE_INVALID, "size: law \"normal\" counts by number; allowed by mass: uniform, lognormal");
    } else if (!(scree_size_held(size) >= LEAST_HELD)) {
        field = "diameterMin";
        scree_fail(error, SCREE_INVALID,
                   "size: only %.2g %% of the law lies between diameterMin = %g and diameterMax = %g m; at least 1 %% "
                   "should",
                   100.0 * scree_size_held(size), size->diameter_min, size->diameter_max);
    }
    return field;
}

static scree_status check_sizes(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->record_count; i++) {
        if (!is_size(scene->records[i].element))
            continue;
        const scree_size *size = &scene->sizes[scene->records[i].index];
        const char *field = size->law == SCREE_SIZE_UNIFORM ? check_uniform(size, error) : check_normal(size, error);
        if (field)
            return blame_on(blame, i, field);
    }
    return SCREE_OK;
}

/* Both rise from sieve to sieve, from nothing to all. */
static scree_status check_sieves(const scree_scene *scene, uint32_t grading, scree_blame *blame, scree_error *error)
{
    const char *id = scene->gradings[grading].id;
    const scree_sieve *last = NULL;
    uint32_t record = UINT32_MAX;
    for (uint32_t i = 0; i < scene->record_count; i++) {
        if (scene->records[i].element != SCREE_ELEMENT_SIEVE)
            continue;
        const scree_sieve *sieve = &scene->sieves[scene->records[i].index];
        if (sieve->grading != grading)
            continue;
        record = i;
        if (!last && sieve->passing != 0.0) {
            scree_fail(error, SCREE_INVALID,
                       "grading %s: %g %% pass the first sieve, and how fine they are is not said; begin with one that "
                       "0 %% pass",
                       id, sieve->passing);
            return blame_on(blame, i, "passing");
        }
        if (last && !(sieve->opening > last->opening && sieve->passing >= last->passing)) {
            bool opening = !(sieve->opening > last->opening);
            scree_fail(error, SCREE_INVALID, "grading %s: %s must rise from sieve to sieve", id,
                       opening ? "opening" : "passing");
            return blame_on(blame, i, opening ? "opening" : "passing");
        }
        last = sieve;
    }
    if (last && last->passing != 100.0) {
        scree_fail(error, SCREE_INVALID, "grading %s: the last sieve must let 100 %% pass, and it lets %g %%", id,
                   last->passing);
        return blame_on(blame, record, "passing");
    }
    return SCREE_OK;
}

/* How many classes belong to an owner. */
static uint32_t count_sizes(const scree_scene *scene, scree_owner kind, uint32_t owner)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->size_count; i++)
        count += scene->sizes[i].owner_kind == kind && scene->sizes[i].owner == owner;
    return count;
}

static scree_status check_gradings(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->grading_count; i++) {
        uint32_t sieves = 0;
        for (uint32_t k = 0; k < scene->sieve_count; k++)
            sieves += scene->sieves[k].grading == i;
        uint32_t sizes = count_sizes(scene, SCREE_OWNER_GRADING, i);
        if ((sizes > 0) == (sieves > 0)) {
            scree_fail(error, SCREE_INVALID, "grading %s: needs either elements \"size\" or elements \"sieve\"",
                       scene->gradings[i].id);
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_GRADING, i), NULL);
        }
        scree_status status = check_sieves(scene, i, blame, error);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static bool is_endless(const scree_region *region)
{
    return region->shape == SCREE_REGION_HALFSPACE ||
           (region->shape == SCREE_REGION_CYLINDER && !(region->length > 0.0));
}

/* Names the field that is wrong with the space of a fill. */
static const char *check_space(const scree_scene *scene, const scree_fill *fill, scree_error *error)
{
    bool boxed = false;
    for (int k = 0; k < 3; k++)
        boxed = boxed || fill->min[k] != 0.0 || fill->max[k] != 0.0;
    if (fill->count > 0 && fill->mass > 0.0) {
        scree_fail(error, SCREE_INVALID, "fill %s: count and mass are both given; only one of them is allowed",
                   fill->id);
        return "mass";
    }
    if (fill->region != UINT32_MAX) {
        const scree_region *region = &scene->regions[fill->region];
        bool endless = is_endless(region);
        if (boxed) {
            scree_fail(error, SCREE_INVALID, "fill %s: has min and max and a region; only one of them is allowed",
                       fill->id);
            return "region";
        }
        if (endless)
            scree_fail(error, SCREE_INVALID, "fill %s: region %s has no end; a fill needs one of finite size", fill->id,
                       region->id);
        return endless ? "region" : NULL;
    }
    if (!boxed) {
        scree_fail(error, SCREE_INVALID, "fill %s: needs min and max, the corners of a box, or a region", fill->id);
        return "max";
    }
    for (int k = 0; k < 3; k++)
        if (!(fill->min[k] < fill->max[k])) {
            scree_fail(error, SCREE_INVALID, "fill %s: %c of max (%g) must be above that of min (%g)", fill->id,
                       'x' + k, fill->max[k], fill->min[k]);
            return "max";
        }
    return NULL;
}

static scree_status check_fills(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->fill_count; i++) {
        const scree_fill *fill = &scene->fills[i];
        uint32_t record = record_of(scene, SCREE_ELEMENT_FILL, i);
        const char *field = check_space(scene, fill, error);
        if (field)
            return blame_on(blame, record, field);
        bool own = count_sizes(scene, SCREE_OWNER_FILL, i) > 0;
        if (own == (fill->grading != UINT32_MAX)) {
            scree_fail(error, SCREE_INVALID,
                       own ? "fill %s: has elements \"size\" and a grading; only one of them is allowed"
                           : "fill %s: needs at least 1 element \"size\", or a grading",
                       fill->id);
            return blame_on(blame, record, own ? "grading" : NULL);
        }
    }
    return SCREE_OK;
}

/* Names the field that is wrong with an emitter's rate or time. */
static const char *check_rate(const scree_emitter *emitter, scree_error *error)
{
    static const char *const words[] = {"none", "massRate", "grainRate"};
    bool mass = emitter->mass_rate > 0.0 || emitter->input == SCREE_FEED_MASS_RATE;
    bool grains = emitter->grain_rate > 0.0 || emitter->input == SCREE_FEED_GRAIN_RATE;
    if (mass && grains) {
        scree_fail(error, SCREE_INVALID, "emitter %s: massRate = %g, grainRate = %g, input = \"%s\"; one rate only",
                   emitter->id, emitter->mass_rate, emitter->grain_rate, words[emitter->input]);
        return emitter->input == SCREE_FEED_MASS_RATE ? "grainRate" : "massRate";
    }
    if (emitter->stop > 0.0 && !(emitter->stop > emitter->start)) {
        scree_fail(error, SCREE_INVALID, "emitter %s: stop = %g s must be after start = %g s, or 0", emitter->id,
                   emitter->stop, emitter->start);
        return "stop";
    }
    return NULL;
}

static scree_status check_emitters(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->emitter_count; i++) {
        const scree_emitter *emitter = &scene->emitters[i];
        bool own = count_sizes(scene, SCREE_OWNER_EMITTER, i) > 0;
        const char *field = check_rate(emitter, error);
        if (!field && is_endless(&scene->regions[emitter->region])) {
            scree_fail(error, SCREE_INVALID, "emitter %s: region %s has no end; an emitter needs one of finite size",
                       emitter->id, scene->regions[emitter->region].id);
            field = "region";
        }
        if (field)
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_EMITTER, i), field);
        if (own == (emitter->grading != UINT32_MAX)) {
            scree_fail(error, SCREE_INVALID,
                       own ? "emitter %s: has elements \"size\" and a grading; only one of them is allowed"
                           : "emitter %s: needs at least 1 element \"size\", or a grading",
                       emitter->id);
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_EMITTER, i), own ? "grading" : NULL);
        }
    }
    return SCREE_OK;
}

scree_status scree_check_grains(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    scree_status status = check_sizes(scene, blame, error);
    if (status == SCREE_OK)
        status = check_gradings(scene, blame, error);
    if (status == SCREE_OK)
        status = check_fills(scene, blame, error);
    return status == SCREE_OK ? check_emitters(scene, blame, error) : status;
}
