#include "collide/current.h"

#include <string.h>

enum { GROUP = 32, RANGE = 32 * GROUP }; /* grains with consecutive indices that count as one; that a thread takes */
enum { CALM = 8, LIMIT = 12 };           /* passes that smooth, that make less steep */
static const double CROWD = 16.0;        /* grains per cell, at least, were they spread evenly */
static const double FEW = 4.0;           /* grains: a cell with so many is half its neighbours' mean */

typedef struct group {
    vec3 x, v; /* sums */
    double count;
} group;

typedef struct job {
    const scree_particles *particles;
    vec3 stream;
    group *groups;
} job;

static void sum_up(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    for (uint32_t first = begin; first < end; first += GROUP) {
        uint32_t last = end - first < GROUP ? end : first + GROUP;
        group sum = {.count = last - first};
        for (uint32_t i = first; i < last; i++) {
            sum.x = add(sum.x, todo->particles->place[i].x);
            sum.v = add(sum.v, sub(todo->particles->twist[i].v, todo->stream));
        }
        todo->groups[first / GROUP] = sum;
    }
}

/* Cells from low on, larger where there would be more than the grains can fill. Returns their number. */
static size_t size_cells(scree_current *current, vec3 low, vec3 high, double edge, uint32_t grains)
{
    double most = grains / CROWD + 8.0, across[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    *current = (scree_current){.low = low, .size = {1, 1, 1}};
    for (double inverse = 1.0 / edge; inverse > 0.0 && isfinite(inverse); inverse *= 0.8) {
        double count = 1.0, size[3];
        for (int c = 0; c < 3; c++)
            count *= size[c] = floor(across[c] * inverse) + 1.0;
        if (!(count <= most))
            continue;
        current->inv_cell = inverse;
        for (int c = 0; c < 3; c++)
            current->size[c] = (int32_t)size[c];
        return (size_t)count;
    }
    return 1;
}

/* Cells and a part of one, from the centre of the first, within the centres. */
static double along(double x, double low, double inv_cell, int32_t size)
{
    double at = (x - low) * inv_cell - 0.5;
    return at > 0.0 ? at < size - 1 ? at : size - 1 : 0.0;
}

static size_t cell_of(const scree_current *current, vec3 x)
{
    size_t i = (size_t)(along(x.x, current->low.x, current->inv_cell, current->size[0]) + 0.5);
    size_t j = (size_t)(along(x.y, current->low.y, current->inv_cell, current->size[1]) + 0.5);
    size_t k = (size_t)(along(x.z, current->low.z, current->inv_cell, current->size[2]) + 0.5);
    return (k * (size_t)current->size[1] + j) * (size_t)current->size[0] + i;
}

/* Sums of the grains' velocities in each cell, and their numbers. */
static void gather(const scree_current *current, const job *todo, group *cells)
{
    uint32_t groups = (todo->particles->count + GROUP - 1) / GROUP;
    for (uint32_t g = 0; g < groups; g++) {
        const group *from = &todo->groups[g];
        group *to = &cells[cell_of(current, scale(1.0 / from->count, from->x))];
        to->v = add(to->v, from->v);
        to->count += from->count;
    }
}

/* Runs over the neighbours of cell c along the axes. */
typedef struct around {
    size_t steps[3];
    int32_t at[3];
} around;

static around look_around(const scree_current *current, size_t c)
{
    size_t nx = (size_t)current->size[0], ny = (size_t)current->size[1];
    return (around){{1, nx, nx * ny}, {(int32_t)(c % nx), (int32_t)(c / nx % ny), (int32_t)(c / (nx * ny))}};
}

/* Each is the mean of its grains and some of its neighbours': so those without grains have a velocity, too. */
static void calm(const scree_current *current, const group *cells, size_t count)
{
    for (int pass = 0; pass < CALM; pass++)
        for (size_t c = 0; c < count; c++) {
            around a = look_around(current, c);
            vec3 sum = {0.0, 0.0, 0.0};
            double n = 0.0;
            for (int k = 0; k < 3; k++) {
                if (a.at[k] > 0) {
                    sum = add(sum, current->v[c - a.steps[k]]);
                    n += 1.0;
                }
                if (a.at[k] + 1 < current->size[k]) {
                    sum = add(sum, current->v[c + a.steps[k]]);
                    n += 1.0;
                }
            }
            double share = n > 0.0 ? FEW / n : 0.0;
            current->v[c] = scale(1.0 / (cells[c].count + FEW), mul_add(cells[c].v, share, sum));
        }
}

/* Brings neighbours that differ by more than `most` nearer. Returns, for the axes together, how much they differ. */
static double limit(const scree_current *current, size_t count, double most)
{
    double squares[3] = {0.0, 0.0, 0.0};
    for (int pass = 0; pass <= LIMIT; pass++)
        for (size_t c = 0; c < count; c++) {
            around a = look_around(current, c);
            for (int k = 0; k < 3; k++) {
                if (a.at[k] + 1 >= current->size[k])
                    continue;
                vec3 *v = &current->v[c], *w = &current->v[c + a.steps[k]], by = sub(*w, *v);
                double square = dot(by, by);
                if (pass == LIMIT) { /* they stay now */
                    squares[k] = square > squares[k] ? square : squares[k];
                } else if (square > most * most) {
                    double part = 0.5 * (1.0 - most / sqrt(square));
                    *v = mul_add(*v, part, by);
                    *w = mul_add(*w, -part, by);
                }
            }
        }
    return sqrt(squares[0] + squares[1] + squares[2]);
}

bool scree_current_measure(scree_current *current, scree_arena *arena, scree_pool *pool,
                           const scree_particles *particles, vec3 low, vec3 high, double edge, vec3 stream,
                           double steepest)
{
    size_t count = size_cells(current, low, high, edge, particles->count);
    job todo = {particles, stream, scree_arena_get(arena, (particles->count + GROUP - 1) / GROUP, sizeof(group))};
    group *cells = scree_arena_get(arena, count, sizeof *cells);
    current->v = scree_arena_get(arena, count, sizeof *current->v);
    if (!todo.groups || !cells || !current->v)
        return false;
    memset(cells, 0, count * sizeof *cells);
    memset(current->v, 0, count * sizeof *current->v);
    scree_pool_run(pool, particles->count, RANGE, sum_up, &todo);
    gather(current, &todo, cells);
    calm(current, cells, count);
    /* between the centres it changes along each axis as some mean of the differences there */
    current->steep = current->inv_cell * limit(current, count, steepest / (sqrt(3.0) * current->inv_cell));
    if (!(current->steep <= steepest)) {
        double less = steepest / current->steep;
        for (size_t c = 0; c < count; c++)
            current->v[c] = scale(less, current->v[c]);
        current->steep = steepest;
    }
    return true;
}

vec3 scree_current_at(const scree_current *current, vec3 x)
{
    const int32_t *size = current->size;
    double u = along(x.x, current->low.x, current->inv_cell, size[0]);
    double v = along(x.y, current->low.y, current->inv_cell, size[1]);
    double w = along(x.z, current->low.z, current->inv_cell, size[2]);
    size_t i = (size_t)u, j = (size_t)v, k = (size_t)w, row = (size_t)size[0], layer = row * (size_t)size[1];
    const vec3 *at = &current->v[k * layer + j * row + i];
    size_t dx = i + 1 < row ? 1 : 0, dy = j + 1 < (size_t)size[1] ? row : 0, dz = k + 1 < (size_t)size[2] ? layer : 0;
    vec3 sum = {0.0, 0.0, 0.0};
    u -= (double)i;
    v -= (double)j;
    w -= (double)k;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++) {
            const vec3 *from = at + (z ? dz : 0) + (y ? dy : 0);
            double share = (z ? w : 1.0 - w) * (y ? v : 1.0 - v);
            sum = mul_add(mul_add(sum, share * (1.0 - u), from[0]), share * u, from[dx]);
        }
    return sum;
}
