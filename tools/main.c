/*
 * The `scree` command: `scree COMMAND …`. Exit codes: 0 ok, 1 the work failed, 2 bad usage or bad input.
 */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const scree_command *const commands[] = {
#define X(name) &scree_command_##name,
    SCREE_COMMANDS(X)
#undef X
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static int finish_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return SCREE_EXIT_OK;
    scree_complain("scree: standard output cannot be written");
    return SCREE_EXIT_FAILED;
}

static int print_help(void)
{
    printf("scree %s: granular matter for machine models, as FMUs\n\nusage: scree COMMAND …\n\n", SCREE_VERSION);
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n  scree COMMAND --help   what a command takes\n"
           "  scree --version        the version\n\n"
           "exit codes: 0 ok, 1 the work failed, 2 bad usage or bad input\n");
    return finish_stdout();
}

static int print_command_help(const scree_command *command)
{
    printf("usage: scree %s %s\n\n%s\n", command->name, command->synopsis, command->summary);
    if (command->details)
        printf("%s\n", command->details);
    printf("\n");
    for (int i = 0; i < command->option_count; i++) {
        const scree_option *option = &command->options[i];
        char left[64];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                 option->letter ? ", " : "  ", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        printf("  %-26s %s\n", left, option->help);
    }
    printf("  %-26s %s\n", "    --help", "this");
    return finish_stdout();
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    /* A write beyond a limit or into a closed pipe is an error like any other: files are tidied up, the exit code says
     * it. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0) {
        printf("scree %s\n", SCREE_VERSION);
        return finish_stdout();
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i]->name) == 0) {
            if (asks_for_help(argc - 2, argv + 2))
                return print_command_help(commands[i]);
            int code = commands[i]->run(commands[i], argc - 2, argv + 2);
            return code == SCREE_EXIT_OK ? finish_stdout() : code;
        }
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < COMMAND_COUNT && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", commands[i]->name);
    if (argc > 1)
        scree_complain("scree: no command \"%s\"; allowed: %s--help, --version", name, names);
    else
        scree_complain("scree: which command? allowed: %s--help, --version", names);
    return SCREE_EXIT_BAD;
}
