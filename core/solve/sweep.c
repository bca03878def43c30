/*
 * For each closed contact, in this order, each change of impulse applied to both bodies at once (METHOD §4):
 *   P_n ← max(0, P_n − (u_n + Σ_n P_n − b_n)/D_n)
 *   P_t ← proj(P_t − (u_t + Σ_t P_t)/D_t),  |P_t| ≤ μ P_n
 *   P_r ← proj(P_r − (w + Σ_r P_r)/D_r),    rolling part ≤ μ_r r P_n, twist part ≤ α μ r* P_n
 * with u = v_b − v_a − (l_a ω_a + l_b ω_b) × n and w = ω_b − ω_a.
 */
#include "solve/sweep.h"

/* v, ω of both bodies after an impulse P at the contact point and an angular impulse Q, + on b and − on a. */
static inline void apply(const scree_row *row, scree_twist *a, scree_twist *b, vec3 p, vec3 q)
{
    vec3 turn = cross(row->n, p);
    a->v = mul_add(a->v, -a->inv_mass, p);
    b->v = mul_add(b->v, b->inv_mass, p);
    a->w = mul_add(a->w, -a->inv_inertia, mul_add(q, row->la, turn));
    b->w = mul_add(b->w, b->inv_inertia, mul_add(q, -row->lb, turn));
}

static inline vec3 limit(vec3 p, double bound)
{
    double square = dot(p, p);
    return square > bound * bound ? scale(bound / sqrt(square), p) : p;
}

static inline vec3 tangential(vec3 n, vec3 p)
{
    return mul_add(p, -dot(n, p), n);
}

/* Rolling part within roll * pn, twist part within twist * pn. */
static inline vec3 limit_roll(const scree_row *row, double pn, vec3 p)
{
    double along = dot(row->n, p), bound = row->twist * pn;
    vec3 rolling = limit(mul_add(p, -along, row->n), row->roll * pn);
    along = along > bound ? bound : along < -bound ? -bound : along;
    return mul_add(rolling, along, row->n);
}

static inline void solve(const scree_row *row, scree_contact *contact, scree_twist *a, scree_twist *b)
{
    vec3 n = row->n, zero = {0.0, 0.0, 0.0};

    double u_n = dot(n, sub(b->v, a->v)); /* the arms are along n: rotation adds nothing */
    double pn = contact->pn - (u_n + row->sigma_n * contact->pn - row->b_n) * row->inv_dn;
    pn = pn > 0.0 ? pn : 0.0;
    vec3 push = scale(pn - contact->pn, n);
    a->v = mul_add(a->v, -a->inv_mass, push);
    b->v = mul_add(b->v, b->inv_mass, push);
    contact->pn = pn;

    if (row->mu > 0.0) {
        vec3 u = sub(sub(b->v, a->v), cross(mul_add(scale(row->la, a->w), row->lb, b->w), n));
        vec3 u_t = tangential(n, u);
        vec3 wish = mul_add(contact->pt, -row->inv_dt, mul_add(u_t, row->sigma_t, contact->pt));
        vec3 pt = limit(wish, row->mu * pn);
        apply(row, a, b, sub(pt, contact->pt), zero);
        contact->pt = pt;
    }
    if (row->roll > 0.0 || row->twist > 0.0) {
        vec3 w = sub(b->w, a->w);
        vec3 wish = mul_add(contact->pr, -row->inv_dr, mul_add(w, row->sigma_r, contact->pr));
        vec3 pr = limit_roll(row, pn, wish);
        vec3 change = sub(pr, contact->pr);
        a->w = mul_add(a->w, -a->inv_inertia, change);
        b->w = mul_add(b->w, b->inv_inertia, change);
        contact->pr = pr;
    }
}

void scree_sweep_once(scree_sweep *sweep)
{
    for (size_t i = 0; i < sweep->walls->count; i++) {
        const scree_row *row = &sweep->rows->wall_rows[i];
        scree_contact *contact = &sweep->walls->items[i];
        if (row->closed)
            solve(row, contact, &sweep->twist[contact->a], &sweep->rows->surfaces[i]);
    }
    for (size_t i = 0; i < sweep->pairs->count; i++) {
        const scree_row *row = &sweep->rows->pair_rows[i];
        scree_contact *contact = &sweep->pairs->items[i];
        if (row->closed)
            solve(row, contact, &sweep->twist[contact->a], &sweep->twist[contact->b]);
    }
}

static void warm(const scree_row *row, scree_contact *contact, scree_twist *a, scree_twist *b, scree_warm_start from,
                 double share, double h)
{
    vec3 zero = {0.0, 0.0, 0.0};
    if (!row->closed || from == SCREE_WARM_NONE) {
        contact->pn = 0.0;
        contact->pt = contact->pr = zero;
        return;
    }
    if (from == SCREE_WARM_MODEL) {
        contact->pn = h * row->k_n * row->overlap * (row->e > 1.0 ? sqrt(row->overlap) : 1.0);
        contact->pt = contact->pr = zero;
    } else {
        contact->pn *= share;
        contact->pt = limit(tangential(row->n, scale(share, contact->pt)), row->mu * contact->pn);
        contact->pr = limit_roll(row, contact->pn, scale(share, contact->pr));
    }
    apply(row, a, b, mul_add(contact->pt, contact->pn, row->n), contact->pr);
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
