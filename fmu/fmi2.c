/*
 * FMI 2.0 for co-simulation: the entry points, and in which state each may be called.
 *
 * A call that is refused (wrong state, wrong argument) leaves the instance as it was, so that the importer may go on. A
 * step that fails half-way leaves it broken: only fmi2SetFMUstate, fmi2Reset and fmi2FreeInstance lead out.
 */
#include "instance.h"
#include "state.h"
#include "values.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------- functions and states */

#define ANY      (SCREE_INSTANTIATED | SCREE_INITIALIZATION | SCREE_STEP_COMPLETE | SCREE_TERMINATED | SCREE_BROKEN)
#define SETTABLE (SCREE_INSTANTIATED | SCREE_INITIALIZATION | SCREE_STEP_COMPLETE)
#define READABLE (SCREE_INITIALIZATION | SCREE_STEP_COMPLETE | SCREE_TERMINATED | SCREE_BROKEN)
#define STEPPED  (SCREE_STEP_COMPLETE | SCREE_TERMINATED | SCREE_BROKEN)

/* FMI 2.0, section 4.2.4. Functions that this FMU exports only so that they can be loaded say so in every state. */
#define FUNCTIONS(X)                                                                                                   \
    X(fmi2SetDebugLogging, ANY)                                                                                        \
    X(fmi2SetupExperiment, SCREE_INSTANTIATED)                                                                         \
    X(fmi2EnterInitializationMode, SCREE_INSTANTIATED)                                                                 \
    X(fmi2ExitInitializationMode, SCREE_INITIALIZATION)                                                                \
    X(fmi2Terminate, SCREE_STEP_COMPLETE)                                                                              \
    X(fmi2Reset, ANY)                                                                                                  \
    X(fmi2GetReal, READABLE)                                                                                           \
    X(fmi2GetInteger, READABLE)                                                                                        \
    X(fmi2GetBoolean, READABLE)                                                                                        \
    X(fmi2GetString, READABLE)                                                                                         \
    X(fmi2SetReal, SETTABLE)                                                                                           \
    X(fmi2SetInteger, SETTABLE)                                                                                        \
    X(fmi2SetBoolean, SETTABLE)                                                                                        \
    X(fmi2SetString, SETTABLE)                                                                                         \
    X(fmi2SetRealInputDerivatives, SETTABLE)                                                                           \
    X(fmi2GetRealOutputDerivatives, STEPPED)                                                                           \
    X(fmi2GetDirectionalDerivative, STEPPED)                                                                           \
    X(fmi2GetFMUstate, ANY)                                                                                            \
    X(fmi2SetFMUstate, ANY)                                                                                            \
    X(fmi2FreeFMUstate, ANY)                                                                                           \
    X(fmi2SerializedFMUstateSize, ANY)                                                                                 \
    X(fmi2SerializeFMUstate, ANY)                                                                                      \
    X(fmi2DeSerializeFMUstate, ANY)                                                                                    \
    X(fmi2DoStep, SCREE_STEP_COMPLETE)                                                                                 \
    X(fmi2GetStatus, STEPPED)                                                                                          \
    X(fmi2GetRealStatus, STEPPED)                                                                                      \
    X(fmi2GetIntegerStatus, STEPPED)                                                                                   \
    X(fmi2GetBooleanStatus, STEPPED)                                                                                   \
    X(fmi2GetStringStatus, STEPPED)

typedef enum function {
#define X(name, states) CALL_##name,
    FUNCTIONS(X)
#undef X
} function;

static const struct {
    const char *name;
    unsigned states; /* where the call is allowed */
} functions[] = {
#define X(name, states) {#name, states},
    FUNCTIONS(X)
#undef X
};

static const struct {
    scree_state state;
    const char *name;
} states[] = {
    {SCREE_INSTANTIATED, "instantiated"},
    {SCREE_INITIALIZATION, "initialization mode"},
    {SCREE_STEP_COMPLETE, "step complete"},
    {SCREE_TERMINATED, "terminated"},
    {SCREE_BROKEN, "error"},
};

/* The instance when the function may be called now; else NULL, and a message that says where it may be. */
static scree_instance *enter(fmi2Component component, function called)
{
    scree_instance *instance = component;
    if (!instance || (functions[called].states & instance->state))
        return instance;
    char allowed[128] = "";
    const char *present = "", *comma = "";
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (states[i].state == instance->state)
            present = states[i].name;
        if (!(functions[called].states & states[i].state))
            continue;
        strcat(allowed, comma);
        strcat(allowed, states[i].name);
        comma = ", ";
    }
    scree_instance_log(instance, fmi2Error, "%s: not allowed in state \"%s\"; allowed in: %s", functions[called].name,
                       present, allowed);
    return NULL;
}

/* ---------------------------------------------------------------- versions and logging */

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

static unsigned category_bits(fmi2String category)
{
#define X(name, bits, text)                                                                                            \
    if (strcmp(category, text) == 0)                                                                                   \
        return bits;
    SCREE_LOG_CATEGORIES(X)
#undef X
    return 0;
}

/* Errors are told whatever is chosen: they say why a call failed. No categories, or none but NULL: all. */
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetDebugLogging);
    if (!instance)
        return fmi2Error;
    if (nCategories > 0 && !categories)
        return scree_instance_log(instance, fmi2Error, "fmi2SetDebugLogging: the list of categories is NULL");
    unsigned chosen = 0;
    bool named = false;
    for (size_t i = 0; i < nCategories; i++) {
        if (!categories[i])
            continue;
        named = true;
        unsigned bits = category_bits(categories[i]);
        if (bits == 0)
            return scree_instance_log(instance, fmi2Error,
                                      "fmi2SetDebugLogging: unknown category \"%.60s\"; allowed: logStatusError, "
                                      "logStatusDiscard, logStatusWarning, logInfo, logAll",
                                      categories[i]);
        chosen |= bits;
    }
    if (!named)
        chosen = SCREE_LOGS_EVERYTHING;
    if (!loggingOn)
        chosen = instance->logs & ~chosen;
    instance->logs = chosen;
    return fmi2OK;
}

/* ---------------------------------------------------------------- life */

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation, const fmi2CallbackFunctions *callbacks,
                              fmi2Boolean visible, fmi2Boolean loggingOn)
{
    (void)visible; /* there is nothing to show */
    const char *wrong = NULL;
    if (!callbacks)
        return NULL;
    if (!instanceName || !instanceName[0])
        wrong = "fmi2Instantiate: the instance has no name";
    else if (fmuType != fmi2CoSimulation)
        wrong = "fmi2Instantiate: this FMU is for co-simulation only";
    else if (!fmuGUID)
        wrong = "fmi2Instantiate: there is no GUID";
    if (wrong) {
        scree_log_early(callbacks, instanceName, wrong);
        return NULL;
    }
    scree_instance *instance =
        scree_instance_create(instanceName, fmuGUID, fmuResourceLocation, callbacks, loggingOn != fmi2False);
    if (instance)
        instance->state = SCREE_INSTANTIATED;
    return instance;
}

void fmi2FreeInstance(fmi2Component c)
{
    scree_instance_destroy(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
                               fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    scree_instance *instance = enter(c, CALL_fmi2SetupExperiment);
    (void)toleranceDefined; /* accuracy is chosen by the solver parameters */
    (void)tolerance;
    if (!instance)
        return fmi2Error;
    if (!isfinite(startTime))
        return scree_instance_log(instance, fmi2Error, "fmi2SetupExperiment: startTime = %g must be finite", startTime);
    if (stopTimeDefined && !(stopTime > startTime))
        return scree_instance_log(instance, fmi2Error,
                                  "fmi2SetupExperiment: stopTime = %g must be after startTime = %g", stopTime,
                                  startTime);
    instance->start = instance->time = startTime;
    instance->has_stop = stopTimeDefined != fmi2False;
    instance->stop = stopTime;
    instance->stale = true;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    scree_instance *instance = enter(c, CALL_fmi2EnterInitializationMode);
    if (!instance)
        return fmi2Error;
    instance->state = SCREE_INITIALIZATION;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    scree_instance *instance = enter(c, CALL_fmi2ExitInitializationMode);
    scree_error error;
    if (!instance)
        return fmi2Error;
    if (scree_instance_ready(instance, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "fmi2ExitInitializationMode: %s", error.text);
    if (scree_recorded_begin(instance, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "fmi2ExitInitializationMode: record.directory: %s", error.text);
    instance->state = SCREE_STEP_COMPLETE;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    scree_instance *instance = enter(c, CALL_fmi2Terminate);
    if (!instance)
        return fmi2Error;
    instance->state = SCREE_TERMINATED;
    scree_error error;
    if (scree_recorded_pause(instance, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Warning, "fmi2Terminate: %s", error.text);
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    scree_instance *instance = enter(c, CALL_fmi2Reset);
    scree_error error;
    if (!instance)
        return fmi2Error;
    if (scree_instance_reset(instance, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "fmi2Reset: %s", error.text);
    instance->state = SCREE_INSTANTIATED;
    return fmi2OK;
}

/* ---------------------------------------------------------------- values */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetReal);
    return instance ? scree_get_values(instance, "fmi2GetReal", SCREE_TYPE_REAL, vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetInteger);
    return instance ? scree_get_values(instance, "fmi2GetInteger", SCREE_TYPE_INTEGER, vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetBoolean);
    (void)vr, (void)value;
    return instance ? scree_no_values(instance, "fmi2GetBoolean", "Boolean", nvr) : fmi2Error;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetString);
    return instance ? scree_get_strings(instance, "fmi2GetString", vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetReal);
    return instance ? scree_set_values(instance, "fmi2SetReal", SCREE_TYPE_REAL, vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetInteger);
    return instance ? scree_set_values(instance, "fmi2SetInteger", SCREE_TYPE_INTEGER, vr, nvr, value) : fmi2Error;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetBoolean);
    (void)vr, (void)value;
    return instance ? scree_no_values(instance, "fmi2SetBoolean", "Boolean", nvr) : fmi2Error;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetString);
    return instance ? scree_set_strings(instance, "fmi2SetString", vr, nvr, value) : fmi2Error;
}

/* ---------------------------------------------------------------- derivatives */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    scree_instance *instance = enter(c, CALL_fmi2SetRealInputDerivatives);
    return instance ? scree_set_rates(instance, "fmi2SetRealInputDerivatives", vr, nvr, order, value) : fmi2Error;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetRealOutputDerivatives);
    return instance ? scree_get_rates(instance, "fmi2GetRealOutputDerivatives", vr, nvr, order, value) : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count,
                                        const fmi2Real known_changes[], fmi2Real unknown_changes[])
{
    scree_instance *instance = enter(c, CALL_fmi2GetDirectionalDerivative);
    return instance ? scree_get_sensitivities(instance, "fmi2GetDirectionalDerivative", unknowns, unknown_count, knowns,
                                              known_count, known_changes, unknown_changes)
                    : fmi2Error;
}

/* ---------------------------------------------------------------- steps */

/* Two times that differ by the rounding of a sum of many steps only. Relative to the times and to the step, for the
   start may be at zero. */
static bool is_same_time(double a, double b, double step)
{
    double scale = fmax(fmax(fabs(a), fabs(b)), step);
    return fabs(a - b) <= 1e-9 * scale;
}

static fmi2Status check_step(scree_instance *instance, double point, double step)
{
    if (!isfinite(point) || !isfinite(step))
        return scree_instance_log(instance, fmi2Error,
                                  "fmi2DoStep: communication point %g s and step %g s must be finite", point, step);
    if (!(step > 0.0))
        return scree_instance_log(instance, fmi2Error, "fmi2DoStep: a step of %g s; it must be above 0", step);
    if (!is_same_time(point, instance->time, step))
        return scree_instance_log(instance, fmi2Error,
                                  "fmi2DoStep: communication point %.12g s; the last step ended at %.12g s", point,
                                  instance->time);
    if (instance->has_stop && point + step > instance->stop && !is_same_time(point + step, instance->stop, step))
        return scree_instance_log(instance, fmi2Error,
                                  "fmi2DoStep: a step from %.12g s to %.12g s is past stopTime = %.12g s", point,
                                  point + step, instance->stop);
    return fmi2OK;
}

/* A step that met a limit: the importer may go on from where it ended, or take it back. */
static fmi2Status discard_step(scree_instance *instance, double point, double step, double done,
                               const scree_error *error)
{
    instance->last_step = fmi2Discard;
    if (done > 0.0)
        instance->time = point + done;
    return scree_instance_log(instance, fmi2Discard, "fmi2DoStep: ends at %.12g s instead of %.12g s: %s",
                              instance->time, point + step, error->text);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    scree_instance *instance = enter(c, CALL_fmi2DoStep);
    scree_error error;
    (void)noSetFMUStatePriorToCurrentPoint; /* nothing is kept for going back: the importer has its states */
    if (!instance || check_step(instance, currentCommunicationPoint, communicationStepSize) != fmi2OK)
        return fmi2Error;
    double begin = now(), before = scree_world_time(instance->world);
    instance->reader.group = NULL;
    scree_status status = scree_world_step(instance->world, communicationStepSize, &error);
    if (status == SCREE_OK) {
        instance->time = currentCommunicationPoint + communicationStepSize; /* the master's clock, not a sum of steps */
        if (scree_recorded_step(instance, now() - begin, &error) != SCREE_OK)
            return instance->last_step = scree_instance_log(instance, fmi2Warning, "fmi2DoStep: %s", error.text);
        return instance->last_step = fmi2OK;
    }
    if (status == SCREE_LIMIT)
        return discard_step(instance, currentCommunicationPoint, communicationStepSize,
                            scree_world_time(instance->world) - before, &error);
    instance->last_step = fmi2Error;
    if (scree_world_started(instance->world))
        return scree_instance_log(instance, fmi2Error, "fmi2DoStep: %s", error.text);
    instance->state = SCREE_BROKEN;
    return scree_instance_log(instance, fmi2Error, "fmi2DoStep: %s; fmi2SetFMUstate or fmi2Reset lead on", error.text);
}

/* ---------------------------------------------------------------- status */

static fmi2Status no_status(scree_instance *instance, function called)
{
    return scree_instance_log(instance, fmi2Discard, "%s: there is no status of that kind and type",
                              functions[called].name);
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    scree_instance *instance = enter(c, CALL_fmi2GetStatus);
    if (!instance)
        return fmi2Error;
    if (s != fmi2DoStepStatus || !value)
        return no_status(instance, CALL_fmi2GetStatus);
    *value = instance->last_step;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    scree_instance *instance = enter(c, CALL_fmi2GetRealStatus);
    if (!instance)
        return fmi2Error;
    if (s != fmi2LastSuccessfulTime || !value)
        return no_status(instance, CALL_fmi2GetRealStatus);
    *value = instance->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    scree_instance *instance = enter(c, CALL_fmi2GetIntegerStatus);
    (void)s, (void)value;
    return instance ? no_status(instance, CALL_fmi2GetIntegerStatus) : fmi2Error;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    scree_instance *instance = enter(c, CALL_fmi2GetBooleanStatus);
    if (!instance)
        return fmi2Error;
    if (s != fmi2Terminated || !value)
        return no_status(instance, CALL_fmi2GetBooleanStatus);
    *value = fmi2False; /* a scene never asks to stop */
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    scree_instance *instance = enter(c, CALL_fmi2GetStringStatus);
    if (!instance)
        return fmi2Error;
    if (s != fmi2PendingStatus || !value)
        return no_status(instance, CALL_fmi2GetStringStatus);
    *value = ""; /* steps are never pending */
    return fmi2OK;
}

/* ---------------------------------------------------------------- states that the importer keeps */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    scree_instance *instance = enter(c, CALL_fmi2GetFMUstate);
    return instance ? scree_saved_take(instance, FMUstate) : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    scree_instance *instance = enter(c, CALL_fmi2SetFMUstate);
    scree_error error;
    if (!instance || scree_saved_restore(instance, FMUstate) != fmi2OK)
        return fmi2Error;
    if (scree_recorded_restore(instance, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Warning, "fmi2SetFMUstate: %s", error.text);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    scree_instance *instance = enter(c, CALL_fmi2FreeFMUstate);
    return instance ? scree_saved_release(instance, FMUstate) : fmi2Error;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    scree_instance *instance = enter(c, CALL_fmi2SerializedFMUstateSize);
    return instance ? scree_saved_size(instance, FMUstate, size) : fmi2Error;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size)
{
    scree_instance *instance = enter(c, CALL_fmi2SerializeFMUstate);
    return instance ? scree_saved_write(instance, FMUstate, serializedState, size) : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    scree_instance *instance = enter(c, CALL_fmi2DeSerializeFMUstate);
    return instance ? scree_saved_read(instance, serializedState, size, FMUstate) : fmi2Error;
}
