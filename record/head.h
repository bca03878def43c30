/*
 * head.json of a recording.
 */
#ifndef SCREE_RECORD_HEAD_H
#define SCREE_RECORD_HEAD_H

#include "bits.h"
#include "recording.h"

#define SCREE_RECORD_FORMAT    "scree-record"
#define SCREE_RECORD_BEGIN     "{\"format\": \"" SCREE_RECORD_FORMAT "\"" /* how every head.json begins */
#define SCREE_FORCE_PER_OCTAVE 16.0
#define SCREE_CHANNEL_COUNT    1

/* What the integers of a frame stand for. */
typedef struct scree_scales {
    double length; /* m */
    double speed;  /* m/s */
    double force;  /* N, the smallest force that is not 0 */
} scree_scales;

scree_scales scree_record_scales(const scree_world *world, double interval);

/* Writes the whole of head.json. */
void scree_record_head(scree_pack *text, const scree_record_plan *plan, const scree_scene *scene,
                       const scree_scales *scales);

#endif
