/*
 * Step, sweeps and cost before anything runs (METHOD §11; Paper I eqs. 36–42). Lengths l and w of a bed are in grain
 * diameters, l along gravity.
 */
#ifndef SCREE_TOOLS_PLAN_H
#define SCREE_TOOLS_PLAN_H

typedef struct scree_plan_grain {
    double diameter;                 /* m */
    double density, youngs, poisson; /* kg/m3, Pa, 1 */
} scree_plan_grain;

/* Eq. 37: the step in which neither the speed v nor gravity makes an overlap above tolerance × d. s. */
double scree_plan_step(double tolerance, double diameter, double speed, double gravity);

/* w (1 − exp(−c2 l/w)), or c2 l in a bed too narrow for arches: the part of eq. 41 that is the bed's shape. */
double scree_plan_reach(double l, double w);

/* Eq. 41: sweeps of a cold start per step, for the inertial number I. */
double scree_plan_sweeps(double tolerance, double l, double w, double inertial);

/* The grains' relative speed in a flow, 0.2 I √(p/ρ) with the pressure p at the bottom. m/s. */
double scree_plan_flow_speed(double inertial, double l, double w, double diameter, double gravity);

/* Eq. 36: √(m/k), k = E √(2 d)/(3 (1 − ν²)), as Table I has it. s. */
double scree_plan_smooth_step(const scree_plan_grain *grain);

/* A fifth of the Rayleigh time π r √(ρ/G)/(0.163 ν + 0.877): what users of smooth DEM take. s. */
double scree_plan_rayleigh_step(const scree_plan_grain *grain);

/* Scree's own scheme: substeps of one sweep, warm started. The longest substep that still carries a bed. s. */
double scree_plan_substep(double tolerance, double l, double w, const scree_plan_grain *grain, double gravity);
enum { SCREE_PLAN_LEAST_SUBSTEPS = 4, SCREE_PLAN_MOST_SUBSTEPS = 100 }; /* per frame */

/* An approach is an impact when it is faster than a fall through tolerance × d. m/s. */
double scree_plan_impact_speed(double tolerance, double diameter, double gravity);

#endif
