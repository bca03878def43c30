/*
 * Sphere against one primitive, in the primitive's frame. Shapes of revolution are treated in the half-plane (ρ, z)
 * through the z axis and the sphere's centre: a shell is a segment there, a solid a convex polygon that the axis
 * closes.
 *
 * Every overlap changes no faster than the sphere moves, which the contact search relies on.
 */
#include "collide/shapes.h"

/* m, a distance without a direction; the corners of bodies are spheres of no radius. */
static double nothing(double r)
{
    return 1e-12 * r + 1e-15;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static bool is_zero(vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* ---------------------------------------------------------------- box */

/* Inward normals of the six faces, and how deep a point lies behind each. */
static vec3 face_inward(int face)
{
    double s = face % 2 ? 1.0 : -1.0; /* even: the face at +half, inward is − */
    return (vec3){face / 2 == 0 ? s : 0.0, face / 2 == 1 ? s : 0.0, face / 2 == 2 ? s : 0.0};
}

static double face_depth(const scree_placed *box, int face, vec3 p)
{
    double half = face / 2 == 0 ? box->half.x : face / 2 == 1 ? box->half.y : box->half.z;
    return half + dot(face_inward(face), p);
}

/* The face through which the way enters the box, or −1. */
static int entry_face(const scree_placed *box, vec3 from, vec3 way)
{
    const double start[3] = {from.x, from.y, from.z}, step[3] = {way.x, way.y, way.z};
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    double enter = -1.0, leave = 1.0;
    int face = -1;
    for (int k = 0; k < 3; k++) {
        if (step[k] == 0.0) {
            if (fabs(start[k]) >= half[k])
                return -1;
            continue;
        }
        double s = step[k] > 0.0 ? 1.0 : -1.0;
        double in = (-s * half[k] - start[k]) / step[k], out = (s * half[k] - start[k]) / step[k];
        if (in > enter) {
            enter = in;
            face = 2 * k + (s > 0.0);
        }
        leave = out < leave ? out : leave;
    }
    return enter >= 0.0 && enter <= leave ? face : -1;
}

/* The face through which a centre inside the box goes out again: the nearest of those it may have come through. */
static int exit_face(const scree_placed *box, vec3 p, vec3 last)
{
    int best = -1;
    for (int face = 0; face < 6; face++) {
        if (!is_zero(last) && dot(face_inward(face), last) < 0.5)
            continue;
        if (best < 0 || face_depth(box, face, p) < face_depth(box, best, p))
            best = face;
    }
    return best >= 0 ? best : exit_face(box, p, (vec3){0.0, 0.0, 0.0});
}

scree_touch scree_touch_box(const scree_placed *box, const scree_local *at)
{
    vec3 p = at->p, half = box->half;
    int face = -1;
    if (is_zero(at->last) && !is_zero(at->way))
        face = entry_face(box, sub(p, at->way), at->way);
    vec3 nearest = {clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y), clamp(p.z, -half.z, half.z)};
    vec3 gap = sub(nearest, p);
    double distance = length(gap);
    if (face < 0 && distance >= nothing(at->r)) {
        vec3 n = scale(1.0 / distance, gap);
        if (dot(n, at->last) > -0.5) /* else it has gone right through a thin box */
            return (scree_touch){.overlap = at->r - distance, .n = n};
    }
    if (face < 0)
        face = exit_face(box, p, at->last);
    return (scree_touch){.overlap = at->r + face_depth(box, face, p), .n = face_inward(face)};
}

/* ---------------------------------------------------------------- the half-plane of a shape of revolution */

typedef struct flat {
    double rho, z;
} flat;

static flat flat_sub(flat a, flat b)
{
    return (flat){a.rho - b.rho, a.z - b.z};
}

static double flat_dot(flat a, flat b)
{
    return a.rho * b.rho + a.z * b.z;
}

/* The unit vector from the z axis to a point; a point on the axis takes the side that it came from. */
static vec3 outward(vec3 p, vec3 last, double r)
{
    double out = sqrt(p.x * p.x + p.y * p.y);
    if (out > nothing(r))
        return (vec3){p.x / out, p.y / out, 0.0};
    double side = sqrt(last.x * last.x + last.y * last.y);
    return side > 0.5 ? (vec3){-last.x / side, -last.y / side, 0.0} : (vec3){1.0, 0.0, 0.0};
}

static vec3 lift(flat v, vec3 out)
{
    return (vec3){v.rho * out.x, v.rho * out.y, v.z};
}

/* The nearest point of segment a b to p; *inner: it is neither a nor b. */
static flat nearest_of(flat a, flat b, flat p, bool *inner)
{
    flat ab = flat_sub(b, a);
    double square = flat_dot(ab, ab), t = square > 0.0 ? flat_dot(flat_sub(p, a), ab) / square : 0.0;
    *inner = t > 0.0 && t < 1.0;
    t = clamp(t, 0.0, 1.0);
    return (flat){a.rho + t * ab.rho, a.z + t * ab.z};
}

/* The normal to the right of the way from a to b: out of a solid whose profile runs from the low end to the high one.
 */
static flat right_of(flat a, flat b)
{
    flat ab = flat_sub(b, a);
    double size = sqrt(flat_dot(ab, ab));
    return (flat){ab.z / size, -ab.rho / size};
}

static double across(flat a, flat b)
{
    return a.rho * b.z - a.z * b.rho;
}

/* Whether the way from `from` to p crosses segment a b. */
static bool crosses(flat a, flat b, flat from, flat p)
{
    flat ab = flat_sub(b, a), way = flat_sub(p, from);
    bool parts_ends = across(way, flat_sub(a, from)) * across(way, flat_sub(b, from)) <= 0.0;
    bool parts_way = across(ab, flat_sub(from, a)) * across(ab, flat_sub(p, a)) < 0.0;
    return parts_ends && parts_way;
}

/* ---------------------------------------------------------------- shapes of revolution */

scree_touch scree_touch_bore(const scree_placed *tube, const scree_local *at)
{
    vec3 p = at->p;
    return (scree_touch){.overlap = sqrt(p.x * p.x + p.y * p.y) + at->r - tube->rho[0],
                         .n = outward(p, at->last, at->r)};
}

scree_touch scree_touch_shell(const scree_placed *shell, const scree_local *at)
{
    vec3 out = outward(at->p, at->last, at->r), last = at->last;
    flat p = {dot(out, at->p), at->p.z};
    flat a = {shell->rho[0], shell->z[0]}, b = {shell->rho[1], shell->z[1]};
    vec3 normal = lift(right_of(a, b), out);
    if (is_zero(last) && !is_zero(at->way)) {
        vec3 from = sub(at->p, at->way);
        flat before = {sqrt(from.x * from.x + from.y * from.y), from.z};
        double depth = flat_dot(right_of(a, b), flat_sub(p, a));
        if (crosses(a, b, before, p)) /* it was on the other side of the surface, and did not touch it */
            return (scree_touch){.overlap = at->r + fabs(depth), .n = depth > 0.0 ? normal : scale(-1.0, normal)};
    }
    bool inner;
    vec3 gap = lift(flat_sub(nearest_of(a, b, p, &inner), p), out);
    double distance = length(gap);
    if (distance < nothing(at->r)) /* on the surface */
        return (scree_touch){.overlap = at->r, .n = dot(normal, last) < 0.0 ? scale(-1.0, normal) : normal};
    vec3 n = scale(1.0 / distance, gap);
    if (inner && dot(n, last) < 0.0) /* the centre has gone through */
        return (scree_touch){.overlap = at->r + distance, .n = scale(-1.0, n)};
    return (scree_touch){.overlap = at->r - distance, .n = n};
}

scree_touch scree_touch_solid(const scree_placed *solid, const scree_local *at)
{
    vec3 out = outward(at->p, at->last, at->r);
    flat p = {dot(out, at->p), at->p.z};
    const flat corners[4] = {
        {0.0, solid->z[0]}, {solid->rho[0], solid->z[0]}, {solid->rho[1], solid->z[1]}, {0.0, solid->z[1]}};
    bool inside = true, inner;
    double least = HUGE_VAL, highest = -HUGE_VAL;
    flat gap = {0.0, 0.0};
    vec3 inward = {0.0, 0.0, 1.0};
    for (int pass = 0; pass < 2 && highest == -HUGE_VAL; pass++) /* again if the last normal fits no side */
        for (int k = 0; k < 3; k++) {
            if (corners[k].rho == corners[k + 1].rho && corners[k].z == corners[k + 1].z)
                continue; /* the end of a pointed cone */
            flat to = flat_sub(nearest_of(corners[k], corners[k + 1], p, &inner), p);
            if (flat_dot(to, to) < least) {
                least = flat_dot(to, to);
                gap = to;
            }
            flat right = right_of(corners[k], corners[k + 1]);
            double height = flat_dot(right, flat_sub(p, corners[k]));
            vec3 n = scale(-1.0, lift(right, out));
            inside = inside && height <= 0.0;
            bool came_from_here = pass > 0 || is_zero(at->last) || dot(n, at->last) >= 0.5;
            if (came_from_here && height > highest) {
                highest = height;
                inward = n;
            }
        }
    double distance = sqrt(least);
    if (inside || distance < nothing(at->r))
        return (scree_touch){.overlap = at->r - highest, .n = inward};
    return (scree_touch){.overlap = at->r - distance, .n = scale(1.0 / distance, lift(gap, out))};
}

/* Sphere and capsule: a point or segment of the z axis with a radius around it. */
scree_touch scree_touch_capsule(const scree_placed *capsule, const scree_local *at)
{
    double half = capsule->z[1], reach = at->r + capsule->rho[0];
    vec3 gap = sub((vec3){0.0, 0.0, clamp(at->p.z, -half, half)}, at->p);
    double distance = length(gap);
    if (distance < nothing(at->r))
        return (scree_touch){.overlap = reach, .n = is_zero(at->last) ? (vec3){1.0, 0.0, 0.0} : at->last};
    vec3 n = scale(1.0 / distance, gap);
    if (dot(n, at->last) < 0.0) /* the centre has gone through the axis */
        return (scree_touch){.overlap = reach + distance, .n = scale(-1.0, n)};
    return (scree_touch){.overlap = reach - distance, .n = n};
}
