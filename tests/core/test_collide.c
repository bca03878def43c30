#include "support.h"

#include "base/random.h"
#include "collide/search.h"

#include <stdlib.h>

static int by_ab(const void *left, const void *right)
{
    const scree_candidate *l = left, *r = right;
    if (l->a != r->a)
        return l->a < r->a ? -1 : 1;
    return l->b < r->b ? -1 : l->b > r->b;
}

/* The grid finds just what the definition says, for radii over a factor `ratio` and speeds up to `speed`. */
static void compare_with_all_pairs(double ratio, double speed)
{
    enum { N = 700 };
    const double frame = 0.005, slack = 0.0002;
    scree_place place[N];
    scree_twist twist[N];
    uint32_t fill[N] = {0};
    double reach[N];
    scree_random random = scree_random_seeded(11);
    for (int i = 0; i < N; i++) {
        double r = 0.01 * pow(ratio, scree_random_unit(&random) * scree_random_unit(&random));
        double far = i % 100 == 0 ? 1e6 : 0.2; /* a few that have flown away, two of them out of the grid's range */
        place[i] = (scree_place){.x = {far * (scree_random_unit(&random) - 0.5), 0.2 * scree_random_unit(&random),
                                       0.2 * scree_random_unit(&random)},
                                 .r = r};
        twist[i] = (scree_twist){.v = {0.0, speed * scree_random_unit(&random), 0.0}, .inv_mass = 1.0};
        reach[i] = 1.15 * r + frame * length(twist[i].v) + slack;
    }
    scree_particles particles = {.count = N, .place = place, .twist = twist, .fill = fill};
    scree_memory memory = scree_memory_or_default(NULL);
    scree_arena arena;
    scree_arena_init(&arena, &memory);
    scree_pool *pool = scree_pool_create(&memory, 2);
    scree_search search = {0};
    scree_found found;
    assert_true(scree_search_pairs(&search, &memory, &arena, pool, &particles, frame, slack, &found));
    qsort(found.items, found.count, sizeof *found.items, by_ab);
    size_t k = 0;
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = a + 1; b < N; b++) {
            if (length(sub(place[b].x, place[a].x)) >= reach[a] + reach[b])
                continue;
            assert_true(k < found.count);
            assert_int_equal(found.items[k].a, a);
            assert_int_equal(found.items[k].b, b);
            k++;
        }
    assert_int_equal(k, found.count);
    assert_true(k > 100);

    /* the list holds while nothing has gone farther than its margin */
    double margin = reach[7] - place[7].r;
    assert_true(scree_search_holds(&search, &particles));
    place[7].x.z += 0.99 * margin;
    assert_true(scree_search_holds(&search, &particles));
    place[7].x.z += 0.02 * margin;
    assert_false(scree_search_holds(&search, &particles));
    scree_search_free(&search, &memory);
    scree_pool_destroy(pool);
    scree_arena_free(&arena);
}

/*
 * Boulders among fines, twenty times their size and first in the arrays, so that one range finds most of the pairs. The
 * room for candidates follows what each range found. Per grain: reach 8 B, cell 8, entry 16, bucket 4 to 8; a candidate
 * has 8 B and 1.25 times its number of places, and GRAIN of them more a range, which is 8 B a grain; the second search
 * has all that it needs. 64 B a grain and 12 B a pair, where the fullest range's room for all ranges took 3400 B a
 * grain.
 */
static void test_boulders_take_room_of_their_own_only(void **state)
{
    (void)state;
    enum { FINES = 20000, BOULDERS = 20, N = FINES + BOULDERS };
    scree_memory memory = scree_memory_or_default(NULL);
    scree_place *place = scree_allocate(&memory, N, sizeof *place);
    scree_twist *twist = scree_allocate(&memory, N, sizeof *twist);
    scree_random random = scree_random_seeded(5);
    for (int i = 0; i < N; i++) {
        double edge = 0.55;
        place[i].x = (vec3){edge * scree_random_unit(&random), edge * scree_random_unit(&random),
                            edge * scree_random_unit(&random)};
        place[i].r = i < BOULDERS ? 0.2 : 0.01;
    }
    scree_particles particles = {.count = N, .place = place, .twist = twist};
    scree_arena arena;
    scree_arena_init(&arena, &memory);
    scree_pool *pool = scree_pool_create(&memory, 1);
    scree_search search = {0};
    scree_found found;
    for (int k = 0; k < 2; k++) {
        scree_arena_reset(&arena);
        assert_true(scree_search_pairs(&search, &memory, &arena, pool, &particles, 0.005, 1e-4, &found));
    }
    assert_true(found.count > 2 * N);
    assert_true(arena.total < 64 * (size_t)N + 12 * found.count);
    scree_search_free(&search, &memory);
    scree_pool_destroy(pool);
    scree_arena_free(&arena);
    scree_release(&memory, place);
    scree_release(&memory, twist);
}

static void test_search_finds_what_brute_force_finds(void **state)
{
    (void)state;
    compare_with_all_pairs(1.0, 0.0);
    compare_with_all_pairs(1.0, 20.0);
    compare_with_all_pairs(20.0, 0.0);
    compare_with_all_pairs(20.0, 20.0);
}

static void test_contacts_keep_their_impulses(void **state)
{
    (void)state;
    scree_memory memory = scree_memory_or_default(NULL);
    scree_contact_list first = {0}, second = {0};
    const scree_candidate before[] = {{2, 3}, {0, 5}, {0, 1}}, after[] = {{0, 9}, {0, 5}, {1, 2}, {2, 3}};
    assert_true(scree_contact_list_renew(&first, &second, &memory, 4, before, 3, false));
    assert_int_equal(first.items[0].b, 1);
    assert_int_equal(first.items[1].b, 5);
    first.items[1].pn = 7.0;
    first.items[2].pt.x = 8.0;
    assert_true(scree_contact_list_renew(&second, &first, &memory, 4, after, 4, false));
    assert_int_equal(second.starts[4], 4);
    assert_true(second.items[0].b == 5 && second.items[0].pn == 7.0);
    assert_true(second.items[1].b == 9 && second.items[1].pn == 0.0);
    assert_true(second.items[2].a == 1 && second.items[2].pn == 0.0);
    assert_true(second.items[3].a == 2 && second.items[3].pt.x == 8.0);
    scree_contact_list_free(&first, &memory);
    scree_contact_list_free(&second, &memory);
}

static void check_touch(const scree_placed *shape, vec3 x, double r, double overlap, vec3 n)
{
    scree_probe probe = {.x = x, .r = r};
    scree_touch touch = scree_shape_touch(shape, &probe, (vec3){0.0, 0.0, 0.0});
    assert_near(touch.overlap, overlap, 1e-14); /* a handful of roundings of numbers about one */
    assert_near(length(sub(touch.n, n)), 0.0, 1e-13);
}

static void test_sphere_and_shapes(void **state)
{
    (void)state;
    const double s = 1.0 / sqrt(2.0);
    scree_pose pose = {.x = {1.0, 0.0, 0.0}, .q = quat_exp((vec3){0.0, 0.0, SCREE_PI / 2.0})};
    scree_shape plane = {.kind = SCREE_SHAPE_PLANE, .normal = {2.0, 0.0, 0.0}, .position = {0.5, 0.0, 0.0}};
    scree_placed placed = scree_shape_place(&plane, NULL, pose); /* now at y = 0.5, facing +y */
    check_touch(&placed, (vec3){9.0, 0.6, 3.0}, 0.25, 0.15, (vec3){0.0, -1.0, 0.0});
    check_touch(&placed, (vec3){9.0, 0.9, 3.0}, 0.25, -0.15, (vec3){0.0, -1.0, 0.0});

    scree_shape box = {.kind = SCREE_SHAPE_BOX, .size = {2.0, 4.0, 6.0}};
    placed = scree_shape_place(&box, NULL, pose); /* half edges along x, y, z are now 2, 1, 3, about (1, 0, 0) */
    check_touch(&placed, (vec3){1.0, 1.2, 0.5}, 0.5, 0.3, (vec3){0.0, -1.0, 0.0});        /* face */
    check_touch(&placed, (vec3){3.3, 1.3, 0.0}, 0.5, 0.5 - 0.3 / s, (vec3){-s, -s, 0.0}); /* edge */
    check_touch(&placed, (vec3){3.0, 1.0, 3.5}, 0.2, -0.3, (vec3){0.0, 0.0, -1.0});       /* above a corner */
    check_touch(&placed, (vec3){1.0, 0.9, 0.0}, 0.5, 0.6, (vec3){0.0, -1.0, 0.0});        /* centre inside */
    check_touch(&placed, (vec3){-0.95, 0.0, 0.0}, 0.5, 0.55, (vec3){1.0, 0.0, 0.0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_finds_what_brute_force_finds),
        cmocka_unit_test(test_boulders_take_room_of_their_own_only),
        cmocka_unit_test(test_contacts_keep_their_impulses),
        cmocka_unit_test(test_sphere_and_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
