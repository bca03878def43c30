/*
 * Bounded reading and writing of little-endian data. A reader or writer that has failed stays failed and gives zeros,
 * so that a caller checks once, at the end of a record.
 */
#ifndef SCREE_BASE_BYTES_H
#define SCREE_BASE_BYTES_H

#include "base/memory.h"

typedef struct scree_writer {
    scree_memory memory;
    uint8_t *bytes;
    size_t size, capacity;
    bool failed; /* out of memory */
} scree_writer;

void scree_write_bytes(scree_writer *writer, const void *bytes, size_t size);
void scree_write_u32(scree_writer *writer, uint32_t value);
void scree_write_u64(scree_writer *writer, uint64_t value);
void scree_write_f64(scree_writer *writer, double value);
/* Length, then the characters without the closing zero. */
void scree_write_string(scree_writer *writer, const char *text);

typedef struct scree_reader {
    const uint8_t *bytes;
    size_t size, at;
    bool failed; /* read past the end, or a string too long */
} scree_reader;

uint32_t scree_read_u32(scree_reader *reader);
uint64_t scree_read_u64(scree_reader *reader);
double scree_read_f64(scree_reader *reader);
/* Fills at most room bytes including the closing zero; an inner zero or a longer string fails. */
void scree_read_string(scree_reader *reader, char *text, size_t room);

#endif
