/*
 * What comes out: wrenches on bodies, and figures about the whole.
 */
#ifndef SCREE_MEASURE_MEASURE_H
#define SCREE_MEASURE_MEASURE_H

#include "world.h"

/* After a substep: adds the impulses of the wall contacts to their bodies. */
void scree_measure_walls(scree_world *world, const scree_rows *rows);

/* After a frame's last substep: number of closed contacts and their overlaps. */
void scree_measure_overlap(scree_world *world, const scree_rows *rows);

#endif
