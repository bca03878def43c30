/*
 * A scene from a few short lines of C, for verification cases and tests:
 *
 *   const char *lines[] = {"scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7", …, NULL};
 *   scree_scene_from_lines(lines, &scene, &error);
 *
 * A line is an element and its attributes; commas in a value stand for blanks. As in a scene file, shapes belong to the
 * body before them and sizes to the fill before them.
 */
#ifndef SCREE_TOOLS_SCENE_LINES_H
#define SCREE_TOOLS_SCENE_LINES_H

#include "scree.h"

/* One line into a draft that is being written. *outer starts as SCREE_ELEMENT_SCENE and is kept from line to line. */
scree_status scree_draft_add_line(scree_draft *draft, const char *line, scree_element *outer, scree_error *error);

scree_status scree_scene_from_lines(const char *const *lines, scree_scene **scene, scree_error *error);

/* The same for lines with a `mesh`: each gets the next of these surfaces. memory may be NULL. */
scree_status scree_scene_from_lines_and_meshes(const char *const *lines, const scree_surface *meshes,
                                               const scree_memory *memory, scree_scene **scene, scree_error *error);

#endif
