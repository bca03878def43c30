/*
 * Triangle meshes as grains meet them: triangles in a tree of boxes, and who is whose neighbour. Made once, in the
 * frame of the body; a grain is looked at in that frame.
 *
 * A grain touches a mesh where the distance from its centre to the surface has a local minimum: once on a plane however
 * it is cut into triangles, once on an edge that stands out, twice in a corner. So neither edges nor vertices within a
 * face give a push of their own.
 */
#ifndef SCREE_COLLIDE_MESH_H
#define SCREE_COLLIDE_MESH_H

#include "base/math.h"
#include "scene/scene.h"

/* A box of the tree; bounds are rounded outwards. */
typedef struct scree_mesh_node {
    float low[3], high[3]; /* m */
    uint32_t first;        /* its first triangle, or the first of its two children */
    uint32_t count;        /* triangles; 0: it has children */
} scree_mesh_node;

/* What distances need lies together: that is what a query waits for. */
typedef struct scree_mesh_face {
    vec3 n;    /* unit normal; out of a solid */
    vec3 x[3]; /* m, corners */
} scree_mesh_face;

typedef struct scree_mesh_triangle {
    uint32_t v[3];
    uint32_t across[3]; /* for each edge, as scree_mesh_pair_edges says */
} scree_mesh_triangle;

typedef struct scree_mesh {
    bool solid;
    vec3 low, high; /* m, of all vertices */
    uint32_t vertex_count, triangle_count, node_count;
    vec3 *vertices;                 /* [vertex_count], m */
    scree_mesh_face *faces;         /* [triangle_count], in the order of the tree */
    scree_mesh_triangle *triangles; /* [triangle_count], likewise */
    scree_mesh_node *nodes;         /* [node_count], the root first, number 1 left out: siblings share a cache line */
    uint32_t *ring_starts;          /* [vertex_count + 1]: neighbours of vertex v are ring[ring_starts[v]] … */
    uint32_t *ring;                 /* vertices, each neighbour at least once */
    bool *is_rim;                   /* [vertex_count], the vertex lies on an open edge */
    scree_memory memory;
} scree_mesh;

/* From a surface in the body frame, as scree_mesh_clean leaves them. NULL: no memory. */
scree_mesh *scree_mesh_create(const scree_surface *surface, bool solid, const scree_memory *memory);
void scree_mesh_destroy(scree_mesh *mesh);

/* m, from x to the surface; below zero inside a solid. */
double scree_mesh_distance(const scree_mesh *mesh, vec3 x);

/* Whether some triangle is nearer to x than `reach`. */
bool scree_mesh_within(const scree_mesh *mesh, vec3 x, double reach);

/* A local minimum of the distance from a point to the surface. */
typedef struct scree_mesh_point {
    double distance; /* m */
    vec3 n;          /* from the point to the surface */
    bool behind;     /* the point lies on the inner side of the face there */
    bool rim;        /* on an open edge */
} scree_mesh_point;

/*
 * What is near a particle, kept while it moves little: all triangles that come nearer than r before its centre has gone
 * farther than `margin` from x. It saves the way through the tree and changes no result. Starts as all zero.
 */
typedef struct scree_mesh_near {
    vec3 x;        /* m */
    double margin; /* m; 0: nothing is known */
    uint32_t count;
    uint32_t items[23]; /* triangles, in the order of the tree */
} scree_mesh_near;

/* Those nearer than r, the nearest first, without those that point in nearly the direction of a nearer one: the nearest
 * `room` of them. Returns their number. near: of this particle, with this r always; NULL: none. */
uint32_t scree_mesh_minima(const scree_mesh *mesh, vec3 x, double r, scree_mesh_near *near, uint32_t room,
                           scree_mesh_point *points);

/* The first triangle that the way from `from` to x meets; UINT32_MAX: none. */
uint32_t scree_mesh_crossing(const scree_mesh *mesh, vec3 from, vec3 x);

#endif
