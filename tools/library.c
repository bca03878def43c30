#include "library.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char scree_library_xml[];
extern const size_t scree_library_xml_size;

typedef struct reader {
    scree_library *library;
    scree_library_value *value; /* whose source is being read; NULL: none */
    XML_Parser parser;
    scree_status status;
    char what[128];
} reader;

static void stop(reader *r, scree_status status, const char *what, const char *which)
{
    if (r->status != SCREE_OK)
        return;
    r->status = status;
    snprintf(r->what, sizeof r->what, "%s %.64s", what, which);
    XML_StopParser(r->parser, XML_FALSE);
}

static bool copy(char *out, size_t room, const char *text)
{
    size_t size = strlen(text);
    if (size >= room)
        return false;
    memcpy(out, text, size + 1);
    return true;
}

static void add_entry(reader *r, scree_element element, const char **attributes)
{
    scree_library *library = r->library;
    scree_library_entry *entries = realloc(library->entries, (size_t)(library->count + 1) * sizeof *entries);
    if (!entries) {
        stop(r, SCREE_MEMORY, "out of memory for", "an entry");
        return;
    }
    library->entries = entries;
    scree_library_entry *entry = &entries[library->count++];
    *entry = (scree_library_entry){.element = element};
    for (; attributes[0]; attributes += 2) {
        bool fits = true;
        if (strcmp(attributes[0], "name") == 0) {
            fits = copy(entry->name, sizeof entry->name, attributes[1]);
        } else if (strcmp(attributes[0], "about") == 0) {
            fits = copy(entry->about, sizeof entry->about, attributes[1]);
        } else if (entry->value_count < SCREE_LIBRARY_VALUES) {
            scree_library_value *value = &entry->values[entry->value_count++];
            fits = copy(value->field, sizeof value->field, attributes[0]) &&
                   copy(value->text, sizeof value->text, attributes[1]);
        } else {
            fits = false;
        }
        if (!fits)
            stop(r, SCREE_FORMAT, "no room for attribute", attributes[0]);
    }
}

static void open_source(reader *r, const char **attributes)
{
    scree_library_entry *entry = r->library->count ? &r->library->entries[r->library->count - 1] : NULL;
    if (!entry || !attributes[0] || strcmp(attributes[0], "of") != 0) {
        stop(r, SCREE_FORMAT, "a source without", "of");
        return;
    }
    for (int i = 0; i < entry->value_count; i++)
        if (strcmp(entry->values[i].field, attributes[1]) == 0)
            r->value = &entry->values[i];
    if (!r->value)
        stop(r, SCREE_FORMAT, "a source of nothing:", attributes[1]);
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    reader *r = context;
    if (strcmp(name, "material") == 0)
        add_entry(r, SCREE_ELEMENT_MATERIAL, attributes);
    else if (strcmp(name, "pair") == 0)
        add_entry(r, SCREE_ELEMENT_PAIR, attributes);
    else if (strcmp(name, "source") == 0)
        open_source(r, attributes);
    else if (strcmp(name, "library") != 0)
        stop(r, SCREE_FORMAT, "no element", name);
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    (void)name;
    ((reader *)context)->value = NULL;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int size)
{
    reader *r = context;
    if (!r->value)
        return;
    size_t used = strlen(r->value->source);
    if (used + (size_t)size >= sizeof r->value->source) {
        stop(r, SCREE_FORMAT, "no room for the source of", r->value->field);
        return;
    }
    memcpy(r->value->source + used, text, (size_t)size);
    r->value->source[used + (size_t)size] = '\0';
}

scree_status scree_library_open(scree_library *library, scree_error *error)
{
    *library = (scree_library){0};
    reader r = {.library = library, .parser = XML_ParserCreate("UTF-8")};
    if (!r.parser)
        return scree_fail(error, SCREE_MEMORY, "out of memory for the material library");
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetCharacterDataHandler(r.parser, on_text);
    bool parsed = XML_Parse(r.parser, (const char *)scree_library_xml, (int)scree_library_xml_size, 1) == XML_STATUS_OK;
    if (!parsed && r.status == SCREE_OK)
        stop(&r, XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY ? SCREE_MEMORY : SCREE_FORMAT,
             "not XML:", XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
    if (r.status == SCREE_OK)
        return SCREE_OK;
    scree_library_close(library);
    return scree_fail(error, r.status, "material library: %s", r.what);
}

void scree_library_close(scree_library *library)
{
    free(library->entries);
    *library = (scree_library){0};
}

/* Whether the two names of a pair are the same, the other way round. */
static bool is_swapped(const char *a, const char *b)
{
    const char *dash = strchr(a, '-');
    size_t first = dash ? (size_t)(dash - a) : 0, second = dash ? strlen(dash + 1) : 0;
    return dash && strlen(b) == first + second + 1 && memcmp(b, dash + 1, second) == 0 && b[second] == '-' &&
           memcmp(b + second + 1, a, first) == 0;
}

const scree_library_entry *scree_library_find(const scree_library *library, scree_element element, const char *name)
{
    for (int i = 0; i < library->count; i++) {
        const scree_library_entry *entry = &library->entries[i];
        if (entry->element == element &&
            (strcmp(entry->name, name) == 0 || (element == SCREE_ELEMENT_PAIR && is_swapped(entry->name, name))))
            return entry;
    }
    return NULL;
}

void scree_library_names(const scree_library *library, scree_element element, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < library->count && used < room; i++)
        if (library->entries[i].element == element)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", library->entries[i].name);
}
