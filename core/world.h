/*
 * The state that steps. Each field says who sets it.
 */
#ifndef SCREE_WORLD_H
#define SCREE_WORLD_H

#include "base/parallel.h"
#include "base/random.h"
#include "body/bodies.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/search.h"
#include "collide/shapes.h"
#include "collide/walls.h"
#include "feed/feeding.h"
#include "measure/profile.h"
#include "measure/sensing.h"
#include "mechanism/mechanism.h"
#include "solve/heavy.h"
#include "solve/impact.h"
#include "solve/pair_solve.h"
#include "solve/residual.h"
#include "solve/rows.h"
#include "solve/sweep.h"

/* Time as a count of equal steps since the step size last changed: no sum, no drift. */
typedef struct scree_clock {
    double base;    /* s */
    double dt;      /* s, size of the counted steps */
    uint64_t count; /* steps of dt since base */
} scree_clock;

/* How a tile of grains has moved in a substep. */
typedef struct scree_journey {
    vec3 sum;       /* m/s, of their velocities */
    double fastest; /* (m/s)² */
    double spare;   /* m, how far all may go until they are asked again whether they stray; below zero: not known */
    double course;  /* m/s, most of their courses */
    bool strayed;   /* one went farther than its margin */
    double kicking, sweeping; /* s, that its stages took which run tile by tile; when times are taken only */
} scree_journey;

/* A snapshot of the world before the frame under way; attempt.h. */
typedef struct scree_backup {
    uint8_t *bytes;
    size_t room, size;
} scree_backup;

/* A snapshot to start from. */
typedef struct scree_settled {
    const uint8_t *bytes; /* NULL: none */
    size_t size;
    uint8_t *own; /* the same, when it is the world's */
} scree_settled;

struct scree_world {
    const scree_scene *scene; /* as created */
    scree_hash scene_hash;    /* of its binary form; scree_world_identify */
    scree_scene *settings;    /* own copy; scree_world_set_value */
    scree_memory memory;
    scree_log log;
    scree_pool *pool;  /* made by scree_world_start */
    scree_arena arena; /* scratch of one frame */
    scree_search search;
    scree_wall_search wall_search;

    bool started;
    bool settling;                    /* driven bodies and belts stand still, and nothing is emitted */
    bool warned;                      /* of large overlaps, since the start */
    scree_clock clock;                /* scree_world_start, scree_world_step */
    double substep;                   /* s, length of the last substep; 0: none yet */
    scree_port_state *ports;          /* [ports], inputs and filters */
    scree_rigid *bodies;              /* [bodies] */
    scree_placed *shapes;             /* [shapes], placed by each substep */
    scree_mesh **meshes;              /* [shapes], in the body frame; NULL: a shape without */
    scree_particles particles;        /* fill, substeps */
    scree_pairs pairs;                /* of grains, since they were chosen last */
    scree_contact_list walls;         /* this frame's */
    scree_contact_list last_walls;    /* the frame before, kept for their memory and impulses */
    scree_mechanism mechanism;        /* joints, actuators and locks */
    scree_drive *drives;              /* [actuators], what the inputs say; scree_world_set_drive */
    scree_feeding feeding;            /* emitters and sinks; scree_feed_run */
    scree_settled settled;            /* no part of the state; scree_world_settle, scree_world_set_settled */
    scree_heavy heavy;                /* contacts of dynamic bodies */
    const scree_kernels *kernels;     /* for the pairs; scree_world_create */
    double last_dt;                   /* s, length of the last step: what wrenches are means over */
    uint32_t contacts;                /* closed in the last substep */
    double mean_overlap, max_overlap; /* 1, likewise */
    scree_sensing sensing;            /* substeps, scree_sensors_read */
    scree_rows rows;                  /* of the last frame, in the arena */
    scree_pair_job pair_job;          /* of the last frame, with its scratch in the arena */
    scree_stand *stand;               /* [particles], scratch of one frame: as the last substep began */
    vec3 *spin;                       /* [particles], likewise: rad/s, angular velocities */
    double fastest;                   /* m/s, of the grains in the last substep; infinite before the first of a frame */
    vec3 stream;                      /* m/s, mean velocity of the grains in the last substep; none while some sleep */
    bool fresh;                       /* no substep since the contacts were found */
    scree_change *changes;            /* [ranges], likewise, of sweeps over the walls */
    scree_journey *journeys;          /* [ranges], likewise, of moving */
    double *shifts;                   /* m, [tiles], likewise, of impacts; scree_impact_run */
    scree_tile_tally *tallies;        /* [tiles], likewise, of measuring */
    bool holds;                       /* the pairs still do; scree_substep_run */
    bool reaches;                     /* the contacts with shapes still do; scree_find_walls, scree_substep_run */
    scree_impact_scratch impact_scratch; /* scratch of one frame */
    scree_pair_sums pair_sums;           /* of the last frame's last substep */
    scree_residual residual;             /* of the last frame's last substep */
    scree_random random;                 /* of the random sweep order */
    uint32_t substeps;                   /* per frame; adapted when the solver has a tolerance */
    uint64_t passes;                     /* sweeps since the start */
    uint32_t age;                        /* times that pairs were chosen or mended since the grains were sorted */
    uint32_t last_substeps;              /* of the last frame */
    double sweeps;                       /* per substep of the last frame, mean */
    uint32_t impacts;                    /* in the last step */
    uint32_t asleep;                     /* grains that sleep; scree_rest_begin */
    bool missed;                         /* whether the last frame missed the solver's tolerance */
    scree_stopwatch watch;               /* no part of the state */
    scree_backup backup;                 /* only while the solver is strict */
    double mean_diameter;                /* m; scree_world_start */
};

/* Sets scene_hash. */
scree_status scree_world_identify(scree_world *world, scree_error *error);

/*
 * Gives the particles new indices: the one at order[k] goes to k < count, those that are not in the order leave, and
 * contacts keep their impulses. To be called between frames. Scratch comes from the arena, which is not reset; the
 * order may lie in it. The rows of the last frame are gone, and the next frame searches anew. False: no memory, and the
 * world must be started anew.
 */
bool scree_world_renumber(scree_world *world, const uint32_t *order, uint32_t count);

/* Whether the grains have mixed so much that they had better be sorted; then, between frames: sorts them as
 * scree_world_renumber does. False: no memory. */
bool scree_world_wants_order(const scree_world *world);
bool scree_world_order(scree_world *world);

/* To be called, between frames, when particles have been added behind the `before` that there were. False: no memory.
 */
bool scree_world_extend(scree_world *world, uint32_t before);

/* Begins the step of what runs without a motion port: belts, and driven bodies that keep their velocity. */
void scree_running_aim(scree_world *world, double dt);

/* Puts the shapes where their bodies are. */
void scree_world_place_shapes(scree_world *world);

/* What the contacts of dynamic bodies act on. */
scree_heavy_system scree_world_heavy(scree_world *world);

#endif
