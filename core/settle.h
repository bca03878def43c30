/*
 * A bed at rest to start from: made by running a world until nothing moves, kept as a snapshot, and taken over by
 * worlds of the same scene when they start.
 */
#ifndef SCREE_SETTLE_H
#define SCREE_SETTLE_H

#include "world.h"

/*
 * Starts from world->settled, when it fits the settings and the bodies as they are placed; *taken says whether. A state
 * that does not fit is no failure: the log says why, and the grains start where the fills put them.
 */
scree_status scree_settled_take(scree_world *world, bool *taken, scree_error *error);

#endif
