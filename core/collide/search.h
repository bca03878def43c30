/*
 * Contact search: which particles may touch which particles soon. For shapes see collide/walls.h.
 *
 * Every particle has a margin beyond its radius: a skin, plus how far its velocity takes it in a frame. Two particles
 * are a pair when their reaches (radius and margin) meet. The pairs hold until a particle has gone farther than its
 * margin, which is asked before every substep: no contact is missed, and a bed at rest is not searched again. What all
 * have in common changes no distance and does not count: ways and velocities are those relative to a drift, the same
 * for all, that follows the mean of the grains.
 *
 * The search takes wider margins than the pairs need and keeps what it finds: the next pairs are chosen from the same
 * candidates (collide/pairs.h) until those no longer cover them. Which candidates there are beyond the pairs makes no
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
    scree_place *seen;      /* [particles]: where each was then, and its wide margin as r */
    vec3 drift;             /* m, how far they have all gone together since, up to the last choice of pairs */
    size_t capacity;
    bool valid;
} scree_search;

typedef struct scree_found {
    scree_candidate *items; /* in the arena */
    size_t count;
} scree_found;

void scree_search_free(scree_search *search, const scree_memory *memory);

/* m, [particles], in the arena: how far each particle may go from where the stream takes it before the pairs must be
 * chosen anew. stream: m/s, common velocity; time: s, that they are to last; slack: m, how far gravity takes a particle
 * within a frame. NULL: no memory. */
double *scree_search_margins(scree_arena *arena, const scree_particles *particles, vec3 stream, double time,
                             double slack);

/* Whether all pairs with these margins are among the candidates of the last search. */
bool scree_search_covers(const scree_search *search, const scree_particles *particles, const double *margins);

/* Finds the candidates anew, such that they cover these margins and some more. False: no memory. */
bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const double *margins);

#endif
