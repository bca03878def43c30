#include "body/dynamics.h"

/* What follows from pose, v and w. */
static void settle(scree_rigid *rigid)
{
    scree_mass *mass = &rigid->mass;
    rigid->w = mass->w;
    rigid->v = scree_mass_velocity(mass, rigid->now.x);
}

void scree_mass_start(scree_rigid *rigid, const scree_body *body, double reach)
{
    const double *d = body->inertia, *o = body->products;
    scree_mass *mass = &rigid->mass;
    *mass = (scree_mass){.inv_mass = 1.0 / body->mass, .center = vec3_of(body->center), .reach = reach};
    mass->inertia = (mat3){{{d[0], o[0], o[1]}, {o[0], d[1], o[2]}, {o[1], o[2], d[2]}}};
    mass->inv_inertia = mat3_inverse(&mass->inertia);
    mass->world = mat3_turn(&mass->inv_inertia, rigid->now.q);
    vec3 arm = quat_rotate(rigid->now.q, mass->center);
    mass->c = add(rigid->now.x, arm);
    mass->w = vec3_of(body->angular_velocity);
    mass->v = add(vec3_of(body->velocity), cross(mass->w, arm));
    rigid->dynamic = 1;
    settle(rigid);
    mass->v_before = rigid->v;
    mass->w_before = rigid->w;
}

vec3 scree_mass_velocity(const scree_mass *mass, vec3 x)
{
    return add(mass->v, cross(mass->w, sub(x, mass->c)));
}

void scree_mass_push(scree_mass *mass, vec3 x, vec3 p, vec3 q)
{
    mass->v = mul_add(mass->v, mass->inv_mass, p);
    mass->w = add(mass->w, mat3_mul_vec(&mass->world, add(cross(sub(x, mass->c), p), q)));
}

void scree_mass_kick(scree_rigid *rigid, vec3 gravity, double h)
{
    if (!rigid->mass.floats)
        rigid->mass.v = mul_add(rigid->mass.v, h, gravity);
    scree_mass_push(&rigid->mass, rigid->now.x, scale(h, rigid->mass.force), scale(h, rigid->mass.torque));
}

/* J(q)⁻¹ L */
static vec3 spin(const scree_mass *mass, quat q, vec3 momentum)
{
    mat3 inverse = mat3_turn(&mass->inv_inertia, q);
    return mat3_mul_vec(&inverse, momentum);
}

void scree_mass_move(scree_rigid *rigid, double h)
{
    scree_mass *mass = &rigid->mass;
    quat q = rigid->now.q;
    mat3 inertia = mat3_turn(&mass->inertia, q);
    vec3 momentum = mat3_mul_vec(&inertia, mass->w);
    quat half = quat_normalize(quat_mul(quat_exp(scale(0.5 * h, mass->w)), q));
    vec3 middle = spin(mass, half, momentum);
    rigid->now.q = quat_normalize(quat_mul(quat_exp(scale(h, middle)), q));
    mass->world = mat3_turn(&mass->inv_inertia, rigid->now.q);
    mass->w = mat3_mul_vec(&mass->world, momentum);
    mass->c = mul_add(mass->c, h, mass->v);
    rigid->now.x = sub(mass->c, quat_rotate(rigid->now.q, mass->center));
    settle(rigid);
}

void scree_mass_look(scree_mass *mass, quat q, double frame, double spare)
{
    mass->seen = (scree_pose){.x = mass->c, .q = q};
    mass->allowed = frame * (length(mass->v) + length(mass->w) * mass->reach) + spare;
    mass->fastest = mass->allowed / frame;
}

bool scree_mass_holds(const scree_rigid *rigid)
{
    const scree_mass *mass = &rigid->mass;
    double turn = length(quat_log(quat_mul(rigid->now.q, quat_conj(mass->seen.q))));
    return length(sub(mass->c, mass->seen.x)) + turn * mass->reach <= mass->allowed;
}
