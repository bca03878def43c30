/*
 * Whether a new grain would overlap others: those that reach into a box, in a grid of cells as large as the largest
 * newcomer. A grain stands in every cell that it reaches into.
 */
#ifndef SCREE_FEED_NEARBY_H
#define SCREE_FEED_NEARBY_H

#include "body/particles.h"

typedef struct scree_near {
    uint32_t particle, next; /* next entry of the bucket; UINT32_MAX: none */
} scree_near;

typedef struct scree_nearby {
    vec3 low, high;    /* m, the box */
    double inv_cell;   /* 1/m */
    uint32_t mask;     /* buckets − 1 */
    uint32_t *buckets; /* [mask + 1], first entry */
    scree_near *entries;
    size_t count, capacity;
} scree_nearby;

/* Centres of newcomers lie between low and high, their radii are at most `largest`, and there are at most `newcomers`
 * of them. Memory comes from the arena. False: there is none. */
bool scree_nearby_make(scree_nearby *nearby, scree_arena *arena, const scree_particles *particles, vec3 low, vec3 high,
                       double largest, uint32_t newcomers);

/* A newcomer that has been placed. */
void scree_nearby_add(scree_nearby *nearby, const scree_particles *particles, uint32_t index);

/* Whether a sphere overlaps any of them. */
bool scree_nearby_overlaps(const scree_nearby *nearby, const scree_particles *particles, vec3 x, double r);

#endif
