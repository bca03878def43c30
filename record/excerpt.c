/*
 * Part of a recording as a recording. A frame that follows the one before it in the original goes over as it is; any
 * other is packed anew, as the difference to the frame that goes before it now. Nothing is rounded again.
 */
#include "reader.h"

#include <string.h>

enum { KEY_EVERY = 64 }; /* frames */

typedef struct excerpt {
    scree_recording *recording;
    scree_memory memory;
    scree_put_chunk *put;
    void *context;
    scree_track last; /* the frame that was put last, when it is needed to pack the next */
    scree_pack chunk;
    int32_t *gone, *scratch; /* [grains] */
    size_t gone_room, scratch_room;
    uint32_t since_key;
    double time; /* s, of the frame that was put last */
} excerpt;

static uint32_t first_frame(const scree_recording *recording, double from)
{
    uint32_t frame = 0, count = scree_recording_frames(recording);
    while (frame < count && scree_recording_time(recording, frame) < from)
        frame++;
    return frame;
}

uint32_t scree_recording_count(const scree_recording *recording, const scree_excerpt *part)
{
    uint32_t begin = first_frame(recording, part->from), end = begin, every = part->every ? part->every : 1;
    while (end < scree_recording_frames(recording) && scree_recording_time(recording, end) <= part->to)
        end++;
    return (end - begin + every - 1) / every;
}

static scree_status out_of_memory(scree_error *error)
{
    return scree_fail(error, SCREE_MEMORY, "out of memory for part of a recording");
}

static scree_status put_chunk(const excerpt *e, scree_error *error)
{
    return e->chunk.failed ? out_of_memory(error) : e->put(e->context, e->chunk.bytes, e->chunk.size, error);
}

/* Those of the last frame that stay keep their order, and what has come stands behind them: one walk finds all. */
static void compare(excerpt *e, const scree_track *next, scree_frame_head *head)
{
    const int32_t *before = e->last.count ? scree_track_column(&e->last, SCREE_TRACK_ID) : NULL;
    const int32_t *now = next->count ? scree_track_column(next, SCREE_TRACK_ID) : NULL;
    size_t kept = 0;
    for (size_t i = 0; i < e->last.count; i++) {
        if (kept < next->count && now[kept] == before[i])
            kept++;
        else
            e->gone[head->gone++] = (int32_t)i;
    }
    head->come = (uint32_t)(next->count - kept);
}

static bool remember(excerpt *e, const scree_track *track)
{
    if (!scree_track_reserve(&e->last, track->count))
        return false;
    for (uint32_t k = 0; k < track->columns && track->count; k++)
        memcpy(scree_track_column(&e->last, k), scree_track_column(track, k), track->count * sizeof *track->cells);
    e->last.count = track->count;
    return true;
}

static scree_status put_packed(excerpt *e, uint32_t frame, scree_error *error)
{
    const scree_track *track;
    const double *values;
    scree_frame_head head;
    scree_status status = scree_recording_grains(e->recording, frame, &head, &track, &values, error);
    if (status != SCREE_OK)
        return status;
    const scree_recorded_head *about = scree_recording_head(e->recording);
    size_t need = (track->count > e->last.count ? track->count : e->last.count) + 1;
    if (!scree_record_reserve(&e->memory, (void **)&e->gone, &e->gone_room, need, sizeof *e->gone, false) ||
        !scree_record_reserve(&e->memory, (void **)&e->scratch, &e->scratch_room, need, sizeof *e->scratch, false))
        return out_of_memory(error);
    bool key = e->since_key == 0 || e->since_key >= KEY_EVERY;
    double factor = 0.5 * (head.time - e->time) * about->speed / about->length;
    head.flags = key ? SCREE_FRAME_KEY : 0;
    head.factor = !key && factor <= SCREE_MOST_FACTOR ? factor : 0.0;
    head.gone = head.come = 0;
    if (key)
        head.come = head.grains;
    else
        compare(e, track, &head);
    scree_pack_begin_chunk(&e->chunk, "FRAM");
    scree_frame_head_pack(&e->chunk, &head);
    for (size_t i = 0; i < about->signal_count + 7 * (size_t)about->body_count; i++)
        scree_pack_f64(&e->chunk, values[i]);
    scree_track_pack(&e->chunk, &head, &e->last, track, e->gone, e->scratch);
    scree_pack_end_chunk(&e->chunk);
    e->since_key = key ? 1 : e->since_key + 1;
    return remember(e, track) ? put_chunk(e, error) : out_of_memory(error);
}

/* One of all frames from some time on: only the first can lack what it builds on. */
static scree_status put_frame(excerpt *e, uint32_t frame, bool follows, scree_error *error)
{
    if (!follows && !scree_recording_is_key(e->recording, frame))
        return put_packed(e, frame, error);
    const uint8_t *bytes;
    size_t size;
    scree_status status = scree_recording_chunk(e->recording, frame, &bytes, &size, error);
    return status == SCREE_OK ? e->put(e->context, bytes, size, error) : status;
}

static scree_status put_all(excerpt *e, const scree_excerpt *part, scree_error *error)
{
    uint32_t every = part->every ? part->every : 1, begin = first_frame(e->recording, part->from);
    uint32_t count = scree_recording_count(e->recording, part), last = begin;
    scree_pack_begin_chunk(&e->chunk, "SCRE");
    scree_pack_u32(&e->chunk, SCREE_RECORD_VERSION);
    scree_pack_u32(&e->chunk, scree_recording_head_sum(e->recording));
    scree_pack_end_chunk(&e->chunk);
    scree_status status = put_chunk(e, error);
    for (uint32_t i = 0; i < count && status == SCREE_OK; i++) {
        last = begin + i * every;
        status = every == 1 ? put_frame(e, last, i > 0, error) : put_packed(e, last, error);
        e->time = scree_recording_time(e->recording, last);
    }
    bool whole = count > 0 && last + every >= scree_recording_frames(e->recording);
    if (status != SCREE_OK || !whole || !scree_recording_done(e->recording))
        return status;
    scree_pack_begin_chunk(&e->chunk, "DONE");
    scree_pack_end_chunk(&e->chunk);
    return put_chunk(e, error);
}

scree_status scree_recording_excerpt(scree_recording *recording, const scree_excerpt *part, scree_put_chunk *put,
                                     void *context, scree_error *error)
{
    scree_memory memory = scree_record_memory(NULL);
    excerpt e = {.recording = recording, .memory = memory, .put = put, .context = context, .chunk.memory = memory};
    e.last = (scree_track){.memory = memory,
                           .columns = SCREE_TRACK_CHANNEL + scree_recording_head(recording)->channel_count};
    scree_status status = put_all(&e, part, error);
    scree_track_release(&e.last);
    scree_pack_release(&e.chunk);
    if (e.gone)
        memory.release(memory.context, e.gone);
    if (e.scratch)
        memory.release(memory.context, e.scratch);
    return status;
}
