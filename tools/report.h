/*
 * What `scree report` knows of a run, and the parts it makes a page of.
 */
#ifndef SCREE_TOOLS_REPORT_H
#define SCREE_TOOLS_REPORT_H

#include "plot.h"
#include "recording.h"

/* All signals of a recording, one after the other. */
typedef struct scree_series {
    const scree_recorded_head *head;
    const char *directory;
    size_t count;          /* frames */
    double *times, *walls; /* s, [count] */
    double *values;        /* [signal][count] */
    uint64_t bytes;        /* of the recording */
    bool done;
    uint32_t first_grains, last_grains; /* in the first and the last frame */
    double smallest, largest;           /* m, diameters in the last frame */
} scree_series;

const double *scree_series_of(const scree_series *series, uint32_t signal);

typedef enum scree_report_section {
    SCREE_REPORT_PORTS,
    SCREE_REPORT_SENSORS,
    SCREE_REPORT_GRAINS,
    SCREE_REPORT_SOLVER,
    SCREE_REPORT_SECTIONS
} scree_report_section;

typedef struct scree_report_plot {
    scree_report_section section;
    char name[160]; /* for a file: letters, digits, _ and - */
    char title[200];
    char labels[SCREE_PLOT_CURVES][64];
    scree_plot plot;
} scree_report_plot;

/* How hard a port was pushed. */
typedef struct scree_report_port {
    const char *name; /* not closed: name_size characters */
    int name_size;
    double peak_force, peak_time, mean_force; /* N, s, N: of the magnitude */
    double peak_torque;                       /* N m */
} scree_report_port;

typedef struct scree_report {
    scree_series series;
    scree_report_plot *plots;
    uint32_t plot_count, plot_room;
    scree_report_port *ports;
    uint32_t port_count, port_room;
    double **extra; /* columns that were computed, to be freed */
    uint32_t extra_count, extra_room;
    bool failed; /* out of memory */
} scree_report;

/* Chooses what is plotted: ports, sensors, grains, solver; what never changed is left out. False: no memory. */
bool scree_report_choose(scree_report *report);
void scree_report_free(scree_report *report);

/* The whole page. */
void scree_report_page(FILE *out, const scree_report *report);

/* Figures for scripts. */
void scree_report_json(FILE *out, const scree_report *report);

#endif
