/*
 * Figures about the whole, and its contacts one by one.
 */
#include "measure/measure.h"

static void add_overlaps(const scree_rows *rows, double *sum, double *most)
{
    for (uint32_t i = 0; i < rows->closed_count; i++) {
        const scree_row *row = &rows->wall_rows[rows->closed[i]];
        double relative = row->overlap / row->distance;
        *sum += relative;
        if (relative > *most)
            *most = relative;
    }
}

void scree_measure_overlap(scree_world *world, const scree_rows *rows)
{
    uint32_t closed = world->pair_sums.count + rows->closed_count;
    double sum = world->pair_sums.overlap, most = world->pair_sums.most;
    add_overlaps(rows, &sum, &most);
    world->contacts = closed;
    world->mean_overlap = closed ? sum / closed : 0.0;
    world->max_overlap = most;
}

const char *scree_stage_name(scree_stage stage)
{
    static const char *const names[SCREE_STAGE_COUNT] = {"feed",  "search", "walls",    "impacts", "predict",
                                                         "sweep", "bodies", "residual", "move",    "measure"};
    return names[stage];
}

void scree_world_set_profile(scree_world *world, bool on)
{
    world->watch.wanted = on;
}

void scree_world_get_profile(const scree_world *world, scree_profile *profile)
{
    *profile = world->watch.sums;
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
                         .impacts = world->impacts,
                         .asleep = world->asleep};
    info->residual = fmax(fmax(info->residual_normal, info->residual_friction),
                          fmax(info->residual_rolling, info->residual_momentum));
    const scree_sums *all = &world->sensing.all;
    info->mass = all->mass;
    info->kinetic_energy = all->energy;
    vec3_store(info->momentum, all->momentum);
    if (info->mass > 0.0)
        vec3_store(info->center, scale(1.0 / info->mass, all->moment));
}

bool scree_measure_pair(const scree_world *world, uint32_t slot, scree_contact *contact)
{
    const scree_pair_block *block = &world->pairs.blocks[slot / SCREE_LANES];
    uint32_t k = slot % SCREE_LANES, a = block->a[k], b = block->b[k];
    vec3 p = {block->p[0][k], block->p[1][k], block->p[2][k]};
    if (!scree_pair_exists(block, k) || dot(p, p) == 0.0)
        return false;
    const scree_particles *grains = &world->particles;
    vec3 qa = {block->qa[0][k], block->qa[1][k], block->qa[2][k]},
         qb = {block->qb[0][k], block->qb[1][k], block->qb[2][k]};
    scree_row row;
    (void)scree_pair_touch(grains->place[a], grains->place[b], &row);
    const scree_pair *law =
        &world->settings->pairs[scree_scene_find_pair(world->settings, grains->material[a], grains->material[b])];
    double along = dot(row.n, p);
    vec3 turned = scale(1.0 / (row.la + row.lb), sub(qa, qb)); /* n × P_t */
    *contact = (scree_contact){.a = a,
                               .b = b,
                               .pn = along + world->substep * law->adhesion,
                               .pt = mul_add(p, -along, row.n),
                               .pr = mul_add(qa, -row.la, turned)};
    return true;
}

uint32_t scree_world_contact_count(const scree_world *world)
{
    return world->rows.wall_rows ? (uint32_t)world->walls.count + world->pairs.count * SCREE_LANES : 0;
}

static void describe(scree_touching *touching, const scree_row *row, vec3 x, vec3 p, double h)
{
    touching->overlap = row->overlap;
    vec3_store(touching->point, mul_add(x, row->la, row->n));
    vec3_store(touching->normal, row->n);
    vec3_store(touching->force, scale(1.0 / h, p));
}

/* The grain where it was when the forces were worked out. */
static scree_place place_before(const scree_world *world, uint32_t i)
{
    scree_place place = world->particles.place[i];
    place.x = mul_add(place.x, -world->substep, world->particles.twist[i].v);
    return place;
}

static bool get_pair(const scree_world *world, uint32_t index, scree_touching *touching)
{
    const scree_pairs *pairs = &world->pairs;
    uint32_t i = index / SCREE_LANES, k = index % SCREE_LANES;
    if (!(pairs->closed[i] >> k & 1))
        return false;
    const scree_pair_block *block = &pairs->blocks[i];
    scree_place a = place_before(world, block->a[k]), b = place_before(world, block->b[k]);
    scree_row row;
    (void)scree_pair_touch(a, b, &row);
    *touching =
        (scree_touching){.particle = block->a[k], .other = block->b[k], .body = UINT32_MAX, .shape = UINT32_MAX};
    vec3 p = {block->p[0][k], block->p[1][k], block->p[2][k]};
    describe(touching, &row, a.x, p, world->substep);
    return true;
}

bool scree_world_get_contact(const scree_world *world, uint32_t index, scree_touching *touching)
{
    uint32_t walls = (uint32_t)world->walls.count;
    if (index >= scree_world_contact_count(world))
        return false;
    if (index >= walls)
        return get_pair(world, index - walls, touching);
    const scree_row *row = &world->rows.wall_rows[index];
    const scree_contact *contact = &world->walls.items[index];
    if (!row->closed)
        return false;
    *touching = (scree_touching){.particle = contact->a,
                                 .other = UINT32_MAX,
                                 .body = world->settings->shapes[scree_contact_shape(contact)].body,
                                 .shape = scree_contact_shape(contact)};
    describe(touching, row, world->particles.place[contact->a].x, mul_add(contact->pt, contact->pn - row->pull, row->n),
             world->substep);
    return true;
}
