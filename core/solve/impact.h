/*
 * Impact stage (METHOD §6): velocities jump, positions do not.
 *
 *   impacts      contacts that approach faster than v_imp: u_n⁺ = −e u_n⁻
 *   all others   u_n⁺ ≥ 0 once an impact has reached them
 * with repulsive impulses, friction and rolling within their limits, solved by sweeps over what the impacts reach. Not
 * warm started.
 *
 * Two grains, or a grain and a body, that touch nothing else: the moment of contact lies in the past by t = δ/|u_n|.
 * The jump is solved in the configuration of that moment and the grains are put where the new velocities carry them in
 * t. Without this a rebound is wrong by the overlap that the step happened to leave.
 */
#ifndef SCREE_SOLVE_IMPACT_H
#define SCREE_SOLVE_IMPACT_H

#include "solve/pair_solve.h"

/* The impulses of one contact, METHOD 1, and the speed that it must leave with. */
typedef struct scree_jump {
    double target; /* m/s, least u_n⁺ */
    double pn;     /* N s */
    vec3 pt, pr;   /* N s, N m s */
} scree_jump;

/* Scratch of one frame, taken from the arena by the first impact in it. Starts as all zero; the pairs, of which there
 * may be few or all, have memory of their own that is kept. */
typedef struct scree_impact_scratch {
    scree_jump *jumps; /* [walls that touch], in the order of scree_rows.closed */
    uint32_t *walls;   /* likewise */
    uint8_t *hit;      /* [particles], its velocity has changed or will */
    uint8_t *tiles;    /* [tiles], with newly hit grains */
    uint8_t *wanted;   /* [blocks], bit per lane: a pair to look at */
    uint8_t *degree;   /* [particles], closed contacts of those that were hit, counted up to 2 */
    uint32_t *touched; /* [touched_count], particles whose velocities have changed */
    uint32_t touched_count;
    bool ready;                  /* has been taken */
    struct scree_meeting *pairs; /* closed pairs of grains that were hit */
    size_t pairs_capacity;
} scree_impact_scratch;

typedef struct scree_impact {
    scree_rows *rows;
    const scree_contact_list *walls;
    scree_pair_job *job;        /* of the pairs */
    scree_particles *particles; /* velocities, and positions of isolated impacts, are changed */
    double speed;               /* m/s, v_imp; as in job */
    double h;                   /* s, substep: no moment of contact lies farther back */
    bool calm;                  /* no two grains are fast enough for an impact */
    bool inelastic;             /* treat contacts without restitution too */
    scree_arena *arena;
    const scree_memory *memory;
    double *shifts;     /* m, [tiles], how far grains were put off their paths; added to */
    double *left;       /* [tiles], m, that particles may go until contacts with shapes are searched for; NULL: any */
    scree_stand *stand; /* [particles], of the last substep, and vec3 *spin: they are shifted with the velocities, so
                           that the changes since then stay what they were; NULL: no need */
    vec3 *spin;
    scree_impact_scratch *scratch;
} scree_impact;

void scree_impact_forget(scree_impact_scratch *scratch); /* a new frame: what was in the arena is gone */
void scree_impact_free(scree_impact_scratch *scratch, const scree_memory *memory);

/* Number of impacts that were treated (0: nothing has changed), or UINT32_MAX when there is no memory. */
uint32_t scree_impact_run(scree_impact *impact);

/* What contact rows->closed[i] has got from the last run; only after a run that treated impacts. */
static inline scree_jump scree_impact_of_wall(const scree_impact_scratch *scratch, size_t i)
{
    return scratch->jumps[i];
}

#endif
