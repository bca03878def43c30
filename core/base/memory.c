#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16 };

static void *allocate_libc(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

static void release_libc(void *context, void *block)
{
    (void)context;
    free(block);
}

scree_memory scree_memory_or_default(const scree_memory *memory)
{
    if (memory && memory->allocate && memory->release)
        return *memory;
    return (scree_memory){.context = NULL, .allocate = allocate_libc, .release = release_libc};
}

void *scree_allocate(const scree_memory *memory, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size, extra = ALIGNMENT + sizeof(void *);
    if (bytes > SIZE_MAX - extra)
        return NULL;
    void *raw = memory->allocate(memory->context, bytes + extra);
    if (!raw)
        return NULL;
    /* what the host gave stands before the aligned block */
    uintptr_t at = ((uintptr_t)raw + extra) & ~(uintptr_t)(ALIGNMENT - 1);
    memcpy((void *)(at - sizeof raw), &raw, sizeof raw);
    return (void *)at;
}

void scree_release(const scree_memory *memory, void *block)
{
    void *raw;
    if (!block)
        return;
    memcpy(&raw, (char *)block - sizeof raw, sizeof raw);
    memory->release(memory->context, raw);
}

bool scree_reserve(const scree_memory *memory, void **items, size_t *capacity, size_t used, size_t need, size_t size)
{
    if (need <= *capacity)
        return true;
    size_t grown = *capacity > SIZE_MAX / 2 ? need : 2 * *capacity;
    if (grown < need)
        grown = need;
    void *block = scree_allocate(memory, grown, size);
    if (!block)
        return false;
    if (used)
        memcpy(block, *items, used * size);
    scree_release(memory, *items);
    *items = block;
    *capacity = grown;
    return true;
}

bool scree_replace(const scree_memory *memory, void **items, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return true;
    scree_release(memory, *items);
    *items = NULL;
    *capacity = 0;
    size_t grown = need < SIZE_MAX / 2 ? need + need / 8 + 16 : need;
    *items = scree_allocate(memory, grown, size);
    *capacity = *items ? grown : 0;
    return *items != NULL;
}

struct scree_arena_block {
    scree_arena_block *next;
    size_t size; /* bytes behind the header */
};

/* The first aligned byte behind the header. */
static unsigned char *block_begin(scree_arena_block *block)
{
    uintptr_t at = (uintptr_t)(block + 1);
    return (unsigned char *)((at + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static bool add_block(scree_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(scree_arena_block) - ALIGNMENT)
        return false;
    scree_arena_block *block = scree_allocate(&arena->memory, 1, sizeof(scree_arena_block) + ALIGNMENT + size);
    if (!block)
        return false;
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->used = 0;
    return true;
}

void scree_arena_init(scree_arena *arena, const scree_memory *memory)
{
    *arena = (scree_arena){.memory = *memory};
}

void scree_arena_free(scree_arena *arena)
{
    while (arena->blocks) {
        scree_arena_block *next = arena->blocks->next;
        scree_release(&arena->memory, arena->blocks);
        arena->blocks = next;
    }
    arena->used = arena->total = arena->peak = 0;
}

void scree_arena_reset(scree_arena *arena)
{
    if (arena->blocks && (arena->blocks->next || arena->blocks->size < arena->peak)) {
        size_t total = arena->peak + arena->peak / 8; /* headroom, so that a slowly growing scene settles soon */
        scree_arena_free(arena);
        (void)add_block(arena, total); /* if it fails, the next get tries again and reports */
    }
    arena->used = arena->total = arena->peak = 0;
}

void *scree_arena_get(scree_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->blocks || arena->blocks->size - arena->used < bytes) {
        size_t want = arena->blocks ? arena->blocks->size / 8 : FIRST_BLOCK;
        if (!add_block(arena, want > bytes ? want : bytes))
            return NULL;
    }
    void *at = block_begin(arena->blocks) + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    arena->peak = arena->total > arena->peak ? arena->total : arena->peak;
    return at;
}

void scree_arena_rewind(scree_arena *arena, const scree_arena *then)
{
    while (arena->blocks != then->blocks) { /* the next reset makes one that is large enough */
        scree_arena_block *next = arena->blocks->next;
        scree_release(&arena->memory, arena->blocks);
        arena->blocks = next;
    }
    arena->used = then->used;
    arena->total = then->total;
}
