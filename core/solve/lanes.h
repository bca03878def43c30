/*
 * Vectors of eight floats, for code that is written once and compiled for what a processor has, and the way between
 * them and grains, whose numbers are doubles: four of a grain are a `four`, and what is wanted of eight pairs of grains
 * goes into the lanes.
 *
 * +, −, ×, ÷, comparisons and bit operations are the compiler's own on vector types. No operation is fused and none is
 * approximate: every processor gives the same bits.
 */
#ifndef SCREE_SOLVE_LANES_H
#define SCREE_SOLVE_LANES_H

#include "base/math.h"

#include <stdint.h>

#ifdef SCREE_AVX2
#include <immintrin.h>
#endif

enum { LANES = 8 };

typedef float lanes __attribute__((vector_size(32), may_alias));
typedef int32_t mask __attribute__((vector_size(32), may_alias)); /* each lane all ones or all zeros */
typedef double four __attribute__((vector_size(32), may_alias));
typedef int64_t longs __attribute__((vector_size(32), may_alias)); /* each all ones or all zeros */
typedef float short4 __attribute__((vector_size(16), may_alias));

static inline lanes lanes_all(float value)
{
    return value - (lanes){0.0f};
}

static inline four four_all(double value)
{
    return value - (four){0.0};
}

static inline lanes lanes_load(const float *from)
{
    return *(const lanes *)from;
}

static inline void lanes_store(float *to, lanes value)
{
    *(lanes *)to = value;
}

static inline four four_load(const double *from)
{
    return *(const four *)from;
}

static inline lanes lanes_sqrt(lanes a)
{
#ifdef SCREE_AVX2
    return _mm256_sqrt_ps(a);
#else
    for (int k = 0; k < LANES; k++)
        a[k] = sqrtf(a[k]);
    return a;
#endif
}

static inline four four_sqrt(four a)
{
#ifdef SCREE_AVX2
    return _mm256_sqrt_pd(a);
#else
    for (int k = 0; k < 4; k++)
        a[k] = sqrt(a[k]);
    return a;
#endif
}

/* m ? a : b */
static inline lanes lanes_select(mask m, lanes a, lanes b)
{
#ifdef SCREE_AVX2
    return _mm256_blendv_ps(b, a, (lanes)m);
#else
    return (lanes)((m & (mask)a) | (~m & (mask)b));
#endif
}

/* m ? a : 0 */
static inline lanes lanes_keep(mask m, lanes a)
{
    return (lanes)(m & (mask)a);
}

static inline lanes lanes_abs(lanes a)
{
    return (lanes)((mask)a & INT32_MAX);
}

static inline lanes lanes_max(lanes a, lanes b)
{
#ifdef SCREE_AVX2
    return _mm256_max_ps(a, b);
#else
    return lanes_select(a > b, a, b);
#endif
}

static inline lanes lanes_min(lanes a, lanes b)
{
#ifdef SCREE_AVX2
    return _mm256_min_ps(a, b);
#else
    return lanes_select(a < b, a, b);
#endif
}

/* Bit k is set when lane k is. */
static inline uint32_t lanes_bits(mask m)
{
#ifdef SCREE_AVX2
    return (uint32_t)_mm256_movemask_ps((lanes)m);
#else
    uint32_t bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (uint32_t)(m[k] & 1) << k;
    return bits;
#endif
}

/* m ? a : b */
static inline four four_select(longs m, four a, four b)
{
#ifdef SCREE_AVX2
    return _mm256_blendv_pd(b, a, (four)m);
#else
    return (four)((m & (longs)a) | (~m & (longs)b));
#endif
}

/* Bit k is set when number k is. */
static inline uint32_t four_bits(longs m)
{
#ifdef SCREE_AVX2
    return (uint32_t)_mm256_movemask_pd((four)m);
#else
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 4; k++)
        bits |= (uint32_t)(m[k] & 1) << k;
    return bits;
#endif
}

/* ---------------------------------------------------------------- eight doubles: lanes 0 to 3 and 4 to 7 */

typedef struct wide {
    four low, high;
} wide;

static inline lanes lanes_of(wide a)
{
    short4 low = __builtin_convertvector(a.low, short4), high = __builtin_convertvector(a.high, short4);
#ifdef SCREE_AVX2
    return _mm256_set_m128(high, low);
#else
    return (lanes){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* Whether a < b, lane by lane. */
static inline uint32_t wide_less(wide a, wide b)
{
#ifdef SCREE_AVX2
    return (uint32_t)_mm256_movemask_pd((four)(a.low < b.low)) | (uint32_t)_mm256_movemask_pd((four)(a.high < b.high))
                                                                     << 4;
#else
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 4; k++)
        bits |= (uint32_t)(a.low[k] < b.low[k]) << k | (uint32_t)(a.high[k] < b.high[k]) << (k + 4);
    return bits;
#endif
}

/* ---------------------------------------------------------------- rows and columns */

/* x, y, z, w of eight rows. */
typedef struct wide4 {
    wide x, y, z, w;
} wide4;

typedef struct lanes4 {
    lanes x, y, z, w;
} lanes4;

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

typedef struct four3 {
    four x, y, z;
} four3;

#ifdef SCREE_AVX2
static inline void turn_four(const four rows[4], four *x, four *y, four *z, four *w)
{
    four xz01 = _mm256_unpacklo_pd(rows[0], rows[1]), yw01 = _mm256_unpackhi_pd(rows[0], rows[1]);
    four xz23 = _mm256_unpacklo_pd(rows[2], rows[3]), yw23 = _mm256_unpackhi_pd(rows[2], rows[3]);
    *x = _mm256_permute2f128_pd(xz01, xz23, 0x20);
    *y = _mm256_permute2f128_pd(yw01, yw23, 0x20);
    *z = _mm256_permute2f128_pd(xz01, xz23, 0x31);
    *w = _mm256_permute2f128_pd(yw01, yw23, 0x31);
}

/* x, y, z of four rows */
static inline four3 four_columns(const four rows[4])
{
    four3 to;
    four w;
    turn_four(rows, &to.x, &to.y, &to.z, &w);
    return to;
}

static inline wide4 wide_columns(const four rows[LANES])
{
    wide4 to;
    turn_four(rows, &to.x.low, &to.y.low, &to.z.low, &to.w.low);
    turn_four(rows + 4, &to.x.high, &to.y.high, &to.z.high, &to.w.high);
    return to;
}

/* Rounds the rows first. */
static inline lanes4 columns(const four rows[LANES])
{
    lanes both[4]; /* rows k and k + 4 */
    for (int k = 0; k < 4; k++)
        both[k] = _mm256_set_m128(_mm256_cvtpd_ps(rows[k + 4]), _mm256_cvtpd_ps(rows[k]));
    lanes xy01 = _mm256_unpacklo_ps(both[0], both[1]), zw01 = _mm256_unpackhi_ps(both[0], both[1]);
    lanes xy23 = _mm256_unpacklo_ps(both[2], both[3]), zw23 = _mm256_unpackhi_ps(both[2], both[3]);
    return (lanes4){
        (lanes)_mm256_unpacklo_pd((four)xy01, (four)xy23), (lanes)_mm256_unpackhi_pd((four)xy01, (four)xy23),
        (lanes)_mm256_unpacklo_pd((four)zw01, (four)zw23), (lanes)_mm256_unpackhi_pd((four)zw01, (four)zw23)};
}

/* x, y, z and zero of each lane. */
static inline void rows_of(lanes3 a, four rows[LANES])
{
    lanes zero = lanes_all(0.0f);
    lanes xy01 = _mm256_unpacklo_ps(a.x, a.y), xy23 = _mm256_unpackhi_ps(a.x, a.y);
    lanes z01 = _mm256_unpacklo_ps(a.z, zero), z23 = _mm256_unpackhi_ps(a.z, zero);
    lanes both[4] = {(lanes)_mm256_unpacklo_pd((four)xy01, (four)z01), (lanes)_mm256_unpackhi_pd((four)xy01, (four)z01),
                     (lanes)_mm256_unpacklo_pd((four)xy23, (four)z23),
                     (lanes)_mm256_unpackhi_pd((four)xy23, (four)z23)};
    for (int k = 0; k < 4; k++) {
        rows[k] = _mm256_cvtps_pd(_mm256_castps256_ps128(both[k]));
        rows[k + 4] = _mm256_cvtps_pd(_mm256_extractf128_ps(both[k], 1));
    }
}
#else
static inline four3 four_columns(const four rows[4])
{
    four3 to;
    for (int k = 0; k < 4; k++) {
        to.x[k] = rows[k][0];
        to.y[k] = rows[k][1];
        to.z[k] = rows[k][2];
    }
    return to;
}

static inline wide4 wide_columns(const four rows[LANES])
{
    wide4 to;
    for (int k = 0; k < 4; k++) {
        to.x.low[k] = rows[k][0], to.x.high[k] = rows[k + 4][0];
        to.y.low[k] = rows[k][1], to.y.high[k] = rows[k + 4][1];
        to.z.low[k] = rows[k][2], to.z.high[k] = rows[k + 4][2];
        to.w.low[k] = rows[k][3], to.w.high[k] = rows[k + 4][3];
    }
    return to;
}

static inline lanes4 columns(const four rows[LANES])
{
    lanes4 to;
    for (int k = 0; k < LANES; k++) {
        to.x[k] = (float)rows[k][0];
        to.y[k] = (float)rows[k][1];
        to.z[k] = (float)rows[k][2];
        to.w[k] = (float)rows[k][3];
    }
    return to;
}

static inline void rows_of(lanes3 a, four rows[LANES])
{
    for (int k = 0; k < LANES; k++)
        rows[k] = (four){(double)a.x[k], (double)a.y[k], (double)a.z[k], 0.0};
}
#endif

/* ---------------------------------------------------------------- three-vectors of lanes; names as in base/math.h */

static inline lanes3 first3(lanes4 v)
{
    return (lanes3){v.x, v.y, v.z};
}

static inline lanes3 none3(void)
{
    return (lanes3){lanes_all(0.0f), lanes_all(0.0f), lanes_all(0.0f)};
}

/* m ? a : 0 */
static inline lanes3 keep3(mask m, lanes3 a)
{
    return (lanes3){lanes_keep(m, a.x), lanes_keep(m, a.y), lanes_keep(m, a.z)};
}

/* m ? a : b */
static inline lanes3 select3(mask m, lanes3 a, lanes3 b)
{
    return (lanes3){lanes_select(m, a.x, b.x), lanes_select(m, a.y, b.y), lanes_select(m, a.z, b.z)};
}

/* Three rows of eight floats, one after the other. */
static inline lanes3 lanes3_load(const float *rows)
{
    return (lanes3){lanes_load(rows), lanes_load(rows + LANES), lanes_load(rows + 2 * LANES)};
}

static inline void lanes3_store(float *rows, lanes3 v)
{
    lanes_store(rows, v.x);
    lanes_store(rows + LANES, v.y);
    lanes_store(rows + 2 * LANES, v.z);
}

/* Lanes in which a is not zero. */
static inline mask some3(lanes3 a)
{
    lanes zero = lanes_all(0.0f);
    return (mask)(a.x != zero) | (mask)(a.y != zero) | (mask)(a.z != zero);
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
