#include "verify/bed.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum { LINE_SIZE = 384 };

void bed_add(scree_bed *bed, const char *format, ...)
{
    if (bed->failed)
        return;
    if (bed->count + 2 > bed->room) {
        size_t room = bed->room ? 2 * bed->room : 64;
        char **lines = realloc(bed->lines, room * sizeof *lines);
        bed->failed = !lines;
        if (!lines)
            return;
        bed->lines = lines;
        bed->room = room;
    }
    char *line = malloc(LINE_SIZE);
    bed->failed = !line;
    if (!line)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, LINE_SIZE, format, args);
    va_end(args);
    bed->lines[bed->count++] = line;
    bed->lines[bed->count] = NULL;
}

static void add_grain(scree_bed *bed, const char *material, double diameter, const double x[3])
{
    bed_add(bed, "grain material=%s diameter=%.17g position=%.17g,%.17g,%.17g", material, diameter, x[0], x[1], x[2]);
}

void bed_add_grains_of(scree_bed *bed, const scree_world *world, const char *material)
{
    scree_info info;
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        add_grain(bed, material, 2.0 * grain.radius, grain.position);
    }
}

/* In [-1, 1], from a count: the same grains on every machine. */
static double jitter(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

void bed_add_grains_in_tube(scree_bed *bed, const char *material, double diameter, double tube, uint32_t count)
{
    double spacing = 1.06 * diameter, most = 0.03 * diameter, reach = 0.5 * (tube - diameter) - sqrt(2.0) * most;
    bool column = reach <= 0.5 * sqrt(2.0) * spacing; /* too narrow for four in a layer */
    int sites = column ? 0 : (int)(reach / spacing) + 1;
    uint64_t state = 1;
    uint32_t done = 0;
    for (int layer = 0; done < count; layer++) {
        double z = (column ? 0.5 * diameter + layer * diameter : (layer + 0.5) * spacing);
        for (int i = -sites; i <= sites && done < count; i++)
            for (int j = -sites; j <= sites && done < count; j++) {
                double offset = column ? 0.0 : 0.5;
                double x[3] = {(i + offset) * spacing, (j + offset) * spacing, z};
                if (!column && x[0] * x[0] + x[1] * x[1] > reach * reach)
                    continue;
                for (int k = 0; k < 3 && !column; k++)
                    x[k] += most * jitter(&state);
                add_grain(bed, material, diameter, x);
                done++;
            }
    }
}

scree_world *bed_world(scree_verify *verify, scree_bed *bed, scree_scene **scene)
{
    static const char *const none[] = {"memory-ran-out", NULL}; /* no such element: the failure is a row */
    scree_world *world = verify_world(verify, scene, bed->failed ? none : (const char *const *)bed->lines);
    for (size_t i = 0; i < bed->count; i++)
        free(bed->lines[i]);
    free(bed->lines);
    *bed = (scree_bed){0};
    return world;
}

scree_world *bed_ramp(scree_verify *verify, const scree_bed_ramp *ramp, const scree_world *from, scree_scene **scene)
{
    const double dt = 0.01;
    scree_world *world = NULL;
    *scene = NULL;
    for (double share = ramp->first;; share = fmin(2.0 * share, 1.0)) {
        scree_bed bed = {0};
        scree_scene *next_scene;
        ramp->write(&bed, ramp->context, share, world ? world : from);
        scree_world *next = bed_world(verify, &bed, &next_scene);
        double duration = world ? ramp->each : ramp->landing;
        verify_free(world, *scene);
        world = next;
        *scene = next_scene;
        if (!world)
            return NULL;
        if (!verify_steps(verify, world, dt, (int)(duration / dt + 0.5))) {
            verify_free(world, *scene);
            *scene = NULL;
            return NULL;
        }
        if (share >= 1.0)
            return world;
    }
}

uint32_t bed_escaped(const scree_world *world, double radius)
{
    scree_info info;
    uint32_t count = 0;
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        count += hypot(grain.position[0], grain.position[1]) > radius;
    }
    return count;
}

double bed_surface(const scree_world *world)
{
    enum { CELLS = 64 };
    static const double NOTHING = -1e30;
    double tops[CELLS][CELLS], low[2] = {1e30, 1e30}, widest = 0.0, sum = 0.0;
    scree_info info;
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        for (int k = 0; k < 2; k++)
            low[k] = fmin(low[k], grain.position[k]);
        widest = fmax(widest, grain.radius);
    }
    for (int i = 0; i < CELLS * CELLS; i++)
        tops[i / CELLS][i % CELLS] = NOTHING;
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        int cell[2];
        for (int k = 0; k < 2; k++)
            cell[k] = (int)fmin(CELLS - 1, (grain.position[k] - low[k]) / (4.0 * widest));
        double *top = &tops[cell[0]][cell[1]];
        *top = fmax(*top, grain.position[2] + grain.radius);
    }
    int count = 0;
    for (int i = 0; i < CELLS * CELLS; i++)
        if (tops[i / CELLS][i % CELLS] > NOTHING) {
            sum += tops[i / CELLS][i % CELLS];
            count++;
        }
    return count > 0 ? sum / count : 0.0;
}

double bed_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
