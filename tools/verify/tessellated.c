/*
 * A grain that rolls, slides and bounces over a plane cut into fine triangles feels no edge: its path is that over a
 * whole plane. 2 x 120 x 120 triangles of half a grain's diameter, corners moved at random within the plane, diagonals
 * either way, the plane tilted against all axes so that its coordinates are not round. Paths of some 20 d.
 */
#include "scene_lines.h"
#include "verify/verify.h"

#include <math.h>

static const double D = 0.02, STEP = 0.005; /* m, s */
enum { CELLS = 120, STEPS = 160 };

/* In [0, 1), from a count: the same triangles on every machine. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static scree_status make_sheet(scree_surface *sheet, scree_error *error)
{
    const double size = 0.5 * D;
    uint64_t state = 1;
    scree_status status = scree_surface_create(sheet, (CELLS + 1) * (CELLS + 1), 2 * CELLS * CELLS, NULL, error);
    for (uint32_t k = 0; status == SCREE_OK && k < sheet->vertex_count; k++) {
        uint32_t i = k % (CELLS + 1), j = k / (CELLS + 1);
        bool rim = i == 0 || j == 0 || i == CELLS || j == CELLS;
        sheet->vertices[k][0] = size * (i - 0.5 * CELLS + (rim ? 0.0 : 0.8 * (next(&state) - 0.5)));
        sheet->vertices[k][1] = size * (j - 0.5 * CELLS + (rim ? 0.0 : 0.8 * (next(&state) - 0.5)));
    }
    for (uint32_t k = 0; status == SCREE_OK && k < CELLS * CELLS; k++) {
        uint32_t a = k % CELLS + (CELLS + 1) * (k / CELLS), b = a + 1, c = a + CELLS + 2, d = a + CELLS + 1;
        bool way = next(&state) < 0.5;
        const uint32_t cut[2][3] = {{a, b, way ? c : d}, {way ? a : b, c, d}};
        for (uint32_t t = 0; t < 2; t++)
            for (int v = 0; v < 3; v++)
                sheet->triangles[2 * k + t][v] = cut[t][v];
    }
    return status;
}

/* How the grain sets out, in the frame of the plane. */
typedef struct way {
    const char *name, *pair;
    double height; /* m, of its centre */
    double velocity[3];
} way;

static const double TURN[3] = {0.3, -0.2, 0.1}; /* rad, rotation vector of the plane */

/* From the frame of the plane to the world: Rodrigues' formula. */
static void turned(const double v[3], double out[3])
{
    double angle = sqrt(TURN[0] * TURN[0] + TURN[1] * TURN[1] + TURN[2] * TURN[2]);
    double k[3] = {TURN[0] / angle, TURN[1] / angle, TURN[2] / angle};
    double along = k[0] * v[0] + k[1] * v[1] + k[2] * v[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        out[i] = v[i] * cos(angle) + (k[j] * v[m] - k[m] * v[j]) * sin(angle) + k[i] * along * (1.0 - cos(angle));
    }
}

static scree_world *make(const way *how, const char *shape, const scree_surface *sheet, scree_scene **scene,
                         scree_error *error)
{
    char head[160], pair[128], body[160], grain[320];
    const double down[3] = {1.0, 0.5, -9.5}, from[3] = {-0.1, -0.05, how->height};
    double gravity[3], x[3], v[3];
    turned(down, gravity);
    turned(from, x);
    turned(how->velocity, v);
    snprintf(head, sizeof head, "scene name=t gravity=%.17g,%.17g,%.17g", gravity[0], gravity[1], gravity[2]);
    snprintf(pair, sizeof pair, "pair a=rock b=rock %s", how->pair);
    snprintf(body, sizeof body, "body id=floor material=rock rotation=%g,%g,%g", TURN[0], TURN[1], TURN[2]);
    snprintf(grain, sizeof grain,
             "grain material=rock diameter=%g position=%.17g,%.17g,%.17g velocity=%.17g,%.17g,%.17g", D, x[0], x[1],
             x[2], v[0], v[1], v[2]);
    const char *lines[] = {
        head, "solver threads=1", "material id=rock density=2500 youngs=1e7", pair, body, shape, grain, NULL};
    scree_world *world = NULL;
    if (scree_scene_from_lines_and_meshes(lines, sheet, NULL, scene, error) == SCREE_OK &&
        scree_world_create(*scene, NULL, NULL, &world, error) == SCREE_OK)
        (void)scree_world_start(world, 0.0, error);
    return world;
}

static void compare(scree_verify *verify, const way *how, const scree_surface *sheet)
{
    scree_scene *scenes[2] = {NULL, NULL};
    scree_error error = {0};
    scree_world *worlds[2] = {make(how, "plane normal=0,0,1", NULL, &scenes[0], &error),
                              make(how, "mesh file=sheet", sheet, &scenes[1], &error)};
    double off = 0.0, way = 0.0, last[3] = {0.0, 0.0, 0.0};
    bool ok = worlds[0] && worlds[1] && scree_world_started(worlds[0]) && scree_world_started(worlds[1]);
    for (int i = 0; i < STEPS && ok; i++) {
        ok = verify_steps(verify, worlds[0], STEP, 1) && verify_steps(verify, worlds[1], STEP, 1);
        scree_particle a = scree_world_get_particle(worlds[0], 0), b = scree_world_get_particle(worlds[1], 0);
        double apart = 0.0, step = 0.0;
        for (int k = 0; k < 3; k++) {
            apart += (a.position[k] - b.position[k]) * (a.position[k] - b.position[k]);
            step += (a.position[k] - last[k]) * (a.position[k] - last[k]);
            last[k] = a.position[k];
        }
        off = fmax(off, sqrt(apart));
        way += i > 0 ? sqrt(step) : 0.0;
    }
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: farthest off the path over a plane", how->name);
    verify_below(verify, quantity, "d", ok ? off / D : NAN, 1e-6, "the same plane, whole");
    snprintf(quantity, sizeof quantity, "%s: length of the path", how->name);
    verify_report(verify, quantity, "d", way / D, NAN, "");
    for (int i = 0; i < 2; i++)
        verify_free(worlds[i], scenes[i]);
}

static void run(scree_verify *verify)
{
    static const way ways[] = {
        {"rolling", "friction=0.6", 0.00999, {0.3, -0.2, 0.0}},
        {"rolling with resistance", "friction=0.6 rolling=0.1 twist=0.3", 0.00999, {0.5, -0.2, 0.0}},
        {"sliding", "friction=0.2 rolling=10", 0.00999, {0.6, 0.1, 0.0}},
        {"bouncing", "friction=0.3 restitution=0.7", 0.03, {0.3, -0.1, 0.0}},
    };
    scree_surface sheet = {0};
    scree_error error = {0};
    bool ok = make_sheet(&sheet, &error) == SCREE_OK;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && ok; i++)
        compare(verify, &ways[i], &sheet);
    if (!ok)
        verify_below(verify, error.text, "", NAN, 0.0, "");
    scree_surface_release(&sheet);
}

const scree_verify_case scree_verify_tessellated = {
    .name = "tessellated", .summary = "a grain on a plane of fine triangles", .run = run};
