#include "support.h"

#include "base/random.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BED(friction)                                                                                                  \
    "scene name=bed gravity=0,0,-9.81", "solver order=random tolerance=1e-3 substeps=3",                               \
        "material id=g density=2500 youngs=1e7", "pair a=g b=g rolling=0.1 restitution=0.3 friction=" friction,        \
        "body id=floor material=g", "plane normal=0,0,1", "tube radius=0.04",                                          \
        "body id=ring material=g position=0,0,0.1", "tube radius=0.03 length=0.05",                                    \
        "body id=plate material=g kind=driven position=0,0,0.2", "box size=0.02,0.05,0.1",                             \
        "fill id=bed material=g min=-0.028,-0.028,0 max=0.028,0.028,0.15 count=90", "size diameter=0.01",              \
        "grain material=g diameter=0.012 position=0,0,0.14 velocity=0,0,-1", "port id=plate body=plate"

static uint8_t *save(const scree_world *world, size_t *size)
{
    assert_int_equal(scree_world_save(world, NULL, 0, size, NULL), SCREE_OK);
    uint8_t *bytes = malloc(*size);
    size_t again;
    assert_int_equal(scree_world_save(world, bytes, *size - 1, &again, NULL), SCREE_INVALID);
    assert_int_equal(scree_world_save(world, bytes, *size, &again, NULL), SCREE_OK);
    assert_int_equal(again, *size);
    return bytes;
}

static void drive(scree_world *world, int n)
{
    for (int i = 0; i < n; i++) {
        double t = scree_world_time(world);
        scree_motion motion = {
            .position = {0.0, 0.0, 0.2 - 0.5 * t}, .orientation = {1.0, 0.0, 0.0, 0.0}, .velocity = {0.0, 0.0, -0.5}};
        assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
        run(world, 0.005, 1);
    }
}

static void same_future(scree_world *a, scree_world *b, int n)
{
    scree_wrench wrench_a, wrench_b;
    scree_info info_a, info_b;
    for (int i = 0; i <= n; i++) {
        scree_world_get_wrench(a, 0, &wrench_a);
        scree_world_get_wrench(b, 0, &wrench_b);
        scree_world_get_info(a, &info_a);
        scree_world_get_info(b, &info_b);
        assert_memory_equal(&wrench_a, &wrench_b, sizeof wrench_a);
        assert_true(info_a.residual == info_b.residual && info_a.kinetic_energy == info_b.kinetic_energy);
        assert_int_equal(info_a.substeps, info_b.substeps);
        drive(a, 1);
        drive(b, 1);
    }
    scree_hash hash_a = scree_world_hash(a), hash_b = scree_world_hash(b);
    assert_memory_equal(&hash_a, &hash_b, sizeof hash_a);
}

static void test_restoring_replays_bit_for_bit(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("0.5"), NULL), *twin = make_scene(BED("0.5"), NULL);
    for (int at = 0; at <= 60; at += 20) { /* from before the first step to plate deep in the bed */
        scree_world *world = make_world(scene), *other = make_world(twin);
        set_value(world, SCREE_ELEMENT_PAIR, 0, "friction", 0, 0.7); /* settings travel too */
        assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
        drive(world, at);
        size_t size;
        uint8_t *bytes = save(world, &size);
        drive(other, 7); /* it has gone elsewhere, and comes back */
        assert_int_equal(scree_world_load(other, bytes, size, NULL), SCREE_OK);
        same_future(world, other, 40);
        assert_int_equal(scree_world_load(world, bytes, size, NULL), SCREE_OK); /* roll back */
        assert_int_equal(scree_world_load(other, bytes, size, NULL), SCREE_OK);
        same_future(world, other, 10);
        free(bytes);
        scree_world_destroy(world);
        scree_world_destroy(other);
    }
    scree_scene_destroy(scene);
    scree_scene_destroy(twin);
}

static void test_bad_snapshots_are_refused(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("0.5"), NULL), *different = make_scene(BED("0.6"), NULL);
    scree_world *world = make_world(scene), *stranger = make_world(different);
    drive(world, 30);
    size_t size;
    scree_error error;
    uint8_t *bytes = save(world, &size);
    scree_hash before = scree_world_hash(world);
    assert_int_equal(scree_world_load(stranger, bytes, size, &error), SCREE_INVALID);
    assert_non_null(strstr(error.text, "another scene"));
    assert_int_equal(scree_world_load(world, NULL, 0, &error), SCREE_FORMAT);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16)
        assert_int_not_equal(scree_world_load(world, bytes, cut, &error), SCREE_OK);
    scree_random random = scree_random_seeded(3);
    for (int i = 0; i < 300; i++) {
        size_t at = i < 100 ? (size_t)i : (size_t)(scree_random_unit(&random) * (double)size);
        bytes[at] ^= 0x10;
        assert_int_not_equal(scree_world_load(world, bytes, size, &error), SCREE_OK);
        bytes[at] ^= 0x10;
    }
    scree_hash after = scree_world_hash(world);
    assert_memory_equal(&before, &after, sizeof before);
    free(bytes);
    scree_world_destroy(world);
    scree_world_destroy(stranger);
    scree_scene_destroy(scene);
    scree_scene_destroy(different);
}

/* Grains that no scene makes: what one over a mass, an inertia or a radius would be is no number. */
static void test_grains_without_measure_are_refused(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("0.5"), NULL);
    scree_world *world = make_world(scene), *good = make_world(scene);
    drive(world, 10);
    double *values[] = {&world->particles.twist[3].inv_mass, &world->particles.twist[3].inv_inertia,
                        &world->particles.place[3].r};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const double bad[] = {INFINITY, NAN, 0.0, -1.0};
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            double keep = *values[i];
            size_t size;
            *values[i] = bad[k];
            uint8_t *bytes = save(world, &size);
            assert_int_equal(scree_world_load(good, bytes, size, NULL), SCREE_FORMAT);
            *values[i] = keep;
            free(bytes);
        }
    }
    scree_world_destroy(world);
    scree_world_destroy(good);
    scree_scene_destroy(scene);
}

/* A blob whose checksum somebody has made to fit: any status; a world that takes it still steps or says why not. */
static void test_hostile_snapshots_are_survived(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("0.5"), NULL);
    scree_world *world = make_world(scene);
    drive(world, 10);
    size_t size;
    uint8_t *bytes = save(world, &size);
    const size_t checksum = 16 + 4 + 4 + 16 + 8, payload = checksum + 16;
    scree_random random = scree_random_seeded(5);
    int refused = 0;
    for (int i = 0; i < 600; i++) {
        size_t at =
            i < 300 ? payload + (size_t)i : payload + (size_t)(scree_random_unit(&random) * (double)(size - payload));
        uint8_t was = bytes[at];
        bytes[at] ^= (uint8_t)(1u << (scree_random_next(&random) % 8));
        scree_hash sum = {0, 0};
        scree_hash_add(&sum, bytes + payload, size - payload);
        memcpy(bytes + checksum, &sum, sizeof sum);
        if (scree_world_load(world, bytes, size, NULL) == SCREE_OK)
            (void)scree_world_step(world, 0.001, NULL);
        else
            refused++;
        bytes[at] = was;
    }
    assert_true(refused > 50);
    free(bytes);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restoring_replays_bit_for_bit),
        cmocka_unit_test(test_bad_snapshots_are_refused),
        cmocka_unit_test(test_grains_without_measure_are_refused),
        cmocka_unit_test(test_hostile_snapshots_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
