/*
 * Pairs of grains that touch or may touch soon, with the impulses they remember, packed for the solver.
 *
 * A block holds four pairs that share no grain, so that the lanes of a vector may solve them at once; a strip is a run
 * of blocks that share none. What one thread takes at a time is a range of strips, and a phase is all ranges that
 * threads may take side by side: first phase      the tiles. A tile is SCREE_TILE grains with consecutive indices, near
 * each other when the grains are sorted; its range holds the pairs within it, a strip for each colour. other phases a
 * colour each of the pairs across tiles, cut into ranges of one strip. There are as many colours as a boulder has
 * contacts, but nearly all pairs are in the first few.
 *
 * Which pairs there are, and their order, is decided when the list is renewed, by the positions and margins of that
 * moment alone. The order decides the last bits of the result: so the list is part of the state, with `seen`, which
 * says when it will be renewed.
 */
#ifndef SCREE_COLLIDE_PAIRS_H
#define SCREE_COLLIDE_PAIRS_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"

enum { SCREE_LANES = 4 };

/* Five cache lines. Impulses are those of the last substep, as they acted: with the normal and the arms of that time.
 */
typedef struct scree_pair_block {
    uint32_t a[SCREE_LANES], b[SCREE_LANES]; /* particles, a < b. No pair: a = b = a[3]; such lanes come first */
    double p[3][SCREE_LANES];                /* N s, on b; −p on a */
    double qa[3][SCREE_LANES];               /* N m s, −qa on a, about its centre */
    double qb[3][SCREE_LANES];               /* N m s, qb on b, likewise */
} scree_pair_block;

typedef struct scree_pairs {
    scree_pair_block *blocks;  /* [count] */
    uint32_t (*kinds)[4];      /* [count]: material of a times materials of the scene, plus that of b */
    uint8_t *closed;           /* [count], bit per lane: it touched in the last substep of the last frame */
    uint32_t *strips;          /* [strip_count + 1], first block of each */
    uint32_t *ranges;          /* [range_count + 1], first strip of each */
    uint32_t *phases;          /* [phase_count + 1], first range of each */
    scree_place *seen;         /* [particles]: where each was when the list was made, and its margin as r */
    vec3 drift;                /* m, how far they have all gone together since; any, but the list holds longer with the
                                  mean; scree_substep_run */
    uint32_t count, particles; /* blocks; particles when the list was made */
    uint32_t strip_count, range_count, phase_count;
    uint32_t mixed; /* more than one kind of pair */
    bool valid;     /* the list is that of the particles as they are; else only the impulses count */
    size_t blocks_capacity, kinds_capacity, closed_capacity, strips_capacity, ranges_capacity, phases_capacity,
        seen_capacity;
} scree_pairs;

/* Candidates by particle: those of a are others[starts[a]] … others[starts[a + 1] − 1], all above a, rising. */
typedef struct scree_neighbours {
    uint32_t *starts; /* [particles + 1] */
    uint32_t *others;
    size_t starts_capacity, others_capacity;
} scree_neighbours;

void scree_pairs_free(scree_pairs *pairs, const scree_memory *memory);

/* Whether the list still holds all that touches now. */
bool scree_pairs_hold(const scree_pairs *pairs, const scree_particles *particles);

/*
 * Makes the list anew: of the candidates, those whose radii and margins (m, [particles]) meet. Impulses stay with their
 * pairs; new pairs have none. materials: of the scene. False: no memory.
 */
bool scree_pairs_renew(scree_pairs *pairs, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                       const scree_particles *particles, uint32_t materials, const scree_neighbours *candidates,
                       const double *margins);

/* Sets the kinds, and makes room for what is noted about blocks. Also after a snapshot has been read. */
bool scree_pairs_complete(scree_pairs *pairs, const scree_memory *memory, const scree_particles *particles,
                          uint32_t materials);

/* After the particles have been renumbered: to[old] is the new index, UINT32_MAX when it is gone. The list must be
 * renewed. */
void scree_pairs_renumber(scree_pairs *pairs, const uint32_t *to);

/* Whether the list is one that scree_pairs_renew could have made, as far as memory and threads depend on it. */
scree_status scree_pairs_check(const scree_pairs *pairs, const scree_memory *memory, uint32_t particles);

static inline bool scree_pair_exists(const scree_pair_block *block, uint32_t lane)
{
    return block->a[lane] != block->b[lane];
}

#endif
