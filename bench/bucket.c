#include "bench/bucket.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char bench_bucket_ranges[] =
    "2-4 functions, 1-10 values per variable, 2-32 summation values, 1-18 variables shared between functions, 5-25\n"
    "variables per function; one global order, summed variables last; drawn uniformly, then rejected if a function "
    "has\n"
    "no summed variable, the tables exceed the memory given, or the operation count lies outside the stratum asked for";

static uint64_t next(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t between(uint64_t *s, uint32_t a, uint32_t b)
{
    return a + (uint32_t)(next(s) % (b - a + 1));
}

double bench_bucket_flops(const struct yk_bucket *b)
{
    double states = 1;
    for (uint32_t v = 0; v < b->rank; v++)
        states *= b->domain[v];
    return states * (b->ninputs - 1) + states - (double)b->out.cells;
}

static bool fill_table(struct bench_bucket *r, struct yk_bucket_table *t, const uint32_t *var, uint32_t n, double most)
{
    double cells = 1;
    for (uint32_t i = 0; i < n; i++)
        cells *= r->domain[var[i]];
    if (cells > most)
        return false;
    *t = (struct yk_bucket_table){n, var, (size_t)cells};
    return true;
}

/* One draw; false if it is rejected. */
static bool draw(struct bench_bucket *r, uint64_t *seed, double cells)
{
    memset(r, 0, sizeof *r);
    uint32_t nf = between(seed, 2, BENCH_INPUTS), shared = between(seed, 1, 18), sums = 0;
    uint64_t scope[BENCH_INPUTS] = {0};
    /* Variables 0..shared-1 are shared; a function that needs more takes its own. */
    uint32_t rank = shared;
    for (uint32_t f = 0; f < nf; f++) {
        uint32_t want = between(seed, 5, 25), have = 0;
        for (uint32_t v = 0; v < shared && have < want; v++)
            if (between(seed, 0, 3)) {
                scope[f] |= UINT64_C(1) << v;
                have++;
            }
        for (; have < want; have++) {
            if (rank == BENCH_RANK)
                return false;
            scope[f] |= UINT64_C(1) << rank++;
        }
    }
    for (uint32_t v = 0; v < rank; v++)
        r->domain[v] = between(seed, 1, 10);
    /* Summed: shared variables of 2-32 states together. */
    uint64_t summed = 0;
    uint32_t states = 1;
    for (int tries = 0; tries < 8; tries++) {
        uint32_t v = between(seed, 0, shared - 1);
        if (summed >> v & 1 || r->domain[v] == 1 || states * r->domain[v] > 32)
            continue;
        summed |= UINT64_C(1) << v;
        states *= r->domain[v];
        if (between(seed, 0, 1))
            break;
    }
    if (states < 2)
        return false;
    uint64_t used = 0;
    for (uint32_t f = 0; f < nf; f++) {
        if (!(scope[f] & summed))
            return false;
        used |= scope[f];
    }
    /* One order: the output's variables, then the summed; unused shared variables are dropped. */
    uint32_t place[BENCH_RANK], order[BENCH_RANK], n = 0, domain[BENCH_RANK], nout = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t v = 0; v < rank; v++)
            if (used >> v & 1 && (summed >> v & 1) == (uint64_t)pass) {
                place[v] = n;
                order[n] = v;
                domain[n++] = r->domain[v];
                nout += !pass;
            }
    memcpy(r->domain, domain, n * sizeof *domain);
    for (uint32_t f = 0; f < nf; f++) {
        uint32_t k = 0;
        for (uint32_t i = 0; i < n; i++)
            if (scope[f] >> order[i] & 1)
                r->var[f][k++] = place[order[i]];
        if (!fill_table(r, &r->input[f], r->var[f], k, cells))
            return false;
        cells -= (double)r->input[f].cells;
    }
    for (uint32_t i = nout; i < n; i++)
        r->sum[sums++] = i;
    for (uint32_t i = 0; i < nout; i++)
        r->var[BENCH_INPUTS][i] = i;
    r->b = (struct yk_bucket){n, r->domain, nf, r->input, {0}, sums, r->sum};
    return fill_table(r, &r->b.out, r->var[BENCH_INPUTS], nout, cells);
}

bool bench_bucket_random(struct bench_bucket *r, uint64_t *seed, double flops_from, double flops_to, double bytes)
{
    for (uint32_t tries = 0; tries < 10000000; tries++) {
        uint64_t from = *seed;
        if (draw(r, seed, bytes / sizeof(double))) {
            double flops = bench_bucket_flops(&r->b);
            r->seed = from;
            if (flops >= flops_from && flops < flops_to)
                return true;
        }
    }
    return false;
}

void bench_bucket_matrix(struct bench_bucket *r, uint32_t m, uint32_t n, uint32_t k, const char *layout, bool single)
{
    memset(r, 0, sizeof *r);
    const uint32_t size[3] = {m, n, k};
    uint32_t first[3], count[3], rank = 0;
    for (int d = 0; d < 3; d++) {
        first[d] = rank;
        uint32_t left = size[d];
        while (!single && left % 2 == 0 && left > 2) {
            r->domain[rank++] = 2;
            left /= 2;
        }
        r->domain[rank++] = left;
        count[d] = rank - first[d];
    }
    const int dims[3][2] = {{0, 2}, {strcmp(layout, "nn") ? 1 : 2, strcmp(layout, "nn") ? 2 : 1}, {0, 1}};
    struct yk_bucket_table *table[3] = {&r->input[0], &r->input[1], &r->b.out};
    r->b = (struct yk_bucket){.rank = rank, .domain = r->domain, .ninputs = 2, .input = r->input, .sum = r->sum};
    for (int t = 0; t < 3; t++) {
        uint32_t *var = r->var[t < 2 ? t : BENCH_INPUTS], at = 0;
        for (int d = 0; d < 2; d++)
            for (uint32_t i = 0; i < count[dims[t][d]]; i++)
                var[at++] = first[dims[t][d]] + i;
        fill_table(r, table[t], var, at, 1e18);
    }
    for (uint32_t i = 0; i < count[2]; i++)
        r->sum[r->b.nsum++] = first[2] + i;
}

double *bench_table(const struct yk_bucket_table *t, uint64_t seed)
{
    double *v = yk_table_alloc(t->cells * sizeof *v);
    for (size_t i = 0; v && i < t->cells; i++)
        v[i] = ((double)(next(&seed) >> 11) + 1) * 0x1p-53;
    return v;
}

void bench_bucket_name(const struct yk_bucket *b, char *text, size_t n)
{
    size_t at = 0;
    for (uint32_t i = 0; i < b->ninputs && at < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%u", i ? "," : "", b->input[i].n);
    if (at < n)
        snprintf(text + at, n - at, ">%u of %u", b->out.n, b->rank);
}
