#include "mechanism/ldl.h"

#include <string.h>

enum { ROWS = SCREE_NODE_ROWS, SIZE = ROWS * ROWS };

static double *block(const scree_ldl *ldl, uint32_t i, uint32_t j)
{
    uint32_t number = ldl->blocks[i * ldl->nodes + j];
    return number == UINT32_MAX ? NULL : ldl->values + (size_t)number * SIZE;
}

/* ---------------------------------------------------------------- symbolic */

/* Next node to eliminate: the one with the fewest neighbours left, the first of equals. */
static uint32_t least_degree(const uint8_t *graph, const uint8_t *gone, uint32_t n)
{
    uint32_t best = UINT32_MAX, least = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = 0; j < n && !gone[i]; j++)
            degree += j != i && !gone[j] && graph[i * n + j];
        if (!gone[i] && degree < least) {
            least = degree;
            best = i;
        }
    }
    return best;
}

/* Eliminates node by node; graph becomes that of L + Lᵀ. */
static void eliminate(scree_ldl *ldl, uint8_t *graph, uint8_t *gone)
{
    uint32_t n = ldl->nodes;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t node = least_degree(graph, gone, n);
        gone[node] = 1;
        ldl->order[k] = node;
        ldl->place[node] = k;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (!gone[i] && !gone[j] && graph[node * n + i] && graph[node * n + j])
                    graph[i * n + j] = 1;
    }
}

bool scree_ldl_analyse(scree_ldl *ldl, const uint8_t *linked, uint32_t nodes, const scree_memory *memory)
{
    size_t square = (size_t)nodes * nodes;
    *ldl = (scree_ldl){.nodes = nodes};
    uint8_t *graph = scree_allocate(memory, square + nodes, 1);
    ldl->order = scree_allocate(memory, nodes, sizeof *ldl->order);
    ldl->place = scree_allocate(memory, nodes, sizeof *ldl->place);
    ldl->blocks = scree_allocate(memory, square, sizeof *ldl->blocks);
    ldl->pivots = scree_allocate(memory, (size_t)nodes * ROWS, sizeof *ldl->pivots);
    ldl->work = scree_allocate(memory, (size_t)nodes * ROWS, sizeof *ldl->work);
    bool complete = graph && ldl->order && ldl->place && ldl->blocks && ldl->pivots && ldl->work;
    if (complete) {
        memcpy(graph, linked, square);
        eliminate(ldl, graph, graph + square);
        for (uint32_t i = 0; i < nodes; i++)
            for (uint32_t j = 0; j < nodes; j++) {
                bool filled = i == j || (i > j && graph[ldl->order[i] * nodes + ldl->order[j]]);
                ldl->blocks[i * nodes + j] = filled ? ldl->block_count++ : UINT32_MAX;
            }
        ldl->values = scree_allocate(memory, (size_t)ldl->block_count * SIZE, sizeof *ldl->values);
        complete = ldl->values != NULL;
    }
    scree_release(memory, graph);
    if (!complete)
        scree_ldl_free(ldl, memory);
    return complete;
}

void scree_ldl_free(scree_ldl *ldl, const scree_memory *memory)
{
    scree_release(memory, ldl->order);
    scree_release(memory, ldl->place);
    scree_release(memory, ldl->blocks);
    scree_release(memory, ldl->values);
    scree_release(memory, ldl->pivots);
    scree_release(memory, ldl->work);
    *ldl = (scree_ldl){0};
}

/* ---------------------------------------------------------------- numeric */

void scree_ldl_clear(scree_ldl *ldl)
{
    if (ldl->nodes)
        memset(ldl->values, 0, (size_t)ldl->block_count * SIZE * sizeof *ldl->values);
}

double *scree_ldl_at(scree_ldl *ldl, uint32_t a, uint32_t r, uint32_t b, uint32_t c)
{
    uint32_t i = ldl->place[a], j = ldl->place[b];
    if (i < j || (i == j && r < c))
        return &block(ldl, j, i)[c * ROWS + r];
    return &block(ldl, i, j)[r * ROWS + c];
}

/* A diagonal block in place: unit lower L below the diagonal, D to pivots. */
static void factor_diagonal(double *s, double *d, uint32_t rows)
{
    for (uint32_t c = 0; c < rows; c++) {
        d[c] = s[c * ROWS + c];
        for (uint32_t k = 0; k < c; k++)
            d[c] -= s[c * ROWS + k] * s[c * ROWS + k] * d[k];
        for (uint32_t r = c + 1; r < rows; r++) {
            double sum = s[r * ROWS + c];
            for (uint32_t k = 0; k < c; k++)
                sum -= s[r * ROWS + k] * s[c * ROWS + k] * d[k];
            s[r * ROWS + c] = sum / d[c];
        }
    }
}

/* B ← B L⁻ᵀ D⁻¹, a block below the diagonal one l, d. */
static void scale_block(double *b, uint32_t b_rows, const double *l, const double *d, uint32_t rows)
{
    for (uint32_t r = 0; r < b_rows; r++)
        for (uint32_t c = 0; c < rows; c++) {
            double sum = b[r * ROWS + c];
            for (uint32_t k = 0; k < c; k++)
                sum -= b[r * ROWS + k] * d[k] * l[c * ROWS + k];
            b[r * ROWS + c] = sum / d[c];
        }
}

/* S_ij ← S_ij − L_ik D_k L_jkᵀ */
static void subtract(double *s, const double *li, uint32_t i_rows, const double *lj, uint32_t j_rows, const double *d,
                     uint32_t rows)
{
    for (uint32_t r = 0; r < i_rows; r++)
        for (uint32_t c = 0; c < j_rows; c++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < rows; k++)
                sum += li[r * ROWS + k] * d[k] * lj[c * ROWS + k];
            s[r * ROWS + c] -= sum;
        }
}

void scree_ldl_factor(scree_ldl *ldl, const uint32_t *rows)
{
    uint32_t n = ldl->nodes;
    for (uint32_t k = 0; k < n; k++) {
        double *d = ldl->pivots + (size_t)k * ROWS, *own = block(ldl, k, k);
        uint32_t own_rows = rows[ldl->order[k]];
        factor_diagonal(own, d, own_rows);
        for (uint32_t i = k + 1; i < n; i++)
            if (block(ldl, i, k))
                scale_block(block(ldl, i, k), rows[ldl->order[i]], own, d, own_rows);
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j <= i && block(ldl, i, k); j++)
                if (block(ldl, j, k))
                    subtract(block(ldl, i, j), block(ldl, i, k), rows[ldl->order[i]], block(ldl, j, k),
                             rows[ldl->order[j]], d, own_rows);
    }
}

void scree_ldl_solve(scree_ldl *ldl, const uint32_t *rows, double *x)
{
    uint32_t n = ldl->nodes;
    for (uint32_t k = 0; k < n; k++) { /* L y = x */
        double *y = x + (size_t)ldl->order[k] * ROWS;
        const double *own = block(ldl, k, k);
        uint32_t own_rows = rows[ldl->order[k]];
        for (uint32_t r = 1; r < own_rows; r++)
            for (uint32_t c = 0; c < r; c++)
                y[r] -= own[r * ROWS + c] * y[c];
        for (uint32_t i = k + 1; i < n; i++) {
            const double *l = block(ldl, i, k);
            double *to = x + (size_t)ldl->order[i] * ROWS;
            for (uint32_t r = 0; l && r < rows[ldl->order[i]]; r++)
                for (uint32_t c = 0; c < own_rows; c++)
                    to[r] -= l[r * ROWS + c] * y[c];
        }
    }
    for (uint32_t k = n; k-- > 0;) { /* D Lᵀ x = y */
        double *y = x + (size_t)ldl->order[k] * ROWS;
        const double *own = block(ldl, k, k), *d = ldl->pivots + (size_t)k * ROWS;
        uint32_t own_rows = rows[ldl->order[k]];
        for (uint32_t r = 0; r < own_rows; r++)
            y[r] /= d[r];
        for (uint32_t i = k + 1; i < n; i++) {
            const double *l = block(ldl, i, k), *from = x + (size_t)ldl->order[i] * ROWS;
            for (uint32_t r = 0; l && r < rows[ldl->order[i]]; r++)
                for (uint32_t c = 0; c < own_rows; c++)
                    y[c] -= l[r * ROWS + c] * from[r];
        }
        for (uint32_t r = own_rows; r-- > 0;)
            for (uint32_t c = r + 1; c < own_rows; c++)
                y[r] -= own[c * ROWS + r] * y[c];
    }
}
