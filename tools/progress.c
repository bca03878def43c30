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
    double left = share > 0.0 ? (time - progress->begin) * (1.0 - share) / share : 0.0;
    fprintf(stderr, "\r[%-40.*s] %3.0f %%  %s  %.0f:%02.0f left \x1b[K", cells, full, 100.0 * share, note,
            (double)(long)(left / 60.0), (double)((long)left % 60));
    fflush(stderr);
}

void scree_progress_end(scree_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\x1b[K");
    progress->shown = false;
}
