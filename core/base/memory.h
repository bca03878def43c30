/*
 * Memory: an allocator that the host may provide, growing arrays, and an arena for what lives one frame.
 *
 * The arena gives out blocks and takes them all back at once. It keeps its largest extent, so that after the first
 * frames of a steady scene a frame makes no heap call.
 */
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include "scree.h"

/* The C library's allocator when memory is NULL or incomplete. */
scree_memory scree_memory_or_default(const scree_memory *memory);

/* count * size zeroed bytes, aligned to a cache line of 64; NULL when that overflows or is not to be had. */
void *scree_allocate(const scree_memory *memory, size_t count, size_t size);
void scree_release(const scree_memory *memory, void *block);

/*
 * Makes room for `need` items of `size` bytes in a growing array of which `used` hold data. Capacity doubles.
 * Returns false, with nothing changed, when there is no memory.
 */
bool scree_reserve(const scree_memory *memory, void **items, size_t *capacity, size_t used, size_t need, size_t size);

/*
 * Room for `need` items in an array whose contents may go: an eighth more than is needed, and a few, so that arrays
 * that change their length a little are neither moved often nor half empty. False, with no array at all, when there is
 * no memory.
 */
bool scree_replace(const scree_memory *memory, void **items, size_t *capacity, size_t need, size_t size);

typedef struct scree_arena_block scree_arena_block;

typedef struct scree_arena {
    scree_memory memory;
    scree_arena_block *blocks; /* newest first */
    size_t used;               /* bytes, of the newest block */
    size_t total, peak;        /* bytes given out now, and most since the last reset */
} scree_arena;

void scree_arena_init(scree_arena *arena, const scree_memory *memory);
void scree_arena_free(scree_arena *arena);

/* Takes everything back; if more than one block was needed, there is one of their joint size from then on. */
void scree_arena_reset(scree_arena *arena);

/* Uninitialised, aligned to 64 bytes; NULL when there is no memory. */
void *scree_arena_get(scree_arena *arena, size_t count, size_t size);

/* Takes back what was got since the arena was as `then`, a copy of it, with the blocks that came for it. */
void scree_arena_rewind(scree_arena *arena, const scree_arena *then);

#endif
