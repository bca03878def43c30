/*
 * Worlds whose allocations are counted and whose steps are timed.
 */
#include "bench/bench.h"

#include "command.h"
#include "scene_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- memory: each block carries its size in front, in a header that keeps the alignment of malloc */

enum { HEADER = 16 };

static void *allocate(void *context, size_t bytes)
{
    bench_world *world = context;
    char *block = bytes <= SIZE_MAX - HEADER ? calloc(1, bytes + HEADER) : NULL;
    if (!block)
        return NULL;
    *(size_t *)(void *)block = bytes;
    world->live += bytes;
    if (world->live > world->peak)
        world->peak = world->live;
    return block + HEADER;
}

static void release(void *context, void *block)
{
    bench_world *world = context;
    char *begin = (char *)block - HEADER;
    world->live -= *(size_t *)(void *)begin;
    free(begin);
}

/* ---- scenes */

void bench_write(bench_writer *writer, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!writer->draft && writer->status == SCREE_OK)
        writer->status = scree_draft_create(NULL, &writer->draft, &writer->error);
    if (writer->status == SCREE_OK)
        writer->status = scree_draft_add_line(writer->draft, line, &writer->outer, &writer->error);
}

void bench_write_grains(bench_writer *writer, const bench_grains *grains, const char *material)
{
    for (uint32_t i = 0; i < grains->count; i++) {
        const double *x = grains->items[i].position;
        bench_write(writer, "grain material=%s diameter=%.17g position=%.17g,%.17g,%.17g", material,
                    grains->items[i].diameter, x[0], x[1], x[2]);
    }
}

static bool fail(bench *bench, const scree_error *error)
{
    scree_progress_end(&bench->progress);
    scree_complain("scree bench: %s: %s", bench->name, error->text);
    return false;
}

bool bench_open(bench *bench, bench_writer *writer, bench_world *world)
{
    *world = (bench_world){0};
    scree_memory memory = {world, allocate, release};
    if (writer->status == SCREE_OK)
        writer->status = scree_draft_finish(writer->draft, &world->scene, &writer->error);
    scree_draft_destroy(writer->draft);
    writer->draft = NULL;
    if (writer->status == SCREE_OK)
        writer->status = scree_world_create(world->scene, &memory, NULL, &world->world, &writer->error);
    if (writer->status == SCREE_OK)
        writer->status = scree_world_start(world->world, 0.0, &writer->error);
    if (writer->status == SCREE_OK) {
        scree_world_set_profile(world->world, true);
        return true;
    }
    bench_close(world);
    return fail(bench, &writer->error);
}

void bench_close(bench_world *world)
{
    scree_world_destroy(world->world);
    scree_scene_destroy(world->scene);
    world->world = NULL;
    world->scene = NULL;
}

/* ---- steps */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_mean(double *mean, double value, uint32_t steps)
{
    *mean += (value - *mean) / steps;
}

static void count(bench_phase *phase, const scree_world *world, double dt, double wall, double cpu)
{
    scree_info info;
    scree_world_get_info(world, &info);
    phase->steps++;
    phase->simulated += dt;
    phase->wall += wall;
    phase->cpu += cpu;
    phase->contact_sweeps += info.contacts * info.sweeps * info.substeps;
    add_mean(&phase->contacts, info.contacts, phase->steps);
    add_mean(&phase->overlap_error, info.overlap_error, phase->steps);
    add_mean(&phase->residual, info.residual, phase->steps);
}

void bench_mean_add(bench_mean *mean, double value)
{
    add_mean(&mean->mean, value, ++mean->count);
    mean->in_block += value;
    if (mean->count % mean->block != 0)
        return;
    double of_block = mean->in_block / mean->block;
    mean->sum += of_block;
    mean->sum_squares += of_block * of_block;
    mean->in_block = 0.0;
}

double bench_mean_error(const bench_mean *mean)
{
    double n = mean->count / mean->block;
    return n < 2.0 ? NAN : sqrt(fmax(0.0, mean->sum_squares - mean->sum * mean->sum / n) / (n * (n - 1.0)));
}

bool bench_steps(bench *bench, bench_world *world, uint32_t n, double dt, bench_drive *drive, void *context,
                 bench_phase *phase)
{
    scree_error error = {0};
    scree_profile before, after;
    scree_world_get_profile(world->world, &before);
    for (uint32_t i = 0; i < n; i++) {
        if (drive)
            drive(world->world, i * dt, dt, context);
        double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (scree_world_step(world->world, dt, &error) != SCREE_OK)
            return fail(bench, &error);
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = seconds(CLOCK_MONOTONIC) - wall;
        if (phase)
            count(phase, world->world, dt, wall, cpu);
        scree_progress_update(&bench->progress, (i + 1.0) / n, phase ? bench->name : "settling");
    }
    scree_world_get_profile(world->world, &after);
    for (int k = 0; phase && k < SCREE_STAGE_COUNT; k++)
        phase->profile.seconds[k] += after.seconds[k] - before.seconds[k];
    return true;
}

void bench_report_world(bench_report *report, const bench_world *world)
{
    scree_info info;
    scree_world_get_info(world->world, &info);
    report->grains = info.particles;
    report->bytes_per_grain = info.particles ? (double)world->peak / info.particles : 0.0;
}
