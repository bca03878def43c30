/*
 * The contacts of a frame: search, and what they take over from those of the frame before.
 */
#ifndef SCREE_FIND_H
#define SCREE_FIND_H

#include "world.h"

/* Finds the contacts of a frame, or of what is left of it, and carries their impulses over. False: no memory. */
bool scree_find_contacts(scree_world *world, double frame);

/* After a substep: whether those of the last search are still all that may touch. */
bool scree_find_holds(const scree_world *world);

#endif
