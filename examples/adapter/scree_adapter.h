/*
 * A small adapter for machine models that are coupled to a Scree FMU by motion: the force that the machine uses during
 * its step, as a function of its own velocity.
 *
 * Each communication step H goes: Scree makes its step with the twist v of the machine at the beginning of it and gives
 * the impulse J of the grains (mean wrench times H) and the impedance Z; then the machine makes the same step with
 *   J(u) = J + Z (v − v_before) − Z (u − v) + carried            force = J(u)/H
 * for its own twist u. Plain exchange (Z = 0) diverges as soon as the grains that move with the tool weigh more than
 * the tool, whatever H is; this law is stable for every Z above (m_g − m)/2, and Z too large only softens
 * (docs/coupling.md). What the machine's step has used and what Scree has given differ; the difference is carried into
 * the next step, so that no momentum is lost.
 *
 * No allocation, no globals; C99; one struct per port. Six components: force and torque about the origin of the port's
 * body, velocity of that origin and angular velocity, all in the frame of the port.
 */
#ifndef SCREE_ADAPTER_H
#define SCREE_ADAPTER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_adapter {
    double z[36];      /* kg, kg m, kg m2: bounded and made symmetric; scree_adapter_update */
    double base[6];    /* N s, N m s: J(u) at u = v; scree_adapter_update */
    double v[6];       /* m/s, rad/s: twist that Scree's last step was made with */
    double given[6];   /* N s: impulse of Scree's last step */
    double carried[6]; /* N s: what the machine's steps have not used yet */
    double step;       /* s */
    double one_way[6]; /* < 0: this component only pushes to the negative side, > 0: to the positive; 0: both */
    int started;
} scree_adapter;

void scree_adapter_init(scree_adapter *adapter);

/* After Scree's step of length `step` with the twist v: its mean wrench and its impedance (6 × 6, row by row; NULL:
 * none). */
void scree_adapter_update(scree_adapter *adapter, double step, const double v[6], const double wrench[6],
                          const double *z);

/* The wrench that the machine uses while its twist is u. */
void scree_adapter_wrench(const scree_adapter *adapter, const double u[6], double wrench[6]);

/* Its derivative by u is −damping: 6 × 6, row by row, for implicit integrators. */
void scree_adapter_damping(const scree_adapter *adapter, double damping[36]);

/* After the machine's step: the impulse that it has used, ∫ wrench dt. */
void scree_adapter_settle(scree_adapter *adapter, const double used[6]);

#ifdef __cplusplus
}
#endif

#endif
