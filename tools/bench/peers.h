/*
 * Other engines on the same grains, when they are installed (Debian: liggghts, libbullet-dev, libode-dev).
 *
 * LIGGGHTS: Hertz, tangential history, epsd2 rolling friction, with a time step of 20 % of the Rayleigh time of the
 * smallest grain, its largest sensible one. It starts from Scree's positions and velocities. Its cost per simulated
 * second follows from the processor time of a run of a stated number of steps, less that of a run of none.
 * Bullet, ODE: what a contact costs in one iteration, by the drivers in peers/ that the build makes beside `scree`.
 */
#ifndef SCREE_TOOLS_BENCH_PEERS_H
#define SCREE_TOOLS_BENCH_PEERS_H

#include "bench/bench.h"

/* What LIGGGHTS must know of a scene. */
typedef struct bench_smooth {
    double density, youngs;                /* kg/m3, Pa */
    double friction, rolling, restitution; /* 1 */
    double smallest;                       /* m, diameter */
    double low[3], high[3];                /* m, that all grains stay within */
    char walls[2048];                      /* its lines; bench_smooth_wall */
} bench_smooth;

/* Adds a wall: type 1 is of the grains' material, 2 smooth and rigid; then a primitive as its fix wall/gran has it. */
void bench_smooth_wall(bench_smooth *scene, int type, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* s, its time step. */
double bench_smooth_step(const bench_smooth *scene);

/*
 * LIGGGHTS takes over the grains as they are and runs for `settling` seconds: positions and velocities carry no
 * tangential springs, and a bed gives way until it has its own. False when LIGGGHTS is not there, or does not run,
 * which a complaint says.
 */
bool bench_smooth_start(bench *bench, const bench_smooth *scene, const scree_world *world, double settling);

typedef struct bench_smooth_result {
    double cpu;       /* s, processor time per simulated second */
    bench_mean angle; /* deg, of the centre of mass about the x axis */
    double rise;      /* m, of the centre of mass, from begin to end */
    double kinetic;   /* J, at the end */
} bench_smooth_result;

/* This many steps from there; block: s, of the angle's mean. False after a complaint. */
bool bench_smooth_run(bench *bench, const bench_smooth *scene, uint32_t steps, double block,
                      bench_smooth_result *result);

/* ns of one contact and iteration in Bullet and ODE, into report->peers; nothing where there is no driver. */
void bench_iterations(bench *bench, const scree_world *world, const double size[2], bench_report *report);

/* Adds a figure to a report. ratio: the peer's over Scree's. */
void bench_add_peer(bench_report *report, const char *name, const char *quantity, double value, double ratio);

#endif
