/*
 * A state in memory: {mark, who frees it, sizes}, then its content: the instance's part and the world's snapshot, flat
 * and without pointers. As bytes: {magic, version, byte order, size, GUID, checksum}, then the same content.
 *
 * The checksum is made when a state is written, not when it is taken: masters that roll back take one every step, and
 * the snapshot has a checksum of its own, which is looked at whenever it is restored.
 */
#include "state.h"

#include <math.h>
#include <string.h>

static const char MAGIC[16] = "SCREE-FMU-STATE";
enum { VERSION = 1, BYTE_ORDER_MARK = 0x01020304 };
static const uint64_t MARK = 0x5c2ee57a7e5a7ed1u; /* so that a pointer to something else is noticed */

/* What of an instance is not in its world. Names, callbacks and the choice of logs are the instance's own. */
typedef struct part {
    double time, start, stop; /* s */
    uint32_t state;           /* scree_state */
    uint32_t last_step;       /* fmi2Status */
    uint32_t has_stop, stale; /* 0 or 1 */
} part;

typedef struct saved {
    uint64_t mark;
    fmi2CallbackFreeMemory free_memory; /* of the instance that took it; the one that releases it may have another */
    size_t capacity, size;              /* bytes, of content */
    uint8_t content[];
} saved;

typedef struct header {
    char magic[16];
    uint32_t version;
    uint32_t order;      /* as the writer's machine has it */
    uint64_t size;       /* bytes, this header included */
    char guid[40];       /* of the FMU */
    scree_hash checksum; /* of what follows the header */
} header;

_Static_assert(sizeof(part) == 40 && sizeof(header) == 88, "written as they lie in memory: without gaps");
_Static_assert(SCREE_GUID_SIZE <= sizeof((header){0}.guid), "the GUID has room");

/* ---------------------------------------------------------------- the instance's part */

static part gather(const scree_instance *instance)
{
    return (part){.time = instance->time,
                  .start = instance->start,
                  .stop = instance->has_stop ? instance->stop : 0.0,
                  .state = instance->state,
                  .last_step = instance->last_step,
                  .has_stop = instance->has_stop,
                  .stale = instance->stale};
}

static void scatter(scree_instance *instance, const part *from)
{
    instance->reader.group = NULL;
    instance->time = from->time;
    instance->start = from->start;
    instance->stop = from->stop;
    instance->state = (scree_state)from->state;
    instance->last_step = (fmi2Status)from->last_step;
    instance->has_stop = from->has_stop != 0;
    instance->stale = from->stale != 0;
}

static bool part_fits(const part *from)
{
    bool known = from->state == SCREE_INSTANTIATED || from->state == SCREE_INITIALIZATION ||
                 from->state == SCREE_STEP_COMPLETE || from->state == SCREE_TERMINATED || from->state == SCREE_BROKEN;
    return known && from->last_step <= fmi2Pending && from->has_stop <= 1 && from->stale <= 1 && isfinite(from->time) &&
           isfinite(from->start) && !isnan(from->stop);
}

/* ---------------------------------------------------------------- states in memory */

static saved *create(const scree_instance *instance, size_t capacity)
{
    saved *made = instance->memory.allocate(instance->memory.context, sizeof *made + capacity);
    if (!made)
        return NULL;
    made->mark = MARK;
    made->free_memory = scree_instance_free_memory(instance);
    made->capacity = capacity;
    return made;
}

static void destroy(saved *state)
{
    if (state)
        state->free_memory(state);
}

/* The state behind a pointer that should not be NULL; else NULL, and a message sent. */
static saved *find(scree_instance *instance, const char *function, fmi2FMUstate state)
{
    saved *found = state;
    if (found && found->mark == MARK)
        return found;
    scree_instance_log(instance, fmi2Error, found ? "%s: this is no state of this FMU" : "%s: the state is NULL",
                       function);
    return NULL;
}

static fmi2Status no_place(scree_instance *instance, const char *function, const char *what)
{
    return scree_instance_log(instance, fmi2Error, "%s: the place for the %s is NULL", function, what);
}

/* *state with room for a content of that size: itself, or else another one in its place. NULL, and a message sent, when
   that fails; then *state is as it was. */
static saved *make_room(scree_instance *instance, const char *function, fmi2FMUstate *state, size_t size)
{
    saved *now = *state;
    if (now && !find(instance, function, now))
        return NULL;
    if (!now || now->capacity < size) {
        saved *other = create(instance, size + size / 8); /* contacts come and go: as a rule the next one fits too */
        if (!other) {
            scree_instance_log(instance, fmi2Error, "%s: out of memory for %zu bytes", function, size);
            return NULL;
        }
        destroy(now);
        *state = now = other;
    }
    now->size = size;
    return now;
}

fmi2Status scree_saved_take(scree_instance *instance, fmi2FMUstate *state)
{
    static const char function[] = "fmi2GetFMUstate";
    scree_error error;
    size_t size;
    if (!state)
        return no_place(instance, function, "state");
    if (scree_world_save(instance->world, NULL, 0, &size, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    part own = gather(instance);
    saved *to = make_room(instance, function, state, sizeof own + size);
    if (!to)
        return fmi2Error;
    memcpy(to->content, &own, sizeof own);
    if (scree_world_save(instance->world, to->content + sizeof own, size, &size, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    return fmi2OK;
}

fmi2Status scree_saved_restore(scree_instance *instance, fmi2FMUstate state)
{
    static const char function[] = "fmi2SetFMUstate";
    scree_error error;
    part own;
    const saved *from = find(instance, function, state);
    if (!from)
        return fmi2Error;
    memcpy(&own, from->content, sizeof own);
    if (!part_fits(&own))
        return scree_instance_log(instance, fmi2Error, "%s: the state holds values that no instance has", function);
    if (scree_world_load(instance->world, from->content + sizeof own, from->size - sizeof own, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    scatter(instance, &own);
    return fmi2OK;
}

fmi2Status scree_saved_release(scree_instance *instance, fmi2FMUstate *state)
{
    if (!state || !*state)
        return fmi2OK;
    saved *gone = find(instance, "fmi2FreeFMUstate", *state);
    if (!gone)
        return fmi2Error;
    destroy(gone);
    *state = NULL;
    return fmi2OK;
}

/* ---------------------------------------------------------------- states as bytes */

fmi2Status scree_saved_size(scree_instance *instance, fmi2FMUstate state, size_t *size)
{
    static const char function[] = "fmi2SerializedFMUstateSize";
    const saved *from = find(instance, function, state);
    if (!from)
        return fmi2Error;
    if (!size)
        return no_place(instance, function, "size");
    *size = sizeof(header) + from->size;
    return fmi2OK;
}

/* The header of a state of this FMU, but for the checksum. */
static header head_of(const scree_instance *instance, size_t content)
{
    header head = {.version = VERSION, .order = BYTE_ORDER_MARK, .size = sizeof head + content};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    memcpy(head.guid, instance->model->guid, SCREE_GUID_SIZE);
    return head;
}

fmi2Status scree_saved_write(scree_instance *instance, fmi2FMUstate state, fmi2Byte bytes[], size_t room)
{
    static const char function[] = "fmi2SerializeFMUstate";
    const saved *from = find(instance, function, state);
    if (!from)
        return fmi2Error;
    if (!bytes)
        return no_place(instance, function, "bytes");
    header head = head_of(instance, from->size);
    if (room < head.size)
        return scree_instance_log(instance, fmi2Error, "%s: a state of %zu bytes does not fit into %zu", function,
                                  (size_t)head.size, room);
    scree_hash_add(&head.checksum, from->content, from->size);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, from->content, from->size);
    return fmi2OK;
}

/* Finds the content in the bytes; the world's snapshot in it is checked when it is restored. */
static scree_status check(const scree_instance *instance, const fmi2Byte bytes[], size_t size, size_t *content,
                          scree_error *error)
{
    header head, wanted = head_of(instance, 0);
    part own;
    if (!bytes || size < sizeof head + sizeof own)
        return scree_fail(error, SCREE_FORMAT, "%zu bytes are too few for a state", bytes ? size : 0);
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, wanted.magic, sizeof head.magic) != 0)
        return scree_fail(error, SCREE_FORMAT, "these bytes are no state of a Scree FMU");
    if (head.version != wanted.version || head.order != wanted.order)
        return scree_fail(error, SCREE_FORMAT, "the state is of another version of Scree or another kind of machine");
    if (memcmp(head.guid, wanted.guid, sizeof head.guid) != 0)
        return scree_fail(error, SCREE_INVALID, "the state is of another FMU than this, %s", instance->model->guid);
    if (head.size < sizeof head + sizeof own || head.size > size)
        return scree_fail(error, SCREE_FORMAT, "the state is cut off or damaged");
    scree_hash sum = {0, 0};
    *content = (size_t)head.size - sizeof head;
    scree_hash_add(&sum, bytes + sizeof head, *content);
    if (sum.a != head.checksum.a || sum.b != head.checksum.b)
        return scree_fail(error, SCREE_FORMAT, "the state is damaged");
    memcpy(&own, bytes + sizeof head, sizeof own);
    if (!part_fits(&own))
        return scree_fail(error, SCREE_FORMAT, "the state holds values that no instance has");
    return SCREE_OK;
}

fmi2Status scree_saved_read(scree_instance *instance, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    static const char function[] = "fmi2DeSerializeFMUstate";
    scree_error error;
    size_t content = 0;
    if (!state)
        return no_place(instance, function, "state");
    if (check(instance, bytes, size, &content, &error) != SCREE_OK)
        return scree_instance_log(instance, fmi2Error, "%s: %s", function, error.text);
    saved *to = make_room(instance, function, state, content);
    if (!to)
        return fmi2Error;
    memcpy(to->content, bytes + sizeof(header), content);
    return fmi2OK;
}
