/* What a thread knows of the present block, for panel_body.h and what it includes. Included per value type. */

struct NAME(work) {
    const struct yk_panel_shape *s;
    const REAL *const *in;
    REAL *out;
    REAL scale;
    uint32_t n[YK_CLASSES];    /* inner states of the present block */
    int64_t *base[YK_CLASSES]; /* [nin + 1] offsets of the present block, by class */
    int64_t *soon;             /* [nin] cells from the present block to the one that is packed next; 0: not fetched */
    const REAL **at, **end;    /* [nin] where the present block begins, where the table ends */
    REAL *a, *b, *part, *spill;
    size_t a_step, b_step;            /* cells of A and B per group of B */
    struct NAME(flat) (*flat)[FLATS]; /* [FLAT_TABLES] what tables had in the last blocks */
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

/* Where block INDEX of class ID begins in table T. */
static int64_t NAME(place)(const struct NAME(work) * w, enum yk_class_id id, uint64_t index, uint32_t t)
{
    const struct yk_class *k = &w->s->cls[id];
    const int64_t *stride = yk_canon_stride(w->s->c, t);
    int64_t at = 0;
    for (uint32_t i = k->nloops; i-- > 0 && index;) {
        const uint64_t x = index % k->extent[i];
        index /= k->extent[i];
        at += (int64_t)(k->var[i] == k->cut ? x * k->chunk : x) * stride[k->var[i]];
    }
    return at;
}

/* SIDE is packed next for block B of class B, OWN of its own class and K of K: what of its tables lies far is fetched
 * while the present block is packed, at the same places. */
static void NAME(foresee)(struct NAME(work) * w, int side, uint64_t b, uint64_t own, uint64_t k)
{
    const struct yk_panel_shape *s = w->s;
    const enum yk_class_id id = side ? YK_N : YK_M;
    for (uint32_t x = 0; x < s->ngroup[side]; x++) {
        const uint32_t t = s->group[side][x];
        if (s->cells[t] * sizeof(REAL) >= FAR_BYTES)
            w->soon[t] = NAME(place)(w, YK_B, b, t) + NAME(place)(w, id, own, t) + NAME(place)(w, YK_K, k, t) -
                         (w->base[YK_B][t] + w->base[id][t] + w->base[YK_K][t]);
    }
}

static inline const int64_t *NAME(off)(const struct NAME(work) * w, enum yk_class_id id, uint32_t t)
{
    return w->s->cls[id].off + (size_t)t * w->s->cls[id].pad;
}

static inline uint32_t NAME(vectors_of)(uint32_t n)
{
    return (n + VL - 1) / VL;
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
