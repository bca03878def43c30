/*
 * Pairs of grains that touch or may touch soon, with the impulses they remember, packed for the solver.
 *
 * A block holds eight pairs that share no grain, so that the lanes of a vector may solve them at once; a strip is a run
 * of blocks that share none. What one thread takes at a time is a range of strips, and a phase is all ranges that
 * threads may take side by side:
 *   first phase   the tiles. A tile is SCREE_TILE grains with consecutive indices, near each other when the grains are
 *                 sorted; its range holds the pairs within it, a strip for each colour.
 *   second phase  the districts, where there are any: a range holds the pairs across tiles within a district, a run of
 *                 tiles, likewise. A thread may solve it right after the district's tiles, whose grains are not far
 *                 then.
 *   other phases  a colour each of the other pairs, cut into ranges of one strip; nearly all are in the first few.
 *
 * Pairs that came when the list was mended (collide/mend.h) are in further phases behind, likewise.
 *
 * Which pairs there are, and their order, is decided when the list is renewed or mended, by the positions, velocities
 * and margins of that moment alone. The order decides the last bits of the result: so the list is part of the state,
 * with `seen`, which says when it will be renewed.
 */
#ifndef SCREE_COLLIDE_PAIRS_H
#define SCREE_COLLIDE_PAIRS_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"

enum { SCREE_LANES = 8 };

/* Six cache lines. Impulses are those of the last substep, as they acted: with the normal and the arms of that time.
 */
typedef struct scree_pair_block {
    uint32_t a[SCREE_LANES], b[SCREE_LANES]; /* particles, a < b. No pair: a = b = a[7]; such lanes come first */
    float share[SCREE_LANES];                /* 1, r_a/(r_a + r_b); 0: no pair */
    float p[3][SCREE_LANES];                 /* N s, on b; −p on a */
    float qa[3][SCREE_LANES];                /* N m s, −qa on a, about its centre */
    float qb[3][SCREE_LANES];                /* N m s, qb on b, likewise */
} scree_pair_block;

/* m/s, the velocity that a grain is expected to keep, beyond that which all have in common. */
typedef struct scree_course {
    float v[3];
} scree_course;

typedef struct scree_pairs {
    scree_pair_block *blocks;       /* [count] */
    uint32_t (*kinds)[SCREE_LANES]; /* [count]: material of a times materials of the scene, plus that of b */
    uint8_t *closed;                /* [count], bit per lane: it touched in the last substep of the last frame */
    uint32_t *strips;               /* [strip_count + 1], first block of each */
    uint32_t *ranges;               /* [range_count + 1], first strip of each */
    uint32_t *phases;               /* [phase_count + 1], first range of each */
    scree_place *seen;              /* [particles]: where each was when the list was made, and its margin as r */
    scree_course *courses;          /* [particles], likewise */
    double time, horizon;           /* s, since then, up to the time for which courses are kept */
    vec3 drift;                     /* m, how far all have gone together since; scree_substep_run */
    uint32_t count, particles;      /* blocks; particles when the list was made */
    uint32_t base;                  /* blocks then; the others have come since, collide/mend.h */
    uint32_t mended;                /* grains for which it has been mended since, and some more for each time */
    uint32_t strip_count, range_count, phase_count;
    uint32_t mixed; /* more than one kind of pair */
    bool valid;     /* the list is that of the particles as they are; else only the impulses count */
    size_t blocks_capacity, kinds_capacity, closed_capacity, strips_capacity, ranges_capacity, phases_capacity,
        seen_capacity, courses_capacity;
} scree_pairs;

/*
 * How far ahead pairs are chosen. A grain is expected where its velocity takes it within the horizon, and to stay
 * there; what all have in common makes no difference, and a list holds longer when it is left out.
 */
typedef struct scree_outlook {
    vec3 stream;           /* m/s, that all have in common */
    double horizon;        /* s; 0: grains are expected to stay, and velocities are not asked for */
    const double *margins; /* m, [particles], how far each may come from where it is expected */
} scree_outlook;

/* Pairs by particle: those of a are others[starts[a]] … others[starts[a + 1] − 1], all above a, rising. */
typedef struct scree_neighbours {
    uint32_t *starts; /* [particles + 1] */
    uint32_t *others;
} scree_neighbours;

/* Number of districts, a power of two; 0: the grains are too few for that. */
uint32_t scree_district_count(uint32_t particles);

/* First tile of a district; that of the one behind the last: number of tiles. Tiles are halved as in sort.c, so that
 * those of a district are near each other. */
uint32_t scree_district_begin(uint32_t particles, uint32_t district);

void scree_pairs_free(scree_pairs *pairs, const scree_memory *memory);

static inline vec3 scree_course_of(const scree_course *course)
{
    return (vec3){course->v[0], course->v[1], course->v[2]};
}

/* As it is now. */
static inline scree_course scree_course_in(const scree_particles *particles, const scree_outlook *outlook, uint32_t i)
{
    if (!(outlook->horizon > 0.0))
        return (scree_course){{0.0f, 0.0f, 0.0f}};
    vec3 u = sub(particles->twist[i].v, outlook->stream);
    return (scree_course){{(float)u.x, (float)u.y, (float)u.z}};
}

/* How far grain i, at x, is from where it is expected. */
static inline vec3 scree_pairs_gone(const scree_pairs *pairs, uint32_t i, vec3 x)
{
    return mul_add(sub(sub(x, pairs->seen[i].x), pairs->drift), -pairs->time, scree_course_of(&pairs->courses[i]));
}

/* Whether a gap that changes by w, m/s, becomes shorter than `below` from a time to another. */
static inline bool scree_comes_within(vec3 gap, vec3 w, double from, double to, double below)
{
    vec3 first = mul_add(gap, from, w), last = mul_add(gap, to, w);
    double square = dot(w, w), begin = dot(first, w), end = dot(last, w), most = below * below;
    if (begin >= 0.0 || end <= 0.0) { /* it only grows, or only falls */
        double nearest = begin >= 0.0 ? dot(first, first) : dot(last, last);
        return nearest < most;
    }
    return dot(first, first) * square - begin * begin < most * square;
}

/* Whether the list still holds all that touches now. */
bool scree_pairs_hold(const scree_pairs *pairs, const scree_particles *particles);

/*
 * Makes the list anew of those that were found, whose radii and margins meet now or within the horizon
 * (collide/search.h). Impulses stay with their pairs; new pairs have none. materials: of the scene. False: no memory.
 */
bool scree_pairs_renew(scree_pairs *pairs, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                       const scree_particles *particles, uint32_t materials, const scree_neighbours *found,
                       const scree_outlook *outlook);

/* Sets the kinds, and makes room for what is noted about blocks. Also after a snapshot has been read. */
bool scree_pairs_complete(scree_pairs *pairs, const scree_memory *memory, const scree_particles *particles,
                          uint32_t materials);

/* After the particles have been renumbered: to[old] is the new index, UINT32_MAX when it is gone. The list must be
 * renewed. */
void scree_pairs_renumber(scree_pairs *pairs, const uint32_t *to);

/* Whether the list is one that scree_pairs_renew could have made, as far as memory and threads depend on it. */
scree_status scree_pairs_check(const scree_pairs *pairs, const scree_memory *memory, uint32_t particles);

static inline bool scree_pair_exists(const scree_pair_block *block, uint32_t lane)
{
    return block->a[lane] != block->b[lane];
}

#endif
