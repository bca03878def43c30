/*
 * A bed comes to rest and stays there. 500 grains settle on a rough floor between rough walls, with rolling and
 * twisting resistance, so that every kind of motion of a grain that touches others is resisted. (A grain without
 * twisting resistance may spin about its contact normal for ever; that is physics, not an error.)
 *
 * Bounds: 1e-9 J per grain is a speed of 0.44 mm/s here, 2 % of a diameter per second. It must be reached and kept: a
 * solver that feeds energy in, or lets the bed drift into the next collapse, fails the second row. The long version
 * looks at creep: a loaded contact whose friction or warm start gives way a little in each substep sinks without end.
 */
#include "verify/bed.h"

#include <math.h>

static const double DIAMETER = 0.02; /* m, the largest; of the deep bed: half of it */

/* Grains between the largest diameter and 0.8 of it, in a square box. */
static scree_world *drop(scree_verify *verify, int count, double diameter, double width, scree_scene **scene)
{
    double half = 0.5 * width;
    scree_bed bed = {0};
    bed_add(&bed, "scene name=energy gravity=0,0,-9.81");
    bed_add(&bed, "solver threads=1");
    bed_add(&bed, "material id=rock density=2500 youngs=1e7");
    bed_add(&bed, "pair a=rock b=rock friction=0.5 rolling=0.1 twist=0.5");
    bed_add(&bed, "body id=floor material=rock");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "plane normal=1,0,0 position=-%g,0,0", half);
    bed_add(&bed, "plane normal=-1,0,0 position=%g,0,0", half);
    bed_add(&bed, "plane normal=0,1,0 position=0,-%g,0", half);
    bed_add(&bed, "plane normal=0,-1,0 position=0,%g,0", half);
    bed_add(&bed, "fill id=bed material=rock count=%d min=-%g,-%g,0 max=%g,%g,3", count, half, half, half, half);
    bed_add(&bed, "size diameter=%g diameterMax=%g", 0.8 * diameter, diameter);
    return bed_world(verify, &bed, scene);
}

static double energy_per_grain(const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    return info.kinetic_energy / info.particles;
}

/* The one grain with the most energy: it tells whether a mean hides a rattler. */
static double most_energy(const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    double most = 0.0;
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        double vv = 0.0, ww = 0.0;
        for (int k = 0; k < 3; k++) {
            vv += grain.velocity[k] * grain.velocity[k];
            ww += grain.angular_velocity[k] * grain.angular_velocity[k];
        }
        double energy = 0.5 * grain.mass * (vv + 0.4 * grain.radius * grain.radius * ww);
        most = energy > most ? energy : most;
    }
    return most;
}

/*
 * A bed of 2000 smaller grains, 45 d deep: here a substep is long against the oscillation of the contacts that bear the
 * weight, and a solver of few sweeps must neither feed the bed energy nor let it sink.
 */
static void run_deep(scree_verify *verify)
{
    const double dt = 0.005, d = 0.5 * DIAMETER;
    scree_scene *scene;
    scree_world *world = drop(verify, 2000, d, 6.0 * d, &scene);
    scree_info before, after;
    if (world && verify_steps(verify, world, dt, 1000)) {
        scree_world_get_info(world, &before);
        if (verify_steps(verify, world, dt, 1000)) {
            scree_world_get_info(world, &after);
            verify_below(verify, "deep bed: kinetic energy per grain after 10 s", "J", after.kinetic_energy / 2000.0,
                         1e-9, "a bed at rest");
            verify_below(verify, "deep bed: its centre sinks in 5 s by", "d", (before.center[2] - after.center[2]) / d,
                         0.01, "a bed at rest");
        }
    }
    verify_free(world, scene);
}

static void run(scree_verify *verify)
{
    const double dt = 0.005, bound = 1e-9;
    const char *source = "a bed at rest";
    scree_scene *scene;
    scree_world *world = drop(verify, 500, DIAMETER, 8.0 * DIAMETER, &scene);
    FILE *out = verify_series(verify, "energy.csv", "time,energy_per_grain,most_energy,surface");
    double reached = NAN, most_later = 0.0, at_rest = NAN, duration = verify->all ? 65.0 : 10.0;
    for (int i = 1; world && i * dt <= duration + 0.5 * dt; i++) {
        if (!verify_steps(verify, world, dt, 1))
            break;
        double time = i * dt, energy = energy_per_grain(world);
        if (isnan(reached) && energy < bound)
            reached = time;
        if (time > 5.0 && energy > most_later)
            most_later = energy;
        if (isnan(at_rest) && time >= 5.0)
            at_rest = bed_surface(world);
        if (out && (time < 5.0 || i % 20 == 0))
            fprintf(out, "%g,%g,%g,%.9g\n", time, energy, most_energy(world), bed_surface(world));
    }
    if (world) {
        verify_below(verify, "time until the kinetic energy is below 1e-9 J per grain", "s", reached, 5.0, source);
        verify_below(verify, "most kinetic energy per grain after 5 s", "J", most_later, bound, source);
        verify_report(verify, "kinetic energy per grain at the end", "J", energy_per_grain(world), NAN, "");
        verify_report(verify, "most kinetic energy of one grain at the end", "J", most_energy(world), NAN, "");
        double creep = fabs(bed_surface(world) - at_rest) / DIAMETER;
        verify_below(verify, verify->all ? "creep of the surface in 60 s" : "creep of the surface in 5 s", "d", creep,
                     0.01, source);
    }
    if (out)
        fclose(out);
    verify_free(world, scene);
    if (verify->all)
        run_deep(verify);
}

const scree_verify_case scree_verify_energy = {
    .name = "energy",
    .summary = "a settled bed loses its kinetic energy and does not creep",
    .run = run,
};
