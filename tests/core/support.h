/*
 * What the C tests share: a scene from a few short lines, and worlds that are started or the test fails.
 *
 *   scree_scene *scene = make_scene("scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=1e7", …,
 * NULL);
 *
 * Lines as in tools/scene_lines.h.
 */
#ifndef SCREE_TESTS_SUPPORT_H
#define SCREE_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scree.h"

scree_scene *make_scene(const char *line, ...);

/* The same for lines with a `mesh`: each gets the next of these surfaces. */
scree_scene *make_scene_with(const scree_surface *meshes, const char *line, ...);

/* As make_scene, but gives the status of the first failure, with its message in error. */
scree_status try_scene(scree_error *error, scree_scene **scene, const char *line, ...);

scree_world *make_world(const scree_scene *scene);

/* Steps n times by dt; the test fails when a step does. */
void run(scree_world *world, double dt, int n);

/* The record of item `index` of an element, and one of its fields by name; for scree_world_set_value. */
void set_value(scree_world *world, scree_element element, uint32_t index, const char *field, uint32_t component,
               double value);

#define assert_near(value, expected, tolerance)                                                                        \
    do {                                                                                                               \
        double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);                                     \
        if (!(value_ - expected_ <= tolerance_ && expected_ - value_ <= tolerance_)) {                                 \
            print_error("%s = %.17g, expected %.17g within %g\n", #value, value_, expected_, tolerance_);              \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

#endif
