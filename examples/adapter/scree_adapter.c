#include "scree_adapter.h"

#include <math.h>
#include <string.h>

void scree_adapter_init(scree_adapter *adapter)
{
    memset(adapter, 0, sizeof *adapter);
}

/* Symmetric part, and no element beyond what its diagonal allows: |z_ik| ≤ √(z_ii z_kk), as in a positive matrix. */
static void take_impedance(double to[36], const double *z)
{
    memset(to, 0, 36 * sizeof *to);
    for (int i = 0; z && i < 6; i++)
        for (int k = 0; k < 6; k++) {
            double value = 0.5 * (z[6 * i + k] + z[6 * k + i]);
            double most = sqrt(fmax(z[7 * i], 0.0) * fmax(z[7 * k], 0.0));
            to[6 * i + k] = fmin(fmax(value, -most), most);
        }
}

static void multiply(const double m[36], const double x[6], double out[6])
{
    for (int i = 0; i < 6; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 6; k++)
            out[i] += m[6 * i + k] * x[k];
    }
}

/* s: how much longer than the step the bed takes to answer, T' = T²/(T + H). */
static double delay(const scree_adapter *adapter)
{
    double t = adapter->response;
    return t > 0.0 ? t * t / (t + adapter->step) : 0.0;
}

/* Of what is carried, that a step gives back. */
static double share(const scree_adapter *adapter)
{
    return adapter->step / (adapter->step + delay(adapter));
}

void scree_adapter_update(scree_adapter *adapter, double step, const double v[6], const double wrench[6],
                          const double *z)
{
    double change[6], answer[6];
    adapter->step = step;
    take_impedance(adapter->z, z);
    for (int i = 0; i < 36; i++)
        adapter->z[i] *= 1.0 + delay(adapter) / step;
    for (int i = 0; i < 6; i++)
        change[i] = adapter->started ? v[i] - adapter->v[i] : 0.0;
    multiply(adapter->z, change, answer);
    for (int i = 0; i < 6; i++) {
        adapter->given[i] = step * wrench[i];
        adapter->base[i] = adapter->given[i] + answer[i] + share(adapter) * adapter->carried[i];
        adapter->v[i] = v[i];
    }
    adapter->started = 1;
}

void scree_adapter_drive(const scree_adapter *adapter, double wrench[6])
{
    for (int i = 0; i < 6; i++)
        wrench[i] = adapter->step > 0.0 ? adapter->base[i] / adapter->step : 0.0;
}

void scree_adapter_mass(const scree_adapter *adapter, double mass[36])
{
    memcpy(mass, adapter->z, sizeof adapter->z);
}

void scree_adapter_wrench(const scree_adapter *adapter, const double u[6], double wrench[6])
{
    double change[6], answer[6];
    for (int i = 0; i < 6; i++)
        change[i] = u[i] - adapter->v[i];
    multiply(adapter->z, change, answer);
    for (int i = 0; i < 6; i++) {
        double impulse = adapter->base[i] - answer[i];
        /* grains push and do not pull: the part that follows the velocity ends at zero */
        if ((adapter->one_way[i] > 0.0 && impulse < 0.0) || (adapter->one_way[i] < 0.0 && impulse > 0.0))
            impulse = 0.0;
        wrench[i] = adapter->step > 0.0 ? impulse / adapter->step : 0.0;
    }
}

void scree_adapter_damping(const scree_adapter *adapter, double damping[36])
{
    for (int i = 0; i < 36; i++)
        damping[i] = adapter->step > 0.0 ? adapter->z[i] / adapter->step : 0.0;
}

void scree_adapter_settle(scree_adapter *adapter, const double used[6])
{
    for (int i = 0; i < 6; i++) {
        double rest = adapter->given[i] - used[i];
        adapter->carried[i] += rest;
        adapter->base[i] += share(adapter) * rest; /* for the added mass's order, in which the next step begins here */
    }
}
