#include "feed/space.h"

#include <stdlib.h>

scree_space scree_space_make(const scree_site *site, uint32_t region, const double min[3], const double max[3])
{
    scree_region box = {.shape = SCREE_REGION_BOX, .body = UINT32_MAX};
    for (int k = 0; k < 3 && region == UINT32_MAX; k++) {
        box.position[k] = 0.5 * (min[k] + max[k]);
        box.size[k] = max[k] - min[k];
    }
    scree_space space = {.site = site, .level = HUGE_VAL};
    space.region = scree_region_place(region == UINT32_MAX ? &box : &site->settings->regions[region], site->bodies);
    scree_region_bounds(&space.region, &space.low, &space.high);
    if (region == UINT32_MAX) { /* without rounding: what a lattice may hold depends on it */
        space.low = vec3_of(min);
        space.high = vec3_of(max);
    }
    return space;
}

/* Whether anything is near is a quicker question to a mesh than how near; but only a distance knows the inside. */
bool scree_space_is_off(const scree_placed *shape, vec3 x, double r)
{
    if (shape->mesh && !shape->mesh->solid)
        return !scree_shape_within(shape, x, r);
    return scree_shape_distance(shape, x) >= r;
}

bool scree_space_is_clear(const scree_site *site, vec3 x, double r)
{
    for (uint32_t i = 0; i < site->settings->shape_count; i++)
        if (!scree_space_is_off(&site->shapes[i], x, r))
            return false;
    return true;
}

bool scree_space_takes(const scree_space *space, vec3 x, double r)
{
    return scree_region_contains(&space->region, x) && scree_region_level(&space->region, x) <= space->level &&
           scree_space_is_clear(space->site, x, r);
}

static int by_value(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return l < r ? -1 : l > r;
}

double scree_space_measure(scree_space *space, double want)
{
    enum { POINTS = 200000 };
    vec3 extent = sub(space->high, space->low);
    double edge = cbrt(extent.x * extent.y * extent.z / POINTS);
    uint32_t n[3] = {(uint32_t)fmin(ceil(extent.x / edge), 2000.0), (uint32_t)fmin(ceil(extent.y / edge), 2000.0),
                     (uint32_t)fmin(ceil(extent.z / edge), 2000.0)};
    double cell = extent.x / n[0] * (extent.y / n[1]) * (extent.z / n[2]);
    double *levels = scree_allocate(space->site->memory, (size_t)n[0] * n[1] * n[2], sizeof *levels);
    if (!levels)
        return -1.0;
    size_t count = 0;
    for (uint32_t i = 0; i < n[2]; i++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t k = 0; k < n[0]; k++) {
                double up = 0.7548776662 * k + 0.5698402910 * j; /* evenly spread heights, not layers */
                vec3 x = {space->low.x + (k + 0.5) * extent.x / n[0], space->low.y + (j + 0.5) * extent.y / n[1],
                          space->low.z + (i + up - floor(up)) * extent.z / n[2]};
                if (scree_space_takes(space, x, 0.0))
                    levels[count++] = scree_region_level(&space->region, x);
            }
    double volume = (double)count * cell;
    if (want < volume && count > 0) {
        qsort(levels, count, sizeof *levels, by_value);
        space->level = levels[(size_t)(want / cell)];
        if (space->region.shape == SCREE_REGION_HEAP) {
            double radius = space->level / space->region.slope;
            space->region.half = (vec3){radius, radius, space->level};
        }
    }
    scree_release(space->site->memory, levels);
    return volume;
}
