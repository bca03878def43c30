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

static inline bool some(vec3 v)
{
    return v.x != 0.0 || v.y != 0.0 || v.z != 0.0;
}

/* The surface does not move for it. Where nothing resists, there may be something left to take back, by a normal that
 * turned. Friction leaves the normal velocity as it is, and the other way round. */
static inline void solve(const scree_row *row, scree_contact *contact, scree_twist *a, const scree_twist *surface,
                         scree_change *sum)
{
    vec3 n = row->n, dv = sub(surface->v, a->v), v = a->v, w = a->w;
    double u_n = dot(n, dv);
    double pn = contact->pn - (u_n * row->inv_dn + row->c * contact->pn - row->b);
    pn = pn > 0.0 ? pn : 0.0;
    double step = pn - contact->pn;
    v = mul_add(v, -a->inv_mass * step, n);
    contact->pn = pn;
    sum->moved += step * step;
    sum->held += pn * pn;
    if (row->mu > 0.0 || some(contact->pt)) {
        vec3 u_t = sub(mul_add(dv, -u_n, n), scale(row->la, cross(w, n)));
        vec3 pt = scree_wanted_friction(row, pn, contact->pt, u_t), change = sub(pt, contact->pt);
        v = mul_add(v, -a->inv_mass, change);
        w = mul_add(w, -a->inv_inertia * row->la, cross(n, change));
        contact->pt = pt;
    }
    if (scree_resists_rolling(row) || some(contact->pr)) {
        vec3 pr = scree_wanted_rolling(row, pn, contact->pr, sub(surface->w, w));
        w = mul_add(w, -a->inv_inertia, sub(pr, contact->pr));
        contact->pr = pr;
    }
    a->v = v;
    a->w = w;
}

static void sweep_tile(const scree_sweep *sweep, uint32_t tile, bool backwards)
{
    const scree_rows *rows = sweep->rows;
    uint32_t first = rows->closed_starts[tile], count = rows->closed_starts[tile + 1] - first;
    scree_change sum = {0.0, 0.0};
    if (sweep->asleep && sweep->asleep[tile])
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = rows->closed[first + (backwards ? count - 1 - i : i)];
        scree_contact *contact = &sweep->walls->items[k];
        solve(&rows->wall_rows[k], contact, &sweep->twist[contact->a], &rows->surfaces[k], &sum);
    }
    sweep->partial[tile] = sum;
}

void scree_sweep_tile(const scree_sweep *sweep, uint32_t tile)
{
    sweep_tile(sweep, tile, false);
}

typedef struct job {
    const scree_sweep *sweep;
    bool backwards;
} job;

static void sweep_range(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    const job *todo = context;
    sweep_tile(todo->sweep, range, todo->backwards);
}

scree_change scree_sweep_sum(const scree_sweep *sweep)
{
    scree_change sum = {0.0, 0.0};
    for (uint32_t i = 0; i < scree_sweep_ranges(sweep->particles); i++) {
        sum.moved += sweep->partial[i].moved;
        sum.held += sweep->partial[i].held;
    }
    return sum;
}

scree_change scree_sweep_once(const scree_sweep *sweep, bool backwards)
{
    job todo = {.sweep = sweep, .backwards = backwards};
    if (sweep->rows->closed_count == 0)
        return (scree_change){0.0, 0.0};
    scree_pool_run(sweep->pool, sweep->particles, GRAIN, sweep_range, &todo);
    return scree_sweep_sum(sweep);
}

static void warm(const scree_row *row, scree_contact *contact, scree_twist *a, scree_warm_start from, double share,
                 double h)
{
    vec3 zero = {0.0, 0.0, 0.0};
    if (from != SCREE_WARM_HISTORY) {
        contact->pn = 0.0;
        contact->pt = contact->pr = zero;
    }
    if (from == SCREE_WARM_MODEL) {
        contact->pn = h * row->k_n * row->overlap * (row->e > 1.0 ? sqrt(row->overlap) : 1.0);
    } else if (from == SCREE_WARM_HISTORY) {
        contact->pn *= share;
        contact->pt = scree_limit(scree_tangential(row->n, scale(share, contact->pt)), row->mu * contact->pn);
        contact->pr = scree_limit_roll(row, contact->pn, scale(share, contact->pr));
    }
    vec3 p = mul_add(contact->pt, contact->pn - row->pull, row->n);
    a->v = mul_add(a->v, -a->inv_mass, p);
    a->w = mul_add(a->w, -a->inv_inertia, mul_add(contact->pr, row->la, cross(row->n, contact->pt)));
}

void scree_sweep_warm_tile(const scree_sweep *sweep, uint32_t tile, scree_warm_start from, double share, double h)
{
    const scree_rows *rows = sweep->rows;
    if (sweep->asleep && sweep->asleep[tile])
        return;
    for (uint32_t i = rows->closed_starts[tile]; i < rows->closed_starts[tile + 1]; i++) {
        scree_contact *contact = &sweep->walls->items[rows->closed[i]];
        warm(&rows->wall_rows[rows->closed[i]], contact, &sweep->twist[contact->a], from, share, h);
    }
}
