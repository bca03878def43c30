/*
 * A drum turns slowly over a third full of pellets (Paper IV 4.3, Paper V 4.3): diameter 40 d, width 7 d, 4864 grains
 * of 13 and 10 mm in equal numbers, 0.25 rad/s, ends without friction, the shell as rough as the grains.
 *
 * Dynamic angle: that of the centre of mass seen from the axis, as Paper IV has it; more robust than the surface. At
 * this speed the bed slumps: it turns with the drum for a second and a half, and slides back by some 12 degrees. So the
 * angle is a mean over several slumps, with weights that begin and end at zero (Hann's), which makes it matter little
 * at which point of a slump the mean begins and ends. The default solver is compared with the same scene at 500 cold
 * sweeps of 5 ms and at steps of 0.2 ms.
 *
 * Torque: the grains' angular momentum about the axis does not grow in a steady state, so the shell carries the moment
 * of their weight, M g x of the centre of mass, within what the change of angular momentum over the time measured
 * makes.
 */
#include "verify/bed.h"

#include <math.h>

static const double D = 0.013, SMALL = 0.010; /* m */
static const double SPEED = 0.25;             /* rad/s */
static const double G = 9.81;                 /* m/s2 */
static const double DT = 0.02;                /* s, between two looks */
enum { COUNT = 4864 };

/* In [0, 1), from a count: the same grains on every machine. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Grains on a lattice in the drum, from the bottom upward. */
static void add_grains(scree_bed *bed)
{
    const double spacing = 1.06 * D, reach = 19.0 * D;
    int layers = (int)(7.0 * D / spacing), side = (int)(reach / spacing), placed = 0;
    uint64_t state = 1;
    for (int j = -side; placed < COUNT; j++)
        for (int i = -side; i <= side; i++)
            for (int k = 0; k < layers && placed < COUNT; k++) {
                double x[3] = {i * spacing, j * spacing, (k - 0.5 * (layers - 1)) * spacing};
                if (hypot(x[0], x[1]) > reach)
                    continue;
                for (int c = 0; c < 3; c++)
                    x[c] += 0.06 * D * (next(&state) - 0.5);
                bed_add(bed, "grain material=pellet diameter=%g position=%.17g,%.17g,%.17g",
                        next(&state) < 0.5 ? D : SMALL, x[0], x[1], x[2]);
                placed++;
            }
}

/* from: goes on with its grains, at rest. */
static scree_world *make(scree_verify *verify, const char *solver, const scree_world *from, scree_scene **scene)
{
    scree_bed bed = {0};
    bed_add(&bed, "scene name=drum gravity=0,-%g,0", G);
    bed_add(&bed, "solver %s", solver);
    bed_add(&bed, "material id=pellet density=3700 youngs=6e6 poisson=0.3");
    bed_add(&bed, "material id=glass density=2500 youngs=6e6 poisson=0.3");
    bed_add(&bed, "pair a=pellet b=pellet friction=0.91 rolling=0.32 restitution=0.18");
    bed_add(&bed, "pair a=pellet b=glass friction=0 restitution=0.18");
    bed_add(&bed, "body id=drum material=pellet kind=driven");
    bed_add(&bed, "tube radius=%.17g", 20.0 * D);
    bed_add(&bed, "body id=ends material=glass");
    bed_add(&bed, "plane normal=0,0,1 position=0,0,%.17g", -3.5 * D);
    bed_add(&bed, "plane normal=0,0,-1 position=0,0,%.17g", 3.5 * D);
    bed_add(&bed, "port id=motor body=drum");
    bed_add(&bed, "loadSensor id=drum body=drum axis=0,0,1");
    if (from)
        bed_add_grains_of(&bed, from, "pellet");
    else
        add_grains(&bed);
    return bed_world(verify, &bed, scene);
}

typedef struct flow {
    double angle;     /* rad, mean */
    double low, high; /* rad, the extremes */
    double torque;    /* N m, mean, on the drum */
    double moment;    /* N m, mean, of the weight about the axis */
    double plug;      /* share of the grains that turn with the drum: Paper IV's v_r <= 0.15 */
} flow;

static bool turn(scree_verify *verify, scree_world *world)
{
    double angle = SPEED * scree_world_time(world);
    scree_motion motion = {.angular_velocity = {0.0, 0.0, SPEED}};
    motion.orientation[0] = cos(0.5 * angle);
    motion.orientation[3] = sin(0.5 * angle);
    scree_error error = {0};
    return scree_world_set_motion(world, 0, &motion, &error) == SCREE_OK && verify_steps(verify, world, DT, 1);
}

static double plug_share(const scree_world *world, uint32_t count)
{
    uint32_t plug = 0;
    for (uint32_t i = 0; i < count; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        double off[3] = {grain.velocity[0] + SPEED * grain.position[1], grain.velocity[1] - SPEED * grain.position[0],
                         grain.velocity[2]};
        plug += sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) <= 0.15 * SPEED * 20.0 * D;
    }
    return (double)plug / count;
}

/* Turns for `before`, then measures over `during` seconds. */
static bool measure(scree_verify *verify, scree_world *world, double before, double during, FILE *series,
                    const char *name, flow *out)
{
    int skip = (int)(before / DT + 0.5), n = (int)(during / DT + 0.5);
    *out = (flow){.low = 10.0, .high = -10.0};
    for (int i = 0; i < skip + n; i++) {
        scree_info info;
        if (!turn(verify, world))
            return false;
        scree_world_get_info(world, &info);
        scree_load_reading load = scree_world_get_reading(world, 0).load;
        double angle = atan2(info.center[0], -info.center[1]);
        if (series)
            fprintf(series, "%s,%g,%g,%g,%g\n", name, scree_world_time(world), angle * 57.29577951308232, load.torque,
                    -info.mass * G * info.center[0]);
        if (i < skip)
            continue;
        double weight = 1.0 - cos(2.0 * 3.141592653589793 * (i - skip + 0.5) / n);
        out->angle += weight * angle / n;
        out->low = fmin(out->low, angle);
        out->high = fmax(out->high, angle);
        out->torque += load.torque / n;
        out->moment += -info.mass * G * info.center[0] / n;
        if (i % 10 == 0)
            out->plug += plug_share(world, info.particles) / ((n + 9) / 10);
    }
    return true;
}

static void write_grains(scree_verify *verify, const scree_world *world)
{
    scree_info info;
    FILE *file = verify_series(verify, "drum_grains.csv", "x,y,z,radius,vx,vy,vz");
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; file && i < info.particles; i++) {
        scree_particle g = scree_world_get_particle(world, i);
        fprintf(file, "%g,%g,%g,%g,%g,%g,%g\n", g.position[0], g.position[1], g.position[2], g.radius, g.velocity[0],
                g.velocity[1], g.velocity[2]);
    }
    if (file)
        fclose(file);
}

/* The same scene at other settings, from the grains of the first. */
static void compare(scree_verify *verify, const scree_world *from, const flow *first, const char *solver,
                    const char *name, FILE *series)
{
    const double degrees = 57.29577951308232;
    scree_scene *scene;
    scree_world *world = make(verify, solver, from, &scene);
    char quantity[96];
    flow other;
    if (world && measure(verify, world, 3.0, 8.0, series, name, &other)) {
        snprintf(quantity, sizeof quantity, "dynamic angle less that of %s", name);
        verify_near(verify, quantity, "deg", (first->angle - other.angle) * degrees, 0.0, 2.0,
                    "the same scene, resolved");
        snprintf(quantity, sizeof quantity, "%s: angle", name);
        verify_report(verify, quantity, "deg", other.angle * degrees, NAN, "");
        snprintf(quantity, sizeof quantity, "%s: torque / (M g x)", name);
        verify_report(verify, quantity, "", other.torque / other.moment, NAN, "");
        snprintf(quantity, sizeof quantity, "%s: share of the plug", name);
        verify_report(verify, quantity, "", other.plug, NAN, "");
    }
    verify_free(world, scene);
}

static void run(scree_verify *verify)
{
    const double degrees = 57.29577951308232;
    FILE *series = verify_series(verify, "drum.csv", "solver,time,angle,torque,moment");
    scree_scene *scene;
    scree_world *world = make(verify, "threads=1", NULL, &scene);
    flow first;
    if (world && measure(verify, world, 5.0, 8.0, series, "default", &first)) {
        write_grains(verify, world);
        verify_near(verify, "torque / (M g x of the centre of mass)", "", first.torque / first.moment, 1.0, 0.02,
                    "angular momentum");
        verify_report(verify, "dynamic angle, of the centre of mass", "deg", first.angle * degrees, 48.0,
                      "Paper IV, 500 sweeps");
        verify_report(verify, "it slumps from", "deg", first.high * degrees, NAN, "");
        verify_report(verify, "to", "deg", first.low * degrees, NAN, "");
        verify_report(verify, "share of the plug", "", first.plug, 0.58, "Paper IV");
        if (verify->all) {
            compare(verify, world, &first, "threads=1 substeps=1 sweeps=500 warmStart=none", "500 cold sweeps", series);
            compare(verify, world, &first, "threads=1 frame=0.0002 substeps=1 sweeps=50 residual=1e-4", "0.2 ms",
                    series);
        }
    }
    verify_free(world, scene);
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_drum = {
    .name = "drum", .summary = "a rotating drum: dynamic angle and torque", .slow = true, .run = run};
