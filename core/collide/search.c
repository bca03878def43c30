/*
 * Broad phase: a uniform grid over the region where the grains are. What is far outside shares the outermost cells, so
 * that a grain that flies away costs next to nothing.
 *
 * Two particles that reach half a cell at most are found from the one that comes first in the order of the cells, which
 * looks at half of those around it. Any other pair is found by the particle with the larger reach R_i, which looks
 * within 2 R_i; ties go to the lower index. So the cells may be as small as the common grains and a large or fast grain
 * looks at more of them: cost stays proportional to the number of grains for any mix of sizes, without a second grid.
 *
 * Each range of particles writes to its own stretch, as long as the last search needed it there; when one is too short,
 * its range looks again. So a boulder that touches a thousand grains takes room in its own range only. The order of
 * what is found depends on the particles alone, not on the threads.
 */
#include "collide/search.h"

#include "collide/current.h"

#include <string.h>

enum { GRAIN = 256, PAIR_ROOM = 12 };

enum { CELLS = 4 };               /* per grain, at most */
static const double SPREAD = 4.0; /* standard deviations that the grid reaches beyond the mean */
static const double CELL = 2.8;   /* cell edge over mean reach */
static const double SKIN = 0.05;  /* of the radius: what a margin has for every grain, and again for one that moves */
static const double LIVELY = 8.0; /* ways of a frame that are a skin: what goes faster moves */
static const double TURN = 1.0;   /* of the way of a frame: what it has beyond for one that moves */
static const double EDGE = 12.0;  /* mean reaches, of a cell of the current */
static const double STEEP = 0.15; /* of its distance, that two grains approach within half the horizon by the current */

/* A particle as it stands in its cell. Floats are rounded up where it matters. */
typedef struct entry {
    vec3 x;      /* m, halfway to the horizon */
    float reach; /* m, how far it looks */
    float near;  /* m, radius and margin */
    scree_course course;
    uint32_t particle;
} entry;

/* Four floats that are worked on at once; every processor can. */
enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t marks __attribute__((vector_size(LANES * sizeof(int32_t))));

/* Where entries are from the corner of the grid and how far they look, for a first, rough test. */
typedef struct rough {
    float *x, *y, *z, *reach; /* [particles + LANES], m */
} rough;

/* Cells in rows along x: the grains of neighbouring cells of a row lie one after the other. */
typedef struct grid {
    vec3 low;        /* m, corner of the first cell */
    double inv_cell; /* 1/m */
    double half;     /* m, a hair less than half a cell: particles that reach no farther meet in neighbouring cells */
    int32_t size[3]; /* cells */
    uint32_t *cells; /* [size + 1]: first entry of each */
    entry *entries;  /* [particles], by cell, then by particle */
    rough rough;     /* likewise */
    uint32_t *where; /* [particles], the cell of each, then its entry */
} grid;

typedef struct job {
    const scree_particles *particles;
    const scree_outlook *outlook;
    scree_current current;
    scree_place *balls; /* [particles], where each is halfway to the horizon, and how far it looks */
    grid grid;
    /* output: range k has counts[k] pairs, at stretches[k], when that is no more than rooms[k] */
    scree_candidate **stretches;
    uint32_t *rooms, *counts;
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
    if (*count < todo->rooms[range])
        todo->stretches[range][*count] = (scree_candidate){.a = a, .b = b};
    ++*count;
}

/* Whether two come near each other within the horizon; first whether their looks meet. */
static inline bool is_pair(const job *todo, const entry *a, const entry *b)
{
    vec3 gap = sub(b->x, a->x), w = sub(scree_course_of(&b->course), scree_course_of(&a->course));
    double half = 0.5 * todo->outlook->horizon, both = (double)a->reach + b->reach;
    return dot(gap, gap) < both * both && scree_comes_within(gap, w, -half, half, (double)a->near + b->near);
}

static inline lanes load(const float *from)
{
    lanes to;
    memcpy(&to, from, sizeof to);
    return to;
}

/* A bit per lane that is set. */
static inline uint32_t bits_of(marks set)
{
#ifdef __SSE__
    return (uint32_t)__builtin_ia32_movmskps((lanes)set);
#else
    return (uint32_t)((set[0] & 1) | (set[1] & 2) | (set[2] & 4) | (set[3] & 8));
#endif
}

/* An entry that looks for others. */
typedef struct looker {
    const entry *me;
    lanes x, y, z, reach;
    bool far; /* beyond half a cell */
} looker;

static looker look_from(const job *todo, uint32_t i)
{
    uint32_t at = todo->grid.where[i];
    const rough *rough = &todo->grid.rough;
    const lanes one = {1.0f, 1.0f, 1.0f, 1.0f};
    return (looker){.me = &todo->grid.entries[at],
                    .x = one * rough->x[at],
                    .y = one * rough->y[at],
                    .z = one * rough->z[at],
                    .reach = one * rough->reach[at],
                    .far = !(todo->grid.entries[at].reach <= todo->grid.half)};
}

/* Of two that reach half a cell at most, the one that comes first finds the other. Else it is the one with the larger
 * reach, or the lower index of two that reach as far. */
static inline bool is_mine(const job *todo, const looker *by, const entry *other)
{
    const entry *me = by->me;
    return by->far ? other->reach < me->reach || (other->reach == me->reach && other->particle > me->particle)
                   : other->reach <= todo->grid.half;
}

/* Looks at the entries from a place in their order to another. */
static inline void look_along(const job *todo, uint32_t range, uint32_t *count, const looker *by, uint32_t from,
                              uint32_t end)
{
    const rough *rough = &todo->grid.rough;
    const uint32_t i = by->me->particle;
    for (; from < end; from += LANES) {
        lanes x = load(rough->x + from) - by->x, y = load(rough->y + from) - by->y, z = load(rough->z + from) - by->z;
        lanes both = load(rough->reach + from) + by->reach;
        marks meet = x * x + y * y + z * z < both * both;
        uint32_t found = bits_of(meet);
        if (end - from < LANES)
            found &= (1u << (end - from)) - 1u;
        for (; found; found &= found - 1u) {
            const entry *other = &todo->grid.entries[from + (uint32_t)__builtin_ctz(found)];
            if (!is_mine(todo, by, other) || !is_pair(todo, by->me, other))
                continue;
            uint32_t j = other->particle;
            emit(todo, range, count, i < j ? i : j, i < j ? j : i);
        }
    }
}

/* A particle that reaches farther than half a cell looks all around. */
static void look_far(const job *todo, uint32_t range, uint32_t *count, const looker *by)
{
    const grid *grid = &todo->grid;
    const int32_t *size = grid->size;
    double s = grid->inv_cell, look = 2.0 * by->me->reach;
    vec3 x = by->me->x;
    int32_t x0 = cell_of(x.x - look, grid->low.x, s, size[0]), x1 = cell_of(x.x + look, grid->low.x, s, size[0]);
    int32_t y0 = cell_of(x.y - look, grid->low.y, s, size[1]), y1 = cell_of(x.y + look, grid->low.y, s, size[1]);
    int32_t z0 = cell_of(x.z - look, grid->low.z, s, size[2]), z1 = cell_of(x.z + look, grid->low.z, s, size[2]);
    for (int32_t z = z0; z <= z1; z++)
        for (int32_t y = y0; y <= y1; y++) {
            size_t row = ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0];
            look_along(todo, range, count, by, grid->cells[row + (size_t)x0], grid->cells[row + (size_t)x1 + 1]);
        }
}

/* Its own cell, and 13 of the 26 around it: the rest of its row, the row behind and the three above. */
static void look_near(const job *todo, uint32_t range, uint32_t *count, const looker *by)
{
    const grid *grid = &todo->grid;
    const int32_t *size = grid->size;
    const entry *me = by->me;
    int32_t x = cell_of(me->x.x, grid->low.x, grid->inv_cell, size[0]);
    int32_t y = cell_of(me->x.y, grid->low.y, grid->inv_cell, size[1]);
    int32_t z = cell_of(me->x.z, grid->low.z, grid->inv_cell, size[2]);
    int32_t x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < size[0] ? x + 1 : x;
    size_t row = ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0];
    look_along(todo, range, count, by, (uint32_t)(me - grid->entries) + 1, grid->cells[row + (size_t)x1 + 1]);
    for (int32_t k = 0; k < 4; k++) {
        int32_t to_y = k == 0 ? y + 1 : y + k - 2, to_z = k == 0 ? z : z + 1;
        if (to_y < 0 || to_y >= size[1] || to_z >= size[2])
            continue;
        row = ((size_t)to_z * (size_t)size[1] + (size_t)to_y) * (size_t)size[0];
        look_along(todo, range, count, by, grid->cells[row + (size_t)x0], grid->cells[row + (size_t)x1 + 1]);
    }
}

static void find_pairs(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    uint32_t count = 0;
    if (todo->counts[range] <= todo->rooms[range])
        return; /* it had room when it looked before */
    for (uint32_t i = begin; i < end; i++) {
        looker by = look_from(todo, i);
        if (by.far)
            look_far(todo, range, &count, &by);
        else
            look_near(todo, range, &count, &by);
    }
    todo->counts[range] = count;
}

/* Room for every range: what it has from before, or `usual` pairs a particle. */
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

/* Room for those ranges that have more pairs than they had room for. */
static bool give_room(job *todo, scree_arena *arena, uint32_t ranges, bool *all_had)
{
    size_t need = 0;
    for (uint32_t k = 0; k < ranges; k++)
        need += todo->counts[k] > todo->rooms[k] ? todo->counts[k] : 0;
    scree_candidate *next = need > 0 ? scree_arena_get(arena, need, sizeof *next) : NULL;
    *all_had = need == 0;
    for (uint32_t k = 0; k < ranges && next; k++)
        if (todo->counts[k] > todo->rooms[k]) {
            todo->stretches[k] = next;
            todo->rooms[k] = todo->counts[k];
            next += todo->counts[k];
            todo->counts[k] = UINT32_MAX;
        }
    return *all_had || next;
}

/* Runs the search until all that is found has room: first what each range is expected to need, a quarter more than it
 * had the last time, then what it needs. Those that come without room look twice. */
static bool collect(job *todo, scree_arena *arena, scree_pool *pool, const scree_memory *memory, scree_rooms *expected)
{
    uint32_t ranges = scree_pool_ranges(todo->particles->count, GRAIN);
    todo->stretches = scree_arena_get(arena, ranges, sizeof *todo->stretches);
    todo->rooms = scree_arena_get(arena, ranges, sizeof *todo->rooms);
    todo->counts = scree_arena_get(arena, ranges, sizeof *todo->counts);
    if (!todo->stretches || !todo->rooms || !todo->counts || !plan_rooms(expected, memory, ranges, PAIR_ROOM))
        return false;
    for (uint32_t k = 0; k < ranges; k++) {
        todo->counts[k] = expected->items[k];
        todo->rooms[k] = 0;
    }
    for (bool all_had = false; !all_had;) {
        if (!give_room(todo, arena, ranges, &all_had))
            return false;
        if (!all_had)
            scree_pool_run(pool, todo->particles->count, GRAIN, find_pairs, todo);
    }
    for (uint32_t k = 0; k < ranges; k++)
        expected->items[k] = todo->counts[k] + todo->counts[k] / 4 + GRAIN / 4;
    return true;
}

void scree_search_free(scree_search *search, const scree_memory *memory)
{
    scree_release(memory, search->rooms.items);
    scree_release(memory, search->found.starts);
    scree_release(memory, search->found.others);
    *search = (scree_search){0};
}

double scree_search_margin(double radius, double way, double slack)
{
    double skin = SKIN * radius;
    /* what moves may turn, and fall faster within the frame; what rests seldom does, and half the skin lasts for long
     */
    return skin + least(skin, LIVELY * way) + TURN * way + least(slack, way);
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

static bool reserve(scree_search *search, const scree_memory *memory, uint32_t particles, size_t pairs)
{
    void *starts = search->found.starts, *others = search->found.others;
    bool room = scree_replace(memory, &starts, &search->starts_capacity, (size_t)particles + 2, sizeof(uint32_t));
    room = scree_replace(memory, &others, &search->others_capacity, pairs, sizeof(uint32_t)) && room;
    search->found = (scree_neighbours){starts, others};
    return room;
}

/* Sorts what was found by a, then by b. */
static bool sort(scree_search *search, const scree_memory *memory, const job *todo, scree_pool *pool)
{
    uint32_t particles = todo->particles->count, ranges = scree_pool_ranges(particles, GRAIN);
    size_t count = 0;
    for (uint32_t k = 0; k < ranges; k++)
        count += todo->counts[k];
    if (count > UINT32_MAX / 2 || !reserve(search, memory, particles, count)) /* half of what an index can count */
        return false;
    const scree_neighbours *to = &search->found;
    uint32_t *next = to->starts + 1; /* counting sort, as in scree_contact_list_renew */
    memset(to->starts, 0, ((size_t)particles + 2) * sizeof *to->starts);
    for (uint32_t k = 0; k < ranges; k++)
        for (uint32_t i = 0; i < todo->counts[k]; i++)
            next[todo->stretches[k][i].a + 1]++;
    for (uint32_t a = 0; a < particles; a++)
        next[a + 1] += next[a];
    for (uint32_t k = 0; k < ranges; k++)
        for (uint32_t i = 0; i < todo->counts[k]; i++)
            to->others[next[todo->stretches[k][i].a]++] = todo->stretches[k][i].b;
    scree_pool_run(pool, particles, GRAIN, sort_others, &search->found);
    return true;
}

/* Whether a place is one: what has gone to infinity, or is no number, is for the end of the step to report. */
static bool is_somewhere(vec3 x)
{
    const double far = 1e100; /* m; squares of it are still finite */
    return fabs(x.x) < far && fabs(x.y) < far && fabs(x.z) < far;
}

/* The region: all grains, or, where a few are far away, what lies within SPREAD deviations of the mean. */
static void bound(const scree_particles *particles, vec3 *low, vec3 *high)
{
    vec3 first = {0.0, 0.0, 0.0}, sum = first, squares = first;
    double n = 0.0;
    for (uint32_t i = 0; i < particles->count; i++) {
        vec3 x = particles->place[i].x;
        if (!is_somewhere(x))
            continue;
        if (n == 0.0)
            *low = *high = first = x;
        vec3 d = sub(x, first);
        n += 1.0;
        sum = add(sum, d);
        squares = add(squares, (vec3){d.x * d.x, d.y * d.y, d.z * d.z});
        *low = (vec3){least(low->x, x.x), least(low->y, x.y), least(low->z, x.z)};
        *high = (vec3){most_of(high->x, x.x), most_of(high->y, x.y), most_of(high->z, x.z)};
    }
    if (n == 0.0) {
        *low = *high = first;
        return;
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
static size_t size_grid(job *todo, vec3 high)
{
    const scree_particles *particles = todo->particles;
    grid *grid = &todo->grid;
    uint32_t n = particles->count;
    double sum = 0.0, most = (double)CELLS * n + 64.0;
    for (uint32_t i = 0; i < n; i++)
        sum += least(todo->balls[i].r, 3.0 * particles->place[i].r); /* a few that fly set no measure */
    grid->inv_cell = n / (CELL * sum);
    grid->size[0] = grid->size[1] = grid->size[2] = 1;
    for (; grid->inv_cell > 0.0 && isfinite(grid->inv_cell); grid->inv_cell *= 0.8) {
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
    grid->inv_cell = 0.0;
    return 1;
}

static entry enter(const job *todo, uint32_t i)
{
    const scree_outlook *outlook = todo->outlook;
    entry in = {.x = todo->balls[i].x, .reach = (float)todo->balls[i].r, .particle = i};
    in.near = (float)((1.0 + 1e-7) * (todo->particles->place[i].r + outlook->margins[i]));
    in.course = scree_course_in(todo->particles, outlook, i);
    return in;
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

static void fill_cells(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const rough *rough = &todo->grid.rough;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t at = todo->grid.where[i];
        entry in = enter(todo, i);
        vec3 x = sub(in.x, todo->grid.low);
        todo->grid.entries[at] = in;
        rough->x[at] = (float)x.x;
        rough->y[at] = (float)x.y;
        rough->z[at] = (float)x.z;
        /* by more than the places are rounded */
        rough->reach[at] = (float)(1.0 + 1e-6) * (in.reach + (float)(1e-6 * (fabs(x.x) + fabs(x.y) + fabs(x.z))));
    }
}

/* Entries beyond the last are looked at with it, and never taken. */
static bool get_rough(rough *rough, scree_arena *arena, uint32_t particles)
{
    size_t n = (size_t)particles + LANES;
    float *all = scree_arena_get(arena, 4 * n, sizeof *all);
    if (!all)
        return false;
    memset(all, 0, 4 * n * sizeof *all);
    *rough = (struct rough){all, all + n, all + 2 * n, all + 3 * n};
    return true;
}

/* Sorts the particles into the cells. */
static bool build_grid(job *todo, scree_arena *arena, scree_pool *pool, vec3 high)
{
    const scree_particles *particles = todo->particles;
    grid *grid = &todo->grid;
    uint32_t n = particles->count;
    size_t size = size_grid(todo, high);
    grid->where = scree_arena_get(arena, n, sizeof *grid->where);
    grid->cells = scree_arena_get(arena, size + 2, sizeof *grid->cells);
    grid->entries = scree_arena_get(arena, n, sizeof *grid->entries);
    if (!grid->where || !grid->cells || !grid->entries || !get_rough(&grid->rough, arena, n))
        return false;
    memset(grid->cells, 0, (size + 2) * sizeof *grid->cells);
    scree_pool_run(pool, n, GRAIN, find_cells, todo);
    uint32_t *next = grid->cells + 1; /* counting sort, as in scree_contact_list_renew */
    for (uint32_t i = 0; i < n; i++)
        next[grid->where[i] + 1]++;
    for (size_t k = 0; k < size; k++)
        next[k + 1] += next[k];
    for (uint32_t i = 0; i < n; i++)
        grid->where[i] = next[grid->where[i]]++;
    scree_pool_run(pool, n, GRAIN, fill_cells, todo);
    grid->half = 0.4999 / grid->inv_cell;
    return true;
}

/*
 * Halfway to the horizon two that come near each other are apart by their radii and margins, and by what they approach
 * in half the horizon: what each deviates from the current of its place, and what that differs between the two, which
 * is a part of their distance.
 */
static void view(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const scree_outlook *outlook = todo->outlook;
    double half = 0.5 * outlook->horizon, widen = (1.0 + 1e-6) / (1.0 - half * todo->current.steep);
    for (uint32_t i = begin; i < end; i++) {
        scree_place ball = {.x = todo->particles->place[i].x, .r = todo->particles->place[i].r + outlook->margins[i]};
        if (half > 0.0) {
            scree_course course = scree_course_in(todo->particles, outlook, i);
            vec3 v = scree_course_of(&course);
            ball.x = mul_add(ball.x, half, v);
            ball.r += half * length(sub(v, scree_current_at(&todo->current, ball.x)));
        }
        todo->balls[i] = (scree_place){ball.x, widen * ball.r};
    }
}

/* How the grains from low to high move together. */
static bool measure_current(job *todo, scree_arena *arena, scree_pool *pool, vec3 low, vec3 high)
{
    const scree_particles *particles = todo->particles;
    const scree_outlook *outlook = todo->outlook;
    double sum = 0.0;
    if (!(outlook->horizon > 0.0))
        return true;
    for (uint32_t i = 0; i < particles->count; i++)
        sum += particles->place[i].r;
    return scree_current_measure(&todo->current, arena, pool, particles, low, high, EDGE * sum / particles->count,
                                 outlook->stream, 2.0 * STEEP / outlook->horizon);
}

static bool find(job *todo, scree_rooms *rooms, const scree_memory *memory, scree_arena *arena, scree_pool *pool)
{
    vec3 low, high;
    bound(todo->particles, &low, &high);
    todo->balls = scree_arena_get(arena, todo->particles->count, sizeof *todo->balls);
    if (!todo->balls || !measure_current(todo, arena, pool, low, high))
        return false;
    scree_pool_run(pool, todo->particles->count, GRAIN, view, todo);
    todo->grid.low = low;
    return build_grid(todo, arena, pool, high) && collect(todo, arena, pool, memory, rooms);
}

bool scree_search_pairs(scree_search *search, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                        const scree_particles *particles, const scree_outlook *outlook)
{
    job todo = {.particles = particles, .outlook = outlook};
    scree_arena then = *arena;
    bool found = (particles->count == 0 || find(&todo, &search->rooms, memory, arena, pool)) &&
                 sort(search, memory, &todo, pool);
    scree_arena_rewind(arena, &then);
    return found;
}
