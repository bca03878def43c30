/*
 * Discharge of a flat-bottomed silo through a round hole, against Beverloo's law:
 *   W = C ρ_b √g (D − k d)^(5/2)
 * D the diameter of the hole, d that of the grains, ρ_b the density of the bed at rest. Holes of 8 to 25 d in silos of
 * twice their diameter and at least 26 d, filled as high as they are wide. The flow builds up over the time of a fall
 * from some D; then the rate is measured, for 1.5 s at most, while two fifths of the grains leave: as long as the bed
 * is higher than D the rate does not depend on the head.
 *
 * (W/(ρ_b √g))^(2/5) is linear in D; slope and zero of the line give C and k. k is said to be 1 to 2 for round grains;
 * where the free fit's lies beyond, the line is fitted with the nearer bound, and must be as good.
 */
#include "verify/bed.h"

#include <math.h>

static const double D = 0.01;   /* m, mean diameter; from 0.9 to 1.1 of it */
static const double G = 9.81;   /* m/s2 */
static const double DT = 0.005; /* s */

/* hole: m, diameter; 0: closed. */
static void write_silo(scree_bed *bed, double hole, double wide, bool open)
{
    bed_add(bed, "scene name=hopper gravity=0,0,-%g", G);
    bed_add(bed, "solver threads=1");
    bed_add(bed, "material id=bead density=2500 youngs=1e7");
    bed_add(bed, "pair a=bead b=bead friction=0.5");
    bed_add(bed, "body id=silo material=bead");
    bed_add(bed, "tube radius=%.17g", 0.5 * wide);
    bed_add(bed, "disc radius=%.17g hole=%.17g", 0.6 * wide, open ? 0.5 * hole : 0.0);
    bed_add(bed, "flowSensor id=out normal=0,0,-1");
    bed_add(bed, "region id=middle shape=cylinder radius=%g length=%g position=0,0,%g", 0.35 * wide, 0.3 * wide,
            0.4 * wide);
    bed_add(bed, "regionSensor id=middle region=middle");
    bed_add(bed, "region id=below shape=halfspace position=0,0,-0.05 normal=0,0,1");
    bed_add(bed, "sink id=below region=below");
}

typedef struct flow {
    double rate;    /* kg/s */
    double density; /* kg/m3, of the bed before the hole was opened */
    uint32_t grains;
} flow;

/* Fills a closed silo and opens it: the grains go on in a scene with a hole. */
static bool discharge(scree_verify *verify, double hole, flow *out)
{
    *out = (flow){0};
    const double wide = fmax(2.0 * hole, 26.0 * D), volume = 3.141592653589793 * 0.35 * 0.35 * 0.3 * wide * wide * wide;
    double fill = 0.95 * wide, mass = 2500.0 * 3.141592653589793 / 6.0 * D * D * D * 1.01; /* of a grain, mean */
    uint32_t count = (uint32_t)(2500.0 * 0.58 * 3.141592653589793 * 0.25 * wide * wide * fill / mass);
    scree_bed bed = {0};
    scree_scene *closed_scene, *scene = NULL;
    write_silo(&bed, hole, wide, false);
    bed_add(&bed, "region id=fill shape=cylinder radius=%.17g length=%.17g position=0,0,%.17g", 0.5 * wide - 0.5 * D,
            2.2 * fill, 1.1 * fill + 0.006);
    bed_add(&bed, "fill id=beads material=bead region=fill count=%u", (unsigned)count);
    bed_add(&bed, "size diameter=%g diameterMax=%g", 0.9 * D, 1.1 * D);
    scree_world *closed = bed_world(verify, &bed, &closed_scene), *world = NULL;
    bool ok = closed && verify_steps(verify, closed, DT, 160);
    if (ok) {
        out->density = scree_world_get_reading(closed, 1).region.mass / volume;
        write_silo(&bed, hole, wide, true);
        bed_add_grains_of(&bed, closed, "bead");
        world = bed_world(verify, &bed, &scene);
        ok = world != NULL;
    }
    verify_free(closed, closed ? closed_scene : NULL);
    double passed = 0.0, began = 0.0, since = 0.0, total = count * mass, transient = 2.5 * sqrt(hole / G);
    while (ok && passed < 0.4 * total && scree_world_time(world) < transient + 1.5) {
        ok = verify_steps(verify, world, DT, 1);
        passed = scree_world_get_reading(world, 0).flow.passed;
        double time = scree_world_time(world);
        if (time <= transient) {
            began = passed;
            since = time;
        } else {
            out->rate = (passed - began) / (time - since);
        }
    }
    out->grains = count;
    verify_free(world, scene);
    return ok;
}

static void run(scree_verify *verify)
{
    static const double all_holes[] = {8.0, 11.0, 15.0, 20.0, 25.0};
    int count = verify->all ? 5 : 3;
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
    FILE *series = verify_series(verify, "hopper.csv", "hole,rate,density");
    for (int i = 0; i < count; i++) {
        flow out;
        char quantity[96];
        if (!discharge(verify, all_holes[i] * D, &out))
            break;
        if (series)
            fprintf(series, "%g,%g,%g\n", all_holes[i], out.rate, out.density);
        snprintf(quantity, sizeof quantity, "hole of %g d, %u grains: rate", all_holes[i], (unsigned)out.grains);
        double law = 0.58 * out.density * sqrt(G) * pow((all_holes[i] - 1.4) * D, 2.5);
        verify_report(verify, quantity, "kg/s", out.rate, law, "Beverloo, C = 0.58, k = 1.4");
        double x = all_holes[i], y = pow(out.rate / (out.density * sqrt(G)), 0.4) / D;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
        if (i == count - 1) {
            int n = count;
            double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), zero = (sy - slope * sx) / n;
            verify_report(verify, "free fit: C", "", pow(slope, 2.5), 0.58, "Beverloo 1961");
            verify_report(verify, "free fit: k", "", -zero / slope, 1.4, "Beverloo 1961");
            /* y = s (x − k) with a k that the law has for round grains */
            double k = fmin(fmax(-zero / slope, 1.0), 2.0), with = sxy - k * sy, along = sxx - 2.0 * k * sx + n * k * k;
            verify_near(verify, "fit with 1 <= k <= 2: C", "", pow(with / along, 2.5), 0.575, 0.075, "Beverloo 1961");
            verify_report(verify, "fit with 1 <= k <= 2: k", "", k, NAN, "");
            verify_above(verify, "fit with 1 <= k <= 2: r2", "",
                         1.0 - (syy - with * with / along) / (syy - sy * sy / n), 0.98, "Beverloo 1961");
            verify_report(verify, "density of the bed", "kg/m3", out.density, NAN, "");
        }
    }
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_hopper = {
    .name = "hopper", .summary = "discharge of a silo, Beverloo's law", .slow = true, .run = run};
