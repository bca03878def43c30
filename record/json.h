/*
 * JSON as a tree, for head.json. Bounded: depth, and no more memory than a fixed multiple of the text.
 */
#ifndef SCREE_RECORD_JSON_H
#define SCREE_RECORD_JSON_H

#include "bits.h"

typedef enum scree_json_kind {
    SCREE_JSON_NULL,
    SCREE_JSON_BOOLEAN,
    SCREE_JSON_NUMBER,
    SCREE_JSON_STRING,
    SCREE_JSON_LIST,
    SCREE_JSON_OBJECT
} scree_json_kind;

typedef struct scree_json {
    scree_json_kind kind;
    const char *name;        /* of a member; NULL in lists */
    const char *text;        /* STRING, unescaped */
    double number;           /* NUMBER; BOOLEAN: 0 or 1 */
    struct scree_json *next; /* after it in its list or object */
    struct scree_json *first;
    uint32_t count; /* LIST, OBJECT */
} scree_json;

typedef struct scree_json_tree {
    scree_memory memory;
    scree_json *nodes; /* [0] is the root */
    char *text;        /* holds the strings */
} scree_json_tree;

/* The text need not be closed by a zero. The message names line and column. */
scree_status scree_json_parse(const char *text, size_t size, const scree_memory *memory, scree_json_tree *tree,
                              scree_error *error);
void scree_json_release(scree_json_tree *tree);

/* A member of an object; NULL when there is none, when it is of another kind, or when object is NULL. */
const scree_json *scree_json_get(const scree_json *object, const char *name, scree_json_kind kind);
double scree_json_number(const scree_json *object, const char *name, double otherwise);
const char *scree_json_text(const scree_json *object, const char *name, const char *otherwise);

#endif
