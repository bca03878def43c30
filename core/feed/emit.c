#include "feed/emit.h"

#include "feed/fill.h"
#include "feed/nearby.h"

enum { TRIES = 32 /* places that a grain looks for in a frame */, MOST_PER_FRAME = 100000 };

typedef struct work {
    scree_world *world;
    const scree_emitter *given;
    uint32_t index;
    scree_emitter_state *state;
    const scree_sizes *sizes;
    double density;
    scree_site site;
    scree_space space;
    scree_nearby nearby;
    uint32_t room; /* grains that may still come in this frame; 0: nearby is not made yet */
} work;

bool scree_emits_mass(const scree_world *world, uint32_t emitter)
{
    const scree_emitter *given = &world->settings->emitters[emitter];
    if (given->input != SCREE_FEED_PARAMETER)
        return given->input == SCREE_FEED_MASS_RATE;
    return !(given->grain_rate > 0.0);
}

/* What the rate asks for in this frame, kg or grains. A rate below zero asks for nothing. */
static double demand(const work *todo, bool by_mass, double time, double frame)
{
    const scree_emitter *given = todo->given;
    double rate = by_mass ? todo->state->rate.mass_rate : todo->state->rate.grain_rate;
    double end = given->stop > 0.0 ? fmin(time + frame, given->stop) : time + frame;
    return fmax(rate, 0.0) * fmax(end - fmax(time, given->start), 0.0);
}

static double mass_of(const work *todo, double d)
{
    return todo->density * SCREE_PI / 6.0 * d * d * d;
}

/* How many more may come at once: what is owed, and what the region could hold if it were all grain. */
static uint32_t most_newcomers(const work *todo, double least)
{
    vec3 extent = sub(todo->space.high, todo->space.low);
    double d = todo->sizes->smallest;
    double fits = (extent.x + d) * (extent.y + d) * (extent.z + d) / (SCREE_PI / 6.0 * d * d * d);
    return (uint32_t)fmin(fmin(todo->state->owed / least + 1.0, fits + 1.0), MOST_PER_FRAME);
}

static bool prepare(work *todo, double least)
{
    scree_world *world = todo->world;
    uint32_t newcomers = most_newcomers(todo, least);
    todo->room = newcomers;
    return scree_particles_reserve(&world->particles, &world->memory, world->particles.count + newcomers) &&
           scree_nearby_make(&todo->nearby, &world->arena, &world->particles, todo->space.low, todo->space.high,
                             0.5 * todo->sizes->largest, newcomers);
}

/* A random point of the region. */
static vec3 pick(work *todo)
{
    const scree_space *space = &todo->space;
    vec3 extent = sub(space->high, space->low), x = space->low;
    for (int i = 0; i < 1000; i++) {
        scree_random *random = &todo->state->random;
        double a = scree_random_unit(random), b = scree_random_unit(random), c = scree_random_unit(random);
        x = add(space->low, (vec3){a * extent.x, b * extent.y, c * extent.z});
        if (scree_region_contains(&space->region, x))
            break;
    }
    return x;
}

/* A place where a grain of this radius overlaps nothing. */
static bool find_place(work *todo, double r, vec3 *x)
{
    for (int i = 0; i < TRIES; i++) {
        *x = pick(todo);
        if (scree_space_takes(&todo->space, *x, r) &&
            !scree_nearby_overlaps(&todo->nearby, &todo->world->particles, *x, r))
            return true;
    }
    return false;
}

/* That of the emitter, in the frame of the body that carries its region, and the body's own. */
static vec3 velocity_at(work *todo, vec3 x)
{
    const scree_region *region = &todo->world->settings->regions[todo->given->region];
    scree_random *random = &todo->state->random;
    double spread[3];
    for (int k = 0; k < 3; k++)
        spread[k] = todo->given->spread * (2.0 * scree_random_unit(random) - 1.0);
    vec3 v = add(vec3_of(todo->given->velocity), vec3_of(spread));
    if (region->body == UINT32_MAX)
        return v;
    const scree_rigid *body = &todo->world->bodies[region->body];
    return add(add(body->v, cross(body->w, sub(x, body->now.x))), quat_rotate(body->now.q, v));
}

static void add_grain(work *todo, vec3 x, double d)
{
    scree_world *world = todo->world;
    scree_emitter_state *state = todo->state;
    uint32_t i = scree_particles_add(&world->particles, x, 0.5 * d, todo->density, todo->given->material,
                                     world->settings->fill_count + todo->index);
    world->particles.twist[i].v = velocity_at(todo, x);
    scree_nearby_add(&todo->nearby, &world->particles, i);
    double mass = 1.0 / world->particles.twist[i].inv_mass; /* as a sink will see it */
    scree_sum_add(&state->mass, mass);
    state->step_mass += mass;
    state->count++;
    state->next = 0.0;
}

/* Whether the emitter has given all that it may, to half a grain. */
static bool is_done(const work *todo, double mass)
{
    return todo->given->max_mass > 0.0 && todo->state->mass.high + 0.5 * mass > todo->given->max_mass;
}

bool scree_emit(scree_world *world, uint32_t emitter, double time, double frame)
{
    work todo = {.world = world,
                 .given = &world->settings->emitters[emitter],
                 .index = emitter,
                 .state = &world->feeding.emitters[emitter],
                 .sizes = &world->feeding.sizes[emitter],
                 .site = {world->settings, world->bodies, world->shapes, &world->memory}};
    scree_emitter_state *state = todo.state;
    bool by_mass = scree_emits_mass(world, emitter);
    todo.density = world->settings->materials[todo.given->material].density;
    state->owed += demand(&todo, by_mass, time, frame);
    for (;;) {
        if (state->next == 0.0)
            state->next = scree_sizes_draw(todo.sizes, &state->random);
        double mass = mass_of(&todo, state->next), cost = by_mass ? mass : 1.0;
        if (is_done(&todo, mass))
            state->owed = 0.0;
        if (state->owed < cost || (double)world->particles.count + MOST_PER_FRAME >= SCREE_MOST_GRAINS)
            return true;
        if (todo.room == 0) {
            todo.space = scree_space_make(&todo.site, todo.given->region, NULL, NULL);
            if (!prepare(&todo, by_mass ? mass_of(&todo, todo.sizes->smallest) : 1.0))
                return false;
        }
        vec3 x;
        if (!find_place(&todo, 0.5 * state->next, &x))
            return true;
        state->owed -= cost;
        add_grain(&todo, x, state->next);
        if (--todo.room == 0)
            return true;
    }
}
