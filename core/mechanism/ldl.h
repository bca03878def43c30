/*
 * Block-sparse S = L D Lᵀ of a symmetric positive definite matrix with small dense blocks.
 *
 * A node is a group of rows (a joint), at most SCREE_NODE_ROWS of them. Symbolic once: an elimination order of least
 * degree, and which blocks fill in. Numeric per substep, right-looking, in the memory that symbolic took; no
 * allocation.
 */
#ifndef SCREE_MECHANISM_LDL_H
#define SCREE_MECHANISM_LDL_H

#include "base/memory.h"

#define SCREE_NODE_ROWS 8

typedef struct scree_ldl {
    uint32_t nodes;
    uint32_t *order;  /* [nodes], node at each place of the elimination */
    uint32_t *place;  /* [nodes], its inverse */
    uint32_t *blocks; /* [nodes * nodes], by places i >= j: number of the block, or UINT32_MAX where S and L are zero */
    uint32_t block_count;
    double *values; /* [block_count * ROWS * ROWS], row by row: S, then L and D in its place */
    double *pivots; /* [nodes * ROWS], D */
    double *work;   /* [nodes * ROWS] */
} scree_ldl;

/* linked: [nodes * nodes], nonzero where two nodes share a body. False: no memory; *ldl is empty then. */
bool scree_ldl_analyse(scree_ldl *ldl, const uint8_t *linked, uint32_t nodes, const scree_memory *memory);
void scree_ldl_free(scree_ldl *ldl, const scree_memory *memory);

/* Sets all of S to zero. */
void scree_ldl_clear(scree_ldl *ldl);

/* The element of S between row r of node a and row c of node b; also stands for its mirror image. */
double *scree_ldl_at(scree_ldl *ldl, uint32_t a, uint32_t r, uint32_t b, uint32_t c);

/* S = L D Lᵀ in place. rows: [nodes], how many rows of each node there are. */
void scree_ldl_factor(scree_ldl *ldl, const uint32_t *rows);

/* x ← S⁻¹ x; x: [nodes * ROWS]. */
void scree_ldl_solve(scree_ldl *ldl, const uint32_t *rows, double *x);

#endif
