/*
 * Contacts of particles with shapes of bodies, and how they persist: what a contact remembers from substep to substep
 * and from frame to frame. For those of particles with particles see collide/pairs.h.
 *
 * A list is sorted by (a, b), so that the order of the sweep depends on identities only and the last frame's impulses
 * are found by a merge.
 *
 * A particle may touch one shape at several points, as in the corner of a mesh. Contacts are therefore known by
 * (particle, shape, slot), where b = shape * SCREE_SLOTS + slot, and remember their normal: a point of contact keeps
 * its slot as long as its normal turns little, and with the slot its impulses.
 */
#ifndef SCREE_COLLIDE_CONTACTS_H
#define SCREE_COLLIDE_CONTACTS_H

#include "base/math.h"
#include "base/memory.h"

enum { SCREE_SLOTS = 4 }; /* most contacts of a particle with one shape */

typedef struct scree_contact {
    uint32_t a; /* particle */
    uint32_t b; /* shape and slot: see scree_contact_shape */
    double pn;  /* N s, normal impulse of the last substep, METHOD 1; set by warm start, sweep */
    vec3 pt;    /* N s, tangential */
    vec3 pr;    /* N m s, rolling and twisting */
} scree_contact;

typedef struct scree_contact_list {
    scree_contact *items; /* [count] */
    size_t count, capacity;
    uint32_t *starts; /* [particles + 1]: contacts of particle a are starts[a] … starts[a + 1] − 1 */
    size_t starts_capacity;
    vec3 *normals; /* [count], of the last substep, zero when open. Set by scree_rows_refresh */
    size_t normals_capacity;
} scree_contact_list;

static inline uint32_t scree_contact_shape(const scree_contact *contact)
{
    return contact->b / SCREE_SLOTS;
}

/* How many contacts from `first` on are of the same particle and shape; `first` has slot 0. */
static inline uint32_t scree_contact_slots(const scree_contact_list *list, size_t first)
{
    uint32_t count = 1;
    while (first + count < list->count && list->items[first + count].a == list->items[first].a &&
           scree_contact_shape(&list->items[first + count]) == scree_contact_shape(&list->items[first]))
        count++;
    return count;
}

/* A pair that the search found; becomes a contact. */
typedef struct scree_candidate {
    uint32_t a, b;
} scree_candidate;

void scree_contact_list_free(scree_contact_list *list, const scree_memory *memory);

/*
 * Makes `list` the contacts of these candidates (any order, no doubles, a < particles), with the impulses that `last`
 * has for the same (a, b) and zero for the others; normals likewise.
 */
bool scree_contact_list_renew(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                              uint32_t particles, const scree_candidate *candidates, size_t count);

/*
 * Makes `list` the contacts of `last` after the particles have been renumbered: to[old] is the new index of a particle,
 * UINT32_MAX when it is gone, and its contacts with it. `before` and `after`: how many particles there were and are.
 */
bool scree_contact_list_renumber(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                                 const uint32_t *to, uint32_t before, uint32_t after);

/* The list after particles have been appended: they have no contacts. */
bool scree_contact_list_extend(scree_contact_list *list, const scree_memory *memory, uint32_t before, uint32_t after);

#endif
