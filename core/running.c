/*
 * Surfaces that run: belts, and driven bodies that go on at the velocity of the scene. A surface port sets their speed.
 */
#include "world.h"

static vec3 direction(const double v[3])
{
    vec3 d = vec3_of(v);
    double size = length(d);
    return size > 0.0 ? scale(1.0 / size, d) : d;
}

double scree_scene_start_speed(const scree_scene *scene, uint32_t port)
{
    const scree_body *body = &scene->bodies[scene->ports[port].body];
    return scree_body_has_belt(body) ? body->belt_speed : length(vec3_of(body->angular_velocity));
}

/* The surface port of a body that takes speeds, or UINT32_MAX. */
static uint32_t surface_port_of(const scree_scene *settings, uint32_t body)
{
    for (uint32_t i = 0; i < settings->port_count; i++)
        if (settings->ports[i].body == body && settings->ports[i].mode == SCREE_PORT_SURFACE)
            return i;
    return UINT32_MAX;
}

static bool has_motion_port(const scree_scene *settings, uint32_t body)
{
    for (uint32_t i = 0; i < settings->port_count; i++)
        if (settings->ports[i].body == body && scree_port_takes_motion(&settings->ports[i]))
            return true;
    return false;
}

void scree_running_aim(scree_world *world, double dt)
{
    const scree_scene *settings = world->settings;
    for (uint32_t i = 0; i < settings->body_count; i++) {
        const scree_body *body = &settings->bodies[i];
        scree_rigid *rigid = &world->bodies[i];
        uint32_t port = surface_port_of(settings, i);
        bool belt = scree_body_has_belt(body);
        double speed = port == UINT32_MAX ? body->belt_speed : world->ports[port].surface_speed;
        rigid->belt = belt ? scale(speed, direction(body->belt)) : (vec3){0.0, 0.0, 0.0};
        if (body->kind != SCREE_BODY_DRIVEN || has_motion_port(settings, i))
            continue;
        vec3 w = vec3_of(body->angular_velocity);
        if (port != UINT32_MAX && !belt)
            w = scale(speed, direction(body->angular_velocity));
        rigid->path = scree_path_go(rigid->now, vec3_of(body->velocity), w, dt);
        scree_path_speed(&rigid->path, &rigid->speed, &rigid->spin);
    }
}

scree_status scree_world_set_surface_speed(scree_world *world, uint32_t port, double speed, scree_error *error)
{
    const scree_scene *scene = world->settings;
    if (port >= scene->port_count || scene->ports[port].mode != SCREE_PORT_SURFACE)
        return scree_fail(error, SCREE_INVALID, "port number %u takes no speed", (unsigned)port);
    if (!isfinite(speed))
        return scree_fail(error, SCREE_INVALID, "port %s: the speed is not finite", scene->ports[port].id);
    world->ports[port].surface_speed = speed;
    return SCREE_OK;
}

double scree_world_get_surface_speed(const scree_world *world, uint32_t port)
{
    return port < world->settings->port_count ? world->ports[port].surface_speed : 0.0;
}

scree_status scree_world_get_surface_load(const scree_world *world, uint32_t port, scree_surface_load *load)
{
    *load = (scree_surface_load){0};
    if (port >= world->settings->port_count)
        return SCREE_INVALID;
    uint32_t index = world->settings->ports[port].body;
    const scree_body *body = &world->settings->bodies[index];
    const scree_rigid *rigid = &world->bodies[index];
    if (!(world->last_dt > 0.0))
        return SCREE_OK;
    load->force = dot(quat_rotate(rigid->now.q, direction(body->belt)), rigid->impulse) / world->last_dt;
    load->torque = dot(direction(body->angular_velocity), rigid->twist_impulse) / world->last_dt;
    load->power = rigid->work / world->last_dt;
    return SCREE_OK;
}
