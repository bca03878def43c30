/*
 * Getting and setting values by value reference: all of a call or nothing of it.
 */
#ifndef SCREE_FMU_VALUES_H
#define SCREE_FMU_VALUES_H

#include "instance.h"

/* function: the name for messages. values: fmi2Real or fmi2Integer, as type says. */
fmi2Status scree_get_values(scree_instance *instance, const char *function, scree_type type,
                            const fmi2ValueReference references[], size_t count, void *values);
fmi2Status scree_set_values(scree_instance *instance, const char *function, scree_type type,
                            const fmi2ValueReference references[], size_t count, const void *values);

/*
 * Derivatives. Those of inputs hold for the next step. Orders above 2, and inputs whose derivatives have no effect, are
 * a warning. Outputs that have no derivative give 0 and fmi2Discard.
 */
fmi2Status scree_set_rates(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                           size_t count, const fmi2Integer orders[], const fmi2Real values[]);
fmi2Status scree_get_rates(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                           size_t count, const fmi2Integer orders[], fmi2Real values[]);

/* Σ over the knowns of the unknown's derivative by the known, times the known's change. */
fmi2Status scree_get_sensitivities(scree_instance *instance, const char *function, const fmi2ValueReference unknowns[],
                                   size_t unknown_count, const fmi2ValueReference knowns[], size_t known_count,
                                   const fmi2Real known_changes[], fmi2Real unknown_changes[]);

/* For the types that no variable of a scene has: succeeds for an empty list only. */
/* A string lives until it is set anew or the instance is reset or freed. */
fmi2Status scree_get_strings(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                             size_t count, fmi2String values[]);
fmi2Status scree_set_strings(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                             size_t count, const fmi2String values[]);

fmi2Status scree_no_values(scree_instance *instance, const char *function, const char *type, size_t count);

#endif
