/*
 * Recordings from C: packing and unpacking, grains that come and go, going back in time, damage, and memory that runs
 * out.
 */
#include "support.h"

#include "base/random.h"
#include "bits.h"
#include "json.h"
#include "recording.h"
#include "track.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/scree_record_XXXXXX";

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static void path_of(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", directory, name);
}

static int remove_place(void **state)
{
    (void)state;
    char path[128];
    path_of("head.json", path);
    remove(path);
    path_of("frames.bin", path);
    remove(path);
    return rmdir(directory);
}

/* ---------------------------------------------------------------- columns */

static void test_crc_is_the_usual_one(void **state)
{
    (void)state;
    assert_int_equal(scree_crc32(0, "123456789", 9), 0xCBF43926); /* the check value that CRC catalogues give */
    assert_int_equal(scree_crc32(scree_crc32(0, "1234", 4), "56789", 5), 0xCBF43926);
}

/* Any column comes back, whatever the spread of its numbers: from all zero to all of 32 bits. */
static void test_columns_come_back(void **state)
{
    (void)state;
    enum { MOST = 100 };
    scree_random random = scree_random_seeded(1);
    scree_pack pack = {.memory = scree_record_memory(NULL)};
    for (int round = 0; round < 400; round++) {
        int32_t numbers[2][MOST], back[2][MOST];
        size_t count = scree_random_next(&random) % MOST;
        uint32_t shift = scree_random_next(&random) % 33, offset = scree_random_next(&random);
        pack.size = 0;
        for (int k = 0; k < 2; k++) { /* two in a row, so that the second begins in the middle of a word */
            for (size_t i = 0; i < count; i++)
                numbers[k][i] =
                    (int32_t)((shift < 32 ? scree_random_next(&random) >> shift : 0) + (round % 3 ? 0 : offset));
            scree_pack_column(&pack, numbers[k], count);
        }
        scree_pack_close_bits(&pack);
        scree_unpack unpack = {.bytes = pack.bytes, .size = pack.size};
        for (int k = 0; k < 2; k++) {
            scree_unpack_column(&unpack, back[k], count);
            assert_memory_equal(numbers[k], back[k], count * sizeof back[k][0]);
        }
        assert_true(!unpack.failed && unpack.at == unpack.size);
        if (pack.size > 4) { /* cut off by a word, it says so */
            scree_unpack shorter = {.bytes = pack.bytes, .size = pack.size - 4};
            for (int k = 0; k < 2; k++)
                scree_unpack_column(&shorter, back[k], count);
            assert_true(shorter.failed);
        }
    }
    scree_pack_release(&pack);
}

static void test_zeros_cost_next_to_nothing(void **state)
{
    (void)state;
    static const int32_t zeros[32000];
    scree_pack pack = {.memory = scree_record_memory(NULL)};
    scree_pack_column(&pack, zeros, 32000);
    scree_pack_close_bits(&pack);
    assert_int_equal(pack.size, 1000 / 8 + 3); /* one bit per block of 32, in whole words */
    scree_pack_release(&pack);
}

/* ---------------------------------------------------------------- JSON */

static void test_json(void **state)
{
    (void)state;
    static const char good[] = " {\"a\": [1, -2.5e3, {\"b\": \"\\u00e4\\n\\\"x\\\"\"}], \"t\": true, \"n\": null} ";
    scree_memory memory = scree_record_memory(NULL);
    scree_json_tree tree;
    assert_int_equal(scree_json_parse(good, strlen(good), &memory, &tree, NULL), SCREE_OK);
    const scree_json *list = scree_json_get(tree.nodes, "a", SCREE_JSON_LIST);
    assert_int_equal(list->count, 3);
    assert_true(list->first->number == 1.0 && list->first->next->number == -2500.0);
    assert_string_equal(scree_json_text(list->first->next->next, "b", ""), "\xc3\xa4\n\"x\"");
    assert_null(scree_json_get(tree.nodes, "a", SCREE_JSON_STRING));
    scree_json_release(&tree);

    static const char *const bad[] = {
        "",          "{",      "[1,",     "[1 2]",   "{\"a\" 1}",
        "{\"a\": }", "\"abc",  "\"\\q\"", "\"\\u12", "nul",
        "[1] [2]",   "{1: 2}", "[,]",     "-",       "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scree_error error;
        if (scree_json_parse(bad[i], strlen(bad[i]), &memory, &tree, &error) != SCREE_FORMAT)
            fail_msg("\"%s\" passes for JSON", bad[i]);
        assert_non_null(strstr(error.text, "not JSON"));
    }
}

/* ---------------------------------------------------------------- grains that come and go */

static scree_scene *bed_scene(void)
{
    return make_scene("scene name=bed gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7",
                      "pair a=g b=g friction=0.5", "body id=floor material=g", "plane normal=0,0,1",
                      "body id=plate material=g kind=driven position=0,0,0.3", "box size=0.02,0.05,0.1",
                      "fill id=bed material=g count=100 min=-0.05,-0.05,0 max=0.05,0.05,0.3",
                      "size diameter=0.01 diameterMax=0.02", "port id=plate body=plate", NULL);
}

static scree_recorder *record(const scree_world *world, double interval, const scree_memory *memory)
{
    static const scree_record_signal signal = {"t", "s", "time", 0.0};
    scree_record_plan plan = {
        .directory = directory, .interval = interval, .signals = &signal, .signal_count = 1, .settings = NULL};
    scree_error error;
    scree_recorder *recorder;
    if (scree_recorder_open(&plan, world, memory, &recorder, &error) != SCREE_OK)
        fail_msg("%s", error.text);
    return recorder;
}

static void take(scree_recorder *recorder, const scree_world *world)
{
    scree_error error;
    double time = scree_world_time(world);
    if (scree_recorder_take(recorder, world, time, NAN, &time, &error) != SCREE_OK)
        fail_msg("%s", error.text);
}

static scree_recording *open_recording(void)
{
    scree_error error;
    scree_recording *recording;
    if (scree_recording_open(directory, NULL, &recording, &error) != SCREE_OK)
        fail_msg("%s", error.text);
    return recording;
}

/* The frame holds the grains of the world, whatever their order. */
static void assert_same(const scree_recording *recording, const scree_recorded_frame *frame, const scree_world *world)
{
    const scree_recorded_head *head = scree_recording_head(recording);
    assert_true(frame->time == scree_world_time(world) && frame->signals[0] == frame->time);
    assert_int_equal(frame->grain_count, world->particles.count);
    for (uint32_t i = 0; i < world->particles.count; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        uint32_t at = 0;
        while (at < frame->grain_count && frame->id[at] != grain.id)
            at++;
        assert_true(at < frame->grain_count && frame->radius[at] == (float)grain.radius);
        for (int k = 0; k < 3; k++) { /* 0.75 of a unit, and the rounding of the product */
            assert_near(frame->position[3 * at + (uint32_t)k], grain.position[k], 0.7501 * head->length);
            assert_near(frame->velocity[3 * at + (uint32_t)k], grain.velocity[k], 0.7501 * head->speed);
        }
    }
    for (uint32_t b = 0; b < head->body_count; b++) {
        double pose[7];
        scree_world_get_pose(world, b, pose, pose + 3);
        assert_memory_equal(pose, frame->poses + 7 * b, sizeof pose);
    }
}

/* Grains that both frames have stand in the same order in both. */
static void assert_order(const uint32_t *before, uint32_t before_count, const scree_recorded_frame *frame)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < before_count; i++)
        for (uint32_t k = 0; k < frame->grain_count; k++)
            if (frame->id[k] == before[i]) {
                assert_true(k >= at);
                at = k;
            }
}

/* Leaves out some grains, mixes the others and adds new ones, as sinks, sorting and emitters do. */
static void stir(scree_world *world, scree_random *random)
{
    uint32_t order[2000], count = 0, before = world->particles.count;
    for (uint32_t i = 0; i < before; i++)
        if (scree_random_next(random) % 16)
            order[count++] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = scree_random_next(random) % i, other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
    assert_true(scree_world_renumber(world, order, count));
    uint32_t more = scree_random_next(random) % 12;
    assert_true(scree_particles_reserve(&world->particles, &world->memory, count + more));
    for (uint32_t i = 0; i < more; i++)
        scree_particles_add(&world->particles, (vec3){0.0, 0.001 * i, 0.5 + 0.02 * i}, 0.006, 2500.0, 0, UINT32_MAX);
    assert_true(scree_world_extend(world, count));
}

/* 150 frames (three key frames among them), read forwards and at random. */
static void test_grains_come_and_go(void **state)
{
    (void)state;
    enum { FRAMES = 150 };
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene), *again = make_world(scene);
    scree_recorder *recorder = record(world, 0.0, NULL);
    scree_random random = scree_random_seeded(5);
    take(recorder, world);
    for (int i = 1; i < FRAMES; i++) {
        if (i % 3 == 0)
            stir(world, &random);
        run(world, 0.005, 1);
        take(recorder, world);
    }
    assert_int_equal(scree_recorder_frames(recorder), FRAMES);
    assert_int_equal(scree_recorder_close(recorder, true, NULL), SCREE_OK);

    scree_recording *recording = open_recording(), *jumping = open_recording();
    scree_recorded_frame frame, jumped;
    assert_true(scree_recording_frames(recording) == FRAMES && scree_recording_done(recording));
    random = scree_random_seeded(5);
    uint32_t before[2000], before_count = 0;
    for (uint32_t i = 0; i < FRAMES; i++) {
        if (i > 0 && i % 3 == 0)
            stir(again, &random);
        if (i > 0)
            run(again, 0.005, 1);
        assert_int_equal(scree_recording_read(recording, i, &frame, NULL), SCREE_OK);
        assert_same(recording, &frame, again);
        assert_order(before, before_count, &frame);
        before_count = frame.grain_count;
        memcpy(before, frame.id, before_count * sizeof before[0]);
        if (i % 7 == 0) {
            uint32_t far = (i * 89 + 13) % FRAMES;
            assert_int_equal(scree_recording_read(jumping, far, &jumped, NULL), SCREE_OK);
            assert_int_equal(scree_recording_read(jumping, i, &jumped, NULL), SCREE_OK);
            assert_same(jumping, &jumped, again);
        }
    }
    assert_int_equal(scree_recording_read(recording, FRAMES, &frame, NULL), SCREE_INVALID);
    scree_recording_close(recording);
    scree_recording_close(jumping);
    scree_world_destroy(world);
    scree_world_destroy(again);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- going back */

static uint64_t file_size(void)
{
    char path[128];
    path_of("frames.bin", path);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return (uint64_t)size;
}

/* As an iterating master does: every step three times. The file is that of a run that goes straight on. */
static void test_repeated_steps_leave_no_trace(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    uint64_t sizes[2];
    for (int repeat = 0; repeat < 2; repeat++) {
        scree_world *world = make_world(scene);
        scree_recorder *recorder = record(world, 0.0, NULL);
        take(recorder, world);
        for (int i = 0; i < 20; i++) {
            size_t size;
            assert_int_equal(scree_world_save(world, NULL, 0, &size, NULL), SCREE_OK);
            uint8_t *saved = malloc(size);
            assert_int_equal(scree_world_save(world, saved, size, &size, NULL), SCREE_OK);
            double time = scree_world_time(world);
            for (int k = 0; k < (repeat ? 3 : 1); k++) {
                if (k > 0) {
                    assert_int_equal(scree_world_load(world, saved, size, NULL), SCREE_OK);
                    assert_int_equal(scree_recorder_rewind(recorder, time, NULL), SCREE_OK);
                }
                run(world, 0.005, 1);
                take(recorder, world);
            }
            free(saved);
        }
        assert_int_equal(scree_recorder_close(recorder, true, NULL), SCREE_OK);
        sizes[repeat] = file_size();
        scree_recording *recording = open_recording();
        assert_int_equal(scree_recording_frames(recording), 21);
        scree_recorded_frame frame;
        assert_int_equal(scree_recording_read(recording, 20, &frame, NULL), SCREE_OK);
        assert_same(recording, &frame, world);
        scree_recording_close(recording);
        scree_world_destroy(world);
    }
    assert_true(sizes[0] == sizes[1]);
    scree_scene_destroy(scene);
}

/* Far back, into another key frame's range, and then on another way; even before the first frame. */
static void test_going_far_back(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene);
    scree_random random = scree_random_seeded(3);
    scree_recorder *recorder = record(world, 0.0, NULL);
    uint8_t *saved = NULL;
    size_t size = 0;
    double time = 0.0;
    take(recorder, world);
    for (int i = 1; i <= 100; i++) {
        if (i == 31) {
            time = scree_world_time(world);
            assert_int_equal(scree_world_save(world, NULL, 0, &size, NULL), SCREE_OK);
            saved = malloc(size);
            assert_int_equal(scree_world_save(world, saved, size, &size, NULL), SCREE_OK);
        }
        if (i % 5 == 0)
            stir(world, &random);
        run(world, 0.004, 1);
        take(recorder, world);
    }
    assert_int_equal(scree_world_load(world, saved, size, NULL), SCREE_OK);
    assert_int_equal(scree_recorder_rewind(recorder, time, NULL), SCREE_OK);
    assert_int_equal(scree_recorder_frames(recorder), 31);
    scree_recorded_frame frame;
    run(world, 0.006, 1); /* not at a time that was there before */
    take(recorder, world);
    assert_int_equal(scree_recorder_commit(recorder, NULL), SCREE_OK);
    scree_recording *recording = open_recording();
    assert_int_equal(scree_recording_frames(recording), 32);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(scree_recording_read(recording, i, &frame, NULL), SCREE_OK);
        assert_true(i == 0 || frame.time > scree_recording_time(recording, i - 1));
    }
    assert_same(recording, &frame, world);
    assert_false(scree_recording_done(recording));
    scree_recording_close(recording);

    assert_int_equal(scree_recorder_rewind(recorder, -1.0, NULL), SCREE_OK);
    assert_int_equal(scree_recorder_frames(recorder), 0);
    assert_true(scree_recorder_due(recorder, -1.0));
    take(recorder, world);
    assert_int_equal(scree_recorder_close(recorder, true, NULL), SCREE_OK);
    recording = open_recording();
    assert_int_equal(scree_recording_read(recording, 0, &frame, NULL), SCREE_OK);
    assert_same(recording, &frame, world);
    scree_recording_close(recording);
    free(saved);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_wrong_calls(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene);
    scree_recorder *recorder = record(world, 0.1, NULL), *other;
    scree_record_plan plan = {.directory = directory};
    scree_error error;
    double value = 0.0;
    assert_int_equal(scree_recorder_open(&plan, world, NULL, &other, &error), SCREE_IO);
    assert_non_null(strstr(error.text, "another run"));
    take(recorder, world);
    assert_int_equal(scree_recorder_take(recorder, world, 0.0, 0.0, &value, &error), SCREE_STATE);
    assert_false(scree_recorder_due(recorder, 0.0999));
    assert_true(scree_recorder_due(recorder, 0.1 - 1e-12)); /* a sum of steps that is a rounding short */
    assert_int_equal(scree_recorder_close(recorder, false, NULL), SCREE_OK);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- damage */

static uint8_t *read_file(const char *name, size_t *size)
{
    char path[128];
    path_of(name, path);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    char path[128];
    path_of(name, path);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Opens and reads what can be read; nothing but a status may come of it. */
static uint32_t read_all(void)
{
    scree_recording *recording;
    scree_recorded_frame frame;
    uint32_t good = 0;
    if (scree_recording_open(directory, NULL, &recording, NULL) != SCREE_OK)
        return 0;
    for (uint32_t i = 0; i < scree_recording_frames(recording); i++)
        good += scree_recording_read(recording, i, &frame, NULL) == SCREE_OK;
    scree_recording_close(recording);
    return good;
}

/* Changes a payload and makes the sum right again: the decoder meets bits that no writer wrote. */
static void mend_sums(uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + 12 <= size;) {
        uint32_t length = (uint32_t)bytes[at + 4] | (uint32_t)bytes[at + 5] << 8 | (uint32_t)bytes[at + 6] << 16 |
                          (uint32_t)bytes[at + 7] << 24;
        if (length > size - at - 12)
            return;
        uint32_t sum = scree_crc32(0, bytes + at, 8 + (size_t)length);
        for (int i = 0; i < 4; i++)
            bytes[at + 8 + length + (size_t)i] = (uint8_t)(sum >> 8 * i);
        at += 12 + (size_t)length;
    }
}

static void test_damage(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene);
    scree_recorder *recorder = record(world, 0.0, NULL);
    scree_random random = scree_random_seeded(11);
    for (int i = 0; i < 6; i++) {
        take(recorder, world);
        stir(world, &random);
        run(world, 0.005, 1);
    }
    assert_int_equal(scree_recorder_close(recorder, true, NULL), SCREE_OK);
    size_t size, head_size;
    uint8_t *bytes = read_file("frames.bin", &size), *copy = malloc(size);
    uint8_t *head = read_file("head.json", &head_size);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 40) { /* cut off anywhere: whole frames are read */
        write_file("frames.bin", bytes, cut);
        assert_true(read_all() <= 6);
    }
    write_file("frames.bin", bytes, size - 13); /* the DONE chunk and the last byte of the last frame */
    assert_int_equal(read_all(), 5);
    for (int i = 0; i < 300; i++) {
        memcpy(copy, bytes, size);
        for (uint32_t k = 0; k <= scree_random_next(&random) % 4; k++)
            copy[scree_random_next(&random) % size] = (uint8_t)scree_random_next(&random);
        if (i % 4)
            mend_sums(copy, size);
        write_file("frames.bin", copy, size);
        read_all();
    }
    write_file("frames.bin", bytes, size);
    assert_int_equal(read_all(), 6);
    for (int i = 0; i < 200; i++) {
        memcpy(copy, head, head_size < size ? head_size : size);
        copy[scree_random_next(&random) % (head_size < size ? head_size : size)] ^= (uint8_t)(1 << i % 8);
        write_file("head.json", copy, head_size < size ? head_size : size);
        assert_int_equal(read_all(), 0); /* the sum of head.json stands in frames.bin */
    }
    free(bytes);
    free(copy);
    free(head);
    write_file("head.json", (const uint8_t *)"{\"format\": \"scree-record\"}", 26);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---------------------------------------------------------------- memory */

typedef struct meter {
    long calls, fail_at, alive;
} meter;

static void *metered_allocate(void *context, size_t bytes)
{
    meter *m = context;
    if (m->calls++ == m->fail_at)
        return NULL;
    void *block = calloc(1, bytes);
    m->alive += block != NULL;
    return block;
}

static void metered_release(void *context, void *block)
{
    meter *m = context;
    m->alive -= block != NULL;
    free(block);
}

static scree_status whole_life(meter *m, scree_world *world)
{
    scree_memory memory = {m, metered_allocate, metered_release};
    scree_recorder *recorder = NULL;
    scree_recording *recording = NULL;
    scree_record_plan plan = {.directory = directory};
    scree_recorded_frame frame;
    scree_status status = scree_recorder_open(&plan, world, &memory, &recorder, NULL);
    for (int i = 0; i < 5 && status == SCREE_OK; i++)
        status = scree_recorder_take(recorder, world, i, 0.0, NULL, NULL);
    if (status == SCREE_OK)
        status = scree_recorder_rewind(recorder, 2.0, NULL);
    scree_status closed = scree_recorder_close(recorder, true, NULL);
    status = status == SCREE_OK ? closed : status;
    if (status == SCREE_OK)
        status = scree_recording_open(directory, &memory, &recording, NULL);
    for (uint32_t i = 0; i < 3 && status == SCREE_OK; i++)
        status = scree_recording_read(recording, i, &frame, NULL);
    scree_recording_close(recording);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene);
    for (long fail_at = 0;; fail_at++) {
        meter m = {.fail_at = fail_at};
        scree_status status = whole_life(&m, world);
        assert_int_equal(m.alive, 0);
        if (m.calls <= fail_at) {
            assert_int_equal(status, SCREE_OK);
            assert_true(fail_at > 20);
            break;
        }
        if (status != SCREE_MEMORY)
            fail_msg("allocation %ld: status %d", fail_at, (int)status);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Once a bed is settled, a frame makes no heap call. */
static void test_steady_frames_allocate_nothing(void **state)
{
    (void)state;
    scree_scene *scene = bed_scene();
    scree_world *world = make_world(scene);
    meter m = {.fail_at = -1};
    scree_memory memory = {&m, metered_allocate, metered_release};
    scree_recorder *recorder = record(world, 0.0, &memory);
    for (int i = 0; i < 70; i++) { /* beyond the second key frame, the largest of all */
        take(recorder, world);
        run(world, 0.005, 1);
    }
    long before = m.calls;
    for (int i = 0; i < 20; i++) {
        take(recorder, world);
        run(world, 0.005, 1);
    }
    assert_int_equal(m.calls, before);
    assert_int_equal(scree_recorder_close(recorder, true, NULL), SCREE_OK);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc_is_the_usual_one),
        cmocka_unit_test(test_columns_come_back),
        cmocka_unit_test(test_zeros_cost_next_to_nothing),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_grains_come_and_go),
        cmocka_unit_test(test_repeated_steps_leave_no_trace),
        cmocka_unit_test(test_going_far_back),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_steady_frames_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
