/* `yoke explain`: hands the file to yoke-transform, the program that also works behind `yoke run`. */
#include "cli/command.h"
#include "cli/locate.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct yk_cli_option options[] = {{"json", 'j', NULL, NULL, "Print the facts as JSON.", NULL}, {0}};

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    int first = yk_cli_parse(self, argc, argv, values);
    if (first < 0)
        return -1 - first;
    if (first == argc)
        return yk_cli_usage_error(self, "which file? (yoke explain FILE.cl)");
    if (access(argv[first], R_OK) != 0) {
        fprintf(stderr, "yoke explain: %s: %s\n", argv[first], strerror(errno));
        return YK_EXIT_FAILED;
    }
    bool json = yk_cli_value(self, values, "json") != NULL;
    int rest = first + 1; /* what follows the file: options may still come before "--" */
    if (rest < argc && (strcmp(argv[rest], "--json") == 0 || strcmp(argv[rest], "-j") == 0))
        json = true, rest++;
    if (rest < argc && strcmp(argv[rest], "--") != 0)
        return yk_cli_usage_error(self, "%s: build options come after --", argv[rest]);

    char path[PATH_MAX], msg[4 * PATH_MAX];
    if (yk_locate_transform(path, sizeof path, msg, sizeof msg) != 0) {
        fprintf(stderr, "yoke explain: yoke-transform: %s\n", msg);
        return YK_EXIT_FAILED;
    }
    const char **args = calloc((size_t)argc + 5, sizeof *args);
    if (!args)
        return YK_EXIT_FAILED;
    unsigned n = 0;
    args[n++] = path;
    args[n++] = "--explain";
    if (json)
        args[n++] = "--json";
    args[n++] = argv[first];
    for (int i = rest; i < argc; i++)
        args[n++] = argv[i];
    execv(path, (char **)(void *)args);
    fprintf(stderr, "yoke explain: %s: %s\n", path, strerror(errno));
    free(args);
    return YK_EXIT_FAILED;
}

const struct yk_cli_command yk_cli_explain = {
    .name = "explain",
    .usage = "yoke explain [--json] FILE.cl [-- BUILD-OPTION...]",
    .summary = "what yoke can do with the kernels of an OpenCL C file, and why",
    .about =
        "Prints for each kernel the verdict (can it be split, and if not, why), the facts it rests on (what is read, "
        "written and touched by atomics) and the source that yoke would give to the devices. Build options are those "
        "that the program gives to clBuildProgram.",
    .more = "Exit status: 0; 1: the file cannot be read or does not compile;\n"
            "2: a wrong option.\n"
            "\n"
            "Examples:\n"
            "  yoke explain kernels.cl\n"
            "  yoke explain kernels.cl -- -DBLOCK=16 -cl-fast-relaxed-math",
    .options = options,
    .run = run};
