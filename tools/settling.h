/*
 * --settle: a world is brought to rest before it runs or is packed.
 */
#ifndef SCREE_TOOLS_SETTLING_H
#define SCREE_TOOLS_SETTLING_H

#include "scree.h"

#include <signal.h>

#define SCREE_SETTLE_LIMIT 60.0 /* s, of simulated time */

/* Settles a started world, with a progress bar. interrupted may be NULL; once set it ends the settling. */
scree_status scree_settle(scree_world *world, double limit, const volatile sig_atomic_t *interrupted,
                          scree_error *error);

/* The value of --settle-limit; complains in the name of the command. text NULL: the default. */
bool scree_parse_settle_limit(const char *command, const char *text, bool settle, double *limit);

#endif
