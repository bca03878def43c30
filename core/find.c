#include "find.h"

#include "body/dynamics.h"

static const double SPARE = 0.05; /* of its reach: what a dynamic body may go beyond what its velocity says */

static void swap(scree_contact_list *a, scree_contact_list *b)
{
    scree_contact_list keep = *a;
    *a = *b;
    *b = keep;
}

/* Contacts of these candidates in place of `list`, with its impulses. */
static bool renew(scree_world *world, scree_contact_list *list, scree_contact_list *last, uint32_t others,
                  scree_found found)
{
    bool remember = list != &world->pairs; /* the others are contacts with shapes */
    if (!scree_contact_list_renew(last, list, &world->memory, others, found.items, found.count, remember))
        return false;
    swap(list, last);
    return true;
}

/* Parts what the search for walls found: contacts of dynamic bodies go to `loads`. */
static bool split(scree_world *world, scree_found *walls, scree_found *loads)
{
    const scree_shape *shapes = world->settings->shapes;
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < walls->count; i++)
        count += world->bodies[shapes[walls->items[i].b / SCREE_SLOTS].body].dynamic;
    *loads = (scree_found){.items = scree_arena_get(&world->arena, count, sizeof *loads->items)};
    if (!loads->items)
        return false;
    for (size_t i = 0; i < walls->count; i++) {
        scree_candidate item = walls->items[i];
        if (world->bodies[shapes[item.b / SCREE_SLOTS].body].dynamic)
            loads->items[loads->count++] = item;
        else
            walls->items[kept++] = item;
    }
    walls->count = kept;
    return true;
}

bool scree_find_contacts(scree_world *world, double frame)
{
    double slack = length(vec3_of(world->settings->head.gravity)) * frame * frame;
    uint32_t n = world->particles.count;
    scree_heavy *heavy = &world->heavy;
    scree_found walls, loads, found;
    for (uint32_t i = 0; i < world->settings->body_count; i++) {
        scree_rigid *body = &world->bodies[i];
        if (body->dynamic)
            scree_mass_look(&body->mass, body->now.q, frame, slack + SPARE * body->mass.reach);
    }
    if (!scree_search_holds(&world->search, &world->particles) &&
        (!scree_search_pairs(&world->search, &world->memory, &world->arena, world->pool, &world->particles, frame,
                             slack, &found) ||
         !renew(world, &world->pairs, &world->last_pairs, n, found)))
        return false;
    scree_feelers_place(&heavy->feelers, world->bodies);
    return scree_search_walls(&world->search, &world->memory, &world->arena, world->pool, &world->particles,
                              world->shapes, world->settings->shape_count, world->bodies, &world->walls, &heavy->loads,
                              frame, &walls) &&
           split(world, &walls, &loads) && renew(world, &world->walls, &world->last_walls, n, walls) &&
           renew(world, &heavy->loads, &heavy->last_loads, n, loads) &&
           scree_feelers_search(&heavy->feelers, &world->arena, world->settings, world->shapes, world->bodies, frame,
                                &found) &&
           renew(world, &heavy->knocks, &heavy->last_knocks, heavy->feelers.count, found);
}

bool scree_find_holds(const scree_world *world)
{
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        if (world->bodies[i].dynamic && !scree_mass_holds(&world->bodies[i]))
            return false;
    return world->particles.count == 0 || scree_search_holds(&world->search, &world->particles);
}
