/*
 * Region and height sensors, and the readings of all.
 *
 * All grains are visited once for all region sensors and for the sums over the whole, in ranges that depend on their
 * number only; height sensors take the largest over the ranges. So readings are the same bits for any thread count.
 */
#include "measure/sensors.h"

#include <string.h>

bool scree_sensing_create(scree_sensing *sensing, const scree_scene *settings, const scree_memory *memory)
{
    uint32_t n = settings->sensor_count;
    *sensing = (scree_sensing){0};
    sensing->first = scree_allocate(memory, n, sizeof *sensing->first);
    if (!sensing->first)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const scree_sensor *sensor = &settings->sensors[i];
        sensing->first[i] = sensing->height_count;
        sensing->height_count += sensor->kind == SCREE_SENSOR_HEIGHT ? sensor->nx * sensor->ny : 0;
        sensing->flow_count += sensor->kind == SCREE_SENSOR_FLOW;
        sensing->load_count += sensor->kind == SCREE_SENSOR_LOAD;
    }
    size_t cells = sensing->height_count;
    sensing->meters = scree_allocate(memory, n, sizeof *sensing->meters);
    sensing->readings = scree_allocate(memory, n, sizeof *sensing->readings);
    sensing->placed = scree_allocate(memory, n, sizeof *sensing->placed);
    sensing->heights = scree_allocate(memory, cells, sizeof *sensing->heights);
    sensing->sums = scree_allocate(memory, SCREE_SUM_RANGES * ((size_t)n + 1), sizeof *sensing->sums);
    sensing->tops = scree_allocate(memory, SCREE_SUM_RANGES * cells, sizeof *sensing->tops);
    return sensing->meters && sensing->readings && sensing->placed && sensing->heights && sensing->sums &&
           sensing->tops;
}

void scree_sensing_free(scree_sensing *sensing, const scree_memory *memory)
{
    scree_release(memory, sensing->meters);
    scree_release(memory, sensing->readings);
    scree_release(memory, sensing->placed);
    scree_release(memory, sensing->heights);
    scree_release(memory, sensing->first);
    scree_release(memory, sensing->sums);
    scree_release(memory, sensing->tops);
    *sensing = (scree_sensing){0};
}

/* ---------------------------------------------------------------- place */

static vec3 direction(const double given[3], vec3 otherwise)
{
    vec3 v = vec3_of(given);
    return length(v) > 0.0 ? scale(1.0 / length(v), v) : otherwise;
}

/* e3 along the normal, e1 along what of `across` is perpendicular to it. */
static void set_axes(scree_placed_sensor *placed, const scree_sensor *sensor, quat q)
{
    const vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    bool load = sensor->kind == SCREE_SENSOR_LOAD;
    vec3 e3 = direction(load ? sensor->axis : sensor->normal, z);
    vec3 across = direction(sensor->across, fabs(e3.x) < 0.999 ? x : y);
    vec3 e1 = mul_add(across, -dot(across, e3), e3);
    placed->e3 = quat_rotate(q, e3);
    placed->e1 = quat_rotate(q, scale(1.0 / length(e1), e1));
    placed->e2 = cross(placed->e3, placed->e1);
}

scree_placed_sensor scree_sensor_place(const scree_world *world, uint32_t index)
{
    const scree_sensor *sensor = &world->settings->sensors[index];
    scree_placed_sensor placed = {0};
    scree_pose pose = {.q = {1.0, 0.0, 0.0, 0.0}};
    if (sensor->kind != SCREE_SENSOR_REGION && sensor->body != UINT32_MAX)
        pose = world->bodies[sensor->body].now;
    placed.x = add(pose.x, quat_rotate(pose.q, vec3_of(sensor->position)));
    set_axes(&placed, sensor, pose.q);
    bool looks = sensor->kind == SCREE_SENSOR_REGION || sensor->kind == SCREE_SENSOR_LOAD;
    if (looks && sensor->region != UINT32_MAX)
        placed.region = scree_region_place(&world->settings->regions[sensor->region], world->bodies);
    return placed;
}

/* ---------------------------------------------------------------- grains */

static void add_grain(scree_sums *sums, const scree_place *place, const scree_twist *twist)
{
    double mass = 1.0 / twist->inv_mass, square = dot(twist->v, twist->v);
    sums->count += 1.0;
    sums->mass += mass;
    sums->moment = mul_add(sums->moment, mass, place->x);
    sums->momentum = mul_add(sums->momentum, mass, twist->v);
    sums->energy += 0.5 * (mass * square + dot(twist->w, twist->w) / twist->inv_inertia);
    sums->speed += mass * sqrt(square);
}

static void add_sums(scree_sums *to, const scree_sums *from)
{
    to->count += from->count;
    to->mass += from->mass;
    to->moment = add(to->moment, from->moment);
    to->momentum = add(to->momentum, from->momentum);
    to->energy += from->energy;
    to->speed += from->speed;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The highest point of a grain over each cell that it reaches over: a sphere over the rectangle's nearest point. */
static void raise(double *tops, const scree_sensor *sensor, const scree_placed_sensor *placed, const scree_place *place)
{
    vec3 d = sub(place->x, placed->x);
    double a = dot(placed->e1, d) + 0.5 * sensor->width, b = dot(placed->e2, d) + 0.5 * sensor->length;
    double z = dot(placed->e3, d), r = place->r;
    double da = sensor->width / sensor->nx, db = sensor->length / sensor->ny;
    if (!(z + r > 0.0) || !(a + r > 0.0 && a - r < sensor->width && b + r > 0.0 && b - r < sensor->length))
        return;
    uint32_t i0 = (uint32_t)clamp((a - r) / da, 0.0, sensor->nx - 1.0);
    uint32_t i1 = (uint32_t)clamp((a + r) / da, 0.0, sensor->nx - 1.0);
    uint32_t j0 = (uint32_t)clamp((b - r) / db, 0.0, sensor->ny - 1.0);
    uint32_t j1 = (uint32_t)clamp((b + r) / db, 0.0, sensor->ny - 1.0);
    for (uint32_t i = i0; i <= i1; i++)
        for (uint32_t j = j0; j <= j1; j++) {
            double off_a = a - clamp(a, i * da, (i + 1) * da), off_b = b - clamp(b, j * db, (j + 1) * db);
            double rest = r * r - off_a * off_a - off_b * off_b;
            double *top = &tops[i * sensor->ny + j];
            if (rest > 0.0 && z + sqrt(rest) > *top)
                *top = z + sqrt(rest);
        }
}

static void visit_grains(void *context, uint32_t range, uint32_t begin, uint32_t end)
{
    const scree_world *world = context;
    const scree_scene *scene = world->settings;
    const scree_sensing *sensing = &world->sensing;
    const scree_place *place = world->particles.place;
    const scree_twist *twist = world->particles.twist;
    scree_sums *sums = &sensing->sums[range * (scene->sensor_count + 1)];
    double *tops = &sensing->tops[(size_t)range * sensing->height_count];
    for (uint32_t i = begin; i < end; i++)
        add_grain(&sums[scene->sensor_count], &place[i], &twist[i]);
    for (uint32_t k = 0; k < scene->sensor_count; k++) {
        const scree_sensor *sensor = &scene->sensors[k];
        const scree_placed_sensor *placed = &sensing->placed[k];
        if (sensor->kind == SCREE_SENSOR_REGION) {
            for (uint32_t i = begin; i < end; i++)
                if (scree_region_contains(&placed->region, place[i].x))
                    add_grain(&sums[k], &place[i], &twist[i]);
        } else if (sensor->kind == SCREE_SENSOR_HEIGHT) {
            for (uint32_t i = begin; i < end; i++)
                raise(&tops[sensing->first[k]], sensor, placed, &place[i]);
        }
    }
}

/* ---------------------------------------------------------------- readings */

static scree_region_reading read_region(const scree_sums *sums, vec3 position)
{
    scree_region_reading reading = {.mass = sums->mass, .count = (uint32_t)sums->count, .kinetic_energy = sums->energy};
    vec3_store(reading.center, position);
    if (sums->mass > 0.0) {
        vec3_store(reading.center, scale(1.0 / sums->mass, sums->moment));
        vec3_store(reading.velocity, scale(1.0 / sums->mass, sums->momentum));
        reading.mean_speed = sums->speed / sums->mass;
    }
    return reading;
}

static scree_height_reading read_heights(const double *heights, uint32_t count)
{
    scree_height_reading reading = {0};
    for (uint32_t i = 0; i < count; i++) {
        reading.max = heights[i] > reading.max ? heights[i] : reading.max;
        reading.mean += heights[i] / count;
    }
    return reading;
}

static scree_load_reading read_load(const scree_meter *meter, double area, double per_second)
{
    scree_load_reading reading = {.normal_force = per_second * meter->normal_impulse,
                                  .torque = per_second * meter->twist_impulse,
                                  .power = per_second * meter->work};
    vec3_store(reading.force, scale(per_second, meter->impulse));
    vec3_store(reading.tangential_force, scale(per_second, meter->tangential_impulse));
    if (area > 0.0)
        reading.pressure = reading.normal_force / area;
    return reading;
}

static void read_one(scree_world *world, uint32_t k)
{
    const scree_sensor *sensor = &world->settings->sensors[k];
    scree_sensing *sensing = &world->sensing;
    scree_reading *reading = &sensing->readings[k];
    double per_second = world->last_dt > 0.0 ? 1.0 / world->last_dt : 0.0; /* before the first step all are zero */
    switch (sensor->kind) {
    case SCREE_SENSOR_REGION:
        reading->region = read_region(&sensing->sums[k], sensing->placed[k].region.x);
        break;
    case SCREE_SENSOR_FLOW:
        reading->flow = (scree_flow_reading){per_second * sensing->meters[k].passing, sensing->meters[k].passed};
        break;
    case SCREE_SENSOR_HEIGHT:
        reading->height = read_heights(&sensing->heights[sensing->first[k]], sensor->nx * sensor->ny);
        break;
    case SCREE_SENSOR_LOAD:
        reading->load = read_load(&sensing->meters[k], sensor->area, per_second);
        break;
    }
}

void scree_sensors_begin(scree_world *world)
{
    for (uint32_t k = 0; k < world->settings->sensor_count; k++)
        world->sensing.meters[k] = (scree_meter){.passed = world->sensing.meters[k].passed};
}

void scree_sensors_read(scree_world *world)
{
    scree_sensing *sensing = &world->sensing;
    uint32_t n = world->particles.count, sensors = world->settings->sensor_count, cells = sensing->height_count;
    for (uint32_t k = 0; k < sensors; k++)
        sensing->placed[k] = scree_sensor_place(world, k);
    memset(sensing->sums, 0, SCREE_SUM_RANGES * ((size_t)sensors + 1) * sizeof *sensing->sums);
    memset(sensing->tops, 0, SCREE_SUM_RANGES * (size_t)cells * sizeof *sensing->tops);
    scree_pool_run(world->pool, n, n / SCREE_SUM_RANGES + 1, visit_grains, world);
    for (uint32_t range = 1; range < SCREE_SUM_RANGES; range++) {
        for (uint32_t k = 0; k <= sensors; k++)
            add_sums(&sensing->sums[k], &sensing->sums[range * (sensors + 1) + k]);
        for (uint32_t i = 0; i < cells; i++)
            if (sensing->tops[(size_t)range * cells + i] > sensing->tops[i])
                sensing->tops[i] = sensing->tops[(size_t)range * cells + i];
    }
    if (cells)
        memcpy(sensing->heights, sensing->tops, cells * sizeof *sensing->heights);
    sensing->all = sensing->sums[sensors];
    for (uint32_t k = 0; k < sensors; k++)
        read_one(world, k);
}

scree_reading scree_world_get_reading(const scree_world *world, uint32_t sensor)
{
    return world->sensing.readings[sensor];
}

const double *scree_world_get_heights(const scree_world *world, uint32_t sensor)
{
    return &world->sensing.heights[world->sensing.first[sensor]];
}
