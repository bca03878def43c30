/*
 * The stepper against closed forms and its own promises: momentum, determinism, bodies that arrive, refused calls that
 * change nothing.
 */
#include "support.h"

#include "world.h"

#include <math.h>
#include <string.h>

static const double G = 9.81;

#define GRAIN "material id=grain density=2500 youngs=1e7 poisson=0.3"

static void test_free_fall(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", GRAIN, "pair a=grain b=grain friction=0.5",
                   "fill id=f material=grain min=0,0,0 max=0.03,0.03,0.03", "size diameter=0.02", NULL);
    scree_world *world = make_world(scene);
    scree_particle before = scree_world_get_particle(world, 0);
    run(world, 0.005, 200);
    scree_particle after = scree_world_get_particle(world, 0);
    /* semi-implicit Euler with h = 0.5 ms: v = −g t and z = z0 − g t (t + h)/2 in exact arithmetic; 2000 roundings */
    assert_near(after.velocity[2], -G * 1.0, 1e-11);
    assert_near(after.position[2] - before.position[2], -G * 1.0 * (1.0 + 0.0005) / 2.0, 1e-11);
    assert_near(after.position[0], before.position[0], 0.0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Height of a column of n Hertz spheres on a Hertz floor of the same material: the k-th contact from above carries k.
 */
static double column_height(int n, double d, double mass, double youngs, double poisson)
{
    double e_star = 0.5 * youngs / (1.0 - poisson * poisson);
    double k_pair = 4.0 / 3.0 * e_star * sqrt(0.25 * d), k_floor = 4.0 / 3.0 * e_star * sqrt(0.5 * d);
    double z = 0.5 * d - pow(n * mass * G / k_floor, 2.0 / 3.0);
    for (int i = 1; i < n; i++)
        z += d - pow(i * mass * G / k_pair, 2.0 / 3.0);
    return z;
}

static void test_hertz_column(void **state)
{
    (void)state;
    enum { N = 25 };
    const double d = 0.013;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", "material id=m density=3700 youngs=6e6 poisson=0.3",
                   "pair a=m b=m friction=0.5", "body id=floor material=m", "plane normal=0,0,1",
                   "fill id=f material=m count=25 min=0,0,0 max=0.1,0.1,0.3", "size diameter=0.013", NULL);
    scree_world *world = make_world(scene);
    for (int i = 0; i < N; i++)
        world->particles.place[i].x = (vec3){0.0, 0.0, d * (i + 0.5)};
    run(world, 0.005, 2000);
    double mass = 1.0 / world->particles.twist[0].inv_mass;
    double exact = column_height(N, d, mass, 6e6, 0.3);
    /* METHOD §5: below 1e-5 % for 10 substeps of one sweep */
    assert_near(world->particles.place[N - 1].x.z, exact, 1e-7 * exact);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_linear_law(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", GRAIN, "pair a=grain b=grain friction=0.5 law=linear stiffness=5000",
        "body id=floor material=grain", "plane normal=0,0,1", "fill id=f material=grain min=0,0,0 max=0.03,0.03,0.03",
        "size diameter=0.02", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 400);
    double weight = G / world->particles.twist[0].inv_mass;
    /* at rest F = k δ exactly; what is left of the fall decays by orders of magnitude within the 2 s */
    assert_near(0.01 - world->particles.place[0].x.z, weight / 5000.0, 1e-6 * weight / 5000.0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A sphere that rolls without slipping down a slope: a = 5/7 g sin θ. */
static void test_rolling_down_a_slope(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=3.0,-2.0,-9.0", GRAIN, "pair a=grain b=grain friction=0.8",
                   "body id=floor material=grain", "plane normal=0,0,1",
                   "fill id=f material=grain min=0,0,0 max=0.03,0.03,0.03", "size diameter=0.02", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 100); /* lands, sets to rolling */
    vec3 before = world->particles.twist[0].v;
    run(world, 0.005, 200);
    vec3 after = world->particles.twist[0].v;
    /* friction is constant, and so is the creep that its regularisation allows: it drops out of the difference */
    assert_near(after.x - before.x, 5.0 / 7.0 * 3.0, 1e-6);
    assert_near(after.y - before.y, -5.0 / 7.0 * 2.0, 1e-6);
    assert_near(after.y / after.x, -2.0 / 3.0, 1e-9);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

#define BED(threads)                                                                                                   \
    "scene name=bed gravity=0.3,0,-9.81", "solver threads=" threads, GRAIN,                                            \
        "pair a=grain b=grain friction=0.5 rolling=0.1 twist=0.2", "body id=floor material=grain",                     \
        "plane normal=0,0,1", "body id=walls material=grain", "plane normal=1,0,0 position=-0.06,0,0",                 \
        "plane normal=-1,0,0 position=0.06,0,0", "plane normal=0,1,0 position=0,-0.06,0",                              \
        "plane normal=0,-1,0 position=0,0.06,0", "body id=plate material=grain kind=driven position=0,0,0.25",         \
        "box size=0.02,0.08,0.1", "fill id=bed material=grain min=-0.06,-0.06,0 max=0.06,0.06,0.25 count=400",         \
        "size diameter=0.014", "size diameter=0.009 diameterMax=0.011", "port id=floor body=floor mode=wrench",        \
        "port id=walls body=walls mode=wrench", "port id=plate body=plate"

/* Lowers the plate into the bed while it turns and sweeps sideways. */
static scree_motion plate_motion(double t)
{
    scree_motion motion = {.velocity = {0.05, 0.0, -0.25}, .angular_velocity = {0.0, 0.6, 0.3}};
    vec3_store(motion.position, (vec3){0.05 * t, 0.0, 0.25 - 0.25 * t});
    quat_store(motion.orientation, quat_exp((vec3){0.0, 0.6 * t, 0.3 * t}));
    return motion;
}

/* Momentum of the grains: its change over any step is gravity plus what the bodies give. */
static void test_momentum_balance(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("2"), NULL);
    scree_world *world = make_world(scene);
    scree_info before, after;
    const double dt = 0.01, g[3] = {0.3, 0.0, -9.81};
    double largest = 0.0;
    for (int i = 0; i < 80; i++) {
        scree_motion motion = plate_motion(i * dt);
        assert_int_equal(scree_world_set_motion(world, 2, &motion, NULL), SCREE_OK);
        scree_world_get_info(world, &before);
        run(world, dt, 1);
        scree_world_get_info(world, &after);
        for (int k = 0; k < 3; k++) {
            double impulse = after.mass * g[k] * dt;
            for (uint32_t port = 0; port < 3; port++) {
                scree_wrench wrench;
                assert_int_equal(scree_world_get_wrench(world, port, &wrench), SCREE_OK);
                impulse -= wrench.force[k] * dt;
                largest = fmax(largest, fabs(wrench.force[k] * dt));
            }
            /* relative to what flows: weight times step */
            assert_near(after.momentum[k] - before.momentum[k], impulse, 1e-11 * after.mass * G * dt + 1e-11 * largest);
        }
    }
    assert_true(largest > 2.0 * after.mass * G * dt); /* the plate did push */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Two grains that meet off centre with spin: linear and angular momentum stay. */
static void test_angular_momentum(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,0", GRAIN, "pair a=grain b=grain friction=0.6 rolling=0.2",
                   "fill id=f material=grain min=0,0,0 max=0.06,0.03,0.03", "size diameter=0.02", NULL);
    scree_world *world = make_world(scene);
    scree_particles *p = &world->particles;
    assert_int_equal(p->count, 2);
    p->place[1].x = add(p->place[0].x, (vec3){0.021, 0.008, 0.0});
    p->twist[0].v = (vec3){0.8, 0.1, 0.05};
    p->twist[0].w = (vec3){3.0, -40.0, 25.0};
    vec3 momentum[2], spin[2];
    double energy[2];
    for (int k = 0; k < 2; k++) {
        momentum[k] = spin[k] = (vec3){0.0, 0.0, 0.0};
        energy[k] = 0.0;
        for (int i = 0; i < 2; i++) {
            double m = 1.0 / p->twist[i].inv_mass, inertia = 1.0 / p->twist[i].inv_inertia;
            momentum[k] = mul_add(momentum[k], m, p->twist[i].v);
            spin[k] = add(spin[k], mul_add(scale(m, cross(p->place[i].x, p->twist[i].v)), inertia, p->twist[i].w));
            energy[k] += 0.5 * (m * dot(p->twist[i].v, p->twist[i].v) + inertia * dot(p->twist[i].w, p->twist[i].w));
        }
        if (k == 0)
            run(world, 0.005, 40);
    }
    assert_true(length(sub(p->twist[1].v, (vec3){0.0, 0.0, 0.0})) > 0.1); /* they did meet */
    assert_near(length(sub(momentum[1], momentum[0])), 0.0, 1e-12 * length(momentum[0]));
    /* impulses act at one point in the middle of the substep's start configuration: exact but for roundings, of floats
     */
    assert_near(length(sub(spin[1], spin[0])), 0.0, 1e-6 * length(spin[0]));
    assert_true(energy[1] < energy[0]);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static scree_hash run_bed(scree_scene *scene, double dt, int n)
{
    scree_world *world = make_world(scene);
    for (int i = 0; i < n; i++) {
        scree_motion motion = plate_motion(i * dt);
        assert_int_equal(scree_world_set_motion(world, 2, &motion, NULL), SCREE_OK);
        run(world, dt, 1);
    }
    scree_hash hash = scree_world_hash(world);
    scree_world_destroy(world);
    return hash;
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    scree_scene *scenes[] = {make_scene(BED("1"), NULL), make_scene(BED("1"), NULL), make_scene(BED("2"), NULL),
                             make_scene(BED("3"), NULL), make_scene(BED("8"), NULL)};
    scree_hash first = run_bed(scenes[0], 0.01, 60);
    for (size_t i = 1; i < sizeof scenes / sizeof scenes[0]; i++) {
        scree_hash hash = run_bed(scenes[i], 0.01, 60);
        assert_memory_equal(&hash, &first, sizeof hash);
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        scree_scene_destroy(scenes[i]);
}

/* A master that subtracts times passes step sizes with rounding in them: same bits as the clean ones, and no drift. */
static void test_rounding_of_the_step_does_not_matter(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("1"), NULL);
    scree_world *clean = make_world(scene), *rounded = make_world(scene);
    int differ = 0;
    for (int i = 0; i < 100; i++) {
        double dt = 0.005 * (i + 1) - 0.005 * i;
        differ += dt != 0.005;
        run(clean, 0.005, 1);
        run(rounded, dt, 1);
    }
    scree_hash a = scree_world_hash(clean), b = scree_world_hash(rounded);
    assert_true(differ > 10);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(scree_world_time(rounded) == 100 * 0.005);
    run(clean, 0.0013, 7);
    assert_near(scree_world_time(clean), 0.5 + 7 * 0.0013, 1e-15);
    scree_world_destroy(clean);
    scree_world_destroy(rounded);
    scree_scene_destroy(scene);
}

static void test_driven_body_arrives(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("1"), NULL);
    scree_world *world = make_world(scene);
    const double dt = 0.007; /* no multiple of the frame */
    for (int i = 0; i < 50; i++) {
        scree_motion motion = plate_motion(i * dt), next = plate_motion((i + 1) * dt);
        double x[3], q[4];
        assert_int_equal(scree_world_set_motion(world, 2, &motion, NULL), SCREE_OK);
        run(world, dt, 1);
        scree_world_get_pose(world, 2, x, q);
        for (int k = 0; k < 3; k++)
            assert_near(x[k], next.position[k], 1e-15);
        /* the angular velocity is constant, and so the extrapolated orientation exact but for roundings */
        vec3 off = quat_log(quat_mul(quat_of(q), quat_conj(quat_of(next.orientation))));
        assert_near(length(off), 0.0, 1e-14);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A drum that turns more than half way round in one communication step still turns the way it should. */
static void test_whole_turns_in_a_step(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", GRAIN, "pair a=grain b=grain friction=0.8",
                   "body id=disc material=grain kind=driven", "plane normal=0,0,1",
                   "grain material=grain diameter=0.02 position=0.1,0,0.00999", "port id=disc body=disc", NULL);
    double spin[2];
    for (int coarse = 0; coarse < 2; coarse++) {
        scree_world *world = make_world(scene);
        double dt = coarse ? 0.5 : 0.01, rate = 9.0; /* 4.5 rad in the coarse step */
        for (int i = 0; i < (coarse ? 1 : 50); i++) {
            scree_motion motion = {.angular_velocity = {0.0, 0.0, rate}};
            quat_store(motion.orientation, quat_exp((vec3){0.0, 0.0, rate * i * dt}));
            assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
            run(world, dt, 1);
        }
        spin[coarse] = world->particles.twist[0].v.y;
        scree_world_destroy(world);
    }
    assert_near(spin[1], spin[0], 1e-9); /* same frames, same motion, but for roundings of the pose */
    assert_true(fabs(spin[0]) > 1e-3);
    scree_scene_destroy(scene);
}

static void test_refused_calls_change_nothing(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("1"), NULL);
    scree_world *world = make_world(scene);
    scree_error error;
    run(world, 0.01, 20);
    scree_hash before = scree_world_hash(world);
    const double bad[] = {0.0, -0.01, NAN, INFINITY, 1e12};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(scree_world_step(world, bad[i], &error), SCREE_INVALID);
    scree_motion motion = plate_motion(0.2);
    motion.velocity[1] = NAN;
    assert_int_equal(scree_world_set_motion(world, 2, &motion, &error), SCREE_INVALID);
    assert_non_null(strstr(error.text, "plate"));
    motion.velocity[1] = 0.0;
    assert_int_equal(scree_world_set_motion(world, 0, &motion, &error), SCREE_INVALID); /* a wrench port */
    assert_int_equal(scree_world_set_motion(world, 3, &motion, &error), SCREE_INVALID); /* no such port */
    scree_hash after = scree_world_hash(world);
    assert_memory_equal(&before, &after, sizeof before);

    scree_motion was = *scree_world_get_motion(world, 2);
    memset(motion.orientation, 0, sizeof motion.orientation);
    assert_int_equal(scree_world_set_motion(world, 2, &motion, &error), SCREE_OK); /* half-set inputs are allowed… */
    assert_int_equal(scree_world_step(world, 0.01, &error), SCREE_INVALID);        /* …steps with them are not */
    assert_int_equal(scree_world_set_motion(world, 2, &was, &error), SCREE_OK);
    after = scree_world_hash(world);
    assert_memory_equal(&before, &after, sizeof before);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_settings_and_a_new_start(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("1"), NULL);
    scree_world *world = make_world(scene);
    scree_info first, second;
    scree_world_get_info(world, &first);
    scree_hash begin = scree_world_hash(world);
    run(world, 0.01, 5);
    set_value(world, SCREE_ELEMENT_MATERIAL, 0, "density", 0, 5000.0);
    assert_false(scree_world_started(world));
    assert_int_equal(scree_world_step(world, 0.01, NULL), SCREE_STATE);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    scree_world_get_info(world, &second);
    assert_near(second.mass, 2.0 * first.mass, 1e-12 * first.mass);
    assert_true(scene->materials[0].density == 2500.0); /* the scene itself is untouched */
    set_value(world, SCREE_ELEMENT_MATERIAL, 0, "density", 0, 2500.0);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    scree_hash again = scree_world_hash(world);
    assert_memory_equal(&begin, &again, sizeof begin);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_fill_that_does_not_fit(void **state)
{
    (void)state;
    scree_error error;
    scree_world *world;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,0", GRAIN, "pair a=grain b=grain friction=0.6",
                   "fill id=f material=grain min=0,0,0 max=0.1,0.1,0.1 count=1000", "size diameter=0.02", NULL);
    assert_int_equal(scree_world_create(scene, NULL, NULL, &world, NULL), SCREE_OK);
    assert_int_equal(scree_world_start(world, 0.0, &error), SCREE_INVALID);
    assert_non_null(strstr(error.text, "takes 64 grains"));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* What the scene's own checks refuse, parameters can't bring in. */
static void test_start_checks_settings_together(void **state)
{
    (void)state;
    scree_error error;
    scree_scene *scene = make_scene("scene name=t gravity=0,0,0", "material id=g density=2500 youngs=1e7 viscosity=1e3",
                                    "pair a=g b=g friction=0.6", "grain material=g diameter=0.02 position=0,0,0", NULL);
    scree_world *world = make_world(scene);
    set_value(world, SCREE_ELEMENT_MATERIAL, 0, "poisson", 0, 0.0);
    assert_int_equal(scree_world_start(world, 0.0, &error), SCREE_INVALID);
    assert_non_null(strstr(error.text, "Poisson"));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A grain that flies off at the speed of a bullet is searched for without going through all the cells on its way. */
static void test_a_fast_grain_is_cheap(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,0", GRAIN, "pair a=grain b=grain friction=0.6",
                   "fill id=f material=grain min=0,0,0 max=0.2,0.2,0.2 count=500", "size diameter=0.02",
                   "grain material=grain diameter=0.02 position=0,0,1 velocity=0,0,100000", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 20); /* 1e13 cells of a grain's size each frame, if it looked into them */
    assert_near(scree_world_get_particle(world, 0).position[2], 1.0 + 100000.0 * 0.1, 1e-6);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Size classes are drawn by their shares, of number or of mass. */
static void test_size_shares(void **state)
{
    (void)state;
    for (int by_mass = 0; by_mass < 2; by_mass++) {
        scree_scene *scene =
            make_scene("scene name=t gravity=0,0,0", GRAIN, "pair a=grain b=grain friction=0.6",
                       by_mass ? "fill id=f material=grain min=0,0,0 max=1,1,1 count=80000 shareBy=mass"
                               : "fill id=f material=grain min=0,0,0 max=1,1,1 count=80000",
                       "size diameter=0.02 share=3", "size diameter=0.012 diameterMax=0.016 share=1", NULL);
        scree_world *world = make_world(scene);
        scree_info info;
        double large = 0.0;
        scree_world_get_info(world, &info);
        for (uint32_t i = 0; i < info.particles; i++) {
            scree_particle p = scree_world_get_particle(world, i);
            if (p.radius == 0.01)
                large += by_mass ? p.mass / info.mass : 1.0 / info.particles;
        }
        assert_near(large, 0.75, 0.008); /* five standard errors of 80 000 draws */
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_hertz_column),
        cmocka_unit_test(test_linear_law),
        cmocka_unit_test(test_rolling_down_a_slope),
        cmocka_unit_test(test_momentum_balance),
        cmocka_unit_test(test_angular_momentum),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_rounding_of_the_step_does_not_matter),
        cmocka_unit_test(test_driven_body_arrives),
        cmocka_unit_test(test_whole_turns_in_a_step),
        cmocka_unit_test(test_refused_calls_change_nothing),
        cmocka_unit_test(test_settings_and_a_new_start),
        cmocka_unit_test(test_fill_that_does_not_fit),
        cmocka_unit_test(test_start_checks_settings_together),
        cmocka_unit_test(test_a_fast_grain_is_cheap),
        cmocka_unit_test(test_size_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
