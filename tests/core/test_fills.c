/*
 * Fills: where grains are at the start.
 */
#include "support.h"

#include "body/regions.h"
#include "feed/nearby.h"
#include "world.h"

#include <string.h>

#define HEAD                                                                                                           \
    "scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5",            \
        "grading id=mono", "size diameter=0.01", "grading id=wide",                                                    \
        "size law=lognormal by=mass diameter=0.02 deviation=0.6 diameterMin=0.004 diameterMax=0.08"

static const double EVEN = 1e-12; /* m, rounding of coordinates of this size */

/* No two grains overlap, none overlaps a shape, all centres are in region 0, if there is one, or out of it by no more
 * than the jitter of a lattice of 10 mm grains, √3 times 0.3 mm. */
static void assert_good(const scree_world *world)
{
    const scree_particles *particles = &world->particles;
    const scree_scene *settings = world->settings;
    scree_placed_region region = {0};
    if (settings->region_count)
        region = scree_region_place(&settings->regions[0], world->bodies);
    for (uint32_t i = 0; i < particles->count; i++) {
        const scree_place *a = &particles->place[i];
        for (uint32_t k = 0; k < i; k++) {
            const scree_place *b = &particles->place[k];
            assert_true(length(sub(a->x, b->x)) >= a->r + b->r - EVEN);
        }
        for (uint32_t k = 0; k < settings->shape_count; k++)
            assert_true(scree_shape_distance(&world->shapes[k], a->x) >= 0.98 * a->r);
        if (settings->region_count > 0 && particles->fill[i] != UINT32_MAX)
            assert_near(length(sub(scree_region_pull(&region, a->x), a->x)), 0.0, 6e-4);
    }
}

static double mass_of(const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    return info.mass;
}

/* The grains take `fraction` of `volume`, to half a grain and the 1 % to which the space is measured. */
static void check_fraction(const char *region, const char *fill, double fraction, double volume)
{
    scree_scene *scene = make_scene(HEAD, region, fill, NULL);
    scree_world *world = make_world(scene);
    assert_good(world);
    assert_near(mass_of(world) / 2500.0, fraction * volume, 0.01 * fraction * volume + 2e-4 * volume);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_random_in_every_region(void **state)
{
    (void)state;
    check_fraction("region id=r size=0.1,0.12,0.14 rotation=0.3,0.2,0.1",
                   "fill id=f material=g grading=mono region=r method=random fraction=0.5", 0.5, 0.1 * 0.12 * 0.14);
    check_fraction("region id=r shape=cylinder radius=0.06 length=0.15 rotation=1.5707963267948966,0,0",
                   "fill id=f material=g grading=mono region=r method=random fraction=0.55", 0.55,
                   SCREE_PI * 0.06 * 0.06 * 0.15);
    check_fraction("region id=r shape=heap radius=0.12 angle=0.6",
                   "fill id=f material=g grading=mono region=r method=random fraction=0.4", 0.4,
                   SCREE_PI / 3.0 * 0.12 * 0.12 * 0.12 * tan(0.6));
    check_fraction("region id=r shape=trench size=0.06,0.1,0.08 angle=0.8",
                   "fill id=f material=g grading=mono region=r method=random fraction=0.5", 0.5,
                   (0.06 + 0.08 / tan(0.8)) * 0.1 * 0.08);
}

/* Walls around it, a wide distribution, a tool in it and a boulder that was there before. */
static void test_random_among_walls(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene(HEAD, "body id=w material=g", "tube radius=0.15 length=1", "plane normal=0,0,1",
                   "box size=0.5,0.02,0.1 position=0,0,0.15", "grain material=g diameter=0.1 position=0.05,0.08,0.1",
                   "region id=r shape=cylinder radius=0.15 length=0.3 position=0,0,0.15",
                   "fill id=f material=g grading=wide region=r method=random fraction=0.5", NULL);
    scree_world *world = make_world(scene);
    assert_true(world->particles.count > 500);
    assert_good(world);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_lattice_among_walls(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene(HEAD, "body id=w material=g", "plane normal=0,0,1", "box size=0.5,0.02,0.1 position=0,0,0.15",
                   "grain material=g diameter=0.1 position=0.05,0.08,0.1",
                   "region id=r shape=heap radius=0.3 angle=0.7", "fill id=f material=g grading=mono region=r", NULL);
    scree_world *world = make_world(scene);
    assert_true(world->particles.count > 1000);
    assert_good(world);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A site that a wall only touches is used: the region between its walls holds what it always held. */
static void test_lattice_between_walls(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene(HEAD, "body id=w material=g", "plane normal=0,0,1", "plane normal=1,0,0 position=-0.053,0,0",
                   "plane normal=-1,0,0 position=0.053,0,0",
                   "fill id=f material=g grading=mono min=-0.053,-0.053,0 max=0.053,0.053,0.106", NULL);
    scree_world *world = make_world(scene);
    assert_int_equal(world->particles.count, 1000); /* 0.106 m over a spacing of 0.0106 m, cubed */
    assert_good(world);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A pile of given mass is a cone of the region's angle, whatever part of the region it takes. */
static void check_pile(const char *fill, double fraction)
{
    scree_scene *scene = make_scene(HEAD, "region id=r shape=heap radius=0.3 angle=0.6", fill, NULL);
    scree_world *world = make_world(scene);
    assert_good(world);
    double grain = 2500.0 * SCREE_PI / 6.0 * 1e-6;
    assert_near(mass_of(world), 3.0, 0.5 * grain + 1e-9);
    double height = cbrt(3.0 / (2500.0 * fraction) * 3.0 / SCREE_PI * tan(0.6) * tan(0.6)), most = 0.0,
           least = HUGE_VAL;
    scree_placed_region region = scree_region_place(&scene->regions[0], world->bodies);
    for (uint32_t i = 0; i < world->particles.count; i++) {
        vec3 x = world->particles.place[i].x;
        most = fmax(most, scree_region_level(&region, x));
        least = fmin(least, sqrt(x.x * x.x + x.y * x.y) < 0.01 ? height - x.z : HUGE_VAL);
    }
    assert_near(most, height, 0.015); /* one and a half grains: the lattice's steps */
    assert_true(least < 0.025);       /* the top is there */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_pile_of_given_mass(void **state)
{
    (void)state;
    check_pile("fill id=f material=g grading=mono region=r mass=3", SCREE_PI / 6.0 / (1.06 * 1.06 * 1.06));
    check_pile("fill id=f material=g grading=mono region=r mass=3 method=random fraction=0.5", 0.5);
}

/* Random grains fill a box from the bottom up to where their fraction is the one asked for. */
static void test_random_count_fills_from_below(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene(HEAD, "fill id=f material=g grading=mono min=0,0,0 max=0.1,0.1,1 method=random count=500", NULL);
    scree_world *world = make_world(scene);
    double top = 0.0;
    assert_int_equal(world->particles.count, 500);
    assert_good(world);
    for (uint32_t i = 0; i < 500; i++)
        top = fmax(top, world->particles.place[i].x.z);
    assert_near(top, 500.0 * SCREE_PI / 6.0 * 1e-6 / 0.5 / 0.01, 0.001); /* 1 % of 0.1 m; half full by default */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static scree_hash start_hash(const scree_scene *scene, double seed)
{
    scree_world *world = make_world(scene);
    set_value(world, SCREE_ELEMENT_FILL, 0, "seed", 0, seed);
    assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
    scree_hash hash = scree_world_hash(world);
    scree_world_destroy(world);
    return hash;
}

static void test_same_seed_same_grains(void **state)
{
    (void)state;
    static const char *const fills[] = {"fill id=f material=g grading=wide min=0,0,0 max=0.2,0.2,0.2 method=random",
                                        "fill id=f material=g grading=wide min=0,0,0 max=0.2,0.2,0.2"};
    for (int k = 0; k < 2; k++) {
        scree_scene *scene = make_scene(HEAD, fills[k], NULL);
        scree_hash a = start_hash(scene, 7.0), b = start_hash(scene, 7.0), c = start_hash(scene, 8.0);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_not_equal(&a, &c, sizeof a);
        scree_scene_destroy(scene);
    }
}

/* The grid of nearby grains says the same as looking at all of them, boulders or not. */
static void test_nearby_finds_what_brute_force_finds(void **state)
{
    (void)state;
    scree_memory memory = scree_memory_or_default(NULL);
    scree_particles particles = {0};
    scree_random random = scree_random_seeded(1);
    scree_arena arena;
    scree_arena_init(&arena, &memory);
    assert_true(scree_particles_reserve(&particles, &memory, 400));
    for (int i = 0; i < 300; i++) {
        vec3 x = {scree_random_unit(&random), scree_random_unit(&random), scree_random_unit(&random)};
        scree_particles_add(&particles, x, i < 3 ? 0.2 : 0.02, 1.0, 0, 0);
    }
    vec3 low = {0.2, 0.2, 0.2}, high = {0.8, 0.8, 0.8};
    scree_nearby nearby;
    assert_true(scree_nearby_make(&nearby, &arena, &particles, low, high, 0.03, 50));
    int overlapping = 0;
    for (int i = 0; i < 1000; i++) {
        vec3 x = {0.2 + 0.6 * scree_random_unit(&random), 0.2 + 0.6 * scree_random_unit(&random),
                  0.2 + 0.6 * scree_random_unit(&random)};
        double r = 0.03 * scree_random_unit(&random);
        bool overlaps = false;
        for (uint32_t k = 0; k < particles.count; k++)
            overlaps = overlaps || length(sub(particles.place[k].x, x)) < particles.place[k].r + r;
        assert_int_equal(scree_nearby_overlaps(&nearby, &particles, x, r), overlaps);
        overlapping += overlaps;
        if (!overlaps && particles.count < 350)
            scree_nearby_add(&nearby, &particles, scree_particles_add(&particles, x, r, 1.0, 0, 0));
    }
    assert_true(overlapping > 100 && overlapping < 900 && particles.count == 350);
    scree_particles_free(&particles, &memory);
    scree_arena_free(&arena);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *region, *fill, *says;
    } bad[] = {
        {"region id=r size=1,1,1", "fill id=f material=g grading=mono", "needs min and max"},
        {"region id=r size=1,1,1", "fill id=f material=g grading=mono region=r max=1,1,1", "min and max and a region"},
        {"region id=r shape=halfspace normal=0,0,1", "fill id=f material=g grading=mono region=r", "has no end"},
        {"region id=r shape=cylinder radius=1", "fill id=f material=g grading=mono region=r", "has no end"},
        {"region id=r size=1,1,1", "fill id=f material=g grading=mono region=r count=5 mass=1", "both given"},
        {"region id=r shape=heap radius=1", "fill id=f material=g grading=mono region=r", "an angle above 0"},
        {"region id=r shape=heap angle=1", "fill id=f material=g grading=mono region=r", "a radius above 0"},
        {"region id=r shape=trench angle=1", "fill id=f material=g grading=mono region=r", "a bottom of width"},
        {"region id=r shape=trench angle=2.5 size=1,1,1", "fill id=f material=g grading=mono region=r", "do not cross"},
        {"region id=r size=0.1,0.1,0.1", "fill id=f material=g grading=mono region=r mass=5", "mass asks for 5 kg"},
        {"region id=r size=0.1,0.1,0.1", "fill id=f material=g grading=mono region=r count=5000",
         "count asks for 5000"},
        {"region id=r size=0.1,0.1,0.1", "fill id=f material=g grading=mono region=r method=random mass=5",
         "takes 0.625 kg at fraction 0.5"},
        {"region id=r size=0.005,0.005,0.005", "fill id=f material=g grading=mono region=r", "takes no grain"},
        {"region id=r size=0.005,0.005,0.005", "fill id=f material=g grading=mono region=r method=random",
         "takes no grain"},
        {"region id=r size=0.015,0.015,0.05 position=0,0,-0.05",
         "fill id=f material=g grading=mono region=r method=random fraction=0.1", "takes no grain"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scree_error error = {0};
        scree_scene *scene;
        scree_world *world = NULL;
        scree_status status = try_scene(&error, &scene, HEAD, "body id=w material=g", "plane normal=0,0,1",
                                        "plane normal=0,0,-1 position=0,0,5", bad[i].region, bad[i].fill, NULL);
        if (status == SCREE_OK && scree_world_create(scene, NULL, NULL, &world, &error) == SCREE_OK)
            status = scree_world_start(world, 0.0, &error);
        assert_int_equal(status, SCREE_INVALID);
        if (!strstr(error.text, bad[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, bad[i].says);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_in_every_region), cmocka_unit_test(test_random_among_walls),
        cmocka_unit_test(test_lattice_among_walls),    cmocka_unit_test(test_lattice_between_walls),
        cmocka_unit_test(test_pile_of_given_mass),     cmocka_unit_test(test_random_count_fills_from_below),
        cmocka_unit_test(test_same_seed_same_grains),  cmocka_unit_test(test_nearby_finds_what_brute_force_finds),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests_name("fills", tests, NULL, NULL);
}
