#include "linkage.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- the machine of make_scene.py */

/* A bar from pin to pin: a box of even density. */
static void set_bar(linkage *l, int body, double length, double width, double height, double mass)
{
    double *i = &l->inertia[3 * body];
    l->mass[body] = mass;
    l->center[2 * body] = length / 2;
    i[0] = mass * (width * width + height * height) / 12;
    i[1] = mass * (length * length + height * height) / 12;
    i[2] = mass * (length * length + width * width) / 12;
}

static void set_body(linkage *l, int body, double mass, double x, double z, double ix, double iy, double iz)
{
    l->mass[body] = mass;
    l->center[2 * body] = x;
    l->center[2 * body + 1] = z;
    l->inertia[3 * body] = ix;
    l->inertia[3 * body + 1] = iy;
    l->inertia[3 * body + 2] = iz;
}

void linkage_defaults(linkage *l)
{
    *l = (linkage){.gravity = 9.81,
                   .foot = {0.5, 2.2},
                   .boom = 6.9,
                   .stick = 3.35,
                   .boom_cylinder = {1.6, 1.5, 2.9, -0.35},
                   .stick_cylinder = {3.6, 0.75, -1.0, 0.25},
                   .bucket_cylinder = {0.55, 0.60},
                   .rocker_pivot = {3.35 - 0.55, 0.05},
                   .rocker = 0.62,
                   .link = 0.66,
                   .ear = 0.50,
                   .ear_angle = 100.0 * PI / 180.0};
    set_body(l, UPPER, 17000, -0.8, 2.0, 14000, 30000, 32000);
    set_body(l, COUNTERWEIGHT, 9000, -3.0, 2.0, 8000, 3000, 8000);
    set_bar(l, BOOM_BODY, l->boom, 0.5, 0.6, 4300);
    set_bar(l, STICK_BODY, l->stick, 0.4, 0.45, 2200);
    set_bar(l, ROCKER, l->rocker, 0.3, 0.12, 250);
    set_bar(l, LINK, l->link, 0.25, 0.12, 200);
    set_body(l, BUCKET_BODY, 2300, -0.75, -0.45, 1100, 1000, 1400);
}

const char *linkage_check(const linkage *l)
{
    if (!(l->boom > 0.0 && l->stick > 0.0 && l->rocker > 0.0 && l->link > 0.0 && l->ear > 0.0))
        return "linkage: boom, stick, rocker, link and ear need lengths above 0";
    for (int k = 0; k < BODIES; k++)
        if (!(l->mass[k] > 0.0) ||
            !(l->inertia[3 * k] > 0.0 && l->inertia[3 * k + 1] > 0.0 && l->inertia[3 * k + 2] > 0.0))
            return "linkage: every body needs mass and moments of inertia above 0";
    return NULL;
}

/* ---- kinematics */

/* A frame that turns in the plane: its angle as a function of α, with its rate and its bias as above. */
typedef struct frame {
    double angle, rate, bias;
    double a[3];
} frame;

static frame own_frame(const double alpha[3], const double rate[3], int k)
{
    frame f = {.angle = alpha[k], .rate = rate[k]};
    f.a[k] = 1.0;
    return f;
}

static void turn(double angle, const double v[2], double out[2])
{
    double c = cos(angle), s = sin(angle);
    out[0] = c * v[0] - s * v[1];
    out[1] = s * v[0] + c * v[1];
}

/* `from` and further by v, which is given in the frame f. */
static arm_point go(const arm_point *from, const frame *f, double along, double across)
{
    arm_point to = *from;
    double v[2];
    turn(f->angle, (double[]){along, across}, v);
    double n[2] = {-v[1], v[0]};
    for (int i = 0; i < 2; i++) {
        to.p[i] += v[i];
        to.b[i] += f->bias * n[i] - f->rate * f->rate * v[i];
        for (int k = 0; k < 3; k++)
            to.j[i][k] += n[i] * f->a[k];
    }
    return to;
}

/*
 * Rocker (from pivot) and link (to ear): they meet on the left of the way from pivot to ear. With their directions e4,
 * e5 and normals n: l4 n4 angle4' + l5 n5 angle5' = d', d from pivot to ear; once more by time for the bias.
 */
static int close_loop(const linkage *l, const arm_point *pivot, const arm_point *ear, const double rate[3],
                      frame *rocker, frame *link)
{
    double d[2] = {ear->p[0] - pivot->p[0], ear->p[1] - pivot->p[1]}, way = hypot(d[0], d[1]);
    double x = (l->rocker * l->rocker - l->link * l->link + way * way) / (2.0 * way);
    double y2 = l->rocker * l->rocker - x * x;
    if (!(y2 > 1e-6 * l->rocker * l->rocker)) /* stretched or folded: nothing holds the bucket there */
        return 0;
    double y = sqrt(y2), base = atan2(d[1], d[0]);
    rocker->angle = base + atan2(y, x);
    link->angle = base + atan2(-y, way - x);
    double e4[2] = {cos(rocker->angle), sin(rocker->angle)}, e5[2] = {cos(link->angle), sin(link->angle)};
    double across = e4[0] * e5[1] - e4[1] * e5[0]; /* n4·e5, and −n5·e4 */
    double to4 = l->rocker * across, to5 = -l->link * across;
    rocker->rate = link->rate = 0.0;
    for (int k = 0; k < 3; k++) {
        double dj[2] = {ear->j[0][k] - pivot->j[0][k], ear->j[1][k] - pivot->j[1][k]};
        rocker->a[k] = (dj[0] * e5[0] + dj[1] * e5[1]) / to4;
        link->a[k] = (dj[0] * e4[0] + dj[1] * e4[1]) / to5;
        rocker->rate += rocker->a[k] * rate[k];
        link->rate += link->a[k] * rate[k];
    }
    double r[2];
    for (int i = 0; i < 2; i++)
        r[i] = ear->b[i] - pivot->b[i] + l->rocker * rocker->rate * rocker->rate * e4[i] +
               l->link * link->rate * link->rate * e5[i];
    rocker->bias = (r[0] * e5[0] + r[1] * e5[1]) / to4;
    link->bias = (r[0] * e4[0] + r[1] * e4[1]) / to5;
    return 1;
}

static void add_body(const linkage *l, int body, const arm_point *origin, const frame *f, double across_turn, arm *a)
{
    frame own = *f;
    own.angle += across_turn;
    arm_point c = go(origin, &own, l->center[2 * body], l->center[2 * body + 1]);
    double m = l->mass[body], ix = l->inertia[3 * body], iy = l->inertia[3 * body + 1], iz = l->inertia[3 * body + 2];
    double s = sin(own.angle), co = cos(own.angle);
    a->potential += m * l->gravity * c.p[1];
    a->swing_inertia += m * c.p[0] * c.p[0] + ix * s * s + iz * co * co;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            a->mass[i][k] += m * (c.j[0][i] * c.j[0][k] + c.j[1][i] * c.j[1][k]) + iy * own.a[i] * own.a[k];
        a->bias[i] += m * (c.j[0][i] * c.b[0] + c.j[1][i] * c.b[1]) + iy * own.a[i] * own.bias;
        a->lift[i] += m * l->gravity * c.j[1][i];
        a->swing_slope[i] += 2.0 * m * c.p[0] * c.j[0][i] + 2.0 * (ix - iz) * s * co * own.a[i];
    }
}

static void set_cylinder(arm *a, int cylinder, const arm_point *p, const arm_point *q)
{
    double d[2] = {q->p[0] - p->p[0], q->p[1] - p->p[1]}, length = hypot(d[0], d[1]);
    a->length[cylinder] = length;
    for (int k = 0; k < 3; k++)
        a->lever[cylinder][1 + k] = (d[0] * (q->j[0][k] - p->j[0][k]) + d[1] * (q->j[1][k] - p->j[1][k])) / length;
}

int arm_move(const linkage *l, const double q[DOFS], const double rate[DOFS], arm *a)
{
    memset(a, 0, sizeof *a);
    frame still = {0};
    frame boom = own_frame(q + 1, rate + 1, 0), stick = own_frame(q + 1, rate + 1, 1),
          edge = own_frame(q + 1, rate + 1, 2);
    frame rocker = {0}, link = {0};
    arm_point zero = {0};
    arm_point foot = go(&zero, &still, l->foot[0], l->foot[1]);
    arm_point tip = go(&foot, &boom, l->boom, 0.0);
    a->wrist = go(&tip, &stick, l->stick, 0.0);
    arm_point pivot = go(&tip, &stick, l->rocker_pivot[0], l->rocker_pivot[1]);
    arm_point ear = go(&a->wrist, &edge, l->ear * cos(l->ear_angle), l->ear * sin(l->ear_angle));
    if (!close_loop(l, &pivot, &ear, rate + 1, &rocker, &link))
        return 0;
    arm_point end = go(&pivot, &rocker, l->rocker, 0.0);

    add_body(l, UPPER, &zero, &still, 0.0, a);
    add_body(l, COUNTERWEIGHT, &zero, &still, 0.0, a);
    add_body(l, BOOM_BODY, &foot, &boom, 0.0, a);
    add_body(l, STICK_BODY, &tip, &stick, 0.0, a);
    add_body(l, ROCKER, &pivot, &rocker, 0.0, a);
    add_body(l, LINK, &end, &link, 0.0, a);
    add_body(l, BUCKET_BODY, &a->wrist, &edge, -PI, a); /* the bucket's frame looks back along the edge */

    arm_point p = go(&zero, &still, l->boom_cylinder[0], l->boom_cylinder[1]);
    arm_point r = go(&foot, &boom, l->boom_cylinder[2], l->boom_cylinder[3]);
    set_cylinder(a, BOOM_CYLINDER, &p, &r);
    p = go(&foot, &boom, l->stick_cylinder[0], l->stick_cylinder[1]);
    r = go(&tip, &stick, l->stick_cylinder[2], l->stick_cylinder[3]);
    set_cylinder(a, STICK_CYLINDER, &p, &r);
    p = go(&tip, &stick, l->bucket_cylinder[0], l->bucket_cylinder[1]);
    set_cylinder(a, BUCKET_CYLINDER, &p, &end);
    a->length[SWING_MOTOR] = q[SWING];
    a->lever[SWING_MOTOR][SWING] = 1.0;
    return 1;
}

/* ---- dynamics */

/* A x = b, A 3 × 3; with pivots by rows, since levers may stand in any order. */
static void solve3(double m[3][3], double b[3])
{
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(m[i][k]) > fabs(m[best][k]))
                best = i;
        for (int c = 0; c < 3; c++) {
            double t = m[k][c];
            m[k][c] = m[best][c];
            m[best][c] = t;
        }
        double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < 3; i++) {
            double f = m[i][k] / m[k][k];
            for (int c = k; c < 3; c++)
                m[i][c] -= f * m[k][c];
            b[i] -= f * b[k];
        }
    }
    for (int k = 2; k >= 0; k--) {
        for (int c = k + 1; c < 3; c++)
            b[k] -= m[k][c] * b[c];
        b[k] /= m[k][k];
    }
}

void arm_accelerate(const arm *a, const double rate[DOFS], const double force[DOFS], double acceleration[DOFS])
{
    double m[3][3], b[3], change = 0.0;
    memcpy(m, a->mass, sizeof m);
    for (int i = 0; i < 3; i++) {
        b[i] = force[1 + i] - a->bias[i] - a->lift[i] + 0.5 * rate[SWING] * rate[SWING] * a->swing_slope[i];
        change += a->swing_slope[i] * rate[1 + i];
    }
    solve3(m, b);
    acceleration[SWING] = (force[SWING] - rate[SWING] * change) / a->swing_inertia;
    memcpy(acceleration + 1, b, sizeof b);
}

void arm_hold(const arm *a, const double force[DOFS], double cylinder[3])
{
    double m[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            m[i][k] = a->lever[k][1 + i];
        cylinder[i] = a->lift[i] - force[1 + i];
    }
    solve3(m, cylinder);
}

double arm_kinetic(const arm *a, const double rate[DOFS])
{
    double sum = a->swing_inertia * rate[SWING] * rate[SWING];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += rate[1 + i] * a->mass[i][k] * rate[1 + k];
    return 0.5 * sum;
}

void arm_bucket(const arm *a, const double q[DOFS], double position[3], double orientation[4],
                double jacobian[6 * DOFS])
{
    double c = cos(q[SWING]), s = sin(q[SWING]);
    const arm_point *w = &a->wrist;
    position[0] = c * w->p[0];
    position[1] = s * w->p[0];
    position[2] = w->p[1];
    /* about z by the swing, then about −y by the angle of the bucket's frame */
    double cz = cos(q[SWING] / 2), sz = sin(q[SWING] / 2), half = (q[BUCKET] - PI) / 2, cy = cos(half), sy = -sin(half);
    orientation[0] = cz * cy;
    orientation[1] = -sz * sy;
    orientation[2] = cz * sy;
    orientation[3] = sz * cy;
    memset(jacobian, 0, 6 * DOFS * sizeof *jacobian);
    jacobian[0 * DOFS + SWING] = -s * w->p[0];
    jacobian[1 * DOFS + SWING] = c * w->p[0];
    jacobian[5 * DOFS + SWING] = 1.0;
    for (int k = 0; k < 3; k++) {
        jacobian[0 * DOFS + 1 + k] = c * w->j[0][k];
        jacobian[1 * DOFS + 1 + k] = s * w->j[0][k];
        jacobian[2 * DOFS + 1 + k] = w->j[1][k];
    }
    jacobian[3 * DOFS + BUCKET] = s; /* −e_ψ = (sin ψ, −cos ψ, 0) */
    jacobian[4 * DOFS + BUCKET] = -c;
}
