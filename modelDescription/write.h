/*
 * What the packer writes about a scene: modelDescription.xml and documentation/index.html. Same scene, same bytes.
 */
#ifndef SCREE_WRITE_H
#define SCREE_WRITE_H

#include "model.h"

#include <stdio.h>

/* model_identifier names the shared object in binaries/. */
scree_status scree_write_model_description(const scree_scene *scene, const scree_model *model,
                                           const char *model_identifier, FILE *out, scree_error *error);
scree_status scree_write_documentation(const scree_scene *scene, const scree_model *model, FILE *out,
                                       scree_error *error);

/* Text as an XML or HTML attribute or content: quotes, angles and ampersands escaped, control characters made blanks.
 */
void scree_write_escaped(FILE *out, const char *text);

/* The shortest decimal that reads back as the same double. */
void scree_write_number(FILE *out, double value);

#endif
