#include "feed/fill.h"

static void place_single(scree_particles *particles, const scree_scene *scene)
{
    for (uint32_t k = 0; k < scene->grain_count; k++) {
        const scree_grain *grain = &scene->grains[k];
        double density = scene->materials[grain->material].density;
        uint32_t i = scree_particles_add(particles, vec3_of(grain->position), 0.5 * grain->diameter, density,
                                         grain->material, UINT32_MAX);
        particles->twist[i].v = vec3_of(grain->velocity);
        particles->twist[i].w = vec3_of(grain->angular_velocity);
    }
}

bool scree_filling_wants(const scree_filling *filling, double count, double volume, double d)
{
    const scree_fill *fill = filling->fill;
    if (fill->mass > 0.0)
        return filling->density * (volume + 0.5 * SCREE_PI / 6.0 * d * d * d) <= fill->mass;
    return fill->count == 0 || count < fill->count;
}

static scree_status run_fill(scree_particles *particles, const scree_site *site, uint32_t index, scree_error *error)
{
    const scree_fill *fill = &site->settings->fills[index];
    scree_arena arena;
    scree_arena_init(&arena, site->memory);
    scree_filling filling = {.fill = fill,
                             .index = index,
                             .density = site->settings->materials[fill->material].density,
                             .space = scree_space_make(site, fill->region, fill->min, fill->max),
                             .arena = &arena};
    scree_status status;
    if (!scree_sizes_make(&filling.sizes, site->settings, SCREE_OWNER_FILL, index, site->memory))
        status = scree_fail(error, SCREE_MEMORY, "out of memory for fill %s", fill->id);
    else if (fill->method == SCREE_FILL_RANDOM)
        status = scree_fill_random(particles, &filling, error);
    else
        status = scree_fill_lattice(particles, &filling, error);
    scree_sizes_free(&filling.sizes, site->memory);
    scree_arena_free(&arena);
    return status;
}

scree_status scree_fill_all(scree_particles *particles, const scree_site *site, scree_error *error)
{
    *particles = (scree_particles){0};
    scree_status status = SCREE_OK;
    if (scree_particles_reserve(particles, site->memory, site->settings->grain_count))
        place_single(particles, site->settings);
    else
        status = scree_fail(error, SCREE_MEMORY, "out of memory for %u grains", (unsigned)site->settings->grain_count);
    for (uint32_t i = 0; i < site->settings->fill_count && status == SCREE_OK; i++)
        status = run_fill(particles, site, i, error);
    if (status != SCREE_OK)
        scree_particles_free(particles, site->memory);
    return status;
}
