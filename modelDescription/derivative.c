/*
 * Derivatives of outputs with respect to inputs, frozen contacts (METHOD §12). With Z of core/measure/impedance.h over
 * a step H, M the body's mass matrix about its origin and [d] the cross product with the arm to its centre of mass:
 *   mean wrench of a motion port with respect to its twist           −Z/H
 *   mean acceleration of a force port with respect to its load       (M + Z)⁻¹, M = ((m, −m [d]), (m [d], J − m
 * [d][d])) Ports do not feel each other here: those derivatives are zero.
 */
#include "groups.h"

#include <math.h>
#include <string.h>

/* The place of a variable among the six of its pair of items, or −1. */
static int place_among(const scree_variable *variable, const scree_group *group, const char *first, const char *second)
{
    if (variable->group != group)
        return -1;
    if (strcmp(variable->item->name, first) == 0)
        return (int)variable->component;
    return strcmp(variable->item->name, second) == 0 ? 3 + (int)variable->component : -1;
}

/* Inverse of a symmetric positive definite 6 × 6 matrix by Cholesky; false when it is not. */
static bool invert(double m[36])
{
    double l[36] = {0.0}, inverse[36] = {0.0};
    for (int c = 0; c < 6; c++)
        for (int r = c; r < 6; r++) {
            double sum = m[6 * r + c];
            for (int k = 0; k < c; k++)
                sum -= l[6 * r + k] * l[6 * c + k];
            if (r == c && !(sum > 0.0))
                return false;
            l[6 * r + c] = r == c ? sqrt(sum) : sum / l[6 * c + c];
        }
    for (int c = 0; c < 6; c++) {
        double x[6] = {0.0};
        for (int r = 0; r < 6; r++) {
            x[r] = r == c;
            for (int k = 0; k < r; k++)
                x[r] -= l[6 * r + k] * x[k];
            x[r] /= l[6 * r + r];
        }
        for (int r = 5; r >= 0; r--) {
            for (int k = r + 1; k < 6; k++)
                x[r] -= l[6 * k + r] * x[k];
            x[r] /= l[6 * r + r];
        }
        for (int r = 0; r < 6; r++)
            inverse[6 * r + c] = x[r];
    }
    memcpy(m, inverse, sizeof inverse);
    return true;
}

/* (M + Z)⁻¹; M as core has it, in the port's frame. */
static scree_status mobility(const scree_world *world, uint32_t port, double z[36], scree_error *error)
{
    double m[36];
    scree_status status = scree_world_get_mass_matrix(world, port, m);
    for (int i = 0; i < 6 && status == SCREE_OK; i++)
        for (int k = 0; k < 6; k++)
            m[6 * i + k] += 0.5 * (z[6 * i + k] + z[6 * k + i]);
    if (status == SCREE_OK && !invert(m))
        return scree_fail(error, SCREE_DIVERGED, "the mass matrix of a port is not positive definite");
    memcpy(z, m, sizeof m);
    return status;
}

/* −Z/H or (M + Z)⁻¹ of a port into `of`, unless it is there already. */
static scree_status work_out(scree_sensitivity *of, const scree_world *world, uint32_t port, bool load,
                             scree_error *error)
{
    double step = scree_world_last_step(world);
    if (of->valid && of->port == port && of->load == load)
        return SCREE_OK;
    scree_status status = scree_world_get_impedance(world, port, step, of->matrix, error);
    if (status == SCREE_OK && load)
        status = mobility(world, port, of->matrix, error);
    for (int i = 0; i < 36 && !load; i++)
        of->matrix[i] /= -step;
    of->port = port;
    of->load = load;
    of->valid = status == SCREE_OK;
    return status;
}

scree_status scree_variable_sensitivity(const scree_variable *unknown, const scree_variable *known,
                                        const scree_world *world, scree_sensitivity *of, double *value,
                                        scree_error *error)
{
    int twist = place_among(known, &scree_twist_group, "velocity", "angularVelocity");
    int load = place_among(known, &scree_load_group, "appliedForce", "appliedTorque");
    int wrench = place_among(unknown, &scree_wrench_group, "force", "torque");
    int motion = place_among(unknown, &scree_state_group, "acceleration", "angularAcceleration");
    *value = 0.0;
    if (!((twist >= 0 && wrench >= 0) || (load >= 0 && motion >= 0)))
        return scree_fail(error, SCREE_INVALID,
                          "%s with respect to %s: there are derivatives of a port's force and torque by its velocity "
                          "and angularVelocity, and of acceleration and angularAcceleration by appliedForce and "
                          "appliedTorque",
                          unknown->name, known->name);
    if (known->record.index != unknown->record.index)
        return SCREE_OK;
    scree_status status = work_out(of, world, known->record.index, load >= 0, error);
    if (status == SCREE_OK)
        *value = of->matrix[twist >= 0 ? 6 * wrench + twist : 6 * motion + load];
    return status;
}
