/*
 * How pairs lie in blocks; for those who make the list (collide/pairs.c, collide/mend.c).
 */
#ifndef SCREE_COLLIDE_PACKING_H
#define SCREE_COLLIDE_PACKING_H

#include "collide/pairs.h"

enum { SCREE_PAIR_RANGE = 64 }; /* blocks of a colour that a thread takes at a time */

/* A pair on its way into a block; slot: its colour, then its place, 8 block + lane. */
typedef struct scree_loose_pair {
    uint32_t a, b, slot;
} scree_loose_pair;

static inline uint32_t scree_pair_blocks(uint32_t pairs)
{
    return (pairs + SCREE_LANES - 1) / SCREE_LANES;
}

/* The lane of the first of `pairs` pairs in a row of blocks: gaps come before it. */
static inline uint32_t scree_pair_first_slot(uint32_t block, uint32_t pairs)
{
    return (block + scree_pair_blocks(pairs)) * SCREE_LANES - pairs;
}

/* Puts the pair of a and b into the lane of a slot, without impulses: the block is all zero before. */
static inline void scree_pair_put(scree_pair_block *blocks, uint32_t slot, const scree_particles *particles, uint32_t a,
                                  uint32_t b)
{
    scree_pair_block *to = &blocks[slot / SCREE_LANES];
    double ra = particles->place[a].r, rb = particles->place[b].r;
    to->a[slot % SCREE_LANES] = a;
    to->b[slot % SCREE_LANES] = b;
    to->share[slot % SCREE_LANES] = (float)(ra / (ra + rb));
}

/* Lanes without a pair name the grain of the last lane, which they add nothing to. */
static inline void scree_pair_fill_gaps(scree_pair_block *block)
{
    for (uint32_t k = 0; k + 1 < SCREE_LANES; k++)
        if (block->a[k] == block->b[k])
            block->a[k] = block->b[k] = block->a[SCREE_LANES - 1];
}

/* How many blocks a list of `base` may have before it is made anew. */
static inline uint32_t scree_pair_room(uint32_t base)
{
    return base + base / 16 + 16;
}

#endif
