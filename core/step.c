/*
 * One step, as it goes through the engine:
 *
 *   inputs at ports → aim the bodies → per frame: search → contacts → rows
 *     → per substep: refresh → gravity → warm start → sweeps → integrate → measure
 *   → outputs at ports
 */
#include "measure/measure.h"
#include "solve/rows.h"
#include "solve/sweep.h"
#include "world.h"

static const double SAME = 1e-9; /* relative: step sizes that differ by a master's rounding only */

enum { GRAIN = 2048 };

/* The step size without the rounding that a master's subtraction of two times leaves in it. */
static double clean_step(const scree_world *world, double dt)
{
    double frames = round(dt / world->settings->solver.frame);
    double whole = frames * world->settings->solver.frame;
    if (fabs(dt - world->clock.dt) <= SAME * dt)
        return world->clock.dt;
    return fabs(dt - whole) <= SAME * dt ? whole : dt;
}

static void advance_clock(scree_clock *clock, double dt)
{
    if (dt != clock->dt)
        *clock = (scree_clock){.base = clock->base + (double)clock->count * clock->dt, .dt = dt};
    clock->count++;
}

static scree_status aim_bodies(scree_world *world, double dt, scree_error *error)
{
    const scree_scene *settings = world->settings;
    for (uint32_t i = 0; i < settings->port_count; i++) {
        scree_pose pose;
        if (settings->ports[i].mode == SCREE_PORT_MOTION && !scree_motion_pose(&world->motions[i], &pose))
            return scree_fail(error, SCREE_INVALID, "port %s: the orientation quaternion has no length",
                              settings->ports[i].id);
    }
    for (uint32_t i = 0; i < settings->body_count; i++)
        scree_rigid_aim(&world->bodies[i], NULL, dt);
    for (uint32_t i = 0; i < settings->port_count; i++)
        if (settings->ports[i].mode == SCREE_PORT_MOTION)
            scree_rigid_aim(&world->bodies[settings->ports[i].body], &world->motions[i], dt);
    return SCREE_OK;
}

/* Finds the contacts of a frame and carries the impulses of the last one over. */
static bool find_contacts(scree_world *world, double frame)
{
    double slack = length(vec3_of(world->settings->head.gravity)) * frame * frame;
    scree_found pairs, walls;
    if (!scree_search_pairs(&world->search, &world->arena, world->pool, &world->particles, frame, slack, &pairs) ||
        !scree_search_walls(&world->search, &world->arena, world->pool, &world->particles, world->shapes,
                            world->settings->shape_count, world->bodies, frame, slack, &walls))
        return false;
    uint32_t n = world->particles.count;
    if (!scree_contact_list_renew(&world->last_pairs, &world->pairs, &world->memory, n, pairs.items, pairs.count) ||
        !scree_contact_list_renew(&world->last_walls, &world->walls, &world->memory, n, walls.items, walls.count))
        return false;
    scree_contact_list swap = world->pairs;
    world->pairs = world->last_pairs;
    world->last_pairs = swap;
    swap = world->walls;
    world->walls = world->last_walls;
    world->last_walls = swap;
    return true;
}

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

static void run_substep(scree_world *world, scree_rows *rows, const scree_system *system, double h)
{
    const scree_solver *solver = &world->settings->solver;
    uint32_t n = world->particles.count;
    scree_sweep sweep = {rows, &world->pairs, &world->walls, world->particles.twist};
    motion_job motion = {&world->particles, scale(h, vec3_of(world->settings->head.gravity)), h};
    double beta = solver->warm_factor > 0.0 ? solver->warm_factor : solver->substeps == 1 ? 0.85 : 1.0; /* METHOD §7 */
    double ratio = world->substep > 0.0 ? h / world->substep : 1.0;

    scree_rows_refresh(rows, system, world->pool, h);
    scree_pool_run(world->pool, n, GRAIN, add_velocity, &motion);
    scree_sweep_warm(&sweep, (scree_warm_start)solver->warm_start, beta * ratio, h);
    for (uint32_t i = 0; i < solver->sweeps; i++)
        scree_sweep_once(&sweep);
    scree_pool_run(world->pool, n, GRAIN, move, &motion);
    scree_measure_walls(world, rows);
    world->substep = h;
}

/* One frame of a step that has `frames` of them; done: how many lie behind. */
static bool run_frame(scree_world *world, double dt, uint32_t frames, uint32_t done)
{
    uint32_t substeps = world->settings->solver.substeps;
    double frame = dt / frames, h = frame / substeps;
    scree_system system = {world->settings, &world->particles, world->shapes,
                           world->bodies,   &world->pairs,     &world->walls};
    scree_rows rows;
    scree_arena_reset(&world->arena);
    if (!find_contacts(world, frame) || !scree_rows_begin(&rows, &system, &world->arena, world->pool))
        return false;
    for (uint32_t k = 1; k <= substeps; k++) {
        run_substep(world, &rows, &system, h);
        double share = (done * (double)substeps + k) / ((double)frames * substeps);
        for (uint32_t i = 0; i < world->settings->body_count; i++)
            scree_rigid_advance(&world->bodies[i], share);
        scree_world_place_shapes(world);
    }
    scree_measure_overlap(world, &rows);
    return true;
}

static bool is_finite(const scree_world *world)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < world->particles.count; i++) {
        const scree_twist *twist = &world->particles.twist[i];
        vec3 x = world->particles.place[i].x;
        sum += 0.0 * (x.x + x.y + x.z + dot(twist->v, twist->v) + dot(twist->w, twist->w));
    }
    return sum == 0.0; /* one value that is not finite makes it NaN */
}

scree_status scree_world_step(scree_world *world, double dt, scree_error *error)
{
    if (!world->started)
        return scree_fail(error, SCREE_STATE, "the world has not been started");
    if (!(dt > 0.0) || !isfinite(dt))
        return scree_fail(error, SCREE_INVALID, "a step of %g s; it must be above 0 and finite", dt);
    dt = clean_step(world, dt);
    double frames = ceil(dt / world->settings->solver.frame - SAME);
    if (frames > 1e9)
        return scree_fail(error, SCREE_INVALID, "a step of %g s has more than 1e9 frames of %g s", dt,
                          world->settings->solver.frame);
    scree_status status = aim_bodies(world, dt, error);
    if (status != SCREE_OK)
        return status;
    uint32_t count = frames < 1.0 ? 1 : (uint32_t)frames;
    for (uint32_t i = 0; i < count; i++)
        if (!run_frame(world, dt, count, i)) {
            world->started = false;
            return scree_fail(error, SCREE_MEMORY, "out of memory at time %g s; the world must be started anew",
                              scree_world_time(world));
        }
    advance_clock(&world->clock, dt);
    world->last_dt = dt;
    if (!is_finite(world)) {
        world->started = false;
        return scree_fail(error, SCREE_DIVERGED, "a grain's position or velocity is no longer finite at time %g s",
                          scree_world_time(world));
    }
    return SCREE_OK;
}
