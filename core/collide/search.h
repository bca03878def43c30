/*
 * Contact search: which particles may touch which particles and which shapes before the next search.
 *
 * Every particle has a margin beyond its radius: a skin, plus how far its velocity takes it in a frame. Two particles
 * are candidates when their reaches (radius and margin) meet. The candidates hold until a particle has gone farther
 * than its margin, which is asked before every substep: no contact is missed, and a bed at rest is not searched again.
 * Which open pairs the list holds makes no difference to the result, and so the search is no part of the state.
 */
#ifndef SCREE_COLLIDE_SEARCH_H
#define SCREE_COLLIDE_SEARCH_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/shapes.h"

/* Room for the candidates of each range of particles, as the last searches needed it. */
typedef struct scree_rooms {
    uint32_t *items; /* [count], candidates */
    size_t count, capacity;
} scree_rooms;

typedef struct scree_search {
    scree_rooms pair_rooms, wall_rooms;
    /* the last search for pairs: where each particle was, and its margin in place of its radius */
    scree_place *seen; /* [particles] */
    size_t capacity;
    bool valid;
} scree_search;

typedef struct scree_found {
    scree_candidate *items; /* in the arena */
    size_t count;
} scree_found;

void scree_search_free(scree_search *search, const scree_memory *memory);

/* Whether the last search still holds all that touches now. */
bool scree_search_holds(const scree_search *search, const scree_particles *particles);

/* frame: s; slack: m, how far a resting particle may go within the frame (gravity). */
bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, double frame, double slack, scree_found *found);

/* After a search for pairs that still holds; shapes may move as their bodies do for `frame`; walls, loads: the contacts
 * as of now, of which those that are closed stay candidates. */
bool scree_search_walls(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_placed *shapes, uint32_t shape_count,
                        const scree_rigid *bodies, const scree_contact_list *walls, const scree_contact_list *loads,
                        double frame, scree_found *found);

#endif
