#include "values.h"

static const char *type_name(scree_type type)
{
    return type == SCREE_TYPE_REAL ? "Real" : "Integer";
}

/* The variable of a reference; NULL, and a message sent, when there is none of that type. */
static const scree_variable *find(scree_instance *instance, const char *function, scree_type type,
                                  fmi2ValueReference reference)
{
    if (reference >= instance->model->variable_count) {
        scree_instance_log(instance, fmi2Error, "%s: there is no value reference %u; the last one is %u", function,
                           reference, instance->model->variable_count - 1);
        return NULL;
    }
    const scree_variable *variable = &instance->model->variables[reference];
    if (variable->type == type)
        return variable;
    scree_instance_log(instance, fmi2Error, "%s: %s (value reference %u) is of type %s, not %s", function,
                       variable->name, reference, type_name(variable->type), type_name(type));
    return NULL;
}

static bool is_missing(scree_instance *instance, const char *function, const void *references, const void *values)
{
    if (references && values)
        return false;
    scree_instance_log(instance, fmi2Error, "%s: the list of %s is NULL", function,
                       references ? "values" : "value references");
    return true;
}

/* ---------------------------------------------------------------- get */

static void store(void *values, scree_type type, size_t i, double value)
{
    if (type == SCREE_TYPE_REAL)
        ((fmi2Real *)values)[i] = value;
    else
        ((fmi2Integer *)values)[i] = (fmi2Integer)value;
}

fmi2Status scree_get_values(scree_instance *instance, const char *function, scree_type type,
                            const fmi2ValueReference references[], size_t count, void *values)
{
    scree_error error;
    if (count == 0)
        return fmi2OK;
    if (is_missing(instance, function, references, values))
        return fmi2Error;
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = find(instance, function, type, references[i]);
        if (!variable)
            return fmi2Error;
        if (variable->causality == SCREE_OUTPUT && instance->state == SCREE_INITIALIZATION &&
            scree_instance_ready(instance, &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s: %s", function, variable->name, error.text);
    }
    for (size_t i = 0; i < count; i++) {
        double value;
        if (scree_variable_get(&instance->model->variables[references[i]], instance->world, &value, &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
        store(values, type, i, value);
    }
    return fmi2OK;
}

/* ---------------------------------------------------------------- set */

static double load(const void *values, scree_type type, size_t i)
{
    return type == SCREE_TYPE_REAL ? ((const fmi2Real *)values)[i] : (double)((const fmi2Integer *)values)[i];
}

static fmi2Status check(scree_instance *instance, const char *function, const scree_variable *variable, double value)
{
    scree_error error;
    if (variable->causality == SCREE_PARAMETER && !(instance->state & (SCREE_INSTANTIATED | SCREE_INITIALIZATION)))
        return scree_instance_log(instance, fmi2Error,
                                  "%s: %s is a parameter; it can be set until initialization is over", function,
                                  variable->name);
    if (scree_variable_check(variable, value, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    return fmi2OK;
}

fmi2Status scree_set_values(scree_instance *instance, const char *function, scree_type type,
                            const fmi2ValueReference references[], size_t count, const void *values)
{
    scree_error error;
    if (count == 0)
        return fmi2OK;
    if (is_missing(instance, function, references, values))
        return fmi2Error;
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = find(instance, function, type, references[i]);
        if (!variable || check(instance, function, variable, load(values, type, i)) != fmi2OK)
            return fmi2Error;
    }
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = &instance->model->variables[references[i]];
        if (scree_variable_set(variable, instance->world, load(values, type, i), &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s: %s", function, variable->name, error.text);
    }
    instance->stale = true; /* matters during initialization only; afterwards inputs act from the next step on */
    return fmi2OK;
}

fmi2Status scree_no_values(scree_instance *instance, const char *function, const char *type, size_t count)
{
    if (count == 0)
        return fmi2OK;
    return scree_instance_log(instance, fmi2Error, "%s: there is no variable of type %s", function, type);
}
