/*
 * Joints: what each holds, as conditions g = 0 on the poses of two bodies, and their derivatives.
 *
 *   ball      p_b − p_a = 0                                      3 conditions
 *   hinge     as ball, and u_b ⟂ t1, t2 (fixed to a)             5
 *   slider    t1·d = t2·d = 0, d = p_b − p_a, no turning         5
 *   fixed     as ball, no turning                                6
 *   distance  |p_b − p_a| = length                               1, unless an actuator drives it
 * No turning: the rotation vector of q_b (q_a q_rel)⁻¹ is zero.
 * The coordinate of a hinge is its angle, of a slider u·d, of a distance |d|.
 */
#ifndef SCREE_MECHANISM_JOINTS_H
#define SCREE_MECHANISM_JOINTS_H

#include "body/bodies.h"
#include "mechanism/ldl.h"

/* A joint as it sits in its bodies: points and axes in their frames; set by scree_joint_fit. */
typedef struct scree_joint_frame {
    uint32_t kind;   /* scree_joint_kind */
    uint32_t held;   /* number of conditions above, without coordinate rows */
    uint32_t a, b;   /* bodies; a may be UINT32_MAX */
    vec3 p_a, p_b;   /* m, the joint's points */
    vec3 u_a, u_b;   /* 1, its axis */
    vec3 t1_a, t2_a; /* 1, across it; likewise t1_b for the angle */
    vec3 t1_b;
    quat relative; /* from b to a at the start */
    double length; /* m, at the start; distance */
} scree_joint_frame;

/* A row of the Jacobian: ġ = la·v_a + aa·w_a + lb·v_b + ab·w_b, velocities of the centres of mass. */
typedef struct scree_jacobian {
    vec3 la, aa, lb, ab;
} scree_jacobian;

/* Where a joint's two bodies are: pose and centre of mass. */
typedef struct scree_joint_poses {
    scree_pose a, b;
    vec3 c_a, c_b; /* m */
} scree_joint_poses;

/* driven: an actuator has the coordinate. start: poses of the bodies at the start. */
scree_joint_frame scree_joint_fit(const scree_joint *joint, bool driven, scree_pose a, scree_pose b);

/* The held conditions; returns their number. */
uint32_t scree_joint_gaps(const scree_joint_frame *frame, const scree_joint_poses *poses, double g[6]);
uint32_t scree_joint_jacobians(const scree_joint_frame *frame, const scree_joint_poses *poses, scree_jacobian rows[6]);

/* Whether condition k is an angle. */
bool scree_joint_is_angular(const scree_joint_frame *frame, uint32_t k);

/* The coordinate; an angle is the one nearest to `last`, so that whole turns count. */
double scree_joint_coordinate(const scree_joint_frame *frame, const scree_joint_poses *poses, double last);
scree_jacobian scree_joint_coordinate_jacobian(const scree_joint_frame *frame, const scree_joint_poses *poses);

#endif
