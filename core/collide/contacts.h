/*
 * Contacts, and how they persist: what a contact remembers from substep to substep and from frame to frame.
 *
 * Two lists: particle with particle, and particle with a shape of a body. Each is sorted by (a, b or shape), so that
 * the order of the sweep depends on identities only and the last frame's impulses are found by a merge.
 */
#ifndef SCREE_COLLIDE_CONTACTS_H
#define SCREE_COLLIDE_CONTACTS_H

#include "base/math.h"
#include "base/memory.h"

typedef struct scree_contact {
    uint32_t a; /* particle */
    uint32_t b; /* particle > a, or shape */
    double pn;  /* N s, normal impulse of the last substep, METHOD 1; set by warm start, sweep */
    vec3 pt;    /* N s, tangential */
    vec3 pr;    /* N m s, rolling and twisting */
} scree_contact;

typedef struct scree_contact_list {
    scree_contact *items; /* [count] */
    size_t count, capacity;
    uint32_t *starts; /* [particles + 1]: contacts of particle a are starts[a] … starts[a + 1] − 1 */
    size_t starts_capacity;
} scree_contact_list;

/* A pair that the search found; becomes a contact. */
typedef struct scree_candidate {
    uint32_t a, b;
} scree_candidate;

void scree_contact_list_free(scree_contact_list *list, const scree_memory *memory);

/*
 * Makes `list` the contacts of these candidates (any order, no doubles, a < particles), with the impulses that `last`
 * has for the same (a, b) and zero for the others.
 */
bool scree_contact_list_renew(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                              uint32_t particles, const scree_candidate *candidates, size_t count);

/*
 * Makes `list` the contacts of `last` after the particles have been renumbered: to[old] is the new index of a particle,
 * UINT32_MAX when it is gone, and its contacts with it. `before` and `after`: how many particles there were and are.
 * Where two particles change sides, so do the impulses: those of a contact are on b.
 */
bool scree_contact_list_renumber(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                                 const uint32_t *to, uint32_t before, uint32_t after, bool b_is_particle);

/* The list after particles have been appended: they have no contacts. */
bool scree_contact_list_extend(scree_contact_list *list, const scree_memory *memory, uint32_t before, uint32_t after);

#endif
