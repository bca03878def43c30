#include "attempt.h"

scree_status scree_attempt_keep(scree_world *world, scree_error *error)
{
    scree_backup *backup = &world->backup;
    scree_status status = scree_world_save(world, NULL, 0, &backup->size, error);
    if (status != SCREE_OK)
        return status;
    if (backup->size > backup->room) {
        size_t room = backup->size + backup->size / 4; /* contacts come and go: as a rule the next one fits too */
        uint8_t *bytes = scree_allocate(&world->memory, room, 1);
        if (!bytes)
            return scree_fail(error, SCREE_MEMORY, "out of memory for a frame that can be taken back");
        scree_release(&world->memory, backup->bytes);
        backup->bytes = bytes;
        backup->room = room;
    }
    return scree_world_save(world, backup->bytes, backup->room, &backup->size, error);
}

scree_status scree_attempt_undo(scree_world *world, scree_error *error)
{
    return scree_world_load(world, world->backup.bytes, world->backup.size, error);
}
