/*
 * Verification: cases that compare Scree with closed forms and published numbers. A case is a function that reports
 * rows.
 */
#ifndef SCREE_TOOLS_VERIFY_H
#define SCREE_TOOLS_VERIFY_H

#include "progress.h"
#include "scree.h"

#include <stdio.h>

typedef struct scree_verify {
    const char *name; /* of the case that runs */
    bool json;
    bool all;           /* the long version of cases that have one */
    const char *folder; /* for the series that plots are made from; NULL: none */
    uint32_t rows, failed;
    scree_progress progress;
    int done, chosen; /* cases */
} scree_verify;

typedef struct scree_verify_case {
    const char *name;
    const char *summary;
    bool slow; /* runs by name or with --all only */
    void (*run)(scree_verify *verify);
} scree_verify_case;

/* One row each. unit "" for none; source: where the expected value comes from. */
void verify_near(scree_verify *verify, const char *quantity, const char *unit, double measured, double expected,
                 double tolerance, const char *source);
void verify_below(scree_verify *verify, const char *quantity, const char *unit, double measured, double bound,
                  const char *source);
void verify_above(scree_verify *verify, const char *quantity, const char *unit, double measured, double bound,
                  const char *source);
/* A figure without a bound: reported beside what a source says (NAN: nothing), never a failure. */
void verify_report(scree_verify *verify, const char *quantity, const char *unit, double measured, double beside,
                   const char *source);

/* A CSV file in the folder for series, with this header written; NULL when none is wanted. Close it with fclose. */
FILE *verify_series(scree_verify *verify, const char *file, const char *header);

/*
 * A started world from lines (tools/scene_lines.h) that end in NULL. A case's own scene is right: a failure here is a
 * bug, reported as a failed row, and NULL is returned. The scene is released with verify_free.
 */
scree_world *verify_world(scree_verify *verify, scree_scene **scene, const char *const *lines);
void verify_free(scree_world *world, scree_scene *scene);

/* n steps of dt; false (and a failed row) when a step fails. */
bool verify_steps(scree_verify *verify, scree_world *world, double dt, int n);

/* The cases, one function each, in the files of this folder. */
extern const scree_verify_case scree_verify_column, scree_verify_piston, scree_verify_drop, scree_verify_slide,
    scree_verify_roll, scree_verify_oblique, scree_verify_adhesion, scree_verify_plan_table;
extern const scree_verify_case scree_verify_janssen, scree_verify_iterations, scree_verify_energy, scree_verify_longrun,
    scree_verify_threads, scree_verify_adaptive;
extern const scree_verify_case scree_verify_drum, scree_verify_blade, scree_verify_tessellated, scree_verify_hopper,
    scree_verify_pile, scree_verify_belt, scree_verify_million, scree_verify_warmstart;

#endif
