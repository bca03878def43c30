/*
 * Values of variables: from the table to the world and back.
 */
#include "items.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(scree_motion) == 13 * sizeof(double), "scree_motion is 13 doubles, in the order of its items");
_Static_assert(sizeof(scree_wrench) == 6 * sizeof(double), "scree_wrench is 6 doubles, in the order of its items");

/* ---------------------------------------------------------------- get */

static double get_setting(const scree_variable *variable, const scree_world *world)
{
    const void *value = scree_scene_value(scree_world_settings(world), variable->record, variable->field);
    if (variable->field->kind == SCREE_FIELD_COUNT)
        return (double)*(const uint32_t *)value;
    return ((const double *)value)[variable->component];
}

/* The component-th scalar of the info list. */
static double get_info(uint32_t component, const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    const scree_item *item = scree_info_items().items;
    while (component >= item->count)
        component -= item++->count;
    const char *at = (const char *)&info + item->offset;
    if (item->type == SCREE_TYPE_INTEGER)
        return (double)((const uint32_t *)(const void *)at)[component];
    return ((const double *)(const void *)at)[component];
}

scree_status scree_variable_get(const scree_variable *variable, const scree_world *world, double *value,
                                scree_error *error)
{
    if (variable->causality == SCREE_OUTPUT && !scree_world_started(world))
        return scree_fail(error, SCREE_STATE, "%s: has no value before the start", variable->name);
    switch (variable->binding) {
    case SCREE_BIND_SETTING:
        *value = get_setting(variable, world);
        return SCREE_OK;
    case SCREE_BIND_MOTION:
        *value = ((const double *)scree_world_get_motion(world, variable->port))[variable->component];
        return SCREE_OK;
    case SCREE_BIND_WRENCH: {
        scree_wrench wrench;
        scree_status status = scree_world_get_wrench(world, variable->port, &wrench);
        if (status != SCREE_OK)
            return scree_fail(error, status, "%s: %s", variable->name, scree_status_text(status));
        *value = ((const double *)&wrench)[variable->component];
        return SCREE_OK;
    }
    case SCREE_BIND_INFO:
        *value = get_info(variable->component, world);
        return SCREE_OK;
    }
    return scree_fail(error, SCREE_INVALID, "%s: unknown binding", variable->name);
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
    if (variable->binding == SCREE_BIND_SETTING)
        return scree_world_set_value(world, variable->record, variable->field, variable->component, value, error);
    scree_motion motion = *scree_world_get_motion(world, variable->port);
    ((double *)&motion)[variable->component] = value;
    return scree_world_set_motion(world, variable->port, &motion, error);
}
