/*
 * Steps that end early: what is done of them is good, and the rest has left no trace.
 */
#include "support.h"

#include "world.h"

#include <string.h>

#define BED(fill)                                                                                                      \
    "scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",                                         \
        "pair a=g b=g friction=0.5 rolling=0.1", "body id=walls material=g", "plane normal=0,0,1",                     \
        "plane position=-0.03,0,0 normal=1,0,0", "plane position=0.03,0,0 normal=-1,0,0",                              \
        "plane position=0,-0.03,0 normal=0,1,0", "plane position=0,0.03,0 normal=0,-1,0",                              \
        "body id=lid material=g kind=driven position=0,0,0.5", "box size=0.04,0.04,0.02", fill,                        \
        "size diameter=0.014 diameterMax=0.018", "port id=lid body=lid mode=motion",                                   \
        "port id=walls body=walls mode=wrench"

static void set_solver(scree_world *world, const char *field, double value)
{
    set_value(world, SCREE_ELEMENT_SOLVER, 0, field, 0, value);
}

static scree_world *begin(const scree_scene *scene, double tolerance, double budget)
{
    scree_world *world = make_world(scene);
    set_solver(world, "tolerance", tolerance);
    set_solver(world, "maxSubsteps", 20.0);
    set_solver(world, "strict", tolerance > 0.0);
    set_solver(world, "timeBudget", budget);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    return world;
}

static size_t save(const scree_world *world, uint8_t *bytes, size_t room)
{
    size_t size;
    assert_int_equal(scree_world_save(world, bytes, room, &size, NULL), SCREE_OK);
    return size;
}

static void push_lid(scree_world *world)
{
    scree_motion motion = {.position = {0.0, 0.0, 0.5}, .orientation = {1.0}, .velocity = {0.0, 0.0, -1.0}};
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
    assert_int_equal(scree_world_set_motion_rate(world, 0, 9, 1, -3.0, NULL), SCREE_OK);
}

/* In steps of one frame: each is good, or has changed nothing at all; shorter ones lead on. */
static void test_strict(void **state)
{
    (void)state;
    static uint8_t before[1 << 20], after[1 << 20];
    scree_scene *scene = make_scene(BED("fill id=f material=g count=60 min=-0.03,-0.03,0 max=0.03,0.03,0.2"), NULL);
    scree_world *world = begin(scene, 3e-3, 0.0);
    double h = 0.005, time = 0.0;
    int refused = 0, accepted = 0;
    while (time < 0.3) {
        scree_error error;
        push_lid(world);
        size_t size = save(world, before, sizeof before);
        scree_status status = scree_world_step(world, h, &error);
        if (status == SCREE_OK) {
            scree_info info;
            scree_world_get_info(world, &info);
            assert_true(info.contacts == 0 || info.overlap_error <= 3e-3);
            time += h;
            h = h < 0.004 ? 2.0 * h : 0.005;
            accepted++;
            continue;
        }
        assert_int_equal(status, SCREE_LIMIT);
        assert_non_null(strstr(error.text, "tolerance"));
        assert_int_equal(save(world, after, sizeof after), size);
        assert_memory_equal(before, after, size);
        h *= 0.5;
        refused++;
        assert_true(h > 1e-6);
    }
    assert_true(refused > 3 && accepted > 60);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A step of many frames that ends within: the world of a step of the frames that are good. */
static void test_part_of_a_step(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("fill id=f material=g count=8 min=-0.03,-0.03,0.05 max=0.03,0.03,0.2"), NULL);
    scree_world *world = begin(scene, 3e-3, 0.0), *other = begin(scene, 3e-3, 0.0);
    scree_error error;
    double frame = 0.005;
    assert_int_equal(scree_world_step(world, 60.0 * frame, &error), SCREE_LIMIT);
    int done = (int)(scree_world_time(world) / frame + 0.5);
    assert_true(done > 2 && done < 60);
    for (int i = 0; i < done; i++)
        assert_int_equal(scree_world_step(other, frame, &error), SCREE_OK);
    assert_int_equal(scree_world_step(other, frame, &error), SCREE_LIMIT);
    assert_near(scree_world_time(world), scree_world_time(other), 1e-15);
    for (uint32_t i = 0; i < world->particles.count; i++)
        assert_memory_equal(&world->particles.place[i], &other->particles.place[i], sizeof world->particles.place[i]);
    scree_wrench wrench; /* a mean over what was done */
    assert_int_equal(scree_world_get_wrench(world, 1, &wrench), SCREE_OK);
    assert_near(world->last_dt, done * frame, 1e-15);
    assert_near(wrench.force[2] * done * frame, world->bodies[0].impulse.z, 1e-15);
    scree_world_destroy(other);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A budget that no frame keeps: every step ends after its first frame, and a step of one frame is never cut. */
static void test_time_budget(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("fill id=f material=g count=60 min=-0.03,-0.03,0 max=0.03,0.03,0.2"), NULL);
    scree_world *world = begin(scene, 0.0, 1e-12), *other = begin(scene, 0.0, 0.0);
    scree_error error;
    for (int i = 0; i < 20; i++) {
        scree_status status = scree_world_step(world, i % 2 ? 0.005 : 0.05, &error);
        assert_int_equal(status, i % 2 ? SCREE_OK : SCREE_LIMIT);
        assert_true(status == SCREE_OK || strstr(error.text, "time budget"));
        run(other, 0.005, 1);
    }
    scree_hash a = scree_world_hash(world), b = scree_world_hash(other);
    assert_memory_equal(&a, &b, sizeof a);
    scree_world_destroy(other);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_part_of_a_step),
        cmocka_unit_test(test_time_budget),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
