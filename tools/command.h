/*
 * What the commands of `scree` share: exit codes, messages, options, and the table that main.c reads.
 */
#ifndef SCREE_TOOLS_COMMAND_H
#define SCREE_TOOLS_COMMAND_H

#include "scree.h"

enum {
    SCREE_EXIT_OK = 0,
    SCREE_EXIT_FAILED = 1, /* the work failed */
    SCREE_EXIT_BAD = 2     /* bad usage or bad input */
};

/* Writes one line to stderr, whatever the arguments hold: control characters and broken UTF-8 come out as '?'. */
void scree_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for an error that depends on what the user gave. */
int scree_exit_code(scree_status status);

/* ---- options: one table gives the parser, the help, the manual and the completion */

typedef struct scree_option {
    const char *name;  /* without the dashes */
    char letter;       /* short form; 0: none */
    const char *value; /* what the help calls its value: DIR, CSV, N, one|of|these; NULL: a switch */
    const char *help;
} scree_option;

typedef struct scree_command {
    const char *name;
    const char *synopsis; /* what follows the name */
    const char *summary;  /* one line: what it does, as if told to do it */
    const char *details;  /* further sentences of the help, a newline between paragraphs; NULL: none */
    const char *operand;  /* what an argument that is no option is: SCENE.xml, RECORD, CASE, one|of|these; NULL: none */
    const scree_option *options;
    int option_count;
    const char *const *examples; /* a command line, then what it does, and so on; closed by NULL */
    const char *failure;         /* what exit code 1 means; NULL: the work failed */
    int (*run)(const struct scree_command *command, int argc, char **argv); /* argv[0] is the first argument */
} scree_command;

/* A walk over the arguments. Start it with {command, argc, argv}. */
typedef struct scree_arguments {
    const scree_command *command;
    int argc;
    char **argv;
    int at;            /* the next one to look at */
    bool only_names;   /* "--" was seen */
    const char *value; /* of the option, or the plain argument that was found last */
} scree_arguments;

enum { SCREE_ARGUMENT_END = -1, SCREE_ARGUMENT_PLAIN = -2, SCREE_ARGUMENT_WRONG = -3 };

/* The place of the next option in the command's table, or one of the above. WRONG has complained already. */
int scree_arguments_next(scree_arguments *arguments);

/* For a command that takes options and one file or directory, a `what`: the loop's default branch. False after a
 * complaint. */
bool scree_arguments_take(scree_arguments *arguments, int found, const char *what, const char **path);

/* For a command that takes options and one scene: the loop's default branch. False after a complaint. */
bool scree_arguments_take_scene(scree_arguments *arguments, int found, const char **scene_path);

/* All commands, in the order of the help. A new one is a line here and a scree_command in a file of its own. */
#define SCREE_COMMANDS(X)                                                                                              \
    X(check)                                                                                                           \
    X(run)                                                                                                             \
    X(pack)                                                                                                            \
    X(plan)                                                                                                            \
    X(view)                                                                                                            \
    X(report)                                                                                                          \
    X(export)                                                                                                          \
    X(verify)                                                                                                          \
    X(bench)                                                                                                           \
    X(materials)                                                                                                       \
    X(schema)                                                                                                          \
    X(completion)                                                                                                      \
    X(help)

#define X(name) extern const scree_command scree_command_##name;
SCREE_COMMANDS(X)
#undef X

#endif
