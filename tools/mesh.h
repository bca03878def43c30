/*
 * Triangles from a mesh file (STL, OBJ, PLY, glTF, GLB), for the scene reader.
 */
#ifndef SCREE_TOOLS_MESH_H
#define SCREE_TOOLS_MESH_H

#include "scree.h"

/* Reads all triangles of a file, each part where the file's own transforms put it. Release it with
 * scree_surface_release. */
scree_status scree_mesh_import(const char *path, scree_surface *surface, scree_error *error);

/* What a user should know of a mesh, as one sentence; false: nothing. */
bool scree_mesh_remark(const scree_mesh_report *report, bool solid, char *text, size_t room);

#endif
