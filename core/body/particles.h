/*
 * Particles: spheres. Hot state in two arrays that the sweep and the contact search read whole cache lines of; what is
 * rarely needed apart from them.
 */
#ifndef SCREE_BODY_PARTICLES_H
#define SCREE_BODY_PARTICLES_H

#include "base/math.h"
#include "scene/scene.h"

typedef struct scree_place {
    vec3 x;   /* m, centre; set by fill, integrate */
    double r; /* m, radius; set by fill */
} scree_place;

/* One cache line. Also stands for the velocity of a body at a contact point, with zero inverse mass and inertia. */
typedef struct scree_twist {
    vec3 v;             /* m/s; set by fill, gravity, sweep */
    double inv_mass;    /* 1/kg; set by fill */
    vec3 w;             /* rad/s; set by fill, sweep */
    double inv_inertia; /* 1/(kg m2); set by fill */
} scree_twist;

/* The one list of persistent particle arrays: it drives allocation, release and hash. Shape of each: [count]. */
#define SCREE_PARTICLE_ARRAYS(X)                                                                                       \
    X(scree_place, place)                                                                                              \
    X(scree_twist, twist)                                                                                              \
    X(uint32_t, fill)                                                                                                  \
    X(uint32_t, material)

typedef struct scree_particles {
    uint32_t count;
#define X(type, name) type *name;
    SCREE_PARTICLE_ARRAYS(X)
#undef X
} scree_particles;

/* Makes the particles: those placed by hand, then those of the fills, in the order of `settings`. On failure *particles
 * is empty. */
scree_status scree_particles_fill(scree_particles *particles, const scree_scene *settings, const scree_memory *memory,
                                  scree_error *error);
void scree_particles_free(scree_particles *particles, const scree_memory *memory);

#endif
