/*
 * What a substep does to each grain by itself, as kernels: included by pair_kernel.h, whose table it goes into. Rows of
 * four doubles are those of body/particles.h; the fourth of a velocity is its inverse mass or inertia, and stays.
 */

static const four KEEP_FOURTH = {1.0, 1.0, 1.0, 0.0};

static inline four row_of(vec3 v)
{
    return (four){v.x, v.y, v.z, 0.0};
}

static inline void store_row(double *to, four row)
{
    *(four *)to = row;
}

static void kick(const scree_kick *todo, uint32_t begin, uint32_t end)
{
    const four change = row_of(todo->change), last = row_of(todo->last_change);
    const four ratio = todo->ratio * KEEP_FOURTH;
    for (uint32_t i = begin; i < end; i++) {
        double *twist = &todo->twist[i].v.x, *stand = &todo->stand[i].x.x;
        four v = four_load(twist), w = four_load(twist + 4), next = v + change;
        if (todo->goes_on) {
            next = next + ratio * (v - four_load(stand + 4) - last);
            store_row(twist + 4, w + ratio * (w - row_of(todo->spin[i])));
        }
        store_row(twist, next);
        store_row(stand, four_load(&todo->place[i].x.x));
        store_row(stand + 4, v);
        todo->spin[i] = (vec3){w[0], w[1], w[2]};
    }
}

/* Velocities of four grains, and what is noted about those before. */
typedef struct paces {
    four sum, fastest, calm;
    four3 tile, all;
} paces;

static inline four3 four3_all(vec3 v)
{
    return (four3){four_all(v.x), four_all(v.y), four_all(v.z)};
}

static inline paces paces_of(const scree_pace *pace)
{
    return (paces){.sum = four_all(0.0),
                   .fastest = four_all(0.0),
                   .calm = four_all(pace->calm),
                   .tile = four3_all(pace->tile),
                   .all = four3_all(pace->all)};
}

/* |v − from|² */
static inline four square_from(four3 v, four3 from)
{
    four x = v.x - from.x, y = v.y - from.y, z = v.z - from.z;
    return x * x + y * y + z * z;
}

/* `count` of four velocities; the others are zero. What is no number is lively, and the fastest. */
static inline void note_four(paces *at, const four rows[4], scree_pace *pace, uint32_t i, uint32_t count)
{
    four3 v = four_columns(rows);
    four square = v.x * v.x + v.y * v.y + v.z * v.z;
    at->sum = at->sum + ((rows[0] + rows[1]) + (rows[2] + rows[3]));
    at->fastest = four_select(square <= at->fastest, at->fastest, square);
    uint32_t calm = four_bits(square_from(v, at->tile) <= at->calm);
    uint32_t still = four_bits(square_from(v, at->all) <= at->calm);
    for (uint32_t k = 0; k < count; k++) {
        uint8_t bits = (uint8_t)((~calm >> k & 1) * SCREE_LIVELY_IN_TILE | (~still >> k & 1) * SCREE_LIVELY);
        pace->lively[i + k] = bits;
        pace->some |= bits;
    }
}

static inline void sum_up(const paces *at, scree_pace *pace)
{
    pace->sum = (vec3){at->sum[0], at->sum[1], at->sum[2]};
    pace->fastest = 0.0;
    for (int k = 0; k < 4; k++)
        pace->fastest = at->fastest[k] <= pace->fastest ? pace->fastest : at->fastest[k];
}

static void watch(const scree_twist *twist, uint32_t begin, uint32_t end, scree_pace *pace)
{
    paces at = paces_of(pace);
    pace->some = 0;
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t count = end - i < 4 ? end - i : 4;
        four rows[4] = {four_all(0.0), four_all(0.0), four_all(0.0), four_all(0.0)};
        for (uint32_t k = 0; k < count; k++)
            rows[k] = four_load(&twist[i + k].v.x);
        note_four(&at, rows, pace, i, count);
    }
    sum_up(&at, pace);
}

static void move(scree_place *place, const scree_twist *twist, double h, uint32_t begin, uint32_t end, scree_pace *pace)
{
    const four step = h * KEEP_FOURTH;
    paces at = paces_of(pace);
    pace->some = 0;
    for (uint32_t i = begin; i < end; i += 4) {
        uint32_t count = end - i < 4 ? end - i : 4;
        four rows[4] = {four_all(0.0), four_all(0.0), four_all(0.0), four_all(0.0)};
        for (uint32_t k = 0; k < count; k++) {
            rows[k] = four_load(&twist[i + k].v.x);
            store_row(&place[i + k].x.x, four_load(&place[i + k].x.x) + step * rows[k]);
        }
        note_four(&at, rows, pace, i, count);
    }
    sum_up(&at, pace);
}
