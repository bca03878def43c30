/*
 * Drawn size distributions against their closed forms.
 *
 * Seeds are fixed, so that a test gives the same every time; the tolerances are those that a good generator misses once
 * in some ten thousand seeds: 4 standard errors of a mean or a share, 2.2/√N of a distribution function (Kolmogorov).
 */
#include "support.h"

#include "base/math.h"
#include "scene/sizes.h"

#include <stdlib.h>
#include <string.h>

enum { N = 100000 };

typedef double cdf(double d, const double *parameters);

static int by_value(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return l < r ? -1 : l > r;
}

/* A scene whose one grading has these lines. */
static scree_scene *grading_scene(const char *first, const char *second, const char *third, const char *head)
{
    return make_scene("scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",
                      "pair a=g b=g friction=0.5", head, first, second, third, NULL);
}

/* Draws N diameters of the scene's grading, sorted. The caller frees them. */
static double *draw(const scree_scene *scene, uint32_t seed, double *mean_cube)
{
    scree_memory memory = scree_memory_or_default(NULL);
    scree_sizes sizes;
    assert_true(scree_sizes_make(&sizes, scene, SCREE_OWNER_GRADING, 0, &memory));
    double *d = malloc(N * sizeof *d);
    scree_random random = scree_random_seeded(seed);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < N; i++) {
        d[i] = scree_sizes_draw(&sizes, &random);
        assert_true(d[i] >= sizes.smallest && d[i] <= sizes.largest);
        double cube = d[i] * d[i] * d[i];
        sum += cube;
        squares += cube * cube;
    }
    double mean = sum / N, error = sqrt(fmax(squares / N - mean * mean, 0.0) / N);
    assert_near(sizes.mean_cube, mean, 4.0 * error + 1e-11 * mean); /* what mass shares and rates are made from */
    *mean_cube = mean;
    qsort(d, N, sizeof *d, by_value);
    scree_sizes_free(&sizes, &memory);
    return d;
}

/* Largest distance between the drawn distribution by number and the expected one. */
static void compare_numbers(const double *d, cdf *expected, const double *parameters)
{
    double most = 0.0;
    for (int i = 0; i < N; i++) {
        double f = expected(d[i], parameters);
        most = fmax(most, fmax(fabs(f - (double)i / N), fabs(f - (double)(i + 1) / N)));
    }
    assert_true(most < 2.2 / sqrt(N));
}

/* The share of the mass below 19 diameters; its standard error is that of a ratio of sums: √Σ m²(1 − F)² / Σ m. */
static void compare_masses(const double *d, cdf *expected, const double *parameters, double a, double b)
{
    for (int k = 1; k < 20; k++) {
        double at = a + (b - a) * k / 20.0, f = expected(at, parameters), all = 0.0, below = 0.0, square = 0.0;
        for (int i = 0; i < N; i++) {
            double m = d[i] * d[i] * d[i], off = (d[i] < at ? 1.0 : 0.0) - f;
            all += m;
            below += d[i] < at ? m : 0.0;
            square += m * m * off * off;
        }
        assert_near(below / all, f, 4.0 * sqrt(square) / all);
    }
}

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

static double uniform_cdf(double d, const double *p)
{
    return (d - p[0]) / (p[1] - p[0]);
}

/* Mean, deviation, bounds. */
static double normal_cdf(double d, const double *p)
{
    double z0 = (p[2] - p[0]) / p[1], z1 = (p[3] - p[0]) / p[1];
    return (normal_below((d - p[0]) / p[1]) - normal_below(z0)) / (normal_below(z1) - normal_below(z0));
}

/* Median, deviation of the logarithm, bounds. */
static double lognormal_cdf(double d, const double *p)
{
    double logs[4] = {log(p[0]), p[1], log(p[2]), log(p[3])};
    return normal_cdf(log(d), logs);
}

/* Openings and shares of the mass passing, straight over ln d between them. */
static double sieve_cdf(double d, const double *p)
{
    int k = 0;
    while (k < 2 && d > p[k + 1])
        k++;
    return p[4 + k] + (p[5 + k] - p[4 + k]) * log(d / p[k]) / log(p[k + 1] / p[k]);
}

static void check_numbers(const char *line, cdf *expected, const double *parameters)
{
    double mean_cube;
    scree_scene *scene = grading_scene(line, NULL, NULL, "grading id=s");
    double *d = draw(scene, 1, &mean_cube);
    compare_numbers(d, expected, parameters);
    free(d);
    scree_scene_destroy(scene);
}

static void check_masses(const char *line, cdf *expected, const double *parameters, double a, double b)
{
    double mean_cube;
    scree_scene *scene = grading_scene(line, NULL, NULL, "grading id=s");
    double *d = draw(scene, 2, &mean_cube);
    compare_masses(d, expected, parameters, a, b);
    free(d);
    scree_scene_destroy(scene);
}

static void test_one_size(void **state)
{
    (void)state;
    double mean_cube;
    scree_scene *scene = grading_scene("size diameter=0.01", NULL, NULL, "grading id=s");
    double *d = draw(scene, 1, &mean_cube);
    assert_true(d[0] == 0.01 && d[N - 1] == 0.01);
    free(d);
    scree_scene_destroy(scene);
}

static void test_uniform(void **state)
{
    (void)state;
    const double wide[] = {0.002, 0.04};
    check_numbers("size diameter=0.002 diameterMax=0.04", uniform_cdf, wide);
    check_masses("size diameter=0.002 diameterMax=0.04 by=mass", uniform_cdf, wide, 0.002, 0.04);
}

static void test_normal(void **state)
{
    (void)state;
    const double common[] = {0.01, 0.002, 0.005, 0.016}, tail[] = {0.01, 0.002, 0.0135, 0.03};
    check_numbers("size law=normal diameter=0.01 deviation=0.002 diameterMin=0.005 diameterMax=0.016", normal_cdf,
                  common);
    check_numbers("size law=normal diameter=0.01 deviation=0.002 diameterMin=0.0135 diameterMax=0.03", normal_cdf,
                  tail);
}

static void test_lognormal(void **state)
{
    (void)state;
    const double numbers[] = {0.01, 0.5, 0.002, 0.05}, masses[] = {0.02, 0.6, 0.004, 0.06};
    check_numbers("size law=lognormal diameter=0.01 deviation=0.5 diameterMin=0.002 diameterMax=0.05", lognormal_cdf,
                  numbers);
    check_masses("size law=lognormal diameter=0.02 deviation=0.6 diameterMin=0.004 diameterMax=0.06 by=mass",
                 lognormal_cdf, masses, 0.004, 0.06);
}

/* A wide law by mass is far out in the tail of its law by number: the draws are still exact. */
static void test_far_tail(void **state)
{
    (void)state;
    const double masses[] = {0.05, 1.5, 0.03, 0.1};
    check_masses("size law=lognormal diameter=0.05 deviation=1.5 diameterMin=0.03 diameterMax=0.1 by=mass",
                 lognormal_cdf, masses, 0.03, 0.1);
}

static void test_sieve_curve(void **state)
{
    (void)state;
    double mean_cube;
    const double curve[] = {0.002, 0.006, 0.02, 0.04, 0.0, 0.2, 0.7, 1.0};
    scree_scene *scene = make_scene("scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",
                                    "pair a=g b=g friction=0.5", "grading id=s", "sieve opening=0.002 passing=0",
                                    "sieve opening=0.006 passing=20", "sieve opening=0.02 passing=70",
                                    "sieve opening=0.04 passing=100", NULL);
    double *d = draw(scene, 3, &mean_cube);
    compare_masses(d, sieve_cdf, curve, 0.002, 0.04);
    free(d);
    scree_scene_destroy(scene);
}

/* A mixture with shares of mass: each class has its share, whatever its law. */
static void test_shares_of_mass(void **state)
{
    (void)state;
    double mean_cube, mass[3] = {0.0, 0.0, 0.0}, squares[3] = {0.0, 0.0, 0.0}, all = 0.0;
    scree_scene *scene =
        grading_scene("size diameter=0.004 share=1", "size diameter=0.01 diameterMax=0.012 share=1",
                      "size law=lognormal diameter=0.03 deviation=0.2 diameterMin=0.02 diameterMax=0.04 share=2",
                      "grading id=s shareBy=mass");
    double *d = draw(scene, 4, &mean_cube);
    for (int i = 0; i < N; i++) {
        int k = d[i] < 0.005 ? 0 : d[i] < 0.015 ? 1 : 2;
        double m = d[i] * d[i] * d[i];
        mass[k] += m;
        squares[k] += m * m;
        all += m;
    }
    const double shares[3] = {0.25, 0.25, 0.5};
    for (int k = 0; k < 3; k++) {
        double p = shares[k], others = squares[0] + squares[1] + squares[2] - squares[k];
        assert_near(mass[k] / all, p, 4.0 * sqrt(squares[k] * (1.0 - p) * (1.0 - p) + others * p * p) / all);
    }
    free(d);
    scree_scene_destroy(scene);
}

static void test_fills_draw_from_a_grading(void **state)
{
    (void)state;
    scree_scene *scene = make_scene("scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",
                                    "pair a=g b=g friction=0.5", "grading id=s", "size diameter=0.01 diameterMax=0.02",
                                    "fill id=one material=g count=50 grading=s min=0,0,0 max=0.2,0.2,0.2",
                                    "fill id=two material=g count=50 min=1,0,0 max=1.2,0.2,0.2",
                                    "size diameter=0.01 diameterMax=0.02", NULL);
    scree_world *world = make_world(scene);
    for (uint32_t i = 0; i < 50; i++)
        assert_true(scree_world_get_particle(world, i).radius == scree_world_get_particle(world, 50 + i).radius);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
#define GRADING "grading id=s"
    static const struct {
        const char *lines[4], *says;
    } bad[] = {
        {{GRADING}, "needs either elements \"size\" or elements \"sieve\""},
        {{GRADING, "size diameter=1", "sieve opening=1 passing=0"}, "needs either elements"},
        {{GRADING, "sieve opening=1 passing=5"}, "begin with one that 0 % pass"},
        {{GRADING, "sieve opening=1 passing=0", "sieve opening=2 passing=90"}, "let 100 % pass, and it lets 90 %"},
        {{GRADING, "sieve opening=1 passing=0", "sieve opening=1 passing=100"}, "opening must rise"},
        {{GRADING, "sieve opening=1 passing=0", "sieve opening=2 passing=100", "sieve opening=3 passing=50"},
         "passing must rise"},
        {{GRADING, "size law=normal diameter=0.1 deviation=0.01"}, "needs bounds"},
        {{GRADING, "size law=lognormal diameter=0.1 deviation=1 diameterMin=0.05"}, "needs bounds"},
        {{GRADING, "size law=normal diameter=0.1 diameterMin=0.05 diameterMax=0.2"}, "needs a deviation"},
        {{GRADING, "size law=lognormal diameter=0.1 deviation=4 diameterMin=0.05 diameterMax=1"}, "up to 3"},
        {{GRADING, "size law=normal by=mass diameter=0.1 deviation=0.01 diameterMin=0.05 diameterMax=0.2"},
         "counts by number"},
        {{GRADING, "size law=normal diameter=0.1 deviation=0.01 diameterMin=0.15 diameterMax=0.2"},
         "of the law lies between"},
        {{GRADING, "size diameter=0.1 diameterMax=0.05"}, "diameterMax = 0.05 must be at least"},
        {{"fill id=f material=g min=0,0,0 max=1,1,1"}, "needs at least 1 element \"size\", or a grading"},
        {{"fill id=f material=g min=0,0,0 max=1,1,1 grading=no", "size diameter=1"}, "no grading with that id"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scree_error error = {0};
        scree_scene *scene;
        const char *const *lines = bad[i].lines;
        assert_int_equal(try_scene(&error, &scene, "scene name=t gravity=0,0,-9.81",
                                   "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5", lines[0],
                                   lines[1], lines[2], lines[3], NULL),
                         SCREE_INVALID);
        if (!strstr(error.text, bad[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_size),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_lognormal),
        cmocka_unit_test(test_far_tail),
        cmocka_unit_test(test_sieve_curve),
        cmocka_unit_test(test_shares_of_mass),
        cmocka_unit_test(test_fills_draw_from_a_grading),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
