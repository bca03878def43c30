/*
 * Flow through a rectangle: a grain counts with its whole mass when its centre crosses, with the sign of its direction.
 *
 * Sides are told from positions at the two ends of a stretch of time, and the end of one is the begin of the next, to
 * the last bit: so none is missed or counted twice, and the sum over any time is just what went from one side to the
 * other.
 */
#include "measure/sensors.h"

#include <string.h>

/* Where a point is as the rectangle sees it. */
static vec3 seen(const scree_placed_sensor *placed, vec3 x)
{
    vec3 d = sub(x, placed->x);
    return (vec3){dot(placed->e1, d), dot(placed->e2, d), dot(placed->e3, d)};
}

static bool within(double value, double extent)
{
    return extent == 0.0 || (value >= -0.5 * extent && value < 0.5 * extent);
}

/* +1, −1 or 0: how the way from p to q goes through the rectangle. */
static double crossing(const scree_sensor *sensor, vec3 p, vec3 q)
{
    if ((p.z < 0.0) == (q.z < 0.0))
        return 0.0;
    double share = p.z / (p.z - q.z);
    if (!within(p.x + share * (q.x - p.x), sensor->width) || !within(p.y + share * (q.y - p.y), sensor->length))
        return 0.0;
    return p.z < 0.0 ? 1.0 : -1.0;
}

typedef struct job {
    const scree_world *world;
    uint32_t sensor;
    scree_placed_sensor then, now;
    double mass[SCREE_SUM_RANGES]; /* kg */
} job;

static void keep(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    (void)range;
    const scree_world *world = context;
    for (uint32_t i = begin; i < end; i++)
        world->sensing.from[i] = world->particles.place[i].x;
}

static void count(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    job *todo = context;
    const scree_world *world = todo->world;
    const scree_sensor *sensor = &world->settings->sensors[todo->sensor];
    double mass = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        double sign =
            crossing(sensor, seen(&todo->then, world->sensing.from[i]), seen(&todo->now, world->particles.place[i].x));
        if (sign != 0.0)
            mass += sign / world->particles.twist[i].inv_mass;
    }
    todo->mass[range] = mass;
}

bool scree_flow_begin(scree_world *world)
{
    scree_sensing *sensing = &world->sensing;
    uint32_t n = world->particles.count;
    if (sensing->flow_count == 0)
        return true;
    sensing->from = scree_arena_get(&world->arena, n, sizeof *sensing->from);
    if (!sensing->from)
        return false;
    for (uint32_t k = 0; k < world->settings->sensor_count; k++)
        if (world->settings->sensors[k].kind == SCREE_SENSOR_FLOW)
            sensing->placed[k] = scree_sensor_place(world, k);
    scree_pool_run(world->pool, n, n / SCREE_SUM_RANGES + 1, keep, world);
    return true;
}

void scree_flow_end(scree_world *world)
{
    scree_sensing *sensing = &world->sensing;
    uint32_t n = world->particles.count;
    if (!sensing->from)
        return;
    for (uint32_t k = 0; k < world->settings->sensor_count; k++) {
        if (world->settings->sensors[k].kind != SCREE_SENSOR_FLOW)
            continue;
        job todo = {.world = world, .sensor = k, .then = sensing->placed[k], .now = scree_sensor_place(world, k)};
        scree_pool_run(world->pool, n, n / SCREE_SUM_RANGES + 1, count, &todo);
        for (int i = 0; i < SCREE_SUM_RANGES; i++) {
            sensing->meters[k].passing += todo.mass[i];
            sensing->meters[k].passed += todo.mass[i];
        }
    }
    sensing->from = NULL;
}
