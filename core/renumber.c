/*
 * Grains that change places, leave or come, while a world runs: what refers to a particle by its index follows.
 */
#include "world.h"

static void swap(scree_contact_list *a, scree_contact_list *b)
{
    scree_contact_list keep = *a;
    *a = *b;
    *b = keep;
}

bool scree_world_renumber(scree_world *world, const uint32_t *order, uint32_t count)
{
    scree_heavy *heavy = &world->heavy;
    uint32_t before = world->particles.count;
    uint32_t *to = scree_arena_get(&world->arena, before, sizeof *to);
    void *scratch = scree_arena_get(&world->arena, count, sizeof(scree_twist));
    if (!to || !scratch)
        return false;
    for (uint32_t i = 0; i < before; i++)
        to[i] = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++)
        to[order[k]] = k;
    scree_pairs_renumber(&world->pairs, to);
    if (world->walls.starts) {
        if (!scree_contact_list_renumber(&world->last_walls, &world->walls, &world->memory, to, before, count) ||
            !scree_contact_list_renumber(&heavy->last_loads, &heavy->loads, &world->memory, to, before, count))
            return false;
        swap(&heavy->loads, &heavy->last_loads);
        swap(&world->walls, &world->last_walls);
    }
    scree_particles_reorder(&world->particles, order, count, scratch);
    world->wall_search.valid = false;
    world->rows = (scree_rows){0};
    return true;
}

bool scree_world_extend(scree_world *world, uint32_t before)
{
    world->wall_search.valid = world->pairs.valid = false;
    world->rows = (scree_rows){0};
    return scree_contact_list_extend(&world->walls, &world->memory, before, world->particles.count) &&
           scree_contact_list_extend(&world->heavy.loads, &world->memory, before, world->particles.count);
}
