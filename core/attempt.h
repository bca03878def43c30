/*
 * Frames that can be taken back: a snapshot of the world before the frame under way, kept while the solver is strict.
 */
#ifndef SCREE_ATTEMPT_H
#define SCREE_ATTEMPT_H

#include "world.h"

/* Remembers the world as it is now. */
scree_status scree_attempt_keep(scree_world *world, scree_error *error);

/* The world as it was then. */
scree_status scree_attempt_undo(scree_world *world, scree_error *error);

#endif
