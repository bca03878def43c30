/*
 * Files that FMI 2.0.4 took over from FMI 3.0: terminals, one for each port, sensor and so on, and how to build the
 * sources.
 */
#include "groups.h"
#include "write.h"

#include <string.h>

static scree_status check_written(FILE *out, const char *name, scree_error *error)
{
    if (fflush(out) != 0 || ferror(out))
        return scree_fail(error, SCREE_IO, "%s could not be written", name);
    return SCREE_OK;
}

static void write_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    scree_write_escaped(out, text);
    fputc('"', out);
}

/* ---------------------------------------------------------------- terminals */

static bool is_of(const scree_variable *variable, scree_record record)
{
    return variable->group && variable->record.element == record.element && variable->record.index == record.index;
}

/* The variables of one record; inputs stand before outputs in the table, so they are not all neighbours. */
static void write_terminal(FILE *out, const scree_model *model, scree_record record)
{
    bool open = false;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        if (!is_of(variable, record))
            continue;
        size_t prefix = strcspn(variable->name, ".");
        if (!open) {
            char name[SCREE_VARIABLE_NAME_SIZE], kind[64];
            snprintf(name, sizeof name, "%.*s", (int)prefix, variable->name);
            snprintf(kind, sizeof kind, "scree.%s", scree_element_describe((scree_element)record.element)->name);
            fputs("    <Terminal", out);
            write_attribute(out, "name", name);
            fputs(" matchingRule=\"plug\"", out);
            write_attribute(out, "terminalKind", kind);
            fputs(">\n", out);
            open = true;
        }
        fputs("      <TerminalMemberVariable", out);
        write_attribute(out, "variableName", variable->name);
        write_attribute(out, "memberName", variable->name + prefix + 1);
        fputs(" variableKind=\"signal\"/>\n", out);
    }
    if (open)
        fputs("    </Terminal>\n", out);
}

scree_status scree_write_terminals(const scree_scene *scene, const scree_model *model, FILE *out, scree_error *error)
{
    bool any = false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
          "  <GraphicalRepresentation>\n"
          "    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\" suggestedScalingFactorTo_mm=\"0.1\"/>\n"
          "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n"
          "  </GraphicalRepresentation>\n",
          out);
    for (uint32_t i = 0; i < model->variable_count; i++)
        any = any || (model->variables[i].group && model->variables[i].record.element != SCREE_ELEMENT_SCENE);
    if (any)
        fputs("  <Terminals>\n", out);
    for (uint32_t i = 0; i < scene->record_count; i++)
        if (scene->records[i].element != SCREE_ELEMENT_SCENE)
            write_terminal(out, model, scene->records[i]);
    fputs(any ? "  </Terminals>\n</fmiTerminalsAndIcons>\n" : "</fmiTerminalsAndIcons>\n", out);
    return check_written(out, "terminalsAndIcons.xml", error);
}

/* ---------------------------------------------------------------- sources */

scree_status scree_write_build(const scree_package *package, FILE *out, scree_error *error)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
          "  <BuildConfiguration",
          out);
    write_attribute(out, "modelIdentifier", package->identifier);
    fputs(">\n    <SourceFileSet language=\"C17\" compiler=\"gcc\" compilerOptions=\"-O3 -ffp-contract=off\">\n", out);
    for (const char *const *file = package->sources; *file; file++) {
        fputs("      <SourceFile", out);
        write_attribute(out, "name", *file);
        fputs("/>\n", out);
    }
    fputs("      <PreprocessorDefinition name=\"_POSIX_C_SOURCE\" value=\"200809L\"/>\n"
          "    </SourceFileSet>\n"
          "    <Library name=\"m\" external=\"true\"/>\n"
          "    <Library name=\"pthread\" external=\"true\"/>\n"
          "  </BuildConfiguration>\n</fmiBuildDescription>\n",
          out);
    return check_written(out, "buildDescription.xml", error);
}
