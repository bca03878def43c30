#include "json_out.h"

#include "number.h"

#include <math.h>
#include <stdint.h>

void scree_json_string(FILE *out, const char *text, size_t most)
{
    fputc('"', out);
    for (size_t i = 0; i < most && text[i]; i++) {
        unsigned char letter = (unsigned char)text[i];
        if (letter == '"' || letter == '\\')
            fprintf(out, "\\%c", letter);
        else if (letter < 0x20)
            fprintf(out, "\\u%04x", (unsigned)letter);
        else
            fputc(letter, out);
    }
    fputc('"', out);
}

void scree_json_real(FILE *out, double value)
{
    char text[40] = "null";
    if (isfinite(value))
        scree_format_number(value, text, sizeof text);
    fputs(text, out);
}

void scree_json_member(FILE *out, const char *before, const char *name, double value)
{
    fprintf(out, "%s\"%s\": ", before, name);
    scree_json_real(out, value);
}

void scree_json_member_text(FILE *out, const char *before, const char *name, const char *value)
{
    fprintf(out, "%s\"%s\": ", before, name);
    scree_json_string(out, value, SIZE_MAX);
}
