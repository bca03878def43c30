/*
 * A column of N grains under its own weight (METHOD §2, §4, §5, §7; Paper I §5.4; Paper IV §4).
 *
 *   contact i from below bears (N − i) m g, so that δ_i = ((N − i) m g / k_i)^(2/3) with k_0 of the floor (r* = r) and
 *   the others of r* = r/2; the height of the column is N d − Σ δ_i
 *
 * The column starts with 0.9 of these overlaps and without impulses: far enough from its rest to be a test, and near
 * enough not to bounce, which with few sweeps can carry one grain through another. The error is the root mean square of
 * the height's deviation in the last second: the height it keeps, and the oscillation it does not lose.
 */
#include "verify/verify.h"

#include "plan.h"

#include <math.h>

enum { MOST_GRAINS = 100, MOST_NUMBERS = 64, MOST_SWEEPS = 4096 };

static const double PI = 3.14159265358979323846;
static const double YOUNGS = 6e6; /* Pa, if nothing else is said */
static const double DIAMETER = 0.013, DENSITY = 3700.0, POISSON = 0.3, GRAVITY = 9.81, FRAME = 0.005;

/* What the sweeps of a frame are spent on. */
typedef struct way {
    const char *name;
    const char *warm_start;
    bool substeps; /* the number is that of substeps with one sweep each; else of sweeps in one substep */
} way;

enum { COLD, HISTORY, MODEL, SUBSTEPS, WAYS };
static const way ways[WAYS] = {
    [COLD] = {"cold", "none", false},
    [HISTORY] = {"history", "history", false},
    [MODEL] = {"model", "model", false},
    [SUBSTEPS] = {"substeps", "history", true},
};

enum { TOLERANCES = 3 };
static const double tolerances[TOLERANCES] = {0.05, 0.01, 0.001};

static double mass(void)
{
    return DENSITY * PI / 6.0 * DIAMETER * DIAMETER * DIAMETER;
}

static double exact_overlap(int grains, double youngs, int contact)
{
    double r = contact == 0 ? 0.5 * DIAMETER : 0.25 * DIAMETER;
    double k = 4.0 / 3.0 * youngs / (2.0 * (1.0 - POISSON * POISSON)) * sqrt(r);
    return pow((grains - contact) * mass() * GRAVITY / k, 2.0 / 3.0);
}

static double exact_height(int grains, double youngs)
{
    double height = grains * DIAMETER;
    for (int i = 0; i < grains; i++)
        height -= exact_overlap(grains, youngs, i);
    return height;
}

static scree_world *make_column(scree_verify *verify, scree_scene **scene, int grains, double youngs, const way *how,
                                int number)
{
    enum { HEAD = 6, ROOM = 160 };
    char text[HEAD + MOST_GRAINS][ROOM];
    const char *lines[HEAD + MOST_GRAINS + 1];
    snprintf(text[0], ROOM, "scene name=column gravity=0,0,%.17g", -GRAVITY);
    snprintf(text[1], ROOM, "solver frame=%g threads=1 warmStart=%s substeps=%d sweeps=%d", FRAME, how->warm_start,
             how->substeps ? number : 1, how->substeps ? 1 : number);
    snprintf(text[2], ROOM, "material id=ore density=%g youngs=%g poisson=%g", DENSITY, youngs, POISSON);
    snprintf(text[3], ROOM, "pair a=ore b=ore friction=0");
    snprintf(text[4], ROOM, "body id=floor material=ore");
    snprintf(text[5], ROOM, "plane normal=0,0,1");
    double z = -0.5 * DIAMETER;
    for (int i = 0; i < grains; i++) {
        z += DIAMETER - 0.9 * exact_overlap(grains, youngs, i);
        snprintf(text[HEAD + i], ROOM, "grain material=ore diameter=%g position=0,0,%.17g", DIAMETER, z);
    }
    for (int i = 0; i < HEAD + grains; i++)
        lines[i] = text[i];
    lines[HEAD + grains] = NULL;
    return verify_world(verify, scene, lines);
}

/* Relative to the exact height. */
typedef struct column_error {
    double rms, mean;
} column_error;

static column_error measure_stiff(scree_verify *verify, int grains, double youngs, const way *how, int number)
{
    /* the slowest oscillation of 100 grains lasts about a second and loses a third per turn */
    int settle = (int)((2.0 + 0.08 * grains) / FRAME), window = (int)(1.0 / FRAME);
    column_error error = {NAN, NAN};
    scree_scene *scene;
    scree_world *world = make_column(verify, &scene, grains, youngs, how, number);
    if (!world)
        return error;
    double exact = exact_height(grains, youngs), sum = 0.0, squares = 0.0;
    bool good = verify_steps(verify, world, FRAME, settle);
    for (int i = 0; good && i < window; i++) {
        good = verify_steps(verify, world, FRAME, 1);
        scree_particle top = scree_world_get_particle(world, (uint32_t)grains - 1);
        double off = (top.position[2] + top.radius) / exact - 1.0;
        sum += off;
        squares += off * off;
    }
    if (good)
        error = (column_error){.rms = sqrt(squares / window), .mean = sum / window};
    verify_free(world, scene);
    return error;
}

static column_error measure(scree_verify *verify, int grains, const way *how, int number)
{
    return measure_stiff(verify, grains, YOUNGS, how, number);
}

/* Substeps of a frame that `scree plan` recommends for a column at rest. */
static int planned_substeps(int grains, double youngs, double tolerance)
{
    scree_plan_grain grain = {DIAMETER, DENSITY, youngs, POISSON};
    double number = ceil(FRAME / scree_plan_substep(tolerance, grains, 1.0, &grain, GRAVITY));
    return (int)fmax(SCREE_PLAN_LEAST_SUBSTEPS, number);
}

/* The least number from which on every one that was tried keeps the tolerance; 0: none does. */
static int least(const int *numbers, const double *errors, int count, double tolerance)
{
    int found = 0;
    for (int i = count; i-- > 0 && errors[i] <= tolerance;)
        found = numbers[i];
    return found;
}

/* Tries growing numbers until the tightest tolerance is kept twice in a row; fills needed[]. */
static void search(scree_verify *verify, FILE *series, int grains, const way *how, int needed[TOLERANCES])
{
    int numbers[MOST_NUMBERS], count = 0, kept = 0;
    double errors[MOST_NUMBERS];
    for (int n = 1; n <= MOST_SWEEPS && kept < 2 && count < MOST_NUMBERS; n = n < 8 ? n + 1 : n + n / 8) {
        numbers[count] = n;
        errors[count] = measure(verify, grains, how, n).rms;
        kept = errors[count] <= tolerances[TOLERANCES - 1] ? kept + 1 : 0;
        if (series)
            fprintf(series, "%d,%s,%d,%.6e\n", grains, how->name, n, errors[count]);
        count++;
    }
    for (int i = 0; i < TOLERANCES; i++)
        needed[i] = least(numbers, errors, count, tolerances[i]);
}

static void report_needed(scree_verify *verify, int grains, int needed[WAYS][TOLERANCES])
{
    char text[128];
    for (int i = 0; i < TOLERANCES; i++)
        for (int k = 0; k < WAYS; k++) {
            snprintf(text, sizeof text, "sweeps per frame for %g %%, %d grains, %s", 100.0 * tolerances[i], grains,
                     ways[k].name);
            verify_report(verify, text, "", needed[k][i], NAN, "searched in steps of 1/8");
        }
    /* At 5 % a cold start of few sweeps is stable where history is not yet (METHOD §7): no bound there. */
    for (int i = 1; i < TOLERANCES; i++) {
        snprintf(text, sizeof text, "sweeps of a cold start over history, %g %%, %d grains", 100.0 * tolerances[i],
                 grains);
        verify_above(verify, text, "", (double)needed[COLD][i] / needed[HISTORY][i], 2.0, "Paper IV §5");
    }
    for (int i = 0; i < TOLERANCES; i++) {
        double planned = planned_substeps(grains, YOUNGS, tolerances[i]);
        snprintf(text, sizeof text, "substeps that plan recommends over those needed, %g %%, %d grains",
                 100.0 * tolerances[i], grains);
        verify_above(verify, text, "", planned / needed[SUBSTEPS][i], 1.0, "scree plan");
    }
}

/* The same for stiffer grains: one sweep per substep carries them too, when there are enough. */
static void check_stiff(scree_verify *verify, const int *sizes, int count)
{
    static const double youngs[] = {6e8, 6e10};
    char text[128];
    for (int k = 0; k < 2; k++)
        for (int i = 1; i < count; i++) {
            int number = planned_substeps(sizes[i], youngs[k], 0.01);
            snprintf(text, sizeof text, "error of the height, %d grains, E = %g GPa, plan's %d substeps", sizes[i],
                     1e-9 * youngs[k], number);
            verify_below(verify, text, "", measure_stiff(verify, sizes[i], youngs[k], &ways[SUBSTEPS], number).rms,
                         0.01, "scree plan --tolerance 0.01");
            snprintf(text, sizeof text, "error of the height, %d grains, E = %g GPa, 10 substeps", sizes[i],
                     1e-9 * youngs[k]);
            verify_report(verify, text, "", measure_stiff(verify, sizes[i], youngs[k], &ways[SUBSTEPS], 10).rms, NAN,
                          "too few: METHOD §7");
        }
}

static void run(scree_verify *verify)
{
    static const int sizes[] = {5, 10, 25, 50, 100};
    int count = verify->all ? 5 : 3;
    char text[128];
    for (int i = 0; i < count; i++) {
        int enough = 20 * sizes[i]; /* 10 N leave 6e-5 at N = 10 */
        snprintf(text, sizeof text, "error of the height, %d grains, cold, %d sweeps", sizes[i], enough);
        verify_below(verify, text, "", measure(verify, sizes[i], &ways[COLD], enough).rms, 1e-5, "Hertz, Σ δ_i");
    }
    verify_below(verify, "error of the height, 25 grains, 10 substeps of 1 sweep", "",
                 measure(verify, 25, &ways[SUBSTEPS], 10).rms, 1e-4, "Hertz, Σ δ_i");
    verify_report(verify, "error of the height, 25 grains, cold, 10 sweeps", "",
                  measure(verify, 25, &ways[COLD], 10).mean, -0.054, "METHOD §5");
    FILE *series = verify_series(verify, "column.csv", "grains,way,sweeps,error");
    for (int i = 0; i < count; i++) {
        int needed[WAYS][TOLERANCES];
        for (int k = 0; k < WAYS; k++)
            search(verify, series, sizes[i], &ways[k], needed[k]);
        report_needed(verify, sizes[i], needed);
    }
    if (series)
        fclose(series);
    check_stiff(verify, sizes, count);
}

const scree_verify_case scree_verify_column = {
    .name = "column",
    .summary = "height of a column of grains under its own weight",
    .run = run,
};
