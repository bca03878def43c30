/*
 * One emitter in one frame.
 */
#ifndef SCREE_FEED_EMIT_H
#define SCREE_FEED_EMIT_H

#include "world.h"

/* Whether its rate is one of mass, or of grains. */
bool scree_emits_mass(const scree_world *world, uint32_t emitter);

/* Adds grains behind the others. False: no memory. */
bool scree_emit(scree_world *world, uint32_t emitter, double time, double frame);

#endif
