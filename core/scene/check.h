/*
 * What the checks of a scene share. Each check looks at the whole scene, says in error what is wrong and in blame
 * where.
 */
#ifndef SCREE_SCENE_CHECK_H
#define SCREE_SCENE_CHECK_H

#include "scene/scene.h"

/* The number of the record that item `index` of `element` came from. */
static inline uint32_t record_of(const scree_scene *scene, scree_element element, uint32_t index)
{
    for (uint32_t i = 0; i < scene->record_count; i++)
        if (scene->records[i].element == (uint32_t)element && scene->records[i].index == index)
            return i;
    return UINT32_MAX;
}

static inline scree_status blame_on(scree_blame *blame, uint32_t record, const char *field)
{
    *blame = (scree_blame){.record = record, .field = field};
    return SCREE_INVALID;
}

bool scree_is_shape(scree_element element);

scree_status scree_check_shapes(const scree_scene *scene, scree_blame *blame, scree_error *error);
scree_status scree_check_grains(const scree_scene *scene, scree_blame *blame, scree_error *error);

#endif
