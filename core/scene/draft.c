/*
 * A scene being written, value by value, each checked against its field as it comes; what spans records is checked at
 * the end. Both the XML reader and the binary reader go through here, so that a scene from either has passed the same
 * checks.
 */
#include "scene/draft.h"

#include "scene/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 10000000 }; /* of all kinds: bounds what a hostile file can ask for */

static void set_default(void *item, const scree_field *field)
{
    void *at = (char *)item + field->offset;
    if (field->kind == SCREE_FIELD_REAL)
        memcpy(at, &field->start, sizeof field->start);
    else if (field->kind == SCREE_FIELD_VECTOR)
        for (int i = 0; i < 3; i++)
            memcpy((char *)at + (size_t)i * sizeof(double), &field->start, sizeof field->start);
    else if (field->kind == SCREE_FIELD_COUNT || field->kind == SCREE_FIELD_CHOICE) {
        uint32_t value = (uint32_t)field->start;
        memcpy(at, &value, sizeof value);
    } else if (field->kind == SCREE_FIELD_REFERENCE) {
        uint32_t none = UINT32_MAX;
        memcpy(at, &none, sizeof none);
    }
}

static void set_defaults(void *item, scree_element element)
{
    const scree_element_info *info = scree_element_describe(element);
    for (uint32_t i = 0; i < info->field_count; i++)
        set_default(item, &info->fields[i]);
}

static scree_status start_scene(scree_draft *draft, scree_error *error)
{
    draft->scene = scree_allocate(&draft->memory, 1, sizeof *draft->scene);
    if (!draft->scene)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a scene");
    draft->scene->memory = draft->memory;
    set_defaults(scree_scene_item(draft->scene, SCREE_ELEMENT_EXPERIMENT, 0), SCREE_ELEMENT_EXPERIMENT);
    set_defaults(scree_scene_item(draft->scene, SCREE_ELEMENT_SOLVER, 0), SCREE_ELEMENT_SOLVER);
    return SCREE_OK;
}

scree_status scree_draft_create(const scree_memory *memory, scree_draft **draft, scree_error *error)
{
    scree_memory from = scree_memory_or_default(memory);
    *draft = scree_allocate(&from, 1, sizeof **draft);
    if (!*draft)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a scene");
    (*draft)->memory = from;
    (*draft)->blame.record = UINT32_MAX;
    scree_status status = start_scene(*draft, error);
    if (status != SCREE_OK) {
        scree_draft_destroy(*draft);
        *draft = NULL;
    }
    return status;
}

void scree_draft_destroy(scree_draft *draft)
{
    if (!draft)
        return;
    scree_memory memory = draft->memory;
    scree_scene_destroy(draft->scene);
    scree_release(&memory, draft->pending);
    scree_release(&memory, draft);
}

scree_blame scree_draft_blame(const scree_draft *draft)
{
    return draft->blame;
}

static uint32_t list_count(const scree_scene *scene, const scree_list *list)
{
    uint32_t count;
    memcpy(&count, (const char *)scene + list->count_offset, sizeof count);
    return count;
}

/* Appends an item to the list of `element`; its index is in *index. */
static bool append_item(scree_draft *draft, scree_element element, uint32_t *index)
{
    const scree_list *list = scree_element_list(element);
    if (list->count_offset == 0) {
        *index = 0;
        return true;
    }
    scree_element slot = 0; /* the first of those that share the list, as shapes do */
    while (scree_element_list(slot)->items_offset != list->items_offset)
        slot++;
    void *items;
    char *items_at = (char *)draft->scene + list->items_offset;
    memcpy(&items, items_at, sizeof items);
    *index = list_count(draft->scene, list);
    if (!scree_reserve(&draft->memory, &items, &draft->capacity[slot], *index, (size_t)*index + 1, list->item_size))
        return false;
    memcpy(items_at, &items, sizeof items);
    uint32_t count = *index + 1;
    memcpy((char *)draft->scene + list->count_offset, &count, sizeof count);
    return true;
}

/* The last record of `element`, or UINT32_MAX. */
static uint32_t last_record(const scree_draft *draft, scree_element element)
{
    return draft->last[element] - 1;
}

static scree_status check_place(const scree_draft *draft, scree_element element, scree_error *error)
{
    const scree_scene *scene = draft->scene;
    const scree_element_info *info = scree_element_describe(element);
    if (draft->is_open)
        return scree_fail(error, SCREE_STATE, "%s: the record before it is not closed", info->name);
    if ((scene->record_count == 0) != (element == SCREE_ELEMENT_SCENE))
        return scree_fail(error, SCREE_FORMAT, "%s: a scene begins with one element \"scene\"", info->name);
    if (scene->record_count >= MOST_RECORDS)
        return scree_fail(error, SCREE_INVALID, "%s: more than %d elements", info->name, MOST_RECORDS);
    if (element != SCREE_ELEMENT_SCENE && last_record(draft, info->parent) == UINT32_MAX)
        return scree_fail(error, SCREE_FORMAT, "%s: belongs inside an element \"%s\"", info->name,
                          scree_element_describe(info->parent)->name);
    if (info->at_most == 1 && last_record(draft, element) != UINT32_MAX)
        return scree_fail(error, SCREE_INVALID, "%s: there is one already; at most one is allowed", info->name);
    return SCREE_OK;
}

scree_status scree_draft_open(scree_draft *draft, scree_element element, scree_error *error)
{
    scree_scene *scene = draft->scene;
    draft->blame = (scree_blame){.record = scene->record_count};
    scree_status status = check_place(draft, element, error);
    if (status != SCREE_OK)
        return status;
    const scree_list *list = scree_element_list(element);
    void *records = scene->records;
    uint32_t index;
    bool room = scree_reserve(&draft->memory, &records, &draft->record_capacity, scene->record_count,
                              (size_t)scene->record_count + 1, sizeof *scene->records);
    scene->records = records;
    if (!room || !append_item(draft, element, &index))
        return scree_fail(error, SCREE_MEMORY, "out of memory for a scene");
    void *item = scree_scene_item(scene, element, index);
    set_defaults(item, element);
    if (list->parent_offset != UINT32_MAX) {
        uint32_t parent = scene->records[last_record(draft, scree_element_describe(element)->parent)].index;
        memcpy((char *)item + list->parent_offset, &parent, sizeof parent);
    }
    if (list->kind_offset != UINT32_MAX)
        memcpy((char *)item + list->kind_offset, &list->kind, sizeof list->kind);
    if (element == SCREE_ELEMENT_MESH)
        scene->shapes[index].mesh = UINT32_MAX;
    scene->records[scene->record_count++] = (scree_record){.element = (uint32_t)element, .index = index};
    draft->last[element] = scene->record_count;
    draft->is_open = true;
    draft->set_fields = 0;
    return SCREE_OK;
}

static scree_record open_record(const scree_draft *draft)
{
    return draft->scene->records[draft->scene->record_count - 1];
}

static void *field_at(scree_draft *draft, const scree_field *field)
{
    scree_record record = open_record(draft);
    return (char *)scree_scene_item(draft->scene, (scree_element)record.element, record.index) + field->offset;
}

static void mark_set(scree_draft *draft, const scree_field *field)
{
    const scree_element_info *info = scree_element_describe((scree_element)open_record(draft).element);
    draft->set_fields |= UINT64_C(1) << (field - info->fields);
}

scree_status scree_draft_set_numbers(scree_draft *draft, const scree_field *field, const double *values,
                                     scree_error *error)
{
    scree_element element = (scree_element)open_record(draft).element;
    for (uint32_t i = 0; i < scree_field_components(field); i++) {
        scree_status status = SCREE_OK;
        if (field->kind == SCREE_FIELD_CHOICE) {
            uint32_t choices = 0;
            while (field->choices[choices])
                choices++;
            if (!(values[i] >= 0.0 && values[i] < choices))
                status = scree_fail(error, SCREE_INVALID, "%s: %s has no choice number %g",
                                    scree_element_describe(element)->name, field->name, values[i]);
        } else {
            status = scree_field_check(element, field, values[i], error);
        }
        if (status != SCREE_OK)
            return status;
    }
    void *at = field_at(draft, field);
    if (field->kind == SCREE_FIELD_COUNT || field->kind == SCREE_FIELD_CHOICE) {
        uint32_t whole = (uint32_t)values[0];
        memcpy(at, &whole, sizeof whole);
    } else {
        memcpy(at, values, scree_field_components(field) * sizeof *values);
    }
    mark_set(draft, field);
    return SCREE_OK;
}

static bool is_id(const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size >= SCREE_ID_SIZE)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return true;
}

/* The item of `element` with this id, or UINT32_MAX. An element with an id has it as its first field. */
static uint32_t find_id(const scree_scene *scene, scree_element element, const char *id, uint32_t count)
{
    const scree_field *field = &scree_element_describe(element)->fields[0];
    for (uint32_t i = 0; i < count; i++)
        if (strcmp((const char *)scree_scene_item(scene, element, i) + field->offset, id) == 0)
            return i;
    return UINT32_MAX;
}

static scree_status set_id(scree_draft *draft, const scree_field *field, const char *text, scree_error *error)
{
    scree_record record = open_record(draft);
    const char *element_name = scree_element_describe((scree_element)record.element)->name;
    if (scree_element_list((scree_element)record.element)->count_offset != 0 &&
        find_id(draft->scene, (scree_element)record.element, text, record.index) != UINT32_MAX)
        return scree_fail(error, SCREE_INVALID, "%s: %s \"%s\" is used by an earlier %s; each needs its own",
                          element_name, field->name, text, element_name);
    strcpy(field_at(draft, field), text);
    return SCREE_OK;
}

static scree_status set_reference(scree_draft *draft, const scree_field *field, const char *text, scree_error *error)
{
    void *items = draft->pending;
    bool room = scree_reserve(&draft->memory, &items, &draft->pending_capacity, draft->pending_count,
                              draft->pending_count + 1, sizeof *draft->pending);
    draft->pending = items;
    if (!room)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a scene");
    scree_pending *pending = &draft->pending[draft->pending_count++];
    pending->record = draft->scene->record_count - 1;
    pending->field = field;
    strcpy(pending->id, text);
    return SCREE_OK;
}

scree_status scree_draft_set_string(scree_draft *draft, const scree_field *field, const char *text, scree_error *error)
{
    const char *element_name = scree_element_describe((scree_element)open_record(draft).element)->name;
    scree_status status = SCREE_OK;
    if (field->kind == SCREE_FIELD_TEXT) {
        if (strlen(text) >= SCREE_TEXT_SIZE)
            return scree_fail(error, SCREE_INVALID, "%s: %s is longer than %d bytes", element_name, field->name,
                              SCREE_TEXT_SIZE - 1);
        strcpy(field_at(draft, field), text);
    } else {
        if (!is_id(text))
            return scree_fail(
                error, SCREE_INVALID,
                "%s: %s = \"%.64s\" is no name; allowed: a letter or _, then letters, digits, _; up to %d",
                element_name, field->name, text, SCREE_ID_SIZE - 1);
        status = field->kind == SCREE_FIELD_ID ? set_id(draft, field, text, error)
                                               : set_reference(draft, field, text, error);
    }
    if (status == SCREE_OK)
        mark_set(draft, field);
    return status;
}

/* Reads `count` numbers separated by white space and nothing else. */
static bool parse_numbers(const char *text, uint32_t count, double *values)
{
    const char *at = text;
    for (uint32_t i = 0; i < count; i++) {
        at += strspn(at, " \t\r\n");
        if (strspn(at, "+-.0123456789eE") == 0) /* no hexadecimal, inf or nan */
            return false;
        char *end;
        values[i] = strtod(at, &end);
        if (end == at || strspn(at, "+-.0123456789eE") != (size_t)(end - at))
            return false;
        at = end;
    }
    return at[strspn(at, " \t\r\n")] == '\0';
}

static void list_choices(const scree_field *field, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; field->choices[i] && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", field->choices[i]);
}

static scree_status set_text(scree_draft *draft, const scree_field *field, const char *text, scree_error *error)
{
    const char *element_name = scree_element_describe((scree_element)open_record(draft).element)->name;
    double values[3] = {0.0, 0.0, 0.0};
    switch (field->kind) {
    case SCREE_FIELD_ID:
    case SCREE_FIELD_TEXT:
    case SCREE_FIELD_REFERENCE:
        return scree_draft_set_string(draft, field, text, error);
    case SCREE_FIELD_CHOICE:
        for (uint32_t i = 0; field->choices[i]; i++)
            if (strcmp(field->choices[i], text) == 0) {
                values[0] = i;
                return scree_draft_set_numbers(draft, field, values, error);
            }
        char words[256];
        list_choices(field, words, sizeof words);
        return scree_fail(error, SCREE_INVALID, "%s: %s = \"%.64s\" is not known; allowed: %s", element_name,
                          field->name, text, words);
    case SCREE_FIELD_REAL:
    case SCREE_FIELD_VECTOR:
    case SCREE_FIELD_COUNT:
        if (!parse_numbers(text, scree_field_components(field), values))
            return scree_fail(error, SCREE_INVALID, "%s: %s = \"%.64s\" should be %s, in %s", element_name, field->name,
                              text, field->kind == SCREE_FIELD_VECTOR ? "three numbers" : "one number",
                              strcmp(field->unit, "1") == 0 ? "no unit" : field->unit);
        if (field->kind == SCREE_FIELD_COUNT && values[0] >= 0.0 && values[0] <= field->max &&
            values[0] != (double)(uint64_t)values[0])
            return scree_fail(error, SCREE_INVALID, "%s: %s = %s should be a whole number", element_name, field->name,
                              text);
        return scree_draft_set_numbers(draft, field, values, error);
    }
    return scree_fail(error, SCREE_STATE, "%s: field %s has no kind", element_name, field->name);
}

scree_status scree_draft_set(scree_draft *draft, const char *name, const char *text, scree_error *error)
{
    if (!draft->is_open)
        return scree_fail(error, SCREE_STATE, "%s: no record is open", name);
    const scree_element_info *info = scree_element_describe((scree_element)open_record(draft).element);
    draft->blame = (scree_blame){.record = draft->scene->record_count - 1};
    for (uint32_t i = 0; i < info->field_count; i++)
        if (strcmp(info->fields[i].name, name) == 0) {
            draft->blame.field = info->fields[i].name;
            return set_text(draft, &info->fields[i], text, error);
        }
    char names[384];
    size_t used = 0;
    for (uint32_t i = 0; i < info->field_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", info->fields[i].name);
    return scree_fail(error, SCREE_INVALID, "%s: no attribute \"%.64s\"; allowed: %s", info->name, name, names);
}

scree_status scree_draft_set_mesh(scree_draft *draft, const scree_surface *surface, scree_mesh_report *report,
                                  scree_error *error)
{
    scree_scene *scene = draft->scene;
    if (!draft->is_open || open_record(draft).element != SCREE_ELEMENT_MESH)
        return scree_fail(error, SCREE_STATE, "no mesh is open");
    draft->blame = (scree_blame){.record = scene->record_count - 1, .field = "file"};
    scree_shape *shape = &scene->shapes[open_record(draft).index];
    if (shape->mesh != UINT32_MAX)
        return scree_fail(error, SCREE_STATE, "mesh: has its triangles already");
    void *meshes = scene->meshes;
    bool room = scree_reserve(&draft->memory, &meshes, &draft->mesh_capacity, scene->mesh_count,
                              (size_t)scene->mesh_count + 1, sizeof *scene->meshes);
    scene->meshes = meshes;
    if (!room)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a scene");
    scree_scene_mesh *mesh = &scene->meshes[scene->mesh_count];
    scree_status status = scree_mesh_clean(surface, &draft->memory, mesh, error);
    if (status != SCREE_OK)
        return status;
    shape->mesh = scene->mesh_count++;
    if (report)
        *report = mesh->report;
    return SCREE_OK;
}

scree_status scree_draft_close(scree_draft *draft, scree_error *error)
{
    if (!draft->is_open)
        return scree_fail(error, SCREE_STATE, "no record is open");
    const scree_element_info *info = scree_element_describe((scree_element)open_record(draft).element);
    draft->blame = (scree_blame){.record = draft->scene->record_count - 1};
    for (uint32_t i = 0; i < info->field_count; i++) {
        const scree_field *field = &info->fields[i];
        if (!(field->flags & SCREE_FIELD_REQUIRED) || (draft->set_fields & (UINT64_C(1) << i)))
            continue;
        if (field->kind == SCREE_FIELD_REAL)
            return scree_fail(error, SCREE_INVALID, "%s: %s is missing: %s, in %s, %g to %g", info->name, field->name,
                              field->help, strcmp(field->unit, "1") == 0 ? "no unit" : field->unit, field->min,
                              field->max);
        return scree_fail(error, SCREE_INVALID, "%s: %s is missing: %s%s%s", info->name, field->name, field->help,
                          field->kind == SCREE_FIELD_VECTOR ? ", three numbers, in " : "",
                          field->kind == SCREE_FIELD_VECTOR ? field->unit : "");
    }
    draft->is_open = false;
    return SCREE_OK;
}

static scree_status resolve_references(scree_draft *draft, scree_error *error)
{
    scree_scene *scene = draft->scene;
    for (size_t i = 0; i < draft->pending_count; i++) {
        const scree_pending *pending = &draft->pending[i];
        scree_record record = scene->records[pending->record];
        scree_element target = pending->field->target;
        uint32_t found = find_id(scene, target, pending->id, list_count(scene, scree_element_list(target)));
        if (found == UINT32_MAX) {
            const char *target_name = scree_element_describe(target)->name;
            draft->blame = (scree_blame){.record = pending->record, .field = pending->field->name};
            return scree_fail(error, SCREE_INVALID, "%s: %s = \"%s\": there is no %s with that id",
                              scree_element_describe((scree_element)record.element)->name, pending->field->name,
                              pending->id, target_name);
        }
        memcpy((char *)scree_scene_item(scene, (scree_element)record.element, record.index) + pending->field->offset,
               &found, sizeof found);
    }
    return SCREE_OK;
}

/* Every parent holds at least as many of each element as its description says. */
static scree_status check_counts(scree_draft *draft, scree_error *error)
{
    const scree_scene *scene = draft->scene;
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++) {
        const scree_element_info *info = scree_element_describe(element);
        if (info->at_least == 0)
            continue;
        uint32_t parent = UINT32_MAX, held = 0;
        for (uint32_t i = 0; i <= scene->record_count; i++) {
            bool end = i == scene->record_count;
            bool is_parent = !end && scene->records[i].element == (uint32_t)info->parent;
            if ((end || is_parent) && parent != UINT32_MAX && held < info->at_least) {
                draft->blame = (scree_blame){.record = parent};
                return scree_fail(error, SCREE_INVALID, "%s: needs at least %u element \"%s\"",
                                  scree_element_describe(info->parent)->name, (unsigned)info->at_least, info->name);
            }
            if (is_parent) {
                parent = i;
                held = 0;
            }
            if (!end && scene->records[i].element == (uint32_t)element)
                held++;
        }
    }
    return SCREE_OK;
}

scree_status scree_draft_finish(scree_draft *draft, scree_scene **scene, scree_error *error)
{
    *scene = NULL;
    draft->blame = (scree_blame){.record = UINT32_MAX};
    if (draft->is_open)
        return scree_fail(error, SCREE_STATE, "the last record is not closed");
    if (draft->scene->record_count == 0)
        return scree_fail(error, SCREE_FORMAT, "a scene begins with one element \"scene\"");
    scree_status status = check_counts(draft, error);
    if (status == SCREE_OK)
        status = resolve_references(draft, error);
    if (status == SCREE_OK)
        status = scree_scene_check(draft->scene, &draft->blame, error);
    if (status != SCREE_OK)
        return status;
    scree_scene *finished = draft->scene;
    status = start_scene(draft, error);
    if (status != SCREE_OK) {
        draft->scene = finished;
        return status;
    }
    memset(draft->capacity, 0, sizeof draft->capacity);
    draft->record_capacity = draft->mesh_capacity = 0;
    memset(draft->last, 0, sizeof draft->last);
    draft->pending_count = 0;
    *scene = finished;
    return SCREE_OK;
}
