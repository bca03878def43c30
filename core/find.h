/*
 * The contacts of a frame: search, and what they take over from those of the frame before.
 */
#ifndef SCREE_FIND_H
#define SCREE_FIND_H

#include "world.h"

/* Finds the contacts of a frame, or of what is left of it, with substeps of h, and carries their impulses over. False:
 * no memory. */
bool scree_find_contacts(scree_world *world, double frame, double h);

/* Those with shapes alone, when the others still hold. Nothing but the lists changes. False: no memory. */
bool scree_find_walls(scree_world *world, double frame, double h);

/* The pairs alone; the rest goes on as it is. *anew: they were chosen anew, and not just mended. False: no memory. */
bool scree_find_pairs(scree_world *world, double frame, double h, bool *anew);

/* After a substep, but for contacts with shapes (reaches in world.h): whether those of the last search are still all
 * that may touch. */
bool scree_find_holds(const scree_world *world);

/* Likewise as far as dynamic bodies may have gone too far. */
bool scree_find_bodies_hold(const scree_world *world);

#endif
