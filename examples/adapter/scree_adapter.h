/*
 * A small adapter for machine models that are coupled to a Scree FMU by motion: the force that the machine uses during
 * its step, as a function of its own velocity.
 *
 * Plain exchange diverges as soon as the grains that move with the tool weigh more than the tool, whatever the step
 * (docs/coupling.md). With the impedance Z of the port the machine uses instead, in its step of length H from v to u,
 *   J(u) = J + Z (v − v_before) − Z (u − v) + carried
 * with J, the impulse of the grains in the step before (mean wrench times H), and v_before, v the twists at its ends.
 * Two forms:
 *   added mass   force = drive − Z du/dt, drive = (J + Z (v − v_before) + carried)/H, to be used with an order in which
 *                the machine makes its step first and Scree then the same step, on the machine's way. The better one.
 *   damping      force = J(u)/H with its own twist u as it goes; Scree makes its step first, at the constant twist v.
 * A bed is elastic: over steps shorter than it takes to answer, some milliseconds, Z is only part of what it will be,
 * and the bed swings against a light tool. With `response` T the law uses (1 + T'/H) Z in place of Z, T' = T²/(T + H),
 * and gives back H/(H + T') of what is carried in a step: the force follows with a lag of about T' m_g/(m + m_g).
 * What the machine's step has used and what Scree gives differ; the difference is carried into the next step, so that
 * no momentum is lost.
 *
 * No allocation, no globals; C99; one struct per port. Six components: force and torque about the origin of the port's
 * body, velocity of that origin and angular velocity, all in the frame of the port.
 */
#ifndef SCREE_ADAPTER_H
#define SCREE_ADAPTER_H

#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_ADAPTER_RESPONSE 0.012 /* s */

typedef struct scree_adapter {
    double z[36];      /* kg, kg m, kg m2: bounded and made symmetric; scree_adapter_update */
    double base[6];    /* N s, N m s: J(u) at u = v; scree_adapter_update */
    double v[6];       /* m/s, rad/s: twist of the last update */
    double given[6];   /* N s: impulse of Scree's last step */
    double carried[6]; /* N s: what the machine's steps have not used yet */
    double step;       /* s */
    double response;   /* s, set by you after scree_adapter_init: SCREE_ADAPTER_RESPONSE for the added mass; 0: none */
    double one_way[6]; /* < 0: this component only pushes to the negative side, > 0: to the positive; 0: both */
    int started;
} scree_adapter;

void scree_adapter_init(scree_adapter *adapter);

/* After Scree's step of length `step`: its mean wrench and its impedance (6 × 6, row by row; NULL: none). v: the twist
 * that the machine's next step begins with; in the damping form the same as Scree's step was made with. */
void scree_adapter_update(scree_adapter *adapter, double step, const double v[6], const double wrench[6],
                          const double *z);

/* Added mass: the wrench without acceleration, and Z, 6 × 6, row by row, to be added to the machine's mass matrix. The
 * machine has used drive·H − Z (u − v). */
void scree_adapter_drive(const scree_adapter *adapter, double wrench[6]);
void scree_adapter_mass(const scree_adapter *adapter, double mass[36]);

/* Damping: the wrench that the machine uses while its twist is u. */
void scree_adapter_wrench(const scree_adapter *adapter, const double u[6], double wrench[6]);

/* Its derivative by u is −damping: 6 × 6, row by row, for implicit integrators. */
void scree_adapter_damping(const scree_adapter *adapter, double damping[36]);

/* Once both have made the same step, after scree_adapter_update: the impulse that the machine has used, ∫ wrench dt. */
void scree_adapter_settle(scree_adapter *adapter, const double used[6]);

#ifdef __cplusplus
}
#endif

#endif
