/*
 * `scree check`: whether a scene is good, and what it holds.
 */
#include "command.h"
#include "json_out.h"
#include "model.h"
#include "scene_xml.h"

#include <math.h>
#include <stdio.h>

enum { VARIABLES, JSON, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [VARIABLES] = {"variables", 0, NULL, "also list the variables: name, kind, start, unit, meaning"},
    [JSON] = {"json", 0, NULL, "all of it as one JSON object; SI units"},
};

static void print_fill(const scree_scene *scene, const scree_world *world, uint32_t particles, uint32_t index)
{
    const scree_fill *fill = &scene->fills[index];
    double smallest = INFINITY, largest = 0.0, mass = 0.0;
    uint32_t grains = 0;
    for (uint32_t i = 0; i < particles; i++) {
        scree_particle grain = scree_world_get_particle(world, i);
        if (grain.fill != index)
            continue;
        grains++;
        mass += grain.mass;
        smallest = fmin(smallest, 2.0 * grain.radius);
        largest = fmax(largest, 2.0 * grain.radius);
    }
    printf("  fill %s: %u grains of %s, %.3g to %.3g mm, %.4g kg\n", fill->id, (unsigned)grains,
           scene->materials[fill->material].id, 1e3 * smallest, 1e3 * largest, mass);
}

static void print_meshes(const scree_scene *scene)
{
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        const scree_shape *shape = &scene->shapes[i];
        if (shape->kind != SCREE_SHAPE_MESH)
            continue;
        const scree_mesh_report *report = &scene->meshes[shape->mesh].report;
        printf("  mesh %s of body %s: %u triangles, %u vertices", shape->file, scene->bodies[shape->body].id,
               (unsigned)report->triangles, (unsigned)report->vertices);
        if (report->open_edges)
            printf(", %u open edges\n", (unsigned)report->open_edges);
        else
            printf(", closed, %g m3\n", report->volume * shape->scale * shape->scale * shape->scale);
    }
}

static void print_emitter(const scree_scene *scene, const scree_emitter *emitter)
{
    printf("  emitter %s: %s into region %s, ", emitter->id, scene->materials[emitter->material].id,
           scene->regions[emitter->region].id);
    if (emitter->input != SCREE_FEED_PARAMETER)
        printf("%s is an input\n", emitter->input == SCREE_FEED_MASS_RATE ? "massRate" : "grainRate");
    else if (emitter->grain_rate > 0.0)
        printf("%g grains/s\n", emitter->grain_rate);
    else
        printf("%g kg/s\n", emitter->mass_rate);
}

static void print_summary(const scree_scene *scene, const scree_world *world)
{
    scree_info info;
    scree_world_get_info(world, &info);
    printf("%s%s%s\n", scene->head.name, scene->head.description[0] ? ": " : "", scene->head.description);
    printf("  materials %u, pairs %u, bodies %u, shapes %u, fills %u, ports %u\n", (unsigned)scene->material_count,
           (unsigned)scene->pair_count, (unsigned)scene->body_count, (unsigned)scene->shape_count,
           (unsigned)scene->fill_count, (unsigned)scene->port_count);
    print_meshes(scene);
    for (uint32_t i = 0; i < scene->fill_count; i++)
        print_fill(scene, world, info.particles, i);
    for (uint32_t i = 0; i < scene->emitter_count; i++)
        print_emitter(scene, &scene->emitters[i]);
    for (uint32_t i = 0; i < scene->sink_count; i++)
        printf("  sink %s: %s region %s\n", scene->sinks[i].id, scene->sinks[i].outside ? "outside" : "in",
               scene->regions[scene->sinks[i].region].id);
    for (uint32_t i = 0; i < scene->port_count; i++)
        printf("  port %s: %s of body %s\n", scene->ports[i].id,
               scree_port_takes_motion(&scene->ports[i])    ? "motion in, wrench out,"
               : scene->ports[i].mode == SCREE_PORT_SURFACE ? "speed in, wrench and power out,"
                                                            : "wrench out",
               scene->bodies[scene->ports[i].body].id);
    printf("  grains %u, %g kg; default run: %g s in steps of %g s\n", (unsigned)info.particles, info.mass,
           scene->experiment.stop, scene->experiment.step);
}

static const char *const kinds[] = {
    [SCREE_PARAMETER] = "parameter", [SCREE_INPUT] = "input", [SCREE_OUTPUT] = "output"};

static void print_variables(const scree_model *model)
{
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        char start[32] = "-";
        if (variable->type == SCREE_TYPE_STRING)
            snprintf(start, sizeof start, "\"\"");
        else if (variable->causality != SCREE_OUTPUT)
            snprintf(start, sizeof start, "%.6g", variable->start);
        printf("%-32s %-9s %12s %-6s %s\n", variable->name, kinds[variable->causality], start, variable->unit,
               variable->description);
    }
}

static void print_json_variables(const scree_model *model)
{
    static const char *const types[] = {"Real", "Integer", "String"};
    printf(", \"variables\": [");
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const scree_variable *variable = &model->variables[i];
        scree_json_member_text(stdout, i ? ",\n  {" : "\n  {", "name", variable->name);
        scree_json_member_text(stdout, ", ", "causality", kinds[variable->causality]);
        scree_json_member_text(stdout, ", ", "type", types[variable->type]);
        scree_json_member_text(stdout, ", ", "unit", variable->unit);
        if (variable->type == SCREE_TYPE_STRING)
            scree_json_member_text(stdout, ", ", "start", "");
        else if (variable->causality != SCREE_OUTPUT)
            scree_json_member(stdout, ", ", "start", variable->start);
        if (variable->has_range) {
            scree_json_member(stdout, ", ", "min", variable->min);
            scree_json_member(stdout, ", ", "max", variable->max);
        }
        scree_json_member_text(stdout, ", ", "description", variable->description);
        printf("}");
    }
    printf("]");
}

static void print_json(const scree_scene *scene, const scree_world *world, const scree_model *model)
{
    scree_info info;
    scree_world_get_info(world, &info);
    scree_json_member_text(stdout, "{", "name", scene->head.name);
    scree_json_member_text(stdout, ", ", "description", scene->head.description);
    scree_json_member(stdout, ", ", "grains", info.particles);
    scree_json_member(stdout, ", ", "mass", info.mass);
    scree_json_member(stdout, ", ", "stop", scene->experiment.stop);
    scree_json_member(stdout, ", ", "step", scene->experiment.step);
    printf(", \"materials\": [");
    for (uint32_t i = 0; i < scene->material_count; i++)
        scree_json_member_text(stdout, i ? "}, {" : "{", "id", scene->materials[i].id);
    printf("%s], \"bodies\": [", scene->material_count ? "}" : "");
    for (uint32_t i = 0; i < scene->body_count; i++)
        scree_json_member_text(stdout, i ? "}, {" : "{", "id", scene->bodies[i].id);
    printf("%s], \"ports\": [", scene->body_count ? "}" : "");
    for (uint32_t i = 0; i < scene->port_count; i++) {
        scree_json_member_text(stdout, i ? "}, {" : "{", "id", scene->ports[i].id);
        scree_json_member_text(stdout, ", ", "body", scene->bodies[scene->ports[i].body].id);
    }
    printf("%s]", scene->port_count ? "}" : "");
    print_json_variables(model);
    printf("}\n");
}

static int check_scene(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *path = NULL;
    bool variables = false, json = false;
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (found == VARIABLES)
            variables = true;
        else if (found == JSON)
            json = true;
        else if (!scree_arguments_take_scene(&arguments, found, &path))
            return SCREE_EXIT_BAD;
    }
    scree_scene *scene;
    int code = scree_load_scene(path, &scene);
    if (code != SCREE_EXIT_OK)
        return code;
    scree_model *model = NULL;
    scree_world *world = NULL;
    scree_error error = {SCREE_OK, ""};
    scree_status status = scree_model_create(scene, NULL, &model, &error);
    if (status == SCREE_OK)
        status = scree_world_create(scene, NULL, NULL, &world, &error);
    if (status == SCREE_OK)
        status = scree_world_start(world, 0.0, &error); /* the grains must find room */
    if (status == SCREE_OK && json) {
        print_json(scene, world, model);
    } else if (status == SCREE_OK) {
        print_summary(scene, world);
        if (variables)
            print_variables(model);
        printf("ok\n");
    } else {
        scree_complain("%s: %s", path, error.text);
    }
    scree_world_destroy(world);
    scree_model_destroy(model);
    scree_scene_destroy(scene);
    return scree_exit_code(status);
}

static const char *const examples[] = {"scree check scene.xml",
                                       "is it right, and how many grains does it hold?",
                                       "scree check scene.xml --variables",
                                       "the interface that the FMU will have",
                                       "scree check scene.xml --json",
                                       "the same for scripts, variables included",
                                       NULL};

const scree_command scree_command_check = {
    .name = "check",
    .synopsis = "SCENE.xml [--variables] [--json]",
    .summary = "check a scene and say what it holds",
    .details = "Reads the scene, checks every value, places the grains, and says what there is. A mistake comes as "
               "file:line:column, what is wrong, and what is allowed.",
    .operand = "SCENE.xml",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .failure = "the grains could not be placed for want of memory",
    .run = check_scene,
};
