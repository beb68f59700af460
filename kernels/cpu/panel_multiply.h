/* Multiplying the packed panels of a block for panel_body.h, and bringing the sums to the output. Included per value
 * type. */

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
#ifdef STORE_SOME
    /* Lanes in a few runs, columns apart: run by run. Behind V's end there is more of the spill, or of the tables. */
    if (!add && layout == YK_LAY_ANY && (n == 1 || by[1] != by[0] + 1)) {
        uint32_t starts = NAME(starts)(off, 1, valid);
        if (2 * (uint32_t)__builtin_popcount(starts) <= valid) {
            while (starts) {
                const uint32_t from = (uint32_t)__builtin_ctz(starts);
                starts &= starts - 1;
                const uint32_t to = starts ? (uint32_t)__builtin_ctz(starts) : valid;
                REAL *at = c + off[from];
                for (uint32_t x = 0; x < n; x++)
                    STORE_SOME(at + by[x], LOAD(v + x * step + from), to - from);
            }
            return;
        }
    }
#endif
    for (uint32_t x = 0; x < n;) {
        uint32_t run = 1;
#if LANES_N >= 4
        if (!add && layout != YK_LAY_RUN && layout != YK_LAY_RUN4)
            while (run < LANES && x + run < n && by[x + run] == by[x] + run)
                run++;
        /* One that is left: with those before it, a second time. */
        if (!add && run == 1 && x >= 3 && by[x] == by[x - 3] + 3 && layout != YK_LAY_RUN && layout != YK_LAY_RUN4)
            NAME(put_runs)(c + by[x - 3], off, v + (x - 3) * step, step, 4, valid, false);
        else if (run > 4)
            NAME(put_wide)(c + by[x], off, v + x * step, step, run, valid);
        else if (run > 1)
            NAME(put_runs)(c + by[x], off, v + x * step, step, run, valid, valid == VL && layout == YK_LAY_STEP + run);
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

/* Fetch the output's cells of a tile that will be written soon: of its last row, or of all where LANE is given, LANES.
 */
static void NAME(fetch)(const REAL *c, const int64_t *ci, uint32_t step, uint32_t mr, const int64_t *cj, uint32_t nr,
                        const int64_t *lane, uint32_t lanes)
{
    for (uint32_t j = 0; j < nr; j++)
        for (uint32_t i = 0; i < mr; i++) {
            const REAL *at = c + cj[j] + (lane ? ci[i] : 0);
            const int64_t *off = lane ? lane : ci + (size_t)i * step;
            const uint32_t n = lane || i == mr - 1 ? lanes : VL;
            if (off[n - 1] - off[0] == n - 1) { /* one run: the next one begins where it ends */
                __builtin_prefetch(at + off[0], 1);
                if (i == mr - 1)
                    __builtin_prefetch(at + off[n - 1], 1);
                continue;
            }
            for (uint32_t l = 0; l < n; l += VL / 4)
                __builtin_prefetch(at + off[l], 1);
        }
}

/* Do all vectors of the present block begin with a line of the cache? Only whole lines go past the caches. */
static bool NAME(in_lines)(const struct NAME(work) * w, const REAL *c, const struct NAME(counts) * n)
{
    const uint32_t out = w->s->c->nin;
    const int64_t *ob = NAME(off)(w, YK_B, out), *om = NAME(off)(w, YK_M, out), *on = NAME(off)(w, YK_N, out);
    const uint32_t ib = w->s->lanes == YK_B ? VL : 1, im = w->s->lanes == YK_M ? VL : 1;
    int64_t any = 0;
    for (uint32_t i = 0; i < n->groups; i++)
        any |= ob[i * ib];
    for (uint32_t i = 0; i < n->i; i++)
        any |= om[i * im];
    for (uint32_t i = 0; i < n->j; i++)
        any |= on[i];
    return ((uintptr_t)c | (uintptr_t)any * sizeof(REAL)) % 64 == 0;
}

/* Fetch the output's cells of N columns of MR vectors, as NAME(columns) will write them. */
static void NAME(fetch_columns)(const REAL *c, const int64_t *ci, uint32_t step, uint32_t mr, const int64_t *cj,
                                uint32_t n, const int64_t *lane, uint32_t valid)
{
    const uint32_t line = 64 / REAL_BYTES;
    for (uint32_t i = 0; i < mr; i++) {
        const REAL *at = c + (lane ? ci[i] : 0);
        const int64_t *off = lane ? lane : ci + (size_t)i * step;
        const uint32_t lanes = lane || i == mr - 1 ? valid : VL;
        const bool near = off[lanes - 1] - off[0] < 2 * VL;
        for (uint32_t j = 0; j < n;) {
            for (uint32_t l = 0; l < lanes; l += near ? line : 1)
                __builtin_prefetch(at + off[l] + cj[j], 1);
            const int64_t from = cj[j++];
            while (j < n && cj[j] - from < line && cj[j] > from)
                j++;
        }
    }
}

/* A tile row at a time over COLUMNS columns, so that cells of several columns that lie side by side in the output are
 * written together: group G of the present block, where the lanes are no run of cells. */
static void NAME(columns)(struct NAME(work) * w, uint32_t g, struct NAME(target) * to, const int64_t *lane,
                          uint32_t valid, const uint8_t *lay, bool fetch)
{
    const struct yk_panel_shape *s = w->s;
    const uint32_t out = s->c->nin, most = COLUMNS / s->nr * s->nr;
    const struct NAME(counts) n = NAME(count)(w);
    const int64_t *ob = NAME(off)(w, YK_B, out), *om = NAME(off)(w, YK_M, out), *on = NAME(off)(w, YK_N, out);
    const bool along_m = s->lanes == YK_M;
    const size_t wide = along_m ? 1 : VL;
    for (uint32_t j0 = 0; j0 < n.j; j0 += most) {
        const uint32_t now = n.j - j0 < most ? n.j - j0 : most;
        for (uint32_t i = 0; i < n.i; i += s->mr) {
            const uint32_t mr = n.i - i < s->mr ? n.i - i : s->mr;
            const REAL *a = w->a + g * w->a_step + (size_t)i * n.rows * VL;
            to->direct = 0;
            to->ci = om + (size_t)i * (along_m ? VL : 1);
            to->step = along_m ? VL : 1;
            if (along_m) {
                valid = (i + mr) * VL > w->n[YK_M] ? w->n[YK_M] % VL : VL;
                lay = s->layout + (size_t)out * s->lane_groups + i;
                for (uint32_t x = 0; x < mr; x++)
                    to->direct |= (uint32_t)(lay[x] == YK_LAY_RUN && (x < mr - 1 || valid == VL)) << x;
            }
            /* What is written next is fetched while this is computed. */
            if (fetch && i + mr < n.i)
                NAME(fetch_columns)
            (to->c, to->ci + (size_t)mr * to->step, to->step, n.i - i - mr < s->mr ? n.i - i - mr : s->mr, on + j0, now,
             along_m ? NULL : lane, along_m ? w->n[YK_M] % VL ? w->n[YK_M] % VL : VL : valid);
            else if (fetch && !along_m && g + 1 < n.groups)
                NAME(fetch_columns)(to->c, om, 1, n.i < s->mr ? n.i : s->mr, on + j0, now, lane + VL, valid);
            else if (fetch && along_m && g + 1 < n.groups)
                NAME(fetch_columns)(to->c + (ob[g + 1] - ob[g]), om, VL, n.i < s->mr ? n.i : s->mr, on + j0, now, NULL,
                                    n.i <= s->mr && w->n[YK_M] % VL ? w->n[YK_M] % VL : VL);
            for (uint32_t j = 0; j < now; j += s->nr) {
                const uint32_t nr = now - j < s->nr ? now - j : s->nr;
                const REAL *b = w->b + g * w->b_step + (size_t)(j0 + j) * n.rows * wide;
                to->cj = on + j0 + j;
                to->spill = w->spill + (size_t)j * mr * VL;
                if (along_m)
                    NAME(scalars)[nr - 1][mr - 1](a, b, n.rows, to);
                else
                    NAME(vectors)[nr - 1][mr - 1](a, b, n.rows, to);
            }
            for (uint32_t x = 0; x < mr; x++) {
                if (to->direct >> x & 1)
                    continue;
                NAME(scatter_vectors)
                (to->c + (along_m ? 0 : to->ci[x]), on + j0, w->spill + (size_t)x * VL, (size_t)mr * VL, now,
                 along_m ? to->ci + (size_t)x * VL : lane, along_m && x < mr - 1 ? VL : valid, along_m ? lay[x] : *lay,
                 false);
            }
        }
    }
    to->spill = w->spill;
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
    to.stream = bytes >= STREAM_BYTES && !add && s->cls[YK_K].blocks == 1 && NAME(in_lines)(w, c, &n);
    to.plain = !to.stream && !add && w->scale == 1;
    size_t wide = s->lanes == YK_M ? 1 : VL;
    bool in_columns = s->lanes != YK_K && !add && n.j > 1 && on[1] == on[0] + 1 && n.rows * wide <= COLUMN_CELLS;
    if (s->lanes == YK_M) {
        bool runs = w->n[YK_M] % VL == 0;
        for (uint32_t i = 0; i < n.i; i++)
            runs &= layout[i] == YK_LAY_RUN;
        in_columns &= !runs;
    }
    const bool by_group =
        n.groups > 1 && ((n.i + s->mr - 1) / s->mr) * ((n.j + s->nr - 1) / s->nr) <= GROUP_TILES && s->lanes != YK_K;
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
        if (in_columns && !straight) {
            NAME(columns)(w, g, &to, lane, valid, lay, fetch);
            continue;
        }
        for (uint32_t j = 0; j < n.j; j += s->nr) {
            uint32_t nr = n.j - j < s->nr ? n.j - j : s->nr;
            const REAL *b = w->b + g * w->b_step + (size_t)j * n.rows * wide;
            to.cj = on + j;
            for (uint32_t i = 0; i < n.i; i += s->mr) {
                uint32_t mr = n.i - i < s->mr ? n.i - i : s->mr;
                const REAL *a = w->a + g * w->a_step + (size_t)i * n.rows * VL;
                const uint32_t part = w->n[YK_M] % VL;
                if (!fetch || (to.stream && straight)) {
                    ;
                } else if (by_group && g + 1 < n.groups) {
                    /* the same tile of the next group: the next tile would come too soon */
                    if (s->lanes == YK_B)
                        NAME(fetch)
                    (c, om + i, 1, mr, on + j, nr, lane + VL,
                     (g + 2) * VL > w->n[YK_B] && w->n[YK_B] % VL ? w->n[YK_B] % VL : VL);
                    else NAME(fetch)(c + ob[g + 1], om + (size_t)i * VL, VL, mr, on + j, nr, NULL,
                                     i + mr == n.i && part ? part : VL);
                } else if (!by_group) {
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
                    else
                        NAME(fetch)
                    (to.c, om + (size_t)i1 * VL, VL, mr1, on + j1, nr1, NULL, i1 + mr1 == n.i && part ? part : VL);
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
