#include "scene/check.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void *scree_scene_item(const scree_scene *scene, scree_element element, uint32_t index)
{
    const scree_list *list = scree_element_list(element);
    const char *base = (const char *)scene + list->items_offset;
    if (list->count_offset == 0)
        return (void *)(uintptr_t)base;
    char *items;
    memcpy(&items, base, sizeof items);
    return items + (size_t)index * list->item_size;
}

const void *scree_scene_value(const scree_scene *scene, scree_record record, const scree_field *field)
{
    return (const char *)scree_scene_item(scene, (scree_element)record.element, record.index) + field->offset;
}

bool scree_port_takes_motion(const scree_port *port)
{
    return port->mode == SCREE_PORT_MOTION || port->mode == SCREE_PORT_PROXY;
}

bool scree_body_has_belt(const scree_body *body)
{
    return body->belt[0] != 0.0 || body->belt[1] != 0.0 || body->belt[2] != 0.0;
}

static bool turns(const scree_body *body)
{
    const double *w = body->angular_velocity;
    return body->kind == SCREE_BODY_DRIVEN && (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0);
}

bool scree_scene_port_has_belt(const scree_scene *scene, uint32_t port)
{
    return scree_body_has_belt(&scene->bodies[scene->ports[port].body]);
}

bool scree_field_applies(const scree_scene *scene, scree_record record, const scree_field *field)
{
    if (field->flags & SCREE_FIELD_PROXY)
        return scene->ports[record.index].mode == SCREE_PORT_PROXY;
    if (field->flags & SCREE_FIELD_RATE)
        return scene->emitters[record.index].input == SCREE_FEED_PARAMETER;
    if (field->flags & SCREE_FIELD_RANDOM)
        return scene->fills[record.index].method == SCREE_FILL_RANDOM;
    if (record.element != SCREE_ELEMENT_BODY)
        return true;
    uint32_t kind = scene->bodies[record.index].kind;
    if (field->flags & SCREE_FIELD_BELT)
        return scree_body_has_belt(&scene->bodies[record.index]);
    return (kind != SCREE_BODY_STATIC || !(field->flags & SCREE_FIELD_MOVING)) &&
           (kind == SCREE_BODY_DYNAMIC || !(field->flags & SCREE_FIELD_DYNAMIC));
}

uint32_t scree_scene_find_pair(const scree_scene *scene, uint32_t material_a, uint32_t material_b)
{
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const scree_pair *pair = &scene->pairs[i];
        if ((pair->a == material_a && pair->b == material_b) || (pair->a == material_b && pair->b == material_a))
            return i;
    }
    return UINT32_MAX;
}

void scree_scene_destroy(scree_scene *scene)
{
    if (!scene)
        return;
    scree_memory memory = scene->memory;
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++) {
        const scree_list *list = scree_element_list(element);
        if (list->count_offset == 0)
            continue;
        char *slot = (char *)scene + list->items_offset;
        void *items;
        memcpy(&items, slot, sizeof items);
        scree_release(&memory, items);
        memset(slot, 0, sizeof items); /* some share a list, as planes and boxes do */
    }
    for (uint32_t i = 0; i < scene->mesh_count && !scene->borrows_meshes; i++)
        scree_surface_release(&scene->meshes[i].surface);
    if (!scene->borrows_meshes)
        scree_release(&memory, scene->meshes);
    scree_release(&memory, scene->records);
    scree_release(&memory, scene);
}

scree_scene *scree_scene_copy(const scree_scene *scene, const scree_memory *memory)
{
    scree_scene *copy = scree_allocate(memory, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *scene;
    copy->memory = *memory;
    copy->borrows_meshes = true;
    bool complete = true;
    copy->records = scree_allocate(memory, scene->record_count, sizeof *copy->records);
    if (copy->records)
        memcpy(copy->records, scene->records, scene->record_count * sizeof *copy->records);
    else
        complete = false;
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++) {
        const scree_list *list = scree_element_list(element);
        if (list->count_offset == 0)
            continue;
        const char *from_slot = (const char *)scene + list->items_offset;
        char *to_slot = (char *)copy + list->items_offset;
        void *from, *to;
        uint32_t count;
        memcpy(&from, from_slot, sizeof from);
        memcpy(&to, to_slot, sizeof to);
        memcpy(&count, (const char *)scene + list->count_offset, sizeof count);
        if (to != from)
            continue; /* a list that several share */
        to = complete ? scree_allocate(memory, count, list->item_size) : NULL;
        if (to && count)
            memcpy(to, from, (size_t)count * list->item_size);
        complete = to != NULL;
        memcpy(to_slot, &to, sizeof to);
    }
    if (complete)
        return copy;
    scree_scene_destroy(copy);
    return NULL;
}

static scree_status check_pairs(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const scree_pair *pair = &scene->pairs[i];
        const char *a = scene->materials[pair->a].id, *b = scene->materials[pair->b].id;
        if (scree_scene_find_pair(scene, pair->a, pair->b) != i) {
            scree_fail(error, SCREE_INVALID, "pair: %s and %s have a pair already; one for each two materials", a, b);
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_PAIR, i), "a");
        }
        if (pair->law == SCREE_LAW_LINEAR && !(pair->stiffness > 0.0)) {
            scree_fail(error, SCREE_INVALID, "pair: law \"linear\" needs a stiffness above 0 N/m");
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_PAIR, i), "stiffness");
        }
    }
    return SCREE_OK;
}

/* The material of a record that has grains or a surface; UINT32_MAX for the others. */
static uint32_t material_of(const scree_scene *scene, scree_record record)
{
    switch (record.element) {
    case SCREE_ELEMENT_FILL:
        return scene->fills[record.index].material;
    case SCREE_ELEMENT_GRAIN:
        return scene->grains[record.index].material;
    case SCREE_ELEMENT_EMITTER:
        return scene->emitters[record.index].material;
    case SCREE_ELEMENT_BODY:
        return scene->bodies[record.index].material;
    default:
        return UINT32_MAX;
    }
}

/* Whatever may touch a grain of material `grain` has a pair with it. */
static scree_status check_meetings(const scree_scene *scene, uint32_t grain, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->record_count; i++) {
        uint32_t other = material_of(scene, scene->records[i]);
        if (other == UINT32_MAX || scree_scene_find_pair(scene, grain, other) != UINT32_MAX)
            continue;
        const char *a = scene->materials[grain].id, *b = scene->materials[other].id;
        scree_fail(error, SCREE_INVALID,
                   "%s: its material %s meets grains of %s, and there is no pair for the two; add <pair a=\"%s\" "
                   "b=\"%s\" friction=\"…\"/>",
                   scree_element_describe((scree_element)scene->records[i].element)->name, b, a, a, b);
        return blame_on(blame, i, "material");
    }
    return SCREE_OK;
}

static scree_status check_materials(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t material = 0; material < scene->material_count; material++) {
        bool has_grains = false;
        for (uint32_t i = 0; i < scene->record_count && !has_grains; i++)
            has_grains =
                scene->records[i].element != SCREE_ELEMENT_BODY && material_of(scene, scene->records[i]) == material;
        scree_status status = has_grains ? check_meetings(scene, material, blame, error) : SCREE_OK;
        if (status != SCREE_OK)
            return status;
        const scree_material *m = &scene->materials[material];
        if (m->viscosity > 0.0 && !(m->poisson > 0.0)) {
            scree_fail(error, SCREE_INVALID, "material: a viscosity needs a Poisson's ratio above 0");
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_MATERIAL, material), "viscosity");
        }
    }
    return SCREE_OK;
}

static scree_status check_regions(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->region_count; i++) {
        const scree_region *region = &scene->regions[i];
        const double *s = region->size, *n = region->normal;
        const char *field = NULL;
        if (region->shape == SCREE_REGION_BOX && !(s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0)) {
            scree_fail(error, SCREE_INVALID, "region %s: size = %g %g %g; each edge of a box must be above 0 m",
                       region->id, s[0], s[1], s[2]);
            field = "size";
        } else if (region->shape == SCREE_REGION_CYLINDER && !(region->radius > 0.0)) {
            scree_fail(error, SCREE_INVALID, "region %s: a cylinder needs a radius above 0 m", region->id);
            field = "radius";
        } else if (region->shape == SCREE_REGION_HALFSPACE && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 1e-24)) {
            scree_fail(error, SCREE_INVALID,
                       "region %s: a half-space needs a normal, the direction out of it, such as \"0 0 1\"",
                       region->id);
            field = "normal";
        } else if (region->shape == SCREE_REGION_HEAP &&
                   !(region->radius > 0.0 && region->angle > 0.0 && region->angle < 1.5)) {
            scree_fail(error, SCREE_INVALID,
                       "region %s: a heap needs a radius above 0 m and an angle above 0 to 1.5 rad", region->id);
            field = region->radius > 0.0 ? "angle" : "radius";
        } else if (region->shape == SCREE_REGION_TRENCH && !(s[0] >= 0.0 && s[1] > 0.0 && s[2] > 0.0)) {
            scree_fail(
                error, SCREE_INVALID,
                "region %s: size = %g %g %g; a trench has a bottom of width from 0 m and length above 0 m, and a "
                "depth above 0 m",
                region->id, s[0], s[1], s[2]);
            field = "size";
        } else if (region->shape == SCREE_REGION_TRENCH &&
                   !(region->angle > 0.0 && s[0] + 2.0 * s[2] / tan(region->angle) >= 0.0 && s[0] + s[2] > 0.0)) {
            scree_fail(error, SCREE_INVALID,
                       "region %s: angle = %g rad; a trench needs one above 0 at which its sides do not cross",
                       region->id, region->angle);
            field = "angle";
        }
        if (field)
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_REGION, i), field);
    }
    return SCREE_OK;
}

/* A tensor that a body can have: positive definite, and no moment above the sum of the other two. */
static bool is_inertia(const scree_body *body)
{
    const double *d = body->inertia, *o = body->products;
    double minor = d[0] * d[1] - o[0] * o[0];
    double determinant = d[2] * minor - d[0] * o[2] * o[2] - d[1] * o[1] * o[1] + 2.0 * o[0] * o[1] * o[2];
    bool definite = d[0] > 0.0 && minor > 0.0 && determinant > 0.0;
    const double loose = 1.0 + 1e-6; /* a flat plate has equality, and its numbers are rounded */
    return definite && d[0] <= loose * (d[1] + d[2]) && d[1] <= loose * (d[2] + d[0]) && d[2] <= loose * (d[0] + d[1]);
}

static scree_status check_bodies(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].belt_speed != 0.0 && !scree_body_has_belt(&scene->bodies[i])) {
            scree_fail(error, SCREE_INVALID, "body %s: beltSpeed needs a direction; give one such as belt=\"1 0 0\"",
                       scene->bodies[i].id);
            return blame_on(blame, record_of(scene, SCREE_ELEMENT_BODY, i), "beltSpeed");
        }
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const scree_body *body = &scene->bodies[i];
        if (body->kind != SCREE_BODY_DYNAMIC)
            continue;
        uint32_t record = record_of(scene, SCREE_ELEMENT_BODY, i);
        if (!(body->mass > 0.0)) {
            scree_fail(error, SCREE_INVALID, "body %s: a dynamic body needs a mass above 0 kg", body->id);
            return blame_on(blame, record, "mass");
        }
        if (!is_inertia(body)) {
            scree_fail(error, SCREE_INVALID,
                       "body %s: inertia = %g %g %g with products %g %g %g is no body's; it must be positive definite, "
                       "and none of the three above the sum of the other two",
                       body->id, body->inertia[0], body->inertia[1], body->inertia[2], body->products[0],
                       body->products[1], body->products[2]);
            return blame_on(blame, record, "inertia");
        }
    }
    for (uint32_t i = 0; i < scene->record_count; i++) {
        scree_record record = scene->records[i];
        if (!scree_is_shape((scree_element)record.element))
            continue;
        const scree_shape *shape = &scene->shapes[record.index];
        bool endless = shape->kind == SCREE_SHAPE_PLANE || (shape->kind == SCREE_SHAPE_TUBE && shape->length == 0.0);
        if (endless && scene->bodies[shape->body].kind == SCREE_BODY_DYNAMIC) {
            const char *name = scree_element_describe((scree_element)record.element)->name;
            scree_fail(error, SCREE_INVALID, "%s: has no end, and body %s is dynamic; give it a shape of finite size",
                       name, scene->bodies[shape->body].id);
            return blame_on(blame, i, NULL);
        }
    }
    return SCREE_OK;
}

static scree_status check_joints(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const scree_joint *joint = &scene->joints[i];
        uint32_t record = record_of(scene, SCREE_ELEMENT_JOINT, i);
        const double *x = joint->axis, *p = joint->position, *q = joint->end;
        bool a_moves = joint->a != UINT32_MAX && scene->bodies[joint->a].kind == SCREE_BODY_DYNAMIC;
        if (joint->a == joint->b || (!a_moves && scene->bodies[joint->b].kind != SCREE_BODY_DYNAMIC)) {
            scree_fail(error, SCREE_INVALID, "joint %s: joins two bodies, at least one of them of kind \"dynamic\"",
                       joint->id);
            return blame_on(blame, record, "b");
        }
        if ((joint->kind == SCREE_JOINT_HINGE || joint->kind == SCREE_JOINT_SLIDER) &&
            !(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > 1e-24)) {
            scree_fail(error, SCREE_INVALID, "joint %s: needs an axis such as \"0 1 0\"", joint->id);
            return blame_on(blame, record, "axis");
        }
        double far = fmax(fabs(p[0] - q[0]), fmax(fabs(p[1] - q[1]), fabs(p[2] - q[2])));
        if (joint->kind == SCREE_JOINT_DISTANCE && !(far > 1e-9)) {
            scree_fail(error, SCREE_INVALID, "joint %s: position and end of a distance must be apart", joint->id);
            return blame_on(blame, record, "end");
        }
        if (joint->lower > joint->upper) {
            scree_fail(error, SCREE_INVALID, "joint %s: lower = %g must not be above upper = %g", joint->id,
                       joint->lower, joint->upper);
            return blame_on(blame, record, "lower");
        }
    }
    for (uint32_t i = 0; i < scene->actuator_count; i++) {
        const scree_actuator *actuator = &scene->actuators[i];
        const scree_joint *joint = &scene->joints[actuator->joint];
        uint32_t record = record_of(scene, SCREE_ELEMENT_ACTUATOR, i);
        if (joint->kind == SCREE_JOINT_FIXED || joint->kind == SCREE_JOINT_BALL) {
            scree_fail(error, SCREE_INVALID,
                       "actuator %s: drives a hinge, a slider or a distance, and joint %s is none of them",
                       actuator->id, joint->id);
            return blame_on(blame, record, "joint");
        }
        for (uint32_t k = 0; k < i; k++)
            if (scene->actuators[k].joint == actuator->joint) {
                scree_fail(error, SCREE_INVALID, "actuator %s: joint %s is driven by %s already", actuator->id,
                           joint->id, scene->actuators[k].id);
                return blame_on(blame, record, "joint");
            }
    }
    return SCREE_OK;
}

/* By what it says of pose, velocity or turning; a belt runs on a body that may be moved otherwise. */
static bool moves_body(const scree_scene *scene, uint32_t port)
{
    return scree_port_takes_motion(&scene->ports[port]) ||
           (scene->ports[port].mode == SCREE_PORT_SURFACE && !scree_scene_port_has_belt(scene, port));
}

/* The field to blame, or NULL. */
static const char *check_surface_port(const scree_scene *scene, uint32_t index, scree_error *error)
{
    const scree_port *port = &scene->ports[index];
    const scree_body *body = &scene->bodies[port->body];
    if (!scree_body_has_belt(body) && !turns(body)) {
        scree_fail(error, SCREE_INVALID,
                   "port %s: mode \"surface\" needs a body with a belt, or a driven one with an angularVelocity about "
                   "whose axis it turns, and %s has neither",
                   port->id, body->id);
        return "mode";
    }
    for (uint32_t k = 0; k < index; k++) {
        bool both_run = scene->ports[k].mode == SCREE_PORT_SURFACE || !scree_body_has_belt(body);
        if (scene->ports[k].body == port->body && both_run &&
            (scene->ports[k].mode == SCREE_PORT_SURFACE || moves_body(scene, k))) {
            scree_fail(error, SCREE_INVALID,
                       "port %s: body %s is moved by port %s already; one surface or motion port a body", port->id,
                       body->id, scene->ports[k].id);
            return "body";
        }
    }
    return NULL;
}

static scree_status check_ports(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->port_count; i++) {
        const scree_port *port = &scene->ports[i];
        const scree_body *body = &scene->bodies[port->body];
        uint32_t record = record_of(scene, SCREE_ELEMENT_PORT, i);
        static const char *const kinds[] = {"static", "driven", "dynamic"};
        static const struct {
            const char *mode;
            uint32_t kind;
        } needs[] = {[SCREE_PORT_MOTION] = {"motion", SCREE_BODY_DRIVEN},
                     [SCREE_PORT_FORCE] = {"force", SCREE_BODY_DYNAMIC},
                     [SCREE_PORT_PROXY] = {"proxy", SCREE_BODY_DYNAMIC}};
        if (port->mode == SCREE_PORT_WRENCH)
            continue;
        if (port->mode == SCREE_PORT_SURFACE) {
            const char *field = check_surface_port(scene, i, error);
            if (field)
                return blame_on(blame, record, field);
            continue;
        }
        if (body->kind != needs[port->mode].kind) {
            scree_fail(error, SCREE_INVALID,
                       "port %s: mode \"%s\" needs a body of kind \"%s\", and %s is %s; make it %s, or use mode "
                       "\"wrench\"",
                       port->id, needs[port->mode].mode, kinds[needs[port->mode].kind], body->id, kinds[body->kind],
                       kinds[needs[port->mode].kind]);
            return blame_on(blame, record, "mode");
        }
        for (uint32_t k = 0; k < i && port->mode != SCREE_PORT_FORCE; k++)
            if (scene->ports[k].body == port->body && moves_body(scene, k)) {
                scree_fail(error, SCREE_INVALID, "port %s: body %s is moved by port %s already; one motion port a body",
                           port->id, body->id, scene->ports[k].id);
                return blame_on(blame, record, "body");
            }
    }
    return SCREE_OK;
}

static double square(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* Names the field that is wrong with a sensor, with a message in error; NULL when all is well. */
static const char *check_sensor(const scree_sensor *sensor, scree_error *error)
{
    const double *n = sensor->normal, *a = sensor->across, z[3] = {0.0, 0.0, 1.0};
    if (sensor->kind == SCREE_SENSOR_HEIGHT && (double)sensor->nx * sensor->ny > SCREE_MOST_HEIGHTS) {
        scree_fail(error, SCREE_INVALID, "sensor %s: %u times %u cells; at most %d are allowed", sensor->id,
                   (unsigned)sensor->nx, (unsigned)sensor->ny, SCREE_MOST_HEIGHTS);
        return "ny";
    }
    if (sensor->kind == SCREE_SENSOR_FLOW && !(square(n) > 1e-24)) {
        scree_fail(error, SCREE_INVALID, "sensor %s: normal has no length; give a direction such as \"0 0 1\"",
                   sensor->id);
        return "normal";
    }
    if (!(square(n) > 1e-24))
        n = z;
    const double off[3] = {n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]};
    if (square(a) > 0.0 && !(square(off) > 1e-12 * square(n) * square(a))) {
        scree_fail(error, SCREE_INVALID, "sensor %s: across has no part perpendicular to the normal", sensor->id);
        return "across";
    }
    return NULL;
}

static scree_status check_sensors(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->record_count; i++) {
        scree_record record = scene->records[i];
        if (record.element < SCREE_ELEMENT_REGION_SENSOR || record.element > SCREE_ELEMENT_LOAD_SENSOR)
            continue;
        const char *field = check_sensor(&scene->sensors[record.index], error);
        if (field)
            return blame_on(blame, i, field);
    }
    return SCREE_OK;
}

/* What has variables of its own, which begin with its id. */
static bool has_variables(scree_element element)
{
    return element == SCREE_ELEMENT_PORT || element == SCREE_ELEMENT_ACTUATOR || element == SCREE_ELEMENT_EMITTER ||
           element == SCREE_ELEMENT_SINK ||
           (element >= SCREE_ELEMENT_REGION_SENSOR && element <= SCREE_ELEMENT_LOAD_SENSOR);
}

/* The first parts of the names of variables that begin with no id: those of the whole, and of parameters, which begin
 * with the name of their element. */
static bool is_reserved(const char *id)
{
    static const char *const words[] = {"info", "profile", "record", "gravity", "time", "der"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(id, words[i]) == 0)
            return true;
    for (scree_element element = SCREE_ELEMENT_SCENE + 1; element < SCREE_ELEMENT_COUNT; element++) {
        const scree_element_info *info = scree_element_describe(element);
        for (uint32_t k = 0; k < info->field_count; k++)
            if ((info->fields[k].flags & SCREE_FIELD_SETTABLE) && strcmp(id, info->name) == 0)
                return true;
    }
    return false;
}

static const char *id_of(const scree_scene *scene, scree_record record)
{
    scree_element element = (scree_element)record.element;
    return (const char *)scree_scene_item(scene, element, record.index) +
           scree_element_describe(element)->fields[0].offset;
}

/* Ports, sensors, actuators, emitters and sinks share one space of names: no two variables may be named alike. */
static scree_status check_names(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    for (uint32_t i = 0; i < scene->record_count; i++) {
        if (!has_variables((scree_element)scene->records[i].element))
            continue;
        const char *id = id_of(scene, scene->records[i]);
        const char *name = scree_element_describe((scree_element)scene->records[i].element)->name;
        if (is_reserved(id)) {
            scree_fail(
                error, SCREE_INVALID,
                "%s: id \"%s\" is taken; not allowed: info, profile, record, gravity, time, der, and names of elements "
                "such as solver, material or body",
                name, id);
            return blame_on(blame, i, "id");
        }
        for (uint32_t k = 0; k < i; k++) {
            scree_element other = (scree_element)scene->records[k].element;
            if (has_variables(other) && strcmp(id_of(scene, scene->records[k]), id) == 0) {
                scree_fail(
                    error, SCREE_INVALID,
                    "%s: id \"%s\" is used by an earlier %s: their variables would be named alike; each needs its own",
                    name, id, scree_element_describe(other)->name);
                return blame_on(blame, i, "id");
            }
        }
    }
    return SCREE_OK;
}

scree_status scree_scene_check(const scree_scene *scene, scree_blame *blame, scree_error *error)
{
    static scree_status (*const checks[])(const scree_scene *, scree_blame *, scree_error *) = {
        check_pairs,   check_materials, scree_check_shapes, check_bodies,  scree_check_grains,
        check_regions, check_joints,    check_ports,        check_sensors, check_names};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        scree_status status = checks[i](scene, blame, error);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}
