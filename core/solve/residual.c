#include "solve/residual.h"

#include "solve/cone.h"

#include <string.h>

typedef struct total {
    double normal, friction, rolling; /* (m/s)², sums */
    double change;                    /* (m/s)², sum of squared changes of u_n in the substep */
    double overlap;                   /* 1, sum */
    uint32_t count;
} total;

/* The overlap at which the elastic law alone gives this impulse. */
static double bearing_overlap(const scree_row *row, double pn, double h)
{
    double stretch = pn / (h * row->k_n);
    return row->e > 1.0 ? cbrt(stretch * stretch) : stretch;
}

static void add_contact(total *sum, const scree_row *row, const scree_contact *contact, const scree_twist *a,
                        const scree_twist *b, double h)
{
    double u_n = scree_normal_velocity(row, a, b), pn = contact->pn;
    double wanted = pn - (u_n * row->inv_dn + row->c * pn - row->b);
    double r_n = (pn - (wanted > 0.0 ? wanted : 0.0)) / row->inv_dn;
    sum->normal += r_n * r_n;
    if (row->mu > 0.0) {
        vec3 r_t = sub(contact->pt, scree_wanted_friction(row, pn, contact->pt, scree_slip(row, a, b)));
        sum->friction += dot(r_t, r_t) / (row->inv_dt * row->inv_dt);
    }
    if (scree_resists_rolling(row)) {
        vec3 r_r = sub(contact->pr, scree_wanted_rolling(row, pn, contact->pr, sub(b->w, a->w)));
        sum->rolling += dot(r_r, r_r) * row->la * row->la / (row->inv_dr * row->inv_dr);
    }
    sum->change += (u_n - row->u_n) * (u_n - row->u_n);
    sum->overlap += fabs(row->overlap - bearing_overlap(row, pn, h)) / row->distance;
    sum->count++;
}

scree_residual scree_residual_measure(const scree_rows *rows, const scree_system *system, const scree_heavy *heavy,
                                      scree_pair_job *job, vec3 gravity_change, scree_pair_sums *pairs)
{
    const scree_twist *twist = system->particles->twist;
    uint32_t n = system->particles->count;
    double h = job->substep.h;
    vec3 *sums = job->sums;
    total sum = {0};
    memset(sums, 0, n * sizeof *sums);
    for (uint32_t k = 0; k < rows->closed_count; k++) {
        uint32_t i = rows->closed[k];
        const scree_row *row = &rows->wall_rows[i];
        const scree_contact *contact = &system->walls->items[i];
        add_contact(&sum, row, contact, &twist[contact->a], &rows->surfaces[i], h);
        sums[contact->a] = sub(sums[contact->a], mul_add(contact->pt, contact->pn - row->pull, row->n));
    }
    *pairs = (scree_pair_sums){0};
    scree_pair_measure(job, pairs);
    sum.normal += pairs->normal;
    sum.friction += pairs->friction;
    sum.rolling += pairs->rolling;
    sum.change += pairs->change;
    sum.overlap += pairs->error;
    sum.count += pairs->count;
    for (size_t i = 0; i < heavy->loads.count; i++) {
        const scree_heavy_row *row = &heavy->load_rows[i];
        const scree_contact *contact = &heavy->loads.items[i];
        if (row->closed)
            sums[contact->a] = sub(sums[contact->a], mul_add(contact->pt, contact->pn - row->pull, row->n));
    }
    double lack = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        vec3 change = sub(sub(twist[i].v, job->stand[i].v), gravity_change);
        vec3 off = mul_add(change, -twist[i].inv_mass, sums[i]);
        lack += dot(off, off);
    }
    scree_residual result = {0};
    if (sum.count == 0)
        return result;
    double scale_ = length(gravity_change) + sqrt(sum.change / sum.count);
    if (!(scale_ > 0.0))
        return result; /* nothing moves and nothing pulls */
    result.scale = scale_;
    result.normal = sqrt(sum.normal / sum.count) / scale_;
    result.friction = sqrt(sum.friction / sum.count) / scale_;
    result.rolling = sqrt(sum.rolling / sum.count) / scale_;
    result.momentum = sqrt(lack / n) / scale_;
    result.overlap_error = sum.overlap / sum.count;
    return result;
}
