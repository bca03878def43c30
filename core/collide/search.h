/*
 * Contact search: which particles may touch which particles soon. For shapes see collide/walls.h.
 *
 * Every grain is expected to keep its velocity for a few frames, and has a margin beyond its radius for what it does
 * otherwise. Two grains are a pair when their reaches (radius and margin) meet on the way. The pairs hold until a grain
 * is farther than its margin from where it is expected, which is asked before every substep: no contact is missed, and
 * a bed at rest is not searched again. What all have in common changes no distance and does not count: places and
 * velocities are those relative to a drift, the same for all, that follows the mean of the grains. Where a few grains
 * stray, the list is mended (collide/mend.h).
 *
 * How far two grains come near each other depends on how their velocities differ, and neighbours often move alike. So
 * the search places every grain where it is halfway to the horizon, and looks around it as far as its velocity deviates
 * from that of its place (collide/current.h).
 */
#ifndef SCREE_COLLIDE_SEARCH_H
#define SCREE_COLLIDE_SEARCH_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/pairs.h"

/* Room for what each range of particles finds, as the last searches needed it. */
typedef struct scree_rooms {
    uint32_t *items; /* [count], pairs */
    size_t count, capacity;
} scree_rooms;

typedef struct scree_found {
    scree_candidate *items; /* in the arena */
    size_t count;
} scree_found;

typedef struct scree_search {
    scree_rooms rooms;
    scree_neighbours found; /* by the last search */
    size_t starts_capacity, others_capacity;
} scree_search;

void scree_search_free(scree_search *search, const scree_memory *memory);

/*
 * m: how far a grain may come from where it is expected before the pairs must be looked at anew. way: m, that it goes
 * in a frame beyond what others do with it; slack: m, how far gravity takes a grain within a frame.
 */
double scree_search_margin(double radius, double way, double slack);

/* Finds the pairs of this outlook. False: no memory. */
bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_outlook *outlook);

#endif
