/*
 * Broad phase: a uniform grid held in a hash table, so that a grain that flies away costs nothing.
 *
 * A pair is found by the particle with the larger reach R_i, which looks within 2 R_i; ties go to the lower index. So
 * the cells may be as small as the common grains and a large or fast grain looks at more of them: cost stays
 * proportional to the number of grains for any mix of sizes, without a second grid.
 *
 * Each range of particles writes to its own stretch of one array, as long as the last searches needed it there; when
 * one is too short, the search is repeated. So a boulder that touches a thousand grains takes room in its own range
 * only. The order of what is found depends on the particles alone, not on the threads.
 */
#include "collide/search.h"

#include "collide/narrow.h"

#include <string.h>

enum { GRAIN = 256, PAIR_ROOM = 12, WALL_ROOM = 2 };

static const double CELL = 2.2;  /* cell edge over mean reach */
static const double SKIN = 0.05; /* of the radius: what a margin has beyond the way of a frame */
static const double WIDE = 0.15; /* likewise, of the radius: what the search has beyond twice the margin */

typedef struct entry {
    uint64_t cell;
    uint32_t particle;
} entry;

typedef struct job {
    const scree_particles *particles;
    const double *reach;     /* [particles], m; pairs */
    const scree_place *seen; /* [particles], of the search for pairs; walls */
    /* grid */
    double inv_cell;         /* 1/m */
    uint32_t mask;           /* buckets − 1 */
    const uint32_t *buckets; /* [buckets + 1]: first entry of each */
    const entry *entries;    /* [particles], by bucket, then by particle */
    /* walls */
    const scree_placed *shapes;
    const scree_rigid *bodies;
    uint32_t shape_count;
    const scree_bounds *bounds;              /* [shape_count], with the way of a frame around them */
    const scree_contact_list *walls, *loads; /* as of now */
    double frame;                            /* s */
    /* output: range k writes counts[k] candidates from items[starts[k]] on; a count beyond its room: no space */
    const size_t *starts; /* [ranges + 1] */
    scree_candidate *items;
    uint32_t *counts;
} job;

static int32_t cell_of(double x, double inv_cell)
{
    const double most = 1 << 20; /* 21 bits a coordinate; what is farther away shares the outermost cells */
    double c = floor(x * inv_cell);
    return (int32_t)(c < -most ? -most : c > most - 1.0 ? most - 1.0 : c);
}

static uint64_t pack(int32_t x, int32_t y, int32_t z)
{
    const int32_t half = 1 << 20;
    return (uint64_t)(x + half) << 42 | (uint64_t)(y + half) << 21 | (uint64_t)(z + half);
}

static uint32_t bucket_of(uint64_t cell, uint32_t mask)
{
    uint64_t h = cell * 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(h >> 32) & mask;
}

static void emit(const job *todo, uint32_t range, uint32_t *count, uint32_t a, uint32_t b)
{
    size_t at = todo->starts[range] + *count;
    if (at < todo->starts[range + 1])
        todo->items[at] = (scree_candidate){.a = a, .b = b};
    ++*count;
}

/* Particle i finds j when it has the larger reach, or the lower index of two that reach as far, and their reaches meet.
 */
static inline void look_at(const job *todo, uint32_t range, uint32_t *count, uint32_t i, uint32_t j)
{
    const scree_place *place = todo->particles->place;
    double reach = todo->reach[i];
    if (todo->reach[j] > reach || (todo->reach[j] == reach && j <= i) || j == i)
        return;
    vec3 gap = sub(place[j].x, place[i].x);
    double both = reach + todo->reach[j];
    if (dot(gap, gap) < both * both)
        emit(todo, range, count, i < j ? i : j, i < j ? j : i);
}

static void look_in_cell(const job *todo, uint32_t range, uint32_t *count, uint32_t i, uint64_t cell)
{
    uint32_t bucket = bucket_of(cell, todo->mask);
    for (uint32_t k = todo->buckets[bucket]; k < todo->buckets[bucket + 1]; k++)
        if (todo->entries[k].cell == cell)
            look_at(todo, range, count, i, todo->entries[k].particle);
}

static int32_t cells_between(double from, double to, double inv_cell)
{
    return cell_of(to, inv_cell) - cell_of(from, inv_cell) + 1;
}

/* A grain that is so fast or so large that it would look into more cells than there are grains looks at the grains. */
static void look_at_all(const job *todo, uint32_t range, uint32_t *count, uint32_t i)
{
    for (uint32_t j = 0; j < todo->particles->count; j++)
        look_at(todo, range, count, i, j);
}

static void find_pairs(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        vec3 x = todo->particles->place[i].x;
        double look = 2.0 * todo->reach[i], s = todo->inv_cell;
        double cells = (double)cells_between(x.x - look, x.x + look, s) * cells_between(x.y - look, x.y + look, s) *
                       cells_between(x.z - look, x.z + look, s);
        if (cells > 64.0 && cells > todo->particles->count) {
            look_at_all(todo, range, &count, i);
            continue;
        }
        int32_t x1 = cell_of(x.x + look, s), y1 = cell_of(x.y + look, s), z1 = cell_of(x.z + look, s);
        for (int32_t cx = cell_of(x.x - look, s); cx <= x1; cx++)
            for (int32_t cy = cell_of(x.y - look, s); cy <= y1; cy++)
                for (int32_t cz = cell_of(x.z - look, s); cz <= z1; cz++)
                    look_in_cell(todo, range, &count, i, pack(cx, cy, cz));
    }
    todo->counts[range] = count;
}

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
    return is_closed(todo->walls, i, shape) || is_closed(todo->loads, i, shape);
}

static void find_walls(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        const scree_place *place = &todo->particles->place[i];
        /* a grain that has gone from where it was seen may come back and go as far on the other side */
        double reach = place->r + todo->seen[i].r + length(sub(place->x, todo->seen[i].x));
        for (uint32_t k = 0; k < todo->shape_count; k++) {
            const scree_placed *shape = &todo->shapes[k];
            if (is_beyond(&todo->bounds[k], place->x, reach) && !stays(todo, i, k))
                continue;
            double moved = todo->frame * scree_shape_speed(shape, &todo->bodies[shape->body], place->x);
            if (!scree_shape_within(shape, place->x, reach + moved) && !stays(todo, i, k))
                continue;
            for (uint32_t slot = 0; slot < scree_narrow_slots(shape); slot++)
                emit(todo, range, &count, i, k * SCREE_SLOTS + slot);
        }
    }
    todo->counts[range] = count;
}

/* Room for every range: what it has from before, or `usual` candidates a particle. */
static bool plan_rooms(scree_rooms *rooms, const scree_memory *memory, uint32_t ranges, uint32_t usual)
{
    void *items = rooms->items;
    bool room = scree_reserve(memory, &items, &rooms->capacity, rooms->count, ranges, sizeof *rooms->items);
    rooms->items = items;
    for (size_t k = rooms->count; room && k < ranges; k++)
        rooms->items[k] = GRAIN * usual;
    if (room)
        rooms->count = ranges;
    return room;
}

/* A quarter more than was found, so that the next searches fit; what is not half used is given back. True: it fitted.
 */
static bool fit_room(uint32_t *room, uint32_t count)
{
    bool fits = count <= *room;
    if (!fits || count < *room / 2)
        *room = count + count / 4 + GRAIN;
    return fits;
}

/* Runs the search until all that is found has room, and closes the gaps between the ranges. */
static bool collect(job *todo, scree_arena *arena, scree_pool *pool, scree_loop *loop, const scree_memory *memory,
                    scree_rooms *rooms, uint32_t usual, scree_found *found)
{
    uint32_t ranges = scree_pool_ranges(todo->particles->count, GRAIN);
    size_t *starts = scree_arena_get(arena, (size_t)ranges + 1, sizeof *starts);
    todo->counts = scree_arena_get(arena, ranges, sizeof *todo->counts);
    if (!starts || !todo->counts || !plan_rooms(rooms, memory, ranges, usual))
        return false;
    todo->starts = starts;
    for (bool fits = false; !fits;) {
        starts[0] = 0;
        for (uint32_t k = 0; k < ranges; k++)
            starts[k + 1] = starts[k] + rooms->items[k];
        todo->items = scree_arena_get(arena, starts[ranges], sizeof *todo->items);
        if (!todo->items)
            return false;
        scree_pool_run(pool, todo->particles->count, GRAIN, loop, todo);
        fits = true;
        for (uint32_t k = 0; k < ranges; k++)
            fits = fit_room(&rooms->items[k], todo->counts[k]) && fits;
    }
    found->items = todo->items;
    found->count = 0;
    for (uint32_t k = 0; k < ranges; k++) {
        memmove(found->items + found->count, todo->items + starts[k], todo->counts[k] * sizeof *found->items);
        found->count += todo->counts[k];
    }
    return true;
}

void scree_search_free(scree_search *search, const scree_memory *memory)
{
    scree_release(memory, search->seen);
    scree_release(memory, search->found.starts);
    scree_release(memory, search->found.others);
    scree_release(memory, search->pair_rooms.items);
    scree_release(memory, search->wall_rooms.items);
    *search = (scree_search){0};
}

double *scree_search_margins(scree_arena *arena, const scree_particles *particles, double frame, double slack)
{
    double *margins = scree_arena_get(arena, particles->count, sizeof *margins);
    for (uint32_t i = 0; margins && i < particles->count; i++) {
        double way = frame * length(particles->twist[i].v);
        /* what moves may fall faster within the frame; what rests seldom does, and the skin lasts for a while */
        margins[i] = SKIN * particles->place[i].r + way + fmin(slack, way);
    }
    return margins;
}

static double *measure_reach(scree_arena *arena, const scree_particles *particles, const double *margins)
{
    double *reach = scree_arena_get(arena, particles->count, sizeof *reach);
    for (uint32_t i = 0; reach && i < particles->count; i++)
        reach[i] = (1.0 + WIDE) * particles->place[i].r + 2.0 * margins[i];
    return reach;
}

static bool remember(scree_search *search, const scree_memory *memory, const scree_particles *particles,
                     const double *reach)
{
    void *seen = search->seen;
    bool room = scree_reserve(memory, &seen, &search->capacity, 0, particles->count, sizeof *search->seen);
    search->seen = seen;
    for (uint32_t i = 0; room && i < particles->count; i++)
        search->seen[i] = (scree_place){.x = particles->place[i].x, .r = reach[i] - particles->place[i].r};
    return room;
}

bool scree_search_covers(const scree_search *search, const scree_particles *particles, const double *margins)
{
    if (!search->valid)
        return false;
    for (uint32_t i = 0; i < particles->count; i++) {
        vec3 gone = sub(particles->place[i].x, search->seen[i].x);
        double left = search->seen[i].r - margins[i];
        if (!(left >= 0.0 && dot(gone, gone) <= left * left))
            return false;
    }
    return true;
}

/* Sorts what was found by a, then by b. */
static bool keep(scree_neighbours *to, const scree_memory *memory, uint32_t particles, const scree_found *found)
{
    void *starts = to->starts, *others = to->others;
    bool room = scree_reserve(memory, &starts, &to->starts_capacity, 0, (size_t)particles + 2, sizeof *to->starts);
    room = scree_reserve(memory, &others, &to->others_capacity, 0, found->count, sizeof *to->others) && room;
    to->starts = starts;
    to->others = others;
    if (!room)
        return false;
    uint32_t *next = to->starts + 1; /* counting sort, as in scree_contact_list_renew */
    memset(to->starts, 0, ((size_t)particles + 2) * sizeof *to->starts);
    for (size_t i = 0; i < found->count; i++)
        next[found->items[i].a + 1]++;
    for (uint32_t a = 0; a < particles; a++)
        next[a + 1] += next[a];
    for (size_t i = 0; i < found->count; i++)
        to->others[next[found->items[i].a]++] = found->items[i].b;
    for (uint32_t a = 0; a < particles; a++)
        for (uint32_t i = to->starts[a] + 1; i < to->starts[a + 1]; i++) {
            uint32_t b = to->others[i], k = i;
            for (; k > to->starts[a] && to->others[k - 1] > b; k--)
                to->others[k] = to->others[k - 1];
            to->others[k] = b;
        }
    return true;
}

/* Sorts the particles into the buckets of the hash table. */
static bool build_grid(job *todo, scree_arena *arena)
{
    const scree_particles *particles = todo->particles;
    uint32_t n = particles->count, size = 64;
    while (size < n && size < UINT32_C(1) << 30)
        size *= 2;
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += fmin(todo->reach[i], 3.0 * particles->place[i].r); /* a few that fly set no measure */
    todo->inv_cell = n / (CELL * sum);
    todo->mask = size - 1;
    uint64_t *cells = scree_arena_get(arena, n, sizeof *cells);
    uint32_t *buckets = scree_arena_get(arena, (size_t)size + 2, sizeof *buckets);
    entry *entries = scree_arena_get(arena, n, sizeof *entries);
    if (!cells || !buckets || !entries)
        return false;
    memset(buckets, 0, ((size_t)size + 2) * sizeof *buckets);
    uint32_t *next = buckets + 1; /* counting sort, as in scree_contact_list_renew */
    for (uint32_t i = 0; i < n; i++) {
        vec3 x = particles->place[i].x;
        cells[i] = pack(cell_of(x.x, todo->inv_cell), cell_of(x.y, todo->inv_cell), cell_of(x.z, todo->inv_cell));
        next[bucket_of(cells[i], todo->mask) + 1]++;
    }
    for (uint32_t k = 0; k < size; k++)
        next[k + 1] += next[k];
    for (uint32_t i = 0; i < n; i++)
        entries[next[bucket_of(cells[i], todo->mask)]++] = (entry){.cell = cells[i], .particle = i};
    todo->buckets = buckets;
    todo->entries = entries;
    return true;
}

bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const double *margins)
{
    scree_found found = {0};
    search->valid = false;
    if (particles->count == 0)
        return search->valid = keep(&search->found, memory, 0, &found);
    job todo = {.particles = particles, .reach = measure_reach(arena, particles, margins)};
    search->valid = todo.reach && build_grid(&todo, arena) &&
                    collect(&todo, arena, pool, find_pairs, memory, &search->pair_rooms, PAIR_ROOM, &found) &&
                    keep(&search->found, memory, particles->count, &found) &&
                    remember(search, memory, particles, todo.reach);
    return search->valid;
}

/* Around each shape and the way that it may go in a frame. */
static scree_bounds *measure_bounds(const job *todo, scree_arena *arena)
{
    scree_bounds *bounds = scree_arena_get(arena, todo->shape_count, sizeof *bounds);
    for (uint32_t k = 0; bounds && k < todo->shape_count; k++) {
        const scree_placed *shape = &todo->shapes[k];
        bounds[k] = scree_shape_bounds(shape);
        if (isinf(bounds[k].high.x))
            continue;
        double way = todo->frame * scree_shape_speed(shape, &todo->bodies[shape->body], shape->x);
        bounds[k].low = sub(bounds[k].low, (vec3){way, way, way});
        bounds[k].high = add(bounds[k].high, (vec3){way, way, way});
    }
    return bounds;
}

bool scree_search_walls(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_place *seen, const scree_placed *shapes,
                        uint32_t shape_count, const scree_rigid *bodies, const scree_contact_list *walls,
                        const scree_contact_list *loads, double frame, scree_found *found)
{
    *found = (scree_found){0};
    if (particles->count == 0 || shape_count == 0)
        return true;
    job todo = {.particles = particles,
                .seen = seen,
                .shapes = shapes,
                .shape_count = shape_count,
                .bodies = bodies,
                .walls = walls,
                .loads = loads,
                .frame = frame};
    todo.bounds = measure_bounds(&todo, arena);
    return todo.bounds && collect(&todo, arena, pool, find_walls, memory, &search->wall_rooms, WALL_ROOM, found);
}
