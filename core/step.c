/*
 * One step, as it goes through the engine:
 *
 *   inputs at ports → aim the bodies
 *   → per frame: grains go and come → search, if the last one no longer holds → contacts → rows
 *     → per substep: see substep.c
 *   → sensors → outputs at ports
 */
#include "attempt.h"
#include "base/log.h"
#include "base/machine.h"
#include "feed/feed.h"
#include "find.h"
#include "measure/impedance.h"
#include "measure/measure.h"
#include "measure/sensors.h"
#include "rest.h"
#include "solve/sweep.h"
#include "substep.h"
#include "world.h"

static const double SAME = 1e-9; /* relative: step sizes that differ by a master's rounding only */

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

static scree_status check_inputs(const scree_world *world, double dt, scree_error *error)
{
    const scree_port *ports = world->settings->ports;
    for (uint32_t i = 0; i < world->settings->port_count; i++) {
        scree_status status = scree_port_takes_motion(&ports[i])
                                  ? scree_input_check(&world->ports[i].input, &ports[i], dt, error)
                                  : SCREE_OK;
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static void aim_bodies(scree_world *world, double dt)
{
    const scree_scene *settings = world->settings;
    const scree_port *ports = settings->ports;
    for (uint32_t i = 0; i < settings->port_count; i++)
        world->ports[i].filter.seen = (scree_wrench){0};
    for (uint32_t i = 0; i < settings->body_count; i++)
        scree_rigid_aim(&world->bodies[i], NULL, NULL, dt);
    if (!world->settling)
        scree_running_aim(world, dt);
    for (uint32_t i = 0; i < settings->port_count && !world->settling; i++)
        if (ports[i].mode == SCREE_PORT_MOTION)
            scree_rigid_aim(&world->bodies[ports[i].body], &world->ports[i].input, &ports[i], dt);
    scree_mechanism_aim(&world->mechanism, settings, world->drives, world->ports, dt);
}

/* Derivatives of inputs are said for one step. */
static void forget_rates(scree_world *world)
{
    for (uint32_t i = 0; i < world->settings->port_count; i++)
        world->ports[i].input =
            (scree_port_input){.motion = world->ports[i].input.motion, .load = world->ports[i].input.load};
}

/* What the bodies do in a substep, from one share of the step to another. */
static void head_bodies(scree_world *world, double dt, double begin, double end)
{
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        scree_rigid_head(&world->bodies[i], begin, end);
    for (uint32_t i = 0; i < world->settings->port_count; i++) {
        const scree_port *port = &world->settings->ports[i];
        if (port->mode == SCREE_PORT_FORCE)
            scree_rigid_load(&world->bodies[port->body], &world->ports[i].input, port, begin * dt, end * dt);
    }
}

/* Room for what is noted about pairs, and how far grains are from straying from them: not known yet. */
static bool take_notes(scree_world *world)
{
    scree_pair_job *job = &world->pair_job;
    job->partial = scree_arena_get(&world->arena, world->pairs.range_count, sizeof *job->partial);
    job->hits = scree_arena_get(&world->arena, world->pairs.count, 1);
    for (uint32_t t = 0; t < scree_substep_ranges(world->particles.count); t++)
        world->journeys[t].spare = -1.0;
    return job->partial && job->hits;
}

/* Scratch that lives as long as the frame. */
static bool take_scratch(scree_world *world)
{
    uint32_t n = world->particles.count, materials = world->settings->material_count;
    scree_pairs *pairs = &world->pairs;
    scree_contact_law *laws = scree_arena_get(&world->arena, (size_t)materials * materials, sizeof *laws);
    world->stand = scree_arena_get(&world->arena, n, sizeof *world->stand);
    world->spin = scree_arena_get(&world->arena, n, sizeof *world->spin);
    world->changes = scree_arena_get(&world->arena, scree_sweep_ranges(n), sizeof *world->changes);
    world->journeys = scree_arena_get(&world->arena, scree_substep_ranges(n), sizeof *world->journeys);
    world->shifts = scree_arena_get(&world->arena, scree_substep_ranges(n), sizeof *world->shifts);
    world->tallies = scree_arena_get(&world->arena, scree_pool_ranges(n, SCREE_TILE), sizeof *world->tallies);
    scree_pair_job *job = &world->pair_job;
    *job = (scree_pair_job){.pairs = pairs,
                            .kernels = world->kernels,
                            .laws = laws,
                            .place = world->particles.place,
                            .stand = world->stand,
                            .twist = world->particles.twist,
                            .pool = world->pool};
    job->sums = scree_arena_get(&world->arena, n, sizeof *job->sums);
    job->lively = scree_arena_get(&world->arena, n, 1);
    job->restless = scree_arena_get(&world->arena, scree_substep_ranges(n), 1);
    if (!laws || !world->stand || !world->spin || !world->changes || !world->journeys || !world->shifts ||
        !world->tallies || !job->sums || !job->lively || !job->restless || !take_notes(world))
        return false;
    for (uint32_t t = 0; t < scree_substep_ranges(n); t++) {
        world->journeys[t] = (scree_journey){.spare = -1.0};
        world->shifts[t] = 0.0;
    }
    scree_pair_laws(job, world->settings, laws);
    world->fresh = true;
    world->fastest = INFINITY; /* grains may have come, or been given other velocities */
    return true;
}

/* Contacts, their rows and the scratch that goes with them. frame: s, that they are to last; h: s, of a substep. */
static bool prepare(scree_world *world, const scree_system *system, double frame, double h)
{
    scree_flow_end(world);
    scree_arena_reset(&world->arena); /* all that was taken from it is taken anew */
    world->rows = (scree_rows){0};
    scree_impact_forget(&world->impact_scratch);
    scree_heavy_system heavy = scree_world_heavy(world);
    bool good = scree_find_contacts(world, frame, h) &&
                scree_rows_begin(&world->rows, system, &world->arena, world->pool, h) &&
                scree_heavy_begin(&heavy, &world->arena) && take_scratch(world) && scree_rest_begin(world, frame, h) &&
                scree_flow_begin(world);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_WALLS);
    return good;
}

/* Contacts with shapes alone, as above; the rest goes on as it is. */
static bool prepare_walls(scree_world *world, const scree_system *system, double frame, double h)
{
    scree_heavy_system heavy = scree_world_heavy(world);
    scree_impact_forget(&world->impact_scratch);
    bool good = scree_find_walls(world, frame, h) &&
                scree_rows_begin(&world->rows, system, &world->arena, world->pool, h) &&
                scree_heavy_begin(&heavy, &world->arena);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_WALLS);
    return good;
}

/* Mends the pairs within a frame; the rest goes on as it is. *done: that was enough. */
static bool mend_pairs(scree_world *world, double frame, double h, bool *done)
{
    bool anew = true;
    *done = false;
    if (world->pair_job.asleep || !scree_find_bodies_hold(world))
        return true;
    scree_impact_forget(&world->impact_scratch);
    if (!scree_find_pairs(world, frame, h, &anew))
        return false;
    *done = !anew;
    return anew || take_notes(world);
}

/* One frame of a step that has `frames` of them; done: how many lie behind. */
static bool run_frame(scree_world *world, double dt, uint32_t frames, uint32_t done)
{
    double frame = dt / frames;
    if (scree_rest_is_all(world, frame / world->substeps)) {
        for (uint32_t k = 1; k <= world->substeps; k++)
            scree_substep_pass(world, frame, (done + (double)k / world->substeps) / frames);
        return true;
    }
    scree_system system = {.settings = world->settings,
                           .particles = &world->particles,
                           .shapes = world->shapes,
                           .bodies = world->bodies,
                           .walls = &world->walls};
    head_bodies(world, dt, (double)done / frames, (done + 1.0) / frames); /* new grains may go along with one */
    if (!scree_feed_run(world, scree_world_time(world) + done * frame, frame))
        return false;
    if (scree_world_wants_order(world) && !scree_pairs_hold(&world->pairs, &world->particles) &&
        !scree_world_order(world))
        return false;
    scree_stopwatch_end(&world->watch, SCREE_STAGE_FEED);
    if (!prepare(world, &system, frame, frame / world->substeps))
        return false;
    uint64_t passes = world->passes;
    for (uint32_t k = 1; k <= world->substeps; k++) {
        bool holds = k == 1 || scree_find_holds(world);
        double left = frame * (world->substeps - k + 1) / world->substeps;
        double begin = (done + (k - 1.0) / world->substeps) / frames;
        double end = (done + (double)k / world->substeps) / frames;
        head_bodies(world, dt, begin, end);
        if (!holds && !mend_pairs(world, left, frame / world->substeps, &holds))
            return false;
        if ((!holds && !prepare(world, &system, left, frame / world->substeps)) ||
            (!world->reaches && !prepare_walls(world, &system, left, frame / world->substeps)) ||
            !scree_substep_run(world, &system, frame, end, k == world->substeps))
            return false;
    }
    scree_flow_end(world);
    scree_rest_end(world, frame / world->substeps);
    world->sweeps = (double)(world->passes - passes) / world->substeps;
    scree_measure_overlap(world, &world->rows);
    world->last_substeps = world->substeps;
    world->missed = !scree_substep_adapt(world, frame);
    return true;
}

/* After the sensors were read: sums over the grains are finite only when all are. */
static bool is_finite(const scree_world *world)
{
    const scree_sums *all = &world->sensing.all;
    double sum = 0.0 * (all->moment.x + all->moment.y + all->moment.z + all->energy);
    for (uint32_t i = 0; i < world->settings->body_count; i++) {
        const scree_rigid *body = &world->bodies[i];
        sum += 0.0 * (dot(body->now.x, body->now.x) + dot(body->v, body->v) + dot(body->w, body->w));
    }
    return sum == 0.0; /* one value that is not finite makes it NaN */
}

/* Once per run: grains that overlap by a fifth are no longer the grains that the scene describes. */
static void warn_of_overlap(scree_world *world)
{
    if (world->warned || world->max_overlap < 0.2)
        return;
    world->warned = true;
    scree_log_write(
        &world->log, SCREE_LOG_WARNING,
        "grains overlap by up to %.0f %% of the sum of their radii at time %g s; a higher Young's modulus, more "
        "substeps or slower tools would keep them apart",
        100.0 * world->max_overlap, scree_world_time(world));
}

/* ---------------------------------------------------------------- the step */

static scree_status fail_for_memory(scree_world *world, scree_error *error)
{
    world->started = false;
    return scree_fail(error, SCREE_MEMORY, "out of memory at time %g s; the world must be started anew",
                      scree_world_time(world));
}

/* Inputs are good: nothing of this can fail. */
static void begin_step(scree_world *world, double dt)
{
    scree_stopwatch_begin(&world->watch);
    aim_bodies(world, dt);
    world->impacts = 0;
    scree_sensors_begin(world);
    scree_feed_begin(world);
}

static scree_status end_step(scree_world *world, double dt, scree_error *error)
{
    advance_clock(&world->clock, dt);
    forget_rates(world);
    warn_of_overlap(world);
    world->last_dt = dt;
    scree_sensors_read(world);
    if (is_finite(world)) {
        scree_status status = scree_measure_impedance(world, dt, error);
        world->started = status == SCREE_OK;
        scree_stopwatch_end(&world->watch, SCREE_STAGE_MEASURE);
        return status;
    }
    world->started = false;
    return scree_fail(error, SCREE_DIVERGED,
                      "the position or velocity of a grain or a body is no longer finite at time %g s",
                      scree_world_time(world));
}

/* A frame that meets the tolerance: tried with more and more substeps. LIMIT: the world is as it was before. */
static scree_status run_strict_frame(scree_world *world, double dt, uint32_t frames, uint32_t done, scree_error *error)
{
    if (done > 0 && scree_attempt_keep(world, error) != SCREE_OK) /* the first one was kept before the step began */
        return fail_for_memory(world, error);
    for (;;) {
        uint32_t tried = world->substeps;
        if (!run_frame(world, dt, frames, done))
            return fail_for_memory(world, error);
        if (!world->missed)
            return SCREE_OK;
        uint32_t more = world->substeps;
        if (scree_attempt_undo(world, error) != SCREE_OK)
            return fail_for_memory(world, error);
        const scree_solver *solver = &world->settings->solver; /* taking back has made the settings anew */
        if (tried >= solver->max_substeps)
            return scree_fail(error, SCREE_LIMIT,
                              "the tolerance of %g is not met with %u substeps; a shorter step or more substeps may do",
                              solver->tolerance, tried);
        if (done == 0)
            begin_step(world, dt);
        world->substeps = more;
    }
}

static scree_status check_budget(const scree_world *world, double began, uint32_t done, uint32_t frames,
                                 scree_error *error)
{
    double budget = world->settings->solver.time_budget;
    if (budget > 0.0 && done < frames && scree_machine_seconds() - began > budget)
        return scree_fail(error, SCREE_LIMIT, "the time budget of %g s is used up after %u of %u frames", budget, done,
                          frames);
    return SCREE_OK;
}

/* *done: frames that are good. */
static scree_status run_frames(scree_world *world, double dt, uint32_t frames, uint32_t *done, scree_error *error)
{
    double began = world->settings->solver.time_budget > 0.0 ? scree_machine_seconds() : 0.0;
    scree_status status = SCREE_OK;
    while (status == SCREE_OK && *done < frames) {
        if (world->settings->solver.strict)
            status = run_strict_frame(world, dt, frames, *done, error);
        else if (!run_frame(world, dt, frames, *done))
            status = fail_for_memory(world, error);
        if (status == SCREE_OK)
            status = check_budget(world, began, ++*done, frames, error);
    }
    return status;
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
    scree_status status = check_inputs(world, dt, error);
    if (status == SCREE_OK && world->settings->solver.strict)
        status = scree_attempt_keep(world, error);
    if (status != SCREE_OK)
        return status;
    uint32_t count = frames < 1.0 ? 1 : (uint32_t)frames, done = 0;
    begin_step(world, dt);
    status = run_frames(world, dt, count, &done, error);
    if (status == SCREE_OK)
        return end_step(world, dt, error);
    if (status != SCREE_LIMIT || done == 0)
        return status;
    scree_status end = end_step(world, dt * done / count, NULL);
    return end == SCREE_OK ? status : scree_fail(error, end, "%s", scree_status_text(end));
}
