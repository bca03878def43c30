/*
 * Tubes with a rough inside, as triangles.
 */
#ifndef SCREE_SCENE_BUMPS_H
#define SCREE_SCENE_BUMPS_H

#include "scene/scene.h"

#define SCREE_MOST_BUMP_TRIANGLES 4e6

/* Whether a shape is a tube with bumps, and so a mesh to grains. */
bool scree_tube_is_rough(const scree_shape *shape);

/* How many triangles it takes. */
double scree_bumps_triangles(const scree_shape *tube);

/* The triangles in the body frame; the same for the same tube and seed. */
scree_status scree_bumps_surface(const scree_shape *tube, const scree_memory *memory, scree_surface *surface,
                                 scree_error *error);

#endif
