/*
 * What triangles cost: a bucket of 100 352 of them digs in a bed of 20 000 grains, and the same bucket of four boxes in
 * the same bed, step by step in turn, so that whatever else the machine does falls on both. The figure is what the
 * triangles add to a step, as a share of a step with the boxes.
 */
#include "bench/bench.h"

#include "command.h"

#include <math.h>

static const double FRAME = 0.005; /* s */
enum { BUCKET_PORT = 2, CELLS = 112, PLATES = 4 };
static const double LENGTH = 0.14, WIDTH = 0.15, HEIGHT = 0.10, THICK = 0.004; /* m */

typedef struct digging {
    double surface; /* m */
    double time;    /* s, since the bucket began */
} digging;

static double ramp(double time, double from, double to)
{
    double s = fmin(fmax((time - from) / (to - from), 0.0), 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/* Down by 0.09 m within 0.3 s, edge first, and 0.2 m along within a second. */
static void pose(const digging *bucket, double time, double x[3], double *pitch)
{
    x[0] = 0.1 + 0.2 * ramp(time, 0.1, 1.0);
    x[1] = 0.115;
    x[2] = bucket->surface + 0.08 - 0.09 * ramp(time, 0.0, 0.3);
    *pitch = 0.4 - 0.3 * ramp(time, 0.1, 0.5); /* rad, edge down when above 0 */
}

static void dig(scree_world *world, double time, double dt, void *context)
{
    const digging *bucket = context;
    double now[3], next[3], pitch, next_pitch;
    (void)time;
    pose(bucket, bucket->time, now, &pitch);
    pose(bucket, bucket->time + dt, next, &next_pitch);
    scree_motion motion = {.orientation = {cos(0.5 * pitch), 0.0, sin(0.5 * pitch), 0.0},
                           .angular_velocity = {0.0, (next_pitch - pitch) / dt, 0.0}};
    for (int k = 0; k < 3; k++) {
        motion.position[k] = now[k];
        motion.velocity[k] = (next[k] - now[k]) / dt;
    }
    (void)scree_world_set_motion(world, BUCKET_PORT, &motion, NULL);
}

/* A corner and two edges each: bottom, back, sides. */
static const double plates[PLATES][3][3] = {
    {{-0.07, -0.075, -0.05}, {0.14, 0.0, 0.0}, {0.0, 0.15, 0.0}},
    {{-0.07, -0.075, -0.05}, {0.0, 0.15, 0.0}, {0.0, 0.0, 0.10}},
    {{-0.07, -0.075, -0.05}, {0.14, 0.0, 0.0}, {0.0, 0.0, 0.10}},
    {{-0.07, 0.075, -0.05}, {0.14, 0.0, 0.0}, {0.0, 0.0, 0.10}},
};

static void add_plate(scree_surface *surface, const double plate[3][3], uint32_t number)
{
    uint32_t first = number * (CELLS + 1) * (CELLS + 1), t = number * 2 * CELLS * CELLS;
    for (uint32_t i = 0; i <= CELLS; i++)
        for (uint32_t j = 0; j <= CELLS; j++)
            for (int k = 0; k < 3; k++)
                surface->vertices[first + i * (CELLS + 1) + j][k] =
                    plate[0][k] + plate[1][k] * i / CELLS + plate[2][k] * j / CELLS;
    for (uint32_t i = 0; i < CELLS; i++)
        for (uint32_t j = 0; j < CELLS; j++) {
            uint32_t a = first + i * (CELLS + 1) + j, b = a + CELLS + 1;
            uint32_t corners[2][3] = {{a, b, a + 1}, {b, b + 1, a + 1}};
            for (int half = 0; half < 2; half++, t++)
                for (int k = 0; k < 3; k++)
                    surface->triangles[t][k] = corners[half][k];
        }
}

static void write_mesh(bench_writer *writer)
{
    scree_surface surface = {0};
    if (writer->status == SCREE_OK)
        writer->status = scree_surface_create(&surface, PLATES * (CELLS + 1) * (CELLS + 1), PLATES * 2 * CELLS * CELLS,
                                              NULL, &writer->error);
    if (writer->status != SCREE_OK)
        return;
    for (uint32_t i = 0; i < PLATES; i++)
        add_plate(&surface, plates[i], i);
    writer->status = scree_draft_open(writer->draft, SCREE_ELEMENT_MESH, &writer->error);
    if (writer->status == SCREE_OK)
        writer->status = scree_draft_set(writer->draft, "file", "bucket", &writer->error);
    if (writer->status == SCREE_OK)
        writer->status = scree_draft_set_mesh(writer->draft, &surface, NULL, &writer->error);
    if (writer->status == SCREE_OK)
        writer->status = scree_draft_close(writer->draft, &writer->error);
    scree_surface_release(&surface);
}

static void write_boxes(bench_writer *writer)
{
    bench_write(writer, "box size=%g,%g,%g position=0,0,%g", LENGTH, WIDTH, THICK, -0.5 * HEIGHT);
    bench_write(writer, "box size=%g,%g,%g position=%g,0,0", THICK, WIDTH, HEIGHT, -0.5 * LENGTH);
    bench_write(writer, "box size=%g,%g,%g position=0,%g,0", LENGTH, THICK, HEIGHT, 0.5 * WIDTH);
    bench_write(writer, "box size=%g,%g,%g position=0,%g,0", LENGTH, THICK, HEIGHT, -0.5 * WIDTH);
}

static bool open_bed(bench *bench, const bench_grains *grains, const digging *bucket, bool mesh, bench_world *world)
{
    bench_writer writer = {0};
    double x[3], pitch;
    pose(bucket, 0.0, x, &pitch);
    bench_write_bed(&writer, bench, &bench_ore_bed, bench_ore_bed.restitution, 2, 1);
    bench_write(&writer, "body id=bucket material=grain kind=driven position=%.17g,%.17g,%.17g rotation=0,%.17g,0",
                x[0], x[1], x[2], pitch);
    if (mesh)
        write_mesh(&writer);
    else
        write_boxes(&writer);
    bench_write(&writer, "port id=bucket body=bucket");
    return bench_open_leaning(bench, &writer, grains, world);
}

static bool measure(bench *bench, bench_report *report, bench_world worlds[2], digging *bucket)
{
    bench_phase boxes = {0};
    int steps = bench->quick ? 60 : 200;
    for (int i = 0; i < steps; i++) {
        bucket->time = i * FRAME;
        if (!bench_steps(bench, &worlds[0], 1, FRAME, dig, bucket, &boxes) ||
            !bench_steps(bench, &worlds[1], 1, FRAME, dig, bucket, &report->settled))
            return false;
    }
    report->figure = (report->settled.cpu - boxes.cpu) / boxes.cpu;
    return true;
}

static void run(bench *bench, bench_report *report)
{
    bench_grains tile, grains;
    bench_world worlds[2];
    digging bucket = {0};
    report->failed = !bench_settle(bench, &bench_ore_bed, &tile);
    if (report->failed)
        return;
    for (uint32_t i = 0; i < tile.count; i++)
        bucket.surface = fmax(bucket.surface, tile.items[i].position[2]);
    bool mirrored = bench_mirror(&tile, &bench_ore_bed, 2, 1, &grains);
    bench_free_grains(&tile);
    report->failed = !mirrored;
    if (!mirrored) {
        scree_complain("scree bench: %s: out of memory", bench->name);
        return;
    }
    bool boxes = open_bed(bench, &grains, &bucket, false, &worlds[0]);
    bool mesh = boxes && open_bed(bench, &grains, &bucket, true, &worlds[1]);
    bench_free_grains(&grains);
    report->failed = !mesh || !measure(bench, report, worlds, &bucket);
    report->figure_of = "what the triangles add to a step";
    report->figure_unit = "1";
    report->error = report->settled.overlap_error;
    report->error_of = "mean overlap, against the one that bears its force, over d";
    if (mesh) {
        bench_report_world(report, &worlds[1]);
        bench_close(&worlds[1]);
    }
    if (boxes)
        bench_close(&worlds[0]);
}

const bench_case bench_bucket = {
    .name = "bucket", .summary = "bucket of 100 000 triangles in a bed of 20 000 grains", .run = run};
