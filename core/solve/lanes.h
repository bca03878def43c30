/*
 * Vectors of LANES doubles, for code that is written once and compiled for several widths: 4 with AVX2, 2 elsewhere
 * (SSE2 on x86-64, NEON on ARM, plain code on others). The including file defines LANES.
 *
 * +, −, ×, ÷, comparisons and bit operations are the compiler's own on vector types. No operation is fused and none is
 * approximate: every width gives the same bits.
 */
#ifndef SCREE_SOLVE_LANES_H
#define SCREE_SOLVE_LANES_H

#include "base/math.h"

#include <stdint.h>

#if LANES == 4
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef double lanes __attribute__((vector_size(8 * LANES), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * LANES), may_alias)); /* each lane all ones or all zeros */

static inline lanes lanes_all(double value)
{
    return value - (lanes){0.0};
}

static inline lanes lanes_load(const double *from)
{
    return *(const lanes *)from;
}

static inline void lanes_store(double *to, lanes value)
{
    *(lanes *)to = value;
}

static inline lanes lanes_sqrt(lanes a)
{
#if LANES == 4
    return _mm256_sqrt_pd(a);
#elif defined(__SSE2__)
    return _mm_sqrt_pd(a);
#elif defined(__aarch64__)
    return vsqrtq_f64(a);
#else
    return (lanes){sqrt(a[0]), sqrt(a[1])};
#endif
}

/* m ? a : b */
static inline lanes lanes_select(mask m, lanes a, lanes b)
{
#if LANES == 4
    return _mm256_blendv_pd(b, a, (lanes)m);
#else
    return (lanes)((m & (mask)a) | (~m & (mask)b));
#endif
}

/* m ? a : 0 */
static inline lanes lanes_keep(mask m, lanes a)
{
    return (lanes)(m & (mask)a);
}

static inline lanes lanes_max(lanes a, lanes b)
{
#if LANES == 4
    return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
    return _mm_max_pd(a, b);
#else
    return lanes_select(a > b, a, b);
#endif
}

static inline lanes lanes_min(lanes a, lanes b)
{
#if LANES == 4
    return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
    return _mm_min_pd(a, b);
#else
    return lanes_select(a < b, a, b);
#endif
}

/* Bit k is set when lane k is. */
static inline uint32_t lanes_bits(mask m)
{
#if LANES == 4
    return (uint32_t)_mm256_movemask_pd((lanes)m);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd((lanes)m);
#else
    return (uint32_t)((m[0] & 1) | (m[1] & 2));
#endif
}

/* Which of LANES numbers differ. */
static inline mask lanes_differ(const uint32_t *a, const uint32_t *b)
{
#if LANES == 4
    __m128i equal = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)a), _mm_load_si128((const __m128i *)b));
    return ~(mask)_mm256_cvtepi32_epi64(equal);
#else
    return (mask){-(int64_t)(a[0] != b[0]), -(int64_t)(a[1] != b[1])};
#endif
}

/* ---------------------------------------------------------------- four doubles of each of LANES structs */

typedef struct lanes4 {
    lanes x, y, z, w;
} lanes4;

/* Every struct begins on a multiple of 32 bytes. */
#if LANES == 4
static inline lanes4 lanes4_gather(const double *const from[LANES])
{
    lanes r0 = lanes_load(from[0]), r1 = lanes_load(from[1]), r2 = lanes_load(from[2]), r3 = lanes_load(from[3]);
    lanes xz01 = _mm256_unpacklo_pd(r0, r1), yw01 = _mm256_unpackhi_pd(r0, r1);
    lanes xz23 = _mm256_unpacklo_pd(r2, r3), yw23 = _mm256_unpackhi_pd(r2, r3);
    return (lanes4){_mm256_permute2f128_pd(xz01, xz23, 0x20), _mm256_permute2f128_pd(yw01, yw23, 0x20),
                    _mm256_permute2f128_pd(xz01, xz23, 0x31), _mm256_permute2f128_pd(yw01, yw23, 0x31)};
}

/* Lane after lane. */
static inline void lanes4_scatter(double *const to[LANES], lanes4 v)
{
    lanes xy02 = _mm256_unpacklo_pd(v.x, v.y), xy13 = _mm256_unpackhi_pd(v.x, v.y);
    lanes zw02 = _mm256_unpacklo_pd(v.z, v.w), zw13 = _mm256_unpackhi_pd(v.z, v.w);
    lanes_store(to[0], _mm256_permute2f128_pd(xy02, zw02, 0x20));
    lanes_store(to[1], _mm256_permute2f128_pd(xy13, zw13, 0x20));
    lanes_store(to[2], _mm256_permute2f128_pd(xy02, zw02, 0x31));
    lanes_store(to[3], _mm256_permute2f128_pd(xy13, zw13, 0x31));
}
#else
static inline lanes4 lanes4_gather(const double *const from[LANES])
{
    lanes xy0 = lanes_load(from[0]), xy1 = lanes_load(from[1]);
    lanes zw0 = lanes_load(from[0] + 2), zw1 = lanes_load(from[1] + 2);
    return (lanes4){{xy0[0], xy1[0]}, {xy0[1], xy1[1]}, {zw0[0], zw1[0]}, {zw0[1], zw1[1]}};
}

static inline void lanes4_scatter(double *const to[LANES], lanes4 v)
{
    lanes_store(to[0], (lanes){v.x[0], v.y[0]});
    lanes_store(to[0] + 2, (lanes){v.z[0], v.w[0]});
    lanes_store(to[1], (lanes){v.x[1], v.y[1]});
    lanes_store(to[1] + 2, (lanes){v.z[1], v.w[1]});
}
#endif

/* ---------------------------------------------------------------- three-vectors of lanes; names as in base/math.h */

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline lanes3 first3(lanes4 v)
{
    return (lanes3){v.x, v.y, v.z};
}

static inline lanes3 none3(void)
{
    return (lanes3){lanes_all(0.0), lanes_all(0.0), lanes_all(0.0)};
}

/* m ? a : 0 */
static inline lanes3 keep3(mask m, lanes3 a)
{
    return (lanes3){lanes_keep(m, a.x), lanes_keep(m, a.y), lanes_keep(m, a.z)};
}

/* Three rows of four doubles, one after the other: from and to the lanes that begin at `lane`. */
static inline lanes3 lanes3_load(const double *rows, uint32_t lane)
{
    return (lanes3){lanes_load(rows + lane), lanes_load(rows + 4 + lane), lanes_load(rows + 8 + lane)};
}

static inline void lanes3_store(double *rows, uint32_t lane, lanes3 v)
{
    lanes_store(rows + lane, v.x);
    lanes_store(rows + 4 + lane, v.y);
    lanes_store(rows + 8 + lane, v.z);
}

static inline lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline lanes3 scale3(lanes s, lanes3 a)
{
    return (lanes3){s * a.x, s * a.y, s * a.z};
}

/* a + s b */
static inline lanes3 mul_add3(lanes3 a, lanes s, lanes3 b)
{
    return (lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* a − s b */
static inline lanes3 mul_sub3(lanes3 a, lanes s, lanes3 b)
{
    return (lanes3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

static inline lanes dot3(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lanes3 cross3(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
