#include "read_head.h"
#include "head.h"
#include "track.h"

#include <math.h>
#include <string.h>

static scree_status wrong(scree_error *error, const char *what)
{
    return scree_fail(error, SCREE_FORMAT, "%s", what);
}

/* Memory for the items of a list, zeroed; an empty or absent list gives room for none. */
static scree_status make_items(const scree_json *list, size_t size, const scree_memory *memory, void **items,
                               uint32_t *count, scree_error *error)
{
    *count = 0;
    *items = memory->allocate(memory->context, ((list ? list->count : 0) + (size_t)1) * size);
    if (!*items)
        return scree_fail(error, SCREE_MEMORY, "out of memory for the head of a recording");
    *count = list ? list->count : 0;
    return SCREE_OK;
}

static scree_status read_signals(const scree_json *root, const char *name, const scree_memory *memory,
                                 scree_record_signal **signals, uint32_t *count, scree_error *error)
{
    const scree_json *list = scree_json_get(root, name, SCREE_JSON_LIST);
    scree_status status = make_items(list, sizeof **signals, memory, (void **)signals, count, error);
    scree_record_signal *to = *signals;
    for (const scree_json *item = list ? list->first : NULL; item && status == SCREE_OK; item = item->next, to++)
        *to = (scree_record_signal){scree_json_text(item, "name", "?"), scree_json_text(item, "unit", "1"),
                                    scree_json_text(item, "description", ""), scree_json_number(item, "value", NAN)};
    return status;
}

static scree_status read_materials(const scree_json *root, const scree_memory *memory, scree_recorded_head *head,
                                   scree_error *error)
{
    const scree_json *list = scree_json_get(root, "materials", SCREE_JSON_LIST);
    scree_status status =
        make_items(list, sizeof *head->materials, memory, (void **)&head->materials, &head->material_count, error);
    scree_recorded_material *to = head->materials;
    for (const scree_json *item = list ? list->first : NULL; item && status == SCREE_OK; item = item->next, to++)
        *to = (scree_recorded_material){scree_json_text(item, "id", "?"), scree_json_number(item, "density", NAN)};
    return status;
}

static scree_status read_channels(const scree_json *root, const scree_memory *memory, scree_recorded_head *head,
                                  scree_error *error)
{
    const scree_json *list = scree_json_get(root, "channels", SCREE_JSON_LIST);
    if (list && list->count > SCREE_TRACK_MOST_CHANNELS)
        return wrong(error, "too many channels");
    scree_status status =
        make_items(list, sizeof *head->channels, memory, (void **)&head->channels, &head->channel_count, error);
    scree_recorded_channel *to = head->channels;
    for (const scree_json *item = list ? list->first : NULL; item && status == SCREE_OK; item = item->next, to++)
        *to = (scree_recorded_channel){.name = scree_json_text(item, "name", "?"),
                                       .unit = scree_json_text(item, "unit", "1"),
                                       .description = scree_json_text(item, "description", ""),
                                       .logarithmic =
                                           strcmp(scree_json_text(item, "coding", "integer"), "logarithmic") == 0,
                                       .floor = scree_json_number(item, "floor", 1.0),
                                       .per_octave = scree_json_number(item, "perOctave", 1.0)};
    return status;
}

/* ---------------------------------------------------------------- bodies */

static scree_status read_shape(const scree_json *item, const scree_memory *memory, scree_recorded_shape *shape,
                               scree_error *error)
{
    const scree_json *vertices = scree_json_get(item, "vertices", SCREE_JSON_LIST);
    const scree_json *triangles = scree_json_get(item, "triangles", SCREE_JSON_LIST);
    if (!vertices || !triangles || vertices->count % 3 != 0 || triangles->count % 3 != 0)
        return wrong(error, "a shape without vertices and triangles, three numbers each");
    shape->kind = scree_json_text(item, "kind", "?");
    scree_status status =
        make_items(vertices, sizeof *shape->vertices, memory, (void **)&shape->vertices, &shape->vertex_count, error);
    if (status == SCREE_OK)
        status = make_items(triangles, sizeof *shape->indices, memory, (void **)&shape->indices, &shape->triangle_count,
                            error);
    if (status != SCREE_OK)
        return status;
    shape->vertex_count /= 3;
    shape->triangle_count /= 3;
    uint32_t i = 0;
    for (const scree_json *number = vertices->first; number; number = number->next)
        shape->vertices[i++] = number->number;
    i = 0;
    for (const scree_json *number = triangles->first; number; number = number->next) {
        if (!(number->number >= 0.0 && number->number < (double)shape->vertex_count))
            return wrong(error, "a triangle of a vertex that is not there");
        shape->indices[i++] = (uint32_t)number->number;
    }
    return SCREE_OK;
}

static scree_status read_bodies(const scree_json *root, const scree_memory *memory, scree_recorded_head *head,
                                scree_error *error)
{
    const scree_json *list = scree_json_get(root, "bodies", SCREE_JSON_LIST);
    scree_status status =
        make_items(list, sizeof *head->bodies, memory, (void **)&head->bodies, &head->body_count, error);
    scree_recorded_body *body = head->bodies;
    for (const scree_json *item = list ? list->first : NULL; item && status == SCREE_OK; item = item->next, body++) {
        const scree_json *shapes = scree_json_get(item, "shapes", SCREE_JSON_LIST);
        double material = scree_json_number(item, "material", 0.0);
        body->id = scree_json_text(item, "id", "?");
        body->kind = scree_json_text(item, "kind", "?");
        body->material = material >= 0.0 && material < (double)head->material_count ? (uint32_t)material : 0;
        status = make_items(shapes, sizeof *body->shapes, memory, (void **)&body->shapes, &body->shape_count, error);
        scree_recorded_shape *shape = body->shapes;
        for (const scree_json *from = shapes ? shapes->first : NULL; from && status == SCREE_OK; from = from->next)
            status = read_shape(from, memory, shape++, error);
    }
    return status;
}

/* ---------------------------------------------------------------- the whole */

static scree_status read_all(const scree_json *root, const scree_memory *memory, scree_recorded_head *head,
                             scree_error *error)
{
    if (strcmp(scree_json_text(root, "format", ""), SCREE_RECORD_FORMAT) != 0)
        return wrong(error, "this is not the head of a recording");
    double version = scree_json_number(root, "version", 0.0);
    if (!(version >= 1.0 && version <= SCREE_RECORD_VERSION))
        return scree_fail(error, SCREE_FORMAT, "the recording is of version %g; this program reads up to %d", version,
                          SCREE_RECORD_VERSION);
    const scree_json *scene = scree_json_get(root, "scene", SCREE_JSON_OBJECT);
    const scree_json *experiment = scree_json_get(root, "experiment", SCREE_JSON_OBJECT);
    const scree_json *resolution = scree_json_get(root, "resolution", SCREE_JSON_OBJECT);
    const scree_json *gravity = scree_json_get(scene, "gravity", SCREE_JSON_LIST);
    head->program = scree_json_text(root, "program", "?");
    head->name = scree_json_text(scene, "name", "?");
    head->description = scree_json_text(scene, "description", "");
    int k = 0;
    for (const scree_json *number = gravity ? gravity->first : NULL; number && k < 3; number = number->next)
        head->gravity[k++] = number->number;
    head->stop = scree_json_number(experiment, "stop", NAN);
    head->step = scree_json_number(experiment, "step", NAN);
    head->interval = scree_json_number(root, "interval", 0.0);
    head->length = scree_json_number(resolution, "length", 0.0);
    head->speed = scree_json_number(resolution, "speed", 0.0);
    if (!(head->length > 0.0 && head->speed > 0.0))
        return wrong(error, "the resolution is missing");
    scree_status status = read_materials(root, memory, head, error);
    if (status == SCREE_OK)
        status = read_bodies(root, memory, head, error);
    if (status == SCREE_OK)
        status = read_signals(root, "signals", memory, &head->signals, &head->signal_count, error);
    if (status == SCREE_OK)
        status = read_signals(root, "parameters", memory, &head->settings, &head->setting_count, error);
    if (status == SCREE_OK)
        status = read_channels(root, memory, head, error);
    return status;
}

scree_status scree_read_head_parse(scree_read_head *to, const char *text, size_t size, const scree_memory *memory,
                                   scree_error *error)
{
    *to = (scree_read_head){.head = {.name = NULL}};
    scree_status status = scree_json_parse(text, size, memory, &to->tree, error);
    if (status == SCREE_OK)
        status = read_all(to->tree.nodes, memory, &to->head, error);
    if (status != SCREE_OK)
        scree_read_head_release(to, memory);
    return status;
}

static void release(const scree_memory *memory, void *block)
{
    if (block)
        memory->release(memory->context, block);
}

void scree_read_head_release(scree_read_head *of, const scree_memory *memory)
{
    scree_recorded_head *head = &of->head;
    for (uint32_t i = 0; i < head->body_count; i++) {
        for (uint32_t k = 0; k < head->bodies[i].shape_count; k++) {
            release(memory, head->bodies[i].shapes[k].vertices);
            release(memory, head->bodies[i].shapes[k].indices);
        }
        release(memory, head->bodies[i].shapes);
    }
    void *blocks[] = {head->materials, head->bodies, head->signals, head->settings, head->channels};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        release(memory, blocks[i]);
    scree_json_release(&of->tree);
    of->head = (scree_recorded_head){.name = NULL};
}
