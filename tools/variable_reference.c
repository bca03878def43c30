/*
 * The interface of any FMU of Scree as a page, from the groups and the field tables.
 */
#include "groups.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

static void print_index(const scree_item *item)
{
    if (item->grid)
        printf("[i,j]");
    else if (item->columns > 0)
        printf("[1..%u,1..%u]", item->count / item->columns, item->columns);
    else if (item->count > 1)
        printf("[1..%u]", item->count);
}

static void print_group(const scree_group *group)
{
    const char *owner = group->element == SCREE_ELEMENT_SCENE ? group->name : "<id>";
    for (uint32_t i = 0; i < group->item_count; i++) {
        const scree_item *item = &group->items[i];
        const char *when = item->when ? item->when : "", *of_group = group->when ? group->when : "";
        printf("| `%s.%s", owner, item->name);
        print_index(item);
        printf("` | %s | %s%s | %s | %s%s%s | %s |\n", group->causality == SCREE_INPUT ? "input" : "output",
               item->type == SCREE_TYPE_INTEGER ? "Integer" : "Real", item->direct ? ", *" : "",
               strcmp(item->unit, "1") == 0 ? "" : item->unit, of_group, *of_group && *when ? "; " : "", when,
               item->help);
    }
}

static void print_element(scree_element element)
{
    const scree_group *const *groups = scree_groups();
    printf("\n## %s\n\n", element == SCREE_ELEMENT_SCENE ? "whole scene" : scree_element_describe(element)->name);
    if (element != SCREE_ELEMENT_SCENE)
        printf("%s.\n\n", scree_element_describe(element)->help);
    printf("| variable | causality | type | unit | when | meaning |\n|---|---|---|---|---|---|\n");
    for (uint32_t g = 0; groups[g]; g++)
        if (groups[g]->element == element)
            print_group(groups[g]);
}

static void print_parameters(void)
{
    printf("\n## parameters\n\nFixed: settable until initialisation is over. `<id>` is that of the element; pairs have "
           "those of both materials.\n\n| variable | type | unit | from | to | meaning |\n|---|---|---|---|---|---|\n");
    for (scree_element element = 0; element < SCREE_ELEMENT_COUNT; element++) {
        const scree_element_info *info = scree_element_describe(element);
        const char *id = element == SCREE_ELEMENT_PAIR ? "<a>.<b>." : info->at_most == 1 ? "" : "<id>.";
        for (uint32_t i = 0; i < info->field_count; i++) {
            const scree_field *field = &info->fields[i];
            if (!(field->flags & SCREE_FIELD_SETTABLE))
                continue;
            bool scene = element == SCREE_ELEMENT_SCENE, vector = field->kind == SCREE_FIELD_VECTOR;
            printf("| `%s%s%s%s%s` | %s | %s | ", scene ? "" : info->name, scene ? "" : ".", scene ? "" : id,
                   field->name, vector ? "[1..3]" : "", field->kind == SCREE_FIELD_COUNT ? "Integer" : "Real",
                   strcmp(field->unit, "1") == 0 ? "" : field->unit);
            if (!vector)
                printf("%.10g | %.10g", field->min, field->max);
            else
                printf(" | ");
            printf(" | %s |\n", field->help);
        }
    }
}

void scree_print_variables(void)
{
    const scree_group *const *groups = scree_groups();
    printf("# FMU interface reference\n\nWritten by `scree schema --variables` from the tables that the FMU itself is "
           "made of. `<id>` is the id of the element in the scene; indices count from 1. *: declared as a direct "
           "dependence, outputs on inputs of the same element, with `scree pack --direct-feedthrough`.\n");
    for (uint32_t g = 0; groups[g]; g++) {
        bool seen = false;
        for (uint32_t before = 0; before < g && !seen; before++)
            seen = groups[before]->element == groups[g]->element;
        if (!seen)
            print_element(groups[g]->element);
    }
    print_parameters();
}
