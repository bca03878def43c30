#include "mechanism/mechanism.h"

#include "body/dynamics.h"

#include <string.h>

enum { ROWS = SCREE_NODE_ROWS, RANGE = 6, DRIVE = 7 }; /* places of the impulses; held conditions come first */

/* One row of a substep. */
typedef struct scree_bound {
    scree_jacobian g;
    vec3 mla, maa, mlb, mab; /* M⁻¹ Gᵀ, of a and b */
    double sigma;            /* 1/kg or 1/(kg m2) */
    double keep;             /* m or rad, τ/(h + τ) g(q): what may be left at the end */
    double lo, hi;           /* N s, bounds of λ */
    double sign;             /* ±1, of an upper end of a range */
    uint32_t slot;           /* which impulse of the node: k < RANGE: condition k; RANGE; DRIVE */
    uint32_t fixed;          /* λ is at a bound: 1 at lo, 2 at hi, 0 free */
} bound;

typedef struct scree_ahead {
    scree_pose pose;
    vec3 c;
} ahead;

/* ---------------------------------------------------------------- set-up */

static uint32_t actuator_of(const scree_scene *scene, uint32_t joint)
{
    for (uint32_t i = 0; i < scene->actuator_count; i++)
        if (scene->actuators[i].joint == joint)
            return i;
    return UINT32_MAX;
}

static scree_pose start_pose(const scree_scene *scene, uint32_t body)
{
    scree_pose origin = {.q = {1.0, 0.0, 0.0, 0.0}};
    return body == UINT32_MAX ? origin : scree_body_start(&scene->bodies[body]);
}

static void fit(scree_mechanism *mechanism, const scree_scene *scene)
{
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const scree_joint *joint = &scene->joints[i];
        uint32_t actuator = actuator_of(scene, i);
        mechanism->actuators[i] = actuator;
        mechanism->ports[i] = UINT32_MAX;
        mechanism->frames[i] =
            scree_joint_fit(joint, actuator != UINT32_MAX, start_pose(scene, joint->a), start_pose(scene, joint->b));
    }
    uint32_t next = scene->joint_count;
    for (uint32_t i = 0; i < scene->port_count; i++) {
        if (scene->ports[i].mode != SCREE_PORT_PROXY)
            continue;
        scree_joint lock = {.kind = SCREE_JOINT_FIXED, .a = UINT32_MAX, .b = scene->ports[i].body};
        scree_pose origin = {.q = {1.0, 0.0, 0.0, 0.0}};
        mechanism->actuators[next] = UINT32_MAX;
        mechanism->ports[next] = i;
        mechanism->frames[next++] = scree_joint_fit(&lock, false, origin, origin);
    }
}

static bool moves(const scree_scene *scene, uint32_t body)
{
    return body != UINT32_MAX && scene->bodies[body].kind == SCREE_BODY_DYNAMIC;
}

static bool share_body(const scree_scene *scene, const scree_joint_frame *i, const scree_joint_frame *j)
{
    return (moves(scene, i->a) && (i->a == j->a || i->a == j->b)) ||
           (moves(scene, i->b) && (i->b == j->a || i->b == j->b));
}

static bool analyse(scree_mechanism *mechanism, const scree_scene *scene, const scree_memory *memory)
{
    uint32_t n = mechanism->count;
    uint8_t *linked = scree_allocate(memory, (size_t)n * n, 1);
    if (!linked)
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            linked[i * n + j] = share_body(scene, &mechanism->frames[i], &mechanism->frames[j]);
    bool done = scree_ldl_analyse(&mechanism->ldl, linked, n, memory);
    scree_release(memory, linked);
    return done;
}

bool scree_mechanism_make(scree_mechanism *mechanism, const scree_scene *scene, const scree_memory *memory)
{
    *mechanism = (scree_mechanism){.joints = scene->joint_count, .count = scene->joint_count};
    for (uint32_t i = 0; i < scene->port_count; i++)
        mechanism->count += scene->ports[i].mode == SCREE_PORT_PROXY;
    uint32_t n = mechanism->count;
    mechanism->frames = scree_allocate(memory, n, sizeof *mechanism->frames);
    mechanism->actuators = scree_allocate(memory, n, sizeof *mechanism->actuators);
    mechanism->ports = scree_allocate(memory, n, sizeof *mechanism->ports);
    mechanism->nodes = scree_allocate(memory, n, sizeof *mechanism->nodes);
    mechanism->targets = scree_allocate(memory, n, sizeof *mechanism->targets);
    mechanism->rows = scree_allocate(memory, n, sizeof *mechanism->rows);
    mechanism->made = scree_allocate(memory, (size_t)n * ROWS, sizeof *mechanism->made);
    mechanism->x = scree_allocate(memory, (size_t)n * ROWS, sizeof *mechanism->x);
    mechanism->ahead = scree_allocate(memory, scene->body_count, sizeof *mechanism->ahead);
    if (!mechanism->frames || !mechanism->actuators || !mechanism->ports || !mechanism->nodes || !mechanism->targets ||
        !mechanism->rows || !mechanism->made || !mechanism->x || !mechanism->ahead)
        return false;
    fit(mechanism, scene);
    return analyse(mechanism, scene, memory);
}

void scree_mechanism_free(scree_mechanism *mechanism, const scree_memory *memory)
{
    scree_release(memory, mechanism->frames);
    scree_release(memory, mechanism->actuators);
    scree_release(memory, mechanism->ports);
    scree_release(memory, mechanism->nodes);
    scree_release(memory, mechanism->targets);
    scree_release(memory, mechanism->rows);
    scree_release(memory, mechanism->made);
    scree_release(memory, mechanism->x);
    scree_release(memory, mechanism->ahead);
    scree_ldl_free(&mechanism->ldl, memory);
    *mechanism = (scree_mechanism){0};
}

/* ---------------------------------------------------------------- where things are */

static void place_side(const scree_rigid *body, scree_pose *pose, vec3 *c)
{
    *pose = body->now;
    *c = body->dynamic ? body->mass.c : body->now.x;
}

static scree_joint_poses poses_now(const scree_mechanism *mechanism, const scree_rigid *bodies, uint32_t node)
{
    const scree_joint_frame *frame = &mechanism->frames[node];
    scree_joint_poses poses = {.a.q = {1.0, 0.0, 0.0, 0.0}};
    if (frame->a != UINT32_MAX)
        place_side(&bodies[frame->a], &poses.a, &poses.c_a);
    else if (mechanism->ports[node] != UINT32_MAX)
        place_side(&mechanism->targets[node], &poses.a, &poses.c_a);
    place_side(&bodies[frame->b], &poses.b, &poses.c_b);
    return poses;
}

/* At the end of the substep, with the velocities of now. */
static scree_joint_poses poses_ahead(const scree_mechanism_system *system, uint32_t node)
{
    const scree_mechanism *mechanism = system->mechanism;
    const scree_joint_frame *frame = &mechanism->frames[node];
    scree_joint_poses poses = {.a.q = {1.0, 0.0, 0.0, 0.0}};
    if (frame->a != UINT32_MAX) {
        poses.a = mechanism->ahead[frame->a].pose;
        poses.c_a = mechanism->ahead[frame->a].c;
    } else if (mechanism->ports[node] != UINT32_MAX) {
        scree_rigid target = mechanism->targets[node];
        scree_rigid_advance(&target, system->share);
        poses.a = target.now;
        poses.c_a = target.now.x;
    }
    poses.b = mechanism->ahead[frame->b].pose;
    poses.c_b = mechanism->ahead[frame->b].c;
    return poses;
}

static void look_ahead(const scree_mechanism_system *system)
{
    for (uint32_t i = 0; i < system->settings->body_count; i++) {
        ahead *to = &system->mechanism->ahead[i];
        scree_rigid body = system->bodies[i];
        if (body.dynamic)
            scree_mass_move(&body, system->h);
        else
            scree_rigid_advance(&body, system->share);
        place_side(&body, &to->pose, &to->c);
    }
}

static double speed_of(const scree_rigid *bodies, const scree_joint_frame *frame, const scree_jacobian *g)
{
    double speed = 0.0;
    const uint32_t sides[2] = {frame->a, frame->b};
    for (int k = 0; k < 2; k++) {
        const scree_rigid *body = sides[k] == UINT32_MAX ? NULL : &bodies[sides[k]];
        if (!body)
            continue;
        vec3 v = body->dynamic ? body->mass.v : body->v, w = body->dynamic ? body->mass.w : body->w;
        speed += dot(k == 0 ? g->la : g->lb, v) + dot(k == 0 ? g->aa : g->ab, w);
    }
    return speed;
}

void scree_mechanism_start(scree_mechanism *mechanism, const scree_scene *settings, const scree_rigid *bodies,
                           const scree_port_state *ports)
{
    for (uint32_t i = 0; i < mechanism->count; i++) {
        scree_node *node = &mechanism->nodes[i];
        scree_pose pose;
        *node = (scree_node){0};
        mechanism->targets[i] = (scree_rigid){0};
        if (mechanism->ports[i] != UINT32_MAX &&
            scree_input_pose(&ports[mechanism->ports[i]].input, &settings->ports[mechanism->ports[i]], 0.0, &pose))
            scree_rigid_place(&mechanism->targets[i], pose);
        scree_joint_poses poses = poses_now(mechanism, bodies, i);
        scree_jacobian g = scree_joint_coordinate_jacobian(&mechanism->frames[i], &poses);
        node->coordinate = scree_joint_coordinate(&mechanism->frames[i], &poses, 0.0);
        node->speed = speed_of(bodies, &mechanism->frames[i], &g);
        node->from = node->to = node->target = node->coordinate;
    }
}

void scree_mechanism_aim(scree_mechanism *mechanism, const scree_scene *settings, const scree_drive *drives,
                         const scree_port_state *ports, double dt)
{
    vec3 zero = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < mechanism->count; i++) {
        scree_node *node = &mechanism->nodes[i];
        uint32_t actuator = mechanism->actuators[i], port = mechanism->ports[i];
        node->force = node->torque = zero;
        node->push = node->work = 0.0;
        node->from = node->to = node->target;
        if (actuator != UINT32_MAX && settings->actuators[actuator].mode == SCREE_ACTUATE_MOTION)
            node->to = drives[actuator].position + dt * drives[actuator].speed;
        if (port != UINT32_MAX)
            scree_rigid_aim(&mechanism->targets[i], &ports[port].input, &settings->ports[port], dt);
    }
}

/* ---------------------------------------------------------------- rows */

/* Where the actuator wants the coordinate when the substep ends. */
static double wanted(const scree_mechanism_system *system, uint32_t i)
{
    const scree_node *node = &system->mechanism->nodes[i];
    uint32_t actuator = system->mechanism->actuators[i];
    if (system->settings->actuators[actuator].mode == SCREE_ACTUATE_SPEED)
        return node->coordinate + system->h * system->drives[actuator].speed;
    return node->from + system->share * (node->to - node->from);
}

static vec3 turn(const scree_rigid *body, vec3 v)
{
    return mat3_mul_vec(&body->mass.world, v);
}

static void weigh(const scree_mechanism_system *system, const scree_joint_frame *frame, bound *row)
{
    vec3 zero = {0.0, 0.0, 0.0};
    const scree_rigid *a = frame->a == UINT32_MAX ? NULL : &system->bodies[frame->a], *b = &system->bodies[frame->b];
    row->mla = row->maa = row->mlb = row->mab = zero;
    if (a && a->dynamic) {
        row->mla = scale(a->mass.inv_mass, row->g.la);
        row->maa = turn(a, row->g.aa);
    }
    if (b->dynamic) {
        row->mlb = scale(b->mass.inv_mass, row->g.lb);
        row->mab = turn(b, row->g.ab);
    }
}

static void add_row(const scree_mechanism_system *system, uint32_t i, bound row, double gap, double compliance,
                    double damping)
{
    double h = system->h, share = damping / (h + damping);
    scree_mechanism *mechanism = system->mechanism;
    /* a range that is not reached yet stops its coordinate at the end, not on the way there */
    row.keep = row.slot == RANGE && gap > 0.0 ? 0.0 : share * gap;
    row.sigma = compliance / (h * h + h * damping);
    weigh(system, &mechanism->frames[i], &row);
    double impulse = mechanism->nodes[i].impulse[row.slot];
    row.fixed = impulse <= row.lo ? 1 : impulse >= row.hi ? 2 : 0;
    mechanism->made[(size_t)i * ROWS + mechanism->rows[i]++] = row;
}

static scree_jacobian negative(scree_jacobian g)
{
    return (scree_jacobian){scale(-1.0, g.la), scale(-1.0, g.aa), scale(-1.0, g.lb), scale(-1.0, g.ab)};
}

/* How much a node's coordinate is inside its range: of the end that is nearer. */
static double room(const scree_joint *joint, double coordinate, double *sign)
{
    double below = coordinate - joint->lower, above = joint->upper - coordinate;
    *sign = below <= above ? 1.0 : -1.0;
    return below <= above ? below : above;
}

static void make_coordinate_rows(const scree_mechanism_system *system, uint32_t i, const scree_joint_poses *poses)
{
    scree_mechanism *mechanism = system->mechanism;
    const scree_joint *joint = &system->settings->joints[i];
    scree_node *node = &mechanism->nodes[i];
    scree_jacobian g = scree_joint_coordinate_jacobian(&mechanism->frames[i], poses);
    if (joint->lower < joint->upper && joint->kind != SCREE_JOINT_FIXED && joint->kind != SCREE_JOINT_BALL) {
        double sign, gap = room(joint, node->coordinate, &sign);
        bool angle = joint->kind == SCREE_JOINT_HINGE;
        bound row = {.g = sign > 0.0 ? g : negative(g), .hi = HUGE_VAL, .sign = sign, .slot = RANGE};
        add_row(system, i, row, gap, angle ? joint->angular_compliance : joint->compliance, joint->damping);
    }
    uint32_t actuator = mechanism->actuators[i];
    if (actuator == UINT32_MAX || system->settings->actuators[actuator].mode == SCREE_ACTUATE_FORCE)
        return;
    const scree_actuator *drive = &system->settings->actuators[actuator];
    double most = drive->max_force > 0.0 ? system->h * drive->max_force : HUGE_VAL;
    double gap = drive->mode == SCREE_ACTUATE_SPEED ? 0.0 : node->coordinate - node->target;
    bound row = {.g = g, .lo = -most, .hi = most, .sign = 1.0, .slot = DRIVE};
    add_row(system, i, row, gap, drive->compliance, drive->damping);
}

static void make_rows(const scree_mechanism_system *system, uint32_t i)
{
    scree_mechanism *mechanism = system->mechanism;
    const scree_joint_frame *frame = &mechanism->frames[i];
    scree_joint_poses poses = poses_now(mechanism, system->bodies, i);
    scree_jacobian jacobians[6];
    double gaps[6];
    mechanism->rows[i] = 0;
    scree_joint_gaps(frame, &poses, gaps);
    scree_joint_jacobians(frame, &poses, jacobians);
    bool lock = mechanism->ports[i] != UINT32_MAX;
    const scree_joint *joint = lock ? NULL : &system->settings->joints[i];
    const scree_port *port = lock ? &system->settings->ports[mechanism->ports[i]] : NULL;
    for (uint32_t k = 0; k < frame->held; k++) {
        bound row = {.g = jacobians[k], .lo = -HUGE_VAL, .hi = HUGE_VAL, .sign = 1.0, .slot = k};
        bool angle = scree_joint_is_angular(frame, k);
        double give = lock ? (angle ? port->angular_compliance : port->compliance)
                           : (angle ? joint->angular_compliance : joint->compliance);
        add_row(system, i, row, gaps[k], give, lock ? port->damping : joint->damping);
    }
    if (!lock)
        make_coordinate_rows(system, i, &poses);
}

/* G_r M⁻¹ G_sᵀ over the bodies that two rows share. */
static double couple(const scree_joint_frame *f, const bound *r, const scree_joint_frame *e, const bound *s)
{
    double sum = 0.0;
    if (f->a != UINT32_MAX && f->a == e->a)
        sum += dot(r->g.la, s->mla) + dot(r->g.aa, s->maa);
    if (f->a != UINT32_MAX && f->a == e->b)
        sum += dot(r->g.la, s->mlb) + dot(r->g.aa, s->mab);
    if (f->b == e->a)
        sum += dot(r->g.lb, s->mla) + dot(r->g.ab, s->maa);
    if (f->b == e->b)
        sum += dot(r->g.lb, s->mlb) + dot(r->g.ab, s->mab);
    return sum;
}

/* S of the free rows, and its factors; a fixed row is the identity. */
static void factor(scree_mechanism *mechanism)
{
    uint32_t n = mechanism->count;
    scree_ldl *ldl = &mechanism->ldl;
    scree_ldl_clear(ldl);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            uint32_t hi = ldl->place[i] > ldl->place[j] ? ldl->place[i] : ldl->place[j];
            uint32_t lo = ldl->place[i] + ldl->place[j] - hi;
            if (ldl->blocks[hi * n + lo] == UINT32_MAX)
                continue;
            for (uint32_t r = 0; r < mechanism->rows[i]; r++)
                for (uint32_t s = 0; s < (i == j ? r + 1 : mechanism->rows[j]); s++) {
                    const bound *row = &mechanism->made[(size_t)i * ROWS + r];
                    const bound *other = &mechanism->made[(size_t)j * ROWS + s];
                    bool same = i == j && r == s;
                    double value = row->fixed || other->fixed
                                       ? same
                                       : couple(&mechanism->frames[i], row, &mechanism->frames[j], other);
                    *scree_ldl_at(ldl, i, r, j, s) = value + (same && !row->fixed ? row->sigma : 0.0);
                }
        }
    scree_ldl_factor(ldl, mechanism->rows);
}

void scree_mechanism_begin(const scree_mechanism_system *system)
{
    scree_mechanism *mechanism = system->mechanism;
    for (uint32_t i = 0; i < mechanism->count; i++)
        make_rows(system, i);
    if (mechanism->count > 0)
        factor(mechanism);
}

/* ---------------------------------------------------------------- impulses */

static void apply(const scree_mechanism_system *system, const scree_joint_frame *frame, const bound *row,
                  double impulse)
{
    if (frame->a != UINT32_MAX && system->bodies[frame->a].dynamic) {
        scree_mass *a = &system->bodies[frame->a].mass;
        a->v = mul_add(a->v, impulse, row->mla);
        a->w = mul_add(a->w, impulse, row->maa);
    }
    if (system->bodies[frame->b].dynamic) {
        scree_mass *b = &system->bodies[frame->b].mass;
        b->v = mul_add(b->v, impulse, row->mlb);
        b->w = mul_add(b->w, impulse, row->mab);
    }
}

void scree_mechanism_warm(const scree_mechanism_system *system, double share)
{
    scree_mechanism *mechanism = system->mechanism;
    for (uint32_t i = 0; i < mechanism->count; i++) {
        scree_node *node = &mechanism->nodes[i];
        double kept[ROWS] = {0.0};
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double impulse = share * node->impulse[row->slot];
            impulse = impulse < row->lo ? row->lo : impulse > row->hi ? row->hi : impulse;
            kept[row->slot] = impulse;
            apply(system, &mechanism->frames[i], row, impulse);
        }
        uint32_t actuator = mechanism->actuators[i];
        if (actuator != UINT32_MAX && system->settings->actuators[actuator].mode == SCREE_ACTUATE_FORCE) {
            const scree_actuator *drive = &system->settings->actuators[actuator];
            double force = system->drives[actuator].force, most = drive->max_force;
            force = most > 0.0 && fabs(force) > most ? copysign(most, force) : force;
            scree_joint_poses poses = poses_now(mechanism, system->bodies, i);
            bound row = {.g = scree_joint_coordinate_jacobian(&mechanism->frames[i], &poses)};
            weigh(system, &mechanism->frames[i], &row);
            kept[DRIVE] = system->h * force;
            apply(system, &mechanism->frames[i], &row, kept[DRIVE]);
        }
        memcpy(node->impulse, kept, sizeof kept);
    }
}

/* What row k of node i lacks at the end of the substep, per h: the right-hand side of the Newton step. */
static void lack(const scree_mechanism_system *system, uint32_t i, double out[ROWS])
{
    const scree_mechanism *mechanism = system->mechanism;
    const scree_joint_frame *frame = &mechanism->frames[i];
    const scree_node *node = &mechanism->nodes[i];
    scree_joint_poses poses = poses_ahead(system, i);
    double gaps[6], coordinate = 0.0;
    scree_joint_gaps(frame, &poses, gaps);
    bool lock = mechanism->ports[i] != UINT32_MAX;
    if (!lock)
        coordinate = scree_joint_coordinate(frame, &poses, node->coordinate);
    for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
        const bound *row = &mechanism->made[(size_t)i * ROWS + k];
        double gap;
        if (row->slot == RANGE) {
            const scree_joint *joint = &system->settings->joints[i];
            gap = row->sign > 0.0 ? coordinate - joint->lower : joint->upper - coordinate;
        } else if (row->slot == DRIVE) {
            gap = coordinate - wanted(system, i);
        } else {
            gap = gaps[row->slot];
        }
        out[k] = -(gap - row->keep) / system->h - row->sigma * node->impulse[row->slot];
    }
}

/* Puts λ to the bound it is fixed to. */
static void hold_at_bounds(const scree_mechanism_system *system)
{
    scree_mechanism *mechanism = system->mechanism;
    for (uint32_t i = 0; i < mechanism->count; i++)
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            const bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double *impulse = &mechanism->nodes[i].impulse[row->slot], at = row->fixed == 1 ? row->lo : row->hi;
            if (!row->fixed || *impulse == at)
                continue;
            apply(system, &mechanism->frames[i], row, at - *impulse);
            *impulse = at;
        }
}

/* Fixes the free rows that Δλ = x would take beyond a bound; true when there are any. */
static bool fix_beyond(scree_mechanism *mechanism)
{
    bool any = false;
    for (uint32_t i = 0; i < mechanism->count; i++)
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double to = mechanism->nodes[i].impulse[row->slot] + mechanism->x[(size_t)i * ROWS + k];
            if (row->fixed || (to >= row->lo && to <= row->hi))
                continue;
            row->fixed = to < row->lo ? 1 : 2;
            any = true;
        }
    return any;
}

/* Frees the fixed rows that want to leave their bound, given what they lack; true when there are any. */
static bool free_inward(scree_mechanism *mechanism)
{
    bool any = false;
    for (uint32_t i = 0; i < mechanism->count; i++)
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double want = mechanism->x[(size_t)i * ROWS + k];
            if ((row->fixed == 1 && want > 0.0) || (row->fixed == 2 && want < 0.0)) {
                row->fixed = 0;
                any = true;
            }
        }
    return any;
}

static void gather(const scree_mechanism_system *system)
{
    look_ahead(system);
    for (uint32_t i = 0; i < system->mechanism->count; i++)
        lack(system, i, system->mechanism->x + (size_t)i * ROWS);
}

/* One Newton step. The active bounds are found on the way; few ever change, and a cap ends a cycle. */
static void newton(const scree_mechanism_system *system)
{
    scree_mechanism *mechanism = system->mechanism;
    enum { MOST = 12 };
    for (int turn_ = 0; turn_ < MOST; turn_++) {
        hold_at_bounds(system);
        gather(system);
        if (free_inward(mechanism) && turn_ + 1 < MOST)
            factor(mechanism);
        for (uint32_t i = 0; i < mechanism->count; i++)
            for (uint32_t k = 0; k < mechanism->rows[i]; k++)
                if (mechanism->made[(size_t)i * ROWS + k].fixed)
                    mechanism->x[(size_t)i * ROWS + k] = 0.0;
        scree_ldl_solve(&mechanism->ldl, mechanism->rows, mechanism->x);
        if (turn_ + 1 == MOST || !fix_beyond(mechanism))
            break;
        factor(mechanism);
    }
    for (uint32_t i = 0; i < mechanism->count; i++)
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            const bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double *impulse = &mechanism->nodes[i].impulse[row->slot];
            double to = *impulse + mechanism->x[(size_t)i * ROWS + k];
            to = to < row->lo ? row->lo : to > row->hi ? row->hi : to;
            apply(system, &mechanism->frames[i], row, to - *impulse);
            *impulse = to;
        }
}

void scree_mechanism_solve(const scree_mechanism_system *system, uint32_t steps)
{
    for (uint32_t k = 0; k < steps && system->mechanism->count > 0; k++)
        newton(system);
}

/* ---------------------------------------------------------------- measure */

void scree_mechanism_measure(const scree_mechanism_system *system)
{
    scree_mechanism *mechanism = system->mechanism;
    for (uint32_t i = 0; i < mechanism->count; i++) {
        scree_node *node = &mechanism->nodes[i];
        const scree_joint_frame *frame = &mechanism->frames[i];
        scree_joint_poses poses = poses_now(mechanism, system->bodies, i);
        vec3 arm = sub(add(poses.b.x, quat_rotate(poses.b.q, frame->p_b)), poses.c_b);
        for (uint32_t k = 0; k < mechanism->rows[i]; k++) {
            const bound *row = &mechanism->made[(size_t)i * ROWS + k];
            double impulse = node->impulse[row->slot];
            node->force = mul_add(node->force, impulse, row->g.lb);
            node->torque = mul_add(node->torque, impulse, sub(row->g.ab, cross(arm, row->g.lb)));
        }
        node->push += node->impulse[DRIVE];
    }
}

void scree_mechanism_follow(const scree_mechanism_system *system)
{
    scree_mechanism *mechanism = system->mechanism;
    for (uint32_t i = 0; i < mechanism->count; i++) {
        scree_node *node = &mechanism->nodes[i];
        const scree_joint_frame *frame = &mechanism->frames[i];
        if (mechanism->ports[i] != UINT32_MAX) {
            scree_rigid_advance(&mechanism->targets[i], system->share);
            continue;
        }
        scree_joint_poses poses = poses_now(mechanism, system->bodies, i);
        scree_jacobian g = scree_joint_coordinate_jacobian(frame, &poses);
        double now = scree_joint_coordinate(frame, &poses, node->coordinate);
        node->work += node->impulse[DRIVE] * (now - node->coordinate) / system->h;
        node->coordinate = now;
        node->speed = speed_of(system->bodies, frame, &g);
        node->target = node->from + system->share * (node->to - node->from);
    }
}

void scree_mechanism_gap(const scree_mechanism *mechanism, const scree_rigid *bodies, uint32_t node, double *length_,
                         double *angle)
{
    double gaps[6];
    scree_joint_poses poses = poses_now(mechanism, bodies, node);
    uint32_t held = scree_joint_gaps(&mechanism->frames[node], &poses, gaps);
    *length_ = *angle = 0.0;
    for (uint32_t k = 0; k < held; k++) {
        double *most = scree_joint_is_angular(&mechanism->frames[node], k) ? angle : length_;
        *most = fmax(*most, fabs(gaps[k]));
    }
}
