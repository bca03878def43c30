#define LANES        2
#define KERNELS      scree_kernels_plain
#define KERNELS_NAME "plain"
#include "solve/pair_kernel.h"
