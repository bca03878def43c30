/*
 * Triangle meshes of a scene: cleaned when they are written, so that what collides and draws finds them in order.
 */
#ifndef SCREE_SCENE_MESH_H
#define SCREE_SCENE_MESH_H

#include "scene/scene.h"

/*
 * Vertices closer than 1e-6 of the mesh's extent become one, triangles without area and doubled ones go, unused
 * vertices go, and neighbours get the same winding; a closed mesh turned inside out is turned back. The result is in
 * memory of its own and says in its report what was done. Cleaning what is clean changes nothing.
 */
scree_status scree_mesh_clean(const scree_surface *from, const scree_memory *memory, scree_scene_mesh *mesh,
                              scree_error *error);

/*
 * Who is across each edge. Half-edge 3 t + k runs from corner k of triangle t to the next; across[h] is the next
 * half-edge of the same edge, in a ring: h itself at an open edge. False: no memory.
 */
bool scree_mesh_pair_edges(const uint32_t (*triangles)[3], uint32_t count, const scree_memory *memory,
                           uint32_t *across);

/* The vertex at which a half-edge begins, ends, and the corner that is not on it. */
static inline uint32_t scree_edge_from(const uint32_t (*triangles)[3], uint32_t h)
{
    return triangles[h / 3][h % 3];
}

static inline uint32_t scree_edge_to(const uint32_t (*triangles)[3], uint32_t h)
{
    return triangles[h / 3][(h % 3 + 1) % 3];
}

static inline uint32_t scree_edge_opposite(const uint32_t (*triangles)[3], uint32_t h)
{
    return triangles[h / 3][(h % 3 + 2) % 3];
}

#endif
