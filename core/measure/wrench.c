/*
 * Impulses of contacts on bodies. What becomes of them at ports: ports.c.
 */
#include "measure/measure.h"
#include "measure/sensors.h"

static void give_to_rigid(scree_world *world, scree_push push)
{
    vec3 p = mul_add(push.pt, push.pn, push.n);
    world->bodies[push.body].work -= dot(p, push.v) + dot(push.pr, push.w);
    scree_rigid_push(&world->bodies[push.body], push.point, p, push.pr);
}

static void give(scree_world *world, scree_push push)
{
    give_to_rigid(world, push);
    scree_load_add(world, &push);
}

/* x: m, where the grain is. */
static scree_push push_of_wall(const scree_world *world, size_t i, vec3 x, double pn, vec3 pt, vec3 pr)
{
    const scree_rows *rows = &world->rows;
    return (scree_push){.body = world->shapes[scree_contact_shape(&world->walls.items[i])].body,
                        .point = mul_add(x, rows->wall_rows[i].la, rows->wall_rows[i].n),
                        .n = rows->wall_rows[i].n,
                        .pn = pn,
                        .pt = pt,
                        .pr = pr,
                        .v = rows->surfaces[i].v,
                        .w = rows->surfaces[i].w};
}

static scree_push push_of(const scree_world *world, size_t i)
{
    const scree_contact *contact = &world->walls.items[i];
    return push_of_wall(world, i, world->stand[contact->a].x, contact->pn - world->rows.wall_rows[i].pull, contact->pt,
                        contact->pr);
}

void scree_measure_impacts(scree_world *world)
{
    scree_load_begin(world);
    for (uint32_t k = 0; k < world->rows.closed_count; k++) {
        uint32_t i = world->rows.closed[k];
        scree_jump jump = scree_impact_of_wall(&world->impact_scratch, k);
        if (jump.pn > 0.0)
            give(world,
                 push_of_wall(world, i, world->particles.place[world->walls.items[i].a].x, jump.pn, jump.pt, jump.pr));
    }
}

/* sign −1: the body on the other side, which gets the opposite. */
static void give_to_body(scree_world *world, uint32_t body, const scree_heavy_row *row, const scree_contact *contact,
                         double sign)
{
    const scree_rigid *rigid = &world->bodies[body];
    vec3 center = rigid->dynamic ? rigid->mass.c : rigid->now.x, v = rigid->dynamic ? rigid->mass.v : rigid->v;
    vec3 w = rigid->dynamic ? rigid->mass.w : rigid->w;
    scree_push push = {.body = body,
                       .point = row->point,
                       .n = scale(sign, row->n),
                       .pn = contact->pn - row->pull,
                       .pt = scale(sign, contact->pt),
                       .pr = scale(sign, contact->pr),
                       .v = add(add(v, cross(w, sub(row->point, center))), scree_rigid_belt(rigid, row->n)),
                       .w = w};
    give(world, push);
}

static void measure_heavy(scree_world *world, const scree_heavy_row *rows, const scree_contact_list *contacts)
{
    for (size_t i = 0; i < contacts->count; i++) {
        if (!rows[i].closed)
            continue;
        give_to_body(world, rows[i].body_b, &rows[i], &contacts->items[i], 1.0);
        if (rows[i].body_a != UINT32_MAX)
            give_to_body(world, rows[i].body_a, &rows[i], &contacts->items[i], -1.0);
    }
}

/* ---------------------------------------------------------------- walls, tile by tile */

static scree_tally *tally_of(scree_tile_tally *tile, uint32_t body)
{
    for (uint32_t k = 0; k < tile->count; k++)
        if (tile->items[k].body == body)
            return &tile->items[k];
    if (++tile->count > SCREE_TALLIES)
        return NULL;
    tile->items[tile->count - 1] = (scree_tally){.body = body};
    return &tile->items[tile->count - 1];
}

void scree_measure_tile(const scree_world *world, uint32_t t)
{
    const scree_rows *rows = &world->rows;
    scree_tile_tally *tile = &world->tallies[t];
    tile->count = 0;
    for (uint32_t k = rows->closed_starts[t]; k < rows->closed_starts[t + 1]; k++) {
        uint32_t i = rows->closed[k], body = world->shapes[scree_contact_shape(&world->walls.items[i])].body;
        const scree_contact *contact = &world->walls.items[i];
        const scree_row *row = &rows->wall_rows[i];
        const scree_twist *surface = &rows->surfaces[i];
        vec3 p = mul_add(contact->pt, contact->pn - row->pull, row->n);
        scree_tally *to = tile->count <= SCREE_TALLIES ? tally_of(tile, body) : NULL;
        if (!to)
            continue;
        if (!scree_rigid_is_still(&world->bodies[body]))
            to->work += dot(p, surface->v) + dot(contact->pr, surface->w);
        vec3 point = mul_add(world->stand[contact->a].x, row->la, row->n);
        to->impulse = add(to->impulse, p);
        to->twist = add(to->twist, add(cross(sub(point, world->bodies[body].now.x), p), contact->pr));
    }
}

static void give_tile(scree_world *world, const scree_tile_tally *tile, uint32_t t)
{
    const scree_rows *rows = &world->rows;
    for (uint32_t k = 0; k < tile->count && tile->count <= SCREE_TALLIES; k++) {
        scree_rigid *body = &world->bodies[tile->items[k].body];
        body->work -= tile->items[k].work;
        body->impulse = add(body->impulse, tile->items[k].impulse);
        body->twist_impulse = add(body->twist_impulse, tile->items[k].twist);
    }
    for (uint32_t i = rows->closed_starts[t]; i < rows->closed_starts[t + 1] && tile->count > SCREE_TALLIES; i++)
        give_to_rigid(world, push_of(world, rows->closed[i]));
}

void scree_measure_contacts(scree_world *world)
{
    uint32_t n = world->particles.count;
    scree_load_begin(world);
    for (uint32_t t = 0; t * SCREE_TILE < n; t++)
        give_tile(world, &world->tallies[t], t);
    for (uint32_t i = 0; i < world->rows.closed_count && world->sensing.load_count > 0; i++) {
        scree_push push = push_of(world, world->rows.closed[i]);
        scree_load_add(world, &push);
    }
    measure_heavy(world, world->heavy.load_rows, &world->heavy.loads);
    measure_heavy(world, world->heavy.knock_rows, &world->heavy.knocks);
}
