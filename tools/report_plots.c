/*
 * Which plots a run gets. Signals come in groups by name: plate.force[1], [2], [3] are one plot, and so are the
 * residuals.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double *scree_series_of(const scree_series *series, uint32_t signal)
{
    return series->values + signal * series->count;
}

/* ---------------------------------------------------------------- growing lists */

static void *extend(scree_report *report, void **items, uint32_t *count, uint32_t *room, size_t size)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 16;
        void *larger = realloc(*items, more * size);
        if (!larger) {
            report->failed = true;
            return NULL;
        }
        *items = larger;
        *room = more;
    }
    void *added = (char *)*items + (*count)++ * size;
    memset(added, 0, size);
    return added;
}

static double *add_column(scree_report *report)
{
    double **place = extend(report, (void **)&report->extra, &report->extra_count, &report->extra_room, sizeof *place);
    if (!place)
        return NULL;
    *place = calloc(report->series.count + 1, sizeof **place);
    report->failed = report->failed || !*place;
    return *place;
}

void scree_report_free(scree_report *report)
{
    for (uint32_t i = 0; i < report->extra_count; i++)
        free(report->extra[i]);
    free(report->extra);
    free(report->plots);
    free(report->ports);
    free(report->series.times);
    free(report->series.walls);
    free(report->series.values);
}

/* ---------------------------------------------------------------- plots */

static bool is_constant(const scree_plot *plot)
{
    for (uint32_t c = 0; c < plot->curve_count; c++)
        for (size_t i = 1; i < plot->count; i++)
            if (plot->curves[c].values[i] != plot->curves[c].values[0])
                return false;
    return true;
}

static scree_report_plot *add_plot(scree_report *report, scree_report_section section, const char *name,
                                   const char *title, const char *unit)
{
    scree_report_plot *plot =
        extend(report, (void **)&report->plots, &report->plot_count, &report->plot_room, sizeof *plot);
    if (!plot)
        return NULL;
    plot->section = section;
    snprintf(plot->name, sizeof plot->name, "%s", name);
    for (char *at = plot->name; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_'))
            *at = '-';
    snprintf(plot->title, sizeof plot->title, "%s", title);
    plot->plot = (scree_plot){.unit = unit, .times = report->series.times, .count = report->series.count};
    return plot;
}

static void add_curve(scree_report_plot *plot, const char *label, const double *values)
{
    if (!plot || !values || plot->plot.curve_count >= SCREE_PLOT_CURVES)
        return;
    uint32_t c = plot->plot.curve_count++;
    snprintf(plot->labels[c], sizeof plot->labels[c], "%s", label);
    plot->plot.curves[c].values = values;
}

/* Drops the last plot when there is nothing to see. */
static void end_plot(scree_report *report, scree_report_plot *plot)
{
    if (plot && is_constant(&plot->plot))
        report->plot_count--;
}

/* ---------------------------------------------------------------- groups of signals */

/* Signals that share a name but for an index. */
typedef struct bunch {
    uint32_t first, count;
    const char *owner, *item; /* not closed */
    int owner_size, item_size;
    const char *unit;
} bunch;

static bunch find_bunch(const scree_recorded_head *head, uint32_t first)
{
    const char *name = head->signals[first].name, *dot = strchr(name, '.');
    bunch b = {.first = first, .count = 1, .owner = name, .unit = head->signals[first].unit};
    b.item = dot ? dot + 1 : name;
    b.owner_size = dot ? (int)(dot - name) : 0;
    b.item_size = (int)strcspn(b.item, "[");
    size_t whole = (size_t)(b.item - name) + (size_t)b.item_size;
    while (name[whole] == '[' && first + b.count < head->signal_count &&
           strncmp(head->signals[first + b.count].name, name, whole + 1) == 0)
        b.count++;
    return b;
}

static bool is_item(const bunch *b, const char *name)
{
    return (int)strlen(name) == b->item_size && strncmp(b->item, name, strlen(name)) == 0;
}

static bool is_owner(const bunch *b, const char *name)
{
    return (int)strlen(name) == b->owner_size && strncmp(b->owner, name, strlen(name)) == 0;
}

static const double *magnitude(scree_report *report, const bunch *b)
{
    double *column = add_column(report);
    for (size_t i = 0; column && i < report->series.count; i++) {
        double square = 0.0;
        for (uint32_t k = 0; k < b->count; k++) {
            double value = scree_series_of(&report->series, b->first + k)[i];
            square += value * value;
        }
        column[i] = sqrt(square);
    }
    return column;
}

/* kineticEnergy → Kinetic energy */
static void make_words(const bunch *b, char *text, size_t room)
{
    size_t size = 0;
    for (int i = 0; i < b->item_size && size + 3 < room; i++) {
        char letter = b->item[i];
        bool upper = letter >= 'A' && letter <= 'Z';
        if (upper && i > 0)
            text[size++] = ' ';
        text[size++] = (char)(upper && i > 0                             ? letter + 32
                              : i == 0 && letter >= 'a' && letter <= 'z' ? letter - 32
                                                                         : letter);
    }
    text[size] = '\0';
}

static void plot_bunch(scree_report *report, const bunch *b, scree_report_section section)
{
    static const char *const axes[] = {"x", "y", "z"};
    char words[96], title[200], name[160];
    make_words(b, words, sizeof words);
    if (section == SCREE_REPORT_GRAINS || section == SCREE_REPORT_SOLVER) {
        snprintf(title, sizeof title, "%s", words);
        snprintf(name, sizeof name, "%.*s", b->item_size, b->item);
    } else {
        snprintf(title, sizeof title, "%.*s: %c%s", b->owner_size, b->owner, words[0] | 32, words + (words[0] != '\0'));
        snprintf(name, sizeof name, "%.*s_%.*s", b->owner_size, b->owner, b->item_size, b->item);
    }
    scree_report_plot *plot = add_plot(report, section, name, title, b->unit);
    for (uint32_t k = 0; k < b->count; k++) {
        char label[32];
        snprintf(label, sizeof label, "%u", (unsigned)k + 1);
        add_curve(plot, b->count == 3 ? axes[k] : label, scree_series_of(&report->series, b->first + k));
    }
    if (plot && b->count == 3 && section == SCREE_REPORT_PORTS)
        add_curve(plot, "magnitude", magnitude(report, b));
    end_plot(report, plot);
}

/* ---------------------------------------------------------------- ports */

static scree_report_port *find_port(scree_report *report, const bunch *b)
{
    for (uint32_t i = 0; i < report->port_count; i++)
        if (report->ports[i].name_size == b->owner_size &&
            strncmp(report->ports[i].name, b->owner, (size_t)b->owner_size) == 0)
            return &report->ports[i];
    scree_report_port *port =
        extend(report, (void **)&report->ports, &report->port_count, &report->port_room, sizeof *port);
    if (port) {
        port->name = b->owner;
        port->name_size = b->owner_size;
    }
    return port;
}

static void measure_port(scree_report *report, const bunch *b)
{
    scree_report_port *port = find_port(report, b);
    const double *sizes = magnitude(report, b);
    bool force = is_item(b, "force");
    for (size_t i = 0; port && sizes && i < report->series.count; i++) {
        double *peak = force ? &port->peak_force : &port->peak_torque;
        if (force)
            port->mean_force += sizes[i] / (double)report->series.count;
        if (force && sizes[i] > *peak)
            port->peak_time = report->series.times[i];
        *peak = fmax(*peak, sizes[i]);
    }
}

/* A port's mean wrench; the instantaneous and filtered ones are in the table. */
static bool is_port_item(const bunch *b)
{
    return b->count == 3 && (is_item(b, "force") || is_item(b, "torque"));
}

static bool is_left_out(const bunch *b)
{
    static const char *const names[] = {"instantForce", "instantTorque", "filteredForce", "filteredTorque",
                                        "orientation"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_item(b, names[i]))
            return true;
    return b->count > SCREE_PLOT_CURVES;
}

/* ---------------------------------------------------------------- the whole */

/* Figures about the whole that belong into one plot. */
static const struct family {
    scree_report_section section;
    const char *name, *title, *unit;
    bool logarithmic;
    struct {
        const char *item, *label;
    } curves[6];
} families[] = {
    {SCREE_REPORT_SOLVER,
     "overlap",
     "Overlap over sum of radii",
     "1",
     true,
     {{"meanOverlap", "mean"}, {"maxOverlap", "largest"}, {"overlapError", "error"}}},
    {SCREE_REPORT_SOLVER,
     "residual",
     "Residual",
     "1",
     true,
     {{"residualNormal", "normal"},
      {"residualFriction", "friction"},
      {"residualRolling", "rolling"},
      {"residualMomentum", "momentum"}}},
    {SCREE_REPORT_SOLVER,
     "work",
     "Work per frame",
     "1",
     false,
     {{"substeps", "substeps"}, {"sweeps", "sweeps per substep"}}},
};

static bool is_in_family(const bunch *b)
{
    if (is_item(b, "residual"))
        return true; /* the largest of the others */
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (int k = 0; k < 6 && families[f].curves[k].item; k++)
            if (is_item(b, families[f].curves[k].item))
                return true;
    return false;
}

static void plot_families(scree_report *report)
{
    const scree_recorded_head *head = report->series.head;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        const struct family *family = &families[f];
        scree_report_plot *plot = add_plot(report, family->section, family->name, family->title, family->unit);
        if (plot)
            plot->plot.logarithmic = family->logarithmic;
        for (int k = 0; k < 6 && family->curves[k].item; k++)
            for (uint32_t i = 0; i < head->signal_count; i++)
                if (strncmp(head->signals[i].name, "info.", 5) == 0 &&
                    strcmp(head->signals[i].name + 5, family->curves[k].item) == 0)
                    add_curve(plot, family->curves[k].label, scree_series_of(&report->series, i));
        end_plot(report, plot);
    }
}

/* Wall-clock time per simulated time, frame by frame. */
static void plot_pace(scree_report *report)
{
    const scree_series *s = &report->series;
    scree_report_plot *plot = add_plot(report, SCREE_REPORT_SOLVER, "pace", "Computing time per simulated time", "1");
    double *pace = add_column(report);
    for (size_t i = 0; pace && i < s->count; i++) {
        size_t k = i > 0 ? i : 1;
        pace[i] = k < s->count ? (s->walls[k] - s->walls[k - 1]) / (s->times[k] - s->times[k - 1]) : NAN;
    }
    add_curve(plot, "pace", pace);
    if (pace && s->count && !isfinite(pace[0]))
        report->plot_count--;
    else
        end_plot(report, plot);
}

bool scree_report_choose(scree_report *report)
{
    const scree_recorded_head *head = report->series.head;
    for (uint32_t i = 0; i < head->signal_count && !report->failed;) {
        bunch b = find_bunch(head, i);
        i += b.count;
        if (is_owner(&b, "info")) {
            bool solver = is_item(&b, "contacts") || is_item(&b, "impacts");
            if (!is_in_family(&b))
                plot_bunch(report, &b, solver ? SCREE_REPORT_SOLVER : SCREE_REPORT_GRAINS);
            continue;
        }
        if (is_port_item(&b))
            measure_port(report, &b);
        if (!is_left_out(&b))
            plot_bunch(report, &b, is_port_item(&b) ? SCREE_REPORT_PORTS : SCREE_REPORT_SENSORS);
    }
    plot_families(report);
    plot_pace(report);
    for (uint32_t i = 0; i < report->plot_count; i++) { /* they stay where they are from now on */
        report->plots[i].plot.title = report->plots[i].title;
        for (uint32_t c = 0; c < report->plots[i].plot.curve_count; c++)
            report->plots[i].plot.curves[c].name = report->plots[i].labels[c];
    }
    return !report->failed;
}
