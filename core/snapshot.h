/*
 * What a snapshot holds, apart from the world that it will be taken into.
 */
#ifndef SCREE_SNAPSHOT_H
#define SCREE_SNAPSHOT_H

#include "world.h"

/* The one list of a world's plain values that travel: type, name as in scree_world. */
#define SCREE_PLAIN_VALUES(X)                                                                                          \
    X(scree_clock, clock)                                                                                              \
    X(scree_residual, residual)                                                                                        \
    X(scree_random, random)                                                                                            \
    X(uint64_t, passes)                                                                                                \
    X(double, substep)                                                                                                 \
    X(double, last_dt)                                                                                                 \
    X(double, mean_overlap)                                                                                            \
    X(double, max_overlap)                                                                                             \
    X(double, sweeps)                                                                                                  \
    X(double, mean_diameter)                                                                                           \
    X(vec3, stream)                                                                                                    \
    X(uint32_t, age)                                                                                                   \
    X(uint32_t, contacts)                                                                                              \
    X(uint32_t, substeps)                                                                                              \
    X(uint32_t, last_substeps)                                                                                         \
    X(uint32_t, impacts)                                                                                               \
    X(uint32_t, asleep)

/* The one list of a world's arrays whose length the scene gives: type, name, place and length in scree_world. */
#define SCREE_FIXED_ARRAYS(X)                                                                                          \
    X(scree_port_state, ports, ports, settings->port_count)                                                            \
    X(scree_drive, drives, drives, settings->actuator_count)                                                           \
    X(scree_node, nodes, mechanism.nodes, mechanism.count)                                                             \
    X(scree_rigid, targets, mechanism.targets, mechanism.count)                                                        \
    X(scree_rigid, bodies, bodies, settings->body_count)                                                               \
    X(scree_meter, meters, sensing.meters, settings->sensor_count)                                                     \
    X(scree_emitter_state, emitters, feeding.emitters, settings->emitter_count)                                        \
    X(scree_sink_state, sinks, feeding.sinks, settings->sink_count)

/* What of a world is neither an array nor rebuilt: one struct, so that it can be copied as a whole. */
typedef struct scree_core_state {
#define X(type, name) type name;
    SCREE_PLAIN_VALUES(X)
#undef X
    vec3 drift;                              /* of the pairs */
    double time, horizon;                    /* likewise */
    uint64_t walls, loads, knocks;           /* contacts */
    uint32_t blocks, strips, ranges, phases; /* of the pairs */
    uint32_t base, mended;                   /* likewise */
    uint32_t holds;                          /* 0 or 1: they are those of the particles as they are */
    uint32_t particles, next_id;
    uint32_t has_contacts; /* there are lists, be they empty: the world has made a step */
    uint32_t started;
} scree_core_state;

/* What a blob holds, in memory of its own, until all of it has been found good. */
typedef struct scree_loaded {
    scree_core_state state;
    scree_scene *settings;
#define X(type, name, place, length) type *name;
    SCREE_FIXED_ARRAYS(X)
#undef X
    scree_particles particles;
    scree_pairs pairs;
    scree_contact_list walls, loads, knocks;
} scree_loaded;

/* Reads and checks a snapshot of the world's scene; the world stays as it is. *to starts as all zero and is dropped by
 * the caller, also after a failure. */
scree_status scree_snapshot_read(const scree_world *world, const uint8_t *bytes, size_t size, scree_loaded *to,
                                 scree_error *error);
void scree_snapshot_drop(scree_loaded *from, const scree_memory *memory);

#endif
