/*
 * A sum of many numbers without loss: the error of each addition is kept beside the sum (D. Knuth; O. Møller, 1965). A
 * billion terms are summed to the last bit or the one before.
 */
#ifndef SCREE_BASE_SUM_H
#define SCREE_BASE_SUM_H

typedef struct scree_sum {
    double high, low; /* the sum is high + low, and high is that rounded */
} scree_sum;

static inline void scree_sum_add(scree_sum *sum, double x)
{
    double s = sum->high + x, part = s - sum->high;
    double low = sum->low + ((sum->high - (s - part)) + (x - part));
    sum->high = s + low;
    sum->low = low - (sum->high - s);
}

#endif
