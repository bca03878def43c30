/*
 * For each closed contact, in this order, each change of impulse applied to both bodies at once (METHOD §4):
 *   P_n ← max(0, P_n − (u_n + Σ_n P_n − b_n)/D_n)
 *   P_t ← proj(P_t − (u_t + Σ_t P_t)/D_t),  |P_t| ≤ μ P_n
 *   P_r ← proj(P_r − (w + Σ_r P_r)/D_r),    rolling part ≤ μ_r r P_n, twist part ≤ α μ r* P_n
 */
#include "solve/sweep.h"

#include "solve/cone.h"

enum { GRAIN = SCREE_TILE }; /* ranges are tiles */

uint32_t scree_sweep_ranges(uint32_t particles)
{
    return scree_pool_ranges(particles, GRAIN);
}

static inline void solve(const scree_row *row, scree_contact *contact, scree_twist *a, scree_twist *b,
                         scree_change *sum)
{
    double u_n = scree_normal_velocity(row, a, b);
    double pn = contact->pn - (u_n + row->sigma_n * contact->pn - row->b_n) * row->inv_dn;
    pn = pn > 0.0 ? pn : 0.0;
    double step = pn - contact->pn;
    vec3 push = scale(step, row->n);
    a->v = mul_add(a->v, -a->inv_mass, push);
    b->v = mul_add(b->v, b->inv_mass, push);
    contact->pn = pn;
    sum->moved += step * step;
    sum->held += pn * pn;

    if (row->mu > 0.0) {
        vec3 zero = {0.0, 0.0, 0.0};
        vec3 pt = scree_wanted_friction(row, pn, contact->pt, scree_slip(row, a, b));
        scree_apply(row, a, b, sub(pt, contact->pt), zero);
        contact->pt = pt;
    }
    if (scree_resists_rolling(row)) {
        vec3 pr = scree_wanted_rolling(row, pn, contact->pr, sub(b->w, a->w));
        vec3 step_r = sub(pr, contact->pr);
        a->w = mul_add(a->w, -a->inv_inertia, step_r);
        b->w = mul_add(b->w, b->inv_inertia, step_r);
        contact->pr = pr;
    }
}

typedef struct job {
    scree_sweep *sweep;
    scree_warm_start from;
    double share, h;
    bool backwards;
} job;

static void sweep_range(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    scree_sweep *sweep = todo->sweep;
    uint32_t first = sweep->walls->starts[begin], count = sweep->walls->starts[end] - first;
    scree_change sum = {0.0, 0.0};
    if (sweep->asleep && sweep->asleep[range])
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = first + (todo->backwards ? count - 1 - i : i);
        const scree_row *row = &sweep->rows->wall_rows[k];
        scree_contact *contact = &sweep->walls->items[k];
        if (row->closed)
            solve(row, contact, &sweep->twist[contact->a], &sweep->rows->surfaces[k], &sum);
    }
    sweep->partial[range] = sum;
}

scree_change scree_sweep_once(scree_sweep *sweep, bool backwards)
{
    job todo = {.sweep = sweep, .backwards = backwards};
    scree_change sum = {0.0, 0.0};
    if (sweep->walls->count == 0)
        return sum;
    scree_pool_run(sweep->pool, sweep->particles, GRAIN, sweep_range, &todo);
    for (uint32_t i = 0; i < scree_sweep_ranges(sweep->particles); i++) {
        sum.moved += sweep->partial[i].moved;
        sum.held += sweep->partial[i].held;
    }
    return sum;
}

static void warm(const scree_row *row, scree_contact *contact, scree_twist *a, scree_twist *b, scree_warm_start from,
                 double share, double h)
{
    vec3 zero = {0.0, 0.0, 0.0};
    if (from != SCREE_WARM_HISTORY || !row->closed) {
        contact->pn = 0.0;
        contact->pt = contact->pr = zero;
    }
    if (!row->closed)
        return;
    if (from == SCREE_WARM_MODEL) {
        contact->pn = h * row->k_n * row->overlap * (row->e > 1.0 ? sqrt(row->overlap) : 1.0);
    } else if (from == SCREE_WARM_HISTORY) {
        contact->pn *= share;
        contact->pt = scree_limit(scree_tangential(row->n, scale(share, contact->pt)), row->mu * contact->pn);
        contact->pr = scree_limit_roll(row, contact->pn, scale(share, contact->pr));
    }
    scree_apply(row, a, b, mul_add(contact->pt, contact->pn - row->pull, row->n), contact->pr);
}

static void warm_range(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    scree_sweep *sweep = todo->sweep;
    if (sweep->asleep && sweep->asleep[range])
        return;
    for (uint32_t i = sweep->walls->starts[begin]; i < sweep->walls->starts[end]; i++) {
        scree_contact *contact = &sweep->walls->items[i];
        warm(&sweep->rows->wall_rows[i], contact, &sweep->twist[contact->a], &sweep->rows->surfaces[i], todo->from,
             todo->share, todo->h);
    }
}

void scree_sweep_warm(scree_sweep *sweep, scree_warm_start from, double share, double h)
{
    job todo = {.sweep = sweep, .from = from, .share = share, .h = h};
    if (sweep->walls->count > 0)
        scree_pool_run(sweep->pool, sweep->particles, GRAIN, warm_range, &todo);
}

void scree_sweep_take_out(const scree_sweep *sweep, scree_stand *stand, vec3 *spin)
{
    for (size_t i = 0; i < sweep->walls->count; i++) {
        const scree_row *row = &sweep->rows->wall_rows[i];
        const scree_contact *contact = &sweep->walls->items[i];
        uint32_t a = contact->a;
        if (row->closed && !(sweep->asleep && sweep->asleep[a / SCREE_TILE]))
            scree_take_out(&stand[a], &spin[a], sweep->twist[a].inv_inertia, row->n, row->la,
                           mul_add(contact->pt, contact->pn - row->pull, row->n), contact->pr);
    }
}
