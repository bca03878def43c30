/*
 * What core's own files need of a scene beyond the public header.
 */
#ifndef SCREE_SCENE_SCENE_H
#define SCREE_SCENE_SCENE_H

#include "base/memory.h"

/* How a list of records lies in scree_scene. A list of one (solver, head) has no pointer. */
typedef struct scree_list {
    uint32_t items_offset; /* of the pointer to the items, or of the one item */
    uint32_t count_offset; /* of the number of items; 0: exactly one item, in the scene itself */
    uint32_t item_size;
    uint32_t parent_offset; /* where an item keeps the index of its parent; UINT32_MAX: nowhere */
    uint32_t kind_offset; /* where an item keeps its kind, in a list that several elements share; UINT32_MAX: nowhere */
    uint32_t kind;
} scree_list;

const scree_list *scree_element_list(scree_element element);

/* The address of item `index`; the scene is changed only while it is a draft or a world's own copy. */
void *scree_scene_item(const scree_scene *scene, scree_element element, uint32_t index);

/* Number of components that a field stores: 3 for vectors, 1 for the others. */
uint32_t scree_field_components(const scree_field *field);

bool scree_body_has_belt(const scree_body *body);

/* Checks one number against the field's range; the message names element, field, range and unit. */
scree_status scree_field_check(scree_element element, const scree_field *field, double value, scree_error *error);

/* Checks what spans records: pairs for all materials that may meet, sizes for each fill, ports on driven bodies… */
scree_status scree_scene_check(const scree_scene *scene, scree_blame *blame, scree_error *error);

/* A copy that has its lists for itself and shares the meshes, which must outlive it; NULL when there is no memory. */
scree_scene *scree_scene_copy(const scree_scene *scene, const scree_memory *memory);

#endif
