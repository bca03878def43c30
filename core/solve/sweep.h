/*
 * Warm start and projected Gauss–Seidel sweeps (METHOD §4, §7).
 */
#ifndef SCREE_SOLVE_SWEEP_H
#define SCREE_SOLVE_SWEEP_H

#include "solve/rows.h"

typedef struct scree_sweep {
    scree_rows *rows;
    scree_contact_list *pairs, *walls; /* their impulses are the unknowns */
    scree_twist *twist;                /* [particles], changed in place */
} scree_sweep;

/*
 * Sets the first guess of the impulses and applies it to the velocities. share: β of METHOD §7, times the ratio of this
 * substep's length to the last one's. Open contacts lose their impulses.
 */
void scree_sweep_warm(scree_sweep *sweep, scree_warm_start from, double share, double h);

/* One pass over all contacts, walls first. */
void scree_sweep_once(scree_sweep *sweep);

#endif
