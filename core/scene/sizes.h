/*
 * Size distributions: what the classes and sieves of a fill, grading or emitter say, made ready for drawing.
 *
 * A distribution is a mixture of classes. Within a class the diameters d of [a, b] follow
 *   power       number density ∝ d^−q: q = 0 uniform by number, 3 uniform by mass, 4 between two sieves (the mass
 * passing goes straight over ln d) normal      number density ∝ exp(−z²/2), z = (d − m)/s log-normal  likewise, z = (ln
 * d − m)/s; one by mass of median M is one by number of median M exp(−3 s²), as d³ times the density completes to a
 * square (T. Hatch and S. Choate, 1929)
 */
#ifndef SCREE_SCENE_SIZES_H
#define SCREE_SCENE_SIZES_H

#include "base/random.h"
#include "scene/scene.h"

typedef enum scree_size_form { SCREE_FORM_POWER, SCREE_FORM_NORMAL, SCREE_FORM_LOGNORMAL } scree_size_form;

typedef struct scree_size_class {
    scree_size_form form;
    double a, b;      /* m, smallest and largest diameter */
    double q;         /* 1, exponent of the power form */
    double m, s;      /* of the normal forms */
    double weight;    /* how often the class is drawn */
    double mean_cube; /* m3, of its diameters, by number */
} scree_size_class;

typedef struct scree_sizes {
    scree_size_class *classes; /* [count] */
    uint32_t count;
    double total;             /* of the weights */
    double smallest, largest; /* m, diameters */
    double mean_cube;         /* m3, of the diameters, by number: a grain has ρ π/6 of it on average */
} scree_sizes;

/* The class of one `size` element, without a weight. */
scree_size_class scree_size_class_of(const scree_size *size);

/* The share of a normal or log-normal law, by what it counts, that lies within its bounds; 1 for the others. */
double scree_size_held(const scree_size *size);

/* Of a fill, grading or emitter; of the grading that it refers to when it does. False: no memory. */
bool scree_sizes_make(scree_sizes *sizes, const scree_scene *scene, scree_owner kind, uint32_t owner,
                      const scree_memory *memory);
void scree_sizes_free(scree_sizes *sizes, const scree_memory *memory);

/* A diameter, m. Takes two random numbers. */
double scree_sizes_draw(const scree_sizes *sizes, scree_random *random);

#endif
