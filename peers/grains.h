/*
 * What the drivers of other engines share: the bed that `scree bench` writes, a clock, a median.
 *
 * The file: the lengths of the floor's edges and the number of grains; then x y z diameter of each, in m. The drivers
 * scale lengths so that the mean grain is 1, the size that engines for games are made for.
 */
#ifndef SCREE_PEERS_GRAINS_H
#define SCREE_PEERS_GRAINS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct peer_grain {
    double x[3], radius; /* mean diameters */
} peer_grain;

typedef struct peer_bed {
    double size[2]; /* mean diameters */
    double scale;   /* m, the mean diameter */
    int count;
    peer_grain *grains;
} peer_bed;

static int peer_read_bed(const char *path, peer_bed *bed)
{
    FILE *in = fopen(path, "r");
    double sum = 0.0;
    if (!in || fscanf(in, "%lf %lf %d", &bed->size[0], &bed->size[1], &bed->count) != 3 || bed->count < 1)
        return 0;
    bed->grains = (peer_grain *)calloc((size_t)bed->count, sizeof *bed->grains);
    for (int i = 0; bed->grains && i < bed->count; i++) {
        peer_grain *g = &bed->grains[i];
        double diameter;
        if (fscanf(in, "%lf %lf %lf %lf", &g->x[0], &g->x[1], &g->x[2], &diameter) != 4)
            return 0;
        g->radius = 0.5 * diameter;
        sum += diameter;
    }
    fclose(in);
    bed->scale = sum / bed->count;
    for (int k = 0; k < 2; k++)
        bed->size[k] /= bed->scale;
    for (int i = 0; bed->grains && i < bed->count; i++) {
        bed->grains[i].radius /= bed->scale;
        for (int k = 0; k < 3; k++)
            bed->grains[i].x[k] /= bed->scale;
    }
    return bed->grains != NULL;
}

/* s, of this process's processor time. */
static double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int peer_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double peer_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, peer_order);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

/*
 * Steps with few and with many iterations by turns; what a contact and iteration cost is the difference of the medians,
 * so that all else that a step does cancels. step(iterations) makes one step and returns the number of its contacts.
 */
static void peer_measure(const char *name, int (*step)(int iterations))
{
    enum { FEW = 10, MANY = 60, PAIRS = 15 };
    double few[PAIRS], many[PAIRS], contacts = 0.0;
    for (int i = 0; i < 10; i++)
        step(FEW);
    for (int i = 0; i < PAIRS; i++) {
        double begin = peer_seconds();
        step(FEW);
        double middle = peer_seconds();
        contacts += (double)step(MANY) / PAIRS;
        few[i] = middle - begin;
        many[i] = peer_seconds() - middle;
    }
    double few_s = peer_median(few, PAIRS), many_s = peer_median(many, PAIRS);
    printf("%s contacts %.0f ns_per_contact_iteration %.4g step_10_iterations_ms %.4g\n", name, contacts,
           1e9 * (many_s - few_s) / (contacts * (MANY - FEW)), 1e3 * few_s);
}

#endif
