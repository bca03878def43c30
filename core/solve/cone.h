/*
 * What one contact does, shared by warm start, sweep, impact and residual: impulses onto two bodies, and the limits of
 * friction, rolling and twisting (METHOD §3).
 */
#ifndef SCREE_SOLVE_CONE_H
#define SCREE_SOLVE_CONE_H

#include "solve/rows.h"

/* Impulse p at the contact point and angular impulse q, + on b and − on a. */
static inline void scree_apply(const scree_row *row, scree_twist *a, scree_twist *b, vec3 p, vec3 q)
{
    vec3 turn = cross(row->n, p);
    a->v = mul_add(a->v, -a->inv_mass, p);
    b->v = mul_add(b->v, b->inv_mass, p);
    a->w = mul_add(a->w, -a->inv_inertia, mul_add(q, row->la, turn));
    b->w = mul_add(b->w, b->inv_inertia, mul_add(q, -row->lb, turn));
}

/* Takes an impulse of the substep on a, as in scree_apply, out of what the velocity of a has changed by since the
 * substep began. */
static inline void scree_take_out(scree_stand *stand, vec3 *spin, double inv_inertia, vec3 n, double la, vec3 p, vec3 q)
{
    stand->v = mul_add(stand->v, -stand->inv_mass, p);
    *spin = mul_add(*spin, -inv_inertia, mul_add(q, la, cross(n, p)));
}

static inline double scree_normal_velocity(const scree_row *row, const scree_twist *a, const scree_twist *b)
{
    return dot(row->n, sub(b->v, a->v)); /* the arms are along n: rotation adds nothing */
}

static inline vec3 scree_tangential(vec3 n, vec3 p)
{
    return mul_add(p, -dot(n, p), n);
}

/* u_t = tangential part of v_b − v_a − (l_a ω_a + l_b ω_b) × n */
static inline vec3 scree_slip(const scree_row *row, const scree_twist *a, const scree_twist *b)
{
    vec3 u = sub(sub(b->v, a->v), cross(mul_add(scale(row->la, a->w), row->lb, b->w), row->n));
    return scree_tangential(row->n, u);
}

static inline vec3 scree_limit(vec3 p, double bound)
{
    double square = dot(p, p);
    return square > bound * bound ? scale(bound / sqrt(square), p) : p;
}

/* Rolling part within roll * pn, twist part within twist * pn. */
static inline vec3 scree_limit_roll(const scree_row *row, double pn, vec3 p)
{
    double along = dot(row->n, p), bound = row->twist * pn;
    vec3 rolling = scree_limit(mul_add(p, -along, row->n), row->roll * pn);
    along = along > bound ? bound : along < -bound ? -bound : along;
    return mul_add(rolling, along, row->n);
}

/* The tangential impulse that a contact wants, given its slip: proj(P_t − (u_t + Σ_t P_t)/D_t). */
static inline vec3 scree_wanted_friction(const scree_row *row, double pn, vec3 pt, vec3 u_t)
{
    return scree_limit(mul_add(pt, -row->inv_dt, mul_add(u_t, row->sigma_t, pt)), row->mu * pn);
}

/* Likewise the angular impulse, given w = ω_b − ω_a. */
static inline vec3 scree_wanted_rolling(const scree_row *row, double pn, vec3 pr, vec3 w)
{
    return scree_limit_roll(row, pn, mul_add(pr, -row->inv_dr, mul_add(w, row->sigma_r, pr)));
}

static inline bool scree_resists_rolling(const scree_row *row)
{
    return row->roll > 0.0 || row->twist > 0.0;
}

#endif
