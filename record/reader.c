/*
 * Reads recordings: an index of the frames first, then frames one after the other or from the key frame before.
 */
#include "directory.h"
#include "head.h"
#include "read_head.h"
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { CHUNK_HEAD = 8, MOST_HEAD = 512 * 1024 * 1024 };

typedef struct entry {
    uint64_t offset; /* of the payload */
    uint32_t length; /* of the payload */
    uint32_t flags;
    double time; /* s */
} entry;

struct scree_recording {
    scree_memory memory;
    char *directory;
    scree_read_head head;
    FILE *file;
    uint64_t size;     /* bytes */
    uint32_t head_sum; /* CRC-32 of head.json */
    bool done;
    entry *index; /* [count], frames */
    size_t count, index_room;

    scree_track track; /* of frame `at`, when is_valid */
    uint32_t at;
    bool is_valid;
    uint8_t *payload; /* of the chunk that was read last */
    size_t payload_room;
    double *values; /* [signals + 7 bodies] */
    double *reals;  /* of the grains: positions, velocities, channels */
    float *radii;   /* m, of the grains */
    size_t real_room, radius_room;
};

static scree_status out_of_memory(const scree_recording *r, scree_error *error)
{
    return scree_fail(error, SCREE_MEMORY, "%s: out of memory", r->directory);
}

/* ---------------------------------------------------------------- opening */

static scree_status read_whole(scree_recording *r, const char *name, uint8_t **bytes, size_t *size, scree_error *error)
{
    char *path = scree_record_path(&r->memory, r->directory, name);
    if (!path)
        return out_of_memory(r, error);
    FILE *file = fopen(path, "rb");
    r->memory.release(r->memory.context, path);
    if (!file)
        return scree_fail(error, SCREE_INVALID, "%s: no recording there: %s cannot be read: %s", r->directory, name,
                          strerror(errno));
    size_t room = 0;
    void *block = NULL;
    bool has_room = true;
    *size = 0;
    for (size_t got = 1; has_room && got > 0 && *size < MOST_HEAD; *size += got) {
        has_room = scree_record_reserve(&r->memory, &block, &room, *size + 65536, 1, true);
        got = has_room ? fread((uint8_t *)block + *size, 1, room - *size, file) : 0;
    }
    bool good = !ferror(file) && *size < MOST_HEAD;
    fclose(file);
    *bytes = block;
    if (!has_room)
        return out_of_memory(r, error);
    return good ? SCREE_OK
                : scree_fail(error, SCREE_INVALID, "%s: no recording there: %s cannot be read or is too large",
                             r->directory, name);
}

static scree_status read_head(scree_recording *r, uint32_t *sum, scree_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    scree_error inner;
    scree_status status = read_whole(r, "head.json", &bytes, &size, error);
    if (status == SCREE_OK) {
        *sum = scree_crc32(0, bytes, size);
        status = scree_read_head_parse(&r->head, (const char *)bytes, size, &r->memory, &inner);
        if (status != SCREE_OK)
            scree_fail(error, status, "%s/head.json: %s", r->directory, inner.text);
    }
    if (bytes)
        r->memory.release(r->memory.context, bytes);
    return status;
}

/* Reads the payload of a chunk and checks its sum. */
static scree_status read_payload(scree_recording *r, uint64_t offset, uint32_t length, scree_error *error)
{
    void *block = r->payload;
    size_t whole = CHUNK_HEAD + (size_t)length + 4;
    if (!scree_record_reserve(&r->memory, &block, &r->payload_room, whole, 1, false))
        return out_of_memory(r, error);
    r->payload = block;
    if (fseeko(r->file, (off_t)(offset - CHUNK_HEAD), SEEK_SET) != 0 || fread(r->payload, 1, whole, r->file) != whole)
        return scree_fail(error, SCREE_IO, "%s/frames.bin: cannot be read: %s", r->directory, strerror(errno));
    scree_unpack sum = {.bytes = r->payload + CHUNK_HEAD + length, .size = 4};
    if (scree_unpack_u32(&sum) != scree_crc32(0, r->payload, CHUNK_HEAD + (size_t)length))
        return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: damaged at byte %llu", r->directory,
                          (unsigned long long)offset);
    return SCREE_OK;
}

static bool add_entry(scree_recording *r, entry found)
{
    void *block = r->index;
    if (r->count >= UINT32_MAX ||
        !scree_record_reserve(&r->memory, &block, &r->index_room, r->count + 1, sizeof *r->index, true))
        return false;
    r->index = block;
    r->index[r->count++] = found;
    return true;
}

/* Walks over the chunks. One that is cut off, or anything else that cannot be a chunk, ends the recording. */
static scree_status build_index(scree_recording *r, scree_error *error)
{
    uint64_t at = 0;
    while (at + CHUNK_HEAD + 4 <= r->size) {
        uint8_t head[CHUNK_HEAD + SCREE_FRAME_HEAD] = {0};
        if (fseeko(r->file, (off_t)at, SEEK_SET) != 0 || fread(head, 1, sizeof head, r->file) < CHUNK_HEAD)
            break;
        scree_unpack from = {.bytes = head, .size = sizeof head, .at = 4};
        uint32_t length = scree_unpack_u32(&from);
        if (length > r->size - at - CHUNK_HEAD - 4 || length % 4 != 0)
            break;
        r->done = memcmp(head, "DONE", 4) == 0;
        if (memcmp(head, "FRAM", 4) == 0 && length >= SCREE_FRAME_HEAD) {
            scree_frame_head frame = scree_frame_head_unpack(&from);
            entry found = {at + CHUNK_HEAD, length, frame.flags, frame.time};
            if (r->count == 0 && !(frame.flags & SCREE_FRAME_KEY))
                return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: begins without a key frame", r->directory);
            if (!add_entry(r, found))
                return out_of_memory(r, error);
        }
        at += CHUNK_HEAD + (uint64_t)length + 4;
    }
    /* What was being written when the machine went down may have its length but not its content. */
    const entry *last = r->count ? &r->index[r->count - 1] : NULL;
    scree_status status = last ? read_payload(r, last->offset, last->length, error) : SCREE_OK;
    if (status == SCREE_FORMAT)
        r->count--;
    return status == SCREE_FORMAT ? SCREE_OK : status;
}

static scree_status open_frames(scree_recording *r, scree_error *error)
{
    char *path = scree_record_path(&r->memory, r->directory, "frames.bin");
    if (!path)
        return out_of_memory(r, error);
    r->file = fopen(path, "rb");
    r->memory.release(r->memory.context, path);
    if (!r->file || fseeko(r->file, 0, SEEK_END) != 0)
        return scree_fail(error, SCREE_INVALID, "%s: no recording there: frames.bin cannot be read: %s", r->directory,
                          strerror(errno));
    r->size = (uint64_t)ftello(r->file);
    uint8_t first[CHUNK_HEAD + 8] = {0};
    rewind(r->file);
    size_t got = fread(first, 1, sizeof first, r->file);
    scree_unpack from = {.bytes = first, .size = sizeof first, .at = CHUNK_HEAD};
    uint32_t version = scree_unpack_u32(&from), sum = scree_unpack_u32(&from);
    if (got != sizeof first || memcmp(first, "SCRE", 4) != 0)
        return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: is not of a recording", r->directory);
    if (version > SCREE_RECORD_VERSION)
        return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: version %u; this program reads up to %d", r->directory,
                          (unsigned)version, SCREE_RECORD_VERSION);
    if (sum != r->head_sum)
        return scree_fail(error, SCREE_FORMAT, "%s: head.json and frames.bin are not of the same run", r->directory);
    return build_index(r, error);
}

scree_status scree_recording_open(const char *directory, const scree_memory *memory, scree_recording **recording,
                                  scree_error *error)
{
    scree_memory from = scree_record_memory(memory);
    *recording = NULL;
    scree_recording *r = from.allocate(from.context, sizeof *r);
    if (!r)
        return scree_fail(error, SCREE_MEMORY, "%s: out of memory", directory);
    r->memory = from;
    size_t size = strlen(directory) + 1;
    r->directory = from.allocate(from.context, size);
    if (!r->directory) {
        scree_recording_close(r);
        return scree_fail(error, SCREE_MEMORY, "%s: out of memory", directory);
    }
    memcpy(r->directory, directory, size);
    scree_status status = read_head(r, &r->head_sum, error);
    if (status == SCREE_OK)
        status = open_frames(r, error);
    if (status == SCREE_OK) {
        const scree_recorded_head *head = &r->head.head;
        r->track = (scree_track){.memory = from, .columns = SCREE_TRACK_CHANNEL + head->channel_count};
        r->values =
            from.allocate(from.context, (head->signal_count + 7 * (size_t)head->body_count + 1) * sizeof *r->values);
        if (!r->values)
            status = out_of_memory(r, error);
    }
    if (status == SCREE_OK)
        *recording = r;
    else
        scree_recording_close(r);
    return status;
}

void scree_recording_close(scree_recording *r)
{
    if (!r)
        return;
    scree_memory memory = r->memory;
    scree_read_head_release(&r->head, &memory);
    if (r->file)
        fclose(r->file);
    scree_track_release(&r->track);
    void *blocks[] = {r->directory, r->index, r->payload, r->values, r->reals, r->radii, r};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i])
            memory.release(memory.context, blocks[i]);
}

/* ---------------------------------------------------------------- what is known without reading on */

const scree_recorded_head *scree_recording_head(const scree_recording *r)
{
    return &r->head.head;
}

uint32_t scree_recording_frames(const scree_recording *r)
{
    return (uint32_t)r->count;
}

double scree_recording_time(const scree_recording *r, uint32_t frame)
{
    return r->index[frame].time;
}

bool scree_recording_done(const scree_recording *r)
{
    return r->done;
}

uint64_t scree_recording_size(const scree_recording *r)
{
    return r->size;
}

/* ---------------------------------------------------------------- frames */

/* The fixed part of a frame: its head, signals and poses; `from` stands at the bit stream then. */
static scree_status read_values(scree_recording *r, uint32_t frame, scree_frame_head *head, scree_unpack *from,
                                scree_error *error)
{
    const entry *at = &r->index[frame];
    scree_status status = read_payload(r, at->offset, at->length, error);
    if (status != SCREE_OK)
        return status;
    *from = (scree_unpack){.bytes = r->payload + CHUNK_HEAD, .size = at->length};
    *head = scree_frame_head_unpack(from);
    const scree_recorded_head *about = &r->head.head;
    for (size_t i = 0; i < about->signal_count + 7 * (size_t)about->body_count; i++)
        r->values[i] = scree_unpack_f64(from);
    if (from->failed || (from->size - from->at) / 4 < head->words)
        return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: frame %u is too short", r->directory, (unsigned)frame);
    from->size = from->at + 4 * (size_t)head->words;
    return SCREE_OK;
}

static scree_status decode(scree_recording *r, uint32_t frame, scree_frame_head *head, scree_error *error)
{
    scree_unpack from;
    scree_error inner;
    r->is_valid = false;
    scree_status status = read_values(r, frame, head, &from, error);
    if (status != SCREE_OK)
        return status;
    status = scree_track_unpack(&r->track, head, &from, &inner);
    if (status != SCREE_OK)
        return scree_fail(error, status, "%s/frames.bin: frame %u: %s", r->directory, (unsigned)frame, inner.text);
    const int32_t *materials = scree_track_column(&r->track, SCREE_TRACK_MATERIAL);
    for (size_t i = 0; i < r->track.count; i++)
        if ((uint32_t)materials[i] >= r->head.head.material_count)
            return scree_fail(error, SCREE_FORMAT, "%s/frames.bin: frame %u: a grain of a material that is not there",
                              r->directory, (unsigned)frame);
    r->is_valid = true;
    r->at = frame;
    return SCREE_OK;
}

/* Integers of the track to SI units: positions, velocities, channels one after the other in reals. */
static bool to_reals(scree_recording *r)
{
    const scree_recorded_head *head = &r->head.head;
    size_t n = r->track.count, columns = 6 + (size_t)head->channel_count;
    if (!scree_record_reserve(&r->memory, (void **)&r->reals, &r->real_room, n * columns + 1, sizeof *r->reals,
                              false) ||
        !scree_record_reserve(&r->memory, (void **)&r->radii, &r->radius_room, n + 1, sizeof *r->radii, false))
        return false;
    if (n)
        memcpy(r->radii, scree_track_column(&r->track, SCREE_TRACK_RADIUS), n * sizeof *r->radii);
    for (uint32_t k = 0; k < 3; k++) {
        const int32_t *p = scree_track_column(&r->track, SCREE_TRACK_POSITION + k);
        const int32_t *v = scree_track_column(&r->track, SCREE_TRACK_VELOCITY + k);
        for (size_t i = 0; i < n; i++) {
            r->reals[3 * i + k] = p[i] * head->length;
            r->reals[3 * n + 3 * i + k] = v[i] * head->speed;
        }
    }
    for (uint32_t k = 0; k < head->channel_count; k++) {
        const scree_recorded_channel *channel = &head->channels[k];
        const int32_t *codes = scree_track_column(&r->track, SCREE_TRACK_CHANNEL + k);
        double *to = r->reals + (6 + (size_t)k) * n;
        for (size_t i = 0; i < n; i++)
            to[i] = !channel->logarithmic ? codes[i]
                    : codes[i] == 0       ? 0.0
                                          : channel->floor * exp2((codes[i] - 1) / channel->per_octave);
    }
    return true;
}

/* Brings the track to a frame: from the one before when it is there, else from the last key frame. */
static scree_status walk_to(scree_recording *r, uint32_t frame, scree_frame_head *head, scree_error *error)
{
    if (frame >= r->count)
        return scree_fail(error, SCREE_INVALID, "%s: there is no frame %u; there are %zu", r->directory,
                          (unsigned)frame, r->count);
    uint32_t begin = frame;
    while (begin > 0 && !(r->index[begin].flags & SCREE_FRAME_KEY) && !(r->is_valid && r->at + 1 == begin))
        begin--;
    scree_status status = SCREE_OK;
    for (uint32_t i = begin; i <= frame && status == SCREE_OK; i++)
        status = decode(r, i, head, error);
    return status;
}

scree_status scree_recording_chunk(scree_recording *r, uint32_t frame, const uint8_t **bytes, size_t *size,
                                   scree_error *error)
{
    const entry *at = &r->index[frame];
    scree_status status = read_payload(r, at->offset, at->length, error);
    *bytes = r->payload;
    *size = CHUNK_HEAD + (size_t)at->length + 4;
    return status;
}

uint32_t scree_recording_head_sum(const scree_recording *r)
{
    return r->head_sum;
}

bool scree_recording_is_key(const scree_recording *r, uint32_t frame)
{
    return r->index[frame].flags & SCREE_FRAME_KEY;
}

scree_status scree_recording_grains(scree_recording *r, uint32_t frame, scree_frame_head *head,
                                    const scree_track **track, const double **values, scree_error *error)
{
    *track = &r->track;
    *values = r->values;
    return walk_to(r, frame, head, error);
}

scree_status scree_recording_read(scree_recording *r, uint32_t frame, scree_recorded_frame *out, scree_error *error)
{
    scree_frame_head head = {.time = 0.0};
    scree_status status = walk_to(r, frame, &head, error);
    if (status != SCREE_OK)
        return status;
    const scree_recorded_head *about = &r->head.head;
    size_t n = r->track.count;
    if (!to_reals(r))
        return out_of_memory(r, error);
    *out = (scree_recorded_frame){
        .time = head.time,
        .wall = head.wall,
        .signals = r->values,
        .poses = r->values + about->signal_count,
        .grain_count = (uint32_t)n,
        .radius = r->radii,
        .position = r->reals,
        .velocity = r->reals + 3 * n,
        .channels = r->reals + 6 * n,
    };
    if (r->track.cells) {
        out->id = (const uint32_t *)scree_track_column(&r->track, SCREE_TRACK_ID);
        out->material = (const uint32_t *)scree_track_column(&r->track, SCREE_TRACK_MATERIAL);
    }
    return SCREE_OK;
}

scree_status scree_recording_signals(scree_recording *r, uint32_t frame, double *wall, double *signals,
                                     scree_error *error)
{
    scree_frame_head head;
    scree_unpack from;
    if (frame >= r->count)
        return scree_fail(error, SCREE_INVALID, "%s: there is no frame %u; there are %zu", r->directory,
                          (unsigned)frame, r->count);
    scree_status status = read_values(r, frame, &head, &from, error);
    if (status != SCREE_OK)
        return status;
    *wall = head.wall;
    memcpy(signals, r->values, r->head.head.signal_count * sizeof *signals);
    return SCREE_OK;
}
