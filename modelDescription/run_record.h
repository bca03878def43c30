/*
 * A recording of a run with all outputs as its signals and all parameters as its settings; the same for `scree run` and
 * the FMU.
 */
#ifndef SCREE_RUN_RECORD_H
#define SCREE_RUN_RECORD_H

#include "model.h"
#include "recording.h"

typedef struct scree_run_record {
    scree_recorder *recorder; /* NULL: nothing is recorded */
    const scree_model *model;
    double *values; /* [outputs] */
    scree_memory memory;
} scree_run_record;

#define SCREE_RECORD_INTERVAL 0.02 /* s, unless told otherwise */

/* The world must be started. On failure nothing is recorded. */
scree_status scree_run_record_open(scree_run_record *record, const char *directory, double interval,
                                   const scree_model *model, const scree_world *world, const scree_memory *memory,
                                   scree_error *error);

/* At a communication point: takes a frame when one is due or `always` (and none was taken at this time). */
scree_status scree_run_record_point(scree_run_record *record, const scree_world *world, double time, double wall,
                                    bool always, scree_error *error);

/* Closes a recording if there is one. */
scree_status scree_run_record_close(scree_run_record *record, bool done, scree_error *error);

#endif
