/*
 * A machine model as an FMI 2.0 co-simulation FMU: a model fills in one `machine_model` named `machine`, fmi2.c does
 * the protocol, examples/common/machine_fmu.py writes modelDescription.xml from the same table and packs the FMU.
 *
 * All of a model is one struct of plain data without pointers, so that a copy of its bytes is its state
 * (fmi2GetFMUstate and serialisation come for free). Variables are doubles in it; an entry of the table may be a vector
 * or a matrix, row by row, and the value reference of its element i is at + i.
 *
 *     typedef struct motor { double torque, speed, gain; } motor;
 *     #define AT(member) (offsetof(motor, member) / sizeof(double))
 *     static const machine_variable table[] = {
 *         {"motor.torque", MACHINE_INPUT, "N.m", 1, 0, AT(torque), "Torque of the load"},
 *         {"motor.speed", MACHINE_OUTPUT, "rad/s", 1, 0, AT(speed), "Speed of the shaft"},
 *         {"motor.gain", MACHINE_PARAMETER, "1", 1, 0, AT(gain), "Gain of its control"}};
 *     MACHINE_EXPORT const machine_model machine = {"motor", "A motor", table, 3, sizeof(motor), defaults, start, step,
 * 0};
 */
#ifndef SCREE_MACHINE_H
#define SCREE_MACHINE_H

#include <stddef.h>

#ifdef _WIN32
#define MACHINE_EXPORT __declspec(dllexport)
#else
#define MACHINE_EXPORT __attribute__((visibility("default")))
#endif

enum { MACHINE_PARAMETER, MACHINE_INPUT, MACHINE_OUTPUT };

typedef struct machine_variable {
    const char *name;
    int causality;    /* parameters are set until initialisation ends */
    const char *unit; /* spelled as in Scree's FMUs: m/s, N.m; 1 for none */
    int rows;         /* 1 and columns 0: a scalar; columns 0: a vector name[1..rows] */
    int columns;      /* a matrix name[1..rows,1..columns] */
    size_t at;        /* place in the struct, in doubles; also the value reference */
    const char *description;
} machine_variable;

typedef struct machine_model {
    const char *name; /* also the model identifier: letters, digits, _ */
    const char *description;
    const machine_variable *variables;
    size_t variable_count;
    size_t size; /* bytes of the model's struct */

    /* Start values of parameters and inputs, into a struct that is all zero. */
    void (*defaults)(void *model);
    /* With parameters and inputs set: the initial state and the outputs of it. Called again when they change before the
     * first step. Returns NULL, or what is wrong, which refuses initialisation. */
    const char *(*start)(void *model);
    /* From time to time + h, outputs included. Returns NULL, or what is wrong; the model is then as before the step. */
    const char *(*step)(void *model, double time, double h);
    double fastest; /* s: shortest step that makes sense, 0: any */
} machine_model;

extern MACHINE_EXPORT const machine_model machine;

#endif
