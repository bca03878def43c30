/*
 * Scree: granular matter for machine models.
 *
 * The one public header of the engine. The command line tool, the FMU wrapper and the examples see nothing else of
 * core/.
 *
 *   scree_draft   a scene being written; checks every value against the field tables
 *   scree_scene   the finished description, immutable, shared by any number of worlds
 *   scree_world   the state that steps: particles, bodies, contacts, clocks and its own copy of the settable values
 *
 * Units are SI everywhere (m, kg, s, N, rad). Vectors are resolved in the world frame unless a comment says otherwise.
 * Quaternions are (w, x, y, z) and turn body-frame vectors into world-frame vectors.
 *
 * Nothing here is global: worlds are independent and may be stepped from different threads at the same time.
 */
#ifndef SCREE_H
#define SCREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_VERSION "0.1.0"

/* ---------------------------------------------------------------- status */

/* One list: the code and the sentence that a log shows when there is no better message. */
#define SCREE_STATUS_LIST(X)                                                                                           \
    X(OK, "done")                                                                                                      \
    X(INVALID, "a value is not allowed")                                                                               \
    X(FORMAT, "the data are not what they should be")                                                                  \
    X(STATE, "the call is not allowed now")                                                                            \
    X(MEMORY, "out of memory")                                                                                         \
    X(IO, "a file could not be read or written")                                                                       \
    X(DIVERGED, "the simulation lost its footing: a position or velocity is no longer finite")                         \
    X(LIMIT, "a step ended early: it would have missed the tolerance or the time budget")

typedef enum scree_status {
#define X(name, text) SCREE_##name,
    SCREE_STATUS_LIST(X)
#undef X
} scree_status;

/* Filled in by the function that fails. Passing NULL is allowed everywhere. */
typedef struct scree_error {
    scree_status status;
    char text[512]; /* one line, no newline at its end */
} scree_error;

const char *scree_status_text(scree_status status);

/* Writes status and a formatted text into error (when not NULL) and returns status, so that a failure is one line. */
scree_status scree_fail(scree_error *error, scree_status status, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* ---------------------------------------------------------------- memory and log */

/* Where memory comes from. allocate returns zeroed memory or NULL. A NULL pointer to this struct means the C library.
 */
typedef struct scree_memory {
    void *context;
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *block);
} scree_memory;

typedef enum scree_log_level { SCREE_LOG_ERROR, SCREE_LOG_WARNING, SCREE_LOG_INFO } scree_log_level;

/* text is complete: no formatting is left to do. write may be NULL. Called only from the thread that called Scree. */
typedef struct scree_log {
    void *context;
    void (*write)(void *context, scree_log_level level, const char *text);
} scree_log;

/* ---------------------------------------------------------------- scene description */

#define SCREE_ID_SIZE       64  /* identifier with its closing zero: a letter or _, then letters, digits, _ */
#define SCREE_TEXT_SIZE     256 /* free text with its closing zero, UTF-8 */
#define SCREE_SCENE_VERSION 1

typedef struct scree_head {
    char name[SCREE_ID_SIZE];
    char description[SCREE_TEXT_SIZE];
    double gravity[3]; /* m/s2 */
} scree_head;

typedef struct scree_experiment {
    double stop; /* s, default stop time */
    double step; /* s, default communication step */
} scree_experiment;

typedef enum scree_warm_start { SCREE_WARM_NONE, SCREE_WARM_HISTORY, SCREE_WARM_MODEL } scree_warm_start;
typedef enum scree_roll_radius { SCREE_ROLL_EFFECTIVE, SCREE_ROLL_RADIUS } scree_roll_radius;
typedef enum scree_order {
    SCREE_ORDER_INDEX,
    SCREE_ORDER_REVERSE,
    SCREE_ORDER_SYMMETRIC,
    SCREE_ORDER_RANDOM
} scree_order;

typedef struct scree_solver {
    double frame;          /* s, longest time between two contact searches */
    uint32_t substeps;     /* per frame, METHOD 5 */
    uint32_t sweeps;       /* per substep, at most */
    uint32_t order;        /* scree_order, in which a sweep visits the contacts */
    double residual;       /* 1, a substep's sweeps end when their relative change is below; 0: never early */
    double tolerance;      /* 1, overlap error that the number of substeps is adapted to, METHOD 11; 0: fixed number */
    uint32_t max_substeps; /* per frame, cap of the adaption */
    double impact_speed;   /* m/s, v_imp of METHOD 6; 0: chosen by the stepper */
    uint32_t seed;         /* of the random order */
    uint32_t warm_start;   /* scree_warm_start */
    double warm_factor;    /* 1, share of the last impulses to start from; 0: chosen by the stepper, METHOD 7 */
    double stabilization;  /* 1, n_s of METHOD 2: overlap errors relax over n_s substeps; 0: chosen by the stepper */
    double tangent_gamma;  /* s/kg, gamma_t of METHOD 3; 0: next to none */
    uint32_t roll_radius;  /* scree_roll_radius, METHOD 3 */
    uint32_t threads;      /* 0: as many as the machine has */
    uint32_t strict;       /* 0 or 1: frames that miss the tolerance are done again with more substeps, or not at all */
    double time_budget;    /* s, of the wall clock, for one step; 0: none */
    double rest;           /* 1, share of the weight that may lack to balance in regions that sleep; 0: none does */
    uint32_t profile;      /* 0 or 1: the time of each stage is taken */
} scree_solver;

typedef struct scree_material {
    char id[SCREE_ID_SIZE];
    double density;                /* kg/m3 */
    double youngs;                 /* Pa */
    double poisson;                /* 1 */
    double viscosity;              /* Pa s, of the solid; gives the damping of its pairs, METHOD 2 */
    char library[SCREE_TEXT_SIZE]; /* entry of the material library that the values come from; empty: none */
} scree_material;

typedef enum scree_law { SCREE_LAW_HERTZ, SCREE_LAW_LINEAR } scree_law;

typedef struct scree_pair {
    uint32_t a, b;                 /* materials */
    uint32_t law;                  /* scree_law */
    double stiffness;              /* N/m, linear law only */
    double friction;               /* 1, mu */
    double rolling;                /* 1, mu_r */
    double twist;                  /* 1, alpha_rn: twist limit as a share of mu r* */
    double damping;                /* s, c of METHOD 2; 0: from the viscosities */
    double restitution;            /* 1, Newton's, METHOD 6 */
    double adhesion;               /* N, pull-off force of a closed contact */
    char library[SCREE_TEXT_SIZE]; /* as of a material */
} scree_pair;

typedef enum scree_body_kind { SCREE_BODY_STATIC, SCREE_BODY_DRIVEN, SCREE_BODY_DYNAMIC } scree_body_kind;

typedef struct scree_body {
    char id[SCREE_ID_SIZE];
    uint32_t material;
    uint32_t kind;              /* scree_body_kind */
    double position[3];         /* m, body origin at the start */
    double rotation[3];         /* rad, rotation vector (axis times angle) at the start */
    double velocity[3];         /* m/s, of the origin at the start; a driven body without a motion port keeps it */
    double angular_velocity[3]; /* rad/s, likewise */
    double belt[3];             /* 1, direction in which its surface runs, in the body frame; zero: it does not */
    double belt_speed;          /* m/s */
    /* dynamic bodies only */
    double mass;        /* kg */
    double center[3];   /* m, centre of mass in the body frame */
    double inertia[3];  /* kg m2, Ixx, Iyy, Izz about the centre of mass, along the axes of the body frame */
    double products[3]; /* kg m2, Ixy, Ixz, Iyz: the elements of the tensor, −∫xy dm and so on */
} scree_body;

typedef enum scree_shape_kind {
    SCREE_SHAPE_PLANE,
    SCREE_SHAPE_BOX,
    SCREE_SHAPE_TUBE,
    SCREE_SHAPE_SPHERE,
    SCREE_SHAPE_CYLINDER,
    SCREE_SHAPE_CAPSULE,
    SCREE_SHAPE_CONE,
    SCREE_SHAPE_DISC,
    SCREE_SHAPE_MESH
} scree_shape_kind;

typedef struct scree_shape {
    uint32_t body;
    uint32_t kind;      /* scree_shape_kind */
    double position[3]; /* m, in the body frame: a point of the plane, the centre of the others */
    double rotation[3]; /* rad, rotation vector in the body frame; not of planes and spheres */
    double normal[3];   /* 1, in the body frame: out of the solid half-space; plane */
    double size[3];     /* m, edge lengths; box */
    double radius; /* m; sphere, tube (inner), cylinder, capsule, disc, cone (at −length/2); all along their z axis */
    double length; /* m; tube (0: without end), cylinder, capsule (between the centres of its ends), cone */
    double radius_top;          /* m, at +length/2; cone */
    double hole;                /* m, radius of the hole in the middle; disc */
    uint32_t solid;             /* 1: a solid; 0: a shell that grains touch from both sides; cone, mesh */
    double scale;               /* 1, m per unit of the file; mesh */
    uint32_t mesh;              /* of the scene; mesh; UINT32_MAX: none yet */
    char file[SCREE_TEXT_SIZE]; /* where the triangles came from; mesh */
    /* tube: a rough inside */
    double bumps;                        /* 1/m2; 0: smooth */
    double bump_height_min, bump_height; /* m, uniform between; the lowest 0: all alike */
    double bump_width_min, bump_width;   /* m, at half height, likewise */
    uint32_t bump_seed;
} scree_shape;

typedef enum scree_share_by { SCREE_SHARE_NUMBER, SCREE_SHARE_MASS } scree_share_by;

typedef enum scree_fill_method { SCREE_FILL_LATTICE, SCREE_FILL_RANDOM } scree_fill_method;

typedef struct scree_fill {
    char id[SCREE_ID_SIZE];
    uint32_t material;
    uint32_t count; /* grains; 0: as many as the region takes */
    uint32_t seed;
    uint32_t share_by; /* scree_share_by: what size.share counts */
    uint32_t grading;  /* size distribution; UINT32_MAX: the sizes of its own */
    double min[3];     /* m, box to fill, when there is no region */
    double max[3];     /* m */
    uint32_t region;   /* to fill; UINT32_MAX: the box */
    uint32_t method;   /* scree_fill_method */
    double fraction;   /* 1, share of the space that random grains take */
    double mass;       /* kg, of all grains; 0: not given */
} scree_fill;

typedef enum scree_owner { SCREE_OWNER_FILL, SCREE_OWNER_GRADING, SCREE_OWNER_EMITTER } scree_owner;
typedef enum scree_size_law { SCREE_SIZE_UNIFORM, SCREE_SIZE_NORMAL, SCREE_SIZE_LOGNORMAL } scree_size_law;

/* One class of a size distribution. */
typedef struct scree_size {
    uint32_t owner_kind; /* scree_owner */
    uint32_t owner;      /* the fill, grading or emitter that it belongs to */
    uint32_t law;        /* scree_size_law */
    uint32_t by;         /* scree_share_by: what the law counts */
    double diameter;     /* m, uniform: the smallest; normal: the mean; lognormal: the median */
    double diameter_max; /* m, the largest; uniform, 0: all have one diameter */
    double diameter_min; /* m, the smallest; normal, lognormal */
    double deviation;    /* m, standard deviation, normal; 1, that of ln d, lognormal */
    double share;        /* weight of the class, any positive scale */
} scree_size;

/* One grain, placed by hand. */
typedef struct scree_grain {
    uint32_t material;
    double diameter;            /* m */
    double position[3];         /* m */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s */
} scree_grain;

typedef enum scree_joint_kind {
    SCREE_JOINT_FIXED,
    SCREE_JOINT_HINGE,
    SCREE_JOINT_SLIDER,
    SCREE_JOINT_BALL,
    SCREE_JOINT_DISTANCE
} scree_joint_kind;

/* Holds two bodies together; at least one of them is dynamic. Its coordinate is the angle of a hinge, the way of a
 * slider (both zero at the start) or the length of a distance. Points and axis are in the world frame at the start. */
typedef struct scree_joint {
    char id[SCREE_ID_SIZE];
    uint32_t kind;             /* scree_joint_kind */
    uint32_t a, b;             /* bodies, a may be UINT32_MAX: the world; the coordinate is that of b as seen from a */
    double position[3];        /* m, the joint; distance: where it is fixed to a */
    double end[3];             /* m, distance: where it is fixed to b */
    double axis[3];            /* 1, hinge, slider */
    double lower, upper;       /* rad or m, range of the coordinate; lower = upper: none */
    double compliance;         /* m/N */
    double angular_compliance; /* rad/(N m) */
    double damping;            /* s, time in which a violation decays */
} scree_joint;

typedef enum scree_actuator_mode { SCREE_ACTUATE_MOTION, SCREE_ACTUATE_SPEED, SCREE_ACTUATE_FORCE } scree_actuator_mode;

/* Drives the coordinate of a hinge, slider or distance. */
typedef struct scree_actuator {
    char id[SCREE_ID_SIZE];
    uint32_t joint;
    uint32_t mode;     /* scree_actuator_mode: what is given */
    double speed;      /* rad/s or m/s, start value of the input */
    double force;      /* N m or N, likewise */
    double max_force;  /* N m or N, most that it pushes or pulls; 0: no limit */
    double compliance; /* rad/(N m) or m/N, of its drive */
    double damping;    /* s, time in which a lag decays */
} scree_actuator;

typedef enum scree_port_mode {
    SCREE_PORT_MOTION,
    SCREE_PORT_WRENCH,
    SCREE_PORT_FORCE,
    SCREE_PORT_PROXY,
    SCREE_PORT_SURFACE
} scree_port_mode;

typedef enum scree_frame { SCREE_FRAME_WORLD, SCREE_FRAME_BODY } scree_frame;
typedef enum scree_orientation { SCREE_ORIENTATION_QUATERNION, SCREE_ORIENTATION_MATRIX } scree_orientation;

typedef struct scree_port {
    char id[SCREE_ID_SIZE];
    uint32_t body;
    uint32_t mode;        /* scree_port_mode: motion = pose and twist in, wrench out; wrench = wrench out only;
                             force = wrench from outside in, motion out, of a dynamic body; proxy = as motion, and a
                             dynamic body that nothing but the grains and the port pushes follows through a lock;
                             surface = speed of a belt or of a turning body in, what moves it out */
    uint32_t frame;       /* scree_frame: that twist and wrench are resolved in */
    uint32_t orientation; /* scree_orientation: how the port says it */
    double filter_time;   /* s, time constant of the filtered wrench; 0: not filtered */
    uint32_t impedance;   /* 0 or 1: whether its outputs have the impedance */
    /* proxy: the lock */
    double compliance;         /* m/N */
    double angular_compliance; /* rad/(N m) */
    double damping;            /* s, time in which the body comes back */
} scree_port;

typedef enum scree_region_shape {
    SCREE_REGION_BOX,
    SCREE_REGION_CYLINDER,
    SCREE_REGION_HALFSPACE,
    SCREE_REGION_HEAP,
    SCREE_REGION_TRENCH
} scree_region_shape;

/* A part of space, fixed in the world or to a body: what sensors look at. */
typedef struct scree_region {
    char id[SCREE_ID_SIZE];
    uint32_t body;      /* that it moves with; UINT32_MAX: the world */
    uint32_t shape;     /* scree_region_shape */
    double position[3]; /* m, in the frame of the body: centre of the box, cylinder or bottom, a point of the plane */
    double rotation[3]; /* rad, rotation vector; not of half-spaces */
    double size[3];     /* m, edge lengths; box. Width and length of the bottom and depth; trench */
    double radius;      /* m; cylinder along its z axis; heap, of its bottom */
    double length;      /* m; cylinder; 0: without end */
    double normal[3];   /* 1, out of the half-space */
    double angle;       /* rad, of the sides to the bottom's plane; heap, trench */
} scree_region;

/* A size distribution by name: classes, or a sieve curve. */
typedef struct scree_grading {
    char id[SCREE_ID_SIZE];
    uint32_t share_by; /* scree_share_by: what size.share counts */
} scree_grading;

typedef struct scree_sieve {
    uint32_t grading;
    double opening; /* m */
    double passing; /* %, of the mass, through this sieve */
} scree_sieve;

typedef enum scree_sensor_kind {
    SCREE_SENSOR_REGION,
    SCREE_SENSOR_FLOW,
    SCREE_SENSOR_HEIGHT,
    SCREE_SENSOR_LOAD
} scree_sensor_kind;

#define SCREE_MOST_HEIGHTS 4096 /* cells of one height sensor */

/* Something to be measured. Each kind uses some of the members; the field tables say which, and the others are zero. */
typedef struct scree_sensor {
    char id[SCREE_ID_SIZE];
    uint32_t kind;      /* scree_sensor_kind */
    uint32_t body;      /* load: whose contacts; flow, height: that the sensor moves with; UINT32_MAX: the world */
    uint32_t region;    /* whose grains, or contacts, count; UINT32_MAX: all */
    double position[3]; /* m, in the frame of the body: centre of the rectangle, or a point of the axis */
    double normal[3];   /* 1, of the rectangle */
    double across[3];   /* 1, direction of its width */
    double width;       /* m */
    double length;      /* m, along normal x across */
    uint32_t nx, ny;    /* height: cells along width and length */
    double axis[3];     /* 1, load: what the torque is about */
    double area;        /* m2, load: what the normal force is divided by; 0: no pressure */
} scree_sensor;

typedef enum scree_feed_input { SCREE_FEED_PARAMETER, SCREE_FEED_MASS_RATE, SCREE_FEED_GRAIN_RATE } scree_feed_input;

/* Puts new grains into a region while the world runs. */
typedef struct scree_emitter {
    char id[SCREE_ID_SIZE];
    uint32_t material;
    uint32_t region;
    uint32_t grading;  /* size distribution; UINT32_MAX: the sizes of its own */
    uint32_t share_by; /* scree_share_by: what the shares of its own sizes count */
    uint32_t input;    /* scree_feed_input: which rate comes from outside, if any */
    uint32_t seed;
    double mass_rate;   /* kg/s; one of the two rates is above zero, or an input */
    double grain_rate;  /* 1/s */
    double velocity[3]; /* m/s, in the frame of the body that carries the region, or the world's */
    double spread;      /* m/s, each component of the velocity is uniform within ± */
    double start, stop; /* s, simulation time; stop 0: never */
    double max_mass;    /* kg, in all; 0: without end */
} scree_emitter;

/* Takes grains out whose centres are in a region, or outside it. */
typedef struct scree_sink {
    char id[SCREE_ID_SIZE];
    uint32_t region;
    uint32_t outside; /* 1: what is outside goes */
} scree_sink;

/* The XML elements, and the tags of the binary form. Order is part of the binary format: append only. */
typedef enum scree_element {
    SCREE_ELEMENT_SCENE,
    SCREE_ELEMENT_EXPERIMENT,
    SCREE_ELEMENT_SOLVER,
    SCREE_ELEMENT_MATERIAL,
    SCREE_ELEMENT_PAIR,
    SCREE_ELEMENT_BODY,
    SCREE_ELEMENT_PLANE,
    SCREE_ELEMENT_BOX,
    SCREE_ELEMENT_FILL,
    SCREE_ELEMENT_SIZE,
    SCREE_ELEMENT_PORT,
    SCREE_ELEMENT_GRAIN,
    SCREE_ELEMENT_TUBE,
    SCREE_ELEMENT_REGION,
    SCREE_ELEMENT_SPHERE,
    SCREE_ELEMENT_CYLINDER,
    SCREE_ELEMENT_CAPSULE,
    SCREE_ELEMENT_CONE,
    SCREE_ELEMENT_DISC,
    SCREE_ELEMENT_GRADING,
    SCREE_ELEMENT_GRADING_SIZE,
    SCREE_ELEMENT_SIEVE,
    SCREE_ELEMENT_REGION_SENSOR,
    SCREE_ELEMENT_FLOW_SENSOR,
    SCREE_ELEMENT_HEIGHT_SENSOR,
    SCREE_ELEMENT_LOAD_SENSOR,
    SCREE_ELEMENT_JOINT,
    SCREE_ELEMENT_ACTUATOR,
    SCREE_ELEMENT_MESH,
    SCREE_ELEMENT_EMITTER,
    SCREE_ELEMENT_EMITTER_SIZE,
    SCREE_ELEMENT_SINK,
    SCREE_ELEMENT_COUNT
} scree_element;

/* One record = one element of the scene file. Records keep the order in which they were written. */
typedef struct scree_record {
    uint32_t element; /* scree_element */
    uint32_t index;   /* in the list that holds this element */
} scree_record;

/*
 * Triangles with their vertices: of a mesh in units of its file, of a shape in the frame of its body. They are
 * counterclockwise seen from outside a solid; a shell has two sides, and its triangles no particular one.
 */
typedef struct scree_surface {
    double (*vertices)[3]; /* [vertex_count], m */
    uint32_t vertex_count;
    uint32_t (*triangles)[3]; /* [triangle_count], vertices */
    uint32_t triangle_count;
    scree_memory memory; /* what scree_surface_create allocated them with */
} scree_surface;

/* Room for so many of each; memory may be NULL. The counts are set, what they count is zero. */
scree_status scree_surface_create(scree_surface *surface, uint32_t vertices, uint32_t triangles,
                                  const scree_memory *memory, scree_error *error);
void scree_surface_release(scree_surface *surface);

/* What was found in a mesh, and done about it. */
typedef struct scree_mesh_report {
    uint32_t vertices, triangles; /* what it has now; vertices closer than 1e-6 of its extent have become one */
    uint32_t degenerate;          /* triangles without area, dropped */
    uint32_t doubled;             /* triangles that were there twice, dropped */
    uint32_t open_edges;          /* edges with one triangle: the mesh has holes or is a sheet */
    uint32_t tangled_edges;       /* edges with more than two triangles */
    uint32_t turned;              /* triangles whose winding was turned to fit that of their neighbours */
    uint32_t twisted_edges;       /* edges at which no winding fits: a surface with one side only */
    bool inverted;                /* closed but inside out: all triangles were turned */
    double volume;                /* of a closed mesh, cube of the file's unit; else 0 */
} scree_mesh_report;

typedef struct scree_scene_mesh {
    scree_surface surface;
    scree_mesh_report report;
} scree_scene_mesh;

typedef struct scree_scene {
    scree_head head;
    scree_experiment experiment;
    scree_solver solver;
    scree_material *materials;
    uint32_t material_count;
    scree_pair *pairs;
    uint32_t pair_count;
    scree_body *bodies;
    uint32_t body_count;
    scree_shape *shapes; /* grouped by body, in order */
    uint32_t shape_count;
    scree_fill *fills;
    uint32_t fill_count;
    scree_size *sizes; /* of fills, gradings and emitters, in file order */
    uint32_t size_count;
    scree_port *ports;
    uint32_t port_count;
    scree_grain *grains;
    uint32_t grain_count;
    scree_region *regions;
    uint32_t region_count;
    scree_grading *gradings;
    uint32_t grading_count;
    scree_sieve *sieves; /* grouped by grading, in order */
    uint32_t sieve_count;
    scree_sensor *sensors;
    uint32_t sensor_count;
    scree_joint *joints;
    uint32_t joint_count;
    scree_actuator *actuators;
    uint32_t actuator_count;
    scree_emitter *emitters;
    uint32_t emitter_count;
    scree_sink *sinks;
    uint32_t sink_count;
    scree_record *records; /* all of the above in file order */
    uint32_t record_count;
    scree_scene_mesh *meshes; /* those of the shapes of kind mesh, in order */
    uint32_t mesh_count;
    bool borrows_meshes; /* they belong to the scene that this one is a copy of */
    scree_memory memory; /* what the lists were allocated with */
} scree_scene;

void scree_scene_destroy(scree_scene *scene);

/* ---------------------------------------------------------------- field tables */

/*
 * Every value of a scene is described once: its XML name, place in the struct, unit, range, default and meaning.
 * The tables drive the XML reader, the XML schema, the binary form, the FMI parameters and the reference pages.
 */
typedef enum scree_field_kind {
    SCREE_FIELD_REAL,     /* double */
    SCREE_FIELD_VECTOR,   /* double[3] */
    SCREE_FIELD_COUNT,    /* uint32_t */
    SCREE_FIELD_CHOICE,   /* uint32_t, one of choices */
    SCREE_FIELD_ID,       /* char[SCREE_ID_SIZE], unique among records of its element */
    SCREE_FIELD_TEXT,     /* char[SCREE_TEXT_SIZE] */
    SCREE_FIELD_REFERENCE /* uint32_t, written as the id of a record of element target; UINT32_MAX: not written */
} scree_field_kind;

enum {
    SCREE_FIELD_REQUIRED = 1, /* must be written */
    SCREE_FIELD_SETTABLE = 2, /* may be changed in a world before it starts; an FMI parameter */
    SCREE_FIELD_OPEN_MIN = 4, /* the value must be > min, not >= */
    SCREE_FIELD_MOVING = 8,   /* of bodies: means something for driven and dynamic ones only */
    SCREE_FIELD_DYNAMIC = 16, /* of bodies: means something for dynamic ones only */
    SCREE_FIELD_PROXY = 32,   /* of ports: means something for proxies only */
    SCREE_FIELD_RATE = 64,    /* of emitters: means something when no rate is an input */
    SCREE_FIELD_RANDOM = 128, /* of fills: means something for random placing only */
    SCREE_FIELD_BELT = 256    /* of bodies: means something for belts only */
};

typedef struct scree_field {
    const char *name;
    scree_field_kind kind;
    uint32_t flags;
    uint32_t offset;            /* in the record's struct */
    const char *unit;           /* SI unit, "1" for none, "" where it makes no sense */
    double min, max;            /* REAL, COUNT: allowed range; VECTOR: of each component */
    double start;               /* REAL, COUNT, CHOICE: default when not required; VECTOR: of each component */
    const char *const *choices; /* CHOICE: words, closed by NULL */
    scree_element target;       /* REFERENCE */
    const char *help;           /* one sentence, without a full stop */
} scree_field;

typedef struct scree_element_info {
    const char *name;
    scree_element parent;       /* SCREE_ELEMENT_SCENE for those directly below the root */
    uint32_t at_least, at_most; /* how many of them a parent holds; at_most 0: no limit */
    const scree_field *fields;
    uint32_t field_count;
    const char *help;
} scree_element_info;

const scree_element_info *scree_element_describe(scree_element element);

/* The address of a field's value in a scene; the type follows from field->kind. */
const void *scree_scene_value(const scree_scene *scene, scree_record record, const scree_field *field);

/* Whether the port has a motion as its input. */
bool scree_port_takes_motion(const scree_port *port);

/* Whether the field means something for this record. */
bool scree_field_applies(const scree_scene *scene, scree_record record, const scree_field *field);

/* The pair of two materials in either order, or UINT32_MAX. */
uint32_t scree_scene_find_pair(const scree_scene *scene, uint32_t material_a, uint32_t material_b);

/* ---------------------------------------------------------------- surfaces: shapes as triangles, for viewers */

/*
 * The triangles of one shape of a scene, in the frame of its body: turn and move them by what scree_world_get_pose
 * says. chords: how many make a full circle, 3 to 1000. Of what has no end (a plane, a tube without length) the part
 * about as large as the scene is drawn. memory may be NULL. Release the surface with scree_surface_release.
 */
scree_status scree_scene_shape_surface(const scree_scene *scene, uint32_t shape, uint32_t chords,
                                       const scree_memory *memory, scree_surface *surface, scree_error *error);

/* The name of the element that makes shapes of this kind. */
const char *scree_shape_kind_name(scree_shape_kind kind);

/* ---------------------------------------------------------------- draft: how a scene is written */

typedef struct scree_draft scree_draft;

/* Where in the draft a failure lies, so that a reader can name line and column. */
typedef struct scree_blame {
    uint32_t record;   /* number of the record, in order of scree_draft_open; UINT32_MAX: the scene as a whole */
    const char *field; /* NULL: the element as a whole */
} scree_blame;

scree_status scree_draft_create(const scree_memory *memory, scree_draft **draft, scree_error *error);
void scree_draft_destroy(scree_draft *draft);

/* Begins a record; its parent is the last record of the parent element. The first one must be the scene. */
scree_status scree_draft_open(scree_draft *draft, scree_element element, scree_error *error);

/* Sets a field of the open record from text as it stands in a scene file. */
scree_status scree_draft_set(scree_draft *draft, const char *field, const char *text, scree_error *error);

/*
 * Gives the open record, a mesh, its triangles: copied, cleaned and checked. The report, if not NULL, says what was
 * found and done. Holes and the like are no failure here; the finished scene refuses them in a solid.
 */
scree_status scree_draft_set_mesh(scree_draft *draft, const scree_surface *surface, scree_mesh_report *report,
                                  scree_error *error);

/* Ends the record: fills in defaults, complains about what is missing. */
scree_status scree_draft_close(scree_draft *draft, scree_error *error);

/* Resolves references, checks the whole, and hands over the scene. The draft is empty afterwards. */
scree_status scree_draft_finish(scree_draft *draft, scree_scene **scene, scree_error *error);

/* Where the last failure of this draft lies. */
scree_blame scree_draft_blame(const scree_draft *draft);

/* ---------------------------------------------------------------- binary form of a scene */

/* *bytes is allocated with the scene's memory and released with scree_bytes_release. Same scene, same bytes. */
scree_status scree_scene_write(const scree_scene *scene, uint8_t **bytes, size_t *size, scree_error *error);
scree_status scree_scene_read(const scree_memory *memory, const uint8_t *bytes, size_t size, scree_scene **scene,
                              scree_error *error);
void scree_bytes_release(const scree_memory *memory, uint8_t *bytes);

/* 128-bit content hash; chain calls by passing the same state, which starts as all zero. */
typedef struct scree_hash {
    uint64_t a, b;
} scree_hash;
void scree_hash_add(scree_hash *hash, const void *bytes, size_t size);

/* ---------------------------------------------------------------- world */

typedef struct scree_world scree_world;

/* The scene must outlive the world. memory and log may be NULL; both structs are copied. */
scree_status scree_world_create(const scree_scene *scene, const scree_memory *memory, const scree_log *log,
                                scree_world **world, scree_error *error);
void scree_world_destroy(scree_world *world);

/* The world's own, settable copy of the scene. */
const scree_scene *scree_world_settings(const scree_world *world);

/* Changes one settable value (component 0 to 2 of a vector, else 0). A started world goes back to not started. */
scree_status scree_world_set_value(scree_world *world, scree_record record, const scree_field *field,
                                   uint32_t component, double value, scree_error *error);

/* Places the particles and puts the clock to time. May be called again: the world begins anew. */
scree_status scree_world_start(scree_world *world, double time, scree_error *error);
bool scree_world_started(const scree_world *world);

/* How near to rest a world is. Energies are kinetic, of translation, over m g d of the grain. */
typedef struct scree_rest {
    double time;     /* s, that settling has taken */
    double mean;     /* 1, energy, mean over the grains */
    double most;     /* 1, of the fastest */
    double residual; /* 1, as in scree_info */
} scree_rest;

/* Called after every frame of settling; false ends it. */
typedef bool scree_settle_watch(void *context, const scree_rest *rest);

/*
 * Runs a started world until its grains have been at rest for 0.1 s (mean energy below 1e-6, that of the fastest below
 * 1e-4, residual below 0.05), and starts it again from there, at the time where it stood: nothing is emitted meanwhile,
 * and a drag that makes it quick ends with it. LIMIT when it is not at rest after `limit` seconds; after a failure the
 * world must be started anew. A snapshot of the settled world is what scree_world_set_settled takes. watch may be NULL.
 */
scree_status scree_world_settle(scree_world *world, double limit, scree_settle_watch *watch, void *context,
                                scree_rest *rest, scree_error *error);

/*
 * Gives a world a settled state to start from, from now on; it must outlive the world. NULL: none. When the world
 * starts with other fills, gravity, densities or moduli, or with a body in the grains, the log says so and the state is
 * not used.
 */
scree_status scree_world_set_settled(scree_world *world, const uint8_t *bytes, size_t size, scree_error *error);

/* What a machine model says about a driven body at a communication point. */
typedef struct scree_motion {
    double position[3];         /* m, body origin */
    double orientation[4];      /* quaternion, need not be normalised */
    double velocity[3];         /* m/s, of the body origin */
    double angular_velocity[3]; /* rad/s */
    double matrix[9];           /* orientation of a port that says it as a matrix, row by row */
} scree_motion;

/*
 * Sets where a motion port's body is now and how it moves; the next step carries it from where Scree has it to
 * position + velocity * dt (and likewise its orientation), so that it arrives where the caller expects it and the
 * contact velocity is the one of that very displacement. Before the start it places the body.
 */
scree_status scree_world_set_motion(scree_world *world, uint32_t port, const scree_motion *motion, scree_error *error);

/*
 * The first or second derivative of one value of the motion, by its place among the doubles of scree_motion. It bends
 * the way of the next step, and holds for that one alone. Derivatives of position and orientation take the place of
 * velocity and angular velocity; derivatives of those are accelerations. core/body/path.h has the formulas.
 */
scree_status scree_world_set_motion_rate(scree_world *world, uint32_t port, uint32_t place, uint32_t order,
                                         double value, scree_error *error);
const scree_motion *scree_world_get_motion(const scree_world *world, uint32_t port);

/* What the inputs of a motion port say until they are set: its body at rest where the scene has it. */
scree_motion scree_scene_start_motion(const scree_scene *scene, uint32_t port);

typedef struct scree_wrench {
    double force[3];  /* N */
    double torque[3]; /* N m, about the body origin */
} scree_wrench;

/* What pushes a force port's body from outside during the next steps: a force at the body origin and a torque. */
scree_status scree_world_set_load(scree_world *world, uint32_t port, const scree_wrench *load, scree_error *error);

/* The first or second derivative of one value of the load, by its place among the doubles of scree_wrench, for the next
   step alone. */
scree_status scree_world_set_load_rate(scree_world *world, uint32_t port, uint32_t place, uint32_t order, double value,
                                       scree_error *error);
const scree_wrench *scree_world_get_load(const scree_world *world, uint32_t port);

/* What a machine model says to an actuator at a communication point; which of them counts depends on its mode. */
typedef struct scree_drive {
    double position; /* rad or m, of the joint's coordinate; the next step carries it to position + speed * dt */
    double speed;    /* rad/s or m/s */
    double force;    /* N m or N, on the coordinate, held during the step */
} scree_drive;

/* What an actuator's inputs are before they are set: its joint's coordinate at the start, and what the scene says. */
scree_drive scree_world_start_drive(const scree_scene *scene, uint32_t actuator);

scree_status scree_world_set_drive(scree_world *world, uint32_t actuator, const scree_drive *drive, scree_error *error);
const scree_drive *scree_world_get_drive(const scree_world *world, uint32_t actuator);

/* How an actuator goes: its joint's coordinate now, and means over the last step. */
typedef struct scree_actuation {
    double position; /* rad or m */
    double speed;    /* rad/s or m/s */
    double force;    /* N m or N, by the actuator, mean over the last step; > 0 drives the coordinate up */
    double power;    /* W, that the actuator puts in, mean over the last step */
} scree_actuation;

scree_status scree_world_get_actuation(const scree_world *world, uint32_t actuator, scree_actuation *actuation);

/* What a joint carries, and by how much it is violated. */
typedef struct scree_bearing {
    double force[3];  /* N, on body b at the joint by the joint and its actuator, mean over the last step */
    double torque[3]; /* N m, likewise, about the joint */
    double gap;       /* m, largest violation of its positional conditions now */
    double angle_gap; /* rad, likewise of its angular ones */
} scree_bearing;

scree_status scree_world_get_bearing(const scree_world *world, uint32_t joint, scree_bearing *bearing);

/*
 * Advances the world by dt > 0. A refused step (INVALID, STATE) leaves everything as it was; after MEMORY or DIVERGED
 * the world must be started anew. LIMIT: the world has gone as far as scree_world_time says, some whole frames of the
 * step or none at all, and is as good as after a step of that length.
 */
scree_status scree_world_step(scree_world *world, double dt, scree_error *error);

double scree_world_time(const scree_world *world);

/* Force and torque by the particles on a port's body, in the port's frame as it is at the end of the step. The mean:
   impulse over the last step divided by its length. */
scree_status scree_world_get_wrench(const scree_world *world, uint32_t port, scree_wrench *wrench);

/* The wrench of the last substep, and the one that a filter with the port's time constant T makes of all of them since
   the start: T y' = wrench - y, solved exactly for a wrench that is constant in each substep. */
typedef struct scree_port_wrench {
    scree_wrench mean, instant, filtered;
    scree_wrench rate; /* N/s, N m/s, of the filtered one; NaN without a filter */
} scree_port_wrench;

scree_status scree_world_get_port_wrench(const scree_world *world, uint32_t port, scree_port_wrench *wrench);

/*
 * The impedance of the grains at a port's body (METHOD 12), 6 × 6 row by row, in the port's frame: over a step of this
 * length (0: the last one's) the impulse of the grains on the body changes by −z times a change of its twist, velocity
 * of the origin first. kg, kg m, kg m2. From the contacts of the last substep; zero before the first.
 */
scree_status scree_world_get_impedance(const scree_world *world, uint32_t port, double step, double z[36],
                                       scree_error *error);

/* The mass matrix of a dynamic port's body about its origin, in the port's frame: 6 × 6, row by row. */
scree_status scree_world_get_mass_matrix(const scree_world *world, uint32_t port, double m[36]);

/* s, length of the last step; before the first, of the step that the scene proposes. */
double scree_world_last_step(const scree_world *world);

/* The impedance of a port that has it among its outputs, as of the end of the last step; NULL: it has not. */
const double *scree_world_port_impedance(const scree_world *world, uint32_t port);

/* How a body moves now. Velocities and accelerations are of its origin; those of static and driven bodies are what the
 * last step gave them. */
typedef struct scree_body_state {
    double position[3];             /* m */
    double orientation[4];          /* quaternion */
    double velocity[3];             /* m/s */
    double angular_velocity[3];     /* rad/s */
    double acceleration[3];         /* m/s2, mean over the last step; zero for bodies that are not dynamic */
    double angular_acceleration[3]; /* rad/s2, likewise */
    double matrix[9];               /* the orientation as a rotation matrix, row by row */
} scree_body_state;

void scree_world_get_body(const scree_world *world, uint32_t body, scree_body_state *state);

/* The same of a port's body, velocities and accelerations in the port's frame; and how it changes with time, NaN for
   the accelerations. rate may be NULL. */
scree_status scree_world_get_port_motion(const scree_world *world, uint32_t port, scree_body_state *state,
                                         scree_body_state *rate);

/* What a sensor says, by its kind. */
typedef struct scree_region_reading {
    double mass;           /* kg, of the grains whose centre is in the region */
    uint32_t count;        /* of them */
    double center[3];      /* m, their centre of mass; without grains: the region's position */
    double velocity[3];    /* m/s, of that centre: momentum over mass */
    double kinetic_energy; /* J, translation and rotation */
    double mean_speed;     /* m/s, mean of |v|, weighted by mass */
} scree_region_reading;

typedef struct scree_flow_reading {
    double mass_flow; /* kg/s, mean over the last step, along the normal */
    double passed;    /* kg, since the start: those along the normal less those against it */
} scree_flow_reading;

typedef struct scree_height_reading {
    double max, mean; /* m, over the cells */
} scree_height_reading;

typedef struct scree_load_reading { /* by what touches the body, means over the last step */
    double force[3];                /* N */
    double normal_force;            /* N, sum of the pushes of the contacts along their normals */
    double tangential_force[3];     /* N, friction alone */
    double torque;                  /* N m, about the axis */
    double power;                   /* W, by the body on the grains: what a drive must supply */
    double pressure;                /* Pa, normal force over area */
} scree_load_reading;

typedef union scree_reading {
    scree_region_reading region;
    scree_flow_reading flow;
    scree_height_reading height;
    scree_load_reading load;
} scree_reading;

/* As of the last step, or of the start. sensor < sensor_count. */
scree_reading scree_world_get_reading(const scree_world *world, uint32_t sensor);

/* Heights of a height sensor: [nx][ny], m. */
const double *scree_world_get_heights(const scree_world *world, uint32_t sensor);

/*
 * Surfaces that run. A surface port sets the speed of its body's belt (m/s) or, when the body has none, of its turning
 * about the axis of its angular velocity (rad/s); before the start and at any communication point.
 */
scree_status scree_world_set_surface_speed(scree_world *world, uint32_t port, double speed, scree_error *error);
double scree_world_get_surface_speed(const scree_world *world, uint32_t port);

/* What it starts with: the speed that the scene gives. */
double scree_scene_start_speed(const scree_scene *scene, uint32_t port);

/* Whether a surface port is of a belt; if not, of a turning body. */
bool scree_scene_port_has_belt(const scree_scene *scene, uint32_t port);

/* What the grains do to a running surface, mean over the last step. */
typedef struct scree_surface_load {
    double force;  /* N, on the belt, along the direction it runs in */
    double torque; /* N m, on the turning body, about its axis */
    double power;  /* W, given to the grains by all that the body's surface does */
} scree_surface_load;

scree_status scree_world_get_surface_load(const scree_world *world, uint32_t port, scree_surface_load *load);

typedef struct scree_info {
    uint32_t particles;     /* grains in the world */
    uint32_t contacts;      /* closed contacts in the last substep */
    double mass;            /* kg, of all grains */
    double momentum[3];     /* kg m/s, of all grains */
    double center[3];       /* m, centre of mass of all grains; zero without grains */
    double kinetic_energy;  /* J, of all grains, translation and rotation */
    double mean_overlap;    /* 1, overlap / (sum of radii), mean over the closed contacts */
    double max_overlap;     /* 1, likewise, the largest */
    double overlap_error;   /* 1, |overlap − overlap that bears the contact's force at rest| / (sum of radii), mean */
    double residual;        /* 1, how far the last substep is from solved: the largest of the next four */
    double residual_normal; /* 1, complementarity (METHOD 2), rms over the contacts, relative to the scale below */
    double residual_friction; /* 1, friction cone, likewise */
    double residual_rolling;  /* 1, rolling and twisting cones, at the rim, likewise */
    double residual_momentum; /* 1, what a grain's velocity change lacks to the impulses on it, likewise */
    double residual_scale;    /* m/s, |gravity| h plus the rms of the contacts' velocity change in the substep */
    uint32_t substeps;        /* of the last frame; 0 before the first */
    double sweeps;            /* per substep of the last frame, mean */
    uint32_t impacts;         /* contacts that the impact stage treated in the last step */
    uint32_t asleep;          /* grains that slept in the last frame */
} scree_info;

void scree_world_get_info(const scree_world *world, scree_info *info);

/* What a step spends its time on. */
typedef enum scree_stage {
    SCREE_STAGE_FEED,     /* grains that come and go, and their order in memory */
    SCREE_STAGE_SEARCH,   /* pairs of grains that may touch */
    SCREE_STAGE_WALLS,    /* contacts with bodies: search, and rows of every substep */
    SCREE_STAGE_IMPACTS,  /* contacts that close too fast for a substep */
    SCREE_STAGE_PREDICT,  /* gravity, warm start */
    SCREE_STAGE_SWEEP,    /* pairs of grains: geometry, rows and impulses in one pass */
    SCREE_STAGE_BODIES,   /* impulses of contacts with bodies; dynamic bodies and mechanisms */
    SCREE_STAGE_RESIDUAL, /* errors, once per frame */
    SCREE_STAGE_MOVE,     /* positions */
    SCREE_STAGE_MEASURE,  /* wrenches, sensors, impedance */
    SCREE_STAGE_COUNT
} scree_stage;

typedef struct scree_profile {
    double seconds[SCREE_STAGE_COUNT]; /* of the steps since the world was created, while it was asked for */
} scree_profile;

const char *scree_stage_name(scree_stage stage);
/* Whether the times are taken; as the scene says until this is called. */
void scree_world_set_profile(scree_world *world, bool on);
void scree_world_get_profile(const scree_world *world, scree_profile *profile);

typedef struct scree_particle {
    uint32_t id;                /* its own for the whole run, while its index may change; never given to another */
    double position[3];         /* m */
    double radius;              /* m */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s */
    double mass;                /* kg */
    uint32_t fill;              /* the fill it came from; fill_count + i: emitter i; UINT32_MAX: placed by hand */
    uint32_t material;
} scree_particle;

/* index < info.particles */
scree_particle scree_world_get_particle(const scree_world *world, uint32_t index);

/* A closed contact as of the last substep. */
typedef struct scree_touching {
    uint32_t particle; /* a */
    uint32_t other;    /* b: particle, or UINT32_MAX when it is a body */
    uint32_t body;     /* UINT32_MAX when it is a particle */
    uint32_t shape;    /* of the scene; UINT32_MAX likewise */
    double point[3];   /* m */
    double normal[3];  /* from a to b */
    double overlap;    /* m */
    double force[3];   /* N, on b, mean over the substep */
} scree_touching;

/* The contacts of the last frame one after the other, closed or not; false when this one is open or index is too large.
 */
uint32_t scree_world_contact_count(const scree_world *world);
bool scree_world_get_contact(const scree_world *world, uint32_t index, scree_touching *touching);

/* The rate that an emitter is asked for; what its scene says is no input is not used. Below zero counts as zero. */
typedef struct scree_feed_rate {
    double mass_rate;  /* kg/s */
    double grain_rate; /* 1/s */
} scree_feed_rate;

scree_status scree_world_set_rate(scree_world *world, uint32_t emitter, const scree_feed_rate *rate,
                                  scree_error *error);
const scree_feed_rate *scree_world_get_rate(const scree_world *world, uint32_t emitter);

/* What an emitter has given or a sink has taken. */
typedef struct scree_fed {
    double mass;      /* kg, since the start */
    double mass_flow; /* kg/s, mean over the last step */
    double waiting;   /* kg, what the rate has asked for and has found no place yet; less than a grain: none */
    uint32_t count;   /* grains since the start */
} scree_fed;

scree_fed scree_world_get_emitted(const scree_world *world, uint32_t emitter);
scree_fed scree_world_get_removed(const scree_world *world, uint32_t sink);

/* The pose a body has now. */
void scree_world_get_pose(const scree_world *world, uint32_t body, double position[3], double orientation[4]);

/*
 * Snapshot: all that decides how the world goes on and what its outputs are, without pointers: settings, clock, inputs,
 * bodies, particles, contacts with their impulses, random state. Restoring replays bit for bit, in this or in another
 * process, in any world of the same scene.
 *
 * save with bytes = NULL gives the size alone. load checks everything before it changes anything: a blob that is cut
 * off, damaged, of another scene or version is refused and leaves the world as it was.
 */
scree_status scree_world_save(const scree_world *world, uint8_t *bytes, size_t room, size_t *size, scree_error *error);
scree_status scree_world_load(scree_world *world, const uint8_t *bytes, size_t size, scree_error *error);

/* Hash over all that decides how a world with these settings goes on: equal hashes, equal futures. */
scree_hash scree_world_hash(const scree_world *world);

#ifdef __cplusplus
}
#endif

#endif
