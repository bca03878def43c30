#include "settling.h"

#include "command.h"
#include "number.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>

typedef struct watch {
    scree_progress progress;
    const volatile sig_atomic_t *interrupted;
} watch;

/* The energy falls by powers of ten, from about one to a millionth. */
static bool show(void *context, const scree_rest *rest)
{
    watch *w = context;
    char note[80];
    double share = rest->mean > 0.0 ? -log10(rest->mean) / 6.0 : 1.0;
    snprintf(note, sizeof note, "settling, %.3g s, energy %.1e m g d", rest->time, rest->mean);
    scree_progress_update(&w->progress, fmin(fmax(share, 0.0), 1.0), note);
    return !w->interrupted || !*w->interrupted;
}

scree_status scree_settle(scree_world *world, double limit, const volatile sig_atomic_t *interrupted,
                          scree_error *error)
{
    watch w = {scree_progress_start(true), interrupted};
    scree_rest rest;
    scree_status status = scree_world_settle(world, limit, show, &w, &rest, error);
    scree_progress_end(&w.progress);
    return status;
}

bool scree_parse_settle_limit(const char *command, const char *text, bool settle, double *limit)
{
    *limit = SCREE_SETTLE_LIMIT;
    if (!text)
        return true;
    if (!settle)
        scree_complain("scree %s: --settle-limit without --settle", command);
    else if (!scree_parse_number(text, limit) || !(*limit > 0.0) || !(*limit <= 1e6))
        scree_complain("scree %s: --settle-limit = \"%.64s\"; allowed: a number above 0 to 1e6, in s", command, text);
    else
        return true;
    return false;
}
