/*
 * A 50 t class excavator as a machine of its own: linkage, hydraulics and an operator who follows a dig cycle. The
 * bucket's motion goes out, the wrench of the grains on it and their impedance come in, and within a step the wrench
 * follows the bucket's own twist by the law of examples/adapter.
 *
 * Integrated by the classical Runge-Kutta rule in equal parts of a step.
 */
#include "hydraulics.h"
#include "linkage.h"
#include "machine.h"
#include "scree_adapter.h"

#include <math.h>
#include <string.h>

#define PI         3.14159265358979323846
#define LINES      8
#define LONGEST    1e-4 /* s: part of a step; hoses and valves answer in 1e-4 to 1e-3 s */
#define MOST_PARTS 20000

/* What is integrated. */
typedef struct state {
    double q[DOFS], rate[DOFS];
    hydraulic_state oil;
    double work[ACTUATORS]; /* J: of the actuators on the linkage */
    double pump_work;       /* J: of the pump on the oil */
    double bucket_work;     /* J: of the grains on the bucket */
    double used[6];         /* N s, N m s: impulse of the grains since the step began */
} state;

#define STATES (sizeof(state) / sizeof(double))

typedef struct excavator {
    /* parameters */
    linkage arm;
    hydraulics oil;
    double free;              /* above 0.5: no force from any actuator */
    double impedance;         /* above 0.5: the wrench follows the twist by Z */
    double cycle_time[LINES]; /* s */
    double cycle[4][LINES];   /* rad: boom, stick, cutting edge from the stick, swing */
    /* inputs */
    double wrench[6]; /* N, N m: of the grains, mean over the step that is to be made */
    double z[36];     /* kg, kg m, kg m2 */
    /* outputs */
    double position[3], orientation[4], twist[6];
    double used_wrench[6];
    double bucket_work;
    double stroke[ACTUATORS], speed[ACTUATORS], force[ACTUATORS], power[ACTUATORS], work[ACTUATORS];
    double target[ACTUATORS], target_speed[ACTUATORS];
    double pressure_a[ACTUATORS], pressure_b[ACTUATORS], opening[ACTUATORS];
    double pump_pressure, pump_flow, pump_power, pump_work;
    double kinetic, potential;
    /* state */
    state now;
    scree_adapter adapter;
} excavator;

/* ---- the operator */

/* Slope of a column of the cycle at line i: harmonic mean of its neighbours, 0 at turns, at rest on the first two lines
 * and on the last. */
static double slope(const double time[LINES], const double x[LINES], int i)
{
    if (i == 0 || i == 1 || i == LINES - 1)
        return 0.0;
    double left = (x[i] - x[i - 1]) / (time[i] - time[i - 1]), right = (x[i + 1] - x[i]) / (time[i + 1] - time[i]);
    return left * right <= 0.0 ? 0.0 : 2.0 * left * right / (left + right);
}

/* Cubic between lines. */
static void follow(const excavator *m, int column, double t, double *x, double *rate)
{
    const double *time = m->cycle_time, *value = m->cycle[column];
    int k = 1;
    while (k < LINES - 1 && t >= time[k])
        k++;
    double width = time[k] - time[k - 1], raw = (t - time[k - 1]) / width, s = fmin(fmax(raw, 0.0), 1.0);
    double m0 = width * slope(time, value, k - 1), m1 = width * slope(time, value, k), rise = value[k] - value[k - 1];
    *x = value[k - 1] + s * m0 + s * s * (3.0 * rise - 2.0 * m0 - m1) + s * s * s * (m0 + m1 - 2.0 * rise);
    *rate =
        raw != s ? 0.0 : (m0 + 2.0 * s * (3.0 * rise - 2.0 * m0 - m1) + 3.0 * s * s * (m0 + m1 - 2.0 * rise)) / width;
}

static int set_targets(const excavator *m, double t, double q[DOFS], double target[ACTUATORS], double speed[ACTUATORS])
{
    double rate[DOFS], x[4], v[4];
    for (int c = 0; c < 4; c++)
        follow(m, c, t, &x[c], &v[c]);
    q[SWING] = x[3], q[BOOM] = x[0], q[STICK] = x[1], q[BUCKET] = x[1] + x[2];
    rate[SWING] = v[3], rate[BOOM] = v[0], rate[STICK] = v[1], rate[BUCKET] = v[1] + v[2];
    arm a;
    if (!arm_move(&m->arm, q, rate, &a))
        return 0;
    for (int k = 0; k < ACTUATORS; k++) {
        target[k] = a.length[k];
        speed[k] = 0.0;
        for (int i = 0; i < DOFS; i++)
            speed[k] += a.lever[k][i] * rate[i];
    }
    return 1;
}

/* ---- motion */

static void measure(const arm *a, const state *s, double speed[ACTUATORS])
{
    for (int k = 0; k < ACTUATORS; k++) {
        speed[k] = 0.0;
        for (int i = 0; i < DOFS; i++)
            speed[k] += a->lever[k][i] * s->rate[i];
    }
}

/* y' at time t; 0 when the linkage is out of its range. */
static int derive(const excavator *m, double t, const state *s, state *d)
{
    arm a;
    double position[3], orientation[4], jacobian[6 * DOFS], twist[6] = {0}, wrench[6];
    double ideal[DOFS], target[ACTUATORS], target_speed[ACTUATORS], speed[ACTUATORS], generalised[DOFS] = {0};
    if (!arm_move(&m->arm, s->q, s->rate, &a) || !set_targets(m, t, ideal, target, target_speed))
        return 0;
    memset(d, 0, sizeof *d);
    arm_bucket(&a, s->q, position, orientation, jacobian);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < DOFS; k++)
            twist[i] += jacobian[DOFS * i + k] * s->rate[k];
    scree_adapter_wrench(&m->adapter, twist, wrench);
    for (int i = 0; i < 6; i++) {
        d->used[i] = wrench[i];
        d->bucket_work += wrench[i] * twist[i];
        for (int k = 0; k < DOFS; k++)
            generalised[k] += jacobian[DOFS * i + k] * wrench[i];
    }
    measure(&a, s, speed);
    for (int k = 0; k < ACTUATORS && m->free <= 0.5; k++) {
        double force = hydraulics_force(&m->oil, &s->oil, k, a.length[k], speed[k]);
        d->work[k] = force * speed[k];
        for (int i = 0; i < DOFS; i++)
            generalised[i] += a.lever[k][i] * force;
    }
    if (m->free <= 0.5)
        hydraulics_rates(&m->oil, &s->oil, a.length, speed, target, target_speed, &d->oil);
    d->pump_work = s->oil.line * s->oil.flow;
    memcpy(d->q, s->rate, sizeof d->q);
    arm_accelerate(&a, s->rate, generalised, d->rate);
    return 1;
}

static void add(const state *s, double h, const state *d, state *out)
{
    const double *x = (const double *)s, *v = (const double *)d;
    double *y = (double *)out;
    for (size_t i = 0; i < STATES; i++)
        y[i] = x[i] + h * v[i];
}

static int runge_kutta(const excavator *m, double t, double h, state *s)
{
    state k1, k2, k3, k4, y;
    if (!derive(m, t, s, &k1))
        return 0;
    add(s, h / 2, &k1, &y);
    if (!derive(m, t + h / 2, &y, &k2))
        return 0;
    add(s, h / 2, &k2, &y);
    if (!derive(m, t + h / 2, &y, &k3))
        return 0;
    add(s, h, &k3, &y);
    if (!derive(m, t + h, &y, &k4))
        return 0;
    add(s, h / 6, &k1, s);
    add(s, h / 3, &k2, s);
    add(s, h / 3, &k3, s);
    add(s, h / 6, &k4, s);
    for (size_t i = 0; i < STATES; i++)
        if (!isfinite(((double *)s)[i]))
            return 0;
    return 1;
}

/* Trace of M⁻¹ Jᵀ (Z/H) J: no mode of the adapter's damping is faster, 1/s. */
static double fastest_rate(const excavator *m, const arm *a, const double jacobian[6 * DOFS])
{
    double damping[36], trace = 0.0, still[DOFS] = {0}, none[DOFS] = {0}, rest[DOFS];
    scree_adapter_damping(&m->adapter, damping);
    arm_accelerate(a, still, none, rest);
    for (int k = 0; k < DOFS; k++) {
        double column[DOFS] = {0}, answer[DOFS];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                for (int r = 0; r < DOFS; r++)
                    column[r] += jacobian[DOFS * i + r] * damping[6 * i + j] * jacobian[DOFS * j + k];
        arm_accelerate(a, still, column, answer);
        trace += answer[k] - rest[k];
    }
    return trace;
}

/* ---- the FMU */

static int set_outputs(excavator *m, double t, double h)
{
    arm a;
    double q[DOFS], jacobian[6 * DOFS], speed[ACTUATORS];
    const state *s = &m->now;
    if (!arm_move(&m->arm, s->q, s->rate, &a) || !set_targets(m, t, q, m->target, m->target_speed))
        return 0;
    arm_bucket(&a, s->q, m->position, m->orientation, jacobian);
    measure(&a, s, speed);
    for (int i = 0; i < 6; i++) {
        m->twist[i] = 0.0;
        for (int k = 0; k < DOFS; k++)
            m->twist[i] += jacobian[DOFS * i + k] * s->rate[k];
        m->used_wrench[i] = h > 0.0 ? s->used[i] / h : 0.0;
    }
    for (int k = 0; k < ACTUATORS; k++) {
        m->stroke[k] = a.length[k];
        m->speed[k] = speed[k];
        m->force[k] = m->free > 0.5 ? 0.0 : hydraulics_force(&m->oil, &s->oil, k, a.length[k], speed[k]);
        m->power[k] = m->force[k] * speed[k];
        m->work[k] = s->work[k];
        m->pressure_a[k] = s->oil.a[k];
        m->pressure_b[k] = s->oil.b[k];
        m->opening[k] = s->oil.opening[k];
    }
    m->pump_pressure = s->oil.line;
    m->pump_flow = s->oil.flow;
    m->pump_power = s->oil.line * s->oil.flow;
    m->pump_work = s->pump_work;
    m->bucket_work = s->bucket_work;
    m->kinetic = arm_kinetic(&a, s->rate);
    m->potential = a.potential;
    return 1;
}

static void defaults(void *model)
{
    /* time, boom, stick, edge from the stick, swing: CYCLE of make_scene.py */
    static const double cycle[LINES][5] = {
        {0.0, 31.0, -74.0, 16.0, 0.0},     {1.0, 31.0, -74.0, 16.0, 0.0},   {3.5, 14.5, -76.0, 10.0, 0.0},
        {6.5, 12.5, -96.0, -22.0, 0.0},    {8.5, 17.0, -110.0, -62.0, 0.0}, {10.5, 31.0, -106.0, -84.0, 0.0},
        {13.0, 33.0, -104.0, -84.0, 70.0}, {15.0, 33.0, -84.0, 10.0, 78.0},
    };
    excavator *m = model;
    linkage_defaults(&m->arm);
    hydraulics_defaults(&m->oil);
    m->impedance = 1.0;
    for (int i = 0; i < LINES; i++) {
        m->cycle_time[i] = cycle[i][0];
        for (int c = 0; c < 4; c++)
            m->cycle[c][i] = cycle[i][1 + c] * PI / 180.0;
    }
}

static const char *start(void *model)
{
    excavator *m = model;
    const char *wrong = linkage_check(&m->arm);
    if (!wrong)
        wrong = hydraulics_check(&m->oil);
    if (wrong)
        return wrong;
    for (int i = 1; i < LINES; i++)
        if (!(m->cycle_time[i] > m->cycle_time[i - 1]))
            return "cycle.time must rise";
    memset(&m->now, 0, sizeof m->now);
    scree_adapter_init(&m->adapter);
    arm a;
    double target[ACTUATORS], speed[ACTUATORS], force[ACTUATORS] = {0};
    const double none[DOFS] = {0};
    if (!set_targets(m, m->cycle_time[0], m->now.q, target, speed) || !arm_move(&m->arm, m->now.q, none, &a))
        return "cycle: rocker and link do not reach at its beginning";
    arm_hold(&a, none, force);
    hydraulics_rest(&m->oil, force, &m->now.oil);
    return set_outputs(m, m->cycle_time[0], 0.0) ? NULL : "cycle: rocker and link do not reach at its beginning";
}

static const char *step(void *model, double time, double h)
{
    excavator *m = model;
    arm a;
    double position[3], orientation[4], jacobian[6 * DOFS];
    memset(m->now.used, 0, sizeof m->now.used);
    scree_adapter_update(&m->adapter, h, m->twist, m->wrench, m->impedance > 0.5 ? m->z : NULL);
    arm_move(&m->arm, m->now.q, m->now.rate, &a);
    arm_bucket(&a, m->now.q, position, orientation, jacobian);
    double parts =
        fmax(ceil(h / LONGEST), ceil(fastest_rate(m, &a, jacobian) * h / 1.5)); /* the rule's limit is 2.78 */
    if (!(parts <= MOST_PARTS))
        return "a step this long, or with this impedance, would take more than 20000 parts";
    for (int i = 0; i < (int)parts; i++)
        if (!runge_kutta(m, time + i * h / parts, h / parts, &m->now))
            return "the linkage has left its range";
    scree_adapter_settle(&m->adapter, m->now.used);
    return set_outputs(m, time + h, h) ? NULL : "the linkage has left its range";
}

#define AT(member) (offsetof(excavator, member) / sizeof(double))
#define P(name, unit, n, at, text)                                                                                     \
    {                                                                                                                  \
        name, MACHINE_PARAMETER, unit, n, 0, AT(at), text                                                              \
    }
#define O(name, unit, n, at, text)                                                                                     \
    {                                                                                                                  \
        name, MACHINE_OUTPUT, unit, n, 0, AT(at), text                                                                 \
    }
#define BODY(name, k)                                                                                                  \
    P("body." name ".mass", "kg", 1, arm.mass[k], "Mass of the " name),                                                \
        P("body." name ".center", "m", 2, arm.center[2 * (k)], "Centre of mass of the " name ", along and across"),    \
        P("body." name ".inertia", "kg.m2", 3, arm.inertia[3 * (k)],                                                   \
          "Moments of inertia of the " name " about it: along, normal to the arm's plane, across")
#define ACTUATOR(name, k, m, n, area)                                                                                  \
    P(name ".areaA", area, 1, oil.area_a[k], "Area of the side that extends; a motor's displacement per rad"),         \
        P(name ".areaB", area, 1, oil.area_b[k], "Area of the rod's side"),                                            \
        P(name ".least", m, 1, oil.least[k], "Pin to pin, rod in"),                                                    \
        P(name ".most", m, 1, oil.most[k], "Pin to pin, rod out; as least: a motor"),                                  \
        P(name ".deadVolume", "m3", 1, oil.dead[k], "Hoses and dead volume of each chamber"),                          \
        P(name ".valve", "1", 1, oil.valve[k],                                                                         \
          "Flow of the fully open valve over the root of the pressure drop, m3/(s Pa^0.5)"),                           \
        P(name ".friction", "1", 1, oil.friction[k], "Viscous friction, N s/m or N m s/rad"),                          \
        P(name ".leak", "m3/(s.Pa)", 1, oil.leak[k], "Leakage across the piston"),                                     \
        P(name ".gain", "1/s", 1, oil.gain[k], "Operator: speed per error of the stroke"),                             \
        P(name ".calm", "1", 1, oil.calm[k], "Speed taken back per change of force, m/(s N) or rad/(s N m)"),          \
        O(name ".stroke", m, 1, stroke[k], "Length pin to pin, or angle"),                                             \
        O(name ".speed", m "/s", 1, speed[k], "Its rate"),                                                             \
        O(name ".force", n, 1, force[k], "Force or torque on the linkage, above 0 extends"),                           \
        O(name ".power", "W", 1, power[k], "Power on the linkage"),                                                    \
        O(name ".work", "J", 1, work[k], "Work on the linkage since the start"),                                       \
        O(name ".target", m, 1, target[k], "What the operator wants"),                                                 \
        O(name ".targetSpeed", m "/s", 1, target_speed[k], "Its rate"),                                                \
        O(name ".pressureA", "Pa", 1, pressure_a[k], "Pressure of the side that extends"),                             \
        O(name ".pressureB", "Pa", 1, pressure_b[k], "Pressure of the rod's side"),                                    \
        O(name ".opening", "1", 1, opening[k], "Opening of its valve, -1 to 1")

static const machine_variable table[] = {
    P("gravity", "m/s2", 1, arm.gravity, "Gravity, downwards"),
    P("free", "1", 1, free, "1: no force from any actuator, the linkage swings"),
    P("adapter", "1", 1, impedance, "1: within a step the wrench follows the twist by Z; 0: it is held"),
    P("linkage.foot", "m", 2, arm.foot, "Boom foot pin"),
    P("linkage.boom", "m", 1, arm.boom, "Boom, pin to pin"),
    P("linkage.stick", "m", 1, arm.stick, "Stick, pin to pin"),
    P("linkage.boomCylinder", "m", 4, arm.boom_cylinder,
      "Its pins: x, z on the upper structure; along, across on the boom"),
    P("linkage.stickCylinder", "m", 4, arm.stick_cylinder, "Its pins: along, across on the boom; on the stick"),
    P("linkage.bucketCylinder", "m", 2, arm.bucket_cylinder,
      "Its pin on the stick, along, across; the other is the rocker's end"),
    P("linkage.rockerPivot", "m", 2, arm.rocker_pivot, "Pin of the rocker on the stick, along, across"),
    P("linkage.rocker", "m", 1, arm.rocker, "Rocker, pin to pin"),
    P("linkage.link", "m", 1, arm.link, "Link, pin to pin"),
    P("linkage.ear", "m", 1, arm.ear, "From the bucket's pin to the link's on the bucket"),
    P("linkage.earAngle", "rad", 1, arm.ear_angle, "From the cutting edge to that pin"),
    BODY("upper", UPPER),
    BODY("counterweight", COUNTERWEIGHT),
    BODY("boom", BOOM_BODY),
    BODY("stick", STICK_BODY),
    BODY("rocker", ROCKER),
    BODY("link", LINK),
    BODY("bucket", BUCKET_BODY),
    P("cycle.time", "s", LINES, cycle_time, "Dig cycle: times of its lines"),
    P("cycle.boom", "rad", LINES, cycle[0], "Dig cycle: angle of the boom from horizontal"),
    P("cycle.stick", "rad", LINES, cycle[1], "Dig cycle: angle of the stick from horizontal"),
    P("cycle.edge", "rad", LINES, cycle[2], "Dig cycle: angle of the cutting edge from the stick"),
    P("cycle.swing", "rad", LINES, cycle[3], "Dig cycle: swing"),
    P("oil.bulk", "Pa", 1, oil.bulk, "Bulk modulus of oil and hoses"),
    P("oil.relief", "Pa", 1, oil.relief, "Relief valves of the line and of every chamber"),
    P("oil.tank", "Pa", 1, oil.tank, "Pressure of the tank"),
    P("valve.time", "s", 1, oil.valve_time, "Lag of the spools"),
    P("valve.calmTime", "s", 1, oil.calm_time, "Time within which a change of force is one"),
    P("pump.maxFlow", "m3/s", 1, oil.pump_flow, "Largest flow"),
    P("pump.maxPressure", "Pa", 1, oil.pump_pressure, "Limit of its control"),
    P("pump.maxPower", "W", 1, oil.pump_power, "Limit of its control"),
    P("pump.time", "s", 1, oil.pump_time, "Lag"),
    P("pump.lineVolume", "m3", 1, oil.pump_volume, "Volume of its line"),
    P("pump.gain", "m3/(s.Pa)", 1, oil.pump_gain, "Flow per pressure that is missing"),
    P("valve.margin", "Pa", 1, oil.margin, "Pressure drop of an inlet's edge, kept by its compensator"),
    P("valve.back", "Pa", 1, oil.back, "Pressure drop of an outlet's edge at the same speed"),
    P("pump.standby", "Pa", 1, oil.standby, "Pressure when nothing moves"),
    {"bucket.force", MACHINE_INPUT, "N", 3, 0, AT(wrench[0]),
     "Force of the grains, mean over the step that is to be made"},
    {"bucket.torque", MACHINE_INPUT, "N.m", 3, 0, AT(wrench[3]),
     "Torque of the grains about the bucket's pin, likewise"},
    {"bucket.Z", MACHINE_INPUT, "1", 6, 6, AT(z), "Impedance of the grains over that step (kg, kg.m, kg.m2)"},
    O("bucket.position", "m", 3, position, "Origin of the bucket: its pin"),
    O("bucket.orientation", "1", 4, orientation, "Orientation of the bucket as a quaternion (w, x, y, z)"),
    O("bucket.velocity", "m/s", 3, twist[0], "Velocity of the origin"),
    O("bucket.angularVelocity", "rad/s", 3, twist[3], "Angular velocity"),
    O("bucket.usedForce", "N", 3, used_wrench[0], "Force of the grains that the last step was made with, mean"),
    O("bucket.usedTorque", "N.m", 3, used_wrench[3], "Torque likewise"),
    O("bucket.work", "J", 1, bucket_work, "Work of the grains on the bucket since the start"),
    ACTUATOR("boomCylinder", BOOM_CYLINDER, "m", "N", "m2"),
    ACTUATOR("stickCylinder", STICK_CYLINDER, "m", "N", "m2"),
    ACTUATOR("bucketCylinder", BUCKET_CYLINDER, "m", "N", "m2"),
    ACTUATOR("swingMotor", SWING_MOTOR, "rad", "N.m", "m3/rad"),
    O("pump.pressure", "Pa", 1, pump_pressure, "Pressure of its line"),
    O("pump.flow", "m3/s", 1, pump_flow, "Flow"),
    O("pump.power", "W", 1, pump_power, "Hydraulic power"),
    O("pump.work", "J", 1, pump_work, "Work since the start"),
    O("energy.kinetic", "J", 1, kinetic, "Kinetic energy of the linkage"),
    O("energy.potential", "J", 1, potential, "Potential energy of the linkage"),
};

const machine_model machine = {
    "excavator_machine",
    "A 50 t class excavator: linkage, hydraulics, operator; the grains' wrench on its bucket in, its motion out",
    table,
    sizeof table / sizeof *table,
    sizeof(excavator),
    defaults,
    start,
    step,
    0.0};
