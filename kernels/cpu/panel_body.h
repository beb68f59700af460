/* Running a panel shape: outer loops, packing, tiles. Included once per instruction set and value type, with REAL, VL
 * and NAME(x) defined; the file that includes it is compiled for that instruction set. */
#include "kernels/cpu/panel_tile.h"
#include "kernels/cpu/panel_turn.h"
#include "kernels/cpu/panel_pack.h"

struct NAME(work) {
    const struct yk_panel_shape *s;
    const REAL *const *in;
    REAL *out;
    REAL scale;
    uint32_t n[YK_CLASSES];    /* inner states of the present block */
    int64_t *base[YK_CLASSES]; /* [nin + 1] offsets of the present block, by class */
    const REAL **at, **end;    /* [nin] where the present block begins, where the table ends */
    REAL *a, *b, *part, *spill;
    size_t a_step, b_step; /* cells of A and B per group of B */
};

static const int64_t NAME(zeros)[YK_PANEL_ZEROS];

/* Block INDEX of class K: its offsets and inner states. */
static void NAME(seek)(struct NAME(work) * w, enum yk_class_id id, uint64_t index)
{
    const struct yk_class *k = &w->s->cls[id];
    const struct yk_canon *c = w->s->c;
    int64_t *base = w->base[id];
    memset(base, 0, (c->nin + 1) * sizeof *base);
    uint32_t chunk = k->chunk;
    for (uint32_t i = k->nloops; i-- > 0;) {
        uint64_t x = index % k->extent[i];
        uint32_t v = k->var[i];
        index /= k->extent[i];
        if (v == k->cut) {
            x *= k->chunk;
            uint64_t left = c->domain[v] - x;
            chunk = (uint32_t)(left < k->chunk ? left : k->chunk);
        }
        for (uint32_t t = 0; t <= c->nin; t++)
            base[t] += (int64_t)x * yk_canon_stride(c, t)[v];
    }
    w->n[id] = k->run * chunk;
}

static inline const int64_t *NAME(off)(const struct NAME(work) * w, enum yk_class_id id, uint32_t t)
{
    return w->s->cls[id].off + (size_t)t * w->s->cls[id].pad;
}

static inline uint32_t NAME(vectors_of)(uint32_t n)
{
    return (n + VL - 1) / VL;
}

/* A part of one side's panels: groups of B, columns (vectors where the lanes are the side's), rows. */
struct NAME(part) {
    uint32_t g0, g1, i0, i1, r0, rows;
    int64_t presum; /* state of the side's own summed variables */
    REAL *dst;      /* of group g0, column i0, row r0 */
    size_t dst_group, dst_col;
};

/* Table T over the part P, times what is there if MORE. */
static inline __attribute__((always_inline)) void NAME(pack_part)(struct NAME(work) * w, int side, uint32_t t,
                                                                  const struct NAME(part) * p, const bool more)
{
    const struct yk_panel_shape *s = w->s;
    enum yk_class_id own = side ? YK_N : YK_M;
    uint32_t most = side ? s->nr : s->mr;
    const uint8_t *layout = s->layout + (size_t)t * s->lane_groups;
    const int64_t *group = NAME(off)(w, YK_B, t), *row = NAME(off)(w, YK_K, t), *col = NAME(off)(w, own, t);
    const REAL *start = w->at[t] + NAME(off)(w, side ? YK_QR : YK_QL, t)[p->presum];
    struct NAME(lattice) l = {.row = row + p->r0, .col = NAME(zeros), .first_row = p->r0, .end = w->end[t]};
    l.row_run = s->run[t];
    uint32_t ahead = AHEAD_BYTES / (w->n[YK_K] * VL * (uint32_t)sizeof(REAL));
    ahead = ahead < 1 ? 1 : ahead > 16 ? 16 : ahead;
    if (s->lanes == YK_M) {
        l.lane_col = VL;
        l.layout_col = 1;
    } else if (s->lanes == YK_K) {
        l.row = NAME(zeros);
        l.lane = row + (size_t)p->r0 * VL;
        l.lane_row = VL;
        l.layout = layout + p->r0;
        l.layout_row = 1;
        l.valid_row = (p->r0 + p->rows) * VL > w->n[YK_K] ? p->rows - 1 : UINT32_MAX;
        l.valid = w->n[YK_K] % VL;
    }
    for (uint32_t g = p->g0; g < p->g1; g++) {
        const REAL *from = start;
        if (s->lanes == YK_B) {
            l.lane = group + (size_t)g * VL;
            l.layout = layout + g;
            l.valid = (g + 1) * VL > w->n[YK_B] ? w->n[YK_B] % VL : VL;
            l.valid_col = 0;
        } else
            from += group[g];
        for (uint32_t i = p->i0; i < p->i1; i += most) {
            uint32_t cols = p->i1 - i < most ? p->i1 - i : most;
            REAL *dst = p->dst + (g - p->g0) * p->dst_group + (i - p->i0) * p->dst_col;
            if (s->lanes == YK_M && side) {
                uint32_t soon = i + cols * ahead + cols <= w->n[own] ? cols * ahead : 0;
                if (cols == VL && l.row_run >= 3) {
                    /* a column of values for each row: as if the lanes ran along N */
                    NAME(pack_runs)
                    (dst, VL, from, &l, col + i, YK_LAY_ANY, VL, p->rows, more);
                    continue;
                }
                for (uint32_t j = 0; soon && j < cols; j++)
                    for (uint32_t r = 0; r < p->rows; r += 64 / sizeof(REAL))
                        __builtin_prefetch(from + l.row[r] + col[i + soon + j]);
                NAME(pack_scalars)(dst, from, l.row, col + i, p->rows, cols, more);
                continue;
            }
            if (s->lanes == YK_M) {
                l.lane = col + (size_t)i * VL;
                l.layout = layout + i;
                l.valid_col = (i + cols) * VL > w->n[own] ? cols - 1 : UINT32_MAX;
                l.valid = w->n[own] % VL;
            } else
                l.col = col + i;
            NAME(pack_table)(dst, from, &l, p->rows, cols, more);
        }
    }
}

static void NAME(pack_tables)(struct NAME(work) * w, int side, const struct NAME(part) * p)
{
    const struct yk_panel_shape *s = w->s;
    NAME(pack_part)(w, side, s->group[side][0], p, false);
    for (uint32_t x = 1; x < s->ngroup[side]; x++)
        NAME(pack_part)(w, side, s->group[side][x], p, true);
}

struct NAME(counts) {
    uint32_t groups, rows, i, j; /* of B; of K; columns of L and of R, each in vectors where the lanes are */
};

static struct NAME(counts) NAME(count)(const struct NAME(work) * w)
{
    struct NAME(counts) n = {w->n[YK_B], w->n[YK_K], w->n[YK_M], w->n[YK_N]};
    if (w->s->lanes == YK_B)
        n.groups = NAME(vectors_of)(n.groups);
    else if (w->s->lanes == YK_K)
        n.rows = NAME(vectors_of)(n.rows);
    else
        n.i = NAME(vectors_of)(n.i);
    return n;
}

#include "kernels/cpu/panel_sum.h"

/* All panels of SIDE for the present block. Where several tables are multiplied, or presummed, they go part by part, so
 * that the part is in the first-level cache when the next table comes. */
static void NAME(pack)(struct NAME(work) * w, int side)
{
    const struct yk_panel_shape *s = w->s;
    enum yk_class_id own = side ? YK_N : YK_M;
    if (!s->ngroup[side])
        return; /* ones, since the beginning */
    for (uint32_t x = 0; x < s->ngroup[side]; x++) {
        uint32_t t = s->group[side][x];
        w->at[t] = w->in[s->c->input[t]] + w->base[YK_B][t] + w->base[YK_K][t] + w->base[own][t];
    }
    if (s->joint[side] && s->lanes != YK_K) {
        NAME(pack_summed)(w, side);
        return;
    }
    struct NAME(counts) n = NAME(count)(w);
    uint32_t cols = side ? n.j : n.i, most = side ? s->nr : s->mr, nq = s->cls[side ? YK_QR : YK_QL].n;
    size_t wide = side && s->lanes == YK_M ? 1 : VL, step = side ? w->b_step : w->a_step;
    REAL *buffer = side ? w->b : w->a;
    struct NAME(part) p = {.dst_group = step, .dst_col = (size_t)n.rows * wide};
    uint32_t groups = n.groups, width = cols, rows = n.rows;
    if (nq > 1 || s->ngroup[side] > 1) {
        groups = (uint32_t)(PART / step);
        if (!groups) {
            groups = 1;
            width = (uint32_t)(PART / (n.rows * wide)) / most * most;
            if (!width) {
                width = most;
                rows = ROWS;
            }
        }
    }
    for (p.g0 = 0; p.g0 < n.groups; p.g0 = p.g1) {
        p.g1 = n.groups - p.g0 < groups ? n.groups : p.g0 + groups;
        for (p.i0 = 0; p.i0 < cols; p.i0 = p.i1) {
            p.i1 = cols - p.i0 < width ? cols : p.i0 + width;
            for (p.r0 = 0; p.r0 < n.rows; p.r0 += p.rows) {
                p.rows = n.rows - p.r0 < rows ? n.rows - p.r0 : rows;
                REAL *to = buffer + p.g0 * step + p.i0 * p.dst_col + (size_t)p.r0 * (p.i1 - p.i0) * wide;
                p.dst = to;
                p.presum = 0;
                NAME(pack_tables)(w, side, &p);
                size_t cells = p.g1 - p.g0 > 1 ? (p.g1 - p.g0) * step : (size_t)(p.i1 - p.i0) * p.rows * wide;
                for (uint32_t q = 1; q < nq; q++) {
                    p.dst = w->part;
                    p.presum = q;
                    NAME(pack_tables)(w, side, &p);
                    for (size_t i = 0; i < cells; i++)
                        to[i] += w->part[i];
                }
            }
        }
    }
}

/* V's first N lanes to C + OFF[lane]. */
static inline void NAME(scatter_vector)(REAL *c, const REAL *v, const int64_t *off, uint32_t n, uint8_t layout,
                                        bool add)
{
    if (add)
        for (uint32_t l = 0; l < n; l++)
            c[off[l]] += v[l];
#ifdef STORE_SOME
    else if (layout == YK_LAY_RUN)
        STORE_SOME(c + off[0], LOAD(v), n);
#endif
    else if (n == VL && layout == YK_LAY_RUN2)
        for (uint32_t l = 0; l < VL; l += 2)
            memcpy(c + off[l], v + l, 2 * sizeof *v);
    else if (n == VL && layout == YK_LAY_RUN4)
        for (uint32_t l = 0; l < VL; l += 4)
            memcpy(c + off[l], v + l, 4 * sizeof *v);
    else
        for (uint32_t l = 0; l < n; l++)
            c[off[l]] = v[l];
}

/* N vectors, STEP cells apart at V, whose cells of one lane lie BY[0..N) apart: each lane's run of such that are
 * neighbours at once. */
static void NAME(scatter_vectors)(REAL *c, const int64_t *by, const REAL *v, size_t step, uint32_t n,
                                  const int64_t *off, uint32_t valid, uint8_t layout, bool add)
{
    for (uint32_t x = 0; x < n;) {
        uint32_t run = 1;
#if LANES_N >= 4
        if (!add && layout != YK_LAY_RUN && layout != YK_LAY_RUN4)
            while (run < 4 && x + run < n && by[x + run] == by[x] + run)
                run++;
        if (run > 1)
            NAME(put_runs)(c + by[x], off, v + x * step, step, run, valid);
        else
#endif
            NAME(scatter_vector)(c + by[x], v + x * step, off, valid, layout, add);
        x += run;
    }
}

/* Sums that did not go straight to the output: lanes scattered, or added up. LAYOUT: of each row with lanes along M,
 * else of all; VALID lanes of the last row, or of all. */
static void NAME(scatter)(const struct NAME(work) * w, const struct NAME(target) * to, uint32_t mr, uint32_t nr,
                          const int64_t *lane, uint32_t valid, const uint8_t *layout)
{
    if (w->s->lanes == YK_K) {
        for (uint32_t j = 0; j < nr; j++)
            for (uint32_t i = 0; i < mr; i++) {
                const REAL *v = to->spill + ((size_t)j * mr + i) * VL;
                REAL sum = 0, *c = to->c + to->cj[j] + to->ci[i];
                for (int l = 0; l < VL; l++)
                    sum += v[l];
                *c = to->add ? *c + sum : sum;
            }
        return;
    }
    if (w->s->lanes == YK_M) {
        for (uint32_t i = 0; i < mr; i++)
            if (!(to->direct >> i & 1))
                NAME(scatter_vectors)
        (to->c, to->cj, to->spill + (size_t)i * VL, (size_t)mr * VL, nr, to->ci + (size_t)i * VL,
         i == mr - 1 ? valid : VL, layout[i], to->add);
        return;
    }
    if (mr == 1 || (nr > 1 && to->cj[1] == to->cj[0] + 1)) {
        for (uint32_t i = 0; i < mr; i++)
            NAME(scatter_vectors)
        (to->c + to->ci[i], to->cj, to->spill + (size_t)i * VL, (size_t)mr * VL, nr, lane, valid, *layout, to->add);
        return;
    }
    for (uint32_t j = 0; j < nr; j++)
        NAME(scatter_vectors)
    (to->c + to->cj[j], to->ci, to->spill + (size_t)j * mr * VL, VL, mr, lane, valid, *layout, to->add);
}

/* Fetch the output's cells of a tile that will be written soon. */
static void NAME(fetch)(const REAL *c, const int64_t *ci, uint32_t step, uint32_t mr, const int64_t *cj, uint32_t nr,
                        const int64_t *lane, uint32_t lanes)
{
    for (uint32_t j = 0; j < nr; j++)
        for (uint32_t i = 0; i < mr; i++) {
            const REAL *at = c + cj[j] + (lane ? ci[i] : 0);
            const int64_t *off = lane ? lane : ci + (size_t)i * step;
            for (uint32_t l = 0; l < lanes; l += VL / 4)
                __builtin_prefetch(at + off[l], 1);
        }
}

/* The tiles of the present block, A and B packed. */
static void NAME(multiply)(struct NAME(work) * w, bool add)
{
    const struct yk_panel_shape *s = w->s;
    uint32_t out = s->c->nin;
    struct NAME(counts) n = NAME(count)(w);
    const uint8_t *layout = s->layout + (size_t)out * s->lane_groups;
    const int64_t *ob = NAME(off)(w, YK_B, out), *om = NAME(off)(w, YK_M, out), *on = NAME(off)(w, YK_N, out);
    REAL *c = w->out + w->base[YK_B][out] + w->base[YK_M][out] + w->base[YK_N][out];
    struct NAME(target) to = {.add = add, .scale = w->scale, .spill = w->spill};
    size_t bytes = s->cells[out] * sizeof(REAL);
    bool fetch = bytes >= FETCH_BYTES && s->lanes != YK_K;
    to.stream = bytes >= STREAM_BYTES && !add && s->cls[YK_K].blocks == 1;
    size_t wide = s->lanes == YK_M ? 1 : VL;
    for (uint32_t g = 0; g < n.groups; g++) {
        uint32_t valid = VL;
        const uint8_t *lay = layout;
        const int64_t *lane = NULL;
        bool straight = false;
        if (s->lanes == YK_B) {
            lane = ob + (size_t)g * VL;
            lay = layout + g;
            if ((g + 1) * VL > w->n[YK_B])
                valid = w->n[YK_B] % VL;
            straight = *lay == YK_LAY_RUN && valid == VL;
            to.c = c + (straight ? lane[0] : 0);
        } else
            to.c = c + ob[g];
        for (uint32_t j = 0; j < n.j; j += s->nr) {
            uint32_t nr = n.j - j < s->nr ? n.j - j : s->nr;
            const REAL *b = w->b + g * w->b_step + (size_t)j * n.rows * wide;
            to.cj = on + j;
            for (uint32_t i = 0; i < n.i; i += s->mr) {
                uint32_t mr = n.i - i < s->mr ? n.i - i : s->mr;
                const REAL *a = w->a + g * w->a_step + (size_t)i * n.rows * VL;
                if (fetch && !(to.stream && straight)) {
                    /* the tile after this one: below it, or the first of the next column */
                    uint32_t i1 = i + mr, j1 = j, mr1, nr1;
                    if (i1 == n.i) {
                        i1 = 0;
                        j1 += nr;
                    }
                    mr1 = n.i - i1 < s->mr ? n.i - i1 : s->mr;
                    nr1 = n.j - j1 < s->nr ? n.j - j1 : s->nr;
                    if (s->lanes == YK_B)
                        NAME(fetch)(c, om + i1, 1, mr1, on + j1, nr1, lane, valid);
                    else if ((i1 + mr1) * VL <= w->n[YK_M])
                        NAME(fetch)(to.c, om + (size_t)i1 * VL, VL, mr1, on + j1, nr1, NULL, VL);
                }
                if (s->lanes == YK_M) {
                    to.ci = om + (size_t)i * VL;
                    to.step = VL;
                    valid = (i + mr) * VL > w->n[YK_M] ? w->n[YK_M] % VL : VL;
                    lay = layout + i;
                    to.direct = 0;
                    for (uint32_t x = 0; x < mr; x++)
                        to.direct |= (uint32_t)(lay[x] == YK_LAY_RUN && (x < mr - 1 || valid == VL)) << x;
                    straight = to.direct == (1u << mr) - 1;
                    NAME(scalars)[nr - 1][mr - 1](a, b, n.rows, &to);
                } else {
                    to.ci = om + i;
                    to.step = 1;
                    to.direct = straight ? (1u << mr) - 1 : 0;
                    NAME(vectors)[nr - 1][mr - 1](a, b, n.rows, &to);
                }
                if (!straight)
                    NAME(scatter)(w, &to, mr, nr, lane, valid, lay);
            }
        }
    }
}

/* Tasks FROM..TO in the order of the shape's loops; one block of K. */
static void NAME(sweep)(struct NAME(work) * w, uint64_t from, uint64_t to)
{
    const struct yk_panel_shape *s = w->s;
    uint64_t packed[2] = {UINT64_MAX, UINT64_MAX};
    NAME(seek)(w, YK_K, 0);
    for (uint64_t f = from; f < to; f++) {
        uint64_t at[YK_CLASSES] = {0}, rest = f;
        for (uint32_t i = s->nloops; i-- > 0;) {
            at[s->loop[i].cls] += rest % s->loop[i].extent * s->loop[i].weight;
            rest /= s->loop[i].extent;
        }
        const uint64_t own[2] = {at[YK_B] * s->cls[YK_M].blocks + at[YK_M], at[YK_B] * s->cls[YK_N].blocks + at[YK_N]};
        for (int k = YK_B; k <= YK_N; k++)
            NAME(seek)(w, (enum yk_class_id)k, at[k]);
        for (int side = 1; side >= 0; side--)
            if (own[side] != packed[side]) {
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
        for (uint64_t k = 0; k < nk; k++) {
            NAME(seek)(w, YK_K, k);
            NAME(pack)(w, 1);
            for (uint64_t m = m0; m < m0 + count; m++) {
                NAME(seek)(w, YK_M, m);
                /* L does not depend on N: with one block of M and K it is still there. */
                if (nm > 1 || nk > 1 || packed != f / nm / nn)
                    NAME(pack)(w, 0);
                packed = f / nm / nn;
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
    w.at = (const REAL **)(void *)(base + YK_CLASSES * (size_t)(c->nin + 1));
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
    size_t part = PART + 8 * VL * ROWS, spill = 32 * VL;
    size_t tables = (c->nin + 1) * (YK_CLASSES + 2) * sizeof(int64_t);
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
#undef LOAD_SOME
#undef STORE_SOME
