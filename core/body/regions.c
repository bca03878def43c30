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
    if (region->shape == SCREE_REGION_HEAP) {
        placed.slope = tan(region->angle);
        placed.half = (vec3){region->radius, region->radius, placed.slope * region->radius};
    }
    if (region->shape == SCREE_REGION_TRENCH) {
        placed.slope = 1.0 / tan(region->angle);
        placed.half.z = region->size[2];
    }
    return placed;
}

/* The region in its own frame. */
static void local_bounds(const scree_placed_region *region, vec3 *low, vec3 *high)
{
    vec3 half = region->half;
    bool stands = region->shape == SCREE_REGION_HEAP || region->shape == SCREE_REGION_TRENCH;
    if (region->shape == SCREE_REGION_HALFSPACE)
        half = (vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    if (region->shape == SCREE_REGION_TRENCH)
        half.x = fmax(half.x, half.x + region->slope * half.z);
    *low = (vec3){-half.x, -half.y, stands ? 0.0 : -half.z};
    *high = half;
}

void scree_region_bounds(const scree_placed_region *region, vec3 *low, vec3 *high)
{
    vec3 least, most;
    local_bounds(region, &least, &most);
    if (isinf(least.x + least.y + least.z)) {
        *low = (vec3){-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
        *high = (vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
        return;
    }
    *low = *high = region->x;
    for (int corner = 0; corner < 8; corner++) {
        vec3 p = {corner & 1 ? most.x : least.x, corner & 2 ? most.y : least.y, corner & 4 ? most.z : least.z};
        vec3 x = add(region->x, quat_rotate(quat_conj(region->q), p));
        *low = corner ? (vec3){fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z)} : x;
        *high = corner ? (vec3){fmax(high->x, x.x), fmax(high->y, x.y), fmax(high->z, x.z)} : x;
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Shortens the part of p across the axis to `most`. */
static vec3 pull_across(vec3 p, double most)
{
    double across = sqrt(p.x * p.x + p.y * p.y), share = across > most ? most / across : 1.0;
    return (vec3){share * p.x, share * p.y, p.z};
}

static vec3 pull_into_heap(const scree_placed_region *region, vec3 p)
{
    p.z = fmax(p.z, 0.0);
    double across = sqrt(p.x * p.x + p.y * p.y);
    double above = (p.z + region->slope * across - region->half.z) / (1.0 + region->slope * region->slope);
    if (above > 0.0) { /* down along the normal of the side */
        p.z = clamp(p.z - above, 0.0, region->half.z);
        p = pull_across(p, (region->half.z - p.z) / region->slope);
    }
    return p;
}

vec3 scree_region_pull(const scree_placed_region *region, vec3 point)
{
    const double in = 1.0 - 1e-9; /* regions are half open: not onto their faces */
    vec3 d = sub(point, region->x), h = scale(in, region->half);
    if (scree_region_contains(region, point))
        return point;
    if (region->shape == SCREE_REGION_HALFSPACE)
        return mul_add(point, -dot(region->n, d), region->n);
    vec3 p = quat_rotate(region->q, d);
    if (region->shape == SCREE_REGION_HEAP)
        p = scale(in, pull_into_heap(region, p));
    else if (region->shape == SCREE_REGION_CYLINDER)
        p = pull_across((vec3){p.x, p.y, clamp(p.z, -h.z, h.z)}, h.x);
    else if (region->shape == SCREE_REGION_TRENCH) {
        p.z = clamp(p.z, 0.0, h.z);
        double width = in * (region->half.x + region->slope * p.z);
        p = (vec3){clamp(p.x, -width, width), clamp(p.y, -h.y, h.y), p.z};
    } else {
        p = (vec3){clamp(p.x, -h.x, h.x), clamp(p.y, -h.y, h.y), clamp(p.z, -h.z, h.z)};
    }
    return add(region->x, quat_rotate(quat_conj(region->q), p));
}

double scree_region_level(const scree_placed_region *region, vec3 point)
{
    if (region->shape != SCREE_REGION_HEAP)
        return point.z;
    vec3 p = quat_rotate(region->q, sub(point, region->x));
    return p.z + region->slope * sqrt(p.x * p.x + p.y * p.y);
}
