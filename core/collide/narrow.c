#include "collide/narrow.h"

#include "collide/mesh.h"

enum { MOST_POINTS = 2 * SCREE_SLOTS };

static const double SAME = 0.5; /* cosine: a normal may turn by 60° in a substep and is still the same contact's */

static bool is_zero(vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* Only what is fast can have gone through a surface without having touched it. */
scree_probe scree_probe_of(const scree_place *place, const scree_twist *twist, const scree_rigid *body, double way)
{
    scree_probe probe = {.x = place->x, .r = place->r};
    vec3 speed = sub(twist->v, add(body->v, cross(body->w, sub(place->x, body->now.x))));
    if (way * way * dot(speed, speed) > 0.25 * place->r * place->r)
        probe.way = scale(way, speed);
    return probe;
}

uint32_t scree_narrow_slots(const scree_placed *shape)
{
    return shape->mesh ? SCREE_SLOTS : 1;
}

/* Points of contact on their way into slots, in the frame of the mesh. */
typedef struct deal {
    scree_mesh_point points[MOST_POINTS];
    uint32_t count;
    bool used[MOST_POINTS];
    vec3 last[SCREE_SLOTS];           /* normals of the last substep */
    scree_touch touches[SCREE_SLOTS]; /* n is zero where the slot is still free */
    uint32_t slots;
    double r;
} deal;

static void give(deal *to, uint32_t slot, uint32_t point, double side)
{
    const scree_mesh_point *from = &to->points[point];
    to->touches[slot] = (scree_touch){.overlap = to->r - side * from->distance, .n = scale(side, from->n)};
    to->used[point] = true;
}

/* The free slot with a memory and the unused point that fit best, side times their cosine; false: none does. */
static bool find_match(const deal *to, bool solid, double side, uint32_t *slot, uint32_t *point)
{
    double best = SAME;
    bool found = false;
    for (uint32_t s = 0; s < to->slots; s++) {
        if (is_zero(to->last[s]) || !is_zero(to->touches[s].n))
            continue;
        for (uint32_t p = 0; p < to->count; p++) {
            bool may = side > 0.0 ? !to->points[p].behind : !to->points[p].rim && to->points[p].behind == solid;
            double fit = side * dot(to->points[p].n, to->last[s]);
            if (to->used[p] || !may || !(fit > best))
                continue;
            best = fit;
            *slot = s;
            *point = p;
            found = true;
        }
    }
    return found;
}

/* A free slot, at best one that was open. */
static uint32_t find_free(const deal *to)
{
    uint32_t any = UINT32_MAX;
    for (uint32_t s = to->slots; s-- > 0;)
        if (is_zero(to->touches[s].n) && (any == UINT32_MAX || is_zero(to->last[s]) || !is_zero(to->last[any])))
            any = s;
    return any;
}

/* A new contact must not push against one whose surface the centre has gone through. */
static bool is_against(const deal *to, vec3 n)
{
    for (uint32_t s = 0; s < to->slots; s++)
        if (to->touches[s].overlap > to->r && dot(to->touches[s].n, n) < -SAME)
            return true;
    return false;
}

static void give_new(deal *to, scree_contact *items)
{
    for (uint32_t p = 0; p < to->count; p++) {
        uint32_t slot = find_free(to);
        if (slot == UINT32_MAX)
            return;
        if (to->used[p] || to->points[p].behind || is_against(to, to->points[p].n))
            continue;
        if (!is_zero(to->last[slot]))
            items[slot] = (scree_contact){.a = items[slot].a, .b = items[slot].b};
        give(to, slot, p, 1.0);
    }
}

/* reach: within which points are looked for. */
static void touch_mesh(const scree_mesh *mesh, const scree_local *at, double reach, scree_mesh_near *near, deal *to,
                       scree_contact *items)
{
    bool remembers = false;
    for (uint32_t s = 0; s < to->slots; s++)
        remembers = remembers || !is_zero(to->last[s]);
    if (!remembers && !is_zero(at->way)) {
        uint32_t t = scree_mesh_crossing(mesh, sub(at->p, at->way), at->p);
        if (t != UINT32_MAX) { /* the centre has gone through without having touched */
            vec3 n = mesh->faces[t].n;
            double depth = dot(n, sub(at->p, mesh->faces[t].x[0]));
            to->touches[0] = (scree_touch){.overlap = at->r + fabs(depth), .n = depth > 0.0 ? n : scale(-1.0, n)};
            return;
        }
    }
    uint32_t slot, point;
    to->count = scree_mesh_minima(mesh, at->p, reach, near, MOST_POINTS, to->points);
    if (mesh->solid && !remembers && to->count && to->points[0].behind) /* it began inside: out by the shortest way */
        give(to, 0, 0, -1.0);
    while (find_match(to, mesh->solid, 1.0, &slot, &point))
        give(to, slot, point, 1.0);
    while (find_match(to, mesh->solid, -1.0, &slot, &point))
        give(to, slot, point, -1.0);
    give_new(to, items);
}

void scree_narrow_touch(const scree_placed *shape, const scree_probe *probe, uint32_t slots, scree_contact *items,
                        vec3 *normals, scree_mesh_near *near, scree_touch *touches)
{
    if (!shape->mesh) {
        touches[0] = scree_shape_touch(shape, probe, normals[0]);
        normals[0] = touches[0].overlap > 0.0 ? touches[0].n : (vec3){0.0, 0.0, 0.0};
        return;
    }
    quat back = quat_conj(shape->q);
    scree_local at = {.p = quat_rotate(back, sub(probe->x, shape->x)),
                      .r = probe->r,
                      .way = is_zero(probe->way) ? probe->way : quat_rotate(back, probe->way)};
    deal to = {.slots = slots < SCREE_SLOTS ? slots : SCREE_SLOTS, .r = probe->r};
    for (uint32_t s = 0; s < to.slots; s++)
        to.last[s] = is_zero(normals[s]) ? normals[s] : quat_rotate(back, normals[s]);
    touch_mesh(shape->mesh, &at, fmax(probe->r, probe->depth), near, &to, items);
    for (uint32_t s = 0; s < to.slots; s++) {
        bool closed = to.touches[s].overlap > 0.0;
        touches[s] = (scree_touch){.overlap = to.touches[s].overlap};
        normals[s] = touches[s].n = closed ? quat_rotate(shape->q, to.touches[s].n) : (vec3){0.0, 0.0, 0.0};
    }
}
