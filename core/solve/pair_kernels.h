/*
 * The kernels for one kind of processor: what a thread does with a range of blocks. Internal to the solve of the pairs.
 */
#ifndef SCREE_SOLVE_PAIR_KERNELS_H
#define SCREE_SOLVE_PAIR_KERNELS_H

#include "solve/pair_solve.h"

struct scree_kernels {
    const char *name;
    uint32_t (*find_impacts)(const scree_pair_job *job, uint32_t begin, uint32_t end);
    void (*warm)(const scree_pair_job *job, uint32_t begin, uint32_t end);
    /* far: the grains are not in the cache */
    void (*sweep)(const scree_pair_job *job, uint32_t begin, uint32_t end, bool far, scree_pair_sums *sums);
    void (*measure)(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums);
};

extern const scree_kernels scree_kernels_plain; /* what the compiler makes of it: SSE2, NEON or plain code */
extern const scree_kernels scree_kernels_avx2;  /* x86-64 with AVX2 only */

#endif
