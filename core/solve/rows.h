/*
 * Constraint rows: the numbers that one contact contributes to the solve of one substep.
 *
 * Symbols: δ overlap, n normal from a to b, h substep, k_n stiffness, e = 5/4 (Hertz) or 1 (linear), c damping,
 *          Υ = 1/(1 + 4 τ_n/h), τ_n = max(n_s h, c/e), Σ_n compliance, b_n right-hand side, D diagonals, f_a adhesion.
 *   Σ_n = 4 Υ / (h² e k_n δ^(2e−2))                                   (METHOD §2; Paper IV eq. 17)
 *   b_n = (4/h) Υ δ/e + Υ u_n(v before gravity)
 *   D_n = 1/m_a + 1/m_b + Σ_n,  D_t = 1/m_a + 1/m_b + l_a²/I_a + l_b²/I_b + Σ_t,  D_r = 1/I_a + 1/I_b + Σ_r   (METHOD
 * §3) The arms l of two particles end at one common point, l_a + l_b = |x_b − x_a|, where METHOD §3 takes the radii: so
 * both get the impulse at the same point and angular momentum is kept to rounding, also at large overlaps. Adhesion
 * pulls with f_a while the contact is closed; P_n is the elastic push alone, and the limits are of that.
 */
#ifndef SCREE_SOLVE_ROWS_H
#define SCREE_SOLVE_ROWS_H

#include "base/parallel.h"
#include "body/particles.h"
#include "collide/contacts.h"
#include "collide/shapes.h"

#include <math.h>

/* What the sweep reads comes first: two cache lines. */
typedef struct scree_row {
    /* per substep, while it touches; set by scree_rows_refresh */
    vec3 n;        /* zero while it is open */
    double la, lb; /* m, arms */
    /* P_n − (u_n + Σ_n P_n − b_n)/D_n = P_n − (u_n/D_n + c P_n − b) */
    double inv_dn; /* kg, 1/D_n */
    double b, c;   /* N s, b_n/D_n; 1, Σ_n/D_n */
    double pull;   /* N s, h times adhesion */
    /* per frame; set by scree_rows_begin */
    double mu;              /* 1 */
    double roll, twist;     /* m, rolling and twist limit over P_n */
    double inv_dt, sigma_t; /* kg, 1/kg */
    double inv_dr, sigma_r; /* kg m2, 1/(kg m2) */
    double k_n;             /* N/m^(3/2) or N/m */
    double e;               /* 5/4 or 1 */
    double tau;             /* s, c/e */
    double distance;        /* m, sum of radii or radius */
    double restitution;     /* 1 */
    double adhesion;        /* N */
    /* per substep again */
    double overlap; /* m */
    double u_n;     /* m/s, before gravity */
    bool closed;    /* touching */
} scree_row;

/* Rows of the contacts with bodies of a frame, in the arena. surfaces[i] is the moving surface that contact i touches.
 * Pairs of grains have none: see solve/pair_solve.h. */
typedef struct scree_rows {
    scree_row *wall_rows;    /* [walls->count] */
    scree_twist *surfaces;   /* [walls->count], velocity of the body at the contact point; inverse mass zero */
    scree_mesh_near *near;   /* [walls->count], of the first contact of each grain and mesh; NULL: there is no mesh */
    double *wake;            /* [walls->count], m: it stays open while its tile has more than that left; likewise */
    uint32_t *closed;        /* [closed_starts[tiles]], contacts that touch, rising; likewise */
    uint32_t *closed_starts; /* [tiles + 1], of each tile in closed; likewise */
    uint32_t *picked;        /* [walls->count], those of a tile from its first contact on; likewise */
    uint32_t *picked_counts; /* [tiles] */
    double *approach;        /* [tiles], m/s, least u_n of those; likewise */
    uint32_t closed_count;   /* of all; likewise */
    bool fresh;              /* not refreshed yet; scree_rows_begin, scree_substep_run */
} scree_rows;

/* What the rows are made from. */
typedef struct scree_system {
    const scree_scene *settings;
    const scree_particles *particles;
    const scree_placed *shapes; /* [shape_count], placed anew each substep */
    const scree_rigid *bodies;  /* [body_count] */
    scree_contact_list *walls;  /* their normals are set by scree_rows_refresh */
    const double *left;         /* [tiles], m, that its grains may go yet (collide/walls.h); NULL: not known */
    const double *ways;         /* [shape_count], m, that a surface may go in the frame; if left */
    const uint8_t *asleep;      /* [tiles], whose rows stay as they are; NULL: none */
    scree_stand *stand;         /* [particles], as the last substep began, when contacts go on as they acted then */
    vec3 *spin;                 /* likewise; NULL: they start anew */
} scree_system;

/* Allocates the rows and sets their per-frame part, for substeps of h. False: no memory. */
bool scree_rows_begin(scree_rows *rows, const scree_system *system, scree_arena *arena, scree_pool *pool, double h);

/* 1, largest overlap over the sum of radii up to which a contact that the sweeps can't follow is softer than its law.
 */
#define SCREE_YIELD 0.03

/* How a substep is solved, as far as the rows see it. */
typedef struct scree_substep {
    double h;    /* s */
    double n_s;  /* 1, stabilization, in substeps */
    bool tame;   /* few sweeps: stiff contacts are damped more, see rows.c */
    double hold; /* 1, gap over the sum of radii up to which a pair of grains that pushed keeps its row; 0: none does */
    double bears; /* 1, s over e that the sweeps can follow: stiffer contacts give way, METHOD §7; 0: none does */
    double yield; /* m, overlap up to which they do */
    double way;   /* s, for how long grains and shapes have moved as they do now; 0: not known */
} scree_substep;

/* Sets bears and yield. d: m, mean diameter; substeps: of the frame. */
void scree_substep_set_yield(scree_substep *substep, const scree_scene *settings, double d, uint32_t substeps);

/* 1, the largest s over e of a contact, where bears is not 0. length: m, sum of radii; walls: twice the radius. */
static inline double scree_substep_firmness(const scree_substep *substep, double overlap, double length)
{
    double r = overlap / fmin(substep->yield, SCREE_YIELD * length), r2 = r * r, r4 = r2 * r2;
    return substep->bears * (1.0 + r4 * r4);
}

/*
 * Sets the per-substep part from the present positions and velocities. Contacts that open lose their impulses.
 *
 * Where contacts go on (system->stand), grains start into the substep with the changes of the last one, impulses of
 * contacts with bodies included. Those that stay closed are laid into the normals of now with the same effect: what the
 * sweep finds too much or too little of it, it takes back or adds. Those of contacts that open are taken out of the
 * change, adhesion of those that close is put in.
 */
void scree_rows_refresh(scree_rows *rows, const scree_system *system, scree_pool *pool, scree_substep substep);

/* Likewise, of the contacts of these particles alone. */
void scree_rows_refresh_some(scree_rows *rows, const scree_system *system, const uint32_t *particles, uint32_t count,
                             scree_substep substep);

#endif
