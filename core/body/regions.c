#include "body/regions.h"

scree_placed_region scree_region_place(const scree_region *region, const scree_rigid *bodies)
{
    scree_pose pose = {.q = {1.0, 0.0, 0.0, 0.0}};
    if (region->body != UINT32_MAX)
        pose = bodies[region->body].now;
    scree_placed_region placed = {.shape = region->shape};
    placed.x = add(pose.x, quat_rotate(pose.q, vec3_of(region->position)));
    placed.q = quat_conj(quat_mul(pose.q, quat_exp(vec3_of(region->rotation))));
    placed.half = scale(0.5, vec3_of(region->size));
    if (region->shape == SCREE_REGION_CYLINDER) {
        double half = region->length > 0.0 ? 0.5 * region->length : HUGE_VAL;
        placed.half = (vec3){region->radius, region->radius, half};
    }
    if (region->shape == SCREE_REGION_HALFSPACE) {
        vec3 n = vec3_of(region->normal);
        placed.n = quat_rotate(pose.q, scale(1.0 / length(n), n));
    }
    return placed;
}
