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

/* How fast grains are. Two that are within half an impact's speed of any velocity, the same for both, don't hit each
 * other: pairs of such grains need no look. */
typedef struct scree_pace {
    vec3 tile, all;  /* m/s, velocities that the grains of a tile, and all grains, are compared with */
    double calm;     /* (m/s)², square of the difference up to which a grain is calm */
    uint8_t *lively; /* [particles], set: SCREE_LIVELY bits of those that aren't */
    vec3 sum;        /* m/s, set, of the velocities */
    double fastest;  /* (m/s)², set */
    uint8_t some;    /* set, bits that some have */
} scree_pace;

struct scree_kernels {
    const char *name;
    /* bit: of SCREE_LIVELY, which of a pair's grains one at least must have */
    uint32_t (*find_impacts)(const scree_pair_job *job, uint32_t begin, uint32_t end, uint8_t bit);
    void (*warm)(const scree_pair_job *job, uint32_t begin, uint32_t end);
    /* far: the grains are not in the cache */
    void (*sweep)(const scree_pair_job *job, uint32_t begin, uint32_t end, bool far, scree_pair_sums *sums);
    void (*measure)(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums);
    void (*kick)(const scree_kick *todo, uint32_t begin, uint32_t end); /* of grains that are awake */
    void (*watch)(const scree_twist *twist, uint32_t begin, uint32_t end, scree_pace *pace);
    /* x += h v, and a look */
    void (*move)(scree_place *place, const scree_twist *twist, double h, uint32_t begin, uint32_t end,
                 scree_pace *pace);
};

extern const scree_kernels scree_kernels_plain;  /* what the compiler makes of it: SSE2, NEON or plain code */
extern const scree_kernels scree_kernels_avx2;   /* x86-64 with AVX2 only */
extern const scree_kernels scree_kernels_avx512; /* x86-64 with AVX-512 F, VL, DQ only */

#endif
