/*
 * Broad phase: a uniform grid over the region where the grains are. What is far outside shares the outermost cells, so
 * that a grain that flies away costs next to nothing.
 *
 * Two particles that reach half a cell at most are found from the one that comes first in the order of the cells, which
 * looks at half of those around it. Any other pair is found by the particle with the larger reach R_i, which looks
 * within 2 R_i; ties go to the lower index. So the cells may be as small as the common grains and a large or fast grain
 * looks at more of them: cost stays proportional to the number of grains for any mix of sizes, without a second grid.
 *
 * Each range of particles writes to its own stretch of one array, as long as the last searches needed it there; when
 * one is too short, the search is repeated. So a boulder that touches a thousand grains takes room in its own range
 * only. The order of what is found depends on the particles alone, not on the threads.
 */
#include "collide/search.h"

#include <string.h>

enum { GRAIN = 256, PAIR_ROOM = 12 };

enum { CELLS = 4 };               /* per grain, at most */
static const double SPREAD = 4.0; /* standard deviations that the grid reaches beyond the mean */
static const double CELL = 2.3;   /* cell edge over mean reach */
static const double SKIN = 0.05;  /* of the radius: what a margin has for every grain, and again for one that moves */
static const double LIVELY = 8.0; /* ways of a frame that are a skin: what goes faster moves */
static const double TURN = 1.0;   /* of the way of a frame: what it has beyond for one that moves */

/* A particle as it stands in its cell. */
typedef struct entry {
    vec3 x;       /* m */
    double reach; /* m */
    uint32_t particle;
} entry;

/* Cells in rows along x: the grains of neighbouring cells of a row lie one after the other. */
typedef struct grid {
    vec3 low;        /* m, corner of the first cell */
    double inv_cell; /* 1/m */
    double half;     /* m, a hair less than half a cell: particles that reach no farther meet in neighbouring cells */
    int32_t size[3]; /* cells */
    uint32_t *cells; /* [size + 1]: first entry of each */
    entry *entries;  /* [particles], by cell, then by particle */
    uint32_t *where; /* [particles], the cell of each, then its entry */
} grid;

typedef struct job {
    const scree_particles *particles;
    const scree_place *balls; /* [particles], around all that each may reach */
    grid grid;
    /* output: range k writes counts[k] candidates from items[starts[k]] on; a count beyond its room: no space */
    const size_t *starts; /* [ranges + 1] */
    scree_candidate *items;
    uint32_t *counts;
} job;

/* Without the care that fmin and fmax take of NaN, which costs a call. */
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

static int32_t cell_of(double x, double low, double inv_cell, int32_t size)
{
    double c = (x - low) * inv_cell;
    return c < 0.0 ? 0 : c < size ? (int32_t)c : size - 1;
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
static void look_along(const job *todo, uint32_t range, uint32_t *count, uint32_t i, const entry *from,
                       const entry *end)
{
    vec3 x = todo->balls[i].x;
    double reach = todo->balls[i].r;
    for (; from < end; from++) {
        vec3 gap = sub(from->x, x);
        double both = reach + from->reach;
        uint32_t j = from->particle;
        if (dot(gap, gap) < both * both && (from->reach < reach || (from->reach == reach && j > i)))
            emit(todo, range, count, i < j ? i : j, i < j ? j : i);
    }
}

/* A particle that reaches farther than half a cell looks all around. */
static void look_far(const job *todo, uint32_t range, uint32_t *count, uint32_t i)
{
    const grid *grid = &todo->grid;
    const int32_t *size = grid->size;
    double s = grid->inv_cell, look = 2.0 * todo->balls[i].r;
    vec3 x = todo->balls[i].x;
    int32_t x0 = cell_of(x.x - look, grid->low.x, s, size[0]), x1 = cell_of(x.x + look, grid->low.x, s, size[0]);
    int32_t y0 = cell_of(x.y - look, grid->low.y, s, size[1]), y1 = cell_of(x.y + look, grid->low.y, s, size[1]);
    int32_t z0 = cell_of(x.z - look, grid->low.z, s, size[2]), z1 = cell_of(x.z + look, grid->low.z, s, size[2]);
    for (int32_t z = z0; z <= z1; z++)
        for (int32_t y = y0; y <= y1; y++) {
            size_t row = ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0];
            look_along(todo, range, count, i, grid->entries + grid->cells[row + (size_t)x0],
                       grid->entries + grid->cells[row + (size_t)x1 + 1]);
        }
}

/* Of two that reach half a cell at most, the one that comes first finds the other. */
static inline void look_ahead(const job *todo, uint32_t range, uint32_t *count, const entry *me, const entry *from,
                              const entry *end)
{
    const double half = todo->grid.half, reach = me->reach;
    const vec3 x = me->x;
    const uint32_t i = me->particle;
    for (; from < end; from++) {
        vec3 gap = sub(from->x, x);
        double both = reach + from->reach;
        uint32_t j = from->particle;
        if (dot(gap, gap) < both * both && from->reach <= half)
            emit(todo, range, count, i < j ? i : j, i < j ? j : i);
    }
}

/* Its own cell, and 13 of the 26 around it: the rest of its row, the row behind and the three above. */
static void look_near(const job *todo, uint32_t range, uint32_t *count, uint32_t i)
{
    const grid *grid = &todo->grid;
    const int32_t *size = grid->size;
    const entry *me = &grid->entries[grid->where[i]];
    int32_t x = cell_of(me->x.x, grid->low.x, grid->inv_cell, size[0]);
    int32_t y = cell_of(me->x.y, grid->low.y, grid->inv_cell, size[1]);
    int32_t z = cell_of(me->x.z, grid->low.z, grid->inv_cell, size[2]);
    int32_t x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < size[0] ? x + 1 : x;
    size_t row = ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0];
    look_ahead(todo, range, count, me, me + 1, grid->entries + grid->cells[row + (size_t)x1 + 1]);
    for (int32_t k = 0; k < 4; k++) {
        int32_t to_y = k == 0 ? y + 1 : y + k - 2, to_z = k == 0 ? z : z + 1;
        if (to_y < 0 || to_y >= size[1] || to_z >= size[2])
            continue;
        row = ((size_t)to_z * (size_t)size[1] + (size_t)to_y) * (size_t)size[0];
        look_ahead(todo, range, count, me, grid->entries + grid->cells[row + (size_t)x0],
                   grid->entries + grid->cells[row + (size_t)x1 + 1]);
    }
}

static void find_pairs(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++)
        if (todo->balls[i].r <= todo->grid.half)
            look_near(todo, range, &count, i);
        else
            look_far(todo, range, &count, i);
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
    scree_arena then = *arena;
    for (bool fits = false; !fits;) {
        scree_arena_rewind(arena, &then);
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
    *search = (scree_search){0};
}

double scree_search_margin(const scree_particles *particles, uint32_t i, vec3 stream, double frame, double slack)
{
    double way = frame * length(sub(particles->twist[i].v, stream)), skin = SKIN * particles->place[i].r;
    /* what moves may turn, and fall faster within the frame; what rests seldom does, and half the skin lasts for long
     */
    return skin + least(skin, LIVELY * way) + TURN * way + least(slack, way);
}

/* Around all that a grain may reach on its course, beyond its margin. */
static scree_place surround(const scree_particles *particles, const scree_outlook *outlook, uint32_t i)
{
    scree_place ball = {.x = particles->place[i].x, .r = particles->place[i].r + outlook->margins[i]};
    if (outlook->horizon > 0.0) {
        vec3 half = scale(0.5 * outlook->horizon, sub(particles->twist[i].v, outlook->stream));
        ball.x = add(ball.x, half);
        ball.r += (1.0 + 1e-6) * length(half); /* courses are rounded */
    }
    return ball;
}

bool scree_search_covers(const scree_search *search, const scree_particles *particles, const scree_outlook *outlook)
{
    if (!search->valid)
        return false;
    for (uint32_t i = 0; i < particles->count; i++) {
        scree_place ball = surround(particles, outlook, i);
        vec3 gone = sub(sub(ball.x, search->seen[i].x), search->drift);
        double left = search->seen[i].r - ball.r;
        if (!(left >= 0.0 && dot(gone, gone) <= left * left))
            return false;
    }
    return true;
}

typedef struct viewer {
    const scree_particles *particles;
    const scree_outlook *outlook;
    scree_place *balls;
} viewer;

static void view(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const viewer *todo = context;
    for (uint32_t i = begin; i < end; i++)
        todo->balls[i] = surround(todo->particles, todo->outlook, i);
}

static bool look(scree_search *search, const scree_memory *memory, scree_pool *pool, const scree_particles *particles,
                 const scree_outlook *outlook)
{
    void *seen = search->seen;
    bool room = scree_replace(memory, &seen, &search->capacity, particles->count, sizeof *search->seen);
    viewer todo = {particles, outlook, seen};
    search->seen = seen;
    search->drift = (vec3){0.0, 0.0, 0.0};
    if (room)
        scree_pool_run(pool, particles->count, GRAIN, view, &todo);
    return room;
}

static void sort_others(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const scree_neighbours *to = context;
    for (uint32_t a = begin; a < end; a++)
        for (uint32_t i = to->starts[a] + 1; i < to->starts[a + 1]; i++) {
            uint32_t b = to->others[i], k = i;
            for (; k > to->starts[a] && to->others[k - 1] > b; k--)
                to->others[k] = to->others[k - 1];
            to->others[k] = b;
        }
}

/* Sorts what was found by a, then by b. */
static bool keep(scree_neighbours *to, const scree_memory *memory, scree_pool *pool, uint32_t particles,
                 const scree_found *found)
{
    void *starts = to->starts, *others = to->others;
    bool room = scree_replace(memory, &starts, &to->starts_capacity, (size_t)particles + 2, sizeof *to->starts);
    room = scree_replace(memory, &others, &to->others_capacity, found->count, sizeof *to->others) && room;
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
    scree_pool_run(pool, particles, GRAIN, sort_others, to);
    return true;
}

/* The region: all grains, or, where a few are far away, what lies within SPREAD deviations of the mean. */
static void bound(const scree_particles *particles, vec3 *low, vec3 *high)
{
    uint32_t n = particles->count;
    vec3 first = particles->place[0].x, sum = {0.0, 0.0, 0.0}, squares = sum;
    *low = *high = first;
    for (uint32_t i = 0; i < n; i++) {
        vec3 x = particles->place[i].x, d = sub(x, first);
        sum = add(sum, d);
        squares = add(squares, (vec3){d.x * d.x, d.y * d.y, d.z * d.z});
        *low = (vec3){least(low->x, x.x), least(low->y, x.y), least(low->z, x.z)};
        *high = (vec3){most_of(high->x, x.x), most_of(high->y, x.y), most_of(high->z, x.z)};
    }
    vec3 mean = scale(1.0 / n, sum), at = add(first, mean);
    vec3 far = {SPREAD * sqrt(most_of(squares.x / n - mean.x * mean.x, 0.0)),
                SPREAD * sqrt(most_of(squares.y / n - mean.y * mean.y, 0.0)),
                SPREAD * sqrt(most_of(squares.z / n - mean.z * mean.z, 0.0))};
    *low = (vec3){most_of(low->x, at.x - far.x), most_of(low->y, at.y - far.y), most_of(low->z, at.z - far.z)};
    *high = (vec3){least(high->x, at.x + far.x), least(high->y, at.y + far.y), least(high->z, at.z + far.z)};
}

static double cells_along(double low, double high, double inv_cell)
{
    return most_of(floor((high - low) * inv_cell), 0.0) + 1.0;
}

/* Cells of CELL mean reaches, larger where there would be too many. */
static size_t size_grid(job *todo)
{
    const scree_particles *particles = todo->particles;
    grid *grid = &todo->grid;
    uint32_t n = particles->count;
    double sum = 0.0, most = (double)CELLS * n + 64.0;
    vec3 high;
    for (uint32_t i = 0; i < n; i++)
        sum += least(todo->balls[i].r, 3.0 * particles->place[i].r); /* a few that fly set no measure */
    grid->inv_cell = n / (CELL * sum);
    bound(particles, &grid->low, &high);
    grid->size[0] = grid->size[1] = grid->size[2] = 1;
    for (; grid->inv_cell > 0.0; grid->inv_cell *= 0.8) {
        double x = cells_along(grid->low.x, high.x, grid->inv_cell),
               y = cells_along(grid->low.y, high.y, grid->inv_cell),
               z = cells_along(grid->low.z, high.z, grid->inv_cell);
        if (!(x * y * z <= most))
            continue;
        grid->size[0] = (int32_t)x;
        grid->size[1] = (int32_t)y;
        grid->size[2] = (int32_t)z;
        return (size_t)(x * y * z);
    }
    return 1;
}

static void find_cells(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const grid *grid = &todo->grid;
    for (uint32_t i = begin; i < end; i++) {
        vec3 x = todo->balls[i].x;
        size_t z = (size_t)cell_of(x.z, grid->low.z, grid->inv_cell, grid->size[2]);
        size_t y = (size_t)cell_of(x.y, grid->low.y, grid->inv_cell, grid->size[1]);
        grid->where[i] = (uint32_t)((z * (size_t)grid->size[1] + y) * (size_t)grid->size[0] +
                                    (size_t)cell_of(x.x, grid->low.x, grid->inv_cell, grid->size[0]));
    }
}

/* Sorts the particles into the cells. */
static bool build_grid(job *todo, scree_arena *arena, scree_pool *pool)
{
    const scree_particles *particles = todo->particles;
    grid *grid = &todo->grid;
    uint32_t n = particles->count;
    size_t size = size_grid(todo);
    grid->where = scree_arena_get(arena, n, sizeof *grid->where);
    grid->cells = scree_arena_get(arena, size + 2, sizeof *grid->cells);
    grid->entries = scree_arena_get(arena, n, sizeof *grid->entries);
    if (!grid->where || !grid->cells || !grid->entries)
        return false;
    memset(grid->cells, 0, (size + 2) * sizeof *grid->cells);
    scree_pool_run(pool, n, GRAIN, find_cells, todo);
    uint32_t *next = grid->cells + 1; /* counting sort, as in scree_contact_list_renew */
    for (uint32_t i = 0; i < n; i++)
        next[grid->where[i] + 1]++;
    for (size_t k = 0; k < size; k++)
        next[k + 1] += next[k];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = next[grid->where[i]]++;
        grid->entries[k] = (entry){todo->balls[i].x, todo->balls[i].r, i};
        grid->where[i] = k;
    }
    grid->half = 0.4999 / grid->inv_cell;
    return true;
}

bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_outlook *outlook)
{
    scree_found found = {0};
    search->valid = false;
    if (particles->count == 0)
        return search->valid = keep(&search->found, memory, pool, 0, &found);
    if (!look(search, memory, pool, particles, outlook))
        return false;
    job todo = {.particles = particles, .balls = search->seen};
    search->valid = build_grid(&todo, arena, pool) &&
                    collect(&todo, arena, pool, find_pairs, memory, &search->pair_rooms, PAIR_ROOM, &found) &&
                    keep(&search->found, memory, pool, particles->count, &found);
    return search->valid;
}
