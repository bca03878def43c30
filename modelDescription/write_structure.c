/*
 * ModelStructure: which outputs there are, and what they follow from.
 *
 * At a communication point outputs follow from the step that was taken, so they depend on no input directly: an empty
 * list, and no algebraic loop in the importer. Masters that solve for interface forces want it otherwise: with
 * `direct`, items marked so depend on the inputs marked so of the same owner, as they do through the next step.
 *
 * At the start bodies are where the scene and the pose inputs have them, and grains where the fills put them, which is
 * nowhere in a body.
 */
#include "groups.h"
#include "write.h"

#include <string.h>

/* Whether the grains of a fill are placed otherwise when this parameter changes. */
static bool places_grains(const scree_variable *variable)
{
    if (!variable->field)
        return false;
    return variable->record.element == SCREE_ELEMENT_FILL ||
           (variable->record.element == SCREE_ELEMENT_MATERIAL && strcmp(variable->field->name, "density") == 0);
}

static bool is_of_bodies(const scree_variable *output)
{
    return output->record.element == SCREE_ELEMENT_PORT || output->record.element == SCREE_ELEMENT_ACTUATOR;
}

static bool depends_at_start(const scree_variable *output, const scree_variable *known)
{
    if (output->zero_at_start)
        return false;
    return known->group == &scree_pose_group || (!is_of_bodies(output) && places_grains(known));
}

static bool depends_directly(const scree_variable *output, const scree_variable *known)
{
    return known->causality == SCREE_INPUT && known->item->direct && output->item->direct &&
           known->record.element == output->record.element && known->record.index == output->record.index;
}

typedef bool dependence(const scree_variable *output, const scree_variable *known);

static void write_unknown(FILE *out, const scree_model *model, uint32_t index, dependence *depends)
{
    const scree_variable *output = &model->variables[index];
    uint32_t count = 0;
    fprintf(out, "      <Unknown index=\"%u\" dependencies=\"", index + 1);
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (depends && depends(output, &model->variables[i]))
            fprintf(out, "%s%u", count++ ? " " : "", i + 1);
    fputs("\"", out);
    if (count > 0)
        fputs(" dependenciesKind=\"", out);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%sdependent", i ? " " : "");
    fputs(count > 0 ? "\"/>\n" : "/>\n", out);
}

static void write_unknowns(FILE *out, const scree_model *model, const char *element, dependence *depends)
{
    fprintf(out, "    <%s>\n", element);
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (model->variables[i].causality == SCREE_OUTPUT)
            write_unknown(out, model, i, depends);
    fprintf(out, "    </%s>\n", element);
}

void scree_write_structure(FILE *out, const scree_model *model, bool direct)
{
    fputs("  <ModelStructure>\n", out);
    write_unknowns(out, model, "Outputs", direct ? depends_directly : NULL);
    write_unknowns(out, model, "InitialUnknowns", depends_at_start);
    fputs("  </ModelStructure>\n", out);
}
