/*
 * Benchmarks: scenes of fixed size whose steps are timed. A case is a function that fills in one report; the command
 * prints it as a line of a table or as a JSON object.
 */
#ifndef SCREE_TOOLS_BENCH_H
#define SCREE_TOOLS_BENCH_H

#include "progress.h"
#include "scree.h"

#include <stddef.h>

/* ---- what was measured */

/* Sums over the timed steps of one phase. */
typedef struct bench_phase {
    double simulated;      /* s */
    double wall, cpu;      /* s, monotonic clock; processor time of all threads */
    double contact_sweeps; /* closed contacts times sweeps, summed over the substeps */
    double contacts;       /* closed, mean over the steps */
    double overlap_error;  /* 1, mean over the steps; see scree_info */
    double residual;       /* 1, likewise */
    scree_profile profile; /* s, of each stage */
    uint32_t steps;
} bench_phase;

/* A mean of a series, and its standard error from the means of blocks that are long enough not to depend on each other.
 * Starts as zero but for the block. */
typedef struct bench_mean {
    uint32_t block; /* values */
    uint32_t count;
    double mean;             /* of all values */
    double in_block;         /* sum of the values of the block that is not full */
    double sum, sum_squares; /* over the means of full blocks */
} bench_mean;

void bench_mean_add(bench_mean *mean, double value);
double bench_mean_error(const bench_mean *mean); /* NAN: less than two blocks */

enum { BENCH_PEERS = 8, BENCH_PEER_NAME = 24 };

/* A figure of another engine. */
typedef struct bench_peer {
    char name[BENCH_PEER_NAME];
    const char *quantity; /* a key of the JSON object, or what else it is */
    double value;
    double ratio; /* 1, over Scree's in the same run; NAN: none */
} bench_peer;

typedef struct bench_report {
    const char *name;
    uint32_t grains;
    bench_phase settled;    /* the phase that the case is about */
    bench_phase stirred;    /* the same grains kept moving; no steps: the case has no such phase */
    double bytes_per_grain; /* all that the world has allocated, at its highest */
    double error;           /* what error_of says */
    const char *error_of;
    double figure;       /* what figure_of says; NULL there: none */
    double figure_error; /* its standard error; 0 or NAN: unknown */
    const char *figure_of, *figure_unit;
    bench_peer peers[BENCH_PEERS];
    uint32_t peer_count;
    bool failed;
} bench_report;

/* ---- a run of the command */

typedef struct bench_grain {
    double position[3]; /* m */
    double diameter;    /* m */
} bench_grain;

/* What a contact passes on in a substep, as the engine keeps it: of two grains, or of a grain and a shape. */
typedef struct bench_push {
    uint32_t a, b;             /* as in collide/pairs.h, or in collide/contacts.h */
    double p[3], qa[3], qb[3]; /* N s, N m s, likewise; on a shape: tangential, rolling, none */
    double pn, normal[3];      /* N s, 1, on a shape */
} bench_push;

typedef struct bench_grains {
    bench_grain *items;
    bench_push *pairs, *walls; /* NULL: none are known */
    uint32_t count, pair_count, wall_count;
    double substep; /* s, that the impulses are of */
} bench_grains;

typedef struct bench {
    unsigned threads;
    bool quick;         /* shorter phases, for a look */
    bool peers;         /* run the other engines too */
    const char *folder; /* for their files; peers only */
    const char *name;   /* of the case that runs */
    bench_grains ore;   /* the settled tile of the ore beds, made when first needed */
    scree_progress progress;
} bench;

typedef struct bench_case {
    const char *name;
    const char *summary;
    bool large; /* runs by name or with --all only */
    void (*run)(bench *bench, bench_report *report);
} bench_case;

extern const bench_case bench_column, bench_bed10k, bench_bed100k, bench_bed1m, bench_glass10k, bench_drum4864,
    bench_blade, bench_trench, bench_bucket;

/* ---- worlds */

/* A scene written line by line (tools/scene_lines.h) into a draft. The first failure stays. */
typedef struct bench_writer {
    scree_draft *draft;
    scree_element outer; /* as scree_draft_add_line keeps it */
    scree_status status;
    scree_error error;
} bench_writer;

/* A started world, and what it has allocated. */
typedef struct bench_world {
    scree_scene *scene;
    scree_world *world;
    size_t live, peak; /* bytes */
} bench_world;

void bench_write(bench_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_write_grains(bench_writer *writer, const bench_grains *grains, const char *material);

/* Finishes the scene and starts its world, which must not move in memory. False after a complaint. */
bool bench_open(bench *bench, bench_writer *writer, bench_world *world);
void bench_close(bench_world *world);

/* Called before each step with the time since the phase began: sets motions. */
typedef void bench_drive(scree_world *world, double time, double dt, void *context);

/*
 * n steps of dt. With a phase they are timed and added to it. drive may be NULL. False after a complaint.
 */
bool bench_steps(bench *bench, bench_world *world, uint32_t n, double dt, bench_drive *drive, void *context,
                 bench_phase *phase);

/* The grains as they are now, with what they push; false: no memory. */
bool bench_take_grains(const bench_world *world, bench_grains *grains);
void bench_free_grains(bench_grains *grains);

/* Writes the grains, of the material grain, behind the scene, and opens it with grains that push each other as these
 * do: what was at rest goes on resting. False after a complaint. */
bool bench_open_leaning(bench *bench, bench_writer *writer, const bench_grains *grains, bench_world *world);

void bench_report_world(bench_report *report, const bench_world *world);

/* ---- beds */

/* Grains in a box with a floor of their own material and smooth, rigid sides. */
typedef struct bench_bed {
    const char *solver;            /* attributes of the solver, besides the threads */
    double density, youngs;        /* kg/m3, Pa */
    double friction, rolling;      /* 1, between grains and with floor and tools */
    double restitution;            /* 1 */
    double diameter, diameter_max; /* m, uniform in number */
    double size[2];                /* m, of the floor */
    uint32_t count;                /* grains */
    double settling;               /* s, that a fall from the lattice of a fill takes to come to rest */
} bench_bed;

/* The bodies floor and sides, both driven, with ports 0 and 1; material grain is that of the bed. Room for nx by ny
 * tiles of bed->size, with one corner in the origin. */
void bench_write_bed(bench_writer *writer, const bench *bench, const bench_bed *bed, double restitution, uint32_t nx,
                     uint32_t ny);

/* Grains that have come to rest in one tile. False after a complaint. */
bool bench_settle(bench *bench, const bench_bed *bed, bench_grains *grains);

/*
 * nx by ny tiles, each the mirror image of its neighbours. The sides are smooth and rigid: a grain that leans on one
 * leans with the same force on its own image, so the whole is at rest when the tile is. False: no memory.
 */
bool bench_mirror(const bench_grains *tile, const bench_bed *bed, uint32_t nx, uint32_t ny, bench_grains *grains);

extern const bench_bed bench_ore_bed, bench_glass_bed;

#endif
