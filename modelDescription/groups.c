#include "groups.h"

static const scree_group *const groups[] = {
    &scree_pose_group,          &scree_twist_group,         &scree_load_group,
    &scree_wrench_group,        &scree_impedance_group,     &scree_place_group,
    &scree_state_group,         &scree_drive_group,         &scree_actuation_group,
    &scree_surface_speed_group, &scree_surface_load_group,  &scree_region_sensor_group,
    &scree_flow_sensor_group,   &scree_height_sensor_group, &scree_load_sensor_group,
    &scree_rate_group,          &scree_emitted_group,       &scree_removed_group,
    &scree_info_group,          &scree_profile_group,       NULL,
};

const scree_group *const *scree_groups(void)
{
    return groups;
}

double scree_item_value(const scree_item *item, uint32_t index, const void *values)
{
    const char *at = (const char *)values + item->offset;
    return item->type == SCREE_TYPE_INTEGER ? (double)((const uint32_t *)(const void *)at)[index]
                                            : ((const double *)(const void *)at)[index];
}

void scree_item_store(const scree_item *item, uint32_t index, void *values, double value)
{
    char *at = (char *)values + item->offset;
    if (item->type == SCREE_TYPE_INTEGER)
        ((uint32_t *)(void *)at)[index] = (uint32_t)value;
    else
        ((double *)(void *)at)[index] = value;
}
