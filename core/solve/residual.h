/*
 * How far a substep is from solved, whatever solver made it: the natural map of each contact's condition, in m/s.
 *   r_n = D_n |P_n − max(0, P_n − (u_n + Σ_n P_n − b_n)/D_n)|, and likewise r_t with D_t, r_r with D_r and the arm
 * A solution has zero of each; the rms over the closed contacts is reported, relative to a scale.
 */
#ifndef SCREE_SOLVE_RESIDUAL_H
#define SCREE_SOLVE_RESIDUAL_H

#include "solve/heavy.h"
#include "solve/pair_solve.h"
#include "solve/rows.h"

typedef struct scree_residual {
    double normal, friction, rolling, momentum; /* 1, rms over scale */
    double scale;                               /* m/s */
    double overlap_error;                       /* 1 */
} scree_residual;

/*
 * Contacts of dynamic bodies count in the momentum of the grains only. job: of the pairs, with the velocities before
 * gravity; pairs: what was summed over them. gravity_change: h g.
 */
scree_residual scree_residual_measure(const scree_rows *rows, const scree_system *system, const scree_heavy *heavy,
                                      scree_pair_job *job, vec3 gravity_change, scree_pair_sums *pairs);

#endif
