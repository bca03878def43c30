/*
 * Impulses of contacts on bodies. What becomes of them at ports: ports.c.
 */
#include "measure/measure.h"
#include "measure/sensors.h"

static void give(scree_world *world, const scree_push *push)
{
    world->bodies[push->body].work -= dot(mul_add(push->pt, push->pn, push->n), push->v) + dot(push->pr, push->w);
    scree_rigid_push(&world->bodies[push->body], push->point, mul_add(push->pt, push->pn, push->n), push->pr);
    scree_load_add(world, push);
}

static void give_to_wall(scree_world *world, size_t i, double pn, vec3 pt, vec3 pr)
{
    const scree_rows *rows = &world->rows;
    scree_push push = {.body = world->shapes[scree_contact_shape(&world->walls.items[i])].body,
                       .point = rows->points[i],
                       .n = rows->wall_rows[i].n,
                       .pn = pn,
                       .pt = pt,
                       .pr = pr,
                       .v = rows->surfaces[i].v,
                       .w = rows->surfaces[i].w};
    give(world, &push);
}

void scree_measure_impacts(scree_world *world)
{
    scree_load_begin(world);
    for (size_t i = 0; i < world->walls.count; i++) {
        scree_jump jump = scree_impact_of_wall(&world->impact_scratch, i);
        if (jump.pn > 0.0)
            give_to_wall(world, i, jump.pn, jump.pt, jump.pr);
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
    give(world, &push);
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

void scree_measure_contacts(scree_world *world)
{
    scree_load_begin(world);
    for (size_t i = 0; i < world->walls.count; i++) {
        const scree_row *row = &world->rows.wall_rows[i];
        const scree_contact *contact = &world->walls.items[i];
        if (row->closed)
            give_to_wall(world, i, contact->pn - row->pull, contact->pt, contact->pr);
    }
    measure_heavy(world, world->heavy.load_rows, &world->heavy.loads);
    measure_heavy(world, world->heavy.knock_rows, &world->heavy.knocks);
}
