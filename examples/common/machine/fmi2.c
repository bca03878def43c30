/*
 * FMI 2.0 co-simulation for a machine_model: states of the protocol, values by reference, rollback. An instance and a
 * saved state are each one block of memory.
 */
#include "machine.h"

#include <fmi2Functions.h>

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum phase { INSTANTIATED = 1, INITIALIZING = 2, STEPPING = 4, TERMINATED = 8, FAILED = 16 } phase;

#define NAME_ROOM 128

/* What a state holds; the model's struct follows. */
typedef struct content {
    uint64_t guid[2];     /* of the FMU it belongs to */
    uint64_t check;       /* over the model's bytes */
    double time;          /* s, communication point */
    int32_t phase, fresh; /* fresh: outputs are those of the values */
    double model[];
} content;

typedef struct instance {
    fmi2CallbackFunctions callbacks;
    char name[NAME_ROOM];
    int logging;
    content *now; /* room for a second one follows, for steps that fail */
    content *before;
} instance;

/* ---- the GUID: FNV-1a over the interface, so that library and description must belong together */

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        h = (h ^ b[i]) * 1099511628211u;
    return h;
}

static void hash_interface(uint64_t guid[2])
{
    for (int k = 0; k < 2; k++) {
        uint64_t h = hash_bytes(14695981039346656037u + (uint64_t)k, machine.name, strlen(machine.name));
        h = hash_bytes(h, &machine.size, sizeof machine.size);
        for (size_t i = 0; i < machine.variable_count; i++) {
            const machine_variable *v = &machine.variables[i];
            h = hash_bytes(h, v->name, strlen(v->name) + 1);
            h = hash_bytes(h, v->unit, strlen(v->unit) + 1);
            h = hash_bytes(h, &v->causality, sizeof v->causality);
            h = hash_bytes(h, &v->rows, sizeof v->rows);
            h = hash_bytes(h, &v->columns, sizeof v->columns);
            h = hash_bytes(h, &v->at, sizeof v->at);
        }
        guid[k] = h;
    }
}

MACHINE_EXPORT void machine_guid(char text[40]);
void machine_guid(char text[40])
{
    uint64_t g[2];
    hash_interface(g);
    snprintf(text, 40, "{%016llx-%016llx}", (unsigned long long)g[0], (unsigned long long)g[1]);
}

/* ---- messages and checks */

static fmi2Status say(instance *m, fmi2Status status, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (m->callbacks.logger && (m->logging || status >= fmi2Error))
        m->callbacks.logger(m->callbacks.componentEnvironment, m->name, status, "logStatus", "%s", text);
    return status;
}

static int allowed(instance *m, int phases, const char *function)
{
    if (m->now->phase & phases)
        return 1;
    say(m, fmi2Error, "%s: not allowed in this state of the instance", function);
    return 0;
}

static const machine_variable *find(fmi2ValueReference reference)
{
    for (size_t i = 0; i < machine.variable_count; i++) {
        const machine_variable *v = &machine.variables[i];
        size_t count = (size_t)v->rows * (size_t)(v->columns > 0 ? v->columns : 1);
        if (reference >= v->at && reference < v->at + count)
            return v;
    }
    return NULL;
}

static size_t content_size(void)
{
    return sizeof(content) + (machine.size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static fmi2Status refresh(instance *m, const char *function)
{
    if (m->now->fresh || !(m->now->phase & (INSTANTIATED | INITIALIZING)))
        return fmi2OK;
    const char *wrong = machine.start(m->now->model);
    if (wrong)
        return say(m, fmi2Error, "%s: %s", function, wrong);
    m->now->fresh = 1;
    return fmi2OK;
}

static void begin(instance *m)
{
    memset(m->now, 0, content_size());
    hash_interface(m->now->guid);
    m->now->phase = INSTANTIATED;
    machine.defaults(m->now->model);
}

/* ---- life of an instance */

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)count, (void)categories;
    ((instance *)c)->logging = on;
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible;
    char own[40];
    machine_guid(own);
    instance *m =
        callbacks && callbacks->allocateMemory ? callbacks->allocateMemory(1, sizeof *m) : calloc(1, sizeof *m);
    if (!m)
        return NULL;
    if (callbacks)
        m->callbacks = *callbacks;
    if (!m->callbacks.allocateMemory || !m->callbacks.freeMemory) {
        m->callbacks.allocateMemory = calloc;
        m->callbacks.freeMemory = free;
    }
    snprintf(m->name, sizeof m->name, "%s", name ? name : "");
    m->logging = logging;
    if (!name || !*name || type != fmi2CoSimulation || !guid || strcmp(guid, own)) {
        say(m, fmi2Error, "fmi2Instantiate: needs a name, co-simulation and the GUID %s", own);
        m->callbacks.freeMemory(m);
        return NULL;
    }
    m->now = m->callbacks.allocateMemory(2, content_size());
    if (!m->now) {
        say(m, fmi2Error, "fmi2Instantiate: out of memory");
        m->callbacks.freeMemory(m);
        return NULL;
    }
    m->before = (content *)((char *)m->now + content_size());
    begin(m);
    return m;
}

void fmi2FreeInstance(fmi2Component c)
{
    instance *m = c;
    if (!m)
        return;
    m->callbacks.freeMemory(m->now);
    m->callbacks.freeMemory(m);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean with_stop, fmi2Real stop)
{
    (void)with_tolerance, (void)tolerance;
    instance *m = c;
    if (!allowed(m, INSTANTIATED, "fmi2SetupExperiment"))
        return fmi2Error;
    if (!isfinite(start) || (with_stop && !(stop > start)))
        return say(m, fmi2Error, "fmi2SetupExperiment: start must be finite, stop later");
    m->now->time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    instance *m = c;
    if (!allowed(m, INSTANTIATED, "fmi2EnterInitializationMode"))
        return fmi2Error;
    m->now->phase = INITIALIZING;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    instance *m = c;
    if (!allowed(m, INITIALIZING, "fmi2ExitInitializationMode"))
        return fmi2Error;
    fmi2Status status = refresh(m, "fmi2ExitInitializationMode");
    if (status == fmi2OK)
        m->now->phase = STEPPING;
    return status;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    instance *m = c;
    if (!allowed(m, STEPPING, "fmi2Terminate"))
        return fmi2Error;
    m->now->phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    begin(c);
    return fmi2OK;
}

/* ---- values */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t count, fmi2Real values[])
{
    instance *m = c;
    fmi2Status status = refresh(m, "fmi2GetReal");
    if (status != fmi2OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (!find(refs[i]))
            return say(m, fmi2Error, "fmi2GetReal: no variable has the reference %u", refs[i]);
        values[i] = m->now->model[refs[i]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t count, const fmi2Real values[])
{
    instance *m = c;
    if (!allowed(m, INSTANTIATED | INITIALIZING | STEPPING, "fmi2SetReal"))
        return fmi2Error;
    for (size_t i = 0; i < count; i++) {
        const machine_variable *v = find(refs[i]);
        if (!v)
            return say(m, fmi2Error, "fmi2SetReal: no variable has the reference %u", refs[i]);
        if (v->causality == MACHINE_OUTPUT || (v->causality == MACHINE_PARAMETER && m->now->phase == STEPPING))
            return say(m, fmi2Error, "fmi2SetReal: %s cannot be set now", v->name);
        if (!isfinite(values[i]))
            return say(m, fmi2Error, "fmi2SetReal: %s must be a finite number", v->name);
    }
    for (size_t i = 0; i < count; i++)
        m->now->model[refs[i]] = values[i];
    m->now->fresh = 0;
    return fmi2OK;
}

/* There are reals only: asking for none of the others is fine. */
static fmi2Status none(fmi2Component c, size_t count, const char *function)
{
    return count == 0 ? fmi2OK : say(c, fmi2Error, "%s: all variables are reals", function);
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t count, fmi2Integer values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2GetInteger");
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t count, fmi2Boolean values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2GetBoolean");
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference refs[], size_t count, fmi2String values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2GetString");
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t count, const fmi2Integer values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2SetInteger");
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t count, const fmi2Boolean values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2SetBoolean");
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference refs[], size_t count, const fmi2String values[])
{
    (void)refs, (void)values;
    return none(c, count, "fmi2SetString");
}

/* ---- steps */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean no_return)
{
    (void)no_return;
    instance *m = c;
    if (!allowed(m, STEPPING, "fmi2DoStep"))
        return fmi2Error;
    if (!isfinite(time) || !isfinite(h) || !(h > 0.0) || h < machine.fastest)
        return say(m, fmi2Error, "fmi2DoStep: a step of %g s from %g s; it must be above %g s", h, time,
                   machine.fastest);
    if (fabs(time - m->now->time) > 1e-6 * h + 1e-12 * fabs(time))
        return say(m, fmi2Error, "fmi2DoStep: from %.9g s, but the instance is at %.9g s", time, m->now->time);
    memcpy(m->before, m->now, content_size());
    const char *wrong = machine.step(m->now->model, time, h);
    if (wrong) {
        memcpy(m->now, m->before, content_size());
        m->now->phase = FAILED;
        return say(m, fmi2Error, "fmi2DoStep: from %.9g s: %s", time, wrong);
    }
    m->now->time = time + h;
    return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    return say(c, fmi2Error, "fmi2CancelStep: no step is pending");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "fmi2GetStatus: no step is pending");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    instance *m = c;
    if (kind != fmi2LastSuccessfulTime)
        return say(m, fmi2Discard, "fmi2GetRealStatus: only the last successful time");
    *value = m->now->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "fmi2GetIntegerStatus: none");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated)
        return say(c, fmi2Discard, "fmi2GetBooleanStatus: only whether it has terminated");
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind, (void)value;
    return say(c, fmi2Discard, "fmi2GetStringStatus: none");
}

/* ---- what is not offered; the capability flags say so */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real dknown[],
                                        fmi2Real dunknown[])
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)dknown, (void)dunknown;
    return say(c, fmi2Error, "fmi2GetDirectionalDerivative: not offered");
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[])
{
    (void)refs, (void)count, (void)orders, (void)values;
    return say(c, fmi2Error, "fmi2SetRealInputDerivatives: not offered");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[])
{
    (void)refs, (void)count, (void)orders, (void)values;
    return say(c, fmi2Error, "fmi2GetRealOutputDerivatives: not offered");
}

/* ---- state: the bytes of `content` */

static uint64_t check_of(const content *s)
{
    uint64_t h = hash_bytes(s->guid[0], &s->time, sizeof s->time);
    h = hash_bytes(h, &s->phase, sizeof s->phase + sizeof s->fresh);
    return hash_bytes(h, s->model, content_size() - sizeof *s);
}

static fmi2Status accept(instance *m, const content *s, const char *function)
{
    if (!s || memcmp(s->guid, m->now->guid, sizeof s->guid) || s->check != check_of(s))
        return say(m, fmi2Error, "%s: damaged, or no state of this FMU", function);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    instance *m = c;
    content *s = *state ? *state : m->callbacks.allocateMemory(1, content_size());
    if (!s)
        return say(m, fmi2Error, "fmi2GetFMUstate: out of memory");
    memcpy(s, m->now, content_size());
    s->check = check_of(s);
    *state = s;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    instance *m = c;
    fmi2Status status = accept(m, state, "fmi2SetFMUstate");
    if (status == fmi2OK)
        memcpy(m->now, state, content_size());
    return status;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    instance *m = c;
    if (state && *state) {
        m->callbacks.freeMemory(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    fmi2Status status = accept(c, state, "fmi2SerializedFMUstateSize");
    *size = content_size();
    return status;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    fmi2Status status = accept(c, state, "fmi2SerializeFMUstate");
    if (status != fmi2OK)
        return status;
    if (size < content_size())
        return say(c, fmi2Error, "fmi2SerializeFMUstate: needs %zu bytes", content_size());
    memcpy(bytes, state, content_size());
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    instance *m = c;
    if (size != content_size())
        return say(m, fmi2Error, "fmi2DeSerializeFMUstate: needs %zu bytes", content_size());
    content *s = m->callbacks.allocateMemory(1, size);
    if (!s)
        return say(m, fmi2Error, "fmi2DeSerializeFMUstate: out of memory");
    memcpy(s, bytes, size);
    fmi2Status status = accept(m, s, "fmi2DeSerializeFMUstate");
    if (status != fmi2OK) {
        m->callbacks.freeMemory(s);
        return status;
    }
    if (*state)
        m->callbacks.freeMemory(*state);
    *state = s;
    return fmi2OK;
}
