/*
 * Rigid bodies. The motion of static and driven ones is given, and what the particles do to them is measured: a driven
 * body goes its path through the step, during a substep at constant velocity and angular velocity. Dynamic bodies have
 * a mass (dynamics.h) and move substep by substep.
 */
#ifndef SCREE_BODY_BODIES_H
#define SCREE_BODY_BODIES_H

#include "body/ports.h"

/* Mass and momentum of a dynamic body; all zero for the others. */
typedef struct scree_mass {
    double inv_mass;    /* 1/kg; scree_mass_start */
    vec3 center;        /* m, centre of mass in the body frame; scree_mass_start */
    mat3 inertia;       /* kg m2, about the centre, in the body frame; scree_mass_start */
    mat3 inv_inertia;   /* 1/(kg m2), its inverse */
    mat3 world;         /* 1/(kg m2), the inverse in the world frame, as of `now`; scree_mass_move */
    vec3 c;             /* m, centre of mass in the world frame; scree_mass_move */
    vec3 v;             /* m/s, of the centre; scree_mass_push, scree_mass_kick */
    vec3 w;             /* rad/s, likewise */
    vec3 v_before;      /* m/s, of the origin when the step began; scree_rigid_aim */
    vec3 w_before;      /* rad/s, likewise */
    vec3 force, torque; /* N, N m about the origin: from outside in the substep; scree_rigid_load */
    uint64_t floats;    /* 0 or 1: gravity does not pull it; scree_world_start */
    double reach;       /* m, no point of its shapes is farther from the centre; scree_mass_start */
    scree_pose seen;    /* centre and orientation at the last contact search; scree_mass_look */
    double allowed;     /* m, how far a point of it may have gone since; likewise */
    double fastest;     /* m/s, `allowed` per time of that search; likewise */
} scree_mass;

typedef struct scree_rigid {
    scree_pose now;     /* set by scree_rigid_place, scree_rigid_advance */
    scree_path path;    /* of the step under way; set by scree_rigid_aim; not of dynamic bodies */
    double speed, spin; /* m/s, rad/s: most of |v| and |w| during the step; likewise */
    vec3 v;             /* m/s, of the origin during the substep; set by scree_rigid_head, scree_mass_move */
    vec3 w;             /* rad/s, likewise */
    uint64_t dynamic;   /* 0 or 1; scree_mass_start */
    scree_mass mass;    /* dynamic bodies only */
    vec3 belt;          /* m/s, velocity of its surface relative to itself, in the body frame; scree_running_aim */
    double work;        /* J, by its surface on particles since the step began; set by scree_measure_contacts */
    vec3 impulse;       /* N s, on the body by particles since the step began; set by scree_rigid_push */
    vec3 twist_impulse; /* N m s, likewise, about its origin at the time */
} scree_rigid;

/* The rotation matrix of a unit quaternion, row by row. */
void scree_matrix_store(double matrix[9], quat q);

scree_pose scree_body_start(const scree_body *body);

void scree_rigid_place(scree_rigid *rigid, scree_pose pose);

/* Begins a step of dt along the path that the inputs say; NULL: stay. */
void scree_rigid_aim(scree_rigid *rigid, const scree_port_input *input, const scree_port *port, double dt);

/* Begins a substep, from one share of the step to another. */
void scree_rigid_head(scree_rigid *rigid, double begin, double end);

/* Adds the load of a port to the force and torque from outside in the substep that head has begun, from one time of the
   step to another. */
void scree_rigid_load(scree_rigid *rigid, const scree_port_input *input, const scree_port *port, double begin,
                      double end);

/* Adds an impulse p at a point and an angular impulse q to what the body has got in this step. */
void scree_rigid_push(scree_rigid *rigid, vec3 point, vec3 p, vec3 q);

/* m/s, what a belt adds to the velocity of the surface where its normal is n: the part along the surface. */
static inline vec3 scree_rigid_belt(const scree_rigid *rigid, vec3 n)
{
    if (rigid->belt.x == 0.0 && rigid->belt.y == 0.0 && rigid->belt.z == 0.0)
        return rigid->belt;
    vec3 v = quat_rotate(rigid->now.q, rigid->belt);
    return mul_add(v, -dot(n, v), n);
}

/* Whether its surface does not move throughout the step. */
static inline bool scree_rigid_is_still(const scree_rigid *rigid)
{
    return !rigid->dynamic && rigid->speed == 0.0 && rigid->spin == 0.0 && dot(rigid->belt, rigid->belt) == 0.0;
}

/* Moves to the share 0 … 1 of the step's way. */
void scree_rigid_advance(scree_rigid *rigid, double share);

#endif
