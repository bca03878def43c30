/*
 * What sensors keep between one step and the next. Readings follow from it and from the grains, and are made once a
 * step.
 */
#ifndef SCREE_MEASURE_SENSING_H
#define SCREE_MEASURE_SENSING_H

#include "base/memory.h"
#include "body/particles.h"
#include "body/regions.h"

/* Sums of one sensor; part of a world's state. */
typedef struct scree_meter {
    double passed;           /* kg, flow: through the rectangle since the start */
    double passing;          /* kg, flow: since the step began */
    vec3 impulse;            /* N s, load: on the body since the step began, as the next four */
    vec3 tangential_impulse; /* N s, of friction */
    double normal_impulse;   /* N s, along the normals of the contacts */
    double twist_impulse;    /* N m s, about the axis */
    double work;             /* J, by the body on the grains */
} scree_meter;

enum { SCREE_TALLIES = 4 }; /* bodies that the grains of a tile may touch; tiles that touch more are summed alone */

/* What some contacts gave to a body. */
typedef struct scree_tally {
    uint32_t body;
    double work;         /* J, of grains on it */
    vec3 impulse, twist; /* N s, N m s, as in scree_rigid */
} scree_tally;

/* Those of the grains of a tile; scree_measure_contacts. */
typedef struct scree_tile_tally {
    scree_tally items[SCREE_TALLIES];
    uint32_t count; /* SCREE_TALLIES + 1: too many */
} scree_tile_tally;

/* A sensor where its body is now. */
typedef struct scree_placed_sensor {
    scree_placed_region region; /* if it has one */
    vec3 x;                     /* m, centre of the rectangle, or a point of the axis */
    vec3 e1, e2, e3;            /* along width, length and normal; e3 along the axis */
} scree_placed_sensor;

/* Sums over grains. */
typedef struct scree_sums {
    double count;          /* 1 */
    double mass;           /* kg */
    vec3 moment, momentum; /* kg m, kg m/s: mass times position and velocity */
    double energy;         /* J, kinetic */
    double speed;          /* kg m/s, mass times |v| */
} scree_sums;

/* Sums run over this many equal ranges of the grains, whatever the number of threads: always the same bits. */
enum { SCREE_SUM_RANGES = 16 };

typedef struct scree_sensing {
    scree_meter *meters;         /* [sensors]; scree_flow_end, scree_load_add */
    scree_reading *readings;     /* [sensors]; scree_sensors_read */
    scree_placed_sensor *placed; /* [sensors], scratch */
    double *heights;             /* cells of all height sensors, one after the other; scree_sensors_read */
    uint32_t *first;             /* [sensors], of a sensor's cells in heights */
    uint32_t height_count;       /* cells in all */
    uint32_t flow_count;         /* flow sensors */
    uint32_t load_count;         /* load sensors */
    scree_sums all;              /* of all grains; scree_sensors_read */
    scree_sums *sums;            /* [ranges][sensors + 1], scratch; the last of a range is for all grains */
    double *tops;                /* [ranges][height_count], scratch */
    vec3 *from;                  /* [particles], m, where grains were at scree_flow_begin; NULL: not begun */
} scree_sensing;

#endif
