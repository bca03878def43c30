/*
 * Shapes of bodies, placed in the world, and where a particle touches them.
 *
 * Solid shapes push a particle out of their inside; shells (disc, tube with ends, open cone) have two sides and no
 * thickness. A particle whose centre has gone through a surface must be pushed back to where it came from. Two things
 * say where that was: the normal that the contact had in the last substep, and, for a particle that is so fast that it
 * had none, the way that it came.
 */
#ifndef SCREE_COLLIDE_SHAPES_H
#define SCREE_COLLIDE_SHAPES_H

#include "body/bodies.h"
#include "collide/mesh.h"

typedef struct scree_placed {
    uint32_t kind; /* scree_shape_kind */
    uint32_t body;
    bool solid;             /* cone: a solid, not a shell */
    vec3 x;                 /* m, point of the plane, centre of the others */
    quat q;                 /* axes; not of planes */
    vec3 n;                 /* outward normal of the plane */
    vec3 middle;            /* m, of the extents, in the shape's frame: not zero for meshes only */
    vec3 half;              /* m, half extents along the axes; infinite where the shape has no end */
    const scree_mesh *mesh; /* NULL: none; x and q are then those of the body */
    /* shapes of revolution: what turns about the z axis, from end 0 to end 1 */
    double rho[2], z[2]; /* m */
} scree_placed;

/* A particle as a shape sees it, in the world frame. */
typedef struct scree_probe {
    vec3 x;       /* m, centre */
    double r;     /* m */
    vec3 way;     /* m, how it has moved relative to the shape in the last substep; zero: slowly, or not known */
    double depth; /* m, how deep in a solid mesh its centre may be, if that is more than r */
} scree_probe;

/* Where a sphere and a shape meet. */
typedef struct scree_touch {
    double overlap; /* m, > 0 when they touch */
    vec3 n;         /* from the sphere into the shape, METHOD 1 */
} scree_touch;

/* mesh: of a shape that has one, else NULL. */
scree_placed scree_shape_place(const scree_shape *shape, const scree_mesh *mesh, scree_pose pose);

/* Of a mesh the nearest point alone, and without memory: narrow.h has the others. last: the contact's normal in the
 * last substep; zero: it was open. */
scree_touch scree_shape_touch(const scree_placed *shape, const scree_probe *probe, vec3 last);

/* Distance of a point to the shape's surface; at most zero inside a solid. */
double scree_shape_distance(const scree_placed *shape, vec3 x);

/* Whether the surface is nearer to x than `reach`; true in a solid that is no mesh. */
bool scree_shape_within(const scree_placed *shape, vec3 x, double reach);

/* A box in the world around the shape; infinite where the shape is. */
typedef struct scree_bounds {
    vec3 low, high; /* m */
} scree_bounds;

scree_bounds scree_shape_bounds(const scree_placed *shape);

/* Upper bound of the speed of the shape's surface near x. */
double scree_shape_speed(const scree_placed *shape, const scree_rigid *rigid, vec3 x);

/* The inside of scree_shape_touch, in the shape's own frame (touch.c). */
typedef struct scree_local {
    vec3 p;    /* m, centre of the sphere */
    double r;  /* m */
    vec3 way;  /* m, as in scree_probe */
    vec3 last; /* as in scree_shape_touch */
} scree_local;

scree_touch scree_touch_box(const scree_placed *shape, const scree_local *at);
scree_touch scree_touch_bore(const scree_placed *shape, const scree_local *at);
scree_touch scree_touch_shell(const scree_placed *shape, const scree_local *at);
scree_touch scree_touch_solid(const scree_placed *shape, const scree_local *at);
scree_touch scree_touch_capsule(const scree_placed *shape, const scree_local *at);

#endif
