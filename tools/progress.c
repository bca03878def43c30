#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

scree_progress scree_progress_start(bool wanted)
{
    double begin = now();
    return (scree_progress){.shown = wanted && isatty(STDERR_FILENO), .begin = begin, .last = begin};
}

void scree_progress_update(scree_progress *progress, double share, const char *note)
{
    double time = progress->shown ? now() : 0.0;
    if (!progress->shown || time - progress->last < 0.1)
        return;
    progress->last = time;
    static const char full[] = "########################################";
    int cells = (int)(share * 40.0);
    fprintf(stderr, "\r[%-40.*s] %3.0f %%  %s", cells, full, 100.0 * share, note);
    if (share > 0.0) {
        long left = (long)((time - progress->begin) * (1.0 - share) / share);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
    fputs(" \x1b[K", stderr);
    fflush(stderr);
}

void scree_progress_hide(scree_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\x1b[K");
    progress->last = 0.0; /* the next update draws at once */
}

void scree_progress_end(scree_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\x1b[K");
    progress->shown = false;
}
