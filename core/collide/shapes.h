/*
 * Shapes of bodies, placed in the world, and the nearest point of their surface to a particle.
 */
#ifndef SCREE_COLLIDE_SHAPES_H
#define SCREE_COLLIDE_SHAPES_H

#include "body/bodies.h"

typedef struct scree_placed {
    uint32_t kind; /* scree_shape_kind */
    uint32_t body;
    vec3 x;    /* m, point of the plane, centre of the box or tube */
    quat q;    /* box, tube axes */
    vec3 n;    /* outward normal of the plane */
    vec3 half; /* m, half edges of the box; tube: radius, radius, half length */
} scree_placed;

/* Where a sphere and a shape meet. */
typedef struct scree_touch {
    double overlap; /* m, > 0 when they touch */
    vec3 n;         /* from the sphere into the shape, METHOD 1 */
} scree_touch;

scree_placed scree_shape_place(const scree_shape *shape, scree_pose pose);
scree_touch scree_shape_touch(const scree_placed *shape, vec3 x, double r);

/* Upper bound of the speed of the shape's surface within `reach` of x, for a body at `origin` with this twist. */
double scree_shape_speed(const scree_placed *shape, const scree_rigid *rigid, vec3 x);

#endif
