/*
 * How neighbouring grains move together: a velocity for every place, smooth, and near the mean of the grains there.
 *
 * Two grains whose velocities are near that of their place approach slowly, however fast both are; the search
 * (collide/search.h) looks only as far as they deviate from it. Any field will do, as long as it is known how much it
 * changes from place to place: it decides what the search costs, not what it finds.
 */
#ifndef SCREE_COLLIDE_CURRENT_H
#define SCREE_COLLIDE_CURRENT_H

#include "base/memory.h"
#include "base/parallel.h"
#include "body/particles.h"

typedef struct scree_current {
    vec3 low;        /* m, corner of the first cell */
    double inv_cell; /* 1/m */
    int32_t size[3]; /* cells */
    vec3 *v;         /* [cells], m/s, at their centres, beyond the common velocity; in the arena */
    double steep;    /* 1/s: at two places it differs by no more than this times their distance */
} scree_current;

/*
 * Measures it from low to high; beyond, it goes on as at the border. edge: m, of a cell, as far as their number allows.
 * stream: m/s, that all have in common, and which is left out; steepest: 1/s, that `steep` is not to exceed.
 * False: no memory.
 */
bool scree_current_measure(scree_current *current, scree_arena *arena, scree_pool *pool,
                           const scree_particles *particles, vec3 low, vec3 high, double edge, vec3 stream,
                           double steepest);

/* m/s, beyond the common velocity. */
vec3 scree_current_at(const scree_current *current, vec3 x);

#endif
