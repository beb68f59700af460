#include "transform/facts.h"
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"
#include "transform/facts_names.h"

/* Far above anything real, so that a damaged record cannot make us allocate without end. */
enum { MAX_KERNELS = 1 << 16, MAX_ARGS = 4096, MAX_TARGETS = 64, MAX_FILES = 1 << 14, MAX_HIDDEN = 12 };

struct reader {
    const char *at, *end;    /* what is left */
    const char *line, *lend; /* the current line, without its end */
    struct yk_facts *f;
    YK_ARRAY(struct yk_facts_kernel) kernels;
    YK_ARRAY(struct yk_facts_arg) args;
    YK_ARRAY(struct yk_facts_hidden) hidden;
    YK_ARRAY(struct yk_facts_file) files;
    YK_ARRAY(uint64_t) targets;
    bool memory; /* the error is lack of it */
};

/* The next line; false at the end or where it is not text. */
static bool next_line(struct reader *r)
{
    const char *nl = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    if (!nl)
        return false;
    r->line = r->at;
    r->lend = nl;
    r->at = nl + 1;
    for (const char *p = r->line; p < nl; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    return true;
}

/* The next word of the line, words being parted by one space. */
static bool word(struct reader *r, const char **w, size_t *n)
{
    if (r->line >= r->lend)
        return false;
    const char *space = memchr(r->line, ' ', (size_t)(r->lend - r->line));
    *w = r->line;
    *n = (size_t)((space ? space : r->lend) - r->line);
    r->line = space ? space + 1 : r->lend;
    return *n > 0 && (!space || space + 1 < r->lend);
}

static bool is(const char *w, size_t n, const char *s)
{
    return strlen(s) == n && !memcmp(w, s, n);
}

static bool line_done(const struct reader *r)
{
    return r->line == r->lend;
}

/* Is the line's first word KEY? Then it is taken. */
static bool key(struct reader *r, const char *k)
{
    size_t n = strlen(k), left = (size_t)(r->lend - r->line);
    if (left < n || memcmp(r->line, k, n) || (left > n && r->line[n] != ' '))
        return false;
    r->line += left > n ? n + 1 : n;
    return true;
}

static bool number(struct reader *r, uint64_t max, uint64_t *v)
{
    const char *w;
    size_t n;
    if (!word(r, &w, &n) || n > 19 || (n > 1 && w[0] == '0'))
        return false;
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] < '0' || w[i] > '9')
            return false;
        x = x * 10 + (uint64_t)(w[i] - '0');
    }
    *v = x;
    return x <= max;
}

static bool number32(struct reader *r, uint32_t *v)
{
    uint64_t x;
    if (!number(r, UINT32_MAX, &x))
        return false;
    *v = (uint32_t)x;
    return true;
}

static bool hex64(struct reader *r, uint64_t *v)
{
    const char *w;
    size_t n;
    if (!word(r, &w, &n) || n != 16)
        return false;
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        const char *digits = "0123456789abcdef", *d = memchr(digits, w[i], 16);
        if (!d)
            return false;
        x = x << 4 | (uint64_t)(d - digits);
    }
    *v = x;
    return true;
}

/* What is left of the line, copied; not empty. */
static bool rest(struct reader *r, const char **s)
{
    size_t n = (size_t)(r->lend - r->line);
    if (!n)
        return false;
    *s = yk_arena_strndup(&r->f->arena, r->line, n);
    r->memory |= !*s;
    r->line = r->lend;
    return *s != NULL;
}

static bool identifier(struct reader *r, const char **s)
{
    const char *w;
    size_t n;
    if (!word(r, &w, &n) || n > 4096)
        return false;
    *s = yk_arena_strndup(&r->f->arena, w, n);
    r->memory |= !*s;
    return *s != NULL;
}

static bool flags(struct reader *r, const struct yk_facts_flag *table, void *object)
{
    do {
        const char *w;
        size_t n;
        if (!word(r, &w, &n))
            return false;
        const struct yk_facts_flag *f = table;
        while (f->name && !is(w, n, f->name))
            f++;
        bool *flag = f->name ? (bool *)((char *)object + f->offset) : NULL;
        if (!flag || *flag)
            return false;
        *flag = true;
    } while (!line_done(r));
    return true;
}

/* A word of a list of names, as its number. */
#define NAMED(r, name_of, out)                                                                                         \
    __extension__({                                                                                                    \
        const char *w_ = NULL;                                                                                         \
        size_t n_ = 0;                                                                                                 \
        unsigned i_ = 0;                                                                                               \
        bool ok_ = word(r, &w_, &n_);                                                                                  \
        while (ok_ && name_of(i_) && !is(w_, n_, name_of(i_)))                                                         \
            i_++;                                                                                                      \
        *(out) = i_;                                                                                                   \
        ok_ &&name_of(i_) != NULL;                                                                                     \
    })

static bool push_failed(struct reader *r)
{
    r->memory = true;
    return false;
}

static bool read_arg(struct reader *r)
{
    struct yk_facts_arg a = {.name = "", .type = ""};
    unsigned kind;
    if (r->args.n >= MAX_ARGS || !NAMED(r, yk_arg_kind_name, &kind) || !number32(r, &a.size) || !identifier(r, &a.name))
        return false;
    a.kind = kind;
    if (!strcmp(a.name, "-"))
        a.name = "";
    return (yk_array_push(&r->args, a) || push_failed(r)) && line_done(r);
}

static bool read_ops(struct reader *r, struct yk_facts_arg *a)
{
    do {
        unsigned bit;
        if (!NAMED(r, yk_atomic_op_name, &bit))
            return false;
        a->atomic_ops |= 1u << bit;
    } while (!line_done(r));
    return true;
}

static bool read_hidden(struct reader *r)
{
    unsigned kind;
    uint64_t dim;
    if (r->hidden.n >= MAX_HIDDEN || !NAMED(r, yk_hidden_kind_name, &kind) || !number(r, 2, &dim))
        return false;
    for (size_t i = 0; i < r->hidden.n; i++)
        if (r->hidden.v[i].kind == kind && r->hidden.v[i].dim == dim)
            return false;
    struct yk_facts_hidden h = {kind, (unsigned)dim};
    return (yk_array_push(&r->hidden, h) || push_failed(r)) && line_done(r);
}

static bool read_group(struct reader *r, uint32_t v[3])
{
    return number32(r, &v[0]) && number32(r, &v[1]) && number32(r, &v[2]) && v[0] && line_done(r);
}

/* Arrays grow; what is handed out lies in the arena. */
static void *keep(struct reader *r, const void *v, size_t n, size_t size)
{
    void *p = yk_arena_alloc(&r->f->arena, n * size);
    r->memory |= !p;
    if (p && n)
        memcpy(p, v, n * size);
    return p;
}

static bool end_kernel(struct reader *r, struct yk_facts_kernel *k)
{
    k->nargs = (unsigned)r->args.n;
    k->nhidden = (unsigned)r->hidden.n;
    k->arg = keep(r, r->args.v, r->args.n, sizeof *r->args.v);
    k->hidden = keep(r, r->hidden.v, r->hidden.n, sizeof *r->hidden.v);
    r->args.n = r->hidden.n = 0;
    return k->arg && k->hidden && line_done(r) && (k->needs_variant || !k->nhidden) &&
           (k->verdict == YK_VERDICT_WHOLE) == (k->reason[0] != 0) &&
           (yk_array_push(&r->kernels, *k) || push_failed(r));
}

static bool read_count(struct reader *r, struct yk_facts_kernel *k)
{
    unsigned c;
    return NAMED(r, yk_count_class_name, &c) && !k->count[c] && number32(r, &k->count[c]) && line_done(r);
}

/* One line of a kernel; `done` is not among them. */
static bool read_kernel_line(struct reader *r, struct yk_facts_kernel *k)
{
    if (key(r, "reason"))
        return !k->reason[0] && rest(r, &k->reason);
    if (key(r, "arg"))
        return read_arg(r);
    if (key(r, "hidden"))
        return read_hidden(r);
    if (key(r, "group"))
        return !k->reqd_group[0] && read_group(r, k->reqd_group);
    if (key(r, "hint"))
        return !k->group_hint[0] && read_group(r, k->group_hint);
    if (key(r, "flags"))
        return flags(r, yk_facts_kernel_flags, k);
    if (key(r, "count"))
        return read_count(r, k);
    if (!r->args.n)
        return false;
    struct yk_facts_arg *last = &r->args.v[r->args.n - 1];
    if (key(r, "type"))
        return !last->type[0] && rest(r, &last->type);
    if (key(r, "with"))
        return flags(r, yk_facts_arg_flags, last);
    return key(r, "ops") && !last->atomic_ops && read_ops(r, last);
}

static bool read_kernel(struct reader *r)
{
    struct yk_facts_kernel k = {.reason = ""};
    unsigned verdict;
    if (r->kernels.n >= MAX_KERNELS || !identifier(r, &k.name) || !line_done(r) || !next_line(r) ||
        !key(r, "verdict") || !NAMED(r, yk_verdict_name, &verdict) || !line_done(r))
        return false;
    k.verdict = verdict;
    while (next_line(r)) {
        if (key(r, "done"))
            return end_kernel(r, &k);
        if (!read_kernel_line(r, &k))
            return false;
    }
    return false;
}

static bool read_variant(struct reader *r)
{
    struct yk_facts *f = r->f;
    uint64_t n;
    if (f->variant_source || !number(r, 1u << 30, &n) || !line_done(r) || (uint64_t)(r->end - r->at) <= n ||
        r->at[n] != '\n' || memchr(r->at, 0, n))
        return false;
    f->variant_source = yk_arena_strndup(&f->arena, r->at, n);
    f->variant_size = n;
    r->at += n + 1;
    return f->variant_source || push_failed(r);
}

static bool read_file(struct reader *r, bool absent)
{
    struct yk_facts_file file = {.absent = absent};
    return r->files.n < MAX_FILES && (absent || hex64(r, &file.hash)) && rest(r, &file.path) &&
           (yk_array_push(&r->files, file) || push_failed(r));
}

static bool read_target(struct reader *r)
{
    uint64_t hash;
    return r->targets.n < MAX_TARGETS && hex64(r, &hash) && line_done(r) &&
           (yk_array_push(&r->targets, hash) || push_failed(r));
}

/* One line outside of kernels; `sum` is not among them. */
static bool read_line(struct reader *r)
{
    if (key(r, "kernel"))
        return read_kernel(r);
    if (key(r, "target"))
        return read_target(r);
    if (key(r, "file"))
        return read_file(r, false);
    if (key(r, "absent"))
        return read_file(r, true);
    if (key(r, "refused"))
        return !r->f->refused && rest(r, &r->f->refused);
    if (key(r, "options"))
        return !r->f->variant_options[0] && rest(r, &r->f->variant_options);
    return key(r, "variant") && read_variant(r);
}

/* The last line: a checksum of all before it. */
static bool read_sum(struct reader *r, const char *text, const char *line)
{
    uint64_t sum;
    return hex64(r, &sum) && line_done(r) && r->at == r->end &&
           yk_hash_bytes((struct yk_hash){0, 0}, text, (size_t)(line - text)).lo == sum;
}

/* What the lines say together. */
static bool consistent(const struct yk_facts *f)
{
    bool variants = false;
    for (unsigned i = 0; i < f->nkernels; i++)
        variants |= f->kernel[i].needs_variant;
    return f->ntargets && variants == (f->variant_source != NULL) && !(f->refused && f->nkernels);
}

static bool read_all(struct reader *r, const char *text)
{
    struct yk_facts *f = r->f;
    uint64_t version;
    if (!next_line(r) || !key(r, "yoke-facts") || !number(r, YK_FACTS_VERSION, &version) ||
        version != YK_FACTS_VERSION || !line_done(r) || !next_line(r) || !key(r, "by") || !rest(r, &f->transformer))
        return false;
    bool summed = false;
    while (!summed) {
        const char *line = r->at;
        if (!next_line(r))
            return false;
        if (key(r, "sum")) {
            if (!read_sum(r, text, line))
                return false;
            summed = true;
        } else if (!read_line(r)) {
            return false;
        }
    }
    f->nkernels = (unsigned)r->kernels.n;
    f->kernel = keep(r, r->kernels.v, r->kernels.n, sizeof *r->kernels.v);
    f->nfiles = (unsigned)r->files.n;
    f->file = keep(r, r->files.v, r->files.n, sizeof *r->files.v);
    f->ntargets = (unsigned)r->targets.n;
    f->target_text = keep(r, r->targets.v, r->targets.n, sizeof *r->targets.v);
    return f->kernel && f->file && f->target_text && consistent(f);
}

yk_status yk_facts_parse(const char *text, size_t n, struct yk_facts *out)
{
    *out = (struct yk_facts){.variant_options = ""};
    struct reader r = {.at = text, .end = text + n, .f = out};
    bool ok = read_all(&r, text);
    yk_array_finish(&r.kernels);
    yk_array_finish(&r.args);
    yk_array_finish(&r.hidden);
    yk_array_finish(&r.files);
    yk_array_finish(&r.targets);
    if (ok)
        return YK_OK;
    yk_facts_finish(out);
    return r.memory ? YK_ENOMEM : YK_EFORMAT;
}

void yk_facts_finish(struct yk_facts *f)
{
    yk_arena_finish(&f->arena);
    *f = (struct yk_facts){.variant_options = ""};
}

const struct yk_facts_kernel *yk_facts_find(const struct yk_facts *f, const char *name)
{
    for (unsigned i = 0; i < f->nkernels; i++)
        if (!strcmp(f->kernel[i].name, name))
            return &f->kernel[i];
    return NULL;
}
