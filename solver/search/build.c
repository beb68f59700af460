#include "solver/search/build.h"
#include <math.h>
#include <stdlib.h>
#include "base/array.h"
#include "kernels/sumproduct.h"
#include "solver/search/plan_tools.h"

/* A step while steps are merged: children are steps or leaves (by sign), linked through first/next. */
struct step {
    YK_ARRAY(int64_t) child; /* >= 0: step; < 0: leaf ~child (the network's factor) */
    uint64_t *legs;          /* of the result */
    uint64_t *all;           /* of all inputs together */
    double own;              /* product of the domains of the private variables summed here */
    uint32_t nown;
    double cells_in; /* of the inputs together */
    double size;     /* cells of the result */
    double operations, seconds;
    double peak;   /* memory, in cells, while this step's subtree runs */
    uint32_t rank; /* position in the order of execution */
};

struct build {
    const struct problem *p;
    const struct tree *t;
    const struct build_options *o;
    uint32_t *uses;    /* [net->nvars] factors that hold the variable */
    uint32_t *leaf_of; /* [nfactors] leaf of the problem, or YK_NO_NODE */
    bool *fixed;       /* [net->nvars] sliced */
    struct step *step;
    uint32_t nsteps, cap;
    uint64_t *none; /* an empty set */
    YK_ARRAY(int64_t) root;
    YK_ARRAY(uint32_t) order; /* steps in order of execution */
    struct yk_arena arena;
    bool failed;
};

static bool is_own(const struct build *b, uint32_t v)
{
    return b->uses[v] == 1 && !b->fixed[v];
}

static const uint64_t *legs_of(const struct build *b, int64_t c)
{
    if (c >= 0)
        return b->step[c].legs;
    uint32_t leaf = b->leaf_of[~c];
    return leaf == YK_NO_NODE ? b->none : b->p->legs + (size_t)leaf * b->p->words;
}

/* Product of the domains of the private variables of factor F, their number into *N. */
static double own_cells(const struct build *b, size_t f, uint32_t *n)
{
    double c = 1;
    const struct yk_factor *x = &b->p->net->factor[f];
    *n = 0;
    for (uint32_t i = 0; i < x->n; i++)
        if (is_own(b, x->scope[i])) {
            c *= b->p->net->domain[x->scope[i]];
            ++*n;
        }
    return c;
}

static double input_cells(const struct build *b, int64_t c)
{
    uint32_t n;
    double cells = bits_cells(legs_of(b, c), b->p->power, b->p->words);
    return c >= 0 ? cells : cells * own_cells(b, (size_t)~c, &n);
}

/* A new step with the inputs C[0..n) and the result LEGS. */
static int64_t add_step(struct build *b, const int64_t *c, size_t n, const uint64_t *legs)
{
    if (b->nsteps == b->cap || b->failed) {
        b->failed = true;
        return 0;
    }
    uint32_t words = b->p->words;
    struct step *s = &b->step[b->nsteps];
    s->legs = yk_arena_array(&b->arena, uint64_t, words);
    s->all = yk_arena_array(&b->arena, uint64_t, words);
    s->own = 1;
    if (!s->legs || !s->all) {
        b->failed = true;
        return 0;
    }
    memcpy(s->legs, legs, words * sizeof *legs);
    for (size_t i = 0; i < n; i++) {
        uint32_t nown = 0;
        if (!yk_array_push(&s->child, c[i])) {
            b->failed = true;
            return 0;
        }
        for (uint32_t k = 0; k < words; k++)
            s->all[k] |= legs_of(b, c[i])[k];
        if (c[i] < 0)
            s->own *= own_cells(b, (size_t)~c[i], &nown);
        s->nown += nown;
        s->cells_in += input_cells(b, c[i]);
    }
    s->size = bits_cells(legs, b->p->power, words);
    double all = bits_cells(s->all, b->p->power, words) * s->own;
    s->operations = all * (n > 1 ? (double)(n - 1) : 1.0);
    s->seconds = model_seconds(&b->o->model, s->operations, s->cells_in + s->size);
    return b->nsteps++;
}

/* Factor F as an input: itself, or the step that sums its private variables. */
static int64_t input_of_factor(struct build *b, size_t f)
{
    uint32_t n;
    int64_t c = ~(int64_t)f;
    own_cells(b, f, &n);
    return n ? add_step(b, &c, 1, legs_of(b, c)) : c;
}

/* Put X's inputs into S in its place (index I) if that is predicted to save time. */
static bool merge_child(struct build *b, struct step *s, size_t i)
{
    struct step *x = &b->step[s->child.v[i]];
    uint32_t words = b->p->words, count = 0;
    double all = s->own * x->own;
    for (uint32_t k = 0; k < words; k++) {
        uint32_t n = (uint32_t)__builtin_popcountll(s->all[k] | x->all[k]);
        count += n;
        all *= b->p->power[k * YK_POWERS + n];
    }
    size_t n = s->child.n + x->child.n - 1;
    double cells_in = s->cells_in - x->size + x->cells_in;
    /* the rates hold for large tables; in small ones an operation costs far more, and many would eat what a step saves
     */
    double operations = all * (double)(n - 1), before = s->operations + x->operations;
    double seconds = model_seconds(&b->o->model, operations, cells_in + s->size);
    if (n > YK_BUCKET_MAX_INPUTS || count + s->nown + x->nown > YK_BUCKET_MAX_RANK ||
        seconds >= s->seconds + x->seconds || operations > 1.25 * before)
        return false;
    if (!yk_array_reserve(&s->child, n)) {
        b->failed = true;
        return false;
    }
    s->child.v[i] = x->child.v[0];
    for (size_t k = 1; k < x->child.n; k++)
        s->child.v[s->child.n++] = x->child.v[k];
    for (uint32_t k = 0; k < words; k++)
        s->all[k] |= x->all[k];
    s->own *= x->own;
    s->nown += x->nown;
    s->cells_in = cells_in;
    s->seconds = seconds;
    s->operations = operations;
    x->child.n = 0; /* gone */
    return true;
}

static void merge_children(struct build *b, struct step *s)
{
    for (size_t i = 0; i < s->child.n && !b->failed;)
        if (s->child.v[i] < 0 || !merge_child(b, s, i))
            i++; /* a merged step's own inputs are looked at in turn */
}

/* The tree's steps, children first. Scalar parts become roots of their own. */
static void convert_tree(struct build *b)
{
    const struct tree *t = b->t;
    uint32_t words = b->p->words;
    int64_t *made = yk_arena_array(&b->arena, int64_t, t->nnodes);
    uint32_t *order = yk_arena_array(&b->arena, uint32_t, t->nleaves);
    if (!made || !order) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < t->nleaves; i++)
        made[i] = input_of_factor(b, b->p->leaf[i]);
    tree_postorder(t, order);
    for (uint32_t k = 0; k + 1 < t->nleaves && !b->failed; k++) {
        const struct tree_node *n = &t->node[order[k]];
        int64_t c[2] = {made[n->child[0]], made[n->child[1]]};
        bool scalar[2] = {bits_empty(tree_legs(t, n->child[0]), words), bits_empty(tree_legs(t, n->child[1]), words)};
        if (scalar[0] || scalar[1]) {
            int apart = scalar[0] ? 0 : 1;
            if (!yk_array_push(&b->root, c[apart]))
                b->failed = true;
            made[order[k]] = c[!apart];
            continue;
        }
        made[order[k]] = add_step(b, c, 2, tree_legs(t, order[k]));
        if (b->o->merge && !b->failed)
            merge_children(b, &b->step[b->nsteps - 1]);
    }
    if (!b->failed && !yk_array_push(&b->root, made[t->nnodes - 1]))
        b->failed = true;
}

/* Children in the order of the least peak (largest peak minus result first), then the step itself. */
static void schedule(struct build *b, int64_t i)
{
    struct step *s = &b->step[i];
    double held = 0, peak = 0;
    for (size_t k = 0; k < s->child.n; k++) /* insertion sort: few children */
        for (size_t j = k; j > 0; j--) {
            int64_t x = s->child.v[j - 1], y = s->child.v[j];
            double dx = x < 0 ? -1 : b->step[x].peak - b->step[x].size;
            double dy = y < 0 ? -1 : b->step[y].peak - b->step[y].size;
            if (dy <= dx)
                break;
            s->child.v[j - 1] = y;
            s->child.v[j] = x;
        }
    for (size_t k = 0; k < s->child.n; k++)
        if (s->child.v[k] >= 0) {
            peak = fmax(peak, held + b->step[s->child.v[k]].peak);
            held += b->step[s->child.v[k]].size;
        }
    s->peak = fmax(peak, held + s->size);
}

/* Steps in order of execution below the roots, without recursion (trees may be deep). */
static void execution_order(struct build *b)
{
    YK_ARRAY(int64_t) stack = {0};
    for (size_t r = 0; r < b->root.n && !b->failed; r++) {
        if (b->root.v[r] < 0)
            continue;
        size_t from = b->order.n;
        if (!yk_array_push(&stack, b->root.v[r]))
            b->failed = true;
        /* parents before children, last child first; reversed below */
        while (stack.n && !b->failed) {
            int64_t i = stack.v[--stack.n];
            if (!yk_array_push(&b->order, (uint32_t)i))
                b->failed = true;
            for (size_t k = 0; k < b->step[i].child.n && !b->failed; k++)
                if (b->step[i].child.v[k] >= 0 && !yk_array_push(&stack, b->step[i].child.v[k]))
                    b->failed = true;
        }
        for (size_t x = from, y = b->order.n; x + 1 < y; x++) {
            uint32_t swap = b->order.v[x];
            b->order.v[x] = b->order.v[--y];
            b->order.v[y] = swap;
        }
    }
    yk_array_finish(&stack);
}

struct placed {
    uint32_t var, when; /* when: the step that sums it */
};

/* Summed later: earlier in the table. One order for all tables, so that each step sums its fastest variables. */
static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->when != y->when)
        return x->when > y->when ? -1 : 1;
    return x->var < y->var ? -1 : x->var > y->var;
}

static uint32_t *sorted(struct build *b, struct yk_solver_plan *out, struct placed *v, uint32_t n)
{
    qsort(v, n, sizeof *v, compare_placed);
    uint32_t *r = yk_arena_array(&out->arena, uint32_t, n);
    if (!r) {
        b->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        r[i] = v[i].var;
    return r;
}

static void fill_node(struct build *b, struct yk_solver_plan *out, uint32_t at, struct placed *scratch,
                      const uint32_t *when)
{
    const struct problem *p = b->p;
    const struct step *s = &b->step[b->order.v[at]];
    struct yk_solver_plan_node *n = &out->node[at];
    n->nchildren = (uint32_t)s->child.n;
    n->child = yk_arena_array(&out->arena, uint32_t, n->nchildren);
    if (!n->child) {
        b->failed = true;
        return;
    }
    uint32_t nsum = 0, nout = 0;
    for (uint32_t i = 0; i < n->nchildren; i++) {
        int64_t c = s->child.v[i];
        n->child[i] = c < 0 ? (uint32_t)~c : out->nleaves + b->step[c].rank;
        if (c >= 0)
            continue;
        const struct yk_factor *x = &p->net->factor[~c];
        for (uint32_t k = 0; k < x->n; k++)
            if (is_own(b, x->scope[k]))
                scratch[nsum++] = (struct placed){x->scope[k], at};
    }
    BITS_FOREACH(v, s->all, p->words)
    if (!bit_get(s->legs, v))
        scratch[nsum++] = (struct placed){p->var[v], at};
    n->nsum = nsum;
    n->sum = sorted(b, out, scratch, nsum);
    BITS_FOREACH(v, s->legs, p->words)
    scratch[nout++] = (struct placed){p->var[v], when[p->var[v]]};
    n->nout = nout;
    n->out = sorted(b, out, scratch, nout);
}

static void write_plan(struct build *b, struct yk_solver_plan *out)
{
    const struct problem *p = b->p;
    out->nvars = p->net->nvars;
    out->domain = p->net->domain;
    out->nleaves = (uint32_t)p->net->nfactors;
    out->nnodes = (uint32_t)b->order.n;
    out->node = yk_arena_array(&out->arena, struct yk_solver_plan_node, out->nnodes);
    out->nsliced = bits_count(p->sliced, p->words);
    out->sliced = yk_arena_array(&out->arena, uint32_t, out->nsliced);
    struct placed *scratch = yk_arena_array(&b->arena, struct placed, (size_t)p->net->nvars + 1);
    uint32_t *when = yk_arena_array(&b->arena, uint32_t, (size_t)p->net->nvars + 1), k = 0;
    if (!out->node || !out->sliced || !scratch || !when) {
        b->failed = true;
        return;
    }
    BITS_FOREACH(v, p->sliced, p->words)
    out->sliced[k++] = p->var[v];
    for (uint32_t i = 0; i < out->nnodes; i++) {
        struct step *s = &b->step[b->order.v[i]];
        s->rank = i;
        BITS_FOREACH(v, s->all, p->words)
        if (!bit_get(s->legs, v))
            when[p->var[v]] = i;
    }
    for (uint32_t i = 0; i < out->nnodes && !b->failed; i++)
        fill_node(b, out, i, scratch, when);
}

static bool prepare(struct build *b)
{
    const struct problem *p = b->p;
    const struct yk_network *net = p->net;
    b->cap = 2 * (uint32_t)net->nfactors + 1;
    b->step = calloc(b->cap, sizeof *b->step);
    b->uses = yk_arena_array(&b->arena, uint32_t, (size_t)net->nvars + 1);
    b->fixed = yk_arena_array(&b->arena, bool, (size_t)net->nvars + 1);
    b->leaf_of = yk_arena_array(&b->arena, uint32_t, net->nfactors + 1);
    b->none = yk_arena_array(&b->arena, uint64_t, p->words);
    if (!b->step || !b->uses || !b->fixed || !b->leaf_of || !b->none)
        return false;
    BITS_FOREACH(v, p->sliced, p->words)
    b->fixed[p->var[v]] = true;
    for (size_t f = 0; f < net->nfactors; f++) {
        b->leaf_of[f] = YK_NO_NODE;
        for (uint32_t i = 0; i < net->factor[f].n; i++)
            b->uses[net->factor[f].scope[i]]++;
    }
    for (uint32_t i = 0; i < p->nleaves; i++)
        b->leaf_of[p->leaf[i]] = i;
    return true;
}

yk_status build_plan(struct yk_solver_plan *out, const struct problem *p, const struct tree *t,
                     const struct build_options *o)
{
    struct build b = {.p = p, .t = t, .o = o};
    *out = (struct yk_solver_plan){0};
    b.failed = !prepare(&b);
    for (size_t f = 0; f < p->net->nfactors && !b.failed; f++)
        if (b.leaf_of[f] == YK_NO_NODE && !yk_array_push(&b.root, input_of_factor(&b, f)))
            b.failed = true;
    if (p->nleaves && !b.failed)
        convert_tree(&b);
    for (uint32_t i = 0; i < b.nsteps && !b.failed; i++) /* children have smaller indices */
        schedule(&b, i);
    if (!b.failed)
        execution_order(&b);
    if (!b.failed)
        write_plan(&b, out);
    if (!b.failed)
        yk_solver_plan_account(out, p->net, &o->model, o->marginals);
    for (uint32_t i = 0; b.step && i < b.nsteps; i++)
        yk_array_finish(&b.step[i].child);
    free(b.step);
    yk_array_finish(&b.root);
    yk_array_finish(&b.order);
    yk_arena_finish(&b.arena);
    if (b.failed) {
        yk_solver_plan_finish(out);
        return YK_ENOMEM;
    }
    return YK_OK;
}
