/*
 * `scree bench`: times the cases and prints a table, or one JSON object per line and case.
 */
#include "bench/bench.h"

#include "command.h"
#include "file.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bench_case *const cases[] = {&bench_column,   &bench_bed10k, &bench_glass10k, &bench_bed100k, &bench_bed1m,
                                          &bench_drum4864, &bench_blade,  &bench_trench,   &bench_bucket};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

/* ---- reports */

static double per_sim(double seconds, const bench_phase *phase)
{
    return phase->simulated > 0.0 ? seconds / phase->simulated : NAN;
}

/* ns of a substep for each closed contact and sweep, with all else that the substep does. One thread: processor time,
 * which other work on the machine disturbs least. */
static double per_contact(const bench *bench, const bench_phase *phase)
{
    double time = bench->threads == 1 ? phase->cpu : phase->wall;
    return phase->contact_sweeps > 0.0 ? 1e9 * time / phase->contact_sweeps : NAN;
}

/* ns of the bare sweep over the pairs, for each closed contact. */
static double per_contact_sweep(const bench_phase *phase)
{
    return phase->contact_sweeps > 0.0 ? 1e9 * phase->profile.seconds[SCREE_STAGE_SWEEP] / phase->contact_sweeps : NAN;
}

static void print_number(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, ",\"%s\":%.6g", name, value);
    else
        fprintf(out, ",\"%s\":null", name);
}

/* Share of each stage in the time of the steps. */
static void print_stages(FILE *out, const char *name, const bench_phase *phase)
{
    double all = 0.0;
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        all += phase->profile.seconds[i];
    fprintf(out, ",\"%s\":{", name);
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        fprintf(out, "%s\"%s\":%.4f", i > 0 ? "," : "", scree_stage_name((scree_stage)i),
                all > 0.0 ? phase->profile.seconds[i] / all : 0.0);
    fprintf(out, "}");
}

static void print_json(FILE *out, const bench *bench, const bench_report *report)
{
    const bench_phase *phase = &report->settled, *stirred = &report->stirred;
    fprintf(out, "{\"case\":\"%s\",\"threads\":%u,\"grains\":%u", report->name, bench->threads,
            (unsigned)report->grains);
    print_number(out, "contacts", phase->contacts);
    print_number(out, "simulated", phase->simulated);
    print_number(out, "wall_per_sim", per_sim(phase->wall, phase));
    print_number(out, "cpu_per_sim", per_sim(phase->cpu, phase));
    print_number(out, "ns_per_contact_sweep", per_contact_sweep(phase));
    print_number(out, "ns_per_contact_substep", per_contact(bench, phase));
    print_number(out, "bytes_per_grain", report->bytes_per_grain);
    print_number(out, "error", report->error);
    fprintf(out, ",\"error_of\":\"%s\"", report->error_of);
    print_number(out, "residual", phase->residual);
    if (report->figure_of) {
        fprintf(out, ",\"figure_of\":\"%s\",\"figure_unit\":\"%s\"", report->figure_of, report->figure_unit);
        print_number(out, "figure", report->figure);
        if (report->figure_error > 0.0)
            print_number(out, "figure_error", report->figure_error);
    }
    if (stirred->steps > 0) {
        print_number(out, "stirred_contacts", stirred->contacts);
        print_number(out, "stirred_wall_per_sim", per_sim(stirred->wall, stirred));
        print_number(out, "stirred_cpu_per_sim", per_sim(stirred->cpu, stirred));
        print_number(out, "stirred_ns_per_contact_substep", per_contact(bench, stirred));
        print_number(out, "stirred_ns_per_contact_sweep", per_contact_sweep(stirred));
        print_number(out, "stirred_error", stirred->overlap_error);
    }
    print_stages(out, "stages", phase);
    if (stirred->steps > 0)
        print_stages(out, "stirred_stages", stirred);
    bool compared = bench->peers || report->peer_count > 0;
    if (compared)
        fprintf(out, ",\"peers\":[");
    for (uint32_t i = 0; i < report->peer_count; i++) {
        const bench_peer *peer = &report->peers[i];
        fprintf(out, "%s{\"name\":\"%s\",\"quantity\":\"%s\"", i > 0 ? "," : "", peer->name, peer->quantity);
        print_number(out, "value", peer->value);
        print_number(out, "ratio", peer->ratio);
        fprintf(out, "}");
    }
    fprintf(out, compared ? "]}\n" : "}\n");
}

static void print_phase(const bench *bench, const char *name, uint32_t grains, const bench_phase *phase, double bytes,
                        double error)
{
    printf("  %-18s %8u %9.0f %11.4g %11.4g %8.4g %12.4g %10.4g %10.2e", name, (unsigned)grains, phase->contacts,
           per_sim(phase->wall, phase), per_sim(phase->cpu, phase), per_contact_sweep(phase), per_contact(bench, phase),
           bytes, error);
}

/* Stages that take at least a hundredth. */
static void print_shares(const bench_phase *phase)
{
    double all = 0.0;
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        all += phase->profile.seconds[i];
    printf("      %%:");
    for (int i = 0; i < SCREE_STAGE_COUNT; i++)
        if (phase->profile.seconds[i] >= 0.01 * all)
            printf(" %s %.0f", scree_stage_name((scree_stage)i), 100.0 * phase->profile.seconds[i] / all);
    printf("\n");
}

static void print_table(const bench *bench, const bench_report *report)
{
    print_phase(bench, report->name, report->grains, &report->settled, report->bytes_per_grain, report->error);
    if (report->figure_of)
        printf("  %s %.4g", report->figure_of, report->figure);
    if (report->figure_of && report->figure_error > 0.0)
        printf(" ± %.2g", report->figure_error);
    if (report->figure_of)
        printf(" %s", report->figure_unit);
    printf("\n");
    print_shares(&report->settled);
    if (report->stirred.steps > 0) {
        print_phase(bench, "  kept moving", report->grains, &report->stirred, report->bytes_per_grain,
                    report->stirred.overlap_error);
        printf("\n");
        print_shares(&report->stirred);
    }
    for (uint32_t i = 0; i < report->peer_count; i++) {
        const bench_peer *peer = &report->peers[i];
        printf("    %-16s %s %.4g", peer->name, peer->quantity, peer->value);
        if (isfinite(peer->ratio))
            printf("  ratio %.4g", peer->ratio);
        printf("\n");
    }
}

/* ---- the command */

enum { JSON, OUTPUT, THREADS, QUICK, ALL, PEERS, FILES, LIST, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [JSON] = {"json", 0, NULL, "one JSON object per line and case"},
    [OUTPUT] = {"output", 'o', "FILE", "write the JSON objects to this file too"},
    [THREADS] = {"threads", 't', "N", "threads (default: 1)"},
    [QUICK] = {"quick", 0, NULL, "shorter runs, for a look"},
    [ALL] = {"all", 0, NULL, "the largest case too"},
    [PEERS] = {"peers", 0, NULL, "run LIGGGHTS, Bullet and ODE on the same grains where they are installed"},
    [FILES] = {"files", 0, "DIR", "where the files for them go (default: here)"},
    [LIST] = {"list", 0, NULL, "list the cases"},
};

static void list_cases(void)
{
    for (int i = 0; i < CASE_COUNT; i++)
        printf("  %-10s %s%s\n", cases[i]->name, cases[i]->summary, cases[i]->large ? " (by name or with --all)" : "");
}

static bool run_case(bench *bench, const bench_case *which, bool json, FILE *copy)
{
    bench_report report = {.name = which->name};
    bench->name = which->name;
    bench->progress = scree_progress_start(true);
    which->run(bench, &report);
    scree_progress_end(&bench->progress);
    if (report.failed)
        return false;
    if (copy)
        print_json(copy, bench, &report);
    if (json)
        print_json(stdout, bench, &report);
    else
        print_table(bench, &report);
    fflush(stdout);
    return true;
}

static bool take_threads(const char *text, unsigned *threads)
{
    double value;
    if (!scree_parse_number(text, &value) || !(value >= 1.0 && value <= 256.0) || value != floor(value)) {
        scree_complain("scree bench: --threads %s; a whole number from 1 to 256 is needed", text);
        return false;
    }
    *threads = (unsigned)value;
    return true;
}

/* Adds a case by name; false after a complaint. */
static bool choose(const char *name, const bench_case **chosen, int *count)
{
    int at = 0;
    while (at < CASE_COUNT && strcmp(cases[at]->name, name) != 0)
        at++;
    if (at == CASE_COUNT || *count == CASE_COUNT) {
        scree_complain("scree bench: no case \"%s\"; `scree bench --list` names them", name);
        return false;
    }
    chosen[(*count)++] = cases[at];
    return true;
}

typedef struct request {
    const bench_case *chosen[CASE_COUNT];
    int count;
    const char *path; /* of the file for the objects; NULL: none */
    bool json, all, list;
} request;

static bool parse(const scree_command *command, int argc, char **argv, request *asked, bench *bench)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    int found;
    while ((found = scree_arguments_next(&arguments)) != SCREE_ARGUMENT_END) {
        if (found == SCREE_ARGUMENT_WRONG || (found == THREADS && !take_threads(arguments.value, &bench->threads)) ||
            (found == SCREE_ARGUMENT_PLAIN && !choose(arguments.value, asked->chosen, &asked->count)))
            return false;
        if (found == OUTPUT)
            asked->path = arguments.value;
        if (found == FILES)
            bench->folder = arguments.value;
        asked->json |= found == JSON;
        asked->all |= found == ALL;
        asked->list |= found == LIST;
        bench->quick |= found == QUICK;
        bench->peers |= found == PEERS;
    }
    return true;
}

static bool run_all(bench *bench, const request *asked, FILE *copy)
{
    bool good = true;
    if (!asked->json)
        printf("  %-18s %8s %9s %11s %11s %8s %12s %10s %10s   (%u thread%s)\n", "case", "grains", "contacts",
               "wall s/s", "cpu s/s", "ns/sweep", "ns/c.substep", "B/grain", "error", bench->threads,
               bench->threads > 1 ? "s" : "");
    for (int i = 0; i < (asked->count ? asked->count : CASE_COUNT); i++) {
        const bench_case *which = asked->count ? asked->chosen[i] : cases[i];
        if (asked->count || !which->large || asked->all)
            good = run_case(bench, which, asked->json, copy) && good;
    }
    bench_free_grains(&bench->ore);
    return good;
}

static int run(const scree_command *command, int argc, char **argv)
{
    request asked = {0};
    bench bench = {.threads = 1, .folder = "."};
    scree_output output = {0};
    if (!parse(command, argc, argv, &asked, &bench))
        return SCREE_EXIT_BAD;
    if (asked.list) {
        list_cases();
        return SCREE_EXIT_OK;
    }
    if (asked.path && !scree_output_open(&output, asked.path))
        return SCREE_EXIT_FAILED;
    bool good = run_all(&bench, &asked, output.stream);
    if (asked.path && !scree_output_commit(&output))
        return SCREE_EXIT_FAILED;
    return good ? SCREE_EXIT_OK : SCREE_EXIT_FAILED;
}

static const char *const examples[] = {"scree bench --quick", "a look at this machine",
                                       "scree bench --threads 2 --output bench.jsonl",
                                       "two threads, and the figures in a file", NULL};

const scree_command scree_command_bench = {
    .name = "bench",
    .synopsis = "[CASE …] [--json] [--output FILE] [--threads N] [--quick] [--all] [--peers [--files DIR]] [--list]",
    .summary = "measure speed and memory on fixed cases",
    .details = "Without a case: all but the largest. wall s/s, cpu s/s: wall clock and processor time per simulated "
               "second. ns/sweep: time of a sweep over the pairs per closed contact; ns/c.substep: time of a whole "
               "substep per closed contact and sweep. Times are of this machine.",
    .operand = "CASE",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = run,
};
