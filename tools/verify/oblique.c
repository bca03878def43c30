/*
 * Two grains that hit each other obliquely, with spin (METHOD §3, §6): whatever the contact does, it takes from one
 * grain what it gives to the other.
 *
 *   Σ m v and Σ (m x × v + I ω) stay; the kinetic energy never exceeds that of the start. An impact does not raise it
 * in any step; a continuous contact stores some and gives part of it back.
 *
 * Random sizes, masses, directions and spins, each once as an impact and once as a continuous contact (no impact is
 * fast enough then), with the restitutions 0, 0.5 and 1.
 */
#include "verify/verify.h"

#include <math.h>

enum { CASES = 40, LINE = 320 };

/* xorshift64*: the same numbers everywhere. In [−1, 1). */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-52 - 1.0;
}

typedef struct total {
    double p[3], l[3];       /* kg m/s, kg m2/s */
    double energy;           /* J, kinetic */
    double p_scale, l_scale; /* sums of the parts' sizes: what rounding is relative to */
} total;

static total sum_up(const scree_world *world)
{
    total all = {0};
    for (uint32_t i = 0; i < 2; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        const double *x = grain.position, *v = grain.velocity, *w = grain.angular_velocity;
        double m = grain.mass, inertia = 0.4 * m * grain.radius * grain.radius;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double orbit = m * (x[k1] * v[k2] - x[k2] * v[k1]);
            all.p[k] += m * v[k];
            all.l[k] += orbit + inertia * w[k];
            all.p_scale += fabs(m * v[k]);
            all.l_scale += fabs(orbit) + fabs(inertia * w[k]);
            all.energy += 0.5 * (m * v[k] * v[k] + inertia * w[k] * w[k]);
        }
    }
    return all;
}

/* How a kind of contact did over all its random cases. */
typedef struct outcome {
    double momentum, angular, gain; /* 1, largest relative change; of the energy: largest growth */
    double kept;                    /* 1, mean share of the energy that is left */
    uint32_t impacts;
} outcome;

static scree_world *make(scree_verify *verify, scree_scene **scene, uint64_t *state, double restitution, bool impact)
{
    char pair[LINE], grains[2][LINE], solver[LINE];
    double n[3], length, r[2] = {0.006 + 0.003 * draw(state), 0.006 + 0.003 * draw(state)};
    do { /* a direction, all alike likely */
        for (int k = 0; k < 3; k++)
            n[k] = draw(state);
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    } while (length > 1.0 || length < 0.1);
    for (int i = 0; i < 2; i++) { /* 1 mm apart, coming nearer at about 1 m/s with 0.6 m/s of anything on top */
        double side = i == 0 ? -1.0 : 1.0, reach = side * (r[i] + 0.0005) / length;
        snprintf(grains[i], sizeof grains[i],
                 "grain material=%s diameter=%.17g position=%.17g,%.17g,%.17g velocity=%.17g,%.17g,%.17g "
                 "angularVelocity=%.17g,%.17g,%.17g",
                 i == 0 ? "rock" : "ore", 2.0 * r[i], 0.1 + reach * n[0], 0.2 + reach * n[1], reach * n[2],
                 -side * n[0] / length + 0.3 * draw(state), -side * n[1] / length + 0.3 * draw(state),
                 -side * n[2] / length + 0.3 * draw(state), 100.0 * draw(state), 100.0 * draw(state),
                 100.0 * draw(state));
    }
    snprintf(pair, sizeof pair, "pair a=rock b=ore friction=%.17g rolling=%.17g twist=%.17g restitution=%g",
             0.5 + 0.5 * draw(state), 0.2 + 0.2 * draw(state), 0.5 + 0.5 * draw(state), restitution);
    /* one substep: the impact stage treats contacts without restitution too */
    snprintf(solver, sizeof solver, "solver frame=0.0005 threads=1 substeps=%d sweeps=%d impactSpeed=%g",
             impact ? 1 : 4, impact ? 20 : 3, impact ? 0.01 : 1e6);
    const char *lines[] = {"scene name=oblique gravity=0,0,0",
                           solver,
                           "material id=rock density=2500 youngs=1e7 poisson=0.3",
                           "material id=ore density=3700 youngs=6e6 poisson=0.25",
                           pair,
                           "pair a=rock b=rock friction=0.5",
                           "pair a=ore b=ore friction=0.5",
                           grains[0],
                           grains[1],
                           NULL};
    return verify_world(verify, scene, lines);
}

/* One meeting, until the grains are apart again; adds to the outcome. */
static void meet(scree_verify *verify, uint64_t *state, double restitution, bool impact, outcome *sum)
{
    scree_scene *scene;
    scree_world *world = make(verify, &scene, state, restitution, impact);
    if (!world)
        return;
    total start = sum_up(world);
    double below = start.energy, end = start.energy;
    for (int i = 0; i < 60 && verify_steps(verify, world, 0.0005, 1); i++) {
        scree_info info;
        scree_world_get_info(world, &info);
        sum->impacts += info.impacts;
        total now = sum_up(world);
        for (int k = 0; k < 3; k++) {
            sum->momentum = fmax(sum->momentum, fabs(now.p[k] - start.p[k]) / start.p_scale);
            sum->angular = fmax(sum->angular, fabs(now.l[k] - start.l[k]) / start.l_scale);
        }
        sum->gain = fmax(sum->gain, (now.energy - below) / start.energy);
        below = impact ? now.energy : start.energy;
        end = now.energy;
    }
    sum->kept += end / start.energy / CASES;
    verify_free(world, scene);
}

static void run(scree_verify *verify)
{
    static const double restitutions[] = {0.0, 0.5, 1.0};
    char text[128];
    uint64_t state = UINT64_C(88172645463325252);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 3; i++) {
            const char *name = kind == 0 ? "impact" : "continuous";
            outcome sum = {0};
            for (int k = 0; k < CASES; k++)
                meet(verify, &state, restitutions[i], kind == 0, &sum);
            snprintf(text, sizeof text, "linear momentum, %s, e = %g: largest change", name, restitutions[i]);
            verify_below(verify, text, "", sum.momentum, 1e-12, "rounding of some 100 steps");
            snprintf(text, sizeof text, "angular momentum, %s, e = %g: largest change", name, restitutions[i]);
            verify_below(verify, text, "", sum.angular, kind == 0 ? 1e-12 : 1e-7,
                         kind == 0 ? "rounding of doubles" : "rounding of impulses, which are floats");
            snprintf(text, sizeof text, "kinetic energy, %s, e = %g: largest gain", name, restitutions[i]);
            verify_below(verify, text, "", sum.gain, 1e-12, "rounding");
            snprintf(text, sizeof text, "kinetic energy, %s, e = %g: share left, mean", name, restitutions[i]);
            verify_report(verify, text, "", sum.kept, NAN, "");
            snprintf(text, sizeof text, "impacts of %d meetings, %s, e = %g", CASES, name, restitutions[i]);
            if (kind == 0)
                verify_above(verify, text, "", sum.impacts, CASES, "");
            else
                verify_below(verify, text, "", sum.impacts, 0.0, "");
        }
}

const scree_verify_case scree_verify_oblique = {
    .name = "oblique",
    .summary = "oblique impact of two spinning grains: momentum and energy",
    .run = run,
};
