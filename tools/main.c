/*
 * The `scree` command: `scree COMMAND …`. Exit codes: 0 ok, 1 the work failed, 2 bad usage or bad input.
 */
#include "help.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int finish_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return SCREE_EXIT_OK;
    scree_complain("scree: standard output cannot be written");
    return SCREE_EXIT_FAILED;
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
    const scree_command *command = scree_command_find(name);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        scree_help_overview(stdout);
        return finish_stdout();
    }
    if (strcmp(name, "--version") == 0) {
        printf("scree %s\n", SCREE_VERSION);
        return finish_stdout();
    }
    if (command && asks_for_help(argc - 2, argv + 2)) {
        scree_help_command(stdout, command);
        return finish_stdout();
    }
    if (command) {
        int code = command->run(command, argc - 2, argv + 2);
        return code == SCREE_EXIT_OK ? finish_stdout() : code;
    }
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; scree_commands[i] && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", scree_commands[i]->name);
    if (argc > 1)
        scree_complain("scree: no command \"%s\"; allowed: %s--help, --version", name, names);
    else
        scree_complain("scree: which command? allowed: %s--help, --version", names);
    return SCREE_EXIT_BAD;
}
