#include "hydraulics.h"

#include <math.h>
#include <stddef.h>

#define ROUND_OFF  1e5  /* Pa: below it an edge lets oil through in proportion */
#define CHECK_RATE 2000 /* 1/s: how fast check and relief valves bring a pressure back */
#define END_STIFF  2e8  /* N/m: of a cylinder's ends */

void hydraulics_defaults(hydraulics *h)
{
    *h = (hydraulics){
        .bulk = 1.2e9,
        /* boom: two of 170/115 mm; stick 190/130 mm; bucket 160/110 mm; swing: motors and gear together */
        .area_a = {0.0454, 0.02835, 0.0201, 0.016},
        .area_b = {0.0246, 0.01508, 0.0106, 0.016},
        .least = {1.7, 3.0, 1.7, 0.0},
        .most = {3.2, 4.6, 2.95, 0.0},
        .dead = {4e-3, 3e-3, 3e-3, 3e-3},
        .valve = {1e-5, 0.8e-5, 1e-5, 1e-5},
        .friction = {2e4, 1.5e4, 1e4, 5e4},
        .leak = {1e-13, 1e-13, 1e-13, 1e-13},
        .valve_time = 0.012,
        .gain = {5.0, 5.0, 5.0, 3.0},
        .calm = {4e-7, 6e-7, 8e-7, 3.5e-7},
        .calm_time = 0.2,
        .pump_flow = 0.0145,
        .pump_pressure = 34.3e6,
        .pump_power = 270e3,
        .pump_time = 0.03,
        .pump_gain = 1e-9,
        .pump_volume = 0.02,
        .standby = 3e6,
        .margin = 2e6,
        .relief = 37e6,
        .back = 2e6,
        .tank = 0.3e6,
    };
}

const char *hydraulics_check(const hydraulics *h)
{
    if (!(h->bulk > 0.0 && h->valve_time > 0.0 && h->calm_time > 0.0 && h->pump_time > 0.0 && h->pump_volume > 0.0))
        return "hydraulics: bulk modulus, lags and the volume of the pump's line must be above 0";
    if (!(h->tank >= 0.0 && h->standby > h->tank && h->pump_pressure > h->standby && h->relief >= h->pump_pressure))
        return "hydraulics: tank < standby < pump pressure <= relief is needed";
    for (int k = 0; k < ACTUATORS; k++)
        if (!(h->area_a[k] > 0.0 && h->area_b[k] > 0.0 && h->dead[k] > 0.0 && h->valve[k] > 0.0 &&
              h->most[k] >= h->least[k]))
            return "hydraulics: areas, dead volumes and valves must be above 0, rod out not shorter than rod in";
    return NULL;
}

void hydraulics_rest(const hydraulics *h, const double force[ACTUATORS], hydraulic_state *s)
{
    *s = (hydraulic_state){.line = h->standby};
    for (int k = 0; k < ACTUATORS; k++) {
        double low = h->standby;
        s->a[k] = force[k] > 0.0 ? (force[k] + h->area_b[k] * low) / h->area_a[k] : low;
        s->b[k] = (h->area_a[k] * s->a[k] - force[k]) / h->area_b[k];
        s->usual[k] = force[k];
    }
}

/* A motor has no ends. */
static int is_cylinder(const hydraulics *h, int k)
{
    return h->most[k] > h->least[k];
}

double hydraulics_force(const hydraulics *h, const hydraulic_state *s, int k, double length, double speed)
{
    double force = h->area_a[k] * s->a[k] - h->area_b[k] * s->b[k] - h->friction[k] * speed;
    if (is_cylinder(h, k))
        force += END_STIFF * (fmax(h->least[k] - length, 0.0) - fmax(length - h->most[k], 0.0));
    return force;
}

static double orifice(double c, double drop)
{
    return c * drop / sqrt(sqrt(drop * drop + ROUND_OFF * ROUND_OFF));
}

/*
 * The outlet's edge is cut for the areas: with the margin across the inlet's edge it has the back pressure across
 * itself.
 */
static double outlet_share(const hydraulics *h, double in, double out)
{
    return out / in * sqrt(h->margin / h->back);
}

/*
 * The opening that gives a speed v. The inlet's edge has the margin across it; where the force F pushes the way the
 * actuator goes, the outlet's edge must hold it, with the inlet at the tank's pressure: p_out = (A_in tank − F)/A_out.
 */
static double opening_for(const hydraulics *h, int k, double v, double force)
{
    double in = v > 0.0 ? h->area_a[k] : h->area_b[k], out = v > 0.0 ? h->area_b[k] : h->area_a[k];
    double push = v > 0.0 ? -force : force, held = (in * h->tank + push) / out - h->tank;
    double u = in * fabs(v) / sqrt(h->margin);
    if (held > 0.0)
        u = fmin(u, out * fabs(v) / (outlet_share(h, in, out) * sqrt(held)));
    return copysign(fmin(u / h->valve[k], 1.0), v);
}

void hydraulics_rates(const hydraulics *h, const hydraulic_state *s, const double length[ACTUATORS],
                      const double speed[ACTUATORS], const double target[ACTUATORS],
                      const double target_speed[ACTUATORS], hydraulic_state *rates)
{
    double used = 0.0, sensed = 0.0, ordered = 0.0;
    for (int k = 0; k < ACTUATORS; k++) {
        double force = h->area_a[k] * s->a[k] - h->area_b[k] * s->b[k], u = s->opening[k];
        double wish = target_speed[k] + h->gain[k] * (target[k] - length[k]) - h->calm[k] * (force - s->usual[k]);
        rates->usual[k] = (force - s->usual[k]) / h->calm_time;
        double order = opening_for(h, k, wish, force);
        rates->opening[k] = (order - u) / h->valve_time;
        ordered += h->valve[k] * fabs(order) * sqrt(h->margin);

        /* a compensator leaves the inlet's edge the margin and lets nothing back; nor does the tank */
        int way = u > 0.0;
        double c = h->valve[k] * fabs(u),
               share = way ? outlet_share(h, h->area_a[k], h->area_b[k]) : outlet_share(h, h->area_b[k], h->area_a[k]);
        double inlet = u > 0.0 ? s->a[k] : s->b[k], outlet = u > 0.0 ? s->b[k] : s->a[k];
        double in = fmax(orifice(c, fmin(s->line - inlet, h->margin)), 0.0),
               out = fmax(orifice(c * share, outlet - h->tank), 0.0);
        double flow_a = u > 0.0 ? in : -out, flow_b = u > 0.0 ? -out : in;
        double leak = h->leak[k] * (s->a[k] - s->b[k]);
        used += in;
        if (fabs(u) > 0.005)
            sensed = fmax(sensed, inlet);

        double va = h->dead[k], vb = h->dead[k];
        if (is_cylinder(h, k)) {
            va += h->area_a[k] * fmax(length[k] - h->least[k], 0.0);
            vb += h->area_b[k] * fmax(h->most[k] - length[k], 0.0);
        }
        rates->a[k] = h->bulk / va * (flow_a - leak - h->area_a[k] * speed[k]) +
                      CHECK_RATE * (fmax(h->tank - s->a[k], 0.0) - fmax(s->a[k] - h->relief, 0.0));
        rates->b[k] = h->bulk / vb * (flow_b + leak + h->area_b[k] * speed[k]) +
                      CHECK_RATE * (fmax(h->tank - s->b[k], 0.0) - fmax(s->b[k] - h->relief, 0.0));
    }
    double set = fmin(fmax(sensed + 1.25 * h->margin, h->standby), h->pump_pressure);
    double most = fmin(h->pump_flow, h->pump_power / fmax(s->line, h->standby));
    double ask = ordered + h->pump_gain * (set - s->line);
    rates->flow = (fmin(fmax(ask, 0.0), most) - s->flow) / h->pump_time;
    rates->line = h->bulk / h->pump_volume * (s->flow - used) -
                  0.1 * CHECK_RATE * fmax(s->line - set - 0.5 * h->margin, 0.0) -
                  CHECK_RATE * fmax(s->line - h->relief, 0.0);
}
