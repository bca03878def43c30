/*
 * The kernels of one width: included by a file that has set LANES and KERNELS, the name of the table it makes.
 *
 * With q = 1 + 4 τ_n/h = 1/Υ and S = h² e k_n δ^(2e−2), the normal step of METHOD §4 is
 *   P_n − (u_n + Σ_n P_n − b_n)/D_n = P_n − (S (q u_n − 4 δ/(h e) − u_n⁰) + 4 P_n) / (S q (1/m_a + 1/m_b) + 4)
 * and that of rolling, with Σ_r = Σ_t/l_a², is (l_a² w + Σ_t P_r)/(l_a² (1/I_a + 1/I_b) + Σ_t). The arms are along n:
 * the slip does not depend on the normal impulse, and all changes of a contact's impulses are applied at once.
 *
 * A block remembers what its pairs did to their grains: p on b and −p on a, the angular impulses q_b on b and −q_a on
 * a. With the normal and the arms of now these are P_n = n·p + h f_a, P_t = p − (n·p) n, n × P_t = (q_a − q_b)/(l_a +
 * l_b) and P_r = q_a − l_a n × P_t. Whatever the new impulses are, the difference to the remembered ones is applied,
 * and so each grain has got the new ones alone in the end: momentum is kept to rounding although the old ones had other
 * normals.
 *
 * The operations of a block form a long chain, each waiting for the one before. Blocks of a strip share no grain: a few
 * go through the stages of a kernel together, so that there is always another one to work on. Stages end where a root
 * or a quotient has to be waited for.
 */
#include "solve/lanes.h"
#include "solve/pair_kernels.h"

#include <string.h>

enum {
    PARTS = SCREE_LANES / LANES,
    BATCH = 4,
    AHEAD = 6
}; /* parts of a block that fill a vector; blocks that go
       together, that are called before they come */

#define EACH_PART(k, lane, count)                                                                                      \
    for (uint32_t k = 0; k < (count); k++)                                                                             \
        for (uint32_t lane = 0; lane < SCREE_LANES; lane += LANES)

/* ---------------------------------------------------------------- law */

/* The force law of the pairs of a part; k_n, roll, twist for radii of 1 m. */
typedef struct laws {
    lanes k_n, e, tau, mu, roll, twist, restitution, adhesion;
} laws;

static laws common_laws(const scree_pair_job *job)
{
    const scree_contact_law *law = &job->laws[job->pairs->mixed ? 0 : job->pairs->kinds[0][0]];
    return (laws){lanes_all(law->k_n),  lanes_all(law->e),     lanes_all(law->tau),         lanes_all(law->mu),
                  lanes_all(law->roll), lanes_all(law->twist), lanes_all(law->restitution), lanes_all(law->adhesion)};
}

/* `common` when all pairs are of one kind. */
static inline laws laws_of(const scree_pair_job *job, const laws *common, const scree_pair_block *block, uint32_t lane)
{
    if (!job->pairs->mixed)
        return *common;
    const uint32_t *kinds = job->pairs->kinds[block - job->pairs->blocks] + lane;
    const double *from[LANES], *rest[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        from[k] = &job->laws[kinds[k]].k_n;
        rest[k] = from[k] + 4;
    }
    lanes4 first = lanes4_gather(from), second = lanes4_gather(rest);
    return (laws){first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
}

/* ---------------------------------------------------------------- what a part carries from stage to stage */

typedef struct visit {
    /* locate */
    lanes3 gap; /* m, x_b − x_a */
    lanes square, sum, ra, rb;
    /* orient */
    lanes3 n;
    lanes la, lb, overlap, inv_distance, inv_sum, r_eff, r_roll;
    mask closed;
    lanes u0, inv_mass; /* u_n before gravity; 1/m_a + 1/m_b */
    /* weigh: P_n ← max(0, P_n − a u_n + b − c P_n) */
    lanes a, b, c, push; /* push: S q */
    /* press */
    lanes3 va, vb, wa, wb;
    lanes inv_ma, inv_mb, inv_ia, inv_ib; /* as they are solved with: zero for grains that sleep */
    lanes own_ma, own_mb, own_ia, own_ib; /* as they are */
    mask fixed_a, fixed_b;                /* sleep */
    lanes pn, pull;
    lanes3 free; /* N s, P_t without limit; then N m s, rolling part of P_r without limit */
    lanes limit; /* N s, then N m s */
    lanes sigma, inv_dr;
    /* rub */
    lanes3 p, turn; /* N s, new p; new n × P_t */
    lanes along;    /* N m s, twist part without limit */
} visit;

static inline void measure_gap(visit *s, lanes4 pa, lanes4 pb)
{
    lanes3 gap = {pb.x - pa.x, pb.y - pa.y, pb.z - pa.z};
    s->gap = gap;
    s->square = dot3(gap, gap);
    s->sum = pa.w + pb.w;
    s->ra = pa.w;
    s->rb = pb.w;
}

/* Where the grains are. */
static inline void locate(const scree_pair_job *job, const scree_pair_block *block, uint32_t lane, visit *s)
{
    const double *from_a[LANES], *from_b[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        from_a[k] = &job->stand[block->a[lane + k]].x.x;
        from_b[k] = &job->stand[block->b[lane + k]].x.x;
    }
    measure_gap(s, lanes4_gather(from_a), lanes4_gather(from_b));
}

/* Whether there is anything to do: a pair that touches, or one that did and has impulses to lose. */
static inline bool is_active(const scree_pair_block *block, uint32_t lane, const visit *s)
{
    lanes3 p = lanes3_load(&block->p[0][0], lane);
    mask some = (mask)(s->square < s->sum * s->sum) | (mask)(p.x != lanes_all(0.0)) | (mask)(p.y != lanes_all(0.0)) |
                (mask)(p.z != lanes_all(0.0));
    return lanes_bits(some) != 0;
}

/* Whether any grain of the block is. */
static inline bool is_awake(const scree_pair_job *job, const scree_pair_block *block)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < SCREE_LANES; k++)
        sum += job->stand[block->a[k]].inv_mass + job->stand[block->b[k]].inv_mass;
    return sum > 0.0;
}

/* Asks for the grains of a block that will be visited soon. */
static inline void call(const scree_pair_job *job, const scree_pair_block *block)
{
    for (uint32_t k = 0; k < SCREE_LANES; k++) {
        __builtin_prefetch(&job->stand[block->a[k]]);
        __builtin_prefetch(&job->stand[block->b[k]]);
        __builtin_prefetch(&job->twist[block->a[k]], 1);
        __builtin_prefetch(&job->twist[block->b[k]], 1);
    }
}

/* Normal, arms and radii. */
static inline void orient(const scree_pair_job *job, const scree_pair_block *block, uint32_t lane, visit *s)
{
    lanes sum = s->sum, near = 1e-3 * sum, distance = lanes_sqrt(s->square);
    s->overlap = sum - distance;
    mask held = (mask)(s->overlap > lanes_all(0.0));
    if (job->substep.hold > 0.0) {
        lanes pushed = dot3(s->gap, lanes3_load(&block->p[0][0], lane));
        held |= (mask)(s->overlap > -job->substep.hold * sum) & (mask)(pushed > lanes_all(0.0));
    }
    s->closed = held & lanes_differ(block->a + lane, block->b + lane);
    /* centres that nearly coincide have no normal; any will part them */
    mask apart = (mask)(distance > near);
    distance = lanes_max(distance, near);
    lanes inv = 1.0 / (sum * distance); /* one division for two */
    lanes inv_sum = distance * inv, inv_distance = sum * inv, share = distance * inv_sum;
    s->n = scale3(lanes_keep(apart, inv_distance), s->gap);
    s->n.z = lanes_select(apart, s->n.z, lanes_all(1.0));
    s->la = share * s->ra;
    s->lb = share * s->rb;
    s->inv_distance = inv_distance;
    s->inv_sum = inv_sum;
    s->r_eff = s->ra * s->rb * inv_sum;
    s->r_roll = s->r_eff;
    if (job->by_radius)
        s->r_roll = lanes_min(s->ra, s->rb);
}

/* How fast they approached before gravity. */
static inline void look_back(const scree_pair_job *job, const scree_pair_block *block, uint32_t lane, visit *s)
{
    const double *from_a[LANES], *from_b[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        from_a[k] = &job->stand[block->a[lane + k]].v.x;
        from_b[k] = &job->stand[block->b[lane + k]].v.x;
    }
    lanes4 va = lanes4_gather(from_a), vb = lanes4_gather(from_b);
    s->u0 = dot3(s->n, (lanes3){vb.x - va.x, vb.y - va.y, vb.z - va.z});
    s->inv_mass = va.w + vb.w;
    s->fixed_a = (mask)(va.w == lanes_all(0.0));
    s->fixed_b = (mask)(vb.w == lanes_all(0.0));
}

/* The normal row. Stiff contacts are damped more, see METHOD §7. */
static inline void weigh(const scree_pair_job *job, const laws *law, visit *s)
{
    double h = job->substep.h;
    mask hertz = (mask)(law->e > lanes_all(1.0));
    lanes soft = lanes_sqrt(s->r_eff * lanes_max(s->overlap, lanes_all(0.0)));
    lanes stiff = h * h * law->e * law->k_n * lanes_select(hertz, soft, lanes_all(1.0));
    lanes n_s = lanes_all(job->substep.n_s);
    if (job->substep.tame)
        n_s = n_s * lanes_sqrt(lanes_max(lanes_min(stiff * s->inv_mass, lanes_all(25.0)), lanes_all(1.0)));
    lanes push = stiff * (1.0 + 4.0 / h * lanes_max(n_s * h, law->tau));
    mask open = (mask)(s->overlap <= lanes_all(0.0)); /* held: may close its gap in this substep, no more */
    push = lanes_select(open, lanes_all(1.0), push);
    lanes four = lanes_select(open, lanes_all(0.0), lanes_all(4.0));
    lanes inv = 1.0 / (push * s->inv_mass + four);
    s->push = push;
    s->a = push * inv;
    s->b = lanes_select(open, s->overlap / h, stiff * (4.0 / h / law->e * s->overlap + s->u0)) * inv;
    s->c = four * inv;
}

static inline void load_bodies(const scree_pair_job *job, const scree_pair_block *block, uint32_t lane, visit *s)
{
    const double *v_a[LANES], *v_b[LANES], *w_a[LANES], *w_b[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        v_a[k] = &job->twist[block->a[lane + k]].v.x;
        v_b[k] = &job->twist[block->b[lane + k]].v.x;
        w_a[k] = v_a[k] + 4;
        w_b[k] = v_b[k] + 4;
    }
    lanes4 va = lanes4_gather(v_a), vb = lanes4_gather(v_b), wa = lanes4_gather(w_a), wb = lanes4_gather(w_b);
    s->va = first3(va);
    s->vb = first3(vb);
    s->wa = first3(wa);
    s->wb = first3(wb);
    s->inv_ma = s->own_ma = va.w;
    s->inv_mb = s->own_mb = vb.w;
    s->inv_ia = s->own_ia = wa.w;
    s->inv_ib = s->own_ib = wb.w;
}

/* Grains that sleep don't move; pairs of two of them keep what they have, see those_kept. After look_back. */
static inline void hold(visit *s)
{
    s->inv_ma = lanes_keep(~s->fixed_a, s->inv_ma);
    s->inv_ia = lanes_keep(~s->fixed_a, s->inv_ia);
    s->inv_mb = lanes_keep(~s->fixed_b, s->inv_mb);
    s->inv_ib = lanes_keep(~s->fixed_b, s->inv_ib);
    s->closed &= ~(s->fixed_a & s->fixed_b);
}

static inline lanes3 those_kept(const visit *s, lanes3 old, lanes3 new)
{
    mask both = s->fixed_a & s->fixed_b;
    return (lanes3){lanes_select(both, old.x, new.x), lanes_select(both, old.y, new.y),
                    lanes_select(both, old.z, new.z)};
}

/* Applies p on b and −p on a, q_b on b and −q_a on a. b before a: lanes without a pair name the grain a[3] on both
 * sides, and what that lane stores must come last. */
static inline void store_bodies(const scree_pair_job *job, const scree_pair_block *block, uint32_t lane, const visit *s,
                                lanes3 p, lanes3 qa, lanes3 qb)
{
    double *v_a[LANES], *v_b[LANES], *w_a[LANES], *w_b[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        v_a[k] = &job->twist[block->a[lane + k]].v.x;
        v_b[k] = &job->twist[block->b[lane + k]].v.x;
        w_a[k] = v_a[k] + 4;
        w_b[k] = v_b[k] + 4;
    }
    lanes3 vb = mul_add3(s->vb, s->inv_mb, p), wb = mul_add3(s->wb, s->inv_ib, qb);
    lanes3 va = mul_sub3(s->va, s->inv_ma, p), wa = mul_sub3(s->wa, s->inv_ia, qa);
    lanes4_scatter(v_b, (lanes4){vb.x, vb.y, vb.z, s->own_mb});
    lanes4_scatter(w_b, (lanes4){wb.x, wb.y, wb.z, s->own_ib});
    lanes4_scatter(v_a, (lanes4){va.x, va.y, va.z, s->own_ma});
    lanes4_scatter(w_a, (lanes4){wa.x, wa.y, wa.z, s->own_ia});
}

/* ---------------------------------------------------------------- limits */

static inline lanes3 limit3(lanes3 p, lanes bound)
{
    lanes square = dot3(p, p);
    return scale3(lanes_select((mask)(square > bound * bound), bound / lanes_sqrt(square), lanes_all(1.0)), p);
}

static inline lanes limit_both(lanes p, lanes bound)
{
    return lanes_max(lanes_min(p, bound), -bound);
}

/* Rolling part within roll, twist part within twist. */
static inline lanes3 limit_roll3(const scree_pair_job *job, lanes3 n, lanes3 p, lanes roll, lanes twist)
{
    lanes along = dot3(n, p);
    lanes3 rolling = limit3(mul_sub3(p, along, n), roll);
    return job->twists ? mul_add3(rolling, limit_both(along, twist), n) : rolling;
}

/* ---------------------------------------------------------------- sweep */

/* Diagonals of friction, and of rolling times l_a², with their compliance. */
static inline void tangent_rows(const scree_pair_job *job, visit *s, lanes *d_t, lanes *d_r)
{
    lanes la2 = s->la * s->la, inv_mass = s->inv_ma + s->inv_mb;
    lanes sigma = 1e-9 * inv_mass;
    if (job->gamma > 0.0)
        sigma = lanes_all(job->gamma / job->substep.h);
    *d_t = inv_mass + la2 * s->inv_ia + s->lb * s->lb * s->inv_ib + sigma;
    *d_r = la2 * (s->inv_ia + s->inv_ib) + sigma;
    s->sigma = sigma;
}

/* u_t, given v_b − v_a and its normal part. */
static inline lanes3 slip3(const visit *s, lanes3 dv, lanes u)
{
    return sub3(mul_sub3(dv, u, s->n), cross3(mul_add3(scale3(s->la, s->wa), s->lb, s->wb), s->n));
}

static inline lanes wanted_normal(const visit *s, lanes u, lanes pn)
{
    return lanes_keep(s->closed, lanes_max(pn - s->a * u + s->b - s->c * pn, lanes_all(0.0)));
}

/* Normal impulse, and friction without its limit. */
static inline void press(const scree_pair_job *job, const laws *law, const scree_pair_block *block, uint32_t lane,
                         visit *s, lanes *moved, lanes *held)
{
    load_bodies(job, block, lane, s);
    if (job->asleep)
        hold(s);
    lanes3 n = s->n, dv = sub3(s->vb, s->va), p = lanes3_load(&block->p[0][0], lane);
    lanes along = dot3(n, p), u = dot3(n, dv), d_t, d_r;
    s->pull = lanes_all(0.0);
    if (job->adhesive)
        s->pull = lanes_keep(s->closed, job->substep.h * law->adhesion);
    lanes last = along + s->pull;
    if (job->asleep)
        last = lanes_keep(~(s->fixed_a & s->fixed_b), last);
    s->pn = wanted_normal(s, u, last);
    *moved += (s->pn - last) * (s->pn - last);
    *held += s->pn * s->pn;
    tangent_rows(job, s, &d_t, &d_r);
    lanes inv = 1.0 / (d_t * d_r); /* one division for two */
    s->inv_dr = d_t * inv;
    lanes3 pt = mul_sub3(p, along, n);
    s->free = mul_sub3(pt, d_r * inv, mul_add3(slip3(s, dv, u), s->sigma, pt));
    s->limit = law->mu * s->pn;
}

/* Friction, and rolling without its limit. */
static inline void rub(const scree_pair_job *job, const laws *law, const scree_pair_block *block, uint32_t lane,
                       visit *s)
{
    lanes3 n = s->n, pt = limit3(s->free, s->limit), turn = cross3(n, pt);
    s->p = mul_add3(pt, s->pn - s->pull, n);
    s->turn = turn;
    if (!job->rolls)
        return;
    lanes3 qa = lanes3_load(&block->qa[0][0], lane);
    lanes3 turned = scale3(s->inv_distance, sub3(qa, lanes3_load(&block->qb[0][0], lane)));
    lanes3 pr = mul_sub3(qa, s->la, turned);
    lanes change = s->inv_ia * s->la - s->inv_ib * s->lb; /* of w_b − w_a by friction */
    lanes3 w = mul_add3(sub3(s->wb, s->wa), change, sub3(turn, turned));
    lanes3 free = mul_sub3(pr, s->inv_dr, mul_add3(scale3(s->la * s->la, w), s->sigma, pr));
    s->along = dot3(n, free);
    s->free = mul_sub3(free, s->along, n);
    s->limit = law->roll * s->r_roll * s->pn;
}

/* Rolling; applies and keeps the new impulses. */
static inline void turn(const scree_pair_job *job, const laws *law, scree_pair_block *block, uint32_t lane, visit *s)
{
    lanes3 pr = none3();
    if (job->rolls) {
        pr = limit3(s->free, s->limit);
        if (job->twists)
            pr = mul_add3(pr, limit_both(s->along, law->twist * s->r_eff * s->pn), s->n);
    }
    lanes3 p = keep3(s->closed, s->p);
    lanes3 qa = keep3(s->closed, mul_add3(pr, s->la, s->turn)), qb = keep3(s->closed, mul_sub3(pr, s->lb, s->turn));
    lanes3 last_p = lanes3_load(&block->p[0][0], lane), last_qa = lanes3_load(&block->qa[0][0], lane),
           last_qb = lanes3_load(&block->qb[0][0], lane);
    if (job->asleep) {
        p = those_kept(s, last_p, p);
        qa = those_kept(s, last_qa, qa);
        qb = those_kept(s, last_qb, qb);
    }
    lanes3 dp = sub3(p, last_p), dqa = sub3(qa, last_qa), dqb = sub3(qb, last_qb);
    lanes3_store(&block->p[0][0], lane, p);
    lanes3_store(&block->qa[0][0], lane, qa);
    lanes3_store(&block->qb[0][0], lane, qb);
    store_bodies(job, block, lane, s, dp, dqa, dqb);
}

static double total(const lanes *parts)
{
    double sum = 0.0;
    for (int k = 0; k < SCREE_LANES; k++)
        sum += parts[k / LANES][k % LANES];
    return sum;
}

/* Blocks that go through the stages together. */
typedef struct batch {
    scree_pair_block *blocks[BATCH];
    visit state[BATCH][PARTS];
    uint32_t count;
} batch;

#define EACH_OF(batch_, k, lane)                                                                                       \
    for (uint32_t k = 0; k < (batch_)->count; k++)                                                                     \
        for (uint32_t lane = 0; lane < SCREE_LANES; lane += LANES)

static inline void solve_batch(const scree_pair_job *job, const laws *common, batch *todo, lanes *moved, lanes *held)
{
    EACH_OF(todo, k, lane)
    {
        orient(job, todo->blocks[k], lane, &todo->state[k][lane / LANES]);
        look_back(job, todo->blocks[k], lane, &todo->state[k][lane / LANES]);
    }
    EACH_OF(todo, k, lane)
    {
        laws law = laws_of(job, common, todo->blocks[k], lane);
        weigh(job, &law, &todo->state[k][lane / LANES]);
    }
    EACH_OF(todo, k, lane)
    {
        laws law = laws_of(job, common, todo->blocks[k], lane);
        press(job, &law, todo->blocks[k], lane, &todo->state[k][lane / LANES], &moved[lane / LANES],
              &held[lane / LANES]);
    }
    EACH_OF(todo, k, lane)
    {
        laws law = laws_of(job, common, todo->blocks[k], lane);
        rub(job, &law, todo->blocks[k], lane, &todo->state[k][lane / LANES]);
    }
    EACH_OF(todo, k, lane)
    {
        laws law = laws_of(job, common, todo->blocks[k], lane);
        turn(job, &law, todo->blocks[k], lane, &todo->state[k][lane / LANES]);
    }
    todo->count = 0;
}

/* Adds a block to the batch if there is something to do. */
static inline void add_block(const scree_pair_job *job, scree_pair_block *block, batch *todo)
{
    bool active = false;
    for (uint32_t lane = 0; lane < SCREE_LANES; lane += LANES) {
        visit *s = &todo->state[todo->count][lane / LANES];
        locate(job, block, lane, s);
        active = is_active(block, lane, s) || active;
    }
    todo->blocks[todo->count] = block;
    todo->count += active && (!job->asleep || is_awake(job, block));
}

static void sweep(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums)
{
    laws common = common_laws(job);
    batch todo;
    lanes moved[PARTS], held[PARTS];
    todo.count = 0;
    for (int k = 0; k < PARTS; k++)
        moved[k] = held[k] = lanes_all(0.0);
    scree_pair_block *blocks = job->pairs->blocks;
    for (uint32_t i = begin; i < end; i++) {
        if (i + AHEAD < end)
            call(job, &blocks[i + AHEAD]);
        add_block(job, &blocks[i], &todo);
        if (todo.count == BATCH)
            solve_batch(job, &common, &todo, moved, held);
    }
    if (todo.count > 0)
        solve_batch(job, &common, &todo, moved, held);
    sums->moved += total(moved);
    sums->held += total(held);
}

/* ---------------------------------------------------------------- warm start */

/* Lays the impulses into the new directions and within their limits, and applies them in full. */
static inline void start(const scree_pair_job *job, const laws *law, scree_pair_block *block, uint32_t lane, visit *s)
{
    lanes share = lanes_all(job->share), pn = lanes_all(0.0), pull = pn;
    lanes3 n = s->n, pt = none3(), pr = pt;
    if (job->adhesive)
        pull = lanes_keep(s->closed, job->substep.h * law->adhesion);
    if (job->from == SCREE_WARM_MODEL) {
        lanes deep = lanes_max(s->overlap, lanes_all(0.0));
        lanes soft = lanes_select((mask)(law->e > lanes_all(1.0)), lanes_sqrt(s->r_eff * deep), lanes_all(1.0));
        pn = lanes_keep(s->closed, job->substep.h * law->k_n * deep * soft);
    } else if (job->from == SCREE_WARM_HISTORY) {
        lanes3 p = scale3(share, lanes3_load(&block->p[0][0], lane)),
               qa = scale3(share, lanes3_load(&block->qa[0][0], lane));
        lanes3 turned = scale3(s->inv_distance, sub3(qa, scale3(share, lanes3_load(&block->qb[0][0], lane))));
        lanes along = dot3(n, p);
        pn = lanes_keep(s->closed, lanes_max(along + pull, lanes_all(0.0)));
        pt = limit3(mul_sub3(p, along, n), law->mu * pn);
        if (job->rolls)
            pr = limit_roll3(job, n, mul_sub3(qa, s->la, turned), law->roll * s->r_roll * pn,
                             law->twist * s->r_eff * pn);
    }
    lanes3 p = keep3(s->closed, mul_add3(pt, pn - pull, n)), turn = cross3(n, pt);
    lanes3 qa = keep3(s->closed, mul_add3(pr, s->la, turn)), qb = keep3(s->closed, mul_sub3(pr, s->lb, turn));
    load_bodies(job, block, lane, s);
    if (job->asleep) {
        look_back(job, block, lane, s);
        hold(s);
        p = those_kept(s, lanes3_load(&block->p[0][0], lane), p);
        qa = those_kept(s, lanes3_load(&block->qa[0][0], lane), qa);
        qb = those_kept(s, lanes3_load(&block->qb[0][0], lane), qb);
    }
    lanes3_store(&block->p[0][0], lane, p);
    lanes3_store(&block->qa[0][0], lane, qa);
    lanes3_store(&block->qb[0][0], lane, qb);
    store_bodies(job, block, lane, s, p, qa, qb);
}

/* Lets the pairs push as they did in the last substep, but for those that have opened. */
static void repeat(const scree_pair_job *job, uint32_t begin, uint32_t end)
{
    scree_pair_block *blocks = &job->pairs->blocks[begin];
    EACH_PART(k, lane, end - begin)
    {
        visit s;
        scree_pair_block *block = &blocks[k];
        lanes3 p = lanes3_load(&block->p[0][0], lane);
        if (!lanes_bits((mask)(p.x != lanes_all(0.0)) | (mask)(p.y != lanes_all(0.0)) | (mask)(p.z != lanes_all(0.0))))
            continue;
        locate(job, block, lane, &s);
        lanes near = s.sum * (1.0 + job->substep.hold);
        mask closed = (mask)(s.square < s.sum * s.sum) |
                      ((mask)(s.square < near * near) & (mask)(dot3(s.gap, p) > lanes_all(0.0)));
        load_bodies(job, block, lane, &s);
        if (job->asleep) {
            s.n = none3();
            s.closed = closed;
            look_back(job, block, lane, &s);
            hold(&s);
            closed |= s.fixed_a & s.fixed_b;
        }
        p = keep3(closed, p);
        lanes3 qa = keep3(closed, lanes3_load(&block->qa[0][0], lane));
        lanes3 qb = keep3(closed, lanes3_load(&block->qb[0][0], lane));
        if (lanes_bits(~closed)) {
            lanes3_store(&block->p[0][0], lane, p);
            lanes3_store(&block->qa[0][0], lane, qa);
            lanes3_store(&block->qb[0][0], lane, qb);
        }
        store_bodies(job, block, lane, &s, p, qa, qb);
    }
}

static void warm(const scree_pair_job *job, uint32_t begin, uint32_t end)
{
    if (job->from == SCREE_WARM_HISTORY && job->share == 1.0) {
        repeat(job, begin, end);
        return;
    }
    laws common = common_laws(job);
    visit state[BATCH][PARTS];
    for (uint32_t i = begin; i < end; i += BATCH) {
        uint32_t count = end - i < BATCH ? end - i : BATCH;
        scree_pair_block *blocks = &job->pairs->blocks[i];
        EACH_PART(k, lane, count) locate(job, &blocks[k], lane, &state[k][lane / LANES]);
        EACH_PART(k, lane, count) orient(job, &blocks[k], lane, &state[k][lane / LANES]);
        EACH_PART(k, lane, count)
        {
            laws law = laws_of(job, &common, &blocks[k], lane);
            start(job, &law, &blocks[k], lane, &state[k][lane / LANES]);
        }
    }
}

/* ---------------------------------------------------------------- impacts */

static uint32_t find_impacts(const scree_pair_job *job, uint32_t begin, uint32_t end)
{
    laws common = common_laws(job);
    uint32_t sum = 0;
    scree_pair_block *blocks = &job->pairs->blocks[begin];
    memset(job->hits + begin, 0, end - begin);
    EACH_PART(k, lane, end - begin)
    {
        visit s;
        const double *from_a[LANES], *from_b[LANES];
        for (uint32_t i = 0; i < LANES; i++) {
            from_a[i] = &job->place[blocks[k].a[lane + i]].x.x;
            from_b[i] = &job->place[blocks[k].b[lane + i]].x.x;
        }
        measure_gap(&s, lanes4_gather(from_a), lanes4_gather(from_b));
        mask hit = (mask)(s.square < s.sum * s.sum) & lanes_differ(blocks[k].a + lane, blocks[k].b + lane);
        if (!lanes_bits(hit))
            continue;
        for (uint32_t i = 0; i < LANES; i++) {
            from_a[i] = &job->twist[blocks[k].a[lane + i]].v.x;
            from_b[i] = &job->twist[blocks[k].b[lane + i]].v.x;
        }
        lanes4 va = lanes4_gather(from_a), vb = lanes4_gather(from_b);
        /* n·u < −speed, without the root: most pairs are open or part */
        lanes approach = dot3(s.gap, (lanes3){vb.x - va.x, vb.y - va.y, vb.z - va.z});
        hit &= (mask)(approach < lanes_all(0.0)) &
               (mask)(approach * approach > job->impact_speed * job->impact_speed * s.square);
        if (!lanes_bits(hit))
            continue;
        laws law = laws_of(job, &common, &blocks[k], lane);
        uint32_t bits = lanes_bits(hit & (mask)(law.restitution > lanes_all(job->least_restitution)));
        job->hits[begin + k] |= (uint8_t)(bits << lane);
        sum += (uint32_t)__builtin_popcount(bits);
    }
    return sum;
}

/* ---------------------------------------------------------------- residual (see residual.h) */

typedef struct totals {
    lanes normal, friction, rolling, change, error, overlap, most;
} totals;

/*
 * a^(2/3) = a · a^(−1/3), a ≥ 0. The guess divides the exponent by −3, off by 3.5 % at most; with e = 1 − a r³ each
 * step r ← r (1 + e/3 + 2 e²/9) leaves 14 e³/81 of r, the third one less than a rounding. Zero gives zero.
 */
static inline lanes two_thirds(lanes a)
{
    typedef uint64_t bits __attribute__((vector_size(8 * LANES)));
    const bits shift = (bits)lanes_all(0x1p52); /* its exponent turns small integers into doubles and back */
    lanes high = (lanes)((bits)a >> 32 | shift) - 0x1p52;
    lanes r = (lanes)((bits)(1430188000.0 - high * (1.0 / 3.0) + 0x1p52) << 32);
    for (int i = 0; i < 3; i++) {
        lanes e = 1.0 - a * r * r * r;
        r = r + r * e * (1.0 / 3.0 + 2.0 / 9.0 * e);
    }
    return a * r;
}

/* The overlap at which the elastic law alone gives this impulse. */
static inline lanes bearing_overlap(lanes stretch, mask hertz)
{
    return lanes_select(hertz, two_thirds(lanes_max(stretch, -stretch)), stretch);
}

static inline void add_impulse(vec3 *sums, const uint32_t *a, const uint32_t *b, lanes3 p)
{
    for (uint32_t k = 0; k < LANES; k++) {
        vec3 one = {p.x[k], p.y[k], p.z[k]};
        sums[a[k]] = sub(sums[a[k]], one);
        sums[b[k]] = add(sums[b[k]], one);
    }
}

static inline uint32_t measure_part(const scree_pair_job *job, const laws *law, const scree_pair_block *block,
                                    uint32_t lane, totals *sum)
{
    visit s;
    locate(job, block, lane, &s);
    if (!is_active(block, lane, &s))
        return 0;
    orient(job, block, lane, &s);
    if (!lanes_bits(s.closed))
        return 0;
    look_back(job, block, lane, &s);
    load_bodies(job, block, lane, &s);
    s.inv_mass = s.inv_ma + s.inv_mb; /* also of those that sleep */
    weigh(job, law, &s);
    lanes3 n = s.n, dv = sub3(s.vb, s.va), p = lanes3_load(&block->p[0][0], lane),
           qa = lanes3_load(&block->qa[0][0], lane);
    lanes along = dot3(n, p), u = dot3(n, dv), pn = along, d_t, d_r;
    if (job->adhesive)
        pn = pn + job->substep.h * law->adhesion;
    tangent_rows(job, &s, &d_t, &d_r);
    mask touches = s.closed & (mask)(s.overlap > lanes_all(0.0));
    lanes stretched = lanes_select(touches, 4.0 / s.push, lanes_all(0.0));
    lanes r_n = (pn - wanted_normal(&s, u, pn)) * (s.inv_mass + stretched);
    sum->normal += lanes_keep(s.closed, r_n * r_n);
    if (job->rubs) {
        lanes3 pt = mul_sub3(p, along, n);
        lanes3 wanted = mul_sub3(pt, 1.0 / d_t, mul_add3(slip3(&s, dv, u), s.sigma, pt));
        lanes3 r_t = sub3(pt, limit3(wanted, law->mu * pn));
        sum->friction += lanes_keep(s.closed, dot3(r_t, r_t) * d_t * d_t);
    }
    if (job->rolls) {
        lanes3 turned = scale3(s.inv_distance, sub3(qa, lanes3_load(&block->qb[0][0], lane)));
        lanes3 pr = mul_sub3(qa, s.la, turned);
        lanes la2 = s.la * s.la;
        lanes3 wanted = mul_sub3(pr, 1.0 / d_r, mul_add3(scale3(la2, sub3(s.wb, s.wa)), s.sigma, pr));
        lanes3 r_r = sub3(pr, limit_roll3(job, n, wanted, law->roll * s.r_roll * pn, law->twist * s.r_eff * pn));
        sum->rolling += lanes_keep(s.closed, dot3(r_r, r_r) * d_r * d_r / la2);
    }
    mask hertz = s.closed & (mask)(law->e > lanes_all(1.0));
    lanes k_n = law->k_n * lanes_select(hertz, lanes_sqrt(s.r_eff), lanes_all(1.0));
    lanes lack = s.overlap - bearing_overlap(pn / (job->substep.h * k_n), hertz), deep = s.overlap * s.inv_sum;
    sum->error += lanes_keep(touches, lanes_max(lack, -lack) * s.inv_sum);
    sum->change += lanes_keep(s.closed, (u - s.u0) * (u - s.u0));
    sum->overlap += lanes_keep(touches, deep);
    sum->most = lanes_max(sum->most, lanes_keep(touches, deep));
    add_impulse(job->sums, block->a + lane, block->b + lane, p);
    return lanes_bits(s.closed) << lane;
}

static void measure(const scree_pair_job *job, uint32_t begin, uint32_t end, scree_pair_sums *sums)
{
    laws common = common_laws(job);
    totals part[PARTS] = {0};
    scree_pair_block *blocks = &job->pairs->blocks[begin];
    memset(job->pairs->closed + begin, 0, end - begin);
    EACH_PART(k, lane, end - begin)
    {
        laws law = laws_of(job, &common, &blocks[k], lane);
        uint32_t closed = measure_part(job, &law, &blocks[k], lane, &part[lane / LANES]);
        job->pairs->closed[begin + k] |= (uint8_t)closed;
        sums->count += (uint32_t)__builtin_popcount(closed);
    }
    lanes parts[PARTS];
#define ADD(name)                                                                                                      \
    for (int k = 0; k < PARTS; k++)                                                                                    \
        parts[k] = part[k].name;                                                                                       \
    sums->name += total(parts)
    ADD(normal);
    ADD(friction);
    ADD(rolling);
    ADD(change);
    ADD(error);
    ADD(overlap);
#undef ADD
    for (int k = 0; k < SCREE_LANES; k++)
        sums->most = fmax(sums->most, part[k / LANES].most[k % LANES]);
}

const scree_kernels KERNELS = {KERNELS_NAME, find_impacts, warm, sweep, measure};
