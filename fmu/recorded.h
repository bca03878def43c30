/*
 * The recording that the parameters record.directory and record.interval switch on. It is no part of the simulation:
 * FMU states do not hold it, and when it fails, say because the disk is full, the simulation goes on.
 */
#ifndef SCREE_FMU_RECORDED_H
#define SCREE_FMU_RECORDED_H

#include "run_record.h"

struct scree_instance;

typedef struct scree_recorded {
    char *directory; /* record.directory; NULL: "" */
    double interval; /* s, record.interval */
    scree_run_record record;
    double wall; /* s, spent in steps since the start */
} scree_recorded;

/* As at instantiation; closes what is open. done: the run came to its end. */
void scree_recorded_reset(struct scree_instance *instance, bool done);

scree_status scree_recorded_set_directory(struct scree_instance *instance, const char *directory, scree_error *error);

/* Begins, when a directory is set and nothing is open. The world is at its start, or at a restored state. */
scree_status scree_recorded_begin(struct scree_instance *instance, scree_error *error);

/* After a step; wall: s that it took. */
scree_status scree_recorded_step(struct scree_instance *instance, double wall, scree_error *error);

/* Nothing more is to come for now: what is held back is written. */
scree_status scree_recorded_pause(struct scree_instance *instance, scree_error *error);

/* An FMU state was restored: frames after its time are taken back. */
scree_status scree_recorded_restore(struct scree_instance *instance, scree_error *error);

#endif
