#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character at `at`, 0 when it is broken. Overlong forms pass: this is for display only. */
static size_t character_size(const unsigned char *at)
{
    size_t size = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return size;
}

void scree_complain(const char *format, ...)
{
    char line[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (unsigned char *at = (unsigned char *)line; *at;) {
        size_t size = character_size(at);
        if (size == 0 || *at < 0x20 || *at == 0x7F) {
            *at = '?';
            size = 1;
        }
        at += size;
    }
    fprintf(stderr, "%s\n", line);
}

int scree_exit_code(scree_status status)
{
    switch (status) {
    case SCREE_OK:
        return SCREE_EXIT_OK;
    case SCREE_INVALID:
    case SCREE_FORMAT:
        return SCREE_EXIT_BAD;
    case SCREE_STATE:
    case SCREE_MEMORY:
    case SCREE_IO:
    case SCREE_DIVERGED:
    case SCREE_LIMIT:
        return SCREE_EXIT_FAILED;
    }
    return SCREE_EXIT_FAILED;
}

static int wrong_option(const scree_arguments *arguments, const char *text)
{
    const scree_command *command = arguments->command;
    char names[512] = "";
    size_t used = 0;
    for (int i = 0; i < command->option_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "--%s, ", command->options[i].name);
    scree_complain("scree %s: no option \"%s\"; allowed: %s--help", command->name, text, names);
    return SCREE_ARGUMENT_WRONG;
}

static int find_option(const scree_command *command, const char *text, size_t size)
{
    for (int i = 0; i < command->option_count; i++) {
        const scree_option *option = &command->options[i];
        if (text[1] != '-' ? (size == 2 && option->letter == text[1])
                           : (strlen(option->name) == size - 2 && strncmp(option->name, text + 2, size - 2) == 0))
            return i;
    }
    return SCREE_ARGUMENT_WRONG;
}

int scree_arguments_next(scree_arguments *arguments)
{
    if (arguments->at >= arguments->argc)
        return SCREE_ARGUMENT_END;
    const char *text = arguments->argv[arguments->at++];
    if (!arguments->only_names && strcmp(text, "--") == 0) {
        arguments->only_names = true;
        return scree_arguments_next(arguments);
    }
    if (arguments->only_names || text[0] != '-' || text[1] == '\0') {
        arguments->value = text;
        return SCREE_ARGUMENT_PLAIN;
    }
    const char *equals = text[1] == '-' ? strchr(text, '=') : NULL;
    int found = find_option(arguments->command, text, equals ? (size_t)(equals - text) : strlen(text));
    if (found < 0)
        return wrong_option(arguments, text);
    const scree_option *option = &arguments->command->options[found];
    arguments->value = equals ? equals + 1 : NULL;
    if (!option->value && equals) {
        scree_complain("scree %s: --%s takes no value", arguments->command->name, option->name);
        return SCREE_ARGUMENT_WRONG;
    }
    if (option->value && !equals) {
        if (arguments->at >= arguments->argc) {
            scree_complain("scree %s: --%s needs a value: %s", arguments->command->name, option->name, option->value);
            return SCREE_ARGUMENT_WRONG;
        }
        arguments->value = arguments->argv[arguments->at++];
    }
    return found;
}

bool scree_arguments_take(scree_arguments *arguments, int found, const char *what, const char **path)
{
    const scree_command *command = arguments->command;
    if (found == SCREE_ARGUMENT_WRONG)
        return false;
    if (found == SCREE_ARGUMENT_END) {
        if (!*path)
            scree_complain("scree %s: which %s? usage: scree %s %s", command->name, what, command->name,
                           command->synopsis);
        return *path != NULL;
    }
    if (*path)
        scree_complain("scree %s: one %s at a time: \"%s\", then \"%s\"", command->name, what, *path, arguments->value);
    else if (arguments->value[0] == '\0')
        scree_complain("scree %s: the name of the %s is empty", command->name, what);
    else {
        *path = arguments->value;
        return true;
    }
    return false;
}

bool scree_arguments_take_scene(scree_arguments *arguments, int found, const char **scene_path)
{
    return scree_arguments_take(arguments, found, "scene", scene_path);
}
