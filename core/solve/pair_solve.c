#include "solve/pair_solve.h"

#include "solve/pair_kernels.h"

#include <string.h>

/* ---------------------------------------------------------------- kernels */

const scree_kernels *scree_kernels_get(uint32_t number)
{
#if defined(__x86_64__)
    if (number == 1 && __builtin_cpu_supports("avx2"))
        return &scree_kernels_avx2;
    if (number == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return &scree_kernels_avx512;
#endif
    return number == 0 ? &scree_kernels_plain : NULL;
}

const scree_kernels *scree_kernels_choose(void)
{
    enum { KINDS = 3 };
    const scree_kernels *best = NULL;
    for (uint32_t i = KINDS; i > 0 && !best; i--)
        best = scree_kernels_get(i - 1);
    return best;
}

const char *scree_kernels_name(const scree_kernels *kernels)
{
    return kernels->name;
}

void scree_pair_laws(scree_pair_job *job, const scree_scene *settings, scree_contact_law *laws)
{
    uint32_t n = settings->material_count;
    job->laws = laws;
    job->adhesive = job->rubs = job->rolls = job->twists = false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            scree_contact_law *law = &laws[a * n + b];
            bool known = scree_scene_find_pair(settings, a, b) != UINT32_MAX;
            *law = known ? scree_contact_law_of(settings, a, b, 1.0, 1.0) : (scree_contact_law){0};
            job->adhesive = job->adhesive || law->adhesion > 0.0;
            job->rubs = job->rubs || law->mu > 0.0;
            job->twists = job->twists || law->twist > 0.0;
            job->rolls = job->rolls || law->roll > 0.0 || law->twist > 0.0;
        }
}

/* ---------------------------------------------------------------- phases */

/* What one phase does. */
typedef struct visit {
    scree_pair_job *job;
    uint32_t first; /* range of the phase */
    scree_order order;
    uint32_t seed;  /* random order */
    uint8_t lively; /* bits that some grains have */
} visit;

/* Whether all pairs of a range do. */
static bool sleeps(const scree_pair_job *job, uint32_t range)
{
    return job->asleep && job->asleep[range];
}

/* Phases one after the other, but for the `done` first, the ranges of each in any order. */
static void run_phases(visit *todo, scree_loop *loop, uint32_t done, bool backwards)
{
    const scree_pairs *pairs = todo->job->pairs;
    for (uint32_t i = done; i < pairs->phase_count; i++) {
        uint32_t phase = backwards ? pairs->phase_count - 1 - i : i;
        todo->first = pairs->phases[phase];
        scree_pool_run(todo->job->pool, pairs->phases[phase + 1] - todo->first, 1, loop, todo);
    }
}

static void add_up(const scree_pair_job *job, scree_pair_sums *sums)
{
    for (uint32_t i = 0; i < job->pairs->range_count; i++) {
        const scree_pair_sums *part = &job->partial[i];
        sums->moved += part->moved;
        sums->held += part->held;
        sums->normal += part->normal;
        sums->friction += part->friction;
        sums->rolling += part->rolling;
        sums->change += part->change;
        sums->error += part->error;
        sums->overlap += part->overlap;
        sums->most = fmax(sums->most, part->most);
        sums->count += part->count;
        sums->impacts += part->impacts;
    }
}

static void find_impacts(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    visit *todo = context;
    const scree_pairs *pairs = todo->job->pairs;
    uint32_t at = todo->first + range;
    uint32_t first = pairs->strips[pairs->ranges[at]], last = pairs->strips[pairs->ranges[at + 1]];
    todo->job->partial[at] = (scree_pair_sums){0};
    bool tile = at < pairs->phases[1];
    uint8_t bit = tile ? SCREE_LIVELY_IN_TILE : SCREE_LIVELY;
    bool calm = !((tile ? todo->job->restless[at] : todo->lively) & bit);
    if (calm || sleeps(todo->job, at))
        memset(todo->job->hits + first, 0, last - first);
    else
        todo->job->partial[at].impacts = todo->job->kernels->find_impacts(todo->job, first, last, bit);
}

uint32_t scree_pair_find_impacts(scree_pair_job *job)
{
    visit todo = {.job = job};
    scree_pair_sums sums = {0};
    for (uint32_t t = 0; t < scree_pool_ranges(job->pairs->particles, SCREE_TILE); t++)
        todo.lively |= job->restless[t];
    scree_pool_run(job->pool, job->pairs->range_count, 1, find_impacts, &todo); /* nothing is changed: one phase */
    add_up(job, &sums);
    return sums.impacts;
}

static void warm(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    visit *todo = context;
    const scree_pairs *pairs = todo->job->pairs;
    uint32_t at = todo->first + range;
    for (uint32_t i = pairs->ranges[at]; i < pairs->ranges[at + 1] && !sleeps(todo->job, at); i++)
        todo->job->kernels->warm(todo->job, pairs->strips[i], pairs->strips[i + 1]);
}

void scree_pair_warm(scree_pair_job *job)
{
    visit todo = {.job = job};
    run_phases(&todo, warm, 0, false);
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Strips of a range in a random order without a list: first, first + step, … modulo their number, with a step that has
 * no divisor in common with it. */
static void draw_order(uint32_t seed, uint32_t range, uint32_t count, uint32_t *first, uint32_t *step)
{
    scree_random random = scree_random_seeded((uint64_t)seed << 32 | range);
    *first = scree_random_next(&random) % count;
    *step = 1 + scree_random_next(&random) % count;
    while (divisor(*step, count) != 1)
        --*step;
}

/* Asks for one of `count` parts of the grains of the next tile, while this one is solved. */
static void call_next(const scree_pair_job *job, uint32_t tile, uint32_t part, uint32_t count)
{
    uint32_t first = (tile + 1) * SCREE_TILE, n = job->pairs->particles;
    uint32_t begin = first + SCREE_TILE * part / count, end = first + SCREE_TILE * (part + 1) / count;
    for (uint32_t i = begin; i < end && i < n; i++) {
        __builtin_prefetch(&job->stand[i], 1, 2);
        __builtin_prefetch(&job->twist[i], 1, 2);
    }
}

static void sweep_range(visit *todo, uint32_t in)
{
    const scree_pairs *pairs = todo->job->pairs;
    uint32_t count = pairs->ranges[in + 1] - pairs->ranges[in], at = 0, step = 1;
    bool large = todo->job->large, tile = in < pairs->phases[1];
    todo->job->partial[in] = (scree_pair_sums){0};
    if (todo->job->before && tile) {
        uint32_t n = todo->job->pairs->particles, from = in * SCREE_TILE;
        todo->job->before(todo->job->context, in, from, n - from < SCREE_TILE ? n : from + SCREE_TILE);
    }
    if (sleeps(todo->job, in))
        return;
    if (count > 0 && todo->order == SCREE_ORDER_REVERSE)
        at = step = count - 1;
    else if (count > 0 && todo->order == SCREE_ORDER_RANDOM)
        draw_order(todo->seed, in, count, &at, &step);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *strip = &pairs->strips[pairs->ranges[in] + at];
        if (large && tile)
            call_next(todo->job, in, i, count);
        todo->job->kernels->sweep(todo->job, strip[0], strip[1], large && !tile, &todo->job->partial[in]);
        at = (at + step) % count;
    }
}

static void sweep(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    visit *todo = context;
    sweep_range(todo, todo->first + range);
}

/* The tiles of a district and the pairs across them: the first two phases at once, since no range of the second touches
 * a grain of another district. */
static void sweep_district(void *context, uint32_t district, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    visit *todo = context;
    const scree_pairs *pairs = todo->job->pairs;
    uint32_t last = scree_district_begin(pairs->particles, district + 1);
    for (uint32_t t = scree_district_begin(pairs->particles, district); t < last; t++)
        sweep_range(todo, t);
    sweep_range(todo, pairs->phases[1] + district);
}

void scree_pair_sweep(scree_pair_job *job, scree_order order, uint64_t number, scree_random *random,
                      scree_pair_sums *sums)
{
    visit todo = {.job = job, .order = order};
    bool backwards = order == SCREE_ORDER_REVERSE;
    if (order == SCREE_ORDER_RANDOM) {
        todo.seed = scree_random_next(random);
        backwards = todo.seed & 1;
    } else if (order == SCREE_ORDER_SYMMETRIC) {
        backwards = number % 2 == 1;
        todo.order = backwards ? SCREE_ORDER_REVERSE : SCREE_ORDER_INDEX;
    }
    uint32_t districts = backwards ? 0 : scree_district_count(job->pairs->particles);
    scree_pool_run(job->pool, districts, 1, sweep_district, &todo);
    run_phases(&todo, sweep, districts > 0 ? 2 : 0, backwards);
    add_up(job, sums);
}

static void measure(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    visit *todo = context;
    const scree_pairs *pairs = todo->job->pairs;
    uint32_t at = todo->first + range;
    uint32_t first = pairs->strips[pairs->ranges[at]], last = pairs->strips[pairs->ranges[at + 1]];
    todo->job->partial[at] = (scree_pair_sums){0};
    if (last > first)
        todo->job->kernels->measure(todo->job, first, last, &todo->job->partial[at]);
}

void scree_pair_measure(scree_pair_job *job, scree_pair_sums *sums)
{
    visit todo = {.job = job};
    run_phases(&todo, measure, 0, false);
    add_up(job, sums);
}

/* ---------------------------------------------------------------- one pair at a time */

bool scree_pair_touch(scree_place a, scree_place b, scree_row *row)
{
    vec3 gap = sub(b.x, a.x);
    double distance = length(gap);
    row->distance = a.r + b.r;
    row->overlap = row->distance - distance;
    row->closed = row->overlap > 0.0;
    /* centres that nearly coincide have no normal; any will part them */
    row->n = distance > 1e-3 * row->distance ? scale(1.0 / distance, gap) : (vec3){0.0, 0.0, 1.0};
    double share = fmax(distance / row->distance, 1e-3);
    row->la = share * a.r;
    row->lb = share * b.r;
    return row->closed;
}
