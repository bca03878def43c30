/*
 * Mends the list of pairs where a few grains have used up their margins, so that these do not make all be chosen anew.
 *
 * Each such grain is seen anew where it is, with another course and margin, and what comes within reach by that is put
 * into blocks behind the others, in phases of their own. No pair leaves the list. So it grows, and is made anew from
 * time to time: when a sixteenth of its blocks has come, or an eighth of the grains has been seen again.
 */
#ifndef SCREE_COLLIDE_MEND_H
#define SCREE_COLLIDE_MEND_H

#include "collide/pairs.h"

typedef enum scree_mended { SCREE_MENDED, SCREE_MENDED_NOT, SCREE_MENDED_NO_MEMORY } scree_mended;

/*
 * stream: m/s, that all have in common; who: [count] particles, rising; margins: m, [count], their new ones. The list
 * is valid, and holds for all others. SCREE_MENDED_NOT: it had better be made anew, and is as it was but for the places
 * where these grains were seen. What decides is part of the state.
 */
scree_mended scree_pairs_mend(scree_pairs *pairs, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                              const scree_particles *particles, uint32_t materials, vec3 stream, const uint32_t *who,
                              const double *margins, uint32_t count);

#endif
