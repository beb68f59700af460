#include <string.h>
#include "transform/facts_names.h"
#include "transform/facts_reader.h"

/* Far above anything real, so that a damaged record cannot make us allocate without end. */
enum { MAX_KERNELS = 1 << 16, MAX_ARGS = 4096, MAX_HIDDEN = 12 };

static bool identifier(struct yk_facts_reader *r, const char **s)
{
    const char *w;
    size_t n;
    if (!yk_line_word(&r->t, &w, &n) || n > 4096)
        return false;
    *s = yk_arena_strndup(&r->f->arena, w, n);
    r->memory |= !*s;
    return *s != NULL;
}

static bool flags(struct yk_facts_reader *r, const struct yk_facts_flag *table, void *object)
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

static bool read_arg(struct yk_facts_reader *r)
{
    struct yk_facts_arg a = {.name = "", .type = ""};
    unsigned kind;
    if (r->args.n >= MAX_ARGS || !NAMED(r, yk_arg_kind_name, &kind) || !yk_line_number32(&r->t, &a.size) ||
        !identifier(r, &a.name))
        return false;
    a.kind = kind;
    if (!strcmp(a.name, "-"))
        a.name = "";
    return (yk_array_push(&r->args, a) || yk_facts_push_failed(r)) && yk_line_done(&r->t);
}

static bool read_ops(struct yk_facts_reader *r, struct yk_facts_arg *a)
{
    do {
        unsigned bit;
        if (!NAMED(r, yk_atomic_op_name, &bit))
            return false;
        a->atomic_ops |= 1u << bit;
    } while (!yk_line_done(&r->t));
    return true;
}

static bool read_hidden(struct yk_facts_reader *r)
{
    unsigned kind;
    uint64_t dim;
    if (r->hidden.n >= MAX_HIDDEN || !NAMED(r, yk_hidden_kind_name, &kind) || !yk_line_number(&r->t, 2, &dim))
        return false;
    for (size_t i = 0; i < r->hidden.n; i++)
        if (r->hidden.v[i].kind == kind && r->hidden.v[i].dim == dim)
            return false;
    struct yk_facts_hidden h = {kind, (unsigned)dim};
    return (yk_array_push(&r->hidden, h) || yk_facts_push_failed(r)) && yk_line_done(&r->t);
}

static bool read_group(struct yk_facts_reader *r, uint32_t v[3])
{
    return yk_line_number32(&r->t, &v[0]) && yk_line_number32(&r->t, &v[1]) && yk_line_number32(&r->t, &v[2]) && v[0] &&
           yk_line_done(&r->t);
}

static bool number16(struct yk_facts_reader *r, uint16_t *v)
{
    uint64_t x;
    bool ok = yk_line_number(&r->t, UINT16_MAX, &x);
    *v = ok ? (uint16_t)x : 0;
    return ok;
}

/* node OP BITS, operands, imm */
static bool read_node(struct yk_facts_reader *r)
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
        return yk_facts_push_failed(r);
    return yk_node_valid(r->nodes.v, r->nodes.n - 1);
}

static bool node_of_width(const struct yk_facts_reader *r, unsigned node, unsigned bits)
{
    return node < r->nodes.n && r->nodes.v[node].bits == bits;
}

/* access KIND ARG BYTES NODE exact|some, guards: NODE 0|1 each */
static bool read_access(struct yk_facts_reader *r)
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
            return yk_facts_push_failed(r);
        a.nguards++;
    }
    return yk_array_push(&r->accesses, a) || yk_facts_push_failed(r);
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

static bool end_kernel(struct yk_facts_reader *r, struct yk_facts_kernel *k)
{
    k->nargs = (unsigned)r->args.n;
    k->nhidden = (unsigned)r->hidden.n;
    k->arg = yk_facts_keep(r, r->args.v, r->args.n, sizeof *r->args.v);
    k->hidden = yk_facts_keep(r, r->hidden.v, r->hidden.n, sizeof *r->hidden.v);
    k->nnodes = (unsigned)r->nodes.n;
    k->naccesses = (unsigned)r->accesses.n;
    k->nguards = (unsigned)r->guards.n;
    k->node = yk_facts_keep(r, r->nodes.v, r->nodes.n, sizeof *r->nodes.v);
    k->access = yk_facts_keep(r, r->accesses.v, r->accesses.n, sizeof *r->accesses.v);
    k->guard = yk_facts_keep(r, r->guards.v, r->guards.n, sizeof *r->guards.v);
    r->args.n = r->hidden.n = r->nodes.n = r->accesses.n = r->guards.n = 0;
    return k->arg && k->hidden && k->node && k->access && k->guard && yk_line_done(&r->t) && arguments_fit(k) &&
           (k->needs_variant || !k->nhidden) &&
           (!k->mergeable || (k->verdict == YK_VERDICT_MERGE && !k->unmerged[0])) &&
           (k->verdict == YK_VERDICT_WHOLE) == (k->reason[0] != 0) &&
           (yk_array_push(&r->kernels, *k) || yk_facts_push_failed(r));
}

static bool read_count(struct yk_facts_reader *r, struct yk_facts_kernel *k)
{
    unsigned c;
    return NAMED(r, yk_count_class_name, &c) && !k->count[c] && yk_line_number32(&r->t, &k->count[c]) &&
           yk_line_done(&r->t);
}

/* One line of a kernel; `done` is not among them. */
static bool read_kernel_line(struct yk_facts_reader *r, struct yk_facts_kernel *k)
{
    if (yk_line_key(&r->t, "unmerged"))
        return !k->unmerged[0] && yk_facts_rest(r, &k->unmerged);
    if (yk_line_key(&r->t, "reason"))
        return !k->reason[0] && yk_facts_rest(r, &k->reason);
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
        return !last->type[0] && yk_facts_rest(r, &last->type);
    if (yk_line_key(&r->t, "with"))
        return flags(r, yk_facts_arg_flags, last);
    return yk_line_key(&r->t, "ops") && !last->atomic_ops && read_ops(r, last);
}

bool yk_facts_read_kernel(struct yk_facts_reader *r)
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
