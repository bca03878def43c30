/*
 * Messages to the host: complete lines, no more than a reader wants.
 */
#ifndef SCREE_BASE_LOG_H
#define SCREE_BASE_LOG_H

#include "scree.h"

void scree_log_write(const scree_log *log, scree_log_level level, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
