/*
 * VTK's PolyData as XML with its numbers appended as raw bytes (.vtp), and the list of such files over time (.pvd), as
 * ParaView opens them.
 */
#ifndef SCREE_TOOLS_VTP_H
#define SCREE_TOOLS_VTP_H

#include "file.h"

#include <stdint.h>

typedef enum scree_vtp_place {
    SCREE_VTP_POINTS, /* exactly one array, 3 components */
    SCREE_VTP_POINT_DATA,
    SCREE_VTP_CELL_DATA,
    SCREE_VTP_VERTS, /* connectivity, offsets */
    SCREE_VTP_POLYS,
    SCREE_VTP_PLACES
} scree_vtp_place;

typedef enum scree_vtp_type { SCREE_VTP_FLOAT32, SCREE_VTP_INT32, SCREE_VTP_UINT32 } scree_vtp_type;

/* One array of a file; all types have 4 bytes. */
typedef struct scree_vtp_array {
    scree_vtp_place place;
    const char *name;
    scree_vtp_type type;
    uint32_t components;
    const void *values;
    size_t count; /* tuples */
} scree_vtp_array;

typedef struct scree_vtp {
    const scree_vtp_array *arrays; /* in the order of their places */
    size_t array_count;
    size_t points, verts, polys;
} scree_vtp;

/* Writes a whole file. Complains. */
bool scree_vtp_write(const scree_vtp *vtp, const char *path);

/* ---- .pvd */

/* Opens, adds files, ends; a commit of the output makes it whole. file: relative to the .pvd. */
void scree_pvd_begin(FILE *pvd);
void scree_pvd_add(FILE *pvd, double time, unsigned part, const char *file);
void scree_pvd_end(FILE *pvd);

#endif
