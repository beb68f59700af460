/* One subcommand of `yoke`, as data: from it come parsing, --help and the errors, so that the three never disagree.
 * Who reads it: main.c (the table of commands) and option.c. The functions never return to their caller's caller early:
 * each gives the process's exit status. */
#ifndef YK_CLI_COMMAND_H
#define YK_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of yoke itself; `yoke run` otherwise ends with the program's own. */
enum {
    YK_EXIT_FAILED = 1, /* understood, and could not be done */
    YK_EXIT_USAGE = 2,  /* a wrong option or argument */
    YK_EXIT_SELF = 125, /* `yoke run`: yoke itself failed before the program was started, as env(1) */
    YK_EXIT_NOEXEC = 126 /* found, and cannot be run; 127 not found */,
    YK_EXIT_NOTFOUND = 127
};

enum { YK_CLI_MAX_OPTIONS = 32, YK_CLI_MSG = 256 };

struct yk_cli_option {
    const char *name;  /* long name without "--" */
    char letter;       /* short name, 0: none */
    const char *value; /* what the option takes, for the help ("LIST"); NULL: it is a flag */
    const char *env;   /* `yoke run`: the variable it sets; NULL: none */
    const char *help;  /* a sentence or two, wrapped when printed */
    /* False where VALUE is wrong, with the reason in MSG (YK_CLI_MSG bytes). NULL: anything goes. */
    bool (*check)(const char *value, char *msg);
};

struct yk_cli_command {
    const char *name, *usage, *summary;  /* one line each */
    const char *about;                   /* wrapped when printed; a newline begins a paragraph */
    const char *more;                    /* after the options, printed as it is: examples, statuses; may be NULL */
    const struct yk_cli_option *options; /* ends with a NULL name; NULL: the command parses for itself */
    /* argv[0] is the command's name. Returns the exit status. */
    int (*run)(const struct yk_cli_command *self, int argc, char **argv);
};

/**
 * Parse ARGV by the command's options. VALUES (YK_CLI_MAX_OPTIONS entries) gets per option its value, "1" for a flag
 * that is given, NULL where absent; the last of repeated options counts. Stops at the first argument that is no option,
 * or after "--". Returns the index of that argument (argc: none); or -1 - S where the process should end with status S:
 * help was printed (S 0), or an error (S YK_EXIT_USAGE).
 */
int yk_cli_parse(const struct yk_cli_command *c, int argc, char **argv, const char **values);

/** The value of option NAME, NULL where it was not given. NAME must be one of the command's. */
const char *yk_cli_value(const struct yk_cli_command *c, const char **values, const char *name);

/** The command's manual, on stdout. */
void yk_cli_help(const struct yk_cli_command *c);

/** "yoke NAME: message" on stderr and where to read on; returns YK_EXIT_USAGE. */
int yk_cli_usage_error(const struct yk_cli_command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Edit distance of A and B (insert, delete, replace, swap of neighbours count 1), for suggestions. */
unsigned yk_cli_distance(const char *a, const char *b);

extern const struct yk_cli_command yk_cli_run, yk_cli_devices, yk_cli_explain, yk_cli_profile, yk_cli_report,
    yk_cli_simulate;

#endif
