/*
 * Variables of sensors: <sensor>.*
 */
#include "groups.h"

#include <stdio.h>
#include <string.h>

static scree_status get_reading(const scree_world *world, uint32_t sensor, void *values)
{
    scree_reading reading = scree_world_get_reading(world, sensor);
    memcpy(values, &reading, sizeof reading);
    return SCREE_OK;
}

/* ---------------------------------------------------------------- region */

static const scree_item region_items[] = {
    SCREE_ITEM(scree_region_reading, mass, "mass", REAL, 1, "kg", false, "Mass of the grains in the region"),
    SCREE_ITEM(scree_region_reading, count, "count", INTEGER, 1, "1", false, "Number of grains in the region"),
    SCREE_ITEM(scree_region_reading, center, "center", REAL, 3, "m", false,
               "Centre of mass of the grains in the region"),
    SCREE_ITEM(scree_region_reading, velocity, "velocity", REAL, 3, "m/s", false, "Velocity of their centre of mass"),
    SCREE_ITEM(scree_region_reading, kinetic_energy, "kineticEnergy", REAL, 1, "J", false,
               "Kinetic energy of the grains in the region"),
    SCREE_ITEM(scree_region_reading, mean_speed, "meanSpeed", REAL, 1, "m/s", false,
               "Speed of the grains in the region, mean weighted by mass"),
};

static const char *describe_region(const scree_scene *scene, uint32_t sensor, char *text, size_t room)
{
    snprintf(text, room, " (region %s)", scene->regions[scene->sensors[sensor].region].id);
    return text;
}

const scree_group scree_region_sensor_group = {
    .name = "regionSensor",
    .element = SCREE_ELEMENT_REGION_SENSOR,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(region_items),
    .size = sizeof(scree_reading),
    .describe = describe_region,
    .get = get_reading,
};

/* ---------------------------------------------------------------- flow */

static const scree_item flow_items[] = {
    SCREE_ITEM(scree_flow_reading, mass_flow, "massFlow", REAL, 1, "kg/s", true,
               "Mass flow along the normal, mean over the last step"),
    SCREE_ITEM(scree_flow_reading, passed, "passed", REAL, 1, "kg", true, "Net mass that has passed since the start"),
};

const scree_group scree_flow_sensor_group = {
    .name = "flowSensor",
    .element = SCREE_ELEMENT_FLOW_SENSOR,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(flow_items),
    .size = sizeof(scree_reading),
    .get = get_reading,
};

/* ---------------------------------------------------------------- height */

static void height_grid(const scree_scene *scene, uint32_t sensor, uint32_t size[2])
{
    size[0] = scene->sensors[sensor].nx;
    size[1] = scene->sensors[sensor].ny;
}

static double height_cell(const scree_world *world, uint32_t sensor, uint32_t component)
{
    return scree_world_get_heights(world, sensor)[component];
}

static const scree_item height_items[] = {
    SCREE_ITEM(scree_height_reading, max, "max", REAL, 1, "m", false, "Largest of the heights"),
    SCREE_ITEM(scree_height_reading, mean, "mean", REAL, 1, "m", false, "Mean of the heights"),
    {.name = "height",
     .unit = "m",
     .help = "Height of the grains over a cell, at their highest point; 0 where there are none",
     .type = SCREE_TYPE_REAL,
     .grid = height_grid,
     .cell = height_cell},
};

const scree_group scree_height_sensor_group = {
    .name = "heightSensor",
    .element = SCREE_ELEMENT_HEIGHT_SENSOR,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(height_items),
    .size = sizeof(scree_reading),
    .get = get_reading,
};

/* ---------------------------------------------------------------- load */

static bool has_area(const scree_scene *scene, uint32_t sensor)
{
    return scene->sensors[sensor].area > 0.0;
}

static const scree_item load_items[] = {
    SCREE_ITEM(scree_load_reading, force, "force", REAL, 3, "N", true, "Force by the grains, mean over the last step"),
    SCREE_ITEM(scree_load_reading, normal_force, "normalForce", REAL, 1, "N", true,
               "Sum of the pushes of the grains along the normals of their contacts, mean over the last step"),
    SCREE_ITEM(scree_load_reading, tangential_force, "tangentialForce", REAL, 3, "N", true,
               "Force by the friction of the grains, mean over the last step"),
    SCREE_ITEM(scree_load_reading, torque, "torque", REAL, 1, "N.m", true,
               "Torque by the grains about the axis, mean over the last step"),
    SCREE_ITEM(scree_load_reading, power, "power", REAL, 1, "W", true,
               "Power of the body on the grains, mean over the last step"),
    {.name = "pressure",
     .unit = "Pa",
     .help = "Normal force over area, mean over the last step",
     .type = SCREE_TYPE_REAL,
     .count = 1,
     .offset = offsetof(scree_load_reading, pressure),
     .zero_at_start = true,
     .when = "area above 0",
     .has = has_area},
};

static const char *describe_load(const scree_scene *scene, uint32_t sensor, char *text, size_t room)
{
    snprintf(text, room, " (on body %s)", scene->bodies[scene->sensors[sensor].body].id);
    return text;
}

const scree_group scree_load_sensor_group = {
    .name = "loadSensor",
    .element = SCREE_ELEMENT_LOAD_SENSOR,
    .causality = SCREE_OUTPUT,
    SCREE_ITEMS(load_items),
    .size = sizeof(scree_reading),
    .describe = describe_load,
    .get = get_reading,
};
