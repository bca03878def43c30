/*
 * The interface impedance against closed forms and against differences of steps that are taken and taken back.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct saved {
    uint8_t *bytes;
    size_t size;
} saved;

static saved save(const scree_world *world)
{
    saved s;
    assert_int_equal(scree_world_save(world, NULL, 0, &s.size, NULL), SCREE_OK);
    s.bytes = malloc(s.size);
    assert_int_equal(scree_world_save(world, s.bytes, s.size, &s.size, NULL), SCREE_OK);
    return s;
}

/* z by central differences of the wrench on port 0 over a step of dt. eps: m/s or, over `arm`, rad/s. */
static void by_differences(scree_world *world, double dt, double eps, double arm, double z[36])
{
    saved s = save(world);
    scree_motion base = *scree_world_get_motion(world, 0);
    for (int k = 0; k < 6; k++) {
        scree_wrench wrench[2];
        double change = k < 3 ? eps : eps / arm;
        for (int side = 0; side < 2; side++) {
            scree_motion motion = base;
            double *value = k < 3 ? &motion.velocity[k] : &motion.angular_velocity[k - 3];
            *value += side ? change : -change;
            assert_int_equal(scree_world_load(world, s.bytes, s.size, NULL), SCREE_OK);
            assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
            run(world, dt, 1);
            scree_world_get_wrench(world, 0, &wrench[side]);
        }
        for (int row = 0; row < 6; row++)
            z[6 * row + k] = -dt * (((double *)&wrench[1])[row] - ((double *)&wrench[0])[row]) / (2.0 * change);
    }
    assert_int_equal(scree_world_load(world, s.bytes, s.size, NULL), SCREE_OK);
    free(s.bytes);
}

static double norm(const double z[36], const double other[36], double arm)
{
    double sum = 0.0;
    for (int i = 0; i < 36; i++) {
        double scale = (i / 6 < 3 ? 1.0 : 1.0 / arm) * (i % 6 < 3 ? 1.0 : 1.0 / arm);
        double value = (z[i] - (other ? other[i] : 0.0)) * scale;
        sum += value * value;
    }
    return sqrt(sum);
}

static void press(scree_world *world, double depth, double z0, int steps, double dt)
{
    for (int i = 0; i < steps; i++) {
        double t = (double)i / steps;
        scree_motion motion = {.position = {0.0, 0.0, z0 - depth * t}, .orientation = {1.0, 0.0, 0.0, 0.0}};
        motion.velocity[2] = -depth / steps / dt;
        assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
        run(world, dt, 1);
    }
    scree_motion still = {.position = {0.0, 0.0, z0 - depth}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(scree_world_set_motion(world, 0, &still, NULL), SCREE_OK);
    run(world, dt, 100);
}

#define PLATE(solver, z)                                                                                               \
    "scene name=z gravity=0,0,-9.81", "solver " solver, "material id=g density=2500 youngs=1e7",                       \
        "pair a=g b=g friction=0.8", "body id=floor material=g", "plane normal=0,0,1",                                 \
        "body id=plate material=g kind=driven position=0,0," z, "box size=0.2,0.2,0.04", "port id=plate body=plate"

/* Four grains between floor and plate, pressed by 3 %, one frame a step: sticking, and the contact set stays. */
#define FOUR(solver)                                                                                                   \
    PLATE(solver, "0.04"), "grain material=g diameter=0.02 position=0.05,0.03,0.00999",                                \
        "grain material=g diameter=0.02 position=-0.05,0.04,0.00999",                                                  \
        "grain material=g diameter=0.02 position=0.04,-0.05,0.00999",                                                  \
        "grain material=g diameter=0.02 position=-0.06,-0.03,0.00999"

static void test_four_grains_against_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        scree_scene *scene =
            k == 0 ? make_scene(FOUR("substeps=1 sweeps=400"), NULL) : make_scene(FOUR("substeps=10 sweeps=40"), NULL);
        scree_world *world = make_world(scene);
        press(world, 0.0006, 0.04, 40, 0.005);
        double z[36], d[36];
        assert_int_equal(scree_world_get_impedance(world, 0, 0.005, z, NULL), SCREE_OK);
        by_differences(world, 0.005, 1e-6, 0.05, d);
        assert_true(norm(z, d, 0.05) < 0.01 * norm(d, NULL, 0.05)); /* 1e-4 and 2e-3 were found */
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

/* A bed in a box under a plate: many contacts, some of them slide, and the plate drags sideways too. */
#define BED(solver)                                                                                                    \
    PLATE(solver, "0.09"), "plane normal=1,0,0 position=-0.06,0,0", "plane normal=-1,0,0 position=0.06,0,0",           \
        "plane normal=0,1,0 position=0,-0.06,0", "plane normal=0,-1,0 position=0,0.06,0",                              \
        "fill id=bed material=g min=-0.06,-0.06,0 max=0.06,0.06,0.07 count=120", "size diameter=0.014"

static void test_a_bed_against_differences(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("substeps=1 sweeps=1500"), NULL);
    scree_world *world = make_world(scene);
    scree_motion up = {.position = {0.0, 0.0, 0.09}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(scree_world_set_motion(world, 0, &up, NULL), SCREE_OK);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    run(world, 0.005, 60);
    press(world, 0.05, 0.09, 100, 0.005);
    double z[36], d[36], other[36];
    assert_int_equal(scree_world_get_impedance(world, 0, 0.005, z, NULL), SCREE_OK);
    by_differences(world, 0.005, 1e-5, 0.05, d);
    double size = norm(z, NULL, 0.05);
    assert_true(size > 1.0); /* kg: it does feel the bed, of 0.3 kg with the floor behind it */
    /* 1500 sweeps are not the solution yet, above all of friction, and a solver that lags behind it feels less: z is on
       the safe side (METHOD §12), and close where the load is: 2 to 25 % off in four packings */
    assert_near(z[14], d[14], 0.35 * d[14]);
    for (int i = 0; i < 36; i++)
        other[i] = z[6 * (i % 6) + i / 6];
    /* normal rows weigh 1 − Υ = 8/9, the others 1, and what slides is not symmetric: 0.04 to 0.15 in eight packings */
    assert_true(norm(z, other, 0.05) < 0.2 * size);
    srand(1);
    for (int k = 0; k < 100; k++) { /* no twist is pushed along, and none is felt less than by differences */
        double twist[6], power = 0.0, found = 0.0;
        for (int i = 0; i < 6; i++)
            twist[i] = ((double)rand() / RAND_MAX - 0.5) / (i < 3 ? 1.0 : 0.05);
        for (int i = 0; i < 36; i++)
            power += twist[i / 6] * z[i] * twist[i % 6];
        for (int i = 0; i < 36; i++)
            found += twist[i / 6] * d[i] * twist[i % 6];
        assert_true(power >= 0.0 && power > 0.8 * found);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_grains_against_differences),
        cmocka_unit_test(test_a_bed_against_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
