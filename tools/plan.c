/*
 * `scree plan`: frame, substeps and sweeps for a scene and a tolerance, and what they cost.
 *
 * The bed is taken as it will lie: its solid volume at a packing of 0.6 on the ground that fills and grains cover.
 */
#include "plan.h"

#include "command.h"
#include "number.h"
#include "scene_lines.h"
#include "scene_xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

/* ---------------------------------------------------------------- rules */

static const double C0 = 0.3, C1 = 2.0, C2 = 0.44; /* Paper I, fitted */
static const double COLUMN_WIDTH = 2.0;            /* diameters: below it, grains have two neighbours */

double scree_plan_step(double tolerance, double diameter, double speed, double gravity)
{
    double by_speed = speed > 0.0 ? tolerance * diameter / speed : INFINITY;
    double by_gravity = gravity > 0.0 ? sqrt(2.0 * tolerance * diameter / gravity) : INFINITY;
    return fmin(by_speed, by_gravity);
}

double scree_plan_reach(double l, double w)
{
    return w >= 5.0 ? w * (1.0 - exp(-C2 * l / w)) : C2 * l;
}

double scree_plan_sweeps(double tolerance, double l, double w, double inertial)
{
    return C0 * (1.0 + C1 * inertial) / tolerance * scree_plan_reach(l, w);
}

/* Paper I says v_n ≈ 0.2 I √(p/ρ) and not which p. With p = (2/3) ρ g d × reach all v_n of Table I come out. */
double scree_plan_flow_speed(double inertial, double l, double w, double diameter, double gravity)
{
    return 0.2 * inertial * sqrt(2.0 / 3.0 * gravity * diameter * scree_plan_reach(l, w));
}

static double grain_mass(const scree_plan_grain *grain)
{
    return grain->density * PI / 6.0 * grain->diameter * grain->diameter * grain->diameter;
}

/* Paper I defines d in k as the effective diameter, d/2 for equal grains; Table I was made with the diameter itself. */
double scree_plan_smooth_step(const scree_plan_grain *grain)
{
    double k = grain->youngs * sqrt(2.0 * grain->diameter) / (3.0 * (1.0 - grain->poisson * grain->poisson));
    return sqrt(grain_mass(grain) / k);
}

double scree_plan_rayleigh_step(const scree_plan_grain *grain)
{
    double shear = grain->youngs / (2.0 * (1.0 + grain->poisson));
    return 0.2 * PI * 0.5 * grain->diameter * sqrt(grain->density / shear) / (0.1631 * grain->poisson + 0.8766);
}

/*
 * n grains lie on each other (the reach in units of c2: the height, or what arches leave of it). With one sweep per
 * substep they are carried when the substep resolves the contacts,
 *   h ω < 0.8 with m ω² = k_t, k_t = dF/dδ = (3/2) k_n^(2/3) F^(1/3) at F = n m g
 * A lone column also stands when a force has crossed it, n substeps later, before a free fall would show: ½ g (n h)² <
 * ε d. A bed does not: once it is disturbed, it flows on like a liquid. The factors leave a
 * margin to what columns of 5 to 100 grains with E from 6 MPa to 60 GPa need; without either a tall or stiff column
 * blows up. `scree verify column` checks it.
 */
double scree_plan_substep(double tolerance, double l, double w, const scree_plan_grain *grain, double gravity)
{
    if (!(gravity > 0.0))
        return INFINITY;
    double n = fmax(1.0, scree_plan_reach(l, w) / C2), m = grain_mass(grain);
    double k = 2.0 / 3.0 * grain->youngs / (1.0 - grain->poisson * grain->poisson) * sqrt(0.25 * grain->diameter);
    double resolved = 0.8 * sqrt(m / (1.5 * cbrt(k * k * n * m * gravity)));
    double crossed = 0.5 * sqrt(2.0 * tolerance * grain->diameter / gravity) / n;
    return w < COLUMN_WIDTH ? fmax(resolved, crossed) : resolved;
}

/* 1, overlap over the diameter under the weight of those n grains: as the law has it, or as METHOD (7.2) leaves it. */
static double overlap_under(double n, const scree_plan_grain *grain, double gravity, double h, double sweeps)
{
    double m = grain_mass(grain);
    double k = 2.0 / 3.0 * grain->youngs / (1.0 - grain->poisson * grain->poisson) * sqrt(0.25 * grain->diameter);
    double law = pow(n * m * gravity / k, 2.0 / 3.0);
    return (h > 0.0 ? fmax(law, 2.0 * n * gravity * h * h / sweeps) : law) / grain->diameter;
}

double scree_plan_impact_speed(double tolerance, double diameter, double gravity)
{
    return sqrt(2.0 * gravity * tolerance * diameter);
}

/* ---------------------------------------------------------------- the bed of a scene */

typedef struct bed {
    uint32_t grains;
    scree_plan_grain grain;           /* mean diameter; material of the grain in the middle of the list */
    double gravity;                   /* m/s2 */
    double l, w;                      /* diameters, as it will lie */
    double contacts;                  /* as it will lie */
    double fall_speed, initial_speed; /* m/s, of the highest grain at the settled top; the fastest at the start */
} bed;

static void rotate(const double q[4], const double v[3], double out[3])
{
    double t[3]; /* v + 2 q × (q × v + w v) */
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = q[1 + a] * v[b] - q[1 + b] * v[a] + q[0] * v[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = v[k] + 2.0 * (q[1 + a] * t[b] - q[1 + b] * t[a]);
    }
}

/* How far the point can fall along the axis `down` until a plane stops it; 0: no plane is there. */
static double depth_below(const scree_scene *scene, const scree_world *world, const double point[3],
                          const double down[3])
{
    double least = INFINITY;
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        const scree_shape *shape = &scene->shapes[i];
        double x[3], q[4], n[3], at[3], height = 0.0, slope = 0.0;
        if (shape->kind != SCREE_SHAPE_PLANE)
            continue;
        scree_world_get_pose(world, shape->body, x, q);
        rotate(q, shape->normal, n);
        rotate(q, shape->position, at);
        for (int k = 0; k < 3; k++) {
            height += n[k] * (point[k] - x[k] - at[k]);
            slope -= n[k] * down[k];
        }
        if (slope > 1e-6 && height > 0.0)
            least = fmin(least, height / slope);
    }
    return isfinite(least) ? least : 0.0;
}

static bed look_at_bed(const scree_scene *scene, const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    const double *g = scene->head.gravity;
    bed result = {.grains = info.particles, .gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])};
    int up = 2; /* the axis nearest to gravity; sideways without one */
    for (int k = 0; k < 3; k++)
        up = fabs(g[k]) > fabs(g[up]) ? k : up;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, volume = 0.0;
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], grain.position[k] - grain.radius);
            high[k] = fmax(high[k], grain.position[k] + grain.radius);
            square += grain.velocity[k] * grain.velocity[k];
        }
        volume += 4.0 / 3.0 * PI * grain.radius * grain.radius * grain.radius;
        result.grain.diameter += 2.0 * grain.radius / info.particles;
        result.initial_speed = fmax(result.initial_speed, sqrt(square));
    }
    double x = high[(up + 1) % 3] - low[(up + 1) % 3], y = high[(up + 2) % 3] - low[(up + 2) % 3];
    double d = result.grain.diameter, height = high[up] - low[up];
    double settled = fmin(height, volume / (0.6 * x * y));
    result.l = fmax(1.0, settled / d);
    result.w = fmax(x, y) / d;
    /* a packing of frictional spheres has about 6 neighbours; a column has 2 */
    result.contacts = (result.w < COLUMN_WIDTH ? 1.0 : 3.0) * info.particles;
    if (result.gravity > 0.0) {
        double middle[3], down[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = 0.5 * (low[k] + high[k]);
            down[k] = g[k] / result.gravity;
        }
        middle[up] = g[up] < 0.0 ? low[up] : high[up];
        double fall = height - settled + depth_below(scene, world, middle, down);
        result.fall_speed = sqrt(2.0 * result.gravity * fmax(0.0, fall));
    }
    const scree_material *material = &scene->materials[scree_world_get_particle(world, info.particles / 2).material];
    result.grain.density = material->density;
    result.grain.youngs = material->youngs;
    result.grain.poisson = material->poisson;
    return result;
}

/* ---------------------------------------------------------------- what a contact costs */

typedef struct times {
    double sweep, substep, frame; /* s, per contact */
    double smooth;                /* s, per grain and step of smooth DEM */
} times;

/* Paper I's K, for a sweep of one contact and for a step of one grain. It has nothing for the rest. */
static const times paper_times = {.sweep = 1e-6, .smooth = 1e-6};

/* Of this process: what else the machine does is left out. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Mean time of a frame over the closed contacts, the best of three. A cube of grains in a box a little too small: all
 * contacts stay closed, whatever the solver does. Negative: it failed.
 */
static double time_frame(int substeps, int sweeps)
{
    enum { SIDE = 8, GRAINS = SIDE * SIDE * SIDE, HEAD = 11, FRAMES = 6, ROOM = 112 };
    const double apart = 0.00999, end = apart * SIDE; /* m; the diameter is 0.01 */
    char(*text)[ROOM] = malloc((HEAD + GRAINS) * sizeof *text);
    const char **lines = malloc((HEAD + GRAINS + 1) * sizeof *lines);
    scree_scene *scene = NULL;
    scree_world *world = NULL;
    double best = -1.0;
    if (text && lines) {
        snprintf(text[0], ROOM, "scene name=cube gravity=0,0,0");
        snprintf(text[1], ROOM, "solver threads=1 substeps=%d sweeps=%d", substeps, sweeps);
        snprintf(text[2], ROOM, "material id=m density=2500 youngs=1e7");
        snprintf(text[3], ROOM, "pair a=m b=m friction=0.5 rolling=0.1");
        snprintf(text[4], ROOM, "body id=box material=m");
        for (int k = 0; k < 3; k++) {
            snprintf(text[5 + k], ROOM, "plane normal=%d,%d,%d", k == 0, k == 1, k == 2);
            snprintf(text[8 + k], ROOM, "plane normal=%d,%d,%d position=%.9g,%.9g,%.9g", -(k == 0), -(k == 1),
                     -(k == 2), end, end, end);
        }
        for (int i = 0; i < GRAINS; i++)
            snprintf(text[HEAD + i], ROOM, "grain material=m diameter=0.01 position=%.9g,%.9g,%.9g",
                     apart * (0.5 + i % SIDE), apart * (0.5 + i / SIDE % SIDE), apart * (0.5 + i / (SIDE * SIDE)));
        for (int i = 0; i < HEAD + GRAINS; i++)
            lines[i] = text[i];
        lines[HEAD + GRAINS] = NULL;
        if (scree_scene_from_lines(lines, &scene, NULL) == SCREE_OK &&
            scree_world_create(scene, NULL, NULL, &world, NULL) == SCREE_OK &&
            scree_world_start(world, 0.0, NULL) == SCREE_OK)
            for (int i = 0; i < 4; i++) { /* the first is for the caches */
                double from = seconds();
                for (int k = 0; k < FRAMES; k++)
                    scree_world_step(world, 0.005, NULL);
                scree_info info;
                scree_world_get_info(world, &info);
                double taken = (seconds() - from) / FRAMES / fmax(1.0, info.contacts);
                best = i > 0 && (best < 0.0 || taken < best) ? taken : best;
            }
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
    free(lines);
    free(text);
    return best;
}

/* A frame costs frame + n_sub (substep + n_it sweep): three runs, three unknowns. False: no memory. */
static bool measure_times(times *result)
{
    double one = time_frame(1, 1), sweeps = time_frame(1, 21), substeps = time_frame(11, 1);
    if (one < 0.0 || sweeps < 0.0 || substeps < 0.0)
        return false;
    result->sweep = fmax(0.0, (sweeps - one) / 20.0);
    result->substep = fmax(0.0, (substeps - one) / 10.0 - result->sweep);
    result->frame = fmax(0.0, one - result->substep - result->sweep);
    result->smooth = paper_times.smooth;
    return true;
}

/* ---------------------------------------------------------------- plan */

typedef struct scheme {
    const char *name, *key;
    double step;             /* s */
    double substeps, sweeps; /* per step, per substep; 0: has none */
    double cost;             /* s of one core per simulated s */
    const char *formula;
} scheme;

enum { SUBSTEPS, NDEM, SMOOTH_PAPER, SMOOTH_RAYLEIGH, SCHEMES };

typedef struct plan {
    double tolerance, speed, inertial;
    bool speed_given;
    double impact_speed; /* m/s */
    scheme schemes[SCHEMES];
    scheme lying; /* once the grains lie, where the speed is that of their fall; step 0: no other */
} plan;

static double frame_cost(const times *t, double contacts, const scheme *of)
{
    return contacts * (t->frame + of->substeps * (t->substep + of->sweeps * t->sweep)) / of->step;
}

/* Scree's own scheme, for contacts that meet at this speed. */
static scheme plan_substeps(double tolerance, double speed, const scree_scene *scene, const bed *b)
{
    double d = b->grain.diameter, h = fmin(scree_plan_step(tolerance, d, speed, b->gravity),
                                           scree_plan_substep(tolerance, b->l, b->w, &b->grain, b->gravity));
    double frame = fmin(scree_plan_step(tolerance, d, 0.0, b->gravity), scene->experiment.step);
    frame = fmax(1e-7, fmin(fmin(frame, 1.0), h * SCREE_PLAN_MOST_SUBSTEPS)); /* the field's least and most */
    return (scheme){.name = "Scree, substeps",
                    .key = "substeps",
                    .step = frame,
                    .substeps = fmax(SCREE_PLAN_LEAST_SUBSTEPS, ceil(frame / h - 1e-9)),
                    .sweeps = 1.0,
                    .formula =
                        b->w < COLUMN_WIDTH ? "h = min(eq. 37, max(0.8/ω, √(ε d/2g)/n))" : "h = min(eq. 37, 0.8/ω)"};
}

static void make_plan(plan *out, const scree_scene *scene, const bed *b, const times *t)
{
    double e = out->tolerance, d = b->grain.diameter;
    double flow = scree_plan_flow_speed(out->inertial, b->l, b->w, d, b->gravity);
    if (!out->speed_given)
        out->speed = fmax(fmax(b->fall_speed, b->initial_speed), flow);
    out->impact_speed = scree_plan_impact_speed(e, d, b->gravity);

    scheme *s = out->schemes;
    s[SUBSTEPS] = plan_substeps(e, out->speed, scene, b);
    out->lying = !out->speed_given && out->speed == b->fall_speed ? plan_substeps(e, flow, scene, b) : (scheme){0};
    s[NDEM] = (scheme){.name = "NDEM, 1 substep",
                       .key = "ndem",
                       .step = fmin(scree_plan_step(e, d, out->speed, b->gravity), scene->experiment.step),
                       .substeps = 1.0,
                       .sweeps = ceil(scree_plan_sweeps(e, b->l, b->w, out->inertial)),
                       .formula = "Paper I eqs. 37, 38, 41"};
    for (int i = SUBSTEPS; i <= NDEM; i++)
        s[i].cost = frame_cost(t, b->contacts, &s[i]);
    s[SMOOTH_PAPER] = (scheme){.name = "smooth DEM, √(m/k)",
                               .key = "smooth",
                               .step = scree_plan_smooth_step(&b->grain),
                               .formula = "Paper I eq. 36"};
    s[SMOOTH_RAYLEIGH] = (scheme){.name = "smooth DEM, Rayleigh/5",
                                  .key = "smoothRayleigh",
                                  .step = scree_plan_rayleigh_step(&b->grain),
                                  .formula = "0.2 π r √(ρ/G)/(0.163 ν + 0.877)"};
    for (int i = SMOOTH_PAPER; i < SCHEMES; i++)
        s[i].cost = t->smooth * b->grains / s[i].step;
}

static void print_count(double count)
{
    if (count > 0.0)
        printf(" %8.0f", count);
    else
        printf(" %8s", "-");
}

/* What the scene's own steps leave of the contacts' stiffness, when they can't follow it. */
static void print_yield(const bed *b, const scree_solver *solver)
{
    double n = fmax(1.0, scree_plan_reach(b->l, b->w) / C2), h = solver->frame / solver->substeps;
    double law = overlap_under(n, &b->grain, b->gravity, 0.0, 1.0);
    double left = overlap_under(n, &b->grain, b->gravity, h, solver->sweeps);
    if (solver->substeps > 1 && left > law)
        printf("the scene's own %u × %u in %.4g ms: contacts give way, to overlaps of %.2g %% under %.0f grains where "
               "their law has %.2g %%\n\n",
               (unsigned)solver->substeps, (unsigned)solver->sweeps, 1e3 * solver->frame, 100.0 * left, n, 100.0 * law);
}

static void print_plan(const plan *p, const bed *b, const times *t, const char *name, const scree_solver *solver)
{
    printf("%s: %u grains, d = %.4g mm; bed of l = %.3g d, w = %.3g d, about %.3g contacts\n", name,
           (unsigned)b->grains, 1e3 * b->grain.diameter, b->l, b->w, b->contacts);
    printf("tolerance ε = %g, speed v = %.3g m/s (%s), inertial number I = %g\n\n", p->tolerance, p->speed,
           p->speed_given                 ? "given"
           : p->speed == b->fall_speed    ? "of the fall into place; --speed V for a tool's"
           : p->speed == b->initial_speed ? "of a grain at the start"
                                          : "0.2 I √(p/ρ)",
           p->inertial);
    printf("recommended: <solver frame=\"%.4g\" substeps=\"%.0f\" sweeps=\"1\" impactSpeed=\"%.3g\"/>\n",
           p->schemes[SUBSTEPS].step, p->schemes[SUBSTEPS].substeps, p->impact_speed);
    if (p->lying.step > 0.0 &&
        p->lying.substeps / p->lying.step < p->schemes[SUBSTEPS].substeps / p->schemes[SUBSTEPS].step)
        printf("once they lie: frame=\"%.4g\" substeps=\"%.0f\", with tools that meet them slower than %.2g m/s\n",
               p->lying.step, p->lying.substeps, p->tolerance * b->grain.diameter * p->lying.substeps / p->lying.step);
    printf("\n");
    print_yield(b, solver);
    printf("%-24s %10s %8s %8s %12s  %s\n", "scheme", "step ms", "substeps", "sweeps", "core s per s", "formula");
    for (int i = 0; i < SCHEMES; i++) {
        const scheme *s = &p->schemes[i];
        printf("%-24s", s->name);
        for (const char *at = s->name; *at; at++) /* a character of two or three bytes takes one column */
            if (((unsigned char)*at & 0xC0) == 0x80)
                putchar(' ');
        printf(" %10.4g", 1e3 * s->step);
        print_count(s->substeps);
        print_count(s->sweeps);
        printf(" %12.3g  %s\n", s->cost, s->formula);
    }
    printf("\nper contact: sweep %.3g ns, substep %.3g ns, frame %.3g ns; per grain and smooth step: %.3g ns\n",
           1e9 * t->sweep, 1e9 * t->substep, 1e9 * t->frame, 1e9 * t->smooth);
}

static void print_json(const plan *p, const bed *b, const times *t)
{
    printf("{\"tolerance\":%.10g,\"speed\":%.10g,\"inertialNumber\":%.10g,\"grains\":%u,\"diameter\":%.10g,"
           "\"length\":%.10g,\"width\":%.10g,\"contacts\":%.10g,\"impactSpeed\":%.10g,\"times\":{\"sweep\":%.4g,"
           "\"substep\":%.4g,\"frame\":%.4g,\"smooth\":%.4g}",
           p->tolerance, p->speed, p->inertial, (unsigned)b->grains, b->grain.diameter, b->l, b->w, b->contacts,
           p->impact_speed, t->sweep, t->substep, t->frame, t->smooth);
    for (int i = 0; i < SCHEMES; i++) {
        const scheme *s = &p->schemes[i];
        printf(",\"%s\":{\"step\":%.10g", s->key, s->step);
        if (s->substeps > 0.0)
            printf(",\"substeps\":%.0f,\"sweeps\":%.0f", s->substeps, s->sweeps);
        printf(",\"cost\":%.6g}", s->cost);
    }
    if (p->lying.step > 0.0)
        printf(",\"lying\":{\"step\":%.10g,\"substeps\":%.0f,\"sweeps\":1}", p->lying.step, p->lying.substeps);
    printf("}\n");
}

/* ---------------------------------------------------------------- the command */

enum { TOLERANCE, SPEED, INERTIAL, PAPER_TIMES, JSON, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [TOLERANCE] = {"tolerance", 0, "E", "overlap error as a share of the diameter; default 0.01"},
    [SPEED] = {"speed", 0, "V", "m/s, at which grains or tools meet; default: of the grains' fall into place"},
    [INERTIAL] = {"inertial", 0, "I", "inertial number of the flow, 0 at rest, 0.1 fast; default 0.01"},
    [PAPER_TIMES] = {"paper-times", 0, NULL,
                     "1 µs per contact and sweep as in Paper I, instead of timing this machine"},
    [JSON] = {"json", 0, NULL, "one JSON object; SI units"},
};

static bool take_number(const char *option, const char *text, double low, double high, double *value)
{
    if (scree_parse_number(text, value) && *value >= low && *value <= high)
        return true;
    scree_complain("scree plan: --%s \"%s\": a number from %g to %g", option, text, low, high);
    return false;
}

static int plan_scene(const scree_scene *scene, const char *path, plan *p, const times *given, bool json)
{
    scree_error error = {SCREE_OK, ""};
    scree_world *world = NULL;
    times t = given ? *given : (times){0};
    scree_status status = scree_world_create(scene, NULL, NULL, &world, &error);
    if (status == SCREE_OK)
        status = scree_world_start(world, 0.0, &error); /* the grains must find room */
    scree_info info = {0};
    if (status == SCREE_OK)
        scree_world_get_info(world, &info);
    if (status == SCREE_OK && info.particles == 0)
        status = scree_fail(&error, SCREE_INVALID, "the scene holds no grains: there is nothing to plan");
    if (status == SCREE_OK && !given && !measure_times(&t))
        status = scree_fail(&error, SCREE_MEMORY, "out of memory");
    if (status == SCREE_OK) {
        bed b = look_at_bed(scene, world);
        make_plan(p, scene, &b, &t);
        if (json)
            print_json(p, &b, &t);
        else
            print_plan(p, &b, &t, scene->head.name, &scene->solver);
    } else {
        scree_complain("%s: %s", path, error.text);
    }
    scree_world_destroy(world);
    return scree_exit_code(status);
}

static int run(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    plan p = {.tolerance = 0.01, .inertial = 0.01};
    const char *path = NULL;
    const times *given = NULL;
    bool json = false;
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        bool good = true;
        found = scree_arguments_next(&arguments);
        switch (found) {
        case TOLERANCE: /* eqs. 37 and 41 hold for small overlaps; below 1e-6 sweeps no longer converge to it */
            good = take_number("tolerance", arguments.value, 1e-6, 0.5, &p.tolerance);
            break;
        case SPEED:
            good = p.speed_given = take_number("speed", arguments.value, 0.0, 1e4, &p.speed);
            break;
        case INERTIAL:
            good = take_number("inertial", arguments.value, 0.0, 10.0, &p.inertial);
            break;
        case PAPER_TIMES:
            given = &paper_times;
            break;
        case JSON:
            json = true;
            break;
        default:
            good = scree_arguments_take_scene(&arguments, found, &path);
        }
        if (!good)
            return SCREE_EXIT_BAD;
    }
    scree_scene *scene;
    int code = scree_load_scene(path, &scene);
    if (code != SCREE_EXIT_OK)
        return code;
    code = plan_scene(scene, path, &p, given, json);
    scree_scene_destroy(scene);
    return code;
}

static const char *const examples[] = {"scree plan scene.xml", "for the scene's own tolerance and speeds",
                                       "scree plan scene.xml --tolerance 0.01 --speed 0.5",
                                       "overlaps off by 1 % at a tool speed of 0.5 m/s", NULL};

const scree_command scree_command_plan = {
    .name = "plan",
    .synopsis = "SCENE.xml [--tolerance E] [--speed V] [--inertial I] [--paper-times] [--json]",
    .summary = "recommend frame, substeps and sweeps, and predict what they cost",
    .details = "The bed is taken as it will lie, at a packing of 0.6 on the ground that the grains cover at the start. "
               "Costs are for one core, per second simulated.",
    .operand = "SCENE.xml",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = run,
};
