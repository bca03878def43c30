/*
 * Shapes as triangles, for pictures. A plane has no end: its part about as large as the scene is drawn.
 */
#include "head.h"

#include <math.h>
#include <string.h>

enum { ROUND = 64 }; /* edges of a circle */

static void turn(const double rotation[3], const double v[3], double out[3])
{
    /* Rodrigues: v cos a + (e × v) sin a + e (e·v)(1 − cos a) */
    const double *r = rotation;
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double e[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < 3 && angle > 0.0; k++)
        e[k] = r[k] / angle;
    double c = cos(angle), s = sin(angle), along = (e[0] * v[0] + e[1] * v[1] + e[2] * v[2]) * (1.0 - c);
    double cross[3] = {e[1] * v[2] - e[2] * v[1], e[2] * v[0] - e[0] * v[2], e[0] * v[1] - e[1] * v[0]};
    for (int k = 0; k < 3; k++)
        out[k] = v[k] * c + cross[k] * s + e[k] * along;
}

static void place(const scree_shape *shape, const double local[3], double out[3])
{
    turn(shape->rotation, local, out);
    for (int k = 0; k < 3; k++)
        out[k] += shape->position[k];
}

static void include(double low[3], double high[3], const double point[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], point[k]);
        high[k] = fmax(high[k], point[k]);
    }
}

/* A ball around all that has an end: its centre and radius; 1 m around the origin when there is nothing. */
static double scene_extent(const scree_scene *scene, double centre[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < scene->fill_count; i++) {
        include(low, high, scene->fills[i].min);
        include(low, high, scene->fills[i].max);
    }
    for (uint32_t i = 0; i < scene->grain_count; i++)
        include(low, high, scene->grains[i].position);
    for (uint32_t i = 0; i < scene->body_count; i++)
        include(low, high, scene->bodies[i].position);
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        centre[k] = high[k] >= low[k] ? 0.5 * (low[k] + high[k]) : 0.0;
        square += high[k] > low[k] ? (high[k] - low[k]) * (high[k] - low[k]) : 0.0;
    }
    return square > 0.0 ? 0.6 * sqrt(square) : 1.0;
}

static void make_plane(const scree_scene *scene, const scree_shape *shape, scree_triangles *to)
{
    double centre[3], n[3], half = scene_extent(scene, centre);
    double length = sqrt(shape->normal[0] * shape->normal[0] + shape->normal[1] * shape->normal[1] +
                         shape->normal[2] * shape->normal[2]);
    int least = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = shape->normal[k] / length;
        centre[k] -= scene->bodies[shape->body].position[k]; /* close enough for a body that is turned */
        if (fabs(n[k]) < fabs(n[least]))
            least = k;
    }
    double e[3] = {0.0, 0.0, 0.0}, distance = 0.0;
    e[least] = 1.0;
    double u[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
    double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) {
        u[k] /= size;
        distance += n[k] * (centre[k] - shape->position[k]);
    }
    double v[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            to->vertices[3 * i + k] =
                centre[k] - distance * n[k] + half * (corners[i][0] * u[k] + corners[i][1] * v[k]);
    memcpy(to->indices, indices, sizeof indices);
}

static void make_box(const scree_shape *shape, scree_triangles *to)
{
    static const uint32_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; i++) {
        double local[3];
        for (int k = 0; k < 3; k++)
            local[k] = (i >> k & 1 ? 0.5 : -0.5) * shape->size[k];
        place(shape, local, to->vertices + 3 * i);
    }
    memcpy(to->indices, indices, sizeof indices);
}

/* Its inner face, seen from inside. */
static void make_tube(const scree_scene *scene, const scree_shape *shape, scree_triangles *to)
{
    double centre[3], length = shape->length > 0.0 ? shape->length : 2.0 * scene_extent(scene, centre);
    for (uint32_t i = 0; i < ROUND; i++) {
        double angle = 2.0 * 3.14159265358979323846 * i / ROUND;
        for (uint32_t end = 0; end < 2; end++) {
            double local[3] = {shape->radius * cos(angle), shape->radius * sin(angle), (end - 0.5) * length};
            place(shape, local, to->vertices + 3 * (2 * i + end));
        }
        uint32_t a = 2 * i, b = 2 * ((i + 1) % ROUND);
        const uint32_t indices[6] = {a, a + 1, b, b, a + 1, b + 1};
        memcpy(to->indices + 6 * i, indices, sizeof indices);
    }
}

scree_status scree_triangulate(const scree_scene *scene, uint32_t shape, const scree_memory *memory,
                               scree_triangles *triangles, scree_error *error)
{
    const scree_shape *from = &scene->shapes[shape];
    *triangles = (scree_triangles){.vertices = NULL};
    switch ((scree_shape_kind)from->kind) {
    case SCREE_SHAPE_PLANE:
        triangles->vertex_count = 4;
        triangles->triangle_count = 2;
        break;
    case SCREE_SHAPE_BOX:
        triangles->vertex_count = 8;
        triangles->triangle_count = 12;
        break;
    case SCREE_SHAPE_TUBE:
        triangles->vertex_count = 2 * ROUND;
        triangles->triangle_count = 2 * ROUND;
        break;
    }
    triangles->vertices = memory->allocate(memory->context, triangles->vertex_count * 3 * sizeof(double) + 1);
    triangles->indices = memory->allocate(memory->context, triangles->triangle_count * 3 * sizeof(uint32_t) + 1);
    if (!triangles->vertices || !triangles->indices) {
        scree_triangles_release(triangles, memory);
        return scree_fail(error, SCREE_MEMORY, "out of memory for the triangles of the bodies");
    }
    if (from->kind == SCREE_SHAPE_PLANE)
        make_plane(scene, from, triangles);
    else if (from->kind == SCREE_SHAPE_BOX)
        make_box(from, triangles);
    else if (from->kind == SCREE_SHAPE_TUBE)
        make_tube(scene, from, triangles);
    return SCREE_OK;
}

void scree_triangles_release(scree_triangles *triangles, const scree_memory *memory)
{
    if (triangles->vertices)
        memory->release(memory->context, triangles->vertices);
    if (triangles->indices)
        memory->release(memory->context, triangles->indices);
    *triangles = (scree_triangles){.vertices = NULL};
}
