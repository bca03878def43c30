/*
 * Three-vectors and quaternions, passed by value; the compiler keeps them in registers.
 * Quaternions are (w, x, y, z); q turns body-frame vectors into world-frame vectors.
 */
#ifndef SCREE_BASE_MATH_H
#define SCREE_BASE_MATH_H

#include <math.h>

#define SCREE_PI 3.14159265358979323846

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct quat {
    double w, x, y, z;
} quat;

/* Rows r[0] … r[2]. */
typedef struct mat3 {
    vec3 r[3];
} mat3;

static inline vec3 vec3_of(const double v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static inline void vec3_store(double out[3], vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline vec3 add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 scale(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

/* a + s b */
static inline vec3 mul_add(vec3 a, double s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double length(vec3 a)
{
    return sqrt(dot(a, a));
}

static inline quat quat_of(const double q[4])
{
    return (quat){q[0], q[1], q[2], q[3]};
}

static inline void quat_store(double out[4], quat q)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

static inline quat quat_mul(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline quat quat_conj(quat q)
{
    return (quat){q.w, -q.x, -q.y, -q.z};
}

static inline double quat_norm(quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static inline quat quat_normalize(quat q)
{
    double s = 1.0 / quat_norm(q);
    return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* q v q* for a unit q */
static inline vec3 quat_rotate(quat q, vec3 v)
{
    vec3 u = {q.x, q.y, q.z};
    vec3 t = scale(2.0, cross(u, v));
    return add(mul_add(v, q.w, t), cross(u, t));
}

/* The rotation by |v| about v. */
static inline quat quat_exp(vec3 v)
{
    double angle = length(v);
    double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5; /* below, the next term is under one rounding */
    return (quat){cos(0.5 * angle), s * v.x, s * v.y, s * v.z};
}

/* The shortest rotation vector of a unit q: quat_exp(quat_log(q)) = +-q. */
static inline vec3 quat_log(quat q)
{
    vec3 u = {q.x, q.y, q.z};
    double w = q.w;
    if (w < 0.0) {
        w = -w;
        u = scale(-1.0, u);
    }
    double s = length(u);
    return scale(s > 1e-8 ? 2.0 * atan2(s, w) / s : 2.0, u);
}

static inline vec3 mat3_mul_vec(const mat3 *m, vec3 v)
{
    return (vec3){dot(m->r[0], v), dot(m->r[1], v), dot(m->r[2], v)};
}

static inline mat3 mat3_transpose(const mat3 *m)
{
    return (mat3){
        {{m->r[0].x, m->r[1].x, m->r[2].x}, {m->r[0].y, m->r[1].y, m->r[2].y}, {m->r[0].z, m->r[1].z, m->r[2].z}}};
}

/* The rotation matrix of a unit q. */
static inline mat3 mat3_of_quat(quat q)
{
    mat3 columns = {{quat_rotate(q, (vec3){1.0, 0.0, 0.0}), quat_rotate(q, (vec3){0.0, 1.0, 0.0}),
                     quat_rotate(q, (vec3){0.0, 0.0, 1.0})}};
    return mat3_transpose(&columns);
}

/* R M Rᵀ with R of q, for a symmetric M: a tensor of the body frame in the world frame. */
static inline mat3 mat3_turn(const mat3 *m, quat q)
{
    mat3 rotation = mat3_of_quat(q), half;
    for (int i = 0; i < 3; i++)
        half.r[i] = mat3_mul_vec(m, rotation.r[i]); /* row i of R M, as M is symmetric */
    mat3 result;
    for (int i = 0; i < 3; i++)
        result.r[i] = mat3_mul_vec(&rotation, half.r[i]);
    return result;
}

/* Inverse of a regular matrix, by cofactors. */
static inline mat3 mat3_inverse(const mat3 *m)
{
    vec3 a = cross(m->r[1], m->r[2]), b = cross(m->r[2], m->r[0]), c = cross(m->r[0], m->r[1]);
    double s = 1.0 / dot(m->r[0], a);
    mat3 columns = {{scale(s, a), scale(s, b), scale(s, c)}};
    return mat3_transpose(&columns);
}

#endif
