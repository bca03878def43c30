/*
 * The inside of a draft that the binary reader shares with the text interface.
 */
#ifndef SCREE_SCENE_DRAFT_H
#define SCREE_SCENE_DRAFT_H

#include "scene/scene.h"

/* A reference that waits for its target: references may point forward in a file. */
typedef struct scree_pending {
    uint32_t record;
    const scree_field *field;
    char id[SCREE_ID_SIZE];
} scree_pending;

struct scree_draft {
    scree_memory memory;
    scree_scene *scene;
    size_t capacity[SCREE_ELEMENT_COUNT]; /* of the lists */
    size_t record_capacity, mesh_capacity;
    scree_pending *pending;
    size_t pending_count, pending_capacity;
    uint32_t last[SCREE_ELEMENT_COUNT]; /* number of the last record of each element, plus 1; 0: none yet */
    bool is_open;
    uint64_t set_fields; /* bit i: field i of the open record has been set */
    scree_blame blame;
};

/* Sets the numbers of field `field` (scree_field_components of them) of the open record; COUNT and CHOICE are whole. */
scree_status scree_draft_set_numbers(scree_draft *draft, const scree_field *field, const double *values,
                                     scree_error *error);

/* Sets an ID, TEXT or REFERENCE of the open record. */
scree_status scree_draft_set_string(scree_draft *draft, const scree_field *field, const char *text, scree_error *error);

#endif
