/*
 * The force law of a contact: what two materials and two radii make of it (METHOD §2, §3).
 */
#ifndef SCREE_SOLVE_LAW_H
#define SCREE_SOLVE_LAW_H

#include "scene/scene.h"

typedef struct scree_contact_law {
    double k_n;         /* N/m^(3/2) or N/m */
    double e;           /* 5/4 (Hertz) or 1 (linear) */
    double tau;         /* s, c/e */
    double mu;          /* 1 */
    double roll;        /* m, rolling limit over P_n */
    double twist;       /* m, twist limit over P_n */
    double restitution; /* 1 */
    double adhesion;    /* N */
} scree_contact_law;

/* a, b: materials; r_eff: effective radius r*; r_roll: radius of the rolling limit. */
scree_contact_law scree_contact_law_of(const scree_scene *settings, uint32_t a, uint32_t b, double r_eff,
                                       double r_roll);

/* Whether some contact of two grains of diameter d (m) that overlap by a share of it has s/e above the bound in a
 * substep of h (s); s as in METHOD §7. */
bool scree_law_is_stiff(const scree_scene *settings, double d, double h, double overlap, double bound);

#endif
