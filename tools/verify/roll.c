/*
 * A grain that rolls (METHOD §3; Paper III §3.5, §4.4). Against a plane the rolling limit is μ_r r P_n.
 *
 *   onset on an incline   m g r sin φ = μ_r r m g cos φ: tan φ = μ_r. Paper III measures φ = 17.8°, tan φ = 0.32 (its
 *                         own text takes sin φ = 0.31).
 *   on the level          (2/5 m r² + m r²) dω/dt = −μ_r r m g: dv/dt = −(5/7) μ_r g, without slip while (5/7) μ_r < μ
 */
#include "verify/verify.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double DIAMETER = 0.0127, DENSITY = 3700.0, GRAVITY = 9.81, ROLLING = 0.32, STEP = 0.005;
enum { ROOM = 200 };

static scree_world *make(scree_verify *verify, scree_scene **scene, double slope, double speed, const char *solver)
{
    double weight = DENSITY * PI / 6.0 * DIAMETER * DIAMETER * DIAMETER * GRAVITY * cos(slope);
    double k = 4.0 / 3.0 * 6.2e6 / (2.0 * (1.0 - 0.0625)) * sqrt(0.5 * DIAMETER);
    char head[ROOM], pair[ROOM], grain[2 * ROOM];
    snprintf(head, sizeof head, "scene name=roll gravity=%.17g,0,%.17g", GRAVITY * sin(slope), -GRAVITY * cos(slope));
    snprintf(pair, sizeof pair, "pair a=ore b=ore friction=0.91 rolling=%g restitution=0.18", ROLLING);
    snprintf(grain, sizeof grain,
             "grain material=ore diameter=%g position=0,0,%.17g velocity=%.17g,0,0 angularVelocity=0,%.17g,0", DIAMETER,
             0.5 * DIAMETER - pow(weight / k, 2.0 / 3.0), speed, speed / (0.5 * DIAMETER));
    const char *lines[] = {head,
                           solver,
                           "material id=ore density=3700 youngs=6.2e6 poisson=0.25",
                           pair,
                           "body id=floor material=ore",
                           "plane normal=0,0,1",
                           grain,
                           NULL};
    return verify_world(verify, scene, lines);
}

/* Whether the grain still gains speed after a second. */
static bool rolls(scree_verify *verify, double slope, const char *solver)
{
    bool result = false;
    scree_scene *scene;
    scree_world *world = make(verify, &scene, slope, 0.0, solver);
    if (world && verify_steps(verify, world, STEP, 200)) {
        double before = scree_world_get_particle(world, 0).velocity[0];
        verify_steps(verify, world, STEP, 200);
        result = scree_world_get_particle(world, 0).velocity[0] - before > 1e-7 * GRAVITY;
    }
    verify_free(world, scene);
    return result;
}

static double find_onset(scree_verify *verify, const char *solver)
{
    double low = 10.0 * PI / 180.0, high = 30.0 * PI / 180.0;
    for (int i = 0; i < 28; i++) {
        double middle = 0.5 * (low + high);
        if (rolls(verify, middle, solver))
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* Mean acceleration on the level between 0.05 and 0.3 s, from 1 m/s; *slip: |v − ω r|/v at the end. */
static double decelerate(scree_verify *verify, const char *solver, double *slip)
{
    double result = NAN;
    scree_scene *scene;
    scree_world *world = make(verify, &scene, 0.0, 1.0, solver);
    if (world && verify_steps(verify, world, STEP, 10)) {
        double before = scree_world_get_particle(world, 0).velocity[0];
        if (verify_steps(verify, world, STEP, 50)) {
            scree_particle grain = scree_world_get_particle(world, 0);
            result = (grain.velocity[0] - before) / (50 * STEP);
            *slip = fabs(1.0 - grain.angular_velocity[1] * grain.radius / grain.velocity[0]);
        }
    }
    verify_free(world, scene);
    return result;
}

static void run(scree_verify *verify)
{
    static const struct {
        const char *name, *solver;
    } ways[] = {{"10 substeps", "solver threads=1 substeps=10"},
                {"1 substep of 150 sweeps (Paper III)", "solver threads=1 substeps=1 sweeps=150 warmStart=none"}};
    char text[128];
    for (int i = 0; i < 2; i++) {
        double onset = find_onset(verify, ways[i].solver);
        snprintf(text, sizeof text, "angle at which rolling starts, %s", ways[i].name);
        verify_near(verify, text, "°", onset * 180.0 / PI, 17.8, 0.178, "Paper III §3.5");
        snprintf(text, sizeof text, "its tangent, %s", ways[i].name);
        verify_near(verify, text, "", tan(onset), ROLLING, 1e-5 * ROLLING, "tan φ = μ_r");
        double slip = NAN, expected = -5.0 / 7.0 * ROLLING * GRAVITY;
        snprintf(text, sizeof text, "acceleration on the level, %s", ways[i].name);
        verify_near(verify, text, "m/s2", decelerate(verify, ways[i].solver, &slip), expected, -1e-4 * expected,
                    "−(5/7) μ_r g");
        snprintf(text, sizeof text, "slip meanwhile, |v − ω r|/v, %s", ways[i].name);
        verify_below(verify, text, "", slip, 1e-4, "rolling without slip");
    }
}

const scree_verify_case scree_verify_roll = {
    .name = "roll",
    .summary = "onset of rolling on an incline, deceleration on the level",
    .run = run,
};
