/*
 * The grains that a scene starts with.
 */
#ifndef SCREE_BODY_FILL_H
#define SCREE_BODY_FILL_H

#include "body/particles.h"

/* Makes the particles: those placed by hand, then those of the fills, in the order of `settings`. On failure *particles
 * is empty. */
scree_status scree_particles_fill(scree_particles *particles, const scree_scene *settings, const scree_memory *memory,
                                  scree_error *error);

#endif
