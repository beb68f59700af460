/* diffgen: make OpenCL programs from seeds, run them, keep and compare what their buffers hold. */
#include "launch.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "diffgen run     [options] [--out FILE]   run the programs of the seeds\n"
    "diffgen print   [options]                print them: launches in comments, options, source\n"
    "diffgen compare GOT REFERENCE...         is each number of GOT that of a REFERENCE, byte for byte?\n\n"
    "  --seed N[..M]   seeds, one program each (default 1)\n"
    "  --kernels N     kernels per program (default 25)\n"
    "  --inexact P     per cent of kernels that compute in float or double (default 60)\n"
    "  --light P       per cent of kernels with short expressions and no library functions (default 0)\n"
    "  --optimised P   per cent of programs built without -cl-opt-disable (default 25)\n"
    "  --no-chain      no kernel reads what another one wrote\n"
    "  --apart         no kernel reads what another launch or work-group wrote\n"
    "  --no-double     nothing needs fp64\n"
    "  --plain         leave out what Oclgrind 21.10 computes wrongly\n"
    "  --only K        run kernel K of each program alone\n"
    "  --device N      device number N of all platforms (default 0)\n\n"
    "Status of run: 0, or 2 after an OpenCL error. Of compare: 0 equal, 1 different, 2 not comparable.\n";

struct options {
    unsigned long long first, last;
    struct limits limits;
    int only;
    unsigned device;
    const char *out;
};

static void bad_usage(const char *what, const char *text)
{
    fprintf(stderr, "diffgen: %s '%s' (see diffgen --help)\n", what, text);
    exit(2);
}

static unsigned long long number(const char *text, char **end)
{
    if (*text < '0' || *text > '9') {
        bad_usage("not a number:", text);
    }
    return strtoull(text, end, 10);
}

static unsigned small_number(const char *text, unsigned long long most)
{
    char *end;
    unsigned long long n = number(text, &end);
    if (*end || n > most) {
        bad_usage("bad number", text);
    }
    return (unsigned)n;
}

static void parse(struct options *o, int argc, char **argv)
{
    char *end;
    *o = (struct options){.first = 1,
                          .last = 1,
                          .limits = {.kernels = 25, .chain = true, .doubles = true, .inexact = 60, .optimised = 25},
                          .only = -1};
    for (int i = 2; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--no-chain") == 0) {
            o->limits.chain = false;
            continue;
        } else if (strcmp(name, "--no-double") == 0) {
            o->limits.doubles = false;
            continue;
        } else if (strcmp(name, "--apart") == 0) {
            o->limits.apart = true;
            continue;
        } else if (strcmp(name, "--plain") == 0) {
            o->limits.plain = true;
            continue;
        } else if (i + 1 == argc) {
            bad_usage("unknown option, or no value for", name);
        }
        const char *value = argv[++i];
        if (strcmp(name, "--seed") == 0) {
            o->first = o->last = number(value, &end);
            if (strncmp(end, "..", 2) == 0) {
                o->last = number(end + 2, &end);
            }
            if (*end || o->last < o->first) {
                bad_usage("bad seeds", value);
            }
        } else if (strcmp(name, "--kernels") == 0) {
            o->limits.kernels = small_number(value, 1000);
        } else if (strcmp(name, "--inexact") == 0) {
            o->limits.inexact = small_number(value, 100);
        } else if (strcmp(name, "--light") == 0) {
            o->limits.light = small_number(value, 100);
        } else if (strcmp(name, "--optimised") == 0) {
            o->limits.optimised = small_number(value, 100);
        } else if (strcmp(name, "--only") == 0) {
            o->only = (int)small_number(value, 1000);
        } else if (strcmp(name, "--device") == 0) {
            o->device = small_number(value, 1000);
        } else if (strcmp(name, "--out") == 0) {
            o->out = value;
        } else {
            bad_usage("unknown option", name);
        }
    }
    if (o->limits.kernels == 0) {
        bad_usage("bad number", "0");
    }
}

static int run(struct options *o)
{
    struct launcher *launcher = launcher_open(o->device);
    if (o->limits.doubles && !launcher_has_double(launcher)) {
        fprintf(stderr, "diffgen: the device has no fp64: use --no-double (on all runs to be compared)\n");
        return 2;
    }
    FILE *file = o->out ? fopen(o->out, "wb") : NULL;
    if (o->out && !file) {
        perror(o->out);
        return 2;
    }
    bool good = true;
    for (unsigned long long seed = o->first; seed <= o->last && good; seed++) {
        struct plan plan;
        plan_make(&plan, seed, &o->limits);
        good = launcher_run(launcher, &plan, o->only, file);
        plan_finish(&plan);
    }
    if (file && fclose(file)) {
        perror(o->out);
        good = false;
    }
    launcher_close(launcher);
    return good ? 0 : 2;
}

int main(int argc, char **argv)
{
    struct options o;
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "compare") == 0) {
        if (argc < 4) {
            bad_usage("two files are needed:", "compare");
        }
        return records_compare(argv[2], argv + 3, argc - 3);
    }
    parse(&o, argc, argv);
    if (strcmp(argv[1], "run") == 0) {
        return run(&o);
    }
    if (strcmp(argv[1], "print") != 0) {
        bad_usage("unknown command", argv[1]);
    }
    for (unsigned long long seed = o.first; seed <= o.last; seed++) {
        struct plan plan;
        plan_make(&plan, seed, &o.limits);
        plan_print(&plan);
        printf("// options: %s\n%s", plan.options, plan.source.v);
        plan_finish(&plan);
    }
    return 0;
}
