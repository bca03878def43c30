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
 * The search finds the grains whose balls meet, around all that each may reach; pairs are chosen from these candidates
 * (collide/pairs.h), the next ones too while they cover them. Which candidates there are beyond the pairs makes no
 * difference to the result, and so the search is no part of the state.
 */
#ifndef SCREE_COLLIDE_SEARCH_H
#define SCREE_COLLIDE_SEARCH_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/pairs.h"

/* Room for the candidates of each range of particles, as the last searches needed it. */
typedef struct scree_rooms {
    uint32_t *items; /* [count], candidates */
    size_t count, capacity;
} scree_rooms;

typedef struct scree_search {
    scree_rooms pair_rooms;
    scree_neighbours found; /* candidates of the last search for pairs */
    scree_place *seen;      /* [particles], balls around all that each might reach */
    vec3 drift;             /* m, how far they have all gone together since, up to the last choice of pairs */
    size_t capacity;
    bool valid;
} scree_search;

typedef struct scree_found {
    scree_candidate *items; /* in the arena */
    size_t count;
} scree_found;

void scree_search_free(scree_search *search, const scree_memory *memory);

/* m: how far grain i may come from where it is expected before the pairs must be looked at anew. stream: m/s, common
 * velocity; frame: s; slack: m, how far gravity takes a grain within a frame. */
double scree_search_margin(const scree_particles *particles, uint32_t i, vec3 stream, double frame, double slack);

/* Whether all pairs of this outlook are among the candidates of the last search. */
bool scree_search_covers(const scree_search *search, const scree_particles *particles, const scree_outlook *outlook);

/* Finds the candidates of this outlook. False: no memory. */
bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_outlook *outlook);

#endif
