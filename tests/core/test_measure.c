#include "support.h"

#include "world.h"
#include "body/regions.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN "material id=grain density=2500 youngs=1e7", "pair a=grain b=grain friction=0.5"

static bool holds(const scree_world *world, uint32_t region, double x, double y, double z)
{
    scree_placed_region placed = scree_region_place(&world->settings->regions[region], world->bodies);
    return scree_region_contains(&placed, (vec3){x, y, z});
}

static void test_regions(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", GRAIN,
        "body id=tool material=grain kind=driven position=5,0,0 rotation=0,0,1.5707963267948966",
        "region id=box position=1,0,0 size=2,0.2,0.2", "region id=next position=3,0,0 size=2,0.2,0.2",
        "region id=pipe shape=cylinder radius=0.5 rotation=1.5707963267948966,0,0",
        "region id=below shape=halfspace position=0,0,1 normal=0,0,2",
        "region id=inside body=tool shape=box position=1,0,0 size=1,0.2,0.2", "port id=tool body=tool", NULL);
    scree_world *world = make_world(scene);
    assert_true(holds(world, 0, 0.0, 0.0, 0.0) && holds(world, 0, 1.99, 0.09, -0.1));
    assert_false(holds(world, 0, 1.0, 0.11, 0.0));
    assert_true(!holds(world, 0, 2.0, 0.0, 0.0) && holds(world, 1, 2.0, 0.0, 0.0));  /* in one of two neighbours */
    assert_true(holds(world, 2, 0.3, -1e5, 0.3) && !holds(world, 2, 0.4, 0.0, 0.4)); /* along y, without end */
    assert_true(holds(world, 3, 0.0, 0.0, 0.99) && !holds(world, 3, 0.0, 0.0, 1.01));
    assert_true(holds(world, 4, 5.0, 1.4, 0.0) && !holds(world, 4, 6.0, 0.0, 0.0)); /* turned with its body */
    scree_motion motion = {.position = {7.0, 0.0, 0.0}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
    run(world, 0.01, 1);
    assert_true(holds(world, 4, 8.0, 0.0, 0.0) && !holds(world, 4, 5.0, 1.4, 0.0)); /* and moved */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_bad_regions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"region id=r", "each edge"},
        {"region id=r shape=cylinder", "radius above 0"},
        {"region id=r shape=halfspace", "needs a normal"},
        {"region id=r size=1,1,1 body=none", "there is no body"},
        {"region size=1,1,1", "id is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scree_scene *scene;
        scree_error error;
        assert_int_equal(try_scene(&error, &scene, "scene name=t gravity=0,0,0", GRAIN, cases[i].line, NULL),
                         SCREE_INVALID);
        assert_non_null(strstr(error.text, cases[i].says));
    }
}

/* ---------------------------------------------------------------- what is in a region */

static double mass_of(double diameter)
{
    return 2500.0 * SCREE_PI / 6.0 * diameter * diameter * diameter;
}

static void test_region_sensor(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,0", GRAIN, "body id=bucket material=grain kind=driven position=0,0,1",
                   "region id=box size=1,1,1", "region id=bucket body=bucket size=1,1,1",
                   "region id=empty position=9,8,7 size=1,1,1", "regionSensor id=box region=box",
                   "regionSensor id=payload region=bucket", "regionSensor id=none region=empty",
                   "grain material=grain diameter=0.1 position=-0.4,0,0 velocity=0,3,4",
                   "grain material=grain diameter=0.2 position=0.4,0,0.2 velocity=1,0,0 angularVelocity=0,0,5",
                   "grain material=grain diameter=0.1 position=0,0,1.2", "port id=bucket body=bucket", NULL);
    scree_world *world = make_world(scene);
    double m1 = mass_of(0.1), m2 = mass_of(0.2), inertia = 0.4 * m2 * 0.01;
    scree_region_reading box = scree_world_get_reading(world, 0).region; /* right after the start */
    assert_int_equal(box.count, 2);
    assert_near(box.mass, m1 + m2, 1e-14);
    assert_near(box.center[0], 0.4 * (m2 - m1) / (m1 + m2), 1e-15);
    assert_near(box.center[2], 0.2 * m2 / (m1 + m2), 1e-15);
    assert_near(box.velocity[0], m2 / (m1 + m2), 1e-15);
    assert_near(box.velocity[1], 3.0 * m1 / (m1 + m2), 1e-15);
    assert_near(box.mean_speed, (5.0 * m1 + m2) / (m1 + m2), 1e-14);
    assert_near(box.kinetic_energy, 0.5 * (25.0 * m1 + m2 + 25.0 * inertia), 1e-13);
    scree_region_reading payload = scree_world_get_reading(world, 1).region;
    assert_int_equal(payload.count, 1);
    assert_true(payload.center[2] == 1.2);
    scree_region_reading none = scree_world_get_reading(world, 2).region;
    assert_true(none.count == 0 && none.mass == 0.0 && none.center[0] == 9.0 && none.center[2] == 7.0);

    /* the bucket leaves its grain; two others fly out of the box */
    scree_motion motion = {
        .position = {0.0, 0.0, 1.0}, .orientation = {1.0, 0.0, 0.0, 0.0}, .velocity = {0.0, 0.0, 8.0}};
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
    run(world, 0.1, 1);
    assert_int_equal(scree_world_get_reading(world, 0).region.count, 1); /* 0.3 of y is still inside, 0.5 of x not */
    assert_int_equal(scree_world_get_reading(world, 1).region.count, 0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- flow */

#define GAS(threads)                                                                                                   \
    "scene name=gas gravity=0.5,0,-1", "solver threads=" threads, "material id=grain density=2500 youngs=1e7",         \
        "pair a=grain b=grain friction=0.3 restitution=0.8", "body id=walls material=grain",                           \
        "plane normal=1,0,0 position=-0.1,0,0", "plane normal=-1,0,0 position=0.1,0,0",                                \
        "plane normal=0,1,0 position=0,-0.1,0", "plane normal=0,-1,0 position=0,0.1,0",                                \
        "plane normal=0,0,1 position=0,0,-0.1", "plane normal=0,0,-1 position=0,0,0.1",                                \
        "body id=sieve material=grain kind=driven", "region id=left shape=halfspace normal=1,0.2,0",                   \
        "flowSensor id=right normal=1,0.2,0", "regionSensor id=left region=left",                                      \
        "region id=above body=sieve shape=halfspace normal=0,0,-1", "flowSensor id=up body=sieve normal=0,0,1",        \
        "regionSensor id=above region=above", "flowSensor id=a normal=0,1,0 position=-0.1,0,0 width=0.2",              \
        "flowSensor id=b normal=0,1,0 position=0.1,0,0 width=0.2", "flowSensor id=ab normal=0,1,0",                    \
        "heightSensor id=top position=0,0,-0.1 width=0.2 length=0.2 nx=5 ny=4",                                        \
        "fill id=f material=grain min=-0.09,-0.09,-0.09 max=0.09,0.09,0.09 count=300", "size diameter=0.012",          \
        "port id=sieve body=sieve"

static void stir(scree_world *world)
{
    for (uint32_t i = 0; i < world->particles.count; i++)
        world->particles.twist[i].v = (vec3){sin(7.0 * i), cos(3.0 * i), sin(2.0 * i)};
}

static void swing(scree_world *world, double t)
{
    scree_motion motion = {.position = {0.0, 0.0, 0.03 * sin(20.0 * t)}, .velocity = {0.0, 0.0, 0.6 * cos(20.0 * t)}};
    quat_store(motion.orientation, quat_exp((vec3){0.3 * sin(9.0 * t), 0.0, 0.0}));
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
}

/* Whatever the grains do, and wherever the plane goes: what has passed is what is on the other side. */
static void test_flow_balances(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(GAS("2"), NULL);
    scree_world *world = make_world(scene);
    stir(world);
    double left = scree_world_get_reading(world, 1).region.mass, above = scree_world_get_reading(world, 3).region.mass;
    double whole = 300.0 * mass_of(0.012), seen = 0.0, up = 0.0;
    assert_true(scree_world_get_reading(world, 0).flow.mass_flow == 0.0);
    for (int i = 0; i < 60; i++) {
        double dt = i % 2 ? 0.01 : 0.013;
        swing(world, scree_world_time(world));
        run(world, dt, 1);
        scree_flow_reading right = scree_world_get_reading(world, 0).flow;
        up += dt * scree_world_get_reading(world, 2).flow.mass_flow;
        seen = fmax(seen, fabs(right.mass_flow));
        /* sums of at most some thousand masses: roundings alone */
        assert_near(right.passed, left - scree_world_get_reading(world, 1).region.mass, 1e-13 * whole);
        assert_near(up, scree_world_get_reading(world, 3).region.mass - above, 1e-13 * whole);
        assert_near(up, scree_world_get_reading(world, 2).flow.passed, 1e-13 * whole);
        /* two rectangles side by side take what the whole plane does */
        double a = scree_world_get_reading(world, 4).flow.passed, b = scree_world_get_reading(world, 5).flow.passed;
        assert_near(a + b, scree_world_get_reading(world, 6).flow.passed, 1e-13 * whole);
    }
    assert_true(seen > 0.1 * whole); /* kg/s: much has crossed */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_flow_through_a_rectangle(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,0", GRAIN,
        "flowSensor id=gate normal=-1,0,0 across=0,1,0 position=1,0,0 width=2 length=1",
        "grain material=grain diameter=0.1 position=1.2,0.9,0.4 velocity=-10,0,0",  /* through, along the normal */
        "grain material=grain diameter=0.2 position=0.9,-0.9,-0.4 velocity=10,0,0", /* through, against it */
        "grain material=grain diameter=0.3 position=1.2,1.1,0 velocity=-10,0,0",    /* beside the width */
        "grain material=grain diameter=0.3 position=1.2,-0.5,0.6 velocity=-10,0,0", /* beside the length */
        "grain material=grain diameter=0.3 position=1.2,0,-2 velocity=-10,0,10",    /* crosses the plane far below */
        NULL);
    scree_world *world = make_world(scene);
    run(world, 0.05, 1);
    scree_flow_reading gate = scree_world_get_reading(world, 0).flow;
    assert_near(gate.passed, mass_of(0.1) - mass_of(0.2), 1e-14);
    assert_near(gate.mass_flow, (mass_of(0.1) - mass_of(0.2)) / 0.05, 1e-12);
    run(world, 0.05, 1);
    assert_true(scree_world_get_reading(world, 0).flow.mass_flow == 0.0);
    assert_near(scree_world_get_reading(world, 0).flow.passed, mass_of(0.1) - mass_of(0.2), 1e-14);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- height */

static void test_heights(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,0", GRAIN,
        "heightSensor id=h position=0,0,1 width=0.4 length=0.2 nx=4 ny=2", /* cells of 0.1, from −0.2 and −0.1 */
        "heightSensor id=side position=2,0,0 normal=-1,0,0 across=0,0,1 width=10 length=10",
        "grain material=grain diameter=0.2 position=-0.15,-0.05,1.3", /* over cell (1,1), reaches over its neighbours */
        "grain material=grain diameter=0.09 position=0.15,0.05,1.055", /* over cell (4,2) alone */
        "grain material=grain diameter=0.1 position=0.05,0.05,0.9",    /* below the rectangle */
        "grain material=grain diameter=0.1 position=0.3,0,5", NULL);   /* beside it */
    scree_world *world = make_world(scene);
    const double *h = scree_world_get_heights(world, 0);
    double near = 1.3 - 1.0 + sqrt(0.01 - 0.0025), corner = 0.3 + sqrt(0.01 - 2.0 * 0.0025);
    const double expected[4][2] = {{0.4, near}, {near, corner}, {0.0, 0.0}, {0.0, 0.1}};
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            assert_near(h[2 * i + j], expected[i][j], 1e-15);
            sum += expected[i][j];
        }
    assert_near(scree_world_get_reading(world, 0).height.max, 0.4, 1e-15);
    assert_near(scree_world_get_reading(world, 0).height.mean, sum / 8.0, 1e-15);
    assert_near(scree_world_get_reading(world, 1).height.max, 2.25, 1e-15); /* along −x, of the one farthest that way */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- loads */

static void test_load_at_rest(void **state)
{
    (void)state;
    scree_scene *scene = make_scene("scene name=t gravity=0,0,-9.81", GRAIN, "body id=floor material=grain",
                                    "plane normal=0,0,1", "region id=near position=0.3,0.4,0 size=0.2,0.2,0.2",
                                    "loadSensor id=all body=floor axis=0,1,0 position=1,0,0 area=2",
                                    "loadSensor id=near body=floor region=near",
                                    "grain material=grain diameter=0.02 position=0.3,0.4,0.01",
                                    "grain material=grain diameter=0.04 position=-0.3,0.4,0.02", NULL);
    scree_world *world = make_world(scene);
    scree_load_reading load = scree_world_get_reading(world, 0).load;
    assert_true(load.force[2] == 0.0 && load.power == 0.0 && load.pressure == 0.0);
    run(world, 0.01, 100);
    load = scree_world_get_reading(world, 0).load;
    double w1 = 9.81 * mass_of(0.02), w2 = 9.81 * mass_of(0.04);
    assert_near(load.force[2], -w1 - w2, 1e-9 * w2);
    assert_near(load.normal_force, w1 + w2, 1e-9 * w2);
    assert_near(load.pressure, 0.5 * (w1 + w2), 1e-9 * w2);
    assert_near(load.torque, -0.7 * w1 - 1.3 * w2, 1e-9 * w2); /* about y: (x − 1) · F_z, turned */
    assert_near(load.tangential_force[0], 0.0, 1e-9 * w2);
    assert_near(load.power, 0.0, 1e-12);
    assert_near(scree_world_get_reading(world, 1).load.normal_force, w1, 1e-9 * w1);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A grain that slides on a moving floor: friction μ m g, and the drive supplies that times the floor's speed. */
static void test_load_of_sliding(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", "material id=grain density=2500 youngs=1e7",
                   "pair a=grain b=grain friction=0.2 rolling=1", /* it slides and does not roll */
                   "body id=belt material=grain kind=driven", "plane normal=0,0,1", "loadSensor id=load body=belt",
                   "grain material=grain diameter=0.02 position=0,0,0.00999", "port id=belt body=belt", NULL);
    scree_world *world = make_world(scene);
    double weight = 9.81 * mass_of(0.02), energy = 0.0, gained = 0.0;
    for (int i = 0; i < 100; i++) {
        scree_motion motion = {.position = {0.05 * i, 0.0, 0.0}, .orientation = {1.0}, .velocity = {5.0, 0.0, 0.0}};
        assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
        run(world, 0.01, 1);
        scree_load_reading load = scree_world_get_reading(world, 0).load;
        energy += 0.01 * load.power;
        if (i < 60)
            continue; /* until it has come to rest on the floor */
        assert_near(load.tangential_force[0], -0.2 * weight, 1e-6 * weight);
        assert_near(load.power, 0.2 * weight * 5.0, 5e-6 * weight);
    }
    scree_info info;
    scree_world_get_info(world, &info);
    gained = info.kinetic_energy;
    assert_true(energy > gained && gained > 0.1 * energy);      /* the rest is heat */
    assert_near(info.momentum[0] * 5.0, energy, 1e-9 * energy); /* all of the impulse went over a floor at 5 m/s */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A drum that turns half a bed over: its power is torque times speed, and impacts are in both. */
static void test_load_of_a_drum(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,-9.81,0", "material id=grain density=2500 youngs=1e7",
        "pair a=grain b=grain friction=0.6 rolling=0.1 restitution=0.5",
        "body id=drum material=grain kind=driven position=1,2,3", "tube radius=0.1", "body id=ends material=grain",
        "plane normal=0,0,1 position=0,0,2.97", "plane normal=0,0,-1 position=0,0,3.03",
        "region id=low shape=halfspace position=1,1.95,3 normal=0,1,0",
        "region id=high shape=halfspace position=1,1.95,3 normal=0,-1,0", "loadSensor id=load body=drum",
        "loadSensor id=low body=drum region=low", "loadSensor id=high body=drum region=high",
        "fill id=f material=grain min=0.93,1.93,2.97 max=1.07,2.07,3.03", "size diameter=0.014",
        "port id=drum body=drum", NULL);
    scree_world *world = make_world(scene);
    double impacts = 0.0, work = 0.0;
    for (int i = 0; i < 60; i++) {
        double dt = 0.01, rate = 2.0;
        scree_motion motion = {.position = {1.0, 2.0, 3.0}, .angular_velocity = {0.0, 0.0, rate}};
        quat_store(motion.orientation, quat_exp((vec3){0.0, 0.0, rate * dt * i}));
        assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
        run(world, dt, 1);
        scree_load_reading drum = scree_world_get_reading(world, 0).load;
        scree_load_reading low = scree_world_get_reading(world, 1).load, high = scree_world_get_reading(world, 2).load;
        scree_wrench wrench;
        scree_info info;
        assert_int_equal(scree_world_get_wrench(world, 0, &wrench), SCREE_OK);
        scree_world_get_info(world, &info);
        impacts += info.impacts;
        work += dt * drum.power;
        double big = drum.normal_force * 0.1;
        for (int k = 0; k < 3; k++)
            assert_near(drum.force[k], wrench.force[k], 1e-12 * drum.normal_force);
        assert_near(drum.torque, wrench.torque[2], 1e-12 * big);
        assert_near(drum.power, -rate * drum.torque, 1e-11 * big); /* the quaternions' roundings are in the speed */
        assert_near(low.torque + high.torque, drum.torque, 1e-12 * big);
        assert_near(low.normal_force + high.normal_force, drum.normal_force, 1e-12 * drum.normal_force);
    }
    assert_true(impacts > 100.0 && work > 0.0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- state */

static void test_readings_are_restored(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(GAS("1"), NULL), *other_scene = make_scene(GAS("3"), NULL);
    scree_world *world = make_world(scene), *other = make_world(other_scene);
    stir(world);
    stir(other);
    run(world, 0.01, 20);
    run(other, 0.01, 20);
    uint32_t n = scene->sensor_count;
    size_t bytes = n * sizeof(scree_reading), size;
    assert_memory_equal(world->sensing.readings, other->sensing.readings, bytes); /* for any number of threads */
    assert_memory_equal(world->sensing.heights, other->sensing.heights, 20 * sizeof(double));

    scree_reading then[8], later[8];
    memcpy(then, world->sensing.readings, bytes);
    assert_int_equal(scree_world_save(world, NULL, 0, &size, NULL), SCREE_OK);
    uint8_t *blob = malloc(size);
    assert_int_equal(scree_world_save(world, blob, size, &size, NULL), SCREE_OK);
    run(world, 0.01, 20);
    memcpy(later, world->sensing.readings, bytes);
    assert_int_equal(scree_world_load(world, blob, size, NULL), SCREE_OK);
    assert_memory_equal(then, world->sensing.readings, bytes);
    run(world, 0.01, 20);
    assert_memory_equal(later, world->sensing.readings, bytes);
    assert_true(memcmp(then, later, bytes) != 0);
    free(blob);
    scree_world_destroy(world);
    scree_world_destroy(other);
    scree_scene_destroy(scene);
    scree_scene_destroy(other_scene);
}

static void test_bad_sensors_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"regionSensor id=s", "region is missing"},
        {"regionSensor id=s region=none", "there is no region"},
        {"regionSensor id=p region=r", "used by an earlier port"},
        {"regionSensor id=info region=r", "is taken"},
        {"flowSensor id=s normal=0,0,0", "no length"},
        {"flowSensor id=s", "normal is missing"},
        {"flowSensor id=s normal=0,0,1 across=0,0,3", "perpendicular"},
        {"flowSensor id=first normal=0,0,1", "used by an earlier"}, /* by a sensor of another kind */
        {"heightSensor id=s width=1 length=1 nx=65 ny=64", "at most 4096"},
        {"heightSensor id=s width=1", "length is missing"},
        {"loadSensor id=s", "body is missing"},
        {"loadSensor id=s body=floor area=-1", "out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scree_scene *scene;
        scree_error error;
        assert_int_equal(try_scene(&error, &scene, "scene name=t gravity=0,0,0", GRAIN, "body id=floor material=grain",
                                   "port id=p body=floor mode=wrench", "region id=r size=1,1,1",
                                   "regionSensor id=first region=r", cases[i].line, NULL),
                         SCREE_INVALID);
        if (!strstr(error.text, cases[i].says))
            fail_msg("%s: %s", cases[i].line, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_bad_regions_are_refused),
        cmocka_unit_test(test_region_sensor),
        cmocka_unit_test(test_flow_balances),
        cmocka_unit_test(test_flow_through_a_rectangle),
        cmocka_unit_test(test_heights),
        cmocka_unit_test(test_load_at_rest),
        cmocka_unit_test(test_load_of_sliding),
        cmocka_unit_test(test_load_of_a_drum),
        cmocka_unit_test(test_readings_are_restored),
        cmocka_unit_test(test_bad_sensors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
