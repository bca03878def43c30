/*
 * Grains on a jittered cubic lattice, from the bottom of the space upward.
 *
 * The spacing is 1.06 times the largest diameter and the jitter at most 0.03 of it along each axis, so that no two
 * grains overlap; the jitter keeps columns of equal grains from standing. A site is used when its grain's centre is in
 * the space and the largest grain there would touch neither a shape nor a grain that is there already: whether it is
 * does not depend on what size is drawn, so that walls don't sort the sizes.
 */
#include "feed/fill.h"
#include "feed/nearby.h"

static const double SPACING = 1.06, JITTER = 0.03; /* of the largest diameter */
static const double SLACK = 1.0 - 1e-9;            /* a site that touches to rounding is clear */

typedef struct lattice {
    double spacing; /* m */
    vec3 first;     /* m, the first site */
    uint64_t n[3];  /* sites along x, y, z */
} lattice;

static lattice plan_lattice(const scree_space *space, double largest)
{
    lattice grid = {.spacing = SPACING * largest};
    double low[3], high[3], first[3];
    vec3_store(low, space->low);
    vec3_store(high, space->high);
    for (int k = 0; k < 3; k++) {
        double extent = high[k] - low[k], sites = fmin(floor(extent / grid.spacing), SCREE_MOST_GRAINS);
        grid.n[k] = (uint64_t)sites;
        /* centred sideways, resting on the bottom */
        double spare = k < 2 ? 0.5 * (extent - sites * grid.spacing) : 0.0;
        first[k] = low[k] + spare + 0.5 * grid.spacing;
    }
    grid.first = vec3_of(first);
    return grid;
}

static vec3 site_of(const lattice *grid, uint64_t k)
{
    uint64_t across = k / grid->n[0];
    vec3 steps = {(double)(k % grid->n[0]), (double)(across % grid->n[1]), (double)(across / grid->n[1])};
    return mul_add(grid->first, grid->spacing, steps);
}

typedef struct work {
    scree_filling *filling;
    scree_particles *particles;
    lattice grid;
    uint64_t sites;
    scree_nearby nearby; /* grains that were there before */
    bool alone;          /* there were none */
} work;

static bool is_free(const work *todo, vec3 x)
{
    double r = SLACK * (0.5 + JITTER) * todo->filling->sizes.largest;
    return scree_space_takes(&todo->filling->space, x, r) &&
           (todo->alone || !scree_nearby_overlaps(&todo->nearby, todo->particles, x, r));
}

/* Lowers the level of a heap to what so many sites need: filled in layers it would lack its top. */
static void lower_level(work *todo, double wanted)
{
    scree_space *space = &todo->filling->space;
    double low = 0.0, high = space->region.half.z;
    for (int i = 0; i < 30 && wanted > 0.0; i++) {
        space->level = 0.5 * (low + high);
        double count = 0.0;
        for (uint64_t k = 0; k < todo->sites && count < wanted; k++)
            count += is_free(todo, site_of(&todo->grid, k)) ? 1.0 : 0.0;
        if (count < wanted)
            low = space->level;
        else
            high = space->level;
    }
    space->level = high;
}

/* How many grains are asked for; 0: as many as there are sites. A mass is met by the sizes as they will be drawn. */
static double count_wanted(const scree_filling *filling)
{
    if (!(filling->fill->mass > 0.0))
        return filling->fill->count;
    scree_random random = scree_random_seeded(filling->fill->seed);
    double count = 0.0, volume = 0.0;
    for (; count < SCREE_MOST_GRAINS; count += 1.0) {
        double d = scree_sizes_draw(&filling->sizes, &random);
        if (!scree_filling_wants(filling, count, volume, d))
            break;
        volume += SCREE_PI / 6.0 * d * d * d;
        for (int c = 0; c < 3; c++)
            (void)scree_random_unit(&random); /* the jitter */
    }
    return count;
}

/* One grain for each free site in order. *full: the sites are used up and more was wanted. */
static bool place(work *todo, double wanted, double *count, double *volume, bool *full)
{
    const scree_filling *filling = todo->filling;
    scree_random random = scree_random_seeded(filling->fill->seed);
    *full = false;
    for (uint64_t k = 0; k < todo->sites; k++) {
        vec3 x = site_of(&todo->grid, k);
        if (!is_free(todo, x))
            continue;
        double d = scree_sizes_draw(&filling->sizes, &random), jitter[3];
        if (!scree_filling_wants(filling, *count, *volume, d))
            return true;
        for (int c = 0; c < 3; c++)
            jitter[c] = (2.0 * scree_random_unit(&random) - 1.0) * JITTER * filling->sizes.largest;
        if (*count >= SCREE_MOST_GRAINS ||
            !scree_particles_reserve(todo->particles, filling->space.site->memory, todo->particles->count + 1))
            return false;
        scree_particles_add(todo->particles, add(x, vec3_of(jitter)), 0.5 * d, filling->density,
                            filling->fill->material, filling->index);
        *count += 1.0;
        *volume += SCREE_PI / 6.0 * d * d * d;
    }
    *full = *count < wanted;
    return true;
}

static scree_status complain(const work *todo, double count, double volume, scree_error *error)
{
    const scree_filling *filling = todo->filling;
    const scree_fill *fill = filling->fill;
    double largest = filling->sizes.largest;
    if (count == 0.0)
        return scree_fail(error, SCREE_INVALID,
                          "fill %s: the region takes no grain; each edge must be at least %g m for grains of %g m, and "
                          "some of it clear of walls",
                          fill->id, todo->grid.spacing, largest);
    if (fill->mass > 0.0)
        return scree_fail(
            error, SCREE_INVALID,
            "fill %s: the region takes %.4g kg of grains of up to %g m, and mass asks for %g kg; make the "
            "region larger or mass smaller",
            fill->id, filling->density * volume, largest, fill->mass);
    return scree_fail(error, SCREE_INVALID,
                      "fill %s: the region takes %.0f grains of up to %g m, and count asks for %.0f; make the region "
                      "larger or count smaller",
                      fill->id, count, largest, (double)fill->count);
}

scree_status scree_fill_lattice(scree_particles *particles, scree_filling *filling, scree_error *error)
{
    const scree_fill *fill = filling->fill;
    work todo = {.filling = filling, .particles = particles, .alone = particles->count == 0};
    todo.grid = plan_lattice(&filling->space, filling->sizes.largest);
    double sites = (double)todo.grid.n[0] * (double)todo.grid.n[1] * (double)todo.grid.n[2];
    double wanted = count_wanted(filling), count = 0.0, volume = 0.0;
    if ((wanted > 0.0 ? fmin(wanted, sites) : sites) + particles->count >= SCREE_MOST_GRAINS)
        return scree_fail(error, SCREE_INVALID, "the fills ask for %.0f grains; at most %.0f are possible",
                          sites + particles->count, SCREE_MOST_GRAINS);
    todo.sites = (uint64_t)fmin(sites, 1e12);
    bool full, room = todo.alone || scree_nearby_make(&todo.nearby, filling->arena, particles, filling->space.low,
                                                      filling->space.high, filling->sizes.largest, 0);
    if (room && filling->space.region.shape == SCREE_REGION_HEAP)
        lower_level(&todo, wanted);
    if (!room || !place(&todo, wanted, &count, &volume, &full))
        return scree_fail(error, SCREE_MEMORY, "out of memory for the grains of fill %s", fill->id);
    if (count == 0.0 || full)
        return complain(&todo, count, volume, error);
    return SCREE_OK;
}
