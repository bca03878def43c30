/*
 * The material library: resources/materials/library.xml, compiled in. Entries hold attributes of a `material` or a
 * `pair` of a scene, each with its source.
 */
#ifndef SCREE_TOOLS_LIBRARY_H
#define SCREE_TOOLS_LIBRARY_H

#include "scree.h"

enum { SCREE_LIBRARY_VALUES = 8, SCREE_LIBRARY_SOURCE = 256 };

typedef struct scree_library_value {
    char field[16], text[32];
    char source[SCREE_LIBRARY_SOURCE];
} scree_library_value;

typedef struct scree_library_entry {
    scree_element element; /* SCREE_ELEMENT_MATERIAL or _PAIR */
    char name[SCREE_ID_SIZE];
    char about[128];
    scree_library_value values[SCREE_LIBRARY_VALUES];
    int value_count;
} scree_library_entry;

typedef struct scree_library {
    scree_library_entry *entries;
    int count;
} scree_library;

/* Reads the library. SCREE_MEMORY, or SCREE_FORMAT when it was compiled in broken. */
scree_status scree_library_open(scree_library *library, scree_error *error);
void scree_library_close(scree_library *library);

/* The entry of this name, a pair's in either order, or NULL. */
const scree_library_entry *scree_library_find(const scree_library *library, scree_element element, const char *name);

/* "a, b, c": the names of an element's entries. */
void scree_library_names(const scree_library *library, scree_element element, char *out, size_t room);

#endif
