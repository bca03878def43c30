/*
 * Warm start and projected Gauss–Seidel sweeps (METHOD §4, §7).
 */
#ifndef SCREE_SOLVE_SWEEP_H
#define SCREE_SOLVE_SWEEP_H

#include "base/random.h"
#include "solve/rows.h"

typedef struct scree_sweep {
    scree_rows *rows;
    scree_contact_list *pairs, *walls; /* their impulses are the unknowns */
    scree_twist *twist;                /* [particles], changed in place */
    uint32_t *shuffled;                /* [contacts], scratch of the random order; NULL otherwise */
    scree_random *random;              /* its state */
} scree_sweep;

/*
 * Sets the first guess of the impulses and applies it to the velocities, together with adhesion. share: β of METHOD §7,
 * times the ratio of this substep's length to the last one's. Open contacts lose their impulses.
 */
void scree_sweep_warm(scree_sweep *sweep, scree_warm_start from, double share, double h);

/* One pass over all contacts; number: how many passes there were before. Returns its relative change of the normal
 * impulses. */
double scree_sweep_once(scree_sweep *sweep, scree_order order, uint64_t number);

#endif
