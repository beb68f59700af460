/* kernels/cache: plans against a naive simulation of the cache and of the kernel that reads the plan's tables. */
#include <stdio.h>
#include "kernels/cpu/canon.h"
#include "tests/unit/cache_device.h"
#include "tests/unit/main.h"
#include "tests/unit/random_bucket.h"

static bool loops(struct yk_cache_bucket *cb, uint32_t *input, const struct yk_bucket *b)
{
    struct yk_canon c;
    ck_assert_int_eq(yk_canon_init(&c, b), YK_OK);
    memset(cb, 0, sizeof *cb);
    cb->nvars = c.rank;
    cb->nout = c.nout;
    cb->nin = c.nin;
    for (uint32_t v = 0; v < c.rank; v++)
        cb->domain[v] = (uint32_t)c.domain[v];
    for (uint32_t t = 0; t <= c.nin; t++)
        for (uint32_t v = 0; v < c.rank; v++)
            cb->stride[t][v] = (int32_t)yk_canon_stride(&c, t)[v];
    bool any = c.nin > 0;
    memcpy(input, c.input, b->ninputs * sizeof *input);
    yk_canon_finish(&c);
    return any;
}

/* A scratchpad that knows where each of its cells came from. */
struct pad {
    double *value;
    int32_t *from; /* cell of the table, -1: never filled */
    double fills, reads, misses;
};

struct simulation {
    const struct yk_cache_plan *p;
    const double *in[YK_CACHE_INPUTS];
    double *out;
    uint8_t *written;
    struct pad pad;
};

static int32_t base(const struct yk_cache_function *f, const struct yk_cache_plan *p, uint32_t block)
{
    return f->block_low[block % p->block_lows] + f->block_high[block / p->block_lows];
}

/* COPY: of each input the one of its two copies that is read, as an offset. */
static void fill(struct simulation *s, uint32_t block, uint32_t page, uint32_t chunk, uint32_t *copy)
{
    const struct yk_cache_plan *p = s->p;
    for (uint32_t f = 0; f < p->nin; f++) {
        const struct yk_cache_function *in = &p->input[f];
        if (!(p->invalid[page * p->chunks + chunk] >> f & 1))
            continue;
        ck_assert(in->cached);
        copy[f] = page || chunk ? in->second - copy[f] : 0;
        ck_assert_uint_eq(in->rows * in->cols, in->cells);
        for (uint32_t i = 0; i < in->cells; i++) {
            uint32_t row = i / in->cols, col = i % in->cols;
            int32_t at = base(in, p, block) + in->page[page] + in->chunk[chunk] + in->row[0][row] + in->col[0][col];
            uint32_t into = (uint32_t)(in->row[1][row] + in->col[1][col]) + copy[f];
            ck_assert_uint_lt(into, p->local_cells);
            s->pad.value[into] = s->in[f][at];
            s->pad.from[into] = at;
            s->pad.fills++;
        }
    }
}

/* The value of input F for a thread: through the cache if it is there, and then the right one. */
static double look(struct simulation *s, uint32_t f, uint32_t block, uint32_t page, uint32_t chunk, uint32_t lane,
                   uint32_t low, uint32_t a, uint32_t b, int32_t in_table, const uint32_t *copy)
{
    const struct yk_cache_plan *p = s->p;
    const struct yk_cache_function *in = &p->input[f];
    int32_t at = in->lane[lane] + in->low[low] + in->side[0][a] + in->side[1][b];
    s->pad.reads++;
    if (in->cached) {
        at += (int32_t)copy[f];
        ck_assert_uint_lt((uint32_t)at, p->local_cells);
        ck_assert_int_eq(s->pad.from[at], in_table);
        return s->pad.value[at];
    }
    s->pad.misses++;
    at += base(in, p, block) + in->page[page] + in->chunk[chunk];
    ck_assert_int_eq(at, in_table);
    return s->in[f][at];
}

static int32_t side(const struct yk_cache_side *s, uint32_t f, uint32_t x)
{
    int32_t at = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        at += (int32_t)(x % s->digit[i].extent) * s->digit[i].stride[f];
        x /= s->digit[i].extent;
    }
    return at;
}

/* Where input F (or the output, F == nin) lies for these digits, from the roles alone. */
static int32_t where(const struct yk_cache_plan *p, uint32_t f, uint32_t block, uint32_t page, uint32_t chunk,
                     uint32_t lane, uint32_t low, uint32_t a, uint32_t b)
{
    const struct yk_cache_roles *r = &p->roles;
    const struct yk_cache_digits *list[] = {&r->block, &r->page, &r->chunk, &r->lane, &r->low};
    uint32_t number[] = {block, page, chunk, lane, low};
    int32_t at = side(&r->a, f, a) + side(&r->b, f, b);
    for (int k = 0; k < 5; k++)
        for (uint32_t i = 0; i < list[k]->n; i++) {
            at += (int32_t)(number[k] % list[k]->digit[i].extent) * list[k]->digit[i].stride[f];
            number[k] /= list[k]->digit[i].extent;
        }
    return at;
}

static void run_thread(struct simulation *s, double *sum, uint32_t block, uint32_t page, uint32_t chunk, uint32_t lane,
                       const uint32_t *copy)
{
    const struct yk_cache_plan *p = s->p;
    for (uint32_t low = 0; low < p->lows; low++)
        for (uint32_t a = 0; a < p->roles.a.extent; a++)
            for (uint32_t b = 0; b < p->roles.b.extent; b++) {
                double product = 1;
                for (uint32_t f = 0; f < p->nin; f++)
                    product *= look(s, f, block, page, chunk, lane, low, p->input[f].on_a ? a : 0,
                                    p->input[f].on_b ? b : 0, where(p, f, block, page, chunk, lane, low, a, b), copy);
                sum[a * p->roles.b.extent + b] += product;
            }
}

static bool active(const struct yk_cache_plan *p, uint32_t block, uint32_t lane)
{
    return !p->cut || block % p->cut_parts != p->cut_parts - 1 || p->cut[lane] < p->roles.cut_last;
}

static void simulate(struct simulation *s)
{
    const struct yk_cache_plan *p = s->p;
    uint32_t tile = p->roles.a.extent * p->roles.b.extent;
    double *sum = malloc((size_t)p->lanes * tile * sizeof *sum);
    for (uint32_t block = 0; block < p->blocks; block++) {
        uint32_t copy[YK_CACHE_INPUTS] = {0};
        for (uint32_t page = 0; page < p->pages; page++) {
            memset(sum, 0, (size_t)p->lanes * tile * sizeof *sum);
            for (uint32_t chunk = 0; chunk < p->chunks; chunk++) {
                fill(s, block, page, chunk, copy);
                for (uint32_t lane = 0; lane < p->lanes; lane++)
                    if (active(p, block, lane))
                        run_thread(s, sum + (size_t)lane * tile, block, page, chunk, lane, copy);
            }
            for (uint32_t lane = 0; lane < p->lanes; lane++)
                for (uint32_t k = 0; k < tile && active(p, block, lane); k++) {
                    uint32_t a = k / p->roles.b.extent, b = k % p->roles.b.extent;
                    int32_t at = base(&p->out, p, block) + p->out.page[page] + p->out.lane[lane] + p->out.side[0][a] +
                                 p->out.side[1][b];
                    ck_assert_int_eq(at, where(p, p->nin, block, page, 0, lane, 0, a, b));
                    ck_assert(!s->written[at]);
                    s->written[at] = 1;
                    s->out[at] = sum[(size_t)lane * tile + k];
                }
        }
    }
    free(sum);
}

static void check_limits(const struct yk_cache_plan *p, const struct yk_cache_device *d,
                         const struct yk_cache_options *o)
{
    uint32_t local = o->local && o->local < d->local_block ? o->local : d->local_block, used = 0;
    ck_assert_uint_le(p->local_cells * p->cell, local);
    ck_assert_uint_le(p->lanes, o->threads ? o->threads : d->group);
    ck_assert_uint_le(p->pages * p->chunks, 4096);
    ck_assert_uint_eq(p->block_lows * p->block_highs, p->blocks);
    for (uint32_t f = 0; f < p->nin; f++)
        used += p->input[f].cached ? p->input[f].size + p->input[f].second : 0;
    for (uint32_t f = 0; f < p->nin; f++)
        ck_assert(!p->ahead || !p->input[f].cached || p->input[f].second || yk_cache_fills(p, f) < 2);
    ck_assert_uint_eq(used, p->local_cells);
    if (o->policy == YK_CACHE_NONE)
        ck_assert_uint_eq(used, 0);
    if (o->no_tile)
        ck_assert(p->roles.a.extent == 1 && p->roles.b.extent == 1);
    if (o->pages)
        ck_assert_uint_le(p->pages, o->pages);
    else if (p->pages > 1)
        ck_assert_uint_ge(p->blocks * p->lanes, d->units * d->threads / 2);
}

START_TEST(plans_agree_with_a_naive_simulation)
{
    uint64_t n = getenv("YOKE_NIGHTLY") ? 10000 : 1000, cut = 0, cached = 0, chunked = 0, paged = 0, tiled = 0,
             ahead = 0;
    for (uint64_t seed = 0; seed < n; seed++) {
        struct random_bucket r;
        struct yk_cache_bucket cb;
        struct yk_cache_plan p;
        uint32_t input[RANDOM_INPUTS];
        uint64_t z = seed;
        random_bucket_init(&r, seed, 12);
        const struct yk_cache_options o = {.cell = seed % 2 ? 8 : 4,
                                           .policy = (enum yk_cache_policy)(seed % 7 ? seed % 2 : 2),
                                           .no_tile = seed % 5 == 0,
                                           .threads = seed % 3 ? 0 : 1 + random_below(&z, 70),
                                           .pages = seed % 4 ? 0 : 1 + random_below(&z, 20),
                                           .local = seed % 4 ? 0 : 16 + random_below(&z, 1000)};
        struct yk_cache_device device = small;
        struct simulation s = {.p = &p};
        device.async = seed % 3 != 1;
        double scalars = 1;
        if (!loops(&cb, input, &r.b))
            goto next;
        ck_assert_int_eq(yk_cache_plan_init(&p, &cb, &device, &o), YK_OK);
        check_limits(&p, &device, &o);
        ahead += p.ahead;
        for (uint32_t t = 0; t < r.b.ninputs; t++)
            if (t < cb.nin)
                s.in[t] = r.value[input[t]];
            else
                scalars *= r.value[input[t]][0];
        s.out = calloc(r.b.out.cells, sizeof *s.out);
        s.written = calloc(r.b.out.cells, 1);
        s.pad.value = calloc(p.local_cells + 1, sizeof *s.pad.value);
        s.pad.from = malloc((p.local_cells + 1) * sizeof *s.pad.from);
        memset(s.pad.from, 0xff, (p.local_cells + 1) * sizeof *s.pad.from);
        simulate(&s);
        long double *want = malloc(r.b.out.cells * sizeof *want);
        yk_sumproduct_naive(&r.b, (const double *const *)r.value, want);
        for (size_t i = 0; i < r.b.out.cells; i++) {
            ck_assert(s.written[i]);
            ck_assert_msg(fabs(s.out[i] * scalars - (double)want[i]) <= 1e-12 * (double)want[i], "seed %llu",
                          (unsigned long long)seed);
        }
        /* what the model counts is what happened */
        ck_assert_double_eq(s.pad.fills, p.fill_cells);
        for (uint32_t f = 0; f < p.nin; f++) {
            cached += p.input[f].cached;
            ck_assert_uint_le(yk_cache_bank_conflicts(&p, f, 32), 4);
        }
        cut += p.cut != NULL;
        chunked += p.chunks > 1;
        paged += p.pages > 1;
        tiled += p.roles.a.extent > 1;
        free(want);
        free(s.out);
        free(s.written);
        free(s.pad.value);
        free(s.pad.from);
        yk_cache_plan_finish(&p);
    next:
        random_bucket_finish(&r);
    }
    /* all of it was met */
    ck_assert(cut > 5 && cached > 100 && chunked > 5 && paged > 20 && tiled > 50 && ahead > 10);
}
END_TEST

/* out[x y z] = sum w of f[x y w] g[z w] */
static const struct yk_cache_bucket simple = {
    .nvars = 4, .nout = 3, .domain = {8, 8, 8, 8}, .nin = 2, .stride = {{64, 8, 0, 1}, {0, 0, 8, 1}, {64, 8, 1, 0}}};

START_TEST(what_lives_longest_for_its_size_is_cached)
{
    /* lanes: z; a block goes through y and x; f is new on each page, g never */
    struct yk_cache_plan p;
    struct yk_cache_options o = {
        .cell = 8, .policy = YK_CACHE_LIFETIME, .no_tile = true, .threads = 8, .pages = 64, .local = 72 * 8};
    ck_assert_int_eq(yk_cache_plan_init(&p, &simple, &small, &o), YK_OK);
    ck_assert_uint_eq(p.lanes, 8);
    ck_assert_uint_eq(p.pages, 64);
    ck_assert(!p.input[0].cached && p.input[1].cached); /* 64 / 72 against 1 / 8: only one fits */
    ck_assert_uint_eq(p.input[1].lifetime, 64);
    ck_assert_uint_eq((uint32_t)p.fill_cells, 64);
    ck_assert(fabs(p.hit_rate - (1 - (4096.0 + 64) / 8192)) < 1e-9);
    yk_cache_plan_finish(&p);
    o.policy = YK_CACHE_SMALLEST;
    ck_assert_int_eq(yk_cache_plan_init(&p, &simple, &small, &o), YK_OK);
    ck_assert(p.input[0].cached && !p.input[1].cached);
    ck_assert_uint_eq(p.input[0].size, 8);
    yk_cache_plan_finish(&p);
}
END_TEST

START_TEST(pages_only_while_threads_fill_the_device)
{
    struct yk_cache_device d = small;
    struct yk_cache_plan p;
    const struct yk_cache_options o = {.cell = 8, .no_tile = true, .threads = 8};
    d.units = 1;
    d.threads = 16; /* 512 threads in all: 16 pages leave twice what runs at once */
    ck_assert_int_eq(yk_cache_plan_init(&p, &simple, &d, &o), YK_OK);
    ck_assert(p.pages > 1 && p.pages <= 16);
    yk_cache_plan_finish(&p);
    d.units = 1000;
    ck_assert_int_eq(yk_cache_plan_init(&p, &simple, &d, &o), YK_OK);
    ck_assert_uint_eq(p.pages, 1);
    yk_cache_plan_finish(&p);
}
END_TEST

START_TEST(the_intensity_is_the_papers)
{
    /* ICS'08, 4: k(x) = f(x) g(x): three accesses for one operation, whatever is done */
    const struct yk_cache_bucket b = {.nvars = 1, .nout = 1, .domain = {64}, .nin = 2, .stride = {{1}, {1}, {1}}};
    const struct yk_cache_options o = {.cell = 8, .policy = YK_CACHE_NONE, .no_tile = true};
    struct yk_cache_plan p;
    ck_assert_int_eq(yk_cache_plan_init(&p, &b, &small, &o), YK_OK);
    ck_assert(fabs(p.intensity - 1.0 / 3) < 1e-12);
    yk_cache_plan_finish(&p);
}
END_TEST

START_TEST(banks_do_not_collide_where_lanes_lie_a_power_of_two_apart)
{
    /* 16 summed values: side by side in the table, threads would meet in two banks */
    const struct yk_cache_bucket b = {
        .nvars = 3, .nout = 2, .domain = {64, 64, 16}, .nin = 2, .stride = {{0, 16, 1}, {16, 0, 1}, {64, 1, 0}}};
    for (uint32_t cell = 4; cell <= 8; cell += 4) {
        struct yk_cache_device d = small;
        struct yk_cache_plan p;
        const struct yk_cache_options o = {.cell = cell, .threads = 64};
        d.local_block = 65536;
        ck_assert_int_eq(yk_cache_plan_init(&p, &b, &d, &o), YK_OK);
        ck_assert(p.input[0].cached);
        ck_assert_uint_eq(yk_cache_bank_conflicts(&p, 0, 32), 1);
        yk_cache_plan_finish(&p);
    }
}
END_TEST

START_TEST(what_kernels_cannot_take_is_refused)
{
    struct yk_cache_bucket b = simple;
    const struct yk_cache_options o = {.cell = 8};
    struct yk_cache_plan p;
    b.nin = 9;
    ck_assert_int_eq(yk_cache_plan_init(&p, &b, &small, &o), YK_ELIMIT);
    b = simple;
    b.domain[0] = b.domain[1] = 1 << 16;
    ck_assert_int_eq(yk_cache_plan_init(&p, &b, &small, &o), YK_ELIMIT);
}
END_TEST

YK_TEST_MAIN("cache", plans_agree_with_a_naive_simulation, what_lives_longest_for_its_size_is_cached,
             pages_only_while_threads_fill_the_device, the_intensity_is_the_papers,
             banks_do_not_collide_where_lanes_lie_a_power_of_two_apart, what_kernels_cannot_take_is_refused)
