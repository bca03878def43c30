/*
 * The grains of a frame as integers, in the order in which the recording has them, and how one frame follows from the
 * one before.
 */
#ifndef SCREE_RECORD_TRACK_H
#define SCREE_RECORD_TRACK_H

#include "bits.h"

/* Columns of a track. The channels follow the position. */
enum { SCREE_TRACK_ID, SCREE_TRACK_RADIUS, SCREE_TRACK_MATERIAL, SCREE_TRACK_VELOCITY, SCREE_TRACK_POSITION = 6 };
enum { SCREE_TRACK_CHANNEL = 9, SCREE_TRACK_MOST_CHANNELS = 8 };

typedef struct scree_track {
    scree_memory memory;
    uint32_t columns;       /* SCREE_TRACK_CHANNEL + channels; set before use */
    int32_t *cells;         /* [columns][capacity] */
    size_t capacity, count; /* grains */
} scree_track;

int32_t *scree_track_column(const scree_track *track, uint32_t column);
bool scree_track_reserve(scree_track *track, size_t count); /* keeps what is there */
void scree_track_release(scree_track *track);

enum { SCREE_FRAME_KEY = 1, SCREE_FRAME_HEAD = 48 /* bytes of a frame before its signals */ };

/* The head of a frame, in the order of its payload. */
typedef struct scree_frame_head {
    double time, wall; /* s */
    double factor;     /* 1, k: mean velocity, times two, to displacement, in their integers */
    uint32_t flags, grains, gone, come, words;
} scree_frame_head;

/* The displacement that two velocities let expect. |factor| <= SCREE_MOST_FACTOR, so that a double holds it. */
#define SCREE_MOST_FACTOR 1e6
int32_t scree_track_expect(int32_t u, int32_t v, double factor);

/* A frame's chunk: head, then signals and poses as doubles, then the grains. words is filled in with the grains. */
void scree_frame_head_pack(scree_pack *pack, const scree_frame_head *head);

/*
 * Packs the grains of `next`, given `last`: gone: [head.gone] places in last, rising. The last head.come grains of next
 * are new. In a key frame last is not looked at. scratch: [next.count].
 */
void scree_track_pack(scree_pack *pack, const scree_frame_head *head, const scree_track *last, const scree_track *next,
                      const int32_t *gone, int32_t *scratch);

scree_frame_head scree_frame_head_unpack(scree_unpack *from);

/* Brings a track from one frame to the next. FORMAT: the bits are not those of a frame; the track is then void. */
scree_status scree_track_unpack(scree_track *track, const scree_frame_head *head, scree_unpack *from,
                                scree_error *error);

#endif
