/*
 * Builds the table of variables of a scene, and the GUID that ties a modelDescription.xml to its scene.bin.
 *
 * Settings come from the field tables of core, everything else from the groups: a new parameter, input or output is one
 * line in one of those.
 */
#include "groups.h"
#include "run_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define LARGEST_INTEGER 2147483647.0 /* of fmi2Integer */
#define PREFIX_SIZE     160          /* "pair.<id>.<id>." with its closing zero */

/* ---------------------------------------------------------------- the table as it grows */

/* First pass: variables is NULL and only the count grows. Second pass: they are written. */
typedef struct builder {
    const scree_scene *scene;
    scree_variable *variables;
    uint32_t count;
} builder;

/* indices: of how many components this is one; above 1 the name gets an index. prefix ends in a dot or is empty. */
static void add_variable(builder *to, scree_variable variable, const char *prefix, const char *name, uint32_t index,
                         uint32_t indices, const char *help, const char *owner)
{
    uint32_t columns = variable.item ? variable.item->columns : 0;
    static const char *const axes[] = {"", "", "", "xyz", "wxyz"};
    uint32_t place = to->count++;
    if (!to->variables)
        return;
    char suffix[32] = "", axis[8] = "";
    if (columns > 0) {
        snprintf(suffix, sizeof suffix, "[%u,%u]", index / columns + 1, index % columns + 1);
    } else if (indices > 1) {
        snprintf(suffix, sizeof suffix, "[%u]", index + 1);
        if (indices < COUNT_OF(axes))
            snprintf(axis, sizeof axis, ", %c", axes[indices][index]);
    }
    snprintf(variable.name, sizeof variable.name, "%s%s%s", prefix, name, suffix);
    snprintf(variable.description, sizeof variable.description, "%s%s%s", help, axis, owner);
    to->variables[place] = variable;
}

/* ---------------------------------------------------------------- settings */

static const scree_field *id_field(scree_element element)
{
    const scree_element_info *info = scree_element_describe(element);
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].kind == SCREE_FIELD_ID)
            return &info->fields[i];
    return NULL;
}

/* A record goes by its id; one without an id (a pair) by the ids of what it refers to. */
static void name_record(const scree_scene *scene, scree_record record, char prefix[PREFIX_SIZE],
                        char owner[PREFIX_SIZE])
{
    prefix[0] = owner[0] = '\0';
    if (record.element == SCREE_ELEMENT_SCENE)
        return;
    const scree_element_info *info = scree_element_describe((scree_element)record.element);
    size_t at = (size_t)snprintf(prefix, PREFIX_SIZE, "%s.", info->name);
    size_t to = (size_t)snprintf(owner, PREFIX_SIZE, " (%s", info->name);
    const scree_field *own = id_field((scree_element)record.element);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const scree_field *field = &info->fields[i];
        const char *id = NULL;
        if (field == own)
            id = scree_scene_value(scene, record, field);
        else if (!own && field->kind == SCREE_FIELD_REFERENCE) {
            uint32_t index = *(const uint32_t *)scree_scene_value(scene, record, field);
            id = scree_scene_value(scene, (scree_record){field->target, index}, id_field(field->target));
        }
        if (id && at < PREFIX_SIZE && to < PREFIX_SIZE) {
            at += (size_t)snprintf(prefix + at, PREFIX_SIZE - at, "%s.", id);
            to += (size_t)snprintf(owner + to, PREFIX_SIZE - to, " %s", id);
        }
    }
    if (to < PREFIX_SIZE)
        snprintf(owner + to, PREFIX_SIZE - to, ")");
}

static void add_settings_of(builder *to, scree_record record)
{
    const scree_element_info *info = scree_element_describe((scree_element)record.element);
    char prefix[PREFIX_SIZE], owner[PREFIX_SIZE];
    name_record(to->scene, record, prefix, owner);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const scree_field *field = &info->fields[i];
        if (!(field->flags & SCREE_FIELD_SETTABLE) || !scree_field_applies(to->scene, record, field))
            continue;
        const void *value = scree_scene_value(to->scene, record, field);
        scree_variable variable = {.causality = SCREE_PARAMETER,
                                   .unit = field->unit,
                                   .min = field->min,
                                   .max = field->max,
                                   .has_range = true,
                                   .record = record,
                                   .field = field};
        if (field->kind == SCREE_FIELD_COUNT) {
            variable.type = SCREE_TYPE_INTEGER;
            variable.start = (double)*(const uint32_t *)value;
            if (variable.max > LARGEST_INTEGER)
                variable.max = LARGEST_INTEGER;
            if (variable.start > LARGEST_INTEGER)
                continue; /* a seed that fmi2Integer cannot hold stays as the scene has it */
            add_variable(to, variable, prefix, field->name, 0, 1, field->help, owner);
        } else if (field->kind == SCREE_FIELD_REAL || field->kind == SCREE_FIELD_VECTOR) {
            uint32_t components = field->kind == SCREE_FIELD_VECTOR ? 3 : 1;
            for (uint32_t k = 0; k < components; k++) {
                variable.start = ((const double *)value)[k];
                variable.component = k;
                add_variable(to, variable, prefix, field->name, k, components, field->help, owner);
            }
        }
    }
}

/* By element, and in file order among those of one element. What a scene has once it has even when it is not written.
 */
static void add_settings(builder *to)
{
    for (uint32_t element = 0; element < SCREE_ELEMENT_COUNT; element++) {
        if (scree_element_describe((scree_element)element)->at_most == 1) {
            add_settings_of(to, (scree_record){element, 0});
            continue;
        }
        for (uint32_t i = 0; i < to->scene->record_count; i++)
            if (to->scene->records[i].element == element)
                add_settings_of(to, to->scene->records[i]);
    }
}

/* ---------------------------------------------------------------- groups */

static void add_grid(builder *to, scree_variable variable, const char *prefix, const char *owner)
{
    const scree_item *item = variable.item;
    uint32_t size[2];
    char name[64];
    item->grid(to->scene, variable.record.index, size);
    for (; variable.component < size[0] * size[1]; variable.component++) {
        snprintf(name, sizeof name, "%s[%u,%u]", item->name, variable.component / size[1] + 1,
                 variable.component % size[1] + 1);
        add_variable(to, variable, prefix, name, 0, 1, item->help, owner);
    }
}

static void add_group(builder *to, const scree_group *group, scree_record record)
{
    double start[SCREE_GROUP_VALUES] = {0.0};
    char prefix[PREFIX_SIZE], text[PREFIX_SIZE] = "";
    const char *owner = text;
    if (group->has && !group->has(to->scene, record.index))
        return;
    name_record(to->scene, record, prefix, text);
    if (group->element == SCREE_ELEMENT_SCENE)
        snprintf(prefix, sizeof prefix, "%s.", group->name);
    else
        snprintf(prefix, sizeof prefix, "%s.",
                 (const char *)scree_scene_value(to->scene, record, id_field(group->element)));
    if (group->describe)
        owner = group->describe(to->scene, record.index, text, sizeof text);
    if (group->start)
        group->start(to->scene, record.index, start);
    for (uint32_t i = 0; i < group->item_count; i++) {
        const scree_item *item = &group->items[i];
        if (item->has && !item->has(to->scene, record.index))
            continue;
        scree_variable variable = {.type = item->type,
                                   .causality = group->causality,
                                   .unit = item->unit,
                                   .zero_at_start = item->zero_at_start,
                                   .group = group,
                                   .item = item,
                                   .record = record};
        if (item->grid)
            add_grid(to, variable, prefix, owner);
        for (uint32_t k = 0; k < item->count && !item->grid; k++) {
            variable.start = scree_item_value(item, k, start);
            variable.component = k;
            add_variable(to, variable, prefix, item->name, k, item->count, item->help, owner);
        }
    }
}

/* All groups of one element: record by record, so that what belongs to one of them stands together. */
static void add_groups_of(builder *to, scree_element element, scree_causality causality)
{
    const scree_group *const *groups = scree_groups();
    for (uint32_t r = 0; r < to->scene->record_count; r++)
        for (uint32_t g = 0; to->scene->records[r].element == element && groups[g]; g++)
            if (groups[g]->element == element && groups[g]->causality == causality)
                add_group(to, groups[g], to->scene->records[r]);
}

static void add_groups(builder *to, scree_causality causality)
{
    const scree_group *const *groups = scree_groups();
    for (uint32_t g = 0; groups[g]; g++) {
        bool seen = false;
        for (uint32_t before = 0; before < g && !seen; before++)
            seen = groups[before]->element == groups[g]->element;
        if (!seen)
            add_groups_of(to, groups[g]->element, causality);
    }
}

/* ---------------------------------------------------------------- values of the FMU itself */

static void add_host_values(builder *to)
{
    scree_variable directory = {
        .type = SCREE_TYPE_STRING, .causality = SCREE_PARAMETER, .unit = "1", .host = SCREE_HOST_RECORD_DIRECTORY};
    scree_variable interval = {.causality = SCREE_PARAMETER,
                               .unit = "s",
                               .max = 1e9,
                               .has_range = true,
                               .start = SCREE_RECORD_INTERVAL,
                               .host = SCREE_HOST_RECORD_INTERVAL};
    add_variable(to, directory, "record.", "directory", 0, 1, "Directory that a recording of the run goes to",
                 "; empty: none");
    add_variable(to, interval, "record.", "interval", 0, 1, "Time between recorded frames", "; 0: every step");
}

static void add_all(builder *to)
{
    to->count = 0;
    add_settings(to);
    add_host_values(to);
    add_groups(to, SCREE_INPUT);
    add_groups(to, SCREE_OUTPUT);
}

/* ---------------------------------------------------------------- GUID */

static void hash_text(scree_hash *hash, const char *text)
{
    scree_hash_add(hash, text, strlen(text) + 1);
}

static scree_status compute_guid(scree_model *model, const scree_scene *scene, scree_error *error)
{
    uint8_t *bytes;
    size_t size;
    scree_status status = scree_scene_write(scene, &bytes, &size, error);
    if (status != SCREE_OK)
        return status;
    scree_hash hash = {0};
    hash_text(&hash, SCREE_VERSION);
    scree_hash_add(&hash, bytes, size);
    scree_bytes_release(&scene->memory, bytes);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        const uint8_t kind[2] = {(uint8_t)variable->type, (uint8_t)variable->causality};
        hash_text(&hash, variable->name);
        hash_text(&hash, variable->unit);
        scree_hash_add(&hash, kind, sizeof kind);
    }
    snprintf(model->guid, sizeof model->guid, "{%08lx-%04lx-%04lx-%04lx-%012llx}", (unsigned long)(hash.a >> 32),
             (unsigned long)(hash.a >> 16 & 0xffff), (unsigned long)(hash.a & 0xffff), (unsigned long)(hash.b >> 48),
             (unsigned long long)(hash.b & 0xffffffffffff));
    return SCREE_OK;
}

/* ---------------------------------------------------------------- creation */

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const scree_variable *const *)a)->name, (*(const scree_variable *const *)b)->name);
}

/* Ports, sensors and what else has an id share one space of names. */
static scree_status check_names(const scree_model *model, scree_error *error)
{
    const scree_memory *memory = &model->memory;
    uint32_t count = model->variable_count, same = 0;
    const scree_variable **sorted = memory->allocate(memory->context, count * sizeof *sorted);
    if (!sorted)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a table of %u variables", count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &model->variables[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < count && same == 0; i++)
        same = compare_names(&sorted[i - 1], &sorted[i]) == 0 ? i : 0;
    if (same > 0)
        scree_fail(error, SCREE_INVALID, "two variables are named %s; give one of their owners another id",
                   sorted[same]->name);
    memory->release(memory->context, sorted);
    return same > 0 ? SCREE_INVALID : SCREE_OK;
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

scree_status scree_model_create(const scree_scene *scene, const scree_memory *memory, scree_model **model,
                                scree_error *error)
{
    scree_memory from = memory ? *memory : (scree_memory){.allocate = allocate_plain, .release = release_plain};
    *model = NULL;
    scree_model *made = from.allocate(from.context, sizeof *made);
    if (!made)
        return scree_fail(error, SCREE_MEMORY, "out of memory for the table of variables");
    made->memory = from;

    builder to = {.scene = scene};
    add_all(&to);
    made->variables = from.allocate(from.context, to.count * sizeof *made->variables);
    if (!made->variables) {
        scree_model_destroy(made);
        return scree_fail(error, SCREE_MEMORY, "out of memory for a table of %u variables", to.count);
    }
    made->variable_count = to.count;
    to.variables = made->variables;
    add_all(&to);

    scree_status status = check_names(made, error);
    if (status == SCREE_OK)
        status = compute_guid(made, scene, error);
    if (status != SCREE_OK) {
        scree_model_destroy(made);
        return status;
    }
    *model = made;
    return SCREE_OK;
}

void scree_model_destroy(scree_model *model)
{
    if (!model)
        return;
    scree_memory memory = model->memory;
    if (model->variables)
        memory.release(memory.context, model->variables);
    memory.release(memory.context, model);
}

const scree_variable *scree_model_find(const scree_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (strcmp(model->variables[i].name, name) == 0)
            return &model->variables[i];
    return NULL;
}
