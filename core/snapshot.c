/*
 * Snapshot of a world: header {magic, version, byte order, scene hash, payload size, checksum}, then the payload: the
 * blocks of one list, in order. The list drives size, save and load alike, so that a block can't be written and not
 * read.
 *
 * Numbers are stored as they lie in memory, and a machine of the other byte order refuses the blob.
 */
#include "collide/packing.h"
#include "feed/fill.h"
#include "measure/sensors.h"
#include "snapshot.h"

#include <string.h>

static const char MAGIC[16] = "SCREE-SNAPSHOT";
enum { VERSION = 7 };

typedef struct header {
    char magic[16];
    uint32_t version;
    uint32_t order;      /* 0x01020304 as the writer's machine has it */
    scree_hash scene;    /* of the scene as created */
    uint64_t payload;    /* bytes */
    scree_hash checksum; /* of the payload */
} header;

static scree_core_state gather(const scree_world *world)
{
    scree_core_state state;
    memset(&state, 0, sizeof state);
#define X(type, name) state.name = world->name;
    SCREE_PLAIN_VALUES(X)
#undef X
    state.particles = world->particles.count;
    state.next_id = world->particles.next_id;
    state.started = world->started;
    state.has_contacts = world->walls.starts != NULL;
    state.blocks = state.has_contacts ? world->pairs.count : 0;
    state.holds = state.has_contacts && world->pairs.valid;
    if (state.holds) {
        state.drift = world->pairs.drift;
        state.time = world->pairs.time;
        state.horizon = world->pairs.horizon;
        state.base = world->pairs.base;
        state.mended = world->pairs.mended;
    }
    state.strips = state.holds ? world->pairs.strip_count : 0;
    state.ranges = state.holds ? world->pairs.range_count : 0;
    state.phases = state.holds ? world->pairs.phase_count : 0;
    state.walls = state.has_contacts ? world->walls.count : 0;
    state.loads = state.has_contacts ? world->heavy.loads.count : 0;
    state.knocks = state.has_contacts ? world->heavy.knocks.count : 0;
    return state;
}

static void scatter(scree_world *world, const scree_core_state *state)
{
#define X(type, name) world->name = state->name;
    SCREE_PLAIN_VALUES(X)
#undef X
    world->started = state->started != 0;
}

/* ---------------------------------------------------------------- the list of blocks */

/* A block is some bytes of the world, found again by its owner: visit(context, bytes, size). */
typedef void visitor(void *context, const void *bytes, size_t size);

static void visit_settings(const scree_scene *settings, visitor *visit, void *context)
{
    for (uint32_t i = 0; i < settings->record_count; i++) {
        const scree_element_info *info = scree_element_describe((scree_element)settings->records[i].element);
        for (uint32_t k = 0; k < info->field_count; k++) {
            const scree_field *field = &info->fields[k];
            size_t size =
                field->kind == SCREE_FIELD_COUNT ? sizeof(uint32_t) : scree_field_components(field) * sizeof(double);
            if (field->flags & SCREE_FIELD_SETTABLE)
                visit(context, scree_scene_value(settings, settings->records[i], field), size);
        }
    }
    visit(context, &settings->solver, sizeof settings->solver); /* it may have no record, and all defaults */
}

static void visit_contacts(const scree_contact_list *list, uint32_t particles, visitor *visit, void *context)
{
    visit(context, list->starts, ((size_t)particles + 1) * sizeof *list->starts);
    visit(context, list->items, list->count * sizeof *list->items);
    visit(context, list->normals, list->count * sizeof *list->normals);
}

static void visit_pairs(const scree_pairs *pairs, const scree_core_state *state, visitor *visit, void *context)
{
    visit(context, pairs->blocks, state->blocks * sizeof *pairs->blocks);
    if (!state->holds)
        return;
    visit(context, pairs->strips, ((size_t)state->strips + 1) * sizeof *pairs->strips);
    visit(context, pairs->ranges, ((size_t)state->ranges + 1) * sizeof *pairs->ranges);
    visit(context, pairs->phases, ((size_t)state->phases + 1) * sizeof *pairs->phases);
    visit(context, pairs->seen, state->particles * sizeof *pairs->seen);
    visit(context, pairs->courses, state->particles * sizeof *pairs->courses);
}

/* Everything, in the order of the blob. A world that has made no step has no contacts. */
static void visit_all(const scree_world *world, const scree_core_state *state, visitor *visit, void *context)
{
    visit(context, state, sizeof *state);
    visit_settings(world->settings, visit, context);
#define X(type, name, place, length) visit(context, world->place, world->length * sizeof(type));
    SCREE_FIXED_ARRAYS(X)
#undef X
#define X(type, name) visit(context, world->particles.name, world->particles.count * sizeof(type));
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    if (!state->has_contacts)
        return;
    visit_pairs(&world->pairs, state, visit, context);
    visit_contacts(&world->walls, world->particles.count, visit, context);
    visit_contacts(&world->heavy.loads, world->particles.count, visit, context);
    visit_contacts(&world->heavy.knocks, world->heavy.feelers.count, visit, context);
}

/* ---------------------------------------------------------------- save */

static void add_size(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
}

static void append(void *context, const void *bytes, size_t size)
{
    uint8_t **at = context;
    if (size)
        memcpy(*at, bytes, size);
    *at += size;
}

static scree_status hash_scene(const scree_scene *scene, scree_hash *hash, scree_error *error)
{
    uint8_t *bytes;
    size_t size;
    scree_status status = scree_scene_write(scene, &bytes, &size, error);
    if (status != SCREE_OK)
        return status;
    *hash = (scree_hash){0, 0};
    scree_hash_add(hash, bytes, size);
    scree_bytes_release(&scene->memory, bytes);
    return SCREE_OK;
}

scree_status scree_world_save(const scree_world *world, uint8_t *bytes, size_t room, size_t *size, scree_error *error)
{
    scree_core_state state = gather(world);
    size_t payload = 0;
    visit_all(world, &state, add_size, &payload);
    *size = sizeof(header) + payload;
    if (!bytes)
        return SCREE_OK;
    if (room < *size)
        return scree_fail(error, SCREE_INVALID, "a snapshot of %zu bytes does not fit into %zu", *size, room);
    header head = {.version = VERSION, .order = 0x01020304u, .scene = world->scene_hash, .payload = payload};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    uint8_t *at = bytes + sizeof head;
    visit_all(world, &state, append, &at);
    scree_hash_add(&head.checksum, bytes + sizeof head, payload);
    memcpy(bytes, &head, sizeof head);
    return SCREE_OK;
}

scree_status scree_world_identify(scree_world *world, scree_error *error)
{
    return hash_scene(world->scene, &world->scene_hash, error);
}

/* ---------------------------------------------------------------- load */

void scree_snapshot_drop(scree_loaded *from, const scree_memory *memory)
{
    scree_scene_destroy(from->settings);
#define X(type, name, place, length) scree_release(memory, from->name);
    SCREE_FIXED_ARRAYS(X)
#undef X
    scree_particles_free(&from->particles, memory);
    scree_pairs_free(&from->pairs, memory);
    scree_contact_list_free(&from->walls, memory);
    scree_contact_list_free(&from->loads, memory);
    scree_contact_list_free(&from->knocks, memory);
}

typedef struct source {
    const uint8_t *at;
    size_t left;
    bool short_;
} source;

/* The writer's visitor, the other way: fills what it is shown. The blocks belong to `loaded`, which is ours to change.
 */
static void fill_block(void *context, const void *bytes, size_t size)
{
    source *from = context;
    if (from->short_ || from->left < size) {
        from->short_ = true;
        return;
    }
    if (size)
        memcpy((void *)(uintptr_t)bytes, from->at, size);
    from->at += size;
    from->left -= size;
}

static bool allocate_contacts(scree_contact_list *list, const scree_memory *memory, uint64_t count, uint32_t particles)
{
    list->items = scree_allocate(memory, (size_t)count, sizeof *list->items);
    list->starts = scree_allocate(memory, (size_t)particles + 2, sizeof *list->starts);
    list->count = list->capacity = (size_t)count;
    list->starts_capacity = (size_t)particles + 2;
    list->normals = scree_allocate(memory, (size_t)count, sizeof *list->normals);
    list->normals_capacity = (size_t)count;
    return list->items && list->starts && list->normals;
}

static bool allocate_pairs(scree_pairs *pairs, const scree_memory *memory, const scree_core_state *state)
{
    size_t room = scree_pair_room(state->base);
    pairs->count = state->blocks;
    pairs->strip_count = state->strips;
    pairs->range_count = state->ranges;
    pairs->phase_count = state->phases;
    pairs->particles = state->particles;
    pairs->valid = state->holds != 0;
    pairs->drift = state->drift;
    pairs->time = state->time;
    pairs->horizon = state->horizon;
    pairs->base = state->base;
    pairs->mended = state->mended;
    pairs->blocks = scree_allocate(memory, pairs->blocks_capacity = room > state->blocks ? room : state->blocks,
                                   sizeof *pairs->blocks);
    pairs->strips = scree_allocate(memory, pairs->strips_capacity = (size_t)state->strips + 1, sizeof *pairs->strips);
    pairs->ranges = scree_allocate(memory, pairs->ranges_capacity = (size_t)state->ranges + 1, sizeof *pairs->ranges);
    pairs->phases = scree_allocate(memory, pairs->phases_capacity = (size_t)state->phases + 1, sizeof *pairs->phases);
    pairs->seen = scree_allocate(memory, pairs->seen_capacity = state->particles, sizeof *pairs->seen);
    pairs->courses = scree_allocate(memory, pairs->courses_capacity = state->particles, sizeof *pairs->courses);
    return pairs->blocks && pairs->strips && pairs->ranges && pairs->phases && pairs->seen && pairs->courses;
}

static bool allocate_all(scree_loaded *to, const scree_world *world, bool has_contacts)
{
    const scree_memory *memory = &world->memory;
    uint32_t n = to->state.particles;
    to->settings = scree_scene_copy(world->settings, memory);
    bool complete = to->settings && scree_particles_reserve(&to->particles, memory, n);
#define X(type, name, place, length)                                                                                   \
    complete = (to->name = scree_allocate(memory, world->length, sizeof(type))) != NULL && complete;
    SCREE_FIXED_ARRAYS(X)
#undef X
    to->particles.count = complete ? n : 0;
    to->particles.next_id = to->state.next_id;
    if (!has_contacts)
        return complete;
    complete = allocate_pairs(&to->pairs, memory, &to->state) && complete;
    complete = allocate_contacts(&to->walls, memory, to->state.walls, n) && complete;
    complete = allocate_contacts(&to->loads, memory, to->state.loads, n) && complete;
    return allocate_contacts(&to->knocks, memory, to->state.knocks, world->heavy.feelers.count) && complete;
}

/* Starts rise from 0 to the count; each contact lies with its particle; b is below `others`. */
static bool contacts_fit(const scree_contact_list *list, uint32_t particles, uint32_t others)
{
    if (!list->starts)
        return true;
    if (list->starts[0] != 0 || list->starts[particles] != list->count)
        return false;
    for (uint32_t a = 0; a < particles; a++) {
        if (list->starts[a] > list->starts[a + 1] || list->starts[a + 1] > list->count)
            return false;
        for (uint32_t i = list->starts[a]; i < list->starts[a + 1]; i++)
            if (list->items[i].a != a || list->items[i].b >= others || !isfinite(list->items[i].pn) ||
                (list->normals && !(length(list->normals[i]) < 2.0)))
                return false;
    }
    return true;
}

static bool settings_fit(const scree_scene *settings)
{
    for (uint32_t i = 0; i <= settings->record_count; i++) {
        scree_record solver = {.element = SCREE_ELEMENT_SOLVER};
        scree_record record = i < settings->record_count ? settings->records[i] : solver;
        const scree_element_info *info = scree_element_describe((scree_element)record.element);
        for (uint32_t k = 0; k < info->field_count; k++) {
            const scree_field *field = &info->fields[k];
            if (!(field->flags & SCREE_FIELD_SETTABLE))
                continue;
            const char *at = scree_scene_value(settings, record, field);
            for (uint32_t c = 0; c < scree_field_components(field); c++) {
                double value;
                uint32_t whole;
                memcpy(&whole, at, sizeof whole);
                if (field->kind == SCREE_FIELD_COUNT)
                    value = whole;
                else
                    memcpy(&value, at + c * sizeof value, sizeof value);
                if (scree_field_check((scree_element)record.element, field, value, NULL) != SCREE_OK)
                    return false;
            }
        }
    }
    return settings->solver.warm_start <= SCREE_WARM_MODEL && settings->solver.roll_radius <= SCREE_ROLL_RADIUS &&
           settings->solver.order <= SCREE_ORDER_RANDOM;
}

/* What a body's state decides by is finite, and its kind is that of the scene. */
static bool bodies_fit(const scree_loaded *from, const scree_scene *scene)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const scree_rigid *body = &from->bodies[i];
        bool dynamic = from->state.started && scene->bodies[i].kind == SCREE_BODY_DYNAMIC;
        vec3 x = body->now.x, v = body->mass.v, w = body->mass.w;
        double sum = x.x + x.y + x.z + quat_norm(body->now.q) + v.x + v.y + v.z + w.x + w.y + w.z + body->work;
        if (!isfinite(sum) || body->dynamic > 1 || (dynamic && !body->dynamic))
            return false;
        if (body->dynamic && !(body->mass.inv_mass > 0.0 && isfinite(body->mass.world.r[0].x)))
            return false;
    }
    return true;
}

static bool meters_fit(const scree_meter *meters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const scree_meter *m = &meters[i];
        if (!isfinite(m->passed + m->passing + length(m->impulse) + length(m->tangential_impulse) + m->normal_impulse +
                      m->twist_impulse + m->work))
            return false;
    }
    return true;
}

static bool sum_fits(const scree_sum *sum, double step)
{
    return sum->high >= 0.0 && isfinite(sum->high + sum->low) && step >= 0.0 && isfinite(step);
}

static bool feeds_fit(const scree_loaded *from, const scree_scene *scene)
{
    for (uint32_t i = 0; i < scene->emitter_count; i++) {
        const scree_emitter_state *e = &from->emitters[i];
        if (!sum_fits(&e->mass, e->step_mass) || !isfinite(e->rate.mass_rate + e->rate.grain_rate) ||
            !(e->owed >= 0.0) || !isfinite(e->owed) || !(e->next >= 0.0) || !(e->next <= 1e3))
            return false;
    }
    for (uint32_t i = 0; i < scene->sink_count; i++)
        if (!sum_fits(&from->sinks[i].mass, from->sinks[i].step_mass))
            return false;
    return true;
}

static bool ports_fit(const scree_port_state *ports, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const scree_port_input *input = &ports[i].input;
        const scree_wrench_filter *filter = &ports[i].filter;
        for (int k = 0; k < SCREE_INPUT_VALUES; k++)
            if (!isfinite(((const double *)input)[k] + input->rates[0][k] + input->rates[1][k]))
                return false;
        for (size_t k = 0; k < sizeof *filter / sizeof(double); k++)
            if (!isfinite(((const double *)filter)[k]))
                return false;
        if (!isfinite(ports[i].surface_speed))
            return false;
    }
    return true;
}

static bool nodes_fit(const scree_loaded *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const scree_node *node = &from->nodes[i];
        double sum = node->coordinate + node->from + node->to + node->target + from->targets[i].now.x.x;
        for (uint32_t k = 0; k < SCREE_NODE_ROWS; k++)
            sum += node->impulse[k];
        if (!isfinite(sum) || from->targets[i].dynamic)
            return false;
    }
    return true;
}

static bool contents_fit(const scree_loaded *from, const scree_world *world)
{
    const scree_scene *scene = world->settings;
    for (uint32_t i = 0; i < from->particles.count; i++) {
        const scree_twist *twist = &from->particles.twist[i];
        vec3 x = from->particles.place[i].x;
        double r = from->particles.place[i].r;
        if (!(r > 0.0) || !(twist->inv_mass > 0.0) || !(twist->inv_inertia > 0.0) ||
            !isfinite(x.x + x.y + x.z + r + twist->inv_mass + twist->inv_inertia) ||
            !isfinite(length(twist->v) + length(twist->w)))
            return false;
        if (from->particles.id[i] >= from->particles.next_id || from->particles.material[i] >= scene->material_count ||
            (from->particles.fill[i] >= scene->fill_count + scene->emitter_count &&
             from->particles.fill[i] != UINT32_MAX))
            return false;
    }
    bool steps = from->state.started ? from->state.substeps > 0 : true; /* before the start there are none yet */
    vec3 drift = from->state.drift, stream = from->state.stream;
    return steps && isfinite(length(drift) + length(stream)) && from->state.substeps <= 10000 &&
           settings_fit(from->settings) && meters_fit(from->meters, scene->sensor_count) && feeds_fit(from, scene) &&
           contacts_fit(&from->walls, from->particles.count, scene->shape_count * SCREE_SLOTS) &&
           contacts_fit(&from->loads, from->particles.count, scene->shape_count * SCREE_SLOTS) &&
           contacts_fit(&from->knocks, world->heavy.feelers.count, scene->shape_count * SCREE_SLOTS) &&
           bodies_fit(from, scene) && ports_fit(from->ports, scene->port_count) &&
           nodes_fit(from, world->mechanism.count);
}

static scree_status check_header(const scree_world *world, const uint8_t *bytes, size_t size, scree_error *error)
{
    header head;
    if (!bytes || size < sizeof head)
        return scree_fail(error, SCREE_FORMAT, "these are no snapshot: %zu bytes", size);
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, MAGIC, sizeof head.magic) != 0)
        return scree_fail(error, SCREE_FORMAT, "these are no snapshot of Scree");
    if (head.version != VERSION || head.order != 0x01020304u)
        return scree_fail(error, SCREE_FORMAT,
                          "the snapshot is of another version of Scree or another kind of machine");
    if (head.scene.a != world->scene_hash.a || head.scene.b != world->scene_hash.b)
        return scree_fail(error, SCREE_INVALID, "the snapshot is of another scene");
    scree_hash sum = {0, 0};
    if (head.payload == size - sizeof head)
        scree_hash_add(&sum, bytes + sizeof head, size - sizeof head);
    if (head.payload != size - sizeof head || sum.a != head.checksum.a || sum.b != head.checksum.b)
        return scree_fail(error, SCREE_FORMAT, "the snapshot is cut off or damaged");
    return SCREE_OK;
}

/* Reads the payload into `to`; nothing of the world is changed. */
static scree_status read_payload(scree_loaded *to, const scree_world *world, const uint8_t *bytes, size_t size,
                                 scree_error *error)
{
    if (size < sizeof to->state)
        return scree_fail(error, SCREE_FORMAT, "the snapshot is cut off");
    memcpy(&to->state, bytes, sizeof to->state);
    const scree_core_state *state = &to->state;
    bool has_contacts = state->has_contacts != 0;
    /* before anything is allocated: no more of each than the bytes could hold */
    if (state->particles > SCREE_MOST_GRAINS || state->particles > size / sizeof(scree_twist) ||
        state->blocks > size / sizeof(scree_pair_block) || state->strips > size / sizeof(uint32_t) ||
        state->ranges > size / sizeof(uint32_t) || state->phases > size / sizeof(uint32_t) || state->holds > 1 ||
        state->base > state->blocks || state->walls > size / sizeof(scree_contact) ||
        state->loads > size / sizeof(scree_contact) || state->knocks > size / sizeof(scree_contact) ||
        (!has_contacts && (state->blocks || state->holds || state->walls || state->loads || state->knocks)))
        return scree_fail(error, SCREE_FORMAT, "the snapshot's counts do not fit its size");
    if (!allocate_all(to, world, has_contacts))
        return scree_fail(error, SCREE_MEMORY, "out of memory for a snapshot");
    scree_world view = *world;
    view.settings = to->settings;
#define X(type, name, place, length) view.place = to->name;
    SCREE_FIXED_ARRAYS(X)
#undef X
    view.particles = to->particles;
    view.pairs = to->pairs;
    view.walls = to->walls;
    view.heavy.loads = to->loads;
    view.heavy.knocks = to->knocks;
    source from = {bytes, size, false};
    visit_all(&view, &to->state, fill_block, &from);
    if (from.short_ || from.left != 0)
        return scree_fail(error, SCREE_FORMAT, "the snapshot's blocks do not fit its size");
    scree_status pairs = scree_pairs_check(&to->pairs, &world->memory, to->particles.count);
    if (pairs == SCREE_MEMORY)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a snapshot");
    if (pairs != SCREE_OK || !contents_fit(to, world))
        return scree_fail(error, SCREE_FORMAT, "the snapshot holds values that no world has");
    if (to->pairs.valid &&
        !scree_pairs_complete(&to->pairs, &world->memory, &to->particles, world->settings->material_count))
        return scree_fail(error, SCREE_MEMORY, "out of memory for a snapshot");
    return SCREE_OK;
}

scree_status scree_snapshot_read(const scree_world *world, const uint8_t *bytes, size_t size, scree_loaded *to,
                                 scree_error *error)
{
    scree_status status = check_header(world, bytes, size, error);
    if (status == SCREE_OK)
        status = read_payload(to, world, bytes + sizeof(header), size - sizeof(header), error);
    return status;
}

scree_status scree_world_load(scree_world *world, const uint8_t *bytes, size_t size, scree_error *error)
{
    scree_loaded from = {0};
    scree_status status = scree_snapshot_read(world, bytes, size, &from, error);
    if (status == SCREE_OK && (!world->pool || from.settings->solver.threads != world->settings->solver.threads)) {
        scree_pool *pool = scree_pool_create(&world->memory, from.settings->solver.threads);
        if (pool) {
            scree_pool_destroy(world->pool);
            world->pool = pool;
        } else {
            status = scree_fail(error, SCREE_MEMORY, "out of memory for threads");
        }
    }
    if (status != SCREE_OK) {
        scree_snapshot_drop(&from, &world->memory);
        return status;
    }
    /* from here on nothing can fail: what the world had goes out with `from` */
    scree_loaded old = {.settings = world->settings,
                        .particles = world->particles,
                        .pairs = world->pairs,
                        .walls = world->walls,
                        .loads = world->heavy.loads,
                        .knocks = world->heavy.knocks};
#define X(type, name, place, length)                                                                                   \
    old.name = world->place;                                                                                           \
    world->place = from.name;
    SCREE_FIXED_ARRAYS(X)
#undef X
    world->settings = from.settings;
    world->particles = from.particles;
    world->pairs = from.pairs;
    world->walls = from.walls;
    world->heavy.loads = from.loads;
    world->heavy.knocks = from.knocks;
    world->heavy.load_rows = world->heavy.knock_rows = NULL;
    scree_snapshot_drop(&old, &world->memory);
    scatter(world, &from.state);
    world->rows = (scree_rows){0};
    world->wall_search.valid = false;
    scree_world_place_shapes(world);
    world->sensing.from = NULL;
    scree_sensors_read(world);
    return SCREE_OK;
}
