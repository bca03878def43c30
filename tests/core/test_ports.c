/*
 * Ports of bodies: the way that inputs and their derivatives lead a body, frames, and the wrench through its filter.
 */
#include "support.h"

#include "measure/measure.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-14; /* a few roundings of values of order one */

enum { P = 0, Q = 3, V = 7, W = 10, M = 13 }; /* places of the parts of scree_motion */

static const scree_port plain = {.id = "p"};
static const scree_port in_body = {.id = "p", .frame = SCREE_FRAME_BODY};
static const scree_port by_matrix = {.id = "p", .orientation = SCREE_ORIENTATION_MATRIX};

static void give(scree_port_input *input, int order, int place, double x, double y, double z)
{
    const double values[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        if (order == 0) {
            ((double *)&input->motion)[place + k] = values[k];
            continue;
        }
        input->rates[order - 1][place + k] = values[k];
        input->given[order - 1] |= UINT32_C(1) << (place + k);
    }
}

static scree_port_input at_rest(void)
{
    return (scree_port_input){
        .motion = {.orientation = {1.0}, .matrix = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}}};
}

static scree_pose start_of(const scree_port_input *input)
{
    scree_pose pose;
    assert_true(scree_input_pose(input, &plain, 0.0, &pose));
    return pose;
}

static void assert_point(vec3 a, double x, double y, double z, double tolerance)
{
    assert_near(a.x, x, tolerance);
    assert_near(a.y, y, tolerance);
    assert_near(a.z, z, tolerance);
}

/* The angle between two orientations. */
static double apart(quat a, quat b)
{
    return length(quat_log(quat_normalize(quat_mul(a, quat_conj(b)))));
}

static void assert_consistent(const scree_path *path)
{
    double speed, spin;
    scree_path_speed(path, &speed, &spin);
    for (int k = 0; k < 20; k++) {
        vec3 v, w;
        double begin = k / 20.0, end = (k + 1) / 20.0, h = path->dt / 20.0;
        scree_pose a = scree_path_at(path, begin), b = scree_path_at(path, end);
        scree_path_twist(path, begin, end, &v, &w);
        assert_near(length(sub(mul_add(a.x, h, v), b.x)), 0.0, EXACT);
        assert_near(apart(quat_mul(quat_exp(scale(h, w)), a.q), b.q), 0.0, 4.0 * EXACT);
        assert_true(length(v) <= speed * (1.0 + 1e-12) + 1e-12 && length(w) <= spin * (1.0 + 1e-12) + 1e-12);
    }
}

static void test_straight(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    give(&input, 0, P, 1.0, 2.0, 3.0);
    give(&input, 0, V, 0.5, 0.0, -1.0);
    give(&input, 0, W, 0.0, 0.0, 30.0); /* more than a turn */
    scree_pose from = {.x = {1.0, 2.0, 3.1}, .q = {1.0, 0.0, 0.0, 0.0}};
    scree_path path = scree_path_aim(from, &input, &plain, 0.4);
    assert_point(scree_path_at(&path, 0.5).x, 1.1, 2.0, 2.85, EXACT); /* half way from 3.1 to 2.6 */
    assert_point(scree_path_at(&path, 1.0).x, 1.2, 2.0, 2.6, EXACT);
    assert_near(apart(scree_path_at(&path, 0.25).q, quat_exp((vec3){0.0, 0.0, 3.0})), 0.0, EXACT);
    assert_consistent(&path);
}

static void test_acceleration(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    give(&input, 0, P, 1.0, 2.0, 3.0);
    give(&input, 0, V, 0.5, 0.0, -1.0);
    give(&input, 1, V, 2.0, 0.0, 8.0);
    give(&input, 2, V, 0.0, 12.0, 0.0);
    give(&input, 0, W, 0.0, 1.0, 0.0);
    give(&input, 1, W, 0.0, 4.0, 0.0);
    give(&input, 2, W, 0.0, 6.0, 0.0);
    double dt = 0.4;
    scree_path path = scree_path_aim(start_of(&input), &input, &plain, dt);
    for (int k = 0; k <= 10; k++) {
        double t = dt * k / 10.0, angle = t + 2.0 * t * t + t * t * t;
        scree_pose pose = scree_path_at(&path, k / 10.0);
        assert_point(pose.x, 1.0 + 0.5 * t + t * t, 2.0 + 2.0 * t * t * t, 3.0 - t + 4.0 * t * t, EXACT);
        assert_near(apart(pose.q, quat_exp((vec3){0.0, angle, 0.0})), 0.0, EXACT);
    }
    assert_consistent(&path);
}

static void test_position_rates_replace_the_velocity(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    give(&input, 0, V, 100.0, 100.0, 100.0);
    give(&input, 1, V, 100.0, 100.0, 100.0);
    give(&input, 1, P, 1.0, 0.0, 0.0);
    give(&input, 2, P, 0.0, 4.0, 0.0);
    scree_path path = scree_path_aim(start_of(&input), &input, &plain, 0.5);
    assert_point(scree_path_at(&path, 0.5).x, 0.25, 0.125, 0.0, EXACT);
    assert_point(path.to.x, 0.5, 0.5, 0.0, EXACT);
    assert_consistent(&path);
}

/* What the body is away from its inputs at the start is made up for at a constant rate. */
static void test_gap(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    give(&input, 1, V, 2.0, 0.0, 0.0);
    give(&input, 1, W, 0.0, 0.0, 2.0);
    scree_pose from = {.x = {0.0, 0.1, 0.0}, .q = quat_exp((vec3){0.0, 0.0, 0.2})};
    scree_path path = scree_path_aim(from, &input, &plain, 1.0);
    for (int k = 0; k <= 10; k++) {
        double s = k / 10.0;
        scree_pose pose = scree_path_at(&path, s);
        assert_point(pose.x, s * s, 0.1 * (1.0 - s), 0.0, EXACT);
        assert_near(apart(pose.q, quat_exp((vec3){0.0, 0.0, 0.2 * (1.0 - s) + s * s})), 0.0, EXACT);
    }
    assert_consistent(&path);
}

/* The orientation that q' = w(t) q / 2 leads to, by many small turns about the axis in the middle of each. */
static quat integrate(vec3 w, vec3 w1, vec3 w2, double dt)
{
    enum { N = 20000 };
    quat q = {1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < N; k++) {
        double t = dt * (k + 0.5) / N;
        vec3 now = add(w, scale(t, mul_add(w1, 0.5 * t, w2)));
        q = quat_mul(quat_exp(scale(dt / N, now)), q);
    }
    return quat_normalize(q);
}

static double turn_error(double dt)
{
    scree_port_input input = at_rest();
    vec3 w = {1.0, 0.5, 0.0}, w1 = {0.0, 2.0, 1.0}, w2 = {0.0, 0.0, 5.0};
    give(&input, 0, W, w.x, w.y, w.z);
    give(&input, 1, W, w1.x, w1.y, w1.z);
    give(&input, 2, W, w2.x, w2.y, w2.z);
    scree_path path = scree_path_aim(start_of(&input), &input, &plain, dt);
    return apart(path.to.q, integrate(w, w1, w2, dt));
}

/* An axis that turns: the first term that is left out is of order dt^5, so half the step has a thirty-second. */
static void test_turning_axis(void **state)
{
    (void)state;
    double large = turn_error(0.2), small = turn_error(0.1);
    assert_true(large < 1e-4 && large > 1e-7);
    assert_true(large / small > 24.0 && large / small < 40.0);
}

static double circle_error(double dt)
{
    scree_port_input input = at_rest();
    give(&input, 0, V, 1.0, 0.0, 0.0); /* forward and to the left: a circle of radius 1/2 about (0, 1/2) */
    give(&input, 0, W, 0.0, 0.0, 2.0);
    scree_path path = scree_path_aim(start_of(&input), &input, &in_body, dt);
    assert_near(apart(path.to.q, quat_exp((vec3){0.0, 0.0, 2.0 * dt})), 0.0, EXACT);
    return length(sub(path.to.x, (vec3){0.5 * sin(2.0 * dt), 0.5 - 0.5 * cos(2.0 * dt), 0.0}));
}

/* A twist held in the body frame leads along a circle; what is left out of it is of order dt^4. */
static void test_body_frame(void **state)
{
    (void)state;
    double large = circle_error(0.2), small = circle_error(0.1);
    assert_true(large < 1e-3 && large / small > 13.0);
    scree_port_input input = at_rest(); /* turned by 90 degrees about z: the body's x is the world's y */
    quat_store(input.motion.orientation, quat_exp((vec3){0.0, 0.0, 0.5 * SCREE_PI}));
    give(&input, 0, V, 1.0, 0.0, 0.0);
    give(&input, 1, V, 0.0, 2.0, 0.0);
    scree_path path = scree_path_aim(start_of(&input), &input, &in_body, 0.5);
    assert_point(path.to.x, -0.25, 0.5, 0.0, EXACT);
    assert_consistent(&path);
}

static void test_orientation_rates(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    double dt = 0.5, s = sin(0.3), c = cos(0.3); /* to the quaternion of 0.6 rad about x */
    give(&input, 0, W, 0.0, 0.0, 0.7);           /* not used */
    input.rates[0][Q] = (c - 1.0) / dt;
    input.rates[0][Q + 1] = s / dt;
    input.given[0] = 3u << Q;
    scree_path path = scree_path_aim(start_of(&input), &input, &plain, dt);
    for (int k = 0; k <= 10; k++) /* a slerp: at constant rate, unlike the chord of the components */
        assert_near(apart(scree_path_at(&path, k / 10.0).q, quat_exp((vec3){0.06 * k, 0.0, 0.0})), 0.0, EXACT);
    assert_consistent(&path);
    input.rates[1][Q + 2] = 0.8;
    input.given[1] = 4u << Q;
    path = scree_path_aim(start_of(&input), &input, &plain, dt);
    for (int k = 0; k <= 2; k++) {
        scree_pose said;
        assert_true(scree_input_pose(&input, &plain, 0.5 * k * dt, &said));
        assert_near(apart(scree_path_at(&path, 0.5 * k).q, said.q), 0.0, EXACT);
    }
    assert_consistent(&path);
}

static void test_matrix(void **state)
{
    (void)state;
    const vec3 turns[] = {{0.1, 0.2, 0.3}, {3.1, 0.1, 0.0}, {0.0, 3.1, 0.2}, {0.1, 0.0, -3.1}, {0.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        scree_body body = {.rotation = {turns[i].x, turns[i].y, turns[i].z}};
        scree_port port = by_matrix;
        scree_scene scene = {.bodies = &body, .body_count = 1, .ports = &port, .port_count = 1};
        scree_port_input input = {.motion = scree_scene_start_motion(&scene, 0)};
        scree_pose pose;
        memset(input.motion.orientation, 0, sizeof input.motion.orientation); /* not looked at */
        assert_true(scree_input_pose(&input, &by_matrix, 0.0, &pose));
        assert_near(apart(pose.q, quat_exp(turns[i])), 0.0, EXACT);
        assert_near(quat_norm(pose.q), 1.0, EXACT);
        for (int k = 0; k < 9; k++) /* a reflection is no rotation */
            input.motion.matrix[k] *= -1.0;
        scree_error error;
        assert_int_equal(scree_input_check(&input, &by_matrix, 0.1, &error), SCREE_INVALID);
        assert_non_null(strstr(error.text, "no rotation"));
    }
}

static void test_orientation_that_ends(void **state)
{
    (void)state;
    scree_port_input input = at_rest();
    scree_error error;
    input.rates[0][Q] = -10.0; /* no length at t = 0.1 */
    input.given[0] = 1u << Q;
    assert_int_equal(scree_input_check(&input, &plain, 0.05, &error), SCREE_OK);
    assert_int_equal(scree_input_check(&input, &plain, 0.1, &error), SCREE_INVALID);
    assert_non_null(strstr(error.text, "derivatives"));
    input = at_rest();
    input.motion.orientation[0] = 0.0;
    assert_int_equal(scree_input_check(&input, &plain, 0.1, &error), SCREE_INVALID);
}

/* ---------------------------------------------------------------- in a world */

#define PISTON                                                                                                         \
    "scene name=t gravity=0,0,0", "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5",                \
        "body id=piston material=g kind=driven", "box size=0.1,0.1,0.1",                                               \
        "grain material=g diameter=0.02 position=0,0,0.0605",                                                          \
        "grain material=g diameter=0.02 position=0.002,0.001,0.081", "port id=p body=piston mode=motion"

static void accelerate(scree_world *world, double z, double v, double a)
{
    scree_motion motion = {.position = {0.0, 0.0, z}, .orientation = {1.0}, .velocity = {0.0, 0.0, v}};
    scree_error error;
    assert_int_equal(scree_world_set_motion(world, 0, &motion, &error), SCREE_OK);
    if (a != 0.0)
        assert_int_equal(scree_world_set_motion_rate(world, 0, V + 2, 1, a, &error), SCREE_OK);
}

/* One long step with its acceleration does what the frames of it do one by one; without, the way is another. */
static void test_long_step(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(PISTON, NULL);
    double a = 4.0, T = 0.05, force[3];
    const int steps[] = {1, 10, 1};
    for (int k = 0; k < 3; k++) {
        scree_world *world = make_world(scene);
        double position[3], turn[4], h = T / steps[k];
        force[k] = 0.0;
        for (int n = 0; n < steps[k]; n++) {
            scree_wrench wrench;
            bool bent = k < 2;
            accelerate(world, 0.5 * a * n * h * n * h, bent ? a * n * h : 0.5 * a * T, bent ? a : 0.0);
            run(world, h, 1);
            assert_int_equal(scree_world_get_wrench(world, 0, &wrench), SCREE_OK);
            force[k] += wrench.force[2] / steps[k];
        }
        scree_world_get_pose(world, 0, position, turn);
        assert_near(position[2], 0.5 * a * T * T, 1e-16);
        scree_world_destroy(world);
    }
    assert_near(force[0], force[1], 1e-9 * fabs(force[1])); /* rounding of the way, through the stiffness of contacts */
    /* pushed along by an accelerated piston: both grains go with it, 2 m a, but for the gap and what they rebound */
    double mass = 2500.0 * SCREE_PI / 6.0 * 8e-6;
    assert_near(force[0], -2.0 * mass * a, 0.1 * 2.0 * mass * a);
    assert_true(fabs(force[2] - force[0]) > 0.3 * fabs(force[0]));
    scree_scene_destroy(scene);
}

static void test_rates_hold_for_one_step(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(PISTON, NULL);
    scree_world *world = make_world(scene), *copy = make_world(scene);
    double position[3], turn[4];
    static uint8_t bytes[100000];
    size_t size;
    scree_error error;
    accelerate(world, 0.0, 0.0, 4.0);
    assert_int_equal(scree_world_save(world, bytes, sizeof bytes, &size, &error), SCREE_OK);
    assert_int_equal(scree_world_load(copy, bytes, size, &error), SCREE_OK); /* they are part of the state */
    run(world, 0.01, 1);
    run(copy, 0.01, 1);
    assert_memory_equal(&(scree_hash[1]){scree_world_hash(world)}, &(scree_hash[1]){scree_world_hash(copy)},
                        sizeof(scree_hash));
    scree_world_get_pose(world, 0, position, turn);
    assert_near(position[2], 2e-4, 1e-18);
    accelerate(world, 2e-4, 0.04, 0.0);
    run(world, 0.01, 1);
    scree_world_get_pose(world, 0, position, turn);
    assert_near(position[2], 6e-4, 1e-18);
    assert_int_equal(scree_world_set_motion_rate(world, 0, V, 3, 1.0, &error), SCREE_INVALID);
    assert_int_equal(scree_world_set_motion_rate(world, 0, V, 1, NAN, &error), SCREE_INVALID);
    assert_int_equal(scree_world_set_motion_rate(world, 0, 22, 1, 1.0, &error), SCREE_INVALID);
    assert_int_equal(scree_world_set_motion_rate(world, 1, 0, 1, 1.0, &error), SCREE_INVALID);
    scree_world_destroy(copy);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

#define FREE_BODY                                                                                                      \
    "scene name=t gravity=0,0,0", "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5",                \
        "body id=b material=g kind=dynamic mass=2 inertia=0.1,0.2,0.3 rotation=0,0,1.5707963267948966"

/* A load that grows with time: its mean in every substep, so that momentum is exact. */
static void test_load_rates(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(FREE_BODY, "port id=p body=b mode=force", NULL);
    scree_world *world = make_world(scene);
    scree_error error;
    scree_body_state body;
    double T = 0.05;
    assert_int_equal(scree_world_set_load(world, 0, &(scree_wrench){.force = {1.0, 0.0, 0.0}}, &error), SCREE_OK);
    assert_int_equal(scree_world_set_load_rate(world, 0, 0, 1, 10.0, &error), SCREE_OK);
    assert_int_equal(scree_world_set_load_rate(world, 0, 1, 2, 600.0, &error), SCREE_OK);
    run(world, T, 1);
    scree_world_get_body(world, 0, &body);
    assert_near(body.velocity[0], (T + 10.0 * T * T / 2.0) / 2.0, EXACT);
    assert_near(body.velocity[1], 600.0 * T * T * T / 6.0 / 2.0, EXACT);
    run(world, T, 1); /* the load is held, its derivatives are gone */
    scree_world_get_body(world, 0, &body);
    assert_near(body.velocity[0], (2.0 * T + 10.0 * T * T / 2.0) / 2.0, EXACT);
    assert_int_equal(scree_world_set_load_rate(world, 0, 6, 1, 1.0, &error), SCREE_INVALID);
    assert_int_equal(scree_world_set_motion_rate(world, 0, 0, 1, 1.0, &error), SCREE_INVALID);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A force port that speaks in the body frame: the load turns with the body, and so does what comes out; the rates are
   how the outputs change. */
static void test_force_port_in_the_body_frame(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(FREE_BODY, "port id=p body=b mode=force resolveInFrame=body", NULL);
    scree_world *world = make_world(scene);
    scree_error error;
    scree_body_state body, before, rate, after;
    scree_wrench load = {.force = {1.0, 0.0, 0.0}, .torque = {0.0, 0.0, 3.0}};
    assert_int_equal(scree_world_set_load(world, 0, &load, &error), SCREE_OK);
    run(world, 1e-4, 1);
    scree_world_get_body(world, 0, &body);
    assert_near(body.velocity[1], 0.5e-4, 1e-9); /* turned by 90 degrees: forward is the world's y */
    run(world, 0.1, 2);
    double h = 1e-5;
    assert_int_equal(scree_world_get_port_motion(world, 0, &before, &rate), SCREE_OK);
    run(world, h, 1);
    assert_int_equal(scree_world_get_port_motion(world, 0, &after, NULL), SCREE_OK);
    assert_near(hypot(after.acceleration[0], after.acceleration[1]), 0.5, 1e-9);
    assert_near(after.acceleration[0], 0.5, 1e-9); /* F / m, whatever the body's orientation */
    for (size_t k = 0; k < 13; k++) /* position, orientation, velocities; differences over 10 us of values of order 1 */
        assert_near(((double *)&rate)[k], (((double *)&after)[k] - ((double *)&before)[k]) / h, 0.05);
    for (size_t k = 0; k < 9; k++)
        assert_near(rate.matrix[k], (after.matrix[k] - before.matrix[k]) / h, 1e-3);
    assert_true(isnan(rate.acceleration[0]));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- filter */

/* A constant force through substeps of any lengths: y = F (1 - exp(-t / T)). */
static void test_filter(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(PISTON, NULL);
    const double lengths[][3] = {{0.01, 0.01, 0.01}, {0.001, 0.02, 0.009}, {0.03, 1e-6, 1e-3}};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        scree_world *world = make_world(scene);
        set_value(world, SCREE_ELEMENT_PORT, 0, "filterTime", 0, 0.02);
        assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
        scree_rigid *body = &world->bodies[0];
        vec3 force = {3.0, -2.0, 1.0}, torque = {0.5, 0.0, -0.25};
        double time = 0.0;
        scree_port_wrench wrench;
        for (int n = 0; n < 30; n++) {
            double h = lengths[k][n % 3];
            body->impulse = mul_add(body->impulse, h, force);
            body->twist_impulse = mul_add(body->twist_impulse, h, torque);
            scree_measure_ports(world, h);
            time += h;
        }
        double share = 1.0 - exp(-time / 0.02);
        assert_int_equal(scree_world_get_port_wrench(world, 0, &wrench), SCREE_OK);
        /* the force of a substep is a difference of sums of 30: 1e-12 with the shortest substep */
        assert_point(vec3_of(wrench.instant.force), force.x, force.y, force.z, 1e-9);
        assert_point(vec3_of(wrench.filtered.force), share * force.x, share * force.y, share * force.z, 1e-12);
        assert_point(vec3_of(wrench.filtered.torque), share * torque.x, 0.0, share * torque.z, 1e-12);
        assert_near(wrench.rate.force[0], (1.0 - share) * force.x / 0.02, 1e-7);
        scree_world_destroy(world);
    }
    scree_scene_destroy(scene);
}

/* Body-frame components of a wrench that stands still in the world, and how they change while the body turns. */
static void test_wrench_in_the_body_frame(void **state)
{
    (void)state;
    scree_scene *scene = make_scene("scene name=t gravity=0,0,0", "material id=g density=2500 youngs=1e7",
                                    "pair a=g b=g friction=0.5", "body id=b material=g kind=driven",
                                    "port id=p body=b mode=motion resolveInFrame=body filterTime=0.02", NULL);
    scree_world *world = make_world(scene);
    scree_rigid *body = &world->bodies[0];
    scree_port_wrench before, after;
    vec3 force = {3.0, -2.0, 1.0};
    double h = 1e-6;
    body->w = (vec3){0.0, 0.0, 5.0};
    for (int n = 0; n < 2; n++) {
        body->now.q = quat_exp((vec3){0.0, 0.0, 0.5 * SCREE_PI + 5.0 * h * n});
        body->impulse = mul_add(body->impulse, n == 0 ? 0.01 : h, force);
        scree_measure_ports(world, n == 0 ? 0.01 : h);
        assert_int_equal(scree_world_get_port_wrench(world, 0, n == 0 ? &before : &after), SCREE_OK);
    }
    assert_point(vec3_of(before.instant.force), -2.0, -3.0, 1.0, 1e-12);
    for (int k = 0; k < 3; k++) /* a difference over 1 us: relative 5e-5 of terms of order 100 */
        assert_near(before.rate.force[k], (after.filtered.force[k] - before.filtered.force[k]) / h, 0.01);
    set_value(world, SCREE_ELEMENT_PORT, 0, "filterTime", 0, 0.0);
    assert_int_equal(scree_world_get_port_wrench(world, 0, &after), SCREE_OK);
    assert_true(isnan(after.rate.force[0]));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_position_rates_replace_the_velocity),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_turning_axis),
        cmocka_unit_test(test_body_frame),
        cmocka_unit_test(test_orientation_rates),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_orientation_that_ends),
        cmocka_unit_test(test_long_step),
        cmocka_unit_test(test_rates_hold_for_one_step),
        cmocka_unit_test(test_load_rates),
        cmocka_unit_test(test_force_port_in_the_body_frame),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_wrench_in_the_body_frame),
    };
    return cmocka_run_group_tests_name("ports", tests, NULL, NULL);
}
