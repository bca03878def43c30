/*
 * Surfaces that run: belts, bodies that keep their velocity, surface ports.
 */
#include "support.h"

#include "base/math.h"

#include <stdlib.h>
#include <string.h>

#define STUFF "material id=g density=2500 youngs=1e7", "material id=w density=7800 youngs=2e11"

static double velocity(const scree_world *world, uint32_t grain, int axis)
{
    return scree_world_get_particle(world, grain).velocity[axis];
}

/*
 * A sphere put on a belt at rest slips at first, v = μ g t, and rolls when the belt's speed V less v is its rim's:
 * v = 2/7 V, at t = 2/7 V / (μ g). Its spin then turns it backwards relative to where it goes.
 */
static void test_sphere_on_a_belt(void **state)
{
    (void)state;
    const double V = 2.0, mu = 0.3, g = 9.81;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", STUFF, "pair a=g b=g friction=0.3", "pair a=g b=w friction=0.3",
        "body id=belt material=w rotation=0,0,1.5707963267948966 belt=3,0,0 beltSpeed=2", "plane normal=0,0,1",
        "port id=belt body=belt mode=surface", "grain material=g diameter=0.02 position=0,0,0.01", NULL);
    scree_world *world = make_world(scene);
    double impulse = 0.0, work = 0.0, roll = 2.0 / 7.0 * V / (mu * g);
    for (int i = 1; i <= 100; i++) {
        run(world, 0.005, 1);
        scree_surface_load load;
        assert_int_equal(scree_world_get_surface_load(world, 0, &load), SCREE_OK);
        impulse -= 0.005 * load.force; /* the belt is held back */
        work += 0.005 * load.power;
        double t = 0.005 * i;
        if (t > 0.02 && t < roll) /* once it has settled into its overlap */
            assert_near(velocity(world, 0, 1), mu * g * t, 0.01 * V);
    }
    scree_particle grain = scree_world_get_particle(world, 0);
    assert_near(grain.velocity[1], 2.0 / 7.0 * V, 1e-3 * V); /* the belt's x is the world's y */
    assert_near(grain.velocity[0], 0.0, 1e-9);
    assert_near(grain.angular_velocity[0] * 0.01, 5.0 / 7.0 * V, 1e-3 * V);
    assert_near(impulse, grain.mass * grain.velocity[1], 1e-9); /* momentum balances exactly */
    assert_near(work, impulse * V, 1e-9);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Only the part of the direction that is along the surface moves it: a wall across the belt stands still. */
static void test_belt_runs_along_the_surface(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=-9.81,0,0", STUFF, "pair a=g b=g friction=0.3", "pair a=g b=w friction=0.3 rolling=1",
        "body id=belt material=w belt=1,0,0 beltSpeed=2", "plane normal=1,0,0",
        "body id=slope material=w belt=1,0,1 beltSpeed=1", "box size=1,1,1 position=0.01,5,0",
        "grain material=g diameter=0.02 position=0.01,0,0", "grain material=g diameter=0.02 position=0.52,5,0", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 80);
    assert_near(velocity(world, 0, 0), 0.0, 1e-6);
    assert_near(velocity(world, 0, 2), 0.0, 1e-9);
    assert_near(velocity(world, 1, 2), sqrt(0.5), 1e-3); /* 1/√2 of the speed; it may not roll, and so keeps up */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A heavy body is carried like a grain. */
static void test_belt_carries_a_body(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", STUFF, "pair a=w b=w friction=0.5", "pair a=g b=w friction=0.5",
                   "body id=belt material=w belt=1,0,0 beltSpeed=0.4", "box size=10,1,0.1 position=0,0,-0.05",
                   "port id=belt body=belt mode=surface",
                   "body id=crate material=w kind=dynamic mass=5 inertia=0.02,0.02,0.02 position=0,0,0.0999",
                   "box size=0.2,0.2,0.2", NULL);
    scree_world *world = make_world(scene);
    double impulse = 0.0;
    for (int i = 0; i < 100; i++) {
        run(world, 0.005, 1);
        scree_surface_load load;
        assert_int_equal(scree_world_get_surface_load(world, 0, &load), SCREE_OK);
        impulse -= 0.005 * load.force;
    }
    assert_near(impulse, 5 * 0.4, 1e-3 * 5 * 0.4);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A driven body that no port moves goes on as the scene says: 20 s at 5 rad/s, almost 16 turns, and 2 m. */
static void test_body_keeps_its_velocity(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", STUFF, "pair a=g b=g friction=0.3", "pair a=g b=w friction=0.3",
                   "body id=drum material=w kind=driven position=1,0,0 rotation=0.3,0,0 velocity=0.1,0,0 "
                   "angularVelocity=0,3,4",
                   "tube radius=0.5 length=1", "body id=still material=w velocity=1,1,1", "plane normal=0,0,1", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.01, 2000);
    double x[3], q[4];
    scree_world_get_pose(world, 0, x, q);
    quat expected = quat_mul(quat_exp((vec3){0, 60, 80}), quat_exp((vec3){0.3, 0, 0}));
    double same = fabs(expected.w * q[0] + expected.x * q[1] + expected.y * q[2] + expected.z * q[3]);
    assert_near(same, 1.0, 1e-12); /* 2000 roundings of one */
    assert_near(x[0], 3.0, 1e-11);
    scree_world_get_pose(world, 1, x, q);
    assert_near(x[0], 0.0, 0.0); /* a static body stays */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A surface port turns a drum; what the grains take is torque times speed, and a snapshot knows the speed. */
static void test_surface_port_turns_a_drum(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,-9.81,0", STUFF, "pair a=g b=g friction=0.5", "pair a=g b=w friction=0.5",
        "body id=drum material=w kind=driven angularVelocity=0,0,1", "tube radius=0.1 length=0.05",
        "body id=ends material=w", "plane normal=0,0,1 position=0,0,-0.02", "plane normal=0,0,-1 position=0,0,0.02",
        "port id=drum body=drum mode=surface", "fill id=f material=g count=60 min=-0.05,-0.06,-0.02 max=0.05,0.05,0.02",
        "size diameter=0.012", NULL);
    scree_world *world = make_world(scene), *other = make_world(scene);
    assert_near(scree_world_get_surface_speed(world, 0), 1.0, 0.0);
    run(world, 0.005, 100);
    assert_int_equal(scree_world_set_surface_speed(world, 0, -2.5, NULL), SCREE_OK);
    assert_int_equal(scree_world_set_surface_speed(world, 0, NAN, NULL), SCREE_INVALID);
    size_t size;
    assert_int_equal(scree_world_save(world, NULL, 0, &size, NULL), SCREE_OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(scree_world_save(world, bytes, size, &size, NULL), SCREE_OK);
    assert_int_equal(scree_world_load(other, bytes, size, NULL), SCREE_OK);
    run(world, 0.005, 100);
    run(other, 0.005, 100);
    scree_hash a = scree_world_hash(world), b = scree_world_hash(other);
    assert_memory_equal(&a, &b, sizeof a);
    scree_surface_load load;
    assert_int_equal(scree_world_get_surface_load(world, 0, &load), SCREE_OK);
    assert_true(load.torque > 0.01); /* N m: the heap hangs on the side that goes up */
    assert_near(load.power, load.torque * 2.5, 1e-9);
    double x[3], q[4];
    scree_world_get_pose(world, 0, x, q);
    quat expected = quat_exp((vec3){0, 0, 0.5 - 1.25});
    assert_near(fabs(q[3]), fabs(expected.z), 1e-12);
    free(bytes);
    scree_world_destroy(world);
    scree_world_destroy(other);
    scree_scene_destroy(scene);
}

static void expect(const char *body, const char *port, const char *more, const char *words)
{
    scree_error error = {0};
    scree_scene *scene;
    scree_status status = try_scene(&error, &scene, "scene name=t gravity=0,0,0", "material id=m density=1 youngs=1e6",
                                    "pair a=m b=m friction=0", body, "plane normal=0,0,1", port, more, NULL);
    if (status != SCREE_INVALID || !strstr(error.text, words))
        fail_msg("%s", error.text);
}

static void test_mistakes(void **state)
{
    (void)state;
    expect("body id=b material=m beltSpeed=1", NULL, NULL, "beltSpeed needs a direction");
    expect("body id=b material=m", "port id=p body=b mode=surface", NULL, "needs a body with a belt");
    expect("body id=b material=m kind=driven", "port id=p body=b mode=surface", NULL, "angularVelocity");
    expect("body id=b material=m belt=1,0,0", "port id=p body=b mode=surface", "port id=q body=b mode=surface",
           "moved by port p already");
    expect("body id=b material=m kind=driven angularVelocity=0,0,1", "port id=p body=b mode=surface",
           "port id=q body=b", "moved by port p already");
    expect("body id=b material=m kind=driven angularVelocity=0,0,1", "port id=q body=b",
           "port id=p body=b mode=surface", "moved by port q already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_on_a_belt),          cmocka_unit_test(test_belt_runs_along_the_surface),
        cmocka_unit_test(test_belt_carries_a_body),       cmocka_unit_test(test_body_keeps_its_velocity),
        cmocka_unit_test(test_surface_port_turns_a_drum), cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
