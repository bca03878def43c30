/*
 * Interface impedance (METHOD §12): how the impulse of the grains on a body over a step answers to a change of its
 * twist, dJ/dv = −Z,  Z = G_Tᵀ S⁻¹ W G_T,  S = G_g M⁻¹ G_gᵀ + Σ with the closed normals, the sticking friction and the
 * sticking rolling rows of the last substep; sliding contacts keep their normal row alone, open ones have none.
 *
 * A step of N substeps h, seen as one: a contact whose grain stays put answers to the velocity δv of the body with
 *   J = Σ_k ((4 Υ/h e) (2 e − 1) k h + 1 − Υ) δv/Σ_h = c/Σ_h δv,  c = 2 Υ (2 e − 1)/e N (N − 1) + N (1 − Υ)
 * (the overlap has grown k times by h δv when substep k begins, force goes with its power 2 e − 1, and the right-hand
 * side b_n has seen Υ δv already). So Σ = w Σ_h/c and W = w = 1 − Υ/N, which for N = 1 is exact. Friction and rolling
 * rows hold velocities: Σ_t/N, w = 1.
 *
 * S is solved by conjugate gradients, for six right-hand sides, among the grains that are at most so many contacts away
 * from the body that LARGEST of them take part; those beyond are held, which makes Z larger, never smaller.
 */
#ifndef SCREE_MEASURE_IMPEDANCE_H
#define SCREE_MEASURE_IMPEDANCE_H

#include "world.h"

/* z: 6 × 6, row by row; force and torque about the origin against velocity of the origin and angular velocity, in the
   world frame: kg, kg m, kg m2. H: s, length of the step that it is for. */
scree_status scree_impedance_of(const scree_world *world, uint32_t body, double H, double z[36], scree_error *error);

/* After a step of H: sets the impedance of the ports that put it out. */
scree_status scree_measure_impedance(scree_world *world, double H, scree_error *error);

#endif
