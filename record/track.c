#include "track.h"

#include <math.h>
#include <string.h>

enum { CHUNK_HEAD = 8, WORDS_AT = 40 /* in a frame's payload */ };

int32_t *scree_track_column(const scree_track *track, uint32_t column)
{
    return track->cells + column * track->capacity;
}

bool scree_track_reserve(scree_track *track, size_t count)
{
    if (count <= track->capacity)
        return true;
    size_t room = count + count / 8 + 64;
    if (room > SIZE_MAX / sizeof(int32_t) / track->columns)
        return false;
    int32_t *cells = track->memory.allocate(track->memory.context, room * track->columns * sizeof *cells);
    if (!cells)
        return false;
    for (uint32_t k = 0; k < track->columns && track->count; k++)
        memcpy(cells + k * room, scree_track_column(track, k), track->count * sizeof *cells);
    if (track->cells)
        track->memory.release(track->memory.context, track->cells);
    track->cells = cells;
    track->capacity = room;
    return true;
}

void scree_track_release(scree_track *track)
{
    if (track->cells)
        track->memory.release(track->memory.context, track->cells);
    track->cells = NULL;
    track->capacity = track->count = 0;
}

int32_t scree_track_expect(int32_t u, int32_t v, double factor)
{
    return (int32_t)(uint32_t)(int64_t)floor(((double)u + (double)v) * factor + 0.5);
}

static int32_t subtract(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static int32_t add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* ---------------------------------------------------------------- packing */

/* A walk over the grains that are in both frames: the places in the last one that have not gone. */
typedef struct survivors {
    const int32_t *gone;
    uint32_t gone_count, skipped, place;
} survivors;

static uint32_t next_survivor(survivors *walk)
{
    while (walk->skipped < walk->gone_count && walk->gone[walk->skipped] == (int32_t)walk->place) {
        walk->skipped++;
        walk->place++;
    }
    return walk->place++;
}

static void pack_steps(scree_pack *pack, const int32_t *values, size_t count, int32_t *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = subtract(values[i], i ? add(values[i - 1], 1) : 0);
    scree_pack_column(pack, scratch, count);
}

/* A column as differences; of a position, what is left when the velocities' part is taken off. */
static void pack_differences(scree_pack *pack, const scree_frame_head *head, const scree_track *last,
                             const scree_track *next, const int32_t *gone, uint32_t column, int32_t *scratch)
{
    bool is_position = column >= SCREE_TRACK_POSITION && column < SCREE_TRACK_CHANNEL;
    uint32_t speed_column = column - SCREE_TRACK_POSITION + SCREE_TRACK_VELOCITY;
    const int32_t *now = scree_track_column(next, column);
    const int32_t *v = is_position ? scree_track_column(next, speed_column) : NULL;
    survivors walk = {.gone = gone, .gone_count = head->gone};
    size_t old = head->flags & SCREE_FRAME_KEY ? 0 : next->count - head->come;
    for (size_t i = 0; i < next->count; i++) {
        uint32_t place = i < old ? next_survivor(&walk) : 0;
        int32_t before = i < old ? scree_track_column(last, column)[place] : 0;
        if (is_position) {
            int32_t u = i < old ? scree_track_column(last, speed_column)[place] : 0;
            before = add(before, scree_track_expect(u, v[i], head->factor));
        }
        scratch[i] = subtract(now[i], before);
    }
    scree_pack_column(pack, scratch, next->count);
}

void scree_track_pack(scree_pack *pack, const scree_frame_head *head, const scree_track *last, const scree_track *next,
                      const int32_t *gone, int32_t *scratch)
{
    size_t old = next->count - head->come, begin = pack->size;
    pack_steps(pack, gone, head->gone, scratch);
    if (head->come > 0)
        pack_steps(pack, scree_track_column(next, SCREE_TRACK_ID) + old, head->come, scratch);
    for (uint32_t k = SCREE_TRACK_RADIUS; k <= SCREE_TRACK_MATERIAL && head->come > 0; k++)
        scree_pack_column(pack, scree_track_column(next, k) + old, head->come);
    for (uint32_t k = SCREE_TRACK_VELOCITY; k < next->columns; k++)
        pack_differences(pack, head, last, next, gone, k, scratch);
    scree_pack_close_bits(pack);
    scree_pack_put_u32(pack, CHUNK_HEAD + WORDS_AT, (uint32_t)((pack->size - begin) / 4));
}

void scree_frame_head_pack(scree_pack *pack, const scree_frame_head *head)
{
    scree_pack_f64(pack, head->time);
    scree_pack_f64(pack, head->wall);
    scree_pack_f64(pack, head->factor);
    scree_pack_u32(pack, head->flags);
    scree_pack_u32(pack, head->grains);
    scree_pack_u32(pack, head->gone);
    scree_pack_u32(pack, head->come);
    scree_pack_u32(pack, 0); /* words: known when the grains are packed */
    scree_pack_u32(pack, 0);
}

/* ---------------------------------------------------------------- unpacking */

scree_frame_head scree_frame_head_unpack(scree_unpack *from)
{
    scree_frame_head head;
    head.time = scree_unpack_f64(from);
    head.wall = scree_unpack_f64(from);
    head.factor = scree_unpack_f64(from);
    head.flags = scree_unpack_u32(from);
    head.grains = scree_unpack_u32(from);
    head.gone = scree_unpack_u32(from);
    head.come = scree_unpack_u32(from);
    head.words = scree_unpack_u32(from);
    scree_unpack_u32(from);
    return head;
}

/* Takes out the grains whose places stand in gone, rising; the others close up. */
static bool remove_gone(scree_track *track, const int32_t *gone, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (gone[i] < 0 || (size_t)gone[i] >= track->count || (i && gone[i] <= gone[i - 1]))
            return false;
    for (uint32_t k = 0; k < track->columns; k++) {
        int32_t *cells = scree_track_column(track, k);
        size_t to = count ? (size_t)gone[0] : 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t begin = (size_t)gone[i] + 1, end = i + 1 < count ? (size_t)gone[i + 1] : track->count;
            memmove(cells + to, cells + begin, (end - begin) * sizeof *cells);
            to += end - begin;
        }
    }
    track->count -= count;
    return true;
}

static void sum_steps(int32_t *steps, size_t count)
{
    for (size_t i = 1; i < count; i++)
        steps[i] = add(steps[i], add(steps[i - 1], 1));
}

static void append_come(scree_track *track, uint32_t come, scree_unpack *from)
{
    for (uint32_t k = 0; k < track->columns; k++) {
        int32_t *cells = scree_track_column(track, k) + track->count;
        if (k <= SCREE_TRACK_MATERIAL)
            scree_unpack_column(from, cells, come);
        else
            memset(cells, 0, come * sizeof *cells);
        if (k == SCREE_TRACK_ID)
            sum_steps(cells, come);
    }
    track->count += come;
}

/* scratch: [count]; before: [3][count], the velocities of the frame before. */
static void add_differences(scree_track *track, double factor, scree_unpack *from, int32_t *scratch, int32_t *before)
{
    size_t n = track->count;
    for (uint32_t k = SCREE_TRACK_VELOCITY; k < track->columns; k++) {
        int32_t *cells = scree_track_column(track, k);
        bool is_velocity = k < SCREE_TRACK_POSITION, is_position = !is_velocity && k < SCREE_TRACK_CHANNEL;
        uint32_t axis = is_position ? k - SCREE_TRACK_POSITION : 0;
        const int32_t *u = before + axis * n, *v = scree_track_column(track, SCREE_TRACK_VELOCITY + axis);
        if (is_velocity && n)
            memcpy(before + (size_t)(k - SCREE_TRACK_VELOCITY) * n, cells, n * sizeof *cells);
        scree_unpack_column(from, scratch, n);
        for (size_t i = 0; i < n; i++) {
            int32_t expected = is_position ? scree_track_expect(u[i], v[i], factor) : 0;
            cells[i] = add(add(cells[i], expected), scratch[i]);
        }
    }
}

scree_status scree_track_unpack(scree_track *track, const scree_frame_head *head, scree_unpack *from,
                                scree_error *error)
{
    static const char damaged[] = "a frame holds what no frame can hold";
    size_t old = head->flags & SCREE_FRAME_KEY ? 0 : track->count;
    uint64_t most = ((uint64_t)head->words + 1) * 32 * 32; /* a block of 32 grains needs at least one bit a column */
    if (head->gone > old || old - head->gone + head->come != head->grains || head->grains > most ||
        !(fabs(head->factor) <= SCREE_MOST_FACTOR))
        return scree_fail(error, SCREE_FORMAT, "%s", damaged);
    track->count = old;
    size_t scratch_size = head->grains > head->gone ? head->grains : head->gone;
    size_t room = scratch_size + 3 * (size_t)head->grains + 1;
    int32_t *scratch = track->memory.allocate(track->memory.context, room * sizeof *scratch);
    if (!scratch || !scree_track_reserve(track, old + head->come)) {
        if (scratch)
            track->memory.release(track->memory.context, scratch);
        return scree_fail(error, SCREE_MEMORY, "out of memory for a frame of %u grains", head->grains);
    }
    scree_unpack_column(from, scratch, head->gone);
    sum_steps(scratch, head->gone);
    bool good = !from->failed && remove_gone(track, scratch, head->gone);
    if (good) {
        append_come(track, head->come, from);
        add_differences(track, head->factor, from, scratch, scratch + scratch_size);
    }
    track->memory.release(track->memory.context, scratch);
    return good && !from->failed ? SCREE_OK : scree_fail(error, SCREE_FORMAT, "%s", damaged);
}
