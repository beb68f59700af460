#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/panel_choice.h"
#include "kernels/cpu/panel_sweep.h"

/* Cells of a packed block: of L about what a second-level cache keeps, of R what the last level keeps; KC is short
 * enough for a panel of R to stay in the first. */
enum {
    JOINT_MOST = 1024,
    KC = 256,
    KC_VECTOR = 64,
    KC_LANES = 512,
    M_FEW = 192,
    M_MOST = 2048,
    N_MOST = 1024,
    N_FAR = 16, /* where the output comes from memory: more runs at a time than that are not fetched ahead */
    B_MOST = 512
};
static const double SHORT_CELLS = 1 << 10, R_CELLS = 256 << 10, VECTOR_CELLS = 32 << 10, SMALL_CELLS = 8 << 10,
                    FAR_OUT_CELLS = 4 << 20;

static double product_of(const struct yk_canon *c, const uint8_t *cls, enum yk_class_id id)
{
    double n = 1;
    for (uint32_t v = 0; v < c->rank; v++)
        if (cls[v] == id)
            n *= (double)c->domain[v];
    return n;
}

/* Inner variables of class ID: the fast ones of tables BY[0] and BY[1] in turn, so that both are read in whole cache
 * lines, up to CAP states; one more variable is cut to fill up. They are put into the order of table FIRST. */
static void pick(struct yk_class *k, const struct yk_canon *c, const uint8_t *cls, enum yk_class_id id, uint32_t first,
                 const uint32_t *by, double cap, uint8_t *inner, uint32_t *ninner)
{
    uint8_t order[YK_BUCKET_MAX_RANK], list[2][YK_BUCKET_MAX_RANK];
    uint32_t n = yk_panel_class_order(c, cls, id, first, order), at[2] = {0, 0};
    yk_panel_class_order(c, cls, id, by[0], list[0]);
    yk_panel_class_order(c, cls, id, by[1], list[1]);
    uint64_t taken = 0;
    double states = 1;
    bool full = false;
    while (!full && (at[0] < n || at[1] < n))
        for (int s = 0; s < 2 && !full; s++) {
            while (at[s] < n && taken >> list[s][at[s]] & 1)
                at[s]++;
            if (at[s] == n)
                continue;
            uint8_t v = list[s][at[s]];
            if (states * (double)c->domain[v] > cap) {
                full = true;
                break;
            }
            states *= (double)c->domain[v];
            taken |= UINT64_C(1) << v;
        }
    *ninner = 0;
    for (uint32_t i = 0; i < n; i++)
        if (taken >> order[i] & 1)
            inner[(*ninner)++] = order[i];
    k->run = (uint32_t)states;
    k->chunk = 1;
    k->cut = UINT32_MAX;
    for (uint32_t i = 0; i < n && cap >= 2 * states; i++)
        if (!(taken >> list[0][i] & 1)) {
            k->cut = list[0][i];
            k->chunk = (uint32_t)(cap / states);
            if (k->chunk > c->domain[k->cut])
                k->chunk = (uint32_t)c->domain[k->cut];
            /* Chunks of nearly equal length. */
            uint64_t chunks = (c->domain[k->cut] + k->chunk - 1) / k->chunk;
            k->chunk = (uint32_t)((c->domain[k->cut] + chunks - 1) / chunks);
            break;
        }
    k->n = k->run * k->chunk;
    k->nloops = 0;
    k->blocks = 1;
    /* The slowest of table BY[0] outermost. */
    for (uint32_t i = n; i-- > 0;) {
        uint32_t v = list[0][i];
        if (taken >> v & 1)
            continue;
        uint64_t extent = c->domain[v];
        if (v == k->cut)
            extent = (extent + k->chunk - 1) / k->chunk;
        if (extent == 1)
            continue;
        k->var[k->nloops] = (uint8_t)v;
        k->extent[k->nloops++] = extent;
        k->blocks *= extent;
    }
}

static void tabulate(struct yk_class *k, const struct yk_canon *c, const uint8_t *inner, uint32_t ninner)
{
    for (uint32_t t = 0; t <= c->nin; t++) {
        const int64_t *stride = yk_canon_stride(c, t);
        int64_t *off = k->off + (size_t)t * k->pad;
        uint32_t run = 1;
        off[0] = 0;
        for (uint32_t i = 0; i <= ninner; i++) {
            uint32_t v = i < ninner ? inner[i] : k->cut, states;
            if (v == UINT32_MAX)
                continue;
            states = i < ninner ? (uint32_t)c->domain[v] : k->chunk;
            for (uint32_t x = 1; x < states; x++)
                for (uint32_t y = 0; y < run; y++)
                    off[x * run + y] = off[y] + x * stride[v];
            run *= states;
        }
    }
}

static enum yk_lane_layout layout_of(const int64_t *off, uint32_t vl)
{
    const int64_t step = off[1] - off[0];
    bool even = true, four = true, two = true;
    for (uint32_t i = 2; i < vl; i++)
        even &= off[i] - off[i - 1] == step;
    if (even)
        return step == 0               ? YK_LAY_SAME
               : step == 1             ? YK_LAY_RUN
               : step > 1 && step <= 4 ? (enum yk_lane_layout)(YK_LAY_STEP + step)
                                       : YK_LAY_ANY;
    if (step != 1)
        return YK_LAY_ANY;
    for (uint32_t i = 0; i < vl; i++) {
        four &= off[i] == off[i & ~3u] + (i & 3);
        two &= off[i] == off[i & ~1u] + (i & 1);
    }
    return four ? YK_LAY_RUN4 : two ? YK_LAY_RUN2 : YK_LAY_ANY;
}

/* Of the last lanes, N of them, which may be fewer than a vector's: then only runs count. */
static enum yk_lane_layout layout_of_some(const int64_t *off, uint32_t vl, uint32_t n)
{
    if (n >= vl)
        return layout_of(off, vl);
    for (uint32_t i = 1; i < n; i++)
        if (off[i] != off[0] + i)
            return YK_LAY_ANY;
    return YK_LAY_RUN;
}

/* The longest R such that OFF[0..n) falls into runs of R consecutive cells. */
static uint32_t run_of(const int64_t *off, uint32_t n)
{
    uint32_t run = 1;
    while (run < n && off[run] == off[0] + run)
        run++;
    for (uint32_t i = run, x = 0; i < n; i++, x = x + 1 == run ? 0 : x + 1)
        if (off[i] != off[i - x] + x)
            return 1;
    return run;
}

/* Fill in s->joint of SIDE; MAP has room for JOINT_MOST numbers. */
static void join(struct yk_panel_shape *s, int side, uint16_t *map)
{
    const struct yk_class *k = &s->cls[YK_K], *q = &s->cls[side ? YK_QR : YK_QL];
    s->joint[side] = 0;
    s->joint_row[side] = map;
    if (s->ngroup[side] != 1 || q->n == 1 || k->blocks > 1 || (size_t)k->n * q->n > JOINT_MOST)
        return;
    const uint32_t cells = k->n * q->n, t = s->group[side][0];
    const int64_t *row = k->off + (size_t)t * k->pad, *sum = q->off + (size_t)t * q->pad;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t x = 0; x < q->n; x++) {
            if (row[i] + sum[x] >= cells)
                return;
            map[row[i] + sum[x]] = (uint16_t)i;
        }
    s->joint[side] = cells >= 3 ? cells : 0;
    bool fast = true, slow = true;
    for (uint32_t x = 0; x < cells; x++) {
        fast &= map[x] == x % k->n;
        slow &= map[x] == x / q->n;
    }
    s->joint_order[side] = fast ? YK_JOINT_K_FAST : slow ? YK_JOINT_K_SLOW : YK_JOINT_ANY;
}

/* The register tile for I rows (of vectors) and J columns. */
static void tile(struct yk_panel_shape *s, const struct yk_panel_tile *t, double i, double j, double k)
{
    double least = INFINITY;
    bool m = s->lanes == YK_M;
    for (uint32_t mr = 1; mr <= (m ? t->mr : t->vmr); mr++)
        for (uint32_t nr = 1; nr <= (m ? t->nr : t->vnr); nr++) {
            if (mr * nr > t->regs)
                continue;
            double cost =
                ceil(i / mr) * ceil(j / nr) * (k * fmax(fmax(0.5 * mr * nr, 4), 0.5 * (mr + nr)) + 15 + mr * nr);
            if (cost < least) {
                least = cost;
                s->mr = mr;
                s->nr = nr;
            }
        }
}

static struct yk_panel_caps caps_of(const struct yk_panel_shape *s, const double *total)
{
    struct yk_panel_caps cap;
    double vl = s->vl;
    if (s->lanes == YK_M) {
        cap.k = fmin(total[YK_K], KC);
        cap.m = fmin(fmin(M_MOST, total[YK_M]), fmax(M_FEW, SHORT_CELLS / cap.k));
        cap.n = fmin(fmin(N_MOST, total[YK_N]), R_CELLS / cap.k);
        cap.b = SMALL_CELLS / (cap.k * fmax(fmax(cap.m, vl), cap.n));
    } else if (s->lanes == YK_B) {
        cap.k = fmin(total[YK_K], KC_VECTOR);
        cap.m = fmin(total[YK_M], VECTOR_CELLS / (cap.k * vl));
        cap.n = fmin(total[YK_N], 2 * VECTOR_CELLS / (cap.k * vl));
        cap.b = vl * floor(SMALL_CELLS / (vl * cap.k * fmax(cap.m, cap.n)));
        cap.b = fmax(cap.b, vl);
    } else {
        cap.k = fmin(total[YK_K], KC_LANES);
        cap.m = fmin(total[YK_M], VECTOR_CELLS / fmax(cap.k, vl));
        cap.n = fmin(total[YK_N], 2 * VECTOR_CELLS / fmax(cap.k, vl));
        cap.b = SMALL_CELLS / (fmax(cap.k, vl) * fmax(cap.m, cap.n));
    }
    cap.b = fmax(1, fmin(fmin(cap.b, B_MOST), total[YK_B]));
    return cap;
}

yk_status yk_panel_shape_init(struct yk_panel_shape *s, const struct yk_canon *c, uint32_t vl,
                              const struct yk_panel_tile *t, int threads)
{
    struct yk_panel_choice p;
    memset(s, 0, sizeof *s);
    yk_panel_choose(&p, c, vl, t);
    s->c = c;
    s->vl = vl;
    s->lanes = p.lanes;
    s->cost = p.cost;
    s->times = product_of(c, p.cls, YK_CLASSES);
    double total[YK_CLASSES];
    for (int k = 0; k < YK_CLASSES; k++)
        s->cls[k].total = total[k] = product_of(c, p.cls, (enum yk_class_id)k);
    struct yk_panel_caps cap = caps_of(s, total);
    double written = 1;
    for (uint32_t v = 0; v < c->nout; v++)
        written *= (double)c->domain[v];
    if (written > FAR_OUT_CELLS && s->lanes != YK_K)
        cap.n = fmin(cap.n, N_FAR);
    uint32_t swept = 0;
    bool sweep = yk_panel_sweep(&p, c, vl, total, &cap, &swept);
    uint32_t out = c->nin;
    uint32_t r_main = p.main[1] == c->nin ? p.main[0] : p.main[1];
    const bool r_larger = yk_canon_cells(c, r_main) > yk_canon_cells(c, p.main[0]);
    uint8_t inner[YK_CLASSES][YK_BUCKET_MAX_RANK];
    uint32_t ninner[YK_CLASSES];
    for (int again = 0;; again++) {
        /* K in the order of the larger table: the other may lack some of its variables. */
        const uint32_t l_main = p.main[0], k_main = r_larger ? r_main : l_main, k_next = r_larger ? l_main : r_main;
        const uint32_t first[] = {out, out, out, k_main, l_main, r_main};
        const uint32_t second[] = {l_main, l_main, r_main, k_next, l_main, r_main};
        const double most[] = {cap.b, cap.m, cap.n, cap.k, total[YK_QL], total[YK_QR]};
        for (int k = 0; k < YK_CLASSES; k++) {
            uint32_t a = first[k], b = second[k];
            if (k == (int)p.lanes && p.order != a) {
                b = a;
                a = p.order;
            }
            const uint32_t by[2] = {sweep ? swept : a, sweep ? swept : b};
            pick(&s->cls[k], c, p.cls, (enum yk_class_id)k, a, by, most[k], inner[k], &ninner[k]);
        }
        /* Enough blocks for every thread to get some, as long as they do not become too small to be worth it. */
        double blocks = (double)s->cls[YK_B].blocks * (double)s->cls[YK_M].blocks * (double)s->cls[YK_N].blocks;
        if (threads == 1 || blocks >= 4.0 * threads || again == 6)
            break;
        if (cap.b > 2 * vl)
            cap.b /= 2;
        else if (cap.m > 6 * vl && cap.m >= cap.n)
            cap.m /= 2;
        else if (cap.n > 16)
            cap.n /= 2;
        else
            break;
    }
    if (sweep && s->cls[YK_K].blocks == 1)
        yk_panel_sweep_order(s, swept);
    size_t words = 0;
    for (int k = 0; k < YK_CLASSES; k++) {
        s->cls[k].pad = (s->cls[k].n + vl - 1) / vl * vl;
        words += (size_t)s->cls[k].pad * (c->nin + 1);
    }
    s->lane_groups = s->cls[p.lanes].pad / vl;
    words += (size_t)s->lane_groups * (c->nin + 1);
    size_t bytes = words * sizeof(int64_t) + (c->nin + 1) * (sizeof(size_t) + 3 * sizeof(uint32_t) + s->lane_groups) +
                   2 * JOINT_MOST * sizeof(uint16_t);
    s->bytes = bytes;
    char *mem = s->memory = malloc(bytes);
    if (!mem)
        return YK_ENOMEM;
    for (int k = 0; k < YK_CLASSES; k++) {
        s->cls[k].off = (int64_t *)(void *)mem;
        mem += (size_t)s->cls[k].pad * (c->nin + 1) * sizeof(int64_t);
        tabulate(&s->cls[k], c, inner[k], ninner[k]);
    }
    s->reach = (int64_t *)(void *)mem;
    mem += (size_t)s->lane_groups * (c->nin + 1) * sizeof(int64_t);
    s->cells = (size_t *)(void *)mem;
    mem += (c->nin + 1) * sizeof *s->cells;
    for (uint32_t i = 0; i <= c->nin; i++)
        s->cells[i] = yk_canon_cells(c, i);
    s->run = (uint32_t *)(void *)mem;
    mem += (c->nin + 1) * sizeof *s->run;
    for (uint32_t i = 0; i <= c->nin; i++)
        s->run[i] = run_of(s->cls[YK_K].off + (size_t)i * s->cls[YK_K].pad, s->cls[YK_K].n);
    for (int side = 0; side < 2; side++) {
        s->group[side] = (uint32_t *)(void *)mem;
        mem += (c->nin + 1) * sizeof(uint32_t);
        for (uint32_t i = 0; i < c->nin; i++)
            if (p.side[i] == side)
                s->group[side][s->ngroup[side]++] = i;
    }
    for (int side = 0; side < 2; side++, mem += JOINT_MOST * sizeof(uint16_t))
        join(s, side, (uint16_t *)(void *)mem);
    s->layout = (uint8_t *)mem;
    const struct yk_class *l = &s->cls[p.lanes];
    for (uint32_t i = 0; i <= c->nin; i++)
        for (uint32_t g = 0; g < s->lane_groups; g++) {
            const int64_t *off = l->off + (size_t)i * l->pad + g * vl;
            const uint32_t n = l->n - g * vl < vl ? l->n - g * vl : vl;
            s->layout[i * s->lane_groups + g] = (uint8_t)layout_of_some(off, vl, n);
            int64_t reach = off[0];
            for (uint32_t x = 1; x < n; x++)
                reach = off[x] > reach ? off[x] : reach;
            s->reach[i * s->lane_groups + g] = reach;
        }
    double i = s->cls[YK_M].n, k = s->cls[YK_K].n;
    if (s->lanes == YK_M)
        i = ceil(i / vl);
    if (s->lanes == YK_K)
        k = ceil(k / vl);
    tile(s, t, i, s->cls[YK_N].n, k);
    return YK_OK;
}

void yk_panel_shape_finish(struct yk_panel_shape *s)
{
    free(s->memory);
    s->memory = NULL;
}
