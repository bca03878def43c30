#include "plot.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- layout, in px */

enum { WIDTH = 640, HEIGHT = 270, LEFT = 62, RIGHT = 14, TOP = 48, BOTTOM = 38, BINS = 700 };

const char *scree_plot_style(void)
{
    return ".plot{--ink:#1d2329;--soft:#66707a;--line:#e3e7eb;--c0:#0b62a8;--c1:#c8501a;--c2:#14805e;--c3:#8a4fa3;"
           "--c4:#b58300;--c5:#2a9fc4;--c6:#a12b4e;--c7:#5d6b2f;"
           "font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;font-variant-numeric:tabular-nums}"
           "@media (prefers-color-scheme:dark){.plot{--ink:#e8ebee;--soft:#98a2ac;--line:#333b43;--c0:#62b0f0;"
           "--c1:#f0915f;--c2:#4fc99e;--c3:#c796de;--c4:#e3b94a;--c5:#6fd0ec;--c6:#ee7f9f;--c7:#b3c372}}"
           ".plot text{fill:var(--soft)}.plot .t{fill:var(--ink);font-weight:600;font-size:14px}"
           ".plot .l{fill:var(--ink)}.plot .g{stroke:var(--line);stroke-width:1}.plot .z{stroke:var(--soft);"
           "stroke-width:1}.plot path{fill:none;stroke-width:1.6;stroke-linejoin:round}"
           ".plot .e{text-anchor:end}.plot .m{text-anchor:middle}"
           ".plot .c0{stroke:var(--c0)}.plot .c1{stroke:var(--c1)}.plot .c2{stroke:var(--c2)}.plot "
           ".c3{stroke:var(--c3)}"
           ".plot .c4{stroke:var(--c4)}.plot .c5{stroke:var(--c5)}.plot .c6{stroke:var(--c6)}.plot "
           ".c7{stroke:var(--c7)}";
}

/* ---------------------------------------------------------------- text */

void scree_plot_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        }
}

void scree_plot_unit(const char *unit, char *text, size_t room)
{
    static const char *const powers[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t size = 0;
    text[0] = '\0';
    if (strcmp(unit, "1") == 0)
        return;
    for (const char *at = unit; *at && size + 8 < room; at++) {
        if (*at == '.')
            size += (size_t)snprintf(text + size, room - size, "·");
        else if (*at >= '0' && *at <= '9')
            size += (size_t)snprintf(text + size, room - size, "%s", powers[*at - '0']);
        else
            size += (size_t)snprintf(text + size, room - size, "%c", *at);
    }
}

/* A multiple of the unit in which the largest value has a few digits: N, kN, MN. Only where people say so. */
static double choose_prefix(const char *unit, double largest, const char **prefix)
{
    static const char *const scaled[] = {"N", "N.m", "J", "W", "Pa"};
    *prefix = "";
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++) {
        if (strcmp(unit, scaled[i]) != 0 || largest < 1e4)
            continue;
        *prefix = largest < 1e7 ? "k" : "M";
        return largest < 1e7 ? 1e-3 : 1e-6;
    }
    return 1.0;
}

/* ---------------------------------------------------------------- axes */

typedef struct axis {
    double low, high;
    double from, to; /* px */
    double step;     /* between lines */
    bool logarithmic;
} axis;

static double at(const axis *a, double value)
{
    double low = a->low, high = a->high;
    if (a->logarithmic) {
        value = log10(value);
        low = log10(low);
        high = log10(high);
    }
    return a->from + (a->to - a->from) * (value - low) / (high - low);
}

/* 1, 2 or 5 times a power of ten, so that about `count` of them make the range. */
static double round_step(double range, double count)
{
    double raw = range / count, power = pow(10.0, floor(log10(raw))), share = raw / power;
    return power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
}

static bool is_shown(const scree_plot *plot, double value)
{
    return isfinite(value) && (!plot->logarithmic || value > 0.0);
}

static axis value_axis(const scree_plot *plot, double factor)
{
    axis a = {.low = INFINITY, .high = -INFINITY, .from = HEIGHT - BOTTOM, .to = TOP, .logarithmic = plot->logarithmic};
    for (uint32_t c = 0; c < plot->curve_count; c++)
        for (size_t i = 0; i < plot->count; i++) {
            double value = factor * plot->curves[c].values[i];
            if (!is_shown(plot, value))
                continue;
            a.low = fmin(a.low, value);
            a.high = fmax(a.high, value);
        }
    if (!(a.low <= a.high))
        a.low = a.high = plot->logarithmic ? 1.0 : 0.0;
    if (plot->logarithmic) {
        a.low = pow(10.0, floor(log10(fmax(a.low, a.high * 1e-8))));
        a.high = fmax(pow(10.0, ceil(log10(a.high))), 10.0 * a.low);
        return a;
    }
    if (a.low > 0.0 && a.low < 0.6 * a.high)
        a.low = 0.0;
    if (a.high < 0.0 && a.high > 0.6 * a.low)
        a.high = 0.0;
    double least = 1e-9 * fmax(fabs(a.low), fabs(a.high));
    if (!(a.high - a.low > least)) {
        double half = a.high != 0.0 ? 0.5 * fabs(a.high) : 1.0;
        a.low -= half;
        a.high += half;
    }
    double step = a.step = round_step(a.high - a.low, 5.0);
    a.low = step * floor(a.low / step + 1e-9);
    a.high = step * ceil(a.high / step - 1e-9);
    return a;
}

static void write_tick(FILE *out, double value, double step)
{
    if (fabs(value) < 1e-9 * step)
        value = 0.0;
    if (fabs(value) >= 1e6 || (value != 0.0 && fabs(step) < 1e-4))
        fprintf(out, "%.3g", value);
    else
        fprintf(out, "%.*f", step >= 1.0 ? 0 : (int)ceil(-log10(step) - 1e-9), value);
}

static void write_power(FILE *out, int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    fputs(power < 0 ? "10⁻" : "10", out);
    int size = power < 0 ? -power : power;
    if (size >= 10)
        fputs(digits[size / 10 % 10], out);
    fputs(digits[size % 10], out);
}

static void write_value_line(FILE *out, double y, bool zero)
{
    fprintf(out, "<line class=\"%c\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", zero ? 'z' : 'g', LEFT,
            WIDTH - RIGHT, y, y);
    fprintf(out, "<text class=\"e\" x=\"%d\" y=\"%.1f\">", LEFT - 8, y + 4.0);
}

static void write_value_axis(FILE *out, const axis *a)
{
    if (a->logarithmic) {
        int low = (int)lround(log10(a->low)), high = (int)lround(log10(a->high)), skip = (high - low + 5) / 6;
        for (int power = low; power <= high; power += skip) {
            write_value_line(out, at(a, pow(10.0, power)), false);
            write_power(out, power);
            fputs("</text>\n", out);
        }
        return;
    }
    double step = a->step;
    for (int i = 0; a->low + i * step <= a->high + 0.01 * step; i++) {
        double value = a->low + i * step;
        write_value_line(out, at(a, value), fabs(value) < 1e-9 * step);
        write_tick(out, value, step);
        fputs("</text>\n", out);
    }
}

static void write_time_axis(FILE *out, const axis *a)
{
    double step = round_step(a->high - a->low, 8.0);
    for (double value = step * ceil(a->low / step - 1e-9); value <= a->high + 1e-6 * step; value += step) {
        double x = at(a, value);
        fprintf(out, "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 4);
        fprintf(out, "<text class=\"m\" x=\"%.1f\" y=\"%d\">", x, HEIGHT - BOTTOM + 17);
        write_tick(out, value, step);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text class=\"e\" x=\"%d\" y=\"%d\">time in s</text>\n", WIDTH - RIGHT, HEIGHT - 6);
}

/* ---------------------------------------------------------------- curves */

typedef struct pen {
    FILE *out;
    const axis *x, *y;
    bool down;
} pen;

static void draw_to(pen *p, double time, double value)
{
    double y = fmin(fmax(at(p->y, value), TOP - 2.0), HEIGHT - BOTTOM + 2.0);
    fprintf(p->out, "%c%.1f %.1f", p->down ? 'L' : 'M', at(p->x, time), y);
    p->down = true;
}

/* Many values come as the smallest and the largest of each bin, so that no peak is lost. */
static void write_curve(const scree_plot *plot, uint32_t curve, double factor, const axis *x, const axis *y, FILE *out)
{
    const double *values = plot->curves[curve].values;
    size_t bin = plot->count > 2 * BINS ? plot->count / BINS : 1;
    pen p = {.out = out, .x = x, .y = y};
    fprintf(out, "<path class=\"c%u\" d=\"", (unsigned)curve);
    for (size_t begin = 0; begin < plot->count; begin += bin) {
        size_t end = begin + bin < plot->count ? begin + bin : plot->count, low = begin, high = begin;
        for (size_t i = begin; i < end; i++) {
            low = values[i] < values[low] || !is_shown(plot, values[low]) ? i : low;
            high = values[i] > values[high] || !is_shown(plot, values[high]) ? i : high;
        }
        size_t first = low < high ? low : high, second = low < high ? high : low;
        if (!is_shown(plot, values[first]) || !is_shown(plot, values[second])) {
            p.down = false;
            continue;
        }
        draw_to(&p, plot->times[first], factor * values[first]);
        if (second != first)
            draw_to(&p, plot->times[second], factor * values[second]);
    }
    fputs("\"/>\n", out);
}

static void write_legend(FILE *out, const scree_plot *plot)
{
    double x = LEFT;
    for (uint32_t c = 0; c < plot->curve_count && plot->curve_count > 1; c++) {
        fprintf(out, "<path class=\"c%u\" d=\"M%.1f 35h16\"/><text class=\"l\" x=\"%.1f\" y=\"39\">", (unsigned)c, x,
                x + 21.0);
        scree_plot_text(out, plot->curves[c].name);
        fputs("</text>\n", out);
        x += 38.0 + 6.6 * (double)strlen(plot->curves[c].name);
    }
}

void scree_plot_write(FILE *out, const scree_plot *plot, bool alone)
{
    double largest = 0.0;
    for (uint32_t c = 0; c < plot->curve_count; c++)
        for (size_t i = 0; i < plot->count; i++)
            if (isfinite(plot->curves[c].values[i]))
                largest = fmax(largest, fabs(plot->curves[c].values[i]));
    const char *prefix;
    char unit[64];
    double factor = choose_prefix(plot->unit, largest, &prefix);
    scree_plot_unit(plot->unit, unit, sizeof unit);
    axis y = value_axis(plot, factor);
    axis x = {.low = plot->count ? plot->times[0] : 0.0,
              .high = plot->count ? plot->times[plot->count - 1] : 1.0,
              .from = LEFT,
              .to = WIDTH - RIGHT};
    if (!(x.high > x.low))
        x.high = x.low + 1.0;

    fprintf(out, "<svg class=\"plot\"%s viewBox=\"0 0 %d %d\"%s role=\"img\" aria-label=\"",
            alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", WIDTH, HEIGHT,
            alone ? " width=\"960\" height=\"405\"" : "");
    scree_plot_text(out, plot->title);
    fputs(" over time\">\n", out);
    if (alone)
        fprintf(
            out,
            "<style>%s.plot{background:#fff}@media (prefers-color-scheme:dark){.plot{background:#14181c}}</style>\n",
            scree_plot_style());
    fputs("<text class=\"t\" x=\"4\" y=\"17\">", out);
    scree_plot_text(out, plot->title);
    if (unit[0])
        fprintf(out, "<tspan font-weight=\"400\"> in %s%s</tspan>", prefix, unit);
    fputs("</text>\n", out);
    write_legend(out, plot);
    write_value_axis(out, &y);
    write_time_axis(out, &x);
    for (uint32_t c = 0; c < plot->curve_count; c++)
        write_curve(plot, c, factor, &x, &y, out);
    fputs("</svg>\n", out);
}
