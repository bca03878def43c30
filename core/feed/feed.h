/*
 * Grains that come and go while a world runs.
 *
 * An emitter owes what its rate asks for, frame by frame, and places grains at random in its region, clear of grains
 * and shapes, while it owes at least the next one. What finds no place stays owed, so that the mean rate is exact as
 * long as there is room in the end. A sink takes the grains out whose centres are in its region. Both act between
 * frames.
 *
 * Mass is counted grain by grain in sums that lose nothing: what was there at the start and has been emitted is what
 * has been removed and is there, to the rounding of the outputs.
 */
#ifndef SCREE_FEED_FEED_H
#define SCREE_FEED_FEED_H

#include "world.h"

/* For a world whose settings are there. False: no memory; scree_feeding_free releases what was got. */
bool scree_feeding_create(scree_feeding *feeding, const scree_scene *settings, const scree_memory *memory);
void scree_feeding_free(scree_feeding *feeding, const scree_scene *settings, const scree_memory *memory);

/* A new run: nothing emitted, nothing removed; rates that are no inputs are those of the settings. */
void scree_feed_start(scree_world *world);

/* A new step. */
void scree_feed_begin(scree_world *world);

/* Before a frame that goes from time to time + frame. Takes scratch from the arena, which is reset. False: no memory.
 */
bool scree_feed_run(scree_world *world, double time, double frame);

/* m, mean diameter of the emitters' grains; 0: there are none. */
double scree_feed_diameter(const scree_world *world);

#endif
