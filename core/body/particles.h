/*
 * Particles: spheres. Hot state in two arrays that the sweep and the contact search read whole cache lines of; what is
 * rarely needed apart from them.
 *
 * An index is a place in the arrays: it changes when grains leave or are sorted. An id is a grain's own for the whole
 * run.
 */
#ifndef SCREE_BODY_PARTICLES_H
#define SCREE_BODY_PARTICLES_H

#include "base/math.h"
#include "scene/scene.h"

enum { SCREE_TILE = 1024 }; /* grains with consecutive indices that are near each other; collide/pairs.h, rest.h */

typedef struct scree_place {
    vec3 x;   /* m, centre; set by scree_particles_add, integrate */
    double r; /* m, radius; set by scree_particles_add */
} scree_place;

/* One cache line. Also stands for the velocity of a body at a contact point, with zero inverse mass and inertia. */
typedef struct scree_twist {
    vec3 v;             /* m/s; set by scree_particles_add, gravity, sweep */
    double inv_mass;    /* 1/kg; set by scree_particles_add */
    vec3 w;             /* rad/s; set by scree_particles_add, sweep */
    double inv_inertia; /* 1/(kg m2); set by scree_particles_add */
} scree_twist;

/* A grain as a substep begins with it, before gravity. One cache line: all that the kernels read of a grain beside its
 * twist. */
typedef struct scree_stand {
    vec3 x;          /* m */
    double r;        /* m */
    vec3 v;          /* m/s */
    double inv_mass; /* 1/kg */
} scree_stand;

/* The one list of persistent particle arrays: it drives growth, order, release, snapshot and hash. Shape of each:
 * [count]. */
#define SCREE_PARTICLE_ARRAYS(X)                                                                                       \
    X(scree_place, place)                                                                                              \
    X(scree_twist, twist)                                                                                              \
    X(uint32_t, fill)                                                                                                  \
    X(uint32_t, material)                                                                                              \
    X(uint32_t, id)                                                                                                    \
    X(uint32_t, calm)

typedef struct scree_particles {
    uint32_t count, capacity; /* grains, and room for them in every array */
    uint32_t next_id;         /* of the next grain; no id is given twice in a run */
#define X(type, name) type *name;
    SCREE_PARTICLE_ARRAYS(X)
#undef X
} scree_particles;

/* Room for `capacity` grains in all; it doubles when it grows. False, with nothing changed, when there is no memory. */
bool scree_particles_reserve(scree_particles *particles, const scree_memory *memory, uint32_t capacity);

/* One grain more, at rest: m = ρ 4/3 π r³, I = 2/5 m r². There must be room. Returns its index. */
uint32_t scree_particles_add(scree_particles *particles, vec3 x, double r, double density, uint32_t material,
                             uint32_t fill);

/*
 * The grain at order[k] goes to k < count; those that are not in the order are gone. No index stands in it twice.
 * scratch: count times sizeof(scree_twist), the widest of the arrays.
 */
void scree_particles_reorder(scree_particles *particles, const uint32_t *order, uint32_t count, void *scratch);

void scree_particles_free(scree_particles *particles, const scree_memory *memory);

#endif
