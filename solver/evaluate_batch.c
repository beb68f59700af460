/* The small buckets at the bottom of a tree, on a device together: one launch for all that have as many levels of
 * buckets below them. What they need goes to the device in one piece, and what the rest of the tree needs of them comes
 * back in one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "kernels/gpu/batch.h"
#include "solver/evaluate_work.h"
#include "solver/place.h"

/* Multiply-adds of a bucket that is small; cells of all tables together. */
static const double SMALL_OPERATIONS = 1 << 20;
static const double MOST_CELLS = 4 << 20;
/* Seconds: a bucket's record and taking what it gave; a bucket on the CPU, and one multiply-add there. */
static const double RECORD = 2e-6, CALL = 2e-6, OPERATION = 4e-10;
/* Fewer would not pay for the two transfers. */
enum { FEW = 8 };

struct run_small {
    struct yk_arena arena;
    uint32_t *level;   /* [nnodes] from 1; 0: is none of them */
    size_t *at;        /* [nleaves + nnodes] in the piece, cells */
    double *of_node;   /* [nnodes] multiply-adds */
    double operations; /* of all */
    uint32_t n, levels;
    size_t cells, leaves, results; /* of the piece; the end of each part of it */
    char *host;                    /* leaves and results */
    double counted;                /* bytes that the forecast has for the piece now */
};

static bool is_small(const struct run *r, uint32_t child)
{
    return child >= r->nleaves && r->small->level[child - r->nleaves];
}

static bool is_wanted(const struct run *r, uint32_t node)
{
    const uint32_t parent = r->parent[r->nleaves + node];
    return r->keep || parent == NO_PARENT || !r->small->level[parent];
}

static void children(struct run *r, uint32_t node, struct run_table **in)
{
    for (uint32_t k = 0; k < r->plan->node[node].nchildren; k++)
        in[k] = run_child(r, r->plan->node[node].child[k]);
}

/* Is node I small, with all below it? Its bounds and cells are set. */
static bool look_at(struct run *r, uint32_t i, double *cells)
{
    const struct yk_solver_plan_node *n = &r->plan->node[i];
    struct run_small *s = r->small;
    struct run_table *in[YK_CACHE_INPUTS], *out = &r->forward[i];
    struct yk_bucket b;
    uint32_t level = 1;
    double more = run_table_cells(r, out), sums = 1;
    if (n->nchildren < 1 || n->nchildren > YK_CACHE_INPUTS || more > SMALL_OPERATIONS ||
        (r->place && r->place[i] != YK_PLACE_TOGETHER))
        return false;
    children(r, i, in);
    for (uint32_t k = 0; k < n->nchildren; k++) {
        if (n->child[k] >= r->nleaves && !is_small(r, n->child[k]))
            return false;
        level = is_small(r, n->child[k]) ? (uint32_t)fmax(level, s->level[n->child[k] - r->nleaves] + 1) : level;
        more += n->child[k] < r->nleaves ? (double)in[k]->cells : 0;
    }
    out->cells = (size_t)run_table_cells(r, out);
    double most;
    bool small = *cells + more <= MOST_CELLS && run_describe(r, in, n->nchildren, out, &b) == YK_OK;
    for (uint32_t v = 0; small && v < b.nsum; v++)
        sums *= b.domain[b.sum[v]];
    small = small && yk_bucket_operations(&b) <= SMALL_OPERATIONS && sums <= YK_GPU_BATCH_SUMS &&
            (r->dry || run_products_safe(r, in, n->nchildren, &out->least, &most));
    if (small) {
        if (!r->dry) {
            out->most = most + log2(sums);
            out->bounded = true;
        }
        s->level[i] = level;
        s->levels = level > s->levels ? level : s->levels;
        s->of_node[i] = yk_bucket_operations(&b);
        s->operations += s->of_node[i];
        s->n++;
        *cells += more;
    }
    yk_arena_finish(&r->scratch);
    return small;
}

/* Places in the piece: leaves, what comes back, what nobody else needs. */
static void lay_out(struct run *r)
{
    struct run_small *s = r->small;
    for (uint32_t i = 0; i < r->nleaves; i++)
        if (r->parent[i] != NO_PARENT && s->level[r->parent[i]]) {
            s->at[i] = s->cells;
            s->cells += r->leaf[i].cells;
        }
    s->leaves = s->results = s->cells;
    for (int back = 1; back >= 0; back--)
        for (uint32_t i = 0; i < r->nnodes; i++)
            if (s->level[i] && is_wanted(r, i) == back) {
                s->at[r->nleaves + i] = s->cells;
                s->cells += r->forward[i].cells;
                s->results = back ? s->cells : s->results;
            }
}

static yk_status describe_all(struct run *r, struct yk_gpu_batch *batch)
{
    yk_status st = YK_OK;
    for (uint32_t i = 0; i < r->nnodes && st == YK_OK; i++) {
        const struct yk_solver_plan_node *n = &r->plan->node[i];
        struct run_table *in[YK_CACHE_INPUTS];
        size_t at[YK_CACHE_INPUTS];
        struct yk_bucket b;
        if (!r->small->level[i])
            continue;
        children(r, i, in);
        for (uint32_t k = 0; k < n->nchildren; k++)
            at[k] = r->small->at[n->child[k]];
        st = run_describe(r, in, n->nchildren, &r->forward[i], &b);
        if (st == YK_OK)
            st = yk_gpu_batch_add(batch, &b, r->small->level[i] - 1, at, r->small->at[r->nleaves + i]);
        yk_arena_finish(&r->scratch);
    }
    return st;
}

/* The leaves there, the launches, the results back. */
static yk_status compute(struct run *r)
{
    struct run_small *s = r->small;
    struct yk_solver_device *d = r->opt->device;
    struct yk_gpu_batch batch = {0};
    yk_gpu_memory piece = 0;
    uint32_t launches = 0;
    s->host = malloc(s->results * r->cell + 1);
    yk_status st = s->host ? describe_all(r, &batch) : YK_ENOMEM;
    for (uint32_t i = 0; i < r->nleaves && st == YK_OK; i++)
        if (r->parent[i] != NO_PARENT && s->level[r->parent[i]])
            memcpy(s->host + s->at[i] * r->cell, r->leaf[i].v, r->leaf[i].cells * r->cell);
    if (st == YK_OK)
        st = yk_gpu_alloc(d->gpu, s->cells * r->cell, &piece);
    if (st == YK_OK)
        st = yk_gpu_write(d->gpu, piece, s->host, s->leaves * r->cell);
    if (st == YK_OK)
        st = yk_gpu_batch_run(&batch, d->gpu, piece, r->opt->arithmetic == YK_ARITH_FLOAT, &launches);
    if (st == YK_OK)
        st = yk_gpu_read(d->gpu, piece, s->host, s->results * r->cell);
    yk_gpu_free(d->gpu, piece);
    yk_gpu_batch_finish(&batch);
    d->bytes_in += (double)s->leaves * (double)r->cell;
    d->bytes_out += (double)s->results * (double)r->cell;
    d->buckets += st == YK_OK ? s->n : 0;
    d->batched += st == YK_OK ? s->n : 0;
    d->batches += launches;
    return st;
}

/* Foretold of small node I among others: its tables are read from the device's caches. */
static double seconds_together(const struct run *r, uint32_t i)
{
    const bool single = r->opt->arithmetic == YK_ARITH_FLOAT;
    const double bytes = r->small->of_node[i] * r->plan->node[i].nchildren * (double)r->cell;
    return RECORD + bytes / yk_gpu_shape(r->opt->device->gpu, single)->inner_bytes;
}

/* Would the CPU take longer? */
static bool pays(const struct run *r, double cells)
{
    const struct run_small *s = r->small;
    const struct yk_solver_device *d = r->opt->device;
    double there = s->levels * yk_gpu_launch_seconds(d->gpu) + 2 * d->latency + cells * (double)r->cell / d->out;
    for (uint32_t i = 0; i < r->nnodes; i++)
        there += s->level[i] ? seconds_together(r, i) : 0;
    return s->n * CALL + s->operations * OPERATION > there;
}

/* The piece is there twice, on the device and at the host, but for a while: CELLS of it are left. */
static void count(struct run *r, double both, double left)
{
    const double peak = r->now + both * (double)r->cell;
    r->peak = peak > r->peak ? peak : r->peak;
    r->small->counted = left * (double)r->cell;
    r->now += r->small->counted;
}

static yk_status find(struct run *r, double *cells)
{
    struct run_small *s = r->small = calloc(1, sizeof *s);
    if (!s)
        return YK_ENOMEM;
    s->level = yk_arena_array(&s->arena, uint32_t, r->nnodes);
    s->at = yk_arena_array(&s->arena, size_t, (size_t)r->nleaves + r->nnodes);
    s->of_node = yk_arena_array(&s->arena, double, r->nnodes);
    if (!s->level || !s->at || !s->of_node)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < r->nnodes; i++)
        look_at(r, i, cells);
    return YK_OK;
}

yk_status run_small_start(struct run *r)
{
    const struct yk_solver_device *d = r->opt->device;
    const uint64_t from = yk_now_ns();
    double cells = 0;
    if (!d || d->one_by_one || r->opt->arithmetic == YK_ARITH_LOG)
        return YK_OK;
    yk_status st = find(r, &cells);
    if (st != YK_OK)
        return st;
    if (r->dry) {
        /* Which of them will go is not known: no choice takes more than this. */
        count(r, 2 * cells, cells);
        return YK_OK;
    }
    const struct run_small *s = r->small;
    const bool go = r->place ? s->n > 0 : s->n >= FEW && (d->always || pays(r, cells));
    if (go) {
        lay_out(r);
        count(r, (double)(r->small->cells + r->small->results), (double)r->small->results);
    }
    /* What the device cannot do is done one by one. */
    if (!go || compute(r) != YK_OK)
        run_small_finish(r);
    r->opt->device->seconds += (double)(yk_now_ns() - from) * 1e-9;
    return YK_OK;
}

yk_status run_small_model(const struct run *r, struct yk_arena *arena, struct yk_tree_batch *b)
{
    const struct yk_solver_device *d = r->opt->device;
    unsigned *level = yk_arena_array(arena, unsigned, r->nnodes);
    double *ms = yk_arena_array(arena, double, r->nnodes);
    if (!level || !ms)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < r->nnodes && r->small; i++) {
        level[i] = r->small->level[i];
        ms[i] = level[i] ? seconds_together(r, i) * 1e3 : 0;
    }
    *b = (struct yk_tree_batch){level,        ms,           2e3 * d->latency, 1e3 * yk_gpu_launch_seconds(d->gpu),
                                1e-3 * d->in, 1e-3 * d->out};
    return YK_OK;
}

bool run_small_has(const struct run *r, uint32_t node)
{
    return r->small && !r->dry && r->small->level[node];
}

yk_status run_small_take(struct run *r, uint32_t node)
{
    const struct run_small *s = r->small;
    struct run_table *t = &r->forward[node];
    r->zero = false;
    r->done += s->of_node[node];
    if (!is_wanted(r, node))
        return YK_OK;
    const double least = t->least;
    yk_status st = run_table_take(r, t);
    if (st != YK_OK)
        return st;
    memcpy(t->v, s->host + s->at[r->nleaves + node] * r->cell, t->cells * r->cell);
    t->least = least;
    return run_table_settle(r, t, 1);
}

void run_small_taken(struct run *r)
{
    if (!r->small)
        return;
    r->now -= r->small->counted;
    r->small->counted = 0;
    free(r->small->host);
    r->small->host = NULL;
}

void run_small_finish(struct run *r)
{
    if (!r->small)
        return;
    run_small_taken(r);
    yk_arena_finish(&r->small->arena);
    free(r->small);
    r->small = NULL;
}
