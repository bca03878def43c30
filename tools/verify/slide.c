/*
 * A grain that slides on a plane (METHOD §3; Paper III §4.3).
 *
 * A sphere would rather roll. Here the rolling limit μ_r r P_n with μ_r = 10 exceeds any torque μ r P_n that friction
 * can give, so that the grain keeps its orientation and slides as a block: it starts at tan θ = μ and then gains g (sin
 * θ − μ cos θ).
 */
#include "verify/verify.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double DIAMETER = 0.01, DENSITY = 2500.0, GRAVITY = 9.81, FRICTION = 0.5, STEP = 0.005;
enum { ROOM = 200 };

/* The acceleration in the plane after a time to settle: along the slope, and across it. */
typedef struct slide {
    double along, across; /* m/s2 */
    double spin;          /* rad/s, at the end */
} slide;

static slide measure(scree_verify *verify, double slope, double azimuth, int settle, int steps)
{
    /* from the overlap that bears the weight: the normal force is right from the first step */
    double weight = DENSITY * PI / 6.0 * DIAMETER * DIAMETER * DIAMETER * GRAVITY * cos(slope);
    double k = 4.0 / 3.0 * 1e7 / (2.0 * (1.0 - 0.09)) * sqrt(0.5 * DIAMETER);
    double overlap = pow(weight / k, 2.0 / 3.0);
    char head[ROOM], solver[ROOM], pair[ROOM], grain[ROOM];
    snprintf(head, sizeof head, "scene name=slide gravity=%.17g,%.17g,%.17g", GRAVITY * sin(slope) * cos(azimuth),
             GRAVITY * sin(slope) * sin(azimuth), -GRAVITY * cos(slope));
    snprintf(solver, sizeof solver, "solver frame=%g threads=1 substeps=10 sweeps=10", STEP);
    snprintf(pair, sizeof pair, "pair a=rock b=rock friction=%g rolling=10", FRICTION);
    snprintf(grain, sizeof grain, "grain material=rock diameter=%g position=0,0,%.17g", DIAMETER,
             0.5 * DIAMETER - overlap);
    const char *lines[] = {head,
                           solver,
                           "material id=rock density=2500 youngs=1e7 poisson=0.3",
                           pair,
                           "body id=floor material=rock",
                           "plane normal=0,0,1",
                           grain,
                           NULL};
    slide result = {NAN, NAN, NAN};
    scree_scene *scene;
    scree_world *world = verify_world(verify, &scene, lines);
    if (world && verify_steps(verify, world, STEP, settle)) {
        scree_particle from = scree_world_get_particle(world, 0);
        if (verify_steps(verify, world, STEP, steps)) {
            scree_particle to = scree_world_get_particle(world, 0);
            double x = (to.velocity[0] - from.velocity[0]) / (steps * STEP);
            double y = (to.velocity[1] - from.velocity[1]) / (steps * STEP);
            double *w = to.angular_velocity;
            result.along = x * cos(azimuth) + y * sin(azimuth);
            result.across = y * cos(azimuth) - x * sin(azimuth);
            result.spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        }
    }
    verify_free(world, scene);
    return result;
}

/* tan of the slope at which the grain begins to gain speed. */
static double find_onset(scree_verify *verify, double azimuth)
{
    /* 1e-7 of g/√(1 + μ²): far above what rounding gives in a second, a tenth of the tolerance */
    double threshold = 1e-7 * GRAVITY, low = 0.5 * FRICTION, high = 2.0 * FRICTION;
    for (int i = 0; i < 28; i++) {
        double middle = 0.5 * (low + high);
        if (measure(verify, atan(middle), azimuth, 200, 200).along > threshold)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

static void run(scree_verify *verify)
{
    static const double slopes[] = {30.0, 45.0, 60.0}; /* degree; the onset is at 26.57 */
    char text[128];
    double onset[3], apart = 0.0;
    for (int i = 0; i < 3; i++) {
        onset[i] = find_onset(verify, 0.7 * i);
        snprintf(text, sizeof text, "tan of the slope at the onset, azimuth %.0f°", 0.7 * i * 180.0 / PI);
        verify_near(verify, text, "", onset[i], FRICTION, 1e-6 * FRICTION, "Coulomb, μ");
        apart = fmax(apart, fabs(onset[i] / onset[0] - 1.0));
    }
    verify_below(verify, "onset: largest difference between azimuths, relative", "", apart, 1e-6, "isotropy");
    for (int i = 0; i < 3; i++) {
        double slope = slopes[i] * PI / 180.0, expected = GRAVITY * (sin(slope) - FRICTION * cos(slope));
        slide got = measure(verify, slope, 0.0, 20, 100);
        snprintf(text, sizeof text, "acceleration on a slope of %g°", slopes[i]);
        verify_near(verify, text, "m/s2", got.along, expected, 1e-4 * expected, "g (sin θ − μ cos θ)");
        snprintf(text, sizeof text, "the grain does not turn, slope of %g°: spin r/(a t)", slopes[i]);
        verify_below(verify, text, "", got.spin * 0.5 * DIAMETER / (expected * 120 * STEP), 1e-6, "μ_r > μ");
    }
    double slope = 45.0 * PI / 180.0, reference = measure(verify, slope, 0.0, 20, 100).along, off = 0.0, across = 0.0;
    FILE *series = verify_series(verify, "slide.csv", "azimuth_deg,along,across");
    for (int degree = 0; degree < 360; degree += 7) {
        slide got = measure(verify, slope, degree * PI / 180.0, 20, 100);
        off = fmax(off, fabs(got.along / reference - 1.0));
        across = fmax(across, fabs(got.across / reference));
        if (series)
            fprintf(series, "%d,%.17g,%.17g\n", degree, got.along, got.across);
    }
    if (series)
        fclose(series);
    verify_below(verify, "acceleration over 52 azimuths: largest relative difference", "", off, 1e-6, "isotropy");
    verify_below(verify, "acceleration over 52 azimuths: largest share across the slope", "", across, 1e-6, "isotropy");
}

const scree_verify_case scree_verify_slide = {
    .name = "slide",
    .summary = "onset and acceleration of sliding, in every direction",
    .run = run,
};
