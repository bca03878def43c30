#include "bench/peers.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;
static const double POISSON = 0.3; /* Scree's default, which the scenes of the cases keep */
static const double SKIN = 0.15;   /* of the smallest grain: LIGGGHTS's margin; its lists take a tenth of its time */

enum { LINE_STEPS = 100 }; /* of LIGGGHTS, from one line of its output to the next */

extern char **environ;

void bench_add_peer(bench_report *report, const char *name, const char *quantity, double value, double ratio)
{
    if (report->peer_count < BENCH_PEERS)
        report->peers[report->peer_count++] = (bench_peer){.quantity = quantity, .value = value, .ratio = ratio};
    bench_peer *added = &report->peers[report->peer_count - 1];
    snprintf(added->name, sizeof added->name, "%s", name);
}

/* ---- files and programs */

static FILE *open_file(const bench *bench, const char *name, const char *mode)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        scree_complain("scree bench: %s: %s", path, strerror(errno));
    return file;
}

/* s, of all children that have ended. */
static double child_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* Runs a program with its output in the folder's file `out`; false when there is none or it fails. */
static bool run_program(const bench *bench, const char *const *words, const char *out, double *cpu)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", bench->folder, out);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child;
    int status = -1;
    double before = child_seconds();
    int failed = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *cpu = child_seconds() - before;
    if (status == 127 << 8)
        return false; /* not found: how some C libraries report it */
    if (status != 0)
        scree_complain("scree bench: %s failed; see %s", words[0], path);
    return status == 0;
}

/* ---- LIGGGHTS */

void bench_smooth_wall(bench_smooth *scene, int type, const char *format, ...)
{
    size_t used = strlen(scene->walls), room = sizeof scene->walls;
    int number = 0;
    for (const char *at = scene->walls; *at; at++)
        number += *at == '\n';
    used += (size_t)snprintf(scene->walls + used, room - used,
                             "fix wall%d all wall/gran model hertz tangential history rolling_friction epsd2 "
                             "primitive type %d ",
                             number, type);
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(scene->walls + used, room - used, format, args);
    va_end(args);
    snprintf(scene->walls + used, room - used, "\n");
}

/* 20 % of π r √(ρ/G)/(0.1631 ν + 0.8766), the time a Rayleigh wave takes around the smallest grain */
double bench_smooth_step(const bench_smooth *scene)
{
    double shear = scene->youngs / (2.0 * (1.0 + POISSON));
    return 0.2 * PI * 0.5 * scene->smallest * sqrt(scene->density / shear) / (0.1631 * POISSON + 0.8766);
}

static bool write_grains(const bench *bench, const bench_smooth *scene, const scree_world *world)
{
    scree_info info;
    FILE *out = open_file(bench, "grains.data", "w");
    if (!out)
        return false;
    scree_world_get_info(world, &info);
    fprintf(out, "grains of scree bench %s\n\n%u atoms\n2 atom types\n\n", bench->name, (unsigned)info.particles);
    for (int k = 0; k < 3; k++)
        fprintf(out, "%.17g %.17g %clo %chi\n", scene->low[k], scene->high[k], "xyz"[k], "xyz"[k]);
    fprintf(out, "\nAtoms\n\n");
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle g = scree_world_get_particle(world, i);
        fprintf(out, "%u 1 %.17g %g %.17g %.17g %.17g\n", (unsigned)i + 1, 2.0 * g.radius, scene->density,
                g.position[0], g.position[1], g.position[2]);
    }
    fprintf(out, "\nVelocities\n\n");
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle g = scree_world_get_particle(world, i);
        fprintf(out, "%u %.9g %.9g %.9g %.9g %.9g %.9g\n", (unsigned)i + 1, g.velocity[0], g.velocity[1], g.velocity[2],
                g.angular_velocity[0], g.angular_velocity[1], g.angular_velocity[2]);
    }
    return fclose(out) == 0;
}

/* begin: the command that brings the grains in; end: what is run. */
static bool write_script(const bench *bench, const bench_smooth *scene, const char *name, const char *begin,
                         const char *end)
{
    FILE *out = open_file(bench, name, "w");
    if (!out)
        return false;
    fprintf(out,
            "hard_particles yes\natom_style granular\natom_modify map array\nboundary m m m\nnewton off\n"
            "communicate single vel yes\nunits si\n%s\nneighbor %g bin\nneigh_modify delay 0\n",
            begin, SKIN * scene->smallest);
    fprintf(out, "fix m1 all property/global youngsModulus peratomtype %g 1e13\n", scene->youngs);
    fprintf(out, "fix m2 all property/global poissonsRatio peratomtype %g %g\n", POISSON, POISSON);
    fprintf(out, "fix m3 all property/global coefficientRestitution peratomtypepair 2 %g %g %g %g\n",
            scene->restitution, scene->restitution, scene->restitution, scene->restitution);
    fprintf(out, "fix m4 all property/global coefficientFriction peratomtypepair 2 %g 0 0 0\n", scene->friction);
    fprintf(out, "fix m5 all property/global coefficientRollingFriction peratomtypepair 2 %g 0 0 0\n", scene->rolling);
    fprintf(out,
            "pair_style gran model hertz tangential history rolling_friction epsd2\npair_coeff * *\n"
            "timestep %.9g\nfix weight all gravity 9.81 vector 0 0 -1\n%sfix move all nve/sphere\n",
            bench_smooth_step(scene), scene->walls);
    fprintf(out,
            "compute center all com\nthermo_style custom step ke c_center[1] c_center[2] c_center[3]\n"
            "thermo_modify lost error norm no format float %%.9g\nthermo %d\n%s\n",
            LINE_STEPS, end);
    return fclose(out) == 0;
}

static bool run_script(const bench *bench, const char *name, const char *out, double *cpu)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    const char *words[] = {"liggghts", "-in", path, "-log", "none", NULL};
    return run_program(bench, words, out, cpu);
}

bool bench_smooth_start(bench *bench, const bench_smooth *scene, const scree_world *world, double settling)
{
    char begin[1100], end[1100];
    double cpu;
    snprintf(begin, sizeof begin, "read_data %s/grains.data", bench->folder);
    snprintf(end, sizeof end, "run %.0f\nwrite_restart %s/settled.restart", settling / bench_smooth_step(scene),
             bench->folder);
    scree_progress_update(&bench->progress, 0.5, "LIGGGHTS");
    return write_grains(bench, scene, world) && write_script(bench, scene, "settle.in", begin, end) &&
           run_script(bench, "settle.in", "settle.out", &cpu);
}

static bool read_lines(const bench *bench, bench_smooth_result *result)
{
    FILE *in = open_file(bench, "run.out", "r");
    char line[512];
    double number, kinetic, x, y, z, first = NAN;
    int count = 0;
    if (!in)
        return false;
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "%lf %lf %lf %lf %lf", &number, &kinetic, &x, &y, &z) != 5)
            continue;
        first = count++ == 0 ? z : first;
        result->rise = z - first;
        result->kinetic = kinetic;
        bench_mean_add(&result->angle, atan2(fabs(y), -z) * 180.0 / PI);
    }
    fclose(in);
    return count > 0;
}

bool bench_smooth_run(bench *bench, const bench_smooth *scene, uint32_t steps, double block,
                      bench_smooth_result *result)
{
    double none, all;
    char begin[1100], end[64];
    *result = (bench_smooth_result){.angle.block =
                                        (uint32_t)fmax(1.0, block / (LINE_STEPS * bench_smooth_step(scene)) + 0.5)};
    snprintf(begin, sizeof begin, "read_restart %s/settled.restart", bench->folder);
    snprintf(end, sizeof end, "run %u", (unsigned)steps);
    scree_progress_update(&bench->progress, 0.5, "LIGGGHTS");
    if (!write_script(bench, scene, "none.in", begin, "run 0") || !run_script(bench, "none.in", "none.out", &none) ||
        !write_script(bench, scene, "run.in", begin, end) || !run_script(bench, "run.in", "run.out", &all))
        return false;
    result->cpu = (all - none) / (steps * bench_smooth_step(scene));
    return read_lines(bench, result);
}

/* ---- Bullet and ODE */

static bool write_bed(const bench *bench, const scree_world *world, const double size[2])
{
    scree_info info;
    FILE *out = open_file(bench, "bed.txt", "w");
    if (!out)
        return false;
    scree_world_get_info(world, &info);
    fprintf(out, "%.17g %.17g %u\n", size[0], size[1], (unsigned)info.particles);
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle g = scree_world_get_particle(world, i);
        fprintf(out, "%.17g %.17g %.17g %.17g\n", g.position[0], g.position[1], g.position[2], 2.0 * g.radius);
    }
    return fclose(out) == 0;
}

/* The drivers lie beside this program. */
static void find_driver(const char *name, char *path, size_t room)
{
    char where[1024];
    ssize_t size = readlink("/proc/self/exe", where, sizeof where - 1);
    where[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(where, '/');
    if (slash)
        *slash = '\0';
    snprintf(path, room, "%s/%s", where, name);
}

static void read_figures(const bench *bench, const char *file, bench_report *report)
{
    FILE *in = open_file(bench, file, "r");
    char line[512], name[BENCH_PEER_NAME];
    double ns;
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "%23s contacts %*f ns_per_contact_iteration %lf", name, &ns) == 2)
            bench_add_peer(report, name, "ns_per_contact_iteration", ns, NAN);
    if (in)
        fclose(in);
}

void bench_iterations(bench *bench, const scree_world *world, const double size[2], bench_report *report)
{
    static const char *const drivers[] = {"scree-peer-bullet", "scree-peer-ode"};
    char bed[1100], path[2048];
    if (!write_bed(bench, world, size))
        return;
    snprintf(bed, sizeof bed, "%s/bed.txt", bench->folder);
    for (int i = 0; i < 2; i++) {
        double cpu;
        find_driver(drivers[i], path, sizeof path);
        const char *words[] = {path, bed, NULL};
        scree_progress_update(&bench->progress, 0.5, drivers[i]);
        if (access(path, X_OK) == 0 && run_program(bench, words, "iterations.out", &cpu))
            read_figures(bench, "iterations.out", report);
    }
}
