#include "scene/sizes.h"

#include "base/math.h"

/* ---------------------------------------------------------------- normal forms */

/* Φ(z); 1 − Φ(z) is below(−z), without loss far out. */
static double below(double z)
{
    return 0.5 * erfc(-z * sqrt(0.5));
}

static double share_between(double z0, double z1)
{
    return z0 > 0.0 ? below(-z0) - below(-z1) : below(z1) - below(z0);
}

static double z_of(const scree_size_class *c, double d)
{
    return ((c->form == SCREE_FORM_LOGNORMAL ? log(d) : d) - c->m) / c->s;
}

static double d_of(const scree_size_class *c, double z)
{
    double value = c->m + c->s * z;
    return c->form == SCREE_FORM_LOGNORMAL ? exp(value) : value;
}

/* The z with share u of the law between its bounds below it: bisection, down to the spacing of the numbers. Above the
 * middle it is done in the upper tail, where the share is the small number. */
static double normal_quantile(double z0, double z1, double u)
{
    bool upper = z0 + z1 > 0.0;
    double low = upper ? -z1 : z0, high = upper ? -z0 : z1;
    double p0 = below(low), p1 = below(high), p = p0 + (upper ? 1.0 - u : u) * (p1 - p0);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (below(middle) < p)
            low = middle;
        else
            high = middle;
    }
    double z = 0.5 * (low + high);
    return upper ? -z : z;
}

/* Mean of d³ by Simpson's rule over z; beyond ten deviations from where d³ times the density peaks there is nothing. */
static double normal_mean_cube(const scree_size_class *c)
{
    enum { N = 2000 };
    double lift = c->form == SCREE_FORM_LOGNORMAL ? 3.0 * c->s : 0.0;
    double z0 = fmax(z_of(c, c->a), -10.0), z1 = fmin(z_of(c, c->b), lift + 10.0);
    double nearest = z0 > 0.0 ? z0 : z1 < 0.0 ? z1 : 0.0; /* densities relative to the highest: no underflow */
    double sum = 0.0, cubes = 0.0;
    for (int i = 0; i <= N; i++) {
        double z = z0 + (z1 - z0) * i / N, d = d_of(c, z);
        double weight = (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0) * exp(0.5 * (nearest * nearest - z * z));
        sum += weight;
        cubes += weight * d * d * d;
    }
    return cubes / sum;
}

/* ---------------------------------------------------------------- power form */

/* ∫ x^p dx from 1 to w */
static double power_integral(double p, double w)
{
    return p == -1.0 ? log(w) : (pow(w, p + 1.0) - 1.0) / (p + 1.0);
}

static double power_mean_cube(const scree_size_class *c)
{
    double w = c->b / c->a, cube = c->a * c->a * c->a;
    if (w < 1.0 + 1e-6)
        return 0.5 * (cube + c->b * c->b * c->b);
    if (c->q == 0.0)
        return 0.25 * (c->b * c->b * c->b * c->b - c->a * cube) / (c->b - c->a);
    return cube * power_integral(3.0 - c->q, w) / power_integral(-c->q, w);
}

static double power_quantile(const scree_size_class *c, double u)
{
    if (c->q == 0.0 || c->b <= c->a)
        return c->a + u * (c->b - c->a);
    double p = 1.0 - c->q;
    return c->a * pow(1.0 + u * (pow(c->b / c->a, p) - 1.0), 1.0 / p);
}

/* ---------------------------------------------------------------- classes */

/* The law as it counts; by mass, its number form is shifted afterwards. */
static scree_size_class plain_class(const scree_size *size)
{
    scree_size_class c = {.a = size->diameter, .b = fmax(size->diameter, size->diameter_max)};
    if (size->law == SCREE_SIZE_UNIFORM) {
        c.q = size->by == SCREE_SHARE_MASS ? 3.0 : 0.0;
        return c;
    }
    bool logs = size->law == SCREE_SIZE_LOGNORMAL;
    c.form = logs ? SCREE_FORM_LOGNORMAL : SCREE_FORM_NORMAL;
    c.a = size->diameter_min;
    c.b = size->diameter_max;
    c.m = logs ? log(size->diameter) : size->diameter;
    c.s = size->deviation;
    return c;
}

double scree_size_held(const scree_size *size)
{
    scree_size_class c = plain_class(size);
    return c.form == SCREE_FORM_POWER ? 1.0 : share_between(z_of(&c, c.a), z_of(&c, c.b));
}

scree_size_class scree_size_class_of(const scree_size *size)
{
    scree_size_class c = plain_class(size);
    if (c.form == SCREE_FORM_LOGNORMAL && size->by == SCREE_SHARE_MASS)
        c.m -= 3.0 * c.s * c.s;
    c.mean_cube = c.form == SCREE_FORM_POWER ? power_mean_cube(&c) : normal_mean_cube(&c);
    return c;
}

static void add_class(scree_sizes *sizes, scree_size_class c, double share, scree_share_by by)
{
    c.weight = by == SCREE_SHARE_MASS ? share / c.mean_cube : share;
    sizes->smallest = sizes->count == 0 ? c.a : fmin(sizes->smallest, c.a);
    sizes->largest = fmax(sizes->largest, c.b);
    sizes->mean_cube += c.weight * c.mean_cube;
    sizes->total += c.weight;
    sizes->classes[sizes->count++] = c;
}

/* What follows one sieve is the class up to the next of the same grading. */
static void add_sieves(scree_sizes *sizes, const scree_scene *scene, uint32_t grading)
{
    const scree_sieve *last = NULL;
    for (uint32_t i = 0; i < scene->sieve_count; i++) {
        const scree_sieve *sieve = &scene->sieves[i];
        if (sieve->grading != grading)
            continue;
        if (last && sieve->passing > last->passing) {
            scree_size_class c = {.a = last->opening, .b = sieve->opening, .q = 4.0};
            c.mean_cube = power_mean_cube(&c);
            add_class(sizes, c, sieve->passing - last->passing, SCREE_SHARE_MASS);
        }
        last = sieve;
    }
}

bool scree_sizes_make(scree_sizes *sizes, const scree_scene *scene, scree_owner kind, uint32_t owner,
                      const scree_memory *memory)
{
    *sizes = (scree_sizes){0};
    uint32_t by = SCREE_SHARE_NUMBER;
    if (kind == SCREE_OWNER_FILL) {
        by = scene->fills[owner].share_by;
        if (scene->fills[owner].grading != UINT32_MAX) {
            owner = scene->fills[owner].grading;
            kind = SCREE_OWNER_GRADING;
        }
    }
    if (kind == SCREE_OWNER_EMITTER) {
        by = scene->emitters[owner].share_by;
        if (scene->emitters[owner].grading != UINT32_MAX) {
            owner = scene->emitters[owner].grading;
            kind = SCREE_OWNER_GRADING;
        }
    }
    if (kind == SCREE_OWNER_GRADING)
        by = scene->gradings[owner].share_by;
    sizes->classes = scree_allocate(memory, (size_t)scene->size_count + scene->sieve_count, sizeof *sizes->classes);
    if (!sizes->classes)
        return false;
    for (uint32_t i = 0; i < scene->size_count; i++) {
        const scree_size *size = &scene->sizes[i];
        if (size->owner_kind == kind && size->owner == owner)
            add_class(sizes, scree_size_class_of(size), size->share, by);
    }
    if (kind == SCREE_OWNER_GRADING)
        add_sieves(sizes, scene, owner);
    if (sizes->total > 0.0)
        sizes->mean_cube /= sizes->total;
    return true;
}

void scree_sizes_free(scree_sizes *sizes, const scree_memory *memory)
{
    scree_release(memory, sizes->classes);
    *sizes = (scree_sizes){0};
}

double scree_sizes_draw(const scree_sizes *sizes, scree_random *random)
{
    double pick = scree_random_unit(random) * sizes->total, u = scree_random_unit(random);
    uint32_t k = 0;
    for (; k + 1 < sizes->count; k++) {
        pick -= sizes->classes[k].weight;
        if (pick < 0.0)
            break;
    }
    const scree_size_class *c = &sizes->classes[k];
    if (c->form == SCREE_FORM_POWER)
        return power_quantile(c, u);
    double d = d_of(c, normal_quantile(z_of(c, c->a), z_of(c, c->b), u));
    return d < c->a ? c->a : d > c->b ? c->b : d;
}
