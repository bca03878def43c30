/*
 * Settled beds of 10 K to 1 M grains, all of one depth: the larger ones are mirror images of the small one, so that a
 * million grains need no settling of their own, are at rest from the start, and every size has the same contacts.
 */
#include "bench/peers.h"

#include "command.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double FRAME = 0.005; /* s */

/* Paper IV Table 1; 22 diameters deep. */
const bench_bed bench_ore_bed = {.solver = "",
                                 .density = 3700.0,
                                 .youngs = 6.2e6,
                                 .friction = 0.91,
                                 .rolling = 0.32,
                                 .restitution = 0.18,
                                 .diameter = 0.010,
                                 .diameter_max = 0.013,
                                 .size = {0.23, 0.23},
                                 .count = 10000,
                                 .settling = 1.5};

const bench_bed bench_glass_bed = {.solver = "",
                                   .density = 2500.0,
                                   .youngs = 41e9,
                                   .friction = 0.91,
                                   .rolling = 0.32,
                                   .restitution = 0.18,
                                   .diameter = 0.010,
                                   .diameter_max = 0.013,
                                   .size = {0.23, 0.23},
                                   .count = 10000,
                                   .settling = 1.5};

void bench_write_bed(bench_writer *writer, const bench *bench, const bench_bed *bed, double restitution, uint32_t nx,
                     uint32_t ny)
{
    bench_write(writer, "scene name=bench gravity=0,0,-9.81");
    bench_write(writer, "solver threads=%u %s", bench->threads, bed->solver);
    bench_write(writer, "material id=grain density=%g youngs=%g", bed->density, bed->youngs);
    bench_write(writer, "material id=smooth density=7850 youngs=1e13");
    bench_write(writer, "pair a=grain b=grain friction=%g rolling=%g restitution=%g", bed->friction, bed->rolling,
                restitution);
    bench_write(writer, "pair a=grain b=smooth friction=0 restitution=%g", restitution);
    bench_write(writer, "body id=floor material=grain kind=driven");
    bench_write(writer, "plane normal=0,0,1");
    bench_write(writer, "body id=sides material=smooth kind=driven");
    bench_write(writer, "plane normal=1,0,0");
    bench_write(writer, "plane normal=-1,0,0 position=%.17g,0,0", nx * bed->size[0]);
    bench_write(writer, "plane normal=0,1,0");
    bench_write(writer, "plane normal=0,-1,0 position=0,%.17g,0", ny * bed->size[1]);
    bench_write(writer, "port id=floor body=floor");
    bench_write(writer, "port id=sides body=sides");
}

bool bench_settle(bench *bench, const bench_bed *bed, bench_grains *grains)
{
    bench_writer writer = {0};
    bench_world world;
    bench_write_bed(&writer, bench, bed, 0.0, 1, 1); /* without bounces it is at rest sooner */
    bench_write(&writer, "fill id=tile material=grain count=%u min=0,0,0 max=%g,%g,100", (unsigned)bed->count,
                bed->size[0], bed->size[1]);
    bench_write(&writer, "size diameter=%g diameterMax=%g", bed->diameter, bed->diameter_max);
    if (!bench_open(bench, &writer, &world))
        return false;
    bool good = bench_steps(bench, &world, (uint32_t)(bed->settling / FRAME), FRAME, NULL, NULL, NULL) &&
                bench_take_grains(&world, grains);
    bench_close(&world);
    return good;
}

/* Floor and sides go to and fro, at 0.64 g: all grains move and contacts come and go. */
static void shake(scree_world *world, double time, double dt, void *context)
{
    (void)context;
    const double amplitude = 0.01, omega = 2.0 * PI * 4.0; /* m, rad/s */
    double now = amplitude * sin(omega * time), next = amplitude * sin(omega * (time + dt));
    scree_motion motion = {
        .position = {now, 0.0, 0.0}, .orientation = {1.0, 0.0, 0.0, 0.0}, .velocity = {(next - now) / dt, 0.0, 0.0}};
    for (uint32_t port = 0; port < 2; port++)
        (void)scree_world_set_motion(world, port, &motion, NULL);
}

static double median(const double v[3])
{
    return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

static void set_up_smooth(bench_smooth *smooth, const bench_bed *bed)
{
    *smooth = (bench_smooth){.density = bed->density,
                             .youngs = bed->youngs,
                             .friction = bed->friction,
                             .rolling = bed->rolling,
                             .restitution = bed->restitution,
                             .smallest = bed->diameter,
                             .low = {-0.01, -0.01, -0.01},
                             .high = {bed->size[0] + 0.01, bed->size[1] + 0.01, 2.0}};
    bench_smooth_wall(smooth, 1, "zplane 0.0");
    for (int k = 0; k < 2; k++) {
        bench_smooth_wall(smooth, 2, "%cplane 0.0", "xy"[k]);
        bench_smooth_wall(smooth, 2, "%cplane %.17g", "xy"[k], bed -> size[k]);
    }
}

/* Grains that have come to rest with more substeps than they lay with; false after a complaint. */
static bool refine(bench *bench, const bench_bed *bed, const char *solver, bench_world *world,
                   const bench_grains *grains)
{
    bench_writer writer = {0};
    bench_bed fine = *bed;
    fine.solver = solver;
    bench_write_bed(&writer, bench, &fine, 0.0, 1, 1);
    bench_write_grains(&writer, grains, "grain");
    return bench_open(bench, &writer, world) && bench_steps(bench, world, 40, FRAME, NULL, NULL, NULL);
}

/* LIGGGHTS takes over the bed. Stiff contacts give way at Scree's steps, and overlaps like those would burst apart
 * under their own law: more and more substeps take them back to what that has at rest. */
static bool start_smooth(bench *bench, const bench_smooth *smooth, const bench_world *world, const bench_bed *bed,
                         double settling)
{
    static const char *const solvers[] = {"substeps=20", "substeps=40", "substeps=80", "substeps=160"};
    const double most = 5e-4; /* overlap error; ore: 1e-5, glass: 6e-3 */
    scree_info info;
    scree_world_get_info(world->world, &info);
    if (info.overlap_error < most)
        return bench_smooth_start(bench, smooth, world->world, settling);
    bench_world fine;
    bench_grains grains;
    bool good = bench_take_grains(world, &grains);
    for (int i = 0; i < 4 && good; i++) {
        good = refine(bench, bed, solvers[i], &fine, &grains);
        free(grains.items);
        grains.items = NULL;
        good = good &&
               (i < 3 ? bench_take_grains(&fine, &grains) : bench_smooth_start(bench, smooth, fine.world, settling));
        bench_close(&fine);
    }
    free(grains.items);
    return good;
}

/* Scree and LIGGGHTS by turns, three times; the median of the ratios. */
static bool compare(bench *bench, bench_report *report, bench_world *world, const bench_bed *bed)
{
    enum { STEPS = 1000, FRAMES = 40 };
    bench_smooth smooth;
    bench_smooth_result result;
    double cost[3], ratio[3];
    set_up_smooth(&smooth, bed);
    double settling = fmin(0.5, 5000 * bench_smooth_step(&smooth));
    if (!start_smooth(bench, &smooth, world, bed, settling))
        return true; /* not installed: nothing to compare with */
    for (int i = 0; i < 3; i++) {
        bench_phase block = {0};
        if (!bench_steps(bench, world, FRAMES, FRAME, NULL, NULL, &block) ||
            !bench_smooth_run(bench, &smooth, STEPS, STEPS * bench_smooth_step(&smooth), &result))
            return false;
        cost[i] = result.cpu;
        ratio[i] = result.cpu * block.simulated / block.cpu;
    }
    bench_add_peer(report, "liggghts", "cpu_per_sim", median(cost), median(ratio));
    bench_add_peer(report, "liggghts", "rise of the centre of mass, m", result.rise, NAN);
    return true;
}

/* A few frames lie before, in which the grains are sorted and memory grows to what it has to be. */
static bool measure(bench *bench, bench_report *report, bench_world *world, const bench_bed *bed, uint32_t frames)
{
    if (!bench_steps(bench, world, 10, FRAME, NULL, NULL, NULL) ||
        !bench_steps(bench, world, frames, FRAME, NULL, NULL, &report->settled))
        return false;
    bench_report_world(report, world);
    report->error = report->settled.overlap_error;
    report->error_of = "mean overlap, against the one that bears its force, over d";
    if (bench->peers && report->grains == bed->count) {
        if (!compare(bench, report, world, bed))
            return false;
        bench_iterations(bench, world->world, bed->size, report);
    }
    /* one period to get going, one to measure */
    uint32_t period = frames < 50 ? frames : 50;
    bool good = bench_steps(bench, world, period, FRAME, shake, NULL, NULL) &&
                bench_steps(bench, world, period, FRAME, shake, NULL, &report->stirred);
    bench_report_world(report, world); /* once more, for the memory */
    return good;
}

static bool open_bed(bench *bench, const bench_bed *bed, const bench_grains *grains, uint32_t nx, uint32_t ny,
                     bench_world *world)
{
    bench_writer writer = {0};
    bench_write_bed(&writer, bench, bed, bed->restitution, nx, ny);
    return bench_open_leaning(bench, &writer, grains, world);
}

/* The same bed once it sleeps: what it costs, and that as a share of what it costs awake. */
static bool measure_asleep(bench *bench, bench_report *report, const bench_bed *bed, const bench_grains *grains,
                           uint32_t frames)
{
    bench_bed sleepy = *bed;
    bench_world world;
    bench_phase asleep = {0};
    sleepy.solver = "rest=0.01";
    if (!open_bed(bench, &sleepy, grains, 1, 1, &world))
        return false;
    bool good = bench_steps(bench, &world, 400, FRAME, NULL, NULL, NULL) &&
                bench_steps(bench, &world, frames, FRAME, NULL, NULL, &asleep);
    bench_close(&world);
    if (good)
        bench_add_peer(report, "scree, asleep", "cpu_per_sim", asleep.cpu / asleep.simulated,
                       asleep.cpu / asleep.simulated * report->settled.simulated / report->settled.cpu);
    return good;
}

static void run_bed(bench *bench, bench_report *report, const bench_bed *bed, const bench_grains *tile, uint32_t nx,
                    uint32_t ny, uint32_t frames)
{
    bench_grains grains;
    bench_world world;
    frames = bench->quick ? (frames + 3) / 4 : frames;
    report->failed = true;
    if (!bench_mirror(tile, bed, nx, ny, &grains)) {
        scree_complain("scree bench: %s: out of memory", bench->name);
        return;
    }
    if (open_bed(bench, bed, &grains, nx, ny, &world)) {
        report->failed = !measure(bench, report, &world, bed, frames);
        bench_close(&world);
    }
    if (!report->failed && nx * ny == 1)
        report->failed = !measure_asleep(bench, report, bed, &grains, frames);
    bench_free_grains(&grains);
}

static void run_ore(bench *bench, bench_report *report, uint32_t nx, uint32_t ny, uint32_t frames)
{
    report->failed = !bench->ore.items && !bench_settle(bench, &bench_ore_bed, &bench->ore);
    if (!report->failed)
        run_bed(bench, report, &bench_ore_bed, &bench->ore, nx, ny, frames);
}

static void run_10k(bench *bench, bench_report *report)
{
    run_ore(bench, report, 1, 1, 200);
}

static void run_100k(bench *bench, bench_report *report)
{
    run_ore(bench, report, 5, 2, 50);
}

static void run_1m(bench *bench, bench_report *report)
{
    run_ore(bench, report, 10, 10, 10);
}

static void run_glass(bench *bench, bench_report *report)
{
    bench_grains tile;
    report->failed = !bench_settle(bench, &bench_glass_bed, &tile);
    if (report->failed)
        return;
    run_bed(bench, report, &bench_glass_bed, &tile, 1, 1, 200);
    bench_free_grains(&tile);
}

const bench_case bench_bed10k = {.name = "bed10k", .summary = "settled bed of 10 000 grains", .run = run_10k};
const bench_case bench_glass10k = {
    .name = "glass10k", .summary = "the same bed of glass beads, E = 41 GPa", .run = run_glass};
const bench_case bench_bed100k = {.name = "bed100k", .summary = "settled bed of 100 000 grains", .run = run_100k};
const bench_case bench_bed1m = {
    .name = "bed1m", .summary = "settled bed of 1 000 000 grains", .large = true, .run = run_1m};
