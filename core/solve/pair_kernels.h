/*
 * The kernels for one kind of processor: what a thread does with a range of blocks or of grains.
 */
#ifndef SCREE_SOLVE_PAIR_KERNELS_H
#define SCREE_SOLVE_PAIR_KERNELS_H

#include "solve/pair_solve.h"

/* How grains start into a substep. They get gravity's change, and, when the pairs go on pushing as they did in the last
 * one, what those changed then: all but gravity's share of it. */
typedef struct scree_kick {
    scree_twist *twist;       /* changed in place */
    scree_stand *stand;       /* as the last substep began; becomes as this one does */
    vec3 *spin;               /* likewise */
    const scree_place *place; /* all [particles] */
    vec3 change, last_change; /* m/s, by gravity, in this substep and in the last */
    double ratio;             /* of this substep's length to the last one's */
    bool goes_on;
} scree_kick;

struct scree_kernels {
    const char *name;
    uint32_t (*find_impacts)(const scree_pair_job *job, uint32_t begin, uint32_t end);
    void (*warm)(const scree_pair_job *job, uint32_t begin, uint32_t end);
    /* far: the grains are not in the cache */
    void (*sweep)(const scree_pair_job *job, uint32_t begin, uint32_t end, bool far, scree_pair_sums *sums);
    void (*measure)(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums);
    void (*kick)(const scree_kick *todo, uint32_t begin, uint32_t end); /* of grains that are awake */
    /* x += h v. Returns the largest v², sets the sum of v. */
    double (*move)(scree_place *place, const scree_twist *twist, double h, uint32_t begin, uint32_t end, vec3 *sum);
};

extern const scree_kernels scree_kernels_plain; /* what the compiler makes of it: SSE2, NEON or plain code */
extern const scree_kernels scree_kernels_avx2;  /* x86-64 with AVX2 only */

#endif
