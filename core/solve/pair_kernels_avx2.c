#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define SCREE_AVX2
#define KERNELS      scree_kernels_avx2
#define KERNELS_NAME "AVX2"
#include "solve/pair_kernel.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int scree_no_avx2; /* a file must not be empty */
#endif
