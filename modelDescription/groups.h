/*
 * Variables come in groups. A group is a struct of the world: its items say which of its members are variables, two
 * functions read it and write it. There is one for every record of an element (a port, a sensor …), named
 * <id>.<item>, or one for the whole scene, named <group>.<item>.
 *
 * A new kind of input or output is a file with its items, functions and a scree_group, and one line in groups.c.
 * Parameters need none: they come from the field tables.
 */
#ifndef SCREE_GROUPS_H
#define SCREE_GROUPS_H

#include "model.h"

/* One member of the struct: a scalar, or several one after the other. Or, beside the struct, a grid of the record's own
 * size: outputs <item>[i,j], the last index running fastest. */
typedef struct scree_item {
    const char *name;
    const char *unit;   /* SI, "1" for none */
    const char *help;   /* one sentence, without a full stop */
    const char *when;   /* for the reference: which records have it; NULL: all that have the group */
    scree_type type;    /* REAL: double; INTEGER: uint32_t */
    uint32_t count;     /* scalars; above 1 they are indexed from 1 */
    uint32_t columns;   /* above 0: they are a matrix, row by row, with two indices */
    uint32_t offset;    /* of the first, in the struct */
    bool zero_at_start; /* outputs: zero until the first step, whatever the parameters and inputs are */
    bool direct;        /* outputs that answer to inputs, both marked: see write_structure.c */
    bool (*has)(const scree_scene *scene, uint32_t owner);                        /* NULL: always there */
    void (*grid)(const scree_scene *scene, uint32_t owner, uint32_t size[2]);     /* NULL: a member of the struct */
    double (*cell)(const scree_world *world, uint32_t owner, uint32_t component); /* of a grid */
} scree_item;

struct scree_group {
    const char *name;      /* what it is; for the scene's own also the first part of the variables' names */
    const char *when;      /* for the reference: which records have it; NULL: all */
    scree_element element; /* whose records have it; SCREE_ELEMENT_SCENE: one for the scene */
    scree_causality causality;
    const scree_item *items;
    uint32_t item_count;
    size_t size; /* bytes of the struct */

    /* owner: number of the record in its list, 0 for the scene */
    bool (*has)(const scree_scene *scene, uint32_t owner); /* NULL: every record has it */
    const char *(*describe)(const scree_scene *scene, uint32_t owner, char *text, size_t room); /* NULL: "(port x)" */
    void (*start)(const scree_scene *scene, uint32_t owner, void *values);                      /* inputs only */
    scree_status (*get)(const scree_world *world, uint32_t owner, void *values);
    scree_status (*set)(scree_world *world, uint32_t owner, const void *values, scree_error *error); /* inputs only */

    /* Inputs that can be said as polynomials: the derivative of order 1 or 2 of the value at a place of the struct,
       counted in doubles, for the next step. NULL: derivatives have no effect. */
    scree_status (*set_rate)(scree_world *world, uint32_t owner, uint32_t place, uint32_t order, double value,
                             scree_error *error);

    /* Outputs that have a time derivative: the same struct with first derivatives, NaN where there is none. NULL: none
       at all. */
    scree_status (*get_rate)(const scree_world *world, uint32_t owner, void *values);
};

#define SCREE_ITEM(struct_, member_, name_, type_, count_, unit_, zero_, help_)                                        \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .help = help_, .type = SCREE_TYPE_##type_, .count = count_,                      \
        .offset = offsetof(struct_, member_), .zero_at_start = zero_                                                   \
    }
#define SCREE_DIRECT_ITEM(struct_, member_, name_, unit_, zero_, help_)                                                \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .help = help_, .type = SCREE_TYPE_REAL, .count = 3,                              \
        .offset = offsetof(struct_, member_), .zero_at_start = zero_, .direct = true                                   \
    }
#define SCREE_ITEMS(items_) .items = items_, .item_count = (uint32_t)(sizeof(items_) / sizeof((items_)[0]))

extern const scree_group scree_pose_group; /* ports.c */
extern const scree_group scree_twist_group;
extern const scree_group scree_wrench_group;
extern const scree_group scree_impedance_group;
extern const scree_group scree_load_group;
extern const scree_group scree_place_group;
extern const scree_group scree_state_group;
extern const scree_group scree_drive_group; /* actuators.c */
extern const scree_group scree_actuation_group;
extern const scree_group scree_rate_group; /* feeds.c */
extern const scree_group scree_emitted_group;
extern const scree_group scree_removed_group;
extern const scree_group scree_surface_speed_group; /* surfaces.c */
extern const scree_group scree_surface_load_group;
extern const scree_group scree_info_group; /* info.c */
extern const scree_group scree_profile_group;

extern const scree_group scree_region_sensor_group; /* sensors.c */
extern const scree_group scree_flow_sensor_group;
extern const scree_group scree_height_sensor_group;
extern const scree_group scree_load_sensor_group;

/* The index-th scalar of an item in its group's struct. */
double scree_item_value(const scree_item *item, uint32_t index, const void *values);
void scree_item_store(const scree_item *item, uint32_t index, void *values, double value);

/* All groups, in the order of their variables. The list ends with NULL. */
const scree_group *const *scree_groups(void);

#endif
