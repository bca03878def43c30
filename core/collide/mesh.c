/*
 * How a mesh for collisions is made: neighbours, and a tree of boxes by the surface area heuristic in bins. Nothing
 * here depends on anything but the triangles: the same mesh gives the same tree.
 */
#include "collide/mesh.h"

#include "scene/mesh.h"

#include <string.h>

enum { BINS = 16, LEAF = 4, DEEPEST = 48 };

typedef struct box {
    vec3 low, high;
} box;

static const box EMPTY = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static void grow(box *b, vec3 low, vec3 high)
{
    b->low = (vec3){fmin(b->low.x, low.x), fmin(b->low.y, low.y), fmin(b->low.z, low.z)};
    b->high = (vec3){fmax(b->high.x, high.x), fmax(b->high.y, high.y), fmax(b->high.z, high.z)};
}

static double component(vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Half the area of its faces; a box around nothing has none. */
static double half_area(const box *b)
{
    vec3 e = sub(b->high, b->low);
    return e.x < 0.0 ? 0.0 : e.x * e.y + e.y * e.z + e.z * e.x;
}

/* ---------------------------------------------------------------- tree */

typedef struct builder {
    scree_mesh *mesh;
    box *boxes;      /* [triangles] */
    uint32_t *order; /* [triangles], which triangle is where */
} builder;

static vec3 middle(const box *b)
{
    return scale(0.5, add(b->low, b->high));
}

typedef struct split {
    int axis;
    double low, inv_width; /* of the bins */
    int bin;               /* the first of the second half */
} split;

static int bin_of(const split *by, const box *b)
{
    int bin = (int)((component(middle(b), by->axis) - by->low) * by->inv_width);
    return bin < 0 ? 0 : bin > BINS - 1 ? BINS - 1 : bin;
}

/* The best of the planes between the bins along one axis; returns its cost, or infinity. */
static double try_axis(const builder *b, uint32_t first, uint32_t count, const box *centres, split *by)
{
    double extent = component(sub(centres->high, centres->low), by->axis), best = HUGE_VAL;
    if (!(extent > 0.0))
        return best;
    by->low = component(centres->low, by->axis);
    by->inv_width = BINS / extent;
    box boxes[BINS];
    uint32_t counts[BINS] = {0};
    for (int k = 0; k < BINS; k++)
        boxes[k] = EMPTY;
    for (uint32_t i = first; i < first + count; i++) {
        const box *one = &b->boxes[b->order[i]];
        int bin = bin_of(by, one);
        grow(&boxes[bin], one->low, one->high);
        counts[bin]++;
    }
    double right_cost[BINS];
    box sum = EMPTY;
    uint32_t below = 0;
    for (int k = BINS - 1; k > 0; k--) {
        grow(&sum, boxes[k].low, boxes[k].high);
        below += counts[k];
        right_cost[k] = below ? half_area(&sum) * below : HUGE_VAL;
    }
    sum = EMPTY;
    below = 0;
    for (int k = 1; k < BINS; k++) {
        grow(&sum, boxes[k - 1].low, boxes[k - 1].high);
        below += counts[k - 1];
        double cost = below ? half_area(&sum) * below + right_cost[k] : HUGE_VAL;
        if (cost < best) {
            best = cost;
            by->bin = k;
        }
    }
    return best;
}

/* Moves those of the first half to the front; returns their number. When all centres are in one point, halves them. */
static uint32_t part(builder *b, uint32_t first, uint32_t count, const box *centres)
{
    split best = {.axis = -1};
    double least = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        split by = {.axis = axis};
        double cost = try_axis(b, first, count, centres, &by);
        if (cost < least) {
            least = cost;
            best = by;
        }
    }
    if (best.axis < 0)
        return count / 2;
    uint32_t low = first;
    for (uint32_t i = first; i < first + count; i++)
        if (bin_of(&best, &b->boxes[b->order[i]]) < best.bin) {
            uint32_t keep = b->order[i];
            b->order[i] = b->order[low];
            b->order[low++] = keep;
        }
    return low - first;
}

/* A float that is not above x, and one that is not below. */
static float round_down(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -HUGE_VALF) : f;
}

static float round_up(double x)
{
    float f = (float)x;
    return (double)f < x ? nextafterf(f, HUGE_VALF) : f;
}

static scree_mesh_node make_node(const box *around, uint32_t first, uint32_t count)
{
    return (scree_mesh_node){.low = {round_down(around->low.x), round_down(around->low.y), round_down(around->low.z)},
                             .high = {round_up(around->high.x), round_up(around->high.y), round_up(around->high.z)},
                             .first = first,
                             .count = count};
}

/* Splits node `at` until leaves are small. Depth is bounded: below it halves are equal, which ends soon. */
static void grow_tree(builder *b, uint32_t at, uint32_t depth)
{
    scree_mesh *mesh = b->mesh;
    uint32_t first = mesh->nodes[at].first, count = mesh->nodes[at].count;
    if (count <= LEAF)
        return;
    box centres = EMPTY;
    for (uint32_t i = first; i < first + count; i++) {
        vec3 m = middle(&b->boxes[b->order[i]]);
        grow(&centres, m, m);
    }
    uint32_t left = depth < DEEPEST ? part(b, first, count, &centres) : count / 2;
    uint32_t starts[3] = {first, first + left, first + count}, child = mesh->node_count;
    mesh->nodes[at].first = child;
    mesh->nodes[at].count = 0;
    mesh->node_count += 2;
    for (uint32_t k = 0; k < 2; k++) {
        box around = EMPTY;
        for (uint32_t i = starts[k]; i < starts[k + 1]; i++)
            grow(&around, b->boxes[b->order[i]].low, b->boxes[b->order[i]].high);
        mesh->nodes[child + k] = make_node(&around, starts[k], starts[k + 1] - starts[k]);
    }
    grow_tree(b, child, depth + 1);
    grow_tree(b, child + 1, depth + 1);
}

static void build_tree(builder *b, const scree_surface *surface)
{
    scree_mesh *mesh = b->mesh;
    box all = EMPTY;
    for (uint32_t i = 0; i < surface->triangle_count; i++) {
        b->boxes[i] = EMPTY;
        for (int k = 0; k < 3; k++) {
            vec3 v = vec3_of(surface->vertices[surface->triangles[i][k]]);
            grow(&b->boxes[i], v, v);
        }
        b->order[i] = i;
        grow(&all, b->boxes[i].low, b->boxes[i].high);
    }
    mesh->low = all.low;
    mesh->high = all.high;
    mesh->nodes[0] = make_node(&all, 0, surface->triangle_count);
    mesh->node_count = 2;
    grow_tree(b, 0, 0);
}

/* ---------------------------------------------------------------- neighbours */

/* Both ends of every half-edge are neighbours of each other. */
static void make_rings(scree_mesh *mesh, const uint32_t (*triangles)[3])
{
    uint32_t *next = mesh->ring_starts + 1; /* counting sort, shifted while the neighbours are dealt out */
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        next[scree_edge_from(triangles, h) + 1]++;
        next[scree_edge_to(triangles, h) + 1]++;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        next[v + 1] += next[v];
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        uint32_t a = scree_edge_from(triangles, h), b = scree_edge_to(triangles, h);
        mesh->ring[next[a]++] = b;
        mesh->ring[next[b]++] = a;
    }
}

static bool set_neighbours(builder *b, const scree_surface *surface)
{
    scree_mesh *mesh = b->mesh;
    uint32_t count = surface->triangle_count;
    uint32_t(*triangles)[3] = scree_allocate(&mesh->memory, count, sizeof *triangles);
    uint32_t *across = scree_allocate(&mesh->memory, (size_t)count * 3, sizeof *across);
    bool room = triangles && across;
    for (uint32_t i = 0; room && i < count; i++)
        memcpy(triangles[i], surface->triangles[b->order[i]], sizeof triangles[i]);
    room = room && scree_mesh_pair_edges((const uint32_t(*)[3])triangles, count, &mesh->memory, across);
    for (uint32_t i = 0; room && i < count; i++) {
        scree_mesh_triangle *t = &mesh->triangles[i];
        memcpy(t->v, triangles[i], sizeof t->v);
        memcpy(t->across, across + 3 * i, sizeof t->across);
        for (uint32_t k = 0; k < 3; k++)
            if (t->across[k] == 3 * i + k)
                mesh->is_rim[t->v[k]] = mesh->is_rim[t->v[(k + 1) % 3]] = true;
        scree_mesh_face *face = &mesh->faces[i];
        for (int k = 0; k < 3; k++)
            face->x[k] = mesh->vertices[t->v[k]];
        face->n = cross(sub(face->x[1], face->x[0]), sub(face->x[2], face->x[0]));
        face->n = scale(1.0 / length(face->n), face->n);
    }
    if (room)
        make_rings(mesh, (const uint32_t(*)[3])triangles);
    scree_release(&mesh->memory, triangles);
    scree_release(&mesh->memory, across);
    return room;
}

/* ---------------------------------------------------------------- the whole */

static bool allocate(builder *b, const scree_surface *surface)
{
    scree_mesh *mesh = b->mesh;
    const scree_memory *memory = &mesh->memory;
    size_t vertices = surface->vertex_count, triangles = surface->triangle_count;
    mesh->vertices = scree_allocate(memory, vertices, sizeof *mesh->vertices);
    mesh->faces = scree_allocate(memory, triangles, sizeof *mesh->faces);
    mesh->triangles = scree_allocate(memory, triangles, sizeof *mesh->triangles);
    mesh->nodes = scree_allocate(memory, 2 * triangles + 1, sizeof *mesh->nodes);
    mesh->ring_starts = scree_allocate(memory, vertices + 2, sizeof *mesh->ring_starts);
    mesh->ring = scree_allocate(memory, 6 * triangles, sizeof *mesh->ring);
    mesh->is_rim = scree_allocate(memory, vertices, sizeof *mesh->is_rim);
    b->boxes = scree_allocate(memory, triangles, sizeof *b->boxes);
    b->order = scree_allocate(memory, triangles, sizeof *b->order);
    return mesh->vertices && mesh->faces && mesh->triangles && mesh->nodes && mesh->ring_starts && mesh->ring &&
           mesh->is_rim && b->boxes && b->order;
}

scree_mesh *scree_mesh_create(const scree_surface *surface, bool solid, const scree_memory *memory)
{
    builder b = {.mesh = scree_allocate(memory, 1, sizeof *b.mesh)};
    if (!b.mesh)
        return NULL;
    b.mesh->memory = *memory;
    b.mesh->solid = solid;
    b.mesh->vertex_count = surface->vertex_count;
    b.mesh->triangle_count = surface->triangle_count;
    bool made = allocate(&b, surface);
    if (made) {
        for (uint32_t i = 0; i < surface->vertex_count; i++)
            b.mesh->vertices[i] = vec3_of(surface->vertices[i]);
        build_tree(&b, surface);
        made = set_neighbours(&b, surface);
    }
    scree_release(memory, b.boxes);
    scree_release(memory, b.order);
    if (made)
        return b.mesh;
    scree_mesh_destroy(b.mesh);
    return NULL;
}

void scree_mesh_destroy(scree_mesh *mesh)
{
    if (!mesh)
        return;
    scree_memory memory = mesh->memory;
    scree_release(&memory, mesh->vertices);
    scree_release(&memory, mesh->faces);
    scree_release(&memory, mesh->triangles);
    scree_release(&memory, mesh->nodes);
    scree_release(&memory, mesh->ring_starts);
    scree_release(&memory, mesh->ring);
    scree_release(&memory, mesh->is_rim);
    scree_release(&memory, mesh);
}
