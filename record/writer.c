/*
 * The recorder. A frame is taken in four stages:
 *   arrange    which grains of the last frame are still there, in its order; which are new
 *   quantise   velocities, positions and forces to integers; one that is within 0.75 of what a reader expects becomes
 *              just that, so that grains at rest give zeros however they tremble
 *   pack       the chunk, held in memory
 *   commit     the chunk to the file, when the next frame is taken or at the end
 */
#include "directory.h"
#include "head.h"
#include "recording.h"
#include "track.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { KEY_EVERY = 64, CHUNK_HEAD = 8 };
#define BAND 0.75 /* of a unit, around the expected value */

struct scree_recorder {
    scree_memory memory;
    FILE *file;
    char *path; /* of frames.bin, for messages */
    scree_scales scales;
    double interval; /* s */
    uint32_t signal_count, body_count;

    scree_track last;   /* the frame that was written last */
    scree_track next;   /* the one that is held back */
    scree_pack chunk;   /* of the one that is held back */
    bool held, broken;  /* broken: a write failed, no more are tried */
    uint64_t size;      /* bytes, of whole chunks in the file */
    uint64_t frames;    /* written */
    uint32_t since_key; /* frames written since the last key frame, itself included */
    double first, time; /* s, of the first and the last written frame */
    double held_time;   /* s */
    bool held_key;

    /* Scratch of one frame. */
    int32_t *scratch, *gone; /* [grains] */
    uint32_t *ids;           /* [particles of the world] */
    uint32_t *order;         /* [grains], index in the world */
    uint32_t *place;         /* [grains], in the last frame; UINT32_MAX: new */
    double *forces;          /* N, [particles of the world] */
    uint32_t *table;         /* [2^n], index in the world + 1, by id */
    size_t scratch_room, gone_room, id_room, order_room, place_room, force_room, table_room;
};

/* ---------------------------------------------------------------- arrange */

static bool reserve(scree_recorder *r, void **items, size_t *room, size_t need, size_t size)
{
    return scree_record_reserve(&r->memory, items, room, need, size, false);
}

static bool reserve_scratch(scree_recorder *r, uint32_t n)
{
    size_t need = (n > r->last.count ? n : r->last.count) + 1, slots = 16;
    while (slots < 2 * (size_t)n)
        slots *= 2;
    return reserve(r, (void **)&r->scratch, &r->scratch_room, need, sizeof *r->scratch) &&
           reserve(r, (void **)&r->gone, &r->gone_room, need, sizeof *r->gone) &&
           reserve(r, (void **)&r->ids, &r->id_room, need, sizeof *r->ids) &&
           reserve(r, (void **)&r->order, &r->order_room, need, sizeof *r->order) &&
           reserve(r, (void **)&r->place, &r->place_room, need, sizeof *r->place) &&
           reserve(r, (void **)&r->forces, &r->force_room, need, sizeof *r->forces) &&
           reserve(r, (void **)&r->table, &r->table_room, slots, sizeof *r->table) && scree_track_reserve(&r->next, n);
}

/* Whether the grains of the last frame are the first ones of the world, in the same order: the common case. */
static bool is_unchanged(const scree_recorder *r, uint32_t n)
{
    if (r->last.count > n)
        return false;
    const int32_t *ids = scree_track_column(&r->last, SCREE_TRACK_ID);
    for (uint32_t i = 0; i < r->last.count; i++)
        if ((uint32_t)ids[i] != r->ids[i])
            return false;
    return true;
}

static uint32_t *find_slot(const scree_recorder *r, uint32_t id, size_t mask)
{
    size_t at = id * 2654435761u & mask;
    while (r->table[at] && r->ids[r->table[at] - 1] != id)
        at = (at + 1) & mask;
    return &r->table[at];
}

/* Sets order, place and gone; head->gone and head->come. */
static void arrange(scree_recorder *r, const scree_world *world, uint32_t n, scree_frame_head *head)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        r->ids[i] = scree_world_get_particle(world, i).id;
    if (is_unchanged(r, n)) {
        kept = (uint32_t)r->last.count;
        for (uint32_t i = 0; i < n; i++) {
            r->order[i] = i;
            r->place[i] = i < kept ? i : UINT32_MAX;
        }
        head->come = n - kept;
        return;
    }
    const int32_t *ids = scree_track_column(&r->last, SCREE_TRACK_ID);
    size_t mask = 15;
    while (mask + 1 < 2 * (size_t)n)
        mask = 2 * mask + 1;
    memset(r->table, 0, (mask + 1) * sizeof *r->table);
    for (uint32_t i = 0; i < n; i++) {
        *find_slot(r, r->ids[i], mask) = i + 1;
        r->scratch[i] = 0;
    }
    for (uint32_t i = 0; i < r->last.count; i++) {
        uint32_t found = *find_slot(r, (uint32_t)ids[i], mask);
        if (!found) {
            r->gone[head->gone++] = (int32_t)i;
            continue;
        }
        r->scratch[found - 1] = 1;
        r->order[kept] = found - 1;
        r->place[kept++] = i;
    }
    head->come = n - kept;
    for (uint32_t i = 0; i < n; i++)
        if (!r->scratch[i]) {
            r->order[kept] = i;
            r->place[kept++] = UINT32_MAX;
        }
}

/* ---------------------------------------------------------------- quantise */

static int32_t round_to(double value)
{
    if (!(fabs(value) < 2147483647.0))
        return value > 0.0 ? INT32_MAX : value < 0.0 ? -INT32_MAX : 0;
    return (int32_t)lround(value);
}

static int32_t near_expected(double value, int32_t expected)
{
    return fabs(value - (double)expected) <= BAND ? expected : round_to(value);
}

static int32_t force_code(const scree_recorder *r, double force)
{
    return force < r->scales.force ? 0 : 1 + round_to(SCREE_FORCE_PER_OCTAVE * log2(force / r->scales.force));
}

static void sum_forces(scree_recorder *r, const scree_world *world, uint32_t n)
{
    memset(r->forces, 0, n * sizeof *r->forces);
    uint32_t count = scree_world_contact_count(world);
    for (uint32_t i = 0; i < count; i++) {
        scree_touching touching;
        if (!scree_world_get_contact(world, i, &touching))
            continue;
        double normal = 0.0;
        for (int k = 0; k < 3; k++)
            normal += touching.force[k] * touching.normal[k];
        r->forces[touching.particle] += fabs(normal);
        if (touching.other != UINT32_MAX)
            r->forces[touching.other] += fabs(normal);
    }
}

/* Fills next from the world. */
static void quantise(scree_recorder *r, const scree_world *world, uint32_t n, double factor)
{
    scree_track *next = &r->next;
    next->count = n;
    for (uint32_t i = 0; i < n; i++) {
        scree_particle grain = scree_world_get_particle(world, r->order[i]);
        uint32_t place = r->place[i];
        float radius = (float)grain.radius;
        memcpy(&scree_track_column(next, SCREE_TRACK_RADIUS)[i], &radius, sizeof radius);
        scree_track_column(next, SCREE_TRACK_ID)[i] = (int32_t)grain.id;
        scree_track_column(next, SCREE_TRACK_MATERIAL)[i] = (int32_t)grain.material;
        scree_track_column(next, SCREE_TRACK_CHANNEL)[i] = force_code(r, r->forces[r->order[i]]);
        for (uint32_t k = 0; k < 3; k++) {
            double speed = grain.velocity[k] / r->scales.speed, position = grain.position[k] / r->scales.length;
            int32_t *v = &scree_track_column(next, SCREE_TRACK_VELOCITY + k)[i];
            int32_t *p = &scree_track_column(next, SCREE_TRACK_POSITION + k)[i];
            if (place == UINT32_MAX) {
                *v = round_to(speed);
                *p = round_to(position);
                continue;
            }
            int32_t u = scree_track_column(&r->last, SCREE_TRACK_VELOCITY + k)[place];
            int32_t from = scree_track_column(&r->last, SCREE_TRACK_POSITION + k)[place];
            *v = near_expected(speed, u);
            *p = near_expected(position, (int32_t)((uint32_t)from + (uint32_t)scree_track_expect(u, *v, factor)));
        }
    }
}

/* ---------------------------------------------------------------- pack */

static void pack_frame(scree_recorder *r, const scree_world *world, const scree_frame_head *head, const double *signals)
{
    scree_pack *chunk = &r->chunk;
    scree_pack_begin_chunk(chunk, "FRAM");
    scree_frame_head_pack(chunk, head);
    for (uint32_t i = 0; i < r->signal_count; i++)
        scree_pack_f64(chunk, signals[i]);
    for (uint32_t i = 0; i < r->body_count; i++) {
        double position[3], orientation[4];
        scree_world_get_pose(world, i, position, orientation);
        for (int k = 0; k < 3; k++)
            scree_pack_f64(chunk, position[k]);
        for (int k = 0; k < 4; k++)
            scree_pack_f64(chunk, orientation[k]);
    }
    scree_track_pack(chunk, head, &r->last, &r->next, r->gone, r->scratch);
    scree_pack_end_chunk(chunk);
}

/* ---------------------------------------------------------------- commit */

static scree_status write_failed(scree_recorder *r, scree_error *error)
{
    int reason = errno;
    r->broken = true;
    r->held = false;
    clearerr(r->file);
    scree_record_truncate(r->file, r->size); /* half a chunk is of no use; if this fails too, readers ignore it */
    return scree_fail(error, SCREE_IO, "%s: cannot be written: %s; the recording ends at t = %g s", r->path,
                      reason ? strerror(reason) : "a write failed", r->frames ? r->time : 0.0);
}

static scree_status write_chunk(scree_recorder *r, const scree_pack *chunk, scree_error *error)
{
    errno = 0;
    if (fwrite(chunk->bytes, 1, chunk->size, r->file) != chunk->size || fflush(r->file) != 0)
        return write_failed(r, error);
    r->size += chunk->size;
    return SCREE_OK;
}

scree_status scree_recorder_commit(scree_recorder *r, scree_error *error)
{
    if (!r->held)
        return SCREE_OK;
    scree_status status = write_chunk(r, &r->chunk, error);
    if (status != SCREE_OK)
        return status;
    scree_track written = r->next;
    r->next = r->last;
    r->last = written;
    r->held = false;
    r->since_key = r->held_key ? 1 : r->since_key + 1;
    r->time = r->held_time;
    if (r->frames++ == 0)
        r->first = r->time;
    return SCREE_OK;
}

/* ---------------------------------------------------------------- taking frames */

bool scree_recorder_due(const scree_recorder *r, double time)
{
    if (r->broken)
        return false;
    if ((r->frames == 0 && !r->held) || !(r->interval > 0.0))
        return true;
    double first = r->frames ? r->first : r->held_time, last = r->held ? r->held_time : r->time;
    return floor((time - first) / r->interval + 1e-9) > floor((last - first) / r->interval + 1e-9);
}

bool scree_recorder_is_after(const scree_recorder *r, double time)
{
    if (r->broken)
        return false;
    return r->held ? time > r->held_time : r->frames == 0 || time > r->time;
}

scree_status scree_recorder_take(scree_recorder *r, const scree_world *world, double time, double wall,
                                 const double *signals, scree_error *error)
{
    scree_status status = scree_recorder_commit(r, error);
    if (status != SCREE_OK)
        return status;
    if (r->broken)
        return scree_fail(error, SCREE_STATE, "%s: the recording has ended", r->path);
    if (r->frames && !(time > r->time))
        return scree_fail(error, SCREE_STATE, "%s: a frame at t = %g s after one at %g s", r->path, time, r->time);
    scree_info info;
    scree_world_get_info(world, &info);
    uint32_t n = info.particles;
    if (!reserve_scratch(r, n))
        return scree_fail(error, SCREE_MEMORY, "%s: out of memory for a frame of %u grains", r->path, n);
    double factor = r->frames ? 0.5 * (time - r->time) * r->scales.speed / r->scales.length : 0.0;
    bool key = r->frames == 0 || r->since_key >= KEY_EVERY;
    scree_frame_head head = {.time = time,
                             .wall = wall,
                             .factor = factor <= SCREE_MOST_FACTOR ? factor : 0.0,
                             .flags = key ? SCREE_FRAME_KEY : 0,
                             .grains = n};
    arrange(r, world, n, &head);
    sum_forces(r, world, n);
    quantise(r, world, n, head.factor);
    if (key) {
        head.gone = 0;
        head.come = n;
    }
    pack_frame(r, world, &head, signals);
    if (r->chunk.failed)
        return scree_fail(error, SCREE_MEMORY, "%s: out of memory for a frame of %u grains", r->path, n);
    r->held = true;
    r->held_key = key;
    r->held_time = time;
    return SCREE_OK;
}

uint64_t scree_recorder_frames(const scree_recorder *r)
{
    return r->frames + (r->held ? 1 : 0);
}

/* ---------------------------------------------------------------- going back */

/* A chunk of the file at `at`, with its payload in r->chunk; false at the end. */
static bool read_chunk(scree_recorder *r, uint64_t at, char tag[4])
{
    uint8_t head[CHUNK_HEAD];
    if (at + CHUNK_HEAD + 4 > r->size || fseeko(r->file, (off_t)at, SEEK_SET) != 0 ||
        fread(head, 1, sizeof head, r->file) != sizeof head)
        return false;
    scree_unpack from = {.bytes = head + 4, .size = 4};
    uint32_t length = scree_unpack_u32(&from);
    void *bytes = r->chunk.bytes;
    memcpy(tag, head, 4);
    if (length > r->size - at - CHUNK_HEAD - 4 ||
        !scree_record_reserve(&r->memory, &bytes, &r->chunk.capacity, length, 1, false))
        return false;
    r->chunk.bytes = bytes;
    r->chunk.size = length;
    return fread(bytes, 1, length, r->file) == length;
}

/* Reads the file from its beginning up to the last frame that stays; `last` and the counters are then as after it. */
static scree_status replay(scree_recorder *r, double time, scree_error *error)
{
    uint64_t at = 0;
    char tag[4];
    r->frames = 0;
    r->last.count = 0;
    while (read_chunk(r, at, tag)) {
        scree_unpack from = {.bytes = r->chunk.bytes, .size = r->chunk.size};
        uint64_t end = at + CHUNK_HEAD + r->chunk.size + 4;
        if (memcmp(tag, "FRAM", 4) == 0) {
            scree_frame_head head = scree_frame_head_unpack(&from);
            if (head.time > time)
                break;
            from.at += 8 * (r->signal_count + 7 * (size_t)r->body_count);
            scree_status status = scree_track_unpack(&r->last, &head, &from, error);
            if (status != SCREE_OK)
                return status;
            r->since_key = head.flags & SCREE_FRAME_KEY ? 1 : r->since_key + 1;
            r->time = head.time;
            if (r->frames++ == 0)
                r->first = head.time;
        }
        at = end;
    }
    r->size = at;
    return SCREE_OK;
}

scree_status scree_recorder_rewind(scree_recorder *r, double time, scree_error *error)
{
    if (r->held && r->held_time > time)
        r->held = false;
    if (r->broken || r->frames == 0 || r->time <= time)
        return SCREE_OK;
    scree_status status = replay(r, time, error);
    if (status == SCREE_OK && !scree_record_truncate(r->file, r->size))
        status = write_failed(r, error);
    r->broken = r->broken || status != SCREE_OK;
    return status;
}

/* ---------------------------------------------------------------- beginning and end */

static scree_status begin(scree_recorder *r, const scree_record_plan *plan, const scree_world *world,
                          scree_error *error)
{
    const scree_scene *scene = scree_world_settings(world);
    r->path = scree_record_path(&r->memory, plan->directory, "frames.bin");
    if (!r->path)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a recording");
    scree_status status = scree_record_claim(&r->memory, plan->directory, &r->file, error);
    if (status != SCREE_OK)
        return status;
    r->scales = scree_record_scales(world, plan->interval);
    r->body_count = scene->body_count;
    scree_pack text = {.memory = r->memory};
    scree_record_head(&text, plan, scene, &r->scales);
    status = scree_record_put_head(&r->memory, plan->directory, &text, error);
    uint32_t sum = status == SCREE_OK ? scree_crc32(0, text.bytes, text.size) : 0;
    scree_pack_release(&text);
    if (status != SCREE_OK)
        return status;
    scree_pack_begin_chunk(&r->chunk, "SCRE");
    scree_pack_u32(&r->chunk, SCREE_RECORD_VERSION);
    scree_pack_u32(&r->chunk, sum);
    scree_pack_end_chunk(&r->chunk);
    return r->chunk.failed ? scree_fail(error, SCREE_MEMORY, "out of memory for a recording")
                           : write_chunk(r, &r->chunk, error);
}

scree_status scree_recorder_open(const scree_record_plan *plan, const scree_world *world, const scree_memory *memory,
                                 scree_recorder **recorder, scree_error *error)
{
    scree_memory from = scree_record_memory(memory);
    *recorder = NULL;
    scree_recorder *r = from.allocate(from.context, sizeof *r);
    if (!r)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a recording");
    *r = (scree_recorder){.memory = from,
                          .interval = plan->interval,
                          .signal_count = plan->signal_count,
                          .chunk = {.memory = from},
                          .last = {.memory = from, .columns = SCREE_TRACK_CHANNEL + SCREE_CHANNEL_COUNT},
                          .next = {.memory = from, .columns = SCREE_TRACK_CHANNEL + SCREE_CHANNEL_COUNT}};
    scree_status status = begin(r, plan, world, error);
    if (status == SCREE_OK)
        *recorder = r;
    else
        scree_recorder_close(r, false, NULL);
    return status;
}

static void release(scree_recorder *r, void *block)
{
    if (block)
        r->memory.release(r->memory.context, block);
}

scree_status scree_recorder_close(scree_recorder *r, bool done, scree_error *error)
{
    if (!r)
        return SCREE_OK;
    scree_status status = scree_recorder_commit(r, error);
    if (status == SCREE_OK && done && !r->broken) {
        scree_pack_begin_chunk(&r->chunk, "DONE");
        scree_pack_end_chunk(&r->chunk);
        status = r->chunk.failed ? SCREE_MEMORY : write_chunk(r, &r->chunk, error);
    }
    if (r->file && fclose(r->file) != 0 && status == SCREE_OK)
        status = scree_fail(error, SCREE_IO, "%s: cannot be written: %s", r->path, strerror(errno));
    scree_track_release(&r->last);
    scree_track_release(&r->next);
    scree_pack_release(&r->chunk);
    void *blocks[] = {r->path, r->scratch, r->gone, r->ids, r->order, r->place, r->forces, r->table};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        release(r, blocks[i]);
    release(r, r);
    return status;
}
