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

/* The larger; also when b is no number. */
static inline double larger(double a, double b)
{
    return b <= a ? a : b;
}

static double move(scree_place *place, const scree_twist *twist, double h, uint32_t begin, uint32_t end, vec3 *sum)
{
    const four step = h * KEEP_FOURTH;
    four all = four_all(0.0);
    double fastest = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        four v = four_load(&twist[i].v.x), square = v * v;
        store_row(&place[i].x.x, four_load(&place[i].x.x) + step * v);
        all = all + v;
        fastest = larger(fastest, square[0] + square[1] + square[2]);
    }
    *sum = (vec3){all[0], all[1], all[2]};
    return fastest;
}
