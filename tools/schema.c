/*
 * `scree schema`: the scene format as an XML Schema 1.0, from the field tables. resources/scene.xsd is its output.
 *
 * The schema cannot say all that the reader checks (at most one solver, a pair for each two materials that meet), and
 * it is stricter in one thing: whole numbers must be written without point or exponent.
 */
#include "command.h"
#include "library.h"
#include "reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void line(int depth, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(int depth, const char *format, ...)
{
    printf("%*s", 2 * depth, "");
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Help texts are ours, but may hold any character. */
static void print_escaped(const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        case '&':
            fputs("&amp;", stdout);
            break;
        default:
            putchar(*text);
        }
}

static void print_note(int depth, const char *help, const char *unit)
{
    printf("%*s<xs:annotation><xs:documentation>", 2 * depth, "");
    print_escaped(help);
    if (unit[0] && strcmp(unit, "1") != 0)
        printf(", in %s", unit);
    printf("</xs:documentation></xs:annotation>\n");
}

static void print_range(int depth, const char *base, const scree_field *field)
{
    line(depth, "<xs:simpleType>");
    line(depth + 1, "<xs:restriction base=\"%s\">", base);
    line(depth + 2, "<xs:%s value=\"%.12g\"/>", field->flags & SCREE_FIELD_OPEN_MIN ? "minExclusive" : "minInclusive",
         field->min);
    line(depth + 2, "<xs:maxInclusive value=\"%.12g\"/>", field->max);
    line(depth + 1, "</xs:restriction>");
    line(depth, "</xs:simpleType>");
}

static void print_vector(int depth, const scree_field *field)
{
    line(depth, "<xs:simpleType>");
    line(depth + 1, "<xs:restriction>");
    line(depth + 2, "<xs:simpleType>");
    line(depth + 3, "<xs:list>");
    print_range(depth + 4, "xs:double", field);
    line(depth + 3, "</xs:list>");
    line(depth + 2, "</xs:simpleType>");
    line(depth + 2, "<xs:length value=\"3\"/>");
    line(depth + 1, "</xs:restriction>");
    line(depth, "</xs:simpleType>");
}

static void print_choices(int depth, const scree_field *field)
{
    line(depth, "<xs:simpleType>");
    line(depth + 1, "<xs:restriction base=\"xs:string\">");
    for (uint32_t i = 0; field->choices[i]; i++)
        line(depth + 2, "<xs:enumeration value=\"%s\"/>", field->choices[i]);
    line(depth + 1, "</xs:restriction>");
    line(depth, "</xs:simpleType>");
}

static void print_type(int depth, const scree_field *field)
{
    switch (field->kind) {
    case SCREE_FIELD_REAL:
        print_range(depth, "xs:double", field);
        break;
    case SCREE_FIELD_COUNT:
        print_range(depth, "xs:unsignedInt", field);
        break;
    case SCREE_FIELD_VECTOR:
        print_vector(depth, field);
        break;
    case SCREE_FIELD_CHOICE:
        print_choices(depth, field);
        break;
    case SCREE_FIELD_ID:
    case SCREE_FIELD_REFERENCE:
    case SCREE_FIELD_TEXT:
        break; /* named types */
    }
}

/* Required and not to be had from the material library: ids and references. */
static bool is_required(const scree_element_info *info, const scree_field *field)
{
    bool library = false;
    for (uint32_t i = 0; i < info->field_count; i++)
        library |= strcmp(info->fields[i].name, "library") == 0;
    return (field->flags & SCREE_FIELD_REQUIRED) && !(library && field->kind == SCREE_FIELD_REAL);
}

/* ` use="required"` or ` default="…"`. */
static void format_use(const scree_element_info *info, const scree_field *field, char *text, size_t room)
{
    text[0] = '\0';
    if (is_required(info, field))
        snprintf(text, room, " use=\"required\"");
    else if (field->flags & SCREE_FIELD_REQUIRED)
        return;
    else if (field->kind == SCREE_FIELD_REAL || field->kind == SCREE_FIELD_COUNT)
        snprintf(text, room, " default=\"%.12g\"", field->start);
    else if (field->kind == SCREE_FIELD_VECTOR)
        snprintf(text, room, " default=\"%.12g %.12g %.12g\"", field->start, field->start, field->start);
    else if (field->kind == SCREE_FIELD_CHOICE)
        snprintf(text, room, " default=\"%s\"", field->choices[(uint32_t)field->start]);
}

/* Entries of the material library, for editors to offer. */
static void print_entries(int depth, scree_element element)
{
    scree_library library;
    if (scree_library_open(&library, NULL) != SCREE_OK)
        return;
    line(depth, "<xs:simpleType>");
    line(depth + 1, "<xs:restriction base=\"xs:string\">");
    for (int i = 0; i < library.count; i++)
        if (library.entries[i].element == element) {
            const char *name = library.entries[i].name, *dash = strchr(name, '-');
            line(depth + 2, "<xs:enumeration value=\"%s\"/>", name);
            if (dash && strncmp(name, dash + 1, (size_t)(dash - name)) != 0)
                line(depth + 2, "<xs:enumeration value=\"%s-%.*s\"/>", dash + 1, (int)(dash - name), name);
        }
    line(depth + 1, "</xs:restriction>");
    line(depth, "</xs:simpleType>");
    scree_library_close(&library);
}

static void print_attribute(int depth, scree_element element, const scree_field *field)
{
    bool library = strcmp(field->name, "library") == 0;
    const char *type = library                                                                 ? ""
                       : field->kind == SCREE_FIELD_TEXT                                       ? " type=\"text\""
                       : field->kind == SCREE_FIELD_ID || field->kind == SCREE_FIELD_REFERENCE ? " type=\"id\""
                                                                                               : "";
    char use[128];
    format_use(scree_element_describe(element), field, use, sizeof use);
    line(depth, "<xs:attribute name=\"%s\"%s%s>", field->name, type, use);
    print_note(depth + 1, field->help, field->unit);
    if (library)
        print_entries(depth + 1, element);
    else
        print_type(depth + 1, field);
    line(depth, "</xs:attribute>");
}

static bool is_child(int element, scree_element parent)
{
    return element != SCREE_ELEMENT_SCENE && scree_element_describe((scree_element)element)->parent == parent;
}

/* Ids are unique among their element, references lead to one: xs:key and xs:keyref, all declared at the scene. */
static void print_keys(int depth)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = SCREE_ELEMENT_SCENE + 1; i < SCREE_ELEMENT_COUNT; i++) {
            const scree_element_info *info = scree_element_describe((scree_element)i);
            for (uint32_t k = 0; k < info->field_count; k++) {
                const scree_field *field = &info->fields[k];
                if (field->kind != (pass == 0 ? SCREE_FIELD_ID : SCREE_FIELD_REFERENCE))
                    continue;
                if (pass == 0)
                    line(depth, "<xs:key name=\"%s\">", info->name);
                else
                    line(depth, "<xs:keyref name=\"%s.%s\" refer=\"%s\">", info->name, field->name,
                         scree_element_describe(field->target)->name);
                line(depth + 1, "<xs:selector xpath=\".//%s\"/>", info->name);
                line(depth + 1, "<xs:field xpath=\"@%s\"/>", field->name);
                line(depth, pass == 0 ? "</xs:key>" : "</xs:keyref>");
            }
        }
}

/* The elements inside: one kind in its numbers, several kinds in any order. */
static void print_element(int depth, scree_element element);

static void print_children(int depth, scree_element element)
{
    int kinds = 0, only = 0;
    for (int i = 0; i < SCREE_ELEMENT_COUNT; i++)
        if (is_child(i, element)) {
            kinds++;
            only = i;
        }
    if (kinds == 0)
        return;
    const scree_element_info *info = scree_element_describe((scree_element)only);
    char most[16] = "unbounded";
    if (kinds == 1 && info->at_most > 0)
        snprintf(most, sizeof most, "%u", (unsigned)info->at_most);
    line(depth, "<xs:choice minOccurs=\"%u\" maxOccurs=\"%s\">", kinds == 1 ? (unsigned)info->at_least : 0U, most);
    for (int i = 0; i < SCREE_ELEMENT_COUNT; i++)
        if (is_child(i, element))
            print_element(depth + 1, (scree_element)i);
    line(depth, "</xs:choice>");
}

static void print_element(int depth, scree_element element)
{
    const scree_element_info *info = scree_element_describe(element);
    line(depth, "<xs:element name=\"%s\">", info->name);
    print_note(depth + 1, info->help, "");
    line(depth + 1, "<xs:complexType>");
    print_children(depth + 2, element);
    if (element == SCREE_ELEMENT_SCENE) {
        line(depth + 2, "<xs:attribute name=\"version\" use=\"required\">");
        print_note(depth + 3, "Version of the scene format", "");
        line(depth + 3, "<xs:simpleType>");
        line(depth + 4, "<xs:restriction base=\"xs:string\"><xs:enumeration value=\"%d\"/></xs:restriction>",
             SCREE_SCENE_VERSION);
        line(depth + 3, "</xs:simpleType>");
        line(depth + 2, "</xs:attribute>");
    }
    for (uint32_t i = 0; i < info->field_count; i++)
        print_attribute(depth + 2, element, &info->fields[i]);
    line(depth + 1, "</xs:complexType>");
    if (element == SCREE_ELEMENT_SCENE)
        print_keys(depth + 1);
    line(depth, "</xs:element>");
}

static void print_named_types(void)
{
    line(1, "<xs:simpleType name=\"id\">");
    line(2, "<xs:restriction base=\"xs:string\">");
    line(3, "<xs:pattern value=\"[A-Za-z_][A-Za-z0-9_]{0,%d}\"/>", SCREE_ID_SIZE - 2);
    line(2, "</xs:restriction>");
    line(1, "</xs:simpleType>");
    line(1, "<xs:simpleType name=\"text\">");
    line(2, "<xs:restriction base=\"xs:string\">");
    line(3, "<xs:maxLength value=\"%d\"/>", SCREE_TEXT_SIZE - 1);
    line(2, "</xs:restriction>");
    line(1, "</xs:simpleType>");
}

static void print_schema(void)
{
    line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line(0, "<!-- Scene files of Scree. Written by `scree schema` from the field tables; do not edit. -->");
    line(0, "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">");
    print_named_types();
    print_element(1, SCREE_ELEMENT_SCENE);
    line(0, "</xs:schema>");
}

enum { MARKDOWN, VARIABLES, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [MARKDOWN] = {"markdown", 0, NULL, "the reference for people instead, as Markdown"},
    [VARIABLES] = {"variables", 0, NULL, "the reference of the variables of FMUs instead, as Markdown"},
};

static int run(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    void (*print)(void) = print_schema;
    int found;
    while ((found = scree_arguments_next(&arguments)) >= 0)
        print = found == MARKDOWN ? scree_print_reference : scree_print_variables;
    if (found == SCREE_ARGUMENT_PLAIN)
        scree_complain("scree schema: \"%s\": takes no arguments", arguments.value);
    if (found != SCREE_ARGUMENT_END)
        return SCREE_EXIT_BAD;
    print();
    return SCREE_EXIT_OK;
}

static const char *const examples[] = {"scree schema > scene.xsd", "for an editor that completes and checks XML",
                                       "scree schema --markdown", "the reference of scene files", NULL};

const scree_command scree_command_schema = {
    .name = "schema",
    .synopsis = "[--markdown | --variables]",
    .summary = "print the XML Schema of scene files",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = run,
};
