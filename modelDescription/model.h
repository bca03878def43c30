/*
 * The interface of a scene as a flat table of variables. The one table feeds modelDescription.xml, the FMI get and set
 * functions, and the columns of `scree run`.
 *
 * Names, in this order in the table (ids are those of the scene; indices count from 1):
 *   parameters  gravity[i]  solver.<field>  material.<id>.<field>  pair.<idA>.<idB>.<field>  fill.<id>.<field>
 *               record.directory  record.interval
 *   inputs      <port>.position[i]  <port>.orientation[1..4] (w, x, y, z)  <port>.velocity[i] <port>.angularVelocity[i]
 *   outputs     <port>.force[i]  <port>.torque[i]  <sensor>.mass …  <sensor>.height[i,j]
 *               info.particles  info.contacts  info.mass  info.momentum[i] …
 * The value reference of a variable is its place in the table, from 0.
 */
#ifndef SCREE_MODEL_H
#define SCREE_MODEL_H

#include "scree.h"

#define SCREE_VARIABLE_NAME_SIZE 224
#define SCREE_GROUP_VALUES       128 /* a group's struct is at most as large as so many doubles */
#define SCREE_GUID_SIZE          39  /* {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx} and a zero */

typedef enum scree_type { SCREE_TYPE_REAL, SCREE_TYPE_INTEGER, SCREE_TYPE_STRING } scree_type;
typedef enum scree_causality { SCREE_PARAMETER, SCREE_INPUT, SCREE_OUTPUT } scree_causality;

/* Parameters that belong to the FMU around the world, not to the world: it keeps their values. */
typedef enum scree_host_value {
    SCREE_HOST_NONE,
    SCREE_HOST_RECORD_DIRECTORY, /* string */
    SCREE_HOST_RECORD_INTERVAL   /* s */
} scree_host_value;

typedef struct scree_group scree_group; /* groups.h */
typedef struct scree_item scree_item;

typedef struct scree_variable {
    char name[SCREE_VARIABLE_NAME_SIZE];
    char description[SCREE_TEXT_SIZE];
    scree_type type;
    scree_causality causality;
    const char *unit; /* SI, as in the field tables; "1" for none */
    double min, max;  /* only meaningful when has_range */
    bool has_range;
    double start;             /* parameters and inputs */
    bool zero_at_start;       /* outputs: zero until the first step, whatever the parameters and inputs are */
    scree_host_value host;    /* not NONE: no record, field or group */
    scree_record record;      /* whose it is */
    const scree_field *field; /* parameters: the value of the record; else NULL */
    const scree_group *group; /* inputs, outputs: the struct that it is part of; else NULL */
    const scree_item *item;   /* likewise: the member */
    uint32_t component;       /* of the field or the item */
} scree_variable;

typedef struct scree_model {
    scree_variable *variables;
    uint32_t variable_count;
    char guid[SCREE_GUID_SIZE]; /* of the scene's content and of this table */
    scree_memory memory;
} scree_model;

/* The scene must outlive the model. */
scree_status scree_model_create(const scree_scene *scene, const scree_memory *memory, scree_model **model,
                                scree_error *error);
void scree_model_destroy(scree_model *model);

/* NULL when there is none of that name. */
const scree_variable *scree_model_find(const scree_model *model, const char *name);

/* What was read last: variables of one owner come from one struct, which may be costly to make. Starts as all zero, and
   must be so again when the world has changed. */
typedef struct scree_reader {
    const scree_group *group;
    uint32_t owner;
    double values[SCREE_GROUP_VALUES];
} scree_reader;

/* Reads any variable. Outputs need a started world. Integers come as whole doubles. */
scree_status scree_variable_read(const scree_variable *variable, const scree_world *world, scree_reader *reader,
                                 double *value, scree_error *error);
scree_status scree_variable_get(const scree_variable *variable, const scree_world *world, double *value,
                                scree_error *error);

/* Whether the variable may take the value: finite, in range, whole for integers. The message names the variable. */
scree_status scree_variable_check(const scree_variable *variable, double value, scree_error *error);

/* Whether the variable may take the value as a derivative. */
scree_status scree_variable_check_rate(const scree_variable *variable, double value, scree_error *error);

/* The derivative of order 1 or 2 of an input, for the next step. *used: whether it makes a difference. */
scree_status scree_variable_set_rate(const scree_variable *variable, scree_world *world, uint32_t order, double value,
                                     bool *used, scree_error *error);

/* The first derivative of an output; NaN when it has none. */
scree_status scree_variable_get_rate(const scree_variable *variable, const scree_world *world, double *value,
                                     scree_error *error);

/* Parameters: before the world starts (a started world goes back to not started). Inputs: any time. */
scree_status scree_variable_set(const scree_variable *variable, scree_world *world, double value, scree_error *error);

/* A matrix of a port that several derivatives share. Starts as all zero, and is good until the world changes. */
typedef struct scree_sensitivity {
    bool valid, load;
    uint32_t port;
    double matrix[36];
} scree_sensitivity;

/* The derivative of an output with respect to an input (derivative.c). */
scree_status scree_variable_sensitivity(const scree_variable *unknown, const scree_variable *known,
                                        const scree_world *world, scree_sensitivity *of, double *value,
                                        scree_error *error);

#endif
