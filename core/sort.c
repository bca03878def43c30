/*
 * Grains that are near each other in space get near indices: they are sorted along a Z-shaped curve through cells of a
 * grain's size. Pairs are then mostly within a tile of consecutive grains (collide/pairs.h), whose data stay in the
 * cache while its pairs are solved.
 *
 * Order decays as grains mix. It is renewed when pairs have been chosen or mended so many times since, which is part of
 * the state: results do not depend on when a world was saved and loaded.
 */
#include "world.h"

enum {
    FEWEST = 4 * SCREE_TILE, /* grains: fewer are in the cache anyway, and keep the order of their scene */
    LASTS = 200,             /* choices of pairs, or times that they were mended */
    DIGIT = 11               /* bits that one pass of the sort looks at */
};

typedef struct keyed {
    uint64_t key;
    uint32_t index;
} keyed;

bool scree_world_wants_order(const scree_world *world)
{
    return world->age >= LASTS && world->particles.count >= FEWEST;
}

/* The low 21 bits, each followed by two zeros. */
static uint64_t spread(uint64_t v)
{
    v &= 0x1fffff;
    v = (v | v << 32) & UINT64_C(0x1f00000000ffff);
    v = (v | v << 16) & UINT64_C(0x1f0000ff0000ff);
    v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
    v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (v | v << 2) & UINT64_C(0x1249249249249249);
}

/* Number of a cell along one axis, counted from the lowest grain; what is very far away shares the last. */
static uint64_t cell(double x, double low, double inv_cell)
{
    const double most = 0x1fffff;
    double c = (x - low) * inv_cell;
    return (uint64_t)(c < most ? c : most);
}

/* Sorts by key, those that are equal as they come. Returns the sorted one of the two arrays. */
static keyed *sort(keyed *from, keyed *to, uint32_t count, uint64_t all)
{
    for (uint32_t shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
        uint32_t starts[(1u << DIGIT) + 1] = {0};
        const uint64_t mask = (UINT64_C(1) << DIGIT) - 1;
        for (uint32_t i = 0; i < count; i++)
            starts[(from[i].key >> shift & mask) + 1]++;
        for (uint32_t k = 0; k < 1u << DIGIT; k++)
            starts[k + 1] += starts[k];
        for (uint32_t i = 0; i < count; i++)
            to[starts[from[i].key >> shift & mask]++] = from[i];
        keyed *keep = from;
        from = to;
        to = keep;
    }
    return from;
}

bool scree_world_order(scree_world *world)
{
    uint32_t n = world->particles.count;
    const scree_place *place = world->particles.place;
    scree_arena_reset(&world->arena);
    keyed *first = scree_arena_get(&world->arena, n, sizeof *first);
    keyed *second = scree_arena_get(&world->arena, n, sizeof *second);
    uint32_t *order = scree_arena_get(&world->arena, n, sizeof *order);
    if (!first || !second || !order)
        return false;
    vec3 low = place[0].x;
    for (uint32_t i = 1; i < n; i++)
        low = (vec3){fmin(low.x, place[i].x.x), fmin(low.y, place[i].x.y), fmin(low.z, place[i].x.z)};
    double s = 1.0 / world->mean_diameter;
    uint64_t all = 0; /* bits that any key has */
    for (uint32_t i = 0; i < n; i++) {
        vec3 x = place[i].x;
        uint64_t key =
            spread(cell(x.x, low.x, s)) | spread(cell(x.y, low.y, s)) << 1 | spread(cell(x.z, low.z, s)) << 2;
        first[i] = (keyed){key, i};
        all |= key;
    }
    const keyed *sorted = sort(first, second, n, all);
    bool moved = false;
    for (uint32_t k = 0; k < n; k++) {
        order[k] = sorted[k].index;
        moved = moved || order[k] != k;
    }
    world->age = 0;
    return !moved || scree_world_renumber(world, order, n);
}
