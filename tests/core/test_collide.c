#include "support.h"

#include "base/random.h"
#include "collide/search.h"
#include "collide/shapes.h"

#include <string.h>

#include <stdlib.h>

enum { N = 1400 };

typedef struct cloud {
    scree_memory memory;
    scree_arena arena;
    scree_pool *pool;
    scree_search search;
    scree_pairs pairs;
    scree_place place[N];
    scree_twist twist[N];
    uint32_t material[N];
    scree_particles particles;
    double margins[N];
    scree_outlook outlook;
} cloud;

static const double HORIZON = 0.01; /* s */

/* Grains in a box with radii over a factor `ratio` and speeds up to `speed`, and what the search makes of them. */
static cloud *make_cloud(double ratio, double speed, uint32_t threads)
{
    cloud *c = calloc(1, sizeof *c);
    scree_random random = scree_random_seeded(11);
    for (uint32_t i = 0; i < N; i++) {
        double far = i % 100 == 0 ? 1e6 : 0.2; /* a few that have flown away, two of them out of the grid's range */
        c->place[i] = (scree_place){.x = {far * (scree_random_unit(&random) - 0.5), 0.2 * scree_random_unit(&random),
                                          0.2 * scree_random_unit(&random)},
                                    .r = 0.01 * pow(ratio, scree_random_unit(&random) * scree_random_unit(&random))};
        double layer = c->place[i].x.z > 0.1; /* the upper half flies over the lower one */
        c->twist[i] =
            (scree_twist){.v = {0.0, speed * (0.3 * scree_random_unit(&random) + 0.7 * layer), 0.0}, .inv_mass = 1.0};
        c->material[i] = i % 3;
    }
    c->memory = scree_memory_or_default(NULL);
    c->pool = scree_pool_create(&c->memory, threads);
    c->particles = (scree_particles){.count = N, .place = c->place, .twist = c->twist, .material = c->material};
    scree_arena_init(&c->arena, &c->memory);
    c->outlook = (scree_outlook){.stream = {0.0, 0.5 * speed, 0.0}, .horizon = HORIZON, .margins = c->margins};
    for (uint32_t i = 0; i < N; i++)
        c->margins[i] =
            scree_search_margin(c->place[i].r, 0.005 * length(sub(c->twist[i].v, c->outlook.stream)), 0.0002);
    assert_true(scree_search_pairs(&c->search, &c->memory, &c->arena, c->pool, &c->particles, &c->outlook));
    assert_true(
        scree_pairs_renew(&c->pairs, &c->memory, &c->arena, c->pool, &c->particles, 3, &c->search.found, &c->outlook));
    return c;
}

static void free_cloud(cloud *c)
{
    scree_pairs_free(&c->pairs, &c->memory);
    scree_search_free(&c->search, &c->memory);
    scree_pool_destroy(c->pool);
    scree_arena_free(&c->arena);
    free(c);
}

/* The least gap within the horizon: velocities differ along y alone. */
static double least_gap(const cloud *c, uint32_t a, uint32_t b)
{
    vec3 d = sub(c->place[b].x, c->place[a].x);
    double moves = HORIZON * (c->twist[b].v.y - c->twist[a].v.y), end = d.y + moves;
    d.y = d.y * end <= 0.0 ? 0.0 : fabs(end) < fabs(d.y) ? end : d.y;
    return length(d) - c->place[a].r - c->place[b].r;
}

/* The grid finds just what the definition says. */
static void compare_with_all_pairs(double ratio, double speed)
{
    cloud *c = make_cloud(ratio, speed, 2);
    uint32_t k = 0;
    for (uint32_t a = 0; a < N; a++) {
        assert_int_equal(c->search.found.starts[a], k);
        for (uint32_t b = a + 1; b < N; b++)
            if (least_gap(c, a, b) < c->margins[a] + c->margins[b])
                assert_int_equal(c->search.found.others[k++], b);
    }
    assert_int_equal(c->search.found.starts[N], k);
    assert_true(k > 100);

    /* the list holds while nothing has gone too far */
    assert_true(scree_pairs_hold(&c->pairs, &c->particles));
    c->place[7].x.z += 0.99 * c->margins[7];
    assert_true(scree_pairs_hold(&c->pairs, &c->particles));
    c->place[7].x.z += 0.02 * c->margins[7];
    assert_false(scree_pairs_hold(&c->pairs, &c->particles));
    free_cloud(c);
}

/* Every pair within the margins is in one lane, no other is, and strips and phases are what they promise. */
static void check_packing(double ratio, double speed)
{
    cloud *c = make_cloud(ratio, speed, 2), *other = make_cloud(ratio, speed, 1);
    const scree_pairs *pairs = &c->pairs;
    uint8_t *seen = calloc(N, N);
    uint32_t lanes = 0, near = 0;
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            uint32_t a = pairs->blocks[i].a[k], b = pairs->blocks[i].b[k];
            if (!scree_pair_exists(&pairs->blocks[i], k))
                continue;
            assert_true(a < b && b < N && !seen[a * N + b]);
            assert_int_equal(pairs->kinds[i][k], 3 * c->material[a] + c->material[b]);
            seen[a * N + b] = 1;
            lanes++;
        }
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = a + 1; b < N; b++) {
            bool is_near = least_gap(c, a, b) < c->margins[a] + c->margins[b];
            assert_int_equal(seen[a * N + b], is_near);
            near += is_near;
        }
    assert_int_equal(lanes, near);
    assert_true(near > 100);
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_OK);
    assert_int_equal(pairs->count, other->pairs.count); /* threads make no difference */
    assert_memory_equal(pairs->blocks, other->pairs.blocks, pairs->count * sizeof *pairs->blocks);
    free(seen);
    free_cloud(c);
    free_cloud(other);
}

static void test_pairs_are_packed(void **state)
{
    (void)state;
    check_packing(1.0, 0.0);
    check_packing(1.0, 20.0);
    check_packing(20.0, 0.0); /* large grains have far more pairs than a tile has colours */
}

/* A list that a thread would trip over is found out. */
static void test_bad_packing_is_refused(void **state)
{
    (void)state;
    cloud *c = make_cloud(1.0, 0.0, 1);
    scree_pairs *pairs = &c->pairs;
    assert_true(pairs->phase_count > 1 && pairs->strips[1] > 1);
    scree_pair_block *block = &pairs->blocks[pairs->strips[1] - 1], keep = *block; /* all its lanes have pairs */
    block->b[7] = N;
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    *block = keep;
    block->a[6] = block->a[7]; /* twice in a block */
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    *block = block[-1]; /* twice in a strip */
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    *block = keep;
    block->p[1][7] = INFINITY;
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    *block = keep;
    block->share[7] = -0.5f;
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    *block = keep;
    uint32_t first = pairs->phases[1];
    pairs->phases[1] = pairs->phases[2]; /* a colour at the same time as the tiles */
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    pairs->phases[1] = first;
    pairs->ranges[1] = pairs->strip_count + 1;
    assert_int_equal(scree_pairs_check(pairs, &c->memory, N), SCREE_FORMAT);
    free_cloud(c);
}

/* ---- districts: layers of a lattice, each of them a tile */

enum { LAYERS = 40, SIDE = 32, MANY = LAYERS * SIDE * SIDE };

typedef struct lattice {
    scree_memory memory;
    scree_arena arena;
    scree_pool *pool;
    scree_pairs pairs;
    scree_place place[MANY];
    scree_twist twist[MANY];
    uint32_t material[MANY], starts[MANY + 1], others[3 * MANY];
    double margins[MANY];
} lattice;

static lattice *make_lattice(uint32_t threads)
{
    lattice *l = calloc(1, sizeof *l);
    uint32_t found = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
        l->place[i] = (scree_place){.x = {x, y, z}, .r = 0.501};
        l->margins[i] = 0.01;
        l->starts[i] = found;
        if (x + 1 < SIDE)
            l->others[found++] = i + 1;
        if (y + 1 < SIDE)
            l->others[found++] = i + SIDE;
        if (z + 1 < LAYERS)
            l->others[found++] = i + SIDE * SIDE;
    }
    l->starts[MANY] = found;
    l->memory = scree_memory_or_default(NULL);
    l->pool = scree_pool_create(&l->memory, threads);
    scree_arena_init(&l->arena, &l->memory);
    scree_particles particles = {.count = MANY, .place = l->place, .twist = l->twist, .material = l->material};
    scree_neighbours candidates = {.starts = l->starts, .others = l->others};
    scree_outlook outlook = {.margins = l->margins};
    assert_true(scree_pairs_renew(&l->pairs, &l->memory, &l->arena, l->pool, &particles, 1, &candidates, &outlook));
    return l;
}

static void free_lattice(lattice *l)
{
    scree_pairs_free(&l->pairs, &l->memory);
    scree_pool_destroy(l->pool);
    scree_arena_free(&l->arena);
    free(l);
}

static uint32_t count_pairs(const scree_pairs *pairs, uint32_t range)
{
    uint32_t count = 0;
    for (uint32_t i = pairs->strips[pairs->ranges[range]]; i < pairs->strips[pairs->ranges[range + 1]]; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            count += scree_pair_exists(&pairs->blocks[i], k);
    return count;
}

/* Pairs between the layers of a district are in its range, those between districts in the phases behind, and a range
 * that reaches beyond its tile or district is found out. */
static void test_districts_hold_the_pairs_across_their_tiles(void **state)
{
    (void)state;
    enum { LAYER = SIDE * SIDE, DISTRICTS = 8 }; /* of five layers */
    assert_int_equal(SCREE_TILE, LAYER);
    lattice *l = make_lattice(1), *other = make_lattice(2);
    scree_pairs *pairs = &l->pairs;
    uint32_t far = 0;
    assert_int_equal(scree_district_count(MANY), DISTRICTS);
    assert_int_equal(pairs->phases[1], LAYERS);
    assert_int_equal(pairs->phases[2], LAYERS + DISTRICTS);
    for (uint32_t t = 0; t < LAYERS; t++)
        assert_int_equal(count_pairs(pairs, t), 2 * SIDE * (SIDE - 1));
    for (uint32_t d = 0; d < DISTRICTS; d++) {
        assert_int_equal(scree_district_begin(MANY, d), 5 * d);
        assert_int_equal(count_pairs(pairs, LAYERS + d), 4 * LAYER);
    }
    for (uint32_t r = LAYERS + DISTRICTS; r < pairs->range_count; r++)
        far += count_pairs(pairs, r);
    assert_int_equal(far, (DISTRICTS - 1) * LAYER);
    assert_int_equal(pairs->count, other->pairs.count); /* threads make no difference */
    assert_memory_equal(pairs->blocks, other->pairs.blocks, pairs->count * sizeof *pairs->blocks);
    assert_int_equal(scree_pairs_check(pairs, &l->memory, MANY), SCREE_OK);
    for (uint32_t r = 1; r <= LAYERS + 1; r += LAYERS) { /* the second tile, the second district */
        uint32_t keep = pairs->ranges[r];
        pairs->ranges[r]++;
        assert_int_equal(scree_pairs_check(pairs, &l->memory, MANY), SCREE_FORMAT);
        pairs->ranges[r] = keep;
    }
    free_lattice(l);
    free_lattice(other);
}

/* A new choice of pairs takes the impulses along. */
static void test_pairs_keep_their_impulses(void **state)
{
    (void)state;
    cloud *c = make_cloud(3.0, 0.0, 1);
    for (uint32_t i = 0; i < c->pairs.count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            for (uint32_t d = 0; d < 3 && scree_pair_exists(&c->pairs.blocks[i], k); d++) {
                double value = 1.0 + N * c->pairs.blocks[i].a[k] + c->pairs.blocks[i].b[k];
                c->pairs.blocks[i].p[d][k] = (float)(value);
                c->pairs.blocks[i].qa[d][k] = (float)(2.0 * value);
                c->pairs.blocks[i].qb[d][k] = (float)(3.0 * value);
            }
    for (uint32_t i = 0; i < N; i++)
        c->place[i].x = scale(0.99, c->place[i].x); /* others are near now, too */
    uint32_t kept = 0, added = 0;
    assert_true(scree_search_pairs(&c->search, &c->memory, &c->arena, c->pool, &c->particles, &c->outlook));
    assert_true(
        scree_pairs_renew(&c->pairs, &c->memory, &c->arena, c->pool, &c->particles, 3, &c->search.found, &c->outlook));
    for (uint32_t i = 0; i < c->pairs.count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            const scree_pair_block *block = &c->pairs.blocks[i];
            double value = 1.0 + N * block->a[k] + block->b[k];
            if (!scree_pair_exists(block, k))
                continue;
            bool is_kept = block->p[0][k] != 0.0;
            for (uint32_t d = 0; d < 3; d++) {
                assert_true(block->p[d][k] == (is_kept ? value : 0.0));
                assert_true(block->qa[d][k] == (is_kept ? 2.0 * value : 0.0));
                assert_true(block->qb[d][k] == (is_kept ? 3.0 * value : 0.0));
            }
            kept += is_kept;
            added += !is_kept;
        }
    assert_true(kept > 100 && added > 10);
    free_cloud(c);
}

/*
 * Boulders among fines, twenty times their size and first in the arrays, so that one range finds most of the pairs. The
 * room for pairs follows what each range found. Per grain: margin 8 B, ball 32, place in the order 4, entry 48 and 16
 * for its rough form, cells up to 16, start 4, and 2 of what ranges have to spare; a pair takes 8 B and as much again
 * by a quarter, and 4 sorted. With the fullest range's room for all ranges it would be 3400 B a grain.
 */
static void test_boulders_take_room_of_their_own_only(void **state)
{
    (void)state;
    enum { FINES = 20000, BOULDERS = 20, ALL = FINES + BOULDERS };
    scree_memory memory = scree_memory_or_default(NULL);
    scree_place *place = scree_allocate(&memory, ALL, sizeof *place);
    scree_twist *twist = scree_allocate(&memory, ALL, sizeof *twist);
    scree_random random = scree_random_seeded(5);
    for (int i = 0; i < ALL; i++) {
        double edge = 0.55;
        place[i].x = (vec3){edge * scree_random_unit(&random), edge * scree_random_unit(&random),
                            edge * scree_random_unit(&random)};
        place[i].r = i < BOULDERS ? 0.2 : 0.01;
    }
    scree_particles particles = {.count = ALL, .place = place, .twist = twist};
    scree_arena arena;
    scree_arena_init(&arena, &memory);
    scree_pool *pool = scree_pool_create(&memory, 1);
    scree_search search = {0};
    for (int k = 0; k < 2; k++) {
        scree_arena_reset(&arena);
        double *margins = scree_arena_get(&arena, ALL, sizeof *margins);
        scree_outlook outlook = {.margins = margins};
        for (uint32_t i = 0; i < ALL; i++)
            margins[i] = scree_search_margin(place[i].r, 0.0, 1e-4);
        assert_true(scree_search_pairs(&search, &memory, &arena, pool, &particles, &outlook));
    }
    size_t pairs = search.found.starts[ALL];
    assert_true(pairs > 2 * ALL);
    assert_true(arena.total < 130 * (size_t)ALL + 14 * pairs);
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

/* A grain that has no place any more is for the end of the step to report; until then the search must end. */
static void test_search_ends_with_grains_that_are_nowhere(void **state)
{
    (void)state;
    const double places[] = {INFINITY, NAN, 1e308, 1e99};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        cloud *c = make_cloud(2.0, 5.0, 1);
        c->place[7].x.y = places[i];
        c->place[8].x.y = -places[i];
        assert_true(scree_search_pairs(&c->search, &c->memory, &c->arena, c->pool, &c->particles, &c->outlook));
        free_cloud(c);
    }
}

static void test_search_ends_with_grains_of_no_size(void **state)
{
    (void)state;
    cloud *c = make_cloud(2.0, 5.0, 1);
    for (uint32_t i = 0; i < N; i++) {
        c->place[i].r = 1e-310; /* one over it is infinite */
        c->margins[i] = 0.0;
    }
    c->outlook.horizon = 0.0;
    assert_true(scree_search_pairs(&c->search, &c->memory, &c->arena, c->pool, &c->particles, &c->outlook));
    assert_int_equal(c->search.found.starts[N], 0);
    free_cloud(c);
}

static void test_contacts_keep_their_impulses(void **state)
{
    (void)state;
    scree_memory memory = scree_memory_or_default(NULL);
    scree_contact_list first = {0}, second = {0};
    const scree_candidate before[] = {{2, 3}, {0, 5}, {0, 1}}, after[] = {{0, 9}, {0, 5}, {1, 2}, {2, 3}};
    assert_true(scree_contact_list_renew(&first, &second, &memory, 4, before, 3));
    assert_int_equal(first.items[0].b, 1);
    assert_int_equal(first.items[1].b, 5);
    first.items[1].pn = 7.0;
    first.items[2].pt.x = 8.0;
    assert_true(scree_contact_list_renew(&second, &first, &memory, 4, after, 4));
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
        cmocka_unit_test(test_search_ends_with_grains_that_are_nowhere),
        cmocka_unit_test(test_search_ends_with_grains_of_no_size),
        cmocka_unit_test(test_boulders_take_room_of_their_own_only),
        cmocka_unit_test(test_pairs_are_packed),
        cmocka_unit_test(test_bad_packing_is_refused),
        cmocka_unit_test(test_districts_hold_the_pairs_across_their_tiles),
        cmocka_unit_test(test_pairs_keep_their_impulses),
        cmocka_unit_test(test_contacts_keep_their_impulses),
        cmocka_unit_test(test_sphere_and_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
