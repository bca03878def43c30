/*
 * Warm start and projected Gauss–Seidel sweeps over the contacts with bodies (METHOD §4, §7).
 *
 * Each touches one grain only: ranges of grains are independent of each other.
 */
#ifndef SCREE_SOLVE_SWEEP_H
#define SCREE_SOLVE_SWEEP_H

#include "solve/cone.h"
#include "solve/rows.h"

typedef struct scree_sweep {
    scree_rows *rows;
    scree_contact_list *walls; /* their impulses are the unknowns */
    scree_twist *twist;        /* [particles], changed in place */
    uint32_t particles;
    scree_pool *pool;
    const uint8_t *asleep;        /* [tiles], whose contacts stay as they are; NULL: none */
    struct scree_change *partial; /* [scree_sweep_ranges] */
} scree_sweep;

/* Sums over a sweep, for the early stop. */
typedef struct scree_change {
    double moved, held; /* (N s)²: Σ ΔP_n², Σ P_n² */
} scree_change;

/* Ranges that a sweep has. */
uint32_t scree_sweep_ranges(uint32_t particles);

/*
 * For the grains of a tile: sets the first guess of the impulses and applies it to the velocities, together with
 * adhesion. share: β of METHOD §7, times the ratio of this substep's length to the last one's.
 */
void scree_sweep_warm_tile(const scree_sweep *sweep, uint32_t tile, scree_warm_start from, double share, double h);

/* One pass over all contacts with bodies. */
scree_change scree_sweep_once(const scree_sweep *sweep, bool backwards);

/* The same tile by tile, forwards, and the sums when all are done. */
void scree_sweep_tile(const scree_sweep *sweep, uint32_t tile);
scree_change scree_sweep_sum(const scree_sweep *sweep);

#endif
