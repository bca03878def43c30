/*
 * Random numbers: PCG32 (M. O'Neill, 2014), 64-bit state, the same sequence on every machine.
 */
#ifndef SCREE_BASE_RANDOM_H
#define SCREE_BASE_RANDOM_H

#include <stdint.h>

typedef struct scree_random {
    uint64_t state;
} scree_random;

static inline uint32_t scree_random_next(scree_random *random)
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

static inline scree_random scree_random_seeded(uint64_t seed)
{
    scree_random random = {0};
    (void)scree_random_next(&random);
    random.state += seed;
    (void)scree_random_next(&random);
    return random;
}

/* Uniform in [0, 1). */
static inline double scree_random_unit(scree_random *random)
{
    return (double)scree_random_next(random) * 0x1p-32;
}

#endif
