/*
 * The table of variables as a page for people: documentation/index.html of the FMU.
 */
#include "write.h"

#include <string.h>

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:72rem;margin:2rem auto;padding:0 "
    "1rem}"
    "h1,h2{line-height:1.2;font-weight:600}h2{margin-top:2.5rem}code{font-family:ui-monospace,monospace;font-size:.9em}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid #ddd}th{font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".wide{overflow-x:auto}footer{margin-top:3rem;color:#666;font-size:.85em}";

static void write_cell(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    scree_write_escaped(out, text);
    fputs(close, out);
}

static void write_value(FILE *out, double value)
{
    fputs("<td class=\"n\">", out);
    scree_write_number(out, value);
    fputs("</td>", out);
}

static void write_head(FILE *out, const scree_scene *scene)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          out);
    write_cell(out, "<title>", scene->head.name, "</title>\n");
    fprintf(out, "<style>%s</style>\n</head>\n<body>\n", style);
    write_cell(out, "<h1>", scene->head.name, "</h1>\n");
    if (scene->head.description[0])
        write_cell(out, "<p>", scene->head.description, "</p>\n");
    fputs("<p>A bed of grains as an FMI 2.0 co-simulation FMU: motions of bodies in, forces by the grains out. All "
          "values "
          "are in SI units, vectors in the world frame unless a description says otherwise. Suggested: stop time ",
          out);
    scree_write_number(out, scene->experiment.stop);
    fputs(" s, communication step ", out);
    scree_write_number(out, scene->experiment.step);
    fputs(" s; any step above 0 is allowed.</p>\n", out);
}

static void write_ports(FILE *out, const scree_scene *scene)
{
    if (scene->port_count == 0)
        return;
    fputs("<h2>Ports</h2>\n<div class=\"wide\"><table>\n<tr><th>Port</th><th>Body</th><th>In</th><th>Out</th></tr>\n",
          out);
    for (uint32_t i = 0; i < scene->port_count; i++) {
        const scree_port *port = &scene->ports[i];
        bool motion = scree_port_takes_motion(port);
        write_cell(out, "<tr><td><code>", port->id, "</code></td>");
        write_cell(out, "<td>", scene->bodies[port->body].id, "</td>");
        fprintf(out, "<td>%s</td><td>force, torque</td></tr>\n",
                motion ? "position, orientation, velocity, angular velocity" : "none");
    }
    fputs(
        "</table></div>\n"
        "<p>Set position, orientation and the velocities of a body at every communication point. During the step that "
        "follows, the body goes to where they lead: position + velocity &times; step. Force and torque are the "
        "impulse by the grains over the last step divided by its length, the torque about the body origin; so "
        "momentum is balanced whatever the step is. They are zero before the first step and depend on the inputs only "
        "through the step that was taken.</p>\n",
        out);
}

static void write_table(FILE *out, const scree_model *model, scree_causality causality, const char *title)
{
    bool settable = causality != SCREE_OUTPUT, ranged = causality == SCREE_PARAMETER;
    fprintf(out, "<h2>%s</h2>\n<div class=\"wide\"><table>\n<tr><th>Name</th><th>Unit</th><th>Description</th>", title);
    fprintf(out, "%s%s</tr>\n", settable ? "<th>Start</th>" : "", ranged ? "<th>Min</th><th>Max</th>" : "");
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        if (variable->causality != causality)
            continue;
        write_cell(out, "<tr><td><code>", variable->name, "</code></td>");
        write_cell(out, "<td>", strcmp(variable->unit, "1") == 0 ? "" : variable->unit, "</td>");
        write_cell(out, "<td>", variable->description, "</td>");
        if (variable->type == SCREE_TYPE_STRING) {
            fputs("<td></td><td></td><td></td></tr>\n", out);
            continue;
        }
        if (settable)
            write_value(out, variable->start);
        if (ranged) {
            write_value(out, variable->min);
            write_value(out, variable->max);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

scree_status scree_write_documentation(const scree_scene *scene, const scree_model *model, FILE *out,
                                       scree_error *error)
{
    write_head(out, scene);
    write_ports(out, scene);
    if (scene->port_count > 0)
        write_table(out, model, SCREE_INPUT, "Inputs");
    write_table(out, model, SCREE_OUTPUT, "Outputs");
    write_table(out, model, SCREE_PARAMETER, "Parameters");
    fputs("<p>Parameters can be set until initialization is over.</p>\n", out);
    fprintf(out, "<footer>Made by Scree %s &middot; %s</footer>\n</body>\n</html>\n", SCREE_VERSION, model->guid);
    if (fflush(out) != 0 || ferror(out))
        return scree_fail(error, SCREE_IO, "index.html could not be written");
    return SCREE_OK;
}
