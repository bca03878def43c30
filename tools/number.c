#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scree_parse_number(const char *text, double *value)
{
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0') /* no hexadecimal, inf, nan or white space */
        return false;
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

void scree_format_number(double value, char *text, size_t room)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

bool scree_is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}
