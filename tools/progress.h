/*
 * A progress bar with the remaining time, on stderr; silent when that is no terminal.
 */
#ifndef SCREE_TOOLS_PROGRESS_H
#define SCREE_TOOLS_PROGRESS_H

#include <stdbool.h>

typedef struct scree_progress {
    bool shown;
    double begin, last; /* s, of the monotonic clock */
} scree_progress;

scree_progress scree_progress_start(bool wanted);

/* share: done, 0 to 1. note: a few words after the bar. Draws at most ten times a second. */
void scree_progress_update(scree_progress *progress, double share, const char *note);

/* Takes the bar away until the next update, so that something else can be written. */
void scree_progress_hide(scree_progress *progress);

/* Takes the bar away. */
void scree_progress_end(scree_progress *progress);

#endif
