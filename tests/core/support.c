#include "support.h"

#include <stdio.h>
#include <string.h>

static scree_status add_line(scree_draft *draft, const char *line, scree_error *error)
{
    char copy[1024];
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    char *rest, *word = strtok_r(copy, " ", &rest);
    scree_element element = 0;
    while (element < SCREE_ELEMENT_COUNT && strcmp(scree_element_describe(element)->name, word) != 0)
        element++;
    assert_true(element < SCREE_ELEMENT_COUNT);
    scree_status status = scree_draft_open(draft, element, error);
    while (status == SCREE_OK && (word = strtok_r(NULL, " ", &rest))) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        for (char *at = value; *at; at++)
            if (*at == ',')
                *at = ' ';
        status = scree_draft_set(draft, word, value, error);
    }
    return status == SCREE_OK ? scree_draft_close(draft, error) : status;
}

static scree_status build(scree_error *error, scree_scene **scene, const char *line, va_list more)
{
    scree_draft *draft;
    *scene = NULL;
    assert_int_equal(scree_draft_create(NULL, &draft, error), SCREE_OK);
    scree_status status = SCREE_OK;
    for (; line && status == SCREE_OK; line = va_arg(more, const char *))
        status = add_line(draft, line, error);
    if (status == SCREE_OK)
        status = scree_draft_finish(draft, scene, error);
    scree_draft_destroy(draft);
    return status;
}

scree_status try_scene(scree_error *error, scree_scene **scene, const char *line, ...)
{
    va_list more;
    va_start(more, line);
    scree_status status = build(error, scene, line, more);
    va_end(more);
    return status;
}

scree_scene *make_scene(const char *line, ...)
{
    scree_error error = {0};
    scree_scene *scene;
    va_list more;
    va_start(more, line);
    scree_status status = build(&error, &scene, line, more);
    va_end(more);
    if (status != SCREE_OK)
        fail_msg("%s", error.text);
    return scene;
}

scree_world *make_world(const scree_scene *scene)
{
    scree_error error = {0};
    scree_world *world;
    if (scree_world_create(scene, NULL, NULL, &world, &error) != SCREE_OK ||
        scree_world_start(world, 0.0, &error) != SCREE_OK)
        fail_msg("%s", error.text);
    return world;
}

void run(scree_world *world, double dt, int n)
{
    scree_error error = {0};
    for (int i = 0; i < n; i++)
        if (scree_world_step(world, dt, &error) != SCREE_OK)
            fail_msg("%s", error.text);
}

void set_value(scree_world *world, scree_element element, uint32_t index, const char *field, uint32_t component,
               double value)
{
    const scree_element_info *info = scree_element_describe(element);
    scree_error error = {0};
    for (uint32_t i = 0; i < info->field_count; i++)
        if (strcmp(info->fields[i].name, field) == 0) {
            scree_record record = {.element = (uint32_t)element, .index = index};
            if (scree_world_set_value(world, record, &info->fields[i], component, value, &error) != SCREE_OK)
                fail_msg("%s", error.text);
            return;
        }
    fail_msg("no field %s", field);
}
