#include "collide/mend.h"

#include "collide/packing.h"

#include <string.h>

enum {
    GROUP = 16,        /* grains that share a box, a divisor of SCREE_TILE */
    DISTRICT = 32,     /* tiles that do */
    RANGE = 32,        /* strays that a thread takes at a time */
    ROOM = 16 * RANGE, /* new pairs that they may have */
    COLOURS = 64       /* of new pairs, at most */
};
static const uint32_t NONE = UINT32_MAX;

typedef struct box {
    double low[3], high[3];
    double way; /* m, that a grain in it may go on its course yet, at most */
} box;

typedef struct job {
    scree_pairs *pairs;
    const scree_particles *particles;
    const uint32_t *who; /* [count] */
    uint32_t count;
    uint32_t *slots;                 /* [particles], index in `who` */
    uint8_t *lanes;                  /* [blocks], bit per lane: one of its grains is among them */
    uint32_t *starts;                /* [count + 2]: partners in the list of who[k] are partners[starts[k]] … */
    uint32_t *partners;              /*   partners[starts[k + 1] − 1] */
    box *districts, *tiles, *groups; /* around the reaches of grains with consecutive indices */
    scree_loose_pair *news;          /* [ranges of who][ROOM], then [new_count] */
    uint32_t *counts;                /* [ranges of who], new pairs */
    uint32_t new_count;
} job;

/* ---------------------------------------------------------------- which pairs are known */

/* Notes the lanes with a grain that strayed. */
static void note_lanes(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const uint32_t *slots = todo->slots;
    for (uint32_t i = begin; i < end; i++) {
        const scree_pair_block *block = &todo->pairs->blocks[i];
        uint32_t all = NONE, bits = 0;
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            all &= slots[block->a[k]] & slots[block->b[k]];
        for (uint32_t k = 0; k < SCREE_LANES && all != NONE; k++)
            bits |= (uint32_t)((slots[block->a[k]] & slots[block->b[k]]) != NONE && scree_pair_exists(block, k)) << k;
        todo->lanes[i] = (uint8_t)bits;
    }
}

static void deal_out(const job *todo, uint32_t *next, bool count)
{
    const scree_pairs *pairs = todo->pairs;
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t bits = todo->lanes[i]; bits; bits &= bits - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(bits), a = pairs->blocks[i].a[k], b = pairs->blocks[i].b[k];
            uint32_t s = todo->slots[a], t = todo->slots[b];
            if (s != NONE && count)
                next[s + 1]++;
            else if (s != NONE)
                todo->partners[next[s]++] = b;
            if (t != NONE && count)
                next[t + 1]++;
            else if (t != NONE)
                todo->partners[next[t]++] = a;
        }
}

static bool gather_partners(job *todo, scree_arena *arena, scree_pool *pool)
{
    enum { BLOCKS = 512 };
    uint32_t n = todo->particles->count;
    todo->slots = scree_arena_get(arena, n, sizeof *todo->slots);
    todo->starts = scree_arena_get(arena, (size_t)todo->count + 2, sizeof *todo->starts);
    todo->lanes = scree_arena_get(arena, todo->pairs->count, 1);
    if (!todo->slots || !todo->starts || !todo->lanes)
        return false;
    memset(todo->slots, 0xff, n * sizeof *todo->slots);
    memset(todo->starts, 0, ((size_t)todo->count + 2) * sizeof *todo->starts);
    for (uint32_t k = 0; k < todo->count; k++)
        todo->slots[todo->who[k]] = k;
    scree_pool_run(pool, todo->pairs->count, BLOCKS, note_lanes, todo);
    uint32_t *next = todo->starts + 1; /* counting sort, as in scree_contact_list_renew */
    deal_out(todo, next, true);
    for (uint32_t k = 0; k < todo->count; k++)
        next[k + 1] += next[k];
    todo->partners = scree_arena_get(arena, next[todo->count], sizeof *todo->partners);
    if (!todo->partners)
        return false;
    deal_out(todo, next, false);
    return true;
}

static bool is_known(const job *todo, uint32_t k, uint32_t other)
{
    for (uint32_t i = todo->starts[k]; i < todo->starts[k + 1]; i++)
        if (todo->partners[i] == other)
            return true;
    return false;
}

/* ---------------------------------------------------------------- who comes within reach */

static void widen(box *around, const box *by)
{
    for (int c = 0; c < 3; c++) {
        around->low[c] = by->low[c] < around->low[c] ? by->low[c] : around->low[c];
        around->high[c] = by->high[c] > around->high[c] ? by->high[c] : around->high[c];
    }
    around->way = by->way > around->way ? by->way : around->way;
}

static double lower(double a, double b)
{
    return a < b ? a : b;
}

static double higher(double a, double b)
{
    return a > b ? a : b;
}

/* Around all that a grain may reach from now on. */
static box reach_of(const job *todo, uint32_t i)
{
    const scree_pairs *pairs = todo->pairs;
    vec3 course = scree_course_of(&pairs->courses[i]);
    vec3 x = mul_add(pairs->seen[i].x, pairs->time, course), y = mul_add(pairs->seen[i].x, pairs->horizon, course);
    double reach = todo->particles->place[i].r + pairs->seen[i].r;
    return (box){{lower(x.x, y.x) - reach, lower(x.y, y.y) - reach, lower(x.z, y.z) - reach},
                 {higher(x.x, y.x) + reach, higher(x.y, y.y) + reach, higher(x.z, y.z) + reach},
                 (pairs->horizon - pairs->time) * length(course)};
}

static void make_boxes(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};
    const job *todo = context;
    todo->tiles[tile] = empty;
    for (uint32_t i = begin; i < end; i++) {
        box *group = &todo->groups[i / GROUP], one = reach_of(todo, i);
        if (i % GROUP == 0)
            *group = empty;
        widen(group, &one);
        if (i % GROUP == GROUP - 1 || i == end - 1)
            widen(&todo->tiles[tile], group);
    }
}

static bool meet(const box *a, const box *b)
{
    return a->high[0] >= b->low[0] && a->low[0] <= b->high[0] && a->high[1] >= b->low[1] && a->low[1] <= b->high[1] &&
           a->high[2] >= b->low[2] && a->low[2] <= b->high[2];
}

/* Notes the pairs of who[k] with grains of a group that are not in the list; way: m, by which the distance of two may
 * change yet. Of two that are seen anew, the lower one finds the other. Counts also what has no room. */
static void look_at(const job *todo, uint32_t range, uint32_t k, double way, uint32_t begin, uint32_t end)
{
    const scree_pairs *pairs = todo->pairs;
    const scree_place *place = todo->particles->place;
    uint32_t i = todo->who[k];
    vec3 x = pairs->seen[i].x, course = scree_course_of(&pairs->courses[i]);
    double reach = place[i].r + pairs->seen[i].r;
    for (uint32_t j = begin; j < end; j++) {
        vec3 gap = sub(pairs->seen[j].x, x), w = sub(scree_course_of(&pairs->courses[j]), course);
        vec3 now = mul_add(gap, pairs->time, w);
        double both = reach + place[j].r + pairs->seen[j].r, far = both + (1.0 + 1e-9) * way;
        if (dot(now, now) >= far * far || j == i || !scree_comes_within(gap, w, pairs->time, pairs->horizon, both) ||
            (todo->slots[j] != NONE && j < i) || is_known(todo, k, j))
            continue;
        uint32_t at = todo->counts[range]++;
        if (at < ROOM)
            todo->news[range * ROOM + at] = (scree_loose_pair){i < j ? i : j, i < j ? j : i, NONE};
    }
}

static void look_into(const job *todo, uint32_t range, uint32_t k, const box *around, uint32_t tile)
{
    uint32_t n = todo->particles->count, last = (tile + 1) * SCREE_TILE < n ? (tile + 1) * SCREE_TILE : n;
    for (uint32_t begin = tile * SCREE_TILE; begin < last; begin += GROUP)
        if (meet(&todo->groups[begin / GROUP], around))
            look_at(todo, range, k, around->way + todo->groups[begin / GROUP].way, begin,
                    begin + GROUP < last ? begin + GROUP : last);
}

static void look_around(const job *todo, uint32_t range, uint32_t k)
{
    uint32_t tiles = scree_pool_ranges(todo->particles->count, SCREE_TILE);
    box around = reach_of(todo, todo->who[k]);
    for (uint32_t d = 0; d * DISTRICT < tiles; d++) {
        if (!meet(&todo->districts[d], &around))
            continue;
        for (uint32_t t = d * DISTRICT; t < tiles && t < (d + 1) * DISTRICT; t++)
            if (meet(&todo->tiles[t], &around))
                look_into(todo, range, k, &around, t);
    }
}

static void look(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    todo->counts[range] = 0;
    for (uint32_t k = begin; k < end; k++)
        look_around(todo, range, k);
}

/* Finds the new pairs. */
static scree_mended search(job *todo, scree_arena *arena, scree_pool *pool)
{
    uint32_t n = todo->particles->count, tiles = scree_pool_ranges(n, SCREE_TILE);
    uint32_t ranges = scree_pool_ranges(todo->count, RANGE);
    todo->districts = scree_arena_get(arena, scree_pool_ranges(tiles, DISTRICT), sizeof *todo->districts);
    todo->tiles = scree_arena_get(arena, tiles, sizeof *todo->tiles);
    todo->groups = scree_arena_get(arena, scree_pool_ranges(n, GROUP), sizeof *todo->groups);
    todo->news = scree_arena_get(arena, (size_t)ranges * ROOM, sizeof *todo->news);
    todo->counts = scree_arena_get(arena, ranges, sizeof *todo->counts);
    if (!todo->districts || !todo->tiles || !todo->groups || !todo->news || !todo->counts)
        return SCREE_MENDED_NO_MEMORY;
    scree_pool_run(pool, n, SCREE_TILE, make_boxes, todo);
    for (uint32_t t = 0; t < tiles; t++) {
        if (t % DISTRICT == 0)
            todo->districts[t / DISTRICT] = todo->tiles[t];
        widen(&todo->districts[t / DISTRICT], &todo->tiles[t]);
    }
    scree_pool_run(pool, todo->count, RANGE, look, todo);
    for (uint32_t r = 0; r < ranges; r++) {
        if (todo->counts[r] > ROOM)
            return SCREE_MENDED_NOT;
        memmove(todo->news + todo->new_count, todo->news + r * ROOM, todo->counts[r] * sizeof *todo->news);
        todo->new_count += todo->counts[r];
    }
    return SCREE_MENDED;
}

/* ---------------------------------------------------------------- into blocks */

/* The lowest colour that neither of its grains has, for each. Returns how many there are; NONE: too many. */
static uint32_t colour(const job *todo, uint64_t *used, uint32_t *counts)
{
    uint32_t colours = 0;
    memset(used, 0, todo->particles->count * sizeof *used);
    memset(counts, 0, COLOURS * sizeof *counts);
    for (uint32_t i = 0; i < todo->new_count; i++) {
        scree_loose_pair *pair = &todo->news[i];
        uint64_t vacant = ~(used[pair->a] | used[pair->b]);
        if (!vacant)
            return NONE;
        pair->slot = (uint32_t)__builtin_ctzll(vacant);
        used[pair->a] |= UINT64_C(1) << pair->slot;
        used[pair->b] |= UINT64_C(1) << pair->slot;
        counts[pair->slot]++;
        colours = pair->slot + 1 > colours ? pair->slot + 1 : colours;
    }
    return colours;
}

static bool grow(const scree_memory *memory, uint32_t **items, size_t *capacity, size_t used, size_t need)
{
    void *grown = *items;
    bool room = scree_reserve(memory, &grown, capacity, used, need, sizeof **items);
    *items = grown;
    return room;
}

/* Appends a phase for each colour; pairs get their lanes in place of their colours. */
static bool append_phases(job *todo, const scree_memory *memory, uint32_t colours, uint32_t *counts)
{
    scree_pairs *pairs = todo->pairs;
    uint32_t block = pairs->count, ranges = 0;
    for (uint32_t c = 0; c < colours; c++)
        ranges += scree_pool_ranges(scree_pair_blocks(counts[c]), SCREE_PAIR_RANGE);
    if (!grow(memory, &pairs->strips, &pairs->strips_capacity, (size_t)pairs->strip_count + 1,
              (size_t)pairs->strip_count + ranges + 1) ||
        !grow(memory, &pairs->ranges, &pairs->ranges_capacity, (size_t)pairs->range_count + 1,
              (size_t)pairs->range_count + ranges + 1) ||
        !grow(memory, &pairs->phases, &pairs->phases_capacity, (size_t)pairs->phase_count + 1,
              (size_t)pairs->phase_count + colours + 1))
        return false;
    for (uint32_t c = 0; c < colours; c++) {
        uint32_t end = block + scree_pair_blocks(counts[c]);
        counts[c] = scree_pair_first_slot(block, counts[c]);
        while (block < end) {
            block += end - block < SCREE_PAIR_RANGE ? end - block : SCREE_PAIR_RANGE;
            pairs->strips[++pairs->strip_count] = block;
            pairs->ranges[++pairs->range_count] = pairs->strip_count;
        }
        pairs->phases[++pairs->phase_count] = pairs->range_count;
    }
    for (uint32_t i = 0; i < todo->new_count; i++)
        todo->news[i].slot = counts[todo->news[i].slot]++;
    return true;
}

static void fill_blocks(const job *todo, uint32_t first)
{
    scree_pairs *pairs = todo->pairs;
    memset(pairs->blocks + first, 0, (pairs->count - first) * sizeof *pairs->blocks);
    for (uint32_t i = 0; i < todo->new_count; i++) {
        scree_loose_pair pair = todo->news[i];
        scree_pair_put(pairs->blocks, pair.slot, todo->particles, pair.a, pair.b);
    }
    for (uint32_t i = first; i < pairs->count; i++)
        scree_pair_fill_gaps(&pairs->blocks[i]);
}

static scree_mended append(job *todo, const scree_memory *memory, scree_arena *arena, uint32_t materials)
{
    scree_pairs *pairs = todo->pairs;
    uint64_t *used = scree_arena_get(arena, todo->particles->count, sizeof *used);
    uint32_t counts[COLOURS], first = pairs->count, blocks = first;
    if (!used)
        return SCREE_MENDED_NO_MEMORY;
    uint32_t colours = colour(todo, used, counts);
    for (uint32_t c = 0; c < colours && colours != NONE; c++)
        blocks += scree_pair_blocks(counts[c]);
    if (colours == NONE || blocks > scree_pair_room(pairs->base))
        return SCREE_MENDED_NOT;
    if (!append_phases(todo, memory, colours, counts))
        return SCREE_MENDED_NO_MEMORY;
    pairs->count = blocks; /* scree_pairs_renew has made room */
    fill_blocks(todo, first);
    return scree_pairs_complete(pairs, memory, todo->particles, materials) ? SCREE_MENDED : SCREE_MENDED_NO_MEMORY;
}

/* As if it had come from where its course would have begun. */
static void see_anew(scree_pairs *pairs, const scree_particles *particles, uint32_t i, vec3 stream, double margin)
{
    vec3 u = sub(particles->twist[i].v, stream), from = sub(particles->place[i].x, pairs->drift);
    pairs->courses[i] = (scree_course){{(float)u.x, (float)u.y, (float)u.z}};
    pairs->seen[i] = (scree_place){.x = mul_add(from, -pairs->time, scree_course_of(&pairs->courses[i])), .r = margin};
}

scree_mended scree_pairs_mend(scree_pairs *pairs, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                              const scree_particles *particles, uint32_t materials, vec3 stream, const uint32_t *who,
                              const double *margins, uint32_t count)
{
    uint32_t n = particles->count, least = n / 64; /* so that there are few phases */
    job todo = {.pairs = pairs, .particles = particles, .who = who, .count = count};
    if (pairs->mended + (count > least ? count : least) > n / 8)
        return SCREE_MENDED_NOT;
    pairs->mended += count > least ? count : least;
    for (uint32_t k = 0; k < count; k++)
        see_anew(pairs, particles, who[k], stream, margins[k]);
    if (!gather_partners(&todo, arena, pool))
        return SCREE_MENDED_NO_MEMORY;
    scree_mended found = search(&todo, arena, pool);
    return found == SCREE_MENDED && todo.new_count > 0 ? append(&todo, memory, arena, materials) : found;
}
