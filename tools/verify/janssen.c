/*
 * Janssen's silo: the walls bear the weight of a tall filling, and the pressure saturates with depth (Paper I, 4.2.1
 * and figures 3, 4: tube of 9 d, 7.5K grains, d 10 mm, mu 0.7, no restitution, k_n 0.5e6 N/m^1.5).
 *
 *   p(z) = p_inf (1 − exp(−z/lambda)),  p_inf = rho_b g D / (4 mu_w),  lambda = D / (4 mu_w K)
 *
 * As in the paper the grains settle while gravity grows. (Dropped at full gravity they jam while they land, and
 * friction locks the pressure of the landing in, several times p_inf: a true state of rest, but not Janssen's.) The law
 * assumes that friction points up all along the wall and is mobilised; the floor is therefore lowered slowly while the
 * pressure is sampled. This also averages over many packings, as one packing's strips scatter by some 10 %. mu_w is
 * what the wall shows, friction over normal force of all its contacts: less than mu, for grains without rolling
 * resistance roll along it.
 *
 * Then the same filling at rest with the papers' scheme and only ten cold sweeps of 10 ms: the arches are lost, and the
 * pressure grows with depth as in a fluid.
 */
#include "verify/bed.h"

#include <math.h>

enum { MOST_STRIPS = 64 };
static const double D = 0.01, PHI = 0.09, G = 9.81, MU = 0.7, DENSITY = 2500.0; /* m, m, m/s2, 1, kg/m3 */
static const double PI = 3.14159265358979323846;

/* Of strips of the wall by depth below the surface. */
typedef struct profile {
    double strip;                                  /* m, width */
    double normal[MOST_STRIPS], drag[MOST_STRIPS]; /* N, sums over the samples; drag: downward */
    double floor, weight, height;                  /* N, N, m, likewise */
    int samples;
    int strips; /* those that are full in each sample */
} profile;

typedef struct silo {
    const char *solver;
    uint32_t grains;
    double floor; /* m, height at the start */
} silo;

static void write_silo(scree_bed *bed, const void *context, double share, const scree_world *from)
{
    const silo *is = context;
    bed_add(bed, "scene name=silo gravity=0,0,-%g", share * G);
    bed_add(bed, "solver threads=1 %s", is->solver);
    bed_add(bed, "material id=glass density=%g youngs=1.365e7 poisson=0.3", DENSITY); /* k_n 0.5e6 between two grains */
    bed_add(bed, "pair a=glass b=glass friction=%g", MU);
    bed_add(bed, "body id=wall material=glass");
    bed_add(bed, "tube radius=%g", 0.5 * PHI);
    bed_add(bed, "body id=floor material=glass kind=driven position=0,0,%.17g", is->floor);
    bed_add(bed, "plane normal=0,0,1");
    bed_add(bed, "port id=floor body=floor");
    if (from)
        bed_add_grains_of(bed, from, "glass");
    else
        bed_add_grains_in_tube(bed, "glass", D, PHI, is->grains);
}

static void sample(const scree_world *world, double base, profile *into)
{
    double surface = bed_surface(world);
    uint32_t count = scree_world_contact_count(world);
    for (uint32_t k = 0; k < count; k++) {
        scree_touching touch;
        if (!scree_world_get_contact(world, k, &touch) || touch.body != 0)
            continue;
        int strip = (int)fmax(0.0, (surface - touch.point[2]) / into->strip);
        if (strip >= MOST_STRIPS)
            continue;
        for (int c = 0; c < 3; c++)
            into->normal[strip] += touch.force[c] * touch.normal[c];
        into->drag[strip] -= touch.force[2];
    }
    scree_wrench wrench;
    scree_info info;
    scree_world_get_wrench(world, 0, &wrench);
    scree_world_get_info(world, &info);
    into->floor -= wrench.force[2];
    into->weight += info.mass * G;
    into->height += surface - base;
    int full = (int)((surface - base) / into->strip);
    full = full < MOST_STRIPS ? full : MOST_STRIPS;
    into->strips = into->samples == 0 || full < into->strips ? full : into->strips;
    into->samples++;
}

/* Moves the floor down with this speed, from where it is; samples every 50 ms when there is a profile to add to. */
static bool lower(scree_verify *verify, scree_world *world, double speed, double duration, profile *into)
{
    const double dt = 0.01;
    double start[3], turn[4];
    scree_world_get_pose(world, 1, start, turn);
    int steps = (int)(duration / dt + 0.5);
    for (int i = 0; i < steps; i++) {
        scree_motion motion = {.position = {0.0, 0.0, start[2] - speed * dt * i},
                               .orientation = {1.0, 0.0, 0.0, 0.0},
                               .velocity = {0.0, 0.0, -speed}};
        if (scree_world_set_motion(world, 0, &motion, NULL) != SCREE_OK || !verify_steps(verify, world, dt, 1))
            return false;
        if (into && i % 5 == 4)
            sample(world, motion.position[2] - speed * dt, into);
    }
    return true;
}

static double pressure(const profile *of, int strip)
{
    return of->normal[strip] / (of->samples * PI * PHI * of->strip);
}

static double depth(const profile *of, int strip)
{
    return (strip + 0.5) * of->strip;
}

typedef struct fit {
    double p_inf, lambda, r2;
} fit;

/* Least squares over the full strips: p_inf follows from lambda, and lambda from a search. */
static fit fit_janssen(const profile *of)
{
    fit best = {NAN, NAN, -INFINITY};
    double mean = 0.0, scatter = 0.0;
    for (int i = 0; i < of->strips; i++)
        mean += pressure(of, i) / of->strips;
    for (int i = 0; i < of->strips; i++)
        scatter += pow(pressure(of, i) - mean, 2);
    for (double lambda = 0.1 * D; lambda < 200.0 * D; lambda *= 1.01) {
        double pf = 0.0, ff = 0.0, off = 0.0;
        for (int i = 0; i < of->strips; i++) {
            double f = 1.0 - exp(-depth(of, i) / lambda);
            pf += pressure(of, i) * f;
            ff += f * f;
        }
        for (int i = 0; i < of->strips; i++)
            off += pow(pressure(of, i) - pf / ff * (1.0 - exp(-depth(of, i) / lambda)), 2);
        if (1.0 - off / scatter > best.r2)
            best = (fit){pf / ff, lambda, 1.0 - off / scatter};
    }
    return best;
}

static void write_profile(FILE *out, const char *name, const profile *of, const fit *law)
{
    for (int i = 0; out && i < of->strips; i++)
        fprintf(out, "%s,%g,%g,%g\n", name, depth(of, i) / D, pressure(of, i),
                law ? law->p_inf * (1.0 - exp(-depth(of, i) / law->lambda)) : NAN);
}

/* The same grains on a floor that stands, with ten cold sweeps per 10 ms, while gravity grows anew. */
static bool measure_cold(scree_verify *verify, const scree_world *from, profile *into, uint32_t *escaped)
{
    double floor[3], turn[4];
    scree_world_get_pose(from, 1, floor, turn);
    silo is = {.solver = "frame=0.01 substeps=1 sweeps=10 warmStart=none", .floor = floor[2]};
    scree_bed_ramp ramp = {.write = write_silo, .context = &is, .first = 1.0 / 64, .landing = 0.5, .each = 0.5};
    scree_scene *scene;
    scree_world *world = bed_ramp(verify, &ramp, from, &scene);
    bool good = world && lower(verify, world, 0.0, 1.0, NULL) && lower(verify, world, 0.0, 0.5, into);
    *escaped = good ? bed_escaped(world, 0.5 * PHI) : 0;
    verify_free(world, scene);
    return good;
}

static void run(scree_verify *verify)
{
    const double speed = 1.0 * D; /* per second: an inertial number of some 1e-3, still quasistatic */
    silo is = {.solver = "", .grains = verify->all ? 7500 : 1500};
    scree_bed_ramp ramp = {
        .write = write_silo, .context = &is, .first = 1.0 / 64, .landing = verify->all ? 5.0 : 2.5, .each = 0.25};
    /* the way averages over packings: r2 is 0.89 after 6 d, 0.94 after 16 d, when the plateau still scatters by 4 % */
    double mobilising = verify->all ? 4.0 : 0.5, sampling = verify->all ? 32.0 : 3.0;
    profile sinking = {.strip = verify->all ? 5.0 * D : 2.5 * D}, cold = {.strip = sinking.strip};
    scree_scene *scene;
    scree_world *world = bed_ramp(verify, &ramp, NULL, &scene);
    uint32_t escaped = 0;
    bool good = world && lower(verify, world, 0.0, 0.5, NULL) && lower(verify, world, speed, mobilising, NULL) &&
                lower(verify, world, speed, sampling, &sinking) && measure_cold(verify, world, &cold, &escaped);
    verify_free(world, scene);
    if (!good)
        return;

    fit law = fit_janssen(&sinking);
    double normal = 0.0, drag = 0.0, height = sinking.height / sinking.samples;
    for (int i = 0; i < MOST_STRIPS; i++) {
        normal += sinking.normal[i];
        drag += sinking.drag[i];
    }
    double mu_w = drag / normal, area = 0.25 * PI * PHI * PHI;
    double bulk = sinking.weight / sinking.samples / G / (area * height);
    const char *paper = "Janssen's law; Paper I 4.2.1, figure 4";
    /* the short version has narrower strips and fewer packings: more scatter */
    verify_above(verify, "fit of the wall pressure to Janssen's law, r2", "", law.r2, verify->all ? 0.95 : 0.9, paper);
    verify_report(verify, "height of the filling", "d", height / D, NAN, "");
    verify_report(verify, "saturation length lambda", "d", law.lambda / D, NAN, "fit");
    verify_report(verify, "stress ratio K = D/(4 mu_w lambda)", "", PHI / (4.0 * mu_w * law.lambda), NAN, "fit");
    verify_report(verify, "friction mobilised at the wall, mu_w", "", mu_w, MU, "at most mu");
    verify_near(verify, "p_inf / (rho_b g D / 4 mu_w)", "", law.p_inf * 4.0 * mu_w / (bulk * G * PHI), 1.0,
                verify->all ? 0.1 : 0.2,
                "force balance of a slice"); /* plateau scatters by 4 %, by 10 % in the short one */
    verify_near(verify, "(wall + floor) / weight", "", (drag + sinking.floor) / sinking.weight, 1.0, 0.01,
                "force balance");
    verify_report(verify, "weight on the floor", "1", sinking.floor / sinking.weight, NAN, "1 without walls");
    /* that it collapses is the point; by how much depends on the wall: ours lets some grains through, which counts */
    verify_report(verify, "10 cold sweeps: height / height of the filling", "", cold.height / cold.samples / height,
                  0.4, "Paper I 5.1: less than 0.4, of 7.5K grains");
    verify_report(verify, "10 cold sweeps: share of the grains pressed through the wall", "",
                  (double)escaped / is.grains, NAN, "");
    /* the short filling is no deeper than 2.5 tubes: its pressure has less depth to grow over */
    verify_above(verify, "10 cold sweeps: pressure on the deepest strip / p_inf", "",
                 pressure(&cold, cold.strips - 1) / law.p_inf, verify->all ? 2.0 : 1.2,
                 "Paper I 5.1: as in a fluid, no saturation");
    FILE *out = verify_series(verify, "janssen.csv", "solver,depth,pressure,law");
    write_profile(out, "sinking", &sinking, &law);
    write_profile(out, "cold", &cold, NULL);
    if (out)
        fclose(out);
}

const scree_verify_case scree_verify_janssen = {
    .name = "janssen",
    .summary = "a silo's wall pressure saturates with depth",
    .run = run,
};
