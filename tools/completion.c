/*
 * `scree completion` and `scree help`.
 */
#include "help.h"

#include <string.h>

/* ---------------------------------------------------------------- bash */

static void put_words(FILE *out, const char *words)
{
    for (; *words; words++)
        fputc(*words == '|' ? ' ' : *words, out);
}

/* The line that fills COMPREPLY with values of this kind. */
static void put_bash_values(FILE *out, const scree_command *command, const char *value)
{
    char extension[8];
    switch (scree_value_kind_of(value, extension)) {
    case SCREE_VALUE_FILE:
        if (extension[0])
            fprintf(out, "COMPREPLY=($(compgen -f -X '!*.%s' -- \"$cur\") $(compgen -d -- \"$cur\"))", extension);
        else
            fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", out);
        break;
    case SCREE_VALUE_DIRECTORY:
        fputs("COMPREPLY=($(compgen -d -- \"$cur\"))", out);
        break;
    case SCREE_VALUE_WORDS:
        fputs("COMPREPLY=($(compgen -W '", out);
        put_words(out, value);
        fputs("' -- \"$cur\"))", out);
        break;
    case SCREE_VALUE_CASES:
        fprintf(out, "COMPREPLY=($(compgen -W \"$(scree %s --list 2>/dev/null | awk '{print $1}')\" -- \"$cur\"))",
                command->name);
        break;
    case SCREE_VALUE_COMMAND:
        fputs("COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))", out);
        break;
    case SCREE_VALUE_FREE:
        fputs("COMPREPLY=()", out);
        break;
    }
}

static void put_bash_command(FILE *out, const scree_command *command)
{
    fprintf(out, "  %s)\n    case $prev in\n", command->name);
    for (int i = 0; i < command->option_count; i++) {
        const scree_option *option = &command->options[i];
        if (!option->value)
            continue;
        fprintf(out, "    --%s", option->name);
        if (option->letter)
            fprintf(out, "|-%c", option->letter);
        fputs(") ", out);
        put_bash_values(out, command, option->value);
        fputs("; return ;;\n", out);
    }
    fputs("    esac\n    if [[ $cur == -* ]]; then\n      COMPREPLY=($(compgen -W '", out);
    for (int i = 0; i < command->option_count; i++)
        fprintf(out, "--%s ", command->options[i].name);
    fputs("--help' -- \"$cur\"))\n    else\n      ", out);
    put_bash_values(out, command, command->operand ? command->operand : "");
    fputs("\n    fi ;;\n", out);
}

static void write_bash(FILE *out)
{
    fputs("# Completion of scree in bash: eval \"$(scree completion bash)\", or keep it in\n"
          "# ~/.local/share/bash-completion/completions/scree\n"
          "_scree() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} commands='",
          out);
    for (int i = 0; scree_commands[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", scree_commands[i]->name);
    fputs("'\n  if [[ $COMP_CWORD == 1 ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$cur\"))\n    return\n  fi\n"
          "  case ${COMP_WORDS[1]} in\n",
          out);
    for (int i = 0; scree_commands[i]; i++)
        put_bash_command(out, scree_commands[i]);
    fputs("  esac\n}\ncomplete -o filenames -F _scree scree\n", out);
}

/* ---------------------------------------------------------------- zsh */

/* Inside single quotes, where [ ] and : mean something to _arguments. */
static void put_zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            fputc('\\', out);
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
}

static void put_zsh_values(FILE *out, const scree_command *command, const char *value)
{
    char extension[8];
    switch (scree_value_kind_of(value, extension)) {
    case SCREE_VALUE_FILE:
        if (extension[0])
            fprintf(out, "_files -g \"*.%s\"", extension);
        else
            fputs("_files", out);
        break;
    case SCREE_VALUE_DIRECTORY:
        fputs("_files -/", out);
        break;
    case SCREE_VALUE_WORDS:
        fputs("(", out);
        put_words(out, value);
        fputs(")", out);
        break;
    case SCREE_VALUE_CASES:
        fprintf(out, "{compadd $(scree %s --list 2>/dev/null | awk \"{print \\$1}\")}", command->name);
        break;
    case SCREE_VALUE_COMMAND:
        fputs("{compadd $commands}", out);
        break;
    case SCREE_VALUE_FREE:
        fputs(" ", out);
        break;
    }
}

static void put_zsh_command(FILE *out, const scree_command *command)
{
    fprintf(out, "  %s) _arguments", command->name);
    for (int i = 0; i < command->option_count; i++) {
        const scree_option *option = &command->options[i];
        fputs(" \\\n    ", out);
        if (option->letter)
            fprintf(out, "{-%c,--%s}", option->letter, option->name);
        else
            fprintf(out, "--%s", option->name);
        fputs("'[", out);
        put_zsh_text(out, option->help);
        fputc(']', out);
        if (option->value) {
            fputc(':', out);
            put_zsh_text(out, option->value);
            fputc(':', out);
            put_zsh_values(out, command, option->value);
        }
        fputc('\'', out);
    }
    if (command->operand) {
        fputs(" \\\n    '*:", out);
        put_zsh_text(out, command->operand);
        fputc(':', out);
        put_zsh_values(out, command, command->operand);
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
}

static void write_zsh(FILE *out)
{
    fputs("#compdef scree\n# Completion of scree in zsh: keep it as _scree in a directory of $fpath.\n"
          "_scree() {\n  local -a commands described\n  commands=(",
          out);
    for (int i = 0; scree_commands[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", scree_commands[i]->name);
    fputs(")\n  described=(\n", out);
    for (int i = 0; scree_commands[i]; i++) {
        fprintf(out, "    '%s:", scree_commands[i]->name);
        put_zsh_text(out, scree_commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("  )\n  if (( CURRENT == 2 )); then\n    _describe command described\n    return\n  fi\n"
          "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n",
          out);
    for (int i = 0; scree_commands[i]; i++)
        put_zsh_command(out, scree_commands[i]);
    fputs("  esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _scree \"$@\"; else compdef _scree scree; "
          "fi\n",
          out);
}

/* ---------------------------------------------------------------- fish */

static void put_fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_fish_values(FILE *out, const scree_command *command, const char *value)
{
    char extension[8];
    switch (scree_value_kind_of(value, extension)) {
    case SCREE_VALUE_FILE:
        if (extension[0])
            fprintf(out, " -xa '(__fish_complete_suffix .%s)'", extension);
        else
            fputs(" -rF", out);
        break;
    case SCREE_VALUE_DIRECTORY:
        fputs(" -xa '(__fish_complete_directories)'", out);
        break;
    case SCREE_VALUE_WORDS:
        fputs(" -xa '", out);
        put_words(out, value);
        fputs("'", out);
        break;
    case SCREE_VALUE_CASES:
        fprintf(out, " -xa '(scree %s --list 2>/dev/null | string match -r \"\\S+\")'", command->name);
        break;
    case SCREE_VALUE_COMMAND:
        fputs(" -xa \"$scree_commands\"", out);
        break;
    case SCREE_VALUE_FREE:
        fputs(" -x", out);
        break;
    }
}

static void put_fish_command(FILE *out, const scree_command *command)
{
    fprintf(out, "complete -c scree -n __fish_use_subcommand -xa %s -d ", command->name);
    put_fish_text(out, command->summary);
    fputc('\n', out);
    if (command->operand) {
        fprintf(out, "complete -c scree -n '__fish_seen_subcommand_from %s'", command->name);
        put_fish_values(out, command, command->operand);
        fputc('\n', out);
    }
    for (int i = 0; i < command->option_count; i++) {
        const scree_option *option = &command->options[i];
        fprintf(out, "complete -c scree -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
        if (option->letter)
            fprintf(out, " -s %c", option->letter);
        if (option->value)
            put_fish_values(out, command, option->value);
        fputs(" -d ", out);
        put_fish_text(out, option->help);
        fputc('\n', out);
    }
}

static void write_fish(FILE *out)
{
    fputs("# Completion of scree in fish: keep it as ~/.config/fish/completions/scree.fish\nset -l scree_commands",
          out);
    for (int i = 0; scree_commands[i]; i++)
        fprintf(out, " %s", scree_commands[i]->name);
    fputs("\ncomplete -c scree -f\n", out);
    for (int i = 0; scree_commands[i]; i++)
        put_fish_command(out, scree_commands[i]);
}

/* ---------------------------------------------------------------- the commands */

static int complete(const scree_command *command, int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *shell = NULL;
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (!scree_arguments_take(&arguments, found, "shell", &shell))
            return SCREE_EXIT_BAD;
    }
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shell, shells[i].shell) == 0) {
            shells[i].write(stdout);
            return SCREE_EXIT_OK;
        }
    scree_complain("scree completion: no shell \"%.60s\"; allowed: bash, zsh, fish", shell);
    return SCREE_EXIT_BAD;
}

static const char *const completion_examples[] = {
    "eval \"$(scree completion bash)\"", "in this shell; in ~/.bashrc for every shell", //
    "scree completion fish > ~/.config/fish/completions/scree.fish", "for fish, for good", NULL};

const scree_command scree_command_completion = {
    .name = "completion",
    .synopsis = "bash|zsh|fish",
    .summary = "print what a shell needs to complete commands, options and files",
    .operand = "bash|zsh|fish",
    .examples = completion_examples,
    .run = complete,
};

enum { MAN, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [MAN] = {"man", 0, NULL, "all of it as a page for man"},
};

static int help(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *name = NULL;
    bool man = false;
    for (int found = scree_arguments_next(&arguments); found != SCREE_ARGUMENT_END;
         found = scree_arguments_next(&arguments)) {
        if (found == MAN)
            man = true;
        else if (!scree_arguments_take(&arguments, found, "command", &name))
            return SCREE_EXIT_BAD;
    }
    const scree_command *wanted = name ? scree_command_find(name) : NULL;
    if (name && !wanted) {
        scree_complain("scree help: no command \"%.60s\"; `scree help` names them", name);
        return SCREE_EXIT_BAD;
    }
    if (man)
        scree_help_manual(stdout);
    else if (wanted)
        scree_help_command(stdout, wanted);
    else
        scree_help_overview(stdout);
    return SCREE_EXIT_OK;
}

static const char *const help_examples[] = {"scree help --man | man -l -", "read the manual", //
                                            "scree help --man > ~/.local/share/man/man1/scree.1",
                                            "keep it for man scree", NULL};

const scree_command scree_command_help = {
    .name = "help",
    .synopsis = "[COMMAND] [--man]",
    .summary = "say what there is, what a command takes, or print the manual",
    .operand = "COMMAND",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = help_examples,
    .run = help,
};
