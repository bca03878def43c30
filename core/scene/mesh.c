#include "scene/mesh.h"

#include "base/math.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIANGLES = 10000000 };

static const double WELD = 1e-6; /* of the mesh's extent: vertices that are meant to be one */
static const double FLAT = 1e-9; /* twice the area over the square of the longest edge: a triangle without a normal */

/* ---------------------------------------------------------------- what comes in */

static scree_status check_input(const scree_surface *from, scree_error *error)
{
    if (from->triangle_count == 0)
        return scree_fail(error, SCREE_INVALID, "mesh: has no triangles");
    if (from->triangle_count > MOST_TRIANGLES || from->vertex_count > 3u * MOST_TRIANGLES)
        return scree_fail(error, SCREE_INVALID, "mesh: %u triangles; at most %d are allowed",
                          (unsigned)from->triangle_count, MOST_TRIANGLES);
    for (uint32_t i = 0; i < from->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(from->vertices[i][k]) <= 1e12)) /* false for NaN */
                return scree_fail(error, SCREE_INVALID,
                                  "mesh: vertex %u has a coordinate that is not finite or too large", (unsigned)i);
    for (uint32_t i = 0; i < from->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (from->triangles[i][k] >= from->vertex_count)
                return scree_fail(error, SCREE_INVALID, "mesh: triangle %u refers to vertex %u of %u", (unsigned)i,
                                  (unsigned)from->triangles[i][k], (unsigned)from->vertex_count);
    return SCREE_OK;
}

/* ---------------------------------------------------------------- weld */

/* Vertices that stay, in a hash table of cells. */
typedef struct welder {
    vec3 low;
    double tolerance, cell; /* m */
    uint32_t mask;
    uint32_t *first; /* [mask + 1], the newest vertex of each bucket plus 1; 0: none */
    uint32_t *next;  /* [vertices], the one before it in its bucket, likewise */
    uint32_t *map;   /* [vertices], which vertex each became */
} welder;

static uint32_t bucket_of(const welder *weld, int64_t x, int64_t y, int64_t z)
{
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15ULL ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fULL ^ (uint64_t)z * 0x165667b19e3779f9ULL;
    return (uint32_t)((h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL >> 32) & weld->mask;
}

static int64_t cell_of(const welder *weld, double x, double low)
{
    return (int64_t)floor((x - low) / weld->cell);
}

/* A vertex that has stayed within the tolerance of x, or UINT32_MAX. */
static uint32_t find_near(const welder *weld, const double (*vertices)[3], vec3 x)
{
    double t = weld->tolerance;
    for (int64_t i = cell_of(weld, x.x - t, weld->low.x); i <= cell_of(weld, x.x + t, weld->low.x); i++)
        for (int64_t j = cell_of(weld, x.y - t, weld->low.y); j <= cell_of(weld, x.y + t, weld->low.y); j++)
            for (int64_t k = cell_of(weld, x.z - t, weld->low.z); k <= cell_of(weld, x.z + t, weld->low.z); k++)
                for (uint32_t at = weld->first[bucket_of(weld, i, j, k)]; at; at = weld->next[at - 1])
                    if (length(sub(vec3_of(vertices[at - 1]), x)) <= t)
                        return at - 1;
    return UINT32_MAX;
}

static bool weld_vertices(const scree_surface *from, const scree_memory *memory, welder *weld)
{
    vec3 low = vec3_of(from->vertices[0]), high = low;
    for (uint32_t i = 1; i < from->vertex_count; i++) {
        vec3 x = vec3_of(from->vertices[i]);
        low = (vec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (vec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    uint32_t size = 64;
    while (size < from->vertex_count)
        size *= 2;
    *weld = (welder){.low = low, .tolerance = WELD * length(sub(high, low)), .mask = size - 1};
    weld->cell = weld->tolerance > 0.0 ? 16.0 * weld->tolerance : 1.0; /* most vertices look into one cell */
    weld->first = scree_allocate(memory, size, sizeof *weld->first);
    weld->next = scree_allocate(memory, from->vertex_count, sizeof *weld->next);
    weld->map = scree_allocate(memory, from->vertex_count, sizeof *weld->map);
    if (!weld->first || !weld->next || !weld->map)
        return false;
    for (uint32_t i = 0; i < from->vertex_count; i++) {
        vec3 x = vec3_of(from->vertices[i]);
        uint32_t near = find_near(weld, (const double(*)[3])from->vertices, x);
        weld->map[i] = near == UINT32_MAX ? i : near;
        if (near != UINT32_MAX)
            continue;
        uint32_t *bucket = &weld->first[bucket_of(weld, cell_of(weld, x.x, low.x), cell_of(weld, x.y, low.y),
                                                  cell_of(weld, x.z, low.z))];
        weld->next[i] = *bucket;
        *bucket = i + 1;
    }
    return true;
}

/* ---------------------------------------------------------------- triangles that stay */

static bool is_flat(const double (*vertices)[3], const uint32_t t[3])
{
    vec3 a = vec3_of(vertices[t[0]]), b = vec3_of(vertices[t[1]]), c = vec3_of(vertices[t[2]]);
    vec3 ab = sub(b, a), bc = sub(c, b), ca = sub(a, c);
    double longest = fmax(dot(ab, ab), fmax(dot(bc, bc), dot(ca, ca)));
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] || !(length(cross(ab, bc)) > FLAT * longest);
}

/* Copies the triangles between the welded vertices and leaves those without area out. */
static void keep_triangles(const scree_surface *from, const uint32_t *map, scree_scene_mesh *mesh)
{
    scree_surface *to = &mesh->surface;
    for (uint32_t i = 0; i < from->triangle_count; i++) {
        uint32_t *t = to->triangles[to->triangle_count];
        for (int k = 0; k < 3; k++)
            t[k] = map[from->triangles[i][k]];
        if (is_flat((const double(*)[3])from->vertices, t))
            mesh->report.degenerate++;
        else
            to->triangle_count++;
    }
}

typedef struct corners {
    uint32_t v[3]; /* ascending */
    uint32_t triangle;
} corners;

static int by_corners(const void *left, const void *right)
{
    const corners *l = left, *r = right;
    for (int k = 0; k < 3; k++)
        if (l->v[k] != r->v[k])
            return l->v[k] < r->v[k] ? -1 : 1;
    return l->triangle < r->triangle ? -1 : l->triangle > r->triangle;
}

/* Of triangles with the same corners the first stays. */
static bool drop_doubles(scree_scene_mesh *mesh, const scree_memory *memory)
{
    scree_surface *to = &mesh->surface;
    uint32_t count = to->triangle_count, kept = 0;
    corners *sorted = scree_allocate(memory, count, sizeof *sorted);
    bool *gone = scree_allocate(memory, count, sizeof *gone);
    for (uint32_t i = 0; sorted && i < count; i++) {
        const uint32_t *t = to->triangles[i];
        uint32_t low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0];
        sorted[i] = (corners){{low < t[2] ? low : t[2],
                               t[2] < low    ? low
                               : t[2] < high ? t[2]
                                             : high,
                               high > t[2] ? high : t[2]},
                              i};
    }
    if (sorted && gone) {
        qsort(sorted, count, sizeof *sorted, by_corners);
        for (uint32_t i = 1; i < count; i++)
            gone[sorted[i].triangle] = memcmp(sorted[i].v, sorted[i - 1].v, sizeof sorted[i].v) == 0;
        for (uint32_t i = 0; i < count; i++)
            if (!gone[i])
                memcpy(to->triangles[kept++], to->triangles[i], sizeof to->triangles[i]);
        mesh->report.doubled = count - kept;
        to->triangle_count = kept;
    }
    scree_release(memory, sorted);
    scree_release(memory, gone);
    return sorted && gone;
}

/* The vertices that are used, in their order. */
static void keep_vertices(const scree_surface *from, uint32_t *map, scree_surface *to)
{
    memset(map, 0, from->vertex_count * sizeof *map);
    for (uint32_t i = 0; i < 3 * to->triangle_count; i++)
        map[to->triangles[i / 3][i % 3]] = 1;
    for (uint32_t v = 0; v < from->vertex_count; v++)
        if (map[v]) {
            map[v] = to->vertex_count;
            memcpy(to->vertices[to->vertex_count++], from->vertices[v], sizeof from->vertices[v]);
        }
    for (uint32_t i = 0; i < 3 * to->triangle_count; i++)
        to->triangles[i / 3][i % 3] = map[to->triangles[i / 3][i % 3]];
}

/* ---------------------------------------------------------------- edges */

typedef struct half_edge {
    uint32_t low, high; /* vertices */
    uint32_t index;
} half_edge;

static int by_ends(const void *left, const void *right)
{
    const half_edge *l = left, *r = right;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return l->index < r->index ? -1 : l->index > r->index;
}

bool scree_mesh_pair_edges(const uint32_t (*triangles)[3], uint32_t count, const scree_memory *memory, uint32_t *across)
{
    half_edge *edges = scree_allocate(memory, (size_t)count * 3, sizeof *edges);
    if (!edges)
        return false;
    for (uint32_t h = 0; h < 3 * count; h++) {
        uint32_t a = scree_edge_from(triangles, h), b = scree_edge_to(triangles, h);
        edges[h] = (half_edge){a < b ? a : b, a < b ? b : a, h};
    }
    qsort(edges, (size_t)count * 3, sizeof *edges, by_ends);
    for (uint32_t i = 0, end; i < 3 * count; i = end) {
        for (end = i + 1; end < 3 * count && edges[end].low == edges[i].low && edges[end].high == edges[i].high; end++)
            across[edges[end - 1].index] = edges[end].index;
        across[edges[end - 1].index] = edges[i].index;
    }
    scree_release(memory, edges);
    return true;
}

/* ---------------------------------------------------------------- winding */

typedef struct winding {
    uint32_t *across; /* [3 triangles] */
    uint32_t *queue;  /* [triangles] */
    uint8_t *state;   /* [triangles], bit 0: has been reached; bit 1: to be turned */
} winding;

enum { REACHED = 1, TURN = 2 };

/* Makes all that hangs together with `start` agree with it, or with most of it. */
static void spread(const uint32_t (*triangles)[3], winding *wind, uint32_t start, scree_mesh_report *report)
{
    uint32_t count = 1, done = 0, turned = 0;
    wind->queue[0] = start;
    wind->state[start] = REACHED;
    while (done < count) {
        uint32_t t = wind->queue[done++];
        turned += wind->state[t] / TURN;
        for (uint32_t h = 3 * t; h < 3 * t + 3; h++) {
            uint32_t g = wind->across[h], other = g / 3;
            if (g == h || wind->across[g] != h)
                continue; /* open, or of more than two triangles: no winding to take over */
            bool same_way = scree_edge_from(triangles, h) == scree_edge_from(triangles, g);
            uint8_t want = (uint8_t)(wind->state[t] ^ (same_way ? TURN : 0));
            if (!wind->state[other]) {
                wind->state[other] = want;
                wind->queue[count++] = other;
            } else if (wind->state[other] != want) {
                report->twisted_edges++; /* seen from both sides */
            }
        }
    }
    bool most = 2 * turned > count;
    for (uint32_t i = 0; i < count && most; i++)
        wind->state[wind->queue[i]] ^= TURN;
    report->turned += most ? count - turned : turned;
}

static double volume_of(const scree_surface *surface)
{
    vec3 origin = vec3_of(surface->vertices[0]);
    double sum = 0.0;
    for (uint32_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *t = surface->triangles[i];
        vec3 a = sub(vec3_of(surface->vertices[t[0]]), origin), b = sub(vec3_of(surface->vertices[t[1]]), origin),
             c = sub(vec3_of(surface->vertices[t[2]]), origin);
        sum += dot(a, cross(b, c)) / 6.0;
    }
    return sum;
}

static void turn(uint32_t triangle[3])
{
    uint32_t keep = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = keep;
}

/* Rings run upwards and lead back from their last half-edge to their first. */
static void count_edges(const uint32_t *across, uint32_t count, scree_mesh_report *report)
{
    for (uint32_t h = 0; h < 3 * count; h++) {
        report->open_edges += across[h] == h;
        report->tangled_edges += across[h] < h && across[across[h]] != h;
    }
}

static bool set_winding(scree_scene_mesh *mesh, const scree_memory *memory)
{
    scree_surface *surface = &mesh->surface;
    uint32_t count = surface->triangle_count;
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])surface->triangles;
    winding wind = {.across = scree_allocate(memory, (size_t)count * 3, sizeof *wind.across),
                    .queue = scree_allocate(memory, count, sizeof *wind.queue),
                    .state = scree_allocate(memory, count, sizeof *wind.state)};
    bool room = wind.across && wind.queue && wind.state && scree_mesh_pair_edges(triangles, count, memory, wind.across);
    if (room) {
        count_edges(wind.across, count, &mesh->report);
        for (uint32_t i = 0; i < count; i++)
            if (!wind.state[i])
                spread(triangles, &wind, i, &mesh->report);
        for (uint32_t i = 0; i < count; i++)
            if (wind.state[i] & TURN)
                turn(surface->triangles[i]);
        mesh->report.twisted_edges /= 2;
        mesh->report.volume = volume_of(surface);
        mesh->report.inverted = mesh->report.open_edges == 0 && mesh->report.volume < 0.0;
        for (uint32_t i = 0; i < count && mesh->report.inverted; i++)
            turn(surface->triangles[i]);
        if (mesh->report.open_edges == 0)
            mesh->report.volume = fabs(mesh->report.volume);
        else
            mesh->report.volume = 0.0;
    }
    scree_release(memory, wind.across);
    scree_release(memory, wind.queue);
    scree_release(memory, wind.state);
    return room;
}

/* ---------------------------------------------------------------- the whole */

static bool clean(const scree_surface *from, const scree_memory *memory, scree_scene_mesh *mesh, welder *weld)
{
    scree_surface *to = &mesh->surface;
    to->vertices = scree_allocate(memory, from->vertex_count, sizeof *to->vertices);
    to->triangles = scree_allocate(memory, from->triangle_count, sizeof *to->triangles);
    if (!to->vertices || !to->triangles || !weld_vertices(from, memory, weld))
        return false;
    keep_triangles(from, weld->map, mesh);
    if (to->triangle_count == 0)
        return true;
    if (!drop_doubles(mesh, memory))
        return false;
    keep_vertices(from, weld->map, to);
    mesh->report.vertices = to->vertex_count;
    mesh->report.triangles = to->triangle_count;
    return set_winding(mesh, memory);
}

scree_status scree_mesh_clean(const scree_surface *from, const scree_memory *memory, scree_scene_mesh *mesh,
                              scree_error *error)
{
    *mesh = (scree_scene_mesh){.surface.memory = *memory};
    scree_status status = check_input(from, error);
    if (status != SCREE_OK)
        return status;
    welder weld = {0};
    if (!clean(from, memory, mesh, &weld))
        status =
            scree_fail(error, SCREE_MEMORY, "out of memory for a mesh of %u triangles", (unsigned)from->triangle_count);
    else if (mesh->surface.triangle_count == 0)
        status = scree_fail(error, SCREE_INVALID, "mesh: none of its %u triangles has an area",
                            (unsigned)from->triangle_count);
    scree_release(memory, weld.first);
    scree_release(memory, weld.next);
    scree_release(memory, weld.map);
    if (status != SCREE_OK)
        scree_surface_release(&mesh->surface);
    return status;
}
