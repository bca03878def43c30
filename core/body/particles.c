#include "body/particles.h"

#include <string.h>

bool scree_particles_reserve(scree_particles *particles, const scree_memory *memory, uint32_t capacity)
{
    if (capacity <= particles->capacity && particles->place)
        return true;
    uint32_t twice = particles->capacity > UINT32_MAX / 2 ? UINT32_MAX : 2 * particles->capacity;
    scree_particles grown = *particles;
    grown.capacity = capacity > twice ? capacity : twice;
    bool complete = true;
#define X(type, name)                                                                                                  \
    complete = (grown.name = scree_allocate(memory, grown.capacity, sizeof(type))) != NULL && complete;
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    if (!complete) {
        scree_particles_free(&grown, memory);
        return false;
    }
#define X(type, name)                                                                                                  \
    if (particles->count)                                                                                              \
        memcpy(grown.name, particles->name, particles->count * sizeof(type));
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    scree_particles_free(particles, memory);
    *particles = grown;
    return true;
}

uint32_t scree_particles_add(scree_particles *particles, vec3 x, double r, double density, uint32_t material,
                             uint32_t fill)
{
    uint32_t i = particles->count++;
    double mass = density * 4.0 / 3.0 * SCREE_PI * r * r * r;
    particles->place[i] = (scree_place){.x = x, .r = r};
    particles->twist[i] = (scree_twist){.inv_mass = 1.0 / mass, .inv_inertia = 1.0 / (0.4 * mass * r * r)};
    particles->fill[i] = fill;
    particles->material[i] = material;
    particles->id[i] = particles->next_id++;
    particles->calm[i] = 0;
    return i;
}

static void gather(void *items, size_t size, const uint32_t *order, uint32_t count, void *scratch)
{
    char *to = scratch;
    const char *from = items;
    for (uint32_t k = 0; k < count; k++)
        memcpy(to + k * size, from + order[k] * size, size);
    memcpy(items, scratch, count * size);
}

void scree_particles_reorder(scree_particles *particles, const uint32_t *order, uint32_t count, void *scratch)
{
#define X(type, name)                                                                                                  \
    _Static_assert(sizeof(type) <= sizeof(scree_twist), "the scratch is as wide as a twist");                          \
    gather(particles->name, sizeof(type), order, count, scratch);
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    particles->count = count;
}

void scree_particles_free(scree_particles *particles, const scree_memory *memory)
{
#define X(type, name) scree_release(memory, particles->name);
    SCREE_PARTICLE_ARRAYS(X)
#undef X
    *particles = (scree_particles){0};
}
