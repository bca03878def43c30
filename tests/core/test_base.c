#include "support.h"

#include "base/bytes.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/random.h"

#include <string.h>

static void test_arena_gives_aligned_blocks_and_keeps_its_extent(void **state)
{
    (void)state;
    scree_memory memory = scree_memory_or_default(NULL);
    scree_arena arena;
    scree_arena_init(&arena, &memory);
    for (int round = 0; round < 3; round++) {
        for (size_t k = 1; k < 200; k++) {
            unsigned char *block = scree_arena_get(&arena, k, 37);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            memset(block, (int)k, k * 37);
        }
        scree_arena_reset(&arena);
    }
    void *first = scree_arena_get(&arena, 1000, 8);
    scree_arena_reset(&arena);
    assert_ptr_equal(scree_arena_get(&arena, 1000, 8), first); /* same block again: no heap call */
    assert_null(scree_arena_get(&arena, SIZE_MAX / 4, 16));
    scree_arena_free(&arena);
}

static void add_squares(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    uint64_t *out = context;
    (void)range;
    for (uint32_t i = begin; i < end; i++)
        out[i] += (uint64_t)i * i;
}

static void test_pool_runs_every_item_once(void **state)
{
    (void)state;
    enum { ITEMS = 10007 };
    static uint64_t out[ITEMS];
    scree_memory memory = scree_memory_or_default(NULL);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        memset(out, 0, sizeof out);
        scree_pool *pool = scree_pool_create(&memory, threads);
        assert_non_null(pool);
        for (int round = 0; round < 50; round++)
            scree_pool_run(pool, ITEMS, 64, add_squares, out);
        for (uint64_t i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], 50 * i * i);
        scree_pool_destroy(pool);
    }
    assert_int_equal(scree_pool_ranges(0, 64), 0);
    assert_int_equal(scree_pool_ranges(64, 64), 1);
    assert_int_equal(scree_pool_ranges(65, 64), 2);
}

static void test_bytes_round_trip_and_stop_at_the_end(void **state)
{
    (void)state;
    scree_writer writer = {.memory = scree_memory_or_default(NULL)};
    scree_write_u32(&writer, 0x01020304u);
    scree_write_f64(&writer, -0.1);
    scree_write_string(&writer, "grain");
    assert_int_equal(writer.size, 4 + 8 + 4 + 5);
    assert_int_equal(writer.bytes[0], 4); /* little-endian */
    for (size_t size = 0; size <= writer.size; size++) {
        char text[6];
        scree_reader reader = {.bytes = writer.bytes, .size = size};
        uint32_t whole = scree_read_u32(&reader);
        double number = scree_read_f64(&reader);
        scree_read_string(&reader, text, sizeof text);
        assert_int_equal(reader.failed, size < writer.size);
        if (!reader.failed) {
            assert_int_equal(whole, 0x01020304u);
            assert_true(number == -0.1);
            assert_string_equal(text, "grain");
        }
    }
    char small[5]; /* no room for the closing zero */
    scree_reader reader = {.bytes = writer.bytes + 12, .size = 9};
    scree_read_string(&reader, small, sizeof small);
    assert_true(reader.failed);
    scree_bytes_release(NULL, writer.bytes);
}

static void test_rotations(void **state)
{
    (void)state;
    scree_random random = scree_random_seeded(7);
    for (int i = 0; i < 1000; i++) {
        vec3 axis = {scree_random_unit(&random) - 0.5, scree_random_unit(&random) - 0.5,
                     scree_random_unit(&random) - 0.5};
        vec3 turn = scale(SCREE_PI * 0.999 * scree_random_unit(&random) / length(axis), axis);
        quat q = quat_exp(turn);
        /* a few roundings each; the logarithm loses more as the angle nears π */
        assert_near(quat_norm(q), 1.0, 1e-15);
        assert_near(length(sub(quat_log(q), turn)), 0.0, 1e-13);
        vec3 v = {0.3, -2.0, 1.0};
        assert_near(length(sub(quat_rotate(quat_conj(q), quat_rotate(q, v)), v)), 0.0, 1e-14);
    }
    vec3 y = quat_rotate(quat_exp((vec3){0.0, 0.0, SCREE_PI / 2.0}), (vec3){1.0, 0.0, 0.0});
    assert_near(length(sub(y, (vec3){0.0, 1.0, 0.0})), 0.0, 1e-15);
}

static void test_random_is_the_same_everywhere_and_uniform(void **state)
{
    (void)state;
    scree_random random = scree_random_seeded(1), same = scree_random_seeded(1), other = scree_random_seeded(2);
    double sum = 0.0;
    int differ = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t value = scree_random_next(&random);
        assert_int_equal(value, scree_random_next(&same));
        differ += value != scree_random_next(&other);
        sum += value * 0x1p-32;
    }
    assert_true(differ > 99990);
    assert_near(sum / 100000.0, 0.5, 5.0 * 0.2887 / 316.2); /* five standard errors of the mean */
}

static void test_hash_tells_contents_apart(void **state)
{
    (void)state;
    scree_hash a = {0, 0}, b = {0, 0}, c = {0, 0};
    scree_hash_add(&a, "grain", 5);
    scree_hash_add(&b, "grain", 5);
    scree_hash_add(&c, "graim", 5);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.a != c.a && a.b != c.b);
    scree_hash_add(&b, "", 0); /* a chain counts its links */
    assert_true(a.a != b.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_gives_aligned_blocks_and_keeps_its_extent),
        cmocka_unit_test(test_pool_runs_every_item_once),
        cmocka_unit_test(test_bytes_round_trip_and_stop_at_the_end),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_random_is_the_same_everywhere_and_uniform),
        cmocka_unit_test(test_hash_tells_contents_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
