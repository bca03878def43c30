/*
 * Sensors: what is in a region, how much flows through a rectangle, how high the grains lie, what they do to a body.
 */
#ifndef SCREE_MEASURE_SENSORS_H
#define SCREE_MEASURE_SENSORS_H

#include "world.h"

/* For a world whose settings are there. False: no memory; scree_sensing_free releases what was got. */
bool scree_sensing_create(scree_sensing *sensing, const scree_scene *settings, const scree_memory *memory);
void scree_sensing_free(scree_sensing *sensing, const scree_memory *memory);

/* Where a sensor is now. */
scree_placed_sensor scree_sensor_place(const scree_world *world, uint32_t sensor);

/* A new step: sums over a step begin at zero. */
void scree_sensors_begin(scree_world *world);

/* Makes the readings from the grains and the meters: after the start, a step, a load. */
void scree_sensors_read(scree_world *world);

/*
 * Between these two no grain comes, goes or gets another index. What crosses a rectangle in between is counted; grains
 * may be sorted, added and removed between an end and the next begin. Begin is false when there is no memory; end does
 * nothing when there was no begin.
 */
bool scree_flow_begin(scree_world *world);
void scree_flow_end(scree_world *world);

/* What a contact gives to a body in a substep, METHOD 1. */
typedef struct scree_push {
    uint32_t body;
    vec3 point;  /* m */
    vec3 n;      /* into the body */
    double pn;   /* N s */
    vec3 pt, pr; /* N s, N m s */
    vec3 v, w;   /* m/s, rad/s, of the body's surface there */
} scree_push;

/* Places the load sensors for scree_load_add, once a substep. */
void scree_load_begin(scree_world *world);
void scree_load_add(scree_world *world, const scree_push *push);

#endif
