/*
 * Numbers as text, and how equal they are.
 */
#ifndef SCREE_TOOLS_NUMBER_H
#define SCREE_TOOLS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a whole text as one finite decimal number. */
bool scree_parse_number(const char *text, double *value);

/* The shortest of 15, 16 or 17 digits that reads back to the same double. room >= 32. */
void scree_format_number(double value, char *text, size_t room);

/* Equal but for rounding: to 1e-9 of the larger, as Python's math.isclose has it. */
bool scree_is_close(double a, double b);

#endif
