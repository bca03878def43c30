/*
 * A pellet dropped on the ground (METHOD §6; Paper III §4.2): e_eff = √(rebound height/drop height).
 *
 * The recommended step is plan's, ε d/v_n for the speed at the ground and ε = 1 %. The threshold for impacts is the
 * engine's own; the papers' ε d per step would lie above the speed itself at such a step, and the impact would be none.
 */
#include "verify/verify.h"

#include "plan.h"

#include <math.h>

static const double DIAMETER = 0.0127, GRAVITY = 9.82, TOLERANCE = 0.01; /* Paper III Tables 1, 2, §2.2 */
enum { ROOM = 200 };

static scree_world *make(scree_verify *verify, scree_scene **scene, const char *solver, double gravity, double height,
                         double speed, double restitution)
{
    char head[ROOM], pair[ROOM], grain[ROOM];
    snprintf(head, sizeof head, "scene name=drop gravity=0,0,%.17g", -gravity);
    snprintf(pair, sizeof pair, "pair a=ore b=ore friction=0.91 rolling=0.32 restitution=%g", restitution);
    snprintf(grain, sizeof grain, "grain material=ore diameter=%g position=0,0,%.17g velocity=0,0,%.17g", DIAMETER,
             0.5 * DIAMETER + height, -speed);
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

/* Height of the first rebound, the vertex of the parabola that its highest sample lies on. */
static double rebound(scree_verify *verify, const char *solver, double frame, double height, double restitution)
{
    scree_scene *scene;
    scree_world *world = make(verify, &scene, solver, GRAVITY, height, 0.0, restitution);
    double best = NAN, top = -INFINITY;
    int most = (int)(3.0 * sqrt(2.0 * height / GRAVITY) / frame);
    bool up = false;
    for (int i = 0; world && i < most && verify_steps(verify, world, frame, 1); i++) {
        scree_particle grain = scree_world_get_particle(world, 0);
        double z = grain.position[2] - grain.radius, v = grain.velocity[2];
        if (up && v <= 0.0 && z < top)
            break;
        up |= v > 0.0;
        if (up && z > top) {
            top = z;
            best = fmax(0.0, z + 0.5 * v * v / GRAVITY);
        }
    }
    verify_free(world, scene);
    return best;
}

/* The largest |u⁺/(e u⁻) + 1| of pellets shot at the ground without gravity. */
static double impact_error(scree_verify *verify, const char *solver, double restitution)
{
    double worst = 0.0;
    for (int i = 0; i < 20; i++) {
        double speed = 0.3 + 0.15 * i;
        scree_scene *scene;
        scree_world *world = make(verify, &scene, solver, 0.0, 0.0123, speed, restitution);
        double after = NAN;
        if (world && verify_steps(verify, world, 0.005, 30))
            after = scree_world_get_particle(world, 0).velocity[2];
        worst = fmax(worst, fabs(after / (restitution * speed) - 1.0));
        worst = isnan(after) ? NAN : worst;
        verify_free(world, scene);
    }
    return worst;
}

typedef struct scheme {
    const char *name;
    double frame;     /* s; 0: as many recommended steps as there are substeps */
    int substeps;     /* per frame */
    bool recommended; /* plan's step */
} scheme;

/* Over all drop heights: the largest error of e_eff, and the mean and spread of e_eff. */
typedef struct outcome {
    double worst, worst_height, mean, spread;
} outcome;

static outcome drop_all(scree_verify *verify, const scheme *how, double restitution, FILE *series)
{
    outcome result = {0};
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (int i = 0; i <= 20; i++, count++) {
        double height = 0.05 + 0.02 * i, v = sqrt(2.0 * GRAVITY * height), frame = how->frame;
        char solver[ROOM];
        if (how->recommended)
            frame = how->substeps * scree_plan_step(TOLERANCE, DIAMETER, v, GRAVITY);
        snprintf(solver, sizeof solver, "solver threads=1 frame=%.17g substeps=%d", frame, how->substeps);
        double back = rebound(verify, solver, frame, height, restitution), e = sqrt(back / height);
        result.worst = fmax(result.worst, isnan(e) ? 1.0 : fabs(e / restitution - 1.0));
        result.worst_height = fmax(result.worst_height, isnan(e) ? 1.0 : fabs(e * e / restitution / restitution - 1.0));
        sum += e;
        squares += e * e;
        if (series)
            fprintf(series, "%g,%s,%g,%.9g\n", restitution, how->name, height, e);
    }
    result.mean = sum / count;
    result.spread = sqrt(fmax(0.0, squares / count - result.mean * result.mean));
    return result;
}

static void run(scree_verify *verify)
{
    static const double restitutions[] = {0.18, 0.8};
    static const scheme schemes[] = {
        {"recommended step × 10 substeps", 0.0, 10, true},
        {"recommended step × 1", 0.0, 1, true},
        {"5 ms × 10 substeps (default)", 0.005, 10, false},
        {"5 ms × 1", 0.005, 1, false},
        {"0.2 ms × 1", 0.0002, 1, false},
    };
    char text[128];
    FILE *series = verify_series(verify, "drop.csv", "e,scheme,height,e_eff");
    for (int k = 0; k < 2; k++) {
        double e = restitutions[k];
        for (int n = 1; n <= 10; n += 9) {
            char solver[ROOM];
            snprintf(solver, sizeof solver, "solver threads=1 substeps=%d", n);
            snprintf(text, sizeof text, "impact law, 0.3 to 3.15 m/s, e = %g, 5 ms × %d", e, n);
            verify_below(verify, text, "", impact_error(verify, solver, e), 1e-9, "u⁺ = −e u⁻, rounding");
        }
        for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
            outcome got = drop_all(verify, &schemes[i], e, series);
            snprintf(text, sizeof text, "e_eff/e − 1, 0.05 to 0.45 m, e = %g, %s", e, schemes[i].name);
            if (schemes[i].recommended)
                verify_below(verify, text, "", got.worst, 0.01, "Paper III Table 2");
            else
                verify_report(verify, text, "", got.worst, NAN, "");
            if (schemes[i].recommended) {
                snprintf(text, sizeof text, "rebound height, relative error, e = %g, %s", e, schemes[i].name);
                verify_below(verify, text, "", got.worst_height, 0.01, "e² h");
            } else if (schemes[i].substeps == 1 && k == 0) {
                double step = schemes[i].frame, printed = step > 0.001 ? 0.17 : 0.175;
                snprintf(text, sizeof text, "mean e_eff, e = %g, %s", e, schemes[i].name);
                verify_report(verify, text, "", got.mean, printed, "Paper III §4.2");
                snprintf(text, sizeof text, "spread of e_eff, e = %g, %s", e, schemes[i].name);
                verify_report(verify, text, "", got.spread, step > 0.001 ? 0.07 : 0.004, "Paper III §4.2");
            }
        }
    }
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_drop = {
    .name = "drop",
    .summary = "rebound of a dropped pellet",
    .run = run,
};
