/*
 * What the packer writes about a scene: modelDescription.xml, documentation and what goes with them. Same scene, same
 * bytes.
 */
#ifndef SCREE_WRITE_H
#define SCREE_WRITE_H

#include "model.h"

#include <stdio.h>

/* What is in the package beside the scene. */
typedef struct scree_package {
    const char *identifier;     /* model identifier: the name of the shared objects */
    const char *const *sources; /* C files, relative to sources/, closed by NULL; NULL: there are none */
    bool direct;                /* declare the dependence of wrenches on twists, and the like */
} scree_package;

scree_status scree_write_model_description(const scree_scene *scene, const scree_model *model,
                                           const scree_package *package, FILE *out, scree_error *error);
scree_status scree_write_documentation(const scree_scene *scene, const scree_model *model, FILE *out,
                                       scree_error *error);
scree_status scree_write_terminals(const scree_scene *scene, const scree_model *model, FILE *out, scree_error *error);

/* package->sources must not be NULL. */
scree_status scree_write_build(const scree_package *package, FILE *out, scree_error *error);

/* The element ModelStructure of the model description. */
void scree_write_structure(FILE *out, const scree_model *model, bool direct);

/* Text as an XML or HTML attribute or content: quotes, angles and ampersands escaped, control characters made blanks.
 */
void scree_write_escaped(FILE *out, const char *text);

/* The shortest decimal that reads back as the same double. */
void scree_write_number(FILE *out, double value);

#endif
