#include "lookup.h"

#include <stdio.h>
#include <string.h>

static bool is_settable(const scree_variable *variable, bool parameters)
{
    return variable->causality == SCREE_INPUT ||
           (parameters && variable->causality == SCREE_PARAMETER && !variable->host);
}

/* Number of single-character changes from a to b (Levenshtein), with one row of the table. */
static size_t distance(const char *a, const char *b)
{
    size_t row[SCREE_VARIABLE_NAME_SIZE];
    size_t size_b = strlen(b);
    for (size_t k = 0; k <= size_b; k++)
        row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < size_b; k++) {
            size_t best = diagonal + (a[i] != b[k]);
            if (row[k] + 1 < best)
                best = row[k] + 1;
            if (row[k + 1] + 1 < best)
                best = row[k + 1] + 1;
            diagonal = row[k + 1];
            row[k + 1] = best;
        }
    }
    return row[size_b];
}

static const scree_variable *find_closest(const scree_model *model, const char *name, bool parameters)
{
    const scree_variable *closest = NULL;
    size_t least = strlen(name) / 3 + 1; /* further away is another name, not a slip */
    if (strlen(name) >= SCREE_VARIABLE_NAME_SIZE)
        return NULL;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        size_t away = is_settable(variable, parameters) ? distance(name, variable->name) : least;
        if (away < least) {
            least = away;
            closest = variable;
        }
    }
    return closest;
}

static void list_names(const scree_model *model, bool parameters, char *hint, size_t room)
{
    size_t used = (size_t)snprintf(hint, room, "allowed:");
    const char *comma = "";
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        if (!is_settable(variable, parameters))
            continue;
        if (used + strlen(variable->name) + 8 > room) {
            snprintf(hint + used, room - used, ", …");
            return;
        }
        used += (size_t)snprintf(hint + used, room - used, "%s %s", comma, variable->name);
        comma = ",";
    }
    if (!*comma)
        snprintf(hint, room, "the scene has none: it has no port of mode \"motion\"");
}

const scree_variable *scree_lookup(const scree_model *model, const char *name, bool parameters, char *hint, size_t room)
{
    const scree_variable *found = scree_model_find(model, name);
    if (found && is_settable(found, parameters))
        return found;
    const scree_variable *closest = found ? NULL : find_closest(model, name, parameters);
    if (closest)
        snprintf(hint, room, "did you mean %s?", closest->name);
    else
        list_names(model, parameters, hint, room);
    return NULL;
}
