/* Plans as text files:
 *
 *     yoke-plan 1
 *     network 0123456789abcdef0123456789abcdef      hash of domains and scopes
 *     sliced 2 17 4
 *     nodes 3
 *     node 2 0 5 sum 1 3 out 2 7 8                  inputs, variables summed, variables kept
 *     ...
 *     end
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "solver/search/plan_tools.h"

static void network_hash(const struct yk_network *net, char hex[33])
{
    struct yk_hash h = yk_hash_bytes((struct yk_hash){0, 0}, net->domain, net->nvars * sizeof *net->domain);
    for (size_t f = 0; f < net->nfactors; f++) {
        h = yk_hash_bytes(h, &net->factor[f].n, sizeof net->factor[f].n);
        h = yk_hash_bytes(h, net->factor[f].scope, net->factor[f].n * sizeof *net->factor[f].scope);
    }
    yk_hash_hex(h, hex);
}

static void write_list(FILE *f, const char *word, const uint32_t *v, uint32_t n)
{
    fprintf(f, "%s %u", word, n);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, " %u", v[i]);
}

yk_status yk_solver_plan_save(const struct yk_solver_plan *p, const struct yk_network *net, const char *path, char *msg,
                              size_t n)
{
    /* Whoever ends the process while this is written leaves no half of a plan. */
    char part[4096 + 16];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *f = fopen(part, "w");
    if (!f) {
        snprintf(msg, n, "%s: cannot be written: %s", path, strerror(errno));
        return YK_EIO;
    }
    char hex[33];
    network_hash(net, hex);
    fprintf(f, "yoke-plan 1\nnetwork %s\n", hex);
    write_list(f, "sliced", p->sliced, p->nsliced);
    fprintf(f, "\nnodes %u\n", p->nnodes);
    for (uint32_t i = 0; i < p->nnodes; i++) {
        write_list(f, "node", p->node[i].child, p->node[i].nchildren);
        write_list(f, " sum", p->node[i].sum, p->node[i].nsum);
        write_list(f, " out", p->node[i].out, p->node[i].nout);
        fputc('\n', f);
    }
    fprintf(f, "end\n");
    bool failed = ferror(f) != 0;
    if (fclose(f) || failed || rename(part, path) != 0) {
        snprintf(msg, n, "%s: writing failed: %s", path, strerror(errno));
        remove(part);
        return YK_EIO;
    }
    return YK_OK;
}

struct reader {
    FILE *f;
    const char *path;
    unsigned line;
    char *msg;
    size_t n;
    yk_status status;
    struct yk_arena *arena;
};

static void fail(struct reader *r, yk_status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void fail(struct reader *r, yk_status s, const char *fmt, ...)
{
    if (r->status)
        return;
    r->status = s;
    int k = snprintf(r->msg, r->n, "%s:%u: ", r->path, r->line);
    va_list ap;
    va_start(ap, fmt);
    if (k >= 0 && (size_t)k < r->n)
        vsnprintf(r->msg + k, r->n - (size_t)k, fmt, ap);
    va_end(ap);
}

/* The next word, at most 39 characters; empty at the end of the file or when it is longer. */
static void next_word(struct reader *r, char word[40])
{
    int c, k = 0;
    while ((c = getc_unlocked(r->f)) != EOF && (c == ' ' || c == '\n' || c == '\t' || c == '\r'))
        r->line += c == '\n';
    for (; c != EOF && c != ' ' && c != '\n' && c != '\t' && c != '\r'; c = getc_unlocked(r->f)) {
        if (k == 39) {
            k = 0;
            break;
        }
        word[k++] = (char)c;
    }
    if (c != EOF)
        ungetc(c, r->f);
    word[k] = 0;
}

static void expect(struct reader *r, const char *what)
{
    char word[40];
    next_word(r, word);
    if (strcmp(word, what) != 0)
        fail(r, YK_EFORMAT, "'%s' expected, '%s' found", what, word);
}

/* A number in [0, LIMIT). */
static uint32_t number(struct reader *r, uint64_t limit, const char *what)
{
    char word[40], *end;
    next_word(r, word);
    errno = 0;
    unsigned long long x = strtoull(word, &end, 10);
    if (r->status || word[0] < '0' || word[0] > '9' || *end || errno || x >= limit || x > UINT32_MAX) {
        fail(r, YK_EFORMAT, "%s below %llu expected, '%s' found", what, (unsigned long long)limit, word);
        return 0;
    }
    return (uint32_t)x;
}

/* WORD count numbers...: at most MOST numbers, each below LIMIT. */
static uint32_t *list(struct reader *r, const char *word, uint32_t most, uint64_t limit, uint32_t *n)
{
    expect(r, word);
    *n = number(r, (uint64_t)most + 1, "a count");
    uint32_t *v = yk_arena_array(r->arena, uint32_t, *n);
    if (!v) {
        fail(r, YK_ENOMEM, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < *n && !r->status; i++)
        v[i] = number(r, limit, "an index");
    return v;
}

static void read_plan(struct reader *r, struct yk_solver_plan *p, const struct yk_network *net)
{
    char hex[33], word[40];
    expect(r, "yoke-plan");
    if (number(r, UINT32_MAX, "a version") != 1)
        fail(r, YK_EFORMAT, "version 1 expected");
    expect(r, "network");
    next_word(r, word);
    network_hash(net, hex);
    if (strcmp(word, hex) != 0)
        fail(r, YK_EINVAL, "a plan for another network (%s, this one is %s)", word, hex);
    if (r->status)
        return;
    p->nvars = net->nvars;
    p->domain = net->domain;
    p->nleaves = (uint32_t)net->nfactors;
    p->sliced = list(r, "sliced", p->nvars, p->nvars, &p->nsliced);
    expect(r, "nodes");
    /* every node joins inputs or sums a variable alone: more than this cannot be */
    uint32_t nnodes = number(r, (uint64_t)2 * p->nleaves + p->nvars + 1, "a count of nodes");
    if (!r->status && !(p->node = yk_arena_array(r->arena, struct yk_solver_plan_node, nnodes)))
        fail(r, YK_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < nnodes && !r->status; i++, p->nnodes++) {
        struct yk_solver_plan_node *x = &p->node[i];
        x->child = list(r, "node", p->nleaves + i, (uint64_t)p->nleaves + i, &x->nchildren);
        x->sum = list(r, "sum", p->nvars, p->nvars, &x->nsum);
        x->out = list(r, "out", p->nvars, p->nvars, &x->nout);
    }
    expect(r, "end");
}

yk_status yk_solver_plan_read(struct yk_solver_plan *p, const struct yk_network *net, FILE *f, const char *name,
                              const struct yk_search_model *model, bool marginals, char *msg, size_t n)
{
    *p = (struct yk_solver_plan){0};
    struct reader r = {.f = f, .path = name, .line = 1, .msg = msg, .n = n, .arena = &p->arena};
    read_plan(&r, p, net);
    char why[200];
    if (!r.status && yk_solver_plan_check(p, net, why, sizeof why))
        fail(&r, YK_EFORMAT, "not a plan of this network: %s", why);
    if (r.status) {
        yk_solver_plan_finish(p);
        return r.status;
    }
    yk_solver_plan_account(p, net, model, marginals);
    return YK_OK;
}

yk_status yk_solver_plan_load(struct yk_solver_plan *p, const struct yk_network *net, const char *path,
                              const struct yk_search_model *model, bool marginals, char *msg, size_t n)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        *p = (struct yk_solver_plan){0};
        snprintf(msg, n, "%s: cannot be read: %s", path, strerror(errno));
        return YK_EIO;
    }
    yk_status st = yk_solver_plan_read(p, net, f, path, model, marginals, msg, n);
    fclose(f);
    return st;
}
