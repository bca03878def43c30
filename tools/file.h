/*
 * Files of the tool: read whole, written whole or not at all.
 */
#ifndef SCREE_TOOLS_FILE_H
#define SCREE_TOOLS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a file of up to `most` bytes; *bytes is closed by a zero and released with free. Complains, returns an exit
 * code. */
int scree_read_file(const char *path, size_t most, char **bytes, size_t *size);

/*
 * A file being written. A regular target gets a temporary beside it that takes its place on commit, so that a target is
 * either the old one or complete. Others ("-" for standard output, a pipe, a device) are written as we go.
 */
typedef struct scree_output {
    FILE *stream;
    char *target;     /* NULL: written as we go */
    char *temporary;  /* beside target */
    const char *path; /* as the user wrote it; must outlive this */
} scree_output;

/* All of these complain. A command closes an output with exactly one of the last three. */
bool scree_output_open(scree_output *output, const char *path);
bool scree_output_commit(scree_output *output);
void scree_output_discard(scree_output *output);

/* After a failure midway: keeps what was written as TARGET.partial. Returns its name, to be freed, or NULL. */
char *scree_output_keep_partial(scree_output *output);

/* Whether both names lead to one existing regular file. */
bool scree_same_file(const char *a, const char *b);

#endif
