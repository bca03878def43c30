/*
 * The directory of a recording: who may write into it, and what is there.
 */
#ifndef SCREE_RECORD_DIRECTORY_H
#define SCREE_RECORD_DIRECTORY_H

#include "bits.h"

#include <stdio.h>

/* Path of a file in a directory; NULL: out of memory. */
char *scree_record_path(const scree_memory *memory, const char *directory, const char *name);

/*
 * Makes the directory when there is none, and opens its frames.bin, empty, locked against other recorders. Refuses a
 * directory that holds things but no recording; what is there is not changed then.
 */
scree_status scree_record_claim(const scree_memory *memory, const char *directory, FILE **frames, scree_error *error);

/* Puts head.json in its place, whole or not at all. */
scree_status scree_record_put_head(const scree_memory *memory, const char *directory, const scree_pack *text,
                                   scree_error *error);

/* Cuts a file off. */
bool scree_record_truncate(FILE *file, uint64_t size);

#endif
