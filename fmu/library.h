/*
 * Where the shared object of this FMU lies.
 */
#ifndef SCREE_FMU_LIBRARY_H
#define SCREE_FMU_LIBRARY_H

#include "resource.h"

#include <stdbool.h>

/* The folder that the package was unpacked to, when the shared object is where a package has it, in
   <folder>/binaries/<platform>. UTF-8. */
bool scree_library_package(char folder[SCREE_PATH_SIZE]);

#endif
