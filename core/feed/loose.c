/*
 * Grains in random places without overlap, as dense as the fill says.
 *
 * They are strewn over the space at random and then pushed apart: pass by pass, two that overlap move away from each
 * other, the lighter one farther, off the shapes and back into the space, until none overlaps (in the manner of
 * W. Jodrey and E. Tory, 1985, with fixed sizes). Up to half of the space taken that is some tens of passes. Grains
 * that were there before stay where they are.
 */
#include "collide/search.h"
#include "feed/fill.h"

#include <string.h>

static const double GAP = 0.01; /* of their distance: how far beyond touching two grains are pushed */
static const double SKIN = 0.1; /* of the mean radius: as the search's slack, so that it holds for some passes */
enum { PASSES = 2000 };

typedef struct work {
    scree_filling *filling;
    scree_particles grains; /* those that stay, then the new ones; place and twist only */
    uint32_t fixed;         /* how many stay */
    scree_search search;
    scree_arena arena;
    scree_pool *pool;
    double *margins; /* [grains], m, in the arena; NULL: no search yet */
    vec3 *seen;      /* [grains], m, where they were then, likewise */
} work;

static void free_work(work *todo, const scree_memory *memory)
{
    scree_particles_free(&todo->grains, memory);
    scree_search_free(&todo->search, memory);
    scree_arena_free(&todo->arena);
    scree_pool_destroy(todo->pool);
}

/* ---------------------------------------------------------------- what to place */

/* Draws the sizes that are wanted, or that take the wanted share of a space of so much volume. *taken: m3, of all. */
static bool draw_sizes(work *todo, scree_random *random, double space, double *taken)
{
    const scree_filling *filling = todo->filling;
    const scree_fill *fill = filling->fill;
    bool open = fill->count == 0 && fill->mass == 0.0;
    *taken = 0.0;
    for (double count = 0.0;; count += 1.0) {
        double d = scree_sizes_draw(&filling->sizes, random), volume = SCREE_PI / 6.0 * d * d * d;
        bool more =
            open ? *taken + 0.5 * volume <= fill->fraction * space : scree_filling_wants(filling, count, *taken, d);
        if (!more)
            return true;
        if (todo->grains.count + 1 >= SCREE_MOST_GRAINS ||
            !scree_particles_reserve(&todo->grains, filling->space.site->memory, todo->grains.count + 1))
            return false;
        scree_particles_add(&todo->grains, filling->space.low, 0.5 * d, 1.0, 0, 0);
        *taken += volume;
    }
}

/* Those that are near enough to be in the way. */
static bool copy_fixed(work *todo, const scree_particles *particles)
{
    const scree_space *space = &todo->filling->space;
    double reach = todo->filling->sizes.largest;
    for (uint32_t i = 0; i < particles->count; i++) {
        vec3 x = particles->place[i].x;
        double r = particles->place[i].r + reach;
        if (x.x < space->low.x - r || x.y < space->low.y - r || x.z < space->low.z - r || x.x > space->high.x + r ||
            x.y > space->high.y + r || x.z > space->high.z + r)
            continue;
        if (!scree_particles_reserve(&todo->grains, space->site->memory, todo->grains.count + 1))
            return false;
        scree_particles_add(&todo->grains, x, particles->place[i].r, 1.0, 0, 0);
    }
    todo->fixed = todo->grains.count;
    return true;
}

/* Random points of the space; there is some, so that it can't go on for ever. */
static void strew(work *todo, scree_random *random)
{
    const scree_space *space = &todo->filling->space;
    vec3 extent = sub(space->high, space->low);
    for (uint32_t i = todo->fixed; i < todo->grains.count; i++)
        for (int tries = 0; tries < 100000; tries++) {
            vec3 share = {scree_random_unit(random), scree_random_unit(random), scree_random_unit(random)};
            vec3 x = add(space->low, (vec3){share.x * extent.x, share.y * extent.y, share.z * extent.z});
            todo->grains.place[i].x = x;
            if (scree_space_takes(space, x, 0.0))
                break;
        }
}

/* ---------------------------------------------------------------- pushing apart */

/* Two grains; the share that each moves is the other's share of their mass. True: they overlapped. */
static bool part(work *todo, uint32_t a, uint32_t b)
{
    scree_place *pa = &todo->grains.place[a], *pb = &todo->grains.place[b];
    vec3 d = sub(pb->x, pa->x);
    double both = pa->r + pb->r, square = dot(d, d), want = (1.0 + GAP) * both;
    if (square >= both * both)
        return false;
    double distance = sqrt(square);
    vec3 n = distance > 1e-9 * both ? scale(1.0 / distance, d) : (vec3){0.0, 0.0, 1.0};
    double ma = pa->r * pa->r * pa->r, mb = pb->r * pb->r * pb->r;
    double share = a < todo->fixed ? 0.0 : b < todo->fixed ? 1.0 : mb / (ma + mb);
    if (b < todo->fixed && a < todo->fixed)
        return false;
    pa->x = mul_add(pa->x, -share * (want - distance), n);
    pb->x = mul_add(pb->x, (1.0 - share) * (want - distance), n);
    return true;
}

/* Off the shapes, and into the space. True: it was not there. */
static bool pull_in(work *todo, scree_place *place)
{
    const scree_space *space = &todo->filling->space;
    const scree_site *site = space->site;
    vec3 x = scree_region_pull(&space->region, place->x);
    bool pulled = !scree_region_contains(&space->region, place->x);
    if (space->region.shape != SCREE_REGION_HEAP && x.z > space->level) {
        x.z = space->level;
        pulled = true;
    }
    for (uint32_t i = 0; i < site->settings->shape_count; i++) {
        if (scree_space_is_off(&site->shapes[i], x, place->r))
            continue;
        scree_probe probe = {.x = x, .r = (1.0 + GAP) * place->r};
        scree_touch touch = scree_shape_touch(&site->shapes[i], &probe, (vec3){0.0, 0.0, 0.0});
        if (touch.overlap > GAP * place->r) {
            x = mul_add(x, -touch.overlap, touch.n);
            pulled = true;
        }
    }
    place->x = x;
    return pulled;
}

/* Whether those that touch are among those that were found. */
static bool holds(const work *todo)
{
    for (uint32_t i = 0; i < todo->grains.count; i++) {
        vec3 gone = sub(todo->grains.place[i].x, todo->seen[i]);
        if (!(dot(gone, gone) <= todo->margins[i] * todo->margins[i]))
            return false;
    }
    return true;
}

static bool search(work *todo)
{
    uint32_t n = todo->grains.count;
    scree_arena_reset(&todo->arena);
    todo->margins = scree_arena_get(&todo->arena, n, sizeof *todo->margins);
    todo->seen = scree_arena_get(&todo->arena, n, sizeof *todo->seen);
    if (!todo->margins || !todo->seen)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        todo->margins[i] = 0.25 * SKIN * cbrt(todo->filling->sizes.mean_cube);
        todo->seen[i] = todo->grains.place[i].x;
    }
    scree_outlook outlook = {.margins = todo->margins}; /* they stay where they are pushed */
    return scree_search_pairs(&todo->search, todo->filling->space.site->memory, &todo->arena, todo->pool, &todo->grains,
                              &outlook);
}

/* One pass; *off: how many things were not as they should be. False: no memory. */
static bool push_apart(work *todo, uint64_t *off)
{
    const scree_neighbours *found = &todo->search.found;
    if ((!todo->margins || !holds(todo)) && !search(todo))
        return false;
    *off = 0;
    for (uint32_t a = 0; a < todo->grains.count; a++)
        for (uint32_t i = found->starts[a]; i < found->starts[a + 1]; i++)
            *off += part(todo, a, found->others[i]);
    for (uint32_t i = todo->fixed; i < todo->grains.count; i++)
        *off += pull_in(todo, &todo->grains.place[i]);
    return true;
}

/* ---------------------------------------------------------------- the whole */

/* Takes the good ones over: clear of everything. Returns how many are not. */
static uint32_t take_over(work *todo, scree_particles *particles, const uint8_t *bad)
{
    const scree_filling *filling = todo->filling;
    uint32_t left = 0;
    for (uint32_t i = todo->fixed; i < todo->grains.count; i++) {
        const scree_place *place = &todo->grains.place[i];
        if (bad[i] || !scree_space_takes(&filling->space, place->x, (1.0 - GAP) * place->r)) {
            left++;
            continue;
        }
        scree_particles_add(particles, place->x, place->r, filling->density, filling->fill->material, filling->index);
    }
    return left;
}

/* Marks the smaller of each two that still overlap. */
static void mark_bad(const work *todo, uint8_t *bad)
{
    const scree_neighbours *found = &todo->search.found;
    for (uint32_t a = 0; a < todo->grains.count; a++)
        for (uint32_t i = found->starts[a]; i < found->starts[a + 1]; i++) {
            uint32_t b = found->others[i];
            const scree_place *pa = &todo->grains.place[a], *pb = &todo->grains.place[b];
            double both = pa->r + pb->r;
            vec3 d = sub(pb->x, pa->x);
            if (bad[a] || bad[b] || dot(d, d) >= both * both)
                continue;
            bad[b < todo->fixed || (a >= todo->fixed && pa->r < pb->r) ? a : b] = 1;
        }
}

static scree_status relax(work *todo, scree_particles *particles, scree_error *error)
{
    const scree_fill *fill = todo->filling->fill;
    const scree_memory *memory = todo->filling->space.site->memory;
    uint64_t off = 1;
    bool room = true;
    for (int pass = 0; pass < PASSES && off > 0 && room; pass++)
        room = push_apart(todo, &off);
    uint8_t *bad = room ? scree_arena_get(todo->filling->arena, todo->grains.count, 1) : NULL;
    uint32_t count = todo->grains.count - todo->fixed;
    if (!bad || !scree_particles_reserve(particles, memory, particles->count + count))
        return scree_fail(error, SCREE_MEMORY, "out of memory for the grains of fill %s", fill->id);
    memset(bad, 0, todo->grains.count);
    if (off > 0)
        mark_bad(todo, bad);
    uint32_t left = take_over(todo, particles, bad);
    if (left > 0 && (fill->count > 0 || fill->mass > 0.0 || left == count))
        return scree_fail(error, SCREE_INVALID,
                          "fill %s: %u of %u grains found no place at fraction %g; make the region larger or the "
                          "fraction smaller",
                          fill->id, (unsigned)left, (unsigned)count, fill->fraction);
    return SCREE_OK;
}

static scree_status fill_random(work *todo, scree_particles *particles, scree_error *error)
{
    scree_filling *filling = todo->filling;
    const scree_fill *fill = filling->fill;
    scree_random random = scree_random_seeded(fill->seed);
    double taken, space = scree_space_measure(&filling->space, HUGE_VAL);
    if (space < 0.0 || !copy_fixed(todo, particles) || !draw_sizes(todo, &random, space, &taken))
        return scree_fail(error, SCREE_MEMORY, "out of memory for the grains of fill %s", fill->id);
    if (todo->grains.count == todo->fixed)
        return scree_fail(error, SCREE_INVALID, "fill %s: the region takes no grain of up to %g m", fill->id,
                          filling->sizes.largest);
    if (taken > fill->fraction * space * (1.0 + 1e-6) && (fill->count > 0 || fill->mass > 0.0))
        return scree_fail(error, SCREE_INVALID,
                          "fill %s: asks for %u grains, %.4g kg, and the region takes %.4g kg at fraction %g; make the "
                          "region larger, or %s smaller",
                          fill->id, (unsigned)(todo->grains.count - todo->fixed), filling->density * taken,
                          filling->density * fill->fraction * space, fill->fraction, fill->count ? "count" : "mass");
    if (scree_space_measure(&filling->space, taken / fill->fraction) < 0.0)
        return scree_fail(error, SCREE_MEMORY, "out of memory for the grains of fill %s", fill->id);
    strew(todo, &random);
    return relax(todo, particles, error);
}

scree_status scree_fill_random(scree_particles *particles, scree_filling *filling, scree_error *error)
{
    const scree_memory *memory = filling->space.site->memory;
    work todo = {.filling = filling, .pool = scree_pool_create(memory, 1)};
    scree_arena_init(&todo.arena, memory);
    scree_status status = todo.pool ? fill_random(&todo, particles, error)
                                    : scree_fail(error, SCREE_MEMORY, "out of memory for fill %s", filling->fill->id);
    free_work(&todo, memory);
    return status;
}
