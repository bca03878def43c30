/*
 * `scree report`: what happened in a run, on one page.
 */
#include "report.h"

#include "command.h"
#include "file.h"
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OUTPUT, SVG, JSON, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [OUTPUT] = {"output", 'o', "HTML", "where the page goes (default: report.html; - for standard output)"},
    [SVG] = {"svg", 0, "DIR", "also every plot as a file"},
    [JSON] = {"json", 0, NULL, "say the figures as JSON; a page only with --output"},
};

/* ---- reading */

static bool allocate(scree_series *s, uint32_t signals)
{
    s->times = calloc(s->count + 1, sizeof *s->times);
    s->walls = calloc(s->count + 1, sizeof *s->walls);
    s->values = calloc((size_t)signals * s->count + 1, sizeof *s->values);
    return s->times && s->walls && s->values;
}

static scree_status look_at_grains(scree_series *s, scree_recording *recording, scree_error *error)
{
    scree_recorded_frame frame;
    scree_status status = scree_recording_read(recording, 0, &frame, error);
    if (status != SCREE_OK)
        return status;
    s->first_grains = frame.grain_count;
    status = scree_recording_read(recording, (uint32_t)s->count - 1, &frame, error);
    if (status != SCREE_OK)
        return status;
    s->last_grains = frame.grain_count;
    s->smallest = INFINITY;
    for (uint32_t i = 0; i < frame.grain_count; i++) {
        s->smallest = fmin(s->smallest, 2.0 * (double)frame.radius[i]);
        s->largest = fmax(s->largest, 2.0 * (double)frame.radius[i]);
    }
    return SCREE_OK;
}

static scree_status read_series(scree_series *s, scree_recording *recording, scree_error *error)
{
    uint32_t signals = s->head->signal_count;
    double *row = calloc((size_t)signals + 1, sizeof *row);
    scree_status status = row && allocate(s, signals) ? SCREE_OK : scree_fail(error, SCREE_MEMORY, "out of memory");
    scree_progress progress = scree_progress_start(true);
    for (size_t i = 0; i < s->count && status == SCREE_OK; i++) {
        s->times[i] = scree_recording_time(recording, (uint32_t)i);
        status = scree_recording_signals(recording, (uint32_t)i, &s->walls[i], row, error);
        for (uint32_t k = 0; k < signals; k++)
            s->values[k * s->count + i] = row[k];
        scree_progress_update(&progress, (double)(i + 1) / (double)s->count, "reading");
    }
    scree_progress_end(&progress);
    free(row);
    return status == SCREE_OK && s->count ? look_at_grains(s, recording, error) : status;
}

/* ---- writing */

static bool write_page(const scree_report *report, const char *path)
{
    scree_output output;
    if (!scree_output_open(&output, path))
        return false;
    scree_report_page(output.stream, report);
    return scree_output_commit(&output);
}

static int write_svgs(const scree_report *report, const char *directory)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        scree_complain("scree report: --svg %s: the directory cannot be made: %s", directory, strerror(errno));
        return SCREE_EXIT_FAILED;
    }
    for (uint32_t i = 0; i < report->plot_count; i++) {
        char path[4096];
        scree_output output;
        if (snprintf(path, sizeof path, "%s/%s.svg", directory, report->plots[i].name) >= (int)sizeof path) {
            scree_complain("scree report: --svg: the name of the directory is too long");
            return SCREE_EXIT_BAD;
        }
        if (!scree_output_open(&output, path))
            return SCREE_EXIT_FAILED;
        scree_plot_write(output.stream, &report->plots[i].plot, true);
        if (!scree_output_commit(&output))
            return SCREE_EXIT_FAILED;
    }
    return SCREE_EXIT_OK;
}

static int write_all(const scree_report *report, const char *const text[OPTION_COUNT])
{
    const char *page = text[OUTPUT] ? text[OUTPUT] : text[JSON] ? NULL : "report.html";
    int code = SCREE_EXIT_OK;
    if (text[SVG])
        code = write_svgs(report, text[SVG]);
    if (code == SCREE_EXIT_OK && page && !write_page(report, page))
        code = SCREE_EXIT_FAILED;
    if (code != SCREE_EXIT_OK)
        return code;
    if (text[JSON])
        scree_report_json(stdout, report);
    else if (strcmp(page, "-") != 0)
        printf("%s\n", page);
    return SCREE_EXIT_OK;
}

static int make_report(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *text[OPTION_COUNT] = {NULL}, *path = NULL;
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (found >= 0)
            text[found] = arguments.value ? arguments.value : "";
        else if (!scree_arguments_take(&arguments, found, "recording", &path))
            return SCREE_EXIT_BAD;
    }
    scree_error error = {SCREE_OK, ""};
    scree_recording *recording = NULL;
    scree_report report = {.plots = NULL};
    scree_status status = scree_recording_open(path, NULL, &recording, &error);
    if (status == SCREE_OK) {
        report.series = (scree_series){.head = scree_recording_head(recording),
                                       .directory = path,
                                       .count = scree_recording_frames(recording),
                                       .bytes = scree_recording_size(recording),
                                       .done = scree_recording_done(recording)};
        status = read_series(&report.series, recording, &error);
    }
    if (status == SCREE_OK && !scree_report_choose(&report))
        status = scree_fail(&error, SCREE_MEMORY, "out of memory");
    int code = scree_exit_code(status);
    if (status != SCREE_OK)
        scree_complain("scree report: %s", error.text);
    else
        code = write_all(&report, text);
    scree_report_free(&report);
    scree_recording_close(recording);
    return code;
}

static const char *const examples[] = {"scree report out/run -o out/report.html",
                                       "a page for people",
                                       "scree report out/run -o out/report.html --svg out/plots",
                                       "and its plots for a paper",
                                       "scree report out/run --json",
                                       "peaks and means for scripts",
                                       NULL};

const scree_command scree_command_report = {
    .name = "report",
    .synopsis = "RECORD [-o HTML] [OPTION]…",
    .summary = "make a page with plots and figures of a recorded run",
    .details = "RECORD is a directory that `scree run --record` or an FMU has made. The page is one file that needs no "
               "network: forces at the ports, sensors, energy, overlaps, residuals, computing time, and all settings.",
    .operand = "RECORD",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = make_report,
};
