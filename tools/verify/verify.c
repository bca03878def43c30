/*
 * `scree verify`: runs the cases and prints a table or one JSON object per row.
 */
#include "verify/verify.h"

#include "command.h"
#include "scene_lines.h"

#include <math.h>
#include <string.h>

static const scree_verify_case *const cases[] = {
    &scree_verify_column,      &scree_verify_piston,  &scree_verify_drop,     &scree_verify_slide,
    &scree_verify_roll,        &scree_verify_oblique, &scree_verify_adhesion, &scree_verify_plan_table,
    &scree_verify_threads,     &scree_verify_energy,  &scree_verify_adaptive, &scree_verify_iterations,
    &scree_verify_janssen,     &scree_verify_longrun, &scree_verify_drum,     &scree_verify_blade,
    &scree_verify_tessellated, &scree_verify_hopper,  &scree_verify_pile,     &scree_verify_belt,
    &scree_verify_warmstart,   &scree_verify_million,
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

/* ---------------------------------------------------------------- rows */

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_json_number(const char *name, double value)
{
    if (isfinite(value))
        printf(",\"%s\":%.10g", name, value);
    else
        printf(",\"%s\":null", name);
}

/* relation: how measured stands to expected; tolerance: NAN where it means nothing. */
static void print_row(scree_verify *verify, const char *quantity, const char *unit, double measured,
                      const char *relation, double expected, double tolerance, const char *source, bool pass)
{
    scree_progress_hide(&verify->progress);
    verify->rows++;
    verify->failed += !pass;
    if (verify->json) {
        printf("{\"case\":");
        print_json_text(verify->name);
        printf(",\"quantity\":");
        print_json_text(quantity);
        print_json_number("expected", expected);
        print_json_number("measured", measured);
        print_json_number("tolerance", tolerance);
        printf(",\"relation\":\"%s\",\"unit\":", relation);
        print_json_text(unit);
        printf(",\"source\":");
        print_json_text(source);
        printf(",\"pass\":%s}\n", pass ? "true" : "false");
    } else {
        char bound[64];
        if (strcmp(relation, "near") == 0)
            snprintf(bound, sizeof bound, "%.6g ± %.2g", expected, tolerance);
        else if (isnan(expected))
            snprintf(bound, sizeof bound, "(reported)");
        else
            snprintf(bound, sizeof bound, "%s %.6g", relation, expected);
        printf("  %-4s %-58s %14.7g  %-26s %-6s %s\n", pass ? "ok" : "FAIL", quantity, measured, bound, unit, source);
    }
    fflush(stdout);
}

void verify_near(scree_verify *verify, const char *quantity, const char *unit, double measured, double expected,
                 double tolerance, const char *source)
{
    print_row(verify, quantity, unit, measured, "near", expected, tolerance, source,
              fabs(measured - expected) <= tolerance);
}

void verify_below(scree_verify *verify, const char *quantity, const char *unit, double measured, double bound,
                  const char *source)
{
    print_row(verify, quantity, unit, measured, "<=", bound, NAN, source, measured <= bound);
}

void verify_above(scree_verify *verify, const char *quantity, const char *unit, double measured, double bound,
                  const char *source)
{
    print_row(verify, quantity, unit, measured, ">=", bound, NAN, source, measured >= bound);
}

void verify_report(scree_verify *verify, const char *quantity, const char *unit, double measured, double beside,
                   const char *source)
{
    print_row(verify, quantity, unit, measured, "beside", beside, NAN, source, true);
}

FILE *verify_series(scree_verify *verify, const char *file, const char *header)
{
    char path[1024];
    if (!verify->folder)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", verify->folder, file);
    FILE *out = fopen(path, "w");
    if (!out) {
        scree_complain("scree verify: %s cannot be written", path);
        verify->failed++;
    } else {
        fprintf(out, "%s\n", header);
    }
    return out;
}

/* ---------------------------------------------------------------- worlds */

static void fail(scree_verify *verify, const scree_error *error)
{
    scree_complain("scree verify: %s: %s", verify->name, error->text);
    print_row(verify, "the case runs", "", NAN, "near", 0.0, 0.0, "", false);
}

scree_world *verify_world(scree_verify *verify, scree_scene **scene, const char *const *lines)
{
    scree_error error = {0};
    scree_world *world = NULL;
    *scene = NULL;
    if (scree_scene_from_lines(lines, scene, &error) == SCREE_OK &&
        scree_world_create(*scene, NULL, NULL, &world, &error) == SCREE_OK &&
        scree_world_start(world, 0.0, &error) == SCREE_OK)
        return world;
    fail(verify, &error);
    verify_free(world, *scene);
    *scene = NULL;
    return NULL;
}

void verify_free(scree_world *world, scree_scene *scene)
{
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

bool verify_steps(scree_verify *verify, scree_world *world, double dt, int n)
{
    scree_error error = {0};
    for (int i = 0; i < n; i++) {
        if (scree_world_step(world, dt, &error) != SCREE_OK) {
            fail(verify, &error);
            return false;
        }
        scree_progress_update(&verify->progress, (double)verify->done / verify->chosen, verify->name);
    }
    return true;
}

/* ---------------------------------------------------------------- the command */

enum { ALL, JSON, DATA, LIST, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [ALL] = {"all", 0, NULL, "the long cases too, and the long versions of the others"},
    [JSON] = {"json", 0, NULL, "one JSON object per line and row"},
    [DATA] = {"data", 0, "DIR", "also write the series that the plots of docs/verification.md are made from"},
    [LIST] = {"list", 0, NULL, "list the cases"},
};

static void list_cases(void)
{
    for (int i = 0; i < CASE_COUNT; i++)
        printf("  %-12s %s%s\n", cases[i]->name, cases[i]->summary, cases[i]->slow ? " (long)" : "");
}

static void run_case(scree_verify *verify, const scree_verify_case *which)
{
    verify->name = which->name;
    scree_progress_hide(&verify->progress);
    if (!verify->json)
        printf("%s: %s\n", which->name, which->summary);
    which->run(verify);
    verify->done++;
}

static int run(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    scree_verify verify = {0};
    const scree_verify_case *chosen[CASE_COUNT];
    int count = 0, found;
    bool named = false;
    while ((found = scree_arguments_next(&arguments)) != SCREE_ARGUMENT_END) {
        if (found == SCREE_ARGUMENT_WRONG)
            return SCREE_EXIT_BAD;
        if (found == LIST) {
            list_cases();
            return SCREE_EXIT_OK;
        }
        verify.all |= found == ALL;
        verify.json |= found == JSON;
        if (found == DATA)
            verify.folder = arguments.value;
        if (found != SCREE_ARGUMENT_PLAIN)
            continue;
        int at = 0;
        while (at < CASE_COUNT && strcmp(cases[at]->name, arguments.value) != 0)
            at++;
        if (at == CASE_COUNT || count == CASE_COUNT) {
            scree_complain("scree verify: no case \"%s\"; `scree verify --list` names them", arguments.value);
            return SCREE_EXIT_BAD;
        }
        chosen[count++] = cases[at];
        named = true;
    }
    for (int i = 0; i < CASE_COUNT && !named; i++)
        if (!cases[i]->slow || verify.all)
            chosen[count++] = cases[i];
    verify.chosen = count;
    verify.progress = scree_progress_start(true);
    for (int i = 0; i < count; i++)
        run_case(&verify, chosen[i]);
    scree_progress_end(&verify.progress);
    if (!verify.json)
        printf("%u rows, %u failed\n", (unsigned)verify.rows, (unsigned)verify.failed);
    return verify.failed ? SCREE_EXIT_FAILED : SCREE_EXIT_OK;
}

static const char *const examples[] = {"scree verify",
                                       "all that take seconds",
                                       "scree verify drop slide",
                                       "two of them",
                                       "scree verify --all --json > rows.jsonl",
                                       "everything, for scripts",
                                       NULL};

const scree_command scree_command_verify = {
    .name = "verify",
    .synopsis = "[CASE …] [--all] [--json] [--data DIR] [--list]",
    .summary = "compare the engine with closed forms and published numbers",
    .details = "Without a case: all that take seconds.",
    .operand = "CASE",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .failure = "a row is out of its bounds",
    .run = run,
};
