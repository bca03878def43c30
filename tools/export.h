/*
 * What `scree export` makes of a recording: files for VTK and ParaView, files for spreadsheets and scripts.
 */
#ifndef SCREE_TOOLS_EXPORT_H
#define SCREE_TOOLS_EXPORT_H

#include "file.h"
#include "recording.h"

#define SCREE_EXPORT_PATH 4096 /* bytes of a path with its closing zero */

/* Where files go, and how many went there. */
typedef struct scree_export {
    const char *directory;
    const scree_recorded_head *head;
    uint32_t files;
    /* Room that every frame uses again. */
    void *room;
    size_t room_size;
} scree_export;

/* The name of a file of the directory, in path. Complains when it is too long. */
bool scree_export_path(const scree_export *to, const char *name, char path[SCREE_EXPORT_PATH]);
/* At least so many bytes of to->room. Complains. */
void *scree_export_room(scree_export *to, size_t bytes);

/* ---- VTK: grains.pvd and bodies.pvd with a .vtp per frame; planes, which would hide the rest, in planes.pvd */

typedef struct scree_export_vtk {
    scree_export base;
    scree_output grains, bodies, planes; /* .pvd */
    bool has_bodies, has_planes;
    char paths[3][SCREE_EXPORT_PATH]; /* of the lists */
} scree_export_vtk;

bool scree_export_vtk_begin(scree_export_vtk *to);
bool scree_export_vtk_frame(scree_export_vtk *to, const scree_recorded_frame *frame, uint32_t number);
bool scree_export_vtk_end(scree_export_vtk *to);
void scree_export_vtk_drop(scree_export_vtk *to);

/* ---- CSV: signals.csv, bodies.csv, and grains_NNNNN.csv per frame */

typedef struct scree_export_csv {
    scree_export base;
    scree_output signals, bodies;
    char paths[2][SCREE_EXPORT_PATH];
} scree_export_csv;

bool scree_export_csv_begin(scree_export_csv *to);
bool scree_export_csv_frame(scree_export_csv *to, const scree_recorded_frame *frame, uint32_t number);
bool scree_export_csv_end(scree_export_csv *to);
void scree_export_csv_drop(scree_export_csv *to);

/* Only the signals, in the form of `scree run --output`. */
void scree_export_signal_header(FILE *csv, const scree_recorded_head *head);
void scree_export_signal_row(FILE *csv, const scree_recorded_head *head, double time, const double *signals);

#endif
