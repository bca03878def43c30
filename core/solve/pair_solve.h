/*
 * The solve of the pairs of grains: warm start, sweeps, residual, over packed blocks (METHOD §3, §4, §7).
 *
 * A block stores impulses only. What else a contact contributes (normal, arms, compliance, diagonals) is worked out
 * from positions, radii and velocities each time a block is visited: the arithmetic is cheaper than the memory it would
 * take to keep it.
 *
 * The kernels are compiled for several processors, chosen once per world by what this one has; all give the same bits.
 */
#ifndef SCREE_SOLVE_PAIR_SOLVE_H
#define SCREE_SOLVE_PAIR_SOLVE_H

#include "base/random.h"
#include "collide/pairs.h"
#include "solve/law.h"
#include "solve/rows.h"

typedef struct scree_kernels scree_kernels;

/* Bits of a grain whose velocity is farther than half an impact's speed from that of the tile, of all. */
enum { SCREE_LIVELY_IN_TILE = 1, SCREE_LIVELY = 2 };

/* Sums over visited contacts. */
typedef struct scree_pair_sums {
    double moved, held;               /* (N s)²: Σ ΔP_n², Σ P_n² of a sweep */
    double normal, friction, rolling; /* (m/s)², Σ of the squared residuals */
    double change;                    /* (m/s)², Σ of the squared changes of u_n in the substep */
    double error;                     /* 1, Σ |δ − δ(P_n)| over the sum of radii */
    double overlap, most;             /* 1, Σ and largest of δ over the sum of radii */
    uint32_t count;                   /* closed contacts */
    uint32_t impacts;                 /* of those, ones that approach too fast */
} scree_pair_sums;

/* What a visit reads and writes; constant during a substep. */
typedef struct scree_pair_job {
    scree_pairs *pairs;
    const scree_kernels *kernels;
    const scree_contact_law *laws; /* [materials²], for radii of 1 m; by kind */
    const scree_place *place;      /* [particles] */
    const scree_stand *stand;      /* [particles]; not for scree_pair_find_impacts */
    scree_twist *twist;            /* [particles], changed in place */
    vec3 *sums;                    /* [particles], impulses on each; set by scree_pair_measure */
    scree_pair_sums *partial;      /* [ranges] */
    const uint8_t *asleep;         /* [ranges], tiles first, whose grains stand.inv_mass says to be fixed; NULL: none */
    uint8_t *lively;               /* [particles], SCREE_LIVELY bits; scree_pace in pair_kernels.h */
    uint8_t *restless;             /* [tiles], bits that some of its grains have */
    uint8_t *hits;                 /* [blocks], bit per lane: an impact; set by scree_pair_find_impacts */
    scree_pool *pool;
    scree_loop *before; /* what a tile's grains get in the first sweep before its pairs do; NULL: nothing */
    void *context;      /* of before */
    scree_substep substep;
    double gamma;             /* s/kg; 0: the default of METHOD §3 */
    double impact_speed;      /* m/s */
    double least_restitution; /* impacts are those of pairs with more than this */
    double share;             /* of the last impulses that a warm start takes */
    float unit;               /* 1/(N s), a power of two: about one over the momentum of a mean grain at 1 m/s */
    scree_warm_start from;
    bool large;                         /* more grains than the cache has room for: what comes is called before */
    bool by_radius;                     /* rolling is limited by the smaller radius */
    bool adhesive, rubs, rolls, twists; /* some law has adhesion, friction, rolling or twist */
} scree_pair_job;

/* The kernels that this processor has. */
const scree_kernels *scree_kernels_choose(void);
/* One of them by number, for tests: 0 is the plainest; NULL when there are no more or the processor lacks it. */
const scree_kernels *scree_kernels_get(uint32_t number);
const char *scree_kernels_name(const scree_kernels *kernels);

/* Sets the laws, [materials²], and what is to be known about all of them. */
void scree_pair_laws(scree_pair_job *job, const scree_scene *settings, scree_contact_law *laws);

/* Number of closed pairs that are impacts with the present velocities; sets job->hits. */
uint32_t scree_pair_find_impacts(scree_pair_job *job);

/* Sets the first guess and applies it, with adhesion; pairs that are open lose their impulses. All of the last impulses
 * are taken as they acted, a share of them is laid into the normals of now. */
void scree_pair_warm(scree_pair_job *job);

/* One pass. order: one that is passed on from sweep to sweep; number: of passes before in this substep. Adds to sums.
 */
void scree_pair_sweep(scree_pair_job *job, scree_order order, uint64_t number, scree_random *random,
                      scree_pair_sums *sums);

/* Residuals and overlaps; adds impulses to job->sums; notes which pairs are closed. */
void scree_pair_measure(scree_pair_job *job, scree_pair_sums *sums);

/* Sets distance, overlap, normal and arms of two spheres; false when they do not touch. */
bool scree_pair_touch(scree_place a, scree_place b, scree_row *row);

#endif
