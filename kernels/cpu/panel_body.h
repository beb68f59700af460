/* Running a panel shape: loops over blocks, on threads. Included once per instruction set and value type, with REAL, VL
 * and NAME(x) defined; the file that includes it is compiled for that instruction set. */
#include "kernels/cpu/panel_tile.h"
#include "kernels/cpu/panel_turn.h"
#include "kernels/cpu/panel_run.h"
#include "kernels/cpu/panel_pack.h"
#include "kernels/cpu/panel_work.h"
#include "kernels/cpu/panel_sum.h"
#include "kernels/cpu/panel_side.h"
#include "kernels/cpu/panel_multiply.h"

/* Block of each class in task F of the shape's loops. */
static void NAME(indices)(const struct yk_panel_shape *s, uint64_t f, uint64_t *at)
{
    memset(at, 0, YK_CLASSES * sizeof *at);
    for (uint32_t i = s->nloops; i-- > 0;) {
        at[s->loop[i].cls] += f % s->loop[i].extent * s->loop[i].weight;
        f /= s->loop[i].extent;
    }
}

/* Tasks FROM..TO in the order of the shape's loops; one block of K. */
static void NAME(sweep)(struct NAME(work) * w, uint64_t from, uint64_t to)
{
    const struct yk_panel_shape *s = w->s;
    uint64_t packed[2] = {UINT64_MAX, UINT64_MAX};
    NAME(seek)(w, YK_K, 0);
    uint64_t at[YK_CLASSES], next[YK_CLASSES];
    NAME(indices)(s, from, at);
    for (uint64_t f = from; f < to; f++, memcpy(at, next, sizeof at)) {
        NAME(indices)(s, f + 1 < to ? f + 1 : f, next);
        const uint64_t own[2] = {at[YK_B] * s->cls[YK_M].blocks + at[YK_M], at[YK_B] * s->cls[YK_N].blocks + at[YK_N]};
        for (int k = YK_B; k <= YK_N; k++)
            NAME(seek)(w, (enum yk_class_id)k, at[k]);
        for (int side = 1; side >= 0; side--)
            if (own[side] != packed[side]) {
                NAME(foresee)(w, side, next[YK_B], next[side ? YK_N : YK_M], 0);
                NAME(pack)(w, side);
                packed[side] = own[side];
            }
        NAME(multiply)(w, false);
    }
}

/* Tasks FROM..TO of the (B, N, M) blocks. */
static void NAME(tasks)(struct NAME(work) * w, uint64_t from, uint64_t to)
{
    const struct yk_panel_shape *s = w->s;
    uint64_t nm = s->cls[YK_M].blocks, nn = s->cls[YK_N].blocks, nk = s->cls[YK_K].blocks;
    uint64_t packed = UINT64_MAX;
    NAME(seek)(w, YK_QL, 0);
    NAME(seek)(w, YK_QR, 0);
    for (uint64_t f = from; f < to;) {
        uint64_t m0 = f % nm, count = nm - m0 < to - f ? nm - m0 : to - f;
        NAME(seek)(w, YK_N, f / nm % nn);
        NAME(seek)(w, YK_B, f / nm / nn);
        const uint64_t b = f / nm / nn, after = f + count < to ? f + count : f;
        for (uint64_t k = 0; k < nk; k++) {
            NAME(seek)(w, YK_K, k);
            if (k + 1 < nk)
                NAME(foresee)(w, 1, b, f / nm % nn, k + 1);
            else
                NAME(foresee)(w, 1, after / nm / nn, after / nm % nn, 0);
            NAME(pack)(w, 1);
            for (uint64_t m = m0; m < m0 + count; m++) {
                NAME(seek)(w, YK_M, m);
                /* L does not depend on N: with one block of M and K it is still there. */
                if (nm > 1 || nk > 1 || packed != b) {
                    if (m + 1 < m0 + count)
                        NAME(foresee)(w, 0, b, m + 1, k);
                    else if (k + 1 < nk)
                        NAME(foresee)(w, 0, b, m0, k + 1);
                    else
                        NAME(foresee)
                    (w, 0, nm > 1 || nk > 1 || (b + 1) * nm * nn >= to ? after / nm / nn : b + 1, after % nm, 0);
                    NAME(pack)(w, 0);
                }
                packed = b;
                NAME(multiply)(w, k > 0);
            }
        }
        f += count;
    }
}

struct NAME(layout) {
    size_t a, b, part, spill, bytes; /* cells of each, bytes of a thread's working memory */
};

static yk_status NAME(some)(const struct NAME(work) * proto, const struct NAME(layout) * lay, uint64_t from,
                            uint64_t to)
{
    struct NAME(work) w = *proto;
    struct NAME(flat) flat[FLAT_TABLES][FLATS];
    for (uint32_t i = 0; i < FLAT_TABLES * FLATS; i++)
        flat[i / FLATS][i % FLATS].col = NULL;
    w.flat = flat;
    const struct yk_canon *c = w.s->c;
    char *mem = yk_scratch(lay->bytes);
    if (!mem)
        return YK_ENOMEM;
    w.a = (REAL *)(void *)mem;
    w.b = w.a + ((lay->a + 63) & ~(size_t)63);
    w.part = w.b + lay->b;
    w.spill = w.part + lay->part;
    int64_t *base = (int64_t *)(void *)(w.spill + lay->spill);
    for (int k = 0; k < YK_CLASSES; k++)
        w.base[k] = base + (size_t)k * (c->nin + 1);
    w.soon = base + YK_CLASSES * (size_t)(c->nin + 1);
    memset(w.soon, 0, (c->nin + 1) * sizeof *w.soon);
    w.at = (const REAL **)(void *)(w.soon + c->nin + 1);
    w.end = w.at + c->nin + 1;
    for (uint32_t t = 0; t < c->nin; t++)
        w.end[t] = w.in[c->input[t]] + w.s->cells[t];
    if (!w.s->ngroup[1])
        for (size_t x = 0; x < lay->b; x++)
            w.b[x] = 1;
    if (w.s->cls[YK_QL].n > 1 || w.s->cls[YK_QR].n > 1)
        memset(w.part, 0, lay->part * sizeof(REAL)); /* the gaps between groups are added too */
    if (w.s->nloops) {
        NAME(seek)(&w, YK_QL, 0);
        NAME(seek)(&w, YK_QR, 0);
        NAME(sweep)(&w, from, to);
    } else
        NAME(tasks)(&w, from, to);
#if defined(__SSE2__)
    _mm_sfence();
#endif
    return YK_OK;
}

static yk_status NAME(run)(const struct yk_panel_shape *s, const REAL *const *in, REAL *out, int threads)
{
    const struct yk_canon *c = s->c;
    uint64_t ntasks = s->cls[YK_B].blocks * s->cls[YK_M].blocks * s->cls[YK_N].blocks;
    REAL scale = (REAL)s->times;
    for (uint32_t i = 0; i < c->nscalar; i++)
        scale *= in[c->input[c->nin + i]][0];
    if ((uint64_t)threads > ntasks)
        threads = (int)ntasks;
    struct NAME(work) proto = {.s = s, .in = in, .out = out, .scale = scale};
    for (int k = 0; k < YK_CLASSES; k++)
        proto.n[k] = s->cls[k].n;
    struct NAME(counts) n = NAME(count)(&proto);
    size_t wide = s->lanes == YK_M ? 1 : VL;
    proto.a_step = ((size_t)n.rows * n.i * VL + 7) & ~(size_t)7;
    proto.b_step = ((size_t)n.rows * n.j * wide + 7) & ~(size_t)7;
    size_t a = proto.a_step * n.groups, b = (proto.b_step * n.groups + 63) & ~(size_t)63;
    size_t part = PART + 8 * VL * ROWS, spill = 4 * COLUMNS * VL;
    size_t tables = (c->nin + 1) * (YK_CLASSES + 3) * sizeof(int64_t);
    size_t bytes = (a + b + part + spill + 64) * sizeof(REAL) + tables + 256;
    const struct NAME(layout) lay = {a, b, part, spill, bytes};
    if (threads == 1)
        return NAME(some)(&proto, &lay, 0, ntasks);
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(| : failed)
    for (int i = 0; i < threads; i++) {
        uint64_t k = (uint64_t)threads, per = ntasks / k, more = ntasks % k, u = (uint64_t)i;
        uint64_t from = u * per + (u < more ? u : more);
        failed |= NAME(some)(&proto, &lay, from, from + per + (u < more)) != YK_OK;
    }
    return failed ? YK_ENOMEM : YK_OK;
}

#undef VEC
#undef LANES
#undef PARTS
#undef SPLAT
#undef PICK
#undef LANES_N
#undef LOAD
#undef STORE
#undef GATHER
#undef LOAD_SOME
#undef STORE_SOME
#undef STORE_MASK
#undef STORE_THREE
