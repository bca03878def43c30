/*
 * Scene files: XML, UTF-8, described by resources/scene.xsd.
 */
#ifndef SCREE_TOOLS_SCENE_XML_H
#define SCREE_TOOLS_SCENE_XML_H

#include "scree.h"

/*
 * Reads a scene file. On failure *scene is NULL, one line has gone to stderr (file:line:column: what is wrong, and what
 * is allowed), and the exit code of the command comes back.
 */
int scree_load_scene(const char *path, scree_scene **scene);

#endif
