#include "support.h"

#include "scene_lines.h"

#include <stdio.h>
#include <string.h>

static scree_status build(scree_error *error, scree_scene **scene, const scree_surface *meshes, const char *line,
                          va_list more)
{
    const char *lines[64];
    size_t count = 0;
    for (; line; line = va_arg(more, const char *)) {
        assert_true(count + 1 < sizeof lines / sizeof lines[0]);
        lines[count++] = line;
    }
    lines[count] = NULL;
    return scree_scene_from_lines_and_meshes(lines, meshes, NULL, scene, error);
}

scree_status try_scene(scree_error *error, scree_scene **scene, const char *line, ...)
{
    va_list more;
    va_start(more, line);
    scree_status status = build(error, scene, NULL, line, more);
    va_end(more);
    return status;
}

static scree_scene *build_or_fail(const scree_surface *meshes, const char *line, va_list more)
{
    scree_error error = {0};
    scree_scene *scene;
    if (build(&error, &scene, meshes, line, more) != SCREE_OK)
        fail_msg("%s", error.text);
    return scene;
}

scree_scene *make_scene(const char *line, ...)
{
    va_list more;
    va_start(more, line);
    scree_scene *scene = build_or_fail(NULL, line, more);
    va_end(more);
    return scene;
}

scree_scene *make_scene_with(const scree_surface *meshes, const char *line, ...)
{
    va_list more;
    va_start(more, line);
    scree_scene *scene = build_or_fail(meshes, line, more);
    va_end(more);
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
