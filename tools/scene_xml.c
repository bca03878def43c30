/*
 * Scene file → scree_draft → scree_scene. Expat finds the elements and their byte offsets; the draft checks the values.
 *
 * The whole file is kept, so that line and column are counted only when there is something to complain about, and the
 * place of a single attribute is found by reading its tag again. That needs bytes as they stand in the file, hence
 * UTF-8 only. A DOCTYPE is refused: a scene needs none, and with it goes every trick with entities.
 */
#include "scene_xml.h"

#include "command.h"
#include "file.h"
#include "library.h"
#include "mesh.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 * 1024 * 1024, DEEPEST = 8 };

/* Where a record was read. */
typedef struct tag {
    size_t at; /* byte offset of its < */
    scree_element element;
} tag;

typedef struct reader {
    const char *path;
    char *bytes;
    size_t size;
    XML_Parser parser;
    scree_draft *draft;
    tag *tags; /* one for each record */
    size_t tag_count, tag_capacity;
    scree_element open[DEEPEST]; /* elements around the current place */
    int depth;
    bool seen_root;
    scree_library library; /* of materials; read when the scene first asks for it */
    int code;              /* exit code; anything but OK: a complaint has been made */
} reader;

/* ---- where: bytes to line and column */

/* Lines end with \n, \r\n or \r; columns count characters; both from 1. */
static void find_line(const reader *r, size_t offset, unsigned long *line, unsigned long *column)
{
    *line = *column = 1;
    size_t start =
        r->size >= 3 && memcmp(r->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark has no column */
    for (size_t i = start; i < offset && i < r->size; i++) {
        unsigned char c = (unsigned char)r->bytes[i];
        bool pair = c == '\r' && i + 1 < r->size && r->bytes[i + 1] == '\n';
        if (c == '\n' || (c == '\r' && !pair)) {
            ++*line;
            *column = 1;
        } else if ((c & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

static void complain_at(reader *r, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The first complaint is the only one. */
static void complain_at(reader *r, size_t offset, const char *format, ...)
{
    if (r->code != SCREE_EXIT_OK)
        return;
    unsigned long line, column;
    find_line(r, offset, &line, &column);
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    scree_complain("%s:%lu:%lu: %s", r->path, line, column, text);
    r->code = SCREE_EXIT_BAD;
    if (r->parser)
        XML_StopParser(r->parser, XML_FALSE);
}

static size_t here(const reader *r)
{
    XML_Index index = XML_GetCurrentByteIndex(r->parser);
    return index < 0 ? 0 : (size_t)index;
}

static size_t skip_space(const reader *r, size_t at)
{
    while (at < r->size && strchr(" \t\r\n", r->bytes[at]) && r->bytes[at] != '\0')
        at++;
    return at;
}

static size_t skip_name(const reader *r, size_t at)
{
    while (at < r->size && !strchr(" \t\r\n=/>", r->bytes[at]))
        at++;
    return at;
}

/* The offset of attribute `name` in the tag at `tag`; the tag itself when it is not written there. */
static size_t find_attribute(const reader *r, size_t tag, const char *name)
{
    size_t at = skip_space(r, skip_name(r, tag + 1)), size = strlen(name);
    while (at < r->size && r->bytes[at] != '>' && r->bytes[at] != '/') {
        size_t end = skip_name(r, at);
        if (end - at == size && memcmp(r->bytes + at, name, size) == 0)
            return at;
        size_t quote = skip_space(r, skip_space(r, end) + 1);
        if (quote >= r->size)
            break;
        const char *close = memchr(r->bytes + quote + 1, r->bytes[quote], r->size - quote - 1);
        if (!close)
            break;
        at = skip_space(r, (size_t)(close - r->bytes) + 1);
    }
    return tag;
}

/* The value of attribute `name` as it stands in the tag; false when it is not written there, or too long. */
static bool copy_value(const reader *r, size_t tag, const char *name, char *out, size_t room)
{
    size_t at = find_attribute(r, tag, name);
    if (at == tag)
        return false;
    size_t quote = skip_space(r, skip_space(r, skip_name(r, at)) + 1), size = 0;
    while (quote + 1 + size < r->size && r->bytes[quote + 1 + size] != r->bytes[quote])
        size++;
    if (size >= room)
        return false;
    memcpy(out, r->bytes + quote + 1, size);
    out[size] = '\0';
    return true;
}

/* For a reference that leads nowhere, "; there are: a, b"; else nothing. */
static void list_targets(const reader *r, scree_blame blame, char *out, size_t room)
{
    out[0] = '\0';
    char wanted[SCREE_ID_SIZE], id[SCREE_ID_SIZE];
    const tag *from = &r->tags[blame.record];
    const scree_element_info *info = scree_element_describe(from->element);
    const scree_field *field = NULL;
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].kind == SCREE_FIELD_REFERENCE && strcmp(info->fields[i].name, blame.field) == 0)
            field = &info->fields[i];
    if (!field || !copy_value(r, from->at, blame.field, wanted, sizeof wanted))
        return;
    size_t used = 0;
    for (size_t i = 0; i < r->tag_count && used + SCREE_ID_SIZE + 16 < room; i++) {
        if (r->tags[i].element != field->target || !copy_value(r, r->tags[i].at, "id", id, sizeof id))
            continue;
        if (strcmp(id, wanted) == 0) {
            out[0] = '\0';
            return;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "; there are: ", id);
    }
    if (used == 0)
        snprintf(out, room, "; there is none yet");
}

static void run_out_of_memory(reader *r)
{
    scree_complain("scree: %s: out of memory", r->path);
    r->code = SCREE_EXIT_FAILED;
    if (r->parser)
        XML_StopParser(r->parser, XML_FALSE);
}

/* A failure of the draft, put to where the draft says it lies. */
static void complain_draft(reader *r, scree_status status, const scree_error *error)
{
    scree_blame blame = scree_draft_blame(r->draft);
    char targets[512] = "";
    size_t at = r->tag_count ? r->tags[0].at : 0;
    if (blame.record < r->tag_count) {
        at = r->tags[blame.record].at;
        if (blame.field) {
            at = find_attribute(r, at, blame.field);
            list_targets(r, blame, targets, sizeof targets);
        }
    }
    if (status == SCREE_MEMORY)
        run_out_of_memory(r);
    else
        complain_at(r, at, "%s%s", error->text, targets);
}

/* ---- elements */

/* "a, b, c": the elements that may stand inside `parent`. */
static void list_children(scree_element parent, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = SCREE_ELEMENT_SCENE + 1; i < SCREE_ELEMENT_COUNT && used < room; i++) {
        const scree_element_info *info = scree_element_describe((scree_element)i);
        if (info->parent == parent)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", info->name);
    }
    if (used == 0)
        snprintf(out, room, "none");
}

/* Finds the element of this name that may stand inside `parent`; complains and returns false when there is none. */
static bool find_child(reader *r, scree_element parent, const char *name, scree_element *child)
{
    char elsewhere[128] = "";
    for (int i = SCREE_ELEMENT_SCENE + 1; i < SCREE_ELEMENT_COUNT; i++) {
        const scree_element_info *info = scree_element_describe((scree_element)i);
        if (strcmp(info->name, name) != 0)
            continue;
        *child = (scree_element)i;
        if (info->parent == parent)
            return true;
        size_t used = strlen(elsewhere);
        snprintf(elsewhere + used, sizeof elsewhere - used, "%s%s", used ? " or " : "",
                 scree_element_describe(info->parent)->name);
    }
    const char *parent_name = scree_element_describe(parent)->name;
    char allowed[256];
    list_children(parent, allowed, sizeof allowed);
    if (strcmp(name, "scene") == 0)
        complain_at(r, here(r), "scene: must be the outermost element; allowed in %s: %s", parent_name, allowed);
    else if (elsewhere[0])
        complain_at(r, here(r), "%s: belongs inside %s, not inside %s; allowed in %s: %s", name, elsewhere, parent_name,
                    parent_name, allowed);
    else
        complain_at(r, here(r), "no element \"%.64s\"; allowed in %s: %s", name, parent_name, allowed);
    return false;
}

static bool remember_tag(reader *r, scree_element element)
{
    if (r->tag_count == r->tag_capacity) {
        size_t capacity = r->tag_capacity ? 2 * r->tag_capacity : 64;
        tag *tags = realloc(r->tags, capacity * sizeof *tags);
        if (!tags) {
            run_out_of_memory(r);
            return false;
        }
        r->tags = tags;
        r->tag_capacity = capacity;
    }
    r->tags[r->tag_count++] = (tag){.at = here(r), .element = element};
    return true;
}

static void check_version(reader *r, const char **attributes)
{
    for (const char **pair = attributes; pair[0]; pair += 2)
        if (strcmp(pair[0], "version") == 0) {
            char known[16];
            snprintf(known, sizeof known, "%d", SCREE_SCENE_VERSION);
            if (strcmp(pair[1], known) != 0)
                complain_at(r, find_attribute(r, here(r), "version"),
                            "scene: version = \"%.64s\" is not known; this build reads version %s", pair[1], known);
            return;
        }
    complain_at(r, here(r), "scene: version is missing: version of the scene format; allowed: %d", SCREE_SCENE_VERSION);
}

/* What the root may carry besides its fields: the version, and the hint by which editors find the schema. */
static bool is_for_reader(const char *attribute)
{
    return strcmp(attribute, "version") == 0 || strcmp(attribute, "xmlns:xsi") == 0 ||
           strcmp(attribute, "xsi:noNamespaceSchemaLocation") == 0;
}

/* Beside the scene, unless it says where it is from the root on; NULL: no memory. */
static char *path_of_mesh(const reader *r, const char *file)
{
    const char *slash = strrchr(r->path, '/');
    size_t folder = file[0] == '/' || !slash ? 0 : (size_t)(slash - r->path) + 1;
    char *path = malloc(folder + strlen(file) + 1);
    if (path) {
        memcpy(path, r->path, folder);
        strcpy(path + folder, file);
    }
    return path;
}

/* Gives the open record the triangles of its file, and says what is odd about them. */
static void load_mesh(reader *r, const char *file, bool solid)
{
    scree_error error = {SCREE_OK, ""};
    scree_surface surface = {0};
    scree_mesh_report report;
    size_t at = find_attribute(r, here(r), "file");
    char *path = path_of_mesh(r, file), remark[512];
    scree_status status = path ? scree_mesh_import(path, &surface, &error) : SCREE_MEMORY;
    if (status == SCREE_OK)
        status = scree_draft_set_mesh(r->draft, &surface, &report, &error);
    if (status == SCREE_MEMORY)
        run_out_of_memory(r);
    else if (status != SCREE_OK)
        complain_at(r, at, "%s", error.text);
    else if (scree_mesh_remark(&report, solid, remark, sizeof remark)) {
        unsigned long line, column;
        find_line(r, at, &line, &column);
        scree_complain("%s:%lu:%lu: warning: mesh: %s: %s", r->path, line, column, path, remark);
    }
    scree_surface_release(&surface);
    free(path);
}

/* NULL: it is not written. */
static const char *value_of(const char **attributes, const char *name)
{
    for (const char **pair = attributes; pair[0]; pair += 2)
        if (strcmp(pair[0], name) == 0)
            return pair[1];
    return NULL;
}

/* Gives the open record what the material library has under this name; its own attributes come after and win. */
static void take_from_library(reader *r, scree_element element, const char *name)
{
    scree_error error = {SCREE_OK, ""};
    scree_status status = r->library.count ? SCREE_OK : scree_library_open(&r->library, &error);
    if (status != SCREE_OK) {
        run_out_of_memory(r);
        return;
    }
    const scree_library_entry *entry = scree_library_find(&r->library, element, name);
    if (!entry) {
        char names[1024];
        scree_library_names(&r->library, element, names, sizeof names);
        complain_at(r, find_attribute(r, here(r), "library"),
                    "%s: library = \"%.64s\" is not in the material library; allowed: %s",
                    scree_element_describe(element)->name, name, names);
        return;
    }
    for (int i = 0; i < entry->value_count && status == SCREE_OK; i++)
        status = scree_draft_set(r->draft, entry->values[i].field, entry->values[i].text, &error);
    if (status != SCREE_OK)
        complain_at(r, here(r), "%s", error.text);
}

static void set_attributes(reader *r, scree_element element, const char **attributes)
{
    scree_error error = {SCREE_OK, ""};
    scree_status status = scree_draft_open(r->draft, element, &error);
    const char *library = value_of(attributes, "library"), *file = value_of(attributes, "file"),
               *solid = value_of(attributes, "solid");
    if (status == SCREE_OK && library && (element == SCREE_ELEMENT_MATERIAL || element == SCREE_ELEMENT_PAIR))
        take_from_library(r, element, library);
    if (r->code != SCREE_EXIT_OK)
        return;
    for (const char **pair = attributes; pair[0] && status == SCREE_OK; pair += 2) {
        if (element == SCREE_ELEMENT_SCENE && is_for_reader(pair[0]))
            continue;
        status = scree_draft_set(r->draft, pair[0], pair[1], &error);
        if (status != SCREE_OK && status != SCREE_MEMORY) {
            complain_at(r, find_attribute(r, here(r), pair[0]), "%s", error.text);
            return;
        }
    }
    if (status == SCREE_OK && element == SCREE_ELEMENT_MESH && file && file[0])
        load_mesh(r, file, solid && strcmp(solid, "true") == 0);
    if (status == SCREE_OK && r->code == SCREE_EXIT_OK)
        status = scree_draft_close(r->draft, &error);
    if (status != SCREE_OK)
        complain_draft(r, status, &error);
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    reader *r = context;
    if (r->code != SCREE_EXIT_OK)
        return;
    scree_element element = SCREE_ELEMENT_SCENE;
    if (r->depth == 0) {
        if (strcmp(name, "scene") != 0) {
            complain_at(r, here(r), "no element \"%.64s\" here; allowed: scene, as the outermost element", name);
            return;
        }
        check_version(r, attributes);
        r->seen_root = true;
    } else if (!find_child(r, r->open[r->depth - 1], name, &element)) {
        return;
    }
    if (r->code != SCREE_EXIT_OK || !remember_tag(r, element))
        return;
    set_attributes(r, element, attributes);
    if (r->depth < DEEPEST) /* always: the tables nest less deep */
        r->open[r->depth++] = element;
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    reader *r = context;
    (void)name;
    if (r->depth > 0)
        r->depth--;
}

/* ---- what a scene does not hold */

static void XMLCALL on_text(void *context, const XML_Char *text, int size)
{
    reader *r = context;
    int i = 0;
    while (i < size && strchr(" \t\r\n", text[i]) && text[i] != '\0')
        i++;
    if (i < size && r->depth > 0)
        complain_at(r, here(r) + (size_t)i, "text inside %s; allowed: elements and comments, values go into attributes",
                    scree_element_describe(r->open[r->depth - 1])->name);
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_subset)
{
    reader *r = context;
    (void)name, (void)system_id, (void)public_id, (void)has_subset;
    static const char word[] = "<!DOCTYPE";
    size_t at = here(r) < r->size ? here(r) : r->size; /* Expat stands behind the name: go back to where it began */
    while (at > 0 && (at + sizeof word - 1 > r->size || memcmp(r->bytes + at, word, sizeof word - 1) != 0))
        at--;
    complain_at(r, at, "DOCTYPE is not allowed in a scene; remove it");
}

static void XMLCALL on_declaration(void *context, const XML_Char *version, const XML_Char *encoding, int standalone)
{
    reader *r = context;
    (void)version, (void)standalone;
    static const char *const allowed[] = {"UTF-8", "utf-8", "US-ASCII", "us-ascii", "ASCII", "ascii"};
    if (!encoding)
        return;
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (strcmp(encoding, allowed[i]) == 0)
            return;
    complain_at(r, here(r), "encoding \"%.64s\"; allowed: UTF-8", encoding);
}

/* ---- the whole */

static void complain_xml(reader *r)
{
    enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY)
        run_out_of_memory(r);
    complain_at(r, here(r), "not XML: %s%s", XML_ErrorString(code),
                r->seen_root ? "" : "; allowed: an XML file whose outermost element is scene");
}

static void parse(reader *r, scree_scene **scene)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    XML_SetXmlDeclHandler(r->parser, on_declaration);
    bool parsed = XML_Parse(r->parser, r->bytes, (int)r->size, 1) == XML_STATUS_OK;
    if (r->code == SCREE_EXIT_OK && !parsed)
        complain_xml(r);
    if (r->code != SCREE_EXIT_OK)
        return;
    scree_error error = {SCREE_OK, ""};
    scree_status status = scree_draft_finish(r->draft, scene, &error);
    if (status != SCREE_OK)
        complain_draft(r, status, &error);
}

int scree_load_scene(const char *path, scree_scene **scene)
{
    *scene = NULL;
    reader r = {.path = path};
    int code = scree_read_file(path, MOST_BYTES, &r.bytes, &r.size);
    if (code != SCREE_EXIT_OK)
        return code;
    const unsigned char *b = (const unsigned char *)r.bytes;
    if (r.size == 0)
        complain_at(&r, 0, "the file is empty; allowed: an XML file whose outermost element is scene");
    else if (r.size >= 2 && ((b[0] == 0xFE && b[1] == 0xFF) || (b[0] == 0xFF && b[1] == 0xFE)))
        complain_at(&r, 0, "the file is UTF-16; allowed: UTF-8");
    else if (scree_draft_create(NULL, &r.draft, NULL) != SCREE_OK || !(r.parser = XML_ParserCreate("UTF-8")))
        run_out_of_memory(&r);
    else
        parse(&r, scene);
    if (r.parser)
        XML_ParserFree(r.parser);
    scree_draft_destroy(r.draft);
    scree_library_close(&r.library);
    free(r.tags);
    free(r.bytes);
    return r.code;
}
