/*
 * Variables of ports on bodies.
 */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *frame_of(const scree_port *port)
{
    return port->frame == SCREE_FRAME_BODY ? ", in the body frame" : "";
}

static const char *body_of(const scree_scene *scene, uint32_t port)
{
    return scene->bodies[scene->ports[port].body].id;
}

/* ---------------------------------------------------------------- motion in: pose and twist */

static bool takes_motion(const scree_scene *scene, uint32_t port)
{
    return scree_port_takes_motion(&scene->ports[port]);
}

static bool has_quaternion(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].orientation == SCREE_ORIENTATION_QUATERNION;
}

static bool has_matrix(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].orientation == SCREE_ORIENTATION_MATRIX;
}

static void start_motion(const scree_scene *scene, uint32_t port, void *values)
{
    scree_motion motion = scree_scene_start_motion(scene, port);
    memcpy(values, &motion, sizeof motion);
}

static scree_status get_motion(const scree_world *world, uint32_t port, void *values)
{
    memcpy(values, scree_world_get_motion(world, port), sizeof(scree_motion));
    return SCREE_OK;
}

static scree_status set_motion(scree_world *world, uint32_t port, const void *values, scree_error *error)
{
    return scree_world_set_motion(world, port, values, error);
}

static const char *describe_pose(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (of body %s)", body_of(scene, port));
    return text;
}

static const char *describe_twist(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (of body %s%s)", body_of(scene, port), frame_of(&scene->ports[port]));
    return text;
}

/* One of the two, as the port says it. */
#define ORIENTATION_ITEMS(struct_)                                                                                     \
    {.name = "orientation",                                                                                            \
     .unit = "1",                                                                                                      \
     .help = "Orientation as a quaternion (w, x, y, z) from body to world",                                            \
     .count = 4,                                                                                                       \
     .offset = offsetof(struct_, orientation),                                                                         \
     .when = "orientation quaternion",                                                                                 \
     .has = has_quaternion},                                                                                           \
    {                                                                                                                  \
        .name = "orientation", .unit = "1", .help = "Orientation as a rotation matrix from body to world", .count = 9, \
        .columns = 3, .offset = offsetof(struct_, matrix), .when = "orientation matrix", .has = has_matrix             \
    }

static const scree_item pose_items[] = {
    SCREE_ITEM(scree_motion, position, "position", REAL, 3, "m", false, "Position of the body origin"),
    ORIENTATION_ITEMS(scree_motion),
};

static const scree_item twist_items[] = {
    SCREE_DIRECT_ITEM(scree_motion, velocity, "velocity", "m/s", false, "Velocity of the body origin"),
    SCREE_DIRECT_ITEM(scree_motion, angular_velocity, "angularVelocity", "rad/s", false, "Angular velocity"),
};

#define MOTION_GROUP(name_, items_, describe_)                                                                         \
    {                                                                                                                  \
        .name = name_, .element = SCREE_ELEMENT_PORT, .causality = SCREE_INPUT, SCREE_ITEMS(items_),                   \
        .size = sizeof(scree_motion), .when = "mode motion, proxy", .has = takes_motion, .describe = describe_,        \
        .start = start_motion, .get = get_motion, .set = set_motion, .set_rate = scree_world_set_motion_rate           \
    }

const scree_group scree_pose_group = MOTION_GROUP("pose", pose_items, describe_pose);
const scree_group scree_twist_group = MOTION_GROUP("twist", twist_items, describe_twist);

/* ---------------------------------------------------------------- wrench out */

static const scree_item wrench_items[] = {
    SCREE_DIRECT_ITEM(scree_port_wrench, mean.force, "force", "N", true,
                      "Force by the grains, mean over the last step"),
    SCREE_DIRECT_ITEM(scree_port_wrench, mean.torque, "torque", "N.m", true,
                      "Torque by the grains about the body origin, mean over the last step"),
    SCREE_DIRECT_ITEM(scree_port_wrench, instant.force, "instantForce", "N", true,
                      "Force by the grains in the last substep"),
    SCREE_DIRECT_ITEM(scree_port_wrench, instant.torque, "instantTorque", "N.m", true,
                      "Torque by the grains about the body origin in the last substep"),
    SCREE_DIRECT_ITEM(scree_port_wrench, filtered.force, "filteredForce", "N", true,
                      "Force by the grains through a low-pass filter"),
    SCREE_DIRECT_ITEM(scree_port_wrench, filtered.torque, "filteredTorque", "N.m", true,
                      "Torque by the grains about the body origin through a low-pass filter"),
};

static const char *describe_wrench(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (on body %s%s)", body_of(scene, port), frame_of(&scene->ports[port]));
    return text;
}

static scree_status get_wrench(const scree_world *world, uint32_t port, void *values)
{
    return scree_world_get_port_wrench(world, port, values);
}

/* Only the filtered wrench is smooth enough to have one. */
static scree_status get_wrench_rate(const scree_world *world, uint32_t port, void *values)
{
    scree_port_wrench wrench;
    scree_wrench none = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    scree_status status = scree_world_get_port_wrench(world, port, &wrench);
    *(scree_port_wrench *)values = (scree_port_wrench){.mean = none, .instant = none, .filtered = wrench.rate};
    return status;
}

const scree_group scree_wrench_group = {
    .name = "wrench",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(wrench_items),
    .size = sizeof(scree_port_wrench),
    .describe = describe_wrench,
    .get = get_wrench,
    .get_rate = get_wrench_rate,
};

/* ---------------------------------------------------------------- impedance out */

static bool has_impedance(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].impedance;
}

static const scree_item impedance_items[] = {
    {.name = "Z",
     .unit = "1",
     .help = "Impedance: impulse of the grains over a step, per change of the twist, negative (kg, kg.m, kg.m2)",
     .type = SCREE_TYPE_REAL,
     .count = 36,
     .columns = 6,
     .zero_at_start = true},
};

static scree_status get_impedance(const scree_world *world, uint32_t port, void *values)
{
    memcpy(values, scree_world_port_impedance(world, port), 36 * sizeof(double));
    return SCREE_OK;
}

const scree_group scree_impedance_group = {
    .name = "impedance",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(impedance_items),
    .size = 36 * sizeof(double),
    .has = has_impedance,
    .describe = describe_wrench,
    .get = get_impedance,
};

/* ---------------------------------------------------------------- force in, motion out */

static bool takes_force(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].mode == SCREE_PORT_FORCE;
}

static const scree_item load_items[] = {
    SCREE_DIRECT_ITEM(scree_wrench, force, "appliedForce", "N", false,
                      "Force from outside at the body origin, held during the step"),
    SCREE_DIRECT_ITEM(scree_wrench, torque, "appliedTorque", "N.m", false, "Torque from outside, held during the step"),
};

static void start_load(const scree_scene *scene, uint32_t port, void *values)
{
    (void)scene;
    (void)port;
    *(scree_wrench *)values = (scree_wrench){0};
}

static scree_status get_load(const scree_world *world, uint32_t port, void *values)
{
    memcpy(values, scree_world_get_load(world, port), sizeof(scree_wrench));
    return SCREE_OK;
}

static scree_status set_load(scree_world *world, uint32_t port, const void *values, scree_error *error)
{
    return scree_world_set_load(world, port, values, error);
}

const scree_group scree_load_group = {
    .name = "load",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(load_items),
    .size = sizeof(scree_wrench),
    .when = "mode force",
    .has = takes_force,
    .describe = describe_wrench,
    .start = start_load,
    .get = get_load,
    .set = set_load,
    .set_rate = scree_world_set_load_rate,
};

static const scree_item place_items[] = {
    SCREE_ITEM(scree_body_state, position, "position", REAL, 3, "m", false, "Position of the body origin"),
    ORIENTATION_ITEMS(scree_body_state),
};

static const scree_item state_items[] = {
    SCREE_ITEM(scree_body_state, velocity, "velocity", REAL, 3, "m/s", false, "Velocity of the body origin"),
    SCREE_ITEM(scree_body_state, angular_velocity, "angularVelocity", REAL, 3, "rad/s", false, "Angular velocity"),
    SCREE_DIRECT_ITEM(scree_body_state, acceleration, "acceleration", "m/s2", true,
                      "Acceleration of the body origin, mean over the last step"),
    SCREE_DIRECT_ITEM(scree_body_state, angular_acceleration, "angularAcceleration", "rad/s2", true,
                      "Angular acceleration, mean over the last step"),
};

static scree_status get_state(const scree_world *world, uint32_t port, void *values)
{
    return scree_world_get_port_motion(world, port, values, NULL);
}

static scree_status get_state_rate(const scree_world *world, uint32_t port, void *values)
{
    scree_body_state state;
    return scree_world_get_port_motion(world, port, &state, values);
}

#define STATE_GROUP(name_, items_, describe_)                                                                          \
    {                                                                                                                  \
        .name = name_, .element = SCREE_ELEMENT_PORT, .causality = SCREE_OUTPUT, SCREE_ITEMS(items_),                  \
        .size = sizeof(scree_body_state), .when = "mode force", .has = takes_force, .describe = describe_,             \
        .get = get_state, .get_rate = get_state_rate                                                                   \
    }

const scree_group scree_place_group = STATE_GROUP("place", place_items, describe_pose);
const scree_group scree_state_group = STATE_GROUP("state", state_items, describe_twist);
