/*
 * A zip archive: files in memory, in the order given, with a fixed date, so that the same files give the same bytes
 * anywhere. It is made in memory and written in one go.
 */
#ifndef SCREE_TOOLS_ARCHIVE_H
#define SCREE_TOOLS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct scree_part {
    char name[256]; /* with slashes */
    char *bytes;    /* released with free */
    size_t size;
    bool executable;
} scree_part;

typedef struct scree_parts {
    scree_part *items;
    size_t count, capacity;
} scree_parts;

/* A new part, empty, at the end; NULL after a complaint. The name is a format. */
scree_part *scree_parts_add(scree_parts *parts, const char *name, ...) __attribute__((format(printf, 2, 3)));
void scree_parts_free(scree_parts *parts);

/* Complains; an exit code. */
int scree_parts_write(const scree_parts *parts, const char *path);

#endif
