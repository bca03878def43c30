/*
 * Variables of actuators: which of them are inputs depends on the mode.
 */
#include "groups.h"

#include <stdio.h>
#include <string.h>

static bool turns(const scree_scene *scene, uint32_t actuator)
{
    return scene->joints[scene->actuators[actuator].joint].kind == SCREE_JOINT_HINGE;
}

static bool slides(const scree_scene *scene, uint32_t actuator)
{
    return !turns(scene, actuator);
}

static bool is_mode(const scree_scene *scene, uint32_t actuator, scree_actuator_mode mode)
{
    return scene->actuators[actuator].mode == (uint32_t)mode;
}

static bool angle_in(const scree_scene *scene, uint32_t actuator)
{
    return turns(scene, actuator) && is_mode(scene, actuator, SCREE_ACTUATE_MOTION);
}

static bool length_in(const scree_scene *scene, uint32_t actuator)
{
    return slides(scene, actuator) && is_mode(scene, actuator, SCREE_ACTUATE_MOTION);
}

static bool spin_in(const scree_scene *scene, uint32_t actuator)
{
    return turns(scene, actuator) && !is_mode(scene, actuator, SCREE_ACTUATE_FORCE);
}

static bool speed_in(const scree_scene *scene, uint32_t actuator)
{
    return slides(scene, actuator) && !is_mode(scene, actuator, SCREE_ACTUATE_FORCE);
}

static bool torque_in(const scree_scene *scene, uint32_t actuator)
{
    return turns(scene, actuator) && is_mode(scene, actuator, SCREE_ACTUATE_FORCE);
}

static bool force_in(const scree_scene *scene, uint32_t actuator)
{
    return slides(scene, actuator) && is_mode(scene, actuator, SCREE_ACTUATE_FORCE);
}

/* A hinge and a slide differ in their units: two items, of which a scene's actuator has one. */
#define EITHER(struct_, member_, name_, unit_turning_, unit_sliding_, zero_, direct_, when_, turning_, sliding_,       \
               help_)                                                                                                  \
    {.name = name_,                                                                                                    \
     .unit = unit_turning_,                                                                                            \
     .help = help_,                                                                                                    \
     .type = SCREE_TYPE_REAL,                                                                                          \
     .count = 1,                                                                                                       \
     .offset = offsetof(struct_, member_),                                                                             \
     .zero_at_start = zero_,                                                                                           \
     .direct = direct_,                                                                                                \
     .when = when_ "hinge",                                                                                            \
     .has = turning_},                                                                                                 \
    {                                                                                                                  \
        .name = name_, .unit = unit_sliding_, .help = help_, .type = SCREE_TYPE_REAL, .count = 1,                      \
        .offset = offsetof(struct_, member_), .zero_at_start = zero_, .direct = direct_,                               \
        .when = when_ "slider, distance", .has = sliding_                                                              \
    }

static const scree_item drive_items[] = {
    EITHER(scree_drive, position, "targetPosition", "rad", "m", false, false, "mode motion, ", angle_in, length_in,
           "Where the joint's coordinate should be now; the step carries it on by the speed"),
    EITHER(scree_drive, speed, "targetSpeed", "rad/s", "m/s", false, true, "mode motion, speed, ", spin_in, speed_in,
           "Speed that the joint's coordinate should have"),
    EITHER(scree_drive, force, "appliedForce", "N.m", "N", false, true, "mode force, ", torque_in, force_in,
           "What drives the joint's coordinate, held during the step"),
};

static const scree_item actuation_items[] = {
    EITHER(scree_actuation, position, "position", "rad", "m", false, false, "", turns, slides,
           "Coordinate of the joint"),
    EITHER(scree_actuation, speed, "speed", "rad/s", "m/s", false, false, "", turns, slides, "Its speed"),
    EITHER(scree_actuation, force, "force", "N.m", "N", true, true, "", turns, slides,
           "What the actuator drives it with, mean over the last step; positive: up"),
    SCREE_ITEM(scree_actuation, power, "power", REAL, 1, "W", true, "Power that it puts in, mean over the last step"),
};

static const char *describe(const scree_scene *scene, uint32_t actuator, char *text, size_t room)
{
    snprintf(text, room, " (of joint %s)", scene->joints[scene->actuators[actuator].joint].id);
    return text;
}

static void start_drive(const scree_scene *scene, uint32_t actuator, void *values)
{
    *(scree_drive *)values = scree_world_start_drive(scene, actuator);
}

static scree_status get_drive(const scree_world *world, uint32_t actuator, void *values)
{
    memcpy(values, scree_world_get_drive(world, actuator), sizeof(scree_drive));
    return SCREE_OK;
}

static scree_status set_drive(scree_world *world, uint32_t actuator, const void *values, scree_error *error)
{
    return scree_world_set_drive(world, actuator, values, error);
}

static scree_status get_actuation(const scree_world *world, uint32_t actuator, void *values)
{
    return scree_world_get_actuation(world, actuator, values);
}

const scree_group scree_drive_group = {
    .name = "drive",
    .element = SCREE_ELEMENT_ACTUATOR,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(drive_items),
    .size = sizeof(scree_drive),
    .describe = describe,
    .start = start_drive,
    .get = get_drive,
    .set = set_drive,
};

const scree_group scree_actuation_group = {
    .name = "actuation",
    .element = SCREE_ELEMENT_ACTUATOR,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(actuation_items),
    .size = sizeof(scree_actuation),
    .describe = describe,
    .get = get_actuation,
};
