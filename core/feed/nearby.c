#include "feed/nearby.h"

#include <string.h>

typedef struct cells {
    int64_t low[3], high[3];
} cells;

/* The cells that a sphere reaches into, of those in the box. */
static cells cells_of(const scree_nearby *nearby, vec3 x, double r)
{
    double at[3] = {x.x, x.y, x.z}, low[3], high[3];
    vec3_store(low, nearby->low);
    vec3_store(high, nearby->high);
    cells range;
    for (int k = 0; k < 3; k++) {
        range.low[k] = (int64_t)floor((fmax(at[k] - r, low[k]) - low[k]) * nearby->inv_cell);
        range.high[k] = (int64_t)floor((fmin(at[k] + r, high[k]) - low[k]) * nearby->inv_cell);
    }
    return range;
}

static size_t number_of(cells range)
{
    size_t number = 1;
    for (int k = 0; k < 3; k++)
        number *= range.high[k] < range.low[k] ? 0 : (size_t)(range.high[k] - range.low[k] + 1);
    return number;
}

static uint32_t bucket_of(const scree_nearby *nearby, int64_t x, int64_t y, int64_t z)
{
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15ULL + (uint64_t)y * 0xc2b2ae3d27d4eb4fULL + (uint64_t)z * 0x165667b19e3779f9ULL;
    return (uint32_t)((h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL >> 32) & nearby->mask;
}

bool scree_nearby_make(scree_nearby *nearby, scree_arena *arena, const scree_particles *particles, vec3 low, vec3 high,
                       double largest, uint32_t newcomers)
{
    const vec3 reach = {largest, largest, largest};
    *nearby = (scree_nearby){.low = sub(low, reach), .high = add(high, reach), .inv_cell = 0.5 / largest, .mask = 63};
    nearby->capacity = 8 * ((size_t)newcomers + 1); /* a newcomer is no larger than a cell */
    for (uint32_t i = 0; i < particles->count; i++)
        nearby->capacity += number_of(cells_of(nearby, particles->place[i].x, particles->place[i].r));
    while (nearby->mask < nearby->capacity / 4 && nearby->mask < UINT32_C(1) << 26)
        nearby->mask = 2 * nearby->mask + 1;
    nearby->buckets = scree_arena_get(arena, (size_t)nearby->mask + 1, sizeof *nearby->buckets);
    nearby->entries = scree_arena_get(arena, nearby->capacity, sizeof *nearby->entries);
    if (!nearby->buckets || !nearby->entries || nearby->capacity > UINT32_MAX)
        return false;
    memset(nearby->buckets, 0xff, ((size_t)nearby->mask + 1) * sizeof *nearby->buckets);
    for (uint32_t i = 0; i < particles->count; i++)
        scree_nearby_add(nearby, particles, i);
    return true;
}

void scree_nearby_add(scree_nearby *nearby, const scree_particles *particles, uint32_t index)
{
    cells c = cells_of(nearby, particles->place[index].x, particles->place[index].r);
    for (int64_t x = c.low[0]; x <= c.high[0]; x++)
        for (int64_t y = c.low[1]; y <= c.high[1]; y++)
            for (int64_t z = c.low[2]; z <= c.high[2] && nearby->count < nearby->capacity; z++) {
                uint32_t *bucket = &nearby->buckets[bucket_of(nearby, x, y, z)];
                nearby->entries[nearby->count] = (scree_near){.particle = index, .next = *bucket};
                *bucket = (uint32_t)nearby->count++;
            }
}

bool scree_nearby_overlaps(const scree_nearby *nearby, const scree_particles *particles, vec3 at, double r)
{
    cells c = cells_of(nearby, at, r);
    for (int64_t x = c.low[0]; x <= c.high[0]; x++)
        for (int64_t y = c.low[1]; y <= c.high[1]; y++)
            for (int64_t z = c.low[2]; z <= c.high[2]; z++)
                for (uint32_t i = nearby->buckets[bucket_of(nearby, x, y, z)]; i != UINT32_MAX;
                     i = nearby->entries[i].next) {
                    const scree_place *other = &particles->place[nearby->entries[i].particle];
                    vec3 gap = sub(other->x, at);
                    double both = other->r + r;
                    if (dot(gap, gap) < both * both)
                        return true;
                }
    return false;
}
