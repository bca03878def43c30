/*
 * A tube whose inside is rough, as fines that stick to it make it: bumps in the form of Gauss's bell, at random places,
 * of random height and width (papers II and III put such a texture on their drums). Bumps that overlap add up.
 *
 *   ρ(φ, z) = R − Σ h exp(−4 ln 2 d²/w²),  d: distance along the wall to the bump's centre, w: width at half height
 */
#include "scene/bumps.h"

#include "base/math.h"
#include "base/random.h"

static const double FINE = 3.0; /* edges of triangles across the smallest width */

bool scree_tube_is_rough(const scree_shape *shape)
{
    return shape->kind == SCREE_SHAPE_TUBE && shape->bumps > 0.0;
}

static double least(double lowest, double highest)
{
    return lowest > 0.0 && lowest < highest ? lowest : highest;
}

/* Vertices around and along. */
typedef struct grid {
    uint32_t around, along; /* the last row along is beyond the last cell, the one around is the first again */
    double arc, step;       /* m, between them on the wall */
} grid;

static grid grid_of(const scree_shape *tube)
{
    double edge = least(tube->bump_width_min, tube->bump_width) / FINE, round_ = 2.0 * SCREE_PI * tube->radius;
    double around = ceil(round_ / edge), along = ceil(tube->length / edge);
    around = around < 24.0 ? 24.0 : around; /* round enough where bumps are wide */
    grid g = {.arc = round_ / around, .step = tube->length / along};
    g.around = around > 1e9 ? 0 : (uint32_t)around;
    g.along = along > 1e9 ? 0 : (uint32_t)along + 1;
    return g;
}

double scree_bumps_triangles(const scree_shape *tube)
{
    double edge = least(tube->bump_width_min, tube->bump_width) / FINE;
    return 2.0 * fmax(ceil(2.0 * SCREE_PI * tube->radius / edge), 24.0) * ceil(tube->length / edge);
}

typedef struct bump {
    double s, z;          /* m, centre along the circumference and along the tube, from −length/2 */
    double height, width; /* m */
} bump;

static bump draw_bump(scree_random *random, const scree_shape *tube)
{
    double h = least(tube->bump_height_min, tube->bump_height), w = least(tube->bump_width_min, tube->bump_width);
    bump one = {.s = 2.0 * SCREE_PI * tube->radius * scree_random_unit(random)};
    one.z = tube->length * scree_random_unit(random);
    one.height = h + (tube->bump_height - h) * scree_random_unit(random);
    one.width = w + (tube->bump_width - w) * scree_random_unit(random);
    return one;
}

/* Adds a bump to the heights of the vertices around it. */
static void add_bump(double *heights, const grid *g, const bump *one)
{
    double reach = 1.5 * one->width; /* beyond it less than 0.2 % of the height */
    int64_t low = (int64_t)ceil((one->s - reach) / g->arc), high = (int64_t)floor((one->s + reach) / g->arc);
    if (high - low >= (int64_t)g->around)
        high = low + (int64_t)g->around - 1; /* once around is enough */
    double bottom = fmax(ceil((one->z - reach) / g->step), 0.0),
           top = fmin(floor((one->z + reach) / g->step), g->along - 1.0);
    for (int64_t i = low; i <= high; i++) {
        size_t column = (size_t)((i % (int64_t)g->around + (int64_t)g->around) % (int64_t)g->around);
        double ds = (double)i * g->arc - one->s;
        for (double k = bottom; k <= top; k++) {
            double dz = k * g->step - one->z, d2 = (ds * ds + dz * dz) / (one->width * one->width);
            heights[column * g->along + (size_t)k] += one->height * exp(-2.772588722239781 * d2); /* 4 ln 2 */
        }
    }
}

static void set_vertices(scree_surface *surface, const scree_shape *tube, const grid *g, const double *heights)
{
    vec3 x = vec3_of(tube->position);
    quat q = quat_exp(vec3_of(tube->rotation));
    for (uint32_t i = 0; i < g->around; i++) {
        double angle = 2.0 * SCREE_PI * i / g->around;
        for (uint32_t k = 0; k < g->along; k++) {
            size_t at = (size_t)i * g->along + k;
            double rho = fmax(tube->radius - heights[at], 0.05 * tube->radius); /* bumps that add up close no tube */
            vec3 v = {rho * cos(angle), rho * sin(angle), k * g->step - 0.5 * tube->length};
            vec3_store(surface->vertices[at], add(x, quat_rotate(q, v)));
        }
    }
}

static void set_triangles(scree_surface *surface, const grid *g)
{
    size_t at = 0;
    for (uint32_t i = 0; i < g->around; i++)
        for (uint32_t k = 0; k + 1 < g->along; k++) {
            uint32_t a = i * g->along + k, b = (i + 1) % g->around * g->along + k;
            const uint32_t corners[2][3] = {{a, a + 1, b + 1}, {a, b + 1, b}}; /* seen from inside */
            for (int t = 0; t < 2; t++, at++)
                for (int c = 0; c < 3; c++)
                    surface->triangles[at][c] = corners[t][c];
        }
}

scree_status scree_bumps_surface(const scree_shape *tube, const scree_memory *memory, scree_surface *surface,
                                 scree_error *error)
{
    grid g = grid_of(tube);
    size_t vertices = (size_t)g.around * g.along, triangles = 2 * (size_t)g.around * (g.along - 1);
    scree_status status = scree_surface_create(surface, (uint32_t)vertices, (uint32_t)triangles, memory, error);
    if (status != SCREE_OK)
        return status;
    double *heights = scree_allocate(&surface->memory, vertices, sizeof *heights);
    if (!heights) {
        scree_surface_release(surface);
        return scree_fail(error, SCREE_MEMORY, "out of memory for the bumps of a tube");
    }
    scree_random random = scree_random_seeded(tube->bump_seed);
    double count = round(tube->bumps * 2.0 * SCREE_PI * tube->radius * tube->length);
    for (double i = 0.0; i < count; i++) {
        bump one = draw_bump(&random, tube);
        add_bump(heights, &g, &one);
    }
    set_vertices(surface, tube, &g, heights);
    set_triangles(surface, &g);
    scree_release(&surface->memory, heights);
    return SCREE_OK;
}
