/*
 * Which iteration gets a step of nonsmooth grains solved soonest: a small scalar engine of its own, in which every
 * method has the same signature. It has the rows, cones and steps of the method (../theory.md §2 to §7, without impacts
 * and adhesion), spheres, and planes, a tube and a box as walls. study.py runs it and draws; ../convergence.md tells
 * what came out.
 *
 *   study make CASE E FILE            a bed to start from
 *   study solve CASE E FILE H         one step of length H from there, by every method: error over iterations
 *   study run CASE E FILE SETTINGS    time marching: error over sweeps
 *   study cost FILE                   what an iteration of each method costs, on the bed in FILE
 *
 * SETTINGS: name=value, separated by commas; see `parse`.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------- vectors */

typedef struct vec {
    double x, y, z;
} vec;

static inline vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec mul(double s, vec a)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}
static inline vec fma3(vec a, double s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---------------------------------------------------------------- state */

static const double PI = 3.14159265358979323846, FRAME = 0.005, GRAVITY = 9.81;
static const double DENSITY = 3700.0, POISSON = 0.3, MEAN = 0.0115; /* kg/m3, 1, m: the ore of the papers */

typedef struct grain {
    vec x, v, w;
    double r, inv_m, inv_i;
    vec before; /* v before gravity */
} grain;

typedef enum wall_kind { PLANE, TUBE, BOX } wall_kind;

typedef struct wall {
    wall_kind kind;
    vec at, n, half; /* point of the plane or centre; normal of the plane; half the size of the box */
    double radius;   /* of the tube, about the y axis */
    vec v, w;        /* how it moves */
    double mu, roll;
    vec force; /* N, mean over the last frame */
} wall;

/* Impulses: normal, friction, rolling. The same struct holds gradients and directions. */
typedef struct impulse {
    double n;
    vec t, r;
} impulse;

typedef struct contact {
    int a, b; /* b < 0: wall −1−b */
    vec n, surface_v, surface_w;
    double la, lb, overlap, k, mu, roll;
    double sigma_n, b_n, inv_dn, sigma_t, inv_dt, sigma_r, inv_dr;
    bool closed;
    int cell; /* of the coarse correction */
} contact;

enum { MOST_WALLS = 8 };

typedef struct world {
    grain *grains;
    int count;
    wall walls[MOST_WALLS];
    int wall_count;
    double youngs, mu, roll, gravity;
    contact *all; /* near pairs of this frame, closed or not */
    impulse *p, *last;
    int near, room;
    int *closed; /* the closed ones, in the order of the sweep */
    int *order;  /* all, in the order of the sweep */
    int closed_count;
    double time;
    uint64_t random, passes, shifts;
} world;

typedef enum order { COLOURS, DOWN, UP, RANDOM } order;
typedef enum method { PGS, NNCG, NESTEROV, CHEBYSHEV, APGD, COARSE, METHODS } method;

typedef struct settings {
    int substeps, sweeps;
    method method;
    order order;
    bool symmetric;
    double omega;    /* over-relaxation */
    double warm;     /* share of the last impulses */
    double forward;  /* extrapolation of the first guess: P + forward (P − P before) */
    double n_s, cap; /* stabilisation; most that stiffness raises it by */
    double rho;      /* Chebyshev's radius */
    double cell;     /* of the coarse correction, in mean diameters */
    int every;       /* substeps between two coarse corrections */
    double until;    /* s */
    bool press;      /* a lid comes down on the bed */
    double ahead;    /* gap, in mean diameters, up to which open contacts have rows, too: u_n ≥ −gap/h */
    int known;       /* 1: of those, only ones that pushed in the last substep; 2: and no walls */
    double most;     /* s, stiffness that a contact has at most: stiffer ones are softened to it; 0: no limit */
    bool cold;       /* starts without impulses */
} settings;

static double draw(world *w)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->random >> 11) / 9007199254740992.0;
}

static void *take(size_t count, size_t size)
{
    void *result = calloc(count ? count : 1, size);
    if (!result)
        exit(1);
    return result;
}

static void set_mass(grain *g)
{
    double m = DENSITY * 4.0 / 3.0 * PI * g->r * g->r * g->r;
    g->inv_m = 1.0 / m;
    g->inv_i = 1.0 / (0.4 * m * g->r * g->r);
}

/* ---------------------------------------------------------------- contacts */

/* Overlap of a grain with a wall, normal from the grain to it, and the wall's point that it touches. */
static double touch_wall(const wall *at, const grain *g, vec *n, vec *point)
{
    double gap;
    if (at->kind == PLANE) {
        gap = dot(at->n, sub(g->x, at->at));
        *n = mul(-1.0, at->n);
    } else if (at->kind == TUBE) {
        double far = hypot(g->x.x, g->x.z);
        gap = at->radius - far;
        *n = far > 0.0 ? (vec){g->x.x / far, 0.0, g->x.z / far} : (vec){1.0, 0.0, 0.0};
    } else {
        vec d = sub(g->x, at->at), c;
        c.x = fmax(-at->half.x, fmin(at->half.x, d.x));
        c.y = fmax(-at->half.y, fmin(at->half.y, d.y));
        c.z = fmax(-at->half.z, fmin(at->half.z, d.z));
        vec out = sub(d, c);
        gap = sqrt(dot(out, out));
        *n = gap > 0.0 ? mul(-1.0 / gap, out) : (vec){0.0, 0.0, -1.0};
    }
    *point = fma3(g->x, g->r, *n);
    return g->r - gap;
}

static int compare(const void *a, const void *b)
{
    const contact *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static void push(world *w, int a, int b)
{
    if (w->near == w->room) {
        w->room = 2 * w->room + 1024;
        w->all = realloc(w->all, (size_t)w->room * sizeof *w->all);
        w->p = realloc(w->p, (size_t)w->room * sizeof *w->p);
        w->last = realloc(w->last, (size_t)w->room * sizeof *w->last);
        w->closed = realloc(w->closed, (size_t)w->room * sizeof *w->closed);
        w->order = realloc(w->order, (size_t)w->room * sizeof *w->order);
        if (!w->all || !w->p || !w->last || !w->closed || !w->order)
            exit(1);
    }
    w->all[w->near++] = (contact){.a = a, .b = b};
}

static double contact_height(const world *w, const contact *c)
{
    const grain *a = &w->grains[c->a];
    return c->b >= 0 ? 0.5 * (a->x.z + w->grains[c->b].x.z) : a->x.z - a->r;
}

/* As the engine has it: walls; tiles of 512 grains, colour by colour; pairs across tiles, colour by colour. */
static void order_by_colour(world *w, double *key)
{
    uint64_t *used = take((size_t)w->count * 2, sizeof *used);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < w->near; k++) {
            const contact *c = &w->all[k];
            bool across = c->b >= 0 && c->a / 512 != c->b / 512;
            if (c->b < 0)
                key[k] = -1.0;
            if (c->b < 0 || across != pass)
                continue;
            uint64_t *a = &used[2 * c->a + pass], *b = &used[2 * c->b + pass];
            int colour = 0;
            while (((*a | *b) >> colour & 1) && colour < 62)
                colour++;
            *a |= 1ull << colour;
            *b |= 1ull << colour;
            key[k] = across ? 1e9 + colour : c->a / 512 * 100.0 + colour;
        }
    free(used);
}

typedef struct keyed {
    double key;
    int k;
} keyed;

static int compare_keys(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->k > y->k) - (x->k < y->k);
}

static void set_order(world *w, order by)
{
    double *key = take((size_t)w->near, sizeof *key);
    keyed *items = take((size_t)w->near, sizeof *items);
    if (by == COLOURS)
        order_by_colour(w, key);
    for (int k = 0; k < w->near; k++) {
        double z = contact_height(w, &w->all[k]);
        items[k] = (keyed){by == DOWN ? -z : by == UP ? z : by == RANDOM ? draw(w) : key[k], k};
    }
    qsort(items, (size_t)w->near, sizeof *items, compare_keys);
    for (int k = 0; k < w->near; k++)
        w->order[k] = items[k].k;
    free(items);
    free(key);
}

/* Near pairs of a frame, with the impulses of those that there were. */
static void search(world *w, double frame, order by)
{
    int old = w->near;
    contact *before = take((size_t)old, sizeof *before);
    impulse *p = take((size_t)old, sizeof *p), *last = take((size_t)old, sizeof *last);
    if (old > 0) {
        memcpy(before, w->all, (size_t)old * sizeof *before);
        memcpy(p, w->p, (size_t)old * sizeof *p);
        memcpy(last, w->last, (size_t)old * sizeof *last);
    }
    w->near = 0;
    double speed = 0.0, most = 0.0;
    vec low = w->grains[0].x, high = low;
    for (int i = 0; i < w->count; i++) {
        const grain *g = &w->grains[i];
        speed = fmax(speed, sqrt(dot(g->v, g->v)));
        most = fmax(most, g->r);
        low = (vec){fmin(low.x, g->x.x), fmin(low.y, g->x.y), fmin(low.z, g->x.z)};
        high = (vec){fmax(high.x, g->x.x), fmax(high.y, g->x.y), fmax(high.z, g->x.z)};
    }
    double margin = 0.1 * most + 2.0 * fmin(speed, 1.0) * frame + GRAVITY * frame * frame, side = 2.0 * most + margin;
    int nx = (int)((high.x - low.x) / side) + 1, ny = (int)((high.y - low.y) / side) + 1,
        nz = (int)((high.z - low.z) / side) + 1;
    int *head = take((size_t)nx * (size_t)ny * (size_t)nz, sizeof *head), *next = take((size_t)w->count, sizeof *next);
    for (int i = 0; i < nx * ny * nz; i++)
        head[i] = -1;
    for (int i = w->count - 1; i >= 0; i--) {
        vec at = mul(1.0 / side, sub(w->grains[i].x, low));
        int cell = ((int)at.z * ny + (int)at.y) * nx + (int)at.x;
        next[i] = head[cell];
        head[cell] = i;
    }
    for (int i = 0; i < w->count; i++) {
        const grain *g = &w->grains[i];
        vec at = mul(1.0 / side, sub(g->x, low));
        for (int cz = (int)at.z - 1; cz <= (int)at.z + 1; cz++)
            for (int cy = (int)at.y - 1; cy <= (int)at.y + 1; cy++)
                for (int cx = (int)at.x - 1; cx <= (int)at.x + 1; cx++) {
                    if (cx < 0 || cy < 0 || cz < 0 || cx >= nx || cy >= ny || cz >= nz)
                        continue;
                    for (int j = head[(cz * ny + cy) * nx + cx]; j >= 0; j = next[j]) {
                        vec gap = sub(w->grains[j].x, g->x);
                        double reach = g->r + w->grains[j].r + margin;
                        if (j > i && dot(gap, gap) < reach * reach)
                            push(w, i, j);
                    }
                }
        for (int k = 0; k < w->wall_count; k++) {
            vec n, point;
            if (touch_wall(&w->walls[k], g, &n, &point) > -margin)
                push(w, i, -1 - k);
        }
    }
    free(head);
    free(next);
    qsort(w->all, (size_t)w->near, sizeof *w->all, compare);
    for (int k = 0, j = 0; k < w->near; k++) {
        while (j < old && compare(&before[j], &w->all[k]) < 0)
            j++;
        bool known = j < old && compare(&before[j], &w->all[k]) == 0;
        w->p[k] = known ? p[j] : (impulse){0};
        w->last[k] = known ? last[j] : (impulse){0};
    }
    free(before);
    free(p);
    free(last);
    set_order(w, by);
}

static grain *other(const world *w, const contact *c, grain *surface)
{
    if (c->b >= 0)
        return &w->grains[c->b];
    *surface = (grain){.v = c->surface_v, .w = c->surface_w};
    return surface;
}

/* Geometry and rows of one substep (theory §2, §3). */
static void refresh(world *w, const settings *set, double h)
{
    w->closed_count = 0;
    for (int j = 0; j < w->near; j++) {
        int k = w->order[j];
        contact *c = &w->all[k];
        grain *a = &w->grains[c->a], surface;
        double r_eff;
        if (c->b >= 0) {
            const grain *b = &w->grains[c->b];
            vec gap = sub(b->x, a->x);
            double far = sqrt(dot(gap, gap)), sum = a->r + b->r;
            c->overlap = sum - far;
            c->n = mul(1.0 / far, gap);
            c->la = far / sum * a->r;
            c->lb = far / sum * b->r;
            r_eff = a->r * b->r / sum;
            c->mu = w->mu;
            c->roll = w->roll * r_eff;
        } else {
            const wall *at = &w->walls[-1 - c->b];
            vec point;
            c->overlap = touch_wall(at, a, &c->n, &point);
            c->surface_v = add(at->v, cross(at->w, sub(point, at->at)));
            c->surface_w = at->w;
            c->la = r_eff = a->r;
            c->lb = 0.0;
            c->mu = at->mu;
            c->roll = at->roll * r_eff;
        }
        c->closed = c->overlap > 0.0 || (c->overlap > -set->ahead * MEAN && (!set->known || w->p[k].n > 0.0) &&
                                         (set->known < 2 || c->b >= 0));
        if (!c->closed) {
            w->p[k] = w->last[k] = (impulse){0};
            continue;
        }
        grain *b = other(w, c, &surface);
        double e = 1.25, inv_m = a->inv_m + b->inv_m;
        c->k = 4.0 / 3.0 * w->youngs / (2.0 * (1.0 - POISSON * POISSON)) * sqrt(r_eff);
        double stiff = h * h * e * c->k * sqrt(fmax(0.0, c->overlap)), s, n_s = set->n_s;
        if (set->most > 0.0)
            stiff = fmin(stiff, set->most / inv_m);
        s = stiff * inv_m;
        if (set->substeps > 1 && s > 1.0)
            n_s *= fmin(sqrt(s), set->cap);
        double upsilon = 1.0 / (1.0 + 4.0 * n_s), u = dot(c->n, sub(b->v, a->v));
        c->sigma_n = 4.0 * upsilon / stiff;
        c->b_n = 4.0 / h * upsilon * c->overlap / e + upsilon * u;
        if (c->overlap <= 0.0) { /* may close the gap, no more */
            c->sigma_n = 0.0;
            c->b_n = c->overlap / h;
        }
        c->sigma_t = 1e-9 * inv_m;
        c->sigma_r = c->sigma_t / (c->la * c->la);
        c->inv_dn = 1.0 / (inv_m + c->sigma_n);
        c->inv_dt = 1.0 / (inv_m + c->la * c->la * a->inv_i + c->lb * c->lb * b->inv_i + c->sigma_t);
        c->inv_dr = 1.0 / (a->inv_i + b->inv_i + c->sigma_r);
        w->closed[w->closed_count++] = k;
    }
}

/* ---------------------------------------------------------------- what a contact does */

static inline void apply(grain *a, grain *b, const contact *c, impulse p)
{
    vec push = fma3(p.t, p.n, c->n), turn = cross(c->n, p.t);
    a->v = fma3(a->v, -a->inv_m, push);
    b->v = fma3(b->v, b->inv_m, push);
    a->w = fma3(a->w, -a->inv_i, fma3(p.r, c->la, turn));
    b->w = fma3(b->w, b->inv_i, fma3(p.r, -c->lb, turn));
}

static inline vec limit(vec p, double bound)
{
    double square = dot(p, p);
    return square > bound * bound ? mul(bound / sqrt(square), p) : p;
}

static inline impulse project(const contact *c, impulse p)
{
    p.n = fmax(0.0, p.n);
    p.t = limit(fma3(p.t, -dot(c->n, p.t), c->n), c->mu * p.n);
    p.r = limit(fma3(p.r, -dot(c->n, p.r), c->n), c->roll * p.n);
    return p;
}

/* u + Σ P − b. */
static inline impulse gradient(const contact *c, const grain *a, const grain *b, impulse p)
{
    vec u = sub(sub(b->v, a->v), cross(add(mul(c->la, a->w), mul(c->lb, b->w)), c->n)), w = sub(b->w, a->w);
    impulse g;
    g.n = dot(c->n, u) + c->sigma_n * p.n - c->b_n;
    g.t = fma3(fma3(u, -dot(c->n, u), c->n), c->sigma_t, p.t);
    g.r = fma3(fma3(w, -dot(c->n, w), c->n), c->sigma_r, p.r);
    return g;
}

static inline impulse minus(impulse a, impulse b)
{
    return (impulse){a.n - b.n, sub(a.t, b.t), sub(a.r, b.r)};
}
static inline impulse plus(impulse a, double s, impulse b)
{
    return (impulse){a.n + s * b.n, fma3(a.t, s, b.t), fma3(a.r, s, b.r)};
}

/* P·Q in kg·(m/s)², weighted by the diagonals: rolling and pushing have different units. */
static inline double inner(const contact *c, impulse p, impulse q)
{
    return p.n * q.n / c->inv_dn + dot(p.t, q.t) / c->inv_dt + dot(p.r, q.r) / c->inv_dr;
}

/* ---------------------------------------------------------------- methods */

/* One projected sweep, normal before friction before rolling (theory §4). */
static void sweep(world *w, double omega, bool backwards)
{
    for (int i = 0; i < w->closed_count; i++) {
        int k = w->closed[backwards ? w->closed_count - 1 - i : i];
        const contact *c = &w->all[k];
        grain *a = &w->grains[c->a], surface, *b = other(w, c, &surface);
        impulse p = w->p[k], was = p;
        double u = dot(c->n, sub(b->v, a->v));
        p.n = fmax(0.0, p.n - omega * (u + c->sigma_n * p.n - c->b_n) * c->inv_dn);
        vec push = mul(p.n - was.n, c->n);
        a->v = fma3(a->v, -a->inv_m, push);
        b->v = fma3(b->v, b->inv_m, push);
        if (c->mu > 0.0) {
            vec slip = sub(sub(b->v, a->v), cross(add(mul(c->la, a->w), mul(c->lb, b->w)), c->n));
            slip = fma3(slip, -dot(c->n, slip), c->n);
            p.t = limit(fma3(p.t, -omega * c->inv_dt, fma3(slip, c->sigma_t, p.t)), c->mu * p.n);
            vec step = sub(p.t, was.t), turn = cross(c->n, step);
            a->v = fma3(a->v, -a->inv_m, step);
            b->v = fma3(b->v, b->inv_m, step);
            a->w = fma3(a->w, -a->inv_i * c->la, turn);
            b->w = fma3(b->w, -b->inv_i * c->lb, turn);
        }
        if (c->roll > 0.0) {
            vec spin = sub(b->w, a->w);
            spin = fma3(spin, -dot(c->n, spin), c->n);
            p.r = limit(fma3(p.r, -omega * c->inv_dr, fma3(spin, c->sigma_r, p.r)), c->roll * p.n);
            vec step = sub(p.r, was.r);
            a->w = fma3(a->w, -a->inv_i, step);
            b->w = fma3(b->w, b->inv_i, step);
        }
        w->p[k] = p;
    }
}

static void next_sweep(world *w, const settings *set)
{
    bool backwards = set->symmetric && w->passes % 2 == 1;
    w->passes++;
    if (set->order == RANDOM)
        for (int i = w->closed_count - 1; i > 0; i--) {
            int j = (int)(draw(w) * (i + 1)), swap = w->closed[i];
            w->closed[i] = w->closed[j];
            w->closed[j] = swap;
        }
    sweep(w, set->omega, backwards);
}

/* Scratch of the methods that remember more than the last impulses. */
typedef struct memory {
    impulse *x, *y, *d;   /* [closed] */
    vec *v, *w, *dv, *dw; /* [grains] */
    double theta, square, omega, step;
    bool begun;
} memory;

static memory remember(const world *w)
{
    size_t c = (size_t)w->closed_count, g = (size_t)w->count;
    return (memory){.x = take(c, sizeof(impulse)),
                    .y = take(c, sizeof(impulse)),
                    .d = take(c, sizeof(impulse)),
                    .v = take(g, sizeof(vec)),
                    .w = take(g, sizeof(vec)),
                    .dv = take(g, sizeof(vec)),
                    .dw = take(g, sizeof(vec)),
                    .theta = 1.0,
                    .omega = 1.0,
                    .step = 1.0};
}

static void forget(memory *m)
{
    free(m->x);
    free(m->y);
    free(m->d);
    free(m->v);
    free(m->w);
    free(m->dv);
    free(m->dw);
}

static void keep_state(const world *w, memory *m)
{
    for (int i = 0; i < w->closed_count; i++)
        m->x[i] = w->p[w->closed[i]];
    for (int i = 0; i < w->count; i++) {
        m->v[i] = w->grains[i].v;
        m->w[i] = w->grains[i].w;
    }
}

/*
 * Nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben 2010): what a sweep changes is minus a gradient;
 * Fletcher–Reeves on it, begun anew when it grows. The velocities are linear in the impulses, so that the direction is
 * kept in both and applied without a pass over the contacts' grains.
 */
static void iterate_nncg(world *w, const settings *set, memory *m)
{
    keep_state(w, m);
    next_sweep(w, set);
    double square = 0.0;
    for (int i = 0; i < w->closed_count; i++) {
        impulse step = minus(w->p[w->closed[i]], m->x[i]);
        square += inner(&w->all[w->closed[i]], step, step);
    }
    double beta = m->begun && m->square > 0.0 ? square / m->square : 0.0;
    bool anew = beta > 1.0 || !m->begun;
    m->square = square;
    m->begun = true;
    for (int i = 0; i < w->closed_count; i++) {
        impulse *p = &w->p[w->closed[i]], step = minus(*p, m->x[i]);
        if (anew) {
            m->d[i] = step;
            continue;
        }
        *p = plus(*p, beta, m->d[i]);
        m->d[i] = plus(step, beta, m->d[i]);
    }
    for (int i = 0; i < w->count; i++) {
        grain *g = &w->grains[i];
        vec v = sub(g->v, m->v[i]), s = sub(g->w, m->w[i]);
        if (!anew) {
            g->v = fma3(g->v, beta, m->dv[i]);
            g->w = fma3(g->w, beta, m->dw[i]);
        }
        m->dv[i] = anew ? v : fma3(v, beta, m->dv[i]);
        m->dw[i] = anew ? s : fma3(s, beta, m->dw[i]);
    }
}

/* x_{k+1} = S(y_k), y_{k+1} = x_{k+1} + β (x_{k+1} − x_k), S a sweep; Nesterov's β, begun anew when the sweep's change
 * points against the way. m->y, m->dv: x_k. */
static void iterate_nesterov(world *w, const settings *set, memory *m)
{
    keep_state(w, m); /* y_k */
    next_sweep(w, set);
    double theta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * m->theta * m->theta)), beta = (m->theta - 1.0) / theta, along = 0.0;
    for (int i = 0; i < w->closed_count && m->begun; i++) {
        impulse now = w->p[w->closed[i]];
        along += inner(&w->all[w->closed[i]], minus(now, m->x[i]), minus(now, m->y[i]));
    }
    m->theta = theta;
    if (along < 0.0 || !m->begun) {
        m->theta = 1.0;
        beta = 0.0;
    }
    for (int i = 0; i < w->closed_count; i++) {
        impulse *p = &w->p[w->closed[i]], now = *p;
        *p = plus(now, beta, minus(now, m->y[i]));
        m->y[i] = now;
    }
    for (int i = 0; i < w->count; i++) {
        grain *g = &w->grains[i];
        vec v = g->v, s = g->w;
        g->v = fma3(v, beta, sub(v, m->dv[i]));
        g->w = fma3(s, beta, sub(s, m->dw[i]));
        m->dv[i] = v;
        m->dw[i] = s;
    }
    m->begun = true;
}

/* Chebyshev's semi-iteration on sweeps (Wang 2015): x_{k+1} = ω (S(x_k) − x_{k−1}) + x_{k−1}, ω from the radius ρ; from
 * the third sweep on. m->y, m->dv: x_{k−1}. */
static void iterate_chebyshev(world *w, const settings *set, memory *m)
{
    keep_state(w, m);
    next_sweep(w, set);
    m->step += 1.0; /* counts, from 1 */
    m->omega = m->step < 4.0   ? 1.0
               : m->step < 5.0 ? 2.0 / (2.0 - set->rho * set->rho)
                               : 4.0 / (4.0 - set->rho * set->rho * m->omega);
    for (int i = 0; i < w->closed_count; i++) {
        impulse *p = &w->p[w->closed[i]];
        *p = plus(m->y[i], m->omega, minus(*p, m->y[i]));
        m->y[i] = m->x[i];
    }
    for (int i = 0; i < w->count; i++) {
        grain *g = &w->grains[i];
        g->v = fma3(m->dv[i], m->omega, sub(g->v, m->dv[i]));
        g->w = fma3(m->dw[i], m->omega, sub(g->w, m->dw[i]));
        m->dv[i] = m->v[i];
        m->dw[i] = m->w[i];
    }
    if (m->step < 3.0) /* there is no x_{k−1} yet */
        for (int i = 0; i < w->closed_count; i++)
            w->p[w->closed[i]] = m->omega == 1.0 ? w->p[w->closed[i]] : m->x[i];
}

/* What all impulses together do to the grains, from the velocities `free` that they have without. */
static void set_velocities(world *w, const vec *v, const vec *s)
{
    for (int i = 0; i < w->count; i++) {
        w->grains[i].v = v[i];
        w->grains[i].w = s[i];
    }
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        grain surface;
        apply(&w->grains[c->a], other(w, c, &surface), c, w->p[w->closed[i]]);
    }
}

/*
 * Accelerated projected gradient descent (Mazhar et al. 2015), scaled by the diagonals: all contacts at once from the
 * same velocities, step t/D with t from a power iteration, Nesterov's extrapolation, begun anew when it points uphill.
 * m->v, m->w: velocities without impulses; m->y: x_k; m->x: y_k.
 */
static void begin_apgd(world *w, memory *m)
{
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        grain surface;
        impulse p = w->p[w->closed[i]], back = {-p.n, mul(-1.0, p.t), mul(-1.0, p.r)};
        m->x[i] = m->y[i] = p;
        apply(&w->grains[c->a], other(w, c, &surface), c, back);
    }
    for (int i = 0; i < w->count; i++) {
        m->v[i] = w->grains[i].v;
        m->w[i] = w->grains[i].w;
    }
    vec *none = take((size_t)w->count, sizeof *none);
    double largest = 1.0;
    for (int i = 0; i < w->closed_count; i++)
        w->p[w->closed[i]] =
            project(&w->all[w->closed[i]], (impulse){draw(w), {draw(w), draw(w), draw(w)}, {0.0, 0.0, 0.0}});
    for (int pass = 0; pass < 12; pass++) { /* D⁻¹(N + Σ), without the right-hand side */
        double square = 0.0, grown = 0.0;
        set_velocities(w, none, none);
        for (int i = 0; i < w->closed_count; i++) {
            const contact *c = &w->all[w->closed[i]];
            contact bare = *c;
            grain surface = {0};
            bare.b_n = 0.0;
            const grain *b = c->b >= 0 ? &w->grains[c->b] : &surface;
            impulse *p = &w->p[w->closed[i]], g = gradient(&bare, &w->grains[c->a], b, *p);
            g = (impulse){g.n * c->inv_dn, mul(c->inv_dt, g.t), mul(c->inv_dr, g.r)};
            square += inner(c, *p, *p);
            grown += inner(c, g, g);
            *p = g;
        }
        largest = sqrt(grown / square);
        for (int i = 0; i < w->closed_count; i++) {
            impulse *p = &w->p[w->closed[i]];
            *p = plus((impulse){0}, 1.0 / sqrt(grown), *p);
        }
    }
    m->step = 1.0 / (1.1 * largest);
    free(none);
    for (int i = 0; i < w->closed_count; i++)
        w->p[w->closed[i]] = m->x[i];
    set_velocities(w, m->v, m->w);
}

static void iterate_apgd(world *w, const settings *set, memory *m)
{
    (void)set;
    if (!m->begun)
        begin_apgd(w, m);
    m->begun = true;
    double theta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * m->theta * m->theta)), beta = (m->theta - 1.0) / theta, along = 0.0;
    for (int i = 0; i < w->closed_count; i++) { /* w->p is y_k, velocities go with it */
        const contact *c = &w->all[w->closed[i]];
        grain surface;
        impulse y = w->p[w->closed[i]], g = gradient(c, &w->grains[c->a], other(w, c, &surface), y);
        impulse x = project(c, (impulse){y.n - m->step * c->inv_dn * g.n, fma3(y.t, -m->step * c->inv_dt, g.t),
                                         fma3(y.r, -m->step * c->inv_dr, g.r)});
        along += inner(c, minus(x, y), minus(x, m->y[i]));
        m->d[i] = x;
    }
    m->theta = theta;
    if (along < 0.0) {
        m->theta = 1.0;
        beta = 0.0;
    }
    for (int i = 0; i < w->closed_count; i++) {
        w->p[w->closed[i]] = plus(m->d[i], beta, minus(m->d[i], m->y[i]));
        m->y[i] = m->d[i];
    }
    set_velocities(w, m->v, m->w);
}

/*
 * Coarse correction: the impulses of all contacts in a cell are scaled by 1 + s together, which keeps them within their
 * limits. The s of all cells solve the rows in the mean over each cell, weighted by the impulses: the normal rows of
 * contacts that push, friction and rolling rows of those that stick. Cells are shifted by half from one time to the
 * next.
 */
enum { SLOTS = 12 };

typedef struct share {
    int cell;
    vec p, q, test_p, test_q; /* what the contacts of the cell do to the grain; their rows that count */
} share;

static void add_share(share *slots, int *used, int cell, double sign, vec p, vec q, vec test_p, vec test_q)
{
    int at = 0;
    while (at < *used && slots[at].cell != cell)
        at++;
    if (at == SLOTS)
        return;
    if (at == *used)
        slots[(*used)++] = (share){.cell = cell};
    slots[at].p = fma3(slots[at].p, sign, p);
    slots[at].test_p = fma3(slots[at].test_p, sign, test_p);
    slots[at].q = add(slots[at].q, q);
    slots[at].test_q = add(slots[at].test_q, test_q);
}

static int number_cells(world *w, double side, double shift)
{
    enum { WIDE = 64 };
    static int numbers[WIDE * WIDE * WIDE];
    memset(numbers, 0, sizeof numbers);
    int count = 0;
    for (int i = 0; i < w->closed_count; i++) {
        contact *c = &w->all[w->closed[i]];
        vec at = fma3(w->grains[c->a].x, c->la, c->n);
        int x = (int)floor(at.x / side + shift + 32.0), y = (int)floor(at.y / side + shift + 32.0),
            z = (int)floor(at.z / side + shift + 16.0);
        if (x < 0 || y < 0 || z < 0 || x >= WIDE || y >= WIDE || z >= WIDE)
            x = y = z = 0;
        int *number = &numbers[(z * WIDE + y) * WIDE + x];
        if (*number == 0)
            *number = ++count;
        c->cell = *number - 1;
    }
    return count;
}

static void solve_dense(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        if (fabs(a[best * n + k]) < 1e-300) {
            a[k * n + k] = 1.0;
            b[k] = 0.0;
            continue;
        }
        for (int j = 0; j < n && best != k; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            if (f == 0.0)
                continue;
            for (int j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

static void correct_coarsely(world *w, const settings *set)
{
    int n = number_cells(w, set->cell * MEAN, w->shifts++ % 2 ? 0.5 : 0.0);
    share *slots = take((size_t)w->count * SLOTS, sizeof *slots);
    int *used = take((size_t)w->count, sizeof *used);
    double *matrix = take((size_t)n * (size_t)n, sizeof *matrix), *s = take((size_t)n, sizeof *s);
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        impulse p = w->p[w->closed[i]];
        if (!(p.n > 0.0))
            continue;
        grain surface, *a = &w->grains[c->a], *b = other(w, c, &surface);
        impulse g = gradient(c, a, b, p), test = p;
        if (dot(p.t, p.t) > 0.998 * c->mu * c->mu * p.n * p.n)
            test.t = (vec){0.0, 0.0, 0.0};
        if (dot(p.r, p.r) > 0.998 * c->roll * c->roll * p.n * p.n)
            test.r = (vec){0.0, 0.0, 0.0};
        s[c->cell] -= test.n * g.n + dot(test.t, g.t) + dot(test.r, g.r);
        matrix[c->cell * n + c->cell] +=
            c->sigma_n * p.n * p.n + c->sigma_t * dot(test.t, p.t) + c->sigma_r * dot(test.r, p.r);
        vec push = fma3(p.t, p.n, c->n), turn = cross(c->n, p.t);
        vec test_push = fma3(test.t, test.n, c->n), test_turn = cross(c->n, test.t);
        add_share(&slots[c->a * SLOTS], &used[c->a], c->cell, -1.0, push, mul(-1.0, fma3(p.r, c->la, turn)), test_push,
                  mul(-1.0, fma3(test.r, c->la, test_turn)));
        if (c->b >= 0)
            add_share(&slots[c->b * SLOTS], &used[c->b], c->cell, 1.0, push, fma3(p.r, -c->lb, turn), test_push,
                      fma3(test.r, -c->lb, test_turn));
    }
    for (int i = 0; i < w->count; i++)
        for (int j = 0; j < used[i]; j++)
            for (int k = 0; k < used[i]; k++) {
                const share *x = &slots[i * SLOTS + j], *y = &slots[i * SLOTS + k];
                matrix[x->cell * n + y->cell] +=
                    w->grains[i].inv_m * dot(x->test_p, y->p) + w->grains[i].inv_i * dot(x->test_q, y->q);
            }
    solve_dense(matrix, s, n);
    for (int k = 0; k < n; k++)
        s[k] = fmax(-0.9, fmin(2.0, s[k]));
    for (int i = 0; i < w->count; i++)
        for (int j = 0; j < used[i]; j++) {
            const share *x = &slots[i * SLOTS + j];
            w->grains[i].v = fma3(w->grains[i].v, w->grains[i].inv_m * s[x->cell], x->p);
            w->grains[i].w = fma3(w->grains[i].w, w->grains[i].inv_i * s[x->cell], x->q);
        }
    for (int i = 0; i < w->closed_count; i++) {
        impulse *p = &w->p[w->closed[i]];
        *p = plus(*p, s[w->all[w->closed[i]].cell], *p);
    }
    free(slots);
    free(used);
    free(matrix);
    free(s);
}

static void iterate(world *w, const settings *set, memory *m)
{
    switch (set->method) {
    case NNCG:
        iterate_nncg(w, set, m);
        break;
    case NESTEROV:
        iterate_nesterov(w, set, m);
        break;
    case CHEBYSHEV:
        iterate_chebyshev(w, set, m);
        break;
    case APGD:
        iterate_apgd(w, set, m);
        break;
    case COARSE:
        if (set->every <= 1 || w->passes % (uint64_t)set->every == 0)
            correct_coarsely(w, set);
        next_sweep(w, set);
        break;
    default:
        next_sweep(w, set);
    }
}

/* Methods that extrapolate end outside the limits and a sweep past the last projection: one projection closes them. */
static void end_iterations(world *w, const settings *set)
{
    if (set->method == PGS || set->method == COARSE)
        return;
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        grain surface;
        impulse p = project(c, w->p[w->closed[i]]), step = minus(p, w->p[w->closed[i]]);
        apply(&w->grains[c->a], other(w, c, &surface), c, step);
        w->p[w->closed[i]] = p;
    }
}

/* ---------------------------------------------------------------- a substep */

/* Rows, gravity and the first guess. */
static void begin_substep(world *w, const settings *set, double h, double ratio)
{
    refresh(w, set, h);
    for (int i = 0; i < w->count; i++) {
        w->grains[i].before = w->grains[i].v;
        w->grains[i].v.z -= h * w->gravity;
    }
    for (int i = 0; i < w->closed_count; i++) {
        int k = w->closed[i];
        const contact *c = &w->all[k];
        grain surface;
        impulse p = w->p[k], guess = plus(p, set->forward, minus(p, w->last[k]));
        if (!(w->last[k].n > 0.0))
            guess = p;
        w->last[k] = p;
        guess = project(c, plus((impulse){0}, set->warm * ratio, guess));
        w->p[k] = guess;
        apply(&w->grains[c->a], other(w, c, &surface), c, guess);
    }
}

static void measure_walls(world *w, double share)
{
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        impulse p = w->p[w->closed[i]];
        if (c->b < 0)
            w->walls[-1 - c->b].force = fma3(w->walls[-1 - c->b].force, share, fma3(p.t, p.n, c->n));
    }
}

static void run_frame(world *w, const settings *set)
{
    double h = FRAME / set->substeps;
    search(w, FRAME, set->order);
    for (int i = 0; i < w->wall_count; i++)
        w->walls[i].force = (vec){0.0, 0.0, 0.0};
    for (int k = 0; k < set->substeps; k++) {
        begin_substep(w, set, h, 1.0);
        memory m = {.theta = 1.0, .omega = 1.0, .step = 1.0};
        bool more = set->method != PGS && set->method != COARSE;
        if (more)
            m = remember(w);
        for (int i = 0; i < set->sweeps; i++)
            iterate(w, set, &m);
        if (more) {
            end_iterations(w, set);
            forget(&m);
        }
        for (int i = 0; i < w->count; i++)
            w->grains[i].x = fma3(w->grains[i].x, h, w->grains[i].v);
        for (int i = 0; i < w->wall_count; i++)
            if (w->walls[i].kind != TUBE)
                w->walls[i].at = fma3(w->walls[i].at, h, w->walls[i].v);
        measure_walls(w, 1.0 / FRAME);
    }
    w->time += FRAME;
}

/* ---------------------------------------------------------------- figures of a state */

static double overlap_error(const world *w, double h)
{
    double sum = 0.0;
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        sum += fabs(fmax(0.0, c->overlap) - pow(w->p[w->closed[i]].n / (h * c->k), 2.0 / 3.0)) / MEAN;
    }
    return w->closed_count ? sum / w->closed_count : 0.0;
}

static double residual(const world *w, double h)
{
    double sum = 0.0;
    for (int i = 0; i < w->closed_count; i++) {
        const contact *c = &w->all[w->closed[i]];
        grain surface;
        impulse p = w->p[w->closed[i]], g = gradient(c, &w->grains[c->a], other(w, c, &surface), p);
        impulse to =
            project(c, (impulse){p.n - c->inv_dn * g.n, fma3(p.t, -c->inv_dt, g.t), fma3(p.r, -c->inv_dr, g.r)});
        impulse off = minus(p, to);
        sum += pow(off.n / c->inv_dn, 2.0) + dot(off.t, off.t) / (c->inv_dt * c->inv_dt) +
               dot(off.r, off.r) * c->la * c->la / (c->inv_dr * c->inv_dr);
    }
    return w->closed_count ? sqrt(sum / w->closed_count) / (GRAVITY * h) : 0.0;
}

static double mean_height(const world *w)
{
    double sum = 0.0;
    for (int i = 0; i < w->count; i++)
        sum += w->grains[i].x.z;
    return sum / w->count;
}

static double mean_speed(const world *w)
{
    double sum = 0.0;
    for (int i = 0; i < w->count; i++)
        sum += dot(w->grains[i].v, w->grains[i].v);
    return sqrt(sum / w->count);
}

/* ---------------------------------------------------------------- cases */

typedef enum kind { COLUMN, BED, DRUM, BLADE } kind;

static const char *const case_names[] = {"column", "bed", "drum", "blade"};
enum { COLUMN_GRAINS = 50 };
static const double DRUM_RADIUS = 0.13, DRUM_WIDTH = 0.065, DRUM_SPEED = 0.35; /* m, m, rad/s */

static void add_plane(world *w, vec at, vec n, double mu, double roll)
{
    w->walls[w->wall_count++] = (wall){.kind = PLANE, .at = at, .n = n, .mu = mu, .roll = roll};
}

/* Floor and four smooth sides. */
static void add_box(world *w, double x, double y)
{
    add_plane(w, (vec){0, 0, 0}, (vec){0, 0, 1}, w->mu, w->roll);
    add_plane(w, (vec){0, 0, 0}, (vec){1, 0, 0}, 0.0, 0.0);
    add_plane(w, (vec){x, 0, 0}, (vec){-1, 0, 0}, 0.0, 0.0);
    add_plane(w, (vec){0, 0, 0}, (vec){0, 1, 0}, 0.0, 0.0);
    add_plane(w, (vec){0, y, 0}, (vec){0, -1, 0}, 0.0, 0.0);
}

/* Column: contact i from below bears (N − i) m g. */
static double column_overlap(const world *w, int i)
{
    double r = 0.5 * MEAN, m = DENSITY * 4.0 / 3.0 * PI * r * r * r;
    double k = 4.0 / 3.0 * w->youngs / (2.0 * (1.0 - POISSON * POISSON)) * sqrt(i == 0 ? r : 0.5 * r);
    return pow((COLUMN_GRAINS - i) * m * GRAVITY / k, 2.0 / 3.0);
}

static void add_grain(world *w, vec x, double diameter)
{
    grain *g = &w->grains[w->count++];
    *g = (grain){.x = x, .r = 0.5 * diameter};
    set_mass(g);
}

static const double BED_SIDE = 7.0, BLADE_LONG = 30.0, BLADE_WIDE = 11.0; /* mean diameters */

static void set_case(world *w, kind of, double youngs)
{
    *w = (world){.youngs = youngs, .gravity = GRAVITY, .mu = 0.91, .roll = 0.32, .random = 1};
    w->grains = take(20000, sizeof *w->grains);
    if (of == COLUMN) {
        w->mu = w->roll = 0.0;
        add_plane(w, (vec){0, 0, 0}, (vec){0, 0, 1}, 0.0, 0.0);
    } else if (of == DRUM) {
        w->walls[w->wall_count++] =
            (wall){.kind = TUBE, .radius = DRUM_RADIUS, .mu = w->mu, .roll = w->roll, .w = {0, DRUM_SPEED, 0}};
        add_plane(w, (vec){0, -0.5 * DRUM_WIDTH, 0}, (vec){0, 1, 0}, 0.0, 0.0);
        add_plane(w, (vec){0, 0.5 * DRUM_WIDTH, 0}, (vec){0, -1, 0}, 0.0, 0.0);
    } else
        add_box(w, (of == BED ? BED_SIDE : BLADE_LONG) * MEAN, (of == BED ? BED_SIDE : BLADE_WIDE) * MEAN);
}

/* A loose lattice that then falls. Grains are numbered block by block of 8³ sites, as along a curve that fills space.
 */
static void fill(world *w, vec low, vec high, int count, double tube)
{
    double spacing = 1.2 * MEAN;
    int n[3] = {(int)((high.x - low.x) / spacing), (int)((high.y - low.y) / spacing),
                (int)((high.z - low.z) / spacing)};
    for (int block = 0; w->count < count; block++) {
        int nb[2] = {(n[0] + 7) / 8, (n[1] + 7) / 8};
        int bx = block % nb[0], by = block / nb[0] % nb[1], bz = block / (nb[0] * nb[1]);
        if (bz * 8 >= n[2])
            return;
        for (int site = 0; site < 512 && w->count < count; site++) {
            int i = bx * 8 + site % 8, j = by * 8 + site / 8 % 8, k = bz * 8 + site / 64;
            if (i >= n[0] || j >= n[1] || k >= n[2])
                continue;
            vec x = {low.x + (i + 0.5 + 0.05 * draw(w)) * spacing, low.y + (j + 0.5 + 0.05 * draw(w)) * spacing,
                     low.z + (k + 0.5) * spacing};
            double diameter = draw(w) < 0.5 ? 0.010 : 0.013;
            if (tube > 0.0 && hypot(x.x, x.z) > tube - 0.6 * MEAN)
                continue;
            add_grain(w, x, diameter);
        }
    }
}

static settings defaults(void)
{
    return (settings){.substeps = 10,
                      .sweeps = 1,
                      .omega = 1.0,
                      .warm = 1.0,
                      .n_s = 0.0,
                      .cap = 5.0,
                      .rho = 0.95,
                      .cell = 4.0,
                      .every = 1,
                      .until = 0.0};
}

static void finish(settings *set)
{
    if (!(set->n_s > 0.0))
        set->n_s = fmax(2.0, fmin(10.0, set->substeps));
}

static void parse(settings *set, const char *text)
{
    *set = defaults();
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    set->warm = -1.0;
    for (char *item = strtok(copy, ","); item; item = strtok(NULL, ",")) {
        char name[64];
        double value;
        if (sscanf(item, "%63[^=]=%lf", name, &value) != 2) {
            fprintf(stderr, "study: %s: name=number is expected\n", item);
            exit(2);
        }
        if (!strcmp(name, "substeps"))
            set->substeps = (int)value;
        else if (!strcmp(name, "sweeps"))
            set->sweeps = (int)value;
        else if (!strcmp(name, "method"))
            set->method = (method)value;
        else if (!strcmp(name, "order"))
            set->order = (order)value;
        else if (!strcmp(name, "symmetric"))
            set->symmetric = value > 0.0;
        else if (!strcmp(name, "omega"))
            set->omega = value;
        else if (!strcmp(name, "warm"))
            set->warm = value;
        else if (!strcmp(name, "forward"))
            set->forward = value;
        else if (!strcmp(name, "n_s"))
            set->n_s = value;
        else if (!strcmp(name, "cap"))
            set->cap = value;
        else if (!strcmp(name, "rho"))
            set->rho = value;
        else if (!strcmp(name, "cell"))
            set->cell = value;
        else if (!strcmp(name, "every"))
            set->every = (int)value;
        else if (!strcmp(name, "press"))
            set->press = value > 0.0;
        else if (!strcmp(name, "ahead"))
            set->ahead = value;
        else if (!strcmp(name, "known"))
            set->known = (int)value;
        else if (!strcmp(name, "most"))
            set->most = value;
        else if (!strcmp(name, "cold"))
            set->cold = value > 0.0;
        else if (!strcmp(name, "until"))
            set->until = value;
        else {
            fprintf(stderr, "study: there is no setting %s\n", name);
            exit(2);
        }
    }
    if (set->warm < 0.0)
        set->warm = set->substeps > 1 ? 1.0 : 0.85;
    finish(set);
}

/* ---------------------------------------------------------------- files */

static void save(const world *w, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(&w->count, sizeof w->count, 1, file) != 1 ||
        fwrite(w->grains, sizeof *w->grains, (size_t)w->count, file) != (size_t)w->count ||
        fwrite(&w->near, sizeof w->near, 1, file) != 1 ||
        fwrite(w->all, sizeof *w->all, (size_t)w->near, file) != (size_t)w->near ||
        fwrite(w->p, sizeof *w->p, (size_t)w->near, file) != (size_t)w->near ||
        fwrite(w->walls, sizeof w->walls, 1, file) != 1 || fwrite(&w->wall_count, sizeof w->wall_count, 1, file) != 1 ||
        fclose(file) != 0) {
        fprintf(stderr, "study: %s can't be written\n", path);
        exit(1);
    }
}

static void load(world *w, const char *path)
{
    FILE *file = fopen(path, "rb");
    int near;
    bool good = file && fread(&w->count, sizeof w->count, 1, file) == 1 &&
                fread(w->grains, sizeof *w->grains, (size_t)w->count, file) == (size_t)w->count &&
                fread(&near, sizeof near, 1, file) == 1;
    for (int i = 0; good && i < near; i++)
        push(w, 0, 0);
    good = good && fread(w->all, sizeof *w->all, (size_t)near, file) == (size_t)near &&
           fread(w->p, sizeof *w->p, (size_t)near, file) == (size_t)near &&
           fread(w->walls, sizeof w->walls, 1, file) == 1 && fread(&w->wall_count, sizeof w->wall_count, 1, file) == 1;
    if (!good) {
        fprintf(stderr, "study: %s can't be read\n", path);
        exit(1);
    }
    memset(w->last, 0, (size_t)near * sizeof *w->last);
    fclose(file);
}

/* ---------------------------------------------------------------- make */

static void steps(world *w, const settings *set, double time)
{
    for (int i = 0; i < (int)(time / FRAME + 0.5); i++)
        run_frame(w, set);
}

/* Beds come to rest in small steps; flows run for a while. E grows on the way, so that stiff beds are at rest, too. */
static void make(kind of, double youngs, const char *path)
{
    world w;
    settings set = defaults();
    finish(&set);
    set_case(&w, of, of == COLUMN ? youngs : 6.2e6);
    if (of == COLUMN) {
        double z = -0.5 * MEAN;
        for (int i = 0; i < COLUMN_GRAINS; i++) {
            z += MEAN - 0.9 * column_overlap(&w, i); /* near its rest, so that it does not bounce */
            add_grain(&w, (vec){0, 0, z}, MEAN);
        }
        search(&w, FRAME, COLOURS);
        save(&w, path);
        return;
    }
    double x = BED_SIDE * MEAN;
    if (of == BED) /* some 24 diameters deep */
        fill(&w, (vec){0, 0, 0}, (vec){x, x, 60 * MEAN}, 1000, 0.0);
    else if (of == BLADE)
        fill(&w, (vec){0, 0, 0}, (vec){BLADE_LONG * MEAN, BLADE_WIDE * MEAN, 11 * MEAN}, 2000, 0.0);
    else
        fill(&w, (vec){-DRUM_RADIUS, -0.5 * DRUM_WIDTH, -DRUM_RADIUS}, (vec){DRUM_RADIUS, 0.5 * DRUM_WIDTH, 0.2}, 700,
             DRUM_RADIUS);
    if (of == DRUM)
        w.walls[0].w.y = 0.0;
    steps(&w, &set, of == BED ? 2.0 : 1.2);
    while (w.youngs < youngs) { /* overlaps shrink as E grows: δ ~ E^(−2/3) */
        w.youngs = fmin(youngs, 4.0 * w.youngs);
        set.substeps = w.youngs > 1e8 ? 40 : 20;
        steps(&w, &set, 0.3);
    }
    if (of == BED) {
        set.substeps = youngs > 1e8 ? 100 : 40;
        set.sweeps = 2;
        steps(&w, &set, 0.5);
    }
    if (of == DRUM) {
        w.walls[0].w.y = DRUM_SPEED;
        set.substeps = youngs > 1e8 ? 40 : 20;
        steps(&w, &set, 2.5);
    }
    if (of == BLADE) { /* the blade stands where no grain is: those in the way leave */
        vec at = {5.0 * MEAN, 0.5 * BLADE_WIDE * MEAN, 0.0}, half = {0.5 * MEAN, 2.5 * MEAN, 6.0 * MEAN};
        double top = 0.0;
        for (int i = 0; i < w.count; i++)
            top = fmax(top, w.grains[i].x.z);
        at.z = top - 3.5 * MEAN + half.z;
        wall blade = {.kind = BOX, .at = at, .half = half, .mu = w.mu, .roll = w.roll};
        int kept = 0;
        for (int i = 0; i < w.count; i++) {
            vec n, point;
            if (touch_wall(&blade, &w.grains[i], &n, &point) < 0.0)
                w.grains[kept++] = w.grains[i];
        }
        w.count = kept;
        w.near = 0;
        w.walls[w.wall_count++] = blade;
        set.substeps = youngs > 1e8 ? 40 : 20;
        steps(&w, &set, 0.3);
        w.walls[w.wall_count - 1].v.x = 0.2;
        steps(&w, &set, 0.4);
    }
    save(&w, path);
    printf("%s E=%g: %d grains, %d closed contacts, mean height %.4f d, rms speed %.2e m/s, overlap error %.2e d\n",
           case_names[of], youngs, w.count, w.closed_count, mean_height(&w) / MEAN, mean_speed(&w),
           overlap_error(&w, FRAME / set.substeps));
}

/* ---------------------------------------------------------------- solve */

typedef struct variant {
    const char *name, *settings;
} variant;

static const variant variants[] = {
    {"PGS", ""},
    {"PGS, top down", "order=1"},
    {"PGS, bottom up", "order=2"},
    {"PGS, random", "order=3"},
    {"PGS, symmetric", "symmetric=1"},
    {"PGS, down and up", "order=1,symmetric=1"},
    {"SOR 1.2", "omega=1.2"},
    {"SOR 1.4", "omega=1.4"},
    {"Chebyshev 0.95", "method=3,rho=0.95"},
    {"Chebyshev 0.99", "method=3,rho=0.99"},
    {"Nesterov", "method=2"},
    {"APGD", "method=4"},
    {"NNCG", "method=1"},
    {"NNCG, down and up", "method=1,order=1,symmetric=1"},
    {"coarse", "method=5"},
    {"coarse, down and up", "method=5,order=1,symmetric=1"},
};

enum { VARIANTS = sizeof variants / sizeof *variants, MOST_ITERATIONS = 400 };

static double velocity_error(const world *w, const grain *exact, const grain *start)
{
    double sum = 0.0, whole = 0.0;
    for (int i = 0; i < w->count; i++) {
        vec dv = sub(w->grains[i].v, exact[i].v), dw = sub(w->grains[i].w, exact[i].w);
        vec sv = sub(start[i].v, exact[i].v), sw = sub(start[i].w, exact[i].w);
        sum += dot(dv, dv) / w->grains[i].inv_m + dot(dw, dw) / w->grains[i].inv_i;
        whole += dot(sv, sv) / w->grains[i].inv_m + dot(sw, sw) / w->grains[i].inv_i;
    }
    return sqrt(sum / whole);
}

/* One step from a state that is disturbed: by 20 % more weight (column, bed), or as the flow goes on. */
static void begin_problem(world *w, kind of, double youngs, const char *path, settings *set, double h)
{
    set_case(w, of, youngs);
    load(w, path);
    w->gravity = of == COLUMN || of == BED ? 1.2 * GRAVITY : GRAVITY;
    search(w, FRAME, set->order);
    double last = of == BED ? (youngs > 1e8 ? FRAME / 100 : FRAME / 40) : youngs > 1e8 ? FRAME / 40 : FRAME / 20;
    begin_substep(w, set, h, h / last);
}

static void solve(kind of, double youngs, const char *path, double h)
{
    world w;
    settings set;
    parse(&set, "substeps=1,warm=1,n_s=2");
    begin_problem(&w, of, youngs, path, &set, h);
    grain *start = take((size_t)w.count, sizeof *start), *exact = take((size_t)w.count, sizeof *exact);
    memcpy(start, w.grains, (size_t)w.count * sizeof *start);
    double rest = INFINITY;
    int done = 0;
    for (; done < 100000 && rest > 1e-11; done++) {
        sweep(&w, 1.0, done % 2);
        if (done % 100 == 99)
            rest = residual(&w, h);
    }
    fprintf(stderr, "%s E=%g h=%g: %d contacts, reference after %d sweeps, residual %.1e\n", case_names[of], youngs, h,
            w.closed_count, done, rest);
    memcpy(exact, w.grains, (size_t)w.count * sizeof *exact);
    for (int i = 0; i < VARIANTS; i++) {
        world trial;
        char text[256];
        snprintf(text, sizeof text, "substeps=1,warm=1,n_s=2%s%s", *variants[i].settings ? "," : "",
                 variants[i].settings);
        parse(&set, text);
        begin_problem(&trial, of, youngs, path, &set, h);
        memory m = remember(&trial);
        double next = 1.0;
        for (int k = 1; k <= MOST_ITERATIONS; k++) {
            iterate(&trial, &set, &m);
            if (k < next)
                continue;
            next = fmax(k + 1, 1.15 * k);
            printf("%s,%g,%g,\"%s\",%d,%.4e,%.4e\n", case_names[of], youngs, h, variants[i].name, k,
                   velocity_error(&trial, exact, start), residual(&trial, h));
        }
        forget(&m);
        free(trial.grains);
    }
}

/* ---------------------------------------------------------------- run */

static int highest(const world *w)
{
    int top = 0;
    for (int i = 0; i < w->count; i++)
        top = w->grains[i].x.z > w->grains[top].x.z ? i : top;
    return top;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Prints what the case is judged by, over time:
 *   column  height over the exact one − 1; force on the floor over the weight
 *   bed     with press, a lid comes down from the highest grain at 0.05 m/s: force on it; how far the grains have sunk
 *   drum    angle of the centre of mass
 *   blade   drag
 */
static void run(kind of, double youngs, const char *path, const char *text)
{
    world w;
    settings set;
    parse(&set, text);
    set_case(&w, of, youngs);
    load(&w, path);
    double until = set.until > 0.0 ? set.until
                   : of == COLUMN  ? 2.0
                   : of == BED     ? (set.press ? 0.3 : 0.5)
                   : of == DRUM    ? 3.0
                                   : 0.8;
    double began = mean_height(&w), from = seconds(), exact = COLUMN_GRAINS * MEAN, weight = 0.0, contacts = 0.0;
    for (int i = 0; i < w.count; i++)
        weight += GRAVITY / w.grains[i].inv_m;
    for (int i = 0; i < COLUMN_GRAINS; i++)
        exact -= column_overlap(&w, i);
    int frames = (int)(until / FRAME + 0.5);
    /* impulses of the file belong to another length of substep */
    double last = of == BED ? (youngs > 1e8 ? FRAME / 100 : FRAME / 40) : youngs > 1e8 ? FRAME / 40 : FRAME / 20;
    for (int k = 0; k < w.near; k++)
        w.p[k] = plus((impulse){0}, set.cold ? 0.0 : FRAME / set.substeps / last, w.p[k]);
    for (int i = 0; i < frames; i++) {
        if (set.press && i == 0) {
            int top = highest(&w);
            w.walls[w.wall_count++] = (wall){.kind = PLANE,
                                             .at = {0, 0, w.grains[top].x.z + w.grains[top].r},
                                             .n = {0, 0, -1},
                                             .v = {0, 0, -0.05},
                                             .mu = w.mu,
                                             .roll = w.roll};
        }
        run_frame(&w, &set);
        contacts += w.closed_count;
        double figure = 0.0, second = 0.0;
        if (of == COLUMN) {
            int top = highest(&w);
            figure = (w.grains[top].x.z + w.grains[top].r) / exact - 1.0;
            second = -w.walls[0].force.z / weight - 1.0;
        } else if (of == BED) {
            figure = w.wall_count > 5 ? w.walls[5].force.z : 0.0;
            second = (began - mean_height(&w)) / MEAN;
        } else if (of == DRUM) {
            vec centre = {0, 0, 0};
            for (int j = 0; j < w.count; j++)
                centre = fma3(centre, 1.0 / w.grains[j].inv_m, w.grains[j].x);
            figure = atan2(fabs(centre.x), -centre.z) * 180.0 / PI;
        } else
            figure = w.walls[w.wall_count - 1].force.x;
        printf("%g,%.6e,%.6e,%.3e,%.3e\n", w.time, figure, second, mean_speed(&w),
               overlap_error(&w, FRAME / set.substeps));
        if (!isfinite(mean_speed(&w)) || mean_speed(&w) > 100.0)
            break;
    }
    printf("# cpu %.3f s, %.0f closed contacts, weight %g N\n", seconds() - from, contacts / frames, weight);
}

/* ---------------------------------------------------------------- cost */

static void cost(const char *path)
{
    for (int i = 0; i < METHODS; i++) {
        static const char *const names[] = {"sweep", "NNCG", "Nesterov", "Chebyshev", "APGD", "coarse + sweep"};
        world w;
        settings set;
        char text[64];
        snprintf(text, sizeof text, "substeps=1,warm=1,n_s=2,method=%d", i);
        parse(&set, text);
        begin_problem(&w, BED, 6.2e6, path, &set, FRAME);
        memory m = remember(&w);
        iterate(&w, &set, &m);
        double best = INFINITY;
        for (int k = 0; k < 5; k++) {
            double from = seconds();
            for (int j = 0; j < 40; j++)
                iterate(&w, &set, &m);
            best = fmin(best, (seconds() - from) / 40.0);
        }
        printf("%s,%.2f\n", names[i], 1e9 * best / w.closed_count);
        forget(&m);
    }
}

int main(int count, char **words)
{
    int of = 0;
    if (count >= 3 && !strcmp(words[1], "cost")) {
        cost(words[2]);
        return 0;
    }
    while (count >= 5 && of < 4 && strcmp(words[2], case_names[of]))
        of++;
    if (count < 5 || of == 4 || (strcmp(words[1], "make") && count < 6)) {
        fprintf(stderr, "usage: study make|solve|run column|bed|drum|blade E FILE [H|SETTINGS]; study cost FILE\n");
        return 2;
    }
    double youngs = atof(words[3]);
    if (!strcmp(words[1], "make"))
        make((kind)of, youngs, words[4]);
    else if (!strcmp(words[1], "solve"))
        solve((kind)of, youngs, words[4], atof(words[5]));
    else
        run((kind)of, youngs, words[4], words[5]);
    return 0;
}
