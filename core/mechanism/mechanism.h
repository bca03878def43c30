/*
 * Mechanisms: joints and actuators between bodies, solved directly and exactly, in turn with the contacts' sweeps
 * (METHOD §8).
 *
 * Symbols: g gap of a condition, λ its impulse over the substep h, ε compliance, τ damping time, G Jacobian at the
 * start of the substep, S = G M⁻¹ Gᵀ + Σ, Σ = ε/(h² + h τ). METHOD's rows hold velocities, and positions follow up to
 * (h v)²/2l. Here a condition holds the positions at the end of the substep, found by Newton steps with S: g(q ⊕ h v) =
 * τ/(h + τ) g(q) − h Σ λ,   v ← v + M⁻¹ Gᵀ Δλ,   S Δλ = −(g(q ⊕ h v) − τ/(h + τ) g(q))/h − Σ λ which for ε = 0 is the
 * SHAKE form of the leapfrog scheme: second order in h, no drift, no energy lost in a rigid joint. A condition with ε >
 * 0 is an implicit spring and damper. Ranges and force limits bound λ; the active ones are found by block principal
 * pivoting.
 *
 * A node is a joint with the rows of its range and actuator, or the lock between a proxy port's frame and its body.
 */
#ifndef SCREE_MECHANISM_MECHANISM_H
#define SCREE_MECHANISM_MECHANISM_H

#include "mechanism/joints.h"

/* What a node remembers: part of the state of a world. */
typedef struct scree_node {
    double impulse[SCREE_NODE_ROWS]; /* N s or N m s, λ of the last substep, by row; held, range, drive */
    double coordinate;               /* rad or m, now */
    double speed;                    /* rad/s or m/s, now */
    double from, to, target;         /* rad or m, of an actuator's motion: the step's, and now */
    vec3 force, torque;              /* N s, N m s: on b at the joint since the step began */
    double push, work;               /* N s or N m s, J: by the actuator since the step began */
} scree_node;

typedef struct scree_mechanism {
    uint32_t count;            /* nodes: joints, then locks */
    uint32_t joints;           /* of the scene */
    scree_joint_frame *frames; /* [count] */
    uint32_t *actuators;       /* [count], that drives it, or UINT32_MAX */
    uint32_t *ports;           /* [count], whose lock it is, or UINT32_MAX */
    scree_node *nodes;         /* [count] */
    scree_rigid *targets;      /* [count], frame of a lock's port; moves as a driven body */
    scree_ldl ldl;
    uint32_t *rows;            /* [count], of each node in this substep */
    struct scree_bound *made;  /* [count * ROWS], rows of this substep */
    double *x;                 /* [count * ROWS], scratch */
    struct scree_ahead *ahead; /* [bodies], scratch: where they will be */
} scree_mechanism;

/* What a mechanism works on. */
typedef struct scree_mechanism_system {
    scree_mechanism *mechanism;
    const scree_scene *settings;
    scree_rigid *bodies;
    const scree_drive *drives; /* [actuators] */
    double h;                  /* s, substep */
    double share;              /* 1, of the step when the substep ends */
} scree_mechanism_system;

/* Fits the joints into the bodies as the scene has them at the start. False: no memory. */
bool scree_mechanism_make(scree_mechanism *mechanism, const scree_scene *scene, const scree_memory *memory);
void scree_mechanism_free(scree_mechanism *mechanism, const scree_memory *memory);

/* Back to the start, once the bodies are placed. ports: [ports]. */
void scree_mechanism_start(scree_mechanism *mechanism, const scree_scene *settings, const scree_rigid *bodies,
                           const scree_port_state *ports);

/* Begins a step of dt. */
void scree_mechanism_aim(scree_mechanism *mechanism, const scree_scene *settings, const scree_drive *drives,
                         const scree_port_state *ports, double dt);

/* Rows of a substep, and their factors. */
void scree_mechanism_begin(const scree_mechanism_system *system);

/* Applies the last impulses times `share`, and the forces of actuators that are given as such. */
void scree_mechanism_warm(const scree_mechanism_system *system, double share);

/* Newton steps from the present velocities; changes those of the dynamic bodies. */
void scree_mechanism_solve(const scree_mechanism_system *system, uint32_t steps);

/* Adds to what the nodes have carried in the step. */
void scree_mechanism_measure(const scree_mechanism_system *system);

/* Once the bodies have moved. */
void scree_mechanism_follow(const scree_mechanism_system *system);

/* Largest violation of a node's conditions now: of lengths (m) and of angles (rad). */
void scree_mechanism_gap(const scree_mechanism *mechanism, const scree_rigid *bodies, uint32_t node, double *length,
                         double *angle);

#endif
