/*
 * Narrow phase of contacts with shapes: where a sphere touches a shape, handed to the slots of their contacts.
 *
 * A point of contact keeps its slot while its normal turns by less than 60° in a substep, so that its impulses stay
 * with it as the sphere crosses from triangle to triangle. A point whose normal has turned round is one whose surface
 * the centre has gone through: it is turned back. Nothing is read or written but what belongs to the one sphere.
 */
#ifndef SCREE_COLLIDE_NARROW_H
#define SCREE_COLLIDE_NARROW_H

#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/shapes.h"

/* A particle as a shape of `body` sees it. way: s, for how long both have moved as they do now; 0: not known. */
scree_probe scree_probe_of(const scree_place *place, const scree_twist *twist, const scree_rigid *body, double way);

/* How many slots a contact with this shape may need. */
uint32_t scree_narrow_slots(const scree_placed *shape);

/*
 * Fills touches[slots]: overlap > 0 where the slot's contact is closed. normals[slots]: of the last substep, zero where
 * it was open; set to those of now. items[slots]: a slot that passes to another point loses its impulses. near: what
 * lies near the sphere in a mesh, kept from substep to substep; NULL: nothing is.
 */
void scree_narrow_touch(const scree_placed *shape, const scree_probe *probe, uint32_t slots, scree_contact *items,
                        vec3 *normals, scree_mesh_near *near, scree_touch *touches);

#endif
