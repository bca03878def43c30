#include "body/bodies.h"

bool scree_motion_pose(const scree_motion *motion, scree_pose *pose)
{
    quat q = quat_of(motion->orientation);
    double norm = quat_norm(q);
    if (!(norm > 1e-6)) /* a unit quaternion that lost six digits is still a direction; nothing is not */
        return false;
    *pose = (scree_pose){.x = vec3_of(motion->position), .q = quat_normalize(q)};
    return true;
}

scree_motion scree_body_start(const scree_body *body)
{
    scree_motion motion = {0};
    vec3_store(motion.position, vec3_of(body->position));
    quat_store(motion.orientation, quat_exp(vec3_of(body->rotation)));
    return motion;
}

void scree_rigid_place(scree_rigid *rigid, scree_pose pose)
{
    *rigid = (scree_rigid){.now = pose, .from = pose, .to = pose};
}

/* The rotation from one orientation to another that is nearest to the rotation vector `meant`, whole turns included. */
static vec3 turn_between(quat from, quat to, vec3 meant)
{
    vec3 turn = quat_log(quat_mul(to, quat_conj(from)));
    double angle = length(turn), far = length(meant);
    if (angle < 1e-15) /* rounding of the quaternion product, not a rotation: what rests stays at rest */
        turn = (vec3){0.0, 0.0, 0.0};
    if (far <= SCREE_PI)
        return turn;
    vec3 axis = angle > 1e-9 ? scale(1.0 / angle, turn) : scale(1.0 / far, meant);
    return mul_add(turn, 2.0 * SCREE_PI * round((dot(axis, meant) - angle) / (2.0 * SCREE_PI)), axis);
}

void scree_rigid_aim(scree_rigid *rigid, const scree_motion *motion, double dt)
{
    vec3 zero = {0.0, 0.0, 0.0};
    rigid->impulse = rigid->twist_impulse = zero;
    if (rigid->dynamic) {
        rigid->mass.v_before = rigid->v;
        rigid->mass.w_before = rigid->w;
        rigid->mass.force = rigid->mass.torque = zero;
        return;
    }
    rigid->v = rigid->w = rigid->turn = zero;
    rigid->from = rigid->to = rigid->now;
    scree_pose said;
    if (!motion || !scree_motion_pose(motion, &said))
        return;
    vec3 meant = scale(dt, vec3_of(motion->angular_velocity));
    rigid->to.x = mul_add(said.x, dt, vec3_of(motion->velocity));
    rigid->to.q = quat_normalize(quat_mul(quat_exp(meant), said.q));
    rigid->turn = turn_between(rigid->from.q, rigid->to.q, meant);
    rigid->v = scale(1.0 / dt, sub(rigid->to.x, rigid->from.x));
    rigid->w = scale(1.0 / dt, rigid->turn);
}

void scree_rigid_load(scree_rigid *rigid, const scree_wrench *load)
{
    rigid->mass.force = add(rigid->mass.force, vec3_of(load->force));
    rigid->mass.torque = add(rigid->mass.torque, vec3_of(load->torque));
}

void scree_rigid_push(scree_rigid *rigid, vec3 point, vec3 p, vec3 q)
{
    rigid->impulse = add(rigid->impulse, p);
    rigid->twist_impulse = add(rigid->twist_impulse, add(cross(sub(point, rigid->now.x), p), q));
}

void scree_rigid_advance(scree_rigid *rigid, double share)
{
    if (rigid->dynamic)
        return;
    if (share >= 1.0) {
        rigid->now = rigid->to;
        return;
    }
    rigid->now.x = mul_add(rigid->from.x, share, sub(rigid->to.x, rigid->from.x));
    rigid->now.q = quat_normalize(quat_mul(quat_exp(scale(share, rigid->turn)), rigid->from.q));
}
