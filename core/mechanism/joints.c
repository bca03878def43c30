#include "mechanism/joints.h"

static vec3 to_body(scree_pose pose, vec3 x)
{
    return quat_rotate(quat_conj(pose.q), sub(x, pose.x));
}

static vec3 to_world(scree_pose pose, vec3 p)
{
    return add(pose.x, quat_rotate(pose.q, p));
}

static vec3 across(vec3 n)
{
    vec3 axis = fabs(n.x) < 0.6 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0};
    vec3 t = cross(n, axis);
    return scale(1.0 / length(t), t);
}

scree_joint_frame scree_joint_fit(const scree_joint *joint, bool driven, scree_pose a, scree_pose b)
{
    static const uint32_t held[] = {[SCREE_JOINT_FIXED] = 6,
                                    [SCREE_JOINT_HINGE] = 5,
                                    [SCREE_JOINT_SLIDER] = 5,
                                    [SCREE_JOINT_BALL] = 3,
                                    [SCREE_JOINT_DISTANCE] = 1};
    vec3 p = vec3_of(joint->position), axis = vec3_of(joint->axis);
    vec3 q = joint->kind == SCREE_JOINT_DISTANCE ? vec3_of(joint->end) : p;
    double norm = length(axis);
    vec3 u = norm > 0.0 ? scale(1.0 / norm, axis) : (vec3){0.0, 0.0, 1.0};
    vec3 t1 = across(u), t2 = cross(u, t1);
    quat back_a = quat_conj(a.q), back_b = quat_conj(b.q);
    scree_joint_frame frame = {.kind = joint->kind,
                               .held = driven && joint->kind == SCREE_JOINT_DISTANCE ? 0 : held[joint->kind],
                               .a = joint->a,
                               .b = joint->b,
                               .p_a = to_body(a, p),
                               .p_b = to_body(b, q),
                               .u_a = quat_rotate(back_a, u),
                               .u_b = quat_rotate(back_b, u),
                               .t1_a = quat_rotate(back_a, t1),
                               .t2_a = quat_rotate(back_a, t2),
                               .t1_b = quat_rotate(back_b, t1),
                               .relative = quat_mul(back_a, b.q),
                               .length = length(sub(q, p))};
    return frame;
}

bool scree_joint_is_angular(const scree_joint_frame *frame, uint32_t k)
{
    return frame->kind == SCREE_JOINT_SLIDER ? k >= 2 : k >= 3;
}

/* Rotation vector by which b is out of line. */
static vec3 misfit(const scree_joint_frame *frame, const scree_joint_poses *poses)
{
    return quat_log(quat_mul(poses->b.q, quat_conj(quat_mul(poses->a.q, frame->relative))));
}

uint32_t scree_joint_gaps(const scree_joint_frame *frame, const scree_joint_poses *poses, double g[6])
{
    vec3 d = sub(to_world(poses->b, frame->p_b), to_world(poses->a, frame->p_a));
    vec3 t1 = quat_rotate(poses->a.q, frame->t1_a), t2 = quat_rotate(poses->a.q, frame->t2_a);
    vec3 u_b = quat_rotate(poses->b.q, frame->u_b);
    switch (frame->kind) {
    case SCREE_JOINT_DISTANCE:
        g[0] = length(d) - frame->length;
        break;
    case SCREE_JOINT_SLIDER:
        g[0] = dot(t1, d);
        g[1] = dot(t2, d);
        vec3_store(g + 2, misfit(frame, poses));
        break;
    default:
        vec3_store(g, d);
        if (frame->kind == SCREE_JOINT_HINGE) {
            g[3] = dot(t1, u_b);
            g[4] = dot(t2, u_b);
        } else if (frame->kind == SCREE_JOINT_FIXED) {
            vec3_store(g + 3, misfit(frame, poses));
        }
    }
    return frame->held;
}

/* n·(velocity of b's point x_b − velocity of a's point x_a) */
static scree_jacobian along(const scree_joint_poses *poses, vec3 n, vec3 x_a, vec3 x_b)
{
    return (scree_jacobian){.la = scale(-1.0, n),
                            .aa = scale(-1.0, cross(sub(x_a, poses->c_a), n)),
                            .lb = n,
                            .ab = cross(sub(x_b, poses->c_b), n)};
}

/* n·(w_b − w_a) */
static scree_jacobian about(vec3 n)
{
    vec3 zero = {0.0, 0.0, 0.0};
    return (scree_jacobian){.la = zero, .aa = scale(-1.0, n), .lb = zero, .ab = n};
}

uint32_t scree_joint_jacobians(const scree_joint_frame *frame, const scree_joint_poses *poses, scree_jacobian rows[6])
{
    const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    vec3 x_a = to_world(poses->a, frame->p_a), x_b = to_world(poses->b, frame->p_b), d = sub(x_b, x_a);
    vec3 t1 = quat_rotate(poses->a.q, frame->t1_a), t2 = quat_rotate(poses->a.q, frame->t2_a);
    vec3 u_b = quat_rotate(poses->b.q, frame->u_b);
    switch (frame->kind) {
    case SCREE_JOINT_DISTANCE:
        rows[0] = along(poses, scale(1.0 / length(d), d), x_a, x_b);
        break;
    case SCREE_JOINT_SLIDER: /* t turns with a: its point is the one that lies at x_b */
        rows[0] = along(poses, t1, x_b, x_b);
        rows[1] = along(poses, t2, x_b, x_b);
        for (int k = 0; k < 3; k++)
            rows[2 + k] = about(axes[k]);
        break;
    default:
        for (int k = 0; k < 3; k++)
            rows[k] = along(poses, axes[k], x_a, x_b);
        if (frame->kind == SCREE_JOINT_HINGE) {
            rows[3] = about(cross(u_b, t1));
            rows[4] = about(cross(u_b, t2));
        } else if (frame->kind == SCREE_JOINT_FIXED) {
            for (int k = 0; k < 3; k++)
                rows[3 + k] = about(axes[k]);
        }
    }
    return frame->held;
}

double scree_joint_coordinate(const scree_joint_frame *frame, const scree_joint_poses *poses, double last)
{
    vec3 d = sub(to_world(poses->b, frame->p_b), to_world(poses->a, frame->p_a));
    if (frame->kind == SCREE_JOINT_DISTANCE)
        return length(d);
    if (frame->kind == SCREE_JOINT_SLIDER)
        return dot(quat_rotate(poses->a.q, frame->u_a), d);
    vec3 t1 = quat_rotate(poses->a.q, frame->t1_a), t2 = quat_rotate(poses->a.q, frame->t2_a);
    vec3 turned = quat_rotate(poses->b.q, frame->t1_b);
    double angle = atan2(dot(t2, turned), dot(t1, turned));
    return angle + 2.0 * SCREE_PI * round((last - angle) / (2.0 * SCREE_PI));
}

scree_jacobian scree_joint_coordinate_jacobian(const scree_joint_frame *frame, const scree_joint_poses *poses)
{
    vec3 x_a = to_world(poses->a, frame->p_a), x_b = to_world(poses->b, frame->p_b);
    vec3 u = quat_rotate(poses->a.q, frame->u_a), d = sub(x_b, x_a);
    if (frame->kind == SCREE_JOINT_DISTANCE)
        return along(poses, scale(1.0 / length(d), d), x_a, x_b);
    return frame->kind == SCREE_JOINT_SLIDER ? along(poses, u, x_b, x_b) : about(u);
}
