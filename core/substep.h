/*
 * The substeps of a frame, and how many of them the next frame gets.
 */
#ifndef SCREE_SUBSTEP_H
#define SCREE_SUBSTEP_H

#include "world.h"

/* Ranges that loops over particles have here. */
uint32_t scree_substep_ranges(uint32_t particles);

/* A substep in which all sleeps (rest.h): forces go on as they were. */
void scree_substep_pass(scree_world *world, double frame, double share);

/* One of world->substeps equal parts of a frame (s); share: of the step when it ends; last: of its frame. False: no
 * memory. */
bool scree_substep_run(scree_world *world, const scree_system *system, double frame, double share, bool last);

/* Sets the number of substeps of the next frame from the residual of the last one, if the solver has a tolerance.
   Whether the last one met it. */
bool scree_substep_adapt(scree_world *world, double frame);

#endif
