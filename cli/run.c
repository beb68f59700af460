/* `yoke run`: options become environment variables, libyoke.so goes in front of LD_PRELOAD, the program replaces this
 * process: its pid, signals, descriptors and exit status are its own. */
#include "cli/command.h"
#include "base/env.h"
#include "cli/locate.h"
#include "partitioner/strategy.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool one_of(const char *value, const char *const words[], char *msg)
{
    size_t used = (size_t)snprintf(msg, YK_CLI_MSG, "must be one of");
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0)
            return true;
        used += (size_t)snprintf(msg + used, YK_CLI_MSG - used, "%s %s", i ? "," : "", words[i]);
    }
    return false;
}

static bool check_numerics(const char *value, char *msg)
{
    static const char *const words[] = {"strict", "mixed", "any", NULL};
    return one_of(value, words, msg);
}

static bool check_as(const char *value, char *msg)
{
    static const char *const words[] = {"gpu", "cpu", NULL};
    return one_of(value, words, msg);
}

static bool check_log(const char *value, char *msg)
{
    static const char *const words[] = {"error", "warn", "info", "debug", NULL};
    return one_of(value, words, msg);
}

/* A comma-separated list without empty entries. Which devices there are is known only where the program runs. */
static bool check_list(const char *value, char *msg)
{
    size_t n = strlen(value);
    bool good = n > 0 && value[0] != ',' && value[n - 1] != ',' && !strstr(value, ",,");
    if (!good)
        snprintf(msg, YK_CLI_MSG, "a list such as 0,1 or cpu,gpu is needed (see yoke devices)");
    return good;
}

static bool check_name(const char *value, char *msg)
{
    if (*value)
        return true;
    snprintf(msg, YK_CLI_MSG, "a device is needed: its number or a part of its name (see yoke devices)");
    return false;
}

/* The partitioner's own word on what a strategy is. */
static bool check_strategy(const char *value, char *msg)
{
    struct yk_strategy s;
    return yk_strategy_parse(value, &s, msg, YK_CLI_MSG) == YK_OK;
}

static bool check_memory(const char *value, char *msg)
{
    uint64_t bytes;
    if (!strcmp(value, "device") || !strcmp(value, "sum") || !strcmp(value, "host") ||
        (yk_parse_bytes(value, &bytes) == YK_OK && bytes >= 1 << 20))
        return true;
    snprintf(msg, YK_CLI_MSG, "must be device, sum, host or a number of bytes from 1M on, as 64G");
    return false;
}

static bool check_memory_limit(const char *value, char *msg)
{
    for (const char *at = value; at;) {
        char one[256];
        uint64_t bytes;
        size_t n = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)n, at);
        const char *is = strchr(one, '=');
        if (!is || is == one || yk_parse_bytes(is + 1, &bytes) != YK_OK || !bytes) {
            snprintf(msg, YK_CLI_MSG, "must be DEV=BYTES, comma-separated, as 0=64M (see yoke devices)");
            return false;
        }
        at = at[n] ? at + n + 1 : NULL;
    }
    return true;
}

static bool check_platform(const char *value, char *msg)
{
    if (!strcmp(value, "auto") || !strcmp(value, "yoke") || !strcmp(value, "primary"))
        return true;
    snprintf(msg, YK_CLI_MSG, "must be auto, yoke or primary");
    return false;
}

static bool check_parts(const char *value, char *msg)
{
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (strcmp(value, "numa") == 0 || (isdigit((unsigned char)*value) && !*end && errno == 0 && n >= 1 && n <= 64))
        return true;
    snprintf(msg, YK_CLI_MSG, "must be a number from 1 to 64, or numa");
    return false;
}

static bool check_pipeline(const char *value, char *msg)
{
    char *end;
    long n = strtol(value, &end, 10);
    bool number = isdigit((unsigned char)*value) && !*end && n >= 2 && n <= 256;
    if (number || !strcmp(value, "auto") || !strcmp(value, "off") || !strcmp(value, "force"))
        return true;
    snprintf(msg, YK_CLI_MSG, "must be auto, off, force or a number from 2 to 256");
    return false;
}

static bool check_gather(const char *value, char *msg)
{
    if (!strcmp(value, "auto") || !strcmp(value, "off") || !strcmp(value, "force"))
        return true;
    snprintf(msg, YK_CLI_MSG, "must be auto, off or force");
    return false;
}

static bool check_file(const char *value, char *msg)
{
    size_t n = strlen(value);
    if (n == 0 || value[n - 1] == '/' || strcmp(value, "-") == 0) {
        snprintf(msg, YK_CLI_MSG, "a file name is needed");
        return false;
    }
    const char *slash = strrchr(value, '/');
    char folder[PATH_MAX];
    int used = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - value) + 1 : 1, slash ? value : ".");
    if (used >= (int)sizeof folder || access(folder, W_OK | X_OK) != 0) {
        snprintf(msg, YK_CLI_MSG, "cannot write there: %s",
                 strerror(used >= (int)sizeof folder ? ENAMETOOLONG : errno));
        return false;
    }
    return true;
}

static const struct yk_cli_option options[] = {
    {"devices", 'd', "LIST", "YOKE_DEVICES",
     "Use these devices only: numbers or parts of names as 'yoke devices' prints them, or cpu, gpu; separated by "
     "commas.",
     check_list},
    {"primary", 'p', "DEV", "YOKE_PRIMARY",
     "The device that yoke speaks for and that runs what cannot be split (default: the fastest).", check_name},
    {"strategy", 's', "HOW", "YOKE_STRATEGY",
     "waterfill: the least time by what was measured, transfers included. skmd: the same by steps, as in its paper. "
     "linear: by measured speed. even: equal shares. guided: chunks, the next one to whoever is free. 70:30: fixed "
     "shares, in the order of the devices. single:DEV: all on one device.",
     check_strategy},
    {"numerics", 'n', "HOW", "YOKE_NUMERICS",
     "Kernels with inexact operations: strict keeps them on devices that compute the same bits as the primary "
     "(default); "
     "mixed lets other devices in where a difference cannot reach a decision; any lets all in.",
     check_numerics},
    {"force-split", 'f', NULL, "YOKE_FORCE_SPLIT=1", "Split whatever can be split, also where it does not pay.", NULL},
    {"gather", 'g', "HOW", "YOKE_GATHER",
     "Small launches that do not depend on one another run as one: auto (default) on GPUs where that pays, off, force.",
     check_gather},
    {"pipeline", 0, "HOW", "YOKE_PIPELINE",
     "Launches beside the transfers around them, in parts: auto (default) where that is predicted to pay, off, force; "
     "or a "
     "number of parts.",
     check_pipeline},
    {"reproducible", 'r', NULL, "YOKE_REPRODUCIBLE=1", "Keep the shares of a kernel fixed.", NULL},
    {"verify", 0, NULL, "YOKE_VERIFY=1", "Run every split launch also whole, compare all buffers (slow).", NULL},
    {"as", 0, "TYPE", "YOKE_AS",
     "The device type that the program is told: gpu or cpu (default: the primary's; it is found as either).", check_as},
    {"platform", 0, "NAME", "YOKE_PLATFORM",
     "Whose names platform and device have: yoke, primary, for programs that know a driver by its name, or auto "
     "(default): yoke, but the primary's platform for programs that use pyopencl.",
     check_platform},
    {"cpu-parts", 0, "N", "YOKE_CPU_PARTS", "Cut a CPU device into N equal parts, or with numa into its NUMA nodes.",
     check_parts},
    {"memory", 0, "HOW", "YOKE_MEMORY",
     "How much memory the program is told of: device (default), what the primary has; sum, of all devices; host, the "
     "host's; or bytes, as 64G. What the primary has no room for lives in host memory, and launches see windows of it.",
     check_memory},
    {"memory-limit", 0, "LIST", "YOKE_MEMORY_LIMIT",
     "Use no more of devices' memory: DEV=BYTES, comma-separated, as 0=64M (with it, --memory is sum).",
     check_memory_limit},
    {"json", 'j', "FILE", "YOKE_JSON", "Write the summary to FILE as JSON when the program ends.", check_file},
    {"trace", 't', "FILE", "YOKE_TRACE",
     "Write what is decided, moved and run to FILE while it happens, for 'yoke report' and for Perfetto.", check_file},
    {"quiet", 'q', NULL, "YOKE_QUIET=1", "No summary on standard error.", NULL},
    {"log", 'l', "LEVEL", "YOKE_LOG", "Messages: error, warn (default), info or debug.", check_log},
    {"verbose", 'v', NULL, "YOKE_LOG=info", "The same as --log info.", NULL},
    {0}};

/* Sets NAME or ends: a variable that cannot be set means that no program can be started either. */
static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) {
        fprintf(stderr, "yoke run: cannot set %s: %s\n", name, strerror(errno));
        exit(YK_EXIT_SELF);
    }
}

/* The program may change its folder before yoke writes. */
static void set_absolute(const char *name, const char *file)
{
    char cwd[PATH_MAX], path[2 * PATH_MAX];
    if (file[0] == '/') {
        set(name, file);
        return;
    }
    if (!getcwd(cwd, sizeof cwd)) {
        fprintf(stderr, "yoke run: current folder: %s\n", strerror(errno));
        exit(YK_EXIT_SELF);
    }
    snprintf(path, sizeof path, "%s/%s", cwd, file);
    set(name, path);
}

static void export_options(const struct yk_cli_command *self, const char **values)
{
    for (unsigned i = 0; options[i].name; i++) {
        const char *equals = strchr(options[i].env, '=');
        if (!values[i])
            continue;
        if (strcmp(options[i].name, "verbose") == 0 && yk_cli_value(self, values, "log"))
            continue; /* the explicit level counts */
        if (equals) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(equals - options[i].env), options[i].env);
            set(name, equals + 1);
        } else if (strcmp(options[i].name, "json") == 0 || strcmp(options[i].name, "trace") == 0) {
            if (options[i].name[0] == 't')
                unlink(values[i]); /* the library adds to no older trace */
            set_absolute(options[i].env, values[i]);
        } else {
            set(options[i].env, values[i]);
        }
    }
    /* Who starts a program with `yoke run` wants to see what came of it; who preloads libyoke.so wants silence. */
    if (yk_cli_value(self, values, "quiet"))
        unsetenv("YOKE_SUMMARY");
    else
        set("YOKE_SUMMARY", "1");
}

/* libyoke.so first, so that its OpenCL is the one found; what was preloaded before stays. */
static int preload(void)
{
    char path[PATH_MAX], msg[4 * PATH_MAX];
    if (yk_locate_library(path, sizeof path, msg, sizeof msg) != 0) {
        fprintf(stderr, "yoke run: libyoke.so: %s\n", msg);
        return -1;
    }
    if (strpbrk(path, " :")) {
        fprintf(stderr, "yoke run: %s: the dynamic linker takes no LD_PRELOAD path with a space or colon\n", path);
        return -1;
    }
    const char *old = getenv("LD_PRELOAD");
    size_t n = strlen(path);
    if (!old || !*old) {
        set("LD_PRELOAD", path);
    } else if (strncmp(old, path, n) != 0 || !strchr(" :", old[n])) { /* strchr finds the terminating NUL too */
        char *both = NULL;
        if (asprintf(&both, "%s:%s", path, old) < 0)
            return -1;
        set("LD_PRELOAD", both);
        free(both);
    }
    return 0;
}

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    int first = yk_cli_parse(self, argc, argv, values);
    if (first < 0)
        return -1 - first;
    if (first == argc)
        return yk_cli_usage_error(self, "which program? (yoke run [options] -- ./app args...)");
    export_options(self, values);
    if (preload() != 0)
        return YK_EXIT_SELF;
    execvp(argv[first], argv + first);
    int code = errno;
    fprintf(stderr, "yoke run: %s: %s\n", argv[first], strerror(code));
    return code == ENOENT || code == ENOTDIR ? YK_EXIT_NOTFOUND : YK_EXIT_NOEXEC;
}

const struct yk_cli_command yk_cli_run = {
    .name = "run",
    .usage = "yoke run [options] [--] PROGRAM [ARGUMENT...]",
    .summary = "run an OpenCL program on all devices as if they were one",
    .about =
        "The program needs no change and no recompilation. It sees one OpenCL platform with one device; its kernel "
        "launches are split over the devices wherever that keeps every answer as it was, and run whole otherwise. A "
        "summary follows on standard error when it ends.\n"
        "Each option sets the environment variable named in brackets; with those variables, "
        "LD_PRELOAD=libyoke.so does the same.",
    .more = "Exit status: the program's own. 127: it was not found; 126: it cannot be run;\n"
            "125: libyoke.so was not found; 2: a wrong option.\n"
            "\n"
            "Programs that the dynamic linker starts without preloads (set-user-ID,\n"
            "statically linked) run as they would without yoke.\n"
            "\n"
            "Examples:\n"
            "  yoke run -- ./app\n"
            "  yoke run --devices 0,1 --strategy 70:30 -- ./app --size 1024\n"
            "  yoke run --quiet --json summary.json -- hashcat -b -m 900",
    .options = options,
    .run = run};
