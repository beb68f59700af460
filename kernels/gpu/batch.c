#include "kernels/gpu/batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/canon.h"
#include "kernels/gpu/backend.h"

/* A record, as the kernel reads it (plain.cl): 16 numbers, of each output variable from the fastest on its domain and
 * its strides in the inputs, of each summed state its offsets in the inputs. */
enum { NIN, NOUT, SUMS, OUTS, TO, FROM = 8, HEAD = 16 };

/* LIST with room for NEED entries of EACH bytes; NULL: no memory, LIST is as it was. */
static void *grown(void *list, size_t *room, size_t need, size_t each)
{
    if (need <= *room)
        return list;
    const size_t n = need < 512 ? 1024 : 2 * need;
    void *p = realloc(list, n * each);
    *room = p ? n : *room;
    return p;
}

static yk_status put(struct yk_gpu_batch *a, const struct yk_canon *c, uint32_t level, const size_t *in, size_t out)
{
    double outs = 1, sums = 1;
    for (uint32_t v = 0; v < c->rank; v++)
        *(v < c->nout ? &outs : &sums) *= (double)c->domain[v];
    bool fits = sums <= YK_GPU_BATCH_SUMS && outs + (double)out <= INT32_MAX;
    for (uint32_t f = 0; f < c->nin + c->nscalar; f++)
        fits &= in[c->input[f]] <= INT32_MAX;
    if (!fits)
        return YK_ELIMIT;
    const uint32_t nin = c->nin + c->nscalar, nsum = c->rank - c->nout;
    const size_t words = HEAD + (size_t)c->nout * (1 + nin) + (size_t)sums * nin,
                 blocks = ((size_t)outs + YK_GPU_BATCH_THREADS - 1) / YK_GPU_BATCH_THREADS;
    if (a->nrecord + words + 2 * (a->nblock + blocks) > INT32_MAX)
        return YK_ELIMIT;
    int32_t *record = grown(a->record, &a->record_room, a->nrecord + words, sizeof *record);
    a->record = record ? record : a->record;
    struct yk_gpu_batch_block *block = grown(a->block, &a->block_room, a->nblock + blocks, sizeof *block);
    a->block = block ? block : a->block;
    if (!record || !block)
        return YK_ENOMEM;
    int32_t *r = a->record + a->nrecord, *at = r + HEAD;
    memset(r, 0, HEAD * sizeof *r);
    r[NIN] = (int32_t)nin;
    r[NOUT] = (int32_t)c->nout;
    r[SUMS] = (int32_t)sums;
    r[OUTS] = (int32_t)outs;
    r[TO] = (int32_t)out;
    for (uint32_t f = 0; f < nin; f++)
        r[FROM + f] = (int32_t)in[c->input[f]];
    for (uint32_t v = c->nout; v-- > 0;) {
        *at++ = (int32_t)c->domain[v];
        for (uint32_t f = 0; f < nin; f++)
            *at++ = f < c->nin ? (int32_t)yk_canon_stride(c, f)[v] : 0;
    }
    for (uint32_t s = 0; s < (uint32_t)sums; s++)
        for (uint32_t f = 0; f < nin; f++) {
            int64_t offset = 0;
            uint32_t rest = s;
            for (uint32_t k = 0; k < nsum && f < c->nin; k++) {
                const uint32_t v = c->rank - 1 - k;
                offset += (int64_t)(rest % c->domain[v]) * yk_canon_stride(c, f)[v];
                rest /= (uint32_t)c->domain[v];
            }
            *at++ = (int32_t)offset;
        }
    for (size_t k = 0; k < blocks; k++)
        a->block[a->nblock++] =
            (struct yk_gpu_batch_block){level, (int32_t)a->nrecord, (int32_t)k * YK_GPU_BATCH_THREADS};
    a->nrecord += words;
    a->levels = level >= a->levels ? level + 1 : a->levels;
    return YK_OK;
}

yk_status yk_gpu_batch_add(struct yk_gpu_batch *a, const struct yk_bucket *b, uint32_t level, const size_t *in,
                           size_t out)
{
    struct yk_canon c;
    if (b->ninputs > YK_CACHE_INPUTS)
        return YK_ELIMIT;
    for (uint32_t i = 0; i < b->ninputs; i++)
        if (b->input[i].cells > INT32_MAX)
            return YK_ELIMIT;
    yk_status st = yk_canon_init(&c, b);
    if (st == YK_OK) {
        st = put(a, &c, level, in, out);
        yk_canon_finish(&c);
    }
    return st;
}

static int by_level(const void *x, const void *y)
{
    const struct yk_gpu_batch_block *a = x, *b = y;
    return (a->level > b->level) - (a->level < b->level);
}

yk_status yk_gpu_batch_run(struct yk_gpu_batch *a, struct yk_gpu *g, yk_gpu_memory arena, bool single,
                           uint32_t *launches)
{
    struct yk_gpu_plain l = {.cells = arena, .factor = 1, .single = single, .threads = YK_GPU_BATCH_THREADS};
    const size_t words = a->nrecord + 2 * a->nblock;
    int32_t *table = malloc((words + 1) * sizeof *table);
    char options[100];
    double seconds = 0;
    if (!single && !g->has_double) {
        free(table);
        return YK_ELIMIT;
    }
    yk_status st = table ? YK_OK : YK_ENOMEM;
    if (st == YK_OK && a->nblock) {
        memcpy(table, a->record, a->nrecord * sizeof *table);
        qsort(a->block, a->nblock, sizeof *a->block, by_level);
        for (size_t i = 0; i < a->nblock; i++) {
            table[a->nrecord + 2 * i] = a->block[i].record;
            table[a->nrecord + 2 * i + 1] = a->block[i].first;
        }
        st = yk_gpu_alloc(g, words * sizeof *table, &l.result);
        if (st == YK_OK)
            st = yk_gpu_write(g, l.result, table, words * sizeof *table);
    }
    snprintf(options, sizeof options, "-DREAL=%s -DDOUBLE=%d -DTEXTURE=0 -DNATIVE=0 -DMETA_INTS=1",
             single ? "float" : "double", !single);
    if (st == YK_OK)
        st = yk_gpu_kernel_get(g, yk_gpu_text_plain, "batch", options, &l.kernel, &seconds);
    for (size_t from = 0, to; from < a->nblock && st == YK_OK; from = to) {
        for (to = from + 1; to < a->nblock && a->block[to].level == a->block[from].level; to++)
            ;
        l.n = a->nrecord + 2 * from;
        l.blocks = (uint32_t)(to - from);
        st = g->ops->plain(g, &l);
        if (launches)
            ++*launches;
    }
    yk_gpu_free(g, l.result);
    free(table);
    return st;
}

void yk_gpu_batch_finish(struct yk_gpu_batch *a)
{
    free(a->record);
    free(a->block);
    *a = (struct yk_gpu_batch){0};
}
