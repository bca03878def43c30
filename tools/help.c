#include "help.h"

#include <string.h>

enum { COLUMNS = 96, LEFT = 26 };

const scree_command *const scree_commands[] = {
#define X(name) &scree_command_##name,
    SCREE_COMMANDS(X)
#undef X
        NULL};

const scree_command *scree_command_find(const char *name)
{
    for (int i = 0; scree_commands[i]; i++)
        if (strcmp(name, scree_commands[i]->name) == 0)
            return scree_commands[i];
    return NULL;
}

/* ---------------------------------------------------------------- values */

scree_value_kind scree_value_kind_of(const char *name, char extension[8])
{
    static const char *const files[] = {"CSV", "HTML", "XML", "FMU", "JSON", "SVG", "STL", "OBJ"};
    const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;
    extension[0] = '\0';
    if (strcmp(name, "DIR") == 0 || strcmp(name, "RECORD") == 0)
        return SCREE_VALUE_DIRECTORY;
    if (strcmp(name, "CASE") == 0)
        return SCREE_VALUE_CASES;
    if (strcmp(name, "COMMAND") == 0)
        return SCREE_VALUE_COMMAND;
    if (strchr(name, '|'))
        return SCREE_VALUE_WORDS;
    if (strcmp(name, "FILE") == 0)
        return SCREE_VALUE_FILE;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t k = 0;
        while (word[k] && (word[k] == files[i][k] || word[k] == (files[i][k] | 32)))
            k++;
        if (word[k] || files[i][k])
            continue;
        for (k = 0; files[i][k]; k++)
            extension[k] = (char)(files[i][k] | 32);
        extension[k] = '\0';
        return SCREE_VALUE_FILE;
    }
    return SCREE_VALUE_FREE;
}

/* ---------------------------------------------------------------- text on a terminal */

/* Characters, not bytes, of one word. */
static int width_of(const char *word, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)word[i] & 0xC0) != 0x80;
    return width;
}

/* Paragraphs, which a newline ends, broken into lines; `at`: the column where the first line stands already. */
static void put_wrapped(FILE *out, const char *text, int indent, int at)
{
    for (const char *word = text; *word;) {
        size_t size = strcspn(word, " \n");
        int width = width_of(word, size);
        if (at > indent && at + 1 + width > COLUMNS) {
            fputc('\n', out);
            at = 0;
        }
        if (at < indent)
            fprintf(out, "%*s", indent - at, "");
        if (at > indent)
            fputc(' ', out);
        fprintf(out, "%.*s", (int)size, word);
        at = (at > indent ? at + 1 : indent) + width;
        word += size;
        if (*word == '\n') {
            fputs("\n\n", out);
            at = 0;
        }
        word += strspn(word, " \n");
    }
    fputc('\n', out);
}

static void put_option(FILE *out, const scree_option *option)
{
    char left[80];
    snprintf(left, sizeof left, "  %c%c%s--%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
             option->letter ? ", " : "  ", option->name, option->value ? " " : "", option->value ? option->value : "");
    int width = width_of(left, strlen(left));
    fputs(left, out);
    if (width >= LEFT) {
        fputc('\n', out);
        width = 0;
    }
    put_wrapped(out, option->help, LEFT, width);
}

static const scree_option help_option = {"help", 'h', NULL, "this"};

void scree_help_command(FILE *out, const scree_command *command)
{
    int indent = fprintf(out, "usage: scree %s ", command->name);
    put_wrapped(out, command->synopsis, indent, indent);
    fputc('\n', out);
    put_wrapped(out, command->summary, 0, 0);
    if (command->details) {
        fputc('\n', out);
        put_wrapped(out, command->details, 0, 0);
    }
    fputs("\nOptions\n", out);
    for (int i = 0; i < command->option_count; i++)
        put_option(out, &command->options[i]);
    put_option(out, &help_option);
    for (int i = 0; command->examples && command->examples[i]; i += 2) {
        fprintf(out, "%s  %s\n", i ? "" : "\nExamples\n", command->examples[i]);
        put_wrapped(out, command->examples[i + 1], 6, 0);
    }
    fprintf(out, "\nExit codes\n  0  ok\n  1  %s\n  2  bad usage or bad input\n",
            command->failure ? command->failure : "the work failed");
}

void scree_help_overview(FILE *out)
{
    fprintf(out, "scree %s: granular matter for machine models, as FMUs\n\nusage: scree COMMAND …\n\n", SCREE_VERSION);
    for (int i = 0; scree_commands[i]; i++)
        fprintf(out, "  %-10s %s\n", scree_commands[i]->name, scree_commands[i]->summary);
    fputs("\n  scree COMMAND --help   what a command takes, with examples\n"
          "  scree --version        the version\n\n"
          "A first look: scree run scene.xml --record out/run, then scree view out/run -o out/page.html\n\n"
          "exit codes: 0 ok, 1 the work failed, 2 bad usage or bad input\n",
          out);
}

/* ---------------------------------------------------------------- roff */

/* Text of a man page: no character of it is taken for a command. */
static void put_roff(FILE *out, const char *text)
{
    bool begin = true;
    for (; *text; text++) {
        if (begin && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\n')
            fputs("\n.PP\n", out);
        else
            fputc(*text, out);
        begin = *text == '\n';
    }
    fputc('\n', out);
}

static void put_roff_option(FILE *out, const scree_option *option)
{
    fputs(".TP\n.B ", out);
    if (option->letter)
        fprintf(out, "\\-%c, ", option->letter);
    fputs("\\-\\-", out);
    for (const char *at = option->name; *at; at++)
        fprintf(out, *at == '-' ? "\\-" : "%c", *at);
    if (option->value)
        fprintf(out, " \\fI%s\\fR", option->value);
    fputc('\n', out);
    put_roff(out, option->help);
}

void scree_help_manual(FILE *out)
{
    fprintf(out,
            ".TH SCREE 1 \"\" \"Scree %s\" \"User commands\"\n.SH NAME\nscree \\- granular matter for machine "
            "models, as FMUs\n.SH SYNOPSIS\n",
            SCREE_VERSION);
    for (int i = 0; scree_commands[i]; i++) {
        fprintf(out, ".B scree %s\n", scree_commands[i]->name);
        put_roff(out, scree_commands[i]->synopsis);
        fputs(".br\n", out);
    }
    fputs(".SH DESCRIPTION\n", out);
    put_roff(out,
             "A scene is an XML file in SI units: materials and how they touch, grains, bodies, ports, sensors. Scree "
             "simulates it, by itself or inside an importer of FMUs, and shows what came of it.");
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; scree_commands[i]; i++) {
        const scree_command *command = scree_commands[i];
        fprintf(out, ".SS scree %s\n", command->name);
        put_roff(out, command->summary);
        if (command->details) {
            fputs(".PP\n", out);
            put_roff(out, command->details);
        }
        for (int k = 0; k < command->option_count; k++)
            put_roff_option(out, &command->options[k]);
        for (int k = 0; command->examples && command->examples[k]; k += 2) {
            fputs(k ? ".P\n.RS\n.nf\n" : ".P\nExamples:\n.RS\n.nf\n", out);
            put_roff(out, command->examples[k]);
            fputs(".fi\n.RS\n", out);
            put_roff(out, command->examples[k + 1]);
            fputs(".RE\n.RE\n", out);
        }
        if (command->failure) {
            fputs(".PP\nExit code 1: ", out);
            put_roff(out, command->failure);
        }
    }
    fputs(".SH EXIT STATUS\n0 ok, 1 the work failed, 2 bad usage or bad input.\n", out);
}
