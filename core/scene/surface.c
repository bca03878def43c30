/*
 * Shapes as triangles. A shape of revolution is a profile of points (ρ, z) that turns about the z axis; a point on the
 * axis is one vertex, another one a ring of `chords`. Profiles run so that the outside is to their right.
 */
#include "base/math.h"
#include "scene/bumps.h"

enum { MOST_POINTS = 256 }; /* of a profile */

typedef struct profile {
    double rho[MOST_POINTS], z[MOST_POINTS];
    uint32_t count;
} profile;

static void add_point(profile *line, double rho, double z)
{
    line->rho[line->count] = rho;
    line->z[line->count++] = z;
}

/* A quarter of a circle about (0, z) from the angle `from` (−1: downwards, 0: outwards) on. */
static void add_quarter(profile *line, double radius, double z, double from, uint32_t chords)
{
    uint32_t count = chords / 4 < 2 ? 2 : chords / 4 > 100 ? 100 : chords / 4;
    for (uint32_t i = 0; i <= count; i++) {
        double angle = 0.5 * SCREE_PI * (from + (double)i / count);
        bool pole = (from < 0.0 && i == 0) || (from >= 0.0 && i == count);
        add_point(line, pole ? 0.0 : radius * cos(angle), z + radius * sin(angle));
    }
}

/* A ball around all that has an end: its centre and radius; 1 m around the origin when there is nothing. */
typedef struct ball {
    vec3 x;
    double r;
} ball;

static void include(vec3 *low, vec3 *high, const double point[3])
{
    *low = (vec3){fmin(low->x, point[0]), fmin(low->y, point[1]), fmin(low->z, point[2])};
    *high = (vec3){fmax(high->x, point[0]), fmax(high->y, point[1]), fmax(high->z, point[2])};
}

static ball extent_of(const scree_scene *scene)
{
    vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < scene->fill_count; i++) {
        include(&low, &high, scene->fills[i].min);
        include(&low, &high, scene->fills[i].max);
    }
    for (uint32_t i = 0; i < scene->grain_count; i++)
        include(&low, &high, scene->grains[i].position);
    for (uint32_t i = 0; i < scene->body_count; i++)
        include(&low, &high, scene->bodies[i].position);
    vec3 across = sub(high, low);
    if (!(length(across) > 0.0 && isfinite(length(across))))
        return (ball){.r = 1.0};
    return (ball){.x = scale(0.5, add(low, high)), .r = 0.6 * length(across)};
}

static void trace(profile *line, const scree_shape *shape, uint32_t chords, double endless)
{
    double half = 0.5 * shape->length, r = shape->radius;
    switch ((scree_shape_kind)shape->kind) {
    case SCREE_SHAPE_TUBE:
        half = half > 0.0 ? half : endless;
        add_point(line, r, half); /* seen from inside */
        add_point(line, r, -half);
        break;
    case SCREE_SHAPE_CONE:
        if (shape->solid && r > 0.0)
            add_point(line, 0.0, -half);
        add_point(line, r, -half);
        add_point(line, shape->radius_top, half);
        if (shape->solid && shape->radius_top > 0.0)
            add_point(line, 0.0, half);
        break;
    case SCREE_SHAPE_CYLINDER:
        add_point(line, 0.0, -half);
        add_point(line, r, -half);
        add_point(line, r, half);
        add_point(line, 0.0, half);
        break;
    case SCREE_SHAPE_DISC:
        add_point(line, r, 0.0);
        add_point(line, shape->hole, 0.0);
        break;
    case SCREE_SHAPE_CAPSULE:
        add_quarter(line, r, -half, -1.0, chords);
        add_quarter(line, r, half, 0.0, chords);
        break;
    case SCREE_SHAPE_SPHERE:
        add_quarter(line, r, 0.0, -1.0, chords);
        line->count--; /* the equator once */
        add_quarter(line, r, 0.0, 0.0, chords);
        break;
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_BOX:
    case SCREE_SHAPE_MESH:
        break;
    }
}

/* From the shape's frame into the body's. */
typedef struct frame {
    vec3 x;
    quat q;
} frame;

static void put_vertex(scree_surface *surface, const frame *at, vec3 v)
{
    vec3_store(surface->vertices[surface->vertex_count++], add(at->x, quat_rotate(at->q, v)));
}

static void put_triangle(scree_surface *surface, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = surface->triangles[surface->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static bool make_room(scree_surface *surface, size_t vertices, size_t triangles)
{
    surface->vertices = scree_allocate(&surface->memory, vertices, sizeof *surface->vertices);
    surface->triangles = scree_allocate(&surface->memory, triangles, sizeof *surface->triangles);
    return surface->vertices && surface->triangles;
}

/* The band between points k and k + 1 of the profile, whose first vertices are `low` and `high`. */
static void put_band(scree_surface *surface, const profile *line, uint32_t k, uint32_t low, uint32_t high,
                     uint32_t chords)
{
    for (uint32_t i = 0; i < chords; i++) {
        uint32_t next = (i + 1) % chords;
        if (line->rho[k] > 0.0)
            put_triangle(surface, low + i, low + next, line->rho[k + 1] > 0.0 ? high + next : high);
        if (line->rho[k + 1] > 0.0)
            put_triangle(surface, line->rho[k] > 0.0 ? low + i : low, high + next, high + i);
    }
}

static bool revolve(scree_surface *surface, const frame *at, const profile *line, uint32_t chords)
{
    if (!make_room(surface, (size_t)line->count * chords, (size_t)line->count * chords * 2))
        return false;
    uint32_t first[MOST_POINTS];
    for (uint32_t k = 0; k < line->count; k++) {
        first[k] = surface->vertex_count;
        for (uint32_t i = 0; i < (line->rho[k] > 0.0 ? chords : 1); i++) {
            double angle = 2.0 * SCREE_PI * i / chords;
            put_vertex(surface, at, (vec3){line->rho[k] * cos(angle), line->rho[k] * sin(angle), line->z[k]});
        }
    }
    for (uint32_t k = 0; k + 1 < line->count; k++)
        put_band(surface, line, k, first[k], first[k + 1], chords);
    return true;
}

/* About the point of the plane that is nearest to the middle of the scene, as far as the body is not turned. */
static bool draw_plane(scree_surface *surface, const scree_shape *shape, vec3 middle, double half)
{
    vec3 n = vec3_of(shape->normal), x = vec3_of(shape->position);
    n = scale(1.0 / length(n), n);
    frame at = {.x = mul_add(middle, dot(n, sub(x, middle)), n), .q = {1.0, 0.0, 0.0, 0.0}};
    vec3 u = cross(fabs(n.x) < 0.7 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0}, n);
    u = scale(half / length(u), u);
    vec3 v = cross(n, u);
    if (!make_room(surface, 4, 2))
        return false;
    put_vertex(surface, &at, scale(-1.0, add(u, v)));
    put_vertex(surface, &at, sub(u, v));
    put_vertex(surface, &at, add(u, v));
    put_vertex(surface, &at, sub(v, u));
    put_triangle(surface, 0, 1, 2);
    put_triangle(surface, 0, 2, 3);
    return true;
}

static bool draw_box(scree_surface *surface, const frame *at, vec3 size)
{
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!make_room(surface, 8, 12))
        return false;
    for (uint32_t i = 0; i < 8; i++) /* bit 0: x, 1: y, 2: z */
        put_vertex(surface, at,
                   (vec3){(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z});
    for (uint32_t k = 0; k < 6; k++) {
        put_triangle(surface, faces[k][0], faces[k][1], faces[k][2]);
        put_triangle(surface, faces[k][0], faces[k][2], faces[k][3]);
    }
    return true;
}

static bool draw_mesh(scree_surface *surface, const frame *at, const scree_surface *from, double size)
{
    if (!make_room(surface, from->vertex_count, from->triangle_count))
        return false;
    for (uint32_t i = 0; i < from->vertex_count; i++)
        put_vertex(surface, at, scale(size, vec3_of(from->vertices[i])));
    for (uint32_t i = 0; i < from->triangle_count; i++)
        put_triangle(surface, from->triangles[i][0], from->triangles[i][1], from->triangles[i][2]);
    return true;
}

scree_status scree_scene_shape_surface(const scree_scene *scene, uint32_t index, uint32_t chords,
                                       const scree_memory *memory, scree_surface *surface, scree_error *error)
{
    *surface = (scree_surface){.memory = scree_memory_or_default(memory)};
    if (index >= scene->shape_count || chords < 3 || chords > 1000)
        return scree_fail(error, SCREE_INVALID, "shape %u in %u chords; allowed: one of %u shapes, 3 to 1000 chords",
                          (unsigned)index, (unsigned)chords, (unsigned)scene->shape_count);
    const scree_shape *shape = &scene->shapes[index];
    if (scree_tube_is_rough(shape))
        return scree_bumps_surface(shape, memory, surface, error);
    frame at = {.x = vec3_of(shape->position), .q = quat_exp(vec3_of(shape->rotation))};
    ball around = extent_of(scene);
    profile line = {.count = 0};
    trace(&line, shape, chords, around.r);
    bool drawn;
    if (shape->kind == SCREE_SHAPE_PLANE)
        drawn = draw_plane(surface, shape, sub(around.x, vec3_of(scene->bodies[shape->body].position)), around.r);
    else if (shape->kind == SCREE_SHAPE_BOX)
        drawn = draw_box(surface, &at, vec3_of(shape->size));
    else if (shape->kind == SCREE_SHAPE_MESH)
        drawn = draw_mesh(surface, &at, &scene->meshes[shape->mesh].surface, shape->scale);
    else
        drawn = revolve(surface, &at, &line, chords);
    if (drawn)
        return SCREE_OK;
    scree_surface_release(surface);
    return scree_fail(error, SCREE_MEMORY, "out of memory for the triangles of a shape");
}

scree_status scree_surface_create(scree_surface *surface, uint32_t vertices, uint32_t triangles,
                                  const scree_memory *memory, scree_error *error)
{
    *surface = (scree_surface){.memory = scree_memory_or_default(memory)};
    if (!make_room(surface, vertices, triangles)) {
        scree_surface_release(surface);
        return scree_fail(error, SCREE_MEMORY, "out of memory for %u triangles", (unsigned)triangles);
    }
    surface->vertex_count = vertices;
    surface->triangle_count = triangles;
    return SCREE_OK;
}

void scree_surface_release(scree_surface *surface)
{
    if (surface->memory.release) {
        scree_release(&surface->memory, surface->vertices);
        scree_release(&surface->memory, surface->triangles);
    }
    *surface = (scree_surface){0};
}
