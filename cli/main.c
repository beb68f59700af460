/* `yoke`: finds the command and hands over. What a command does stands in the file of its name. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#ifdef YK_HAVE_SOLVE
#include "cli/solve.h"

static int run_solve(const struct yk_cli_command *self, int argc, char **argv)
{
    (void)self;
    return yk_cli_solve(argc, argv);
}

static const struct yk_cli_command solve = {
    .name = "solve", .summary = "probability of evidence and marginals of a probabilistic network", .run = run_solve};
#endif

static const struct yk_cli_command *const commands[] = {
    &yk_cli_run, &yk_cli_devices, &yk_cli_explain, &yk_cli_profile, &yk_cli_report, &yk_cli_simulate,
#ifdef YK_HAVE_SOLVE
    &solve,
#endif
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fprintf(to, "yoke: every OpenCL device of a machine as one\n\n"
                "Usage: yoke COMMAND [options] ...\n"
                "       yoke COMMAND --help\n"
                "       yoke --version\n\n"
                "An unmodified OpenCL program started by 'yoke run' sees one platform with one\n"
                "device; yoke splits its kernel launches over all real devices and puts the\n"
                "results together.\n\n"
                "Commands:\n");
    for (unsigned i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "  %-10s %s\n", "help", "the manual of a command: yoke help COMMAND");
    fprintf(to, "\nExit status: 0 done; 1 failed, with a message; 2 a wrong command, option or\n"
                "argument. 'yoke run' ends with the status of the program it runs.\n\n"
                "Examples:\n"
                "  yoke devices                   what there is and how yoke uses it\n"
                "  yoke run -- ./app args...      run a program on all devices\n"
                "  yoke explain kernels.cl        what yoke can do with these kernels, and why\n");
}

static const struct yk_cli_command *find(const char *name)
{
    for (unsigned i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *best = NULL;
    unsigned least = 3;
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        unsigned d = yk_cli_distance(name, commands[i]->name);
        if (d < least)
            least = d, best = commands[i]->name;
    }
    fprintf(stderr, "yoke: unknown command '%s'%s%s%s\nTry 'yoke --help'.\n", name, best ? " (do you mean '" : "",
            best ? best : "", best ? "'?)" : "");
    return YK_EXIT_USAGE;
}

/* `yoke help COMMAND` is `yoke COMMAND --help`. */
static int help_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return 0;
    }
    const struct yk_cli_command *c = find(argv[1]);
    if (!c)
        return unknown_command(argv[1]);
    char option[] = "--help";
    char *args[] = {argv[1], option, NULL};
    return c->run(c, 2, args);
}

static int dispatch(int argc, char **argv)
{
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        puts("yoke " YOKE_VERSION);
        return 0;
    }
    if (strcmp(first, "help") == 0)
        return help_command(argc - 1, argv + 1);
    if (first[0] == '-') {
        fprintf(stderr, "yoke: unknown option %s\nTry 'yoke --help'.\n", first);
        return YK_EXIT_USAGE;
    }
    const struct yk_cli_command *c = find(first);
    return c ? c->run(c, argc - 1, argv + 1) : unknown_command(first);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return YK_EXIT_USAGE;
    }
    int status = dispatch(argc, argv);
    /* What could not be written (a full disk) is a failure. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        perror("yoke: standard output");
        status = YK_EXIT_FAILED;
    }
    return status;
}
