/*
 * The scene reference as Markdown, from the field tables: docs/scene_reference.md.
 */
#ifndef SCREE_TOOLS_REFERENCE_H
#define SCREE_TOOLS_REFERENCE_H

void scree_print_reference(void);

/* The variables of FMUs, likewise. */
void scree_print_variables(void);

#endif
