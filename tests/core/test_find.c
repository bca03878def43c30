/*
 * Contacts between searches: while the lists are said to hold, they hold all that touches.
 */
#include "support.h"

#include "find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 0.001; /* s, of two substeps */

static scree_scene *make_box(void)
{
    return make_scene("scene name=box gravity=0,0,-9.81", "solver threads=2 frame=0.001 substeps=2",
                      "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5 restitution=0.5",
                      "body id=box material=g kind=driven", "plane normal=0,0,1",
                      "plane normal=0,0,-1 position=0,0,0.9", "plane normal=1,0,0 position=-0.05,0,0",
                      "plane normal=-1,0,0 position=0.05,0,0", "plane normal=0,1,0 position=0,-0.05,0",
                      "plane normal=0,-1,0 position=0,0.05,0",
                      "fill id=f material=g count=1100 min=-0.05,-0.05,0 max=0.05,0.05,0.9",
                      "size diameter=0.004 diameterMax=0.016", "port id=box body=box", NULL);
}

/* Up to 4 g to and fro, in circles, with rests between: the whole goes along, and grains fly. */
static void shake(scree_world *world, int step)
{
    double a = 0.005 * (step / 100 % 3 < 2), t = step * STEP, w = 90.0, now[3], next[3];
    for (int k = 0; k < 2; k++) {
        double *x = k ? next : now, s = w * (t + k * STEP);
        x[0] = a * sin(s);
        x[1] = a * (1.0 - cos(s));
        x[2] = a * sin(0.7 * s);
    }
    scree_motion motion = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    for (int c = 0; c < 3; c++) {
        motion.position[c] = now[c];
        motion.velocity[c] = (next[c] - now[c]) / STEP;
    }
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
}

/* Grains that touch and are in no lane. */
static uint32_t count_missed(const scree_world *world, uint8_t *listed, uint32_t *touching)
{
    uint32_t n = world->particles.count, missed = 0;
    const scree_pairs *pairs = &world->pairs;
    memset(listed, 0, (size_t)n * n);
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            listed[pairs->blocks[i].a[k] * (size_t)n + pairs->blocks[i].b[k]] = 1;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            scree_place p = world->particles.place[a], q = world->particles.place[b];
            bool touches = length(sub(q.x, p.x)) < p.r + q.r;
            *touching += touches;
            missed += touches && !listed[a * (size_t)n + b];
        }
    return missed;
}

/* Grains that touch a plane and have no contact with it, in tiles that have not gone too far. */
static uint32_t count_missed_walls(const scree_world *world, uint32_t *touching)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < world->particles.count; i++)
        for (uint32_t s = 0; s < world->settings->shape_count; s++) {
            if (!(world->wall_search.left[i / SCREE_TILE] >= 0.0))
                continue;
            scree_place p = world->particles.place[i];
            bool touches = scree_shape_within(&world->shapes[s], p.x, p.r), found = false;
            for (uint32_t k = world->walls.starts[i]; k < world->walls.starts[i + 1]; k++)
                found = found || scree_contact_shape(&world->walls.items[k]) == s;
            *touching += touches;
            missed += touches && !found;
        }
    return missed;
}

static void test_lists_hold_all_that_touches(void **state)
{
    (void)state;
    scree_scene *scene = make_box();
    scree_world *world = make_world(scene);
    uint32_t n = world->particles.count, held = 0, touching = 0, at_walls = 0;
    uint8_t *listed = malloc((size_t)n * n);
    for (int i = 0; i < 600; i++) {
        shake(world, i);
        run(world, STEP, 1);
        assert_int_equal(count_missed_walls(world, &at_walls), 0);
        if (!scree_find_holds(world))
            continue;
        held++;
        assert_int_equal(count_missed(world, listed, &touching), 0);
    }
    assert_true(held > 100 && held < 600); /* it was asked often, and not all came from the first list */
    assert_true(touching > 100 * held && at_walls > 10 * 600);
    free(listed);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* A list that has been mended goes on from a snapshot as it would have, to the bit. */
static void test_mended_lists_travel(void **state)
{
    (void)state;
    scree_scene *scene = make_box();
    scree_world *a = make_world(scene), *b = make_world(scene);
    int step = 0;
    for (bool mended = false; step < 400 && (step < 150 || !mended); step++) {
        shake(a, step);
        run(a, STEP, 1);
        mended = a->pairs.valid && a->pairs.count > a->pairs.base && a->pairs.mended > 0;
    }
    assert_true(a->pairs.count > a->pairs.base);
    size_t size;
    assert_int_equal(scree_world_save(a, NULL, 0, &size, NULL), SCREE_OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(scree_world_save(a, bytes, size, &size, NULL), SCREE_OK);
    assert_int_equal(scree_world_load(b, bytes, size, NULL), SCREE_OK);
    free(bytes);
    for (int i = step; i < step + 50; i++) {
        shake(a, i);
        shake(b, i);
        run(a, STEP, 1);
        run(b, STEP, 1);
        assert_memory_equal(a->particles.place, b->particles.place, a->particles.count * sizeof *a->particles.place);
        assert_int_equal(a->pairs.count, b->pairs.count);
    }
    scree_world_destroy(a);
    scree_world_destroy(b);
    scree_scene_destroy(scene);
}

/* A bed that goes along as a whole keeps its pairs: only what changes places makes them be chosen anew. */
static void test_pairs_hold_while_all_go_together(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,0", "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0.5",
                   "fill id=f material=g count=300 min=0,0,0 max=0.1,0.1,0.1", "size diameter=0.01", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 40); /* what overlaps has come apart */
    for (uint32_t i = 0; i < world->particles.count; i++)
        world->particles.twist[i].v = (vec3){2.0, 0.0, 0.0};
    run(world, 0.005, 1);
    uint32_t age = world->age;
    run(world, 0.005, 100); /* 1 m, a hundred diameters */
    assert_int_equal(world->age, age);
    assert_true(world->pairs.drift.x > 0.99);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_hold_all_that_touches),
        cmocka_unit_test(test_mended_lists_travel),
        cmocka_unit_test(test_pairs_hold_while_all_go_together),
    };
    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
