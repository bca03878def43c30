/*
 * Search for contacts with shapes: which particles may touch which shapes soon.
 *
 * What is found holds for a while. Each tile of particles has a way that its particles may go, each shape one that its
 * surface may; a particle and a shape are candidates when they are nearer than the ways left to both. A tile whose
 * particles have used up theirs is searched again, and all tiles when a shape has. Candidates that do not touch decide
 * nothing, and so when a search is repeated makes no difference to the result: it is no part of the state.
 */
#ifndef SCREE_COLLIDE_WALLS_H
#define SCREE_COLLIDE_WALLS_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/search.h"
#include "collide/shapes.h"

/* What the last searches left. Starts as all zero. */
typedef struct scree_wall_search {
    double *left;       /* m, [tiles]: how far its particles may go yet; set by the search and scree_walls_go */
    double *shape_left; /* m, [shapes]: likewise its surface, once this frame is over */
    double *ways;       /* m, [shapes]: of each in the frame */
    size_t left_capacity, shape_capacity, ways_capacity;
    scree_rooms rooms; /* of tiles */
    bool valid;        /* the contacts are of the particles and shapes as they are */
} scree_wall_search;

typedef struct scree_wall_query {
    const scree_particles *particles;
    const scree_placed *shapes; /* [shape_count] */
    uint32_t shape_count;
    const scree_rigid *bodies;               /* as they move in the frame */
    const scree_contact_list *walls, *loads; /* as of now; of these, those that are closed stay */
    double frame;                            /* s, that no shape may outrun */
    double substep;                          /* s, of the frame */
    double slack;                            /* m, how far gravity takes a particle within a frame */
    double radius;                           /* m, of a usual particle */
} scree_wall_query;

void scree_walls_free(scree_wall_search *search, const scree_memory *memory);

/* *held: the contacts cover the frame as they are; else found is what they are to be. False: no memory. */
bool scree_walls_search(scree_wall_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_wall_query *query, bool *held, scree_found *found);

/* m, how far the surface of a shape may go in `time`, no matter which way but along itself, as seen from within `reach`
 * of x. */
double scree_walls_way(const scree_placed *shape, const scree_rigid *body, double time, vec3 x, double reach);

enum { SCREE_WALLS_JUMP = 4 }; /* ways of a substep that an impact may put a particle off its path by, (1 + e) 2 v h */

/* The particles of a tile have gone this far at most, in a substep. False: the search no longer holds. */
static inline bool scree_walls_go(scree_wall_search *search, uint32_t tile, double way)
{
    search->left[tile] -= way;
    return search->left[tile] >= SCREE_WALLS_JUMP * way;
}

#endif
