/*
 * Tools in beds: a blade that is dragged through 10 000 grains, and an excavator's bucket in a trench of 100 000.
 */
#include "bench/peers.h"

#include "command.h"

#include <math.h>

static const double FRAME = 0.005; /* s */
enum { TOOL_PORT = 2 };            /* behind floor and sides */

/* ---- blade: 0.1 m wide, 50 mm deep in a bed of 0.1 m, at 0.2 m/s */

static const bench_bed blade_bed = {.solver = "",
                                    .density = 3700.0,
                                    .youngs = 6.2e6,
                                    .friction = 0.91,
                                    .rolling = 0.32,
                                    .restitution = 0.18,
                                    .diameter = 0.010,
                                    .diameter_max = 0.013,
                                    .size = {0.69, 0.184},
                                    .count = 10000,
                                    .settling = 1.0};
static const double BLADE_SPEED = 0.2, BLADE_START = 0.1, BLADE_DEPTH = 0.05, BLADE_HEIGHT = 0.2; /* m/s, m */

typedef struct dragging {
    double z;     /* m, of the blade's centre */
    double begin; /* s, since the drag began */
} dragging;

static void drag(scree_world *world, double time, double dt, void *context)
{
    (void)dt;
    const dragging *blade = context;
    scree_motion motion = {
        .position = {BLADE_START + BLADE_SPEED * (blade->begin + time), 0.5 * blade_bed.size[1], blade->z},
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .velocity = {BLADE_SPEED, 0.0, 0.0}};
    (void)scree_world_set_motion(world, TOOL_PORT, &motion, NULL);
}

/* m, over the highest grain centre: near enough for a tool that only needs to begin above the bed. */
static double top_of(const bench_grains *grains)
{
    double top = 0.0;
    for (uint32_t i = 0; i < grains->count; i++)
        top = fmax(top, grains->items[i].position[2]);
    return top;
}

/* Grains that the blade would stand in are left out. */
static void clear_for_blade(bench_grains *grains, double z)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < grains->count; i++) {
        const bench_grain *grain = &grains->items[i];
        double r = 0.5 * grain->diameter;
        bool hit = fabs(grain->position[0] - BLADE_START) < 0.006 + r &&
                   fabs(grain->position[1] - 0.5 * blade_bed.size[1]) < 0.05 + r &&
                   grain->position[2] > z - 0.5 * BLADE_HEIGHT - r;
        if (!hit)
            grains->items[kept++] = *grain;
    }
    grains->count = kept;
}

static bool measure_drag(bench *bench, bench_report *report, bench_world *world, double z)
{
    dragging blade = {.z = z};
    int build_up = 120, steps = bench->quick ? 60 : 240; /* 0.12 m to build the heap up, then 0.24 m */
    double sum = 0.0;
    if (!bench_steps(bench, world, (uint32_t)build_up, FRAME, drag, &blade, NULL))
        return false;
    for (int i = 0; i < steps; i++) {
        scree_wrench wrench;
        blade.begin = (build_up + i) * FRAME;
        if (!bench_steps(bench, world, 1, FRAME, drag, &blade, &report->settled))
            return false;
        (void)scree_world_get_wrench(world->world, TOOL_PORT, &wrench);
        sum -= wrench.force[0];
    }
    report->figure = sum / steps;
    return true;
}

static void run_blade(bench *bench, bench_report *report)
{
    bench_grains grains;
    bench_writer writer = {0};
    bench_world world;
    report->failed = !bench_settle(bench, &blade_bed, &grains);
    if (report->failed)
        return;
    double z = top_of(&grains) - BLADE_DEPTH + 0.5 * BLADE_HEIGHT;
    clear_for_blade(&grains, z);
    bench_write_bed(&writer, bench, &blade_bed, blade_bed.restitution, 1, 1);
    bench_write(&writer, "body id=blade material=grain kind=driven position=%g,%g,%.17g", BLADE_START,
                0.5 * blade_bed.size[1], z);
    bench_write(&writer, "box size=0.012,0.1,%g", BLADE_HEIGHT);
    bench_write(&writer, "port id=blade body=blade");
    bench_write_grains(&writer, &grains, "grain");
    bench_free_grains(&grains);
    report->failed = !bench_open(bench, &writer, &world);
    if (report->failed)
        return;
    report->failed = !measure_drag(bench, report, &world, z);
    report->figure_of = "drag";
    report->figure_unit = "N";
    report->error = report->settled.overlap_error;
    report->error_of = "mean overlap, against the one that bears its force, over d";
    bench_report_world(report, &world);
    bench_close(&world);
}

/* ---- trench: 6 m by 3 m and 1.6 m deep, grains of 25 to 100 mm, and a bucket 1 m wide */

static const bench_bed trench_bed = {.solver = "",
                                     .density = 2600.0,
                                     .youngs = 1e8,
                                     .friction = 0.6,
                                     .rolling = 0.1,
                                     .restitution = 0.2,
                                     .diameter = 0.025,
                                     .diameter_max = 0.1,
                                     .size = {1.5, 1.5},
                                     .count = 12500,
                                     .settling = 3.0};

typedef struct digging {
    double surface; /* m */
    double begin;   /* s, since the bucket began */
} digging;

static double ramp(double time, double from, double to)
{
    double s = fmin(fmax((time - from) / (to - from), 0.0), 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/* Down into the ground while moving forward, 2.5 m along, then curled up and lifted; 5 s. */
static void bucket_pose(double surface, double time, double x[3], double *pitch)
{
    x[0] = 1.0 + 3.2 * ramp(time, 0.0, 4.5);
    x[1] = 1.5;
    x[2] = surface + 0.7 - 1.0 * ramp(time, 0.0, 1.2) + 1.2 * ramp(time, 3.5, 5.0);
    *pitch = 0.5 * (1.0 - ramp(time, 0.3, 1.5)) - 0.9 * ramp(time, 3.3, 4.5); /* rad, edge down when above 0 */
}

static void dig(scree_world *world, double time, double dt, void *context)
{
    const digging *bucket = context;
    double now[3], next[3], pitch, next_pitch, t = bucket->begin + time;
    bucket_pose(bucket->surface, t, now, &pitch);
    bucket_pose(bucket->surface, t + dt, next, &next_pitch);
    scree_motion motion = {.orientation = {cos(0.5 * pitch), 0.0, sin(0.5 * pitch), 0.0},
                           .angular_velocity = {0.0, (next_pitch - pitch) / dt, 0.0}};
    for (int k = 0; k < 3; k++) {
        motion.position[k] = now[k];
        motion.velocity[k] = (next[k] - now[k]) / dt;
    }
    (void)scree_world_set_motion(world, TOOL_PORT, &motion, NULL);
}

/* Bottom, back and two sides of 60 mm; the edge is at +x. */
static void write_bucket(bench_writer *writer, double surface)
{
    double x[3], pitch;
    bucket_pose(surface, 0.0, x, &pitch);
    bench_write(writer, "body id=bucket material=grain kind=driven position=%.17g,%.17g,%.17g rotation=0,%.17g,0", x[0],
                x[1], x[2], pitch);
    bench_write(writer, "box size=0.9,1,0.06 position=0,0,-0.3");
    bench_write(writer, "box size=0.06,1,0.66 position=-0.42,0,0");
    bench_write(writer, "box size=0.9,0.06,0.66 position=0,0.47,0");
    bench_write(writer, "box size=0.9,0.06,0.66 position=0,-0.47,0");
    bench_write(writer, "port id=bucket body=bucket");
}

/* Five seconds of digging in steps of a frame; kN, the mean horizontal force on the bucket. */
static bool measure_digging(bench *bench, bench_world *world, double surface, double frame, bench_phase *phase,
                            double *force)
{
    digging bucket = {.surface = surface};
    uint32_t steps = (uint32_t)((bench->quick ? 1.0 : 5.0) / frame + 0.5);
    double sum = 0.0;
    if (!bench_steps(bench, world, (uint32_t)(0.1 / frame + 0.5), frame, NULL, NULL, NULL))
        return false;
    for (uint32_t i = 0; i < steps; i++) {
        scree_wrench wrench;
        bucket.begin = i * frame;
        if (!bench_steps(bench, world, 1, frame, dig, &bucket, phase))
            return false;
        (void)scree_world_get_wrench(world->world, TOOL_PORT, &wrench);
        sum -= wrench.force[0];
    }
    *force = 1e-3 * sum / steps;
    return true;
}

/* The trench with the bucket above it, at rest. */
static bool open_trench(bench *bench, const bench_grains *grains, double surface, const char *solver,
                        bench_world *world)
{
    bench_writer writer = {0};
    bench_bed bed = trench_bed;
    bed.solver = solver;
    bench_write_bed(&writer, bench, &bed, bed.restitution, 4, 2);
    write_bucket(&writer, surface);
    return bench_open_leaning(bench, &writer, grains, world);
}

/* The same with twice the step: grains of 60 mm take as long to fall through a part of their diameter as those of 11 mm
 * that the default was chosen with (docs/convergence.md) take in less than half the time. */
static void dig_coarsely(bench *bench, bench_report *report, const bench_grains *grains, double surface)
{
    bench_world world;
    bench_phase phase = {0};
    double force;
    if (!open_trench(bench, grains, surface, "frame=0.01", &world))
        return;
    if (measure_digging(bench, &world, surface, 2.0 * FRAME, &phase, &force)) {
        double cost = phase.wall / phase.simulated;
        bench_add_peer(report, "scree, 10 ms frames", "wall_per_sim", cost,
                       cost * report->settled.simulated / report->settled.wall);
        bench_add_peer(report, "scree, 10 ms frames", "mean force, kN", force, NAN);
    }
    bench_close(&world);
}

static void run_trench(bench *bench, bench_report *report)
{
    bench_grains tile, grains;
    bench_world world;
    report->failed = !bench_settle(bench, &trench_bed, &tile);
    if (report->failed)
        return;
    report->failed = !bench_mirror(&tile, &trench_bed, 4, 2, &grains);
    double surface = top_of(&tile);
    bench_free_grains(&tile);
    if (report->failed) {
        scree_complain("scree bench: %s: out of memory", bench->name);
        return;
    }
    report->failed = !open_trench(bench, &grains, surface, trench_bed.solver, &world);
    if (!report->failed) {
        report->failed = !measure_digging(bench, &world, surface, FRAME, &report->settled, &report->figure);
        report->figure_of = "mean force";
        report->figure_unit = "kN";
        report->error = report->settled.overlap_error;
        report->error_of = "mean overlap, against the one that bears its force, over d";
        bench_report_world(report, &world);
        bench_close(&world);
    }
    if (!report->failed)
        dig_coarsely(bench, report, &grains, surface);
    bench_free_grains(&grains);
}

const bench_case bench_blade = {.name = "blade", .summary = "blade dragged through 10 000 grains", .run = run_blade};
const bench_case bench_trench = {
    .name = "trench", .summary = "excavator bucket in a trench of 100 000 grains", .run = run_trench};
