/*
 * What emitters and sinks keep between one frame and the next; part of a world's state.
 */
#ifndef SCREE_FEED_FEEDING_H
#define SCREE_FEED_FEEDING_H

#include "base/random.h"
#include "base/sum.h"
#include "scene/sizes.h"

typedef struct scree_emitter_state {
    scree_feed_rate rate; /* now; scree_world_start, scree_world_set_rate */
    scree_sum mass;       /* kg, emitted since the start */
    uint64_t count;       /* grains, likewise */
    double step_mass;     /* kg, emitted in the step under way or the last one */
    double owed;          /* kg or grains, what the rate asks for and is not yet there */
    double next;          /* m, diameter of the grain that comes next; 0: not drawn */
    scree_random random;
} scree_emitter_state;

typedef struct scree_sink_state {
    scree_sum mass;   /* kg, removed since the start */
    uint64_t count;   /* grains, likewise */
    double step_mass; /* kg, removed in the step under way or the last one */
} scree_sink_state;

typedef struct scree_feeding {
    scree_emitter_state *emitters; /* [emitters] */
    scree_sink_state *sinks;       /* [sinks] */
    scree_sizes *sizes;            /* [emitters], from the scene; scree_feeding_create */
} scree_feeding;

#endif
