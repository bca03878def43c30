/*
 * One hour of a settled bed of 1000 grains: nothing drifts, nothing blows up. What would show here and in no shorter
 * case is slow slip: a friction that gives way by 1e-6 m/s per newton (METHOD 3, tangentGamma) makes 3.6 mm in an hour.
 */
#include "verify/bed.h"

#include <math.h>

static const double DIAMETER = 0.02; /* m, the largest */

static scree_world *make(scree_verify *verify, scree_scene **scene)
{
    scree_bed bed = {0};
    bed_add(&bed, "scene name=longrun gravity=0,0,-9.81");
    bed_add(&bed, "solver threads=1");
    bed_add(&bed, "material id=rock density=2500 youngs=1e7");
    bed_add(&bed, "pair a=rock b=rock friction=0.5 rolling=0.1 twist=0.5");
    bed_add(&bed, "body id=floor material=rock");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "plane normal=1,0,0 position=-0.1,0,0");
    bed_add(&bed, "plane normal=-1,0,0 position=0.1,0,0");
    bed_add(&bed, "plane normal=0,1,0 position=0,-0.1,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,0.1,0");
    bed_add(&bed, "fill id=bed material=rock count=1000 min=-0.1,-0.1,0 max=0.1,0.1,1");
    bed_add(&bed, "size diameter=0.016 diameterMax=%g", DIAMETER);
    return bed_world(verify, &bed, scene);
}

static void run(scree_verify *verify)
{
    const double dt = 0.005;
    const int settling = 5, hour = 3600, every = 10; /* s */
    scree_scene *scene;
    scree_world *world = make(verify, &scene);
    FILE *out = verify_series(verify, "longrun.csv", "time,surface,center,energy_per_grain,seconds");
    bool good = world && verify_steps(verify, world, dt, (int)(settling / dt + 0.5));
    scree_info first = {0}, info = {0};
    double at_rest = NAN, drift = 0.0, began = bed_seconds();
    if (good) {
        scree_world_get_info(world, &first);
        at_rest = bed_surface(world);
    }
    for (int t = 0; good && t < hour; t += every) {
        good = verify_steps(verify, world, dt, (int)(every / dt + 0.5));
        double surface = good ? bed_surface(world) : NAN;
        scree_world_get_info(world, &info);
        drift = fmax(drift, fabs(surface - at_rest) / DIAMETER);
        if (out) {
            fprintf(out, "%g,%.9g,%.9g,%g,%.1f\n", scree_world_time(world), surface, info.center[2],
                    info.kinetic_energy / info.particles, bed_seconds() - began);
            fflush(out);
        }
    }
    if (good) { /* a state that is not finite has failed in verify_steps */
        verify_below(verify, "most drift of the surface in an hour", "d", drift, 0.1, "a bed at rest");
        verify_below(verify, "drift of the centre of mass in an hour", "d",
                     fabs(info.center[2] - first.center[2]) / DIAMETER, 0.1, "likewise");
        verify_report(verify, "kinetic energy per grain at the end", "J", info.kinetic_energy / info.particles, NAN,
                      "");
        verify_report(verify, "processor time per second simulated", "s", (bed_seconds() - began) / hour, NAN, "");
    }
    if (out)
        fclose(out);
    verify_free(world, scene);
}

const scree_verify_case scree_verify_longrun = {
    .name = "longrun",
    .summary = "an hour of a settled bed of 1000 grains: no drift",
    .slow = true,
    .run = run,
};
