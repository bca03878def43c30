/*
 * Inputs over time from a CSV file: a header with "time" and the names of inputs, then one line a time point.
 */
#ifndef SCREE_TOOLS_SIGNALS_H
#define SCREE_TOOLS_SIGNALS_H

#include "model.h"

typedef struct scree_signals {
    const scree_variable **columns; /* [column_count], without time */
    uint32_t column_count;
    double *times;  /* s, [row_count], increasing */
    double *values; /* [row_count][column_count] */
    size_t row_count, row_capacity;
} scree_signals;

/* Complains (file:line: what, and what is allowed) and returns an exit code. The model must outlive the signals. */
int scree_signals_read(scree_signals *signals, const char *path, const scree_model *model);
void scree_signals_free(scree_signals *signals);

/* Sets all columns to their values at `time`. Does nothing without rows. */
scree_status scree_signals_apply(const scree_signals *signals, scree_world *world, double time, scree_error *error);

#endif
