/*
 * Variables of surface ports: the speed of a belt or of a turning body, and what it takes to keep it.
 */
#include "groups.h"

#include <stdio.h>

typedef struct surface_speed {
    double speed; /* m/s or rad/s */
} surface_speed;

static bool is_surface(const scree_scene *scene, uint32_t port)
{
    return scene->ports[port].mode == SCREE_PORT_SURFACE;
}

static bool has_belt(const scree_scene *scene, uint32_t port)
{
    return scree_scene_port_has_belt(scene, port);
}

static bool has_axis(const scree_scene *scene, uint32_t port)
{
    return !scree_scene_port_has_belt(scene, port);
}

static const char *describe(const scree_scene *scene, uint32_t port, char *text, size_t room)
{
    snprintf(text, room, " (of body %s)", scene->bodies[scene->ports[port].body].id);
    return text;
}

static void start_speed(const scree_scene *scene, uint32_t port, void *values)
{
    ((surface_speed *)values)->speed = scree_scene_start_speed(scene, port);
}

static scree_status get_speed(const scree_world *world, uint32_t port, void *values)
{
    ((surface_speed *)values)->speed = scree_world_get_surface_speed(world, port);
    return SCREE_OK;
}

static scree_status set_speed(scree_world *world, uint32_t port, const void *values, scree_error *error)
{
    return scree_world_set_surface_speed(world, port, ((const surface_speed *)values)->speed, error);
}

static const scree_item speed_items[] = {
    {.name = "speed",
     .unit = "m/s",
     .help = "Speed of the belt in its direction",
     .count = 1,
     .offset = offsetof(surface_speed, speed),
     .has = has_belt},
    {.name = "angularSpeed",
     .unit = "rad/s",
     .help = "Angular speed about the axis of the body's angular velocity",
     .count = 1,
     .offset = offsetof(surface_speed, speed),
     .has = has_axis},
};

const scree_group scree_surface_speed_group = {
    .name = "surfaceSpeed",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_INPUT,
    SCREE_ITEMS(speed_items),
    .size = sizeof(surface_speed),
    .has = is_surface,
    .describe = describe,
    .start = start_speed,
    .get = get_speed,
    .set = set_speed,
};

static scree_status get_load(const scree_world *world, uint32_t port, void *values)
{
    return scree_world_get_surface_load(world, port, values);
}

static const scree_item load_items[] = {
    {.name = "beltForce",
     .unit = "N",
     .help = "Force by the grains along the belt's direction, mean over the last step",
     .count = 1,
     .offset = offsetof(scree_surface_load, force),
     .zero_at_start = true,
     .has = has_belt},
    {.name = "axisTorque",
     .unit = "N.m",
     .help = "Torque by the grains about the axis, mean over the last step",
     .count = 1,
     .offset = offsetof(scree_surface_load, torque),
     .zero_at_start = true,
     .has = has_axis},
    SCREE_ITEM(scree_surface_load, power, "power", REAL, 1, "W", true,
               "Power that the surface gives to the grains, mean over the last step"),
};

const scree_group scree_surface_load_group = {
    .name = "surfaceLoad",
    .element = SCREE_ELEMENT_PORT,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(load_items),
    .size = sizeof(scree_surface_load),
    .has = is_surface,
    .describe = describe,
    .get = get_load,
};
