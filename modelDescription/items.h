/*
 * What ports and the info group are made of: the one list behind the names, the units and the access to the values.
 */
#ifndef SCREE_ITEMS_H
#define SCREE_ITEMS_H

#include "model.h"

typedef struct scree_item {
    const char *name;
    const char *unit;   /* SI, "1" for none */
    const char *help;   /* one sentence, without a full stop */
    scree_type type;    /* REAL: double; INTEGER: uint32_t */
    uint32_t count;     /* scalars, one after the other; above 1 they are indexed from 1 */
    uint32_t offset;    /* of the first, in scree_motion, scree_wrench or scree_info */
    bool zero_at_start; /* outputs: zero until the first step */
} scree_item;

typedef struct scree_item_list {
    const scree_item *items;
    uint32_t count;
} scree_item_list;

scree_item_list scree_motion_items(void);
scree_item_list scree_wrench_items(void);
scree_item_list scree_info_items(void);

#endif
