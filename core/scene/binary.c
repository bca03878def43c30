/*
 * The binary form of a scene (resources/scene.bin): magic, version, checksum, number of records, then each record as
 * its element tag and all of its fields in the order of the field table, a mesh with its vertices and triangles behind
 * them. Little-endian on every machine. Reading goes
 * through a draft, so that a damaged or hostile file meets the same checks as a scene file.
 */
#include "base/bytes.h"
#include "scene/draft.h"

#include <string.h>

static const char MAGIC[] = "SCREE-SCENE";

static const char *id_of(const scree_scene *scene, scree_element element, uint32_t index)
{
    return (const char *)scree_scene_item(scene, element, index) + scree_element_describe(element)->fields[0].offset;
}

static void write_field(scree_writer *writer, const scree_scene *scene, scree_record record, const scree_field *field)
{
    const void *at = scree_scene_value(scene, record, field);
    uint32_t whole;
    double number;
    switch (field->kind) {
    case SCREE_FIELD_REAL:
    case SCREE_FIELD_VECTOR:
        for (uint32_t i = 0; i < scree_field_components(field); i++) {
            memcpy(&number, (const char *)at + i * sizeof number, sizeof number);
            scree_write_f64(writer, number);
        }
        break;
    case SCREE_FIELD_COUNT:
    case SCREE_FIELD_CHOICE:
        memcpy(&whole, at, sizeof whole);
        scree_write_u32(writer, whole);
        break;
    case SCREE_FIELD_ID:
    case SCREE_FIELD_TEXT:
        scree_write_string(writer, at);
        break;
    case SCREE_FIELD_REFERENCE:
        memcpy(&whole, at, sizeof whole);
        scree_write_string(writer, whole == UINT32_MAX ? "" : id_of(scene, field->target, whole));
        break;
    }
}

static void write_mesh(scree_writer *writer, const scree_surface *surface)
{
    scree_write_u32(writer, surface->vertex_count);
    for (uint32_t i = 0; i < surface->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            scree_write_f64(writer, surface->vertices[i][k]);
    scree_write_u32(writer, surface->triangle_count);
    for (uint32_t i = 0; i < surface->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            scree_write_u32(writer, surface->triangles[i][k]);
}

scree_status scree_scene_write(const scree_scene *scene, uint8_t **bytes, size_t *size, scree_error *error)
{
    scree_writer body = {.memory = scene->memory}, file = {.memory = scene->memory};
    scree_write_u32(&body, scene->record_count);
    for (uint32_t i = 0; i < scene->record_count; i++) {
        scree_record record = scene->records[i];
        const scree_element_info *info = scree_element_describe((scree_element)record.element);
        scree_write_u32(&body, record.element);
        for (uint32_t k = 0; k < info->field_count; k++)
            write_field(&body, scene, record, &info->fields[k]);
        if (record.element == SCREE_ELEMENT_MESH)
            write_mesh(&body, &scene->meshes[scene->shapes[record.index].mesh].surface);
    }
    scree_hash sum = {0, 0};
    scree_hash_add(&sum, body.bytes, body.failed ? 0 : body.size);
    scree_write_string(&file, MAGIC);
    scree_write_u32(&file, SCREE_SCENE_VERSION);
    scree_write_u64(&file, sum.a);
    scree_write_u64(&file, sum.b);
    scree_write_bytes(&file, body.bytes, body.failed ? 0 : body.size);
    scree_release(&body.memory, body.bytes);
    if (body.failed || file.failed) {
        scree_release(&file.memory, file.bytes);
        return scree_fail(error, SCREE_MEMORY, "out of memory for the binary form of a scene");
    }
    *bytes = file.bytes;
    *size = file.size;
    return SCREE_OK;
}

static scree_status read_field(scree_reader *reader, scree_draft *draft, const scree_field *field, scree_error *error)
{
    double values[3] = {0.0, 0.0, 0.0};
    char text[SCREE_TEXT_SIZE];
    switch (field->kind) {
    case SCREE_FIELD_REAL:
    case SCREE_FIELD_VECTOR:
        for (uint32_t i = 0; i < scree_field_components(field); i++)
            values[i] = scree_read_f64(reader);
        break;
    case SCREE_FIELD_COUNT:
    case SCREE_FIELD_CHOICE:
        values[0] = scree_read_u32(reader);
        break;
    case SCREE_FIELD_ID:
    case SCREE_FIELD_TEXT:
    case SCREE_FIELD_REFERENCE:
        scree_read_string(reader, text, sizeof text);
        if (reader->failed)
            break;
        if (text[0] == '\0' && field->kind == SCREE_FIELD_REFERENCE && !(field->flags & SCREE_FIELD_REQUIRED))
            return SCREE_OK;
        return scree_draft_set_string(draft, field, text, error);
    }
    if (reader->failed)
        return scree_fail(error, SCREE_FORMAT, "scene data end within field %s", field->name);
    return scree_draft_set_numbers(draft, field, values, error);
}

/* Memory is taken only for what the data have left. */
static scree_status read_mesh(scree_reader *reader, scree_draft *draft, scree_error *error)
{
    scree_surface surface = {.memory = draft->memory};
    scree_status status = SCREE_OK;
    surface.vertex_count = scree_read_u32(reader);
    if (surface.vertex_count > (reader->size - reader->at) / sizeof *surface.vertices)
        return scree_fail(error, SCREE_FORMAT, "scene data end within a mesh");
    surface.vertices = scree_allocate(&surface.memory, surface.vertex_count, sizeof *surface.vertices);
    for (uint32_t i = 0; surface.vertices && i < surface.vertex_count; i++)
        for (int k = 0; k < 3; k++)
            surface.vertices[i][k] = scree_read_f64(reader);
    surface.triangle_count = surface.vertices ? scree_read_u32(reader) : 0;
    if (surface.triangle_count > (reader->size - reader->at) / sizeof *surface.triangles)
        status = scree_fail(error, SCREE_FORMAT, "scene data end within a mesh");
    else
        surface.triangles = scree_allocate(&surface.memory, surface.triangle_count, sizeof *surface.triangles);
    for (uint32_t i = 0; surface.triangles && i < surface.triangle_count; i++)
        for (int k = 0; k < 3; k++)
            surface.triangles[i][k] = scree_read_u32(reader);
    if (status == SCREE_OK && (!surface.vertices || !surface.triangles))
        status = scree_fail(error, SCREE_MEMORY, "out of memory for a mesh");
    if (status == SCREE_OK && reader->failed)
        status = scree_fail(error, SCREE_FORMAT, "scene data end within a mesh");
    if (status == SCREE_OK)
        status = scree_draft_set_mesh(draft, &surface, NULL, error);
    scree_surface_release(&surface);
    return status;
}

static scree_status read_records(scree_reader *reader, scree_draft *draft, scree_error *error)
{
    uint32_t count = scree_read_u32(reader);
    scree_status status = SCREE_OK;
    for (uint32_t i = 0; i < count && status == SCREE_OK; i++) {
        uint32_t tag = scree_read_u32(reader);
        if (reader->failed || tag >= SCREE_ELEMENT_COUNT)
            return scree_fail(error, SCREE_FORMAT, "scene data: record %u of %u is cut off or of unknown kind",
                              (unsigned)i + 1, (unsigned)count);
        const scree_element_info *info = scree_element_describe((scree_element)tag);
        status = scree_draft_open(draft, (scree_element)tag, error);
        for (uint32_t k = 0; k < info->field_count && status == SCREE_OK; k++)
            status = read_field(reader, draft, &info->fields[k], error);
        if (status == SCREE_OK && tag == SCREE_ELEMENT_MESH)
            status = read_mesh(reader, draft, error);
        if (status == SCREE_OK)
            status = scree_draft_close(draft, error);
    }
    if (status == SCREE_OK && (reader->failed || reader->at != reader->size))
        status = scree_fail(error, SCREE_FORMAT, "scene data: there is something behind the last record");
    return status;
}

scree_status scree_scene_read(const scree_memory *memory, const uint8_t *bytes, size_t size, scree_scene **scene,
                              scree_error *error)
{
    *scene = NULL;
    scree_reader reader = {.bytes = bytes, .size = size};
    char magic[sizeof MAGIC];
    scree_read_string(&reader, magic, sizeof magic);
    if (reader.failed || strcmp(magic, MAGIC) != 0)
        return scree_fail(error, SCREE_FORMAT, "these are no scene data of Scree");
    uint32_t version = scree_read_u32(&reader);
    if (version != SCREE_SCENE_VERSION)
        return scree_fail(error, SCREE_FORMAT, "scene data of version %u; this build reads version %d",
                          (unsigned)version, SCREE_SCENE_VERSION);
    scree_hash said = {0, 0}, sum = {0, 0};
    said.a = scree_read_u64(&reader);
    said.b = scree_read_u64(&reader);
    if (!reader.failed)
        scree_hash_add(&sum, bytes + reader.at, size - reader.at);
    if (reader.failed || said.a != sum.a || said.b != sum.b)
        return scree_fail(error, SCREE_FORMAT, "scene data are damaged: the checksum does not fit");
    scree_draft *draft;
    scree_status status = scree_draft_create(memory, &draft, error);
    if (status != SCREE_OK)
        return status;
    status = read_records(&reader, draft, error);
    if (status == SCREE_OK)
        status = scree_draft_finish(draft, scene, error);
    scree_draft_destroy(draft);
    return status;
}

void scree_bytes_release(const scree_memory *memory, uint8_t *bytes)
{
    scree_memory from = scree_memory_or_default(memory);
    scree_release(&from, bytes);
}
