/*
 * Questions to a mesh: is anything near, where is the distance least, what lies in the way.
 *
 * The nearest point of a triangle lies on its face, an edge or a corner (Ericson, Real-Time Collision Detection, 5.1.5,
 * describes the regions). It is a local minimum of the distance to the whole surface
 *   on a face    always;
 *   on an edge   if the centre lies over none of the edge's triangles: (c − q)·(o − q) ≤ 0 for their other corners o;
 *   on a vertex  if (c − q)·(o − q) ≤ 0 for all neighbours o.
 */
#include "collide/mesh.h"

#include "scene/mesh.h"

enum { STACK = 96, MOST_POINTS = 32, NEAR_ROOM = sizeof((scree_mesh_near *)0)->items / sizeof(uint32_t) };

static const double PARALLEL = 0.995; /* cosine: nearly the same direction */
static const double NEAR = 0.05;      /* of r: how far a particle may go on what it knows to be near */
static const double OVER = 1e-9;      /* cosine: what rounding may make of a right angle */

/* How far x lies outside low … high. */
static inline double outside(double x, float low, float high)
{
    double below = (double)low - x, above = x - (double)high;
    double most = below > above ? below : above;
    return most > 0.0 ? most : 0.0;
}

static inline double box_distance2(const scree_mesh_node *node, vec3 x)
{
    double dx = outside(x.x, node->low[0], node->high[0]), dy = outside(x.y, node->low[1], node->high[1]),
           dz = outside(x.z, node->low[2], node->high[2]);
    return dx * dx + dy * dy + dz * dz;
}

/* ---------------------------------------------------------------- the nearest point of a triangle */

typedef enum part { FACE, EDGE, CORNER } part;

typedef struct nearest {
    vec3 q;    /* m */
    double d2; /* m2 */
    part on;
    uint32_t k; /* which edge or corner */
} nearest;

static nearest at_corner(const scree_mesh_face *face, uint32_t k)
{
    return (nearest){.q = face->x[k], .on = CORNER, .k = k};
}

/* Share s of edge k. */
static nearest at_edge(const scree_mesh_face *face, uint32_t k, double s)
{
    vec3 a = face->x[k], b = face->x[(k + 1) % 3];
    return (nearest){.q = mul_add(a, s, sub(b, a)), .on = EDGE, .k = k};
}

static nearest find_region(const scree_mesh_face *face, vec3 x)
{
    vec3 a = face->x[0], b = face->x[1], c = face->x[2];
    vec3 ab = sub(b, a), ac = sub(c, a), ax = sub(x, a), bx = sub(x, b), cx = sub(x, c);
    double d1 = dot(ab, ax), d2 = dot(ac, ax), d3 = dot(ab, bx), d4 = dot(ac, bx), d5 = dot(ab, cx), d6 = dot(ac, cx);
    if (d1 <= 0.0 && d2 <= 0.0)
        return at_corner(face, 0);
    if (d3 >= 0.0 && d4 <= d3)
        return at_corner(face, 1);
    if (d6 >= 0.0 && d5 <= d6)
        return at_corner(face, 2);
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4; /* areas, times twice the face's */
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
        return at_edge(face, 0, d1 / (d1 - d3));
    if (va <= 0.0 && d4 >= d3 && d5 >= d6)
        return at_edge(face, 1, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
        return at_edge(face, 2, 1.0 - d2 / (d2 - d6));
    return (nearest){.q = mul_add(x, -dot(face->n, ax), face->n), .on = FACE};
}

/* The nearest point of triangle t; false: it is not nearer than the root of `most`. */
static inline bool find_nearest(const scree_mesh *mesh, uint32_t t, vec3 x, double most, nearest *at)
{
    const scree_mesh_face *face = &mesh->faces[t];
    double height = dot(face->n, sub(x, face->x[0]));
    if (height * height >= most)
        return false;
    *at = find_region(face, x);
    vec3 gap = sub(at->q, x);
    at->d2 = dot(gap, gap);
    return at->d2 < most;
}

/* Large meshes are in no cache: asking for all faces before the first is needed lets their ways overlap. */
static inline void fetch_ahead(const scree_mesh_face *face)
{
#ifdef __GNUC__
    __builtin_prefetch(face);
    __builtin_prefetch((const char *)face + 64);
#else
    (void)face;
#endif
}

/* ---------------------------------------------------------------- is anything near */

bool scree_mesh_within(const scree_mesh *mesh, vec3 x, double reach)
{
    uint32_t stack[STACK], depth = 0;
    double most = reach * reach;
    if (box_distance2(&mesh->nodes[0], x) < most)
        stack[depth++] = 0;
    while (depth) {
        const scree_mesh_node *node = &mesh->nodes[stack[--depth]];
        nearest at;
        for (uint32_t i = 0; i < node->count; i++)
            if (find_nearest(mesh, node->first + i, x, most, &at))
                return true;
        if (node->count)
            continue;
        double left = box_distance2(&mesh->nodes[node->first], x),
               right = box_distance2(&mesh->nodes[node->first + 1], x);
        uint32_t far = left > right ? node->first : node->first + 1;
        if ((left > right ? left : right) < most)
            stack[depth++] = far;
        if ((left > right ? right : left) < most)
            stack[depth++] = far ^ 1; /* the nearer one is looked at first; siblings are an even number and the next */
    }
    return false;
}

/* ---------------------------------------------------------------- local minima */

static bool is_over(vec3 w, vec3 to_other)
{
    double along = dot(w, to_other);
    return along > 0.0 && along * along > OVER * OVER * dot(w, w) * dot(to_other, to_other);
}

/* Whether a point on an edge or corner of triangle t is one. w: from it to the centre. */
static bool is_minimum(const scree_mesh *mesh, uint32_t t, const nearest *at, vec3 w)
{
    if (at->on == EDGE) {
        uint32_t own = 3 * t + at->k;
        for (uint32_t h = mesh->triangles[t].across[at->k]; h != own; h = mesh->triangles[h / 3].across[h % 3])
            if (is_over(w, sub(mesh->vertices[mesh->triangles[h / 3].v[(h % 3 + 2) % 3]], at->q)))
                return false;
    } else if (at->on == CORNER) {
        uint32_t v = mesh->triangles[t].v[at->k];
        for (uint32_t i = mesh->ring_starts[v]; i < mesh->ring_starts[v + 1]; i++)
            if (is_over(w, sub(mesh->vertices[mesh->ring[i]], at->q)))
                return false;
    }
    return true;
}

/* Sum of the normals around a corner, each by its angle (Bærentzen and Aanæs): its sign tells inside from outside. */
static vec3 corner_normal(const scree_mesh *mesh, uint32_t t, uint32_t k)
{
    vec3 sum = {0.0, 0.0, 0.0};
    uint32_t start = t;
    for (int turns = 0; turns < 1000; turns++) { /* a tangled fan needs no more than an end */
        const scree_mesh_face *face = &mesh->faces[t];
        vec3 a = sub(face->x[(k + 1) % 3], face->x[k]), b = sub(face->x[(k + 2) % 3], face->x[k]);
        sum = mul_add(sum, atan2(length(cross(a, b)), dot(a, b)), face->n);
        uint32_t h =
            mesh->triangles[t].across[(k + 2) % 3]; /* the edge that ends in the corner; across it begins there */
        t = h / 3;
        k = h % 3;
        if (t == start)
            break;
    }
    return sum;
}

static bool is_behind(const scree_mesh *mesh, uint32_t t, const nearest *at, vec3 n)
{
    if (at->on == CORNER)
        return dot(n, corner_normal(mesh, t, at->k)) > 0.0;
    vec3 sum = mesh->faces[t].n;
    if (at->on == EDGE)
        sum = add(sum, mesh->faces[mesh->triangles[t].across[at->k] / 3].n);
    return dot(n, sum) > 0.0;
}

double scree_mesh_distance(const scree_mesh *mesh, vec3 x)
{
    uint32_t stack[STACK], depth = 1, best = 0;
    double least = HUGE_VAL;
    nearest found = {.on = FACE}, at;
    stack[0] = 0;
    while (depth) {
        const scree_mesh_node *node = &mesh->nodes[stack[--depth]];
        if (box_distance2(node, x) >= least)
            continue;
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            if (find_nearest(mesh, i, x, least, &at)) {
                found = at;
                least = at.d2;
                best = i;
            }
        if (node->count)
            continue;
        bool left = box_distance2(&mesh->nodes[node->first], x) < box_distance2(&mesh->nodes[node->first + 1], x);
        stack[depth++] = node->first + left; /* the nearer one is looked at first */
        stack[depth++] = node->first + !left;
    }
    double distance = sqrt(least);
    return mesh->solid && is_behind(mesh, best, &found, sub(found.q, x)) ? -distance : distance;
}

typedef struct finding {
    scree_mesh_point points[MOST_POINTS];
    uint32_t count;
} finding;

static void add_point(finding *found, scree_mesh_point point)
{
    uint32_t farthest = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        if (dot(found->points[i].n, point.n) > PARALLEL && found->points[i].distance <= point.distance)
            return;
        if (found->points[i].distance > found->points[farthest].distance)
            farthest = i;
    }
    if (found->count < MOST_POINTS)
        found->points[found->count++] = point;
    else if (point.distance < found->points[farthest].distance)
        found->points[farthest] = point;
}

static void add_if_minimum(const scree_mesh *mesh, uint32_t t, nearest at, vec3 x, double r, finding *found)
{
    vec3 w = sub(x, at.q);
    if (!(at.d2 < r * r) || !is_minimum(mesh, t, &at, w))
        return;
    const scree_mesh_triangle *own = &mesh->triangles[t];
    scree_mesh_point point = {.distance = sqrt(at.d2), .n = scale(-1.0, mesh->faces[t].n)};
    if (point.distance > 1e-12 * r + 1e-15) {
        point.n = scale(-1.0 / point.distance, w);
        point.behind = mesh->solid && is_behind(mesh, t, &at, point.n);
    }
    point.rim = (at.on == EDGE && own->across[at.k] == 3 * t + at.k) || (at.on == CORNER && mesh->is_rim[own->v[at.k]]);
    add_point(found, point);
}

/* Nearest first; those that nearly point as a nearer one does are left out. */
static uint32_t sort_out(finding *found, uint32_t room, scree_mesh_point *points)
{
    for (uint32_t i = 1; i < found->count; i++) {
        scree_mesh_point item = found->points[i];
        uint32_t k = i;
        for (; k > 0 && found->points[k - 1].distance > item.distance; k--)
            found->points[k] = found->points[k - 1];
        found->points[k] = item;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < found->count && count < room; i++) {
        bool alike = false;
        for (uint32_t k = 0; k < count && !alike; k++)
            alike = dot(points[k].n, found->points[i].n) > PARALLEL;
        if (!alike)
            points[count++] = found->points[i];
    }
    return count;
}

/* Triangles to be remembered, with their distances. */
typedef struct memo {
    scree_mesh_near *near;
    double d2[NEAR_ROOM];
} memo;

/* Remembers t; when there are too many, the farthest is forgotten, and the margin ends before it. */
static void remember(memo *to, uint32_t t, double d2, double r)
{
    scree_mesh_near *near = to->near;
    uint32_t at = near->count;
    if (at < NEAR_ROOM) {
        near->count++;
    } else {
        at = 0;
        for (uint32_t i = 1; i < NEAR_ROOM; i++)
            at = to->d2[i] > to->d2[at] ? i : at;
        double lost = sqrt(d2 > to->d2[at] ? d2 : to->d2[at]) - r;
        near->margin = lost < near->margin ? lost : near->margin;
        if (d2 > to->d2[at])
            return;
    }
    to->d2[at] = d2;
    near->items[at] = t;
}

static void sort_items(scree_mesh_near *near)
{
    for (uint32_t i = 1; i < near->count; i++) {
        uint32_t item = near->items[i], k = i;
        for (; k > 0 && near->items[k - 1] > item; k--)
            near->items[k] = near->items[k - 1];
        near->items[k] = item;
    }
}

/* Goes through the tree, and remembers in `near`, if not NULL, what lies within its margin beyond r. Triangles come in
 * the order of their numbers, from here as from memory: so rounding makes no difference between the two. */
static void search(const scree_mesh *mesh, vec3 x, double r, scree_mesh_near *near, finding *found)
{
    uint32_t stack[STACK], depth = 0;
    double reach = r + (near ? near->margin : 0.0), most = reach * reach;
    memo to = {.near = near};
    if (box_distance2(&mesh->nodes[0], x) < most)
        stack[depth++] = 0;
    while (depth) {
        const scree_mesh_node *node = &mesh->nodes[stack[--depth]];
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            nearest at;
            if (!find_nearest(mesh, i, x, most, &at))
                continue;
            if (near)
                remember(&to, i, at.d2, r);
            add_if_minimum(mesh, i, at, x, r, found);
        }
        for (uint32_t k = 2; k-- > 0 && !node->count;)
            if (box_distance2(&mesh->nodes[node->first + k], x) < most)
                stack[depth++] = node->first + k;
    }
    if (near)
        sort_items(near);
}

uint32_t scree_mesh_minima(const scree_mesh *mesh, vec3 x, double r, scree_mesh_near *near, uint32_t room,
                           scree_mesh_point *points)
{
    finding found;
    found.count = 0;
    if (near && near->margin > 0.0 && length(sub(x, near->x)) < near->margin) {
        for (uint32_t i = 0; i < near->count; i++)
            fetch_ahead(&mesh->faces[near->items[i]]);
        for (uint32_t i = 0; i < near->count; i++) {
            nearest at;
            if (find_nearest(mesh, near->items[i], x, r * r, &at))
                add_if_minimum(mesh, near->items[i], at, x, r, &found);
        }
    } else {
        if (near)
            *near = (scree_mesh_near){.x = x, .margin = NEAR * r};
        search(mesh, x, r, near, &found);
    }
    return sort_out(&found, room, points);
}

/* ---------------------------------------------------------------- what lies in the way */

/* The share of the way at which it meets triangle t; above 1: it doesn't. */
static double meet(const scree_mesh *mesh, uint32_t t, vec3 from, vec3 way)
{
    const scree_mesh_face *face = &mesh->faces[t];
    vec3 a = face->x[0], ab = sub(face->x[1], a), ac = sub(face->x[2], a);
    vec3 normal = cross(ab, ac), off = sub(from, a), turned = cross(off, way);
    double det = -dot(way, normal), slack = -1e-9; /* nothing slips between two triangles */
    if (det == 0.0 || (mesh->solid && det < 0.0))  /* along it, or out of a solid */
        return HUGE_VAL;
    double s = dot(off, normal) / det, u = dot(ac, turned) / det, v = -dot(ab, turned) / det;
    return u >= slack && v >= slack && u + v <= 1.0 - slack && s >= 0.0 ? s : HUGE_VAL;
}

static bool boxes_meet(const scree_mesh_node *node, vec3 low, vec3 high)
{
    return (double)node->low[0] <= high.x && (double)node->high[0] >= low.x && (double)node->low[1] <= high.y &&
           (double)node->high[1] >= low.y && (double)node->low[2] <= high.z && (double)node->high[2] >= low.z;
}

uint32_t scree_mesh_crossing(const scree_mesh *mesh, vec3 from, vec3 x)
{
    vec3 low = {fmin(from.x, x.x), fmin(from.y, x.y), fmin(from.z, x.z)};
    vec3 high = {fmax(from.x, x.x), fmax(from.y, x.y), fmax(from.z, x.z)};
    uint32_t stack[STACK], depth = 0, first = UINT32_MAX;
    double least = 1.0;
    if (boxes_meet(&mesh->nodes[0], low, high))
        stack[depth++] = 0;
    while (depth) {
        const scree_mesh_node *node = &mesh->nodes[stack[--depth]];
        for (uint32_t i = 0; i < node->count; i++) {
            double s = meet(mesh, node->first + i, from, sub(x, from));
            if (s <= least && (s < least || first == UINT32_MAX)) {
                least = s;
                first = node->first + i;
            }
        }
        for (uint32_t k = 0; k < 2 && !node->count; k++)
            if (boxes_meet(&mesh->nodes[node->first + k], low, high))
                stack[depth++] = node->first + k;
    }
    return first;
}
