/*
 * Contact search, once a frame: which particles come near which particles and which shapes while the frame lasts.
 *
 * Every particle has a reach: its radius, plus how far it may go within the frame, plus a little for what collisions
 * add. Two particles are candidates when their reaches meet.
 */
#ifndef SCREE_COLLIDE_SEARCH_H
#define SCREE_COLLIDE_SEARCH_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/shapes.h"

typedef struct scree_search {
    /* room for candidates per particle, grown when a frame needs more; 0: the default */
    uint32_t pair_room, wall_room;
} scree_search;

typedef struct scree_found {
    scree_candidate *items; /* in the arena */
    size_t count;
} scree_found;

/* frame: s; slack: m, how far a resting particle may go within the frame (gravity). */
bool scree_search_pairs(scree_search *search, scree_arena *arena, scree_pool *pool, const scree_particles *particles,
                        double frame, double slack, scree_found *found);

bool scree_search_walls(scree_search *search, scree_arena *arena, scree_pool *pool, const scree_particles *particles,
                        const scree_placed *shapes, uint32_t shape_count, const scree_rigid *bodies, double frame,
                        double slack, scree_found *found);

#endif
