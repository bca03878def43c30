/*
 * Grains that are near each other in space get near indices: they are parted in two halves across the longest side of
 * their box, and each half again, first down to tiles of consecutive grains (collide/pairs.h), then within them. Boxes
 * that are about cubes have few pairs across their sides: 11 % of all in a bed, where a Z-shaped curve through cells
 * of a grain's size, cut into equal lengths, leaves 15 %. A tile's data stay in the cache while its pairs are solved.
 *
 * Order decays as grains mix. It is renewed when pairs have been chosen or mended so many times since, which is part of
 * the state: results do not depend on when a world was saved and loaded.
 */
#include "world.h"

enum {
    FEWEST = 4 * SCREE_TILE, /* grains: fewer are in the cache anyway, and keep the order of their scene */
    LASTS = 200,             /* choices of pairs, or times that they were mended */
    FEW = 4                  /* grains whose order makes no difference */
};

typedef struct spot {
    float x[3]; /* m, from the lowest grain on */
    uint32_t index;
} spot;

bool scree_world_wants_order(const scree_world *world)
{
    return world->age >= LASTS && world->particles.count >= FEWEST;
}

/* No two are alike: results depend on the grains alone, not on how they came to lie. */
static inline bool is_before(const spot *a, const spot *b, int axis)
{
    return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->index < b->index);
}

/* Also of what is no number: all can be compared. */
static float distance(double x, double low)
{
    const double most = 1e30;
    return (float)(x - low < most ? x - low : most);
}

static int longest_side(const spot *spots, uint32_t count)
{
    int axis = 0;
    float most = -1.0f;
    for (int c = 0; c < 3; c++) {
        float low = spots[0].x[c], high = low;
        for (uint32_t i = 1; i < count; i++) {
            low = spots[i].x[c] < low ? spots[i].x[c] : low;
            high = spots[i].x[c] > high ? spots[i].x[c] : high;
        }
        axis = high - low > most ? c : axis;
        most = high - low > most ? high - low : most;
    }
    return axis;
}

static inline void swap(spot *a, spot *b)
{
    spot keep = *a;
    *a = *b;
    *b = keep;
}

/* Puts the `first` lowest along the axis in front of the others: parts them by one of them, drawn at random, until that
 * is the one. */
static void part(spot *spots, uint32_t count, uint32_t first, int axis, scree_random *random)
{
    while (count > 1 && first > 0 && first < count) {
        spot by = spots[scree_random_next(random) % count];
        uint32_t i = 0, k = count - 1;
        for (;;) { /* `by` itself stops both */
            while (is_before(&spots[i], &by, axis))
                i++;
            while (is_before(&by, &spots[k], axis))
                k--;
            if (i >= k)
                break;
            swap(&spots[i], &spots[k]);
        }
        if (first > i) { /* i: where `by` is */
            spots += i + 1;
            first -= i + 1;
            count -= i + 1;
        } else {
            count = i;
        }
    }
}

/* Parts the grains, and their halves likewise; whole tiles as long as there are several. */
static void order_spots(spot *spots, uint32_t count, scree_random *random)
{
    while (count > FEW) {
        uint32_t half = count > SCREE_TILE ? (scree_pool_ranges(count, SCREE_TILE) + 1) / 2 * SCREE_TILE : count / 2;
        part(spots, count, half, longest_side(spots, count), random);
        order_spots(spots, half, random);
        spots += half;
        count -= half;
    }
}

bool scree_world_order(scree_world *world)
{
    uint32_t n = world->particles.count;
    const scree_place *place = world->particles.place;
    scree_arena_reset(&world->arena);
    spot *spots = scree_arena_get(&world->arena, n, sizeof *spots);
    uint32_t *order = scree_arena_get(&world->arena, n, sizeof *order);
    if (!spots || !order)
        return false;
    vec3 low = place[0].x;
    for (uint32_t i = 1; i < n; i++)
        low = (vec3){fmin(low.x, place[i].x.x), fmin(low.y, place[i].x.y), fmin(low.z, place[i].x.z)};
    for (uint32_t i = 0; i < n; i++) {
        vec3 x = place[i].x;
        spots[i] = (spot){{distance(x.x, low.x), distance(x.y, low.y), distance(x.z, low.z)}, i};
    }
    scree_random random = scree_random_seeded(n);
    order_spots(spots, n, &random);
    bool moved = false;
    for (uint32_t k = 0; k < n; k++) {
        order[k] = spots[k].index;
        moved = moved || order[k] != k;
    }
    world->age = 0;
    return !moved || scree_world_renumber(world, order, n);
}
