#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq")
#endif
#define SCREE_AVX2
#define KERNELS      scree_kernels_avx512
#define KERNELS_NAME "AVX-512"
#include "solve/pair_kernel.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int scree_no_avx512; /* a file must not be empty */
#endif
