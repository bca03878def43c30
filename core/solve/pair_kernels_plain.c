#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed within this file only */
#endif
#define KERNELS      scree_kernels_plain
#define KERNELS_NAME "plain"
#include "solve/pair_kernel.h"
