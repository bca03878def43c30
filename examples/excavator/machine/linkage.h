/*
 * Linkage of an excavator: swing, boom, stick, and a bucket that a rocker and a link turn. Four coordinates
 *   q = (swing, boom, stick, bucket)
 * in rad: the swing about the vertical, and in the plane of the arm, from horizontal and counter-clockwise with r to
 * the right and z up, the absolute angles of boom, stick and cutting edge. Rocker and link follow from the four-bar.
 * All centres of mass lie in the plane of the arm and all bodies have principal axes along and across it, so that with
 * the planar mass matrix M and the moment of inertia about the swing axis S the kinetic energy is ½ αᵀMα + ½ S ψ² and
 *   M α'' = Q − bias + ½ ψ'² ∂S/∂α − ∂V/∂α        S ψ'' = Q_ψ − ψ' (∂S/∂α · α')
 * (derivatives by time as dashes; α the last three coordinates). Measures and masses are those of ../make_scene.py.
 */
#ifndef EXCAVATOR_LINKAGE_H
#define EXCAVATOR_LINKAGE_H

enum { SWING, BOOM, STICK, BUCKET, DOFS };
enum { UPPER, COUNTERWEIGHT, BOOM_BODY, STICK_BODY, ROCKER, LINK, BUCKET_BODY, BODIES };
enum { BOOM_CYLINDER, STICK_CYLINDER, BUCKET_CYLINDER, SWING_MOTOR, ACTUATORS };

/* All doubles: parameters of the FMU. Points are (along, across) of the frame of their body. */
typedef struct linkage {
    double gravity;            /* m/s2 */
    double foot[2];            /* m: boom foot pin in the upper structure, whose frame is the world's at swing 0 */
    double boom, stick;        /* m: between their pins */
    double boom_cylinder[4];   /* m: on the upper structure, on the boom */
    double stick_cylinder[4];  /* m: on the boom, on the stick */
    double bucket_cylinder[2]; /* m: on the stick; its other end is the end of the rocker */
    double rocker_pivot[2];    /* m: on the stick */
    double rocker, link, ear;  /* m: lengths; the ear from the bucket pin */
    double ear_angle;          /* rad: from the cutting edge to the ear, about the bucket pin */
    double mass[BODIES];       /* kg */
    double center[2 *
                  BODIES]; /* m: centre of mass in the body's frame; upper and counterweight: in the world at swing 0 */
    double inertia[3 * BODIES]; /* kg m2: about the centre of mass, along, normal to the plane, across */
} linkage;

/* A point of the arm's plane: where it is, how it moves with α, what acceleration it has when α'' = 0. */
typedef struct arm_point {
    double p[2];    /* m: r, z */
    double j[2][3]; /* m: by boom, stick, bucket */
    double b[2];    /* m/s2 */
} arm_point;

/* All that depends on q and q'; arm_move. */
typedef struct arm {
    double mass[3][3];             /* kg m2: M */
    double swing_inertia;          /* kg m2: S */
    double swing_slope[3];         /* kg m2: ∂S/∂α */
    double bias[3];                /* N m: of α' */
    double lift[3];                /* N m: ∂V/∂α */
    double potential;              /* J: V */
    double length[ACTUATORS];      /* m, rad: strokes and swing angle */
    double lever[ACTUATORS][DOFS]; /* m: ∂length/∂q */
    arm_point wrist;               /* the bucket pin, which is the origin of the bucket */
} arm;

void linkage_defaults(linkage *l);

/* NULL, or what is wrong with the measures. */
const char *linkage_check(const linkage *l);

/* 0 when rocker and link do not reach. */
int arm_move(const linkage *l, const double q[DOFS], const double rate[DOFS], arm *a);

/* Accelerations under generalised forces Q. */
void arm_accelerate(const arm *a, const double rate[DOFS], const double force[DOFS], double acceleration[DOFS]);

/* Forces of the three cylinders that hold the arm at rest under the generalised forces Q, boom to bucket. */
void arm_hold(const arm *a, const double force[DOFS], double cylinder[3]);

double arm_kinetic(const arm *a, const double rate[DOFS]);

/* The bucket in the world: position, quaternion w x y z, and the 6 × 4 Jacobian of its twist, row by row. */
void arm_bucket(const arm *a, const double q[DOFS], double position[3], double orientation[4],
                double jacobian[6 * DOFS]);

#endif
