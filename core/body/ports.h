/*
 * What a port of a body keeps: its inputs, and the wrench on its body as it comes out.
 */
#ifndef SCREE_BODY_PORTS_H
#define SCREE_BODY_PORTS_H

#include "body/path.h"

/* The wrench by the particles, in the world frame: in the last substep, and through a first-order low-pass filter. */
typedef struct scree_wrench_filter {
    scree_wrench instant;  /* set by scree_measure_ports */
    scree_wrench filtered; /* likewise */
    scree_wrench seen;     /* N s, N m s: impulse since the step began, up to the last substep */
} scree_wrench_filter;

typedef struct scree_port_state {
    scree_port_input input;     /* scree_world_set_motion, scree_world_set_load, and their rates */
    scree_wrench_filter filter; /* scree_measure_ports */
    double z[36];               /* kg, kg m, kg m2: impedance, of ports that put it out; scree_measure_impedance */
    double surface_speed;       /* m/s or rad/s, of a surface port; scree_world_set_surface_speed */
} scree_port_state;

#endif
