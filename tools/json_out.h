/*
 * JSON on a stream: strings and numbers that any reader takes.
 */
#ifndef SCREE_TOOLS_JSON_OUT_H
#define SCREE_TOOLS_JSON_OUT_H

#include <stddef.h>
#include <stdio.h>

/* In quotes, escaped; at most `most` bytes of it. */
void scree_json_string(FILE *out, const char *text, size_t most);

/* The shortest form that reads back; what is not finite becomes null. */
void scree_json_real(FILE *out, double value);

/* A member: before is what stands ahead of it, ", " or "{". */
void scree_json_member(FILE *out, const char *before, const char *name, double value);
void scree_json_member_text(FILE *out, const char *before, const char *name, const char *value);

#endif
