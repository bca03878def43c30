#include "scene/bumps.h"
#include "scene/check.h"

#include <stddef.h>

static const char *check_bumps(const scree_shape *tube, scree_error *error)
{
    if (!(tube->length > 0.0)) {
        scree_fail(error, SCREE_INVALID, "tube: bumps need a tube with a length");
        return "length";
    }
    if (!(tube->bump_height > 0.0 && tube->bump_height < 0.5 * tube->radius)) {
        scree_fail(error, SCREE_INVALID, "tube: bumpHeight = %g must be above 0 and below half the radius, %g m",
                   tube->bump_height, 0.5 * tube->radius);
        return "bumpHeight";
    }
    if (!(tube->bump_width > 0.0)) {
        scree_fail(error, SCREE_INVALID, "tube: bumps need a bumpWidth above 0 m");
        return "bumpWidth";
    }
    double triangles = scree_bumps_triangles(tube);
    if (triangles > SCREE_MOST_BUMP_TRIANGLES) {
        scree_fail(error, SCREE_INVALID, "tube: bumps this narrow make %.3g triangles; at most %.3g are allowed",
                   triangles, SCREE_MOST_BUMP_TRIANGLES);
        return tube->bump_width_min > 0.0 ? "bumpWidthMin" : "bumpWidth";
    }
    return NULL;
}

/* What the ranges of single fields can't say about a shape; returns the field to blame, or NULL. */
static const char *check_shape(const scree_shape *shape, scree_error *error)
{
    const double *n = shape->normal, *s = shape->size;
    if (shape->kind == SCREE_SHAPE_PLANE && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 1e-24)) {
        scree_fail(error, SCREE_INVALID, "plane: normal has no length; give a direction such as \"0 0 1\"");
        return "normal";
    }
    if (shape->kind == SCREE_SHAPE_BOX && !(s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0)) {
        scree_fail(error, SCREE_INVALID, "box: size = %g %g %g; each edge must be above 0 m", s[0], s[1], s[2]);
        return "size";
    }
    if (shape->kind == SCREE_SHAPE_CONE && !(shape->radius > 0.0 || shape->radius_top > 0.0)) {
        scree_fail(error, SCREE_INVALID, "cone: radius and radiusTop are both 0; one of them must be above 0 m");
        return "radius";
    }
    if (shape->kind == SCREE_SHAPE_DISC && !(shape->hole < shape->radius)) {
        scree_fail(error, SCREE_INVALID, "disc: hole = %g must be below radius = %g m", shape->hole, shape->radius);
        return "hole";
    }
    return scree_tube_is_rough(shape) ? check_bumps(shape, error) : NULL;
}

bool scree_is_shape(scree_element element)
{
    return scree_element_list(element)->items_offset == offsetof(scree_scene, shapes);
}

static const char *check_mesh(const scree_scene *scene, const scree_shape *shape, scree_error *error)
{
    if (shape->mesh >= scene->mesh_count) {
        scree_fail(error, SCREE_INVALID, "mesh: has no triangles");
        return "file";
    }
    const scree_mesh_report *report = &scene->meshes[shape->mesh].report;
    if (!shape->solid || report->open_edges + report->tangled_edges + report->twisted_edges == 0)
        return NULL;
    scree_fail(error, SCREE_INVALID,
               "mesh: %s is no solid: it has %u open edges, %u edges of more than two triangles and %u at which inside "
               "and outside meet; close it, or use solid=\"false\"",
               shape->file, (unsigned)report->open_edges, (unsigned)report->tangled_edges,
               (unsigned)report->twisted_edges);
    return "solid";
}

scree_status scree_check_shapes(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->record_count; i++) {
        scree_record record = scene->records[i];
        if (!scree_is_shape((scree_element)record.element))
            continue;
        const scree_shape *shape = &scene->shapes[record.index];
        const char *field =
            shape->kind == SCREE_SHAPE_MESH ? check_mesh(scene, shape, error) : check_shape(shape, error);
        if (field)
            return blame_on(blame, i, field);
    }
    return SCREE_OK;
}
