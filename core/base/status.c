#include "scree.h"

#include <stdarg.h>
#include <stdio.h>

const char *scree_status_text(scree_status status)
{
    switch (status) {
#define X(name, text)                                                                                                  \
    case SCREE_##name:                                                                                                 \
        return text;
        SCREE_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

scree_status scree_fail(scree_error *error, scree_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        error->status = status;
    }
    return status;
}
