/*
 * Numbers are singles: what a recording keeps of a grain is coarser. Bodies at rest are written once, and the list
 * names the same file for every time.
 */
#include "export.h"
#include "vtp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- grains */

static bool write_grains(scree_export *to, const scree_recorded_frame *frame, const char *path)
{
    enum { FIXED = 8 }; /* arrays without the channels */
    const scree_recorded_head *head = to->head;
    size_t n = frame->grain_count, channels = head->channel_count;
    float *reals = scree_export_room(to, (n * (8 + channels) + 2 * n) * 4 + 4);
    if (!reals)
        return false;
    float *positions = reals, *velocities = reals + 3 * n, *speeds = reals + 6 * n, *extra = reals + 7 * n;
    int32_t *cells = (int32_t *)(reals + (8 + channels) * n), *offsets = cells + n;
    for (size_t i = 0; i < n; i++) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            positions[3 * i + k] = (float)frame->position[3 * i + k];
            velocities[3 * i + k] = (float)frame->velocity[3 * i + k];
            square += frame->velocity[3 * i + k] * frame->velocity[3 * i + k];
        }
        speeds[i] = (float)sqrt(square);
        for (size_t k = 0; k < channels; k++)
            extra[k * n + i] = (float)frame->channels[k * n + i];
        cells[i] = (int32_t)i;
        offsets[i] = (int32_t)i + 1;
    }
    scree_vtp_array arrays[FIXED + 8] = {
        {SCREE_VTP_POINTS, "Points", SCREE_VTP_FLOAT32, 3, positions, n},
        {SCREE_VTP_POINT_DATA, "radius", SCREE_VTP_FLOAT32, 1, frame->radius, n},
        {SCREE_VTP_POINT_DATA, "velocity", SCREE_VTP_FLOAT32, 3, velocities, n},
        {SCREE_VTP_POINT_DATA, "speed", SCREE_VTP_FLOAT32, 1, speeds, n},
        {SCREE_VTP_POINT_DATA, "id", SCREE_VTP_UINT32, 1, frame->id, n},
        {SCREE_VTP_POINT_DATA, "material", SCREE_VTP_UINT32, 1, frame->material, n},
        {SCREE_VTP_VERTS, "connectivity", SCREE_VTP_INT32, 1, cells, n},
        {SCREE_VTP_VERTS, "offsets", SCREE_VTP_INT32, 1, offsets, n},
    };
    size_t count = FIXED;
    for (size_t k = 0; k < channels && k < 8; k++)
        arrays[count++] =
            (scree_vtp_array){SCREE_VTP_POINT_DATA, head->channels[k].name, SCREE_VTP_FLOAT32, 1, extra + k * n, n};
    scree_vtp vtp = {.arrays = arrays, .array_count = count, .points = n, .verts = n};
    to->files++;
    return scree_vtp_write(&vtp, path);
}

/* ---------------------------------------------------------------- bodies */

/* Which shapes go into one file. */
typedef struct choice {
    bool planes, moving;
} choice;

static bool is_chosen(const scree_recorded_body *body, const scree_recorded_shape *shape, choice chosen)
{
    bool is_plane = strcmp(shape->kind, "plane") == 0, is_moving = strcmp(body->kind, "static") != 0;
    return is_plane == chosen.planes && is_moving == chosen.moving;
}

static void count_triangles(const scree_recorded_head *head, choice chosen, size_t *points, size_t *triangles)
{
    *points = *triangles = 0;
    for (uint32_t b = 0; b < head->body_count; b++)
        for (uint32_t s = 0; s < head->bodies[b].shape_count; s++)
            if (is_chosen(&head->bodies[b], &head->bodies[b].shapes[s], chosen)) {
                *points += head->bodies[b].shapes[s].vertex_count;
                *triangles += head->bodies[b].shapes[s].triangle_count;
            }
}

/* x + 2 w (u × p) + 2 u × (u × p) with the quaternion (w, u): a point of the body in the world. */
static void place(const double pose[7], const double p[3], float out[3])
{
    double w = pose[3], u[3] = {pose[4], pose[5], pose[6]}, t[3], s[3];
    for (int k = 0; k < 3; k++)
        t[k] = 2.0 * (u[(k + 1) % 3] * p[(k + 2) % 3] - u[(k + 2) % 3] * p[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        s[k] = u[(k + 1) % 3] * t[(k + 2) % 3] - u[(k + 2) % 3] * t[(k + 1) % 3];
    for (int k = 0; k < 3; k++)
        out[k] = (float)(pose[k] + p[k] + w * t[k] + s[k]);
}

static bool write_bodies(scree_export *to, const scree_recorded_frame *frame, choice chosen, const char *path)
{
    const scree_recorded_head *head = to->head;
    size_t points, triangles, point = 0, triangle = 0;
    count_triangles(head, chosen, &points, &triangles);
    float *positions = scree_export_room(to, (3 * points + 6 * triangles + 1) * 4);
    if (!positions)
        return false;
    int32_t *corners = (int32_t *)(positions + 3 * points), *offsets = corners + 3 * triangles;
    int32_t *bodies = offsets + triangles, *materials = bodies + triangles;
    for (uint32_t b = 0; b < head->body_count; b++)
        for (uint32_t s = 0; s < head->bodies[b].shape_count; s++) {
            const scree_recorded_shape *shape = &head->bodies[b].shapes[s];
            if (!is_chosen(&head->bodies[b], shape, chosen))
                continue;
            for (uint32_t i = 0; i < shape->triangle_count; i++, triangle++) {
                for (size_t k = 0; k < 3; k++)
                    corners[3 * triangle + k] = (int32_t)(point + shape->indices[3 * i + k]);
                offsets[triangle] = 3 * ((int32_t)triangle + 1);
                bodies[triangle] = (int32_t)b;
                materials[triangle] = (int32_t)head->bodies[b].material;
            }
            for (uint32_t i = 0; i < shape->vertex_count; i++, point++)
                place(frame->poses + 7 * (size_t)b, shape->vertices + 3 * (size_t)i, positions + 3 * point);
        }
    const scree_vtp_array arrays[] = {
        {SCREE_VTP_POINTS, "Points", SCREE_VTP_FLOAT32, 3, positions, points},
        {SCREE_VTP_CELL_DATA, "body", SCREE_VTP_INT32, 1, bodies, triangles},
        {SCREE_VTP_CELL_DATA, "material", SCREE_VTP_INT32, 1, materials, triangles},
        {SCREE_VTP_POLYS, "connectivity", SCREE_VTP_INT32, 1, corners, 3 * triangles},
        {SCREE_VTP_POLYS, "offsets", SCREE_VTP_INT32, 1, offsets, triangles},
    };
    scree_vtp vtp = {
        .arrays = arrays, .array_count = sizeof arrays / sizeof arrays[0], .points = points, .polys = triangles};
    to->files++;
    return scree_vtp_write(&vtp, path);
}

/* The bodies, or the planes, of one frame: those that move in a file of their own, those at rest in one for all. */
static bool add_bodies(scree_export_vtk *to, const scree_recorded_frame *frame, uint32_t number, bool planes)
{
    const char *name = planes ? "planes" : "bodies";
    FILE *pvd = planes ? to->planes.stream : to->bodies.stream;
    bool *is_there = planes ? &to->has_planes : &to->has_bodies;
    for (int moving = 0; moving < 2; moving++) {
        choice chosen = {planes, moving != 0};
        char file[64], path[SCREE_EXPORT_PATH];
        size_t points, triangles;
        count_triangles(to->base.head, chosen, &points, &triangles);
        if (triangles == 0)
            continue;
        if (moving)
            snprintf(file, sizeof file, "%s_%05u.vtp", name, (unsigned)number);
        else
            snprintf(file, sizeof file, "%s_at_rest.vtp", name);
        scree_pvd_add(pvd, frame->time, (unsigned)moving, file);
        if (!moving && *is_there)
            continue;
        if (!scree_export_path(&to->base, file, path) || !write_bodies(&to->base, frame, chosen, path))
            return false;
    }
    *is_there = true;
    return true;
}

/* ---------------------------------------------------------------- the whole */

bool scree_export_vtk_begin(scree_export_vtk *to)
{
    struct {
        const char *name;
        scree_output *output;
    } const lists[] = {{"grains.pvd", &to->grains}, {"bodies.pvd", &to->bodies}, {"planes.pvd", &to->planes}};
    for (int i = 0; i < 3; i++) {
        char *path = to->paths[i];
        if (!scree_export_path(&to->base, lists[i].name, path) || !scree_output_open(lists[i].output, path))
            return false;
        scree_pvd_begin(lists[i].output->stream);
        to->base.files++;
    }
    return true;
}

bool scree_export_vtk_frame(scree_export_vtk *to, const scree_recorded_frame *frame, uint32_t number)
{
    char file[64], path[SCREE_EXPORT_PATH];
    snprintf(file, sizeof file, "grains_%05u.vtp", (unsigned)number);
    if (!scree_export_path(&to->base, file, path) || !write_grains(&to->base, frame, path))
        return false;
    scree_pvd_add(to->grains.stream, frame->time, 0, file);
    return add_bodies(to, frame, number, false) && add_bodies(to, frame, number, true);
}

bool scree_export_vtk_end(scree_export_vtk *to)
{
    scree_output *lists[] = {&to->grains, &to->bodies, &to->planes};
    bool good = true;
    for (int i = 0; i < 3; i++) {
        scree_pvd_end(lists[i]->stream);
        good = scree_output_commit(lists[i]) && good;
    }
    free(to->base.room);
    return good;
}

void scree_export_vtk_drop(scree_export_vtk *to)
{
    scree_output *lists[] = {&to->grains, &to->bodies, &to->planes};
    for (int i = 0; i < 3; i++)
        scree_output_discard(lists[i]);
    free(to->base.room);
}
