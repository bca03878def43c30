/*
 * Values of variables: from the table to the world and back.
 */
#include "groups.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- get */

static double get_setting(const scree_variable *variable, const scree_world *world)
{
    const void *value = scree_scene_value(scree_world_settings(world), variable->record, variable->field);
    if (variable->field->kind == SCREE_FIELD_COUNT)
        return (double)*(const uint32_t *)value;
    return ((const double *)value)[variable->component];
}

scree_status scree_variable_read(const scree_variable *variable, const scree_world *world, scree_reader *reader,
                                 double *value, scree_error *error)
{
    uint32_t owner = variable->record.index;
    if (variable->causality == SCREE_OUTPUT && !scree_world_started(world))
        return scree_fail(error, SCREE_STATE, "%s: has no value before the start", variable->name);
    if (variable->host)
        return scree_fail(error, SCREE_STATE, "%s: belongs to the FMU, not to the world", variable->name);
    if (variable->field) {
        *value = get_setting(variable, world);
        return SCREE_OK;
    }
    if (variable->item->grid) {
        *value = variable->item->cell(world, owner, variable->component);
        return SCREE_OK;
    }
    if (reader->group != variable->group || reader->owner != owner) {
        reader->group = NULL;
        scree_status status = variable->group->get(world, owner, reader->values);
        if (status != SCREE_OK)
            return scree_fail(error, status, "%s: %s", variable->name, scree_status_text(status));
        reader->group = variable->group;
        reader->owner = owner;
    }
    *value = scree_item_value(variable->item, variable->component, reader->values);
    return SCREE_OK;
}

scree_status scree_variable_get(const scree_variable *variable, const scree_world *world, double *value,
                                scree_error *error)
{
    scree_reader reader = {.group = NULL};
    return scree_variable_read(variable, world, &reader, value, error);
}

/* ---------------------------------------------------------------- set */

scree_status scree_variable_check(const scree_variable *variable, double value, scree_error *error)
{
    if (variable->causality == SCREE_OUTPUT)
        return scree_fail(error, SCREE_INVALID, "%s: is an output; only parameters and inputs can be set",
                          variable->name);
    if (!isfinite(value))
        return scree_fail(error, SCREE_INVALID, "%s = %g: must be a finite number", variable->name, value);
    if (variable->type == SCREE_TYPE_INTEGER && value != floor(value))
        return scree_fail(error, SCREE_INVALID, "%s = %g: must be a whole number", variable->name, value);
    if (!variable->has_range)
        return SCREE_OK;
    bool open = variable->field && (variable->field->flags & SCREE_FIELD_OPEN_MIN);
    if (value > variable->max || value < variable->min || (open && value == variable->min)) {
        bool plain = strcmp(variable->unit, "1") == 0;
        return scree_fail(error, SCREE_INVALID, "%s = %.10g is out of range; allowed: %s %.10g to %.10g%s%s",
                          variable->name, value, open ? "above" : "from", variable->min, variable->max,
                          plain ? "" : " ", plain ? "" : variable->unit);
    }
    return SCREE_OK;
}

scree_status scree_variable_set(const scree_variable *variable, scree_world *world, double value, scree_error *error)
{
    scree_status status = scree_variable_check(variable, value, error);
    if (status != SCREE_OK)
        return status;
    if (variable->host)
        return scree_fail(error, SCREE_STATE, "%s: belongs to the FMU, not to the world", variable->name);
    if (variable->field)
        return scree_world_set_value(world, variable->record, variable->field, variable->component, value, error);
    double values[SCREE_GROUP_VALUES];
    uint32_t owner = variable->record.index;
    status = variable->group->get(world, owner, values);
    if (status != SCREE_OK)
        return scree_fail(error, status, "%s: %s", variable->name, scree_status_text(status));
    scree_item_store(variable->item, variable->component, values, value);
    return variable->group->set(world, owner, values, error);
}

/* ---------------------------------------------------------------- derivatives */

scree_status scree_variable_check_rate(const scree_variable *variable, double value, scree_error *error)
{
    if (variable->causality != SCREE_INPUT || variable->type != SCREE_TYPE_REAL)
        return scree_fail(error, SCREE_INVALID, "%s: only real inputs have derivatives that can be set",
                          variable->name);
    if (!isfinite(value))
        return scree_fail(error, SCREE_INVALID, "%s: a derivative of %g; it must be a finite number", variable->name,
                          value);
    return SCREE_OK;
}

scree_status scree_variable_set_rate(const scree_variable *variable, scree_world *world, uint32_t order, double value,
                                     bool *used, scree_error *error)
{
    scree_status status = scree_variable_check_rate(variable, value, error);
    *used = status == SCREE_OK && variable->group->set_rate && order >= 1 && order <= 2;
    if (!*used)
        return status;
    uint32_t place = variable->item->offset / (uint32_t)sizeof(double) + variable->component;
    return variable->group->set_rate(world, variable->record.index, place, order, value, error);
}

scree_status scree_variable_get_rate(const scree_variable *variable, const scree_world *world, double *value,
                                     scree_error *error)
{
    double values[SCREE_GROUP_VALUES];
    *value = NAN;
    if (variable->causality != SCREE_OUTPUT || variable->type != SCREE_TYPE_REAL)
        return scree_fail(error, SCREE_INVALID, "%s: only real outputs have derivatives", variable->name);
    if (!scree_world_started(world))
        return scree_fail(error, SCREE_STATE, "%s: has no value before the start", variable->name);
    if (!variable->group->get_rate)
        return SCREE_OK;
    scree_status status = variable->group->get_rate(world, variable->record.index, values);
    if (status != SCREE_OK)
        return scree_fail(error, status, "%s: %s", variable->name, scree_status_text(status));
    *value = scree_item_value(variable->item, variable->component, values);
    return SCREE_OK;
}
