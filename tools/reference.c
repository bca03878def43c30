#include "reference.h"

#include "scree.h"

#include <stdio.h>
#include <string.h>

static bool has_library(const scree_element_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (strcmp(info->fields[i].name, "library") == 0)
            return true;
    return false;
}

static void print_default(const scree_element_info *info, const scree_field *field)
{
    if (field->flags & SCREE_FIELD_REQUIRED)
        printf(field->kind == SCREE_FIELD_REAL && has_library(info) ? "required without `library`" : "required");
    else if (field->kind == SCREE_FIELD_CHOICE)
        printf("`%s`", field->choices[(int)field->start]);
    else if (field->kind == SCREE_FIELD_VECTOR)
        printf("`%g %g %g`", field->start, field->start, field->start);
    else if (field->kind == SCREE_FIELD_REAL || field->kind == SCREE_FIELD_COUNT)
        printf("`%.10g`", field->start);
    else if (field->kind == SCREE_FIELD_REFERENCE)
        printf("none");
}

static void print_allowed(const scree_field *field)
{
    switch (field->kind) {
    case SCREE_FIELD_REAL:
    case SCREE_FIELD_COUNT:
        printf("%s%.10g to %.10g", (field->flags & SCREE_FIELD_OPEN_MIN) ? "above " : "", field->min, field->max);
        break;
    case SCREE_FIELD_VECTOR:
        printf("three numbers");
        break;
    case SCREE_FIELD_CHOICE:
        for (int i = 0; field->choices[i]; i++)
            printf("%s`%s`", i ? ", " : "", field->choices[i]);
        break;
    case SCREE_FIELD_ID:
        printf("a name of its own");
        break;
    case SCREE_FIELD_TEXT:
        printf("text");
        break;
    case SCREE_FIELD_REFERENCE:
        printf("id of a `%s`", scree_element_describe(field->target)->name);
        break;
    }
}

static void print_element(scree_element element)
{
    const scree_element_info *info = scree_element_describe(element);
    printf("\n## %s\n\n%s.", info->name, info->help);
    if (element != SCREE_ELEMENT_SCENE)
        printf(" Inside `%s`", scree_element_describe(info->parent)->name);
    if (info->at_least > 0 && element != SCREE_ELEMENT_SCENE)
        printf(", at least %u", (unsigned)info->at_least);
    if (info->at_most > 0 && element != SCREE_ELEMENT_SCENE)
        printf(", at most %u", (unsigned)info->at_most);
    printf("%s\n\n| attribute | unit | allowed | default | meaning | parameter |\n|---|---|---|---|---|---|\n",
           element == SCREE_ELEMENT_SCENE ? "" : ".");
    if (element == SCREE_ELEMENT_SCENE)
        printf("| `version` |  | `%d` | required | Version of the scene format |  |\n", SCREE_SCENE_VERSION);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const scree_field *field = &info->fields[i];
        printf("| `%s` | %s | ", field->name, strcmp(field->unit, "1") == 0 ? "" : field->unit);
        print_allowed(field);
        printf(" | ");
        print_default(info, field);
        printf(" | %s | %s |\n", field->help, (field->flags & SCREE_FIELD_SETTABLE) ? "yes" : "");
    }
}

void scree_print_reference(void)
{
    printf("# Scene reference\n\nWritten by `scree schema --markdown` from the field tables. *Parameter*: also an FMI "
           "parameter, settable before initialisation.\n");
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++)
        print_element(element);
}
