/*
 * A wide upright blade drawn through a level bed, against the fundamental earthmoving equation.
 *
 * The bed lies between side walls without friction that touch the blade's ends: plane strain, the limit of a wide
 * blade. Drag is the horizontal force on the blade's front. Grains without cohesion and surcharge (Reece 1964, McKyes
 * 1985), with γ the weight of the bed per volume, h the blade's depth, w its width, φ and δ the friction angles of the
 * bed and of bed on blade, β the angle of the failure plane to the ground, for a blade that stands upright:
 *   P = γ h² w N_γ,  N_γ = min over β of cot β / (2 (cos δ cot(β + φ) − sin δ)),  drag = P cos δ
 * For δ = 0 that is Rankine's passive pressure, N_γ = tan²(45° + φ/2)/2 at β = 45° − φ/2.
 *
 * φ is measured on the same grains: a block of them, taken from a bed that was let settle as the blade's was, is
 * compressed along z between plates without friction, in plane strain, while its plate in x holds the pressure:
 *   sin φ = (σ_z − σ_x)/(σ_z + σ_x), mean over 10 to 20 % of strain.
 * δ is what the forces on the blade say: the bed's grains may roll along it.
 *
 * Depth: that of a bed as dense as its inside with the same mass above the blade's edge, so that no choice of what is
 * the surface of a grain bed enters.
 */
#include "verify/bed.h"

#include <math.h>

#define PI 3.14159265358979323846

static const double D = 0.01;     /* m, mean diameter; from 0.9 to 1.1 of it */
static const double G = 9.81;     /* m/s2 */
static const double WIDTH = 0.06; /* m, of bed and blade */
static const double DT = 0.005;   /* s */

/* In [0, 1), from a count: the same grains on every machine. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void add_materials(scree_bed *bed, const char *gravity)
{
    bed_add(bed, "scene name=blade gravity=%s", gravity);
    bed_add(bed, "solver threads=1");
    bed_add(bed, "material id=grit density=2500 youngs=1e7");
    bed_add(bed, "material id=smooth density=2500 youngs=1e7");
    bed_add(bed, "material id=steel density=2500 youngs=1e7");
    bed_add(bed, "pair a=grit b=grit friction=0.5 rolling=0.1");
    bed_add(bed, "pair a=grit b=smooth friction=0");
    bed_add(bed, "pair a=grit b=steel friction=0.2 rolling=0.1");
}

/* A jittered lattice in the box min … max, but for what would touch the box low … high; another one for each packing,
 * from 1 on. */
static void add_grains(scree_bed *bed, const double min[3], const double max[3], const double low[3],
                       const double high[3], uint64_t packing)
{
    const double spacing = 1.06 * 1.1 * D;
    uint64_t state = packing;
    int n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (int)((max[k] - min[k]) / spacing);
    for (int site = 0; site < n[0] * n[1] * n[2]; site++) {
        int at[3] = {site % n[0], site / n[0] % n[1], site / n[0] / n[1]};
        double x[3];
        bool clear = !low;
        for (int k = 0; k < 3; k++) {
            double spare = k < 2 ? 0.5 * (max[k] - min[k] - n[k] * spacing) : 0.0;
            x[k] = min[k] + spare + (at[k] + 0.5) * spacing + 0.06 * D * (next(&state) - 0.5);
            clear |= low && (x[k] < low[k] - 0.6 * D || x[k] > high[k] + 0.6 * D);
        }
        double diameter = D * (0.9 + 0.2 * next(&state));
        if (clear)
            bed_add(bed, "grain material=grit diameter=%.17g position=%.17g,%.17g,%.17g", diameter, x[0], x[1], x[2]);
    }
}

static bool drive(scree_world *world, uint32_t port, double position[3], const double velocity[3])
{
    scree_motion motion = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    for (int k = 0; k < 3; k++) {
        motion.position[k] = position[k];
        motion.velocity[k] = velocity[k];
        position[k] += DT * velocity[k];
    }
    return scree_world_set_motion(world, port, &motion, NULL) == SCREE_OK;
}

/* ---------------------------------------------------------------- friction angle */

static const double BLOCK[3] = {0.15, 0.06, 0.2}; /* m */

/* A block of grains as they settle. */
static scree_world *settle_block(scree_verify *verify, scree_scene **scene)
{
    scree_bed bed = {0};
    const double min[3] = {0.0, 0.0, 0.0}, max[3] = {BLOCK[0], BLOCK[1], 1.75 * BLOCK[2]};
    char gravity[64];
    snprintf(gravity, sizeof gravity, "0,0,-%g", G);
    add_materials(&bed, gravity);
    bed_add(&bed, "body id=walls material=smooth");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "plane normal=1,0,0");
    bed_add(&bed, "plane normal=-1,0,0 position=%g,0,0", BLOCK[0]);
    bed_add(&bed, "plane normal=0,1,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,%g,0", BLOCK[1]);
    add_grains(&bed, min, max, NULL, NULL, 1);
    scree_world *world = bed_world(verify, &bed, scene);
    if (world && verify_steps(verify, world, DT, 200))
        return world;
    verify_free(world, *scene);
    return NULL;
}

static scree_world *make_block(scree_verify *verify, const scree_world *from, double top, scree_scene **scene)
{
    scree_bed bed = {0};
    add_materials(&bed, "0,0,0");
    bed_add(&bed, "body id=walls material=smooth");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "plane normal=1,0,0");
    bed_add(&bed, "plane normal=0,1,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,%g,0", BLOCK[1]);
    bed_add(&bed, "body id=top material=smooth kind=driven position=0,0,%.17g", top);
    bed_add(&bed, "plane normal=0,0,-1");
    bed_add(&bed, "body id=side material=smooth kind=driven position=%.17g,0,0", BLOCK[0]);
    bed_add(&bed, "plane normal=-1,0,0");
    bed_add(&bed, "port id=top body=top");
    bed_add(&bed, "port id=side body=side");
    bed_add_grains_of(&bed, from, "grit");
    return bed_world(verify, &bed, scene);
}

/*
 * Compresses the block: the top goes down at a rate of 0.1/s, the side holds 1 kPa with a proportional and integral
 * control that only has to be rough, since both stresses are measured. An inertial number of 1.6e-3 is quasistatic.
 */
static bool compress(scree_verify *verify, scree_world *world, double top, double *peak, double *angle)
{
    const double pressure = 1000.0, rate = 0.1;
    double at_top[3] = {0.0, 0.0, top}, at_side[3] = {BLOCK[0], 0.0, 0.0}, held = 0.0, began = 0.0, sum = 0.0;
    FILE *series = verify_series(verify, "blade_block.csv", "strain,sigma_z,sigma_x,volume");
    int n = 0;
    bool ok = true;
    *peak = 0.0;
    for (int i = 0; i < 2000 && ok; i++) {
        scree_wrench on_top, on_side;
        (void)scree_world_get_wrench(world, 0, &on_top);
        (void)scree_world_get_wrench(world, 1, &on_side);
        double sigma_z = on_top.force[2] / (BLOCK[1] * at_side[0]), sigma_x = on_side.force[0] / (BLOCK[1] * at_top[2]);
        /* first the same pressure all round, then shear */
        bool shear =
            began > 0.0 || (i > 20 && fabs(sigma_z / pressure - 1.0) < 0.02 && fabs(sigma_x / pressure - 1.0) < 0.02);
        if (shear && began == 0.0)
            began = at_top[2];
        double strain = shear ? log(began / at_top[2]) : 0.0;
        double error = fmax(-1.0, fmin(2.0, sigma_x / pressure - 1.0));
        held = shear ? fmax(-0.05, fmin(0.05, held + 0.001 * error)) : 0.0;
        double down[3] = {0.0, 0.0, shear ? -rate * at_top[2] : 0.01 * fmax(-1.0, fmin(1.0, sigma_z / pressure - 1.0))};
        double out[3] = {0.02 * error + held, 0.0, 0.0};
        ok = drive(world, 0, at_top, down) && drive(world, 1, at_side, out) && verify_steps(verify, world, DT, 1);
        double ratio = (sigma_z - sigma_x) / (sigma_z + sigma_x);
        if (series && shear)
            fprintf(series, "%g,%g,%g,%g\n", strain, sigma_z, sigma_x, at_top[2] * at_side[0] * BLOCK[1]);
        if (strain > 0.01 && strain < 0.1)
            *peak = fmax(*peak, asin(fmin(ratio, 1.0)));
        if (strain >= 0.1) {
            sum += asin(fmax(-1.0, fmin(ratio, 1.0)));
            n++;
        }
        if (strain >= 0.2)
            break;
    }
    if (series)
        fclose(series);
    *angle = n > 0 ? sum / n : NAN;
    return ok && n > 0;
}

static bool measure_angle(scree_verify *verify, double *peak, double *angle)
{
    scree_scene *bed_scene, *scene = NULL;
    scree_world *settled = settle_block(verify, &bed_scene), *world = NULL;
    bool ok = settled != NULL;
    if (ok) {
        scree_info info;
        double top = 0.0;
        scree_world_get_info(settled, &info);
        for (uint32_t i = 0; i < info.particles; i++) {
            scree_particle grain = scree_world_get_particle(settled, i);
            top = fmax(top, grain.position[2] + grain.radius);
        }
        world = make_block(verify, settled, top, &scene);
        ok = world && compress(verify, world, top, peak, angle);
    }
    verify_free(world, scene);
    verify_free(settled, settled ? bed_scene : NULL);
    return ok;
}

/* ---------------------------------------------------------------- blade */

typedef struct cut {
    double depth;  /* m */
    double weight; /* N/m3, of the bed */
    double drag;   /* N, mean over the way measured */
    double delta;  /* rad, friction angle at the blade */
} cut;

/* depth: m, what is aimed at; the bed's own is in out. */
static scree_world *make_cut(scree_verify *verify, double depth, const char *blade, uint64_t packing,
                             scree_scene **scene)
{
    const double below = 8.0 * D, behind = 0.05, ahead = 3.0 * depth + 8.0 * D, thick = 0.02;
    const double high = 1.75 * (depth + below); /* of the lattice, a third full: it settles to 0.57 of its height */
    scree_bed bed = {0};
    char gravity[64];
    snprintf(gravity, sizeof gravity, "0,0,-%g", G);
    add_materials(&bed, gravity);
    bed_add(&bed, "body id=floor material=grit");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "body id=walls material=smooth");
    bed_add(&bed, "plane normal=0,1,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,%g,0", WIDTH);
    bed_add(&bed, "plane normal=1,0,0 position=%g,0,0", -behind - thick);
    bed_add(&bed, "plane normal=-1,0,0 position=%g,0,0", ahead);
    /* the front is the plane x = 0 of the blade's frame; its lower edge is z = 0 */
    bed_add(&bed, "body id=blade material=%s kind=driven position=0,%g,%.17g", blade, 0.5 * WIDTH, below);
    bed_add(&bed, "box size=%g,%g,1 position=%g,0,0.5", thick, 1.2 * WIDTH, -0.5 * thick);
    bed_add(&bed, "port id=blade body=blade");
    bed_add(&bed, "region id=front body=blade shape=halfspace normal=-1,0,0 position=-0.001,0,0");
    bed_add(&bed, "loadSensor id=front body=blade region=front");
    bed_add(&bed, "region id=inside position=%g,%g,%g size=%g,%g,%g", 0.5 * ahead, 0.5 * WIDTH,
            0.5 * below + 0.25 * depth, ahead - 6.0 * D, 2.0 * WIDTH, 0.5 * (below + 0.5 * depth));
    bed_add(&bed, "regionSensor id=inside region=inside");
    bed_add(&bed, "region id=above position=%g,%g,%.17g size=%g,%g,10", 0.5 * ahead, 0.5 * WIDTH, below + 5.0, ahead,
            2.0 * WIDTH);
    bed_add(&bed, "regionSensor id=above region=above");
    const double min[3] = {-behind - thick, 0.0, 0.0}, max[3] = {ahead, WIDTH, high};
    const double low[3] = {-thick, -1.0, below}, top[3] = {0.0, 1.0, 2.0};
    add_grains(&bed, min, max, low, top, packing);
    return bed_world(verify, &bed, scene);
}

/*
 * Settles, then draws the blade by 0.12 of its depth. Drag is the mean from 0.08 on: by then the bed fails, and what
 * heaves before the blade does not weigh much yet.
 */
static bool draw(scree_verify *verify, scree_world *world, double aim, const char *blade, FILE *series, cut *out)
{
    const double below = 8.0 * D, ahead = 3.0 * aim + 8.0 * D, speed = 0.02;
    double at[3] = {0.0, 0.5 * WIDTH, below};
    const double rest[3] = {0.0, 0.0, 0.0}, forward[3] = {speed, 0.0, 0.0};
    for (int i = 0; i < 200; i++)
        if (!drive(world, 0, at, rest) || !verify_steps(verify, world, DT, 1))
            return false;
    /* the front's region comes first in the sensors, then the inside and the above */
    double density =
        scree_world_get_reading(world, 1).region.mass / ((ahead - 6.0 * D) * WIDTH * 0.5 * (below + 0.5 * aim));
    *out = (cut){.weight = density * G,
                 .depth = scree_world_get_reading(world, 2).region.mass / (density * ahead * WIDTH)};
    int n = (int)(0.12 * out->depth / (speed * DT)), count = 0;
    double normal = 0.0, tangential = 0.0;
    for (int i = 0; i < n; i++) {
        if (!drive(world, 0, at, forward) || !verify_steps(verify, world, DT, 1))
            return false;
        scree_load_reading front = scree_world_get_reading(world, 0).load;
        if (series)
            fprintf(series, "%s,%g,%g,%g,%g\n", blade, out->depth, at[0], front.force[0], out->weight);
        if (i < n * 2 / 3)
            continue;
        out->drag -= front.force[0];
        normal += front.normal_force;
        tangential += front.tangential_force[2];
        count++;
    }
    out->drag /= count;
    out->delta = atan2(tangential, normal);
    return true;
}

static double n_gamma(double phi, double delta)
{
    double least = INFINITY;
    for (int i = 1; i < 2000; i++) {
        double beta = i * 0.5 * PI / 2000.0;
        double below = 2.0 * (cos(delta) / tan(beta + phi) - sin(delta));
        if (beta + phi < 0.5 * PI + 0.4 && below > 1e-9)
            least = fmin(least, 1.0 / tan(beta) / below);
    }
    return least;
}

static void write_grains(scree_verify *verify, const scree_world *world)
{
    scree_info info;
    FILE *file = verify_series(verify, "blade_grains.csv", "x,y,z,radius,vx,vy,vz");
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; file && i < info.particles; i++) {
        scree_particle g = scree_world_get_particle(world, i);
        fprintf(file, "%g,%g,%g,%g,%g,%g,%g\n", g.position[0], g.position[1], g.position[2], g.radius, g.velocity[0],
                g.velocity[1], g.velocity[2]);
    }
    if (file)
        fclose(file);
}

/* The way measured is a grain's diameter or less, and the drag of one packing is off by a tenth, more or less: the mean
 * of several. */
static bool measure_cuts(scree_verify *verify, double depth, const char *blade, FILE *series, cut *mean)
{
    enum { PACKINGS = 4 };
    *mean = (cut){0};
    for (uint64_t packing = 1; packing <= PACKINGS; packing++) {
        scree_scene *scene;
        scree_world *world = make_cut(verify, depth, blade, packing, &scene);
        cut one;
        bool ok = world && draw(verify, world, depth, blade, packing == 1 ? series : NULL, &one);
        if (ok && packing == 1)
            write_grains(verify, world); /* the last one that is cut is seen */
        verify_free(world, scene);
        if (!ok)
            return false;
        mean->depth += one.depth / PACKINGS;
        mean->weight += one.weight / PACKINGS;
        mean->drag += one.drag / PACKINGS;
        mean->delta += one.delta / PACKINGS;
    }
    return true;
}

static void cut_all(scree_verify *verify, double phi, const char *blade, const double *depths, int count, FILE *series)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    char quantity[96];
    for (int i = 0; i < count; i++) {
        cut measured;
        if (!measure_cuts(verify, depths[i], blade, series, &measured))
            return;
        double h = measured.depth,
               equation = measured.weight * h * h * WIDTH * n_gamma(phi, measured.delta) * cos(measured.delta);
        snprintf(quantity, sizeof quantity, "blade of %s, %.3g d deep: drag / equation", blade, h / D);
        verify_near(verify, quantity, "", measured.drag / equation, 1.0, 0.25, "Reece, McKyes");
        snprintf(quantity, sizeof quantity, "blade of %s, %.3g d deep: drag", blade, h / D);
        verify_report(verify, quantity, "N", measured.drag, equation, "Reece, McKyes");
        snprintf(quantity, sizeof quantity, "blade of %s, %.3g d deep: friction angle on the blade", blade, h / D);
        verify_report(verify, quantity, "deg", measured.delta * 180.0 / PI, NAN, "");
        double x = log(h), y = log(measured.drag);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    snprintf(quantity, sizeof quantity, "blade of %s: exponent of the depth", blade);
    verify_near(verify, quantity, "", (count * sxy - sx * sy) / (count * sxx - sx * sx), 2.0, 0.2, "wide blade");
}

static void run(scree_verify *verify)
{
    static const double depths[] = {0.08, 0.11, 0.15, 0.2};
    double peak, phi;
    if (!measure_angle(verify, &peak, &phi))
        return;
    verify_report(verify, "friction angle of the bed, 10 to 20 % of strain", "deg", phi * 180.0 / PI, NAN, "");
    verify_report(verify, "its peak", "deg", peak * 180.0 / PI, NAN, "");
    FILE *series = verify_series(verify, "blade.csv", "blade,depth,way,force,weight");
    cut_all(verify, phi, "smooth", depths, verify->all ? 4 : 3, series);
    if (verify->all)
        cut_all(verify, phi, "steel", depths, 4, series);
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_blade = {
    .name = "blade", .summary = "drag of a wide blade over depth", .slow = true, .run = run};
