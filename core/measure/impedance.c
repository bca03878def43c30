#include "measure/impedance.h"

#include "measure/measure.h"
#include "solve/cone.h"
#include "solve/law.h"

#include <string.h>

/* Grains that take part: layer by layer around the body, FEW_LAYERS of them up to LARGEST grains, more up to SMALLEST.
 */
enum { LARGEST = 20000, SMALLEST = 2000, FEW_LAYERS = 4, LAYERS = 64, MOST_STEPS = 300 };
static const double ENOUGH = 1e-8; /* of the first residual's norm */
/* Of a diagonal element of Z, gained by a step; three such steps in a row end the search. For a bucket in 7500 grains
 * that is after some 25 steps, with Z within 0.5 % of what 300 steps give. */
static const double SMALL_GAIN = 3e-4;

/* Impulses of one contact. */
typedef struct answer {
    double n;
    vec3 t, r;
} answer;

typedef struct link {
    scree_row row; /* n, la, lb alone */
    uint32_t a, b; /* grains among those that take part; UINT32_MAX: held */
    bool tool;     /* b is the body */
    bool sticks, rolls;
    vec3 point; /* m, of contacts with the body */
    double sigma_n, sigma_t, sigma_r;
    double weight;                 /* w of the normal row */
    double inv_dn, inv_dt, inv_dr; /* preconditioner */
} link;

typedef struct problem {
    const scree_world *world;
    uint32_t body;
    double h, count;       /* s, substep; N */
    scree_substep substep; /* h, bears and yield are set */
    uint32_t *number;      /* [particles], among those that take part, or UINT32_MAX */
    scree_twist *twist;    /* [grains], scratch: change of velocity */
    scree_contact *pairs;  /* [pair_count], of grains that press on each other */
    size_t pair_count;
    link *links;
    size_t link_count;
    answer *y, *residual, *direction, *image; /* [links] */
} problem;

/* ---------------------------------------------------------------- who takes part */

static bool is_closed(const scree_contact *contact)
{
    return contact->pn > 0.0;
}

/* False: no memory. */
static bool gather_pairs(problem *todo)
{
    const scree_world *world = todo->world;
    uint32_t lanes = world->pairs.count * SCREE_LANES;
    todo->pairs = scree_allocate(&world->memory, lanes, sizeof *todo->pairs);
    for (uint32_t i = 0; todo->pairs && i < lanes; i++) {
        scree_contact *contact = &todo->pairs[todo->pair_count];
        todo->pair_count += scree_measure_pair(world, i, contact) && is_closed(contact);
    }
    return todo->pairs != NULL;
}

/* Grains that touch the body, then those that touch them, and so on; returns how many. */
static uint32_t choose(const problem *todo)
{
    const scree_world *world = todo->world;
    uint32_t count = 0;
    memset(todo->number, 0xff, world->particles.count * sizeof *todo->number);
    const scree_contact_list *lists[2] = {&world->walls, &world->heavy.loads};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++) {
            const scree_contact *contact = &lists[k]->items[i];
            bool ours = world->settings->shapes[scree_contact_shape(contact)].body == todo->body;
            if (ours && is_closed(contact) && todo->number[contact->a] == UINT32_MAX)
                todo->number[contact->a] = count++;
        }
    uint32_t before = 0;
    for (uint32_t layer = 0; layer < LAYERS && count > before; layer++) {
        uint32_t end = count, most = layer < FEW_LAYERS ? LARGEST : SMALLEST;
        for (size_t i = 0; i < todo->pair_count && count < most; i++) {
            const scree_contact *contact = &todo->pairs[i];
            uint32_t *a = &todo->number[contact->a], *b = &todo->number[contact->b];
            if ((*a < end) == (*b < end))
                continue;
            uint32_t *next = *a < end ? b : a;
            if (*next == UINT32_MAX)
                *next = count++;
        }
        before = end;
    }
    return count;
}

/* ---------------------------------------------------------------- links */

/* m, overlap at which a contact bears the impulse at rest that gives way because it is stiffer than the sweeps can
 * follow (rows.c). span: m, sum of radii, or twice the radius. Past the yield the force grows with the ninth power. */
static double yielded(const problem *todo, double pn, double inv_mass, double span)
{
    const scree_substep *substep = &todo->substep;
    if (!(substep->bears > 0.0))
        return 0.0;
    double last = fmin(substep->yield, SCREE_YIELD * span), r = pn * todo->h * inv_mass / (substep->bears * last);
    return last * (r < 1.0 ? r : pow(r, 1.0 / 9.0));
}

/* Compliances of a contact for the whole step, from its law, its impulses and what it feels. */
static void set_compliance(const problem *todo, link *to, const scree_contact *contact, const scree_contact_law *law,
                           double inv_mass, double inv_inertia, double arms)
{
    const scree_solver *solver = &todo->world->settings->solver;
    uint32_t substeps = todo->world->last_substeps > 0 ? todo->world->last_substeps : solver->substeps;
    double h = todo->h, N = todo->count, stretch = contact->pn / (h * law->k_n);
    double overlap = law->e > 1.0 ? cbrt(stretch * stretch) : stretch; /* that bears the impulse at rest */
    overlap =
        fmax(overlap, yielded(todo, contact->pn, inv_mass, to->row.la + (to->row.lb > 0.0 ? to->row.lb : to->row.la)));
    double stiff = h * law->e * contact->pn / overlap;
    double n_s = solver->stabilization > 0.0 ? solver->stabilization
                                             : (substeps < 2    ? 2.0
                                                : substeps > 10 ? 10.0
                                                                : (double)substeps);
    double s = stiff * inv_mass;
    if (substeps > 1 && s > 1.0)
        n_s *= s < 25.0 ? sqrt(s) : 5.0; /* as rows.c */
    double tau = n_s * h > law->tau ? n_s * h : law->tau, upsilon = 1.0 / (1.0 + 4.0 * tau / h);
    double c = 2.0 * upsilon * (2.0 * law->e - 1.0) / law->e * N * (N - 1.0) + N * (1.0 - upsilon);
    double sigma_t = solver->tangent_gamma > 0.0 ? solver->tangent_gamma / h : 1e-9 * inv_mass;
    to->weight = 1.0 - upsilon / N;
    to->sigma_n = to->weight * 4.0 * upsilon / stiff / c;
    to->sigma_t = sigma_t / N;
    to->sigma_r = to->sigma_t / (to->row.la * to->row.la);
    to->sticks = law->mu > 0.0 && length(contact->pt) < 0.999 * law->mu * contact->pn;
    to->rolls = law->roll > 0.0 && length(contact->pr) < 0.999 * law->roll * contact->pn;
    to->inv_dn = 1.0 / (inv_mass + to->sigma_n);
    to->inv_dt = 1.0 / (inv_mass + arms + to->sigma_t);
    to->inv_dr = 1.0 / (inv_inertia + to->sigma_r);
}

static void add_pair(problem *todo, const scree_contact *contact)
{
    const scree_world *world = todo->world;
    const scree_particles *grains = &world->particles;
    const scree_place *a = &grains->place[contact->a], *b = &grains->place[contact->b];
    const scree_twist *ta = &grains->twist[contact->a], *tb = &grains->twist[contact->b];
    vec3 gap = sub(b->x, a->x);
    double distance = length(gap), r = a->r * b->r / (a->r + b->r), share = distance / (a->r + b->r);
    bool by_radius = world->settings->solver.roll_radius == SCREE_ROLL_RADIUS;
    if (!(distance > 0.0))
        return;
    scree_contact_law law = scree_contact_law_of(world->settings, grains->material[contact->a],
                                                 grains->material[contact->b], r, by_radius ? fmin(a->r, b->r) : r);
    link *to = &todo->links[todo->link_count++];
    *to = (link){.a = todo->number[contact->a], .b = todo->number[contact->b]};
    to->row.n = scale(1.0 / distance, gap);
    to->row.la = share * a->r;
    to->row.lb = share * b->r;
    set_compliance(todo, to, contact, &law, ta->inv_mass + tb->inv_mass, ta->inv_inertia + tb->inv_inertia,
                   to->row.la * to->row.la * ta->inv_inertia + to->row.lb * to->row.lb * tb->inv_inertia);
}

static void add_wall(problem *todo, const scree_contact *contact, vec3 n)
{
    const scree_world *world = todo->world;
    const scree_particles *grains = &world->particles;
    const scree_place *a = &grains->place[contact->a];
    const scree_twist *ta = &grains->twist[contact->a];
    uint32_t body = world->settings->shapes[scree_contact_shape(contact)].body;
    scree_contact_law law = scree_contact_law_of(world->settings, grains->material[contact->a],
                                                 world->settings->bodies[body].material, a->r, a->r);
    link *to = &todo->links[todo->link_count++];
    *to = (link){.a = todo->number[contact->a], .b = UINT32_MAX, .tool = body == todo->body};
    to->row.n = n;
    to->row.la = a->r;
    to->point = mul_add(a->x, a->r, n);
    set_compliance(todo, to, contact, &law, ta->inv_mass, ta->inv_inertia, a->r * a->r * ta->inv_inertia);
}

static void make_links(problem *todo)
{
    const scree_world *world = todo->world;
    const scree_contact_list *lists[2] = {&world->walls, &world->heavy.loads};
    todo->link_count = 0;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (is_closed(&lists[k]->items[i]) && todo->number[lists[k]->items[i].a] != UINT32_MAX)
                add_wall(todo, &lists[k]->items[i], lists[k]->normals[i]);
    for (size_t i = 0; i < todo->pair_count; i++) {
        const scree_contact *contact = &todo->pairs[i];
        if (todo->number[contact->a] != UINT32_MAX || todo->number[contact->b] != UINT32_MAX)
            add_pair(todo, contact);
    }
}

/* ---------------------------------------------------------------- S, and its solution */

/* image = S x */
static void multiply(const problem *todo, const answer *x, answer *image)
{
    scree_twist held = {0};
    for (size_t i = 0; i < todo->link_count; i++) {
        const link *l = &todo->links[i];
        scree_twist none = held;
        scree_apply(&l->row, l->a == UINT32_MAX ? &none : &todo->twist[l->a],
                    l->b == UINT32_MAX ? &none : &todo->twist[l->b], mul_add(x[i].t, x[i].n, l->row.n), x[i].r);
    }
    for (size_t i = 0; i < todo->link_count; i++) {
        const link *l = &todo->links[i];
        const scree_twist *a = l->a == UINT32_MAX ? &held : &todo->twist[l->a];
        const scree_twist *b = l->b == UINT32_MAX ? &held : &todo->twist[l->b];
        vec3 zero = {0.0, 0.0, 0.0};
        image[i].n = scree_normal_velocity(&l->row, a, b) + l->sigma_n * x[i].n;
        image[i].t = l->sticks ? mul_add(scree_slip(&l->row, a, b), l->sigma_t, x[i].t) : zero;
        image[i].r = l->rolls ? mul_add(sub(b->w, a->w), l->sigma_r, x[i].r) : zero;
        if (l->rolls) /* the twist part is free: its limit is that of friction, and mostly zero */
            image[i].r = scree_tangential(l->row.n, image[i].r);
    }
}

/* Velocities back to zero; inverse masses stay. */
static void rest(const problem *todo, uint32_t grains)
{
    vec3 zero = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < grains; i++)
        todo->twist[i].v = todo->twist[i].w = zero;
}

static double inner(const answer *x, const answer *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i].n * y[i].n + dot(x[i].t, y[i].t) + dot(x[i].r, y[i].r);
    return sum;
}

static answer precondition(const link *l, const answer *r)
{
    return (answer){l->inv_dn * r->n, scale(l->inv_dt, r->t), scale(l->inv_dr, r->r)};
}

/*
 * residual holds the right-hand side b; y becomes the solution. image serves as the preconditioned residual too.
 * b·y, an element of Z's diagonal but for the weights, grows by alpha rho in every step.
 */
static void solve(const problem *todo, uint32_t grains)
{
    size_t n = todo->link_count;
    answer *x = todo->y, *r = todo->residual, *p = todo->direction, *q = todo->image;
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        p[i] = precondition(&todo->links[i], &r[i]);
    double rho = inner(r, p, n), first = rho, sum = 0.0;
    int small = 0;
    for (int step = 0; step < MOST_STEPS && small < 3 && rho > ENOUGH * ENOUGH * first; step++) {
        rest(todo, grains);
        multiply(todo, p, q);
        double along = inner(p, q, n);
        if (!(along > 0.0))
            break;
        double alpha = rho / along, last = rho;
        sum += alpha * rho;
        small = alpha * rho < SMALL_GAIN * sum ? small + 1 : 0;
        for (size_t i = 0; i < n; i++) {
            x[i].n += alpha * p[i].n;
            x[i].t = mul_add(x[i].t, alpha, p[i].t);
            x[i].r = mul_add(x[i].r, alpha, p[i].r);
            r[i].n -= alpha * q[i].n;
            r[i].t = mul_add(r[i].t, -alpha, q[i].t);
            r[i].r = mul_add(r[i].r, -alpha, q[i].r);
            q[i] = precondition(&todo->links[i], &r[i]);
        }
        rho = inner(r, q, n);
        for (size_t i = 0; i < n; i++) {
            p[i].n = q[i].n + rho / last * p[i].n;
            p[i].t = mul_add(q[i].t, rho / last, p[i].t);
            p[i].r = mul_add(q[i].r, rho / last, p[i].r);
        }
    }
}

/* ---------------------------------------------------------------- Z */

/* W G_T for the body's unit twist k. */
static void set_right_side(const problem *todo, int k)
{
    vec3 v = {k == 0, k == 1, k == 2}, w = {k == 3, k == 4, k == 5};
    vec3 origin = todo->world->bodies[todo->body].now.x;
    for (size_t i = 0; i < todo->link_count; i++) {
        const link *l = &todo->links[i];
        todo->residual[i] = (answer){0};
        if (!l->tool)
            continue;
        vec3 u = add(v, cross(w, sub(l->point, origin)));
        todo->residual[i].n = l->weight * dot(l->row.n, u);
        if (l->sticks)
            todo->residual[i].t = scree_tangential(l->row.n, u);
        if (l->rolls)
            todo->residual[i].r = scree_tangential(l->row.n, w);
    }
}

static void add_column(const problem *todo, int k, double z[36])
{
    vec3 origin = todo->world->bodies[todo->body].now.x, force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < todo->link_count; i++) {
        const link *l = &todo->links[i];
        if (!l->tool)
            continue;
        vec3 p = mul_add(todo->y[i].t, todo->y[i].n, l->row.n);
        force = add(force, p);
        torque = add(torque, add(cross(sub(l->point, origin), p), todo->y[i].r));
    }
    double column[6];
    vec3_store(column, force);
    vec3_store(column + 3, torque);
    for (int row = 0; row < 6; row++)
        z[6 * row + k] = column[row];
}

static void take_grains(const problem *todo)
{
    const scree_particles *grains = &todo->world->particles;
    for (uint32_t i = 0; i < grains->count; i++)
        if (todo->number[i] != UINT32_MAX)
            todo->twist[todo->number[i]] =
                (scree_twist){.inv_mass = grains->twist[i].inv_mass, .inv_inertia = grains->twist[i].inv_inertia};
}

scree_status scree_impedance_of(const scree_world *world, uint32_t body, double H, double z[36], scree_error *error)
{
    const scree_memory *memory = &world->memory;
    size_t others = world->walls.count + world->heavy.loads.count;
    memset(z, 0, 36 * sizeof *z);
    if (!(world->substep > 0.0) || others == 0)
        return SCREE_OK; /* nothing touches before the first step */
    problem todo = {.world = world, .body = body, .h = world->substep, .count = round(H / world->substep)};
    todo.count = todo.count < 1.0 ? 1.0 : todo.count;
    todo.substep.h = todo.h;
    scree_substep_set_yield(&todo.substep, world->settings, world->mean_diameter,
                            world->last_substeps > 0 ? world->last_substeps : world->settings->solver.substeps);
    todo.number = scree_allocate(memory, world->particles.count, sizeof *todo.number);
    bool complete = todo.number && gather_pairs(&todo);
    uint32_t grains = complete ? choose(&todo) : 0;
    todo.twist = scree_allocate(memory, grains, sizeof *todo.twist);
    todo.links = scree_allocate(memory, others + todo.pair_count, sizeof *todo.links);
    complete = complete && todo.twist && todo.links;
    if (complete) {
        make_links(&todo);
        answer *all = todo.y = scree_allocate(memory, 4 * todo.link_count, sizeof *todo.y);
        complete = all != NULL;
        todo.residual = complete ? all + todo.link_count : NULL;
        todo.direction = complete ? all + 2 * todo.link_count : NULL;
        todo.image = complete ? all + 3 * todo.link_count : NULL;
    }
    if (complete)
        take_grains(&todo);
    for (int k = 0; k < 6 && complete && grains > 0; k++) {
        set_right_side(&todo, k);
        solve(&todo, grains);
        add_column(&todo, k, z);
    }
    scree_release(memory, todo.number);
    scree_release(memory, todo.pairs);
    scree_release(memory, todo.twist);
    scree_release(memory, todo.links);
    scree_release(memory, todo.y);
    return complete ? SCREE_OK : scree_fail(error, SCREE_MEMORY, "out of memory for an impedance");
}

/* Rᵀ Z R, block by block: from the world to the frame of a body. */
static void turn_back(double z[36], quat q)
{
    quat back = quat_conj(q);
    for (int pass = 0; pass < 2; pass++)
        for (int line = 0; line < 6; line++)
            for (int half = 0; half < 2; half++) {
                double part[3], *at[3];
                for (int k = 0; k < 3; k++) {
                    at[k] = pass == 0 ? &z[6 * (3 * half + k) + line] : &z[6 * line + 3 * half + k];
                    part[k] = *at[k];
                }
                vec3_store(part, quat_rotate(back, vec3_of(part)));
                for (int k = 0; k < 3; k++)
                    *at[k] = part[k];
            }
}

scree_status scree_world_get_impedance(const scree_world *world, uint32_t port, double step, double z[36],
                                       scree_error *error)
{
    if (port >= world->settings->port_count)
        return scree_fail(error, SCREE_INVALID, "there is no port number %u", (unsigned)port);
    const scree_port *which = &world->settings->ports[port];
    double H = step > 0.0 ? step : scree_world_last_step(world);
    scree_status status = scree_impedance_of(world, which->body, H, z, error);
    if (status == SCREE_OK && which->frame == SCREE_FRAME_BODY)
        turn_back(z, world->bodies[which->body].now.q);
    return status;
}

double scree_world_last_step(const scree_world *world)
{
    return world->last_dt > 0.0 ? world->last_dt : world->settings->experiment.step;
}

/* M = ((m, −m [d]), (m [d], J − m [d][d])), d from the origin to the centre of mass */
scree_status scree_world_get_mass_matrix(const scree_world *world, uint32_t port, double m[36])
{
    memset(m, 0, 36 * sizeof *m);
    if (port >= world->settings->port_count || !world->bodies[world->settings->ports[port].body].dynamic)
        return SCREE_INVALID;
    const scree_rigid *body = &world->bodies[world->settings->ports[port].body];
    vec3 d = sub(body->mass.c, body->now.x);
    double mass = 1.0 / body->mass.inv_mass;
    mat3 inertia = mat3_turn(&body->mass.inertia, body->now.q);
    for (int k = 0; k < 3; k++) {
        vec3 axis = {k == 0, k == 1, k == 2};
        double force[3], torque[3], by_turn[3];
        /* momentum and angular momentum about the origin of a unit velocity, then of a unit turn */
        vec3_store(force, scale(mass, axis));
        vec3_store(torque, scale(mass, cross(d, axis)));
        vec3 carried = scale(mass, cross(axis, d));
        vec3_store(by_turn, add(mat3_mul_vec(&inertia, axis), cross(d, carried)));
        for (int row = 0; row < 3; row++) {
            m[6 * row + k] = force[row];
            m[6 * (3 + row) + k] = torque[row];
            m[6 * (3 + row) + 3 + k] = by_turn[row];
        }
        vec3_store(force, carried);
        for (int row = 0; row < 3; row++)
            m[6 * row + 3 + k] = force[row];
    }
    if (world->settings->ports[port].frame == SCREE_FRAME_BODY)
        turn_back(m, body->now.q);
    return SCREE_OK;
}

scree_status scree_measure_impedance(scree_world *world, double H, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (uint32_t i = 0; i < world->settings->port_count && status == SCREE_OK; i++)
        if (world->settings->ports[i].impedance)
            status = scree_world_get_impedance(world, i, H, world->ports[i].z, error);
    return status;
}

const double *scree_world_port_impedance(const scree_world *world, uint32_t port)
{
    bool has = port < world->settings->port_count && world->settings->ports[port].impedance;
    return has ? world->ports[port].z : NULL;
}
