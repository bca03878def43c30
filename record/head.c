#include "head.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- scales */

/* Of the grains that are there; when none is, of those that the scene may bring. */
static double smallest_radius(const scree_world *world)
{
    const scree_scene *scene = scree_world_settings(world);
    double radius = INFINITY;
    scree_info info;
    scree_world_get_info(world, &info);
    for (uint32_t i = 0; i < info.particles; i++)
        radius = fmin(radius, scree_world_get_particle(world, i).radius);
    for (uint32_t i = 0; i < scene->size_count && info.particles == 0; i++)
        radius = fmin(radius, 0.5 * scene->sizes[i].diameter);
    for (uint32_t i = 0; i < scene->sieve_count && info.particles == 0; i++)
        radius = scene->sieves[i].opening > 0.0 ? fmin(radius, 0.5 * scene->sieves[i].opening) : radius;
    return radius < INFINITY ? radius : 1e-3;
}

scree_scales scree_record_scales(const scree_world *world, double interval)
{
    const scree_scene *scene = scree_world_settings(world);
    double radius = smallest_radius(world), density = INFINITY, square = 0.0;
    for (uint32_t i = 0; i < scene->material_count; i++)
        density = fmin(density, scene->materials[i].density);
    for (int k = 0; k < 3; k++)
        square += scene->head.gravity[k] * scene->head.gravity[k];
    double gravity = sqrt(square), length = 1e-3 * radius;
    double speed = gravity > 0.0 ? 1e-3 * sqrt(2.0 * gravity * radius) : length / (interval > 0.0 ? interval : 0.01);
    double weight = density * 4.19 * radius * radius * radius * (gravity > 0.0 ? gravity : 1.0);
    return (scree_scales){.length = length, .speed = speed, .force = 1e-3 * weight};
}

/* ---------------------------------------------------------------- JSON */

static void put(scree_pack *text, const char *words)
{
    scree_pack_text(text, words, strlen(words));
}

static void put_string(scree_pack *text, const char *value)
{
    put(text, "\"");
    for (const char *at = value; *at; at++) {
        char escaped[8];
        if (*at == '"' || *at == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *at);
        else if ((unsigned char)*at < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*at);
        else
            snprintf(escaped, sizeof escaped, "%c", *at);
        put(text, escaped);
    }
    put(text, "\"");
}

/* An importer may have set a locale in which printf writes another decimal sign, of any length. */
static void put_number(scree_pack *text, double value)
{
    char raw[40], clean[40];
    size_t size = 0;
    if (!isfinite(value)) {
        put(text, "null");
        return;
    }
    snprintf(raw, sizeof raw, "%.17g", value);
    double short_form;
    char brief[40];
    snprintf(brief, sizeof brief, "%.9g", value);
    if (sscanf(brief, "%lf", &short_form) == 1 && short_form == value)
        memcpy(raw, brief, sizeof raw);
    for (const char *at = raw; *at; at++) {
        bool plain = strchr("+-0123456789e", *at) != NULL;
        if (plain)
            clean[size++] = *at;
        else if (size && clean[size - 1] != '.')
            clean[size++] = '.';
    }
    scree_pack_text(text, clean, size);
}

static void put_vector(scree_pack *text, const double *values, size_t count)
{
    put(text, "[");
    for (size_t i = 0; i < count; i++) {
        put(text, i ? ", " : "");
        put_number(text, values[i]);
    }
    put(text, "]");
}

static void put_pair(scree_pack *text, const char *before, const char *name, const char *value)
{
    put(text, before);
    put_string(text, name);
    put(text, ": ");
    put_string(text, value);
}

static void put_real(scree_pack *text, const char *before, const char *name, double value)
{
    put(text, before);
    put_string(text, name);
    put(text, ": ");
    put_number(text, value);
}

/* ---------------------------------------------------------------- parts */

/* The word of a choice field, from the table that the scene reader has it from. */
static const char *choice_of(scree_element element, const char *field_name, uint32_t value)
{
    const scree_element_info *info = scree_element_describe(element);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const scree_field *field = &info->fields[i];
        if (strcmp(field->name, field_name) != 0 || field->kind != SCREE_FIELD_CHOICE)
            continue;
        for (uint32_t k = 0; field->choices[k]; k++)
            if (k == value)
                return field->choices[k];
    }
    return "other";
}

static void put_shape(scree_pack *text, const scree_scene *scene, uint32_t shape)
{
    enum { CHORDS = 64 }; /* of a circle */
    scree_surface surface;
    if (scree_scene_shape_surface(scene, shape, CHORDS, &text->memory, &surface, NULL) != SCREE_OK) {
        text->failed = true;
        return;
    }
    put_pair(text, "{", "kind", scree_shape_kind_name((scree_shape_kind)scene->shapes[shape].kind));
    put(text, ", \"vertices\": ");
    put_vector(text, &surface.vertices[0][0], 3 * (size_t)surface.vertex_count);
    put(text, ", \"triangles\": [");
    for (uint32_t i = 0; i < 3 * surface.triangle_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%s%u", i ? ", " : "", (unsigned)surface.triangles[i / 3][i % 3]);
        put(text, number);
    }
    put(text, "]}");
    scree_surface_release(&surface);
}

static void put_bodies(scree_pack *text, const scree_scene *scene)
{
    put(text, ",\n\"bodies\": [");
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const scree_body *body = &scene->bodies[i];
        put_pair(text, i ? ",\n  {" : "\n  {", "id", body->id);
        put_pair(text, ", ", "kind", choice_of(SCREE_ELEMENT_BODY, "kind", body->kind));
        put_real(text, ", ", "material", body->material);
        put(text, ", \"shapes\": [");
        const char *comma = "\n    ";
        for (uint32_t k = 0; k < scene->shape_count; k++)
            if (scene->shapes[k].body == i) {
                put(text, comma);
                put_shape(text, scene, k);
                comma = ",\n    ";
            }
        put(text, "]}");
    }
    put(text, "]");
}

static void put_materials(scree_pack *text, const scree_scene *scene)
{
    put(text, ",\n\"materials\": [");
    for (uint32_t i = 0; i < scene->material_count; i++) {
        put_pair(text, i ? ",\n  {" : "\n  {", "id", scene->materials[i].id);
        put_real(text, ", ", "density", scene->materials[i].density);
        put(text, "}");
    }
    put(text, "]");
}

static void put_signals(scree_pack *text, const char *name, const scree_record_signal *signals, uint32_t count,
                        bool with_value)
{
    put(text, ",\n");
    put_string(text, name);
    put(text, ": [");
    for (uint32_t i = 0; i < count; i++) {
        put_pair(text, i ? ",\n  {" : "\n  {", "name", signals[i].name);
        put_pair(text, ", ", "unit", signals[i].unit);
        put_pair(text, ", ", "description", signals[i].description);
        if (with_value)
            put_real(text, ", ", "value", signals[i].value);
        put(text, "}");
    }
    put(text, "]");
}

static void put_channels(scree_pack *text, const scree_scales *scales)
{
    put_pair(text, ",\n\"channels\": [\n  {", "name", "force");
    put_pair(text, ", ", "unit", "N");
    put_pair(text, ", ", "description", "Sum of the normal forces of the grain's contacts");
    put_pair(text, ", ", "coding", "logarithmic");
    put_real(text, ", ", "floor", scales->force);
    put_real(text, ", ", "perOctave", SCREE_FORCE_PER_OCTAVE);
    put(text, "}]");
}

void scree_record_head(scree_pack *text, const scree_record_plan *plan, const scree_scene *scene,
                       const scree_scales *scales)
{
    put(text, SCREE_RECORD_BEGIN);
    put_real(text, ", ", "version", SCREE_RECORD_VERSION);
    put_pair(text, ", ", "program", "scree " SCREE_VERSION);
    put_pair(text, ",\n\"scene\": {", "name", scene->head.name);
    put_pair(text, ", ", "description", scene->head.description);
    put(text, ", \"gravity\": ");
    put_vector(text, scene->head.gravity, 3);
    put_real(text, "},\n\"experiment\": {", "stop", scene->experiment.stop);
    put_real(text, ", ", "step", scene->experiment.step);
    put_real(text, "},\n", "interval", plan->interval);
    put_real(text, ",\n\"resolution\": {", "length", scales->length);
    put_real(text, ", ", "speed", scales->speed);
    put(text, "}");
    put_materials(text, scene);
    put_bodies(text, scene);
    put_signals(text, "signals", plan->signals, plan->signal_count, false);
    put_channels(text, scales);
    put_signals(text, "parameters", plan->settings, plan->setting_count, true);
    put(text, "}\n");
}
