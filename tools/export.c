/*
 * `scree export`: a recording as files that other programs open.
 */
#include "export.h"

#include "command.h"
#include "number.h"
#include "progress.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VTK, CSV, SIGNALS, FROM, TO, EVERY, FORCE, JSON, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [VTK] = {"vtk", 0, "DIR", "files for ParaView and VTK: grains.pvd, bodies.pvd, planes.pvd"},
    [CSV] = {"csv", 0, "DIR", "tables: signals.csv, bodies.csv, and grains_NNNNN.csv for every frame"},
    [SIGNALS] = {"signals", 0, "CSV", "the signals alone, one row per frame; - for standard output"},
    [FROM] = {"from", 0, "T", "leave out frames before this time in s (default: none)"},
    [TO] = {"to", 0, "T", "leave out frames after this time in s (default: none)"},
    [EVERY] = {"every", 0, "N", "only every N-th of the frames that are left (default 1)"},
    [FORCE] = {"force", 'f', NULL, "write into a directory that is not empty"},
    [JSON] = {"json", 0, NULL, "say what was written as JSON"},
};

typedef struct request {
    const char *record;
    const char *text[OPTION_COUNT];
    double from, to; /* s */
    uint32_t every;
} request;

/* ---- paths and room */

bool scree_export_path(const scree_export *to, const char *name, char path[SCREE_EXPORT_PATH])
{
    if (snprintf(path, SCREE_EXPORT_PATH, "%s/%s", to->directory, name) < SCREE_EXPORT_PATH)
        return true;
    scree_complain("scree export: the name of the directory is too long");
    return false;
}

void *scree_export_room(scree_export *to, size_t bytes)
{
    if (bytes <= to->room_size)
        return to->room;
    free(to->room);
    to->room = malloc(bytes + bytes / 4);
    to->room_size = to->room ? bytes + bytes / 4 : 0;
    if (!to->room)
        scree_complain("scree export: out of memory");
    return to->room;
}

/* ---- what is asked */

static bool parse_numbers(request *asked)
{
    double every = 1.0;
    asked->from = -INFINITY;
    asked->to = INFINITY;
    static const struct {
        int option;
        const char *allowed;
    } numbers[] = {{FROM, "a time in s"}, {TO, "a time in s"}, {EVERY, "a whole number from 1"}};
    double *values[] = {&asked->from, &asked->to, &every};
    for (int i = 0; i < 3; i++) {
        const char *text = asked->text[numbers[i].option];
        bool good = !text || scree_parse_number(text, values[i]);
        if (numbers[i].option == EVERY)
            good = good && every >= 1.0 && every <= 1e9 && every == floor(every);
        if (!good) {
            scree_complain("scree export: --%s = \"%.64s\"; allowed: %s", options[numbers[i].option].name, text,
                           numbers[i].allowed);
            return false;
        }
    }
    asked->every = (uint32_t)every;
    return true;
}

static bool parse_request(const scree_command *command, int argc, char **argv, request *asked)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (found >= 0)
            asked->text[found] = arguments.value ? arguments.value : "";
        else if (!scree_arguments_take(&arguments, found, "recording", &asked->record))
            return false;
    }
    if (!asked->text[VTK] && !asked->text[CSV] && !asked->text[SIGNALS]) {
        scree_complain("scree export: what shall be made? allowed: --vtk DIR, --csv DIR, --signals CSV");
        return false;
    }
    return parse_numbers(asked);
}

/* Makes the directory; one that holds things already is refused without --force. */
static int prepare_directory(const char *option, const char *path, bool force)
{
    if (mkdir(path, 0777) == 0)
        return SCREE_EXIT_OK;
    if (errno != EEXIST) {
        scree_complain("scree export: --%s %s: the directory cannot be made: %s", option, path, strerror(errno));
        return SCREE_EXIT_FAILED;
    }
    DIR *list = opendir(path);
    if (!list) {
        scree_complain("scree export: --%s %s: %s; allowed: a new or an empty directory", option, path,
                       strerror(errno));
        return SCREE_EXIT_BAD;
    }
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(list));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(list);
    if (empty || force)
        return SCREE_EXIT_OK;
    scree_complain("scree export: --%s %s: is not empty; allowed: a new or an empty directory, or any with --force",
                   option, path);
    return SCREE_EXIT_BAD;
}

/* ---- work */

typedef struct work {
    scree_recording *recording;
    scree_export_vtk vtk;
    scree_export_csv csv;
    scree_output signals;
    uint32_t frames;
} work;

static bool begin(work *w, const request *asked)
{
    const scree_recorded_head *head = scree_recording_head(w->recording);
    w->vtk.base = (scree_export){.directory = asked->text[VTK], .head = head};
    w->csv.base = (scree_export){.directory = asked->text[CSV], .head = head};
    if ((asked->text[VTK] && !scree_export_vtk_begin(&w->vtk)) ||
        (asked->text[CSV] && !scree_export_csv_begin(&w->csv)) ||
        (asked->text[SIGNALS] && !scree_output_open(&w->signals, asked->text[SIGNALS])))
        return false;
    if (w->signals.stream)
        scree_export_signal_header(w->signals.stream, head);
    return true;
}

static int write_frame(work *w, const request *asked, uint32_t number)
{
    scree_recorded_frame frame;
    scree_error error;
    scree_status status = scree_recording_read(w->recording, number, &frame, &error);
    if (status != SCREE_OK) {
        scree_complain("scree export: %s", error.text);
        return scree_exit_code(status);
    }
    if ((asked->text[VTK] && !scree_export_vtk_frame(&w->vtk, &frame, number)) ||
        (asked->text[CSV] && !scree_export_csv_frame(&w->csv, &frame, number)))
        return SCREE_EXIT_FAILED;
    if (w->signals.stream)
        scree_export_signal_row(w->signals.stream, scree_recording_head(w->recording), frame.time, frame.signals);
    w->frames++;
    return SCREE_EXIT_OK;
}

static int write_frames(work *w, const request *asked)
{
    uint32_t count = scree_recording_frames(w->recording), chosen = 0;
    scree_progress progress = scree_progress_start(true);
    int code = SCREE_EXIT_OK;
    for (uint32_t i = 0; i < count && code == SCREE_EXIT_OK; i++) {
        double time = scree_recording_time(w->recording, i);
        if (time < asked->from || time > asked->to || chosen++ % asked->every != 0)
            continue;
        code = write_frame(w, asked, i);
        char note[64];
        snprintf(note, sizeof note, "frame %u of %u", (unsigned)i + 1, (unsigned)count);
        scree_progress_update(&progress, (i + 1.0) / count, note);
    }
    scree_progress_end(&progress);
    return code;
}

static bool finish(work *w, const request *asked)
{
    bool good = !asked->text[VTK] || scree_export_vtk_end(&w->vtk);
    good = (!asked->text[CSV] || scree_export_csv_end(&w->csv)) && good;
    return (!w->signals.stream || scree_output_commit(&w->signals)) && good;
}

static void drop(work *w)
{
    scree_export_vtk_drop(&w->vtk);
    scree_export_csv_drop(&w->csv);
    scree_output_discard(&w->signals);
}

static void print_summary(const work *w, const request *asked)
{
    uint32_t files = w->vtk.base.files + w->csv.base.files + (asked->text[SIGNALS] ? 1 : 0);
    if (asked->text[SIGNALS] && strcmp(asked->text[SIGNALS], "-") == 0)
        return;
    if (asked->text[JSON]) {
        printf("{\"frames\": %u, \"files\": %u}\n", (unsigned)w->frames, (unsigned)files);
        return;
    }
    printf("%u frames, %u files", (unsigned)w->frames, (unsigned)files);
    if (asked->text[VTK])
        printf("; for ParaView: %s/grains.pvd, %s/bodies.pvd", asked->text[VTK], asked->text[VTK]);
    printf("\n");
}

static int export_record(const scree_command *command, int argc, char **argv)
{
    request asked = {.record = NULL};
    scree_error error;
    work w = {.recording = NULL};
    if (!parse_request(command, argc, argv, &asked))
        return SCREE_EXIT_BAD;
    scree_status status = scree_recording_open(asked.record, NULL, &w.recording, &error);
    if (status != SCREE_OK) {
        scree_complain("scree export: %s", error.text);
        return scree_exit_code(status);
    }
    int code = SCREE_EXIT_OK;
    if (asked.text[VTK])
        code = prepare_directory("vtk", asked.text[VTK], asked.text[FORCE] != NULL);
    if (asked.text[CSV] && code == SCREE_EXIT_OK)
        code = prepare_directory("csv", asked.text[CSV], asked.text[FORCE] != NULL);
    if (code == SCREE_EXIT_OK) {
        code = begin(&w, &asked) ? write_frames(&w, &asked) : SCREE_EXIT_FAILED;
        if (code != SCREE_EXIT_OK)
            drop(&w);
        else if (finish(&w, &asked))
            print_summary(&w, &asked);
        else
            code = SCREE_EXIT_FAILED;
    }
    scree_recording_close(w.recording);
    return code;
}

static const char *const examples[] = {"scree export out/run --vtk out/vtk",
                                       "then open out/vtk/grains.pvd and bodies.pvd in ParaView",
                                       "scree export out/run --csv out/csv --from 1 --to 2 --every 5",
                                       "tables of every fifth frame of the second second",
                                       "scree export out/run --signals - | head",
                                       "the outputs alone",
                                       NULL};

const scree_command scree_command_export = {
    .name = "export",
    .synopsis = "RECORD [--vtk DIR] [--csv DIR] [--signals CSV] [OPTION]…",
    .summary = "write a recording as files for ParaView, spreadsheets and scripts",
    .details = "RECORD is a directory that `scree run --record` or an FMU has made. In grains.pvd every grain is a "
               "point with radius, velocity, speed, id, material and force; show it in ParaView as Point Gaussian, "
               "scaled by radius. Values in the tables are those of the VTK files.",
    .operand = "RECORD",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = export_record,
};
