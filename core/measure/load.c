/*
 * Load sensors: impulses of a body's contacts, summed over a step, so that what is read balances exactly.
 *
 *   force = Σ P / Δt,  torque = Σ a·((x − p) × P + P_r) / Δt,  power = −Σ (P·u + P_r·ω) / Δt
 * with P the impulse on the body at x, P_r the rolling one, a the axis through p, u and ω the velocity and rotation of
 * the body's surface there.
 */
#include "measure/sensors.h"

void scree_load_begin(scree_world *world)
{
    for (uint32_t k = 0; k < world->settings->sensor_count; k++)
        if (world->settings->sensors[k].kind == SCREE_SENSOR_LOAD)
            world->sensing.placed[k] = scree_sensor_place(world, k);
}

void scree_load_add(scree_world *world, const scree_push *push)
{
    const scree_scene *scene = world->settings;
    vec3 p = mul_add(push->pt, push->pn, push->n);
    for (uint32_t k = 0; k < scene->sensor_count; k++) {
        const scree_sensor *sensor = &scene->sensors[k];
        const scree_placed_sensor *placed = &world->sensing.placed[k];
        if (sensor->kind != SCREE_SENSOR_LOAD || sensor->body != push->body ||
            (sensor->region != UINT32_MAX && !scree_region_contains(&placed->region, push->point)))
            continue;
        scree_meter *meter = &world->sensing.meters[k];
        meter->impulse = add(meter->impulse, p);
        meter->tangential_impulse = add(meter->tangential_impulse, push->pt);
        meter->normal_impulse += push->pn;
        meter->twist_impulse += dot(placed->e3, add(cross(sub(push->point, placed->x), p), push->pr));
        meter->work -= dot(p, push->v) + dot(push->pr, push->w);
    }
}
