#include "instance.h"

#include <string.h>

void scree_recorded_reset(scree_instance *instance, bool done)
{
    scree_recorded *recorded = &instance->recorded;
    scree_run_record_close(&recorded->record, done, NULL);
    if (recorded->directory)
        instance->memory.release(instance->memory.context, recorded->directory);
    *recorded = (scree_recorded){.interval = SCREE_RECORD_INTERVAL};
}

scree_status scree_recorded_set_directory(scree_instance *instance, const char *directory, scree_error *error)
{
    size_t size = strlen(directory) + 1;
    char *copy = size > 1 ? instance->memory.allocate(instance->memory.context, size) : NULL;
    if (size > 1 && !copy)
        return scree_fail(error, SCREE_MEMORY, "out of memory");
    if (copy)
        memcpy(copy, directory, size);
    if (instance->recorded.directory)
        instance->memory.release(instance->memory.context, instance->recorded.directory);
    instance->recorded.directory = copy;
    return SCREE_OK;
}

scree_status scree_recorded_begin(scree_instance *instance, scree_error *error)
{
    scree_recorded *recorded = &instance->recorded;
    if (!recorded->directory || recorded->record.recorder)
        return SCREE_OK;
    scree_status status = scree_run_record_open(&recorded->record, recorded->directory, recorded->interval,
                                                instance->model, instance->world, &instance->memory, error);
    recorded->wall = 0.0;
    if (status == SCREE_OK)
        status = scree_run_record_point(&recorded->record, instance->world, instance->time, 0.0, true, error);
    if (status != SCREE_OK)
        scree_run_record_close(&recorded->record, false, NULL);
    return status;
}

/* Ends a recording that has failed. */
static scree_status ended(scree_recorded *recorded, scree_status status)
{
    if (status != SCREE_OK)
        scree_run_record_close(&recorded->record, false, NULL);
    return status;
}

scree_status scree_recorded_step(scree_instance *instance, double wall, scree_error *error)
{
    scree_recorded *recorded = &instance->recorded;
    recorded->wall += wall;
    return ended(recorded, scree_run_record_point(&recorded->record, instance->world, instance->time, recorded->wall,
                                                  false, error));
}

scree_status scree_recorded_pause(scree_instance *instance, scree_error *error)
{
    scree_recorded *recorded = &instance->recorded;
    if (!recorded->record.recorder)
        return SCREE_OK;
    scree_status status = scree_run_record_point(&recorded->record, instance->world, instance->time, recorded->wall,
                                                 true, error); /* the end of the run, whatever the interval */
    if (status == SCREE_OK)
        status = scree_recorder_commit(recorded->record.recorder, error);
    return ended(recorded, status);
}

scree_status scree_recorded_restore(scree_instance *instance, scree_error *error)
{
    scree_recorded *recorded = &instance->recorded;
    if (instance->state & (SCREE_INSTANTIATED | SCREE_INITIALIZATION)) { /* it begins anew when they are over */
        scree_run_record_close(&recorded->record, false, NULL);
        return SCREE_OK;
    }
    if (!recorded->record.recorder)
        return instance->state == SCREE_STEP_COMPLETE ? scree_recorded_begin(instance, error) : SCREE_OK;
    return ended(recorded, scree_recorder_rewind(recorded->record.recorder, instance->time, error));
}
