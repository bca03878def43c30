/*
 * The field tables: every value of a scene, described once. A new value is one line here and one in its struct.
 */
#include "scene/scene.h"

#include <stddef.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define BIG             1e12 /* bound of lengths and the like: finite, far beyond any machine */
#define MOST_GRAINS     50000000.0

#define REAL(struct_, member_, name_, unit_, min_, max_, start_, flags_, help_)                                        \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_REAL, .flags = (flags_), .offset = offsetof(struct_, member_),              \
        .unit = unit_, .min = min_, .max = max_, .start = start_, .help = help_                                        \
    }
#define VECTOR(struct_, member_, name_, unit_, start_, flags_, help_)                                                  \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_VECTOR, .flags = (flags_), .offset = offsetof(struct_, member_),            \
        .unit = unit_, .min = -BIG, .max = BIG, .start = start_, .help = help_                                         \
    }
#define COUNT(struct_, member_, name_, min_, max_, start_, flags_, help_)                                              \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_COUNT, .flags = (flags_), .offset = offsetof(struct_, member_),             \
        .unit = "1", .min = min_, .max = max_, .start = start_, .help = help_                                          \
    }
#define CHOICE(struct_, member_, name_, choices_, start_, help_)                                                       \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_CHOICE, .offset = offsetof(struct_, member_), .unit = "", .start = start_,  \
        .choices = choices_, .help = help_                                                                             \
    }
#define ID(struct_, member_, name_, help_)                                                                             \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_ID, .flags = SCREE_FIELD_REQUIRED, .offset = offsetof(struct_, member_),    \
        .unit = "", .help = help_                                                                                      \
    }
#define TEXT(struct_, member_, name_, help_)                                                                           \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_TEXT, .offset = offsetof(struct_, member_), .unit = "", .help = help_       \
    }
#define REFERENCE(struct_, member_, name_, target_, help_)                                                             \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_REFERENCE, .flags = SCREE_FIELD_REQUIRED,                                   \
        .offset = offsetof(struct_, member_), .unit = "", .target = SCREE_ELEMENT_##target_, .help = help_             \
    }

#define OPTIONAL_REFERENCE(struct_, member_, name_, target_, help_)                                                    \
    {                                                                                                                  \
        .name = name_, .kind = SCREE_FIELD_REFERENCE, .offset = offsetof(struct_, member_), .unit = "",                \
        .target = SCREE_ELEMENT_##target_, .help = help_                                                               \
    }

#define REQUIRED SCREE_FIELD_REQUIRED
#define SETTABLE SCREE_FIELD_SETTABLE
#define OPEN_MIN SCREE_FIELD_OPEN_MIN

static const char *const warm_start_words[] = {"none", "history", "model", NULL};
static const char *const roll_radius_words[] = {"effective", "radius", NULL};
static const char *const order_words[] = {"index", "reverse", "symmetric", "random", NULL};
static const char *const law_words[] = {"hertz", "linear", NULL};
static const char *const body_words[] = {"static", "driven", "dynamic", NULL};
static const char *const share_words[] = {"number", "mass", NULL};
static const char *const no_yes_words[] = {"false", "true", NULL};
static const char *const port_words[] = {"motion", "wrench", "force", "proxy", "surface", NULL};
static const char *const frame_words[] = {"world", "body", NULL};
static const char *const orientation_words[] = {"quaternion", "matrix", NULL};

static const char *const size_words[] = {"uniform", "normal", "lognormal", NULL};
static const char *const joint_words[] = {"fixed", "hinge", "slider", "ball", "distance", NULL};
static const char *const actuator_words[] = {"motion", "speed", "force", NULL};
static const char *const region_words[] = {"box", "cylinder", "halfspace", "heap", "trench", NULL};
static const char *const feed_words[] = {"none", "massRate", "grainRate", NULL};
static const char *const fill_words[] = {"lattice", "random", NULL};

static const scree_field scene_fields[] = {
    ID(scree_head, name, "name", "Name of the model"),
    TEXT(scree_head, description, "description", "What the scene is, in a sentence"),
    VECTOR(scree_head, gravity, "gravity", "m/s2", 0.0, REQUIRED | SETTABLE, "Gravity"),
};

static const scree_field experiment_fields[] = {
    REAL(scree_experiment, stop, "stop", "s", 0.0, 1e9, 1.0, OPEN_MIN, "Stop time that an importer proposes"),
    REAL(scree_experiment, step, "step", "s", 1e-7, 10.0, 0.005, 0, "Communication step that an importer proposes"),
};

static const scree_field solver_fields[] = {
    REAL(scree_solver, frame, "frame", "s", 1e-7, 1.0, 0.005, SETTABLE,
         "Longest time between two contact searches; a communication step is divided into equal frames"),
    COUNT(scree_solver, substeps, "substeps", 1, 10000, 10, SETTABLE, "Substeps per frame"),
    COUNT(scree_solver, sweeps, "sweeps", 1, 100000, 1, SETTABLE, "Sweeps over all contacts per substep, at most"),
    CHOICE(scree_solver, order, "order", order_words, SCREE_ORDER_INDEX, "Order in which a sweep visits the contacts"),
    REAL(scree_solver, residual, "residual", "1", 0.0, 1.0, 0.0, SETTABLE,
         "A substep's sweeps end when a sweep changes the normal impulses by less than this share; 0: never early"),
    REAL(scree_solver, tolerance, "tolerance", "1", 0.0, 1.0, 0.0, SETTABLE,
         "Mean overlap error, as a share of the diameter, that the number of substeps is adapted to; 0: fixed number"),
    COUNT(scree_solver, max_substeps, "maxSubsteps", 1, 10000, 100, SETTABLE,
          "Most substeps per frame that the adaption may take"),
    REAL(scree_solver, impact_speed, "impactSpeed", "m/s", 0.0, 1e6, 0.0, SETTABLE,
         "Approach speed above which a contact is an impact; 0: that of a fall through 1 % of the mean diameter"),
    COUNT(scree_solver, seed, "seed", 0, 4294967295.0, 1, SETTABLE, "Seed of the random order"),
    CHOICE(scree_solver, warm_start, "warmStart", warm_start_words, SCREE_WARM_HISTORY,
           "What the impulses of a substep start from"),
    REAL(scree_solver, warm_factor, "warmFactor", "1", 0.0, 1.0, 0.0, SETTABLE,
         "Share of the last impulses that a warm start takes over; 0 lets the stepper choose"),
    REAL(scree_solver, stabilization, "stabilization", "1", 0.0, 1000.0, 0.0, SETTABLE,
         "Number of substeps over which overlap errors relax; 0: as many as a frame has, from 2 to 10"),
    REAL(scree_solver, tangent_gamma, "tangentGamma", "s/kg", 0.0, 1.0, 0.0, SETTABLE,
         "Regularisation of friction and rolling: creep speed per force; 0: next to none"),
    CHOICE(scree_solver, roll_radius, "rollRadius", roll_radius_words, SCREE_ROLL_EFFECTIVE,
           "Radius in the limit of the rolling resistance"),
    COUNT(scree_solver, threads, "threads", 0, 256, 0, SETTABLE, "Threads; 0 takes as many as the machine has"),
    COUNT(scree_solver, strict, "strict", 0, 1, 0, SETTABLE,
          "1: a frame that misses the tolerance is done again with more substeps; with maxSubsteps the step ends "
          "before it"),
    REAL(scree_solver, time_budget, "timeBudget", "s", 0.0, 1e9, 0.0, SETTABLE,
         "Time on the clock after which a step ends with the frame under way, which makes results depend on the "
         "machine; "
         "0: none"),
    REAL(scree_solver, rest, "rest", "1", 0.0, 0.1, 0.0, SETTABLE,
         "Regions sleep, at next to no cost, whose forces balance their weight to this share and that are slower than "
         "0.3 of it times the root of gravity times mean diameter, until something comes near or their load changes; "
         "0: none; 0.01 is a good value"),
    COUNT(scree_solver, profile, "profile", 0, 1, 0, 0, "1: outputs profile.* say what the time of the steps went to"),
};

static const scree_field material_fields[] = {
    ID(scree_material, id, "id", "Name of the material"),
    REAL(scree_material, density, "density", "kg/m3", 1.0, 30000.0, 0.0, REQUIRED | SETTABLE, "Density of the solid"),
    REAL(scree_material, youngs, "youngs", "Pa", 1e3, 1e13, 0.0, REQUIRED | SETTABLE, "Young's modulus"),
    REAL(scree_material, poisson, "poisson", "1", 0.0, 0.499, 0.3, SETTABLE, "Poisson's ratio"),
    REAL(scree_material, viscosity, "viscosity", "Pa.s", 0.0, 1e12, 0.0, SETTABLE,
         "Viscosity of the solid, from which its pairs get their damping unless they name one"),
    TEXT(scree_material, library, "library",
         "Entry of the material library that gives what is not written here: `scree materials` lists them"),
};

static const scree_field pair_fields[] = {
    REFERENCE(scree_pair, a, "a", MATERIAL, "One material"),
    REFERENCE(scree_pair, b, "b", MATERIAL, "The other material, or the same"),
    CHOICE(scree_pair, law, "law", law_words, SCREE_LAW_HERTZ, "Normal force law"),
    REAL(scree_pair, stiffness, "stiffness", "N/m", 0.0, 1e13, 0.0, 0, "Stiffness of the linear law"),
    REAL(scree_pair, friction, "friction", "1", 0.0, 10.0, 0.0, REQUIRED | SETTABLE, "Coefficient of friction"),
    REAL(scree_pair, rolling, "rolling", "1", 0.0, 10.0, 0.0, SETTABLE, "Coefficient of rolling resistance"),
    REAL(scree_pair, twist, "twist", "1", 0.0, 1.0, 0.0, SETTABLE,
         "Twisting resistance as a share of friction times the effective radius"),
    REAL(scree_pair, damping, "damping", "s", 0.0, 10.0, 0.0, SETTABLE,
         "Viscous damping time of the normal force; 0: from the viscosities of the materials"),
    REAL(scree_pair, restitution, "restitution", "1", 0.0, 1.0, 0.0, SETTABLE, "Coefficient of restitution of impacts"),
    REAL(scree_pair, adhesion, "adhesion", "N", 0.0, 1e9, 0.0, SETTABLE, "Pull-off force of a closed contact"),
    TEXT(scree_pair, library, "library",
         "Entry of the material library that gives what is not written here: two of its materials with - between"),
};

static const scree_field body_fields[] = {
    ID(scree_body, id, "id", "Name of the body"),
    REFERENCE(scree_body, material, "material", MATERIAL, "Material of its surface"),
    CHOICE(scree_body, kind, "kind", body_words, SCREE_BODY_STATIC,
           "static: stays; driven: moves as a port says, or at its velocity; dynamic: moves as forces make it"),
    VECTOR(scree_body, position, "position", "m", 0.0, 0, "Body origin at the start"),
    VECTOR(scree_body, rotation, "rotation", "rad", 0.0, 0, "Orientation at the start as axis times angle"),
    VECTOR(scree_body, velocity, "velocity", "m/s", 0.0, SETTABLE | SCREE_FIELD_MOVING,
           "Velocity of the body origin at the start; kept by a driven body that no port moves"),
    VECTOR(scree_body, angular_velocity, "angularVelocity", "rad/s", 0.0, SETTABLE | SCREE_FIELD_MOVING,
           "Angular velocity at the start, likewise"),
    REAL(scree_body, mass, "mass", "kg", 0.0, BIG, 0.0, SETTABLE | SCREE_FIELD_DYNAMIC, "Mass; dynamic bodies"),
    VECTOR(scree_body, center, "center", "m", 0.0, SETTABLE | SCREE_FIELD_DYNAMIC,
           "Centre of mass, in the body frame; dynamic bodies"),
    VECTOR(scree_body, inertia, "inertia", "kg.m2", 0.0, SETTABLE | SCREE_FIELD_DYNAMIC,
           "Moments of inertia Ixx Iyy Izz about the centre of mass, in the body frame; dynamic bodies"),
    VECTOR(scree_body, products, "products", "kg.m2", 0.0, SETTABLE | SCREE_FIELD_DYNAMIC,
           "Off-diagonal elements Ixy Ixz Iyz of the inertia tensor; dynamic bodies"),
    VECTOR(scree_body, belt, "belt", "1", 0.0, 0,
           "Direction in which its surface runs, in the body frame, as far as it is along the surface; 0 0 0: no belt"),
    REAL(scree_body, belt_speed, "beltSpeed", "m/s", -1000.0, 1000.0, 0.0, SETTABLE | SCREE_FIELD_BELT,
         "Speed of its surface in that direction"),
};

static const scree_field plane_fields[] = {
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "A point of the plane, in the body frame"),
    VECTOR(scree_shape, normal, "normal", "1", 0.0, REQUIRED, "Direction out of the solid side, in the body frame"),
};

static const scree_field box_fields[] = {
    VECTOR(scree_shape, size, "size", "m", 0.0, REQUIRED, "Edge lengths"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
};

static const scree_field fill_fields[] = {
    ID(scree_fill, id, "id", "Name of the fill"),
    REFERENCE(scree_fill, material, "material", MATERIAL, "Material of the grains"),
    COUNT(scree_fill, count, "count", 0, MOST_GRAINS, 0, SETTABLE, "Number of grains; 0 fills the region"),
    COUNT(scree_fill, seed, "seed", 0, 4294967295.0, 1, SETTABLE, "Seed of the random placement and sizes"),
    CHOICE(scree_fill, share_by, "shareBy", share_words, SCREE_SHARE_NUMBER, "What the shares of the sizes count"),
    OPTIONAL_REFERENCE(scree_fill, grading, "grading", GRADING, "Size distribution, in place of sizes of its own"),
    VECTOR(scree_fill, min, "min", "m", 0.0, 0, "Lower corner of the box to fill, when no region is named"),
    VECTOR(scree_fill, max, "max", "m", 0.0, 0, "Upper corner of that box"),
    OPTIONAL_REFERENCE(scree_fill, region, "region", REGION, "Region to fill"),
    CHOICE(scree_fill, method, "method", fill_words, SCREE_FILL_LATTICE,
           "lattice: with jitter, spaced for the largest grain; random: anywhere, pushed apart"),
    REAL(scree_fill, fraction, "fraction", "1", 0.01, 0.6, 0.5, SETTABLE | SCREE_FIELD_RANDOM,
         "Share of the space that random grains take"),
    REAL(scree_fill, mass, "mass", "kg", 0.0, BIG, 0.0, SETTABLE, "Mass of all grains, to half a grain; 0: not given"),
};

static const scree_field size_fields[] = {
    REAL(scree_size, diameter, "diameter", "m", 1e-6, 1e3, 0.0, REQUIRED,
         "Diameter, or the smallest of law uniform, the mean of normal, the median of lognormal"),
    REAL(scree_size, diameter_max, "diameterMax", "m", 0.0, 1e3, 0.0, 0,
         "Largest diameter of the class; 0, law uniform only: one diameter"),
    REAL(scree_size, share, "share", "1", 0.0, 1e9, 1.0, OPEN_MIN, "Weight of the class among the others"),
    CHOICE(scree_size, law, "law", size_words, SCREE_SIZE_UNIFORM, "How diameters are distributed within the class"),
    REAL(scree_size, diameter_min, "diameterMin", "m", 0.0, 1e3, 0.0, 0,
         "Smallest diameter of the class; laws normal and lognormal"),
    REAL(scree_size, deviation, "deviation", "1", 0.0, 1e3, 0.0, 0,
         "Standard deviation: of the diameter, in m, of law normal; of its logarithm of lognormal"),
    CHOICE(scree_size, by, "by", share_words, SCREE_SHARE_NUMBER, "What the law counts; normal: number only"),
};

static const scree_field grading_fields[] = {
    ID(scree_grading, id, "id", "Name of the size distribution"),
    CHOICE(scree_grading, share_by, "shareBy", share_words, SCREE_SHARE_NUMBER, "What the shares of the sizes count"),
};

static const scree_field sieve_fields[] = {
    REAL(scree_sieve, opening, "opening", "m", 1e-6, 1e3, 0.0, REQUIRED, "Width of the opening"),
    REAL(scree_sieve, passing, "passing", "%", 0.0, 100.0, 0.0, REQUIRED, "Share of the mass that passes"),
};

static const scree_field port_fields[] = {
    ID(scree_port, id, "id", "Name of the port: the first part of its variables' names"),
    REFERENCE(scree_port, body, "body", BODY, "Body that the port belongs to"),
    CHOICE(scree_port, mode, "mode", port_words, SCREE_PORT_MOTION,
           "motion: pose and twist in, wrench out; wrench: wrench out only; force: wrench from outside in, motion out; "
           "proxy: as motion, with a dynamic body that follows through a compliant lock; surface: speed of a belt or a "
           "turning body in, force or torque and power out"),
    CHOICE(scree_port, frame, "resolveInFrame", frame_words, SCREE_FRAME_WORLD,
           "Frame that twist and wrench are resolved in"),
    CHOICE(scree_port, orientation, "orientation", orientation_words, SCREE_ORIENTATION_QUATERNION,
           "How the orientation is said: four numbers, or nine of a rotation matrix"),
    REAL(scree_port, filter_time, "filterTime", "s", 0.0, 1e6, 0.05, SETTABLE,
         "Time constant of the filtered wrench; 0: not filtered"),
    CHOICE(scree_port, impedance, "impedance", no_yes_words, 0,
           "Whether the impedance of the grains is worked out after each step and put out as Z"),
    REAL(scree_port, compliance, "compliance", "m/N", 0.0, 1.0, 1e-7, SETTABLE | SCREE_FIELD_PROXY,
         "How far a proxy gives way to a force"),
    REAL(scree_port, angular_compliance, "angularCompliance", "rad/(N.m)", 0.0, 1e3, 1e-6, SETTABLE | SCREE_FIELD_PROXY,
         "How far a proxy gives way to a torque"),
    REAL(scree_port, damping, "damping", "s", 0.0, 10.0, 0.02, SETTABLE | SCREE_FIELD_PROXY,
         "Time in which a proxy comes back to where it should be"),
};

static const scree_field grain_fields[] = {
    REFERENCE(scree_grain, material, "material", MATERIAL, "Material of the grain"),
    REAL(scree_grain, diameter, "diameter", "m", 1e-6, 1e3, 0.0, REQUIRED, "Diameter"),
    VECTOR(scree_grain, position, "position", "m", 0.0, REQUIRED, "Centre at the start"),
    VECTOR(scree_grain, velocity, "velocity", "m/s", 0.0, 0, "Velocity at the start"),
    VECTOR(scree_grain, angular_velocity, "angularVelocity", "rad/s", 0.0, 0, "Angular velocity at the start"),
};

static const scree_field tube_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 1e-6, 1e6, 0.0, REQUIRED, "Inner radius"),
    REAL(scree_shape, length, "length", "m", 0.0, 1e6, 0.0, 0, "Length along its z axis; 0: without end"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
    REAL(scree_shape, bumps, "bumps", "1/m2", 0.0, 1e9, 0.0, 0, "Bumps on its inside, per area; 0: smooth"),
    REAL(scree_shape, bump_height, "bumpHeight", "m", 0.0, 1e3, 0.0, 0, "Height of a bump, or of the highest"),
    REAL(scree_shape, bump_height_min, "bumpHeightMin", "m", 0.0, 1e3, 0.0, 0, "Height of the lowest; 0: all alike"),
    REAL(scree_shape, bump_width, "bumpWidth", "m", 0.0, 1e3, 0.0, 0,
         "Width of a bump at half height, or of the widest"),
    REAL(scree_shape, bump_width_min, "bumpWidthMin", "m", 0.0, 1e3, 0.0, 0, "Width of the narrowest; 0: all alike"),
    COUNT(scree_shape, bump_seed, "seed", 0, 4294967295.0, 1, 0, "Seed of the bumps' places and sizes"),
};

static const scree_field region_fields[] = {
    ID(scree_region, id, "id", "Name of the region"),
    OPTIONAL_REFERENCE(scree_region, body, "body", BODY, "Body that the region moves with; without one it is at rest"),
    CHOICE(scree_region, shape, "shape", region_words, SCREE_REGION_BOX, "Its shape"),
    VECTOR(
        scree_region, position, "position", "m", 0.0, 0,
        "Centre of the box or cylinder or of the bottom of the heap or trench, a point of the half-space's plane; in "
        "the body frame, if there is a body"),
    VECTOR(scree_region, rotation, "rotation", "rad", 0.0, 0, "Orientation as axis times angle; not of half-spaces"),
    VECTOR(scree_region, size, "size", "m", 0.0, 0,
           "Edge lengths of the box; width and length of the bottom and depth of the trench"),
    REAL(scree_region, radius, "radius", "m", 0.0, 1e6, 0.0, 0, "Radius of the cylinder, of the heap's bottom"),
    REAL(scree_region, length, "length", "m", 0.0, 1e6, 0.0, 0,
         "Length of the cylinder along its z axis; 0: without end"),
    VECTOR(scree_region, normal, "normal", "1", 0.0, 0, "Direction out of the half-space"),
    REAL(scree_region, angle, "angle", "rad", 0.0, 3.0, 0.0, 0,
         "Angle of the sides to the bottom; heap, and trench, where beyond a right angle it gets narrower upward"),
};

static const scree_field sphere_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 1e-6, 1e6, 0.0, REQUIRED, "Radius"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
};

static const scree_field cylinder_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 1e-6, 1e6, 0.0, REQUIRED, "Radius"),
    REAL(scree_shape, length, "length", "m", 1e-6, 1e6, 0.0, REQUIRED, "Length along its z axis"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
};

static const scree_field capsule_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 1e-6, 1e6, 0.0, REQUIRED, "Radius"),
    REAL(scree_shape, length, "length", "m", 1e-6, 1e6, 0.0, REQUIRED,
         "Length along its z axis between the centres of its round ends"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
};

static const scree_field cone_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 0.0, 1e6, 0.0, REQUIRED, "Radius at its low end, z = -length/2"),
    REAL(scree_shape, radius_top, "radiusTop", "m", 0.0, 1e6, 0.0, REQUIRED, "Radius at its high end, z = +length/2"),
    REAL(scree_shape, length, "length", "m", 1e-6, 1e6, 0.0, REQUIRED, "Length along its z axis"),
    CHOICE(scree_shape, solid, "solid", no_yes_words, 0,
           "Whether it is a solid with flat ends; if not, a shell open at both ends that grains touch from both sides"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
};

static const scree_field mesh_fields[] = {
    {.name = "file",
     .kind = SCREE_FIELD_TEXT,
     .flags = SCREE_FIELD_REQUIRED,
     .offset = offsetof(scree_shape, file),
     .unit = "",
     .help = "File with its triangles, relative to the scene: STL, OBJ, PLY, glTF or GLB"},
    REAL(scree_shape, scale, "scale", "1", 1e-9, 1e9, 1.0, 0, "Metres per unit of the file"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Where the file's origin is, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
    CHOICE(scree_shape, solid, "solid", no_yes_words, 0,
           "Whether it is the surface of a solid, and so must be closed; if not, grains touch it from both sides"),
};

static const scree_field disc_fields[] = {
    REAL(scree_shape, radius, "radius", "m", 1e-6, 1e6, 0.0, REQUIRED, "Radius"),
    REAL(scree_shape, hole, "hole", "m", 0.0, 1e6, 0.0, 0, "Radius of the hole in its middle; 0: none"),
    VECTOR(scree_shape, position, "position", "m", 0.0, 0, "Centre, in the body frame"),
    VECTOR(scree_shape, rotation, "rotation", "rad", 0.0, 0, "Orientation in the body frame as axis times angle"),
};

static const scree_field region_sensor_fields[] = {
    ID(scree_sensor, id, "id", "Name of the sensor: the first part of its variables' names"),
    REFERENCE(scree_sensor, region, "region", REGION, "Region whose grains it weighs: those whose centre is in it"),
};

static const scree_field flow_sensor_fields[] = {
    ID(scree_sensor, id, "id", "Name of the sensor: the first part of its variables' names"),
    OPTIONAL_REFERENCE(scree_sensor, body, "body", BODY, "Body that it moves with; without one it is at rest"),
    VECTOR(scree_sensor, position, "position", "m", 0.0, 0,
           "Centre of the rectangle, in the body frame if there is one"),
    VECTOR(scree_sensor, normal, "normal", "1", 0.0, REQUIRED, "Direction in which flow is positive"),
    VECTOR(scree_sensor, across, "across", "1", 0.0, 0,
           "Direction of the width, made perpendicular to the normal; 0 0 0: that of x, or of y when the normal is "
           "along x"),
    REAL(scree_sensor, width, "width", "m", 0.0, 1e6, 0.0, 0, "Width; 0: without end"),
    REAL(scree_sensor, length, "length", "m", 0.0, 1e6, 0.0, 0, "Extent along normal times across; 0: without end"),
};

static const scree_field height_sensor_fields[] = {
    ID(scree_sensor, id, "id", "Name of the sensor: the first part of its variables' names"),
    OPTIONAL_REFERENCE(scree_sensor, body, "body", BODY, "Body that it moves with; without one it is at rest"),
    VECTOR(scree_sensor, position, "position", "m", 0.0, 0,
           "Centre of the rectangle above which heights are measured, in the body frame if there is one"),
    VECTOR(scree_sensor, normal, "normal", "1", 0.0, 0, "Direction of the heights; 0 0 0: that of z"),
    VECTOR(scree_sensor, across, "across", "1", 0.0, 0,
           "Direction of the width, made perpendicular to the normal; 0 0 0: that of x, or of y when the normal is "
           "along x"),
    REAL(scree_sensor, width, "width", "m", 0.0, 1e6, 0.0, REQUIRED | OPEN_MIN, "Width"),
    REAL(scree_sensor, length, "length", "m", 0.0, 1e6, 0.0, REQUIRED | OPEN_MIN, "Extent along normal times across"),
    COUNT(scree_sensor, nx, "nx", 1, SCREE_MOST_HEIGHTS, 1, 0, "Cells along the width"),
    COUNT(scree_sensor, ny, "ny", 1, SCREE_MOST_HEIGHTS, 1, 0, "Cells along the length"),
};

static const scree_field load_sensor_fields[] = {
    ID(scree_sensor, id, "id", "Name of the sensor: the first part of its variables' names"),
    REFERENCE(scree_sensor, body, "body", BODY, "Body whose contacts with grains it measures"),
    OPTIONAL_REFERENCE(scree_sensor, region, "region", REGION, "Contacts outside this region do not count"),
    VECTOR(scree_sensor, position, "position", "m", 0.0, 0, "A point of the axis of the torque, in the body frame"),
    VECTOR(scree_sensor, axis, "axis", "1", 0.0, 0, "Axis of the torque, in the body frame; 0 0 0: that of z"),
    REAL(scree_sensor, area, "area", "m2", 0.0, 1e12, 0.0, 0,
         "Area over which the normal force makes a pressure; 0: no pressure is measured"),
};

static const scree_field joint_fields[] = {
    ID(scree_joint, id, "id", "Name of the joint"),
    CHOICE(scree_joint, kind, "kind", joint_words, SCREE_JOINT_HINGE, "What it holds"),
    OPTIONAL_REFERENCE(scree_joint, a, "a", BODY, "One body; without it, the world"),
    REFERENCE(scree_joint, b, "b", BODY, "The other body; the coordinate is its motion as seen from a"),
    VECTOR(scree_joint, position, "position", "m", 0.0, REQUIRED,
           "The joint in the world at the start; distance: where it is fixed to a"),
    VECTOR(scree_joint, end, "end", "m", 0.0, 0, "Distance: where it is fixed to b, in the world at the start"),
    VECTOR(scree_joint, axis, "axis", "1", 0.0, 0, "Axis of a hinge or slider, in the world at the start"),
    REAL(scree_joint, lower, "lower", "1", -BIG, BIG, 0.0, SETTABLE,
         "Lower end of the coordinate's range, in rad or m; no range when it equals the upper"),
    REAL(scree_joint, upper, "upper", "1", -BIG, BIG, 0.0, SETTABLE, "Upper end of the coordinate's range"),
    REAL(scree_joint, compliance, "compliance", "m/N", 0.0, 1.0, 1e-12, SETTABLE, "How far it gives way"),
    REAL(scree_joint, angular_compliance, "angularCompliance", "rad/(N.m)", 0.0, 1e3, 1e-12, SETTABLE,
         "How far it turns out of line"),
    REAL(scree_joint, damping, "damping", "s", 0.0, 10.0, 0.01, SETTABLE, "Time in which a violation decays"),
};

static const scree_field actuator_fields[] = {
    ID(scree_actuator, id, "id", "Name of the actuator: the first part of its variables' names"),
    REFERENCE(scree_actuator, joint, "joint", JOINT, "Hinge, slider or distance that it drives"),
    CHOICE(scree_actuator, mode, "mode", actuator_words, SCREE_ACTUATE_MOTION,
           "motion: position and speed in, force out; speed: speed in, force out; force: force in, motion out"),
    REAL(scree_actuator, speed, "speed", "1", -BIG, BIG, 0.0, 0, "Speed at the start, in rad/s or m/s"),
    REAL(scree_actuator, force, "force", "1", -BIG, BIG, 0.0, 0, "Force at the start, in N m or N"),
    REAL(scree_actuator, max_force, "maxForce", "1", 0.0, BIG, 0.0, SETTABLE,
         "Most that it pushes or pulls, in N m or N; 0: no limit"),
    REAL(scree_actuator, compliance, "compliance", "1", 0.0, 1e3, 1e-12, SETTABLE,
         "How far its drive gives way, in rad/(N m) or m/N"),
    REAL(scree_actuator, damping, "damping", "s", 0.0, 10.0, 0.01, SETTABLE, "Time in which a lag decays"),
};

static const scree_field emitter_fields[] = {
    ID(scree_emitter, id, "id", "Name of the emitter: the first part of its variables' names"),
    REFERENCE(scree_emitter, material, "material", MATERIAL, "Material of the grains"),
    REFERENCE(scree_emitter, region, "region", REGION, "Region that grains come into, with their centres"),
    OPTIONAL_REFERENCE(scree_emitter, grading, "grading", GRADING, "Size distribution, in place of sizes of its own"),
    CHOICE(scree_emitter, share_by, "shareBy", share_words, SCREE_SHARE_NUMBER, "What the shares of the sizes count"),
    CHOICE(scree_emitter, input, "input", feed_words, SCREE_FEED_PARAMETER, "Which of the rates is an input"),
    REAL(scree_emitter, mass_rate, "massRate", "kg/s", 0.0, BIG, 0.0, SETTABLE | SCREE_FIELD_RATE,
         "Mass of grains per time"),
    REAL(scree_emitter, grain_rate, "grainRate", "1/s", 0.0, BIG, 0.0, SETTABLE | SCREE_FIELD_RATE,
         "Number of grains per time"),
    VECTOR(scree_emitter, velocity, "velocity", "m/s", 0.0, SETTABLE,
           "Velocity of the grains, relative to the body that carries the region, if any"),
    REAL(scree_emitter, spread, "spread", "m/s", 0.0, 1e6, 0.0, SETTABLE,
         "Each component of the velocity is uniform within plus and minus this"),
    REAL(scree_emitter, start, "start", "s", -BIG, BIG, 0.0, SETTABLE, "Time of the first grain"),
    REAL(scree_emitter, stop, "stop", "s", 0.0, BIG, 0.0, SETTABLE, "Time after which no grain comes; 0: never"),
    REAL(scree_emitter, max_mass, "maxMass", "kg", 0.0, BIG, 0.0, SETTABLE,
         "Mass after which no grain comes, to half a grain; 0: without end"),
    COUNT(scree_emitter, seed, "seed", 0, 4294967295.0, 1, SETTABLE, "Seed of the random places and sizes"),
};

static const scree_field sink_fields[] = {
    ID(scree_sink, id, "id", "Name of the sink: the first part of its variables' names"),
    REFERENCE(scree_sink, region, "region", REGION, "Region in which grains are removed"),
    CHOICE(scree_sink, outside, "outside", no_yes_words, 0, "Whether those outside the region are removed instead"),
};

#define DESCRIBE(name_, parent_, at_least_, at_most_, fields_, help_)                                                  \
    {                                                                                                                  \
        .name = name_, .parent = SCREE_ELEMENT_##parent_, .at_least = at_least_, .at_most = at_most_,                  \
        .fields = fields_, .field_count = COUNT_OF(fields_), .help = help_                                             \
    }

static const scree_element_info elements[SCREE_ELEMENT_COUNT] = {
    [SCREE_ELEMENT_SCENE] = DESCRIBE("scene", SCENE, 1, 1, scene_fields, "The whole"),
    [SCREE_ELEMENT_EXPERIMENT] = DESCRIBE("experiment", SCENE, 0, 1, experiment_fields, "What an importer proposes"),
    [SCREE_ELEMENT_SOLVER] = DESCRIBE("solver", SCENE, 0, 1, solver_fields, "How contacts are solved"),
    [SCREE_ELEMENT_MATERIAL] = DESCRIBE("material", SCENE, 1, 0, material_fields, "A material"),
    [SCREE_ELEMENT_PAIR] = DESCRIBE("pair", SCENE, 1, 0, pair_fields, "How two materials touch"),
    [SCREE_ELEMENT_BODY] = DESCRIBE("body", SCENE, 0, 0, body_fields, "A rigid body"),
    [SCREE_ELEMENT_PLANE] = DESCRIBE("plane", BODY, 0, 0, plane_fields, "Half-space, solid behind the plane"),
    [SCREE_ELEMENT_BOX] = DESCRIBE("box", BODY, 0, 0, box_fields, "Box"),
    [SCREE_ELEMENT_FILL] = DESCRIBE("fill", SCENE, 0, 0, fill_fields, "Grains to start with"),
    [SCREE_ELEMENT_SIZE] = DESCRIBE("size", FILL, 0, 0, size_fields, "A class of the size distribution"),
    [SCREE_ELEMENT_PORT] = DESCRIBE("port", SCENE, 0, 0, port_fields, "What the FMU exports of a body"),
    [SCREE_ELEMENT_GRAIN] = DESCRIBE("grain", SCENE, 0, 0, grain_fields, "One grain, placed by hand"),
    [SCREE_ELEMENT_TUBE] =
        DESCRIBE("tube", BODY, 0, 0, tube_fields, "Cylindrical shell, open at both ends; grains inside"),
    [SCREE_ELEMENT_REGION] = DESCRIBE("region", SCENE, 0, 0, region_fields, "A part of space, for what refers to it"),
    [SCREE_ELEMENT_SPHERE] = DESCRIBE("sphere", BODY, 0, 0, sphere_fields, "Solid sphere"),
    [SCREE_ELEMENT_CYLINDER] =
        DESCRIBE("cylinder", BODY, 0, 0, cylinder_fields, "Solid cylinder with flat ends, about its z axis"),
    [SCREE_ELEMENT_CAPSULE] =
        DESCRIBE("capsule", BODY, 0, 0, capsule_fields, "Solid cylinder with round ends, about its z axis"),
    [SCREE_ELEMENT_CONE] = DESCRIBE("cone", BODY, 0, 0, cone_fields,
                                    "Cone or part of one, about its z axis: the shell of a hopper, or a solid"),
    [SCREE_ELEMENT_MESH] = DESCRIBE("mesh", BODY, 0, 0, mesh_fields, "Triangles from a file"),
    [SCREE_ELEMENT_DISC] =
        DESCRIBE("disc", BODY, 0, 0, disc_fields, "Flat disc or ring across its z axis, without thickness, as a lid"),
    [SCREE_ELEMENT_GRADING] =
        DESCRIBE("grading", SCENE, 0, 0, grading_fields, "A size distribution for fills and emitters: sizes or sieves"),
    [SCREE_ELEMENT_GRADING_SIZE] = DESCRIBE("size", GRADING, 0, 0, size_fields, "A class of the size distribution"),
    [SCREE_ELEMENT_SIEVE] = DESCRIBE("sieve", GRADING, 0, 0, sieve_fields,
                                     "A point of the sieve curve; the first passes 0, the last 100 %"),
    [SCREE_ELEMENT_REGION_SENSOR] = DESCRIBE("regionSensor", SCENE, 0, 0, region_sensor_fields,
                                             "Mass, centre, velocity and energy of the grains in a region"),
    [SCREE_ELEMENT_FLOW_SENSOR] = DESCRIBE("flowSensor", SCENE, 0, 0, flow_sensor_fields,
                                           "Mass flow through a rectangle, counted by the centres of the grains"),
    [SCREE_ELEMENT_HEIGHT_SENSOR] = DESCRIBE("heightSensor", SCENE, 0, 0, height_sensor_fields,
                                             "Heights of the surface of the grains over the cells of a rectangle"),
    [SCREE_ELEMENT_LOAD_SENSOR] = DESCRIBE("loadSensor", SCENE, 0, 0, load_sensor_fields,
                                           "Force, torque, power and pressure of the grains on a body"),
    [SCREE_ELEMENT_JOINT] = DESCRIBE("joint", SCENE, 0, 0, joint_fields, "Holds two bodies together"),
    [SCREE_ELEMENT_ACTUATOR] = DESCRIBE("actuator", SCENE, 0, 0, actuator_fields, "Drives a joint"),
    [SCREE_ELEMENT_EMITTER] = DESCRIBE("emitter", SCENE, 0, 0, emitter_fields, "Where grains come from"),
    [SCREE_ELEMENT_EMITTER_SIZE] = DESCRIBE("size", EMITTER, 0, 0, size_fields, "A class of the size distribution"),
    [SCREE_ELEMENT_SINK] = DESCRIBE("sink", SCENE, 0, 0, sink_fields, "Where grains go: they are removed and counted"),
};

#define ONE(member_)                                                                                                   \
    {                                                                                                                  \
        .items_offset = offsetof(scree_scene, member_), .item_size = sizeof(((scree_scene *)0)->member_),              \
        .parent_offset = UINT32_MAX, .kind_offset = UINT32_MAX                                                         \
    }
#define LIST(items_, count_, struct_, parent_offset_)                                                                  \
    {                                                                                                                  \
        .items_offset = offsetof(scree_scene, items_), .count_offset = offsetof(scree_scene, count_),                  \
        .item_size = sizeof(struct_), .parent_offset = (parent_offset_), .kind_offset = UINT32_MAX                     \
    }
#define SHAPE(kind_)                                                                                                   \
    {                                                                                                                  \
        .items_offset = offsetof(scree_scene, shapes), .count_offset = offsetof(scree_scene, shape_count),             \
        .item_size = sizeof(scree_shape), .parent_offset = offsetof(scree_shape, body),                                \
        .kind_offset = offsetof(scree_shape, kind), .kind = SCREE_SHAPE_##kind_                                        \
    }
#define SIZE(owner_)                                                                                                   \
    {                                                                                                                  \
        .items_offset = offsetof(scree_scene, sizes), .count_offset = offsetof(scree_scene, size_count),               \
        .item_size = sizeof(scree_size), .parent_offset = offsetof(scree_size, owner),                                 \
        .kind_offset = offsetof(scree_size, owner_kind), .kind = SCREE_OWNER_##owner_                                  \
    }

#define SENSOR(kind_)                                                                                                  \
    {                                                                                                                  \
        .items_offset = offsetof(scree_scene, sensors), .count_offset = offsetof(scree_scene, sensor_count),           \
        .item_size = sizeof(scree_sensor), .parent_offset = UINT32_MAX, .kind_offset = offsetof(scree_sensor, kind),   \
        .kind = SCREE_SENSOR_##kind_                                                                                   \
    }

static const scree_list lists[SCREE_ELEMENT_COUNT] = {
    [SCREE_ELEMENT_SCENE] = ONE(head),
    [SCREE_ELEMENT_EXPERIMENT] = ONE(experiment),
    [SCREE_ELEMENT_SOLVER] = ONE(solver),
    [SCREE_ELEMENT_MATERIAL] = LIST(materials, material_count, scree_material, UINT32_MAX),
    [SCREE_ELEMENT_PAIR] = LIST(pairs, pair_count, scree_pair, UINT32_MAX),
    [SCREE_ELEMENT_BODY] = LIST(bodies, body_count, scree_body, UINT32_MAX),
    [SCREE_ELEMENT_PLANE] = SHAPE(PLANE),
    [SCREE_ELEMENT_BOX] = SHAPE(BOX),
    [SCREE_ELEMENT_FILL] = LIST(fills, fill_count, scree_fill, UINT32_MAX),
    [SCREE_ELEMENT_SIZE] = SIZE(FILL),
    [SCREE_ELEMENT_PORT] = LIST(ports, port_count, scree_port, UINT32_MAX),
    [SCREE_ELEMENT_GRAIN] = LIST(grains, grain_count, scree_grain, UINT32_MAX),
    [SCREE_ELEMENT_TUBE] = SHAPE(TUBE),
    [SCREE_ELEMENT_REGION] = LIST(regions, region_count, scree_region, UINT32_MAX),
    [SCREE_ELEMENT_SPHERE] = SHAPE(SPHERE),
    [SCREE_ELEMENT_CYLINDER] = SHAPE(CYLINDER),
    [SCREE_ELEMENT_CAPSULE] = SHAPE(CAPSULE),
    [SCREE_ELEMENT_CONE] = SHAPE(CONE),
    [SCREE_ELEMENT_DISC] = SHAPE(DISC),
    [SCREE_ELEMENT_MESH] = SHAPE(MESH),
    [SCREE_ELEMENT_GRADING] = LIST(gradings, grading_count, scree_grading, UINT32_MAX),
    [SCREE_ELEMENT_GRADING_SIZE] = SIZE(GRADING),
    [SCREE_ELEMENT_SIEVE] = LIST(sieves, sieve_count, scree_sieve, offsetof(scree_sieve, grading)),
    [SCREE_ELEMENT_REGION_SENSOR] = SENSOR(REGION),
    [SCREE_ELEMENT_FLOW_SENSOR] = SENSOR(FLOW),
    [SCREE_ELEMENT_HEIGHT_SENSOR] = SENSOR(HEIGHT),
    [SCREE_ELEMENT_LOAD_SENSOR] = SENSOR(LOAD),
    [SCREE_ELEMENT_JOINT] = LIST(joints, joint_count, scree_joint, UINT32_MAX),
    [SCREE_ELEMENT_ACTUATOR] = LIST(actuators, actuator_count, scree_actuator, UINT32_MAX),
    [SCREE_ELEMENT_EMITTER] = LIST(emitters, emitter_count, scree_emitter, UINT32_MAX),
    [SCREE_ELEMENT_EMITTER_SIZE] = SIZE(EMITTER),
    [SCREE_ELEMENT_SINK] = LIST(sinks, sink_count, scree_sink, UINT32_MAX),
};

const scree_element_info *scree_element_describe(scree_element element)
{
    return &elements[element];
}

const scree_list *scree_element_list(scree_element element)
{
    return &lists[element];
}

const char *scree_shape_kind_name(scree_shape_kind kind)
{
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++)
        if (lists[element].items_offset == offsetof(scree_scene, shapes) && lists[element].kind == (uint32_t)kind)
            return elements[element].name;
    return "";
}

uint32_t scree_field_components(const scree_field *field)
{
    return field->kind == SCREE_FIELD_VECTOR ? 3 : 1;
}

scree_status scree_field_check(scree_element element, const scree_field *field, double value, scree_error *error)
{
    bool above = (field->flags & SCREE_FIELD_OPEN_MIN) ? value > field->min : value >= field->min;
    if (above && value <= field->max) /* false for NaN */
        return SCREE_OK;
    return scree_fail(error, SCREE_INVALID, "%s: %s = %g is out of range; allowed: %s %g to %g%s%s",
                      elements[element].name, field->name, value,
                      (field->flags & SCREE_FIELD_OPEN_MIN) ? "above" : "from", field->min, field->max,
                      field->unit[0] == '1' ? "" : " ", field->unit[0] == '1' ? "" : field->unit);
}
