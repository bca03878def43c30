/*
 * Recordings: a run kept in a directory, frame by frame. docs/record.md has the format to the bit.
 *
 *   scree_recorder    writes one while a world steps; used by `scree run` and by the FMU
 *   scree_recording   reads one
 *
 * Sees core/scree.h only, needs the C library only. A recorder never changes the world it looks at.
 */
#ifndef SCREE_RECORDING_H
#define SCREE_RECORDING_H

#include "scree.h"

#define SCREE_RECORD_VERSION 1

/* ---------------------------------------------------------------- writing */

/* A value that is recorded: an output in every frame, or (with value) a setting once. */
typedef struct scree_record_signal {
    const char *name;
    const char *unit;
    const char *description;
    double value; /* settings only */
} scree_record_signal;

/* What a recording is to hold. Everything is copied. */
typedef struct scree_record_plan {
    const char *directory;
    double interval;                    /* s, between frames; 0: a frame whenever asked */
    const scree_record_signal *signals; /* [signal_count], columns of a frame */
    uint32_t signal_count;
    const scree_record_signal *settings; /* [setting_count] */
    uint32_t setting_count;
} scree_record_plan;

typedef struct scree_recorder scree_recorder;

/*
 * Begins a recording of a started world: makes the directory when there is none, replaces a recording that lies there,
 * refuses a directory with anything else in it and one that is being recorded into. memory may be NULL.
 */
scree_status scree_recorder_open(const scree_record_plan *plan, const scree_world *world, const scree_memory *memory,
                                 scree_recorder **recorder, scree_error *error);

/* Whether the interval since the last frame is over (to 1e-9 of it); always before the first frame. */
bool scree_recorder_due(const scree_recorder *recorder, double time);

/* Whether a frame may be taken at this time: the recording goes on, and its last frame is before. */
bool scree_recorder_is_after(const scree_recorder *recorder, double time);

/*
 * Takes a frame of the world as it is now. It is written when the next frame is taken, by commit or by close, so that
 * rewind can still drop it. time must be above that of the last frame. signals: [signal_count]. wall: s, see the
 * format; NAN when unknown. After a failure to write, what was written before stays readable.
 */
scree_status scree_recorder_take(scree_recorder *recorder, const scree_world *world, double time, double wall,
                                 const double *signals, scree_error *error);
scree_status scree_recorder_commit(scree_recorder *recorder, scree_error *error);

/* The world went back to `time`: takes back all frames after it. */
scree_status scree_recorder_rewind(scree_recorder *recorder, double time, scree_error *error);

/* Writes what is left and lets go of everything. done: the run came to its end. NULL is allowed. */
scree_status scree_recorder_close(scree_recorder *recorder, bool done, scree_error *error);

uint64_t scree_recorder_frames(const scree_recorder *recorder); /* written or held back */

#endif
