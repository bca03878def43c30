#include "report.h"

#include "json_out.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{--ink:#1d2329;--soft:#5c6670;--line:#dfe4e8;--paper:#fff;--panel:#f6f8f9;--accent:#0b62a8}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#9aa4ae;--line:#313a42;--paper:#14181c;"
    "--panel:#1b2126;--accent:#62b0f0}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}"
    "main{max-width:84rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}h1{font-size:1.9rem;line-height:1.2;margin:0 0 "
    ".3rem}"
    "h2{font-size:1.2rem;margin:2.6rem 0 .8rem}p{margin:.4rem 0;max-width:48rem}.soft{color:var(--soft)}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.8rem;margin:1.6rem 0}"
    ".tile{background:var(--panel);border-radius:.6rem;padding:.7rem .9rem}.tile b{display:block;font-size:1.3rem;"
    "font-weight:600;font-variant-numeric:tabular-nums}.tile span{color:var(--soft);font-size:.85rem}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1.2rem}"
    ".soft+.plots{margin-top:1rem}.plots figure{margin:0;padding:.8rem;border:1px solid "
    "var(--line);border-radius:.6rem}"
    ".plots svg{display:block;width:100%;height:auto}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "th,td{text-align:left;padding:.25rem 1.2rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{font-weight:600;color:var(--soft)}td.n,th.n{text-align:right}"
    "summary{cursor:pointer;color:var(--accent);margin:.6rem 0}code{font-size:.92em}"
    "footer{margin-top:3rem;color:var(--soft);font-size:.85rem}"
    "@media print{.plots{grid-template-columns:1fr 1fr}.plots figure{break-inside:avoid}}";

/* ---------------------------------------------------------------- bits of HTML */

static void put_cell(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    scree_plot_text(out, text);
    fputs(close, out);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "<td class=\"n\">%.6g</td>", value);
    else
        fputs("<td class=\"n\"></td>", out);
}

static void put_unit(FILE *out, const char *unit)
{
    char text[64];
    scree_plot_unit(unit, text, sizeof text);
    put_cell(out, "<td>", text, "</td>");
}

__attribute__((format(printf, 3, 4))) static void put_tile(FILE *out, const char *label, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_cell(out, "<div class=\"tile\"><b>", text, "</b>");
    put_cell(out, "<span>", label, "</span></div>\n");
}

/* 0.25 s, 12 s, 3 min 20 s, 2 h 05 min */
static void format_duration(double seconds, char *text, size_t room)
{
    if (seconds < 120.0)
        snprintf(text, room, "%.3g s", seconds);
    else if (seconds < 7200.0)
        snprintf(text, room, "%.0f min %02.0f s", floor(seconds / 60.0), fmod(seconds, 60.0));
    else
        snprintf(text, room, "%.0f h %02.0f min", floor(seconds / 3600.0), fmod(seconds / 60.0, 60.0));
}

static double final_value(const scree_series *series, const char *name)
{
    for (uint32_t i = 0; i < series->head->signal_count; i++)
        if (strcmp(series->head->signals[i].name, name) == 0 && series->count)
            return scree_series_of(series, i)[series->count - 1];
    return NAN;
}

/* ---------------------------------------------------------------- parts */

static void write_top(FILE *out, const scree_report *report)
{
    const scree_series *s = &report->series;
    const scree_recorded_head *head = s->head;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          out);
    put_cell(out, "<title>", head->name, " · report</title>\n");
    fprintf(out, "<style>%s%s</style>\n</head>\n<body>\n<main>\n", style, scree_plot_style());
    put_cell(out, "<h1>", head->name, "</h1>\n");
    if (head->description[0])
        put_cell(out, "<p>", head->description, "</p>\n");
    if (!s->done)
        fputs("<p class=\"soft\">The recording has no end: the run was still going on, or broke off.</p>\n", out);
}

static void write_tiles(FILE *out, const scree_report *report)
{
    const scree_series *s = &report->series;
    double begin = s->count ? s->times[0] : 0.0, end = s->count ? s->times[s->count - 1] : 0.0;
    double wall = s->count ? s->walls[s->count - 1] : NAN, mass = final_value(s, "info.mass");
    char text[64];
    fputs("<div class=\"tiles\">\n", out);
    format_duration(end - begin, text, sizeof text);
    put_tile(out, "simulated", "%s", text);
    if (isfinite(wall) && wall > 0.0) {
        format_duration(wall, text, sizeof text);
        put_tile(out, "computing time", "%s", text);
        put_tile(out, "real-time factor", "%.3g", (end - begin) / wall);
    }
    if (s->first_grains == s->last_grains)
        put_tile(out, "grains", "%u", (unsigned)s->last_grains);
    else
        put_tile(out, "grains, first and last frame", "%u → %u", (unsigned)s->first_grains, (unsigned)s->last_grains);
    if (s->last_grains)
        put_tile(out, "diameters, mm", s->smallest == s->largest ? "%.3g" : "%.3g – %.3g", 1e3 * s->smallest,
                 1e3 * s->largest);
    if (isfinite(mass))
        put_tile(out, "mass of the grains", mass < 1e4 ? "%.4g kg" : "%.4g t", mass < 1e4 ? mass : 1e-3 * mass);
    put_tile(out, "frames", "%zu", s->count);
    put_tile(out, "recording", "%.3g MB", 1e-6 * (double)s->bytes);
    fputs("</div>\n", out);
}

static void write_ports(FILE *out, const scree_report *report)
{
    if (report->port_count == 0)
        return;
    fputs("<div class=\"wide\"><table>\n<tr><th>Port</th><th class=\"n\">peak force in N</th><th class=\"n\">at s</th>"
          "<th class=\"n\">mean force in N</th><th class=\"n\">peak torque in N·m</th></tr>\n",
          out);
    for (uint32_t i = 0; i < report->port_count; i++) {
        const scree_report_port *port = &report->ports[i];
        char name[96];
        snprintf(name, sizeof name, "%.*s", port->name_size, port->name);
        put_cell(out, "<tr><td><code>", name, "</code></td>");
        put_number(out, port->peak_force);
        put_number(out, port->peak_time);
        put_number(out, port->mean_force);
        put_number(out, port->peak_torque);
        fputs("</tr>\n", out);
    }
    fputs(
        "</table></div>\n<p class=\"soft\">Magnitudes of force and torque by the grains, each value the mean over the "
        "communication step before a frame.</p>\n",
        out);
}

static void write_plots(FILE *out, const scree_report *report, scree_report_section section)
{
    fputs("<div class=\"plots\">\n", out);
    for (uint32_t i = 0; i < report->plot_count; i++)
        if (report->plots[i].section == section) {
            fputs("<figure>\n", out);
            scree_plot_write(out, &report->plots[i].plot, false);
            fputs("</figure>\n", out);
        }
    fputs("</div>\n", out);
}

static bool has_plots(const scree_report *report, scree_report_section section)
{
    for (uint32_t i = 0; i < report->plot_count; i++)
        if (report->plots[i].section == section)
            return true;
    return false;
}

static void write_sections(FILE *out, const scree_report *report)
{
    static const char *const titles[SCREE_REPORT_SECTIONS] = {"Forces at the ports", "Sensors and states", "Grains",
                                                              "Solver"};
    for (int section = 0; section < SCREE_REPORT_SECTIONS; section++) {
        bool ports = section == SCREE_REPORT_PORTS && report->port_count > 0;
        if (!ports && !has_plots(report, (scree_report_section)section))
            continue;
        fprintf(out, "<h2>%s</h2>\n", titles[section]);
        if (ports)
            write_ports(out, report);
        write_plots(out, report, (scree_report_section)section);
    }
}

static void write_signals(FILE *out, const scree_series *s)
{
    fputs("<details><summary>All signals in numbers</summary>\n<div class=\"wide\"><table>\n<tr><th>Signal</th>"
          "<th>Unit</th><th class=\"n\">smallest</th><th class=\"n\">mean</th><th class=\"n\">largest</th>"
          "<th class=\"n\">last</th><th>Meaning</th></tr>\n",
          out);
    for (uint32_t i = 0; i < s->head->signal_count; i++) {
        const double *values = scree_series_of(s, i);
        double low = INFINITY, high = -INFINITY, sum = 0.0;
        for (size_t k = 0; k < s->count; k++) {
            low = fmin(low, values[k]);
            high = fmax(high, values[k]);
            sum += values[k];
        }
        put_cell(out, "<tr><td><code>", s->head->signals[i].name, "</code></td>");
        put_unit(out, s->head->signals[i].unit);
        put_number(out, low);
        put_number(out, s->count ? sum / (double)s->count : NAN);
        put_number(out, high);
        put_number(out, s->count ? values[s->count - 1] : NAN);
        put_cell(out, "<td>", s->head->signals[i].description, "</td></tr>\n");
    }
    fputs("</table></div></details>\n", out);
}

static void write_scene(FILE *out, const scree_recorded_head *head)
{
    fprintf(out, "<h2>Scene and settings</h2>\n<p>Gravity (%g, %g, %g) m/s². %u bodies, %u materials. ",
            head->gravity[0], head->gravity[1], head->gravity[2], (unsigned)head->body_count,
            (unsigned)head->material_count);
    fprintf(out, "Recorded every %g s; positions to %.3g mm, velocities to %.3g mm/s.</p>\n", head->interval,
            0.75e3 * head->length, 0.75e3 * head->speed);
    fputs("<div class=\"wide\"><table>\n<tr><th>Body</th><th>Kind</th><th>Material</th><th>Shapes</th></tr>\n", out);
    for (uint32_t i = 0; i < head->body_count; i++) {
        const scree_recorded_body *body = &head->bodies[i];
        put_cell(out, "<tr><td><code>", body->id, "</code></td>");
        put_cell(out, "<td>", body->kind, "</td>");
        put_cell(out, "<td>", body->material < head->material_count ? head->materials[body->material].id : "",
                 "</td><td>");
        for (uint32_t k = 0; k < body->shape_count; k++) {
            if (k == 12) {
                fprintf(out, ", … %u in all", (unsigned)body->shape_count);
                break;
            }
            put_cell(out, k ? ", " : "", body->shapes[k].kind, "");
        }
        fputs("</td></tr>\n", out);
    }
    fputs(
        "</table></div>\n<details><summary>All settings</summary>\n<div class=\"wide\"><table>\n<tr><th>Parameter</th>"
        "<th class=\"n\">Value</th><th>Unit</th><th>Meaning</th></tr>\n",
        out);
    for (uint32_t i = 0; i < head->setting_count; i++) {
        put_cell(out, "<tr><td><code>", head->settings[i].name, "</code></td>");
        put_number(out, head->settings[i].value);
        put_unit(out, head->settings[i].unit);
        put_cell(out, "<td>", head->settings[i].description, "</td></tr>\n");
    }
    fputs("</table></div></details>\n", out);
}

void scree_report_page(FILE *out, const scree_report *report)
{
    write_top(out, report);
    write_tiles(out, report);
    write_sections(out, report);
    write_signals(out, &report->series);
    write_scene(out, report->series.head);
    put_cell(out, "<footer>Made by scree " SCREE_VERSION " of a recording by ", report->series.head->program,
             "</footer>\n");
    fputs("</main>\n</body>\n</html>\n", out);
}

/* ---------------------------------------------------------------- figures for scripts */

void scree_report_json(FILE *out, const scree_report *report)
{
    const scree_series *s = &report->series;
    fputs("{\"scene\": ", out);
    scree_json_string(out, s->head->name, SIZE_MAX);
    fprintf(out, ", \"done\": %s, \"frames\": %zu, \"grains\": %u", s->done ? "true" : "false", s->count,
            (unsigned)s->last_grains);
    scree_json_member(out, ", ", "begin", s->count ? s->times[0] : NAN);
    scree_json_member(out, ", ", "end", s->count ? s->times[s->count - 1] : NAN);
    scree_json_member(out, ", ", "wall", s->count ? s->walls[s->count - 1] : NAN);
    fputs(", \"ports\": {", out);
    for (uint32_t i = 0; i < report->port_count; i++) {
        const scree_report_port *port = &report->ports[i];
        fputs(i ? ", " : "", out);
        scree_json_string(out, port->name, (size_t)port->name_size);
        scree_json_member(out, ": {", "peakForce", port->peak_force);
        scree_json_member(out, ", ", "peakForceTime", port->peak_time);
        scree_json_member(out, ", ", "meanForce", port->mean_force);
        scree_json_member(out, ", ", "peakTorque", port->peak_torque);
        fputc('}', out);
    }
    fputs("}, \"plots\": [", out);
    for (uint32_t i = 0; i < report->plot_count; i++)
        fprintf(out, "%s\"%s\"", i ? ", " : "", report->plots[i].name);
    fputs("]}\n", out);
}
