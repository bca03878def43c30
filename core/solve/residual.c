#include "solve/residual.h"

#include "solve/cone.h"

#include <string.h>

/* The overlap at which the elastic law alone gives this impulse. */
static double bearing_overlap(const scree_row *row, double pn, double h)
{
    double stretch = pn / (h * row->k_n);
    return row->e > 1.0 ? cbrt(stretch * stretch) : stretch;
}

static void add_contact(scree_pair_sums *sum, const scree_row *row, const scree_contact *contact, const scree_twist *a,
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
    sum->error += fabs(row->overlap - bearing_overlap(row, pn, h)) / row->distance;
    sum->count++;
}

typedef struct measuring {
    const scree_rows *rows;
    const scree_system *system;
    scree_pair_job *job;
    vec3 gravity_change;
} measuring;

/* Contacts with bodies; sums of the tile begin with theirs. */
static void measure_walls(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const measuring *todo = context;
    const scree_rows *rows = todo->rows;
    vec3 *sums = todo->job->sums;
    scree_pair_sums *sum = &todo->job->partial[tile]; /* the first ranges of the pairs are the tiles */
    *sum = (scree_pair_sums){0};
    memset(sums + begin, 0, (end - begin) * sizeof *sums);
    for (uint32_t k = rows->closed_starts[tile]; k < rows->closed_starts[tile + 1]; k++) {
        uint32_t i = rows->closed[k];
        const scree_row *row = &rows->wall_rows[i];
        const scree_contact *contact = &todo->system->walls->items[i];
        add_contact(sum, row, contact, &todo->system->particles->twist[contact->a], &rows->surfaces[i],
                    todo->job->substep.h);
        sums[contact->a] = sub(sums[contact->a], mul_add(contact->pt, contact->pn - row->pull, row->n));
    }
}

/* What the changes of velocity lack to the impulses. */
static void measure_lack(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const measuring *todo = context;
    const scree_twist *twist = todo->system->particles->twist;
    double lack = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        vec3 change = sub(sub(twist[i].v, todo->job->stand[i].v), todo->gravity_change);
        vec3 off = mul_add(change, -twist[i].inv_mass, todo->job->sums[i]);
        lack += dot(off, off);
    }
    todo->job->partial[tile].moved = lack; /* no sweep uses it now */
}

static void add_up(scree_pair_sums *sum, const scree_pair_sums *part)
{
    sum->normal += part->normal;
    sum->friction += part->friction;
    sum->rolling += part->rolling;
    sum->change += part->change;
    sum->error += part->error;
    sum->count += part->count;
}

scree_residual scree_residual_measure(const scree_rows *rows, const scree_system *system, const scree_heavy *heavy,
                                      scree_pair_job *job, vec3 gravity_change, scree_pair_sums *pairs)
{
    uint32_t n = system->particles->count, tiles = scree_pool_ranges(n, SCREE_TILE);
    measuring todo = {rows, system, job, gravity_change};
    scree_pair_sums sum = {0};
    scree_pool_run(job->pool, n, SCREE_TILE, measure_walls, &todo);
    for (uint32_t t = 0; t < tiles; t++)
        add_up(&sum, &job->partial[t]);
    *pairs = (scree_pair_sums){0};
    scree_pair_measure(job, pairs);
    add_up(&sum, pairs);
    for (size_t i = 0; i < heavy->loads.count; i++) {
        const scree_heavy_row *row = &heavy->load_rows[i];
        const scree_contact *contact = &heavy->loads.items[i];
        if (row->closed)
            job->sums[contact->a] = sub(job->sums[contact->a], mul_add(contact->pt, contact->pn - row->pull, row->n));
    }
    scree_pool_run(job->pool, n, SCREE_TILE, measure_lack, &todo);
    double lack = 0.0;
    for (uint32_t t = 0; t < tiles; t++)
        lack += job->partial[t].moved;
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
    result.overlap_error = sum.error / sum.count;
    return result;
}
