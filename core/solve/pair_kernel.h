/*
 * The kernels: included by a file that says for which processor, and has set KERNELS, the name of the table it makes.
 *
 * With q = 1 + 4 τ_n/h = 1/Υ and S = h² e k_n δ^(2e−2), the normal step of METHOD §4 is
 *   P_n − (u_n + Σ_n P_n − b_n)/D_n = P_n − (S (q u_n − 4 δ/(h e) − u_n⁰) + 4 P_n) / (S q (1/m_a + 1/m_b) + 4)
 * and that of rolling, with Σ_r = Σ_t/l_a², is (l_a² w + Σ_t P_r)/(l_a² (1/I_a + 1/I_b) + Σ_t). The arms are along n:
 * the slip does not depend on the normal impulse, and all changes of a contact's impulses are applied at once.
 *
 * A block remembers what its pairs did to their grains: p on b and −p on a, the angular impulses q_b on b and −q_a on
 * a. With the normal and the arms of now these are P_n = n·p + h f_a, P_t = p − (n·p) n, n × P_t = (q_a − q_b)/(l_a +
 * l_b) and P_r = q_a − l_a n × P_t. Whatever the new impulses are, the difference to the remembered ones is applied,
 * and so each grain has got the new ones alone in the end.
 *
 * Grains are in doubles, and so is all that takes a difference of theirs: distance, overlap, relative velocity, and
 * what an impulse does to them, the same number to both. The rows are floats: a contact is solved to seven digits of
 * its own impulse. Linear momentum is kept to the rounding of doubles, angular momentum to that of floats.
 *
 * The operations of a block form a long chain, each waiting for the one before. Blocks of a strip share no grain: a few
 * go through the stages of a kernel together, so that there is always another one to work on.
 */
#include "solve/lanes.h"
#include "solve/pair_kernels.h"

#include <string.h>

_Static_assert((int)LANES == (int)SCREE_LANES, "a block is a vector");

enum { BATCH = 4, AHEAD = 3, BLOCKS_AHEAD = 6 }; /* blocks that go together, whose grains are called, themselves */

/* ---------------------------------------------------------------- law */

/* The force law of the pairs of a block; k_n, roll, twist for radii of 1 m. */
typedef struct laws {
    lanes k_n, e, tau, mu, roll, twist, restitution, adhesion;
    lanes inv_e;
} laws;

static laws laws_of(const scree_pair_job *job, const uint32_t *kinds)
{
    four first[LANES], second[LANES];
    for (int k = 0; k < LANES; k++) {
        const double *from = &job->laws[kinds[k]].k_n;
        first[k] = (four){from[0], from[1], from[2], from[3]};
        second[k] = (four){from[4], from[5], from[6], from[7]};
    }
    lanes4 a = columns(first), b = columns(second);
    return (laws){a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, 1.0f / a.y};
}

/* That of all pairs, when they are of one kind. */
static laws common_laws(const scree_pair_job *job)
{
    uint32_t kinds[LANES];
    for (int k = 0; k < LANES; k++)
        kinds[k] = job->pairs->mixed ? 0 : job->pairs->kinds[0][0];
    return laws_of(job, kinds);
}

/* `common`, or the block's own in `own`. */
static inline const laws *find_laws(const scree_pair_job *job, const laws *common, const scree_pair_block *block,
                                    laws *own)
{
    if (!job->pairs->mixed)
        return common;
    *own = laws_of(job, job->pairs->kinds[block - job->pairs->blocks]);
    return own;
}

/* ---------------------------------------------------------------- what a block carries from stage to stage */

typedef struct visit {
    scree_pair_block *block;
    uint32_t at_a[LANES], at_b[LANES]; /* bytes, where the grains begin in stand and in twist */
    laws own;
    const laws *law;
    /* locate */
    wide4 gap; /* m, x_b − x_a, and the sum of the radii as w */
    wide square;
    /* orient */
    lanes3 n;
    lanes la, lb, overlap, inv_distance, sum, r_eff, r_roll;
    mask closed;
    /* look */
    lanes u0, u; /* m/s, u_n before gravity and now */
    lanes3 dv, wa, wb;
    lanes inv_ma, inv_mb, inv_ia, inv_ib; /* as they are solved with: zero for grains that sleep */
    lanes inv_mass;                       /* 1/kg, 1/m_a + 1/m_b, also of grains that sleep */
    mask fixed_a, fixed_b;                /* sleep */
    /* weigh: P_n ← max(0, P_n − a u_n + b − c P_n) */
    lanes a, b, c, push; /* push: S q */
    /* press */
    lanes pn, pull;
    lanes3 free; /* N s, P_t without limit; then N m s, rolling part of P_r without limit */
    lanes limit; /* N s, then N m s */
    lanes sigma, inv_dr;
    /* rub */
    lanes3 p, turn; /* N s, new p; new n × P_t */
    lanes along;    /* N m s, twist part without limit */
} visit;

/* Byte offsets of the grains, the same in stand and in twist. */
static inline const double *stand_at(const scree_pair_job *job, uint32_t offset)
{
    return (const double *)((const char *)job->stand + offset);
}

static inline double *twist_at(const scree_pair_job *job, uint32_t offset)
{
    return (double *)((char *)job->twist + offset);
}

/* Differences of the first three of two grains' four, and the sum of the last. */
static inline four part(const double *a, const double *b)
{
    const four signs = {-0.0, -0.0, -0.0, 0.0};
    typedef uint64_t bits __attribute__((vector_size(32)));
    return four_load(b) + (four)((bits)four_load(a) ^ (bits)signs);
}

static inline void measure_gap(visit *s, const four rows[LANES])
{
    s->gap = wide_columns(rows);
    const wide4 *gap = &s->gap;
    s->square.low = gap->x.low * gap->x.low + gap->y.low * gap->y.low + gap->z.low * gap->z.low;
    s->square.high = gap->x.high * gap->x.high + gap->y.high * gap->y.high + gap->z.high * gap->z.high;
}

/* Where the grains are. */
static inline void locate(const scree_pair_job *job, scree_pair_block *block, visit *s)
{
    four rows[LANES];
    s->block = block;
    s->fixed_a = s->fixed_b = (mask){0};
    for (int k = 0; k < LANES; k++) {
        s->at_a[k] = block->a[k] * (uint32_t)sizeof *job->stand;
        s->at_b[k] = block->b[k] * (uint32_t)sizeof *job->stand;
    }
    for (int k = 0; k < LANES; k++)
        rows[k] = part(stand_at(job, s->at_a[k]), stand_at(job, s->at_b[k]));
    measure_gap(s, rows);
}

static inline wide square_of_sum(const visit *s)
{
    return (wide){s->gap.w.low * s->gap.w.low, s->gap.w.high * s->gap.w.high};
}

/* Lanes that have a pair. */
static inline mask exists(const scree_pair_block *block)
{
    return (mask)(lanes_load(block->share) > lanes_all(0.0f));
}

/* Whether there is anything to do: a pair that touches, or one that did and has impulses to lose. */
static inline bool is_active(const visit *s)
{
    uint32_t near = wide_less(s->square, square_of_sum(s)) & lanes_bits(exists(s->block));
    return near || lanes_bits(some3(lanes3_load(&s->block->p[0][0])));
}

/* Whether any grain of the block is. */
static inline bool is_awake(const scree_pair_job *job, const scree_pair_block *block)
{
    double sum = 0.0;
    for (int k = 0; k < LANES; k++)
        sum += job->stand[block->a[k]].inv_mass + job->stand[block->b[k]].inv_mass;
    return sum > 0.0;
}

/* Asks for a block that will be visited soon. */
static inline void call_block(const scree_pair_job *job, uint32_t i)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < sizeof(scree_pair_block) && i < job->pairs->count; at += LINE)
        __builtin_prefetch((const char *)&job->pairs->blocks[i] + at, 1);
}

/* Asks for the grains of a block that will be visited soon. */
static inline void call(const scree_pair_job *job, const scree_pair_block *block)
{
    for (int k = 0; k < LANES; k++) {
        __builtin_prefetch(&job->stand[block->a[k]]);
        __builtin_prefetch(&job->stand[block->b[k]]);
        __builtin_prefetch(&job->twist[block->a[k]], 1);
        __builtin_prefetch(&job->twist[block->b[k]], 1);
    }
}

/* Normal, arms and radii. */
static inline void orient(const scree_pair_job *job, visit *s)
{
    lanes share = lanes_load(s->block->share), rest = 1.0f - share;
    wide more = square_of_sum(s);
    more.low = more.low - s->square.low;
    more.high = more.high - s->square.high;
    lanes distance = lanes_sqrt(lanes_of(s->square)), sum = lanes_of(s->gap.w);
    lanes3 gap = {lanes_of(s->gap.x), lanes_of(s->gap.y), lanes_of(s->gap.z)};
    /* centres that nearly coincide have no normal; any will part them */
    lanes near = 1e-3f * sum;
    mask apart = (mask)(distance > near);
    distance = lanes_max(distance, near);
    /* the difference of the squares is taken in doubles, that of the roots would need doubles too */
    lanes both = sum + distance, inv = 1.0f / (both * distance); /* one division for two */
    lanes overlap = lanes_of(more) * distance * inv;
    s->inv_distance = both * inv;
    s->overlap = overlap;
    s->sum = sum;
    mask held = (mask)(overlap > lanes_all(0.0f));
    if (job->substep.hold > 0.0) {
        lanes pushed = dot3(gap, lanes3_load(&s->block->p[0][0]));
        held |= (mask)(overlap > -(float)job->substep.hold * s->sum) & (mask)(pushed > lanes_all(0.0f));
    }
    s->closed = held & (mask)(share > lanes_all(0.0f));
    s->n = scale3(lanes_keep(apart, s->inv_distance), gap);
    s->n.z = lanes_select(apart, s->n.z, lanes_all(1.0f));
    s->la = share * distance;
    s->lb = rest * distance;
    s->r_eff = share * rest * s->sum;
    s->r_roll = s->r_eff;
    if (job->by_radius)
        s->r_roll = lanes_min(share, rest) * s->sum;
}

/* Grains that sleep don't move; pairs of two of them keep what they have. */
static inline void hold(const scree_pair_job *job, visit *s)
{
    for (int k = 0; k < LANES; k++) {
        s->fixed_a[k] = -(job->stand[s->block->a[k]].inv_mass == 0.0);
        s->fixed_b[k] = -(job->stand[s->block->b[k]].inv_mass == 0.0);
    }
    s->inv_ma = lanes_keep(~s->fixed_a, s->inv_ma);
    s->inv_ia = lanes_keep(~s->fixed_a, s->inv_ia);
    s->inv_mb = lanes_keep(~s->fixed_b, s->inv_mb);
    s->inv_ib = lanes_keep(~s->fixed_b, s->inv_ib);
    s->closed &= ~(s->fixed_a & s->fixed_b);
}

/* How fast they approached before gravity, how they move now, and how heavy they are: spheres, 1/I = 5/(2 m r²). */
static inline void look(const scree_pair_job *job, visit *s)
{
    four rows[LANES];
    for (int k = 0; k < LANES; k++)
        rows[k] = four_load(stand_at(job, s->at_b[k]) + 4) - four_load(stand_at(job, s->at_a[k]) + 4);
    s->u0 = dot3(s->n, first3(columns(rows)));
    for (int k = 0; k < LANES; k++)
        rows[k] = four_load(twist_at(job, s->at_b[k])) - four_load(twist_at(job, s->at_a[k]));
    s->dv = first3(columns(rows));
    s->u = dot3(s->n, s->dv);
    for (int k = 0; k < LANES; k++)
        rows[k] = four_load(twist_at(job, s->at_a[k]) + 4);
    lanes4 spin = columns(rows);
    lanes share = lanes_load(s->block->share), ra = share * s->sum, rb = s->sum - ra;
    s->wa = first3(spin);
    s->inv_ia = spin.w;
    s->inv_ma = 0.4f * ra * ra * s->inv_ia;
    for (int k = 0; k < LANES; k++)
        rows[k] = four_load(twist_at(job, s->at_b[k]) + 4);
    spin = columns(rows);
    s->wb = first3(spin);
    s->inv_ib = spin.w;
    s->inv_mb = 0.4f * rb * rb * s->inv_ib;
    s->inv_mass = s->inv_ma + s->inv_mb;
}

/* Lets S give way, see rows.c. The law must not change when a grain falls asleep. */
static inline void soften(const scree_pair_job *job, const visit *s, lanes *stiff)
{
    const float bears = (float)job->substep.bears, yield = (float)job->substep.yield;
    lanes r = s->overlap / lanes_min(lanes_all(yield), (float)SCREE_YIELD * s->sum), r2 = r * r, r4 = r2 * r2;
    *stiff = lanes_min(*stiff, bears * s->law->e * (1.0f + r4 * r4) / s->inv_mass);
}

/* The normal row. Stiff contacts are damped more, see METHOD §7. */
static inline void weigh(const scree_pair_job *job, visit *s)
{
    const laws *law = s->law;
    float h = (float)job->substep.h, rate = (float)(4.0 / job->substep.h);
    mask hertz = (mask)(law->e > lanes_all(1.0f));
    lanes soft = lanes_sqrt(s->r_eff * lanes_max(s->overlap, lanes_all(0.0f)));
    lanes stiff =
        (float)(job->substep.h * job->substep.h) * law->e * law->k_n * lanes_select(hertz, soft, lanes_all(1.0f));
    if (job->substep.bears > 0.0)
        soften(job, s, &stiff);
    lanes n_s = lanes_all((float)job->substep.n_s), inv_mass = s->inv_ma + s->inv_mb;
    if (job->substep.tame)
        n_s = n_s * lanes_sqrt(lanes_max(lanes_min(stiff * inv_mass, lanes_all(25.0f)), lanes_all(1.0f)));
    lanes push = stiff * (1.0f + rate * lanes_max(n_s * h, law->tau));
    lanes give = rate * s->overlap * law->inv_e + s->u0, four_or_none = lanes_all(4.0f);
    give = stiff * give;
    if (job->substep.hold > 0.0) {
        /* held: may close its gap in this substep, no more; one that has just done so is open still, but for rounding
         */
        mask open = (mask)(s->overlap <= 1e-7f * s->sum);
        push = lanes_select(open, lanes_all(1.0f), push);
        give = lanes_select(open, lanes_min(s->overlap, lanes_all(0.0f)) / h, give);
        four_or_none = lanes_keep(~open, four_or_none);
    }
    lanes inv = 1.0f / (push * inv_mass + four_or_none);
    s->push = push;
    s->a = push * inv;
    s->b = give * inv;
    s->c = four_or_none * inv;
}

/* v += r p, r of the grain */
static inline void add_row(double *v, double r, four p)
{
    *(four *)v = *(four *)v + four_all(r) * p;
}

static inline void sub_row(double *v, double r, four p)
{
    *(four *)v = *(four *)v - four_all(r) * p;
}

/* Applies p on b and −p on a, q_b on b and −q_a on a, pair after pair: lanes without one add nothing to a grain that is
 * its own partner. */
static inline void push_bodies(const scree_pair_job *job, const visit *s, lanes3 p, lanes3 qa, lanes3 qb)
{
    four rows[LANES];
    if (job->asleep) {
        qa = keep3(~s->fixed_a, qa);
        qb = keep3(~s->fixed_b, qb);
    }
    rows_of(p, rows);
    for (int k = 0; k < LANES; k++) {
        sub_row(twist_at(job, s->at_a[k]), stand_at(job, s->at_a[k])[7], rows[k]);
        add_row(twist_at(job, s->at_b[k]), stand_at(job, s->at_b[k])[7], rows[k]);
    }
    rows_of(qa, rows);
    for (int k = 0; k < LANES; k++)
        sub_row(twist_at(job, s->at_a[k]) + 4, twist_at(job, s->at_a[k])[7], rows[k]);
    rows_of(qb, rows);
    for (int k = 0; k < LANES; k++)
        add_row(twist_at(job, s->at_b[k]) + 4, twist_at(job, s->at_b[k])[7], rows[k]);
}

static inline void store_impulses(scree_pair_block *block, lanes3 p, lanes3 qa, lanes3 qb)
{
    lanes3_store(&block->p[0][0], p);
    lanes3_store(&block->qa[0][0], qa);
    lanes3_store(&block->qb[0][0], qb);
}

/* ---------------------------------------------------------------- limits */

/* Squares of impulses may be too small for a float; those of impulses in units of a common one are not. */
static inline lanes3 limit3(const scree_pair_job *job, lanes3 p, lanes bound)
{
    lanes unit = lanes_all(job->unit), most = unit * bound;
    lanes3 scaled = scale3(unit, p);
    lanes square = dot3(scaled, scaled);
    return scale3(lanes_select((mask)(square > most * most), most / lanes_sqrt(square), lanes_all(1.0f)), p);
}

static inline lanes limit_both(lanes p, lanes bound)
{
    return lanes_max(lanes_min(p, bound), -bound);
}

/* Rolling part within roll, twist part within twist. */
static inline lanes3 limit_roll3(const scree_pair_job *job, lanes3 n, lanes3 p, lanes roll, lanes twist)
{
    lanes along = dot3(n, p);
    lanes3 rolling = limit3(job, mul_sub3(p, along, n), roll);
    return job->twists ? mul_add3(rolling, limit_both(along, twist), n) : rolling;
}

/* ---------------------------------------------------------------- sweep */

/* Diagonals of friction, and of rolling times l_a², with their compliance. */
static inline void tangent_rows(const scree_pair_job *job, visit *s, lanes *d_t, lanes *d_r)
{
    lanes la2 = s->la * s->la, inv_mass = s->inv_ma + s->inv_mb;
    lanes sigma = 1e-9f * inv_mass;
    if (job->gamma > 0.0)
        sigma = lanes_all((float)(job->gamma / job->substep.h));
    *d_t = inv_mass + la2 * s->inv_ia + s->lb * s->lb * s->inv_ib + sigma;
    *d_r = la2 * (s->inv_ia + s->inv_ib) + sigma;
    s->sigma = sigma;
}

/* u_t */
static inline lanes3 slip3(const visit *s)
{
    return sub3(mul_sub3(s->dv, s->u, s->n), cross3(mul_add3(scale3(s->la, s->wa), s->lb, s->wb), s->n));
}

static inline lanes wanted_normal(const visit *s, lanes pn)
{
    return lanes_keep(s->closed, lanes_max(pn - s->a * s->u + s->b - s->c * pn, lanes_all(0.0f)));
}

/* Normal impulse, and friction without its limit. */
static inline void press(const scree_pair_job *job, visit *s, lanes *moved, lanes *held)
{
    lanes3 n = s->n, p = lanes3_load(&s->block->p[0][0]);
    lanes along = dot3(n, p), d_t, d_r, unit = lanes_all(job->unit);
    s->pull = lanes_all(0.0f);
    if (job->adhesive)
        s->pull = lanes_keep(s->closed, (float)job->substep.h * s->law->adhesion);
    lanes last = along + s->pull;
    if (job->asleep)
        last = lanes_keep(~(s->fixed_a & s->fixed_b), last);
    s->pn = wanted_normal(s, last);
    lanes step = unit * (s->pn - last), size = unit * s->pn;
    *moved += step * step;
    *held += size * size;
    tangent_rows(job, s, &d_t, &d_r);
    lanes inv = 1.0f / (d_t * d_r); /* one division for two */
    s->inv_dr = d_t * inv;
    lanes3 pt = mul_sub3(p, along, n);
    s->free = mul_sub3(pt, d_r * inv, mul_add3(slip3(s), s->sigma, pt));
    s->limit = s->law->mu * s->pn;
}

/* Friction, and rolling without its limit. */
static inline void rub(const scree_pair_job *job, visit *s)
{
    lanes3 n = s->n, pt = limit3(job, s->free, s->limit), turn = cross3(n, pt);
    s->p = mul_add3(pt, s->pn - s->pull, n);
    s->turn = turn;
    if (!job->rolls)
        return;
    lanes3 qa = lanes3_load(&s->block->qa[0][0]);
    lanes3 turned = scale3(s->inv_distance, sub3(qa, lanes3_load(&s->block->qb[0][0])));
    lanes3 pr = mul_sub3(qa, s->la, turned);
    lanes change = s->inv_ia * s->la - s->inv_ib * s->lb; /* of w_b − w_a by friction */
    lanes3 w = mul_add3(sub3(s->wb, s->wa), change, sub3(turn, turned));
    lanes3 free = mul_sub3(pr, s->inv_dr, mul_add3(scale3(s->la * s->la, w), s->sigma, pr));
    s->along = dot3(n, free);
    s->free = mul_sub3(free, s->along, n);
    s->limit = s->law->roll * s->r_roll * s->pn;
}

/* Rolling; applies and keeps the new impulses. */
static inline void turn(const scree_pair_job *job, visit *s)
{
    lanes3 pr = none3();
    if (job->rolls) {
        pr = limit3(job, s->free, s->limit);
        if (job->twists)
            pr = mul_add3(pr, limit_both(s->along, s->law->twist * s->r_eff * s->pn), s->n);
    }
    lanes3 p = keep3(s->closed, s->p);
    lanes3 qa = keep3(s->closed, mul_add3(pr, s->la, s->turn)), qb = keep3(s->closed, mul_sub3(pr, s->lb, s->turn));
    lanes3 last_p = lanes3_load(&s->block->p[0][0]), last_qa = lanes3_load(&s->block->qa[0][0]),
           last_qb = lanes3_load(&s->block->qb[0][0]);
    if (job->asleep) {
        mask both = s->fixed_a & s->fixed_b;
        p = select3(both, last_p, p);
        qa = select3(both, last_qa, qa);
        qb = select3(both, last_qb, qb);
    }
    push_bodies(job, s, sub3(p, last_p), sub3(qa, last_qa), sub3(qb, last_qb));
    store_impulses(s->block, p, qa, qb);
}

static double total(lanes parts)
{
    double sum = 0.0;
    for (int k = 0; k < LANES; k++)
        sum += (double)parts[k];
    return sum;
}

/* Blocks that go through the stages together. */
typedef struct batch {
    visit items[BATCH];
    uint32_t count;
} batch;

static inline void solve_batch(const scree_pair_job *job, const laws *common, batch *todo, lanes *moved, lanes *held)
{
    for (uint32_t k = 0; k < todo->count; k++) {
        visit *s = &todo->items[k];
        s->law = find_laws(job, common, s->block, &s->own);
        orient(job, s);
        look(job, s);
        if (job->asleep)
            hold(job, s);
        weigh(job, s);
    }
    for (uint32_t k = 0; k < todo->count; k++)
        press(job, &todo->items[k], moved, held);
    for (uint32_t k = 0; k < todo->count; k++)
        rub(job, &todo->items[k]);
    for (uint32_t k = 0; k < todo->count; k++)
        turn(job, &todo->items[k]);
    todo->count = 0;
}

static void sweep(const scree_pair_job *job, uint32_t begin, uint32_t end, bool far, scree_pair_sums *sums)
{
    laws common = common_laws(job);
    batch todo;
    lanes moved = lanes_all(0.0f), held = moved;
    todo.count = 0;
    scree_pair_block *blocks = job->pairs->blocks;
    for (uint32_t i = begin; i < end; i++) {
        if (job->large)
            call_block(job, i + BLOCKS_AHEAD);
        if (far && i + AHEAD < end)
            call(job, &blocks[i + AHEAD]);
        locate(job, &blocks[i], &todo.items[todo.count]);
        todo.count += is_active(&todo.items[todo.count]) && (!job->asleep || is_awake(job, &blocks[i]));
        if (todo.count == BATCH)
            solve_batch(job, &common, &todo, &moved, &held);
    }
    if (todo.count > 0)
        solve_batch(job, &common, &todo, &moved, &held);
    double unit = (double)job->unit;
    sums->moved += total(moved) / (unit * unit);
    sums->held += total(held) / (unit * unit);
}

/* ---------------------------------------------------------------- warm start */

/* Sets s->p and the new q_a, q_b: the last impulses in the new directions and within their limits, or the model's. */
static inline void lay(const scree_pair_job *job, visit *s, lanes3 *to_qa, lanes3 *to_qb)
{
    const laws *law = s->law;
    float h = (float)job->substep.h;
    lanes share = lanes_all((float)job->share), pn = lanes_all(0.0f), pull = pn;
    lanes3 n = s->n, pt = none3(), pr = pt;
    if (job->adhesive)
        pull = lanes_keep(s->closed, h * law->adhesion);
    if (job->from == SCREE_WARM_MODEL) {
        lanes deep = lanes_max(s->overlap, lanes_all(0.0f));
        lanes soft = lanes_select((mask)(law->e > lanes_all(1.0f)), lanes_sqrt(s->r_eff * deep), lanes_all(1.0f));
        pn = lanes_keep(s->closed, h * law->k_n * deep * soft);
    } else if (job->from == SCREE_WARM_HISTORY) {
        lanes3 p = scale3(share, lanes3_load(&s->block->p[0][0]));
        lanes3 qa = scale3(share, lanes3_load(&s->block->qa[0][0]));
        lanes3 turned = scale3(s->inv_distance, sub3(qa, scale3(share, lanes3_load(&s->block->qb[0][0]))));
        lanes along = dot3(n, p);
        pn = lanes_keep(s->closed, lanes_max(along + pull, lanes_all(0.0f)));
        pt = limit3(job, mul_sub3(p, along, n), law->mu * pn);
        if (job->rolls)
            pr = limit_roll3(job, n, mul_sub3(qa, s->la, turned), law->roll * s->r_roll * pn,
                             law->twist * s->r_eff * pn);
    }
    lanes3 turn = cross3(n, pt);
    s->p = keep3(s->closed, mul_add3(pt, pn - pull, n));
    *to_qa = keep3(s->closed, mul_add3(pr, s->la, turn));
    *to_qb = keep3(s->closed, mul_sub3(pr, s->lb, turn));
}

static inline void start(const scree_pair_job *job, visit *s)
{
    lanes3 qa, qb;
    lay(job, s, &qa, &qb);
    if (job->asleep) {
        s->inv_ma = s->inv_mb = s->inv_ia = s->inv_ib = lanes_all(0.0f);
        hold(job, s);
        mask both = s->fixed_a & s->fixed_b;
        s->p = select3(both, lanes3_load(&s->block->p[0][0]), s->p);
        qa = select3(both, lanes3_load(&s->block->qa[0][0]), qa);
        qb = select3(both, lanes3_load(&s->block->qb[0][0]), qb);
    }
    store_impulses(s->block, s->p, qa, qb);
    push_bodies(job, s, s->p, qa, qb);
}

/* Lets the pairs push as they did in the last substep, but for those that have opened. */
static void repeat(const scree_pair_job *job, uint32_t begin, uint32_t end)
{
    scree_pair_block *blocks = job->pairs->blocks;
    for (uint32_t i = begin; i < end; i++) {
        visit s;
        scree_pair_block *block = &blocks[i];
        if (job->large)
            call_block(job, i + BLOCKS_AHEAD);
        lanes3 p = lanes3_load(&block->p[0][0]);
        if (!lanes_bits(some3(p)))
            continue;
        locate(job, block, &s);
        orient(job, &s);
        mask closed = s.closed;
        if (job->asleep) {
            s.inv_ma = s.inv_mb = s.inv_ia = s.inv_ib = lanes_all(0.0f);
            hold(job, &s);
            closed |= s.fixed_a & s.fixed_b;
        }
        p = keep3(closed, p);
        lanes3 qa = keep3(closed, lanes3_load(&block->qa[0][0]));
        lanes3 qb = keep3(closed, lanes3_load(&block->qb[0][0]));
        store_impulses(block, p, qa, qb);
        push_bodies(job, &s, p, qa, qb);
    }
}

static void warm(const scree_pair_job *job, uint32_t begin, uint32_t end)
{
    if (job->from == SCREE_WARM_HISTORY && job->share == 1.0) {
        repeat(job, begin, end);
        return;
    }
    laws common = common_laws(job);
    for (uint32_t i = begin; i < end; i++) {
        visit s;
        locate(job, &job->pairs->blocks[i], &s);
        orient(job, &s);
        s.law = find_laws(job, &common, s.block, &s.own);
        start(job, &s);
    }
}

/* ---------------------------------------------------------------- impacts */

/* Whether a grain of the block has this bit. */
static inline bool is_lively(const scree_pair_job *job, const scree_pair_block *block, uint8_t bit)
{
    uint32_t some = 0;
    for (int k = 0; k < LANES; k++)
        some |= (uint32_t)job->lively[block->a[k]] | job->lively[block->b[k]];
    return some & bit;
}

static uint32_t find_impacts(const scree_pair_job *job, uint32_t begin, uint32_t end, uint8_t bit)
{
    laws common = common_laws(job), own;
    uint32_t sum = 0;
    memset(job->hits + begin, 0, end - begin);
    for (uint32_t i = begin; i < end; i++) {
        visit s;
        scree_pair_block *block = &job->pairs->blocks[i];
        four rows[LANES];
        if (job->large)
            call_block(job, i + BLOCKS_AHEAD);
        if (!is_lively(job, block, bit))
            continue;
        for (int k = 0; k < LANES; k++)
            rows[k] = part(&job->place[block->a[k]].x.x, &job->place[block->b[k]].x.x);
        measure_gap(&s, rows);
        uint32_t hit = wide_less(s.square, square_of_sum(&s)) & lanes_bits(exists(block));
        if (!hit)
            continue;
        for (int k = 0; k < LANES; k++)
            rows[k] = four_load(&job->twist[block->b[k]].v.x) - four_load(&job->twist[block->a[k]].v.x);
        /* n·u < −speed, without the root: most pairs are open or part */
        lanes3 gap = {lanes_of(s.gap.x), lanes_of(s.gap.y), lanes_of(s.gap.z)};
        lanes approach = dot3(gap, first3(columns(rows)));
        float least = (float)(job->impact_speed * job->impact_speed);
        hit &=
            lanes_bits((mask)(approach < lanes_all(0.0f)) & (mask)(approach * approach > least * lanes_of(s.square)));
        if (!hit)
            continue;
        const laws *law = find_laws(job, &common, block, &own);
        hit &= lanes_bits((mask)(law->restitution > lanes_all((float)job->least_restitution)));
        job->hits[i] = (uint8_t)hit;
        sum += (uint32_t)__builtin_popcount(hit);
    }
    return sum;
}

/* ---------------------------------------------------------------- residual (see residual.h) */

typedef struct totals {
    lanes normal, friction, rolling, change, error, overlap, most;
} totals;

/*
 * a^(2/3) = a · a^(−1/3), a ≥ 0. The guess divides the exponent by −3, off by 3.5 % at most; with e = 1 − a r³ each
 * step r ← r (1 + e/3 + 2 e²/9) leaves 14 e³/81 of r, the second one less than a rounding. Zero gives zero.
 */
static inline lanes two_thirds(lanes a)
{
    lanes third = __builtin_convertvector((mask)a, lanes) * (1.0f / 3.0f);
    lanes r = (lanes) __builtin_convertvector(1.419967116e9f - third, mask);
    for (int i = 0; i < 2; i++) {
        lanes e = 1.0f - a * r * r * r;
        r = r + r * e * (1.0f / 3.0f + 2.0f / 9.0f * e);
    }
    return a * r;
}

/* The overlap at which the elastic law alone gives this impulse. */
static inline lanes bearing_overlap(lanes stretch, mask hertz)
{
    return lanes_select(hertz, two_thirds(lanes_abs(stretch)), stretch);
}

static inline void add_impulse(vec3 *sums, const scree_pair_block *block)
{
    for (int k = 0; k < LANES; k++) {
        vec3 one = {(double)block->p[0][k], (double)block->p[1][k], (double)block->p[2][k]};
        sums[block->a[k]] = sub(sums[block->a[k]], one);
        sums[block->b[k]] = add(sums[block->b[k]], one);
    }
}

static inline void measure_tangents(const scree_pair_job *job, visit *s, lanes pn, lanes3 pt, totals *sum)
{
    const laws *law = s->law;
    lanes d_t, d_r, la2 = s->la * s->la;
    tangent_rows(job, s, &d_t, &d_r);
    if (job->rubs) {
        lanes3 wanted = mul_sub3(pt, 1.0f / d_t, mul_add3(slip3(s), s->sigma, pt));
        lanes3 lack = scale3(d_t, sub3(pt, limit3(job, wanted, law->mu * pn)));
        sum->friction += lanes_keep(s->closed, dot3(lack, lack));
    }
    if (job->rolls) {
        lanes3 qa = lanes3_load(&s->block->qa[0][0]);
        lanes3 turned = scale3(s->inv_distance, sub3(qa, lanes3_load(&s->block->qb[0][0])));
        lanes3 pr = mul_sub3(qa, s->la, turned);
        lanes3 wanted = mul_sub3(pr, 1.0f / d_r, mul_add3(scale3(la2, sub3(s->wb, s->wa)), s->sigma, pr));
        lanes3 lack =
            scale3(d_r / s->la,
                   sub3(pr, limit_roll3(job, s->n, wanted, law->roll * s->r_roll * pn, law->twist * s->r_eff * pn)));
        sum->rolling += lanes_keep(s->closed, dot3(lack, lack));
    }
}

static inline uint32_t measure_block(const scree_pair_job *job, const laws *common, scree_pair_block *block,
                                     totals *sum)
{
    visit s;
    locate(job, block, &s);
    if (!is_active(&s))
        return 0;
    orient(job, &s);
    if (!lanes_bits(s.closed))
        return 0;
    s.law = find_laws(job, common, block, &s.own);
    look(job, &s);
    weigh(job, &s);
    const laws *law = s.law;
    float h = (float)job->substep.h;
    lanes3 p = lanes3_load(&block->p[0][0]);
    lanes along = dot3(s.n, p), pn = along, inv_sum = 1.0f / s.sum;
    if (job->adhesive)
        pn = pn + h * law->adhesion;
    mask touches = s.closed & (mask)(s.overlap > lanes_all(0.0f));
    lanes stretched = lanes_select(touches, 4.0f / s.push, lanes_all(0.0f));
    lanes r_n = (pn - wanted_normal(&s, pn)) * (s.inv_ma + s.inv_mb + stretched);
    sum->normal += lanes_keep(s.closed, r_n * r_n);
    measure_tangents(job, &s, pn, mul_sub3(p, along, s.n), sum);
    mask hertz = s.closed & (mask)(law->e > lanes_all(1.0f));
    lanes k_n = law->k_n * lanes_select(hertz, lanes_sqrt(s.r_eff), lanes_all(1.0f));
    lanes lack = s.overlap - bearing_overlap(pn / (h * k_n), hertz), deep = s.overlap * inv_sum;
    sum->error += lanes_keep(touches, lanes_abs(lack) * inv_sum);
    sum->change += lanes_keep(s.closed, (s.u - s.u0) * (s.u - s.u0));
    sum->overlap += lanes_keep(touches, deep);
    sum->most = lanes_max(sum->most, lanes_keep(touches, deep));
    add_impulse(job->sums, block);
    return lanes_bits(s.closed);
}

static void measure(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums)
{
    laws common = common_laws(job);
    totals part = {0};
    for (uint32_t i = begin; i < end; i++) {
        if (job->large)
            call_block(job, i + BLOCKS_AHEAD);
        uint32_t closed = measure_block(job, &common, &job->pairs->blocks[i], &part);
        job->pairs->closed[i] = (uint8_t)closed;
        sums->count += (uint32_t)__builtin_popcount(closed);
    }
    sums->normal += total(part.normal);
    sums->friction += total(part.friction);
    sums->rolling += total(part.rolling);
    sums->change += total(part.change);
    sums->error += total(part.error);
    sums->overlap += total(part.overlap);
    for (int k = 0; k < LANES; k++)
        sums->most = fmax(sums->most, (double)part.most[k]);
}

#include "solve/grain_kernel.h"

const scree_kernels KERNELS = {KERNELS_NAME, find_impacts, warm, sweep, measure, kick, watch, move};
