/*
 * Variables by the names that a user writes.
 */
#ifndef SCREE_TOOLS_LOOKUP_H
#define SCREE_TOOLS_LOOKUP_H

#include "model.h"

/*
 * The input (or, with parameters, also the parameter) of that name. When there is none: NULL, and hint says which name
 * may have been meant, or which there are.
 */
const scree_variable *scree_lookup(const scree_model *model, const char *name, bool parameters, char *hint,
                                   size_t room);

#endif
