#include "transform/facts.h"
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"
#include "transform/facts_line.h"
#include "transform/facts_names.h"

/* Far above anything real, so that a damaged record cannot make us allocate without end. */
enum { MAX_KERNELS = 1 << 16, MAX_ARGS = 4096, MAX_TARGETS = 64, MAX_FILES = 1 << 14, MAX_HIDDEN = 12 };

struct reader {
    struct yk_line t;
    struct yk_facts *f;
    YK_ARRAY(struct yk_facts_kernel) kernels;
    YK_ARRAY(struct yk_facts_arg) args;
    YK_ARRAY(struct yk_facts_hidden) hidden;
    YK_ARRAY(struct yk_facts_file) files;
    YK_ARRAY(uint64_t) targets;
    YK_ARRAY(struct yk_facts_node) nodes;
    YK_ARRAY(struct yk_facts_access) accesses;
    YK_ARRAY(struct yk_facts_guard) guards;
    bool memory; /* the error is lack of it */
};

/* What is left of the line, copied; not empty. */
static bool rest(struct reader *r, const char **s)
{
    size_t n = (size_t)(r->t.lend - r->t.line);
    if (!n)
        return false;
    *s = yk_arena_strndup(&r->f->arena, r->t.line, n);
    r->memory |= !*s;
    r->t.line = r->t.lend;
    return *s != NULL;
}

static bool identifier(struct reader *r, const char **s)
{
    const char *w;
    size_t n;
    if (!yk_line_word(&r->t, &w, &n) || n > 4096)
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
        if (!yk_line_word(&r->t, &w, &n))
            return false;
        const struct yk_facts_flag *f = table;
        while (f->name && !yk_line_is(w, n, f->name))
            f++;
        bool *flag = f->name ? (bool *)((char *)object + f->offset) : NULL;
        if (!flag || *flag)
            return false;
        *flag = true;
    } while (!yk_line_done(&r->t));
    return true;
}

/* A word of a list of names, as its number. */
#define NAMED(r, name_of, out)                                                                                         \
    __extension__({                                                                                                    \
        const char *w_ = NULL;                                                                                         \
        size_t n_ = 0;                                                                                                 \
        unsigned i_ = 0;                                                                                               \
        bool ok_ = yk_line_word(&r->t, &w_, &n_);                                                                      \
        while (ok_ && name_of(i_) && !yk_line_is(w_, n_, name_of(i_)))                                                 \
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
    if (r->args.n >= MAX_ARGS || !NAMED(r, yk_arg_kind_name, &kind) || !yk_line_number32(&r->t, &a.size) ||
        !identifier(r, &a.name))
        return false;
    a.kind = kind;
    if (!strcmp(a.name, "-"))
        a.name = "";
    return (yk_array_push(&r->args, a) || push_failed(r)) && yk_line_done(&r->t);
}

static bool read_ops(struct reader *r, struct yk_facts_arg *a)
{
    do {
        unsigned bit;
        if (!NAMED(r, yk_atomic_op_name, &bit))
            return false;
        a->atomic_ops |= 1u << bit;
    } while (!yk_line_done(&r->t));
    return true;
}

static bool read_hidden(struct reader *r)
{
    unsigned kind;
    uint64_t dim;
    if (r->hidden.n >= MAX_HIDDEN || !NAMED(r, yk_hidden_kind_name, &kind) || !yk_line_number(&r->t, 2, &dim))
        return false;
    for (size_t i = 0; i < r->hidden.n; i++)
        if (r->hidden.v[i].kind == kind && r->hidden.v[i].dim == dim)
            return false;
    struct yk_facts_hidden h = {kind, (unsigned)dim};
    return (yk_array_push(&r->hidden, h) || push_failed(r)) && yk_line_done(&r->t);
}

static bool read_group(struct reader *r, uint32_t v[3])
{
    return yk_line_number32(&r->t, &v[0]) && yk_line_number32(&r->t, &v[1]) && yk_line_number32(&r->t, &v[2]) && v[0] &&
           yk_line_done(&r->t);
}

static bool number16(struct reader *r, uint16_t *v)
{
    uint64_t x;
    bool ok = yk_line_number(&r->t, UINT16_MAX, &x);
    *v = ok ? (uint16_t)x : 0;
    return ok;
}

/* node OP BITS, operands, imm */
static bool read_node(struct reader *r)
{
    struct yk_facts_node n = {0};
    unsigned op;
    uint64_t bits;
    if (r->nodes.n >= YK_MAX_NODES || !NAMED(r, yk_node_op_name, &op) || !yk_line_number(&r->t, 64, &bits))
        return false;
    n.op = (uint8_t)op;
    n.bits = (uint8_t)bits;
    unsigned k = op == YK_NODE_ARG ? 1 : yk_node_operands(op);
    if ((k > 0 && !number16(r, &n.a)) || (k > 1 && !number16(r, &n.b)) || (k > 2 && !number16(r, &n.c)) ||
        (yk_node_has_imm(op) && !yk_line_signed(&r->t, &n.imm)) || !yk_line_done(&r->t))
        return false;
    if (!yk_array_push(&r->nodes, n))
        return push_failed(r);
    return yk_node_valid(r->nodes.v, r->nodes.n - 1);
}

static bool node_of_width(const struct reader *r, unsigned node, unsigned bits)
{
    return node < r->nodes.n && r->nodes.v[node].bits == bits;
}

/* access KIND ARG BYTES NODE exact|some, guards: NODE 0|1 each */
static bool read_access(struct reader *r)
{
    struct yk_facts_access a = {.guard = (uint16_t)r->guards.n};
    const char *w;
    size_t n;
    unsigned kind;
    if (r->accesses.n >= YK_MAX_ACCESSES || !NAMED(r, yk_access_kind_name, &kind) || !number16(r, &a.arg) ||
        !yk_line_number32(&r->t, &a.bytes) || !a.bytes || !number16(r, &a.node) || !node_of_width(r, a.node, 64) ||
        !yk_line_word(&r->t, &w, &n) || !((a.exact = yk_line_is(w, n, "exact")) || yk_line_is(w, n, "some")))
        return false;
    a.kind = (uint8_t)kind;
    while (!yk_line_done(&r->t)) {
        struct yk_facts_guard g;
        uint64_t want;
        if (r->guards.n >= YK_MAX_GUARDS || !number16(r, &g.node) || !node_of_width(r, g.node, 1) ||
            !yk_line_number(&r->t, 1, &want))
            return false;
        g.want = want != 0;
        if (!yk_array_push(&r->guards, g))
            return push_failed(r);
        a.nguards++;
    }
    return yk_array_push(&r->accesses, a) || push_failed(r);
}

/* What nodes and accesses say of arguments. */
static bool arguments_fit(const struct yk_facts_kernel *k)
{
    for (unsigned i = 0; i < k->nnodes; i++) {
        const struct yk_facts_node *n = &k->node[i];
        if (n->op == YK_NODE_ARG && (n->a >= k->nargs || k->arg[n->a].kind != YK_ARG_VALUE ||
                                     (uint64_t)n->imm + n->bits / 8 > k->arg[n->a].size))
            return false;
    }
    for (unsigned i = 0; i < k->naccesses; i++)
        if (k->access[i].arg >= k->nargs ||
            (k->arg[k->access[i].arg].kind != YK_ARG_GLOBAL && k->arg[k->access[i].arg].kind != YK_ARG_CONSTANT))
            return false;
    return true;
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
    k->nnodes = (unsigned)r->nodes.n;
    k->naccesses = (unsigned)r->accesses.n;
    k->nguards = (unsigned)r->guards.n;
    k->node = keep(r, r->nodes.v, r->nodes.n, sizeof *r->nodes.v);
    k->access = keep(r, r->accesses.v, r->accesses.n, sizeof *r->accesses.v);
    k->guard = keep(r, r->guards.v, r->guards.n, sizeof *r->guards.v);
    r->args.n = r->hidden.n = r->nodes.n = r->accesses.n = r->guards.n = 0;
    return k->arg && k->hidden && k->node && k->access && k->guard && yk_line_done(&r->t) && arguments_fit(k) &&
           (k->needs_variant || !k->nhidden) &&
           (!k->mergeable || (k->verdict == YK_VERDICT_MERGE && !k->unmerged[0])) &&
           (k->verdict == YK_VERDICT_WHOLE) == (k->reason[0] != 0) &&
           (yk_array_push(&r->kernels, *k) || push_failed(r));
}

static bool read_count(struct reader *r, struct yk_facts_kernel *k)
{
    unsigned c;
    return NAMED(r, yk_count_class_name, &c) && !k->count[c] && yk_line_number32(&r->t, &k->count[c]) &&
           yk_line_done(&r->t);
}

/* One line of a kernel; `done` is not among them. */
static bool read_kernel_line(struct reader *r, struct yk_facts_kernel *k)
{
    if (yk_line_key(&r->t, "unmerged"))
        return !k->unmerged[0] && rest(r, &k->unmerged);
    if (yk_line_key(&r->t, "reason"))
        return !k->reason[0] && rest(r, &k->reason);
    if (yk_line_key(&r->t, "arg"))
        return read_arg(r);
    if (yk_line_key(&r->t, "hidden"))
        return read_hidden(r);
    if (yk_line_key(&r->t, "group"))
        return !k->reqd_group[0] && read_group(r, k->reqd_group);
    if (yk_line_key(&r->t, "hint"))
        return !k->group_hint[0] && read_group(r, k->group_hint);
    if (yk_line_key(&r->t, "flags"))
        return flags(r, yk_facts_kernel_flags, k);
    if (yk_line_key(&r->t, "count"))
        return read_count(r, k);
    if (yk_line_key(&r->t, "node"))
        return read_node(r);
    if (yk_line_key(&r->t, "access"))
        return read_access(r);
    if (!r->args.n)
        return false;
    struct yk_facts_arg *last = &r->args.v[r->args.n - 1];
    if (yk_line_key(&r->t, "type"))
        return !last->type[0] && rest(r, &last->type);
    if (yk_line_key(&r->t, "with"))
        return flags(r, yk_facts_arg_flags, last);
    return yk_line_key(&r->t, "ops") && !last->atomic_ops && read_ops(r, last);
}

static bool read_kernel(struct reader *r)
{
    struct yk_facts_kernel k = {.reason = "", .unmerged = ""};
    unsigned verdict;
    if (r->kernels.n >= MAX_KERNELS || !identifier(r, &k.name) || !yk_line_done(&r->t) || !yk_line_next(&r->t) ||
        !yk_line_key(&r->t, "verdict") || !NAMED(r, yk_verdict_name, &verdict) || !yk_line_done(&r->t))
        return false;
    k.verdict = verdict;
    while (yk_line_next(&r->t)) {
        if (yk_line_key(&r->t, "done"))
            return end_kernel(r, &k);
        if (!read_kernel_line(r, &k))
            return false;
    }
    return false;
}

/* A source of as many bytes as the line says, and a newline. */
static bool read_source(struct reader *r, const char **source, size_t *size)
{
    struct yk_facts *f = r->f;
    uint64_t n;
    if (*source || !yk_line_number(&r->t, 1u << 30, &n) || !yk_line_done(&r->t) ||
        (uint64_t)(r->t.end - r->t.at) <= n || r->t.at[n] != '\n' || memchr(r->t.at, 0, n))
        return false;
    *source = yk_arena_strndup(&f->arena, r->t.at, n);
    *size = n;
    r->t.at += n + 1;
    return *source || push_failed(r);
}

static bool read_file(struct reader *r, bool absent)
{
    struct yk_facts_file file = {.absent = absent};
    return r->files.n < MAX_FILES && (absent || yk_line_hex64(&r->t, &file.hash)) && rest(r, &file.path) &&
           (yk_array_push(&r->files, file) || push_failed(r));
}

static bool read_target(struct reader *r)
{
    uint64_t hash;
    return r->targets.n < MAX_TARGETS && yk_line_hex64(&r->t, &hash) && yk_line_done(&r->t) &&
           (yk_array_push(&r->targets, hash) || push_failed(r));
}

/* One line outside of kernels; `sum` is not among them. */
static bool read_line(struct reader *r)
{
    if (yk_line_key(&r->t, "kernel"))
        return read_kernel(r);
    if (yk_line_key(&r->t, "target"))
        return read_target(r);
    if (yk_line_key(&r->t, "file"))
        return read_file(r, false);
    if (yk_line_key(&r->t, "absent"))
        return read_file(r, true);
    if (yk_line_key(&r->t, "refused"))
        return !r->f->refused && rest(r, &r->f->refused);
    if (yk_line_key(&r->t, "options"))
        return !r->f->variant_options[0] && rest(r, &r->f->variant_options);
    if (yk_line_key(&r->t, "variant"))
        return read_source(r, &r->f->variant_source, &r->f->variant_size);
    if (yk_line_key(&r->t, "mixed"))
        return read_source(r, &r->f->mixed_source, &r->f->mixed_size);
    return yk_line_key(&r->t, "merging") && read_source(r, &r->f->merge_source, &r->f->merge_size);
}

/* The last line: a checksum of all before it. */
static bool read_sum(struct reader *r, const char *text, const char *line)
{
    uint64_t sum;
    return yk_line_hex64(&r->t, &sum) && yk_line_done(&r->t) && r->t.at == r->t.end &&
           yk_hash_bytes((struct yk_hash){0, 0}, text, (size_t)(line - text)).lo == sum;
}

/* What the lines say together. */
static bool consistent(const struct yk_facts *f)
{
    bool variants = false, merging = false, mixed = false;
    for (unsigned i = 0; i < f->nkernels; i++) {
        mixed |= f->kernel[i].mixed;
        if (f->kernel[i].mixed && !f->kernel[i].needs_variant)
            return false;
        variants |= f->kernel[i].needs_variant;
        merging |= f->kernel[i].mergeable;
    }
    return f->ntargets && variants == (f->variant_source != NULL) && merging == (f->merge_source != NULL) &&
           mixed == (f->mixed_source != NULL) && !(f->refused && f->nkernels);
}

static bool read_all(struct reader *r, const char *text)
{
    struct yk_facts *f = r->f;
    uint64_t version;
    if (!yk_line_next(&r->t) || !yk_line_key(&r->t, "yoke-facts") ||
        !yk_line_number(&r->t, YK_FACTS_VERSION, &version) || version != YK_FACTS_VERSION || !yk_line_done(&r->t) ||
        !yk_line_next(&r->t) || !yk_line_key(&r->t, "by") || !rest(r, &f->transformer))
        return false;
    bool summed = false;
    while (!summed) {
        const char *line = r->t.at;
        if (!yk_line_next(&r->t))
            return false;
        if (yk_line_key(&r->t, "sum")) {
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
    struct reader r = {.t = {.at = text, .end = text + n}, .f = out};
    bool ok = read_all(&r, text);
    yk_array_finish(&r.kernels);
    yk_array_finish(&r.args);
    yk_array_finish(&r.hidden);
    yk_array_finish(&r.files);
    yk_array_finish(&r.targets);
    yk_array_finish(&r.nodes);
    yk_array_finish(&r.accesses);
    yk_array_finish(&r.guards);
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
