/*
 * Motion of dynamic bodies: Newton and Euler about the centre of mass.
 *
 * Symbols: c centre of mass, v its velocity, w angular velocity, q orientation, J inertia in the world frame, L = J w.
 * A substep changes v and w by impulses; then the body moves:
 *   c ← c + h v
 *   q ← exp(h J(q_½)⁻¹ L) q with q_½ = exp(½ h w) q, and w ← J(q)⁻¹ L
 * so that L is kept exactly by whatever the body does on its own (this is the gyroscopic term), and energy to second
 * order in h.
 */
#ifndef SCREE_BODY_DYNAMICS_H
#define SCREE_BODY_DYNAMICS_H

#include "body/bodies.h"

/* Makes a placed body dynamic, with the mass and the velocities of its description; reach: m, see scree_mass. */
void scree_mass_start(scree_rigid *rigid, const scree_body *body, double reach);

/* Velocity of the body's point that is at x now. */
vec3 scree_mass_velocity(const scree_mass *mass, vec3 x);

/* Impulse p at the point x and angular impulse q, at once. */
void scree_mass_push(scree_mass *mass, vec3 x, vec3 p, vec3 q);

/* Gravity and the force and torque from outside, over h. */
void scree_mass_kick(scree_rigid *rigid, vec3 gravity, double h);

/* Moves the body by h with the velocities that it has now. */
void scree_mass_move(scree_rigid *rigid, double h);

/* A contact search that is to hold for `frame`: the body may go as far as its velocity takes it, and spare m more. */
void scree_mass_look(scree_mass *mass, quat q, double frame, double spare);

/* Whether no point of the body has gone farther since. */
bool scree_mass_holds(const scree_rigid *rigid);

#endif
