#include "instance.h"
#include "resource.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

static void *allocate(void *context, size_t bytes)
{
    const scree_instance *instance = context;
    return instance->callbacks.allocateMemory(1, bytes);
}

static void release(void *context, void *block)
{
    const scree_instance *instance = context;
    instance->callbacks.freeMemory(block);
}

static void *allocate_plain(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

static void release_plain(void *context, void *block)
{
    (void)context;
    free(block);
}

/* The importer's functions when it gives both, as FMI says; the C library's otherwise. */
static scree_instance *allocate_instance(const fmi2CallbackFunctions *callbacks)
{
    bool theirs = callbacks->allocateMemory && callbacks->freeMemory;
    scree_instance *instance = theirs ? callbacks->allocateMemory(1, sizeof *instance) : calloc(1, sizeof *instance);
    if (!instance)
        return NULL;
    instance->callbacks = *callbacks;
    instance->memory =
        theirs ? (scree_memory){instance, allocate, release} : (scree_memory){NULL, allocate_plain, release_plain};
    return instance;
}

fmi2CallbackFreeMemory scree_instance_free_memory(const scree_instance *instance)
{
    return instance->memory.context ? instance->callbacks.freeMemory : free;
}

/* ---------------------------------------------------------------- log */

static const char *category_of(unsigned bits)
{
    switch (bits) {
#define X(name, bits_, text)                                                                                           \
    case bits_:                                                                                                        \
        return text;
        SCREE_LOG_CATEGORIES(X)
#undef X
    default:
        return "logAll";
    }
}

static unsigned bits_of(fmi2Status status)
{
    switch (status) {
    case fmi2OK:
        return SCREE_LOGS_INFO;
    case fmi2Warning:
        return SCREE_LOGS_WARNINGS;
    case fmi2Discard:
        return SCREE_LOGS_DISCARDS;
    default:
        return SCREE_LOGS_ERRORS;
    }
}

/* The text is the format of a printf-like function, and not every importer expands it: no percent sign may be left. */
static void send(const fmi2CallbackFunctions *callbacks, fmi2String name, fmi2Status status, const char *text)
{
    static const char word[] = "(percent)";
    char clean[1024];
    size_t size = 0;
    if (!callbacks->logger)
        return;
    for (; *text && size + sizeof word < sizeof clean; text++) {
        if (*text != '%') {
            clean[size++] = *text;
            continue;
        }
        memcpy(clean + size, word, sizeof word - 1);
        size += sizeof word - 1;
    }
    clean[size] = '\0';
    callbacks->logger(callbacks->componentEnvironment, name, status, category_of(bits_of(status)), clean);
}

void scree_log_early(const fmi2CallbackFunctions *callbacks, fmi2String name, const char *text)
{
    send(callbacks, name ? name : "", fmi2Error, text);
}

fmi2Status scree_instance_log(scree_instance *instance, fmi2Status status, const char *format, ...)
{
    unsigned bits = bits_of(status);
    if (!(bits & (instance->logs | SCREE_LOGS_ERRORS)))
        return status;
    char text[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send(&instance->callbacks, instance->name, status, text);
    return status;
}

static void log_from_core(void *context, scree_log_level level, const char *text)
{
    static const fmi2Status statuses[] = {
        [SCREE_LOG_ERROR] = fmi2Error, [SCREE_LOG_WARNING] = fmi2Warning, [SCREE_LOG_INFO] = fmi2OK};
    scree_instance_log(context, statuses[level], "%s", text);
}

/* ---------------------------------------------------------------- life */

static scree_status create_world(scree_instance *instance, scree_world **world, scree_error *error)
{
    scree_log log = {instance, log_from_core};
    scree_status status = scree_world_create(instance->scene, &instance->memory, &log, world, error);
    if (status != SCREE_OK || !instance->settled)
        return status;
    scree_error why = {0};
    status = scree_world_set_settled(*world, instance->settled, instance->settled_size, &why);
    if (status == SCREE_OK)
        return status;
    scree_world_destroy(*world);
    *world = NULL;
    return scree_fail(error, status, "settled.bin: %s", why.text);
}

static void begin(scree_instance *instance)
{
    instance->reader.group = NULL;
    instance->stale = true;
    instance->time = instance->start = instance->stop = 0.0;
    instance->has_stop = false;
    instance->last_step = fmi2OK;
    scree_recorded_reset(instance, instance->state == SCREE_TERMINATED);
}

static scree_status build(scree_instance *instance, fmi2String name, fmi2String guid, fmi2String location,
                          scree_error *error)
{
    size_t size = strlen(name) + 1;
    instance->name = instance->memory.allocate(instance->memory.context, size);
    if (!instance->name)
        return scree_fail(error, SCREE_MEMORY, "out of memory");
    memcpy(instance->name, name, size);
    scree_status status = scree_resource_scene(location, &instance->memory, &instance->scene, error);
    if (status == SCREE_OK)
        status =
            scree_resource_settled(location, &instance->memory, &instance->settled, &instance->settled_size, error);
    if (status == SCREE_OK)
        status = scree_model_create(instance->scene, &instance->memory, &instance->model, error);
    if (status != SCREE_OK)
        return status;
    if (strcmp(guid, instance->model->guid) != 0)
        return scree_fail(
            error, SCREE_INVALID,
            "GUID %.60s is not that of this FMU's scene.bin, %s: modelDescription.xml and resources do not "
            "belong together",
            guid, instance->model->guid);
    begin(instance);
    return create_world(instance, &instance->world, error);
}

scree_instance *scree_instance_create(fmi2String name, fmi2String guid, fmi2String location,
                                      const fmi2CallbackFunctions *callbacks, bool logging)
{
    scree_instance *instance = allocate_instance(callbacks);
    if (!instance) {
        scree_log_early(callbacks, name, "fmi2Instantiate: out of memory");
        return NULL;
    }
    instance->logs = logging ? SCREE_LOGS_EVERYTHING : 0;
    scree_error error = {0};
    if (build(instance, name, guid, location, &error) == SCREE_OK)
        return instance;
    char text[sizeof error.text + 32];
    snprintf(text, sizeof text, "fmi2Instantiate: %s", error.text);
    scree_log_early(callbacks, name, text);
    scree_instance_destroy(instance);
    return NULL;
}

void scree_instance_destroy(scree_instance *instance)
{
    if (!instance)
        return;
    scree_recorded_reset(instance, instance->state == SCREE_TERMINATED);
    scree_world_destroy(instance->world);
    scree_model_destroy(instance->model);
    scree_scene_destroy(instance->scene);
    if (instance->settled)
        instance->memory.release(instance->memory.context, instance->settled);
    if (instance->name)
        instance->memory.release(instance->memory.context, instance->name);
    scree_instance_free_memory(instance)(instance);
}

scree_status scree_instance_reset(scree_instance *instance, scree_error *error)
{
    scree_world *fresh;
    scree_status status = create_world(instance, &fresh, error);
    if (status != SCREE_OK)
        return status;
    scree_world_destroy(instance->world);
    instance->world = fresh;
    begin(instance);
    return SCREE_OK;
}

scree_status scree_instance_ready(scree_instance *instance, scree_error *error)
{
    if (scree_world_started(instance->world) && !instance->stale)
        return SCREE_OK;
    instance->reader.group = NULL;
    scree_status status = scree_world_start(instance->world, instance->start, error);
    instance->stale = status != SCREE_OK;
    return status;
}
