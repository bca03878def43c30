/*
 * Between two rows the values are interpolated linearly, v = w0 v0 + (1 - w0) v1 with w0 = (t1 - t) / (t1 - t0), and
 * held outside. This is the formula of FMPy, rounding for rounding, so that a run with the tool and a run of the FMU
 * see the same inputs to the last bit.
 */
#include "signals.h"

#include "command.h"
#include "file.h"
#include "lookup.h"
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1024 * 1024 * 1024 };

typedef struct csv {
    const char *path;
    unsigned long line; /* of the text that was taken last */
    char *rest;         /* the text after it */
} csv;

/* Takes a line out of the text; NULL at the end, or when only blank lines are left. */
static char *take_line(csv *file)
{
    if (!file->rest || file->rest[strspn(file->rest, " \t\r\n")] == '\0')
        return NULL;
    char *line = file->rest, *end = strchr(line, '\n');
    file->rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    size_t size = strlen(line);
    if (size > 0 && line[size - 1] == '\r')
        line[size - 1] = '\0';
    file->line++;
    return line;
}

/* Takes a cell out of a line, without white space and quotes around it; NULL when there is none left. */
static char *take_cell(char **line)
{
    if (!*line)
        return NULL;
    char *cell = *line + strspn(*line, " \t"), *end;
    if (*cell == '"') {
        char *closing = strchr(++cell, '"');
        if (closing)
            *closing = '\0';
        end = closing ? strchr(closing + 1, ',') : NULL;
    } else {
        end = strchr(cell, ',');
    }
    *line = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    for (size_t size = strlen(cell); size > 0 && strchr(" \t", cell[size - 1]); size--)
        cell[size - 1] = '\0';
    return cell;
}

static uint32_t count_cells(const char *line)
{
    uint32_t count = 1;
    for (; *line; line++)
        count += *line == ',';
    return count;
}

static int out_of_memory(const csv *file)
{
    scree_complain("scree: %s: out of memory", file->path);
    return SCREE_EXIT_FAILED;
}

static int read_header(scree_signals *signals, csv *file, const scree_model *model)
{
    char *line = take_line(file), *cell;
    if (!line) {
        scree_complain("%s:1: the file is empty; allowed: a header with time and names of inputs, then rows of numbers",
                       file->path);
        return SCREE_EXIT_BAD;
    }
    signals->columns = calloc(count_cells(line), sizeof *signals->columns);
    if (!signals->columns)
        return out_of_memory(file);
    cell = take_cell(&line);
    if (strcmp(cell, "time") != 0) {
        scree_complain(
            "%s:%lu: the first column is \"%.200s\"; it must be time, then names of inputs, separated by commas",
            file->path, file->line, cell);
        return SCREE_EXIT_BAD;
    }
    while ((cell = take_cell(&line))) {
        char hint[1024];
        const scree_variable *variable = scree_lookup(model, cell, false, hint, sizeof hint);
        if (!variable) {
            scree_complain("%s:%lu: no input \"%.200s\"; %s", file->path, file->line, cell, hint);
            return SCREE_EXIT_BAD;
        }
        for (uint32_t i = 0; i < signals->column_count; i++)
            if (signals->columns[i] == variable) {
                scree_complain("%s:%lu: column %s is there twice; allowed: once", file->path, file->line, cell);
                return SCREE_EXIT_BAD;
            }
        signals->columns[signals->column_count++] = variable;
    }
    return SCREE_EXIT_OK;
}

static bool grow(scree_signals *signals)
{
    if (signals->row_count < signals->row_capacity)
        return true;
    size_t capacity = signals->row_capacity ? 2 * signals->row_capacity : 256;
    double *times = realloc(signals->times, capacity * sizeof *times);
    if (times)
        signals->times = times;
    size_t width = signals->column_count ? signals->column_count : 1;
    double *values = times ? realloc(signals->values, capacity * width * sizeof *values) : NULL;
    if (!values)
        return false;
    signals->values = values;
    signals->row_capacity = capacity;
    return true;
}

static bool check_time(const scree_signals *signals, const csv *file, double time)
{
    if (signals->row_count == 0)
        return true;
    double before = signals->times[signals->row_count - 1];
    if (time > before && !scree_is_close(time, before))
        return true;
    scree_complain("%s:%lu: time = %.17g after %.17g; it must increase from line to line", file->path, file->line, time,
                   before);
    return false;
}

static int read_row(scree_signals *signals, csv *file, char *line)
{
    uint32_t cells = count_cells(line), wanted = signals->column_count + 1;
    if (cells != wanted) {
        scree_complain("%s:%lu: %u cells; the header has %u", file->path, file->line, (unsigned)cells,
                       (unsigned)wanted);
        return SCREE_EXIT_BAD;
    }
    if (!grow(signals))
        return out_of_memory(file);
    for (uint32_t i = 0; i < wanted; i++) {
        const char *cell = take_cell(&line);
        const scree_variable *variable = i ? signals->columns[i - 1] : NULL;
        double value;
        if (!cell || !scree_parse_number(cell, &value)) {
            scree_complain("%s:%lu: %s = \"%.64s\" is no number; allowed: a finite decimal number", file->path,
                           file->line, variable ? variable->name : "time", cell ? cell : "");
            return SCREE_EXIT_BAD;
        }
        scree_error error;
        if (!variable) {
            if (!check_time(signals, file, value))
                return SCREE_EXIT_BAD;
            signals->times[signals->row_count] = value;
        } else if (scree_variable_check(variable, value, &error) != SCREE_OK) {
            scree_complain("%s:%lu: %s", file->path, file->line, error.text);
            return SCREE_EXIT_BAD;
        } else {
            signals->values[signals->row_count * signals->column_count + i - 1] = value;
        }
    }
    signals->row_count++;
    return SCREE_EXIT_OK;
}

int scree_signals_read(scree_signals *signals, const char *path, const scree_model *model)
{
    *signals = (scree_signals){.columns = NULL};
    char *bytes;
    size_t size;
    int code = scree_read_file(path, MOST_BYTES, &bytes, &size);
    if (code != SCREE_EXIT_OK)
        return code;
    csv file = {.path = path, .rest = bytes};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        file.rest += 3;
    if (strlen(bytes) != size) {
        scree_complain("%s:1: not text: it holds a zero byte; allowed: CSV in UTF-8", path);
        code = SCREE_EXIT_BAD;
    }
    if (code == SCREE_EXIT_OK)
        code = read_header(signals, &file, model);
    for (char *line; code == SCREE_EXIT_OK && (line = take_line(&file));)
        code = read_row(signals, &file, line);
    if (code == SCREE_EXIT_OK && signals->row_count == 0) {
        scree_complain("%s:%lu: there are no rows after the header; at least one is needed", path, file.line);
        code = SCREE_EXIT_BAD;
    }
    free(bytes);
    if (code != SCREE_EXIT_OK)
        scree_signals_free(signals);
    return code;
}

void scree_signals_free(scree_signals *signals)
{
    free(signals->columns);
    free(signals->times);
    free(signals->values);
    *signals = (scree_signals){.columns = NULL};
}

/* The first row at or after time; row_count when there is none. */
static size_t find_row(const scree_signals *signals, double time)
{
    size_t low = 0, high = signals->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (signals->times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

scree_status scree_signals_apply(const scree_signals *signals, scree_world *world, double time, scree_error *error)
{
    if (signals->row_count == 0)
        return SCREE_OK;
    size_t after = find_row(signals, time);
    size_t last = signals->row_count - 1;
    size_t row1 = after > last ? last : after, row0 = row1 > 0 ? row1 - 1 : 0;
    bool hold = after == 0 || after > last;
    double t0 = signals->times[row0], t1 = signals->times[row1];
    double w0 = hold ? 0.0 : (t1 - time) / (t1 - t0), w1 = 1.0 - w0;
    const double *v0 = signals->values + row0 * signals->column_count;
    const double *v1 = signals->values + row1 * signals->column_count;
    scree_status status = SCREE_OK;
    for (uint32_t i = 0; i < signals->column_count && status == SCREE_OK; i++)
        status = scree_variable_set(signals->columns[i], world, hold ? v1[i] : w0 * v0[i] + w1 * v1[i], error);
    return status;
}
