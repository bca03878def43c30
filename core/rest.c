#include "rest.h"

#include <string.h>

enum { CALM = 20 };             /* frames */
static const double SLOW = 0.3; /* speed of a calm tile over √(g d), for a share of 1 of the weight that may lack */

static bool is_wanted(const scree_world *world)
{
    return world->settings->solver.rest > 0.0 && length(vec3_of(world->settings->head.gravity)) > 0.0 &&
           world->particles.count > 0;
}

/* Tiles of which every grain is calm. Returns their number. */
static uint32_t find_calm(const scree_particles *particles, uint8_t *calm, uint32_t tiles)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < tiles; t++) {
        uint32_t end = (t + 1) * SCREE_TILE < particles->count ? (t + 1) * SCREE_TILE : particles->count, i;
        for (i = t * SCREE_TILE; i < end && particles->calm[i] >= CALM; i++)
            ;
        calm[t] = i == end;
        count += calm[t];
    }
    return count;
}

/* What may touch a body that moves in this frame is not calm. Which contacts are listed beyond those must make no
 * difference (collide/walls.h). */
static void disturb(const scree_world *world, const scree_contact_list *list, double frame, uint8_t *calm)
{
    for (size_t i = 0; i < list->count; i++) {
        const scree_contact *contact = &list->items[i];
        const scree_placed *shape = &world->shapes[scree_contact_shape(contact)];
        const scree_rigid *body = &world->bodies[shape->body];
        const scree_place *place = &world->particles.place[contact->a];
        double reach = place->r + scree_walls_way(shape, body, frame, place->x, place->r);
        if (!scree_rigid_is_still(body) && calm[contact->a / SCREE_TILE] && scree_shape_within(shape, place->x, reach))
            calm[contact->a / SCREE_TILE] = 0;
    }
}

/* Pairs across tiles come behind those within them. */
static void wake_neighbours(const scree_pairs *pairs, uint32_t tiles, const uint8_t *calm, uint8_t *asleep)
{
    for (uint32_t i = pairs->strips[pairs->ranges[tiles]]; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            uint32_t a = pairs->blocks[i].a[k] / SCREE_TILE, b = pairs->blocks[i].b[k] / SCREE_TILE;
            asleep[a] = asleep[a] && calm[b];
            asleep[b] = asleep[b] && calm[a];
        }
}

/* Ranges of pairs across tiles of which no grain is awake: nobody needs to look at them. */
static void mark_ranges(const scree_pairs *pairs, uint32_t tiles, uint8_t *asleep)
{
    for (uint32_t r = tiles; r < pairs->range_count; r++) {
        uint32_t i = pairs->strips[pairs->ranges[r]], end = pairs->strips[pairs->ranges[r + 1]], awake = 0;
        for (; i < end && !awake; i++)
            for (uint32_t k = 0; k < SCREE_LANES; k++)
                awake |= !asleep[pairs->blocks[i].a[k] / SCREE_TILE] || !asleep[pairs->blocks[i].b[k] / SCREE_TILE];
        asleep[r] = !awake;
    }
}

static void lay_down(scree_world *world, const uint8_t *asleep)
{
    const vec3 zero = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < world->particles.count; i++)
        if (scree_rest_has(asleep, i)) {
            world->particles.twist[i].v = world->particles.twist[i].w = zero;
            world->asleep++;
        }
}

bool scree_rest_begin(scree_world *world, double frame, double h)
{
    uint32_t n = world->particles.count, tiles = scree_pool_ranges(n, SCREE_TILE);
    world->asleep = 0;
    world->pair_job.asleep = NULL;
    if (!is_wanted(world) || h != world->substep) /* impulses are those of a substep: another one begins awake */
        return true;
    uint8_t *calm = scree_arena_get(&world->arena, tiles, 1),
            *asleep = scree_arena_get(&world->arena, world->pairs.range_count, 1);
    if (!calm || !asleep)
        return false;
    if (find_calm(&world->particles, calm, tiles) == 0)
        return true;
    disturb(world, &world->walls, frame, calm);
    disturb(world, &world->heavy.loads, frame, calm);
    memcpy(asleep, calm, tiles);
    wake_neighbours(&world->pairs, tiles, calm, asleep);
    mark_ranges(&world->pairs, tiles, asleep);
    lay_down(world, asleep);
    world->pair_job.asleep = world->asleep > 0 ? asleep : NULL;
    return true;
}

bool scree_rest_is_all(const scree_world *world, double h)
{
    const scree_scene *settings = world->settings;
    const scree_solver *solver = &settings->solver;
    bool all = is_wanted(world) && world->asleep == world->particles.count && h == world->substep && !world->fresh &&
               world->rows.wall_rows && world->pair_job.asleep && world->pairs.valid && settings->emitter_count == 0 &&
               settings->sink_count == 0 && !(solver->tolerance > 0.0) && solver->order != SCREE_ORDER_RANDOM;
    for (uint32_t i = 0; all && i < settings->body_count; i++)
        all = scree_rigid_is_still(&world->bodies[i]);
    for (uint32_t i = 0; all && i < world->particles.count; i += SCREE_TILE)
        all = world->particles.calm[i] >= CALM;
    return all;
}

typedef struct job {
    scree_world *world;
    vec3 gravity;          /* m/s, change of velocity in a substep */
    double speed, impulse; /* m/s, of a calm tile at most: speed, change in a substep by what lacks to balance */
} job;

/* A tile is calm in the mean of its squares: a grain that falls, whose impulses lack all of its weight, keeps a
 * thousand others awake, one that jitters in its place does not. The spin does not count: a grain on one contact
 * without twisting friction spins for ever. */
static void count_calm(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const job *todo = context;
    const scree_particles *particles = &todo->world->particles;
    double speed = 0.0, impulse = 0.0, n = end - begin;
    for (uint32_t i = begin; i < end; i++) {
        const scree_twist *twist = &particles->twist[i];
        vec3 lack = mul_add(todo->gravity, twist->inv_mass, todo->world->pair_job.sums[i]);
        speed += dot(twist->v, twist->v);
        impulse += dot(lack, lack);
    }
    bool calm = speed <= n * todo->speed * todo->speed && impulse <= n * todo->impulse * todo->impulse;
    for (uint32_t i = begin; i < end; i++)
        particles->calm[i] = !calm ? 0 : particles->calm[i] < CALM ? particles->calm[i] + 1 : CALM;
}

void scree_rest_end(scree_world *world, double h)
{
    if (!is_wanted(world))
        return;
    vec3 gravity = vec3_of(world->settings->head.gravity);
    double g = length(gravity), rest = world->settings->solver.rest;
    job todo = {.world = world,
                .gravity = scale(h, gravity),
                .speed = SLOW * rest * sqrt(g * world->mean_diameter),
                .impulse = rest * g * h};
    scree_pool_run(world->pool, world->particles.count, SCREE_TILE, count_calm, &todo);
}
