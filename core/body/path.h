/*
 * The way of a driven body through one step, from where it is to where its inputs lead.
 *
 * Inputs are polynomials in the time t since the communication point: their values, and derivatives when those are
 * given. With position p, orientation q, velocity v, angular velocity w (resolved in the world) and v', v'', w', w'':
 *
 *   n(t) = p + v t + v' t^2/2 + v'' t^3/6               with no derivative of the position,
 *   n(t) = p + p' t + p'' t^2/2                         with one: the velocity is then not used
 *   r(t) = w t + w' t^2/2 + w'' t^3/6 + (w' x w) t^3/12 + (w'' x w) t^4/24
 *                                                       the rotation vector of w(t), Magnus series to t^4
 *   r(t) = r1 t + r2 t^2                                with derivatives of the orientation: the turn that goes
 *                                                       through its polynomial at dt (slerp), and at dt/2 for order 2
 *
 * The body goes along n(t) and exp(r(t)) q, and makes up along the way, at a constant rate, for what it is away from p
 * and q at the start. Without derivatives that is the straight way to p + v dt and exp(w dt) q.
 *
 * A twist resolved in the body frame is held, or changes, in that frame: with the rotation R of q and the body's vb,
 * wb, v = R vb,  v' = R (vb' + wb x vb),  v'' = R (vb'' + 2 wb x vb' + wb' x vb + wb x (wb x vb)), w = R wb,  w' = R
 * wb',  w'' = R (wb'' + wb x wb').
 */
#ifndef SCREE_BODY_PATH_H
#define SCREE_BODY_PATH_H

#include "base/math.h"
#include "scene/scene.h"

typedef struct scree_pose {
    vec3 x; /* m */
    quat q;
} scree_pose;

enum { SCREE_INPUT_VALUES = (sizeof(scree_motion) + sizeof(scree_wrench)) / sizeof(double) };

/* What the inputs of a port say: motion or load by its mode, and derivatives by the place of the value in the two. */
typedef struct scree_port_input {
    scree_motion motion;
    scree_wrench load;                   /* N, N m: from outside */
    double rates[2][SCREE_INPUT_VALUES]; /* first and second derivative; hold for one step */
    uint32_t given[2];                   /* which of them were given, one bit each */
} scree_port_input;

typedef struct scree_path {
    scree_pose from, to;
    double dt;     /* s */
    vec3 turn;     /* rad, straight way: rotation vector from `from` to `to` */
    double curved; /* 0 or 1: whether what follows is used */
    vec3 x[4];     /* position = x[0] + x[1] t + x[2] t^2 + x[3] t^3, the start's distance made up for */
    quat q;        /* orientation that the inputs say at the start */
    vec3 gap;      /* rad, rotation vector from `from` to q */
    vec3 r[4];     /* rad/s^k, rotation vector from q = r[0] t + … + r[3] t^4 */
} scree_path;

/* The pose that the inputs of a port say, time t after the communication point. False when the orientation is none: a
   quaternion without length, a matrix that is no rotation. */
bool scree_input_pose(const scree_port_input *input, const scree_port *port, double t, scree_pose *pose);

/* Whether a step of dt can be made with these inputs; the message names the port. */
scree_status scree_input_check(const scree_port_input *input, const scree_port *port, double dt, scree_error *error);

/* The mean of the load between two times after the communication point, in the port's frame. */
scree_wrench scree_input_load(const scree_port_input *input, double begin, double end);

scree_path scree_path_stay(scree_pose pose);

/* On and on at this velocity and angular velocity. */
scree_path scree_path_go(scree_pose from, vec3 v, vec3 w, double dt);

/* The inputs must have passed scree_input_check. */
scree_path scree_path_aim(scree_pose from, const scree_port_input *input, const scree_port *port, double dt);

/* At the share 0 … 1 of the step. At 1 it is `to`, without rounding. */
scree_pose scree_path_at(const scree_path *path, double share);

/* Mean velocity and angular velocity between two shares of the step. */
void scree_path_twist(const scree_path *path, double begin, double end, vec3 *v, vec3 *w);

/* Bounds of |v| and |w| during the step. */
void scree_path_speed(const scree_path *path, double *speed, double *spin);

#endif
