/* Plays yoke-transform for the stub's kernels: a request on stdin, a record of facts on stdout. Which arguments a
 * kernel reads and writes comes from a table; kernels that are not in it are said to read and write everything. Kernels
 * that look at ids of the range get hidden arguments, as variants by the real transformer do.
 *
 * FAKE_TRANSFORM is no variable of yoke's (the client cleans the environment); texts in the source steer it instead:
 * "@refuse" (program not understood), "@crash", "@garbage", "@hang", "@fail" (status 3, a message), "@slow" (0.3 s).
 * It makes no variants for windows: kernels run over whole copies then. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/stub/stub.h"
#include "transform/facts_write.h"

enum { MOST = 1 << 20, KERNELS = STUB_ARGS };

/* Per argument: r read, w written, b both, a atomic, u atomic with the result used, - neither (a value, local memory).
 */
static const struct {
    const char *name, *args;
    bool ids; /* needs the ids of the whole range */
    bool float_arith, inexact;
    const char *whole; /* verdict whole, because */
} known[] = {
    {"vadd", "rrw", false, true, false, NULL},
    {"iota", "w", false, false, false, NULL},
    {"scale_inplace", "b-", false, true, false, NULL},
    {"copy", "rw", false, false, false, NULL},
    {"fill", "w-", false, false, false, NULL},
    {"fill2d", "w-", false, false, false, NULL},
    {"add", "rb", false, false, false, NULL},
    {"rows", "b-", true, false, false, NULL},
    {"slow", "b-", false, true, true, NULL},
    {"whole_ids", "w", true, false, false, NULL},
    {"stencil", "rw-", false, true, false, NULL},
    {"set_flag", "rb", false, false, false, NULL},
    {"count_up", "u", false, false, false, "the result of a global atomic is used"},
    {"nothing", "", false, false, false, NULL},
};

static const struct yk_facts_hidden hidden[] = {{YK_HIDDEN_GROUP_OFFSET, 0},
                                                {YK_HIDDEN_GROUP_OFFSET, 1},
                                                {YK_HIDDEN_NUM_GROUPS, 0},
                                                {YK_HIDDEN_GLOBAL_SIZE, 0},
                                                {YK_HIDDEN_GLOBAL_OFFSET, 0}};

static char request[MOST], variant[MOST];
static struct stub_signature signature[KERNELS];
static struct yk_facts_arg args[KERNELS][STUB_ARGS];

static void fill_args(struct yk_facts_kernel *k, const struct stub_signature *s, struct yk_facts_arg *arg,
                      const char *access)
{
    static const enum yk_arg_kind kind[] = {[STUB_ARG_VALUE] = YK_ARG_VALUE,
                                            [STUB_ARG_GLOBAL] = YK_ARG_GLOBAL,
                                            [STUB_ARG_CONSTANT] = YK_ARG_CONSTANT,
                                            [STUB_ARG_LOCAL] = YK_ARG_LOCAL};
    k->nargs = s->n;
    k->arg = arg;
    for (unsigned i = 0; i < s->n; i++) {
        char a = access ? access[i] : s->param[i].kind == STUB_ARG_GLOBAL ? 'b' : '-';
        arg[i] = (struct yk_facts_arg){.name = s->param[i].name,
                                       .type = s->param[i].type,
                                       .kind = kind[s->param[i].kind],
                                       .size = (uint32_t)s->param[i].size,
                                       .read = strchr("rbau", a) != NULL,
                                       .written = strchr("wbau", a) != NULL,
                                       .plain_read = a == 'r' || a == 'b',
                                       .plain_written = a == 'w' || a == 'b',
                                       .atomic = a == 'a' || a == 'u',
                                       .atomic_ops = a == 'a' || a == 'u' ? YK_ATOMIC_ADD : 0,
                                       .atomic_used = a == 'u'};
        k->global_atomics |= arg[i].atomic;
    }
}

static void describe(const struct stub_signature *s, struct yk_facts_arg *arg, struct yk_facts_kernel *k)
{
    *k = (struct yk_facts_kernel){.name = s->name, .verdict = YK_VERDICT_MERGE, .reason = ""};
    const char *access = NULL;
    bool ids = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, s->name) && strlen(known[i].args) == s->n) {
            access = known[i].args;
            ids = known[i].ids;
            k->float_arith = known[i].float_arith;
            k->inexact = known[i].inexact;
            if (known[i].whole) {
                k->verdict = YK_VERDICT_WHOLE;
                k->reason = known[i].whole;
            }
        }
    fill_args(k, s, arg, access);
    if (ids) {
        k->needs_variant = true;
        k->nhidden = sizeof hidden / sizeof *hidden;
        k->hidden = (struct yk_facts_hidden *)(uintptr_t)hidden;
    }
}

/* The variant program: the same kernels, with their hidden parameters. */
static void write_variant(const struct yk_facts_kernel *kernel, unsigned n)
{
    static const char *const space[] = {"", "global ", "constant ", "local "};
    FILE *f = fmemopen(variant, sizeof variant, "w");
    for (unsigned k = 0; f && k < n; k++) {
        fprintf(f, "kernel void %s(", kernel[k].name);
        for (unsigned i = 0; i < signature[k].n; i++) {
            const struct stub_param *p = &signature[k].param[i];
            fprintf(f, "%s%s%s %s%s", i ? ", " : "", space[p->kind], p->type, p->kind == STUB_ARG_VALUE ? "" : "*",
                    p->name);
        }
        for (unsigned i = 0; i < kernel[k].nhidden; i++)
            fprintf(f, "%sulong yoke_%u", i || signature[k].n ? ", " : "", i);
        fputs(") {}\n", f);
    }
    if (!f || fclose(f))
        abort();
}

static void act(const char *source)
{
    if (strstr(source, "@crash"))
        raise(SIGSEGV);
    if (strstr(source, "@hang"))
        for (;;)
            pause();
    if (strstr(source, "@slow"))
        usleep(300000);
    if (strstr(source, "@fail")) {
        fputs("no such luck\n", stderr);
        exit(3);
    }
    if (strstr(source, "@garbage")) {
        for (int i = 0; i < 5000; i++)
            putchar(i * 7 % 251);
        exit(0);
    }
}

int main(void)
{
    size_t n = fread(request, 1, sizeof request - 1, stdin), targets = 0, size;
    const char *source = NULL;
    bool windows = false;
    /* Blobs: "KEY N", N bytes, end of line; behind a first line. */
    char *p = strchr(request, '\n');
    for (p = p ? p + 1 : NULL; p && p < request + n;) {
        char key[32];
        size_t len;
        int used = 0;
        if (sscanf(p, "%31s %zu%n", key, &len, &used) < 2 || (size_t)(p - request) + (size_t)used + 1 + len > n)
            return 2;
        p += used + 1;
        targets += !strcmp(key, "target");
        windows |= !strcmp(key, "windows");
        if (!strcmp(key, "source")) {
            source = p;
            p[len] = 0;
            break;
        }
        p += len + 1;
    }
    if (!source)
        return 2;
    act(source);
    char names[KERNELS][64], *text;
    uint64_t target[64] = {0};
    struct yk_facts_kernel kernel[KERNELS];
    struct yk_facts f = {
        .transformer = "fake", .ntargets = (unsigned)targets, .target_text = target, .variant_options = ""};
    if (strstr(source, "@refuse")) {
        f.refused = "the fake transformer was told to refuse";
    } else {
        f.nkernels = stub_kernel_names(source, names, KERNELS);
        f.kernel = kernel;
        bool variants = false;
        for (unsigned i = 0; i < f.nkernels; i++) {
            stub_signature(source, names[i], &signature[i]);
            describe(&signature[i], args[i], &kernel[i]);
            kernel[i].needs_variant &= !windows;
            kernel[i].nhidden = windows ? 0 : kernel[i].nhidden;
            variants |= kernel[i].needs_variant;
        }
        if (variants) {
            write_variant(kernel, f.nkernels);
            f.variant_source = variant;
            f.variant_size = strlen(variant);
        }
    }
    if (targets > 64 || yk_facts_write(&f, &text, &size) != YK_OK)
        return 2;
    return fwrite(text, 1, size, stdout) == size && !fflush(stdout) ? 0 : 2;
}
