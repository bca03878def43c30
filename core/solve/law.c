#include "solve/law.h"

#include "base/math.h"

#include <math.h>

/* 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b;  k_n = (4/3) E* √r* */
static double hertz_stiffness(const scree_material *a, const scree_material *b, double r)
{
    double compliance = (1.0 - a->poisson * a->poisson) / a->youngs + (1.0 - b->poisson * b->poisson) / b->youngs;
    return 4.0 / 3.0 / compliance * sqrt(r);
}

/* c of the materials' viscosities (Paper I eq. 11), each with the share of the compliance that is its own. */
static double damping_time(const scree_pair *pair, const scree_material *a, const scree_material *b)
{
    if (pair->damping > 0.0)
        return pair->damping;
    const scree_material *both[2] = {a, b};
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < 2; i++) {
        double nu = both[i]->poisson, soft = (1.0 - nu * nu) / both[i]->youngs;
        weight += soft;
        if (both[i]->viscosity > 0.0)
            sum += soft * 4.0 * (1.0 - nu * nu) * (1.0 - 2.0 * nu) * both[i]->viscosity /
                   (15.0 * both[i]->youngs * nu * nu);
    }
    return sum / weight;
}

scree_contact_law scree_contact_law_of(const scree_scene *settings, uint32_t a, uint32_t b, double r_eff, double r_roll)
{
    const scree_pair *pair = &settings->pairs[scree_scene_find_pair(settings, a, b)];
    const scree_material *both[2] = {&settings->materials[a], &settings->materials[b]};
    bool hertz = pair->law == SCREE_LAW_HERTZ;
    double e = hertz ? 1.25 : 1.0;
    return (scree_contact_law){.k_n = hertz ? hertz_stiffness(both[0], both[1], r_eff) : pair->stiffness,
                               .e = e,
                               .tau = damping_time(pair, both[0], both[1]) / e,
                               .mu = pair->friction,
                               .roll = pair->rolling * r_roll,
                               .twist = pair->twist * pair->friction * r_eff,
                               .restitution = pair->restitution,
                               .adhesion = pair->adhesion};
}

bool scree_law_is_stiff(const scree_scene *settings, double d, double h, double overlap, double bound)
{
    double volume = SCREE_PI / 6.0 * d * d * d;
    bool some = false;
    for (uint32_t i = 0; i < settings->pair_count; i++) {
        uint32_t a = settings->pairs[i].a, b = settings->pairs[i].b;
        scree_contact_law law = scree_contact_law_of(settings, a, b, 0.25 * d, 0.25 * d);
        double k = law.e > 1.0 ? law.k_n * sqrt(overlap * d) : law.k_n; /* e k is that of (2.2) */
        double inv_mass = (1.0 / settings->materials[a].density + 1.0 / settings->materials[b].density) / volume;
        some = some || h * h * k * inv_mass > bound;
    }
    return some;
}
