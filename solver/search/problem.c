#include "solver/search/problem.h"
#include <math.h>
#include <stdlib.h>

struct by_domain {
    uint32_t domain, var;
};

static int compare_domain(const void *a, const void *b)
{
    const struct by_domain *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return x->var < y->var ? -1 : x->var > y->var;
}

bool problem_allocate(struct problem *p)
{
    p->leaf = yk_arena_array(&p->arena, uint32_t, p->nleaves);
    p->legs = yk_arena_array(&p->arena, uint64_t, (size_t)p->nleaves * p->words);
    p->power = yk_arena_array(&p->arena, double, (size_t)p->words *YK_POWERS);
    p->domain = yk_arena_array(&p->arena, double, p->nbits);
    p->var = yk_arena_array(&p->arena, uint32_t, p->nbits);
    p->sliced = yk_arena_array(&p->arena, uint64_t, p->words);
    return p->leaf && p->legs && p->power && p->domain && p->var && p->sliced;
}

/* Variables that are worth a bit, sorted by domain: those in two factors or more. Returns their number. */
static uint32_t collect(const struct yk_network *net, const uint32_t *uses, struct by_domain *v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < net->nvars; i++)
        if (uses[i] >= 2)
            v[n++] = (struct by_domain){net->domain[i], i};
    qsort(v, n, sizeof *v, compare_domain);
    return n;
}

void problem_fill_powers(struct problem *p)
{
    for (uint32_t w = 0; w < p->words; w++) {
        double c = 1, d = p->domain[w * 64];
        for (uint32_t k = 0; k < YK_POWERS; k++, c *= d)
            p->power[w * YK_POWERS + k] = c;
    }
}

static void place(struct problem *p, const struct by_domain *v, uint32_t nv, uint32_t *bit)
{
    for (uint32_t i = 0; i < p->nbits; i++) {
        p->var[i] = YK_NO_VAR;
        p->domain[i] = 1;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < nv; i++, at++) {
        if (i && v[i].domain != v[i - 1].domain)
            at = (at + 63) / 64 * 64;
        p->var[at] = v[i].var;
        p->domain[at] = v[i].domain;
        bit[v[i].var] = at;
    }
    problem_fill_powers(p);
}

yk_status problem_init(struct problem *p, const struct yk_network *net)
{
    *p = (struct problem){.net = net, .cells_max = INFINITY};
    uint32_t *uses = calloc((size_t)net->nvars + 1, sizeof *uses);
    uint32_t *bit = malloc(((size_t)net->nvars + 1) * sizeof *bit);
    struct by_domain *v = malloc(((size_t)net->nvars + 1) * sizeof *v);
    yk_status s = YK_ENOMEM;
    if (!uses || !bit || !v)
        goto out;
    for (uint32_t i = 0; i < net->nvars; i++)
        bit[i] = YK_NO_VAR;
    for (size_t f = 0; f < net->nfactors; f++)
        for (uint32_t i = 0; i < net->factor[f].n; i++)
            uses[net->factor[f].scope[i]]++;
    p->nvars = collect(net, uses, v);
    for (uint32_t i = 0; i < p->nvars; i++) {
        uint32_t same = 1;
        while (i + 1 < p->nvars && v[i + 1].domain == v[i].domain)
            i++, same++;
        p->words += (same + 63) / 64;
    }
    if (!p->words)
        p->words = 1;
    p->nbits = p->words * 64;
    for (size_t f = 0; f < net->nfactors; f++) {
        bool any = false;
        for (uint32_t i = 0; i < net->factor[f].n; i++)
            any |= uses[net->factor[f].scope[i]] >= 2;
        p->nleaves += any;
    }
    if (!problem_allocate(p))
        goto out;
    place(p, v, p->nvars, bit);
    uint32_t n = 0;
    for (size_t f = 0; f < net->nfactors; f++) {
        bool any = false;
        for (uint32_t i = 0; i < net->factor[f].n; i++) {
            uint32_t b = bit[net->factor[f].scope[i]];
            if (b == YK_NO_VAR)
                continue;
            any = true;
            bit_set(p->legs + (size_t)n * p->words, b);
        }
        if (any)
            p->leaf[n++] = (uint32_t)f;
    }
    s = YK_OK;
out:
    free(uses);
    free(bit);
    free(v);
    if (s)
        problem_finish(p);
    return s;
}

void problem_finish(struct problem *p)
{
    yk_arena_finish(&p->arena);
    *p = (struct problem){0};
}

void problem_slice(struct problem *p, uint32_t v)
{
    bit_set(p->sliced, v);
    for (uint32_t i = 0; i < p->nleaves; i++)
        bit_clear(p->legs + (size_t)i * p->words, v);
    p->nvars--;
}

void problem_unslice(struct problem *p, uint32_t v)
{
    bit_clear(p->sliced, v);
    for (uint32_t i = 0; i < p->nleaves; i++) {
        const struct yk_factor *f = &p->net->factor[p->leaf[i]];
        for (uint32_t k = 0; k < f->n; k++)
            if (f->scope[k] == p->var[v])
                bit_set(p->legs + (size_t)i * p->words, v);
    }
    p->nvars++;
}
