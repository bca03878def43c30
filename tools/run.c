/*
 * `scree run`: a scene without an FMU around it. Communication points and inputs follow FMPy's simulate_fmu, so that
 * both ways to run a scene give the same numbers to the last bit.
 */
#include "command.h"
#include "file.h"
#include "lookup.h"
#include "number.h"
#include "progress.h"
#include "run_record.h"
#include "scene_xml.h"
#include "settling.h"
#include "signals.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    UNTIL,
    STEP,
    INPUT,
    OUTPUT,
    GRAINS,
    RECORD,
    RECORD_EVERY,
    SET,
    THREADS,
    REFERENCE,
    SETTLE,
    SETTLE_LIMIT,
    PROFILE,
    OPTION_COUNT
};

static const scree_option options[OPTION_COUNT] = {
    [UNTIL] = {"until", 0, "T", "stop time in s (default: that of the scene)"},
    [STEP] = {"step", 0, "H", "communication step in s (default: that of the scene)"},
    [INPUT] = {"input", 'i', "CSV", "inputs over time: columns time and names of inputs"},
    [OUTPUT] = {"output", 'o', "CSV", "where the outputs go (default: standard output, also -)"},
    [GRAINS] = {"grains", 0, "CSV", "where the grains' state at the end goes"},
    [RECORD] = {"record", 0, "DIR", "where a recording of the run goes: scree view, export and report read it"},
    [RECORD_EVERY] = {"record-every", 0, "T", "time between recorded frames in s (default 0.02; 0: every step)"},
    [SET] = {"set", 's', "NAME=VALUE", "set a parameter or the start of an input; may be repeated"},
    [THREADS] = {"threads", 't', "N", "threads; 0 takes as many as the machine has"},
    [REFERENCE] = {"reference", 0, NULL, "slow and accurate, to compare with: 0.1 ms frames, up to 200 sweeps each"},
    [SETTLE] = {"settle", 0, NULL, "let the grains come to rest first, before time 0"},
    [SETTLE_LIMIT] = {"settle-limit", 0, "T", "simulated time after which settling gives up in s (default 60)"},
    [PROFILE] = {"profile", 0, NULL, "say at the end what the time went to"},
};

typedef struct request {
    const char *scene_path;
    const char *text[OPTION_COUNT]; /* values of options, NULL: not given */
    const char **sets;              /* NAME=VALUE, in order */
    int set_count;
} request;

typedef struct run {
    scree_scene *scene;
    scree_model *model;
    scree_world *world;
    scree_signals signals;
    double until, step; /* s */
    double settle;      /* s, longest time to settle */
    scree_output output, grains;
    scree_run_record record;
    double interval;    /* s, between recorded frames */
    double wall;        /* s, spent in steps */
    bool record_failed; /* the run goes on without it */
} run;

static volatile sig_atomic_t interrupted; /* set by the handler: a run stops at the next communication point */

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- what is asked */

static bool parse_request(const scree_command *command, int argc, char **argv, request *asked)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    for (;;) {
        int found = scree_arguments_next(&arguments);
        if (found == SET) {
            asked->sets[asked->set_count++] = arguments.value;
        } else if (found >= 0) {
            asked->text[found] = found == REFERENCE || found == SETTLE || found == PROFILE ? "" : arguments.value;
        } else if (!scree_arguments_take_scene(&arguments, found, &asked->scene_path)) {
            return false;
        } else if (found == SCREE_ARGUMENT_END) {
            return true;
        }
    }
}

/* A time option, with the range that the scene's own value has. */
static bool parse_time(const char *option, const char *text, const char *field_name, double *value)
{
    const scree_element_info *info = scree_element_describe(SCREE_ELEMENT_EXPERIMENT);
    const scree_field *field = info->fields;
    while (strcmp(field->name, field_name) != 0)
        field++;
    if (!text)
        return true;
    bool open = field->flags & SCREE_FIELD_OPEN_MIN;
    if (scree_parse_number(text, value) && (open ? *value > field->min : *value >= field->min) && *value <= field->max)
        return true;
    scree_complain("scree run: --%s = \"%.64s\"; allowed: a number %s %g to %g, in %s", option, text,
                   open ? "above" : "from", field->min, field->max, field->unit);
    return false;
}

static bool parse_interval(const request *asked, double *interval)
{
    const char *text = asked->text[RECORD_EVERY];
    *interval = SCREE_RECORD_INTERVAL;
    if (!text || (scree_parse_number(text, interval) && *interval >= 0.0 && asked->text[RECORD]))
        return true;
    if (asked->text[RECORD])
        scree_complain("scree run: --record-every = \"%.64s\"; allowed: a number from 0, in s", text);
    else
        scree_complain("scree run: --record-every without --record DIR: there is nothing to record into");
    return false;
}

static bool set_variable(const run *r, const char *option, const char *name, const char *text)
{
    char hint[1024];
    double value;
    scree_error error;
    const scree_variable *variable = scree_lookup(r->model, name, true, hint, sizeof hint);
    if (!variable)
        scree_complain("scree run: --%s: no parameter or input \"%.200s\"; %s", option, name, hint);
    else if (!scree_parse_number(text, &value))
        scree_complain("scree run: --%s: %s = \"%.64s\" is no number; allowed: a finite decimal number", option, name,
                       text);
    else if (scree_variable_set(variable, r->world, value, &error) != SCREE_OK)
        scree_complain("scree run: --%s: %s", option, error.text);
    else
        return true;
    return false;
}

/* What --reference stands for: the same scene, time resolved and every substep solved. */
static bool apply_reference(const run *r)
{
    static const char *const values[][2] = {{"solver.frame", "1e-4"},
                                            {"solver.substeps", "1"},
                                            {"solver.sweeps", "200"},
                                            {"solver.residual", "1e-6"},
                                            {"solver.tolerance", "0"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (!set_variable(r, "reference", values[i][0], values[i][1]))
            return false;
    return true;
}

static bool apply_sets(const run *r, const request *asked)
{
    if (asked->text[REFERENCE] && !apply_reference(r))
        return false;
    for (int i = 0; i < asked->set_count; i++) {
        const char *equals = strchr(asked->sets[i], '=');
        char name[SCREE_VARIABLE_NAME_SIZE];
        if (!equals || equals == asked->sets[i]) {
            scree_complain("scree run: --set \"%.200s\"; allowed: NAME=VALUE", asked->sets[i]);
            return false;
        }
        snprintf(name, sizeof name, "%.*s", (int)(equals - asked->sets[i]), asked->sets[i]);
        if (!set_variable(r, "set", name, equals + 1))
            return false;
    }
    return !asked->text[THREADS] || set_variable(r, "threads", "solver.threads", asked->text[THREADS]);
}

/* Writing over a file that is being read, or two outputs into one file, is never meant. */
static bool check_targets(const request *asked)
{
    static const int targets[] = {OUTPUT, GRAINS};
    for (int i = 0; i < 2; i++) {
        const char *target = asked->text[targets[i]];
        const char *others[] = {asked->scene_path, asked->text[INPUT], i ? asked->text[OUTPUT] : NULL};
        for (int k = 0; target && k < 3; k++)
            if (others[k] && (scree_same_file(target, others[k]) || (k == 2 && strcmp(target, others[k]) == 0))) {
                scree_complain("scree run: --%s %s is also %s; give it another name", options[targets[i]].name, target,
                               k == 0   ? "the scene"
                               : k == 1 ? "the --input"
                                        : "the --output");
                return false;
            }
    }
    return true;
}

/* ---- rows */

static void write_number(FILE *file, double value)
{
    char text[40];
    scree_format_number(value, text, sizeof text);
    fputs(text, file);
}

static void write_header(const run *r)
{
    fputs("time", r->output.stream);
    for (uint32_t i = 0; i < r->model->variable_count; i++)
        if (r->model->variables[i].causality == SCREE_OUTPUT)
            fprintf(r->output.stream, ",%s", r->model->variables[i].name);
    fputc('\n', r->output.stream);
}

static scree_status write_row(const run *r, double time, scree_error *error)
{
    FILE *file = r->output.stream;
    scree_reader reader = {.group = NULL};
    write_number(file, time);
    for (uint32_t i = 0; i < r->model->variable_count; i++) {
        double value;
        if (r->model->variables[i].causality != SCREE_OUTPUT)
            continue;
        scree_status status = scree_variable_read(&r->model->variables[i], r->world, &reader, &value, error);
        if (status != SCREE_OK)
            return status;
        fputc(',', file);
        write_number(file, value);
    }
    fputc('\n', file);
    return ferror(file) ? scree_fail(error, SCREE_IO, "%s: cannot be written: %s", r->output.path, strerror(errno))
                        : SCREE_OK;
}

/* The fill or emitter that a grain came from. */
static const char *source_of(const scree_scene *scene, uint32_t fill)
{
    if (fill < scene->fill_count)
        return scene->fills[fill].id;
    fill -= scene->fill_count;
    return fill < scene->emitter_count ? scene->emitters[fill].id : "";
}

static void write_grains(const run *r)
{
    FILE *file = r->grains.stream;
    scree_info info;
    scree_world_get_info(r->world, &info);
    fputs("x,y,z,radius,vx,vy,vz,fill\n", file);
    for (uint32_t i = 0; i < info.particles; i++) {
        scree_particle grain = scree_world_get_particle(r->world, i);
        const double values[] = {grain.position[0], grain.position[1], grain.position[2], grain.radius,
                                 grain.velocity[0], grain.velocity[1], grain.velocity[2]};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            write_number(file, values[k]);
            fputc(',', file);
        }
        fprintf(file, "%s\n", source_of(r->scene, grain.fill));
    }
}

/* ---- recording */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A recording that fails, say because the disk is full, ends there; the run goes on for its other results. */
static void record_point(run *r, double time, bool always)
{
    scree_error error;
    if (scree_run_record_point(&r->record, r->world, time, r->wall, always, &error) == SCREE_OK &&
        (!r->record.recorder || scree_recorder_commit(r->record.recorder, &error) == SCREE_OK))
        return;
    scree_complain("scree run: %s", error.text);
    scree_run_record_close(&r->record, false, NULL);
    r->record_failed = true;
}

static void close_record(run *r, bool done)
{
    scree_error error;
    if (scree_run_record_close(&r->record, done, &error) == SCREE_OK)
        return;
    scree_complain("scree run: %s", error.text);
    r->record_failed = true;
}

/* ---- time */

/* From the start to the end: rows at 0, H, 2 H … and at T. *time is how far it came. */
static scree_status simulate(run *r, double *time, scree_error *error)
{
    scree_progress progress = scree_progress_start(r->output.stream != stdout || !isatty(STDOUT_FILENO));
    scree_status status = SCREE_OK;
    write_header(r);
    status = write_row(r, *time, error);
    record_point(r, *time, true);
    for (uint64_t n = 1; status == SCREE_OK && *time < r->until && !scree_is_close(*time, r->until); n++) {
        double next = (double)n * r->step;
        if (next > r->until && !scree_is_close(next, r->until))
            next = r->until;
        status = scree_signals_apply(&r->signals, r->world, *time, error);
        double begin = now();
        if (status == SCREE_OK)
            status = scree_world_step(r->world, next - *time, error);
        if (status != SCREE_OK)
            break;
        *time = next;
        r->wall += now() - begin;
        record_point(r, *time, next >= r->until);
        status = write_row(r, *time, error);
        if (status == SCREE_OK && interrupted)
            status = scree_fail(error, SCREE_STATE, "interrupted");
        char note[64];
        snprintf(note, sizeof note, "t = %.4g of %.4g s", *time, r->until);
        scree_progress_update(&progress, fmin(*time / r->until, 1.0), note);
    }
    scree_progress_end(&progress);
    return status;
}

/* ---- the whole */

static void write_log(void *context, scree_log_level level, const char *text)
{
    (void)context;
    static const char *const words[] = {"error", "warning", "note"};
    scree_complain("scree run: %s: %s", words[level], text);
}

/* Everything that can be wrong with what the user gave, before any file is opened for writing. */
static int prepare(run *r, const request *asked)
{
    int code = scree_load_scene(asked->scene_path, &r->scene);
    if (code != SCREE_EXIT_OK)
        return code;
    r->until = r->scene->experiment.stop;
    r->step = r->scene->experiment.step;
    if (!parse_time("until", asked->text[UNTIL], "stop", &r->until) ||
        !parse_time("step", asked->text[STEP], "step", &r->step) || !parse_interval(asked, &r->interval) ||
        !scree_parse_settle_limit("run", asked->text[SETTLE_LIMIT], asked->text[SETTLE], &r->settle) ||
        !check_targets(asked))
        return SCREE_EXIT_BAD;
    scree_error error = {SCREE_OK, ""};
    scree_log log = {.write = write_log};
    scree_status status = scree_model_create(r->scene, NULL, &r->model, &error);
    if (status == SCREE_OK)
        status = scree_world_create(r->scene, NULL, &log, &r->world, &error);
    if (status == SCREE_OK) {
        if (!apply_sets(r, asked))
            return SCREE_EXIT_BAD;
        code = asked->text[INPUT] ? scree_signals_read(&r->signals, asked->text[INPUT], r->model) : SCREE_EXIT_OK;
        if (code != SCREE_EXIT_OK)
            return code;
        status = scree_signals_apply(&r->signals, r->world, 0.0, &error);
    }
    if (status == SCREE_OK)
        status = scree_world_start(r->world, 0.0, &error);
    if (status == SCREE_OK && asked->text[PROFILE])
        scree_world_set_profile(r->world, true);
    if (status == SCREE_OK && asked->text[SETTLE])
        status = scree_settle(r->world, r->settle, &interrupted, &error);
    if (status != SCREE_OK)
        scree_complain("%s: %s", asked->scene_path, error.text);
    return scree_exit_code(status);
}

/* On standard error, beside rows that may go to standard output. */
static void print_profile(const run *r)
{
    scree_profile profile;
    scree_world_get_profile(r->world, &profile);
    double all = 0.0;
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        all += profile.seconds[i];
    fprintf(stderr, "  %-10s %10s %8s\n", "stage", "seconds", "share");
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        fprintf(stderr, "  %-10s %10.4g %7.1f%%\n", scree_stage_name((scree_stage)i), profile.seconds[i],
                all > 0.0 ? 100.0 * profile.seconds[i] / all : 0.0);
    fprintf(stderr, "  %-10s %10.4g\n", "all", all);
}

static int give_up(run *r, double time, const scree_error *error)
{
    char *kept = scree_output_keep_partial(&r->output);
    scree_complain("scree run: stopped at t = %g s: %s%s%s", time, error->text, kept ? "; the rows so far are in " : "",
                   kept ? kept : "");
    free(kept);
    scree_output_discard(&r->grains);
    return SCREE_EXIT_FAILED;
}

static int work(run *r, const request *asked)
{
    if (!scree_output_open(&r->output, asked->text[OUTPUT] ? asked->text[OUTPUT] : "-"))
        return SCREE_EXIT_FAILED;
    if (asked->text[GRAINS] && !scree_output_open(&r->grains, asked->text[GRAINS])) {
        scree_output_discard(&r->output);
        return SCREE_EXIT_FAILED;
    }
    scree_error error = {SCREE_OK, ""};
    if (asked->text[RECORD]) {
        scree_status opened =
            scree_run_record_open(&r->record, asked->text[RECORD], r->interval, r->model, r->world, NULL, &error);
        if (opened != SCREE_OK) {
            scree_complain("scree run: --record: %s", error.text);
            scree_output_discard(&r->output);
            scree_output_discard(&r->grains);
            return scree_exit_code(opened);
        }
    }
    double time = 0.0;
    scree_status status = simulate(r, &time, &error);
    close_record(r, status == SCREE_OK);
    if (asked->text[PROFILE])
        print_profile(r);
    if (status == SCREE_IO) {
        scree_complain("%s", error.text);
        scree_output_discard(&r->output);
        scree_output_discard(&r->grains);
        return SCREE_EXIT_FAILED;
    }
    if (status != SCREE_OK)
        return give_up(r, time, &error);
    if (asked->text[GRAINS]) {
        write_grains(r);
        if (!scree_output_commit(&r->grains)) {
            scree_output_discard(&r->output);
            return SCREE_EXIT_FAILED;
        }
    }
    return scree_output_commit(&r->output) && !r->record_failed ? SCREE_EXIT_OK : SCREE_EXIT_FAILED;
}

static int run_scene(const scree_command *command, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}; /* a second one kills */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    request asked = {.sets = calloc((size_t)argc + 1, sizeof *asked.sets)};
    run r = {.scene = NULL};
    int code = SCREE_EXIT_BAD;
    if (!asked.sets) {
        scree_complain("scree run: out of memory");
        code = SCREE_EXIT_FAILED;
    } else if (parse_request(command, argc, argv, &asked)) {
        code = prepare(&r, &asked);
        if (code == SCREE_EXIT_OK)
            code = work(&r, &asked);
    }
    scree_signals_free(&r.signals);
    scree_world_destroy(r.world);
    scree_model_destroy(r.model);
    scree_scene_destroy(r.scene);
    free(asked.sets);
    return code;
}

static const char *const examples[] = {"scree run scene.xml --input motion.csv --output forces.csv",
                                       "simulate to the scene's own stop time",
                                       "scree run scene.xml --until 2 --set pair.rock.steel.friction=0.3 -o -",
                                       "two seconds with another friction, rows to the terminal",
                                       "scree run scene.xml -o out.csv --record out/run --record-every 0.01",
                                       "also keep 100 frames per second",
                                       "scree run scene.xml --settle -o out.csv",
                                       "begin with a bed at rest",
                                       NULL};

const scree_command scree_command_run = {
    .name = "run",
    .synopsis = "SCENE.xml [OPTION]…",
    .summary = "simulate a scene without an FMU; outputs as CSV",
    .details =
        "The CSV has a column time and one for every output; `scree check SCENE.xml --variables` lists all names. "
        "Between the rows of --input values are interpolated. The numbers are those of the FMU with the same inputs "
        "and steps, to the last bit.\nWith --record the run is also kept frame by frame, for scree view, report and "
        "export. Ctrl-C ends a run at the next communication point; what there is up to then is kept.",
    .operand = "SCENE.xml",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .failure = "the run broke off, or something could not be written",
    .run = run_scene,
};
