/*
 * One instance of the FMU: the scene it carries, the table of variables, the world that steps, and the importer's
 * callbacks. Knows nothing of the order in which FMI allows calls; that is fmi2.c.
 */
#ifndef SCREE_FMU_INSTANCE_H
#define SCREE_FMU_INSTANCE_H

#include "model.h"
#include "recorded.h"

#include <fmi2Functions.h>

/* The states of FMI 2.0, section 4.2.4, that a slave without asynchronous steps has; one bit each. */
typedef enum scree_state {
    SCREE_INSTANTIATED = 1,
    SCREE_INITIALIZATION = 2,
    SCREE_STEP_COMPLETE = 4,
    SCREE_TERMINATED = 8,
    SCREE_BROKEN = 16 /* error: a step failed half-way; only a restored state, reset and free lead out */
} scree_state;

/* One list: bit of the mask, name in modelDescription.xml. */
#define SCREE_LOG_CATEGORIES(X)                                                                                        \
    X(ERRORS, 1, "logStatusError")                                                                                     \
    X(DISCARDS, 2, "logStatusDiscard")                                                                                 \
    X(WARNINGS, 4, "logStatusWarning")                                                                                 \
    X(INFO, 8, "logInfo")                                                                                              \
    X(EVERYTHING, 15, "logAll")

enum {
#define X(name, bits, text) SCREE_LOGS_##name = bits,
    SCREE_LOG_CATEGORIES(X)
#undef X
};

typedef struct scree_instance {
    scree_state state; /* set by fmi2.c, and by state.c when it restores one */
    fmi2CallbackFunctions callbacks;
    scree_memory memory; /* the importer's, or the C library's */
    char *name;
    unsigned logs; /* which categories the importer wants; errors always pass */
    scree_scene *scene;
    uint8_t *settled; /* state that worlds start from; NULL: none */
    size_t settled_size;
    scree_model *model;
    scree_world *world;
    bool stale;          /* an input changed since the world was started: it starts anew before its outputs are read */
    scree_reader reader; /* outputs that were read last; forgotten when the world or its inputs change */
    double time;         /* s, the master's: the last communication point plus its step */
    double start, stop;  /* s */
    bool has_stop;
    fmi2Status last_step; /* what the last fmi2DoStep returned */
    scree_recorded recorded;
} scree_instance;

/* NULL when that fails; the importer's log then says why. */
scree_instance *scree_instance_create(fmi2String name, fmi2String guid, fmi2String location,
                                      const fmi2CallbackFunctions *callbacks, bool logging);
void scree_instance_destroy(scree_instance *instance);

/* What frees the memory that instance->memory gives; needs no instance, for blocks that may outlive it. */
fmi2CallbackFreeMemory scree_instance_free_memory(const scree_instance *instance);

/* As just created, but for the choice of logs. On failure the instance stays as it was. */
scree_status scree_instance_reset(scree_instance *instance, scree_error *error);

/* Makes outputs readable during initialization: starts the world from the present parameters and inputs. */
scree_status scree_instance_ready(scree_instance *instance, scree_error *error);

/* Sends a complete text to the importer, in the category of the status, and returns the status. */
fmi2Status scree_instance_log(scree_instance *instance, fmi2Status status, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The same before there is an instance. */
void scree_log_early(const fmi2CallbackFunctions *callbacks, fmi2String name, const char *text);

#endif
