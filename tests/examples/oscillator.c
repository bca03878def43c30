/* The smallest machine model: a mass on a spring under a force that is held over the step, solved exactly. */
#include "machine.h"

#include <math.h>

typedef struct oscillator {
    double mass, stiffness; /* parameters */
    double force[2];        /* input: components add */
    double position, speed; /* outputs, and the state */
} oscillator;

#define AT(member) (offsetof(oscillator, member) / sizeof(double))

static const machine_variable table[] = {
    {"mass", MACHINE_PARAMETER, "kg", 1, 0, AT(mass), "Mass"},
    {"stiffness", MACHINE_PARAMETER, "N/m", 1, 0, AT(stiffness), "Stiffness"},
    {"force", MACHINE_INPUT, "N", 2, 0, AT(force), "Forces on it"},
    {"position", MACHINE_OUTPUT, "m", 1, 0, AT(position), "Position"},
    {"speed", MACHINE_OUTPUT, "m/s", 1, 0, AT(speed), "Speed"},
};

static void defaults(void *model)
{
    oscillator *m = model;
    m->mass = 2.0;
    m->stiffness = 8.0;
}

static const char *start(void *model)
{
    oscillator *m = model;
    m->position = 1.0;
    m->speed = 0.0;
    return m->mass > 0.0 && m->stiffness > 0.0 ? NULL : "mass and stiffness must be above 0";
}

static const char *step(void *model, double time, double h)
{
    (void)time;
    oscillator *m = model;
    double omega = sqrt(m->stiffness / m->mass), rest = (m->force[0] + m->force[1]) / m->stiffness;
    double x = m->position - rest, v = m->speed, c = cos(omega * h), s = sin(omega * h);
    m->position = rest + x * c + v / omega * s;
    m->speed = v * c - x * omega * s;
    return NULL;
}

const machine_model machine = {
    "oscillator", "A mass on a spring", table, sizeof table / sizeof *table, sizeof(oscillator), defaults, start, step,
    0.0};
