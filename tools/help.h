/*
 * Help, the manual page and shell completion, all from the tables of the commands.
 */
#ifndef SCREE_TOOLS_HELP_H
#define SCREE_TOOLS_HELP_H

#include "command.h"

#include <stdio.h>

/* All commands, in the order of the help; closed by NULL. */
extern const scree_command *const scree_commands[];
const scree_command *scree_command_find(const char *name);

void scree_help_overview(FILE *out);
void scree_help_command(FILE *out, const scree_command *command);
void scree_help_manual(FILE *out); /* as roff, for man */

/* What the value of an option or the operand of a command is, by its name in the help. */
typedef enum scree_value_kind {
    SCREE_VALUE_FREE,      /* a number, a name */
    SCREE_VALUE_FILE,      /* extension, when it has one: of CSV, HTML, XML, FMU, … */
    SCREE_VALUE_DIRECTORY, /* DIR, RECORD */
    SCREE_VALUE_WORDS,     /* one|of|these */
    SCREE_VALUE_CASES,     /* what COMMAND --list says */
    SCREE_VALUE_COMMAND    /* name of a command */
} scree_value_kind;

scree_value_kind scree_value_kind_of(const char *name, char extension[8]);

#endif
