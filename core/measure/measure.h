/*
 * What comes out: wrenches on bodies, and figures about the whole.
 */
#ifndef SCREE_MEASURE_MEASURE_H
#define SCREE_MEASURE_MEASURE_H

#include "world.h"

/* After the impact stage, and before the rows are refreshed: adds the impulses of its walls to their bodies. */
void scree_measure_impacts(scree_world *world);

/* After a substep's sweeps: sums up the impulses of a tile's contacts with bodies, where the grains were before they
 * moved. */
void scree_measure_tile(const scree_world *world, uint32_t tile);

/* Thereafter, while the bodies are where the rows were made: adds the impulses of all contacts with bodies to what
 * those have got in the step. */
void scree_measure_contacts(scree_world *world);

/* After a substep of h, when all impulses are with their bodies: the ports' wrenches. */
void scree_measure_ports(scree_world *world, double h);

/* After a frame's last substep: number of closed contacts and their overlaps. */
void scree_measure_overlap(scree_world *world, const scree_rows *rows);

/* The pair of grains in this lane with the impulses of the last substep, resolved along the normal of now: a, b are
 * particles. False: there is no pair, or it has not touched. */
bool scree_measure_pair(const scree_world *world, uint32_t slot, scree_contact *contact);

#endif
