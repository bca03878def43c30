/*
 * The FMU's own files: from the importer's resourceLocation to the scene.
 */
#ifndef SCREE_FMU_RESOURCE_H
#define SCREE_FMU_RESOURCE_H

#include "scree.h"

#define SCREE_PATH_SIZE 4096

/*
 * The path that a resourceLocation names: file:/p, file:///p, file://localhost/p with percent-encoded characters, or a
 * plain absolute path, which some importers pass. No closing slash.
 */
scree_status scree_resource_path(const char *location, char path[SCREE_PATH_SIZE], scree_error *error);

/* Reads and checks scene.bin in the folder that location names. */
scree_status scree_resource_scene(const char *location, const scree_memory *memory, scree_scene **scene,
                                  scree_error *error);

/* Reads settled.bin, if there is one; else *bytes is NULL. The caller releases them with memory. */
scree_status scree_resource_settled(const char *location, const scree_memory *memory, uint8_t **bytes, size_t *size,
                                    scree_error *error);

#endif
