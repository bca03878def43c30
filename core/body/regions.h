/*
 * Regions: parts of space that a scene names, placed in the world.
 *
 * A heap is a cone that stands on x, half = (radius, radius, height). A trench stands on x, the middle of its bottom,
 * with half = (half width of the bottom, half length, depth) and sides that lean outward.
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
    vec3 half;      /* m, half edges; cylinder: radius, radius, half length; heap and trench: see below */
    double slope;   /* 1, heap: tangent of its angle; trench: cotangent, how much wider it gets by height */
    vec3 n;         /* out of the half-space */
} scree_placed_region;

/* bodies: [body_count] of the scene, where they are now. */
scree_placed_region scree_region_place(const scree_region *region, const scree_rigid *bodies);

/* A box in the world around the region; infinite where the region is. */
void scree_region_bounds(const scree_placed_region *region, vec3 *low, vec3 *high);

/* The point, or one near it in the region. */
vec3 scree_region_pull(const scree_placed_region *region, vec3 point);

/* m, how high a heap of the region's angle must be to hold the point; in other regions its height in the world. What
 * is put into a region from the bottom up is put in the order of this. */
double scree_region_level(const scree_placed_region *region, vec3 point);

static inline bool scree_region_contains(const scree_placed_region *region, vec3 point)
{
    vec3 d = sub(point, region->x);
    if (region->shape == SCREE_REGION_HALFSPACE)
        return dot(region->n, d) < 0.0;
    vec3 p = quat_rotate(region->q, d);
    if (region->shape == SCREE_REGION_HEAP)
        return p.z >= 0.0 && p.z < region->half.z - region->slope * sqrt(p.x * p.x + p.y * p.y);
    if (region->shape == SCREE_REGION_TRENCH)
        return p.z >= 0.0 && p.z < region->half.z && p.y >= -region->half.y && p.y < region->half.y &&
               fabs(p.x) < region->half.x + region->slope * p.z;
    if (!(p.z >= -region->half.z && p.z < region->half.z))
        return false;
    if (region->shape == SCREE_REGION_CYLINDER)
        return p.x * p.x + p.y * p.y < region->half.x * region->half.x;
    return p.x >= -region->half.x && p.x < region->half.x && p.y >= -region->half.y && p.y < region->half.y;
}

#endif
