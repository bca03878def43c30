/*
 * One substep, as it goes through the solver:
 *
 *   refresh rows → impacts → gravity → warm start → sweeps → residual (last of a frame) → integrate → measure walls
 */
#include "substep.h"

#include "body/dynamics.h"
#include "measure/measure.h"
#include "solve/sweep.h"

enum { GRAIN = 2048, NEWTON_STEPS = 2 }; /* the second leaves 1e-12 of what the first did */

typedef struct motion_job {
    scree_particles *particles;
    vec3 change; /* m/s */
    double h;    /* s */
} motion_job;

static void add_velocity(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const motion_job *todo = context;
    for (uint32_t i = begin; i < end; i++)
        todo->particles->twist[i].v = add(todo->particles->twist[i].v, todo->change);
}

static void move(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const motion_job *todo = context;
    for (uint32_t i = begin; i < end; i++)
        todo->particles->place[i].x = mul_add(todo->particles->place[i].x, todo->h, todo->particles->twist[i].v);
}

/* Overlap errors relax over the papers' two substeps when a frame has one, over up to ten when it has more (METHOD §5).
 */
static scree_substep plan_substep(const scree_world *world, double h)
{
    double given = world->settings->solver.stabilization;
    double chosen = world->substeps < 2 ? 2.0 : world->substeps > 10 ? 10.0 : world->substeps;
    return (scree_substep){.h = h, .n_s = given > 0.0 ? given : chosen, .tame = world->substeps > 1};
}

/* Velocity above which an approach is an impact: that of a fall through 1 % of a diameter, or 2 % of one per frame
 * where nothing falls (METHOD §6). */
static double impact_speed(const scree_world *world, double frame)
{
    double given = world->settings->solver.impact_speed, g = length(vec3_of(world->settings->head.gravity));
    double d = world->mean_diameter;
    return given > 0.0 ? given : g > 0.0 ? sqrt(2.0 * g * 0.01 * d) : 0.02 * d / frame;
}

/* Impacts change velocities and some positions: the rows are refreshed when there were any. */
static bool run_impacts(scree_world *world, const scree_system *system, double frame, double h)
{
    scree_impact impact = {.rows = &world->rows,
                           .pairs = &world->pairs,
                           .walls = &world->walls,
                           .particles = &world->particles,
                           .speed = impact_speed(world, frame),
                           .h = h,
                           .inelastic = world->substeps == 1,
                           .arena = &world->arena,
                           .scratch = &world->impact_scratch};
    uint32_t count = scree_impact_run(&impact);
    if (count == UINT32_MAX)
        return false;
    world->impacts += count;
    if (count > 0) {
        scree_measure_impacts(world);
        scree_rows_refresh(&world->rows, system, world->pool, plan_substep(world, h));
    }
    return true;
}

/* Sweeps until the change is small enough or their number is used up. */
static void run_sweeps(scree_world *world, scree_sweep *sweep, const scree_heavy_system *heavy,
                       const scree_mechanism_system *mechanism)
{
    const scree_solver *solver = &world->settings->solver;
    double change = INFINITY;
    for (uint32_t i = 0; i < solver->sweeps && !(change < solver->residual); i++) {
        double moved = 0.0, held = 0.0;
        change = scree_sweep_once(sweep, (scree_order)solver->order, world->passes++);
        scree_heavy_sweep(heavy, &moved, &held);
        scree_mechanism_solve(mechanism, NEWTON_STEPS);
        change = held > 0.0 ? fmax(change, sqrt(moved / held)) : change;
    }
}

/* Velocities of the dynamic bodies by gravity and what pushes them from outside. */
static void kick_bodies(scree_world *world, double h)
{
    vec3 gravity = vec3_of(world->settings->head.gravity);
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        if (world->bodies[i].dynamic)
            scree_mass_kick(&world->bodies[i], gravity, h);
}

/* To where they are at `share` of the step. */
static void move_bodies(scree_world *world, double h, double share)
{
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        if (world->bodies[i].dynamic)
            scree_mass_move(&world->bodies[i], h);
        else
            scree_rigid_advance(&world->bodies[i], share);
}

bool scree_substep_run(scree_world *world, const scree_system *system, double frame, double share, bool last)
{
    const scree_solver *solver = &world->settings->solver;
    double h = frame / world->substeps;
    uint32_t n = world->particles.count;
    motion_job motion = {&world->particles, scale(h, vec3_of(world->settings->head.gravity)), h};
    double beta = solver->warm_factor > 0.0 ? solver->warm_factor : world->substeps == 1 ? 0.85 : 1.0; /* METHOD §7 */
    double ratio = world->substep > 0.0 ? h / world->substep : 1.0;
    scree_sweep sweep = {&world->rows,           &world->pairs,   &world->walls,
                         world->particles.twist, world->shuffled, &world->random};
    scree_heavy_system heavy = scree_world_heavy(world);
    scree_mechanism_system mechanism = {.mechanism = &world->mechanism,
                                        .settings = world->settings,
                                        .bodies = world->bodies,
                                        .drives = world->drives,
                                        .h = h,
                                        .share = share};

    scree_substep substep = plan_substep(world, h);
    substep.way = world->substep; /* not after impacts, which change velocities */
    scree_rows_refresh(&world->rows, system, world->pool, substep);
    if (!run_impacts(world, system, frame, h))
        return false;
    for (uint32_t i = 0; last && i < n; i++)
        world->before[i] = world->particles.twist[i].v;
    scree_heavy_refresh(&heavy, substep, impact_speed(world, frame));
    scree_pool_run(world->pool, n, GRAIN, add_velocity, &motion);
    scree_mechanism_begin(&mechanism);
    kick_bodies(world, h);
    scree_sweep_warm(&sweep, (scree_warm_start)solver->warm_start, beta * ratio, h);
    scree_heavy_warm(&heavy, (scree_warm_start)solver->warm_start, beta * ratio, h);
    scree_mechanism_warm(&mechanism, ratio);
    run_sweeps(world, &sweep, &heavy, &mechanism);
    if (last)
        world->residual =
            scree_residual_measure(&world->rows, system, &world->heavy, world->before, world->sums, motion.change, h);
    scree_pool_run(world->pool, n, GRAIN, move, &motion);
    scree_measure_contacts(world);
    scree_mechanism_measure(&mechanism);
    scree_measure_ports(world, h);
    move_bodies(world, h, share);
    scree_mechanism_follow(&mechanism);
    scree_world_place_shapes(world);
    world->substep = h;
    return true;
}

/*
 * Next frame's number of substeps: half as many again while the mean overlap error, or the residual as the way it makes
 * in a frame, is above the tolerance; a fifth fewer when both are below a quarter of it.
 */
bool scree_substep_adapt(scree_world *world, double frame)
{
    const scree_solver *solver = &world->settings->solver;
    if (!(solver->tolerance > 0.0) || world->contacts == 0)
        return true;
    const scree_residual *r = &world->residual;
    double way = fmax(r->normal, fmax(r->friction, r->rolling)) * r->scale * frame / world->mean_diameter;
    double error = fmax(r->overlap_error, way);
    uint32_t now = world->substeps, most = solver->max_substeps;
    if (error > solver->tolerance)
        now += now / 2 + 1;
    else if (error < 0.25 * solver->tolerance && now > 1)
        now -= now / 5 > 0 ? now / 5 : 1;
    world->substeps = now > most ? most : now;
    return !(error > solver->tolerance);
}
