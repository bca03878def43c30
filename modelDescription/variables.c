/*
 * Builds the table of variables of a scene, and the GUID that ties a modelDescription.xml to its scene.bin.
 *
 * Settings come from the field tables of core, everything else from the item lists below: a new parameter or output is
 * one line in one of them.
 */
#include "items.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define LARGEST_INTEGER 2147483647.0 /* of fmi2Integer */
#define PREFIX_SIZE     160          /* "pair.<id>.<id>." with its closing zero */

/* ---------------------------------------------------------------- items */

#define ITEM(struct_, member_, name_, type_, count_, unit_, zero_, help_)                                              \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .help = help_, .type = SCREE_TYPE_##type_, .count = count_,                      \
        .offset = offsetof(struct_, member_), .zero_at_start = zero_                                                   \
    }

static const scree_item motion_items[] = {
    ITEM(scree_motion, position, "position", REAL, 3, "m", false, "Position of the body origin"),
    ITEM(scree_motion, orientation, "orientation", REAL, 4, "1", false,
         "Orientation as a quaternion (w, x, y, z) from body to world"),
    ITEM(scree_motion, velocity, "velocity", REAL, 3, "m/s", false, "Velocity of the body origin"),
    ITEM(scree_motion, angular_velocity, "angularVelocity", REAL, 3, "rad/s", false, "Angular velocity"),
};

static const scree_item wrench_items[] = {
    ITEM(scree_wrench, force, "force", REAL, 3, "N", true, "Force by the grains, mean over the last step"),
    ITEM(scree_wrench, torque, "torque", REAL, 3, "N.m", true,
         "Torque by the grains about the body origin, mean over the last step"),
};

static const scree_item info_items[] = {
    ITEM(scree_info, particles, "particles", INTEGER, 1, "1", false, "Number of grains"),
    ITEM(scree_info, contacts, "contacts", INTEGER, 1, "1", true, "Number of closed contacts"),
    ITEM(scree_info, mass, "mass", REAL, 1, "kg", false, "Mass of all grains"),
    ITEM(scree_info, momentum, "momentum", REAL, 3, "kg.m/s", false, "Momentum of all grains"),
    ITEM(scree_info, center, "center", REAL, 3, "m", false, "Centre of mass of all grains"),
    ITEM(scree_info, kinetic_energy, "kineticEnergy", REAL, 1, "J", false, "Kinetic energy of all grains"),
    ITEM(scree_info, mean_overlap, "meanOverlap", REAL, 1, "1", true,
         "Overlap over sum of radii, mean over the closed contacts"),
    ITEM(scree_info, max_overlap, "maxOverlap", REAL, 1, "1", true, "Overlap over sum of radii, the largest"),
    ITEM(scree_info, overlap_error, "overlapError", REAL, 1, "1", true,
         "Difference of overlap and the overlap that bears the contact's force at rest, over sum of radii, mean"),
    ITEM(scree_info, residual, "residual", REAL, 1, "1", true,
         "How far the last substep is from solved: the largest of the four residuals below"),
    ITEM(scree_info, residual_normal, "residualNormal", REAL, 1, "1", true, "Residual of non-penetration"),
    ITEM(scree_info, residual_friction, "residualFriction", REAL, 1, "1", true, "Residual of the friction cone"),
    ITEM(scree_info, residual_rolling, "residualRolling", REAL, 1, "1", true, "Residual of the rolling cones"),
    ITEM(scree_info, residual_momentum, "residualMomentum", REAL, 1, "1", true, "Residual of the momentum balance"),
    ITEM(scree_info, substeps, "substeps", INTEGER, 1, "1", true, "Substeps of the last frame"),
    ITEM(scree_info, sweeps, "sweeps", REAL, 1, "1", true, "Sweeps per substep of the last frame, mean"),
    ITEM(scree_info, impacts, "impacts", INTEGER, 1, "1", true, "Impacts in the last step"),
};

scree_item_list scree_motion_items(void)
{
    return (scree_item_list){motion_items, COUNT_OF(motion_items)};
}

scree_item_list scree_wrench_items(void)
{
    return (scree_item_list){wrench_items, COUNT_OF(wrench_items)};
}

scree_item_list scree_info_items(void)
{
    return (scree_item_list){info_items, COUNT_OF(info_items)};
}

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
    static const char *const axes[] = {"", "", "", "xyz", "wxyz"};
    uint32_t place = to->count++;
    if (!to->variables)
        return;
    char suffix[16] = "", axis[8] = "";
    if (indices > 1) {
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
        if (!(field->flags & SCREE_FIELD_SETTABLE))
            continue;
        const void *value = scree_scene_value(to->scene, record, field);
        scree_variable variable = {.causality = SCREE_PARAMETER,
                                   .unit = field->unit,
                                   .min = field->min,
                                   .max = field->max,
                                   .has_range = true,
                                   .binding = SCREE_BIND_SETTING,
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

/* ---------------------------------------------------------------- ports and info */

/* model gives causality, binding and port; start, when not NULL, the start values of all components in order. */
static void add_items(builder *to, scree_variable model, scree_item_list list, const double *start, const char *group,
                      const char *owner)
{
    char prefix[PREFIX_SIZE];
    snprintf(prefix, sizeof prefix, "%s.", group);
    for (uint32_t i = 0; i < list.count; i++) {
        const scree_item *item = &list.items[i];
        for (uint32_t k = 0; k < item->count; k++) {
            scree_variable variable = model;
            variable.type = item->type;
            variable.unit = item->unit;
            variable.zero_at_start = item->zero_at_start;
            variable.start = start ? start[model.component] : 0.0;
            add_variable(to, variable, prefix, item->name, k, item->count, item->help, owner);
            model.component++;
        }
    }
}

/* A body at rest at its start pose, as the 13 components of scree_motion. The quaternion of a rotation vector r with
   angle |r| is (cos |r|/2, sin(|r|/2) r/|r|). */
static void start_motion(const scree_body *body, double motion[13])
{
    const double *r = body->rotation;
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double share = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5; /* below, the next term is under one rounding */
    memset(motion, 0, 13 * sizeof motion[0]);
    motion[3] = cos(0.5 * angle);
    for (int k = 0; k < 3; k++) {
        motion[k] = body->position[k];
        motion[4 + k] = share * r[k];
    }
}

static void add_ports(builder *to, scree_causality causality)
{
    for (uint32_t i = 0; i < to->scene->port_count; i++) {
        const scree_port *port = &to->scene->ports[i];
        const char *body = to->scene->bodies[port->body].id;
        char owner[PREFIX_SIZE];
        if (causality == SCREE_OUTPUT) {
            scree_variable output = {.causality = SCREE_OUTPUT, .binding = SCREE_BIND_WRENCH, .port = i};
            snprintf(owner, sizeof owner, " (on body %s)", body);
            add_items(to, output, scree_wrench_items(), NULL, port->id, owner);
        } else if (port->mode == SCREE_PORT_MOTION) {
            scree_variable input = {.causality = SCREE_INPUT, .binding = SCREE_BIND_MOTION, .port = i};
            double start[13];
            start_motion(&to->scene->bodies[port->body], start);
            snprintf(owner, sizeof owner, " (of body %s)", body);
            add_items(to, input, scree_motion_items(), start, port->id, owner);
        }
    }
}

static void add_all(builder *to)
{
    scree_variable info = {.causality = SCREE_OUTPUT, .binding = SCREE_BIND_INFO};
    to->count = 0;
    add_settings(to);
    add_ports(to, SCREE_INPUT);
    add_ports(to, SCREE_OUTPUT);
    add_items(to, info, scree_info_items(), NULL, "info", "");
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

    scree_status status = compute_guid(made, scene, error);
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
