/*
 * Paper I Table I: step, sweeps and cost of 33 systems, from the rules of `scree plan` (METHOD §11; eqs. 36–42).
 *
 * Reading the table: rows of d and E share h_S, which fixes ρ = 2500 kg/m3, ν = 0.3 and k = E √(2 d)/(3 (1 − ν²)) with
 * d the diameter; N_p = (π/4) w² l (l in a column); one contact per grain, K = 1 µs; for E = 10 GPa the step is at most
 * 4 ms (d = 10 mm) or 1 ms (d = 1 mm) (§5.3); g = 9.82 m/s2.
 *
 * Not self-consistent as printed, and left out for the values named:
 *   row 1    N_p 203 where w = 6, l = 10 has 280 in rows 6, 14, 20; τ_N 5 where τ_N/τ_S × τ_S = 0.02 × 100 = 2
 *   row 33   τ_N 7 where τ_N/τ_S × τ_S = 0.1 × 10 = 1
 */
#include "verify/verify.h"

#include "plan.h"

#include <math.h>

typedef struct printed {
    double ratio, cost_n, cost_s; /* τ_N/τ_S, τ_N/τ_real, τ_S/τ_real */
    double step_n, step_s;        /* ms */
    double sweeps, tolerance, w, l, grains, inertial;
    double speed;  /* mm/s */
    double youngs; /* GPa */
    double d;      /* mm */
} printed;

/* Seed 000, Paper I p. 18. In the seed's text the columns w and ε are headed "m" and "Ψ", and row 18 has τ_N "2+9". */
static const printed table[] = {
    {0.02, 5, 100, 3, 0.003, 19, 0.05, 6, 10, 203, 0, 0, 0.01, 1},
    {0.02, 10, 625, 3, 0.003, 23, 0.05, 15, 10, 1.8e3, 0, 0, 0.01, 1},
    {1.0, 6e3, 6e3, 1, 0.003, 511, 0.01, 15, 100, 18e3, 0.1, 6.1, 0.01, 1},
    {0.02, 2e4, 7e5, 3, 0.003, 27, 0.05, 500, 10, 2e6, 0.01, 0.34, 0.01, 1},
    {0.01, 1, 112, 1, 9e-5, 132, 0.01, 1, 10, 10, 0, 0, 10, 1},
    {0.002, 5, 3e3, 1, 9e-5, 19, 0.05, 6, 10, 280, 0.01, 0.29, 10, 1},
    {0.01, 200, 2e4, 1, 9e-5, 117, 0.01, 15, 10, 1.8e3, 0.01, 0.32, 10, 1},
    {0.002, 40, 2e4, 1, 9e-5, 23, 0.05, 15, 10, 1.8e3, 0.01, 0.32, 10, 1},
    {0.05, 9e4, 2e6, 1, 9e-5, 540, 0.01, 15, 1000, 180e3, 0.1, 6.3, 10, 1},
    {0.01, 3e5, 2e7, 1, 9e-5, 131, 0.01, 500, 10, 2e6, 0, 0, 10, 1},
    {2.6, 6e9, 2e9, 0.4, 9e-5, 10534, 0.01, 500, 1000, 200e6, 0.1, 28, 10, 1},
    {0.2, 4e8, 2e9, 1, 9e-5, 2107, 0.05, 500, 1000, 200e6, 0.1, 28, 10, 1},
    {150, 3e3, 20, 5, 0.05, 13200, 0.01, 1, 1000, 1e3, 0, 0, 0.01, 10},
    {0.09, 0.5, 6, 10, 0.05, 19, 0.05, 6, 10, 280, 0, 0, 0.01, 10},
    {5.7, 2e3, 400, 5, 0.05, 511, 0.01, 15, 100, 18e3, 0.1, 19, 0.01, 10},
    {0.13, 5e3, 4e4, 10, 0.05, 26, 0.05, 500, 10, 2e6, 0, 0, 0.01, 10},
    {0.16, 6e3, 4e4, 10, 0.05, 32, 0.05, 500, 10, 2e6, 0.1, 11, 0.01, 10},
    {460, 2e9, 4e6, 1, 0.05, 10534, 0.01, 500, 1000, 200e6, 0.1, 88, 0.01, 10},
    {0.52, 30, 60, 4, 0.002, 1320, 0.01, 1, 100, 100, 0, 0, 10, 10},
    {0.007, 1, 200, 4, 0.002, 19, 0.05, 6, 10, 280, 0, 0, 10, 10},
    {0.07, 100, 2e3, 4, 0.002, 180, 0.01, 6, 100, 2.8e3, 0, 0, 10, 10},
    {0.04, 500, 1e4, 4, 0.002, 102, 0.05, 15, 100, 18e3, 0.1, 19, 10, 10},
    {0.01, 1e4, 1e6, 4, 0.002, 27, 0.05, 500, 10, 2e6, 0.01, 1.1, 10, 10},
    {0.01, 2e4, 1e6, 4, 0.002, 32, 0.05, 500, 10, 2e6, 0.1, 11, 10, 10},
    {15, 2e9, 1e8, 1, 0.002, 10534, 0.01, 500, 1000, 200e6, 0.1, 88, 10, 10},
    {0.63, 0.2, 0.3, 30, 0.9, 22, 0.05, 6, 10, 280, 0.1, 29, 0.01, 100},
    {34, 7e3, 200, 10, 0.9, 540, 0.01, 15, 1000, 180e3, 0.1, 63, 0.01, 100},
    {3.0, 600, 200, 30, 0.9, 108, 0.05, 15, 1000, 180e3, 0.1, 63, 0.01, 100},
    {2600, 6e8, 2e5, 4, 0.9, 10534, 0.01, 500, 1000, 200e6, 0.1, 280, 0.01, 100},
    {100, 2e7, 2e5, 20, 0.9, 2107, 0.05, 500, 1000, 200e6, 0.1, 280, 0.01, 100},
    {0.1, 0.008, 0.08, 30, 0.1, 26, 0.05, 1, 10, 10, 0, 0, 0.5, 100},
    {0.09, 0.2, 2, 30, 0.1, 22, 0.05, 6, 10, 280, 0.1, 29, 0.5, 100},
    {0.1, 7, 10, 30, 0.1, 27, 0.05, 15, 10, 1.8e3, 0.1, 32, 0.5, 100},
};
enum { ROWS = sizeof table / sizeof table[0] };

/* What the rules give for the row's d, E, I, l, w and ε alone; other members as printed. */
static printed compute(const printed *row)
{
    const double PI = 3.14159265358979323846, K = 1e-6, g = 9.82;
    printed out = *row;
    double d = 1e-3 * row->d, v = scree_plan_flow_speed(row->inertial, row->l, row->w, d, g);
    scree_plan_grain grain = {.diameter = d, .density = 2500.0, .youngs = 1e9 * row->youngs, .poisson = 0.3};
    double smooth = scree_plan_smooth_step(&grain);
    double step = scree_plan_step(row->tolerance, d, v, g);
    if (row->youngs == 10.0)
        step = fmin(step, row->d == 10.0 ? 0.004 : 0.001);
    out.speed = 1e3 * v;
    out.step_s = 1e3 * smooth;
    out.step_n = 1e3 * step;
    out.sweeps = scree_plan_sweeps(row->tolerance, row->l, row->w, row->inertial);
    out.grains = row->w > 1.0 ? PI / 4.0 * row->w * row->w * row->l : row->l;
    out.cost_s = K * out.grains / smooth;
    out.cost_n = K * out.grains * out.sweeps / step;
    out.ratio = out.cost_n / out.cost_s;
    return out;
}

/* Equal as printed: to half a unit of the last digit that is not zero, and 1 % for what the paper had rounded before.
 */
static bool agrees(double computed, double print)
{
    if (print == 0.0)
        return computed == 0.0;
    double unit = pow(10.0, floor(log10(print)));
    while (fabs(print / unit - round(print / unit)) > 1e-6)
        unit /= 10.0;
    return fabs(computed - print) <= 0.5 * unit + 0.01 * print;
}

/* How many rows agree in a member; differing: the numbers of those that do not, as a bit each. */
static int count_agreeing(const printed *computed, size_t member, uint64_t *differing)
{
    int count = 0;
    *differing = 0;
    for (int i = 0; i < ROWS; i++) {
        double a = *(const double *)((const char *)&computed[i] + member);
        double b = *(const double *)((const char *)&table[i] + member);
        if (agrees(a, b))
            count++;
        else
            *differing |= UINT64_C(1) << (i + 1);
    }
    return count;
}

static void run(scree_verify *verify)
{
    static const struct {
        const char *name, *source;
        size_t member;
        uint64_t allowed; /* rows that are not self-consistent in this member, a bit each */
    } members[] = {
        {"h_N", "Paper I eq. 37", offsetof(printed, step_n), 0},
        {"h_S", "Paper I eq. 36", offsetof(printed, step_s), 0},
        {"N_it", "Paper I eq. 41", offsetof(printed, sweeps), 0},
        {"N_p", "Paper I §6", offsetof(printed, grains), UINT64_C(1) << 1},
        {"v_n", "Paper I §5.3", offsetof(printed, speed), 0},
        {"τ_S", "Paper I eq. 36", offsetof(printed, cost_s), 0},
        {"τ_N", "Paper I eqs. 37, 38", offsetof(printed, cost_n), UINT64_C(1) << 1 | UINT64_C(1) << 33},
        {"τ_N/τ_S", "Paper I eq. 42", offsetof(printed, ratio), 0},
    };
    printed computed[ROWS];
    for (int i = 0; i < ROWS; i++)
        computed[i] = compute(&table[i]);
    char text[128];
    for (size_t m = 0; m < sizeof members / sizeof members[0]; m++) {
        uint64_t differing;
        int count = count_agreeing(computed, members[m].member, &differing), bad = 0;
        for (int i = 1; i <= ROWS; i++)
            bad += (int)(members[m].allowed >> i & 1);
        snprintf(text, sizeof text, "%s: rows of Table I that come out as printed", members[m].name);
        verify_near(verify, text, "", count, ROWS - bad, 0.0, members[m].source);
        for (int i = 0; i < ROWS; i++)
            if (differing >> (i + 1) & 1) {
                snprintf(text, sizeof text, "%s of row %d%s", members[m].name, i + 1,
                         members[m].allowed >> (i + 1) & 1 ? ", not self-consistent as printed" : "");
                verify_report(verify, text, "", *(const double *)((const char *)&computed[i] + members[m].member),
                              *(const double *)((const char *)&table[i] + members[m].member), "Paper I Table I");
            }
    }
    FILE *series = verify_series(verify, "plan_table.csv", "row,cost_ndem,cost_smooth,printed_ndem,printed_smooth");
    for (int i = 0; series && i < ROWS; i++)
        fprintf(series, "%d,%.6g,%.6g,%.6g,%.6g\n", i + 1, computed[i].cost_n, computed[i].cost_s, table[i].cost_n,
                table[i].cost_s);
    if (series)
        fclose(series);
}

const scree_verify_case scree_verify_plan_table = {
    .name = "plan_table",
    .summary = "step, sweeps and cost of the 33 systems of Paper I Table I",
    .run = run,
};
