/*
 * Beds of many grains, for the cases that have them: scenes written line by line with numbers in them, grains carried
 * from one world to another (the way to go on with other solver settings), and the height of a bed.
 */
#ifndef SCREE_TOOLS_BED_H
#define SCREE_TOOLS_BED_H

#include "verify/verify.h"

/* Lines as tools/scene_lines.h takes them. Starts as all zero; bed_world releases it. */
typedef struct scree_bed {
    char **lines; /* [count + 1], closed by NULL */
    size_t count, room;
    bool failed; /* out of memory: bed_world says so */
} scree_bed;

void bed_add(scree_bed *bed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The grains of a world, where they are, at rest and without their contacts' impulses. */
void bed_add_grains_of(scree_bed *bed, const scree_world *world, const char *material);

/*
 * Equal grains for a tube about the z axis that stands on z = 0: a lattice of 1.06 d, cut by the tube, from the bottom
 * upward, with a jitter of at most 0.03 d so that columns do not stand. A tube of 1 d gets one exact column.
 */
void bed_add_grains_in_tube(scree_bed *bed, const char *material, double diameter, double tube, uint32_t count);

/* verify_world of these lines, which are released. */
scree_world *bed_world(scree_verify *verify, scree_bed *bed, scree_scene **scene);

/*
 * A world in which gravity has grown slowly, as Paper I fills its containers (4.2.1): a chain of scenes with 2^k of a
 * first share, each going on from the grains of the one before, the last with all of it. Grains that are let go at full
 * gravity jam while they land, and friction then locks the stress of the landing in.
 */
typedef struct scree_bed_ramp {
    /* Writes the scene with this share of gravity, and the grains of `from`; without one: the first grains. */
    void (*write)(scree_bed *bed, const void *context, double share, const scree_world *from);
    const void *context;
    double first;   /* 1, the first share */
    double landing; /* s, time that the first share lasts */
    double each;    /* s, time that each other lasts */
} scree_bed_ramp;

/* NULL after a failed row. */
scree_world *bed_ramp(scree_verify *verify, const scree_bed_ramp *ramp, const scree_world *from, scree_scene **scene);

/* Grains whose centre has left a tube about the z axis: a wall that overlaps were too large for. */
uint32_t bed_escaped(const scree_world *world, double radius);

/* m, height of the surface: the highest grain of each square of two (largest) diameters, mean over the squares. */
double bed_surface(const scree_world *world);

/* s, processor time since some moment, of all threads: for figures of cost. */
double bed_seconds(void);

#endif
