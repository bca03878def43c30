/*
 * A space for grains: a region without what the shapes of bodies take of it, filled from the bottom up to a level.
 */
#ifndef SCREE_FEED_SPACE_H
#define SCREE_FEED_SPACE_H

#include "body/regions.h"
#include "collide/shapes.h"

/* What grains are put among, as it is now. */
typedef struct scree_site {
    const scree_scene *settings;
    const scree_rigid *bodies;  /* [body_count] */
    const scree_placed *shapes; /* [shape_count] */
    const scree_memory *memory;
} scree_site;

typedef struct scree_space {
    const scree_site *site;
    scree_placed_region region;
    vec3 low, high; /* m, a box around it */
    double level;   /* m, of scree_region_level: what is above is no part of it */
} scree_space;

/* The whole of a region, or of a box when the region is UINT32_MAX. */
scree_space scree_space_make(const scree_site *site, uint32_t region, const double min[3], const double max[3]);

/* Whether a grain at x of radius r does not touch the shape. */
bool scree_space_is_off(const scree_placed *shape, vec3 x, double r);

/* Whether a sphere touches no shape. */
bool scree_space_is_clear(const scree_site *site, vec3 x, double r);

/* Whether a grain may be here: its centre in the space, and clear of shapes. */
bool scree_space_takes(const scree_space *space, vec3 x, double r);

/*
 * m3, of the space, by sampling it; to about 1 % for a box that is mostly space. With want < the whole, lowers the
 * level to where the space below it is `want`. Negative: no memory.
 */
double scree_space_measure(scree_space *space, double want);

#endif
