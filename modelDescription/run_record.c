#include "run_record.h"

#include <stdlib.h>

/* What of the host there is, is in the recording already. */
static bool is_recorded(const scree_variable *variable, scree_causality causality)
{
    return variable->causality == causality && !variable->host;
}

static uint32_t count_of(const scree_model *model, scree_causality causality)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->variable_count; i++)
        count += is_recorded(&model->variables[i], causality);
    return count;
}

/* The outputs or the parameters as signals; parameters with their values. */
static void list_signals(const scree_model *model, const scree_world *world, scree_causality causality,
                         scree_record_signal *signals)
{
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        if (!is_recorded(variable, causality))
            continue;
        *signals = (scree_record_signal){variable->name, variable->unit, variable->description, 0.0};
        if (causality == SCREE_PARAMETER)
            scree_variable_get(variable, world, &signals->value, NULL);
        signals++;
    }
}

scree_status scree_run_record_open(scree_run_record *record, const char *directory, double interval,
                                   const scree_model *model, const scree_world *world, const scree_memory *memory,
                                   scree_error *error)
{
    uint32_t outputs = count_of(model, SCREE_OUTPUT), parameters = count_of(model, SCREE_PARAMETER);
    scree_memory from = memory ? *memory : model->memory;
    *record = (scree_run_record){.model = model, .memory = from};
    record->values = from.allocate(from.context, (outputs + 1) * sizeof *record->values);
    scree_record_signal *signals = from.allocate(from.context, (outputs + parameters + 1) * sizeof *signals);
    scree_status status = SCREE_MEMORY;
    if (record->values && signals) {
        list_signals(model, world, SCREE_OUTPUT, signals);
        list_signals(model, world, SCREE_PARAMETER, signals + outputs);
        scree_record_plan plan = {.directory = directory,
                                  .interval = interval,
                                  .signals = signals,
                                  .signal_count = outputs,
                                  .settings = signals + outputs,
                                  .setting_count = parameters};
        status = scree_recorder_open(&plan, world, &from, &record->recorder, error);
    } else {
        scree_fail(error, SCREE_MEMORY, "out of memory for a recording");
    }
    if (signals)
        from.release(from.context, signals);
    if (status != SCREE_OK)
        scree_run_record_close(record, false, NULL);
    return status;
}

scree_status scree_run_record_point(scree_run_record *record, const scree_world *world, double time, double wall,
                                    bool always, scree_error *error)
{
    if (!record->recorder)
        return SCREE_OK;
    bool due = scree_recorder_due(record->recorder, time);
    if (!due && !(always && scree_recorder_is_after(record->recorder, time)))
        return SCREE_OK;
    uint32_t count = 0;
    scree_reader reader = {.group = NULL};
    for (uint32_t i = 0; i < record->model->variable_count; i++) {
        const scree_variable *variable = &record->model->variables[i];
        if (variable->causality != SCREE_OUTPUT)
            continue;
        scree_status status = scree_variable_read(variable, world, &reader, &record->values[count++], error);
        if (status != SCREE_OK)
            return status;
    }
    return scree_recorder_take(record->recorder, world, time, wall, record->values, error);
}

scree_status scree_run_record_close(scree_run_record *record, bool done, scree_error *error)
{
    scree_status status = scree_recorder_close(record->recorder, done, error);
    if (record->values)
        record->memory.release(record->memory.context, record->values);
    *record = (scree_run_record){.recorder = NULL};
    return status;
}
