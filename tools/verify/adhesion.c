/*
 * Adhesion: a closed contact pulls with f_a on top of its elastic push (core/solve/rows.h).
 *
 *   at rest under a load F (pressing: > 0)   k_n δ^(3/2) = F + f_a
 *   pull-off                                  at F = −f_a, where δ → 0
 */
#include "verify/verify.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double DIAMETER = 0.01, DENSITY = 2500.0, YOUNGS = 1e7, POISSON = 0.3, ADHESION = 0.05;
enum { ROOM = 200 };

static double mass(void)
{
    return DENSITY * PI / 6.0 * DIAMETER * DIAMETER * DIAMETER;
}

static double stiffness(double effective_radius)
{
    return 4.0 / 3.0 * YOUNGS / (2.0 * (1.0 - POISSON * POISSON)) * sqrt(effective_radius);
}

/*
 * A plate holds the grain with ten times f_a and lifts it slowly off the floor, without gravity. Returns the largest
 * pull that the floor feels.
 */
static double lift(scree_verify *verify, double speed, FILE *series)
{
    char pair[ROOM], glue[ROOM], grain[ROOM], plate[ROOM];
    double rest = pow(ADHESION / stiffness(0.5 * DIAMETER), 2.0 / 3.0);
    snprintf(pair, sizeof pair, "pair a=rock b=rock friction=0.5 adhesion=%g", ADHESION);
    snprintf(glue, sizeof glue, "pair a=rock b=glue friction=0.5 adhesion=%g", 10.0 * ADHESION);
    snprintf(grain, sizeof grain, "grain material=rock diameter=%g position=0,0,%.17g", DIAMETER,
             0.5 * DIAMETER - rest);
    /* both contacts near the rest that the floor's adhesion gives */
    double top = DIAMETER - rest - pow(10.0 * ADHESION / stiffness(0.5 * DIAMETER), 2.0 / 3.0);
    snprintf(plate, sizeof plate, "body id=plate material=glue kind=driven position=0,0,%.17g", top);
    const char *lines[] = {"scene name=lift gravity=0,0,0",
                           "solver threads=1 substeps=10 sweeps=5",
                           "material id=rock density=2500 youngs=1e7 poisson=0.3",
                           "material id=glue density=2500 youngs=1e7 poisson=0.3",
                           pair,
                           glue,
                           "body id=floor material=rock",
                           "plane normal=0,0,1",
                           plate,
                           "plane normal=0,0,-1",
                           "port id=plate body=plate",
                           "port id=floor body=floor mode=wrench",
                           grain,
                           NULL};
    const double h = 0.005;
    scree_scene *scene;
    scree_world *world = verify_world(verify, &scene, lines);
    double pull = world ? 0.0 : NAN, way = 0.0;
    for (int i = 0; world && way < 2.0 * rest + 1e-5; i++) {
        scree_motion motion = {.position = {0.0, 0.0, top + way}, .orientation = {1.0, 0.0, 0.0, 0.0}};
        motion.velocity[2] = i < 200 ? 0.0 : speed; /* a second to settle */
        scree_wrench wrench = {0};
        if (scree_world_set_motion(world, 0, &motion, NULL) != SCREE_OK || !verify_steps(verify, world, h, 1) ||
            scree_world_get_wrench(world, 1, &wrench) != SCREE_OK)
            break;
        way += motion.velocity[2] * h;
        pull = fmax(pull, wrench.force[2]);
        if (series)
            fprintf(series, "%.9e,%.9e\n", way, wrench.force[2]);
    }
    verify_free(world, scene);
    return pull;
}

/*
 * Two grains under a ceiling that holds the upper one: the load m g on the lower contact, from its overlap at rest (or,
 * where there is none, at a thousandth of f_a short of the pull-off). Whether they still touch after a second; *force:
 * k δ^(3/2) then.
 */
static bool hangs(scree_verify *verify, double load, double *force)
{
    char head[ROOM], pair[ROOM], glue[ROOM], upper[ROOM], lower[ROOM];
    double wall = pow((10.0 * ADHESION - 2.0 * load) / stiffness(0.5 * DIAMETER), 2.0 / 3.0);
    double between = pow(fmax(ADHESION - load, 1e-3 * ADHESION) / stiffness(0.25 * DIAMETER), 2.0 / 3.0);
    snprintf(head, sizeof head, "scene name=hang gravity=0,0,%.17g", -load / mass());
    snprintf(pair, sizeof pair, "pair a=rock b=rock friction=0.5 adhesion=%g", ADHESION);
    snprintf(glue, sizeof glue, "pair a=rock b=glue friction=0.5 adhesion=%g", 10.0 * ADHESION);
    snprintf(upper, sizeof upper, "grain material=rock diameter=%g position=0,0,%.17g", DIAMETER,
             -0.5 * DIAMETER + wall);
    snprintf(lower, sizeof lower, "grain material=rock diameter=%g position=0,0,%.17g", DIAMETER,
             -1.5 * DIAMETER + wall + between);
    const char *lines[] = {head,
                           "solver threads=1 substeps=10 sweeps=5",
                           "material id=rock density=2500 youngs=1e7 poisson=0.3",
                           "material id=glue density=2500 youngs=1e7 poisson=0.3",
                           pair,
                           glue,
                           "body id=ceiling material=glue",
                           "plane normal=0,0,-1",
                           upper,
                           lower,
                           NULL};
    scree_scene *scene;
    scree_world *world = verify_world(verify, &scene, lines);
    bool holds = false;
    if (world && verify_steps(verify, world, 0.005, 200)) {
        double overlap = DIAMETER - (scree_world_get_particle(world, 0).position[2] -
                                     scree_world_get_particle(world, 1).position[2]);
        holds = overlap > 0.0;
        *force = holds ? stiffness(0.25 * DIAMETER) * overlap * sqrt(overlap) : 0.0;
    }
    verify_free(world, scene);
    return holds;
}

/* k δ^(3/2) of a grain that rests on the floor under its weight. */
static double rest_on_floor(scree_verify *verify, double gravity)
{
    char head[ROOM], pair[ROOM], grain[ROOM];
    snprintf(head, sizeof head, "scene name=rest gravity=0,0,%.17g", -gravity);
    snprintf(pair, sizeof pair, "pair a=rock b=rock friction=0.5 adhesion=%g", ADHESION);
    snprintf(grain, sizeof grain, "grain material=rock diameter=%g position=0,0,%.17g", DIAMETER,
             0.5 * DIAMETER - 1e-6);
    const char *lines[] = {head,
                           "solver threads=1 substeps=10",
                           "material id=rock density=2500 youngs=1e7 poisson=0.3",
                           pair,
                           "body id=floor material=rock",
                           "plane normal=0,0,1",
                           grain,
                           NULL};
    scree_scene *scene;
    scree_world *world = verify_world(verify, &scene, lines);
    double force = NAN;
    if (world && verify_steps(verify, world, 0.005, 400)) {
        double overlap = 0.5 * DIAMETER - scree_world_get_particle(world, 0).position[2];
        force = overlap > 0.0 ? stiffness(0.5 * DIAMETER) * overlap * sqrt(overlap) : 0.0;
    }
    verify_free(world, scene);
    return force;
}

static void run(scree_verify *verify)
{
    double weight = mass() * 9.81, low = 0.5 * ADHESION, high = 2.0 * ADHESION, force = NAN;
    verify_near(verify, "k δ^(3/2) of a grain on the floor, its weight on it", "N", rest_on_floor(verify, 9.81),
                ADHESION + weight, 1e-9 * ADHESION, "F + f_a");
    verify_near(verify, "k δ^(3/2) of a grain on the floor, its weight lifting it", "N", rest_on_floor(verify, -9.81),
                ADHESION - weight, 1e-9 * ADHESION, "f_a − F");
    hangs(verify, weight, &force);
    verify_near(verify, "k δ^(3/2) of a grain that hangs on another", "N", force, ADHESION - weight, 1e-6 * ADHESION,
                "f_a − F");
    for (int i = 0; i < 24; i++) {
        double middle = 0.5 * (low + high);
        if (hangs(verify, middle, &force))
            low = middle;
        else
            high = middle;
    }
    /* from an overlap of 1e-3 f_a the grain comes loose a little before: up to 0.4e-3 f_a for an undamped contact */
    verify_near(verify, "weight at which a grain falls off another", "N", 0.5 * (low + high), ADHESION, 1e-3 * ADHESION,
                "f_a");
    FILE *series = verify_series(verify, "adhesion.csv", "lift,force");
    /* the last frame in which the contact is closed to its end has an overlap up to v H: k (v H)^(3/2) = 4e-3 f_a */
    verify_near(verify, "largest pull while a plate lifts a grain off the floor", "N", lift(verify, 1e-4, series),
                ADHESION, 4e-3 * ADHESION, "f_a");
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_adhesion = {
    .name = "adhesion",
    .summary = "overlap at rest and pull-off of an adhesive contact",
    .run = run,
};
