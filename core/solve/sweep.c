/*
 * For each closed contact, in this order, each change of impulse applied to both bodies at once (METHOD §4):
 *   P_n ← max(0, P_n − (u_n + Σ_n P_n − b_n)/D_n)
 *   P_t ← proj(P_t − (u_t + Σ_t P_t)/D_t),  |P_t| ≤ μ P_n
 *   P_r ← proj(P_r − (w + Σ_r P_r)/D_r),    rolling part ≤ μ_r r P_n, twist part ≤ α μ r* P_n
 */
#include "solve/sweep.h"

#include "solve/cone.h"

/* Sums over a sweep, for the early stop. */
typedef struct change {
    double moved, held; /* (N s)²: Σ ΔP_n², Σ P_n² */
} change;

static inline void solve(const scree_row *row, scree_contact *contact, scree_twist *a, scree_twist *b, change *sum)
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

/* Contact k of all: walls come first. */
static inline void visit(scree_sweep *sweep, size_t k, change *sum)
{
    size_t walls = sweep->walls->count;
    if (k < walls) {
        const scree_row *row = &sweep->rows->wall_rows[k];
        scree_contact *contact = &sweep->walls->items[k];
        if (row->closed)
            solve(row, contact, &sweep->twist[contact->a], &sweep->rows->surfaces[k], sum);
    } else {
        const scree_row *row = &sweep->rows->pair_rows[k - walls];
        scree_contact *contact = &sweep->pairs->items[k - walls];
        if (row->closed)
            solve(row, contact, &sweep->twist[contact->a], &sweep->twist[contact->b], sum);
    }
}

/* The closed contacts in a random order (Fisher and Yates); returns their number. */
static size_t shuffle(scree_sweep *sweep)
{
    uint32_t *items = sweep->shuffled;
    size_t walls = sweep->walls->count, pairs = sweep->pairs->count, count = 0;
    for (size_t k = 0; k < walls + pairs; k++) {
        const scree_row *row = k < walls ? &sweep->rows->wall_rows[k] : &sweep->rows->pair_rows[k - walls];
        if (row->closed)
            items[count++] = (uint32_t)k;
    }
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)(scree_random_unit(sweep->random) * (double)i);
        uint32_t swap = items[k];
        items[k] = items[i - 1];
        items[i - 1] = swap;
    }
    return count;
}

double scree_sweep_once(scree_sweep *sweep, scree_order order, uint64_t number)
{
    size_t count = sweep->walls->count + sweep->pairs->count;
    change sum = {0.0, 0.0};
    if (order == SCREE_ORDER_RANDOM) {
        size_t closed = shuffle(sweep);
        for (size_t k = 0; k < closed; k++)
            visit(sweep, sweep->shuffled[k], &sum);
    } else if (order == SCREE_ORDER_REVERSE || (order == SCREE_ORDER_SYMMETRIC && number % 2 == 1)) {
        for (size_t k = count; k-- > 0;)
            visit(sweep, k, &sum);
    } else {
        for (size_t k = 0; k < count; k++)
            visit(sweep, k, &sum);
    }
    return sum.held > 0.0 ? sqrt(sum.moved / sum.held) : 0.0;
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

void scree_sweep_warm(scree_sweep *sweep, scree_warm_start from, double share, double h)
{
    for (size_t i = 0; i < sweep->walls->count; i++) {
        scree_contact *contact = &sweep->walls->items[i];
        warm(&sweep->rows->wall_rows[i], contact, &sweep->twist[contact->a], &sweep->rows->surfaces[i], from, share, h);
    }
    for (size_t i = 0; i < sweep->pairs->count; i++) {
        scree_contact *contact = &sweep->pairs->items[i];
        warm(&sweep->rows->pair_rows[i], contact, &sweep->twist[contact->a], &sweep->twist[contact->b], from, share, h);
    }
}
