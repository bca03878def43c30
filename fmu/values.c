#include "values.h"

#include <math.h>

static const char *type_name(scree_type type)
{
    static const char *const names[] = {"Real", "Integer", "String"};
    return names[type];
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
        const scree_variable *variable = &instance->model->variables[references[i]];
        double value = instance->recorded.interval;
        if (!variable->host &&
            scree_variable_read(variable, instance->world, &instance->reader, &value, &error) != SCREE_OK)
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

static fmi2Status check_settable(scree_instance *instance, const char *function, const scree_variable *variable)
{
    if (variable->causality == SCREE_PARAMETER && !(instance->state & (SCREE_INSTANTIATED | SCREE_INITIALIZATION)))
        return scree_instance_log(instance, fmi2Error,
                                  "%s: %s is a parameter; it can be set until initialization is over", function,
                                  variable->name);
    return fmi2OK;
}

static fmi2Status check(scree_instance *instance, const char *function, const scree_variable *variable, double value)
{
    scree_error error;
    if (check_settable(instance, function, variable) != fmi2OK)
        return fmi2Error;
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
    instance->reader.group = NULL;
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = &instance->model->variables[references[i]];
        if (variable->host)
            instance->recorded.interval = load(values, type, i);
        else if (scree_variable_set(variable, instance->world, load(values, type, i), &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s: %s", function, variable->name, error.text);
    }
    instance->stale = true; /* matters during initialization only; afterwards inputs act from the next step on */
    return fmi2OK;
}

/* ---------------------------------------------------------------- strings: there is one, record.directory */

fmi2Status scree_get_strings(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                             size_t count, fmi2String values[])
{
    if (count == 0)
        return fmi2OK;
    if (is_missing(instance, function, references, values))
        return fmi2Error;
    for (size_t i = 0; i < count; i++)
        if (!find(instance, function, SCREE_TYPE_STRING, references[i]))
            return fmi2Error;
    for (size_t i = 0; i < count; i++)
        values[i] = instance->recorded.directory ? instance->recorded.directory : "";
    return fmi2OK;
}

fmi2Status scree_set_strings(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                             size_t count, const fmi2String values[])
{
    scree_error error;
    if (count == 0)
        return fmi2OK;
    if (is_missing(instance, function, references, values))
        return fmi2Error;
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = find(instance, function, SCREE_TYPE_STRING, references[i]);
        if (!variable || check_settable(instance, function, variable) != fmi2OK)
            return fmi2Error;
        if (!values[i])
            return scree_instance_log(instance, fmi2Error, "%s: %s: the string is NULL", function, variable->name);
    }
    for (size_t i = 0; i < count; i++)
        if (scree_recorded_set_directory(instance, values[i], &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    return fmi2OK;
}

/* ---------------------------------------------------------------- derivatives */

/* Whether there is something to do with all lists; when there is and it cannot be done, *status is an error. */
static bool has_rates(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                      size_t count, const fmi2Integer orders[], const void *values, fmi2Integer highest,
                      fmi2Status *status)
{
    *status = fmi2OK;
    if (count == 0)
        return false;
    *status = fmi2Error;
    if (is_missing(instance, function, references, values))
        return false;
    if (!orders) {
        scree_instance_log(instance, fmi2Error, "%s: the list of orders is NULL", function);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = find(instance, function, SCREE_TYPE_REAL, references[i]);
        if (!variable)
            return false;
        if (orders[i] < 1 || orders[i] > highest) {
            scree_instance_log(instance, fmi2Error, "%s: %s: a derivative of order %d; allowed: from 1%s", function,
                               variable->name, orders[i], highest == 1 ? " to 1" : "");
            return false;
        }
    }
    *status = fmi2OK;
    return true;
}

fmi2Status scree_set_rates(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                           size_t count, const fmi2Integer orders[], const fmi2Real values[])
{
    scree_error error;
    fmi2Status status;
    if (!has_rates(instance, function, references, count, orders, values, INT32_MAX, &status))
        return status;
    for (size_t i = 0; i < count; i++) { /* first all checks: a variable that takes no derivative takes none of 1e300 */
        const scree_variable *variable = &instance->model->variables[references[i]];
        if (scree_variable_check_rate(variable, values[i], &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    }
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = &instance->model->variables[references[i]];
        bool used;
        if (scree_variable_set_rate(variable, instance->world, (uint32_t)orders[i], values[i], &used, &error) !=
            SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
        if (!used)
            status = scree_instance_log(instance, fmi2Warning, "%s: %s: its derivative of order %d has no effect",
                                        function, variable->name, orders[i]);
    }
    return status;
}

fmi2Status scree_get_rates(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                           size_t count, const fmi2Integer orders[], fmi2Real values[])
{
    scree_error error;
    fmi2Status status;
    if (!has_rates(instance, function, references, count, orders, values, 1, &status))
        return status;
    for (size_t i = 0; i < count; i++) {
        const scree_variable *variable = &instance->model->variables[references[i]];
        double rate;
        if (scree_variable_get_rate(variable, instance->world, &rate, &error) != SCREE_OK)
            return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
        values[i] = isnan(rate) ? 0.0 : rate;
        if (isnan(rate))
            status = scree_instance_log(instance, fmi2Discard, "%s: %s has no derivative", function, variable->name);
    }
    return status;
}

static bool has_sensitivities(scree_instance *instance, const char *function, const fmi2ValueReference references[],
                              size_t count, const void *changes)
{
    if (count > 0 && is_missing(instance, function, references, changes))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!find(instance, function, SCREE_TYPE_REAL, references[i]))
            return false;
    return true;
}

fmi2Status scree_get_sensitivities(scree_instance *instance, const char *function, const fmi2ValueReference unknowns[],
                                   size_t unknown_count, const fmi2ValueReference knowns[], size_t known_count,
                                   const fmi2Real known_changes[], fmi2Real unknown_changes[])
{
    scree_error error;
    scree_sensitivity shared = {0};
    if (!has_sensitivities(instance, function, unknowns, unknown_count, unknown_changes) ||
        !has_sensitivities(instance, function, knowns, known_count, known_changes))
        return fmi2Error;
    for (size_t i = 0; i < unknown_count; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < known_count; k++) {
            const scree_variable *variables = instance->model->variables;
            double value;
            if (scree_variable_sensitivity(&variables[unknowns[i]], &variables[knowns[k]], instance->world, &shared,
                                           &value, &error) != SCREE_OK)
                return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
            sum += value * known_changes[k];
        }
        unknown_changes[i] = sum;
    }
    return fmi2OK;
}

fmi2Status scree_no_values(scree_instance *instance, const char *function, const char *type, size_t count)
{
    if (count == 0)
        return fmi2OK;
    return scree_instance_log(instance, fmi2Error, "%s: there is no variable of type %s", function, type);
}
