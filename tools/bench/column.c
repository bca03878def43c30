/*
 * A column of 100 grains under its own weight: the case with the longest chain of contacts, and an exact answer
 * (tools/verify/column.c):
 *
 *   contact i from below bears (N − i) m g, δ_i = ((N − i) m g / k_i)^(2/3); height N d − Σ δ_i
 */
#include "bench/bench.h"

#include <math.h>

enum { GRAINS = 100 };

static const double PI = 3.14159265358979323846;
static const double YOUNGS = 6.2e6, POISSON = 0.3, DIAMETER = 0.013, DENSITY = 3700.0, GRAVITY = 9.81;

static double overlap(int contact)
{
    double mass = DENSITY * PI / 6.0 * DIAMETER * DIAMETER * DIAMETER, r = contact == 0 ? 0.5 : 0.25;
    double k = 4.0 / 3.0 * YOUNGS / (2.0 * (1.0 - POISSON * POISSON)) * sqrt(r * DIAMETER);
    return pow((GRAINS - contact) * mass * GRAVITY / k, 2.0 / 3.0);
}

static void run(bench *bench, bench_report *report)
{
    const double dt = 0.005;
    bench_writer writer = {0};
    bench_world world;
    bench_write(&writer, "scene name=column gravity=0,0,%.17g", -GRAVITY);
    bench_write(&writer, "solver threads=%u", bench->threads);
    bench_write(&writer, "material id=ore density=%g youngs=%g poisson=%g", DENSITY, YOUNGS, POISSON);
    bench_write(&writer, "pair a=ore b=ore friction=0");
    bench_write(&writer, "body id=floor material=ore");
    bench_write(&writer, "plane normal=0,0,1");
    double z = -0.5 * DIAMETER, height = GRAINS * DIAMETER;
    for (int i = 0; i < GRAINS; i++) {
        z += DIAMETER - 0.9 * overlap(i); /* near its rest, so that it does not bounce */
        height -= overlap(i);
        bench_write(&writer, "grain material=ore diameter=%g position=0,0,%.17g", DIAMETER, z);
    }
    report->failed = !bench_open(bench, &writer, &world);
    if (report->failed)
        return;
    double squares = 0.0;
    int steps = bench->quick ? 100 : 400;
    report->failed = !bench_steps(bench, &world, (uint32_t)steps, dt, NULL, NULL, NULL);
    for (int i = 0; i < steps && !report->failed; i++) {
        report->failed = !bench_steps(bench, &world, 1, dt, NULL, NULL, &report->settled);
        scree_particle top = scree_world_get_particle(world.world, GRAINS - 1);
        squares += pow((top.position[2] + top.radius) / height - 1.0, 2.0);
    }
    report->error = sqrt(squares / steps);
    report->error_of = "height of the column, rms over time";
    bench_report_world(report, &world);
    bench_close(&world);
}

const bench_case bench_column = {.name = "column", .summary = "column of 100 grains at rest", .run = run};
