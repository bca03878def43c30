/*
 * The drive of a belt conveyor: a converter, an asynchronous motor, a gear, a pulley and the belt with all that moves
 * with it, as a machine model (examples/common/machine).
 *
 * Symbols: ω motor speed, ω_s synchronous speed, T torque of the motor, i gear ratio, r radius of the pulley, v = ω r/i
 *
 *   T_∞ = 2 T_b x/(1 + x²), x = (ω_s − ω)/Δω_b         Kloss, with constant flux (voltage in proportion to frequency)
 *   τ dT/dt = T_∞ − T                                   the rotor's flux follows
 *   (m + J i²/r²) dv/dt = η T i/r − R tanh(v/v_0) − c v + F       F: by the grains, along the belt
 *
 * with the gear's loss on the other side, T i/(η r), while the belt drives the motor. ω_s goes up in `ramp` from zero
 * to the speed at which the belt without slip would run. Powers are means over the communication step, so that shaft =
 * gear's loss + belt's friction + change of kinetic energy/H + load holds over every step to rounding of the
 * integration (semi-implicit, steps of at most 0.2 ms).
 */
#include "machine.h"

#include <math.h>

typedef struct drive {
    /* parameters */
    double speed, ramp;                    /* m/s, s */
    double breakdown, slip, flux, copper;  /* N m, rad/s, s, W/(N m)² */
    double inertia, ratio, efficiency;     /* kg m², 1, 1 */
    double radius, mass, resistance, drag; /* m, kg, N, N s/m */
    /* input */
    double load; /* N */
    /* outputs */
    double belt_speed, motor_speed, torque;                          /* m/s, rad/s, N m */
    double shaft, electric, gear_loss, friction, load_power, energy; /* W, … J */
} drive;

#define AT(member) (offsetof(drive, member) / sizeof(double))

static const machine_variable table[] = {
    {"drive.speed", MACHINE_PARAMETER, "m/s", 1, 0, AT(speed),
     "Speed of the belt without load that the converter aims at"},
    {"drive.ramp", MACHINE_PARAMETER, "s", 1, 0, AT(ramp), "Time in which the converter takes it up"},
    {"motor.breakdownTorque", MACHINE_PARAMETER, "N.m", 1, 0, AT(breakdown), "Largest torque of the motor"},
    {"motor.breakdownSlip", MACHINE_PARAMETER, "rad/s", 1, 0, AT(slip), "Slip at the largest torque"},
    {"motor.fluxTime", MACHINE_PARAMETER, "s", 1, 0, AT(flux), "Time constant of the torque"},
    {"motor.copperLoss", MACHINE_PARAMETER, "s/(kg.m2)", 1, 0, AT(copper),
     "Loss in the stator per square of the torque"},
    {"motor.inertia", MACHINE_PARAMETER, "kg.m2", 1, 0, AT(inertia), "Inertia of the rotor and the gear's fast shaft"},
    {"gear.ratio", MACHINE_PARAMETER, "1", 1, 0, AT(ratio), "Turns of the motor per turn of the pulley"},
    {"gear.efficiency", MACHINE_PARAMETER, "1", 1, 0, AT(efficiency), "Share of the power that the gear hands on"},
    {"pulley.radius", MACHINE_PARAMETER, "m", 1, 0, AT(radius), "Radius of the driving pulley"},
    {"belt.mass", MACHINE_PARAMETER, "kg", 1, 0, AT(mass), "Mass of the belt with idlers and pulleys as if on it"},
    {"belt.resistance", MACHINE_PARAMETER, "N", 1, 0, AT(resistance), "Resistance of belt and idlers without load"},
    {"belt.drag", MACHINE_PARAMETER, "kg/s", 1, 0, AT(drag), "What it grows by with the speed"},
    {"load.force", MACHINE_INPUT, "N", 1, 0, AT(load), "Force by the grains on the belt, along it"},
    {"belt.speed", MACHINE_OUTPUT, "m/s", 1, 0, AT(belt_speed), "Speed of the belt"},
    {"motor.speed", MACHINE_OUTPUT, "rad/s", 1, 0, AT(motor_speed), "Speed of the motor"},
    {"motor.torque", MACHINE_OUTPUT, "N.m", 1, 0, AT(torque), "Torque of the motor"},
    {"motor.shaftPower", MACHINE_OUTPUT, "W", 1, 0, AT(shaft), "Power at the motor's shaft, mean over the last step"},
    {"motor.electricPower", MACHINE_OUTPUT, "W", 1, 0, AT(electric), "Power that the motor takes, likewise"},
    {"gear.lossPower", MACHINE_OUTPUT, "W", 1, 0, AT(gear_loss), "Loss in the gear, likewise"},
    {"belt.frictionPower", MACHINE_OUTPUT, "W", 1, 0, AT(friction), "Loss to the belt's own resistance, likewise"},
    {"load.power", MACHINE_OUTPUT, "W", 1, 0, AT(load_power), "Power that the belt gives to the grains, likewise"},
    {"drive.kineticEnergy", MACHINE_OUTPUT, "J", 1, 0, AT(energy), "Kinetic energy of motor and belt"},
};

static const double CREEP = 0.01; /* m/s, speed at which three quarters of the dry resistance act */

static void defaults(void *model)
{
    /* 5.5 kW at 152 rad/s, 36 N m; 2 m/s */
    *(drive *)model = (drive){.speed = 2.0,
                              .ramp = 1.0,
                              .breakdown = 90.0,
                              .slip = 21.0,
                              .flux = 0.02,
                              .copper = 0.3,
                              .inertia = 0.03,
                              .ratio = 15.2,
                              .efficiency = 0.96,
                              .radius = 0.2,
                              .mass = 264.0,
                              .resistance = 120.0,
                              .drag = 20.0};
}

static double moving_mass(const drive *m)
{
    double lever = m->ratio / m->radius;
    return m->mass + m->inertia * lever * lever;
}

static const char *start(void *model)
{
    drive *m = model;
    if (!(m->mass > 0.0 && m->radius > 0.0 && m->ratio > 0.0 && m->inertia >= 0.0))
        return "belt.mass, pulley.radius and gear.ratio must be above 0, motor.inertia not below";
    if (!(m->efficiency > 0.0 && m->efficiency <= 1.0))
        return "gear.efficiency must be above 0 and at most 1";
    if (!(m->slip > 0.0 && m->flux > 0.0 && m->ramp >= 0.0))
        return "motor.breakdownSlip and motor.fluxTime must be above 0, drive.ramp not below";
    m->belt_speed = m->motor_speed = m->torque = m->energy = 0.0;
    m->shaft = m->electric = m->gear_loss = m->friction = m->load_power = 0.0;
    return NULL;
}

static const char *step(void *model, double time, double h)
{
    drive *m = model;
    int parts = (int)ceil(h / 2e-4);
    double dt = h / parts, lever = m->ratio / m->radius, mass = moving_mass(m), v = m->belt_speed, torque = m->torque;
    double shaft = 0.0, electric = 0.0, gear = 0.0, friction = 0.0, load = 0.0;
    for (int k = 0; k < parts; k++) {
        double at = time + (k + 1) * dt, share = m->ramp > 0.0 ? fmin(at / m->ramp, 1.0) : 1.0;
        double synchronous = share * m->speed * lever, x = (synchronous - v * lever) / m->slip;
        torque += dt / (m->flux + dt) * (2.0 * m->breakdown * x / (1.0 + x * x) - torque);
        double through = torque * v >= 0.0 ? torque * m->efficiency : torque / m->efficiency;
        double dry = m->resistance * tanh(v / CREEP), before = v;
        /* dry friction implicit to first order: its slope is steep near rest */
        double slope =
            m->resistance / CREEP * (1.0 - (dry / fmax(m->resistance, 1e-300)) * (dry / fmax(m->resistance, 1e-300)));
        v += dt * (through * lever - dry - m->drag * v + m->load) / (mass + dt * (slope + m->drag));
        /* works of the forces over the way that was made, with the forces that made it */
        double mean = 0.5 * (before + v), resist = through * lever + m->load - mass * (v - before) / dt;
        shaft += torque * lever * mean / parts;
        gear += (torque - through) * lever * mean / parts;
        friction += resist * mean / parts;
        load -= m->load * mean / parts;
        electric += (torque * synchronous + m->copper * torque * torque) / parts;
    }
    if (!isfinite(v))
        return "the belt's speed has lost its footing: load.force is not finite";
    m->belt_speed = v;
    m->motor_speed = v * lever;
    m->torque = torque;
    m->shaft = shaft;
    m->electric = electric;
    m->gear_loss = gear;
    m->friction = friction;
    m->load_power = load;
    m->energy = 0.5 * mass * v * v;
    return NULL;
}

const machine_model machine = {"belt_drive",
                               "Asynchronous motor on a converter with gear, pulley and belt",
                               table,
                               sizeof table / sizeof *table,
                               sizeof(drive),
                               defaults,
                               start,
                               step,
                               0.0};
