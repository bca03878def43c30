#include "body/bodies.h"

scree_pose scree_body_start(const scree_body *body)
{
    return (scree_pose){.x = vec3_of(body->position), .q = quat_normalize(quat_exp(vec3_of(body->rotation)))};
}

void scree_matrix_store(double matrix[9], quat q)
{
    const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int column = 0; column < 3; column++) {
        double axis[3];
        vec3_store(axis, quat_rotate(q, axes[column]));
        for (int row = 0; row < 3; row++)
            matrix[3 * row + column] = axis[row];
    }
}

scree_motion scree_scene_start_motion(const scree_scene *scene, uint32_t port)
{
    const scree_body *body = &scene->bodies[scene->ports[port].body];
    scree_motion motion = {0};
    quat q = quat_exp(vec3_of(body->rotation));
    vec3_store(motion.position, vec3_of(body->position));
    quat_store(motion.orientation, q);
    scree_matrix_store(motion.matrix, q);
    return motion;
}

void scree_rigid_place(scree_rigid *rigid, scree_pose pose)
{
    *rigid = (scree_rigid){.now = pose, .path = scree_path_stay(pose)};
}

void scree_rigid_aim(scree_rigid *rigid, const scree_port_input *input, const scree_port *port, double dt)
{
    rigid->impulse = rigid->twist_impulse = (vec3){0.0, 0.0, 0.0};
    rigid->work = 0.0;
    if (rigid->dynamic) {
        rigid->mass.v_before = rigid->v;
        rigid->mass.w_before = rigid->w;
        return;
    }
    rigid->path = input ? scree_path_aim(rigid->now, input, port, dt) : scree_path_stay(rigid->now);
    scree_path_speed(&rigid->path, &rigid->speed, &rigid->spin);
}

void scree_rigid_head(scree_rigid *rigid, double begin, double end)
{
    if (rigid->dynamic)
        rigid->mass.force = rigid->mass.torque = (vec3){0.0, 0.0, 0.0};
    else
        scree_path_twist(&rigid->path, begin, end, &rigid->v, &rigid->w);
}

void scree_rigid_load(scree_rigid *rigid, const scree_port_input *input, const scree_port *port, double begin,
                      double end)
{
    scree_wrench load = scree_input_load(input, begin, end);
    vec3 force = vec3_of(load.force), torque = vec3_of(load.torque);
    bool turned = port->frame == SCREE_FRAME_BODY;
    rigid->mass.force = add(rigid->mass.force, turned ? quat_rotate(rigid->now.q, force) : force);
    rigid->mass.torque = add(rigid->mass.torque, turned ? quat_rotate(rigid->now.q, torque) : torque);
}

void scree_rigid_push(scree_rigid *rigid, vec3 point, vec3 p, vec3 q)
{
    rigid->impulse = add(rigid->impulse, p);
    rigid->twist_impulse = add(rigid->twist_impulse, add(cross(sub(point, rigid->now.x), p), q));
}

void scree_rigid_advance(scree_rigid *rigid, double share)
{
    if (!rigid->dynamic)
        rigid->now = scree_path_at(&rigid->path, share);
}
