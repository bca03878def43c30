#include "export.h"

#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_number(FILE *csv, double value)
{
    char text[40];
    scree_format_number(value, text, sizeof text);
    fputs(text, csv);
}

/* As many digits as a single has: what VTK files hold, to the bit. */
static void put_single(FILE *csv, double value)
{
    fprintf(csv, ",%.9g", (double)(float)value);
}

/* A cell of text; ids and names have no need of quotes, but they come from a file. */
static void put_text(FILE *csv, const char *text)
{
    bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    fputs(quoted ? "\"" : "", csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    fputs(quoted ? "\"" : "", csv);
}

/* ---------------------------------------------------------------- signals */

void scree_export_signal_header(FILE *csv, const scree_recorded_head *head)
{
    fputs("time", csv);
    for (uint32_t i = 0; i < head->signal_count; i++) {
        fputc(',', csv);
        put_text(csv, head->signals[i].name);
    }
    fputc('\n', csv);
}

void scree_export_signal_row(FILE *csv, const scree_recorded_head *head, double time, const double *signals)
{
    put_number(csv, time);
    for (uint32_t i = 0; i < head->signal_count; i++) {
        fputc(',', csv);
        put_number(csv, signals[i]);
    }
    fputc('\n', csv);
}

/* ---------------------------------------------------------------- frames */

static void write_bodies(scree_export_csv *to, const scree_recorded_frame *frame)
{
    for (uint32_t b = 0; b < to->base.head->body_count; b++) {
        put_number(to->bodies.stream, frame->time);
        fputc(',', to->bodies.stream);
        put_text(to->bodies.stream, to->base.head->bodies[b].id);
        for (int k = 0; k < 7; k++) {
            fputc(',', to->bodies.stream);
            put_number(to->bodies.stream, frame->poses[7 * (size_t)b + (size_t)k]);
        }
        fputc('\n', to->bodies.stream);
    }
}

static void write_grains(FILE *csv, const scree_recorded_head *head, const scree_recorded_frame *frame)
{
    fputs("id,x,y,z,radius,vx,vy,vz,speed,material", csv);
    for (uint32_t k = 0; k < head->channel_count; k++) {
        fputc(',', csv);
        put_text(csv, head->channels[k].name);
    }
    fputc('\n', csv);
    size_t n = frame->grain_count;
    for (size_t i = 0; i < n; i++) {
        const double *v = frame->velocity + 3 * i;
        fprintf(csv, "%u", (unsigned)frame->id[i]);
        for (size_t k = 0; k < 3; k++)
            put_single(csv, frame->position[3 * i + k]);
        put_single(csv, frame->radius[i]);
        for (size_t k = 0; k < 3; k++)
            put_single(csv, v[k]);
        put_single(csv, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        fputc(',', csv);
        put_text(csv, head->materials[frame->material[i]].id);
        for (size_t k = 0; k < head->channel_count; k++)
            put_single(csv, frame->channels[k * n + i]);
        fputc('\n', csv);
    }
}

bool scree_export_csv_begin(scree_export_csv *to)
{
    if (!scree_export_path(&to->base, "signals.csv", to->paths[0]) || !scree_output_open(&to->signals, to->paths[0]) ||
        !scree_export_path(&to->base, "bodies.csv", to->paths[1]) || !scree_output_open(&to->bodies, to->paths[1]))
        return false;
    scree_export_signal_header(to->signals.stream, to->base.head);
    fputs("time,body,x,y,z,qw,qx,qy,qz\n", to->bodies.stream);
    to->base.files += 2;
    return true;
}

bool scree_export_csv_frame(scree_export_csv *to, const scree_recorded_frame *frame, uint32_t number)
{
    char name[64], path[SCREE_EXPORT_PATH];
    scree_output grains;
    scree_export_signal_row(to->signals.stream, to->base.head, frame->time, frame->signals);
    write_bodies(to, frame);
    snprintf(name, sizeof name, "grains_%05u.csv", (unsigned)number);
    if (!scree_export_path(&to->base, name, path) || !scree_output_open(&grains, path))
        return false;
    write_grains(grains.stream, to->base.head, frame);
    to->base.files++;
    return scree_output_commit(&grains);
}

bool scree_export_csv_end(scree_export_csv *to)
{
    bool good = scree_output_commit(&to->signals);
    return scree_output_commit(&to->bodies) && good;
}

void scree_export_csv_drop(scree_export_csv *to)
{
    scree_output_discard(&to->signals);
    scree_output_discard(&to->bodies);
}
