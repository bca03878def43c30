#include "support.h"

#include <stdlib.h>
#include <string.h>

#define SMALL                                                                                                          \
    "scene name=small gravity=0,0,-9.81", "material id=grain density=2500 youngs=1e7",                                 \
        "material id=steel density=7800 youngs=2e11 poisson=0.28", "pair a=grain b=grain friction=0.5 rolling=0.1",    \
        "pair a=grain b=steel friction=0.3", "body id=floor material=steel", "plane normal=0,0,1",                     \
        "body id=plate material=steel kind=driven position=0,0,1", "box size=0.1,0.1,0.01",                            \
        "fill id=bed material=grain min=-0.1,-0.1,0 max=0.1,0.1,0.2", "size diameter=0.02 share=2",                    \
        "size diameter=0.01 diameterMax=0.015", "port id=plate body=plate", "region id=box size=1,1,1",                \
        "region id=carried body=plate shape=cylinder radius=0.1"

static void test_values_and_defaults(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(SMALL, NULL);
    assert_int_equal(scene->material_count, 2);
    assert_true(scene->materials[0].poisson == 0.3 && scene->materials[1].poisson == 0.28);
    assert_int_equal(scene->pairs[1].b, 1);
    assert_int_equal(scene->shape_count, 2);
    assert_int_equal(scene->shapes[1].body, 1);
    assert_int_equal(scene->shapes[1].kind, SCREE_SHAPE_BOX);
    assert_int_equal(scene->sizes[1].owner, 0);
    assert_true(scene->sizes[1].share == 1.0 && scene->sizes[0].diameter_max == 0.0);
    assert_int_equal(scene->solver.substeps, 10); /* no solver element: all defaults */
    assert_true(scene->experiment.step == 0.005);
    assert_int_equal(scree_scene_find_pair(scene, 1, 0), 1);
    assert_int_equal(scree_scene_find_pair(scene, 1, 1), UINT32_MAX);
    scree_scene_destroy(scene);
}

static void test_binary_form_round_trips(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(SMALL, NULL), *again;
    uint8_t *bytes, *bytes_again;
    size_t size, size_again;
    assert_int_equal(scree_scene_write(scene, &bytes, &size, NULL), SCREE_OK);
    assert_int_equal(scree_scene_read(NULL, bytes, size, &again, NULL), SCREE_OK);
    assert_int_equal(scree_scene_write(again, &bytes_again, &size_again, NULL), SCREE_OK);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, bytes_again, size);
    assert_memory_equal(scene->shapes, again->shapes, 2 * sizeof *scene->shapes);
    assert_int_equal(again->regions[0].body, UINT32_MAX); /* no body named */
    assert_int_equal(again->regions[1].body, 1);
    scree_bytes_release(NULL, bytes);
    scree_bytes_release(NULL, bytes_again);
    scree_scene_destroy(scene);
    scree_scene_destroy(again);
}

static void test_damaged_binary_is_refused(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(SMALL, NULL), *again;
    uint8_t *bytes;
    size_t size;
    scree_error error;
    assert_int_equal(scree_scene_write(scene, &bytes, &size, NULL), SCREE_OK);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(scree_scene_read(NULL, bytes, cut, &again, &error), SCREE_FORMAT);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x41;
        assert_int_equal(scree_scene_read(NULL, bytes, size, &again, &error), SCREE_FORMAT);
        assert_null(again);
        bytes[at] ^= 0x41;
    }
    scree_bytes_release(NULL, bytes);
    scree_scene_destroy(scene);
}

/* The same with a checksum that fits, as somebody who means harm would write it: any status, never a crash. */
static void test_hostile_binary_is_survived(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(SMALL, NULL), *again;
    uint8_t *bytes;
    size_t size;
    const size_t head = 4 + 11 + 4; /* magic, version; then 16 bytes of checksum */
    assert_int_equal(scree_scene_write(scene, &bytes, &size, NULL), SCREE_OK);
    int refused = 0;
    for (size_t at = head + 16; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            scree_hash sum = {0, 0};
            scree_hash_add(&sum, bytes + head + 16, size - head - 16);
            for (int i = 0; i < 8; i++) {
                bytes[head + (size_t)i] = (uint8_t)(sum.a >> (8 * i));
                bytes[head + 8 + (size_t)i] = (uint8_t)(sum.b >> (8 * i));
            }
            refused += scree_scene_read(NULL, bytes, size, &again, NULL) != SCREE_OK;
            scree_scene_destroy(again);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    assert_true(refused > 100); /* lengths, tags, ids and ranges; a changed digit of a number is a scene too */
    scree_bytes_release(NULL, bytes);
    scree_scene_destroy(scene);
}

static void expect(const char *words, const char *line_a, const char *line_b)
{
    scree_error error = {0};
    scree_scene *scene;
    assert_int_equal(try_scene(&error, &scene, SMALL, line_a, line_b, NULL), SCREE_INVALID);
    assert_null(scene);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect("density = -1 is out of range; allowed: from 1 to 30000 kg/m3", "material id=x density=-1 youngs=1e7", NULL);
    expect("youngs is missing: Young's modulus, in Pa", "material id=x density=1000", NULL);
    expect("\"grain\" is used by an earlier material", "material id=grain density=1000 youngs=1e7", NULL);
    expect("no attribute \"colour\"; allowed: id, density", "material colour=red", NULL);
    expect("should be one number, in kg/m3", "material id=x density=heavy youngs=1e7", NULL);
    expect("should be one number", "material id=x density=nan youngs=1e7", NULL);
    expect("should be one number", "material id=x density=0x10 youngs=1e7", NULL);
    expect("out of range", "material id=x density=1e999 youngs=1e7", NULL);
    expect("should be three numbers", "body id=b material=steel position=1,2", NULL);
    expect("allowed: static, driven", "body id=b material=steel kind=loose", NULL);
    expect("there is no material with that id", "body id=b material=gold", NULL);
    expect("is no name", "body id=7up material=steel", NULL);
    expect("whole number", "fill id=f material=grain min=0,0,0 max=1,1,1 count=1.5", NULL);
    expect("needs at least 1 element \"size\"", "fill id=f material=grain min=0,0,0 max=1,1,1", NULL);
    expect("y of max (0) must be above", "fill id=f material=grain min=0,0,0 max=1,0,1", "size diameter=0.1");
    expect("have a pair already", "pair a=steel b=grain friction=1", NULL);
    expect("needs a stiffness above 0 N/m", "pair a=steel b=steel law=linear friction=1", NULL);
    expect("there is no pair for the two", "material id=x density=1000 youngs=1e7", "body id=b material=x");
    expect("normal has no length", "plane normal=0,0,0", NULL);
    expect("each edge must be above 0 m", "box size=1,1,0", NULL);
    expect("floor is static", "port id=p body=floor", NULL);
    expect("is moved by port plate already", "port id=p body=plate", NULL);
    expect("is taken; not allowed: info", "port id=info body=floor mode=wrench", NULL);
    expect("there is one already", "solver substeps=5", "solver substeps=6");
    expect("must be at least diameter", "size diameter=0.1 diameterMax=0.05", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_defaults),       cmocka_unit_test(test_binary_form_round_trips),
        cmocka_unit_test(test_damaged_binary_is_refused), cmocka_unit_test(test_hostile_binary_is_survived),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
