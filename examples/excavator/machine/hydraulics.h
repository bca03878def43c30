/*
 * Hydraulics of an excavator: three cylinders and a swing motor, each on a four-way valve, fed by one load-sensing
 * pump.
 *
 * A chamber of volume V holds oil of bulk modulus β:      p' = β/V (Q − A x')         (leakage, check and relief valves
 * beside it) An edge of a valve, opened by the share u:               Q = c u Δp/(Δp² + p0²)^¼    (√Δp, but smooth at
 * 0) The pump follows the highest pressure that an open valve needs, plus 1.25 margins, up to its limit, with a lag;
 * its flow ends at that of the largest displacement and at that of the engine's power.
 *
 * A motor is a cylinder with equal areas (its displacement per rad), whose chambers do not change.
 */
#ifndef EXCAVATOR_HYDRAULICS_H
#define EXCAVATOR_HYDRAULICS_H

#include "linkage.h"

/* All doubles: parameters of the FMU. One value per actuator: boom, stick, bucket, swing. */
typedef struct hydraulics {
    double bulk;                /* Pa: of oil, hoses and some air together */
    double area_a[ACTUATORS];   /* m2, m3/rad: the side that extends; both boom cylinders together */
    double area_b[ACTUATORS];   /* m2, m3/rad: the rod's side */
    double least[ACTUATORS];    /* m: pin to pin, rod in */
    double most[ACTUATORS];     /* m: rod out; equal to least: a motor */
    double dead[ACTUATORS];     /* m3: hoses and dead volume of each chamber */
    double valve[ACTUATORS];    /* m3/(s √Pa): c of the fully open valve */
    double friction[ACTUATORS]; /* N s/m, N m s/rad */
    double leak[ACTUATORS];     /* m3/(s Pa): across the piston */
    double valve_time;          /* s: lag of the spools */
    double gain[ACTUATORS];     /* 1/s: of the operator, speed per error of the stroke */
    double calm[ACTUATORS];     /* m/(s N): speed taken back per change of force, against swinging */
    double calm_time;           /* s: what counts as a change */
    double pump_flow;           /* m3/s: largest */
    double pump_pressure;       /* Pa: limit of its control */
    double pump_power;          /* W: limit of its control */
    double pump_time;           /* s: lag */
    double pump_gain;   /* m3/(s Pa): flow per pressure that is missing, beside what the valves are ordered to take */
    double back;        /* Pa: across an outlet's edge while the inlet's has the margin */
    double pump_volume; /* m3: of the line */
    double standby, margin; /* Pa */
    double relief;          /* Pa: of the line and of every chamber */
    double tank;            /* Pa */
} hydraulics;

typedef struct hydraulic_state {
    double a[ACTUATORS], b[ACTUATORS]; /* Pa: chambers */
    double opening[ACTUATORS];         /* -1 to 1: above 0 extends */
    double usual[ACTUATORS];           /* N, N m: force, low-pass */
    double line, flow;                 /* Pa, m3/s: of the pump */
} hydraulic_state;

void hydraulics_defaults(hydraulics *h);
const char *hydraulics_check(const hydraulics *h);

/* At rest with these forces. */
void hydraulics_rest(const hydraulics *h, const double force[ACTUATORS], hydraulic_state *s);

/* Force of an actuator on the linkage, above 0 extends. */
double hydraulics_force(const hydraulics *h, const hydraulic_state *s, int actuator, double length, double speed);

/* Rates of all pressures, spools and the pump, for the lengths and speeds that are and the targets of the operator. */
void hydraulics_rates(const hydraulics *h, const hydraulic_state *s, const double length[ACTUATORS],
                      const double speed[ACTUATORS], const double target[ACTUATORS],
                      const double target_speed[ACTUATORS], hydraulic_state *rates);

#endif
