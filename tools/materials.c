/*
 * `scree materials`: what the material library holds, and where it comes from.
 */
#include "command.h"
#include "json_out.h"
#include "library.h"

#include <stdio.h>
#include <string.h>

enum { JSON, MARKDOWN, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [JSON] = {"json", 0, NULL, "one JSON object per entry"},
    [MARKDOWN] = {"markdown", 0, NULL, "the page of the library, as Markdown"},
};

static const char *unit_of(const scree_library_entry *entry, const char *name)
{
    const scree_element_info *info = scree_element_describe(entry->element);
    for (uint32_t i = 0; i < info->field_count; i++)
        if (strcmp(info->fields[i].name, name) == 0)
            return strcmp(info->fields[i].unit, "1") == 0 ? "" : info->fields[i].unit;
    return "";
}

static void print_entry(const scree_library_entry *entry)
{
    printf("%s %s%s%s\n", scree_element_describe(entry->element)->name, entry->name, entry->about[0] ? ": " : "",
           entry->about);
    for (int i = 0; i < entry->value_count; i++)
        printf("  %-12s %-8s %-6s %s\n", entry->values[i].field, entry->values[i].text,
               unit_of(entry, entry->values[i].field), entry->values[i].source);
}

static void print_json(const scree_library_entry *entry)
{
    scree_json_member_text(stdout, "{", "element", scree_element_describe(entry->element)->name);
    scree_json_member_text(stdout, ", ", "name", entry->name);
    scree_json_member_text(stdout, ", ", "about", entry->about);
    printf(", \"values\": {");
    for (int i = 0; i < entry->value_count; i++)
        printf("%s\"%s\": %s", i ? ", " : "", entry->values[i].field, entry->values[i].text);
    printf("}, \"sources\": {");
    for (int i = 0; i < entry->value_count; i++)
        scree_json_member_text(stdout, i ? ", " : "", entry->values[i].field, entry->values[i].source);
    printf("}}\n");
}

/* A row for each value; the name stands in the first. */
static void print_rows(const scree_library *library, scree_element element)
{
    printf("\n| %s | attribute | value | unit | source |\n|---|---|---|---|---|\n",
           scree_element_describe(element)->name);
    for (int k = 0; k < library->count; k++) {
        const scree_library_entry *entry = &library->entries[k];
        for (int i = 0; entry->element == element && i < entry->value_count; i++)
            printf("| %s%s%s | `%s` | %s | %s | %s |\n", i ? "" : "`", i ? "" : entry->name, i ? "" : "`",
                   entry->values[i].field, entry->values[i].text, unit_of(entry, entry->values[i].field),
                   entry->values[i].source);
    }
}

static void print_page(const scree_library *library)
{
    printf(
        "# Material library\n\nWritten by `scree materials --markdown` from "
        "[resources/materials/library.xml](../resources/materials/library.xml), which is compiled into the command. "
        "A scene takes an entry by its name; what is written beside it takes precedence:\n\n```xml\n"
        "<material id=\"ore\" library=\"green_pellets\"/>\n<material id=\"wall\" library=\"steel\" "
        "youngs=\"1e9\"/>\n<pair a=\"ore\" b=\"ore\" library=\"green_pellets-green_pellets\"/>\n"
        "<pair a=\"ore\" b=\"wall\" library=\"green_pellets-steel\" friction=\"0.4\"/>\n```\n\n"
        "The values are put in when the scene is read: a packed FMU has them inside, as parameters, and does not need "
        "the library. An estimate is a place to start from, not a measurement: where the result depends on it, "
        "measure.\n"
        "\n## Materials\n\n");
    for (int i = 0; i < library->count; i++)
        if (library->entries[i].about[0])
            printf("- `%s`: %s\n", library->entries[i].name, library->entries[i].about);
    print_rows(library, SCREE_ELEMENT_MATERIAL);
    printf("\n## Pairs\n\nA pair is named by its two materials with `-` between, in either order.\n");
    print_rows(library, SCREE_ELEMENT_PAIR);
}

static int print_named(const scree_library *library, const char *name, bool json)
{
    int found = 0;
    for (int i = 0; i < library->count; i++) {
        const scree_library_entry *entry = &library->entries[i];
        if (name && scree_library_find(library, entry->element, name) != entry)
            continue;
        found++;
        (json ? print_json : print_entry)(entry);
    }
    if (found)
        return SCREE_EXIT_OK;
    char materials[512], pairs[1024];
    scree_library_names(library, SCREE_ELEMENT_MATERIAL, materials, sizeof materials);
    scree_library_names(library, SCREE_ELEMENT_PAIR, pairs, sizeof pairs);
    scree_complain("scree materials: no \"%.64s\"; there are: %s, %s", name, materials, pairs);
    return SCREE_EXIT_BAD;
}

static int run(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *name = NULL;
    bool json = false, markdown = false;
    int found;
    while ((found = scree_arguments_next(&arguments)) != SCREE_ARGUMENT_END) {
        if (found == SCREE_ARGUMENT_PLAIN && !name)
            name = arguments.value;
        else if (found == SCREE_ARGUMENT_PLAIN)
            scree_complain("scree materials: \"%s\": takes one name", arguments.value);
        json |= found == JSON;
        markdown |= found == MARKDOWN;
        if (found == SCREE_ARGUMENT_WRONG || (found == SCREE_ARGUMENT_PLAIN && name != arguments.value))
            return SCREE_EXIT_BAD;
    }
    scree_library library;
    scree_error error = {SCREE_OK, ""};
    if (scree_library_open(&library, &error) != SCREE_OK) {
        scree_complain("scree materials: %s", error.text);
        return SCREE_EXIT_FAILED;
    }
    int code = SCREE_EXIT_OK;
    if (markdown)
        print_page(&library);
    else
        code = print_named(&library, name, json);
    scree_library_close(&library);
    return code;
}

static const char *const examples[] = {"scree materials", "everything, with its sources",
                                       "scree materials gravel-steel", "how gravel touches steel", NULL};

const scree_command scree_command_materials = {
    .name = "materials",
    .synopsis = "[NAME] [--json | --markdown]",
    .summary = "list the material library",
    .details = "Values of grains, walls and how they touch, each with its source. A scene takes an entry with "
               "library=\"NAME\" in a material or a pair; what is written beside it takes precedence.",
    .operand = "NAME",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = run,
};
