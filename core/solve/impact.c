#include "solve/impact.h"

#include "solve/cone.h"

#include <string.h>

enum { MOST_SWEEPS = 50, MOST_SWEEPS_TOGETHER = 5 };
static const double ENOUGH = 1e-12; /* relative change of a sweep's impulses at which a contact alone has converged */
/*
 * Impacts in a bed reach all of it, and fifty sweeps a substep would cost fifty times what the substep itself does. A
 * few sweeps stop the grains that hit; what is left is the substep's own sweeps' to find.
 */
static const double CLOSE = 1e-3; /* relative change at which contacts that act on each other have converged */
static const double FAINT = 1e-3; /* of the strongest impact's impulse: a weaker change is not passed on */

/* A closed pair of grains. */
typedef struct scree_meeting {
    uint32_t a, b;
    scree_row row;
} meeting;

typedef struct stage {
    scree_impact *impact;
    scree_jump *jumps;
    meeting *pairs; /* [pair_count] */
    size_t pair_count;
    uint8_t *hit, *degree;
    double strongest; /* N s, largest impulse of an impact on its own */
} stage;

static bool is_impact(const scree_impact *impact, const scree_row *row)
{
    return row->closed && row->u_n < -impact->speed && (row->restitution > 0.0 || impact->inelastic);
}

static uint32_t count_impacts(const scree_impact *impact)
{
    uint32_t count = 0;
    for (size_t i = 0; i < impact->walls->count; i++)
        count += is_impact(impact, &impact->rows->wall_rows[i]);
    return count + scree_pair_count_impacts(impact->job);
}

/* Impulses of one contact from zero compliance; returns |ΔP_n| + |ΔP_t|. */
static double solve(const scree_row *row, scree_jump *at, scree_twist *a, scree_twist *b)
{
    double inv_mass = a->inv_mass + b->inv_mass;
    double inv_dt = 1.0 / (inv_mass + row->la * row->la * a->inv_inertia + row->lb * row->lb * b->inv_inertia);
    vec3 zero = {0.0, 0.0, 0.0};
    double pn = at->pn + (at->target - scree_normal_velocity(row, a, b)) / inv_mass;
    pn = pn > 0.0 ? pn : 0.0;
    double step = pn - at->pn;
    scree_apply(row, a, b, scale(step, row->n), zero);
    at->pn = pn;
    double moved = fabs(step);
    if (row->mu > 0.0) {
        vec3 pt = scree_limit(mul_add(at->pt, -inv_dt, scree_slip(row, a, b)), row->mu * pn);
        vec3 change = sub(pt, at->pt);
        scree_apply(row, a, b, change, zero);
        at->pt = pt;
        moved += length(change);
    }
    if (scree_resists_rolling(row)) {
        vec3 w = sub(b->w, a->w);
        vec3 pr = scree_limit_roll(row, pn, mul_add(at->pr, -1.0 / (a->inv_inertia + b->inv_inertia), w));
        scree_apply(row, a, b, zero, sub(pr, at->pr));
        at->pr = pr;
    }
    return moved;
}

static bool take_scratch(stage *todo)
{
    scree_impact *impact = todo->impact;
    scree_impact_scratch *scratch = impact->scratch;
    size_t lanes = (size_t)impact->job->pairs->count * SCREE_LANES;
    if (!scratch->degree) {
        scratch->jumps = scree_arena_get(impact->arena, impact->walls->count + lanes, sizeof *scratch->jumps);
        scratch->pairs = scree_arena_get(impact->arena, lanes, sizeof *scratch->pairs);
        scratch->hit = scree_arena_get(impact->arena, impact->particles->count, 1);
        scratch->degree = scratch->jumps && scratch->pairs && scratch->hit
                              ? scree_arena_get(impact->arena, impact->particles->count, 1)
                              : NULL;
    }
    todo->jumps = scratch->jumps;
    todo->pairs = scratch->pairs;
    todo->hit = scratch->hit;
    todo->degree = scratch->degree;
    return todo->degree != NULL;
}

static void gather_pairs(stage *todo)
{
    const scree_pair_job *job = todo->impact->job;
    const scree_pairs *pairs = job->pairs;
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            meeting *at = &todo->pairs[todo->pair_count];
            at->a = pairs->blocks[i].a[k];
            at->b = pairs->blocks[i].b[k];
            if (scree_pair_exists(&pairs->blocks[i], k) &&
                scree_pair_row(job, at->a, at->b, pairs->kinds[pairs->mixed ? i : 0][pairs->mixed ? k : 0], &at->row))
                todo->pair_count++;
        }
}

static void set_up(stage *todo)
{
    scree_impact *impact = todo->impact;
    size_t walls = impact->walls->count, pairs = todo->pair_count;
    uint32_t n = impact->particles->count;
    memset(todo->jumps, 0, (walls + pairs) * sizeof *todo->jumps);
    memset(todo->hit, 0, n);
    memset(todo->degree, 0, n);
    for (size_t k = 0; k < walls + pairs; k++) {
        const scree_row *row = k < walls ? &impact->rows->wall_rows[k] : &todo->pairs[k - walls].row;
        uint32_t a = k < walls ? impact->walls->items[k].a : todo->pairs[k - walls].a;
        uint32_t b = k < walls ? a : todo->pairs[k - walls].b;
        if (!row->closed)
            continue;
        uint8_t *degree_a = &todo->degree[a], *degree_b = k < walls ? NULL : &todo->degree[b];
        *degree_a = (uint8_t)(*degree_a < 2 ? *degree_a + 1 : 2);
        if (degree_b)
            *degree_b = (uint8_t)(*degree_b < 2 ? *degree_b + 1 : 2);
        if (!is_impact(impact, row))
            continue;
        const scree_twist *twist = impact->particles->twist;
        double inv_mass = twist[a].inv_mass + (k < walls ? 0.0 : twist[b].inv_mass);
        todo->strongest = fmax(todo->strongest, -(1.0 + row->restitution) * row->u_n / inv_mass);
        todo->jumps[k].target = -row->restitution * row->u_n;
        todo->hit[a] = todo->hit[b] = 1;
    }
}

/* Solves one contact alone until it no longer changes. */
static void solve_alone(const scree_row *row, scree_jump *at, scree_twist *a, scree_twist *b)
{
    double first = 0.0;
    for (int i = 0; i < MOST_SWEEPS; i++) {
        double moved = solve(row, at, a, b);
        first = i == 0 ? moved : first;
        if (moved <= ENOUGH * first)
            break;
    }
}

/* A grain that hits a body and touches nothing else. */
static void bounce_off_wall(stage *todo, size_t k)
{
    scree_impact *impact = todo->impact;
    const scree_row *row = &impact->rows->wall_rows[k];
    uint32_t a = impact->walls->items[k].a;
    scree_twist *twist = &impact->particles->twist[a];
    double back = -row->overlap / row->u_n;
    vec3 before = twist->v;
    solve_alone(row, &todo->jumps[k], twist, &impact->rows->surfaces[k]);
    if (back <= impact->h)
        impact->particles->place[a].x = mul_add(impact->particles->place[a].x, back, sub(twist->v, before));
}

/* Two grains that hit each other and touch nothing else; k counts pairs. */
static void bounce_off_grain(stage *todo, size_t k, scree_jump *at)
{
    scree_impact *impact = todo->impact;
    scree_row row = todo->pairs[k].row;
    uint32_t a = todo->pairs[k].a, b = todo->pairs[k].b;
    scree_place *place = impact->particles->place;
    scree_twist *ta = &impact->particles->twist[a], *tb = &impact->particles->twist[b];
    vec3 gap = sub(place[b].x, place[a].x), u = sub(tb->v, ta->v), va = ta->v, vb = tb->v;
    /* |gap − t u| = r_a + r_b, the root in the past */
    double uu = dot(u, u), gu = dot(gap, u);
    double back = (gu + sqrt(gu * gu + uu * (row.distance * row.distance - dot(gap, gap)))) / uu;
    if (back <= impact->h) {
        row.n = scale(1.0 / row.distance, mul_add(gap, -back, u));
        row.la = place[a].r;
        row.lb = place[b].r;
        at->target = -row.restitution * scree_normal_velocity(&row, ta, tb);
    } else {
        back = 0.0;
    }
    solve_alone(&row, at, ta, tb);
    place[a].x = mul_add(place[a].x, back, sub(ta->v, va));
    place[b].x = mul_add(place[b].x, back, sub(tb->v, vb));
}

/* One pass over all that has been hit; returns the sum of changes. */
static double sweep(stage *todo)
{
    scree_impact *impact = todo->impact;
    scree_twist *twist = impact->particles->twist;
    size_t walls = impact->walls->count;
    double moved = 0.0;
    for (size_t k = 0; k < walls; k++) {
        uint32_t a = impact->walls->items[k].a;
        const scree_row *row = &impact->rows->wall_rows[k];
        if (row->closed && todo->hit[a] == 1)
            moved += solve(row, &todo->jumps[k], &twist[a], &impact->rows->surfaces[k]);
    }
    for (size_t k = 0; k < todo->pair_count; k++) {
        uint32_t a = todo->pairs[k].a, b = todo->pairs[k].b;
        const scree_row *row = &todo->pairs[k].row;
        if (!row->closed || (todo->hit[a] != 1 && todo->hit[b] != 1))
            continue;
        double change = solve(row, &todo->jumps[walls + k], &twist[a], &twist[b]);
        if (change > FAINT * todo->strongest)
            todo->hit[a] = todo->hit[b] = 1;
        moved += change;
    }
    return moved;
}

/* Isolated impacts, each on its own; their grains are marked so that the sweeps leave them alone. */
static void treat_isolated(stage *todo)
{
    enum { DONE = 2 };
    scree_impact *impact = todo->impact;
    size_t walls = impact->walls->count;
    for (size_t k = 0; k < walls; k++) {
        uint32_t a = impact->walls->items[k].a;
        if (!is_impact(impact, &impact->rows->wall_rows[k]) || todo->degree[a] != 1)
            continue;
        bounce_off_wall(todo, k);
        todo->hit[a] = DONE;
    }
    for (size_t k = 0; k < todo->pair_count; k++) {
        uint32_t a = todo->pairs[k].a, b = todo->pairs[k].b;
        if (!is_impact(impact, &todo->pairs[k].row) || todo->degree[a] != 1 || todo->degree[b] != 1)
            continue;
        bounce_off_grain(todo, k, &todo->jumps[walls + k]);
        todo->hit[a] = todo->hit[b] = DONE;
    }
}

uint32_t scree_impact_run(scree_impact *impact)
{
    uint32_t count = count_impacts(impact);
    if (count == 0)
        return 0;
    stage todo = {.impact = impact};
    if (!take_scratch(&todo))
        return UINT32_MAX;
    gather_pairs(&todo);
    set_up(&todo);
    treat_isolated(&todo);
    double first = 0.0;
    for (int i = 0; i < MOST_SWEEPS_TOGETHER; i++) {
        double moved = sweep(&todo);
        first = i == 0 ? moved : first;
        if (moved <= CLOSE * first)
            break;
    }
    return count;
}
