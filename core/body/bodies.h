/*
 * Rigid bodies. So far static or driven: their motion is given, and what the particles do to them is measured.
 *
 * During a step a driven body goes from pose `from` to pose `to` at constant velocity and angular velocity.
 */
#ifndef SCREE_BODY_BODIES_H
#define SCREE_BODY_BODIES_H

#include "base/math.h"
#include "scene/scene.h"

typedef struct scree_pose {
    vec3 x; /* m */
    quat q;
} scree_pose;

typedef struct scree_rigid {
    scree_pose now;      /* set by scree_rigid_place, scree_rigid_advance */
    scree_pose from, to; /* of the step under way; set by scree_rigid_aim */
    vec3 turn;           /* rad, rotation vector of the step; set by scree_rigid_aim */
    vec3 v;              /* m/s, of the origin during the step; set by scree_rigid_aim */
    vec3 w;              /* rad/s, likewise */
    vec3 impulse;        /* N s, on the body by particles since the step began; set by scree_rigid_push */
    vec3 twist_impulse;  /* N m s, likewise, about its origin at the time */
} scree_rigid;

/* The pose of a motion: position and normalised orientation. False when the quaternion has no direction. */
bool scree_motion_pose(const scree_motion *motion, scree_pose *pose);

/* The motion that stands still at a body's start pose. */
scree_motion scree_body_start(const scree_body *body);

void scree_rigid_place(scree_rigid *rigid, scree_pose pose);

/* Begins a step of dt towards `pose` moved on by the motion's twist over dt; NULL motion: stay. */
void scree_rigid_aim(scree_rigid *rigid, const scree_motion *motion, double dt);

/* Adds an impulse p at a point and an angular impulse q to what the body has got in this step. */
void scree_rigid_push(scree_rigid *rigid, vec3 point, vec3 p, vec3 q);

/* Moves to the share 0 … 1 of the step's way. */
void scree_rigid_advance(scree_rigid *rigid, double share);

#endif
