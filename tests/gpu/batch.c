/* Small buckets in one launch against the naive reference in long double: random ones of the first level, and of the
 * second one that reads what the first level made. Status 77: no such device. */
#include <float.h>
#include <stdio.h>
#include "kernels/gpu/batch.h"
#include "tests/unit/random_bucket.h"

enum { BUCKETS = 60 };

struct small {
    struct random_bucket r;
    size_t in[RANDOM_INPUTS], out, twice; /* TWICE: the sum of its output's squares */
    bool taken;
};

static int wrong, right;

static void check(const char *what, unsigned i, double got, long double want, double allowed)
{
    const bool ok = fabs(got - (double)want) <= allowed * (double)want + DBL_MIN;
    right += ok;
    wrong += !ok;
    if (!ok)
        printf("%s of bucket %u: %.17g instead of %.17Lg\n", what, i, got, want);
}

/* The bucket that sums the squares of all cells of a table. */
static yk_status add_squares(struct yk_gpu_batch *a, const struct small *s)
{
    static const uint32_t sum[] = {0};
    const uint32_t domain[] = {(uint32_t)s->r.b.out.cells};
    const struct yk_bucket_table in[] = {{1, sum, s->r.b.out.cells}, {1, sum, s->r.b.out.cells}};
    const struct yk_bucket b = {1, domain, 2, in, {0, NULL, 1}, 1, sum};
    return yk_gpu_batch_add(a, &b, 1, (const size_t[]){s->out, s->out}, s->twice);
}

static bool run(struct yk_gpu *gpu, bool single)
{
    static struct small s[BUCKETS];
    struct yk_gpu_batch batch = {0};
    size_t cells = 0;
    uint32_t launches = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        random_bucket_init(&s[i].r, 4000 + i, 10);
        for (uint32_t t = 0; t < s[i].r.b.ninputs; t++) {
            s[i].in[t] = cells;
            cells += s[i].r.b.input[t].cells;
        }
        s[i].out = cells;
        s[i].twice = cells + s[i].r.b.out.cells;
        cells = s[i].twice + 1;
        s[i].taken = yk_gpu_batch_add(&batch, &s[i].r.b, 0, s[i].in, s[i].out) == YK_OK;
        if (s[i].taken && s[i].r.b.out.cells <= YK_GPU_BATCH_SUMS && add_squares(&batch, &s[i]) != YK_OK)
            return false;
    }
    double *v = calloc(cells, sizeof *v);
    float *f = calloc(cells, sizeof *f);
    yk_gpu_memory arena = 0;
    yk_status st = v && f ? yk_gpu_alloc(gpu, cells * sizeof *v, &arena) : YK_ENOMEM;
    for (unsigned i = 0; i < BUCKETS && st == YK_OK; i++)
        for (uint32_t t = 0; t < s[i].r.b.ninputs; t++)
            memcpy(v + s[i].in[t], s[i].r.value[t], s[i].r.b.input[t].cells * sizeof *v);
    for (size_t i = 0; i < cells && st == YK_OK; i++)
        f[i] = (float)v[i];
    const size_t bytes = cells * (single ? sizeof *f : sizeof *v);
    if (st == YK_OK)
        st = yk_gpu_write(gpu, arena, single ? (void *)f : v, bytes);
    if (st == YK_OK)
        st = yk_gpu_batch_run(&batch, gpu, arena, single, &launches);
    if (st == YK_OK)
        st = yk_gpu_read(gpu, arena, single ? (void *)f : v, bytes);
    if (st != YK_OK || launches != 2)
        printf("%s, %u launches\n", yk_status_text(st), launches);
    for (unsigned i = 0; i < BUCKETS && st == YK_OK; i++) {
        const struct yk_bucket *b = &s[i].r.b;
        long double *want = malloc(b->out.cells * sizeof *want), squares = 0;
        double terms = 2 * b->ninputs + 2, eps = single ? FLT_EPSILON : DBL_EPSILON;
        for (uint32_t k = 0; k < b->nsum; k++)
            terms *= b->domain[b->sum[k]];
        yk_sumproduct_naive(b, (const double *const *)s[i].r.value, want);
        for (size_t x = 0; x < b->out.cells && s[i].taken; x++) {
            const size_t at = s[i].out + x;
            check("a cell", i, single ? (double)f[at] : v[at], want[x], eps * terms);
            squares += want[x] * want[x];
        }
        if (s[i].taken && b->out.cells <= YK_GPU_BATCH_SUMS)
            check("the squares", i, single ? (double)f[s[i].twice] : v[s[i].twice], squares,
                  eps * (2 * terms + (double)b->out.cells));
        free(want);
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        random_bucket_finish(&s[i].r);
    yk_gpu_free(gpu, arena);
    yk_gpu_batch_finish(&batch);
    free(v);
    free(f);
    return st == YK_OK && launches == 2;
}

int main(void)
{
    struct yk_gpu *gpu = NULL;
    yk_status st;
    const struct yk_machine *m = yk_machine_get(&st);
    if (!m || !m->n || !m->device[m->primary].usable)
        return 77;
    if (yk_gpu_open_opencl(&m->device[m->primary], false, &gpu) != YK_OK)
        return 1;
    bool good = run(gpu, true);
    if (yk_gpu_has_double(gpu))
        good &= run(gpu, false);
    yk_gpu_close(gpu);
    printf("%d cells right, %d wrong\n", right, wrong);
    return !good || wrong || !right;
}
