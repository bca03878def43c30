/*
 * What differs from one operating system to another.
 */
#ifndef SCREE_BASE_MACHINE_H
#define SCREE_BASE_MACHINE_H

#include <stdint.h>

/* Processors that are running; at least 1. */
uint32_t scree_machine_processors(void);

/* s, of a clock that only goes forward, from some time in the past on. */
double scree_machine_seconds(void);

#endif
