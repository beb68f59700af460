/* Accesses whose places and conditions are sums of ids, as those of nearly every kernel, and now and then of a number
 * that nobody knows: what boxes of work-groups touch against every work-item of theirs, and how much is known of it
 * (more is welcome, and written down here; YOKE_TEST_SHOW=1 prints it). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/random.h"
#include "transform/facts_regions.h"

enum { SIZE = 4096, NODES = 400, ACCESSES = 3, GUARDS = 3, LAUNCHES = 6000, VALUES = 3 };

/* A sum of ids and a number that nobody knows, and what it is compared with. */
struct sum {
    int64_t c, group[3], local[3], some;
};

struct guard {
    struct sum a;
    int64_t with;
    unsigned op;
    bool want;
};

static struct {
    struct yk_facts_kernel k;
    struct yk_facts_node node[NODES];
    struct yk_facts_access access[ACCESSES];
    struct yk_facts_guard guard[ACCESSES * GUARDS];
    struct yk_facts_arg arg;
    struct yk_reach_arg value;
    struct yk_reach_launch launch;
    struct yk_share share;
    struct sum at[ACCESSES];
    struct guard on[ACCESSES][GUARDS];
    unsigned some, values; /* the node of that number, and how many it may be: 0 and more */
} m;

static unsigned node(unsigned op, unsigned bits, unsigned a, unsigned b, int64_t imm)
{
    unsigned i = m.k.nnodes++;
    ck_assert_uint_lt(i, NODES);
    m.node[i] = (struct yk_facts_node){(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, 0, imm};
    ck_assert(yk_node_valid(m.node, i));
    return i;
}

static unsigned number(int64_t x)
{
    return node(YK_NODE_CONST, 64, 0, 0, x);
}

static unsigned plus(unsigned x, unsigned op, unsigned d, int64_t k)
{
    unsigned id = node(op, 64, 0, 0, d);
    return k ? node(YK_NODE_ADD, 64, x, node(YK_NODE_MUL, 64, id, number(k), 0), 0) : x;
}

static unsigned node_of(const struct sum *s)
{
    unsigned x = number(s->c);
    for (unsigned d = 0; d < 3; d++) {
        x = plus(x, YK_NODE_GROUP_ID, d, s->group[d]);
        x = plus(x, YK_NODE_LOCAL_ID, d, s->local[d]);
    }
    return s->some ? node(YK_NODE_ADD, 64, x, node(YK_NODE_MUL, 64, m.some, number(s->some), 0), 0) : x;
}

/* Global ids by factors as of an array of rows and planes; now and then of anything. */
static struct sum any_sum(unsigned bytes, bool narrow)
{
    static const int64_t wide[] = {0, 1, 1, 2, 3, 8, 10, 40, -1};
    struct sum s = {.c = below(3) ? (int64_t)below(12) : below(3) ? 0 : -(int64_t)below(40)};
    int64_t k = bytes;
    for (unsigned d = 0; d < m.launch.dims; d++) {
        int64_t by = narrow ? (below(2) ? 0 : (int64_t)bytes * (below(8) ? 1 : -1)) : k;
        s.local[d] = by;
        s.group[d] = by * (int64_t)m.launch.local[d];
        if (below(6) == 0)
            s.group[d] = below(2) ? by * 2 * (int64_t)m.launch.local[d] : (int64_t)below(9);
        if (below(8) == 0)
            s.local[d] = (int64_t)bytes * wide[below(sizeof wide / sizeof *wide)];
        k *= (int64_t)(m.launch.groups[d] * m.launch.local[d]) + (below(3) == 0 ? (int64_t)below(9) : 0);
        if (below(8) == 0)
            k = (int64_t)bytes * wide[below(sizeof wide / sizeof *wide)];
    }
    if (below(16) == 0) {
        s.some = (int64_t)bytes * wide[1 + below(sizeof wide / sizeof *wide - 1)];
        m.values = VALUES;
    }
    return s;
}

static void make(uint64_t seed)
{
    memset(&m, 0, sizeof m);
    random_begin(seed);
    m.k = (struct yk_facts_kernel){.nargs = 1, .arg = &m.arg, .node = m.node, .access = m.access, .guard = m.guard};
    m.arg = (struct yk_facts_arg){.kind = YK_ARG_GLOBAL, .bounded = true, .read = true, .written = true};
    m.value.size = below(3) ? SIZE : 40 + below(900);
    m.launch = (struct yk_reach_launch){.dims = 1 + below(3), .groups = {1, 1, 1}, .local = {1, 1, 1}, .arg = &m.value};
    for (unsigned d = 0; d < m.launch.dims; d++) {
        m.launch.groups[d] = 1 + below(5);
        m.launch.local[d] = 1 + below(4);
    }
    m.share.n = 1 + below(2);
    for (unsigned i = 0; i < m.share.n; i++)
        for (unsigned d = 0; d < 3; d++) {
            m.share.box[i].first[d] = below((unsigned)m.launch.groups[d]);
            m.share.box[i].count[d] = 1 + below((unsigned)(m.launch.groups[d] - m.share.box[i].first[d]));
        }
    m.values = 1;
    m.some = node(YK_NODE_UREM, 64, node(YK_NODE_UNKNOWN, 64, 0, 0, 0), number(VALUES), 0);
    m.k.naccesses = 1 + below(ACCESSES);
    for (unsigned i = 0; i < m.k.naccesses; i++) {
        unsigned bytes = 1u << below(4), ways = below(8) ? 1 : 2;
        m.at[i] = i && below(2) ? m.at[i - 1] : any_sum(bytes, false);
        m.at[i].c += i * (below(2) ? bytes : 0);
        m.access[i] = (struct yk_facts_access){.kind = (uint8_t)below(3),
                                               .bytes = bytes * ways,
                                               .guard = (uint16_t)m.k.nguards,
                                               .nguards = (uint16_t)below(GUARDS + 1)};
        m.access[i].exact = below(8) != 0;
        m.access[i].node = (uint16_t)node_of(&m.at[i]);
        for (unsigned g = 0; g < m.access[i].nguards; g++) {
            struct guard *on = &m.on[i][g];
            *on = (struct guard){.a = g && below(4) == 0 ? m.on[i][g - 1].a : any_sum(1, true),
                                 .with = (int64_t)below(20),
                                 .op = YK_NODE_EQ + below(6),
                                 .want = below(3) != 0};
            if ((on->op == YK_NODE_EQ) == on->want && below(2))
                on->op = YK_NODE_ULT;
            unsigned test = node(on->op, 1, node_of(&on->a), number(on->with), 0);
            m.guard[m.k.nguards++] = (struct yk_facts_guard){(uint16_t)test, on->want};
        }
    }
}

static int64_t value(const struct sum *s, const uint64_t group[3], const uint64_t local[3], unsigned some)
{
    int64_t x = s->c + s->some * some;
    for (unsigned d = 0; d < 3; d++)
        x += s->group[d] * (int64_t)group[d] + s->local[d] * (int64_t)local[d];
    return x;
}

static bool holds(const struct guard *g, int64_t x)
{
    uint64_t u = (uint64_t)x, w = (uint64_t)g->with;
    bool is = g->op == YK_NODE_EQ    ? x == g->with
              : g->op == YK_NODE_NE  ? x != g->with
              : g->op == YK_NODE_ULT ? u < w
              : g->op == YK_NODE_ULE ? u <= w
              : g->op == YK_NODE_SLT ? x < g->with
                                     : x <= g->with;
    return is == g->want;
}

/* Bit V of touched: where the number is V. */
static unsigned char touched[3][SIZE], said[3][SIZE], exactly[SIZE];

static void run_item(const uint64_t group[3], const uint64_t local[3], unsigned some)
{
    for (unsigned i = 0; i < m.k.naccesses; i++) {
        int64_t at = value(&m.at[i], group, local, some);
        bool reached = true;
        for (unsigned g = 0; g < m.access[i].nguards; g++)
            reached &= holds(&m.on[i][g], value(&m.on[i][g].a, group, local, some));
        for (unsigned b = 0; reached && b < m.access[i].bytes; b++)
            if (at + b >= 0 && at + b < (int64_t)m.value.size)
                touched[m.access[i].kind][at + b] |= (unsigned char)(1u << some);
    }
}

static void run_box(const struct yk_box *b)
{
    uint64_t g[3], l[3];
    for (g[2] = b->first[2]; g[2] < b->first[2] + b->count[2]; g[2]++)
        for (g[1] = b->first[1]; g[1] < b->first[1] + b->count[1]; g[1]++)
            for (g[0] = b->first[0]; g[0] < b->first[0] + b->count[0]; g[0]++)
                for (l[2] = 0; l[2] < m.launch.local[2]; l[2]++)
                    for (l[1] = 0; l[1] < m.launch.local[1]; l[1]++)
                        for (l[0] = 0; l[0] < m.launch.local[0]; l[0]++)
                            for (unsigned some = 0; some < m.values; some++)
                                run_item(g, l, some);
}

/* Of all launches: regions, bytes of them, bytes that are written for sure, bytes that are too many. */
struct counts {
    unsigned long regions, bytes, exact, beyond;
};
static const struct counts was = {7644, 804876, 63340, 400551};

static void check(uint64_t seed, struct yk_reach *r, struct counts *n)
{
    memset(touched, 0, sizeof touched);
    memset(said, 0, sizeof said);
    memset(exactly, 0, sizeof exactly);
    make(seed);
    for (unsigned i = 0; i < m.share.n; i++)
        run_box(&m.share.box[i]);
    ck_assert_int_eq(m.share.n == 1 && seed % 2 ? yk_reach_box(r, &m.k, &m.launch, &m.share.box[0])
                                                : yk_reach_share(r, &m.k, &m.launch, &m.share),
                     YK_OK);
    n->regions += r->touch.n;
    for (size_t i = 0; i < r->touch.n; i++) {
        const struct yk_touch *t = &r->touch.v[i];
        const struct yk_region *g = &t->region;
        ck_assert_msg(yk_region_end(g) <= m.value.size, "seed %lu: a region beyond the buffer", (unsigned long)seed);
        for (uint64_t row = 0; row < g->rows * g->slices; row++) {
            uint64_t off = g->offset + row / g->rows * g->slice_pitch + row % g->rows * g->row_pitch;
            memset(&said[t->kind][off], 1, g->bytes);
            if (t->exact)
                memset(&exactly[off], 1, g->bytes);
        }
        n->bytes += g->bytes * g->rows * g->slices;
    }
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned i = 0; i < m.value.size; i++) {
            if (touched[kind][i] && !said[kind][i])
                ck_abort_msg("seed %lu: byte %u is missed (%s)", (unsigned long)seed, i, yk_access_kind_name(kind));
            n->beyond += said[kind][i] && !touched[kind][i];
        }
    for (unsigned i = 0; i < m.value.size; i++) {
        n->exact += exactly[i];
        if (exactly[i] && touched[YK_ACCESS_WRITE][i] != (1 << m.values) - 1)
            ck_abort_msg("seed %lu: byte %u is not written, but said to be", (unsigned long)seed, i);
    }
}

START_TEST(sums_under_conditions_as_their_twin)
{
    struct yk_reach r = {.form = NULL};
    struct counts n = {0, 0, 0, 0};
    for (uint64_t seed = 1; seed <= LAUNCHES; seed++)
        check(seed, &r, &n);
    if (getenv("YOKE_TEST_SHOW"))
        printf("{%lu, %lu, %lu, %lu}\n", n.regions, n.bytes, n.exact, n.beyond);
    ck_assert_msg(getenv("YOKE_TEST_SHOW") || (n.regions == was.regions && n.bytes == was.bytes &&
                                               n.exact == was.exact && n.beyond == was.beyond),
                  "%lu regions of %lu bytes, %lu exact, %lu beyond; was %lu, %lu, %lu, %lu", n.regions, n.bytes,
                  n.exact, n.beyond, was.regions, was.bytes, was.exact, was.beyond);
    yk_reach_finish(&r);
}
END_TEST

YK_TEST_MAIN("guarded", sums_under_conditions_as_their_twin)
