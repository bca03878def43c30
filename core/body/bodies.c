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

void scree_rigid_aim(scree_rigid *rigid, const scree_motion *motion, double dt)
{
    rigid->impulse = rigid->twist_impulse = (vec3){0.0, 0.0, 0.0};
    rigid->from = rigid->to = rigid->now;
    rigid->v = rigid->w = (vec3){0.0, 0.0, 0.0};
    scree_pose said;
    if (!motion || !scree_motion_pose(motion, &said))
        return;
    rigid->to.x = mul_add(said.x, dt, vec3_of(motion->velocity));
    rigid->to.q = quat_normalize(quat_mul(quat_exp(scale(dt, vec3_of(motion->angular_velocity))), said.q));
    rigid->v = scale(1.0 / dt, sub(rigid->to.x, rigid->from.x));
    rigid->w = scale(1.0 / dt, quat_log(quat_mul(rigid->to.q, quat_conj(rigid->from.q))));
    if (length(rigid->w) * dt <
        1e-15) /* rounding of the quaternion product, not a rotation: what rests stays at rest */
        rigid->w = (vec3){0.0, 0.0, 0.0};
}

void scree_rigid_push(scree_rigid *rigid, vec3 point, vec3 p, vec3 q)
{
    rigid->impulse = add(rigid->impulse, p);
    rigid->twist_impulse = add(rigid->twist_impulse, add(cross(sub(point, rigid->now.x), p), q));
}

void scree_rigid_advance(scree_rigid *rigid, double share)
{
    if (share >= 1.0) {
        rigid->now = rigid->to;
        return;
    }
    rigid->now.x = mul_add(rigid->from.x, share, sub(rigid->to.x, rigid->from.x));
    vec3 turn = quat_log(quat_mul(rigid->to.q, quat_conj(rigid->from.q)));
    rigid->now.q = quat_normalize(quat_mul(quat_exp(scale(share, turn)), rigid->from.q));
}
