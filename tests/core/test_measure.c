#include "support.h"

#include "world.h"
#include "body/regions.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_bad_regions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
