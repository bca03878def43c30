/*
 * How bodies meet bodies: a dynamic body feels the shapes of the others with points of its own surface.
 *
 * A feeler is a sphere fixed to a dynamic body: the ends of round shapes with their radius, the corners of others with
 * none. So a boulder lies on a floor and a container stands on it. Two edges that cross without a corner in reach pass
 * through each other; for the loads of grains, which this is about, that is enough. Bodies of one mechanism overlap at
 * their joints and do not feel each other.
 */
#ifndef SCREE_COLLIDE_FEELERS_H
#define SCREE_COLLIDE_FEELERS_H

#include "collide/contacts.h"
#include "collide/search.h"
#include "collide/shapes.h"

typedef struct scree_feeler {
    uint32_t body;
    uint32_t round; /* 0 or 1: the end of a round shape */
    vec3 local;     /* m, in the body frame */
    double r;       /* m, radius of its surface; 0: a corner */
    double r_law;   /* m, radius that its contacts' force law takes */
    vec3 x;         /* m, in the world frame; scree_feelers_place */
} scree_feeler;

typedef struct scree_feelers {
    scree_feeler *items; /* [count], by body */
    uint32_t count;
    uint32_t *machines; /* [bodies]: dynamic bodies that joints connect have the same number, and do not meet */
} scree_feelers;

/* Makes the feelers of a scene's dynamic bodies. False: no memory. */
bool scree_feelers_make(scree_feelers *feelers, const scree_scene *settings, const scree_memory *memory);
void scree_feelers_free(scree_feelers *feelers, const scree_memory *memory);

/* Puts them where their bodies are. */
void scree_feelers_place(scree_feelers *feelers, const scree_rigid *bodies);

/* Feelers (a) and shapes (b) that may touch within `frame`, in `arena`. */
bool scree_feelers_search(const scree_feelers *feelers, scree_arena *arena, const scree_scene *settings,
                          const scree_placed *shapes, const scree_rigid *bodies, double frame, scree_found *found);

/* m, from a body's centre of mass to the farthest point of its shapes. */
double scree_body_reach(const scree_scene *settings, uint32_t body);

#endif
