#include "solve/impact.h"

#include "solve/cone.h"

#include <string.h>

enum { MOST_SWEEPS = 50, MOST_SWEEPS_TOGETHER = 5 };
static const double ENOUGH = 1e-12; /* relative change of a sweep's impulses at which a contact alone has converged */
/*
 * Impacts in a bed reach all of it, and fifty sweeps a substep would cost fifty times what the substep itself does. A
 * few sweeps over the contacts of the grains that hit stop these; what they give to their neighbours is the substep's
 * own sweeps' to pass on. Only a frame of one substep, which has no other chance to stop what comes too fast, follows
 * them through the bed.
 */
static const double CLOSE = 1e-3; /* relative change at which contacts that act on each other have converged */
static const double FAINT = 1e-3; /* of the strongest impact's impulse: a weaker change is not passed on */

/* A closed pair of grains, of which one was hit. */
typedef struct scree_meeting {
    uint32_t a, b, kind;
    bool impact;
    vec3 n;
    double la, lb;          /* m, arms */
    double mu, roll, twist; /* as in a row */
    scree_jump jump;
} meeting;

/* Marks of particles. */
enum {
    NEWLY = 1, /* hit, and not all of its contacts are known */
    HIT,
    DONE /* hit alone, and treated */
};

enum { TOUCHED = 128 }; /* beside the degree: its velocity may have changed */

typedef struct stage {
    scree_impact *impact;
    scree_jump *jumps; /* [closed walls] */
    uint32_t *walls;   /* [wall_count], of these: of grains that were hit */
    uint32_t wall_count;
    meeting *pairs; /* [pair_count] */
    size_t pair_count;
    uint8_t *hit, *degree, *tiles, *wanted;
    double strongest; /* N s, largest impulse of an impact on its own */
    bool spreads;     /* some are newly hit */
} stage;

static bool is_impact(const scree_impact *impact, const scree_row *row)
{
    return row->u_n < -impact->speed && (row->restitution > 0.0 || impact->inelastic);
}

static uint32_t count_tiles(const scree_impact *impact)
{
    return scree_pool_ranges(impact->particles->count, SCREE_TILE);
}

/* Whether some grain of the tile approaches a body fast enough. */
static bool is_fast(const scree_impact *impact, uint32_t tile)
{
    return impact->rows->approach[tile] < -impact->speed;
}

static uint32_t count_impacts(const scree_impact *impact)
{
    uint32_t count = 0;
    const scree_rows *rows = impact->rows;
    for (uint32_t t = 0; t < count_tiles(impact); t++)
        for (uint32_t i = rows->closed_starts[t]; i < rows->closed_starts[t + 1] && is_fast(impact, t); i++)
            count += is_impact(impact, &rows->wall_rows[rows->closed[i]]);
    return count + (impact->calm ? 0 : scree_pair_find_impacts(impact->job));
}

/* Impulses of one contact from zero compliance; returns |ΔP_n| + |ΔP_t|. The normal impulse changes no slip, and
 * friction turns the bodies before rolling is looked at: all changes are applied at once. */
static double solve(const scree_row *row, scree_jump *at, scree_twist *a, scree_twist *b)
{
    double inv_mass = a->inv_mass + b->inv_mass, arm_a = row->la * a->inv_inertia, arm_b = row->lb * b->inv_inertia;
    vec3 n = row->n, q = {0.0, 0.0, 0.0};
    double pn = at->pn + (at->target - scree_normal_velocity(row, a, b)) / inv_mass;
    pn = pn > 0.0 ? pn : 0.0;
    double moved = fabs(pn - at->pn);
    vec3 p = scale(pn - at->pn, n), w = sub(b->w, a->w);
    at->pn = pn;
    if (row->mu > 0.0) {
        double inv_dt = 1.0 / (inv_mass + row->la * arm_a + row->lb * arm_b);
        vec3 pt = scree_limit(mul_add(at->pt, -inv_dt, scree_slip(row, a, b)), row->mu * pn);
        vec3 change = sub(pt, at->pt);
        p = add(p, change);
        w = mul_add(w, arm_a - arm_b, cross(n, change));
        at->pt = pt;
        moved += length(change);
    }
    if (scree_resists_rolling(row)) {
        vec3 pr = scree_limit_roll(row, pn, mul_add(at->pr, -1.0 / (a->inv_inertia + b->inv_inertia), w));
        q = sub(pr, at->pr);
        at->pr = pr;
    }
    scree_apply(row, a, b, p, q);
    return moved;
}

/* What is there once per particle lies where the residual will sum up impulses (pair_solve.h). */
static bool take_scratch(stage *todo)
{
    scree_impact *impact = todo->impact;
    scree_impact_scratch *scratch = impact->scratch;
    uint32_t n = impact->particles->count;
    if (!scratch->ready) {
        scratch->jumps = scree_arena_get(impact->arena, impact->walls->count, sizeof *scratch->jumps);
        scratch->walls = scree_arena_get(impact->arena, impact->walls->count, sizeof *scratch->walls);
        scratch->tiles = scree_arena_get(impact->arena, count_tiles(impact), 1);
        scratch->wanted = scree_arena_get(impact->arena, impact->job->pairs->count, 1);
        scratch->ready = scratch->jumps && scratch->walls && scratch->tiles && scratch->wanted;
    }
    void *room = impact->job->sums;
    scratch->touched = room;
    scratch->hit = (uint8_t *)(scratch->touched + n);
    scratch->degree = scratch->hit + n;
    scratch->touched_count = 0;
    todo->jumps = scratch->jumps;
    todo->walls = scratch->walls;
    todo->hit = scratch->hit;
    todo->degree = scratch->degree;
    todo->tiles = scratch->tiles;
    todo->wanted = scratch->wanted;
    return scratch->ready;
}

static bool is_alone(uint8_t degree)
{
    return (degree & ~TOUCHED) == 1;
}

static void count_contact(uint8_t *degree)
{
    *degree = (uint8_t)(*degree + ((*degree & ~TOUCHED) < 2));
}

/* The velocity of a grain will change: what it has changed by since the last substep began must not. */
static void touch(const stage *todo, uint32_t i)
{
    scree_impact *impact = todo->impact;
    if (todo->degree[i] & TOUCHED)
        return;
    todo->degree[i] |= TOUCHED;
    impact->scratch->touched[impact->scratch->touched_count++] = i;
    if (!impact->stand)
        return;
    impact->stand[i].v = sub(impact->stand[i].v, impact->particles->twist[i].v);
    impact->spin[i] = sub(impact->spin[i], impact->particles->twist[i].w);
}

/* The first of bytes[from … count − 1] that is not zero; count: none is. */
static uint32_t next_set(const uint8_t *bytes, uint32_t from, uint32_t count)
{
    for (uint64_t eight = 0; from + 8 <= count; from += 8) {
        memcpy(&eight, bytes + from, sizeof eight);
        if (eight != 0)
            break;
    }
    while (from < count && bytes[from] == 0)
        from++;
    return from;
}

static void let_go(const stage *todo)
{
    scree_impact *impact = todo->impact;
    const scree_impact_scratch *scratch = impact->scratch;
    for (uint32_t k = 0; impact->stand && k < scratch->touched_count; k++) {
        uint32_t i = scratch->touched[k];
        impact->stand[i].v = add(impact->stand[i].v, impact->particles->twist[i].v);
        impact->spin[i] = add(impact->spin[i], impact->particles->twist[i].w);
    }
}

static void note_strength(stage *todo, double restitution, double u_n, double inv_mass)
{
    todo->strongest = fmax(todo->strongest, -(1.0 + restitution) * u_n / inv_mass);
}

static void mark(stage *todo, uint32_t i)
{
    todo->hit[i] = NEWLY;
    todo->tiles[i / SCREE_TILE] = 1;
    todo->spreads = true;
}

static void mark_walls(stage *todo)
{
    scree_impact *impact = todo->impact;
    const scree_rows *rows = impact->rows;
    memset(todo->jumps, 0, rows->closed_count * sizeof *todo->jumps);
    memset(todo->hit, 0, impact->particles->count);
    memset(todo->degree, 0, impact->particles->count);
    memset(todo->tiles, 0, count_tiles(impact));
    for (uint32_t t = 0; t < count_tiles(impact); t++)
        for (uint32_t k = rows->closed_starts[t]; k < rows->closed_starts[t + 1] && is_fast(impact, t); k++) {
            const scree_row *row = &rows->wall_rows[rows->closed[k]];
            uint32_t a = impact->walls->items[rows->closed[k]].a;
            if (!is_impact(impact, row))
                continue;
            note_strength(todo, row->restitution, row->u_n, impact->particles->twist[a].inv_mass);
            todo->jumps[k].target = -row->restitution * row->u_n;
            mark(todo, a);
            touch(todo, a);
        }
}

static void mark_pairs(stage *todo)
{
    const scree_pairs *pairs = todo->impact->job->pairs;
    const uint8_t *hits = todo->impact->job->hits;
    for (uint32_t i = next_set(hits, 0, pairs->count); i < pairs->count; i = next_set(hits, i + 1, pairs->count))
        for (uint32_t k = 0, bits = hits[i]; bits; k++, bits >>= 1)
            if (bits & 1) {
                mark(todo, pairs->blocks[i].a[k]);
                mark(todo, pairs->blocks[i].b[k]);
            }
}

static bool make_room(stage *todo)
{
    scree_impact_scratch *scratch = todo->impact->scratch;
    void *items = scratch->pairs;
    bool room = scree_reserve(todo->impact->memory, &items, &scratch->pairs_capacity, todo->pair_count,
                              todo->pair_count + 1, sizeof *scratch->pairs);
    todo->pairs = scratch->pairs = items;
    return room;
}

/* Adds the pair of a lane when it is closed; impact: it is one. */
static bool add_pair(stage *todo, uint32_t block, uint32_t lane, bool impact)
{
    const scree_pair_job *job = todo->impact->job;
    const scree_pairs *pairs = job->pairs;
    uint32_t a = pairs->blocks[block].a[lane], b = pairs->blocks[block].b[lane];
    uint32_t kind = pairs->mixed ? pairs->kinds[block][lane] : pairs->kinds[0][0];
    const scree_contact_law *law = &job->laws[kind];
    double ra = job->place[a].r, rb = job->place[b].r, r_eff = ra * rb / (ra + rb);
    scree_row row;
    if (a == b || !scree_pair_touch(job->place[a], job->place[b], &row))
        return true;
    if (!make_room(todo))
        return false;
    meeting *at = &todo->pairs[todo->pair_count++];
    *at = (meeting){.a = a,
                    .b = b,
                    .kind = kind,
                    .impact = impact,
                    .n = row.n,
                    .la = row.la,
                    .lb = row.lb,
                    .mu = law->mu,
                    .roll = law->roll * (job->by_radius ? fmin(ra, rb) : r_eff),
                    .twist = law->twist * r_eff};
    count_contact(&todo->degree[a]);
    count_contact(&todo->degree[b]);
    touch(todo, a);
    touch(todo, b);
    if (!impact)
        return true;
    const scree_twist *ta = &job->twist[a], *tb = &job->twist[b];
    double u_n = dot(row.n, sub(tb->v, ta->v));
    note_strength(todo, law->restitution, u_n, ta->inv_mass + tb->inv_mass);
    at->jump.target = -law->restitution * u_n;
    return true;
}

/* Notes the lanes of a range of blocks whose pairs are to be added. Pairs within a tile come first in the list, tile by
 * tile; those of tiles without a grain that is newly hit need no look. */
static void want_pairs(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    const stage *todo = context;
    const scree_pairs *pairs = todo->impact->job->pairs;
    uint32_t first = pairs->strips[pairs->ranges[range]], last = pairs->strips[pairs->ranges[range + 1]];
    const uint8_t *hit = todo->hit;
    if (range < count_tiles(todo->impact) && !todo->tiles[range]) {
        memset(todo->wanted + first, 0, last - first);
        return;
    }
    for (uint32_t i = first; i < last; i++) {
        const scree_pair_block *block = &pairs->blocks[i];
        uint32_t bits = 0, some = 0;
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            some |= hit[block->a[k]] | (uint32_t)hit[block->b[k]];
        for (uint32_t k = 0; k < SCREE_LANES && some; k++) {
            uint8_t a = hit[block->a[k]], b = hit[block->b[k]];
            bool wanted = (a == NEWLY || b == NEWLY) && a <= NEWLY && b <= NEWLY;
            bits |= (uint32_t)wanted << k;
        }
        todo->wanted[i] = (uint8_t)bits;
    }
}

/* Adds the pairs of grains that are newly hit, but for those that are there already with the other grain. */
static bool gather_pairs(stage *todo, bool first)
{
    const scree_pairs *pairs = todo->impact->job->pairs;
    const uint8_t *found = first && !todo->impact->calm ? todo->impact->job->hits : NULL;
    uint32_t n = todo->impact->particles->count, tiles = count_tiles(todo->impact);
    scree_pool_run(todo->impact->job->pool, pairs->range_count, 1, want_pairs, todo);
    const uint8_t *wanted = todo->wanted;
    for (uint32_t i = next_set(wanted, 0, pairs->count); i < pairs->count; i = next_set(wanted, i + 1, pairs->count))
        for (uint32_t k = 0, bits = wanted[i]; bits; k++, bits >>= 1)
            if (bits & 1 && !add_pair(todo, i, k, found && found[i] >> k & 1))
                return false;
    for (uint32_t t = 0; t < tiles; t++) {
        uint32_t end = (t + 1) * SCREE_TILE < n ? (t + 1) * SCREE_TILE : n;
        for (uint32_t i = t * SCREE_TILE; todo->tiles[t] && i < end; i++)
            todo->hit[i] = todo->hit[i] == NEWLY ? HIT : todo->hit[i];
        todo->tiles[t] = 0;
    }
    todo->spreads = false;
    const scree_rows *rows = todo->impact->rows;
    todo->wall_count = 0;
    for (uint32_t k = 0; k < rows->closed_count; k++) {
        uint32_t a = todo->impact->walls->items[rows->closed[k]].a;
        if (todo->hit[a] == 0)
            continue;
        todo->walls[todo->wall_count++] = k;
        if (first)
            count_contact(&todo->degree[a]);
    }
    return true;
}

static scree_row row_of(const meeting *at)
{
    return (scree_row){.n = at->n, .la = at->la, .lb = at->lb, .mu = at->mu, .roll = at->roll, .twist = at->twist};
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

/* Puts a grain where the jump of its velocity would have carried it. */
static void shift(scree_impact *impact, uint32_t i, double back, vec3 jump)
{
    impact->particles->place[i].x = mul_add(impact->particles->place[i].x, back, jump);
    impact->shifts[i / SCREE_TILE] += back * length(jump);
    if (impact->left)
        impact->left[i / SCREE_TILE] -= back * length(jump);
}

/* A grain that hits a body and touches nothing else. */
static void bounce_off_wall(stage *todo, uint32_t k)
{
    scree_impact *impact = todo->impact;
    uint32_t i = impact->rows->closed[k], a = impact->walls->items[i].a;
    const scree_row *row = &impact->rows->wall_rows[i];
    scree_twist *twist = &impact->particles->twist[a];
    double back = -row->overlap / row->u_n;
    vec3 before = twist->v;
    solve_alone(row, &todo->jumps[k], twist, &impact->rows->surfaces[i]);
    if (back <= impact->h)
        shift(impact, a, back, sub(twist->v, before));
}

/* Two grains that hit each other and touch nothing else. */
static void bounce_off_grain(stage *todo, meeting *at)
{
    scree_impact *impact = todo->impact;
    scree_row row = row_of(at);
    const scree_place *place = impact->particles->place;
    scree_twist *ta = &impact->particles->twist[at->a], *tb = &impact->particles->twist[at->b];
    double distance = place[at->a].r + place[at->b].r;
    vec3 gap = sub(place[at->b].x, place[at->a].x), u = sub(tb->v, ta->v), va = ta->v, vb = tb->v;
    /* |gap − t u| = r_a + r_b, the root in the past */
    double uu = dot(u, u), gu = dot(gap, u);
    double back = (gu + sqrt(gu * gu + uu * (distance * distance - dot(gap, gap)))) / uu;
    if (back <= impact->h) {
        row.n = scale(1.0 / distance, mul_add(gap, -back, u));
        row.la = place[at->a].r;
        row.lb = place[at->b].r;
        at->jump.target = -impact->job->laws[at->kind].restitution * scree_normal_velocity(&row, ta, tb);
    } else {
        back = 0.0;
    }
    solve_alone(&row, &at->jump, ta, tb);
    shift(impact, at->a, back, sub(ta->v, va));
    shift(impact, at->b, back, sub(tb->v, vb));
}

/* A grain that has been pushed hard passes it on. */
static void pass_on(stage *todo, uint32_t i)
{
    if (todo->hit[i] == 0)
        mark(todo, i);
}

/* Whether the grains part as they must already, and nothing has pushed them to: there is nothing to solve. */
static bool parts(const meeting *at, const scree_twist *twist)
{
    return at->jump.pn == 0.0 && dot(at->n, sub(twist[at->b].v, twist[at->a].v)) >= at->jump.target;
}

/* One pass over all that has been hit; returns the sum of changes. */
static double sweep(stage *todo)
{
    scree_impact *impact = todo->impact;
    scree_twist *twist = impact->particles->twist;
    const scree_rows *rows = impact->rows;
    double moved = 0.0;
    for (uint32_t w = 0; w < todo->wall_count; w++) {
        uint32_t k = todo->walls[w], i = rows->closed[k], a = impact->walls->items[i].a;
        if (todo->hit[a] != DONE)
            moved += solve(&rows->wall_rows[i], &todo->jumps[k], &twist[a], &rows->surfaces[i]);
    }
    for (size_t k = 0; k < todo->pair_count; k++) {
        meeting *at = &todo->pairs[k];
        if (todo->hit[at->a] == DONE || todo->hit[at->b] == DONE || parts(at, twist))
            continue;
        scree_row row = row_of(at);
        double change = solve(&row, &at->jump, &twist[at->a], &twist[at->b]);
        moved += change;
        if (!impact->inelastic || change <= FAINT * todo->strongest)
            continue;
        pass_on(todo, at->a);
        pass_on(todo, at->b);
    }
    return moved;
}

/* Isolated impacts, each on its own; their grains are marked so that the sweeps leave them alone. */
static void treat_isolated(stage *todo)
{
    scree_impact *impact = todo->impact;
    for (uint32_t w = 0; w < todo->wall_count; w++) {
        uint32_t k = todo->walls[w], i = impact->rows->closed[k], a = impact->walls->items[i].a;
        if (!is_impact(impact, &impact->rows->wall_rows[i]) || !is_alone(todo->degree[a]))
            continue;
        bounce_off_wall(todo, k);
        todo->hit[a] = DONE;
    }
    for (size_t k = 0; k < todo->pair_count; k++) {
        meeting *at = &todo->pairs[k];
        if (!at->impact || !is_alone(todo->degree[at->a]) || !is_alone(todo->degree[at->b]))
            continue;
        bounce_off_grain(todo, at);
        todo->hit[at->a] = todo->hit[at->b] = DONE;
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
    mark_walls(&todo);
    if (!impact->calm)
        mark_pairs(&todo);
    if (!gather_pairs(&todo, true))
        return UINT32_MAX;
    treat_isolated(&todo);
    double first = 0.0;
    for (int i = 0; i < MOST_SWEEPS_TOGETHER; i++) {
        if (todo.spreads && !gather_pairs(&todo, false))
            return UINT32_MAX;
        double moved = sweep(&todo);
        first = i == 0 ? moved : first;
        if (moved <= CLOSE * first)
            break;
    }
    let_go(&todo);
    return count;
}

void scree_impact_forget(scree_impact_scratch *scratch)
{
    scratch->ready = false;
}

void scree_impact_free(scree_impact_scratch *scratch, const scree_memory *memory)
{
    scree_release(memory, scratch->pairs);
    *scratch = (scree_impact_scratch){0};
}
