/*
 * The grains that a scene starts with.
 */
#ifndef SCREE_FEED_FILL_H
#define SCREE_FEED_FILL_H

#include "body/particles.h"
#include "feed/space.h"
#include "scene/sizes.h"

/* Makes the particles: those placed by hand, then those of the fills, in the order of the settings. On failure
 * *particles is empty. */
scree_status scree_fill_all(scree_particles *particles, const scree_site *site, scree_error *error);

/* One fill under way. */
typedef struct scree_filling {
    const scree_fill *fill;
    uint32_t index; /* of the fill */
    double density; /* kg/m3, of the solid */
    scree_sizes sizes;
    scree_space space;
    scree_arena *arena; /* scratch of this fill */
} scree_filling;

/* Whether one more grain of diameter d is wanted, after so many with so much volume (m3, of the solid). The mass is met
 * to half a grain. */
bool scree_filling_wants(const scree_filling *filling, double count, double volume, double d);

/* The two methods: add the grains of one fill to the particles. */
scree_status scree_fill_lattice(scree_particles *particles, scree_filling *filling, scree_error *error);
scree_status scree_fill_random(scree_particles *particles, scree_filling *filling, scree_error *error);

#define SCREE_MOST_GRAINS 5e7 /* as the field of a fill's count has it */

#endif
