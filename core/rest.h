/*
 * Regions at rest. A tile of grains (collide/pairs.h) sleeps when it and all tiles that it may touch have been calm for
 * some frames and nothing that moves is near: its grains then stand still, nothing within it is solved, and its
 * contacts keep their impulses. To grains that are awake it is as fixed as a wall. So between a sleeping tile and what
 * moves there is always a tile that is awake and calm.
 *
 * Calm are grains that are slow and whose impulses balance their weight. The balance is looked at in every frame,
 * asleep or not: a load that changes somewhere wakes what bears it, tile by tile.
 *
 * The number of frames that each grain has been in calm is part of the state; who sleeps follows from it and the
 * contacts.
 */
#ifndef SCREE_REST_H
#define SCREE_REST_H

#include "world.h"

/* Decides who sleeps from now on, for what is left of a frame, in substeps of h. Called when contacts have been found.
 * False: no memory. */
bool scree_rest_begin(scree_world *world, double frame, double h);

/* Whether all sleeps, as it did in the last frame, and nothing can wake it in this one: its substeps would change
 * nothing but time. */
bool scree_rest_is_all(const scree_world *world, double h);

/* Counts the calm frames; to be called after the last substep of a frame. */
void scree_rest_end(scree_world *world, double h);

static inline bool scree_rest_has(const uint8_t *asleep, uint32_t particle)
{
    return asleep && asleep[particle / SCREE_TILE];
}

#endif
