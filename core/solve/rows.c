#include "solve/rows.h"

#include "collide/narrow.h"
#include "solve/cone.h"
#include "solve/law.h"

#include <string.h>

typedef struct job {
    scree_rows *rows;
    const scree_system *system;
    const scree_contact_law *laws; /* [materials²], for radii of 1 m */
    scree_substep substep;
} job;

static void set_law(scree_row *row, const scree_contact_law *law, double r)
{
    row->k_n = law->e > 1.0 ? law->k_n * sqrt(r) : law->k_n;
    row->e = law->e;
    row->tau = law->tau;
    row->mu = law->mu;
    row->roll = law->roll * r;
    row->twist = law->twist * r;
    row->restitution = law->restitution;
    row->adhesion = law->adhesion;
}

/* A grain rolls on its radius, as on a rigid plane; the body feels the impulse at that point, where the surface's
 * velocity is taken. */
static void set_tangent(scree_row *row, const scree_twist *a, double r, double gamma, double h)
{
    row->la = r;
    row->lb = 0.0;
    row->sigma_t = gamma > 0.0 ? gamma / h : 1e-9 * a->inv_mass; /* creep of 1e-9 of what the load would accelerate */
    /* the same compliance seen at the rim: an angular impulse over an arm acts like a tangential one */
    row->sigma_r = row->sigma_t / (r * r);
    row->inv_dt = 1.0 / (a->inv_mass + r * r * a->inv_inertia + row->sigma_t);
    row->inv_dr = 1.0 / (a->inv_inertia + row->sigma_r);
}

static void begin_tile(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const scree_system *system = todo->system;
    const scree_scene *settings = system->settings;
    for (uint32_t i = system->walls->starts[begin]; i < system->walls->starts[end]; i++) {
        const scree_contact *contact = &system->walls->items[i];
        scree_row *row = &todo->rows->wall_rows[i];
        double r = system->particles->place[contact->a].r;
        uint32_t body = settings->shapes[scree_contact_shape(contact)].body;
        uint32_t kind =
            system->particles->material[contact->a] * settings->material_count + settings->bodies[body].material;
        set_law(row, &todo->laws[kind], r);
        set_tangent(row, &system->particles->twist[contact->a], r, settings->solver.tangent_gamma, todo->substep.h);
        row->distance = r;
        row->closed = false;
        row->n = system->walls->normals[i];
        todo->rows->surfaces[i] = (scree_twist){.inv_mass = 0.0};
        if (todo->rows->near)
            todo->rows->near[i].margin = 0.0;
        todo->rows->wake[i] = HUGE_VAL;
    }
    todo->rows->picked_counts[tile] = 0;
}

static bool has_mesh(const scree_system *system)
{
    bool some = false;
    for (uint32_t k = 0; k < system->settings->shape_count; k++)
        some = some || system->shapes[k].mesh;
    return some;
}

static bool allocate(scree_rows *rows, scree_arena *arena, size_t walls, size_t tiles, bool mesh)
{
    *rows = (scree_rows){.wall_rows = scree_arena_get(arena, walls, sizeof *rows->wall_rows),
                         .surfaces = scree_arena_get(arena, walls, sizeof *rows->surfaces),
                         .near = mesh ? scree_arena_get(arena, walls, sizeof *rows->near) : NULL,
                         .wake = scree_arena_get(arena, walls, sizeof *rows->wake),
                         .closed = scree_arena_get(arena, walls, sizeof *rows->closed),
                         .closed_starts = scree_arena_get(arena, tiles + 1, sizeof *rows->closed_starts),
                         .picked = scree_arena_get(arena, walls, sizeof *rows->picked),
                         .picked_counts = scree_arena_get(arena, tiles, sizeof *rows->picked_counts),
                         .approach = scree_arena_get(arena, tiles, sizeof *rows->approach),
                         .fresh = true};
    return rows->wall_rows && rows->surfaces && (rows->near || !mesh) && rows->wake && rows->closed &&
           rows->closed_starts && rows->picked && rows->picked_counts && rows->approach;
}

bool scree_rows_begin(scree_rows *rows, const scree_system *system, scree_arena *arena, scree_pool *pool, double h)
{
    uint32_t n = system->particles->count, kinds = system->settings->material_count;
    scree_contact_law *laws = scree_arena_get(arena, (size_t)kinds * kinds, sizeof *laws);
    if (!laws || !allocate(rows, arena, system->walls->count, scree_pool_ranges(n, SCREE_TILE), has_mesh(system))) {
        *rows = (scree_rows){0};
        return false;
    }
    for (uint32_t a = 0; a < kinds; a++)
        for (uint32_t b = 0; b < kinds; b++)
            if (scree_scene_find_pair(system->settings, a, b) != UINT32_MAX) /* the others never meet */
                laws[a * kinds + b] = scree_contact_law_of(system->settings, a, b, 1.0, 1.0);
    job todo = {.rows = rows, .system = system, .laws = laws, .substep = {.h = h}};
    scree_pool_run(pool, n, SCREE_TILE, begin_tile, &todo);
    rows->closed_starts[0] = 0;
    return true;
}

/* Weights of a grain up to which a contact gives way that is stiffer than the sweeps can follow. With a third of that a
 * bed of 22 layers does not come to rest, with two thirds one of 40 does not. */
static const double BORNE = 70.0;

void scree_substep_set_yield(scree_substep *substep, const scree_scene *settings, double d, uint32_t substeps)
{
    const scree_solver *solver = &settings->solver;
    double g = length(vec3_of(settings->head.gravity)), h = substep->h, bears = solver->sweeps;
    /* where it can make a difference: overlaps of 2 % come nearest to the limit */
    bool yields = substeps > 1 && g > 0.0 && solver->warm_start == SCREE_WARM_HISTORY &&
                  scree_law_is_stiff(settings, d, h, 0.02, bears);
    substep->bears = yields ? bears : 0.0;
    substep->yield = 2.0 * BORNE * g * h * h / bears;
}

/*
 * s = h² e k_n δ^(2e−2)/m is the square of how far the contact's oscillation turns in a substep. Beyond s = 1 one or a
 * few sweeps can't follow it, and what they leave undone feeds the next substep, until tall or stiff packings burst.
 * Such a contact gets more damping, up to five times n_s, which leaves its rest state as it is (METHOD §7). Starting it
 * from less than its last impulses calms a lone column further, but makes deep beds creep without end. Beyond s = e
 * per sweep no damping keeps a deep bed from boiling: such a contact gives way, up to the loads of beds (METHOD §7).
 *
 * With S = h² e k_n δ^(2e−2) and q = 1/Υ: 1/D_n = S q/(S q/m + 4), Σ_n/D_n = 4/(S q/m + 4), and b_n/D_n = S (4 δ/(h e)
 * + u_n⁰)/(S q/m + 4).
 */
static inline void set_normal(scree_row *row, const scree_twist *a, const scree_twist *surface,
                              const scree_substep *substep)
{
    double h = substep->h, n_s = substep->n_s, inv_mass = a->inv_mass;
    double soft = row->e > 1.0 ? sqrt(row->overlap) : 1.0; /* δ^(2e−2) */
    double stiff = h * h * row->e * row->k_n * soft;
    if (substep->bears > 0.0)
        stiff = fmin(stiff, row->e * scree_substep_firmness(substep, row->overlap, 2.0 * row->distance) / inv_mass);
    double s = stiff * inv_mass;
    if (substep->tame && s > 1.0)
        n_s *= s < 25.0 ? sqrt(s) : 5.0;
    double tau = n_s * h > row->tau ? n_s * h : row->tau;
    double rate = 4.0 / h, push = stiff * (1.0 + rate * tau), inv = 1.0 / (push * inv_mass + 4.0);
    row->u_n = dot(row->n, sub(surface->v, a->v)); /* the arms are along n: rotation adds nothing */
    row->pull = h * row->adhesion;
    row->inv_dn = push * inv;
    row->b = stiff * (rate * row->overlap * (row->e > 1.0 ? 0.8 : 1.0) + row->u_n) * inv; /* 1/e */
    row->c = 4.0 * inv;
}

/* left: m, of the tile. */
static void open_wall(const job *todo, uint32_t i, const scree_placed *shape, scree_touch touch, double left)
{
    const scree_system *system = todo->system;
    scree_contact *contact = &system->walls->items[i];
    if (contact->pn != 0.0)
        *contact = (scree_contact){.a = contact->a, .b = contact->b};
    todo->rows->wall_rows[i].closed = false;
    todo->rows->wall_rows[i].n = (vec3){0.0, 0.0, 0.0};
    if (system->left && !shape->mesh)
        todo->rows->wake[i] = left + touch.overlap + system->ways[scree_contact_shape(contact)];
}

static inline void close_wall(const job *todo, uint32_t i, const scree_rigid *body, scree_touch touch)
{
    const scree_system *system = todo->system;
    uint32_t a = system->walls->items[i].a;
    scree_row *row = &todo->rows->wall_rows[i];
    row->closed = true;
    row->overlap = touch.overlap;
    row->n = touch.n;
    scree_twist *surface = &todo->rows->surfaces[i];
    if (!scree_rigid_is_still(body)) {
        vec3 point = mul_add(system->particles->place[a].x, row->la, row->n);
        vec3 v = add(body->v, cross(body->w, sub(point, body->now.x)));
        *surface = (scree_twist){.v = add(v, scree_rigid_belt(body, row->n)), .w = body->w};
    }
    todo->rows->wake[i] = HUGE_VAL;
    set_normal(row, &system->particles->twist[a], surface, &todo->substep);
}

static bool is_zero(vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* Where a grain touches a shape, for each of their `slots` contacts from i on. */
static inline void touch_shape(const job *todo, uint32_t i, const scree_placed *shape, uint32_t slots,
                               scree_touch *touches)
{
    const scree_system *system = todo->system;
    scree_contact_list *walls = system->walls;
    uint32_t a = walls->items[i].a;
    const scree_place *place = &system->particles->place[a];
    if (shape->kind == SCREE_SHAPE_PLANE) {
        touches[0] =
            (scree_touch){.overlap = place->r - dot(shape->n, sub(place->x, shape->x)), .n = scale(-1.0, shape->n)};
        walls->normals[i] = touches[0].overlap > 0.0 ? touches[0].n : (vec3){0.0, 0.0, 0.0};
        return;
    }
    scree_probe probe = {.x = place->x, .r = place->r};
    if (shape->mesh || is_zero(walls->normals[i])) /* what touched knows where it came from */
        probe = scree_probe_of(place, &system->particles->twist[a], &system->bodies[shape->body], todo->substep.way);
    scree_narrow_touch(shape, &probe, slots, walls->items + i, walls->normals + i,
                       todo->rows->near ? &todo->rows->near[i] : NULL, touches);
}

/* Changes what the velocity of a grain has changed by since the last substep began. */
static void take_out(const job *todo, uint32_t i, vec3 n, vec3 p, vec3 q)
{
    const scree_system *system = todo->system;
    uint32_t a = system->walls->items[i].a;
    scree_take_out(&system->stand[a], &system->spin[a], system->particles->twist[a].inv_inertia, n,
                   todo->rows->wall_rows[i].la, p, q);
}

/* Lets contact i, which touches like that now, go on from what it did when its normal was n: zero, if it was open. */
static inline void go_on(const job *todo, uint32_t i, scree_touch touch, vec3 n, const scree_contact *did)
{
    const scree_row *row = &todo->rows->wall_rows[i];
    scree_contact *contact = &todo->system->walls->items[i];
    bool was_closed = !is_zero(n), closed = touch.overlap > 0.0, stays = was_closed && closed && contact->pn == did->pn;
    if (stays && touch.n.x == n.x && touch.n.y == n.y && touch.n.z == n.z)
        return;
    double pull = todo->substep.h * row->adhesion;
    vec3 p = mul_add(did->pt, did->pn - pull, n);
    if (stays) {
        double along = dot(touch.n, p);
        vec3 pt = mul_add(p, -along, touch.n);
        contact->pr = mul_add(did->pr, row->la, sub(cross(n, did->pt), cross(touch.n, pt)));
        contact->pn = along + pull;
        contact->pt = pt;
        return;
    }
    if (was_closed)
        take_out(todo, i, n, p, did->pr);
    if (closed && pull > 0.0)
        take_out(todo, i, touch.n, scale(pull, touch.n), (vec3){0.0, 0.0, 0.0});
}

/* The contacts of a grain and a shape, from i on; returns how many. */
static inline uint32_t refresh_shape(const job *todo, uint32_t i, double left)
{
    const scree_system *system = todo->system;
    const scree_contact *items = system->walls->items;
    const scree_placed *shape = &system->shapes[scree_contact_shape(&items[i])];
    scree_touch touches[SCREE_SLOTS];
    scree_contact did[SCREE_SLOTS]; /* of a mesh, where a slot may pass to another point */
    vec3 normals[SCREE_SLOTS];
    uint32_t slots = shape->mesh ? scree_contact_slots(system->walls, i) : 1;
    for (uint32_t s = 0; s < slots && system->stand; s++) {
        normals[s] = todo->rows->wall_rows[i + s].n;
        if (shape->mesh)
            did[s] = items[i + s];
    }
    touch_shape(todo, i, shape, slots, touches);
    for (uint32_t s = 0; s < slots; s++) {
        if (system->stand)
            go_on(todo, i + s, touches[s], normals[s], shape->mesh ? &did[s] : &items[i + s]);
        if (touches[s].overlap > 0.0)
            close_wall(todo, i + s, &system->bodies[shape->body], touches[s]);
        else
            open_wall(todo, i + s, shape, touches[s], left);
    }
    return slots;
}

static void refresh_tile(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const scree_system *system = todo->system;
    const scree_contact_list *walls = system->walls;
    uint32_t first = walls->starts[begin], last = walls->starts[end], count = 0;
    double left = system->left ? system->left[tile] : -HUGE_VAL, least = HUGE_VAL;
    if (system->asleep && system->asleep[tile])
        return;
    for (uint32_t i = first; i < last;) {
        if (todo->rows->wake[i] < left) {
            i++;
            continue;
        }
        for (uint32_t end_of = i + refresh_shape(todo, i, left); i < end_of; i++) {
            const scree_row *row = &todo->rows->wall_rows[i];
            if (!row->closed)
                continue;
            todo->rows->picked[first + count++] = i;
            least = row->u_n < least ? row->u_n : least;
        }
    }
    todo->rows->picked_counts[tile] = count;
    todo->rows->approach[tile] = least;
}

/* Makes the one list of those that are picked. */
static void close_ranks(scree_rows *rows, const scree_system *system)
{
    uint32_t n = system->particles->count;
    rows->closed_count = 0;
    for (uint32_t t = 0; t * SCREE_TILE < n; t++) {
        uint32_t count = rows->picked_counts[t];
        if (count > 0)
            memcpy(rows->closed + rows->closed_count, rows->picked + system->walls->starts[t * SCREE_TILE],
                   count * sizeof *rows->closed);
        rows->closed_starts[t] = rows->closed_count;
        rows->closed_count += count;
        rows->closed_starts[t + 1] = rows->closed_count;
    }
}

void scree_rows_refresh(scree_rows *rows, const scree_system *system, scree_pool *pool, scree_substep substep)
{
    job todo = {.rows = rows, .system = system, .substep = substep};
    scree_pool_run(pool, system->particles->count, SCREE_TILE, refresh_tile, &todo);
    close_ranks(rows, system);
}

/* Picks the contacts of a tile anew. */
static void pick(scree_rows *rows, const scree_contact_list *walls, uint32_t tile, uint32_t particles)
{
    uint32_t begin = tile * SCREE_TILE, end = particles - begin < SCREE_TILE ? particles : begin + SCREE_TILE;
    uint32_t first = walls->starts[begin], count = 0;
    for (uint32_t i = first; i < walls->starts[end]; i++)
        if (rows->wall_rows[i].closed)
            rows->picked[first + count++] = i;
    rows->picked_counts[tile] = count;
}

/* Refreshes the contacts of a grain. True: others touch now than before. */
static bool refresh_grain(const job *todo, uint32_t a)
{
    const scree_system *system = todo->system;
    const scree_row *rows = todo->rows->wall_rows;
    uint32_t first = system->walls->starts[a], end = system->walls->starts[a + 1];
    double left = system->left ? system->left[a / SCREE_TILE] : -HUGE_VAL;
    bool changed = false;
    for (uint32_t i = first; i < end;) {
        bool before[SCREE_SLOTS];
        for (uint32_t s = 0; s < SCREE_SLOTS && i + s < end; s++)
            before[s] = rows[i + s].closed;
        uint32_t slots = refresh_shape(todo, i, left);
        for (uint32_t s = 0; s < slots; s++, i++)
            changed = changed || rows[i].closed != before[s];
    }
    return changed;
}

void scree_rows_refresh_some(scree_rows *rows, const scree_system *system, const uint32_t *particles, uint32_t count,
                             scree_substep substep)
{
    job todo = {.rows = rows, .system = system, .substep = substep};
    bool changed = false;
    for (uint32_t k = 0; k < count; k++) {
        if (!refresh_grain(&todo, particles[k]))
            continue;
        pick(rows, system->walls, particles[k] / SCREE_TILE, system->particles->count);
        changed = true;
    }
    if (changed)
        close_ranks(rows, system);
}
