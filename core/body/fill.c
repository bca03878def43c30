/*
 * Fills: grains on a jittered cubic lattice, from the bottom of the region upward.
 *
 * The spacing is 1.06 times the largest diameter and the jitter at most 0.03 of it along each axis, so that no two
 * grains overlap; the jitter keeps columns of equal grains from standing.
 */
#include "body/fill.h"

#include "scene/sizes.h"

static const double SPACING = 1.06, JITTER = 0.03; /* of the largest diameter */
static const double MOST_GRAINS = 5e7;             /* as the field of a fill's count has it */

typedef struct lattice {
    double spacing;  /* m */
    vec3 first;      /* m, the first site */
    uint64_t n[3];   /* sites along x, y, z */
    double largest;  /* m, largest diameter of the fill */
    uint64_t wanted; /* grains */
    scree_sizes sizes;
} lattice;

static lattice plan_lattice(const scree_fill *fill, double largest)
{
    lattice grid = {.wanted = fill->count, .largest = largest};
    grid.spacing = SPACING * grid.largest;
    double first[3];
    for (int k = 0; k < 3; k++) {
        double extent = fill->max[k] - fill->min[k];
        double sites = floor(extent / grid.spacing);
        if (sites > MOST_GRAINS)
            sites = MOST_GRAINS;
        grid.n[k] = (uint64_t)sites;
        /* centred sideways, resting on the bottom */
        double spare = k < 2 ? 0.5 * (extent - sites * grid.spacing) : 0.0;
        first[k] = fill->min[k] + spare + 0.5 * grid.spacing;
    }
    grid.first = vec3_of(first);
    return grid;
}

static double sites(const lattice *grid)
{
    return (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2];
}

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

static void place_grains(scree_particles *particles, const scree_scene *scene, uint32_t index, const lattice *grid)
{
    const scree_fill *fill = &scene->fills[index];
    double density = scene->materials[fill->material].density;
    scree_random random = scree_random_seeded(fill->seed);
    for (uint64_t k = 0; k < grid->wanted; k++) {
        uint64_t site[3] = {k % grid->n[0], k / grid->n[0] % grid->n[1], k / grid->n[0] / grid->n[1]};
        double r = 0.5 * scree_sizes_draw(&grid->sizes, &random);
        double jitter[3];
        for (int c = 0; c < 3; c++)
            jitter[c] = (2.0 * scree_random_unit(&random) - 1.0) * JITTER * grid->largest;
        vec3 steps = {(double)site[0], (double)site[1], (double)site[2]};
        vec3 x = add(mul_add(grid->first, grid->spacing, steps), vec3_of(jitter));
        scree_particles_add(particles, x, r, density, fill->material, index);
    }
}

/* Finds out how many grains each fill gets; *total is the number of all grains. */
static scree_status plan_all(const scree_scene *scene, lattice *grids, uint32_t *total, const scree_memory *memory,
                             scree_error *error)
{
    double sum = scene->grain_count;
    for (uint32_t i = 0; i < scene->fill_count; i++) {
        lattice *grid = &grids[i];
        scree_sizes sizes;
        if (!scree_sizes_make(&sizes, scene, SCREE_OWNER_FILL, i, memory))
            return scree_fail(error, SCREE_MEMORY, "out of memory for the fills");
        *grid = plan_lattice(&scene->fills[i], sizes.largest);
        grid->sizes = sizes;
        if ((double)grid->wanted > sites(grid))
            return scree_fail(error, SCREE_INVALID,
                              "fill %s: the region takes %.0f grains of up to %g m, and count asks for %.0f; make the "
                              "region larger or count smaller",
                              scene->fills[i].id, sites(grid), grid->largest, (double)grid->wanted);
        if (grid->wanted == 0 && sites(grid) < 1.0)
            return scree_fail(error, SCREE_INVALID,
                              "fill %s: the region takes no grain; each edge must be at least %g m for grains of %g m",
                              scene->fills[i].id, grid->spacing, grid->largest);
        if (grid->wanted == 0)
            grid->wanted = sites(grid) < MOST_GRAINS ? (uint64_t)sites(grid) : (uint64_t)MOST_GRAINS;
        sum += (double)grid->wanted;
    }
    if (sum >= MOST_GRAINS)
        return scree_fail(error, SCREE_INVALID, "the fills ask for %.0f grains; at most %.0f are possible", sum,
                          MOST_GRAINS);
    *total = (uint32_t)sum;
    return SCREE_OK;
}

scree_status scree_particles_fill(scree_particles *particles, const scree_scene *settings, const scree_memory *memory,
                                  scree_error *error)
{
    *particles = (scree_particles){0};
    lattice *grids = scree_allocate(memory, settings->fill_count, sizeof *grids);
    if (!grids)
        return scree_fail(error, SCREE_MEMORY, "out of memory for the fills");
    uint32_t total = 0;
    scree_status status = plan_all(settings, grids, &total, memory, error);
    if (status == SCREE_OK && !scree_particles_reserve(particles, memory, total))
        status = scree_fail(error, SCREE_MEMORY, "out of memory for %u grains", (unsigned)total);
    if (status == SCREE_OK)
        place_single(particles, settings);
    for (uint32_t i = 0; i < settings->fill_count && status == SCREE_OK; i++)
        place_grains(particles, settings, i, &grids[i]);
    for (uint32_t i = 0; i < settings->fill_count; i++)
        scree_sizes_free(&grids[i].sizes, memory);
    scree_release(memory, grids);
    if (status != SCREE_OK)
        scree_particles_free(particles, memory);
    return status;
}
