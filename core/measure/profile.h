/*
 * Where the time of a step goes: a stopwatch that is read at the end of every stage, on the thread that steps.
 */
#ifndef SCREE_MEASURE_PROFILE_H
#define SCREE_MEASURE_PROFILE_H

#include "base/machine.h"
#include "scree.h"

typedef struct scree_stopwatch {
    scree_profile sums;
    double last; /* s, of the machine's clock: end of the stage before */
    bool wanted; /* by the scene or scree_world_set_profile */
} scree_stopwatch;

static inline void scree_stopwatch_begin(scree_stopwatch *watch)
{
    if (watch->wanted)
        watch->last = scree_machine_seconds();
}

/* The stage ends here and another begins. */
static inline void scree_stopwatch_end(scree_stopwatch *watch, scree_stage stage)
{
    if (!watch->wanted)
        return;
    double now = scree_machine_seconds();
    watch->sums.seconds[stage] += now - watch->last;
    watch->last = now;
}

#endif
