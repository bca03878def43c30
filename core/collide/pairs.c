#include "collide/packing.h"

#include <string.h>

enum { TILE_COLOURS = 16 }; /* colours within a tile */
/* Marks of pairs: the colour within a tile, with OPEN for one that does not touch now, or none. */
enum { OPEN = 32, STRAY_OPEN = 254, STRAY = 255 };
static const uint32_t NONE = UINT32_MAX, INNER = 1u << 31; /* INNER: beside the colour of a stray within a district */

/* The impulses of one pair of the last list, as in a block. */
typedef struct remembered {
    float p[3], qa[3], qb[3];
    uint32_t b;
} remembered;

/* Those of particle a are items[starts[a]] … items[starts[a + 1] − 1]. */
typedef struct history {
    uint32_t *starts;
    remembered *items;
} history;

typedef struct job {
    const scree_particles *particles;
    const scree_neighbours *found;
    uint8_t *marks;                   /* [found] */
    uint32_t (*counts)[TILE_COLOURS]; /* [tiles], pairs of each colour */
    scree_loose_pair *strays;         /* that have no colour within a tile */
    uint32_t (*stray_starts)[2];      /* [tiles + 1], of those that touch and those that don't */
    uint64_t *used;                   /* [particles], bit per colour */
    uint32_t (*district_counts)[64];  /* [districts], strays within it of each colour */
    history last;
    scree_pairs *pairs;
} job;

static bool reserve(const scree_memory *memory, void *slot, size_t *capacity, size_t need, size_t size)
{
    void *items;
    memcpy(&items, slot, sizeof items);
    bool room = scree_replace(memory, &items, capacity, need, size);
    memcpy(slot, &items, sizeof items);
    return room;
}

static void clear_blocks(const scree_pairs *pairs, uint32_t begin, uint32_t end)
{
    if (end > begin)
        memset(pairs->blocks + begin, 0, (end - begin) * sizeof *pairs->blocks);
}

void scree_pairs_free(scree_pairs *pairs, const scree_memory *memory)
{
    scree_release(memory, pairs->blocks);
    scree_release(memory, pairs->kinds);
    scree_release(memory, pairs->closed);
    scree_release(memory, pairs->strips);
    scree_release(memory, pairs->ranges);
    scree_release(memory, pairs->phases);
    scree_release(memory, pairs->seen);
    scree_release(memory, pairs->courses);
    *pairs = (scree_pairs){0};
}

bool scree_pairs_hold(const scree_pairs *pairs, const scree_particles *particles)
{
    if (!pairs->valid || pairs->particles != particles->count)
        return false;
    for (uint32_t i = 0; i < particles->count; i++) {
        vec3 gone = scree_pairs_gone(pairs, i, particles->place[i].x);
        if (!(dot(gone, gone) <= pairs->seen[i].r * pairs->seen[i].r))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- districts */

uint32_t scree_district_count(uint32_t particles)
{
    enum { FEWEST = 32, LEAST = 4, MOST = 64 }; /* tiles, tiles of a district, districts */
    uint32_t tiles = scree_pool_ranges(particles, SCREE_TILE), count = 1;
    while (count < MOST && tiles / (2 * count) >= LEAST)
        count *= 2;
    return tiles < FEWEST ? 0 : count;
}

uint32_t scree_district_begin(uint32_t particles, uint32_t district)
{
    uint32_t tiles = scree_pool_ranges(particles, SCREE_TILE), count = scree_district_count(particles), first = 0;
    if (district >= count)
        return tiles;
    for (uint32_t bit = count / 2; bit > 0; bit /= 2) {
        uint32_t half = (tiles + 1) / 2;
        first += district & bit ? half : 0;
        tiles = district & bit ? tiles - half : half;
    }
    return first;
}

/* ---------------------------------------------------------------- what the last list remembers */

/* Without p there is nothing. */
static bool remembers(const scree_pair_block *block, uint32_t lane)
{
    return block->p[0][lane] != 0.0f || block->p[1][lane] != 0.0f || block->p[2][lane] != 0.0f;
}

/* Copies what the list remembers: the blocks are free then. */
static bool keep_history(history *last, const scree_pairs *pairs, scree_arena *arena, uint32_t particles)
{
    last->starts = scree_arena_get(arena, (size_t)particles + 2, sizeof *last->starts);
    if (!last->starts)
        return false;
    memset(last->starts, 0, ((size_t)particles + 2) * sizeof *last->starts);
    uint32_t *next = last->starts + 1; /* counting sort: the starts are shifted by one while items are dealt out */
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            if (remembers(&pairs->blocks[i], k))
                next[pairs->blocks[i].a[k] + 1]++;
    for (uint32_t a = 0; a < particles; a++)
        next[a + 1] += next[a];
    last->items = scree_arena_get(arena, next[particles], sizeof *last->items);
    if (!last->items)
        return false;
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            const scree_pair_block *from = &pairs->blocks[i];
            if (!remembers(from, k))
                continue;
            remembered *to = &last->items[next[from->a[k]]++];
            to->b = from->b[k];
            for (int c = 0; c < 3; c++) {
                to->p[c] = from->p[c][k];
                to->qa[c] = from->qa[c][k];
                to->qb[c] = from->qb[c][k];
            }
        }
    return true;
}

/* Puts a pair into its lane, with the impulses it had. The block is all zero before. */
static void put(const job *todo, uint32_t slot, uint32_t a, uint32_t b)
{
    scree_pair_block *to = &todo->pairs->blocks[slot / SCREE_LANES];
    uint32_t lane = slot % SCREE_LANES;
    const history *last = &todo->last;
    scree_pair_put(todo->pairs->blocks, slot, todo->particles, a, b);
    for (uint32_t k = last->starts[a]; k < last->starts[a + 1]; k++) {
        const remembered *from = &last->items[k];
        if (from->b != b)
            continue;
        for (int c = 0; c < 3; c++) {
            to->p[c][lane] = from->p[c];
            to->qa[c][lane] = from->qa[c];
            to->qb[c][lane] = from->qb[c];
        }
        return;
    }
}

/* ---------------------------------------------------------------- choice and colours */

/* The lowest colour that neither has; TILE_COLOURS: there is none. */
static uint32_t give_colour(uint32_t *used_a, uint32_t *used_b)
{
    uint32_t vacant = ~(*used_a | *used_b) & ((1u << TILE_COLOURS) - 1u);
    if (!vacant)
        return TILE_COLOURS;
    uint32_t colour = (uint32_t)__builtin_ctz(vacant);
    *used_a |= 1u << colour;
    *used_b |= 1u << colour;
    return colour;
}

/* Colours the pairs within each tile: first the ones that touch, so that
 * blocks are full of pairs that touch or of pairs that don't, which cost little. */
static void choose(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const scree_place *place = todo->particles->place;
    const uint32_t *starts = todo->found->starts, *others = todo->found->others;
    uint32_t used[SCREE_TILE] = {0}; /* bit per colour */
    uint32_t *counts = todo->counts[range];
    memset(counts, 0, sizeof todo->counts[range]);
    for (uint32_t a = begin; a < end; a++)
        for (uint32_t k = starts[a]; k < starts[a + 1]; k++) {
            vec3 gap = sub(place[others[k]].x, place[a].x);
            double touch = place[a].r + place[others[k]].r;
            todo->marks[k] = dot(gap, gap) < touch * touch ? STRAY : STRAY_OPEN;
        }
    for (uint32_t open = 0; open < 2; open++)
        for (uint32_t a = begin; a < end; a++)
            for (uint32_t k = starts[a]; k < starts[a + 1]; k++) {
                if (todo->marks[k] != (open ? STRAY_OPEN : STRAY) || others[k] >= end)
                    continue;
                uint32_t colour = give_colour(&used[a - begin], &used[others[k] - begin]);
                if (colour == TILE_COLOURS)
                    continue;
                todo->marks[k] = (uint8_t)(open ? colour | OPEN : colour);
                counts[colour]++;
            }
    uint32_t *strays = todo->stray_starts[range];
    strays[0] = strays[1] = 0;
    for (uint32_t k = starts[begin]; k < starts[end]; k++) {
        strays[0] += todo->marks[k] == STRAY;
        strays[1] += todo->marks[k] == STRAY_OPEN;
    }
}

/* Strays of a tile: first all that touch, then, behind those of all tiles, the others. */
static void gather_strays(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const uint32_t *starts = todo->found->starts;
    scree_loose_pair *next[2] = {todo->strays + todo->stray_starts[range][0],
                                 todo->strays + todo->stray_starts[range][1]};
    for (uint32_t a = begin; a < end; a++)
        for (uint32_t k = starts[a]; k < starts[a + 1]; k++)
            if (todo->marks[k] == STRAY || todo->marks[k] == STRAY_OPEN)
                *next[todo->marks[k] == STRAY_OPEN]++ = (scree_loose_pair){a, todo->found->others[k], NONE};
}

/* Turns the numbers of strays of each tile into where they begin. Returns the number of all. */
static uint32_t place_strays(const job *todo, uint32_t tiles)
{
    uint32_t sum = 0;
    for (uint32_t open = 0; open < 2; open++)
        for (uint32_t t = 0; t < tiles; t++) {
            uint32_t count = todo->stray_starts[t][open];
            todo->stray_starts[t][open] = sum;
            sum += count;
            todo->stray_starts[t + 1][open] = t + 1 < tiles ? todo->stray_starts[t + 1][open] : sum;
        }
    return sum;
}

/* Gives each stray within the district the lowest colour that neither of its grains has, if there is one. */
static void colour_district(void *context, uint32_t district, uint32_t begin, uint32_t end)
{
    (void)begin;
    (void)end;
    const job *todo = context;
    uint32_t n = todo->particles->count, *counts = todo->district_counts[district];
    uint32_t first = scree_district_begin(n, district), last = scree_district_begin(n, district + 1);
    uint32_t low = first * SCREE_TILE, high = last * SCREE_TILE < n ? last * SCREE_TILE : n;
    memset(counts, 0, sizeof *todo->district_counts);
    memset(todo->used + low, 0, (high - low) * sizeof *todo->used);
    for (uint32_t open = 0; open < 2; open++)
        for (uint32_t i = todo->stray_starts[first][open]; i < todo->stray_starts[last][open]; i++) {
            scree_loose_pair *at = &todo->strays[i];
            uint64_t vacant = at->b < high ? ~(todo->used[at->a] | todo->used[at->b]) : 0;
            if (!vacant)
                continue;
            uint32_t colour = (uint32_t)__builtin_ctzll(vacant);
            todo->used[at->a] |= UINT64_C(1) << colour;
            todo->used[at->b] |= UINT64_C(1) << colour;
            at->slot = INNER | colour;
            counts[colour]++;
        }
}

/* Returns the number of strays that are within a district. */
static uint32_t colour_districts(job *todo, scree_pool *pool)
{
    uint32_t districts = scree_district_count(todo->particles->count), sum = 0;
    scree_pool_run(pool, districts, 1, colour_district, todo);
    for (uint32_t d = 0; d < districts; d++)
        for (uint32_t c = 0; c < 64; c++)
            sum += todo->district_counts[d][c];
    return sum;
}

/*
 * Gives each stray but the `inner` ones within districts the lowest colour that neither of its grains has, 64 colours
 * at a time. counts: [strays + 64], pairs of each colour. Returns the number of colours.
 */
static uint32_t colour_strays(const job *todo, uint32_t count, uint32_t inner, uint32_t *counts)
{
    uint32_t colours = 0, left = count - inner;
    uint64_t *used = todo->used;
    for (uint32_t base = 0; left > 0; base += 64) {
        memset(used, 0, todo->particles->count * sizeof *used);
        memset(counts + base, 0, 64 * sizeof *counts);
        for (uint32_t i = 0; i < count; i++) {
            scree_loose_pair *at = &todo->strays[i];
            uint64_t vacant = ~(used[at->a] | used[at->b]);
            if (at->slot != NONE || !vacant)
                continue;
            uint32_t colour = (uint32_t)__builtin_ctzll(vacant);
            used[at->a] |= UINT64_C(1) << colour;
            used[at->b] |= UINT64_C(1) << colour;
            at->slot = base + colour;
            counts[base + colour]++;
            colours = base + colour + 1 > colours ? base + colour + 1 : colours;
            left--;
        }
    }
    return colours;
}

/* ---------------------------------------------------------------- strips and lanes */

/* Room for the strips, ranges and phases of these tiles and colours. */
static bool reserve_strips(const job *todo, const scree_memory *memory, uint32_t tiles, uint32_t colours,
                           const uint32_t *counts)
{
    scree_pairs *pairs = todo->pairs;
    uint32_t districts = scree_district_count(todo->particles->count);
    size_t strips = 1, ranges = tiles + districts;
    for (uint32_t t = 0; t < tiles; t++)
        for (uint32_t c = 0; c < TILE_COLOURS; c++)
            strips += todo->counts[t][c] > 0;
    for (uint32_t d = 0; d < districts; d++)
        for (uint32_t c = 0; c < 64; c++)
            strips += todo->district_counts[d][c] > 0;
    for (uint32_t c = 0; c < colours; c++)
        ranges += scree_pool_ranges(scree_pair_blocks(counts[c]), SCREE_PAIR_RANGE);
    strips += ranges - tiles - districts;
    return reserve(memory, &pairs->strips, &pairs->strips_capacity, strips, sizeof *pairs->strips) &&
           reserve(memory, &pairs->ranges, &pairs->ranges_capacity, ranges + 1, sizeof *pairs->ranges) &&
           reserve(memory, &pairs->phases, &pairs->phases_capacity, (size_t)colours + 3, sizeof *pairs->phases);
}

/* Sets the strips and ranges of the districts from these on, and their phase; counts become the next lanes. */
static void place_districts(const job *todo, uint32_t *block, uint32_t *strip, uint32_t *range)
{
    scree_pairs *pairs = todo->pairs;
    uint32_t districts = scree_district_count(todo->particles->count);
    for (uint32_t d = 0; d < districts; d++) {
        pairs->ranges[(*range)++] = *strip;
        for (uint32_t c = 0; c < 64; c++) {
            uint32_t *count = &todo->district_counts[d][c], blocks = scree_pair_blocks(*count);
            if (blocks > 0)
                pairs->strips[(*strip)++] = *block;
            *count = scree_pair_first_slot(*block, *count);
            *block += blocks;
        }
    }
    if (districts > 0)
        pairs->phases[pairs->phase_count++] = *range;
}

/* Strays get their lanes in place of their colours. */
static void place_pairs(const job *todo, uint32_t strays, uint32_t *counts)
{
    uint32_t n = todo->particles->count;
    for (uint32_t d = 0; d < scree_district_count(n); d++)
        for (uint32_t open = 0; open < 2; open++) {
            uint32_t i = todo->stray_starts[scree_district_begin(n, d)][open];
            for (; i < todo->stray_starts[scree_district_begin(n, d + 1)][open]; i++)
                if (todo->strays[i].slot & INNER)
                    todo->strays[i].slot = todo->district_counts[d][todo->strays[i].slot & ~INNER]++;
                else
                    todo->strays[i].slot = counts[todo->strays[i].slot]++;
        }
    for (uint32_t i = 0; i < strays && scree_district_count(n) == 0; i++)
        todo->strays[i].slot = counts[todo->strays[i].slot]++;
}

/* Sets strips, ranges and phases; strays get their lanes. Returns the number of blocks. */
static uint32_t place_strips(const job *todo, uint32_t tiles, uint32_t colours, uint32_t strays, uint32_t *counts)
{
    scree_pairs *pairs = todo->pairs;
    uint32_t block = 0, strip = 0, range = 0;
    pairs->phases[0] = 0;
    for (uint32_t t = 0; t < tiles; t++) {
        pairs->ranges[range++] = strip;
        for (uint32_t c = 0; c < TILE_COLOURS; c++) {
            if (todo->counts[t][c] == 0)
                continue;
            pairs->strips[strip++] = block;
            block += scree_pair_blocks(todo->counts[t][c]);
        }
    }
    pairs->phases[1] = range;
    pairs->phase_count = 2;
    place_districts(todo, &block, &strip, &range);
    for (uint32_t c = 0; c < colours; c++) {
        uint32_t end = block + scree_pair_blocks(counts[c]);
        counts[c] = scree_pair_first_slot(block, counts[c]);
        for (; block < end; block += end - block < SCREE_PAIR_RANGE ? end - block : SCREE_PAIR_RANGE) {
            pairs->ranges[range++] = strip;
            pairs->strips[strip++] = block;
        }
        pairs->phases[pairs->phase_count++] = range;
    }
    pairs->phase_count--;
    pairs->ranges[range] = strip;
    pairs->strips[strip] = block;
    pairs->strip_count = strip;
    pairs->range_count = range;
    place_pairs(todo, strays, counts);
    return block;
}

static void fill_tile(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const job *todo = context;
    const scree_pairs *pairs = todo->pairs;
    uint32_t next[TILE_COLOURS], first = pairs->strips[pairs->ranges[range]], at = first;
    clear_blocks(pairs, at, pairs->strips[pairs->ranges[range + 1]]);
    for (uint32_t c = 0; c < TILE_COLOURS; c++) {
        next[c] = scree_pair_first_slot(at, todo->counts[range][c]);
        at += scree_pair_blocks(todo->counts[range][c]);
    }
    for (uint32_t open = 0; open < 2; open++)
        for (uint32_t a = begin; a < end; a++)
            for (uint32_t k = todo->found->starts[a]; k < todo->found->starts[a + 1]; k++)
                if ((todo->marks[k] & ~(TILE_COLOURS - 1u)) == (open ? OPEN : 0))
                    put(todo, next[todo->marks[k] % TILE_COLOURS]++, a, todo->found->others[k]);
    for (uint32_t i = first; i < at; i++)
        scree_pair_fill_gaps(&pairs->blocks[i]);
}

static void fill_strays(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    for (uint32_t i = begin; i < end; i++)
        put(todo, todo->strays[i].slot, todo->strays[i].a, todo->strays[i].b);
}

static bool take_scratch(job *todo, scree_arena *arena, uint32_t found)
{
    uint32_t n = todo->particles->count, tiles = scree_pool_ranges(n, SCREE_TILE);
    todo->marks = scree_arena_get(arena, found, 1);
    todo->counts = scree_arena_get(arena, tiles, sizeof *todo->counts);
    todo->stray_starts = scree_arena_get(arena, (size_t)tiles + 1, sizeof *todo->stray_starts);
    todo->used = scree_arena_get(arena, n, sizeof *todo->used);
    todo->district_counts = scree_arena_get(arena, scree_district_count(n), sizeof *todo->district_counts);
    return todo->marks && todo->counts && todo->stray_starts && todo->used && todo->district_counts;
}

static bool remember(scree_pairs *pairs, const scree_memory *memory, const scree_particles *particles,
                     const scree_outlook *outlook)
{
    uint32_t n = particles->count;
    if (!reserve(memory, &pairs->seen, &pairs->seen_capacity, n, sizeof *pairs->seen) ||
        !reserve(memory, &pairs->courses, &pairs->courses_capacity, n, sizeof *pairs->courses))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        pairs->seen[i] = (scree_place){.x = particles->place[i].x, .r = outlook->margins[i]};
        pairs->courses[i] = scree_course_in(particles, outlook, i);
    }
    pairs->particles = n;
    pairs->time = 0.0;
    pairs->horizon = outlook->horizon;
    pairs->drift = (vec3){0.0, 0.0, 0.0};
    return true;
}

bool scree_pairs_renew(scree_pairs *pairs, const scree_memory *memory, scree_arena *arena, scree_pool *pool,
                       const scree_particles *particles, uint32_t materials, const scree_neighbours *found,
                       const scree_outlook *outlook)
{
    uint32_t n = particles->count, tiles = scree_pool_ranges(n, SCREE_TILE);
    job todo = {.particles = particles, .found = found, .pairs = pairs};
    pairs->valid = false;
    if (!keep_history(&todo.last, pairs, arena, n) || !take_scratch(&todo, arena, n ? found->starts[n] : 0) ||
        !remember(pairs, memory, particles, outlook))
        return false;
    scree_pool_run(pool, n, SCREE_TILE, choose, &todo);

    uint32_t strays = place_strays(&todo, tiles);
    todo.strays = scree_arena_get(arena, strays, sizeof *todo.strays);
    if (!todo.strays)
        return false;
    scree_pool_run(pool, n, SCREE_TILE, gather_strays, &todo);
    uint32_t *counts = scree_arena_get(arena, (size_t)strays + 64, sizeof *counts);
    if (!counts)
        return false;
    uint32_t inner = colour_districts(&todo, pool), colours = colour_strays(&todo, strays, inner, counts);

    if (!reserve_strips(&todo, memory, tiles, colours, counts))
        return false;
    uint32_t blocks = place_strips(&todo, tiles, colours, strays, counts);
    pairs->count = 0;
    if (!reserve(memory, &pairs->blocks, &pairs->blocks_capacity, scree_pair_room(blocks), sizeof *pairs->blocks))
        return false;
    pairs->count = pairs->base = blocks;
    pairs->mended = 0;
    scree_pool_run(pool, n, SCREE_TILE, fill_tile, &todo);
    uint32_t first = pairs->strips[pairs->ranges[tiles]];
    clear_blocks(pairs, first, blocks);
    scree_pool_run(pool, strays, 1024, fill_strays, &todo);
    for (uint32_t i = first; i < pairs->count; i++)
        scree_pair_fill_gaps(&pairs->blocks[i]);
    pairs->valid = scree_pairs_complete(pairs, memory, particles, materials);
    return pairs->valid;
}

bool scree_pairs_complete(scree_pairs *pairs, const scree_memory *memory, const scree_particles *particles,
                          uint32_t materials)
{
    pairs->mixed = false;
    for (uint32_t i = 1; i < particles->count && !pairs->mixed; i++)
        pairs->mixed = particles->material[i] != particles->material[0];
    size_t room = scree_pair_room(pairs->base), need = pairs->mixed ? room : 1;
    if (!reserve(memory, &pairs->kinds, &pairs->kinds_capacity, need, sizeof *pairs->kinds) ||
        !reserve(memory, &pairs->closed, &pairs->closed_capacity, room, 1))
        return false;
    if (!pairs->mixed)
        pairs->kinds[0][0] = particles->count ? particles->material[0] * (materials + 1) : 0;
    for (uint32_t i = 0; pairs->mixed && i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            pairs->kinds[i][k] =
                particles->material[pairs->blocks[i].a[k]] * materials + particles->material[pairs->blocks[i].b[k]];
    return true;
}

/* ---------------------------------------------------------------- new indices, foreign lists */

void scree_pairs_renumber(scree_pairs *pairs, const uint32_t *to)
{
    pairs->valid = false;
    for (uint32_t i = 0; i < pairs->count; i++) {
        scree_pair_block *block = &pairs->blocks[i];
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            uint32_t a = to[block->a[k]], b = to[block->b[k]];
            bool gone = a == UINT32_MAX || b == UINT32_MAX, turned = a > b;
            block->a[k] = gone ? 0 : turned ? b : a;
            block->b[k] = gone ? 0 : turned ? a : b;
            for (int c = 0; c < 3; c++) {
                float p = block->p[c][k], qa = block->qa[c][k], qb = block->qb[c][k];
                block->p[c][k] = gone ? 0.0f : turned ? -p : p;
                block->qa[c][k] = gone ? 0.0f : turned ? -qb : qa;
                block->qb[c][k] = gone ? 0.0f : turned ? -qa : qb;
            }
        }
    }
}

static bool block_fits(const scree_pair_block *block, uint32_t particles)
{
    for (uint32_t k = 0; k < SCREE_LANES; k++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++)
            sum += (double)block->p[c][k] + (double)block->qa[c][k] + (double)block->qb[c][k];
        bool empty = block->a[k] == block->b[k];
        if (block->a[k] > block->b[k] || block->b[k] >= particles || !isfinite(sum) || (empty && remembers(block, k)) ||
            !(block->share[k] >= 0.0f && block->share[k] <= 1.0f))
            return false;
    }
    return true;
}

/* starts[0] … starts[count]: from 0 to `end`, never falling. */
static bool rises(const uint32_t *starts, uint32_t count, uint32_t end)
{
    if (starts[0] != 0 || starts[count] != end)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (starts[i] > starts[i + 1])
            return false;
    return true;
}

/* Notes that a strip of a range has these grains; false when it has one already, or another range of the phase has. */
static bool claim(uint32_t *last_strip, uint32_t *last_range, const scree_pair_block *block, uint32_t strip,
                  uint32_t range, uint32_t phase_begin)
{
    for (uint32_t k = 0; k < SCREE_LANES; k++) {
        if (!scree_pair_exists(block, k)) {
            if (k == SCREE_LANES - 1 || block->a[k] != block->a[SCREE_LANES - 1])
                return false;
            continue;
        }
        const uint32_t both[2] = {block->a[k], block->b[k]};
        for (int c = 0; c < 2; c++) {
            uint32_t *in_strip = &last_strip[both[c]], *in_range = &last_range[both[c]];
            if (*in_strip == strip + 1 || (*in_range > phase_begin && *in_range != range + 1))
                return false;
            *in_strip = strip + 1;
            *in_range = range + 1;
        }
    }
    return true;
}

/* Whether the pairs of a range are all of these tiles. */
static bool stays_within(const scree_pairs *pairs, uint32_t range, uint32_t first, uint32_t last)
{
    for (uint32_t i = pairs->strips[pairs->ranges[range]]; i < pairs->strips[pairs->ranges[range + 1]]; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++)
            if (pairs->blocks[i].a[k] / SCREE_TILE < first || pairs->blocks[i].b[k] / SCREE_TILE >= last)
                return false;
    return true;
}

/* Whether the first two phases are what they promise: a thread may change other things of the same grains, too. */
static bool tiles_fit(const scree_pairs *pairs, uint32_t particles)
{
    uint32_t tiles = scree_pool_ranges(particles, SCREE_TILE), districts = scree_district_count(particles);
    if (pairs->phase_count < (districts > 0 ? 2u : 1u) || pairs->phases[1] != tiles ||
        (districts > 0 && pairs->phases[2] - tiles != districts))
        return false;
    for (uint32_t t = 0; t < tiles; t++)
        if (!stays_within(pairs, t, t, t + 1))
            return false;
    for (uint32_t d = 0; d < districts; d++)
        if (!stays_within(pairs, tiles + d, scree_district_begin(particles, d), scree_district_begin(particles, d + 1)))
            return false;
    return true;
}

static bool strips_fit(const scree_pairs *pairs, uint32_t *last_strip, uint32_t *last_range)
{
    if (!rises(pairs->phases, pairs->phase_count, pairs->range_count) ||
        !rises(pairs->ranges, pairs->range_count, pairs->strip_count) ||
        !rises(pairs->strips, pairs->strip_count, pairs->count))
        return false;
    for (uint32_t p = 0; p < pairs->phase_count; p++)
        for (uint32_t r = pairs->phases[p]; r < pairs->phases[p + 1]; r++)
            for (uint32_t s = pairs->ranges[r]; s < pairs->ranges[r + 1]; s++)
                for (uint32_t i = pairs->strips[s]; i < pairs->strips[s + 1]; i++)
                    if (!claim(last_strip, last_range, &pairs->blocks[i], s, r, pairs->phases[p]))
                        return false;
    return true;
}

scree_status scree_pairs_check(const scree_pairs *pairs, const scree_memory *memory, uint32_t particles)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        if (!block_fits(&pairs->blocks[i], particles))
            return SCREE_FORMAT;
    if (!pairs->valid)
        return SCREE_OK;
    if (pairs->base > pairs->count || pairs->count > scree_pair_room(pairs->base))
        return SCREE_FORMAT;
    if (!(pairs->time >= 0.0) || !(pairs->time <= pairs->horizon) || !isfinite(pairs->horizon))
        return SCREE_FORMAT;
    for (uint32_t i = 0; i < particles; i++)
        if (!(pairs->seen[i].r >= 0.0) || !isfinite(length(scree_course_of(&pairs->courses[i]))))
            return SCREE_FORMAT;
    uint32_t *last_strip = scree_allocate(memory, particles, sizeof *last_strip);
    uint32_t *last_range = scree_allocate(memory, particles, sizeof *last_range);
    bool room = last_strip && last_range;
    bool fits = room && strips_fit(pairs, last_strip, last_range) && tiles_fit(pairs, particles);
    scree_release(memory, last_strip);
    scree_release(memory, last_range);
    return fits ? SCREE_OK : room ? SCREE_FORMAT : SCREE_MEMORY;
}
