#include "scene_lines.h"

#include <string.h>

/* *outer: the last element directly below the scene; of two elements of one name, its child is meant. */
static scree_element find_element(const char *name, scree_element *outer)
{
    scree_element found = SCREE_ELEMENT_COUNT;
    for (scree_element i = 0; i < SCREE_ELEMENT_COUNT; i++) {
        const scree_element_info *info = scree_element_describe(i);
        if (strcmp(info->name, name) == 0 && (found == SCREE_ELEMENT_COUNT || info->parent == *outer))
            found = i;
    }
    if (found != SCREE_ELEMENT_COUNT && scree_element_describe(found)->parent == SCREE_ELEMENT_SCENE)
        *outer = found;
    return found;
}

/* *mesh: what the next `mesh` gets; NULL: nothing. */
static scree_status add_line(scree_draft *draft, const char *line, scree_element *outer, const scree_surface **mesh,
                             scree_error *error)
{
    char copy[1024];
    if (strlen(line) >= sizeof copy)
        return scree_fail(error, SCREE_INVALID, "a line is longer than %d characters", (int)sizeof copy - 1);
    strcpy(copy, line);
    char *rest, *word = strtok_r(copy, " ", &rest);
    scree_element element = find_element(word ? word : "", outer);
    if (element == SCREE_ELEMENT_COUNT)
        return scree_fail(error, SCREE_INVALID, "no element \"%s\"", word ? word : "");
    scree_status status = scree_draft_open(draft, element, error);
    while (status == SCREE_OK && (word = strtok_r(NULL, " ", &rest))) {
        char *value = strchr(word, '=');
        if (!value)
            return scree_fail(error, SCREE_INVALID, "\"%s\" in \"%s\" has no value", word, line);
        *value++ = '\0';
        for (char *at = value; *at; at++)
            if (*at == ',')
                *at = ' ';
        status = scree_draft_set(draft, word, value, error);
    }
    if (status == SCREE_OK && element == SCREE_ELEMENT_MESH && *mesh)
        status = scree_draft_set_mesh(draft, (*mesh)++, NULL, error);
    return status == SCREE_OK ? scree_draft_close(draft, error) : status;
}

scree_status scree_draft_add_line(scree_draft *draft, const char *line, scree_element *outer, scree_error *error)
{
    const scree_surface *none = NULL;
    return add_line(draft, line, outer, &none, error);
}

scree_status scree_scene_from_lines_and_meshes(const char *const *lines, const scree_surface *meshes,
                                               const scree_memory *memory, scree_scene **scene, scree_error *error)
{
    scree_draft *draft;
    scree_element outer = SCREE_ELEMENT_SCENE;
    *scene = NULL;
    scree_status status = scree_draft_create(memory, &draft, error);
    if (status != SCREE_OK)
        return status;
    for (; *lines && status == SCREE_OK; lines++)
        status = add_line(draft, *lines, &outer, &meshes, error);
    if (status == SCREE_OK)
        status = scree_draft_finish(draft, scene, error);
    scree_draft_destroy(draft);
    return status;
}

scree_status scree_scene_from_lines(const char *const *lines, scree_scene **scene, scree_error *error)
{
    return scree_scene_from_lines_and_meshes(lines, NULL, NULL, scene, error);
}
