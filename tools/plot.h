/*
 * Curves over time as SVG: axes with round numbers, units, a legend. Colours come from style sheet classes, so that a
 * page shows them light or dark; a plot of its own brings its style along.
 */
#ifndef SCREE_TOOLS_PLOT_H
#define SCREE_TOOLS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SCREE_PLOT_CURVES = 8 };

typedef struct scree_curve {
    const char *name;
    const double *values; /* [count]; what is not finite leaves a gap */
} scree_curve;

typedef struct scree_plot {
    const char *title;
    const char *unit;    /* SI; "1" for none */
    const double *times; /* s, [count], rising */
    size_t count;
    scree_curve curves[SCREE_PLOT_CURVES];
    uint32_t curve_count;
    bool logarithmic;
} scree_plot;

/* The style that plots in a page need, once. */
const char *scree_plot_style(void);

/* alone: as a file of its own. */
void scree_plot_write(FILE *out, const scree_plot *plot, bool alone);

/* Text with what XML and HTML need escaped. */
void scree_plot_text(FILE *out, const char *text);

/* A unit as people write it: m/s2 becomes m/s². "1" becomes "". */
void scree_plot_unit(const char *unit, char *text, size_t room);

#endif
