/*
 * The operator of a wheel loader as a machine model (examples/common/machine): a cycle of angles and a driving speed,
 * turned into strokes of the lift and tilt cylinders.
 *
 * In the plane of the loader, x forward, z up, angles counter-clockwise seen with x to the right. The arm turns about
 * its pin on the vehicle, the bucket about its pin at the arm's end. Angles are given at KNOTS times, of the arm and of
 * the bucket's floor to the ground, and go between them on cubics whose slopes are harmonic means, so that they never
 * overshoot; the driving speed goes straight. Beyond the last time everything stays.
 *   lift = |vehicle's eye − arm's eye|        tilt = |arm's second eye − bucket's eye|
 * After a step the outputs are what Scree needs to make the same step: strokes at its beginning, and the speeds that
 * lead to its end. So a master steps the operator first.
 */
#include "machine.h"

#include <math.h>

enum { KNOTS = 8 };

typedef struct operator
{
    /* parameters */
    double time[KNOTS], drive[KNOTS], arm[KNOTS], bucket[KNOTS]; /* s, m/s, rad, rad */
    double pin[2], length;                                       /* m: arm's pin on the vehicle; pin to pin */
    double lift_vehicle[2], lift_arm[2];                         /* m: on the vehicle; on the arm, along and across */
    double tilt_arm[2], tilt_bucket[2];                          /* m: on the arm; on the bucket, level */
    /* outputs */
    double speed, lift, lift_speed, tilt, tilt_speed; /* m/s, m, m/s, m, m/s */
}
operator;

#define AT(member) (offsetof(operator, member) / sizeof(double))

static const machine_variable table[] = {
    {"cycle.time", MACHINE_PARAMETER, "s", KNOTS, 0, AT(time), "Times of the cycle, rising"},
    {"cycle.drive", MACHINE_PARAMETER, "m/s", KNOTS, 0, AT(drive), "Driving speed at these"},
    {"cycle.arm", MACHINE_PARAMETER, "rad", KNOTS, 0, AT(arm), "Angle of the arm"},
    {"cycle.bucket", MACHINE_PARAMETER, "rad", KNOTS, 0, AT(bucket), "Angle of the bucket's floor to the ground"},
    {"arm.pin", MACHINE_PARAMETER, "m", 2, 0, AT(pin), "Arm's pin on the vehicle: x, z"},
    {"arm.length", MACHINE_PARAMETER, "m", 1, 0, AT(length), "Arm, from pin to pin"},
    {"lift.vehicle", MACHINE_PARAMETER, "m", 2, 0, AT(lift_vehicle), "Lift cylinder on the vehicle: x, z"},
    {"lift.arm", MACHINE_PARAMETER, "m", 2, 0, AT(lift_arm), "Lift cylinder on the arm: along, across"},
    {"tilt.arm", MACHINE_PARAMETER, "m", 2, 0, AT(tilt_arm), "Tilt cylinder on the arm: along, across"},
    {"tilt.bucket", MACHINE_PARAMETER, "m", 2, 0, AT(tilt_bucket), "Tilt cylinder on the bucket: x, z when level"},
    {"drive.speed", MACHINE_OUTPUT, "m/s", 1, 0, AT(speed), "Driving speed"},
    {"lift.position", MACHINE_OUTPUT, "m", 1, 0, AT(lift), "Length of the lift cylinder"},
    {"lift.speed", MACHINE_OUTPUT, "m/s", 1, 0, AT(lift_speed), "Its speed"},
    {"tilt.position", MACHINE_OUTPUT, "m", 1, 0, AT(tilt), "Length of the tilt cylinder"},
    {"tilt.speed", MACHINE_OUTPUT, "m/s", 1, 0, AT(tilt_speed), "Its speed"},
};

static void defaults(void *model)
{
    *(operator*)model = (operator){
        .time = {0.0, 0.8, 1.7, 2.6, 3.6, 4.5, 5.8, 7.2},
        .drive = {0.0, 1.0, 0.8, 0.6, 0.3, 0.0, -0.9, 0.0},
        .arm = {-0.7, -0.7, -0.7, -0.66, -0.55, -0.4, -0.15, 0.0},
        .bucket = {0.0, 0.0, 0.0, 0.15, 0.45, 0.75, 0.8, 0.8},
        .pin = {0.0, 1.75},
        .length = 2.3,
        .lift_vehicle = {-0.1, 0.7},
        .lift_arm = {1.25, -0.1},
        .tilt_arm = {0.7, 0.1},
        .tilt_bucket = {0.09, 0.42},
    };
}

/* Between knots 0 and KNOTS − 1 of y over the cycle's times. */
static double slope(const double *t, const double *y, int i)
{
    if (i == 0 || i == KNOTS - 1)
        return 0.0;
    double left = (y[i] - y[i - 1]) / (t[i] - t[i - 1]), right = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
    return left * right > 0.0 ? 2.0 * left * right / (left + right) : 0.0;
}

static double along(const double *t, const double *y, double time, int smooth)
{
    int k = 1;
    while (k < KNOTS - 1 && time > t[k])
        k++;
    double width = t[k] - t[k - 1], s = fmin(fmax((time - t[k - 1]) / width, 0.0), 1.0);
    if (!smooth)
        return y[k - 1] + s * (y[k] - y[k - 1]);
    double a = width * slope(t, y, k - 1), b = width * slope(t, y, k), s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * y[k - 1] + (s3 - 2 * s2 + s) * a + (3 * s2 - 2 * s3) * y[k] + (s3 - s2) * b;
}

static void strokes(const operator* m, double time, double *lift, double *tilt)
{
    double arm = along(m->time, m->arm, time, 1), bucket = along(m->time, m->bucket, time, 1);
    double c = cos(arm), s = sin(arm), end[2] = {m->pin[0] + m->length * c, m->pin[1] + m->length * s};
    double lift_end[2] = {m->pin[0] + c * m->lift_arm[0] - s * m->lift_arm[1],
                          m->pin[1] + s * m->lift_arm[0] + c * m->lift_arm[1]};
    double tilt_start[2] = {m->pin[0] + c * m->tilt_arm[0] - s * m->tilt_arm[1],
                            m->pin[1] + s * m->tilt_arm[0] + c * m->tilt_arm[1]};
    double cb = cos(bucket), sb = sin(bucket);
    double tilt_end[2] = {end[0] + cb * m->tilt_bucket[0] - sb * m->tilt_bucket[1],
                          end[1] + sb * m->tilt_bucket[0] + cb * m->tilt_bucket[1]};
    *lift = hypot(lift_end[0] - m->lift_vehicle[0], lift_end[1] - m->lift_vehicle[1]);
    *tilt = hypot(tilt_end[0] - tilt_start[0], tilt_end[1] - tilt_start[1]);
}

static void put(operator* m, double time, double h)
{
    double lift, tilt;
    strokes(m, time, &m->lift, &m->tilt);
    strokes(m, time + h, &lift, &tilt);
    m->lift_speed = (lift - m->lift) / h;
    m->tilt_speed = (tilt - m->tilt) / h;
    m->speed = along(m->time, m->drive, time + 0.5 * h, 0);
}

static const char *start(void *model)
{
    operator* m = model;
    for (int k = 1; k < KNOTS; k++)
        if (!(m->time[k] > m->time[k - 1]))
            return "cycle.time must rise";
    put(m, 0.0, 1e-3);
    return NULL;
}

static const char *step(void *model, double time, double h)
{
    put(model, time, h);
    return NULL;
}

const machine_model machine = {"loader_operator",
                               "The operator of a wheel loader: driving speed and strokes of a loading cycle",
                               table,
                               sizeof table / sizeof *table,
                               sizeof(operator),
                               defaults,
                               start,
                               step,
                               0.0};
