/*
 * Contacts of dynamic bodies: with grains (loads) and with other bodies (knocks).
 *
 * The same law, cones and sweep as for grains (rows.h, sweep.h), with the body's full inertia at the contact point:
 *   D_n = 1/m_a + 1/m_b + (d×n)·J⁻¹(d×n) + Σ_n, d from the centre of mass to the point, for each body
 *   D_t = the larger eigenvalue of the tangential 2×2 block of the same matrix + Σ_t, D_r likewise from above
 * so that friction stays a disc and a step never overshoots. A body has many contacts and they follow each other, so
 * they are swept one after the other, after all others.
 *
 * Restitution: an approach faster than v_imp leaves with −e times its velocity, in the substep that finds it.
 */
#ifndef SCREE_SOLVE_HEAVY_H
#define SCREE_SOLVE_HEAVY_H

#include "collide/feelers.h"
#include "solve/law.h"
#include "solve/rows.h"

typedef struct scree_heavy_row {
    scree_contact_law law; /* per frame; set by scree_heavy_begin */
    uint32_t body_a;       /* UINT32_MAX: a grain; likewise */
    uint32_t body_b;       /* likewise */
    double distance;       /* m, radius; likewise */
    /* per substep; set by scree_heavy_refresh */
    uint32_t closed; /* 0 or 1; all below are valid only then */
    vec3 n, point;   /* 1, m */
    double la;       /* m, arm of a grain, along n */
    double overlap;  /* m */
    double u_n;      /* m/s, before gravity */
    double sigma_n, b_n;
    double inv_dn, inv_dt, inv_dr;
    double sigma_t, sigma_r;
    double pull; /* N s */
} scree_heavy_row;

typedef struct scree_heavy {
    scree_feelers feelers;
    scree_contact_list loads, knocks;           /* this frame's: grain or feeler a, shape b */
    scree_contact_list last_loads, last_knocks; /* the frame before */
    scree_heavy_row *load_rows, *knock_rows;    /* [count] of each, in the arena */
} scree_heavy;

/* What the contacts act on. */
typedef struct scree_heavy_system {
    scree_heavy *heavy;
    const scree_scene *settings;
    scree_particles *particles;
    const scree_placed *shapes;
    scree_rigid *bodies;
} scree_heavy_system;

/* Allocates the rows of a frame and sets what holds for all of it. False: no memory. */
bool scree_heavy_begin(const scree_heavy_system *system, scree_arena *arena);

/* impact_speed: m/s, v_imp. */
void scree_heavy_refresh(const scree_heavy_system *system, scree_substep substep, double impact_speed);

/* As scree_sweep_warm. */
void scree_heavy_warm(const scree_heavy_system *system, scree_warm_start from, double share, double h);

/* One pass over all; adds to *moved and *held Σ ΔP_n² and Σ P_n². */
/* Takes what they gave to grains in this substep out of these grains' changes of velocity. */
void scree_heavy_take_out(const scree_heavy_system *system, scree_stand *stand, vec3 *spin);
void scree_heavy_sweep(const scree_heavy_system *system, double *moved, double *held);

#endif
