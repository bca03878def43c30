#include "measure/measure.h"

void scree_measure_walls(scree_world *world, const scree_rows *rows)
{
    for (size_t i = 0; i < world->walls.count; i++) {
        const scree_row *row = &rows->wall_rows[i];
        const scree_contact *contact = &world->walls.items[i];
        if (!row->closed)
            continue;
        scree_rigid_push(&world->bodies[world->shapes[scree_contact_shape(contact)].body], rows->points[i],
                         mul_add(contact->pt, contact->pn - row->pull, row->n), contact->pr);
    }
}

static void add_overlaps(const scree_row *rows, size_t count, uint32_t *closed, double *sum, double *most)
{
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].closed)
            continue;
        double relative = rows[i].overlap / rows[i].distance;
        ++*closed;
        *sum += relative;
        if (relative > *most)
            *most = relative;
    }
}

void scree_measure_overlap(scree_world *world, const scree_rows *rows)
{
    uint32_t closed = 0;
    double sum = 0.0, most = 0.0;
    add_overlaps(rows->pair_rows, world->pairs.count, &closed, &sum, &most);
    add_overlaps(rows->wall_rows, world->walls.count, &closed, &sum, &most);
    world->contacts = closed;
    world->mean_overlap = closed ? sum / closed : 0.0;
    world->max_overlap = most;
}

scree_status scree_world_get_wrench(const scree_world *world, uint32_t port, scree_wrench *wrench)
{
    *wrench = (scree_wrench){0};
    if (port >= world->settings->port_count)
        return SCREE_INVALID;
    const scree_rigid *body = &world->bodies[world->settings->ports[port].body];
    if (world->last_dt > 0.0) {
        vec3_store(wrench->force, scale(1.0 / world->last_dt, body->impulse));
        vec3_store(wrench->torque, scale(1.0 / world->last_dt, body->twist_impulse));
    }
    return SCREE_OK;
}

void scree_world_get_info(const scree_world *world, scree_info *info)
{
    const scree_particles *particles = &world->particles;
    vec3 momentum = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
    *info = (scree_info){.particles = particles->count,
                         .contacts = world->contacts,
                         .mean_overlap = world->mean_overlap,
                         .max_overlap = world->max_overlap,
                         .overlap_error = world->residual.overlap_error,
                         .residual_normal = world->residual.normal,
                         .residual_friction = world->residual.friction,
                         .residual_rolling = world->residual.rolling,
                         .residual_momentum = world->residual.momentum,
                         .residual_scale = world->residual.scale,
                         .substeps = world->last_substeps,
                         .sweeps = world->sweeps,
                         .impacts = world->impacts};
    info->residual = fmax(fmax(info->residual_normal, info->residual_friction),
                          fmax(info->residual_rolling, info->residual_momentum));
    for (uint32_t i = 0; i < particles->count; i++) {
        const scree_twist *twist = &particles->twist[i];
        double mass = 1.0 / twist->inv_mass;
        info->mass += mass;
        momentum = mul_add(momentum, mass, twist->v);
        moment = mul_add(moment, mass, particles->place[i].x);
        info->kinetic_energy += 0.5 * (mass * dot(twist->v, twist->v) + dot(twist->w, twist->w) / twist->inv_inertia);
    }
    vec3_store(info->momentum, momentum);
    if (info->mass > 0.0)
        vec3_store(info->center, scale(1.0 / info->mass, moment));
}

uint32_t scree_world_contact_count(const scree_world *world)
{
    return world->rows.wall_rows ? (uint32_t)(world->walls.count + world->pairs.count) : 0;
}

bool scree_world_get_contact(const scree_world *world, uint32_t index, scree_touching *touching)
{
    size_t walls = world->walls.count;
    if (index >= scree_world_contact_count(world))
        return false;
    bool wall = index < walls;
    const scree_row *row = wall ? &world->rows.wall_rows[index] : &world->rows.pair_rows[index - walls];
    const scree_contact *contact = wall ? &world->walls.items[index] : &world->pairs.items[index - walls];
    if (!row->closed)
        return false;
    *touching = (scree_touching){.particle = contact->a,
                                 .other = wall ? UINT32_MAX : contact->b,
                                 .body = wall ? world->settings->shapes[scree_contact_shape(contact)].body : UINT32_MAX,
                                 .shape = wall ? scree_contact_shape(contact) : UINT32_MAX,
                                 .overlap = row->overlap};
    vec3_store(touching->point, mul_add(world->particles.place[contact->a].x, row->la, row->n));
    vec3_store(touching->normal, row->n);
    vec3_store(touching->force, scale(1.0 / world->substep, mul_add(contact->pt, contact->pn - row->pull, row->n)));
    return true;
}
