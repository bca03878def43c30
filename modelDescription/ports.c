/*
 * Variables of ports on bodies.
 */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- motion in */

static const scree_item motion_items[] = {
    SCREE_ITEM(scree_motion, position, "position", REAL, 3, "m", false, "Position of the body origin"),
    SCREE_ITEM(scree_motion, orientation, "orientation", REAL, 4, "1", false,
               "Orientation as a quaternion (w, x, y, z) from body to world"),
    SCREE_ITEM(scree_motion, velocity, "velocity", REAL, 3, "m/s", false, "Velocity of the body origin"),
    SCREE_ITEM(scree_motion, angular_velocity, "angularVelocity", REAL, 3, "rad/s", false, "Angular velocity"),
};

static bool takes_motion(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].mode == SCREE_PORT_MOTION;
}

static const char *describe_moved(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (of body %s)", scene->bodies[scene->ports[port].body].id);
    return text;
}

/* A body at rest at its start pose. The quaternion of a rotation vector r with angle |r| is
   (cos |r|/2, sin(|r|/2) r/|r|). */
static void start_motion(const scree_scene *scene, uint32_t port, void *values)
{
    const scree_body *body = &scene->bodies[scene->ports[port].body];
    scree_motion *motion = values;
    const double *r = body->rotation;
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double share = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5; /* below, the next term is under one rounding */
    *motion = (scree_motion){.orientation = {cos(0.5 * angle)}};
    for (int k = 0; k < 3; k++) {
        motion->position[k] = body->position[k];
        motion->orientation[1 + k] = share * r[k];
    }
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

const scree_group scree_motion_group = {
    .name = "motion",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(motion_items),
    .size = sizeof(scree_motion),
    .has = takes_motion,
    .describe = describe_moved,
    .start = start_motion,
    .get = get_motion,
    .set = set_motion,
};

/* ---------------------------------------------------------------- wrench out */

static const scree_item wrench_items[] = {
    SCREE_ITEM(scree_wrench, force, "force", REAL, 3, "N", true, "Force by the grains, mean over the last step"),
    SCREE_ITEM(scree_wrench, torque, "torque", REAL, 3, "N.m", true,
               "Torque by the grains about the body origin, mean over the last step"),
};

static const char *describe_pushed(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (on body %s)", scene->bodies[scene->ports[port].body].id);
    return text;
}

static scree_status get_wrench(const scree_world *world, uint32_t port, void *values)
{
    return scree_world_get_wrench(world, port, values);
}

const scree_group scree_wrench_group = {
    .name = "wrench",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(wrench_items),
    .size = sizeof(scree_wrench),
    .describe = describe_pushed,
    .get = get_wrench,
};

/* ---------------------------------------------------------------- force in, motion out */

static const scree_item load_items[] = {
    SCREE_ITEM(scree_wrench, force, "appliedForce", REAL, 3, "N", false,
               "Force from outside at the body origin, held during the step"),
    SCREE_ITEM(scree_wrench, torque, "appliedTorque", REAL, 3, "N.m", false,
               "Torque from outside, held during the step"),
};

static const scree_item state_items[] = {
    SCREE_ITEM(scree_body_state, position, "position", REAL, 3, "m", false, "Position of the body origin"),
    SCREE_ITEM(scree_body_state, orientation, "orientation", REAL, 4, "1", false,
               "Orientation as a quaternion (w, x, y, z) from body to world"),
    SCREE_ITEM(scree_body_state, velocity, "velocity", REAL, 3, "m/s", false, "Velocity of the body origin"),
    SCREE_ITEM(scree_body_state, angular_velocity, "angularVelocity", REAL, 3, "rad/s", false, "Angular velocity"),
    SCREE_ITEM(scree_body_state, acceleration, "acceleration", REAL, 3, "m/s2", true,
               "Acceleration of the body origin, mean over the last step"),
    SCREE_ITEM(scree_body_state, angular_acceleration, "angularAcceleration", REAL, 3, "rad/s2", true,
               "Angular acceleration, mean over the last step"),
};

static bool takes_force(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].mode == SCREE_PORT_FORCE;
}

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

static scree_status get_state(const scree_world *world, uint32_t port, void *values)
{
    scree_world_get_body(world, scree_world_settings(world)->ports[port].body, values);
    return SCREE_OK;
}

const scree_group scree_load_group = {
    .name = "load",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(load_items),
    .size = sizeof(scree_wrench),
    .has = takes_force,
    .describe = describe_pushed,
    .start = start_load,
    .get = get_load,
    .set = set_load,
};

const scree_group scree_state_group = {
    .name = "state",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(state_items),
    .size = sizeof(scree_body_state),
    .has = takes_force,
    .describe = describe_moved,
    .get = get_state,
};
