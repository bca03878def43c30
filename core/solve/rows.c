#include "solve/rows.h"

#include "collide/narrow.h"
#include "solve/law.h"

enum { GRAIN = 1024 };

typedef struct job {
    scree_rows *rows;
    const scree_system *system;
    scree_substep substep;
} job;

static void set_law(scree_row *row, scree_contact_law law)
{
    row->k_n = law.k_n;
    row->e = law.e;
    row->tau = law.tau;
    row->mu = law.mu;
    row->roll = law.roll;
    row->twist = law.twist;
    row->restitution = law.restitution;
    row->adhesion = law.adhesion;
}

static void begin_walls(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const scree_system *system = todo->system;
    const scree_scene *settings = system->settings;
    for (uint32_t i = begin; i < end; i++) {
        const scree_contact *contact = &system->walls->items[i];
        scree_row *row = &todo->rows->wall_rows[i];
        double r = system->particles->place[contact->a].r;
        uint32_t body = settings->shapes[scree_contact_shape(contact)].body;
        set_law(row, scree_contact_law_of(settings, system->particles->material[contact->a],
                                          settings->bodies[body].material, r, r));
        row->distance = r;
        todo->rows->near[i].margin = 0.0;
    }
}

bool scree_rows_begin(scree_rows *rows, const scree_system *system, scree_arena *arena, scree_pool *pool)
{
    size_t walls = system->walls->count;
    rows->wall_rows = scree_arena_get(arena, walls, sizeof *rows->wall_rows);
    rows->surfaces = scree_arena_get(arena, walls, sizeof *rows->surfaces);
    rows->points = scree_arena_get(arena, walls, sizeof *rows->points);
    rows->near = scree_arena_get(arena, walls, sizeof *rows->near);
    if (!rows->wall_rows || !rows->surfaces || !rows->points || !rows->near)
        return false;
    job todo = {.rows = rows, .system = system};
    scree_pool_run(pool, (uint32_t)walls, GRAIN, begin_walls, &todo);
    rows->fresh = true;
    return true;
}

/*
 * s = h² e k_n δ^(2e−2)/m is the square of how far the contact's oscillation turns in a substep. Beyond s = 1 one or a
 * few sweeps can't follow it, and what they leave undone feeds the next substep, until tall or stiff packings burst.
 * Such a contact gets more damping, up to five times n_s, which leaves its rest state as it is (METHOD §7). Starting it
 * from less than its last impulses calms a lone column further, but makes deep beds creep without end.
 */
void scree_row_refresh(scree_row *row, const scree_twist *a, const scree_twist *b, double gamma, scree_substep substep)
{
    double h = substep.h, n_s = substep.n_s;
    double inv_mass = a->inv_mass + b->inv_mass, inv_inertia = a->inv_inertia + b->inv_inertia;
    double soft = row->e > 1.0 ? sqrt(row->overlap) : 1.0; /* δ^(2e−2) */
    double stiff = h * h * row->e * row->k_n * soft;
    double s = stiff * inv_mass;
    if (substep.tame && s > 1.0)
        n_s *= s < 25.0 ? sqrt(s) : 5.0;
    double tau = n_s * h > row->tau ? n_s * h : row->tau;
    double upsilon = 1.0 / (1.0 + 4.0 * tau / h);
    row->u_n = dot(row->n, sub(b->v, a->v)); /* the arms are along n: rotation adds nothing */
    row->pull = h * row->adhesion;
    row->sigma_n = 4.0 * upsilon / stiff;
    row->b_n = 4.0 / h * upsilon * row->overlap / row->e + upsilon * row->u_n;
    row->sigma_t = gamma > 0.0 ? gamma / h : 1e-9 * inv_mass; /* creep of 1e-9 of what the load would accelerate */
    /* the same compliance seen at the rim: an angular impulse over an arm acts like a tangential one */
    row->sigma_r = row->sigma_t / (row->la * row->la);
    row->inv_dn = 1.0 / (inv_mass + row->sigma_n);
    row->inv_dt =
        1.0 / (inv_mass + row->la * row->la * a->inv_inertia + row->lb * row->lb * b->inv_inertia + row->sigma_t);
    row->inv_dr = 1.0 / (inv_inertia + row->sigma_r);
}

static void refresh_wall(const job *todo, size_t i, scree_touch touch)
{
    const scree_system *system = todo->system;
    uint32_t a = system->walls->items[i].a;
    const scree_place *place = &system->particles->place[a];
    const scree_rigid *body = &system->bodies[system->shapes[scree_contact_shape(&system->walls->items[i])].body];
    scree_row *row = &todo->rows->wall_rows[i];
    row->overlap = touch.overlap;
    row->closed = row->overlap > 0.0;
    if (!row->closed)
        return;
    row->n = touch.n;
    row->la = place->r; /* a grain rolls on its radius, as on a rigid plane; the body feels the impulse at that point */
    row->lb = 0.0;      /* the surface's velocity is taken at the contact point itself */
    vec3 point = mul_add(place->x, row->la, row->n);
    scree_twist *surface = &todo->rows->surfaces[i];
    vec3 v = add(body->v, cross(body->w, sub(point, body->now.x)));
    *surface = (scree_twist){.v = add(v, scree_rigid_belt(body, row->n)), .w = body->w};
    todo->rows->points[i] = point;
    scree_row_refresh(row, &system->particles->twist[a], surface, system->settings->solver.tangent_gamma,
                      todo->substep);
}

/* All contacts of a grain with a shape together; they belong to the range that has the first of them. */
static void refresh_walls(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const scree_system *system = todo->system;
    scree_contact_list *walls = system->walls;
    for (uint32_t i = begin; i < end; i++) {
        const scree_contact *contact = &walls->items[i];
        if (contact->b % SCREE_SLOTS != 0 || (system->asleep && system->asleep[contact->a / SCREE_TILE]))
            continue;
        const scree_placed *shape = &system->shapes[scree_contact_shape(contact)];
        scree_probe probe = scree_probe_of(&system->particles->place[contact->a], &system->particles->twist[contact->a],
                                           &system->bodies[shape->body], todo->substep.way);
        uint32_t slots = scree_contact_slots(walls, i);
        scree_touch touches[SCREE_SLOTS];
        scree_narrow_touch(shape, &probe, slots, walls->items + i, walls->normals + i, &todo->rows->near[i], touches);
        for (uint32_t s = 0; s < slots; s++)
            refresh_wall(todo, i + s, touches[s]);
    }
}

void scree_rows_refresh(scree_rows *rows, const scree_system *system, scree_pool *pool, scree_substep substep)
{
    job todo = {.rows = rows, .system = system, .substep = substep};
    scree_pool_run(pool, (uint32_t)system->walls->count, GRAIN, refresh_walls, &todo);
}
