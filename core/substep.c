/*
 * One substep, as it goes through the solver:
 *
 *   refresh rows → impacts → gravity → warm start → sweeps → residual (last of a frame) → integrate → measure walls
 */
#include "substep.h"

#include "body/dynamics.h"
#include "measure/measure.h"
#include "rest.h"
#include "solve/law.h"
#include "solve/pair_kernels.h"
#include "solve/sweep.h"

enum { NEWTON_STEPS = 2 }; /* the second leaves 1e-12 of what the first did */

/* Gap over the sum of radii up to which pairs are held (METHOD §4): 0.001 holds too few, 0.003 to 0.03 do alike. */
static const double HOLD = 0.01;

uint32_t scree_substep_ranges(uint32_t particles)
{
    return scree_pool_ranges(particles, SCREE_TILE);
}

typedef struct motion_job {
    scree_particles *particles;
    scree_kick kick;
    const scree_pairs *pairs;
    scree_journey *journeys; /* [tiles] */
    double *shifts;          /* m, [tiles], by impacts of this substep */
    double h;                /* s */
    const uint8_t *asleep;   /* [tiles]; NULL: none */
    const scree_sweep *walls;
    scree_warm_start from;
    double share;       /* of the last impulses that contacts with bodies start from */
    double drift, time; /* m, s, that those of the pairs go on in this substep */
    double impact;      /* m/s, from which on an approach is an impact */
    bool timed;         /* the stages' times are wanted */
    scree_world *world;
} motion_job;

/* Gravity, and all contacts as they pushed in the last substep (METHOD §7), but those of dynamic bodies, whose impulses
 * have been taken out of the grains' changes. Contacts with other bodies that start anew are warm started. */
static void kick(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const motion_job *todo = context;
    const scree_kick *each = &todo->kick;
    bool asleep = scree_rest_has(todo->asleep, begin);
    for (uint32_t i = begin; i < end && asleep && !each->goes_on; i++) { /* once: nothing changes it */
        each->stand[i] = (scree_stand){.x = each->place[i].x, .r = each->place[i].r};
        each->spin[i] = (vec3){0.0, 0.0, 0.0};
    }
    if (!asleep)
        todo->world->kernels->kick(each, begin, end);
    if (!each->goes_on)
        scree_sweep_warm_tile(todo->walls, tile, todo->from, todo->share, todo->h);
}

/* The same, and the first sweep over the contacts with bodies: what comes before the pairs, while the tile's grains are
 * in the cache. */
static void kick_and_sweep(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const motion_job *todo = context;
    scree_journey *journey = &todo->journeys[tile];
    double first = todo->timed ? scree_machine_seconds() : 0.0;
    kick(context, tile, begin, end);
    double second = todo->timed ? scree_machine_seconds() : 0.0;
    scree_sweep_tile(todo->walls, tile);
    journey->kicking = second - first;
    journey->sweeping = todo->timed ? scree_machine_seconds() - second : 0.0;
}

/* Gives the stages that ran within the sweep over the pairs what they took of its time. */
static void share_time(scree_world *world)
{
    double kicking = 0.0, sweeping = 0.0, *seconds = world->watch.sums.seconds;
    uint32_t threads = scree_pool_threads(world->pool);
    for (uint32_t i = 0; i < scree_substep_ranges(world->particles.count); i++) {
        kicking += world->journeys[i].kicking / threads;
        sweeping += world->journeys[i].sweeping / threads;
    }
    seconds[SCREE_STAGE_SWEEP] -= kicking + sweeping;
    seconds[SCREE_STAGE_PREDICT] += kicking;
    seconds[SCREE_STAGE_BODIES] += sweeping;
}

/*
 * Whether a grain of the tile has gone farther than its margin since the pairs were chosen. With the margin m and the
 * way g, m − g ≥ (m² − g²)/2m: the least of these tells how far all may go until they are asked again.
 */
static bool has_strayed(const motion_job *todo, scree_journey *journey, uint32_t begin, uint32_t end)
{
    const scree_pairs *pairs = todo->pairs;
    double least = HUGE_VAL, margin = 0.0, course = 0.0;
    bool strayed = false;
    for (uint32_t i = begin; i < end; i++) {
        vec3 gone = scree_pairs_gone(pairs, i, todo->particles->place[i].x), v = scree_course_of(&pairs->courses[i]);
        double m = pairs->seen[i].r, left = m * m - dot(gone, gone), square = dot(v, v);
        strayed |= !(left >= 0.0);
        least = left < least ? left : least;
        margin = m > margin ? m : margin;
        course = square > course ? square : course;
    }
    journey->spare = !strayed && margin > 0.0 ? 0.5 * least / margin : -1.0;
    journey->course = sqrt(course);
    return strayed;
}

/* What the velocities of a tile are compared with: the means of the last substep. Those that sleep have none. */
static scree_pace pace_of(const scree_world *world, uint32_t tile, uint32_t grains, double impact)
{
    const double half = 0.499 * impact; /* a hair less, for the rounding of floats */
    return (scree_pace){.tile = scale(1.0 / grains, world->journeys[tile].sum),
                        .all = world->pair_job.asleep ? (vec3){0.0, 0.0, 0.0} : world->stream,
                        .calm = half * half,
                        .lively = world->pair_job.lively};
}

static void note_pace(scree_world *world, uint32_t tile, const scree_pace *pace)
{
    world->journeys[tile].sum = pace->sum;
    world->journeys[tile].fastest = pace->fastest;
    world->pair_job.restless[tile] = pace->some;
}

static void move(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const motion_job *todo = context;
    scree_journey *journey = &todo->journeys[tile];
    bool asleep = scree_rest_has(todo->asleep, begin);
    scree_pace pace = {.some = 0};
    if (!asleep) {
        pace = pace_of(todo->world, tile, end - begin, todo->impact);
        todo->world->kernels->move(todo->particles->place, todo->particles->twist, todo->h, begin, end, &pace);
    }
    note_pace(todo->world, tile, &pace);
    journey->spare -=
        todo->h * sqrt(journey->fastest) + todo->drift + todo->time * journey->course + todo->shifts[tile];
    todo->shifts[tile] = 0.0;
    scree_measure_tile(todo->world, tile);
    journey->strayed = !asleep && !(journey->spare >= 0.0) && has_strayed(todo, journey, begin, end);
}

/* The pairs drift with the mean velocity of the last substep, and grains go their courses. Those that sleep stay, and
 * then all are expected to. */
static void move_grains(scree_world *world, motion_job *motion)
{
    uint32_t n = world->particles.count;
    vec3 sum = {0.0, 0.0, 0.0};
    scree_pairs *pairs = &world->pairs;
    if (!motion->asleep) {
        double time = fmin(pairs->time + motion->h, pairs->horizon);
        pairs->drift = mul_add(pairs->drift, motion->h, world->stream);
        motion->drift = motion->h * length(world->stream);
        motion->time = time - pairs->time;
        pairs->time = time;
    }
    scree_pool_run(world->pool, n, SCREE_TILE, move, motion);
    world->holds = true;
    world->fastest = 0.0;
    for (uint32_t i = 0; i < scree_substep_ranges(n); i++) {
        world->holds = world->holds && !world->journeys[i].strayed;
        sum = add(sum, world->journeys[i].sum);
        world->fastest = world->journeys[i].fastest <= world->fastest ? world->fastest : world->journeys[i].fastest;
        bool within = !world->wall_search.valid ||
                      scree_walls_go(&world->wall_search, i, motion->h * sqrt(world->journeys[i].fastest));
        world->reaches = world->reaches && within;
    }
    world->fastest = sqrt(world->fastest);
    world->stream = n > 0 ? scale(1.0 / n, sum) : sum;
}

/* Overlap errors relax over the papers' two substeps when a frame has one, over up to ten when it has more (METHOD §5).
 */
static scree_substep plan_substep(const scree_world *world, double h)
{
    double given = world->settings->solver.stabilization;
    double chosen = world->substeps < 2 ? 2.0 : world->substeps > 10 ? 10.0 : world->substeps;
    bool several = world->substeps > 1;
    bool holds =
        several && !world->pair_job.adhesive && scree_law_is_stiff(world->settings, world->mean_diameter, h, 1e-3, 0.8);
    scree_substep substep = {.h = h, .n_s = given > 0.0 ? given : chosen, .tame = several, .hold = holds ? HOLD : 0.0};
    scree_substep_set_yield(&substep, world->settings, world->mean_diameter, world->substeps);
    return substep;
}

/* Velocity above which an approach is an impact: that of a fall through 1 % of a diameter, or 2 % of one per frame
 * where nothing falls (METHOD §6). */
static double impact_speed(const scree_world *world, double frame)
{
    double given = world->settings->solver.impact_speed, g = length(vec3_of(world->settings->head.gravity));
    double d = world->mean_diameter;
    return given > 0.0 ? given : g > 0.0 ? sqrt(2.0 * g * 0.01 * d) : 0.02 * d / frame;
}

/* Whether any pair may bounce, or must not sink in unnoticed because the frame has one substep only. */
static bool has_impacts(const scree_world *world)
{
    bool some = world->substeps == 1;
    for (uint32_t i = 0; i < world->settings->pair_count; i++)
        some = some || world->settings->pairs[i].restitution > 0.0;
    return some;
}

typedef struct watch_job {
    scree_world *world;
    double impact; /* m/s */
} watch_job;

static void watch_tile(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const watch_job *todo = context;
    scree_world *world = todo->world;
    for (int i = 0; i < 2; i++) { /* first their mean, then what differs from it */
        scree_pace pace = pace_of(world, tile, end - begin, todo->impact);
        world->kernels->watch(world->particles.twist, begin, end, &pace);
        note_pace(world, tile, &pace);
    }
}

/* As a frame begins, when grains may have come or been given other velocities: who is fast enough to need a look. */
static void watch_grains(scree_world *world, double impact)
{
    uint32_t n = world->particles.count;
    double most = 0.0;
    watch_job todo = {world, impact};
    scree_pool_run(world->pool, n, SCREE_TILE, watch_tile, &todo);
    for (uint32_t t = 0; t < scree_substep_ranges(n); t++)
        most = world->journeys[t].fastest <= most ? most : world->journeys[t].fastest;
    world->fastest = sqrt(most);
}

/* Impacts change velocities and some positions: the rows are refreshed when there were any. */
static bool run_impacts(scree_world *world, const scree_system *system, double frame, double h, bool goes_on)
{
    double speed = impact_speed(world, frame);
    if (!has_impacts(world))
        return true;
    if (!isfinite(world->fastest))
        watch_grains(world, speed);
    scree_impact impact = {.rows = &world->rows,
                           .walls = &world->walls,
                           .job = &world->pair_job,
                           .particles = &world->particles,
                           .speed = speed,
                           .h = h,
                           .calm = 2.0 * world->fastest < speed,
                           .inelastic = world->substeps == 1,
                           .arena = &world->arena,
                           .memory = &world->memory,
                           .shifts = world->shifts,
                           .left = world->wall_search.valid ? world->wall_search.left : NULL,
                           .stand = goes_on ? world->stand : NULL,
                           .spin = world->spin,
                           .scratch = &world->impact_scratch};
    uint32_t count = scree_impact_run(&impact);
    if (count == UINT32_MAX)
        return false;
    world->impacts += count;
    if (count > 0) {
        scree_measure_impacts(world);
        scree_rows_refresh_some(&world->rows, system, world->impact_scratch.touched,
                                world->impact_scratch.touched_count, plan_substep(world, h));
    }
    return true;
}

/* Whether this sweep of a substep goes from the last contact to the first. The first one always goes the same way: what
 * it leaves undone is what the next substep begins with, and ways that change from substep to substep feed it. */
static bool goes_backwards(scree_order order, uint32_t number)
{
    return order == SCREE_ORDER_REVERSE || (order == SCREE_ORDER_SYMMETRIC && number % 2 == 1);
}

/* Whether the grains of a tile may be kicked and swept while others wait: the pairs begin with the tiles, and no
 * dynamic body comes between. */
static bool goes_by_tiles(const scree_world *world)
{
    scree_order order = (scree_order)world->settings->solver.order;
    bool all = world->heavy.loads.count == 0 && order != SCREE_ORDER_RANDOM && !goes_backwards(order, 0);
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        all = all && !world->bodies[i].dynamic;
    return all;
}

/* Sweeps until the change is small enough or their number is used up: bodies, pairs, dynamic bodies and their joints.
 */
static void run_sweeps(scree_world *world, scree_sweep *walls, const scree_heavy_system *heavy,
                       const scree_mechanism_system *mechanism)
{
    const scree_solver *solver = &world->settings->solver;
    scree_order order = (scree_order)solver->order;
    double change = INFINITY;
    for (uint32_t i = 0; i < solver->sweeps && !(change < solver->residual); i++) {
        bool backwards = goes_backwards(order, i);
        world->passes++;
        scree_change sum = {0.0, 0.0};
        scree_pair_sums pairs = {0};
        if (!backwards && !world->pair_job.before)
            sum = scree_sweep_once(walls, false);
        scree_stopwatch_end(&world->watch, SCREE_STAGE_BODIES);
        scree_pair_sweep(&world->pair_job, order, i, &world->random, &pairs);
        scree_stopwatch_end(&world->watch, SCREE_STAGE_SWEEP);
        if (world->pair_job.before) {
            sum = scree_sweep_sum(walls);
            share_time(world);
        }
        world->pair_job.before = NULL; /* only in the first one */
        if (backwards)
            sum = scree_sweep_once(walls, true);
        double moved = 0.0, held = 0.0;
        scree_heavy_sweep(heavy, &moved, &held);
        scree_mechanism_solve(mechanism, NEWTON_STEPS);
        sum.moved += pairs.moved;
        sum.held += pairs.held;
        change = sum.held > 0.0 ? sqrt(sum.moved / sum.held) : 0.0;
        change = held > 0.0 ? fmax(change, sqrt(moved / held)) : change;
        scree_stopwatch_end(&world->watch, SCREE_STAGE_BODIES);
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

/* One over the mass of a mean grain of the first material, in kg, as a power of two. */
static float unit_of(const scree_world *world)
{
    double d = world->mean_diameter, mass = SCREE_PI / 6.0 * d * d * d;
    int exponent = 0;
    if (world->settings->material_count > 0)
        (void)frexp(mass * world->settings->materials[0].density, &exponent);
    return (float)ldexp(1.0, exponent < -100 ? 100 : exponent > 100 ? -100 : -exponent);
}

/* What the solve of the pairs needs to know about this substep. */
static void set_job(scree_world *world, double frame, double h, double keep)
{
    enum { MANY = 20000 };
    const scree_solver *solver = &world->settings->solver;
    scree_pair_job *job = &world->pair_job;
    job->large = world->particles.count > MANY;
    job->substep = plan_substep(world, h);
    job->gamma = solver->tangent_gamma;
    job->impact_speed = impact_speed(world, frame);
    job->least_restitution = world->substeps == 1 ? -1.0 : 0.0;
    job->share = keep;
    job->unit = unit_of(world);
    job->from = (scree_warm_start)solver->warm_start;
    job->by_radius = solver->roll_radius == SCREE_ROLL_RADIUS;
}

bool scree_substep_run(scree_world *world, const scree_system *system, double frame, double share, bool last)
{
    const scree_solver *solver = &world->settings->solver;
    double h = frame / world->substeps;
    uint32_t n = world->particles.count;
    scree_warm_start from = (scree_warm_start)solver->warm_start;
    double beta = solver->warm_factor > 0.0 ? solver->warm_factor : world->substeps == 1 ? 0.85 : 1.0; /* METHOD §7 */
    double ratio = world->substep > 0.0 ? h / world->substep : 1.0;
    vec3 change = scale(h, vec3_of(world->settings->head.gravity));
    /* pairs start from their last impulses: those of the last substep as they acted then, or, when contacts have just
       been found, laid into the normals of now */
    bool carries = from == SCREE_WARM_HISTORY && beta == 1.0, fresh = world->fresh || !carries;
    motion_job motion = {.particles = &world->particles,
                         .kick = {.twist = world->particles.twist,
                                  .stand = world->stand,
                                  .spin = world->spin,
                                  .place = world->particles.place,
                                  .change = change,
                                  .last_change = scale(1.0 / ratio, change),
                                  .ratio = ratio,
                                  .goes_on = !fresh},
                         .pairs = &world->pairs,
                         .journeys = world->journeys,
                         .shifts = world->shifts,
                         .h = h,
                         .asleep = world->pair_job.asleep,
                         .impact = impact_speed(world, frame),
                         .timed = world->watch.wanted};
    scree_system awake = *system; /* the rows of those that sleep are set once */
    awake.asleep = world->rows.fresh ? NULL : world->pair_job.asleep;
    awake.stand = fresh ? NULL : world->stand;
    awake.spin = world->spin;
    if (world->wall_search.valid) {
        awake.left = world->wall_search.left;
        awake.ways = world->wall_search.ways;
    }
    system = &awake;
    scree_sweep walls = {&world->rows, &world->walls,          world->particles.twist, n,
                         world->pool,  world->pair_job.asleep, world->changes};
    motion.walls = &walls;
    motion.from = from;
    motion.share = beta * ratio;
    motion.world = world;
    scree_heavy_system heavy = scree_world_heavy(world);
    scree_mechanism_system mechanism = {.mechanism = &world->mechanism,
                                        .settings = world->settings,
                                        .bodies = world->bodies,
                                        .drives = world->drives,
                                        .h = h,
                                        .share = share};
    set_job(world, frame, h, beta * ratio);

    scree_substep substep = plan_substep(world, h);
    substep.way = world->substep; /* not after impacts, which change velocities */
    scree_rows_refresh(&world->rows, system, world->pool, substep);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_WALLS);
    if (!run_impacts(world, system, frame, h, !fresh))
        return false;
    scree_stopwatch_end(&world->watch, SCREE_STAGE_IMPACTS);
    scree_heavy_refresh(&heavy, substep, impact_speed(world, frame));
    scree_loop *first = &kick_and_sweep;
    if (fresh || !goes_by_tiles(world)) {
        scree_pool_run(world->pool, n, SCREE_TILE, kick, &motion);
        first = NULL;
    }
    world->pair_job.before = first;
    world->pair_job.context = &motion;
    scree_mechanism_begin(&mechanism);
    kick_bodies(world, h);
    if (fresh)
        scree_pair_warm(&world->pair_job);
    scree_heavy_warm(&heavy, from, beta * ratio, h);
    scree_mechanism_warm(&mechanism, ratio);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_PREDICT);
    run_sweeps(world, &walls, &heavy, &mechanism);
    if (last)
        world->residual =
            scree_residual_measure(&world->rows, system, &world->heavy, &world->pair_job, change, &world->pair_sums);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_RESIDUAL);
    move_grains(world, &motion);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_MOVE);
    scree_measure_contacts(world);
    if (carries && !last)
        scree_heavy_take_out(&heavy, world->stand, world->spin);
    scree_mechanism_measure(&mechanism);
    scree_measure_ports(world, h);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_MEASURE);
    move_bodies(world, h, share);
    scree_mechanism_follow(&mechanism);
    scree_world_place_shapes(world);
    world->substep = h;
    world->fresh = world->rows.fresh = false;
    scree_stopwatch_end(&world->watch, SCREE_STAGE_MOVE);
    return true;
}

void scree_substep_pass(scree_world *world, double frame, double share)
{
    double h = frame / world->substeps;
    world->passes += world->settings->solver.residual > 0.0 ? 1 : world->settings->solver.sweeps;
    for (uint32_t t = 0; t < scree_substep_ranges(world->particles.count); t++)
        scree_measure_tile(world, t);
    scree_measure_contacts(world);
    scree_measure_ports(world, h);
    move_bodies(world, h, share);
    scree_stopwatch_end(&world->watch, SCREE_STAGE_MEASURE);
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
