/*
 * The table of variables as modelDescription.xml, FMI 2.0 co-simulation.
 */
#include "groups.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---------------------------------------------------------------- text */

void scree_write_escaped(FILE *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        switch (*at) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*at < 0x20 ? ' ' : *at, out);
        }
    }
}

void scree_write_number(FILE *out, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void write_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    scree_write_escaped(out, text);
    fputc('"', out);
}

static void write_number_attribute(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    scree_write_number(out, value);
    fputc('"', out);
}

/* ---------------------------------------------------------------- units */

typedef struct display_unit {
    const char *name; /* NULL: none */
    double factor;    /* value in this unit = factor * value in the SI unit */
} display_unit;

typedef struct unit {
    const char *name;
    int kg, m, s, rad;       /* exponents */
    display_unit display[2]; /* the first is the one that variables name */
} unit;

#define DEGREES 57.295779513082323 /* of one radian */

static const unit units[] = {
    {"m", .m = 1, .display = {{"mm", 1e3}}},
    {"s", .s = 1, .display = {{"ms", 1e3}}},
    {"kg", .kg = 1, .display = {{"t", 1e-3}}},
    {"rad", .rad = 1, .display = {{"deg", DEGREES}}},
    {"m/s", .m = 1, .s = -1, .display = {{"mm/s", 1e3}}},
    {"m/s2", .m = 1, .s = -2},
    {"rad/s2", .s = -2, .rad = 1},
    {"rad/s", .s = -1, .rad = 1, .display = {{"deg/s", DEGREES}, {"rpm", 9.5492965855137202}}},
    {"kg/m3", .kg = 1, .m = -3, .display = {{"g/cm3", 1e-3}}},
    {"Pa", .kg = 1, .m = -1, .s = -2, .display = {{"MPa", 1e-6}}},
    {"Pa.s", .kg = 1, .m = -1, .s = -1},
    {"N", .kg = 1, .m = 1, .s = -2, .display = {{"kN", 1e-3}}},
    {"N.m", .kg = 1, .m = 2, .s = -2, .display = {{"kN.m", 1e-3}}},
    {"N/m", .kg = 1, .s = -2, .display = {{"kN/m", 1e-3}}},
    {"J", .kg = 1, .m = 2, .s = -2, .display = {{"kJ", 1e-3}}},
    {"W", .kg = 1, .m = 2, .s = -3, .display = {{"kW", 1e-3}}},
    {"m/N", .kg = -1, .s = 2},
    {"rad/(N.m)", .kg = -1, .m = -2, .s = 2, .rad = 1},
    {"s/kg", .kg = -1, .s = 1},
    {"1/s", .s = -1},
    {"kg/s", .kg = 1, .s = -1, .display = {{"t/h", 3.6}}},
    {"kg.m/s", .kg = 1, .m = 1, .s = -1},
    {"kg.m2", .kg = 1, .m = 2},
};

static bool has_unit(const scree_variable *variable)
{
    return variable->type == SCREE_TYPE_REAL && strcmp(variable->unit, "1") != 0;
}

static const unit *find_unit(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static scree_status check_units(const scree_model *model, scree_error *error)
{
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (has_unit(&model->variables[i]) && !find_unit(model->variables[i].unit))
            return scree_fail(error, SCREE_INVALID, "%s: the unit \"%s\" is not in the list of units of write_xml.c",
                              model->variables[i].name, model->variables[i].unit);
    return SCREE_OK;
}

static bool is_used(const unit *wanted, const scree_model *model)
{
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (has_unit(&model->variables[i]) && strcmp(model->variables[i].unit, wanted->name) == 0)
            return true;
    return false;
}

static void write_exponent(FILE *out, const char *name, int exponent)
{
    if (exponent != 0)
        fprintf(out, " %s=\"%d\"", name, exponent);
}

static void write_units(FILE *out, const scree_model *model)
{
    fputs("  <UnitDefinitions>\n", out);
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        const unit *u = &units[i];
        if (!is_used(u, model))
            continue;
        fprintf(out, "    <Unit name=\"%s\">\n      <BaseUnit", u->name);
        write_exponent(out, "kg", u->kg);
        write_exponent(out, "m", u->m);
        write_exponent(out, "s", u->s);
        write_exponent(out, "rad", u->rad);
        fputs("/>\n", out);
        for (size_t k = 0; k < COUNT_OF(u->display) && u->display[k].name; k++) {
            fprintf(out, "      <DisplayUnit name=\"%s\"", u->display[k].name);
            write_number_attribute(out, "factor", u->display[k].factor);
            fputs("/>\n", out);
        }
        fputs("    </Unit>\n", out);
    }
    fputs("  </UnitDefinitions>\n", out);
}

/* ---------------------------------------------------------------- head */

/* Closes the element CoSimulation. */
static void write_sources(FILE *out, const scree_package *package)
{
    if (!package->sources) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n    <SourceFiles>\n", out);
    for (const char *const *file = package->sources; *file; file++) {
        fputs("      <File", out);
        write_attribute(out, "name", *file);
        fputs("/>\n", out);
    }
    fputs("    </SourceFiles>\n  </CoSimulation>\n", out);
}

static void write_head(FILE *out, const scree_scene *scene, const scree_model *model, const scree_package *package)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"", out);
    write_attribute(out, "modelName", scene->head.name);
    write_attribute(out, "guid", model->guid);
    if (scene->head.description[0])
        write_attribute(out, "description", scene->head.description);
    write_attribute(out, "license", "Scree: BSD-2-Clause, see documentation/licenses");
    write_attribute(out, "generationTool", "Scree " SCREE_VERSION);
    write_attribute(out, "variableNamingConvention", "structured");
    fputs(">\n", out);

    /* What a flag promises, fmu/fmi2.c keeps. */
    fputs("  <CoSimulation", out);
    write_attribute(out, "modelIdentifier", package->identifier);
    fputs("\n    canHandleVariableCommunicationStepSize=\"true\""
          "\n    canInterpolateInputs=\"true\""
          "\n    maxOutputDerivativeOrder=\"1\""
          "\n    canBeInstantiatedOnlyOncePerProcess=\"false\""
          "\n    canNotUseMemoryManagementFunctions=\"false\""
          "\n    canGetAndSetFMUstate=\"true\""
          "\n    canSerializeFMUstate=\"true\""
          "\n    providesDirectionalDerivative=\"true\"",
          out);
    write_sources(out, package);
}

static void write_log_categories(FILE *out)
{
    fputs("  <LogCategories>\n"
          "    <Category name=\"logStatusError\" description=\"Why a call failed\"/>\n"
          "    <Category name=\"logStatusDiscard\" description=\"Why a call gave no value\"/>\n"
          "    <Category name=\"logStatusWarning\" description=\"What may be wrong though the call succeeded\"/>\n"
          "    <Category name=\"logInfo\" description=\"What Scree is doing\"/>\n"
          "    <Category name=\"logAll\" description=\"All of these\"/>\n"
          "  </LogCategories>\n",
          out);
}

static void write_experiment(FILE *out, const scree_scene *scene)
{
    fputs("  <DefaultExperiment startTime=\"0\"", out);
    write_number_attribute(out, "stopTime", scene->experiment.stop);
    write_number_attribute(out, "stepSize", scene->experiment.step);
    fputs("/>\n", out);
}

/* ---------------------------------------------------------------- variables */

static void write_variable(FILE *out, const scree_variable *variable, uint32_t reference)
{
    static const char *const causalities[] = {"parameter", "input", "output"};
    static const char *const initials[] = {"exact", NULL, "calculated"};
    static const char *const types[] = {"Real", "Integer", "String"};
    bool real = variable->type == SCREE_TYPE_REAL;
    const char *variability = real ? "continuous" : "discrete";
    if (variable->causality == SCREE_PARAMETER)
        variability = "fixed";

    fputs("    <ScalarVariable", out);
    write_attribute(out, "name", variable->name);
    fprintf(out, " valueReference=\"%u\"", reference);
    write_attribute(out, "description", variable->description);
    write_attribute(out, "causality", causalities[variable->causality]);
    write_attribute(out, "variability", variability);
    if (initials[variable->causality])
        write_attribute(out, "initial", initials[variable->causality]);
    fprintf(out, ">\n      <%s", types[variable->type]);
    if (has_unit(variable)) {
        const display_unit *display = find_unit(variable->unit)->display;
        write_attribute(out, "unit", variable->unit);
        if (display->name)
            write_attribute(out, "displayUnit", display->name);
    }
    if (variable->has_range) {
        write_number_attribute(out, "min", variable->min);
        write_number_attribute(out, "max", variable->max);
    }
    if (variable->type == SCREE_TYPE_STRING)
        write_attribute(out, "start", "");
    else if (variable->causality != SCREE_OUTPUT)
        write_number_attribute(out, "start", variable->start);
    fputs("/>\n    </ScalarVariable>\n", out);
}

static void write_variables(FILE *out, const scree_model *model)
{
    fputs("  <ModelVariables>\n", out);
    for (uint32_t i = 0; i < model->variable_count; i++)
        write_variable(out, &model->variables[i], i);
    fputs("  </ModelVariables>\n", out);
}

scree_status scree_write_model_description(const scree_scene *scene, const scree_model *model,
                                           const scree_package *package, FILE *out, scree_error *error)
{
    scree_status status = check_units(model, error);
    if (status != SCREE_OK)
        return status;
    write_head(out, scene, model, package);
    write_units(out, model);
    write_log_categories(out);
    write_experiment(out, scene);
    write_variables(out, model);
    scree_write_structure(out, model, package->direct);
    fputs("</fmiModelDescription>\n", out);
    if (fflush(out) != 0 || ferror(out))
        return scree_fail(error, SCREE_IO, "modelDescription.xml could not be written");
    return SCREE_OK;
}
