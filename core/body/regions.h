/*
 * Regions: parts of space that a scene names, placed in the world.
 *
 * Boxes and cylinders are half open, so that a point on the common face of two neighbours is in one of them only.
 */
#ifndef SCREE_BODY_REGIONS_H
#define SCREE_BODY_REGIONS_H

#include "body/bodies.h"

typedef struct scree_placed_region {
    uint32_t shape; /* scree_region_shape */
    vec3 x;         /* m, centre, or a point of the plane */
    quat q;         /* world to region; box, cylinder */
    vec3 half;      /* m, half edges; cylinder: radius, radius, half length */
    vec3 n;         /* out of the half-space */
} scree_placed_region;

/* bodies: [body_count] of the scene, where they are now. */
scree_placed_region scree_region_place(const scree_region *region, const scree_rigid *bodies);

static inline bool scree_region_contains(const scree_placed_region *region, vec3 point)
{
    vec3 d = sub(point, region->x);
    if (region->shape == SCREE_REGION_HALFSPACE)
        return dot(region->n, d) < 0.0;
    vec3 p = quat_rotate(region->q, d);
    if (!(p.z >= -region->half.z && p.z < region->half.z))
        return false;
    if (region->shape == SCREE_REGION_CYLINDER)
        return p.x * p.x + p.y * p.y < region->half.x * region->half.x;
    return p.x >= -region->half.x && p.x < region->half.x && p.y >= -region->half.y && p.y < region->half.y;
}

#endif
