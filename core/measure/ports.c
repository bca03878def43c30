/*
 * What comes out at ports: the motion of a body, and the wrench on it. In a substep of length h that gives a body the
 * impulse p, the wrench is F = p / h, and the filter T y' = F - y takes y to F + (y - F) exp(-h / T): exact, and so two
 * substeps with the same F are one.
 */
#include "measure/measure.h"

/* ---------------------------------------------------------------- wrench */

static scree_wrench wrench_of(vec3 force, vec3 torque)
{
    scree_wrench wrench;
    vec3_store(wrench.force, force);
    vec3_store(wrench.torque, torque);
    return wrench;
}

/* What a port's side of the world has got since the step began: the body's contacts, or the lock of a proxy. */
static scree_wrench impulse_at(const scree_world *world, uint32_t port)
{
    const scree_rigid *body = &world->bodies[world->settings->ports[port].body];
    const scree_mechanism *mechanism = &world->mechanism;
    for (uint32_t i = mechanism->joints; i < mechanism->count; i++)
        if (mechanism->ports[i] == port)
            return wrench_of(scale(-1.0, mechanism->nodes[i].force), scale(-1.0, mechanism->nodes[i].torque));
    return wrench_of(body->impulse, body->twist_impulse);
}

void scree_measure_ports(scree_world *world, double h)
{
    for (uint32_t i = 0; i < world->settings->port_count; i++) {
        const scree_port *port = &world->settings->ports[i];
        scree_wrench got = impulse_at(world, i);
        scree_wrench_filter *filter = &world->ports[i].filter;
        double kept = port->filter_time > 0.0 ? exp(-h / port->filter_time) : 0.0;
        vec3 force = scale(1.0 / h, sub(vec3_of(got.force), vec3_of(filter->seen.force)));
        vec3 torque = scale(1.0 / h, sub(vec3_of(got.torque), vec3_of(filter->seen.torque)));
        filter->instant = wrench_of(force, torque);
        filter->seen = got;
        filter->filtered = wrench_of(mul_add(force, kept, sub(vec3_of(filter->filtered.force), force)),
                                     mul_add(torque, kept, sub(vec3_of(filter->filtered.torque), torque)));
    }
}

/* From the world to the frame of the port. */
static scree_wrench resolve(const scree_wrench *wrench, const scree_port *port, const scree_rigid *body)
{
    if (port->frame == SCREE_FRAME_WORLD)
        return *wrench;
    quat back = quat_conj(body->now.q);
    return wrench_of(quat_rotate(back, vec3_of(wrench->force)), quat_rotate(back, vec3_of(wrench->torque)));
}

static scree_wrench mean_wrench(const scree_world *world, uint32_t port)
{
    double share = world->last_dt > 0.0 ? 1.0 / world->last_dt : 0.0;
    scree_wrench got = impulse_at(world, port);
    return wrench_of(scale(share, vec3_of(got.force)), scale(share, vec3_of(got.torque)));
}

/* y' = (F - y) / T; the components in a frame that turns with w change by - w x y besides. */
static vec3 rate_of(const double instant[3], const double filtered[3], double time, vec3 w)
{
    vec3 y = vec3_of(filtered);
    return sub(scale(1.0 / time, sub(vec3_of(instant), y)), cross(w, y));
}

static scree_wrench filtered_rate(const scree_wrench_filter *filter, const scree_port *port, const scree_rigid *body)
{
    vec3 w = port->frame == SCREE_FRAME_BODY ? body->w : (vec3){0.0, 0.0, 0.0};
    if (!(port->filter_time > 0.0))
        return (scree_wrench){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    return wrench_of(rate_of(filter->instant.force, filter->filtered.force, port->filter_time, w),
                     rate_of(filter->instant.torque, filter->filtered.torque, port->filter_time, w));
}

scree_status scree_world_get_port_wrench(const scree_world *world, uint32_t port, scree_port_wrench *wrench)
{
    *wrench = (scree_port_wrench){0};
    if (port >= world->settings->port_count)
        return SCREE_INVALID;
    const scree_port *which = &world->settings->ports[port];
    const scree_rigid *body = &world->bodies[which->body];
    const scree_wrench_filter *filter = &world->ports[port].filter;
    scree_wrench mean = mean_wrench(world, port), rate = filtered_rate(filter, which, body);
    *wrench = (scree_port_wrench){.mean = resolve(&mean, which, body),
                                  .instant = resolve(&filter->instant, which, body),
                                  .filtered = resolve(&filter->filtered, which, body),
                                  .rate = resolve(&rate, which, body)};
    return SCREE_OK;
}

scree_status scree_world_get_wrench(const scree_world *world, uint32_t port, scree_wrench *wrench)
{
    scree_port_wrench all;
    scree_status status = scree_world_get_port_wrench(world, port, &all);
    *wrench = all.mean;
    return status;
}

/* ---------------------------------------------------------------- motion */

void scree_world_get_body(const scree_world *world, uint32_t body, scree_body_state *state)
{
    const scree_rigid *rigid = &world->bodies[body];
    *state = (scree_body_state){0};
    vec3_store(state->position, rigid->now.x);
    quat_store(state->orientation, rigid->now.q);
    scree_matrix_store(state->matrix, rigid->now.q);
    vec3_store(state->velocity, rigid->v);
    vec3_store(state->angular_velocity, rigid->w);
    if (rigid->dynamic && world->last_dt > 0.0) {
        vec3_store(state->acceleration, scale(1.0 / world->last_dt, sub(rigid->v, rigid->mass.v_before)));
        vec3_store(state->angular_acceleration, scale(1.0 / world->last_dt, sub(rigid->w, rigid->mass.w_before)));
    }
}

/* x' = v, q' = w q / 2, R' = w x R, v' = a, w' = b; components in a frame that turns with w change by - w x besides. */
static scree_body_state motion_rate(const scree_body_state *state, bool turning)
{
    scree_body_state rate = {.acceleration = {NAN, NAN, NAN}, .angular_acceleration = {NAN, NAN, NAN}};
    vec3 v = vec3_of(state->velocity), w = vec3_of(state->angular_velocity), a = vec3_of(state->acceleration);
    quat half = {0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
    vec3_store(rate.position, v);
    quat_store(rate.orientation, quat_mul(half, quat_of(state->orientation)));
    for (int k = 0; k < 3; k++) {
        vec3 change = cross(w, (vec3){state->matrix[k], state->matrix[3 + k], state->matrix[6 + k]});
        rate.matrix[k] = change.x;
        rate.matrix[3 + k] = change.y;
        rate.matrix[6 + k] = change.z;
    }
    vec3_store(rate.velocity, turning ? sub(a, cross(w, v)) : a);
    vec3_store(rate.angular_velocity, vec3_of(state->angular_acceleration));
    return rate;
}

/* From the world to the body frame: what changes with the frame of a port. */
static void turn_back(scree_body_state *state, quat q)
{
    double *const vectors[] = {state->velocity, state->angular_velocity, state->acceleration,
                               state->angular_acceleration};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        vec3_store(vectors[i], quat_rotate(quat_conj(q), vec3_of(vectors[i])));
}

scree_status scree_world_get_port_motion(const scree_world *world, uint32_t port, scree_body_state *state,
                                         scree_body_state *rate)
{
    if (port >= world->settings->port_count)
        return SCREE_INVALID;
    const scree_port *which = &world->settings->ports[port];
    bool turning = which->frame == SCREE_FRAME_BODY;
    scree_world_get_body(world, which->body, state);
    if (rate)
        *rate = motion_rate(state, turning);
    if (turning)
        turn_back(state, world->bodies[which->body].now.q);
    if (turning && rate)
        turn_back(rate, world->bodies[which->body].now.q);
    return SCREE_OK;
}
