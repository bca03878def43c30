/*
 * Parallel for: a persistent pool that runs one loop at a time, cut into fixed ranges.
 *
 * The ranges depend on the number of items and the grain only, never on the number of threads, and a body of a loop
 * writes only to its own items: results are the same bits for any thread count.
 */
#ifndef SCREE_BASE_PARALLEL_H
#define SCREE_BASE_PARALLEL_H

#include "base/memory.h"

typedef struct scree_pool scree_pool;

/* range: number of this range, 0 … scree_pool_ranges() − 1; items begin … end − 1. */
typedef void scree_loop(void *context, uint32_t range, uint32_t begin, uint32_t end);

/* threads 0: as many as the machine has. A pool of one thread starts none and always succeeds if there is memory. */
scree_pool *scree_pool_create(const scree_memory *memory, uint32_t threads);
void scree_pool_destroy(scree_pool *pool);
uint32_t scree_pool_threads(const scree_pool *pool);

uint32_t scree_pool_ranges(uint32_t items, uint32_t grain);
void scree_pool_run(scree_pool *pool, uint32_t items, uint32_t grain, scree_loop *loop, void *context);

#endif
