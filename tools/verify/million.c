/*
 * A million grains in a box: how memory and cost grow with the number of grains.
 *
 * Grains of 10 mm on a jittered lattice fall together and settle for 0.3 s; processor time is that of all frames, one
 * thread, per grain and frame; memory is all that the world has allocated, at its most. Cost is compared at the same
 * depth, 22 layers, where the same happens at the same time to ten thousand and to a million. A cube of a million, 100
 * layers, falls four times as deep and comes down twice as fast: for memory that is the harder one, and its cost is
 * reported.
 */
#include "scene_lines.h"
#include "verify/bed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double D = 0.01, DT = 0.005; /* m, s */

/* Memory that is counted: each block has its size before it. */
typedef struct meter {
    size_t now, most; /* bytes */
} meter;

enum { HEAD = 64 }; /* bytes, keeps the alignment of malloc */

static void *allocate(void *context, size_t bytes)
{
    meter *m = context;
    char *block = bytes > SIZE_MAX - HEAD ? NULL : calloc(1, bytes + HEAD);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    m->now += bytes;
    m->most = m->now > m->most ? m->now : m->most;
    return block + HEAD;
}

static void release(void *context, void *block)
{
    if (!block)
        return;
    size_t bytes;
    char *begin = (char *)block - HEAD;
    memcpy(&bytes, begin, sizeof bytes);
    ((meter *)context)->now -= bytes;
    free(begin);
}

typedef struct cost {
    double seconds; /* per grain and frame */
    double bytes;   /* per grain */
    double contacts;
} cost;

/* Grains along the edges. */
static bool settle(scree_verify *verify, int across, int layers, cost *out)
{
    enum { FRAMES = 60 };
    char fill[200], wall[4][96];
    double half = 0.5 * 1.06 * D * across + 1e-9, height = 1.06 * D * layers + 2e-9;
    snprintf(fill, sizeof fill, "fill id=f material=rock min=%.17g,%.17g,0 max=%.17g,%.17g,%.17g", -half, -half, half,
             half, height);
    for (int i = 0; i < 4; i++) {
        int sign = i % 2 ? -1 : 1;
        snprintf(wall[i], sizeof wall[i], "plane normal=%d,%d,0 position=%.17g,%.17g,0", i < 2 ? sign : 0,
                 i < 2 ? 0 : sign, i < 2 ? -sign * half : 0.0, i < 2 ? 0.0 : -sign * half);
    }
    const char *lines[] = {"scene name=million gravity=0,0,-9.81",
                           "solver threads=1",
                           "material id=rock density=2500 youngs=1e7",
                           "pair a=rock b=rock friction=0.5",
                           "body id=box material=rock",
                           "plane normal=0,0,1",
                           wall[0],
                           wall[1],
                           wall[2],
                           wall[3],
                           fill,
                           "size diameter=0.01",
                           NULL};
    meter m = {0};
    scree_memory memory = {&m, allocate, release};
    scree_scene *scene = NULL;
    scree_world *world = NULL;
    scree_error error = {0};
    scree_info info;
    bool ok = scree_scene_from_lines(lines, &scene, &error) == SCREE_OK &&
              scree_world_create(scene, &memory, NULL, &world, &error) == SCREE_OK &&
              scree_world_start(world, 0.0, &error) == SCREE_OK;
    double before = bed_seconds();
    ok = ok && verify_steps(verify, world, DT, FRAMES);
    if (ok) {
        scree_world_get_info(world, &info);
        *out = (cost){.seconds = (bed_seconds() - before) / (FRAMES * (double)info.particles),
                      .bytes = (double)m.most / info.particles,
                      .contacts = (double)info.contacts / info.particles};
    } else {
        verify_below(verify, error.text[0] ? error.text : "the case runs", "", 1.0, 0.0, "");
    }
    verify_free(world, scene);
    return ok;
}

static void run(scree_verify *verify)
{
    cost few, again, many, cube; /* the few before and after the many: the clock may change meanwhile */
    if (!settle(verify, 22, 22, &few) || !settle(verify, 213, 22, &many) || !settle(verify, 22, 22, &again) ||
        !settle(verify, 100, 100, &cube))
        return;
    const double gib = 1e6 / (1024.0 * 1024.0 * 1024.0), cost_of_few = 0.5 * (few.seconds + again.seconds);
    verify_below(verify, "a million grains: memory", "GiB", many.bytes * gib, 2.0, "");
    verify_below(verify, "a million grains in a cube: memory", "GiB", cube.bytes * gib, 2.0, "");
    verify_below(verify, "cost per grain and frame, a million / ten thousand", "", many.seconds / cost_of_few, 1.5, "");
    verify_report(verify, "the same for the cube", "", cube.seconds / cost_of_few, NAN, "");
    verify_report(verify, "ten thousand: cost per grain and frame", "us", 1e6 * cost_of_few, NAN, "");
    verify_report(verify, "a million: cost per grain and frame", "us", 1e6 * many.seconds, NAN, "");
    verify_report(verify, "ten thousand: contacts per grain", "", few.contacts, NAN, "");
    verify_report(verify, "a million: contacts per grain", "", many.contacts, NAN, "");
    verify_report(verify, "a million in a cube: contacts per grain", "", cube.contacts, NAN, "");
}

const scree_verify_case scree_verify_million = {
    .name = "million", .summary = "memory and cost of a million grains", .slow = true, .run = run};
