/*
 * What the reader gives to other files of record/ only: frames as they lie in the file, and grains as integers.
 */
#ifndef SCREE_RECORD_READER_H
#define SCREE_RECORD_READER_H

#include "recording.h"
#include "track.h"

uint32_t scree_recording_head_sum(const scree_recording *recording); /* CRC-32 of head.json */

/* frame is one that there is. What is given is valid until the next one is read. */

bool scree_recording_is_key(const scree_recording *recording, uint32_t frame);

/* The whole chunk, from its tag to its sum, which is right. */
scree_status scree_recording_chunk(scree_recording *recording, uint32_t frame, const uint8_t **bytes, size_t *size,
                                   scree_error *error);

/* values: the signals, then the poses. */
scree_status scree_recording_grains(scree_recording *recording, uint32_t frame, scree_frame_head *head,
                                    const scree_track **track, const double **values, scree_error *error);

#endif
