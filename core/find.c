#include "find.h"

#include "body/dynamics.h"
#include "collide/mend.h"

static const double SPARE = 0.05; /* of its reach: what a dynamic body may go beyond what its velocity says */
static const double LAST = 3.0;   /* frames that a choice of pairs is to last */
static const double FAR = 1.0;    /* mean radii that a mean grain may go until then: a frame, if it is faster */
static const double AGAIN = 4.0;  /* likewise, frames for a grain that strayed */
static const double SOON = 0.9;   /* of its margin: a grain that will be farther after a frame strays */
static const double BAGGY = 0.7;  /* of the margins that there are: when less would do, pairs are chosen anew */

static void swap(scree_contact_list *a, scree_contact_list *b)
{
    scree_contact_list keep = *a;
    *a = *b;
    *b = keep;
}

/* Contacts of these candidates in place of `list`, with its impulses. */
static bool renew(scree_world *world, scree_contact_list *list, scree_contact_list *last, uint32_t others,
                  scree_found found)
{
    if (!scree_contact_list_renew(last, list, &world->memory, others, found.items, found.count))
        return false;
    swap(list, last);
    return true;
}

/* Parts what the search for walls found: contacts of dynamic bodies go to `loads`. */
static bool split(scree_world *world, scree_found *walls, scree_found *loads)
{
    const scree_shape *shapes = world->settings->shapes;
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < walls->count; i++)
        count += world->bodies[shapes[walls->items[i].b / SCREE_SLOTS].body].dynamic;
    *loads = (scree_found){.items = scree_arena_get(&world->arena, count, sizeof *loads->items)};
    if (!loads->items)
        return false;
    for (size_t i = 0; i < walls->count; i++) {
        scree_candidate item = walls->items[i];
        if (world->bodies[shapes[item.b / SCREE_SLOTS].body].dynamic)
            loads->items[loads->count++] = item;
        else
            walls->items[kept++] = item;
    }
    walls->count = kept;
    return true;
}

/* m, how far gravity takes a grain within the time. */
static double fall_of(const scree_world *world, double time)
{
    return length(vec3_of(world->settings->head.gravity)) * time * time;
}

/* The mean velocity of those from begin to end. */
static vec3 mean_velocity(const scree_particles *particles, uint32_t begin, uint32_t end)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (uint32_t i = begin; i < end; i++)
        sum = add(sum, particles->twist[i].v);
    return end > begin ? scale(1.0 / (end - begin), sum) : sum;
}

/* That of the tile of grain i. */
static vec3 tile_velocity(const scree_particles *particles, uint32_t i)
{
    uint32_t begin = i - i % SCREE_TILE, left = particles->count - begin;
    return mean_velocity(particles, begin, begin + (left < SCREE_TILE ? left : SCREE_TILE));
}

/* m/s, how fast a grain is against what it goes along with: its tile, all grains, or the ground. */
static double own_speed(vec3 v, vec3 tile, vec3 stream)
{
    vec3 a = sub(v, tile), b = sub(v, stream);
    double square = fmin(fmin(dot(a, a), dot(b, b)), dot(v, v));
    return sqrt(square);
}

typedef struct outlook_job {
    const scree_particles *particles;
    vec3 stream;
    double frame, slack;
    double *margins;
    vec3 *means;       /* [tiles], m/s */
    double (*sums)[2]; /* [tiles], of own speeds and radii */
} outlook_job;

static void measure_means(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const outlook_job *todo = context;
    todo->means[tile] = mean_velocity(todo->particles, begin, end);
}

static void measure_ways(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const outlook_job *todo = context;
    double speeds = 0.0, radii = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        double speed = own_speed(todo->particles->twist[i].v, todo->means[tile], todo->stream);
        double r = todo->particles->place[i].r;
        todo->margins[i] = scree_search_margin(r, todo->frame * speed, todo->slack);
        speeds += speed;
        radii += r;
    }
    todo->sums[tile][0] = speeds;
    todo->sums[tile][1] = radii;
}

/* The mean velocity of all grains, with which the pairs drift; nothing drifts while some sleep (collide/pairs.h). */
static vec3 measure_stream(const scree_world *world, const vec3 *means)
{
    uint32_t n = world->particles.count, tiles = scree_pool_ranges(n, SCREE_TILE);
    vec3 sum = {0.0, 0.0, 0.0};
    if (world->asleep > 0 || n == 0)
        return sum;
    for (uint32_t t = 0; t < tiles; t++)
        sum = mul_add(sum, t + 1 < tiles ? SCREE_TILE : n - t * SCREE_TILE, means[t]);
    return scale(1.0 / n, sum);
}

/* How far ahead pairs are to be chosen: long courses sweep over many grains, each of them a pair that takes room.
 * False: no memory. */
static bool look_ahead(scree_world *world, double frame, double slack, scree_outlook *outlook)
{
    uint32_t n = world->particles.count, tiles = scree_pool_ranges(n, SCREE_TILE);
    outlook_job todo = {.particles = &world->particles,
                        .frame = frame,
                        .slack = slack,
                        .margins = scree_arena_get(&world->arena, n, sizeof *todo.margins),
                        .means = scree_arena_get(&world->arena, tiles, sizeof *todo.means),
                        .sums = scree_arena_get(&world->arena, tiles, sizeof *todo.sums)};
    if (!todo.margins || !todo.means || !todo.sums)
        return false;
    scree_pool_run(world->pool, n, SCREE_TILE, measure_means, &todo);
    todo.stream = measure_stream(world, todo.means);
    scree_pool_run(world->pool, n, SCREE_TILE, measure_ways, &todo);
    double speeds = 0.0, radii = 0.0, last = LAST * frame;
    for (uint32_t t = 0; t < tiles; t++) {
        speeds += todo.sums[t][0];
        radii += todo.sums[t][1];
    }
    *outlook = (scree_outlook){.stream = todo.stream,
                               .horizon = last * speeds <= FAR * radii ? last : fmax(FAR * radii / speeds, frame),
                               .margins = todo.margins};
    return true;
}

/* Chooses the pairs anew. */
static bool renew_pairs(scree_world *world, double frame, double slack)
{
    scree_outlook outlook;
    if (!look_ahead(world, frame, slack, &outlook))
        return false;
    world->age += world->age < UINT32_MAX;
    world->stream = outlook.stream;
    return scree_search_pairs(&world->search, &world->memory, &world->arena, world->pool, &world->particles,
                              &outlook) &&
           scree_pairs_renew(&world->pairs, &world->memory, &world->arena, world->pool, &world->particles,
                             world->settings->material_count, &world->search.found, &outlook);
}

/* Whether grain i has gone farther than its margin, or will within the time. */
static bool strays(const scree_world *world, uint32_t i, vec3 stream, double time)
{
    const scree_pairs *pairs = &world->pairs;
    vec3 gone = scree_pairs_gone(pairs, i, world->particles.place[i].x), u = sub(world->particles.twist[i].v, stream);
    double left = fmin(time, pairs->horizon - pairs->time), margin = SOON * pairs->seen[i].r;
    vec3 way = mul_add(scale(time, u), -left, scree_course_of(&pairs->courses[i]));
    double square = dot(gone, gone), ahead = dot(way, way), most = square > ahead ? square : ahead;
    return !(4.0 * most <= margin * margin) && !(sqrt(square) + sqrt(ahead) <= margin);
}

typedef struct watch_job {
    const scree_world *world;
    vec3 stream;
    double time;
    uint32_t *who;    /* [tiles][SCREE_TILE], from the first of each tile on */
    uint32_t *counts; /* [tiles] */
} watch_job;

static void watch(void *context, uint32_t tile, uint32_t begin, uint32_t end)
{
    const watch_job *todo = context;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++)
        if (strays(todo->world, i, todo->stream, todo->time))
            todo->who[begin + count++] = i;
    todo->counts[tile] = count;
}

/* Those that stray within the time, rising. NULL: no memory. */
static uint32_t *find_strays(scree_world *world, vec3 stream, double time, uint32_t *count)
{
    uint32_t n = world->particles.count, tiles = scree_pool_ranges(n, SCREE_TILE);
    watch_job todo = {world, stream, time, scree_arena_get(&world->arena, n, sizeof *todo.who),
                      scree_arena_get(&world->arena, tiles, sizeof *todo.counts)};
    *count = 0;
    if (!todo.who || !todo.counts)
        return NULL;
    scree_pool_run(world->pool, n, SCREE_TILE, watch, &todo);
    for (uint32_t t = 0; t < tiles; t++)
        for (uint32_t k = 0; k < todo.counts[t]; k++)
            todo.who[(*count)++] = todo.who[t * SCREE_TILE + k];
    return todo.who;
}

/* Margins of those who strayed; beyond the horizon they have no course. */
static double *measure_margins(scree_world *world, const uint32_t *who, uint32_t count, vec3 stream, double frame,
                               double slack)
{
    const scree_particles *particles = &world->particles;
    double *margins = scree_arena_get(&world->arena, count, sizeof *margins);
    vec3 mean = stream;
    double beyond = fmax(AGAIN * frame - (world->pairs.horizon - world->pairs.time), 0.0);
    for (uint32_t k = 0, tile = UINT32_MAX; margins && k < count; k++) {
        uint32_t i = who[k];
        if (i / SCREE_TILE != tile)
            mean = tile_velocity(particles, i);
        tile = i / SCREE_TILE;
        double speed = own_speed(particles->twist[i].v, mean, stream);
        margins[k] = scree_search_margin(particles->place[i].r, frame * speed, slack) + beyond * speed;
    }
    return margins;
}

/* Whether margins are far wider than the grains need by now: the bed has come to rest since. */
static bool is_baggy(const scree_world *world, vec3 stream, double frame, double slack)
{
    double now = 0.0, then = 0.0;
    if (world->pairs.time < world->pairs.horizon)
        return false;
    for (uint32_t i = 0; i < world->particles.count; i += 16) { /* a sample will do */
        double speed = own_speed(world->particles.twist[i].v, stream, stream);
        now += scree_search_margin(world->particles.place[i].r, frame * speed, slack);
        then += world->pairs.seen[i].r;
    }
    return now < BAGGY * then;
}

/* Brings the pairs up to date: as they are, mended for the few grains that stray within the time, or chosen anew. */
static bool update_pairs(scree_world *world, double time, double frame, bool *anew)
{
    double slack = fall_of(world, frame);
    uint32_t count;
    scree_arena then = world->arena;
    *anew = true;
    if (!world->pairs.valid || world->pairs.particles != world->particles.count)
        return renew_pairs(world, frame, slack);
    /* while all sleep nobody asks: a world that was saved then must go on like one that wasn't */
    if (world->asleep == world->particles.count && scree_pairs_hold(&world->pairs, &world->particles)) {
        *anew = false;
        return true;
    }
    vec3 stream = world->asleep > 0 ? (vec3){0.0, 0.0, 0.0} : world->stream;
    const uint32_t *who = find_strays(world, stream, time, &count);
    if (!who)
        return false;
    if (count == 0) {
        *anew = is_baggy(world, stream, frame, slack);
        return !*anew || renew_pairs(world, frame, slack);
    }
    const double *margins = measure_margins(world, who, count, stream, frame, slack);
    if (!margins)
        return false;
    scree_mended mended = scree_pairs_mend(&world->pairs, &world->memory, &world->arena, world->pool, &world->particles,
                                           world->settings->material_count, stream, who, margins, count);
    world->age += mended == SCREE_MENDED && world->age < UINT32_MAX;
    scree_arena_rewind(&world->arena, &then);
    *anew = mended != SCREE_MENDED;
    return mended == SCREE_MENDED || (mended == SCREE_MENDED_NOT && renew_pairs(world, frame, slack));
}

/* frame: s, that the contacts are to last; h: s, of a substep. */
static bool renew_walls(scree_world *world, double frame, double h)
{
    uint32_t n = world->particles.count;
    scree_heavy *heavy = &world->heavy;
    scree_wall_query query = {.particles = &world->particles,
                              .shapes = world->shapes,
                              .shape_count = world->settings->shape_count,
                              .bodies = world->bodies,
                              .walls = &world->walls,
                              .loads = &heavy->loads,
                              .frame = frame,
                              .substep = h,
                              .slack = fall_of(world, frame),
                              .radius = 0.5 * world->mean_diameter};
    scree_found walls, loads;
    bool held;
    world->reaches = true;
    return scree_walls_search(&world->wall_search, &world->memory, &world->arena, world->pool, &query, &held, &walls) &&
           (held || (split(world, &walls, &loads) && renew(world, &world->walls, &world->last_walls, n, walls) &&
                     renew(world, &heavy->loads, &heavy->last_loads, n, loads)));
}

bool scree_find_pairs(scree_world *world, double frame, double h, bool *anew)
{
    scree_arena then = world->arena;
    if (!update_pairs(world, frame, world->substeps * h, anew))
        return false;
    scree_arena_rewind(&world->arena, &then);
    world->holds = true;
    scree_stopwatch_end(&world->watch, SCREE_STAGE_SEARCH);
    return true;
}

bool scree_find_contacts(scree_world *world, double frame, double h)
{
    double slack = fall_of(world, frame);
    scree_heavy *heavy = &world->heavy;
    scree_found found;
    scree_arena then = world->arena;
    bool anew;
    if (!scree_find_pairs(world, frame, h, &anew))
        return false;
    for (uint32_t i = 0; i < world->settings->body_count; i++) {
        scree_rigid *body = &world->bodies[i];
        if (body->dynamic)
            scree_mass_look(&body->mass, body->now.q, frame, slack + SPARE * body->mass.reach);
    }
    scree_feelers_place(&heavy->feelers, world->bodies);
    if (!renew_walls(world, frame, h))
        return false;
    scree_arena_rewind(&world->arena, &then);
    if (!scree_feelers_search(&heavy->feelers, &world->arena, world->settings, world->shapes, world->bodies, frame,
                              &found) ||
        !renew(world, &heavy->knocks, &heavy->last_knocks, heavy->feelers.count, found))
        return false;
    scree_arena_rewind(&world->arena, &then);
    return true;
}

bool scree_find_walls(scree_world *world, double frame, double h)
{
    return renew_walls(world, frame, h);
}

bool scree_find_bodies_hold(const scree_world *world)
{
    for (uint32_t i = 0; i < world->settings->body_count; i++)
        if (world->bodies[i].dynamic && !scree_mass_holds(&world->bodies[i]))
            return false;
    return true;
}

bool scree_find_holds(const scree_world *world)
{
    return world->holds && scree_find_bodies_hold(world);
}
