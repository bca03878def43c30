/*
 * States that the importer keeps: taken, restored, released, written as bytes and read again. What an fmi2FMUstate
 * points to belongs to no instance: it may be restored in and released by any instance of the same FMU, in any order,
 * as many of them as memory holds.
 *
 * Each fails with one message, and then has changed nothing.
 */
#ifndef SCREE_FMU_STATE_H
#define SCREE_FMU_STATE_H

#include "instance.h"

/* *state: NULL, or a state whose memory may be used again. */
fmi2Status scree_saved_take(scree_instance *instance, fmi2FMUstate *state);
fmi2Status scree_saved_restore(scree_instance *instance, fmi2FMUstate state);

/* *state: NULL, or a state; NULL afterwards. */
fmi2Status scree_saved_release(scree_instance *instance, fmi2FMUstate *state);

fmi2Status scree_saved_size(scree_instance *instance, fmi2FMUstate state, size_t *size);

/* room: at least scree_saved_size; what is beyond stays as it is. */
fmi2Status scree_saved_write(scree_instance *instance, fmi2FMUstate state, fmi2Byte bytes[], size_t room);

/* *state: as for scree_saved_take. Bytes beyond those that were written are not looked at. */
fmi2Status scree_saved_read(scree_instance *instance, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);

#endif
