/*
 * Beds that are at rest when a world starts.
 */
#include "support.h"

#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With 0.05 of rolling resistance a grain of the surface balanced on others and tipped over after the bed had come to
 * rest. */
#define BED                                                                                                            \
    "scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",                                         \
        "pair a=g b=g friction=0.5 rolling=0.2", "body id=w material=g", "plane normal=0,0,1",                         \
        "plane normal=1,0,0 position=-0.04,0,0", "plane normal=-1,0,0 position=0.04,0,0",                              \
        "plane normal=0,1,0 position=0,-0.04,0", "plane normal=0,-1,0 position=0,0.04,0",                              \
        "body id=tool material=g kind=driven position=0,0,0.3", "box size=0.02,0.02,0.1", "port id=tool body=tool",    \
        "port id=w body=w mode=wrench", "fill id=bed material=g min=-0.04,-0.04,0 max=0.04,0.04,0.08 method=random",   \
        "size diameter=0.01 diameterMax=0.014"

typedef struct notes {
    int warnings;
    char text[512];
} notes;

static void note(void *context, scree_log_level level, const char *text)
{
    notes *n = context;
    n->warnings += level == SCREE_LOG_WARNING;
    snprintf(n->text, sizeof n->text, "%s", text);
}

static scree_world *noted_world(const scree_scene *scene, notes *n)
{
    scree_log log = {n, note};
    scree_world *world;
    assert_int_equal(scree_world_create(scene, NULL, &log, &world, NULL), SCREE_OK);
    return world;
}

/* A started world, settled, and its state. */
static scree_world *settle(const scree_scene *scene, double start, uint8_t **bytes, size_t *size)
{
    scree_error error = {0};
    scree_rest rest;
    scree_world *world;
    assert_int_equal(scree_world_create(scene, NULL, NULL, &world, &error), SCREE_OK);
    assert_int_equal(scree_world_start(world, start, &error), SCREE_OK);
    if (scree_world_settle(world, 10.0, NULL, NULL, &rest, &error) != SCREE_OK)
        fail_msg("%s", error.text);
    assert_true(rest.mean < 1e-6 && rest.most < 1e-4 && rest.residual < 0.05 && rest.time < 2.0);
    assert_int_equal(scree_world_save(world, NULL, 0, size, &error), SCREE_OK);
    *bytes = malloc(*size);
    assert_int_equal(scree_world_save(world, *bytes, *size, size, &error), SCREE_OK);
    return world;
}

/*
 * At rest from the first step: no grain goes farther than 1e-6 m in 0.2 s, where an unsettled bed falls by millimetres,
 * and the walls bear the weight within 1e-4 of it in every step. Measured: 2e-10 m and 2e-7; the criterion of rest
 * alone would allow 0.3 mm/s on average.
 */
static void test_a_settled_bed_is_at_rest(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED, NULL);
    uint8_t *bytes;
    size_t size;
    scree_world *world = settle(scene, 5.0, &bytes, &size);
    uint32_t n = world->particles.count;
    assert_true(n > 100 && scree_world_time(world) == 5.0);
    vec3 *before = malloc(n * sizeof *before);
    for (uint32_t i = 0; i < n; i++)
        before[i] = world->particles.place[i].x;
    scree_info info;
    scree_world_get_info(world, &info);
    for (int i = 0; i < 40; i++) {
        scree_wrench wrench;
        run(world, 0.005, 1);
        assert_int_equal(scree_world_get_wrench(world, 1, &wrench), SCREE_OK);
        assert_near(wrench.force[2], -9.81 * info.mass, 1e-4 * 9.81 * info.mass);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_near(length(sub(world->particles.place[i].x, before[i])), 0.0, 1e-6);
    assert_true(scree_world_time(world) > 5.19 && scree_world_time(world) < 5.21);
    free(before);
    free(bytes);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A world that is given the state starts and goes on as the one that settled, to the bit, at any time. */
static void test_others_start_from_it(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED, NULL);
    uint8_t *bytes;
    size_t size;
    scree_world *a = settle(scene, 0.0, &bytes, &size);
    notes n = {0};
    scree_world *b = noted_world(scene, &n);
    assert_int_equal(scree_world_set_settled(b, bytes, size, NULL), SCREE_OK);
    set_value(b, SCREE_ELEMENT_SOLVER, 0, "threads", 0, 2.0); /* how it is solved makes no difference to what fits */
    for (int again = 0; again < 2; again++) {
        assert_int_equal(scree_world_start(b, 0.0, NULL), SCREE_OK);
        scree_hash hash_a = scree_world_hash(a), hash_b = scree_world_hash(b);
        assert_memory_equal(&hash_a, &hash_b, sizeof hash_a);
        run(a, 0.005, 20);
        run(b, 0.005, 20);
        hash_a = scree_world_hash(a), hash_b = scree_world_hash(b);
        assert_memory_equal(&hash_a, &hash_b, sizeof hash_a);
        assert_int_equal(scree_world_start(a, 0.0, NULL), SCREE_OK);
    }
    assert_int_equal(n.warnings, 0);
    assert_int_equal(scree_world_start(b, 7.0, NULL), SCREE_OK);
    assert_true(scree_world_time(b) == 7.0);
    scree_world_destroy(a);
    scree_world_destroy(b); /* before the state that it starts from */
    free(bytes);
    scree_scene_destroy(scene);
}

typedef enum outcome { SILENT, WARNED, UNSETTLED } outcome;

/* Starts with one thing changed; says whether the state was used, which shows in where the grains are. */
static void check_change(const scree_scene *scene, const uint8_t *bytes, size_t size, scree_element element,
                         uint32_t index, const char *field, double value, outcome expected)
{
    notes n = {0};
    scree_world *world = noted_world(scene, &n), *plain = noted_world(scene, &n);
    assert_int_equal(scree_world_set_settled(world, bytes, size, NULL), SCREE_OK);
    set_value(world, element, index, field, 0, value);
    set_value(plain, element, index, field, 0, value);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    assert_int_equal(scree_world_start(plain, 0.0, NULL), SCREE_OK);
    bool used = memcmp(&world->particles.place[0], &plain->particles.place[0], sizeof(scree_place)) != 0;
    assert_int_equal(used, expected != UNSETTLED);
    assert_int_equal(n.warnings, expected != SILENT);
    if (expected != SILENT && !strstr(n.text, field))
        fail_msg("\"%s\" does not name %s", n.text, field);
    run(world, 0.005, 3);
    scree_world_destroy(world);
    scree_world_destroy(plain);
}

static void check_place(const scree_scene *scene, const uint8_t *bytes, size_t size, double z, outcome expected)
{
    notes n = {0};
    scree_world *world = noted_world(scene, &n);
    assert_int_equal(scree_world_set_settled(world, bytes, size, NULL), SCREE_OK);
    scree_motion motion = *scree_world_get_motion(world, 0);
    motion.position[2] = z;
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    assert_int_equal(n.warnings, expected != SILENT);
    bool settled = world->walls.starts != NULL; /* it has contacts before its first step */
    assert_int_equal(settled, expected != UNSETTLED);
    run(world, 0.005, 3);
    scree_world_destroy(world);
}

static void test_what_no_longer_fits_is_said(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED, NULL);
    uint8_t *bytes;
    size_t size;
    scree_world_destroy(settle(scene, 0.0, &bytes, &size));
    check_change(scene, bytes, size, SCREE_ELEMENT_FILL, 0, "seed", 2.0, UNSETTLED);
    check_change(scene, bytes, size, SCREE_ELEMENT_FILL, 0, "fraction", 0.4, UNSETTLED);
    check_change(scene, bytes, size, SCREE_ELEMENT_MATERIAL, 0, "density", 2600.0, UNSETTLED);
    check_change(scene, bytes, size, SCREE_ELEMENT_MATERIAL, 0, "youngs", 2e7, UNSETTLED);
    check_change(scene, bytes, size, SCREE_ELEMENT_SCENE, 0, "gravity", 1.0, UNSETTLED);
    check_change(scene, bytes, size, SCREE_ELEMENT_PAIR, 0, "friction", 0.4, WARNED);
    check_change(scene, bytes, size, SCREE_ELEMENT_SOLVER, 0, "substeps", 20.0, SILENT);
    check_place(scene, bytes, size, 0.3, SILENT);
    check_place(scene, bytes, size, 0.25, WARNED);
    check_place(scene, bytes, size, 0.06, UNSETTLED);
    free(bytes);
    scree_scene_destroy(scene);
}

/* Emitters wait until the run begins, sinks begin to count then. */
static void test_feeds_while_settling(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        BED, "grain material=g diameter=0.01 position=1,1,0.1", "region id=mouth size=0.02,0.02,0.02 position=0,0,0.2",
        "region id=box size=0.5,0.5,1", "emitter id=e material=g region=mouth grainRate=100", "size diameter=0.01",
        "sink id=s region=box outside=true", NULL);
    uint8_t *bytes;
    size_t size;
    scree_world *world = settle(scene, 0.0, &bytes, &size);
    assert_int_equal(scree_world_get_emitted(world, 0).count, 0);
    assert_int_equal(scree_world_get_removed(world, 0).count, 0); /* the lone grain went before the run */
    for (uint32_t i = 0; i < world->particles.count; i++)
        assert_true(world->particles.fill[i] == 0);
    run(world, 0.005, 20);
    assert_near(scree_world_get_emitted(world, 0).count, 10, 1);
    scree_world_destroy(world);
    free(bytes);
    scree_scene_destroy(scene);
}

/* What runs stands still until the run begins: a belt under the bed. */
static void test_belts_while_settling(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",
        "pair a=g b=g friction=0.5 rolling=0.2", "body id=belt material=g belt=1,0,0 beltSpeed=1", "plane normal=0,0,1",
        "body id=drum material=g kind=driven position=0,0,0.5 angularVelocity=0,1,0", "box size=0.3,0.02,0.02",
        "fill id=bed material=g min=-0.05,-0.05,0 max=0.05,0.05,0.02", "size diameter=0.01", NULL);
    uint8_t *bytes;
    size_t size;
    scree_world *world = settle(scene, 0.0, &bytes, &size);
    assert_true(world->bodies[1].now.q.w == 1.0);
    run(world, 0.005, 100);
    scree_info info;
    scree_world_get_info(world, &info);
    assert_true(info.momentum[0] / info.mass > 2.0 / 7.0); /* m/s: a ball that rolls freely takes 2/7 of the belt's */
    assert_near(quat_log(world->bodies[1].now.q).y, 0.5, 1e-9);
    scree_world_destroy(world);
    free(bytes);
    scree_scene_destroy(scene);
}

static bool count_frames(void *context, const scree_rest *rest)
{
    (void)rest;
    return ++*(int *)context < 5;
}

static void test_failures_are_said(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED, "grain material=g diameter=0.01 position=0,0,0.9", NULL);
    scree_error error = {0};
    scree_rest rest;
    scree_world *world = make_world(scene);
    assert_int_equal(scree_world_settle(world, 0.1, NULL, NULL, &rest, &error), SCREE_LIMIT);
    assert_non_null(strstr(error.text, "not at rest after 0.1 s"));
    assert_false(scree_world_started(world));
    int frames = 0;
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    assert_int_equal(scree_world_settle(world, 9.0, count_frames, &frames, &rest, &error), SCREE_STATE);
    assert_int_equal(frames, 5);
    uint8_t rubbish[200] = "SCREE-SNAPSHOT";
    assert_int_equal(scree_world_set_settled(world, rubbish, sizeof rubbish, &error), SCREE_FORMAT);
    set_value(world, SCREE_ELEMENT_SCENE, 0, "gravity", 2, 0.0);
    assert_int_equal(scree_world_settle(world, 1.0, NULL, NULL, &rest, &error), SCREE_STATE);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    assert_int_equal(scree_world_settle(world, 1.0, NULL, NULL, &rest, &error), SCREE_INVALID);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_settled_bed_is_at_rest),    cmocka_unit_test(test_others_start_from_it),
        cmocka_unit_test(test_what_no_longer_fits_is_said), cmocka_unit_test(test_feeds_while_settling),
        cmocka_unit_test(test_belts_while_settling),        cmocka_unit_test(test_failures_are_said),
    };
    return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
