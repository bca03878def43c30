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

/* ---------------------------------------------------------------- reading */

typedef struct scree_recorded_shape {
    const char *kind;  /* plane, box, … */
    double *vertices;  /* m, in the body frame, [vertex_count][3] */
    uint32_t *indices; /* [triangle_count][3], checked */
    uint32_t vertex_count, triangle_count;
} scree_recorded_shape;

typedef struct scree_recorded_body {
    const char *id, *kind; /* kind: static, driven, … */
    uint32_t material;
    scree_recorded_shape *shapes;
    uint32_t shape_count;
} scree_recorded_body;

typedef struct scree_recorded_material {
    const char *id;
    double density; /* kg/m3 */
} scree_recorded_material;

/* A further value of a grain. */
typedef struct scree_recorded_channel {
    const char *name, *unit, *description;
    bool logarithmic;         /* else a plain integer */
    double floor, per_octave; /* logarithmic: of the code */
} scree_recorded_channel;

/* All that does not change, from head.json. Belongs to the recording. */
typedef struct scree_recorded_head {
    const char *program, *name, *description;
    double gravity[3];    /* m/s2 */
    double stop, step;    /* s, what the scene proposes */
    double interval;      /* s */
    double length, speed; /* m, m/s: resolution */
    scree_recorded_material *materials;
    uint32_t material_count;
    scree_recorded_body *bodies;
    uint32_t body_count;
    scree_record_signal *signals; /* columns of a frame */
    uint32_t signal_count;
    scree_record_signal *settings; /* with their values */
    uint32_t setting_count;
    scree_recorded_channel *channels;
    uint32_t channel_count;
} scree_recorded_head;

/* One frame in SI units. Valid until the next one is read. */
typedef struct scree_recorded_frame {
    double time, wall;     /* s; wall: NAN when unknown */
    const double *signals; /* [signal_count] */
    const double *poses;   /* [body_count][7]: position, quaternion (w, x, y, z) */
    uint32_t grain_count;
    const uint32_t *id;       /* [grain_count], likewise the rest */
    const float *radius;      /* m */
    const uint32_t *material; /* below material_count */
    const double *position;   /* m, [grain_count][3] */
    const double *velocity;   /* m/s, [grain_count][3] */
    const double *channels;   /* [channel_count][grain_count] */
} scree_recorded_frame;

typedef struct scree_recording scree_recording;

/* Opens what is there, also of a run that still goes on or that broke off. memory may be NULL. */
scree_status scree_recording_open(const char *directory, const scree_memory *memory, scree_recording **recording,
                                  scree_error *error);
void scree_recording_close(scree_recording *recording);

const scree_recorded_head *scree_recording_head(const scree_recording *recording);
uint32_t scree_recording_frames(const scree_recording *recording);
double scree_recording_time(const scree_recording *recording, uint32_t frame); /* s */
bool scree_recording_done(const scree_recording *recording);                   /* the run came to its end */
uint64_t scree_recording_size(const scree_recording *recording);               /* bytes of frames.bin */

/* Reads a frame; cheap for the one after the last that was read, else up to 64 are decoded. */
scree_status scree_recording_read(scree_recording *recording, uint32_t frame, scree_recorded_frame *out,
                                  scree_error *error);

/* Signals and wall-clock time of a frame without its grains: the rest of out is 0. signals: [signal_count]. */
scree_status scree_recording_signals(scree_recording *recording, uint32_t frame, double *wall, double *signals,
                                     scree_error *error);

/* Some of the frames: those from one time to another, every n-th of them. */
typedef struct scree_excerpt {
    double from, to; /* s */
    uint32_t every;  /* 1: all; 0 counts as 1 */
} scree_excerpt;

/* How many frames that are. */
uint32_t scree_recording_count(const scree_recording *recording, const scree_excerpt *part);

/*
 * Hands over what frames.bin of a recording with these frames alone would hold, chunk by chunk. The head stays the
 * same. put may fail; its status is handed on.
 */
typedef scree_status scree_put_chunk(void *context, const uint8_t *bytes, size_t size, scree_error *error);
scree_status scree_recording_excerpt(scree_recording *recording, const scree_excerpt *part, scree_put_chunk *put,
                                     void *context, scree_error *error);

#endif
