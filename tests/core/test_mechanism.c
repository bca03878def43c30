/*
 * Mechanisms without grains against closed forms. All run at substeps of 0.5 ms, the default, unless the order of the
 * scheme is measured.
 */
#include "support.h"

#include "mechanism/ldl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---------------------------------------------------------------- the direct solver */

/* A random positive definite matrix with the pattern of a tree and one loop: S x = b solved, then multiplied back. */
static void test_sparse_factors_solve(void **state)
{
    (void)state;
    enum { N = 7, ROWS = SCREE_NODE_ROWS };
    static const uint8_t links[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {2, 5}, {5, 6}};
    uint8_t linked[N * N] = {0};
    uint32_t rows[N] = {5, 3, 6, 1, 8, 5, 2};
    scree_memory memory = scree_memory_or_default(NULL);
    scree_ldl ldl;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        linked[links[i][0] * N + links[i][1]] = linked[links[i][1] * N + links[i][0]] = 1;
    for (int i = 0; i < N; i++)
        linked[i * N + i] = 1;
    assert_true(scree_ldl_analyse(&ldl, linked, N, &memory));
    static double full[N * ROWS][N * ROWS];
    double x[N * ROWS] = {0}, b[N * ROWS] = {0};
    memset(full, 0, sizeof full);
    srand(7);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t r = 0; r < rows[i] && linked[i * N + j]; r++)
                for (uint32_t c = 0; c < rows[j]; c++) {
                    double value = i == j && r == c ? 60.0 : (double)rand() / RAND_MAX - 0.5; /* dominant diagonal */
                    if (i == j && c > r)
                        continue;
                    full[i * ROWS + r][j * ROWS + c] = full[j * ROWS + c][i * ROWS + r] = value;
                }
    scree_ldl_clear(&ldl);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j <= i; j++)
            for (uint32_t r = 0; r < rows[i] && linked[i * N + j]; r++)
                for (uint32_t c = 0; c < rows[j]; c++)
                    *scree_ldl_at(&ldl, i, r, j, c) = full[i * ROWS + r][j * ROWS + c];
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t r = 0; r < rows[i]; r++)
            x[i * ROWS + r] = b[i * ROWS + r] = (double)rand() / RAND_MAX;
    scree_ldl_factor(&ldl, rows);
    scree_ldl_solve(&ldl, rows, x);
    for (uint32_t i = 0; i < N * ROWS; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < N * ROWS; j++)
            sum += full[i][j] * x[j];
        assert_near(sum, b[i], 1e-13); /* a few roundings of numbers of order 1 */
    }
    scree_ldl_free(&ldl, &memory);
}

/* ---------------------------------------------------------------- pendulum */

#define PENDULUM                                                                                                       \
    "material id=m density=7800 youngs=1e9", "pair a=m b=m friction=0.3",                                              \
        "body id=arm material=m kind=dynamic position=1,0,0 mass=3 inertia=0.02,0.3,0.3",                              \
        "joint id=pin kind=hinge b=arm position=0,0,0 axis=0,1,0", "port id=arm body=arm mode=force"

static double worst_gap(const scree_world *world, uint32_t joints)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < joints; i++) {
        scree_bearing bearing;
        assert_int_equal(scree_world_get_bearing(world, i, &bearing), SCREE_OK);
        worst = fmax(worst, bearing.gap);
    }
    return worst;
}

/* Swings from the horizontal for 3 s; *drift: largest change of energy over m g l, *gap: largest violation. Returns the
   time of the first passage of the lowest point. */
static double swing(int substeps, double *drift, double *gap)
{
    char solver[64];
    snprintf(solver, sizeof solver, "solver substeps=%d", substeps);
    scree_scene *scene = make_scene("scene name=p gravity=0,0,-9.81", solver, PENDULUM, NULL);
    scree_world *world = make_world(scene);
    double passage = 0.0, last = 0.0;
    *drift = *gap = 0.0;
    for (int i = 0; i < 600; i++) {
        scree_body_state arm;
        run(world, 0.005, 1);
        scree_world_get_body(world, 0, &arm);
        double v2 = arm.velocity[0] * arm.velocity[0] + arm.velocity[2] * arm.velocity[2];
        double kinetic = 0.5 * 3.0 * v2 + 0.5 * 0.3 * arm.angular_velocity[1] * arm.angular_velocity[1];
        /* velocities are half a substep behind positions: potential energy of the place between */
        double h = 0.005 / substeps, z = arm.position[2] - 0.5 * h * arm.velocity[2];
        *drift = fmax(*drift, fabs(kinetic + 3.0 * 9.81 * z) / (3.0 * 9.81));
        *gap = fmax(*gap, worst_gap(world, 1));
        if (passage == 0.0 && arm.position[0] < 0.0)
            passage = 0.005 * (i + 1) - 0.005 * arm.position[0] / (arm.position[0] - last);
        last = arm.position[0];
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
    return passage;
}

static void test_a_pendulum_swings(void **state)
{
    (void)state;
    double drift, gap, coarse_drift, coarse_gap;
    swing(5, &coarse_drift, &coarse_gap);
    double passage = swing(10, &drift, &gap);
    /* ω0² = m g l/(I + m l²); quarter of the period from 90°: K(sin 45°)/ω0, K = 1.8540746773 */
    double omega = sqrt(3.0 * 9.81 / (0.3 + 3.0));
    /* the first kick is a whole one, so all positions are those of half a substep later; 1e-4: linear between samples
     */
    assert_near(passage + 0.5 * 5e-4, 1.8540746773013719 / omega, 1e-4);
    assert_true(gap < 1e-9);                                  /* two Newton steps leave rounding */
    assert_true(drift < 1e-4 && drift < 0.35 * coarse_drift); /* second order: a quarter, and some room */
}

/* ---------------------------------------------------------------- slider-crank and four-bar */

/* Crank of 0.2 m turning at 10 rad/s, rod of 0.5 m, slider along x: x = r cos θ + √(l² − r² sin² θ). */
static void test_a_slider_crank_follows_its_formula(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=s gravity=0,0,-9.81", "material id=m density=7800 youngs=1e9", "pair a=m b=m friction=0.3",
        "body id=crank material=m kind=dynamic position=0.1,0,0 mass=2 inertia=0.001,0.01,0.01 angularVelocity=0,-10,0 "
        "velocity=0,0,1",
        "body id=rod material=m kind=dynamic position=0.45,0,0 mass=1 inertia=0.001,0.02,0.02 velocity=0,0,1 "
        "angularVelocity=0,4,0",
        "body id=slide material=m kind=dynamic position=0.7,0,0 mass=4 inertia=0.01,0.01,0.01",
        "joint id=main kind=hinge b=crank position=0,0,0 axis=0,-1,0",
        "joint id=pin kind=hinge a=crank b=rod position=0.2,0,0 axis=0,-1,0",
        "joint id=bolt kind=hinge a=rod b=slide position=0.7,0,0 axis=0,-1,0",
        "joint id=guide kind=slider b=slide position=0.7,0,0 axis=1,0,0",
        "actuator id=motor joint=main mode=speed speed=10", NULL);
    scree_world *world = make_world(scene);
    for (int i = 1; i <= 300; i++) {
        scree_body_state slide;
        scree_actuation motor;
        run(world, 0.005, 1);
        scree_world_get_body(world, 2, &slide);
        scree_world_get_actuation(world, 0, &motor);
        double theta = motor.position, s = 0.2 * sin(theta);
        assert_near(theta, 10.0 * 0.005 * i, 2e-6);
        assert_near(slide.position[0], 0.2 * cos(theta) + sqrt(0.25 - s * s), 1e-6);
        assert_true(worst_gap(world, 4) < 1e-6);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Parallelogram of 1 m cranks, 2 m coupler: the coupler stays level, and energy is kept. Overconstrained in space. */
static void test_a_four_bar_keeps_energy(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=f gravity=0,0,-9.81", "material id=m density=7800 youngs=1e9", "pair a=m b=m friction=0.3",
        "body id=left material=m kind=dynamic position=0.5,0,0 mass=3 inertia=0.01,0.25,0.25",
        "body id=right material=m kind=dynamic position=2.5,0,0 mass=3 inertia=0.01,0.25,0.25",
        "body id=coupler material=m kind=dynamic position=2,0,0 mass=6 inertia=0.01,2,2",
        "joint id=a kind=hinge b=left position=0,0,0 axis=0,1,0",
        "joint id=b kind=hinge b=right position=2,0,0 axis=0,1,0",
        "joint id=c kind=hinge a=left b=coupler position=1,0,0 axis=0,1,0",
        "joint id=d kind=hinge a=right b=coupler position=3,0,0 axis=0,1,0", NULL);
    scree_world *world = make_world(scene);
    /* one degree of freedom: I = 2 (0.25 + 3 ½²) + 6 1², m l = 2 · 3 · ½ + 6 */
    double inertia = 2.0 * (0.25 + 0.75) + 6.0, moment = 9.0;
    for (int i = 0; i < 400; i++) {
        scree_body_state left, coupler;
        run(world, 0.005, 1);
        scree_world_get_body(world, 0, &left);
        scree_world_get_body(world, 2, &coupler);
        double z = 2.0 * (left.position[2] - 0.5 * 5e-4 * left.velocity[2]), w = left.angular_velocity[1];
        assert_near(0.5 * inertia * w * w + moment * 9.81 * z, 0.0,
                    2e-4 * moment * 9.81); /* 1.2e-5 h² order, see above */
        assert_near(coupler.orientation[2], 0.0, 1e-7);
        assert_near(coupler.position[2], z + 5e-4 * left.velocity[2], 1e-6);
        assert_true(worst_gap(world, 4) < 1e-6);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- cylinder */

#define ARM(extra)                                                                                                     \
    "scene name=c gravity=0,0,-9.81", "material id=m density=7800 youngs=1e9", "pair a=m b=m friction=0.3",            \
        "body id=arm material=m kind=dynamic position=1,0,0 mass=100 inertia=1,30,30",                                 \
        "joint id=pin kind=hinge b=arm position=0,0,0 axis=0,-1,0",                                                    \
        "joint id=cylinder kind=distance b=arm position=0,0,-1 end=1,0,0", "actuator id=boom joint=cylinder " extra

/* The arm is held: force of the cylinder from the moments about the pin, F l_perp = m g x. */
static void test_a_cylinder_holds_an_arm(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(ARM("mode=motion"), NULL);
    scree_world *world = make_world(scene);
    scree_drive drive = *scree_world_get_drive(world, 0);
    assert_near(drive.position, sqrt(2.0), 1e-15);
    run(world, 0.005, 40);
    scree_actuation boom;
    scree_world_get_actuation(world, 0, &boom);
    /* length √2, distance of its line from the pin 1/√2 */
    assert_near(boom.force, 100.0 * 9.81 * sqrt(2.0), 1e-6 * 100.0 * 9.81);
    assert_near(boom.power, 0.0, 1e-3);
    scree_bearing pin;
    scree_world_get_bearing(world, 0, &pin);
    assert_near(pin.force[0], -100.0 * 9.81, 1e-3); /* the cylinder pushes with m g along x and z; the pin takes x */
    assert_near(pin.force[2], 0.0, 1e-3);
    /* then it is driven: 0.1 m/s, and it arrives where it should */
    for (int i = 0; i < 200; i++) {
        drive = (scree_drive){.position = sqrt(2.0) + 0.1 * 0.005 * i, .speed = 0.1};
        assert_int_equal(scree_world_set_drive(world, 0, &drive, NULL), SCREE_OK);
        run(world, 0.005, 1);
        scree_world_get_actuation(world, 0, &boom);
        assert_near(boom.position, sqrt(2.0) + 0.1 * 0.005 * (i + 1), 1e-8);
        assert_true(worst_gap(world, 2) < 1e-6);
    }
    /* cosine rule: 1² + 1² − 2 cos(angle) = length² */
    scree_body_state arm;
    scree_world_get_body(world, 0, &arm);
    double length = sqrt(2.0) + 0.1, angle = acos(1.0 - 0.5 * length * length) - 0.5 * PI;
    assert_near(arm.position[2], sin(angle), 1e-7);
    drive.position = NAN;
    assert_int_equal(scree_world_set_drive(world, 0, &drive, NULL), SCREE_INVALID);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A cylinder that is too weak gives way; a range stops it; a force drives it. */
static void test_limits_of_force_and_range(void **state)
{
    (void)state;
    double least = 100.0 * 9.81 * sqrt(2.0);
    char line[128];
    for (int weak = 0; weak < 2; weak++) {
        snprintf(line, sizeof line, "actuator id=boom joint=cylinder mode=motion maxForce=%.9g",
                 (weak ? 0.7 : 1.1) * least);
        scree_scene *scene = make_scene("scene name=c gravity=0,0,-9.81", "material id=m density=7800 youngs=1e9",
                                        "pair a=m b=m friction=0.3",
                                        "body id=arm material=m kind=dynamic position=1,0,0 mass=100 inertia=1,30,30",
                                        "joint id=pin kind=hinge b=arm position=0,0,0 axis=0,-1,0 lower=-0.4 upper=0.5",
                                        "joint id=cylinder kind=distance b=arm position=0,0,-1 end=1,0,0", line, NULL);
        scree_world *world = make_world(scene);
        run(world, 0.005, 400);
        scree_body_state arm;
        scree_actuation boom;
        scree_world_get_body(world, 0, &arm);
        scree_world_get_actuation(world, 0, &boom);
        assert_near(boom.force, (weak ? 0.7 : 1.0) * least, 1e-6 * least);
        assert_near(arm.position[2], weak ? sin(-0.4) : 0.0, 1e-6); /* down to the end of its range */
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    scree_scene *scene = make_scene(ARM("mode=force force=2000"), NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 2);
    scree_body_state arm;
    scree_world_get_body(world, 0, &arm);
    /* angular acceleration (F/√2 − m g)/(I + m l²), over 10 ms in which the geometry hardly changes */
    assert_near(-arm.angular_velocity[1], 0.01 * (2000.0 / sqrt(2.0) - 981.0) / 130.0, 2e-5);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- with grains */

/* 100 t lowered by a crane onto grains of 3 g, a mass ratio of 3e7, until the bed takes 0.1 % of it, 40 kPa. */
static void test_a_block_of_100_t_is_lowered_on_small_grains(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=b gravity=0,0,-9.81", "material id=g density=2500 youngs=1e8", "pair a=g b=g friction=0.5",
        "body id=floor material=g", "plane normal=0,0,1", "plane normal=1,0,0 position=-0.08,0,0",
        "plane normal=-1,0,0 position=0.08,0,0", "plane normal=0,1,0 position=0,-0.08,0",
        "plane normal=0,-1,0 position=0,0.08,0",
        "body id=block material=g kind=dynamic position=0,0,0.5 mass=1e5 inertia=1e3,1e3,1e3", "box size=0.15,0.15,0.8",
        "fill id=bed material=g min=-0.08,-0.08,0 max=0.08,0.08,0.09 count=600", "size diameter=0.0132",
        "joint id=guide kind=slider b=block position=0,0,0.5 axis=0,0,1",
        "joint id=rope kind=distance b=block position=0,0,3 end=0,0,0.5", "actuator id=crane joint=rope mode=speed",
        "port id=floor body=floor mode=wrench", "port id=block body=block mode=wrench", NULL);
    scree_world *world = make_world(scene);
    double weight = 1e5 * 9.81, fastest = 0.0;
    scree_drive hold = {0}, lower = {.speed = 0.05};
    scree_body_state block;
    scree_wrench bed;
    scree_actuation crane;
    for (int i = 0; i < 600; i++) {
        scree_world_set_drive(world, 0, i < 100 ? &hold : &lower, NULL);
        run(world, 0.005, 1);
        scree_world_get_body(world, 1, &block);
        scree_world_get_actuation(world, 0, &crane);
        scree_world_get_wrench(world, 1, &bed);
        fastest = fmax(fastest, fabs(block.velocity[2]));
        if (bed.force[2] > 0.001 * weight)
            break;
        /* the rope pulls the block up by −force; nothing else carries it while it moves evenly */
        if ((i > 5 && i < 98) || i > 104)
            assert_near(bed.force[2] - crane.force, weight, 5e-3 * weight);
    }
    assert_true(bed.force[2] > 0.001 * weight); /* it did come down on the bed */
    /* stop: bed and crane share the weight, and nothing bursts; grains may give way once more a second later */
    for (int i = 0; i < 400; i++) {
        scree_world_set_drive(world, 0, &hold, NULL);
        run(world, 0.005, 1);
    }
    scree_world_get_actuation(world, 0, &crane);
    scree_world_get_wrench(world, 1, &bed);
    scree_world_get_body(world, 1, &block);
    assert_near(bed.force[2] - crane.force, weight, 5e-3 * weight);
    assert_true(bed.force[2] > 1e-4 * weight); /* grains give way after the stop: 3e-4 to 24e-4 by last bits */
    assert_true(fastest < 0.0501);
    scree_info info;
    scree_world_get_info(world, &info);
    assert_true(info.kinetic_energy < 1e-3); /* J, of 1.8 kg of grains */
    assert_true(info.max_overlap < 0.2);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A proxy follows its port and hands over what the grains do. */
static void test_a_proxy_follows(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=p gravity=0,0,-9.81", "material id=m density=7800 youngs=1e9", "pair a=m b=m friction=0.3",
        "body id=tool material=m kind=dynamic mass=10 inertia=0.1,0.1,0.1", "port id=tool body=tool mode=proxy", NULL);
    scree_world *world = make_world(scene);
    for (int i = 0; i < 200; i++) {
        double t = 0.005 * i;
        scree_motion motion = {.position = {0.5 * t, 0.0, 0.0},
                               .orientation = {cos(0.5 * t), 0.0, 0.0, sin(0.5 * t)},
                               .velocity = {0.5, 0.0, 0.0},
                               .angular_velocity = {0.0, 0.0, 1.0}};
        assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
        run(world, 0.005, 1);
    }
    scree_body_state tool;
    scree_wrench wrench;
    scree_world_get_body(world, 0, &tool);
    assert_near(tool.position[0], 0.5, 1e-6);
    assert_near(tool.position[2], 0.0, 1e-9); /* gravity is the machine's business */
    assert_near(tool.velocity[0], 0.5, 1e-3);
    assert_near(2.0 * atan2(tool.orientation[3], tool.orientation[0]), 1.0, 1e-6);
    scree_world_get_wrench(world, 0, &wrench);
    assert_near(wrench.force[0], 0.0, 1e-3);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Two boxes that overlap at their hinge, above a floor: they do not feel each other, and each feels the floor. */
static void test_bodies_of_a_mechanism_do_not_meet(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=m gravity=0,0,-9.81", "material id=m density=7800 youngs=1e8", "pair a=m b=m friction=0.3",
        "body id=floor material=m", "plane normal=0,0,1",
        "body id=one material=m kind=dynamic position=0,0,0.05 mass=10 inertia=0.1,0.4,0.4", "box size=0.6,0.2,0.1",
        "body id=two material=m kind=dynamic position=0.5,0,0.05 mass=10 inertia=0.1,0.4,0.4", "box size=0.6,0.2,0.1",
        "joint id=pin kind=hinge a=one b=two position=0.25,0,0.05 axis=0,1,0", "port id=floor body=floor mode=wrench",
        NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    scree_wrench wrench;
    scree_body_state two;
    scree_world_get_wrench(world, 0, &wrench);
    scree_world_get_body(world, 2, &two);
    assert_near(wrench.force[2], -20.0 * 9.81, 1e-3); /* at rest */
    assert_near(two.position[0], 0.5, 1e-6);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_mechanisms_replay_bit_for_bit(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(ARM("mode=motion maxForce=1500 speed=0.2"), NULL);
    scree_world *a = make_world(scene), *b = NULL;
    size_t size, again;
    run(a, 0.005, 30);
    assert_int_equal(scree_world_save(a, NULL, 0, &size, NULL), SCREE_OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(scree_world_save(a, bytes, size, &again, NULL), SCREE_OK);
    assert_int_equal(scree_world_create(scene, NULL, NULL, &b, NULL), SCREE_OK);
    assert_int_equal(scree_world_load(b, bytes, size, NULL), SCREE_OK);
    run(a, 0.005, 50);
    run(b, 0.005, 50);
    scree_hash hash_a = scree_world_hash(a), hash_b = scree_world_hash(b);
    assert_memory_equal(&hash_a, &hash_b, sizeof hash_a);
    free(bytes);
    scree_world_destroy(a);
    scree_world_destroy(b);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_factors_solve),
        cmocka_unit_test(test_a_pendulum_swings),
        cmocka_unit_test(test_a_slider_crank_follows_its_formula),
        cmocka_unit_test(test_a_four_bar_keeps_energy),
        cmocka_unit_test(test_a_cylinder_holds_an_arm),
        cmocka_unit_test(test_limits_of_force_and_range),
        cmocka_unit_test(test_a_block_of_100_t_is_lowered_on_small_grains),
        cmocka_unit_test(test_a_proxy_follows),
        cmocka_unit_test(test_bodies_of_a_mechanism_do_not_meet),
        cmocka_unit_test(test_mechanisms_replay_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
