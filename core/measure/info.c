/*
 * Figures about the whole, and its contacts one by one.
 */
#include "measure/measure.h"

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

void scree_world_get_info(const scree_world *world, scree_info *info)
{
    *info = (scree_info){.particles = world->particles.count,
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
    const scree_sums *all = &world->sensing.all;
    info->mass = all->mass;
    info->kinetic_energy = all->energy;
    vec3_store(info->momentum, all->momentum);
    if (info->mass > 0.0)
        vec3_store(info->center, scale(1.0 / info->mass, all->moment));
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
