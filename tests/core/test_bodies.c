#include "support.h"

#include "body/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

/* ---------------------------------------------------------------- alone */

/* Turns a body with three different moments freely for 2 s; returns the largest relative change of its energy. */
static double spin_freely(double h, double *momentum_change)
{
    scree_body body = {.mass = 3.0,
                       .inertia = {0.02, 0.05, 0.06},
                       .products = {0.002, -0.001, 0.003},
                       .center = {0.1, 0.0, 0.0},
                       .angular_velocity = {0.3, 12.0, 0.2}};
    scree_rigid rigid;
    scree_rigid_place(&rigid, (scree_pose){.q = {1.0, 0.0, 0.0, 0.0}});
    scree_mass_start(&rigid, &body, 0.1);
    vec3 first = {0}, momentum = {0};
    double energy = 0.0, worst = 0.0;
    int steps = (int)round(2.0 / h);
    for (int i = 0; i <= steps; i++) {
        mat3 inertia = mat3_turn(&rigid.mass.inertia, rigid.now.q);
        momentum = mat3_mul_vec(&inertia, rigid.mass.w);
        double now = 0.5 * dot(rigid.mass.w, momentum);
        if (i == 0) {
            first = momentum;
            energy = now;
        }
        worst = fmax(worst, fabs(now - energy) / energy);
        scree_mass_move(&rigid, h);
    }
    *momentum_change = length(sub(momentum, first)) / length(first);
    return worst;
}

static void test_a_free_body_keeps_its_angular_momentum(void **state)
{
    (void)state;
    double lost, coarse = spin_freely(2e-3, &lost);
    assert_near(lost, 0.0, 1e-12); /* rounding of 1000 steps */
    double fine = spin_freely(1e-3, &lost);
    assert_near(lost, 0.0, 1e-12);
    assert_true(coarse < 1e-2);
    assert_true(fine < 0.3 * coarse); /* second order: a quarter, and some room */
}

#define BLOCK                                                                                                          \
    "material id=g density=2500 youngs=1e7", "body id=floor material=g", "plane normal=0,0,1",                         \
        "body id=block material=g kind=dynamic mass=20 inertia=0.2,0.3,0.4 position=0,0,0.1", "box size=0.4,0.3,0.2",  \
        "port id=floor body=floor mode=wrench", "port id=block body=block mode=force"

static void test_a_block_rests_on_the_floor(void **state)
{
    (void)state;
    scree_scene *scene = make_scene("scene name=b gravity=0,0,-9.81", BLOCK, "pair a=g b=g friction=0.5", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    scree_wrench wrench;
    scree_body_state block;
    scree_world_get_wrench(world, 0, &wrench);
    assert_near(wrench.force[2], -20.0 * G, 1e-6 * 20.0 * G); /* at rest the rows are solved to rounding */
    scree_world_get_body(world, 1, &block);
    /* four corners of half the shortest edge: k δ^(3/2) = m g/4, k = 4/3 E* √r, E* = E/2/(1 − ν²) */
    double k = 4.0 / 3.0 * 0.5e7 / (1.0 - 0.09) * sqrt(0.1), overlap = cbrt(pow(20.0 * G / 4.0 / k, 2.0));
    assert_near(block.position[2], 0.1 - overlap, 1e-6 * overlap);
    assert_near(block.velocity[2], 0.0, 1e-9);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* μ = 0.5: tan of the slope decides whether it slides, and how fast. */
static void test_a_block_slides_as_coulomb_says(void **state)
{
    (void)state;
    const char *slopes[] = {"scene name=b gravity=4.0,0,-9.0", "scene name=b gravity=6.0,0,-9.0"};
    for (int i = 0; i < 2; i++) {
        scree_scene *scene = make_scene(slopes[i], BLOCK, "pair a=g b=g friction=0.5", NULL);
        scree_world *world = make_world(scene);
        run(world, 0.005, 200);
        scree_body_state block;
        scree_world_get_body(world, 1, &block);
        /* over 1 s; it starts while the contacts still settle, which takes some 10 ms */
        assert_near(block.velocity[0], i == 0 ? 0.0 : 6.0 - 0.5 * 9.0, i == 0 ? 1e-6 : 0.05);
        assert_near(block.angular_velocity[1], 0.0, 1e-2);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

static void test_a_force_from_outside_accelerates(void **state)
{
    (void)state;
    scree_scene *scene = make_scene("scene name=b gravity=0,0,0", BLOCK, "pair a=g b=g friction=0.5", NULL);
    scree_world *world = make_world(scene);
    scree_wrench load = {.force = {10.0, 0.0, 40.0}, .torque = {0.0, 0.0, 0.8}};
    scree_error error;
    assert_int_equal(scree_world_set_load(world, 0, &load, &error), SCREE_INVALID);
    assert_int_equal(scree_world_set_load(world, 1, &load, &error), SCREE_OK);
    load.force[0] = NAN;
    assert_int_equal(scree_world_set_load(world, 1, &load, &error), SCREE_INVALID);
    run(world, 0.01, 50);
    scree_body_state block;
    scree_world_get_body(world, 1, &block);
    assert_near(block.velocity[0], 10.0 / 20.0 * 0.5, 1e-12);
    assert_near(block.acceleration[2], 2.0, 1e-10);
    assert_near(block.angular_velocity[2], 0.8 / 0.4 * 0.5, 1e-12);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- with grains */

#define BOULDER(threads)                                                                                               \
    "scene name=bed gravity=0,0,-9.81", "solver threads=" threads, "material id=g density=2500 youngs=1e7",            \
        "pair a=g b=g friction=0.5 rolling=0.05", "body id=floor material=g", "plane normal=0,0,1",                    \
        "plane normal=1,0,0 position=-0.06,0,0", "plane normal=-1,0,0 position=0.06,0,0",                              \
        "plane normal=0,1,0 position=0,-0.06,0", "plane normal=0,-1,0 position=0,0.06,0",                              \
        "body id=boulder material=g kind=dynamic mass=0.4 inertia=2e-4,2e-4,2e-4 position=0,0,0.13 "                   \
        "rotation=0.3,0.2,0 "                                                                                          \
        "angularVelocity=0,0,3",                                                                                       \
        "box size=0.05,0.05,0.05", "fill id=bed material=g min=-0.06,-0.06,0 max=0.06,0.06,0.08 count=700",            \
        "size diameter=0.01", "port id=floor body=floor mode=wrench", "port id=boulder body=boulder mode=force"

static void test_a_boulder_lies_on_a_bed(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BOULDER("1"), NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 300);
    scree_info info;
    scree_wrench mean = {0}, wrench;
    scree_body_state boulder;
    scree_world_get_info(world, &info);
    for (int i = 0; i < 40; i++) {
        run(world, 0.005, 1);
        scree_world_get_wrench(world, 0, &wrench);
        mean.force[2] += wrench.force[2] / 40.0;
    }
    double weight = (info.mass + 0.4) * G;
    assert_near(mean.force[2], -weight, 5e-3 * weight); /* what still moves after 1.5 s: below half a per cent */
    scree_world_get_body(world, 1, &boulder);
    assert_true(boulder.position[2] > 0.05); /* the bed is 0.06 high and a light boulder does not sink in it */
    assert_near(boulder.velocity[2], 0.0, 2e-3);
    scree_world_get_wrench(world, 1, &wrench);
    assert_near(wrench.force[2], 0.4 * G, 0.05 * 0.4 * G); /* one step's mean, of a bed that is not quite at rest */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* What the boulder and the grains have got in a step is what gravity and the floor gave. */
static void test_momentum_is_kept_with_bodies(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BOULDER("2"), NULL);
    scree_world *world = make_world(scene);
    scree_info before, after;
    scree_body_state body;
    scree_wrench wrench;
    for (int i = 0; i < 60; i++) {
        scree_world_get_info(world, &before);
        scree_world_get_body(world, 1, &body);
        double momentum = before.momentum[2] + 0.4 * body.velocity[2];
        run(world, 0.005, 1);
        scree_world_get_info(world, &after);
        scree_world_get_body(world, 1, &body);
        scree_world_get_wrench(world, 0, &wrench);
        double gain = after.momentum[2] + 0.4 * body.velocity[2] - momentum;
        double pull = -(before.mass + 0.4) * G * 0.005;
        assert_near(gain, pull - 0.005 * wrench.force[2], 1e-11 * fabs(pull) * 700.0); /* rounding of 700 grains */
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_bodies_replay_bit_for_bit(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BOULDER("1"), NULL), *other = make_scene(BOULDER("1"), NULL);
    scree_world *a = make_world(scene), *b = NULL;
    scree_error error;
    run(a, 0.005, 60);
    size_t size, again;
    assert_int_equal(scree_world_save(a, NULL, 0, &size, &error), SCREE_OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(scree_world_save(a, bytes, size, &again, &error), SCREE_OK);
    assert_int_equal(scree_world_create(other, NULL, NULL, &b, &error), SCREE_OK); /* never started */
    assert_int_equal(scree_world_load(b, bytes, size, &error), SCREE_OK);
    run(a, 0.005, 40);
    run(b, 0.005, 40);
    scree_hash hash_a = scree_world_hash(a), hash_b = scree_world_hash(b);
    assert_memory_equal(&hash_a, &hash_b, sizeof hash_a);
    scree_world_destroy(a);
    scree_world_destroy(b);
    scree_scene_destroy(scene);
    scree_scene_destroy(other);
    free(bytes);
}

static void test_bodies_that_cannot_be_are_refused(void **state)
{
    (void)state;
    scree_error error;
    scree_scene *scene;
#define TRY(...)                                                                                                       \
    try_scene(&error, &scene, "scene name=b gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",               \
              "pair a=g b=g friction=0.5", __VA_ARGS__, NULL)
    assert_int_equal(TRY("body id=b material=g kind=dynamic inertia=1,1,1"), SCREE_INVALID);
    assert_non_null(strstr(error.text, "mass"));
    assert_int_equal(TRY("body id=b material=g kind=dynamic mass=1"), SCREE_INVALID);
    assert_int_equal(TRY("body id=b material=g kind=dynamic mass=1 inertia=1,1,3"), SCREE_INVALID);
    assert_int_equal(TRY("body id=b material=g kind=dynamic mass=1 inertia=1,1,1 products=2,0,0"), SCREE_INVALID);
    assert_non_null(strstr(error.text, "positive definite"));
    assert_int_equal(TRY("body id=b material=g kind=dynamic mass=1 inertia=1,1,1", "plane normal=0,0,1"),
                     SCREE_INVALID);
    assert_non_null(strstr(error.text, "finite size"));
    assert_int_equal(TRY("body id=b material=g", "port id=p body=b mode=force"), SCREE_INVALID);
    assert_non_null(strstr(error.text, "dynamic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_body_keeps_its_angular_momentum),
        cmocka_unit_test(test_a_block_rests_on_the_floor),
        cmocka_unit_test(test_a_block_slides_as_coulomb_says),
        cmocka_unit_test(test_a_force_from_outside_accelerates),
        cmocka_unit_test(test_a_boulder_lies_on_a_bed),
        cmocka_unit_test(test_momentum_is_kept_with_bodies),
        cmocka_unit_test(test_bodies_replay_bit_for_bit),
        cmocka_unit_test(test_bodies_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
