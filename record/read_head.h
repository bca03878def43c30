/*
 * head.json back into a struct.
 */
#ifndef SCREE_RECORD_READ_HEAD_H
#define SCREE_RECORD_READ_HEAD_H

#include "json.h"
#include "recording.h"

typedef struct scree_read_head {
    scree_json_tree tree; /* holds the texts */
    scree_recorded_head head;
} scree_read_head;

/* On failure nothing is left to release. Messages name what is wrong in head.json, not the file. */
scree_status scree_read_head_parse(scree_read_head *to, const char *text, size_t size, const scree_memory *memory,
                                   scree_error *error);
void scree_read_head_release(scree_read_head *of, const scree_memory *memory);

#endif
