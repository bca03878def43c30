#include "collide/walls.h"

#include "collide/narrow.h"

#include <string.h>

enum { ROOM = 2 * SCREE_TILE };    /* candidates of a tile at first */
static const double SKIN = 0.2;    /* of the usual radius: what a tile may go beyond the way of a frame */
static const double TOUCH = 0.02;  /* likewise a shape that moves */
static const double FRAMES = 2.0;  /* of further ways that both get, */
static const double LIMIT = 0.5;   /* up to this, of the usual radius */
static const double STEADY = 1e-9; /* relative: a spin whose mean is so near to its most goes one way */

/* A box around a range of particles. */
typedef struct extent {
    vec3 x;      /* m, its middle */
    double size; /* m, half its diagonal */
    double r;    /* m, largest radius */
} extent;

typedef struct job {
    const scree_wall_query *query;
    scree_wall_search *search;
    uint8_t *wanted;      /* [tiles], to be searched */
    extent *extents;      /* [tiles] */
    double *ways;         /* m, [tiles]: in a frame */
    double *reach;        /* m, [shapes]: how far each may go until the next search */
    scree_bounds *bounds; /* [shapes] */
    /* output: tile k writes counts[k] candidates from items[starts[k]] on; a count beyond its room: no space */
    size_t *starts; /* [tiles + 1] */
    scree_candidate *items;
    uint32_t *counts;
} job;

void scree_walls_free(scree_wall_search *search, const scree_memory *memory)
{
    scree_release(memory, search->left);
    scree_release(memory, search->shape_left);
    scree_release(memory, search->ways);
    scree_release(memory, search->rooms.items);
    *search = (scree_wall_search){0};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------------------- how far things go */

static bool turns_about_axis(const scree_placed *shape)
{
    return shape->kind != SCREE_SHAPE_BOX && shape->kind != SCREE_SHAPE_MESH;
}

/* A plane and a shape of revolution that turn about their own axes stay where they are. */
double scree_walls_way(const scree_placed *shape, const scree_rigid *body, double time, vec3 x, double reach)
{
    if (body->dynamic)
        return time * body->mass.fastest;
    if (body->speed == 0.0 && body->spin == 0.0)
        return 0.0;
    bool steady = length(body->w) >= (1.0 - STEADY) * body->spin && turns_about_axis(shape);
    bool plane = shape->kind == SCREE_SHAPE_PLANE;
    vec3 axis = plane ? shape->n : quat_rotate(shape->q, (vec3){0.0, 0.0, 1.0});
    vec3 middle = shape->mesh ? add(shape->x, quat_rotate(shape->q, shape->middle)) : shape->x;
    vec3 arm = sub(middle, body->now.x);
    double half = isinf(shape->half.x) ? length(sub(x, plane ? body->now.x : middle)) + reach : length(shape->half);
    double doubt = steady ? 1e-4 : 1.0; /* √(6 STEADY): how far the direction may have swayed about its mean */
    double turn = doubt * body->spin + (steady ? length(cross(body->w, axis)) : 0.0);
    double swing = plane ? 0.0 : doubt * body->spin * length(arm) + (steady ? length(cross(body->w, arm)) : 0.0);
    return time * (body->speed + swing + turn * half);
}

static void measure_tile(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const scree_wall_query *query = todo->query;
    const scree_place *place = query->particles->place;
    vec3 low = place[begin].x, high = low;
    double r = 0.0, square = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        vec3 x = place[i].x, v = query->particles->twist[i].v;
        low = (vec3){least(low.x, x.x), least(low.y, x.y), least(low.z, x.z)};
        high = (vec3){most(high.x, x.x), most(high.y, x.y), most(high.z, x.z)};
        r = most(r, place[i].r);
        square = most(square, dot(v, v));
    }
    vec3 half = scale(0.5, sub(high, low));
    double fastest = sqrt(square), way = query->frame * fastest;
    todo->extents[tile] = (extent){add(low, half), length(half), r};
    /* what rests seldom falls within the frame */
    todo->ways[tile] = way + least(query->slack, way) + SCREE_WALLS_JUMP * query->substep * fastest;
    todo->wanted[tile] = !(todo->search->left[tile] >= todo->ways[tile]);
}

/* The tile around all tiles. */
static extent surround(const job *todo, uint32_t tiles)
{
    extent all = todo->extents[0];
    for (uint32_t t = 0; t < tiles; t++) {
        extent one = todo->extents[t];
        double far = length(sub(one.x, all.x)) + one.size;
        all.size = most(all.size, far);
        all.r = most(all.r, one.r);
    }
    return all;
}

/* What each shape may go until the next search; a frame's way is taken off what is left. All get a new one when one of
 * them had too little. True: they did. */
static bool spend(const job *todo, extent all)
{
    const scree_wall_query *query = todo->query;
    double *ways = todo->search->ways, *left = todo->search->shape_left, r = query->radius;
    bool anew = !todo->search->valid;
    for (uint32_t k = 0; k < query->shape_count; k++) {
        const scree_placed *shape = &query->shapes[k];
        ways[k] = scree_walls_way(shape, &query->bodies[shape->body], query->frame, all.x, all.size + all.r);
        anew = anew || !(left[k] >= ways[k]);
    }
    for (uint32_t k = 0; k < query->shape_count; k++) {
        if (anew)
            left[k] = ways[k] > 0.0 ? ways[k] + least(FRAMES * ways[k], LIMIT * r) + TOUCH * r : 0.0;
        todo->reach[k] = left[k];
        left[k] -= ways[k];
    }
    return anew;
}

/* ---------------------------------------------------------------- search */

static bool is_beyond(const scree_bounds *box, vec3 x, double reach)
{
    return x.x < box->low.x - reach || x.x > box->high.x + reach || x.y < box->low.y - reach ||
           x.y > box->high.y + reach || x.z < box->low.z - reach || x.z > box->high.z + reach;
}

/* A closed contact stays a candidate: a centre that has been thrown through a thin wall may be far behind it. */
static bool is_closed(const scree_contact_list *walls, uint32_t i, uint32_t shape)
{
    if (!walls->starts || !walls->normals)
        return false;
    for (uint32_t k = walls->starts[i]; k < walls->starts[i + 1]; k++)
        if (scree_contact_shape(&walls->items[k]) == shape && dot(walls->normals[k], walls->normals[k]) > 0.0)
            return true;
    return false;
}

static bool stays(const job *todo, uint32_t i, uint32_t shape)
{
    return is_closed(todo->query->walls, i, shape) || is_closed(todo->query->loads, i, shape);
}

static bool has_contacts(const scree_contact_list *list, uint32_t begin, uint32_t end, uint32_t shape)
{
    if (!list->starts)
        return false;
    for (uint32_t k = list->starts[begin]; k < list->starts[end]; k++)
        if (scree_contact_shape(&list->items[k]) == shape)
            return true;
    return false;
}

/* Whether a shape comes near any particle of the tile: those of a tile are near each other, and most tiles lie inside
 * the bed. */
static bool concerns(const job *todo, uint32_t k, uint32_t tile, uint32_t begin, uint32_t end)
{
    const scree_wall_query *query = todo->query;
    const extent *around = &todo->extents[tile];
    double reach = around->size + around->r + todo->search->left[tile] + todo->reach[k];
    return (!is_beyond(&todo->bounds[k], around->x, reach) &&
            scree_shape_within(&query->shapes[k], around->x, reach)) ||
           has_contacts(query->walls, begin, end, k) || has_contacts(query->loads, begin, end, k);
}

static void emit(const job *todo, uint32_t tile, uint32_t a, uint32_t b)
{
    size_t at = todo->starts[tile] + todo->counts[tile]++;
    if (at < todo->starts[tile + 1])
        todo->items[at] = (scree_candidate){.a = a, .b = b};
}

static void look_at(const job *todo, uint32_t tile, uint32_t k, uint32_t begin, uint32_t end)
{
    const scree_placed *shape = &todo->query->shapes[k];
    for (uint32_t i = begin; i < end; i++) {
        const scree_place *place = &todo->query->particles->place[i];
        double reach = place->r + todo->search->left[tile] + todo->reach[k];
        bool near = !is_beyond(&todo->bounds[k], place->x, reach) && scree_shape_within(shape, place->x, reach);
        if (!near && !stays(todo, i, k))
            continue;
        for (uint32_t slot = 0; slot < scree_narrow_slots(shape); slot++)
            emit(todo, tile, i, k * SCREE_SLOTS + slot);
    }
}

static void repeat(const job *todo, uint32_t tile, const scree_contact_list *list, uint32_t begin, uint32_t end)
{
    for (uint32_t k = list->starts[begin]; k < list->starts[end]; k++)
        emit(todo, tile, list->items[k].a, list->items[k].b);
}

static void find(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    todo->counts[tile] = 0;
    if (!todo->wanted[tile]) {
        repeat(todo, tile, todo->query->walls, begin, end);
        repeat(todo, tile, todo->query->loads, begin, end);
        return;
    }
    for (uint32_t k = 0; k < todo->query->shape_count; k++)
        if (concerns(todo, k, tile, begin, end))
            look_at(todo, tile, k, begin, end);
}

/* Room for every tile: what it has from before, or the usual. */
static bool plan_rooms(scree_rooms *rooms, const scree_memory *memory, uint32_t tiles)
{
    void *items = rooms->items;
    bool room = scree_reserve(memory, &items, &rooms->capacity, rooms->count, tiles, sizeof *rooms->items);
    rooms->items = items;
    for (size_t k = rooms->count; room && k < tiles; k++)
        rooms->items[k] = ROOM;
    if (room)
        rooms->count = tiles;
    return room;
}

/* Runs the search until all that is found has room, and closes the gaps between the tiles. */
static bool collect(job *todo, scree_arena *arena, scree_pool *pool, const scree_memory *memory, uint32_t tiles,
                    scree_found *found)
{
    scree_rooms *rooms = &todo->search->rooms;
    todo->starts = scree_arena_get(arena, (size_t)tiles + 1, sizeof *todo->starts);
    todo->counts = scree_arena_get(arena, tiles, sizeof *todo->counts);
    if (!todo->starts || !todo->counts || !plan_rooms(rooms, memory, tiles))
        return false;
    for (bool fits = false; !fits;) {
        todo->starts[0] = 0;
        for (uint32_t k = 0; k < tiles; k++)
            todo->starts[k + 1] = todo->starts[k] + rooms->items[k];
        todo->items = scree_arena_get(arena, todo->starts[tiles], sizeof *todo->items);
        if (!todo->items)
            return false;
        scree_pool_run(pool, todo->query->particles->count, SCREE_TILE, find, todo);
        fits = true;
        for (uint32_t k = 0; k < tiles; k++) {
            uint32_t count = todo->counts[k];
            fits = fits && count <= rooms->items[k];
            if (count > rooms->items[k] || count < rooms->items[k] / 4)
                rooms->items[k] = count + count / 4 + SCREE_TILE / 4;
        }
    }
    *found = (scree_found){.items = todo->items};
    for (uint32_t k = 0; k < tiles; k++) {
        memmove(found->items + found->count, todo->items + todo->starts[k], todo->counts[k] * sizeof *found->items);
        found->count += todo->counts[k];
    }
    return true;
}

static bool take_scratch(job *todo, const scree_memory *memory, scree_arena *arena, uint32_t tiles)
{
    scree_wall_search *search = todo->search;
    uint32_t shapes = todo->query->shape_count;
    void *left = search->left, *shape_left = search->shape_left, *ways = search->ways;
    bool room = scree_reserve(memory, &left, &search->left_capacity, 0, tiles, sizeof *search->left);
    search->left = left;
    room = room && scree_reserve(memory, &shape_left, &search->shape_capacity, 0, shapes, sizeof *search->shape_left);
    search->shape_left = shape_left;
    room = room && scree_reserve(memory, &ways, &search->ways_capacity, 0, shapes, sizeof *search->ways);
    search->ways = ways;
    todo->wanted = scree_arena_get(arena, tiles, 1);
    todo->extents = scree_arena_get(arena, tiles, sizeof *todo->extents);
    todo->ways = scree_arena_get(arena, tiles, sizeof *todo->ways);
    todo->reach = scree_arena_get(arena, shapes, sizeof *todo->reach);
    todo->bounds = scree_arena_get(arena, shapes, sizeof *todo->bounds);
    return room && todo->wanted && todo->extents && todo->ways && todo->reach && todo->bounds;
}

bool scree_walls_search(scree_wall_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_wall_query *query, bool *held, scree_found *found)
{
    uint32_t n = query->particles->count, tiles = scree_pool_ranges(n, SCREE_TILE);
    *found = (scree_found){0};
    *held = search->valid && query->walls->starts && query->loads->starts;
    search->valid = *held;
    if (n == 0 || query->shape_count == 0) {
        *held = false;
        return true;
    }
    job todo = {.query = query, .search = search};
    if (!take_scratch(&todo, memory, arena, tiles))
        return false;
    scree_pool_run(pool, n, SCREE_TILE, measure_tile, &todo);
    bool anew = spend(&todo, surround(&todo, tiles));
    for (uint32_t t = 0; t < tiles; t++) {
        todo.wanted[t] = todo.wanted[t] || anew;
        *held = *held && !todo.wanted[t];
        if (todo.wanted[t])
            search->left[t] = SKIN * query->radius + todo.ways[t] + least(FRAMES * todo.ways[t], LIMIT * query->radius);
    }
    if (*held)
        return true;
    for (uint32_t k = 0; k < query->shape_count; k++)
        todo.bounds[k] = scree_shape_bounds(&query->shapes[k]);
    return search->valid = collect(&todo, arena, pool, memory, tiles, found);
}
