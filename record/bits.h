/*
 * What a frame is packed with: growing bytes, a stream of bits, columns of integers in blocks, and the CRC-32.
 */
#ifndef SCREE_RECORD_BITS_H
#define SCREE_RECORD_BITS_H

#include "scree.h"

/* ---- memory, as in core but through the public struct */

scree_memory scree_record_memory(const scree_memory *memory);

/* Makes *items hold at least `need` items of `size` bytes; what was there is kept when `keep`. */
bool scree_record_reserve(const scree_memory *memory, void **items, size_t *capacity, size_t need, size_t size,
                          bool keep);

/* ---- growing bytes */

typedef struct scree_pack {
    scree_memory memory;
    uint8_t *bytes;
    size_t size, capacity;
    bool failed; /* out of memory; stays so */

    uint64_t open;   /* bits that do not make a word yet, the first the lowest */
    uint32_t filled; /* how many, below 32 */
} scree_pack;

void scree_pack_u32(scree_pack *pack, uint32_t value);
void scree_pack_f64(scree_pack *pack, double value);
void scree_pack_text(scree_pack *pack, const char *text, size_t size);
void scree_pack_release(scree_pack *pack);

/* Overwrites a word that was packed before. */
void scree_pack_put_u32(scree_pack *pack, size_t at, uint32_t value);

/* A chunk of frames.bin: begin empties the pack, end sets length and sum. */
void scree_pack_begin_chunk(scree_pack *pack, const char tag[4]);
void scree_pack_end_chunk(scree_pack *pack);

/* A column of numbers; close fills the last word up. */
void scree_pack_column(scree_pack *pack, const int32_t *numbers, size_t count);
void scree_pack_close_bits(scree_pack *pack);

/* ---- reading: bounded; beyond the end it gives zeros and notes it */

typedef struct scree_unpack {
    const uint8_t *bytes;
    size_t size, at;
    bool failed;

    uint64_t open; /* bits that were read but not taken */
    uint32_t filled;
} scree_unpack;

uint32_t scree_unpack_u32(scree_unpack *unpack);
double scree_unpack_f64(scree_unpack *unpack);
void scree_unpack_column(scree_unpack *unpack, int32_t *numbers, size_t count);

/* ---- CRC-32 of zip and PNG; starts with 0, may be continued */
uint32_t scree_crc32(uint32_t before, const void *bytes, size_t size);

#endif
