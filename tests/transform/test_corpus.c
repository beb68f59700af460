/* Verdicts, facts and hidden arguments of the corpus, as its comments say; and the record survives the way to the shim.
 */
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"
#include "transform/facts_names.h"
#include "transform/facts_write.h"

static int failures, checks;

#define EXPECT(cond, ...)                                                                                              \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(cond)) {                                                                                                 \
            failures++;                                                                                                \
            fprintf(stderr, "%s: ", path);                                                                             \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
        }                                                                                                              \
    } while (0)

static const struct yk_facts_kernel *kernel(const char *path, const struct yk_facts *f, const char *name)
{
    const struct yk_facts_kernel *k = yk_facts_find(f, name);
    EXPECT(k, "no kernel %s (%s)", name, f->refused ? f->refused : "not refused");
    return k;
}

static bool flag(const struct yk_facts_flag *table, const void *object, const char *name, bool *value)
{
    for (; table->name; table++)
        if (!strcmp(table->name, name)) {
            *value = *(const bool *)((const char *)object + table->offset);
            return true;
        }
    return false;
}

static void check_flag(const char *path, const char *who, const struct yk_facts_flag *table, const void *object,
                       const char *w)
{
    bool value, want = w[0] != '!';
    if (!flag(table, object, w + !want, &value))
        ck_abort_msg("%s: %s: no such flag: %s", path, who, w);
    EXPECT(value == want, "%s: %s is %d", who, w + !want, value);
}

static void check_verdict(const char *path, const struct yk_facts *f, char *line)
{
    char *save, *name = strtok_r(line, " ", &save), *verdict = strtok_r(NULL, " ", &save),
                *why = strtok_r(NULL, "", &save);
    const struct yk_facts_kernel *k = kernel(path, f, name);
    if (!k)
        return;
    EXPECT(!strcmp(yk_verdict_name(k->verdict), verdict), "%s is %s, not %s: %s", name, yk_verdict_name(k->verdict),
           verdict, k->reason);
    EXPECT(!why || strstr(k->reason, why), "%s: reason is: %s", name, k->reason);
}

static void check_flags(const char *path, const struct yk_facts *f, char *line)
{
    char *save, *name = strtok_r(line, " ", &save);
    const struct yk_facts_kernel *k = kernel(path, f, name);
    for (char *w; k && (w = strtok_r(NULL, " ", &save));)
        check_flag(path, name, yk_facts_kernel_flags, k, w);
}

static void check_hidden(const char *path, const struct yk_facts *f, char *line)
{
    char *save, *name = strtok_r(line, " ", &save), *want = strtok_r(NULL, "", &save), have[1024] = "";
    const struct yk_facts_kernel *k = kernel(path, f, name);
    for (unsigned i = 0; k && i < k->nhidden; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s%s%u", i ? " " : "",
                 yk_hidden_kind_name(k->hidden[i].kind), k->hidden[i].dim);
    EXPECT(!strcmp(have, want ? want : ""), "%s: hidden are: %s", name, have);
}

static void check_arg(const char *path, const struct yk_facts *f, char *line)
{
    char *save, *name = strtok_r(line, " ", &save), *arg = strtok_r(NULL, " ", &save);
    const struct yk_facts_kernel *k = kernel(path, f, name);
    const struct yk_facts_arg *a = NULL;
    for (unsigned i = 0; k && i < k->nargs; i++)
        if (!strcmp(k->arg[i].name, arg))
            a = &k->arg[i];
    EXPECT(a, "%s has no argument %s", name, arg);
    for (char *w; a && (w = strtok_r(NULL, " ", &save));) {
        if (!strncmp(w, "kind=", 5)) {
            EXPECT(!strcmp(yk_arg_kind_name(a->kind), w + 5), "%s %s: kind %s", name, arg, yk_arg_kind_name(a->kind));
        } else if (!strncmp(w, "size=", 5)) {
            EXPECT(a->size == (uint32_t)atoi(w + 5), "%s %s: size %u", name, arg, a->size);
        } else if (!strncmp(w, "ops=", 4)) {
            uint32_t ops = 0;
            char *more;
            for (char *o = strtok_r(w + 4, ",", &more); o; o = strtok_r(NULL, ",", &more))
                for (unsigned bit = 0; yk_atomic_op_name(bit); bit++)
                    ops |= !strcmp(yk_atomic_op_name(bit), o) ? 1u << bit : 0;
            EXPECT(a->atomic_ops == ops, "%s %s: ops %x, not %x", name, arg, a->atomic_ops, ops);
        } else {
            check_flag(path, arg, yk_facts_arg_flags, a, w);
        }
    }
}

static void check_group(const char *path, const struct yk_facts *f, char *line)
{
    char name[64];
    unsigned g[3];
    ck_assert_int_eq(sscanf(line, "%63s %u %u %u", name, &g[0], &g[1], &g[2]), 4);
    const struct yk_facts_kernel *k = kernel(path, f, name);
    EXPECT(k && k->reqd_group[0] == g[0] && k->reqd_group[1] == g[1] && k->reqd_group[2] == g[2], "%s: group", name);
}

static void check_refused(const char *path, const struct yk_facts *f, char *line)
{
    EXPECT(f->refused && strstr(f->refused, line), "refused: %s", f->refused ? f->refused : "no");
}

static void check_source(const char *path, const struct yk_facts *f, char *line)
{
    EXPECT(f->variant_source && strstr(f->variant_source, line), "no variant has: %s", line);
}

/* What is written is what the shim reads. */
static void check_record(const char *path, const struct yk_facts *f)
{
    char *text, *again;
    size_t n, m;
    struct yk_facts g;
    ck_assert_int_eq(yk_facts_write(f, &text, &n), YK_OK);
    EXPECT(yk_facts_parse(text, n, &g) == YK_OK, "its record is not taken:\n%s", text);
    ck_assert_int_eq(yk_facts_write(&g, &again, &m), YK_OK);
    EXPECT(n == m && !memcmp(text, again, n), "its record changes");
    yk_facts_finish(&g);
    free(text);
    free(again);
}

START_TEST(the_corpus_is_understood_as_its_comments_say)
{
    static const struct {
        const char *key;
        void (*check)(const char *path, const struct yk_facts *f, char *line);
    } keys[] = {{"verdict", check_verdict}, {"flags", check_flags},     {"hidden", check_hidden}, {"arg", check_arg},
                {"group", check_group},     {"refused", check_refused}, {"source", check_source}};
    static struct corpus_file files[64];
    int n = corpus_files(files, 64);
    ck_assert_int_gt(n, 10);
    for (int i = 0; i < n; i++) {
        struct yk_facts f;
        char line[1024];
        int before = checks;
        corpus_facts(&files[i], &f);
        check_record(files[i].path, &f);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (const char *at = files[i].text; corpus_next(&at, keys[k].key, line, sizeof line);)
                keys[k].check(files[i].path, &f, line);
        ck_assert_msg(checks - before > 1, "%s expects nothing", files[i].path);
        yk_facts_finish(&f);
        free(files[i].text);
    }
    fprintf(stderr, "%d files, %d checks, %d wrong\n", n, checks, failures);
    ck_assert_int_gt(checks, 200);
    ck_assert_int_eq(failures, 0);
}
END_TEST

/* The programs of bench/apps: what is said of each kernel, and what its host program builds it with. */
START_TEST(the_programs_of_bench_apps_are_split)
{
    static const struct {
        const char *file, *kernel, *options, *verdict;
    } apps[] = {{"aes_decrypt", "decrypt", "", "merge"},
                {"aes_encrypt", "encrypt", "", "merge"},
                {"bfs", "expand", "", "merge"},
                {"bfs", "settle", "", "merge"},
                {"binomial_option", "price", "-D STEPS=254", "merge"},
                {"black_scholes", "black_scholes", "", "merge"},
                {"convolution", NULL, "-D RADIUS=3", "merge"},
                {"histogram", "count", "", "merge"},
                {"histogram", "merge", "", "merge"},
                {"histogram", "count_atomic", "", "reduction"},
                {"kmeans", "assign", "", "merge"},
                {"kmeans", "to_features", "", "merge"},
                {"matrix_multiply", "multiply", "", "merge"},
                {"matrix_transpose", "transpose", "", "merge"},
                {"nbody", "advance", "-cl-fast-relaxed-math", "merge"},
                {"quasi_random", "sobol", "", "merge"},
                {"reduction", "sum", "", "merge"},
                {"reduction", "sum_atomic", "", "reduction"},
                {"scan", "scan_blocks", "", "merge"},
                {"scan", "add_sums", "", "merge"},
                {"spmv", "multiply_rows", "", "merge"},
                {"spmv", "scale", "", "merge"},
                {"stencil2d", "jacobi", "", "merge"},
                {"vector_add", "vector_add", "", "merge"}};
    failures = 0;
    for (size_t i = 0; i < sizeof apps / sizeof *apps; i++) {
        struct corpus_file f = {.size = 0};
        struct yk_facts facts;
        const char *path = f.path;
        snprintf(f.path, sizeof f.path, "bench/apps/%s.cl", apps[i].file);
        snprintf(f.options, sizeof f.options, "%s", apps[i].options);
        f.text = corpus_read(f.path, &f.size);
        corpus_facts(&f, &facts);
        EXPECT(!facts.refused, "%s", facts.refused);
        for (unsigned k = 0; k < facts.nkernels; k++)
            if (!apps[i].kernel || !strcmp(facts.kernel[k].name, apps[i].kernel))
                EXPECT(!strcmp(yk_verdict_name(facts.kernel[k].verdict), apps[i].verdict), "%s: %s",
                       facts.kernel[k].name, facts.kernel[k].reason);
        EXPECT(!apps[i].kernel || yk_facts_find(&facts, apps[i].kernel), "no kernel %s", apps[i].kernel);
        yk_facts_finish(&facts);
        free(f.text);
    }
    ck_assert_int_eq(failures, 0);
}
END_TEST

YK_TEST_MAIN("corpus", the_corpus_is_understood_as_its_comments_say, the_programs_of_bench_apps_are_split)
