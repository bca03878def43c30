#include "world.h"

#include "body/dynamics.h"
#include "feed/feed.h"
#include "feed/fill.h"
#include "measure/sensors.h"
#include "scene/bumps.h"
#include "settle.h"

#include <string.h>

/* The meshes of the shapes that have one; nothing that can be set changes them. */
static bool make_meshes(scree_world *world)
{
    const scree_scene *scene = world->scene;
    world->meshes = scree_allocate(&world->memory, scene->shape_count, sizeof *world->meshes);
    for (uint32_t i = 0; world->meshes && i < scene->shape_count; i++) {
        scree_surface surface;
        if (scene->shapes[i].kind != SCREE_SHAPE_MESH && !scree_tube_is_rough(&scene->shapes[i]))
            continue;
        if (scree_scene_shape_surface(scene, i, 3, &world->memory, &surface, NULL) != SCREE_OK)
            return false;
        world->meshes[i] = scree_mesh_create(&surface, scene->shapes[i].solid != 0, &world->memory);
        scree_surface_release(&surface);
        if (!world->meshes[i])
            return false;
    }
    return world->meshes != NULL;
}

scree_status scree_world_create(const scree_scene *scene, const scree_memory *memory, const scree_log *log,
                                scree_world **world, scree_error *error)
{
    scree_memory from = scree_memory_or_default(memory);
    *world = NULL;
    scree_world *made = scree_allocate(&from, 1, sizeof *made);
    if (!made)
        return scree_fail(error, SCREE_MEMORY, "out of memory for a world");
    made->scene = scene;
    made->memory = from;
    if (log)
        made->log = *log;
    scree_arena_init(&made->arena, &from);
    made->kernels = scree_kernels_choose();
    made->watch.wanted = scene->solver.profile != 0;
    made->settings = scree_scene_copy(scene, &from);
    made->ports = scree_allocate(&from, scene->port_count, sizeof *made->ports);
    made->drives = scree_allocate(&from, scene->actuator_count, sizeof *made->drives);
    made->bodies = scree_allocate(&from, scene->body_count, sizeof *made->bodies);
    made->shapes = scree_allocate(&from, scene->shape_count, sizeof *made->shapes);
    bool senses = scree_sensing_create(&made->sensing, scene, &from);
    bool feeds = scree_feeding_create(&made->feeding, scene, &from);
    if (!made->settings || !made->ports || !made->drives || !made->bodies || !made->shapes || !senses || !feeds ||
        !make_meshes(made) || !scree_feelers_make(&made->heavy.feelers, scene, &from) ||
        !scree_mechanism_make(&made->mechanism, scene, &from)) {
        scree_world_destroy(made);
        return scree_fail(error, SCREE_MEMORY, "out of memory for a world");
    }
    scree_status status = scree_world_identify(made, error);
    if (status != SCREE_OK) {
        scree_world_destroy(made);
        return status;
    }
    for (uint32_t i = 0; i < scene->port_count; i++) {
        made->ports[i].input.motion = scree_scene_start_motion(scene, i);
        made->ports[i].surface_speed = scree_scene_start_speed(scene, i);
    }
    for (uint32_t i = 0; i < scene->actuator_count; i++)
        made->drives[i] = scree_world_start_drive(scene, i);
    *world = made;
    return SCREE_OK;
}

static void free_contacts(scree_world *world)
{
    scree_pairs_free(&world->pairs, &world->memory);
    scree_contact_list_free(&world->walls, &world->memory);
    scree_contact_list_free(&world->last_walls, &world->memory);
    scree_contact_list_free(&world->heavy.loads, &world->memory);
    scree_contact_list_free(&world->heavy.knocks, &world->memory);
    scree_contact_list_free(&world->heavy.last_loads, &world->memory);
    scree_contact_list_free(&world->heavy.last_knocks, &world->memory);
}

void scree_world_destroy(scree_world *world)
{
    if (!world)
        return;
    scree_pool_destroy(world->pool);
    scree_particles_free(&world->particles, &world->memory);
    free_contacts(world);
    scree_feelers_free(&world->heavy.feelers, &world->memory);
    scree_impact_free(&world->impact_scratch, &world->memory);
    scree_arena_free(&world->arena);
    scree_sensing_free(&world->sensing, &world->memory);
    scree_feeding_free(&world->feeding, world->scene, &world->memory);
    scree_search_free(&world->search, &world->memory);
    scree_walls_free(&world->wall_search, &world->memory);
    scree_release(&world->memory, world->backup.bytes);
    scree_release(&world->memory, world->settled.own);
    for (uint32_t i = 0; world->meshes && i < world->scene->shape_count; i++)
        scree_mesh_destroy(world->meshes[i]);
    scree_release(&world->memory, world->meshes);
    scree_release(&world->memory, world->shapes);
    scree_release(&world->memory, world->bodies);
    scree_mechanism_free(&world->mechanism, &world->memory);
    scree_release(&world->memory, world->drives);
    scree_release(&world->memory, world->ports);
    scree_scene_destroy(world->settings);
    scree_memory memory = world->memory;
    scree_release(&memory, world);
}

const scree_scene *scree_world_settings(const scree_world *world)
{
    return world->settings;
}

scree_status scree_world_set_value(scree_world *world, scree_record record, const scree_field *field,
                                   uint32_t component, double value, scree_error *error)
{
    if (!(field->flags & SCREE_FIELD_SETTABLE) || component >= scree_field_components(field))
        return scree_fail(error, SCREE_INVALID, "%s is not settable", field->name);
    scree_status status = scree_field_check((scree_element)record.element, field, value, error);
    if (status != SCREE_OK)
        return status;
    char *at = (char *)scree_scene_item(world->settings, (scree_element)record.element, record.index) + field->offset;
    if (field->kind == SCREE_FIELD_COUNT) {
        uint32_t whole = (uint32_t)value;
        if ((double)whole != value)
            return scree_fail(error, SCREE_INVALID, "%s = %g should be a whole number", field->name, value);
        memcpy(at, &whole, sizeof whole);
    } else {
        memcpy(at + component * sizeof value, &value, sizeof value);
    }
    world->started = false;
    return SCREE_OK;
}

void scree_world_place_shapes(scree_world *world)
{
    for (uint32_t i = 0; i < world->settings->shape_count; i++) {
        const scree_shape *shape = &world->settings->shapes[i];
        world->shapes[i] = scree_shape_place(shape, world->meshes[i], world->bodies[shape->body].now);
    }
}

scree_heavy_system scree_world_heavy(scree_world *world)
{
    return (scree_heavy_system){.heavy = &world->heavy,
                                .settings = world->settings,
                                .particles = &world->particles,
                                .shapes = world->shapes,
                                .bodies = world->bodies};
}

static scree_status place_bodies(scree_world *world, scree_error *error)
{
    const scree_scene *settings = world->settings;
    for (uint32_t i = 0; i < settings->body_count; i++)
        scree_rigid_place(&world->bodies[i], scree_body_start(&settings->bodies[i]));
    for (uint32_t i = 0; i < settings->port_count; i++) {
        const scree_port *port = &settings->ports[i];
        scree_pose pose;
        if (!scree_port_takes_motion(port))
            continue;
        scree_status status = scree_input_check(&world->ports[i].input, port, 0.0, error);
        if (status != SCREE_OK)
            return status;
        (void)scree_input_pose(&world->ports[i].input, port, 0.0, &pose);
        scree_rigid_place(&world->bodies[port->body], pose);
    }
    for (uint32_t i = 0; i < settings->body_count; i++)
        if (settings->bodies[i].kind == SCREE_BODY_DYNAMIC)
            scree_mass_start(&world->bodies[i], &settings->bodies[i], scree_body_reach(settings, i));
    for (uint32_t i = 0; i < settings->port_count; i++)
        if (settings->ports[i].mode == SCREE_PORT_PROXY)
            world->bodies[settings->ports[i].body].mass.floats = 1;
    scree_mechanism_start(&world->mechanism, settings, world->bodies, world->ports);
    scree_world_place_shapes(world);
    return SCREE_OK;
}

scree_status scree_world_start(scree_world *world, double time, scree_error *error)
{
    world->started = false;
    if (!isfinite(time))
        return scree_fail(error, SCREE_INVALID, "the start time is not finite");
    scree_blame blame; /* parameters may have been set one by one: what spans them is checked here */
    scree_status status = scree_scene_check(world->settings, &blame, error);
    if (status == SCREE_OK)
        status = place_bodies(world, error);
    if (status != SCREE_OK)
        return status;
    scree_pool_destroy(world->pool);
    world->pool = scree_pool_create(&world->memory, world->settings->solver.threads);
    if (!world->pool)
        return scree_fail(error, SCREE_MEMORY, "out of memory for threads");
    scree_particles_free(&world->particles, &world->memory);
    free_contacts(world);
    world->wall_search.valid = false;
    bool settled;
    world->substep = 0.0;
    status = scree_settled_take(world, &settled, error);
    scree_site site = {world->settings, world->bodies, world->shapes, &world->memory};
    if (status == SCREE_OK && !settled)
        status = scree_fill_all(&world->particles, &site, error);
    if (status != SCREE_OK)
        return status;
    world->clock = (scree_clock){.base = time};
    world->last_dt = 0.0;
    world->stream = (vec3){0.0, 0.0, 0.0};
    world->contacts = world->impacts = world->asleep = 0;
    world->mean_overlap = world->max_overlap = world->sweeps = 0.0;
    world->residual = (scree_residual){0};
    world->rows = (scree_rows){0};
    world->random = scree_random_seeded(world->settings->solver.seed);
    world->substeps = world->settings->solver.substeps;
    world->last_substeps = 0;
    world->passes = 0;
    world->age = UINT32_MAX;
    world->mean_diameter = 0.0;
    for (uint32_t i = 0; i < world->particles.count; i++)
        world->mean_diameter += 2.0 * world->particles.place[i].r / world->particles.count;
    scree_feed_start(world);
    if (world->particles.count == 0)
        world->mean_diameter = scree_feed_diameter(world);
    for (uint32_t i = 0; i < world->settings->port_count; i++)
        world->ports[i].filter = (scree_wrench_filter){0};
    world->warned = false;
    world->sensing.from = NULL;
    memset(world->sensing.meters, 0, world->settings->sensor_count * sizeof *world->sensing.meters);
    scree_sensors_read(world);
    world->started = true;
    return SCREE_OK;
}

bool scree_world_started(const scree_world *world)
{
    return world->started;
}

scree_status scree_world_set_motion(scree_world *world, uint32_t port, const scree_motion *motion, scree_error *error)
{
    const scree_scene *scene = world->settings;
    if (port >= scene->port_count || !scree_port_takes_motion(&scene->ports[port]))
        return scree_fail(error, SCREE_INVALID, "port number %u takes no motion", (unsigned)port);
    for (size_t i = 0; i < sizeof *motion / sizeof(double); i++)
        if (!isfinite(((const double *)motion)[i]))
            return scree_fail(error, SCREE_INVALID, "port %s: the motion has a value that is not finite",
                              scene->ports[port].id);
    world->ports[port].input.motion = *motion;
    return SCREE_OK;
}

/* place: among the values of scree_port_input. */
static scree_status set_rate(scree_port_input *input, const char *port, uint32_t place, uint32_t order, double value,
                             scree_error *error)
{
    if (order < 1 || order > 2 || !isfinite(value))
        return scree_fail(error, SCREE_INVALID, "port %s: a derivative of order %u = %g; allowed: order 1 or 2, finite",
                          port, order, value);
    input->rates[order - 1][place] = value;
    input->given[order - 1] |= UINT32_C(1) << place;
    return SCREE_OK;
}

scree_status scree_world_set_motion_rate(scree_world *world, uint32_t port, uint32_t place, uint32_t order,
                                         double value, scree_error *error)
{
    const scree_scene *scene = world->settings;
    if (port >= scene->port_count || !scree_port_takes_motion(&scene->ports[port]) ||
        place >= sizeof(scree_motion) / sizeof(double))
        return scree_fail(error, SCREE_INVALID, "port number %u has no motion value %u", port, place);
    return set_rate(&world->ports[port].input, scene->ports[port].id, place, order, value, error);
}

scree_status scree_world_set_load_rate(scree_world *world, uint32_t port, uint32_t place, uint32_t order, double value,
                                       scree_error *error)
{
    const scree_scene *scene = world->settings;
    if (port >= scene->port_count || scene->ports[port].mode != SCREE_PORT_FORCE ||
        place >= sizeof(scree_wrench) / sizeof(double))
        return scree_fail(error, SCREE_INVALID, "port number %u has no force value %u", port, place);
    place += (uint32_t)(offsetof(scree_port_input, load) / sizeof(double));
    return set_rate(&world->ports[port].input, scene->ports[port].id, place, order, value, error);
}

const scree_motion *scree_world_get_motion(const scree_world *world, uint32_t port)
{
    return port < world->settings->port_count ? &world->ports[port].input.motion : NULL;
}

scree_status scree_world_set_load(scree_world *world, uint32_t port, const scree_wrench *load, scree_error *error)
{
    const scree_scene *scene = world->settings;
    if (port >= scene->port_count || scene->ports[port].mode != SCREE_PORT_FORCE)
        return scree_fail(error, SCREE_INVALID, "port number %u takes no force", (unsigned)port);
    for (int k = 0; k < 3; k++)
        if (!isfinite(load->force[k]) || !isfinite(load->torque[k]))
            return scree_fail(error, SCREE_INVALID, "port %s: the force has a value that is not finite",
                              scene->ports[port].id);
    world->ports[port].input.load = *load;
    return SCREE_OK;
}

const scree_wrench *scree_world_get_load(const scree_world *world, uint32_t port)
{
    return port < world->settings->port_count ? &world->ports[port].input.load : NULL;
}

scree_drive scree_world_start_drive(const scree_scene *scene, uint32_t actuator)
{
    const scree_actuator *of = &scene->actuators[actuator];
    const scree_joint *joint = &scene->joints[of->joint];
    double length_ = length(sub(vec3_of(joint->end), vec3_of(joint->position)));
    return (scree_drive){
        .position = joint->kind == SCREE_JOINT_DISTANCE ? length_ : 0.0, .speed = of->speed, .force = of->force};
}

scree_status scree_world_set_drive(scree_world *world, uint32_t actuator, const scree_drive *drive, scree_error *error)
{
    if (actuator >= world->settings->actuator_count)
        return scree_fail(error, SCREE_INVALID, "there is no actuator number %u", (unsigned)actuator);
    if (!isfinite(drive->position) || !isfinite(drive->speed) || !isfinite(drive->force))
        return scree_fail(error, SCREE_INVALID, "actuator %s: a value is not finite",
                          world->settings->actuators[actuator].id);
    world->drives[actuator] = *drive;
    return SCREE_OK;
}

const scree_drive *scree_world_get_drive(const scree_world *world, uint32_t actuator)
{
    return actuator < world->settings->actuator_count ? &world->drives[actuator] : NULL;
}

scree_status scree_world_get_actuation(const scree_world *world, uint32_t actuator, scree_actuation *actuation)
{
    *actuation = (scree_actuation){0};
    if (actuator >= world->settings->actuator_count)
        return SCREE_INVALID;
    const scree_node *node = &world->mechanism.nodes[world->settings->actuators[actuator].joint];
    actuation->position = node->coordinate;
    actuation->speed = node->speed;
    if (world->last_dt > 0.0) {
        actuation->force = node->push / world->last_dt;
        actuation->power = node->work / world->last_dt;
    }
    return SCREE_OK;
}

scree_status scree_world_get_bearing(const scree_world *world, uint32_t joint, scree_bearing *bearing)
{
    *bearing = (scree_bearing){0};
    if (joint >= world->settings->joint_count)
        return SCREE_INVALID;
    const scree_node *node = &world->mechanism.nodes[joint];
    scree_mechanism_gap(&world->mechanism, world->bodies, joint, &bearing->gap, &bearing->angle_gap);
    if (world->last_dt > 0.0) {
        vec3_store(bearing->force, scale(1.0 / world->last_dt, node->force));
        vec3_store(bearing->torque, scale(1.0 / world->last_dt, node->torque));
    }
    return SCREE_OK;
}

double scree_world_time(const scree_world *world)
{
    return world->clock.base + (double)world->clock.count * world->clock.dt;
}

scree_particle scree_world_get_particle(const scree_world *world, uint32_t index)
{
    const scree_place *place = &world->particles.place[index];
    const scree_twist *twist = &world->particles.twist[index];
    scree_particle particle = {.id = world->particles.id[index],
                               .radius = place->r,
                               .mass = 1.0 / twist->inv_mass,
                               .fill = world->particles.fill[index],
                               .material = world->particles.material[index]};
    vec3_store(particle.position, place->x);
    vec3_store(particle.velocity, twist->v);
    vec3_store(particle.angular_velocity, twist->w);
    return particle;
}

void scree_world_get_pose(const scree_world *world, uint32_t body, double position[3], double orientation[4])
{
    vec3_store(position, world->bodies[body].now.x);
    quat_store(orientation, world->bodies[body].now.q);
}

static void hash_pairs(scree_hash *hash, const scree_pairs *pairs)
{
    scree_hash_add(hash, pairs->blocks, pairs->count * sizeof *pairs->blocks);
    if (!pairs->valid)
        return;
    scree_hash_add(hash, pairs->seen, pairs->particles * sizeof *pairs->seen);
    scree_hash_add(hash, pairs->courses, pairs->particles * sizeof *pairs->courses);
    scree_hash_add(hash, &pairs->drift, sizeof pairs->drift);
    scree_hash_add(hash, &pairs->time, sizeof pairs->time);
}

/* Which open contacts the lists hold decides nothing. */
static void hash_contacts(scree_hash *hash, const scree_contact_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        bool closed = list->normals && dot(list->normals[i], list->normals[i]) > 0.0;
        if (list->items[i].pn != 0.0 || closed)
            scree_hash_add(hash, &list->items[i], sizeof list->items[i]);
        if (closed)
            scree_hash_add(hash, &list->normals[i], sizeof list->normals[i]);
    }
}

static void hash_body(scree_hash *hash, const scree_rigid *body)
{
    scree_hash_add(hash, &body->now, sizeof body->now);
    scree_hash_add(hash, &body->mass.v, sizeof body->mass.v);
    scree_hash_add(hash, &body->mass.w, sizeof body->mass.w);
}

scree_hash scree_world_hash(const scree_world *world)
{
    scree_hash hash = {0, 0};
    const scree_scene *scene = world->settings;
    double now[2] = {scree_world_time(world), world->substep};
    uint64_t counts[4] = {world->random.state, world->substeps, world->passes, world->particles.next_id};
    scree_hash_add(&hash, now, sizeof now);
    scree_hash_add(&hash, counts, sizeof counts);
    scree_hash_add(&hash, world->ports, scene->port_count * sizeof *world->ports);
    scree_hash_add(&hash, world->drives, scene->actuator_count * sizeof *world->drives);
    scree_hash_add(&hash, world->mechanism.nodes, world->mechanism.count * sizeof *world->mechanism.nodes);
    for (uint32_t i = 0; i < scene->body_count; i++)
        hash_body(&hash, &world->bodies[i]);
#define X(type, name) scree_hash_add(&hash, world->particles.name, world->particles.count * sizeof(type));
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    scree_hash_add(&hash, world->sensing.meters, scene->sensor_count * sizeof *world->sensing.meters);
    scree_hash_add(&hash, world->feeding.emitters, scene->emitter_count * sizeof *world->feeding.emitters);
    scree_hash_add(&hash, world->feeding.sinks, scene->sink_count * sizeof *world->feeding.sinks);
    hash_pairs(&hash, &world->pairs);
    hash_contacts(&hash, &world->walls);
    hash_contacts(&hash, &world->heavy.loads);
    hash_contacts(&hash, &world->heavy.knocks);
    return hash;
}
