#include "solve/heavy.h"

#include "body/dynamics.h"
#include "collide/narrow.h"
#include "solve/cone.h"

/* One side of a contact as the solver sees it: exactly one of grain and body is set. */
typedef struct side {
    scree_twist *grain;
    scree_rigid *body;
} side;

static side side_a(const scree_heavy_system *system, const scree_heavy_row *row, const scree_contact *contact)
{
    if (row->body_a == UINT32_MAX)
        return (side){.grain = &system->particles->twist[contact->a]};
    return (side){.body = &system->bodies[row->body_a]};
}

static vec3 velocity_of(const scree_rigid *body, vec3 point)
{
    return body->dynamic ? scree_mass_velocity(&body->mass, point)
                         : add(body->v, cross(body->w, sub(point, body->now.x)));
}

static vec3 spin_of(const scree_rigid *body)
{
    return body->dynamic ? body->mass.w : body->w;
}

/* u = velocity of b − velocity of a at the contact point */
static vec3 slip_of(const scree_heavy_row *row, side a, const scree_rigid *b)
{
    vec3 v = a.grain ? add(a.grain->v, cross(a.grain->w, scale(row->la, row->n))) : velocity_of(a.body, row->point);
    vec3 belts = scree_rigid_belt(b, row->n);
    if (a.body)
        belts = sub(belts, scree_rigid_belt(a.body, row->n));
    return add(sub(velocity_of(b, row->point), v), belts);
}

static vec3 turn_of(side a, const scree_rigid *b)
{
    return sub(spin_of(b), a.grain ? a.grain->w : spin_of(a.body));
}

/* Impulse p at the contact point and angular impulse q, + on b and − on a. */
static void apply(const scree_heavy_row *row, side a, scree_rigid *b, vec3 p, vec3 q)
{
    if (a.grain) {
        a.grain->v = mul_add(a.grain->v, -a.grain->inv_mass, p);
        a.grain->w = mul_add(a.grain->w, -a.grain->inv_inertia, mul_add(q, row->la, cross(row->n, p)));
    } else if (a.body->dynamic) {
        scree_mass_push(&a.body->mass, row->point, scale(-1.0, p), scale(-1.0, q));
    }
    if (b->dynamic)
        scree_mass_push(&b->mass, row->point, p, q);
}

/* ---------------------------------------------------------------- rows */

/* Inverse masses that a contact feels, summed over its sides. */
typedef struct feel {
    double normal, tangential; /* 1/kg */
    double turning;            /* 1/(kg m2) */
} feel;

static vec3 any_tangent(vec3 n)
{
    vec3 axis = fabs(n.x) < 0.6 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0};
    vec3 t = cross(n, axis);
    return scale(1.0 / length(t), t);
}

static void add_body(feel *sum, const scree_rigid *body, vec3 n, vec3 point)
{
    const scree_mass *mass = &body->mass;
    if (!body->dynamic)
        return;
    vec3 d = sub(point, mass->c), t1 = any_tangent(n), t2 = cross(n, t1);
    vec3 lever[3] = {cross(d, n), cross(d, t1), cross(d, t2)};
    vec3 turned[3];
    for (int k = 0; k < 3; k++)
        turned[k] = mat3_mul_vec(&mass->world, lever[k]);
    double k11 = dot(lever[1], turned[1]), k22 = dot(lever[2], turned[2]), k12 = dot(lever[1], turned[2]);
    sum->normal += mass->inv_mass + dot(lever[0], turned[0]);
    sum->tangential += mass->inv_mass + 0.5 * (k11 + k22) + sqrt(0.25 * (k11 - k22) * (k11 - k22) + k12 * k12);
    sum->turning += mass->world.r[0].x + mass->world.r[1].y + mass->world.r[2].z; /* trace ≥ largest eigenvalue */
}

/* As rows.c has it for grains. */
static void set_row(scree_heavy_row *row, feel masses, double gamma, scree_substep substep, double impact_speed)
{
    const scree_contact_law *law = &row->law;
    double h = substep.h, n_s = substep.n_s;
    double stiff = h * h * law->e * law->k_n * (law->e > 1.0 ? sqrt(row->overlap) : 1.0);
    if (substep.bears > 0.0)
        stiff =
            fmin(stiff, law->e * scree_substep_firmness(&substep, row->overlap, 2.0 * row->distance) / masses.normal);
    double s = stiff * masses.normal;
    if (substep.tame && s > 1.0)
        n_s *= s < 25.0 ? sqrt(s) : 5.0;
    double tau = n_s * h > law->tau ? n_s * h : law->tau;
    double upsilon = 1.0 / (1.0 + 4.0 * tau / h);
    double arm = row->la > 0.0 ? row->la : row->distance;
    row->pull = h * law->adhesion;
    row->sigma_n = 4.0 * upsilon / stiff;
    row->b_n = 4.0 / h * upsilon * row->overlap / law->e + upsilon * row->u_n;
    if (row->u_n < -impact_speed && law->restitution > 0.0) {
        row->sigma_n = 0.0;
        row->b_n = -law->restitution * row->u_n;
    }
    row->sigma_t = gamma > 0.0 ? gamma / h : 1e-9 * masses.tangential;
    row->sigma_r = row->sigma_t / (arm * arm);
    row->inv_dn = 1.0 / (masses.normal + row->sigma_n);
    row->inv_dt = 1.0 / (masses.tangential + row->sigma_t);
    row->inv_dr = 1.0 / (masses.turning + row->sigma_r);
}

/* Sets where contact i touches, and with it the others of the same sphere and shape: all when their first one comes. */
static bool touch(const scree_heavy_system *system, scree_heavy_row *rows, scree_contact_list *list, size_t i,
                  const scree_probe *probe)
{
    if (list->items[i].b % SCREE_SLOTS == 0) {
        uint32_t slots = scree_contact_slots(list, i);
        scree_touch touches[SCREE_SLOTS];
        scree_narrow_touch(&system->shapes[scree_contact_shape(&list->items[i])], probe, slots, list->items + i,
                           list->normals + i, NULL, touches);
        for (uint32_t s = 0; s < slots; s++) {
            rows[i + s].overlap = touches[s].overlap;
            rows[i + s].closed = touches[s].overlap > 0.0;
            rows[i + s].n = touches[s].n;
            rows[i + s].point = mul_add(probe->x, probe->r, touches[s].n);
        }
    }
    return rows[i].closed;
}

void scree_heavy_refresh(const scree_heavy_system *system, scree_substep substep, double impact_speed)
{
    scree_heavy *heavy = system->heavy;
    double gamma = system->settings->solver.tangent_gamma;
    for (size_t i = 0; i < heavy->loads.count; i++) {
        const scree_contact *contact = &heavy->loads.items[i];
        scree_heavy_row *row = &heavy->load_rows[i];
        const scree_place *place = &system->particles->place[contact->a];
        const scree_twist *twist = &system->particles->twist[contact->a];
        scree_probe probe = scree_probe_of(place, twist, &system->bodies[row->body_b], substep.way);
        if (!touch(system, heavy->load_rows, &heavy->loads, i, &probe))
            continue;
        row->la = place->r;
        feel masses = {.normal = twist->inv_mass,
                       .tangential = twist->inv_mass + row->la * row->la * twist->inv_inertia,
                       .turning = twist->inv_inertia};
        add_body(&masses, &system->bodies[row->body_b], row->n, row->point);
        row->u_n = dot(row->n, slip_of(row, side_a(system, row, contact), &system->bodies[row->body_b]));
        set_row(row, masses, gamma, substep, impact_speed);
    }
    scree_feelers_place(&heavy->feelers, system->bodies);
    for (size_t i = 0; i < heavy->knocks.count; i++) {
        const scree_contact *contact = &heavy->knocks.items[i];
        scree_heavy_row *row = &heavy->knock_rows[i];
        const scree_feeler *feeler = &heavy->feelers.items[contact->a];
        scree_probe probe = {.x = feeler->x, .r = feeler->r, .depth = feeler->r_law};
        if (!touch(system, heavy->knock_rows, &heavy->knocks, i, &probe))
            continue;
        feel masses = {0.0, 0.0, 0.0};
        add_body(&masses, &system->bodies[row->body_a], row->n, row->point);
        add_body(&masses, &system->bodies[row->body_b], row->n, row->point);
        row->u_n = dot(row->n, slip_of(row, side_a(system, row, contact), &system->bodies[row->body_b]));
        set_row(row, masses, gamma, substep, impact_speed);
    }
}

bool scree_heavy_begin(const scree_heavy_system *system, scree_arena *arena)
{
    scree_heavy *heavy = system->heavy;
    const scree_scene *settings = system->settings;
    heavy->load_rows = scree_arena_get(arena, heavy->loads.count, sizeof *heavy->load_rows);
    heavy->knock_rows = scree_arena_get(arena, heavy->knocks.count, sizeof *heavy->knock_rows);
    if (!heavy->load_rows || !heavy->knock_rows)
        return false;
    for (size_t i = 0; i < heavy->loads.count; i++) {
        const scree_contact *contact = &heavy->loads.items[i];
        uint32_t body = settings->shapes[scree_contact_shape(contact)].body;
        double r = system->particles->place[contact->a].r;
        heavy->load_rows[i] =
            (scree_heavy_row){.body_a = UINT32_MAX,
                              .body_b = body,
                              .distance = r,
                              .law = scree_contact_law_of(settings, system->particles->material[contact->a],
                                                          settings->bodies[body].material, r, r)};
    }
    for (size_t i = 0; i < heavy->knocks.count; i++) {
        const scree_contact *contact = &heavy->knocks.items[i];
        const scree_feeler *feeler = &heavy->feelers.items[contact->a];
        uint32_t body = settings->shapes[scree_contact_shape(contact)].body;
        heavy->knock_rows[i] = (scree_heavy_row){
            .body_a = feeler->body,
            .body_b = body,
            .distance = feeler->r_law,
            .law = scree_contact_law_of(settings, settings->bodies[feeler->body].material,
                                        settings->bodies[body].material, feeler->r_law, feeler->r_law)};
    }
    return true;
}

/* ---------------------------------------------------------------- warm start and sweep */

static vec3 limit_roll(const scree_heavy_row *row, double pn, vec3 p)
{
    double along = dot(row->n, p), bound = row->law.twist * pn;
    vec3 rolling = scree_limit(mul_add(p, -along, row->n), row->law.roll * pn);
    along = along > bound ? bound : along < -bound ? -bound : along;
    return mul_add(rolling, along, row->n);
}

static void warm(const scree_heavy_system *system, const scree_heavy_row *row, scree_contact *contact,
                 scree_warm_start from, double share, double h)
{
    vec3 zero = {0.0, 0.0, 0.0};
    if (from != SCREE_WARM_HISTORY || !row->closed) {
        contact->pn = 0.0;
        contact->pt = contact->pr = zero;
    }
    if (!row->closed)
        return;
    const scree_contact_law *law = &row->law;
    if (from == SCREE_WARM_MODEL) {
        contact->pn = h * law->k_n * row->overlap * (law->e > 1.0 ? sqrt(row->overlap) : 1.0);
    } else if (from == SCREE_WARM_HISTORY) {
        contact->pn *= share;
        contact->pt = scree_limit(scree_tangential(row->n, scale(share, contact->pt)), law->mu * contact->pn);
        contact->pr = limit_roll(row, contact->pn, scale(share, contact->pr));
    }
    apply(row, side_a(system, row, contact), &system->bodies[row->body_b],
          mul_add(contact->pt, contact->pn - row->pull, row->n), contact->pr);
}

void scree_heavy_warm(const scree_heavy_system *system, scree_warm_start from, double share, double h)
{
    scree_heavy *heavy = system->heavy;
    for (size_t i = 0; i < heavy->loads.count; i++)
        warm(system, &heavy->load_rows[i], &heavy->loads.items[i], from, share, h);
    for (size_t i = 0; i < heavy->knocks.count; i++)
        warm(system, &heavy->knock_rows[i], &heavy->knocks.items[i], from, share, h);
}

static void solve(const scree_heavy_system *system, const scree_heavy_row *row, scree_contact *contact, double *moved,
                  double *held)
{
    const scree_contact_law *law = &row->law;
    side a = side_a(system, row, contact);
    scree_rigid *b = &system->bodies[row->body_b];
    vec3 zero = {0.0, 0.0, 0.0};
    double u_n = dot(row->n, slip_of(row, a, b));
    double pn = contact->pn - (u_n + row->sigma_n * contact->pn - row->b_n) * row->inv_dn;
    pn = pn > 0.0 ? pn : 0.0;
    double step = pn - contact->pn;
    apply(row, a, b, scale(step, row->n), zero);
    contact->pn = pn;
    *moved += step * step;
    *held += pn * pn;
    if (law->mu > 0.0) {
        vec3 u_t = scree_tangential(row->n, slip_of(row, a, b));
        vec3 wanted = mul_add(contact->pt, -row->inv_dt, mul_add(u_t, row->sigma_t, contact->pt));
        vec3 pt = scree_limit(wanted, law->mu * pn);
        apply(row, a, b, sub(pt, contact->pt), zero);
        contact->pt = pt;
    }
    if (law->roll > 0.0 || law->twist > 0.0) {
        vec3 wanted = mul_add(contact->pr, -row->inv_dr, mul_add(turn_of(a, b), row->sigma_r, contact->pr));
        vec3 pr = limit_roll(row, pn, wanted);
        apply(row, a, b, zero, sub(pr, contact->pr));
        contact->pr = pr;
    }
}

void scree_heavy_sweep(const scree_heavy_system *system, double *moved, double *held)
{
    scree_heavy *heavy = system->heavy;
    for (size_t i = 0; i < heavy->loads.count; i++)
        if (heavy->load_rows[i].closed)
            solve(system, &heavy->load_rows[i], &heavy->loads.items[i], moved, held);
    for (size_t i = 0; i < heavy->knocks.count; i++)
        if (heavy->knock_rows[i].closed)
            solve(system, &heavy->knock_rows[i], &heavy->knocks.items[i], moved, held);
}

void scree_heavy_take_out(const scree_heavy_system *system, scree_stand *stand, vec3 *spin)
{
    const scree_heavy *heavy = system->heavy;
    for (size_t i = 0; i < heavy->loads.count; i++) {
        const scree_heavy_row *row = &heavy->load_rows[i];
        const scree_contact *contact = &heavy->loads.items[i];
        uint32_t a = contact->a;
        if (row->closed)
            scree_take_out(&stand[a], &spin[a], system->particles->twist[a].inv_inertia, row->n, row->la,
                           mul_add(contact->pt, contact->pn - row->pull, row->n), contact->pr);
    }
}
