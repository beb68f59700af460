/* solver/search: plans checked, saved, loaded; broken plans and files are refused with a sentence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/temp.h"
#include "solver/search/plan_tools.h"
#include "tests/unit/main.h"
#include "tests/unit/search_nets.h"

static char msg[400], path[200];

static void make(struct yk_network *net, struct yk_solver_plan *p)
{
    *net = grid_network(7, 3);
    struct yk_search_options o;
    yk_search_options_init(&o);
    o.threads = 1;
    o.max_seconds = 10;
    o.max_trials = 2;
    o.memory_bytes = 2000; /* some variables sliced */
    yk_status st = yk_solver_plan_search(net, &o, p, msg, sizeof msg);
    ck_assert_msg(st == YK_OK, "%s", msg);
    ck_assert_uint_gt(p->nsliced, 0);
    int fd = yk_temp_name("yoke-plan", path, sizeof path) == YK_OK ? mkstemp(path) : -1;
    ck_assert_int_ge(fd, 0);
    close(fd);
    st = yk_solver_plan_save(p, net, path, msg, sizeof msg);
    ck_assert_msg(st == YK_OK, "%s", msg);
}

static void drop(struct yk_network *net, struct yk_solver_plan *p)
{
    unlink(path);
    yk_solver_plan_finish(p);
    network_drop(net);
}

static yk_status load(struct yk_solver_plan *p, const struct yk_network *net)
{
    msg[0] = 0;
    return yk_solver_plan_load(p, net, path, &yk_search_model_default, false, msg, sizeof msg);
}

static void write_text(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

static size_t read_text(char *text, size_t cap)
{
    FILE *f = fopen(path, "r");
    size_t n = fread(text, 1, cap, f);
    fclose(f);
    return n;
}

START_TEST(round_trip)
{
    struct yk_network net;
    struct yk_solver_plan a, b;
    make(&net, &a);
    yk_status st = load(&b, &net);
    ck_assert_msg(st == YK_OK, "%s", msg);
    ck_assert_uint_eq(a.nnodes, b.nnodes);
    ck_assert_uint_eq(a.nsliced, b.nsliced);
    for (uint32_t i = 0; i < a.nnodes; i++) {
        ck_assert_mem_eq(a.node[i].child, b.node[i].child, a.node[i].nchildren * sizeof(uint32_t));
        ck_assert_mem_eq(a.node[i].sum, b.node[i].sum, a.node[i].nsum * sizeof(uint32_t));
        ck_assert_mem_eq(a.node[i].out, b.node[i].out, a.node[i].nout * sizeof(uint32_t));
    }
    ck_assert(fabs(a.log10_operations - b.log10_operations) < 1e-12 && fabs(a.peak_bytes - b.peak_bytes) < 1e-6);
    ck_assert(fabs(a.seconds / b.seconds - 1) < 1e-12);
    yk_solver_plan_finish(&b);
    drop(&net, &a);
}
END_TEST

START_TEST(another_network_is_refused)
{
    struct yk_network net;
    struct yk_solver_plan a, b;
    make(&net, &a);
    net.domain[0]++;
    ck_assert_int_eq(load(&b, &net), YK_EINVAL);
    ck_assert_msg(strstr(msg, ":2: ") && strstr(msg, "another network"), "%s", msg);
    net.domain[0]--;
    uint32_t f = 0;
    while (net.factor[f].n < 2)
        f++;
    uint32_t v = net.factor[f].scope[0];
    net.factor[f].scope[0] = net.factor[f].scope[1];
    net.factor[f].scope[1] = v;
    ck_assert_int_eq(load(&b, &net), YK_EINVAL);
    drop(&net, &a);
}
END_TEST

START_TEST(garbage_is_refused_at_its_line)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"", "'yoke-plan' expected"},
                 {"yoke-plan 2\n", "version 1 expected"},
                 {"yoke-plan 1\nnet", "'network' expected"},
                 {"\xff\xfe\x00", "'yoke-plan' expected"}};
    struct yk_network net;
    struct yk_solver_plan a, b;
    make(&net, &a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].text, strlen(cases[i].text));
        ck_assert_int_eq(load(&b, &net), YK_EFORMAT);
        ck_assert_msg(strstr(msg, cases[i].says) && strstr(msg, path), "%s", msg);
        ck_assert(!b.nnodes && !b.node);
    }
    unlink(path);
    ck_assert_int_eq(load(&b, &net), YK_EIO);
    drop(&net, &a);
}
END_TEST

/* Whatever is cut, changed or put in: an error or a valid plan, never a crash. */
START_TEST(mutated_files)
{
    struct yk_network net;
    struct yk_solver_plan a, b;
    static char text[100000], other[100000];
    make(&net, &a);
    size_t n = read_text(text, sizeof text - 100);
    struct rng r = rng_make(1, 1);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        size_t m = n;
        memcpy(other, text, n);
        for (uint32_t k = 1 + rng_below(&r, 3); k > 0; k--) {
            uint32_t at = rng_below(&r, (uint32_t)m);
            switch (rng_below(&r, 4)) {
            case 0:
                m = at + 1;
                break;
            case 1:
                other[at] = (char)rng_below(&r, 256);
                break;
            case 2:
                other[at] = (char)('0' + rng_below(&r, 10));
                break;
            default:
                memmove(other + at + 1, other + at, m++ - at);
                other[at] = " 9\n"[rng_below(&r, 3)];
            }
        }
        write_text(other, m);
        if (load(&b, &net) != YK_OK) {
            ck_assert(msg[0] && !b.node);
            refused++;
            continue;
        }
        ck_assert_int_eq(yk_solver_plan_check(&b, &net, msg, sizeof msg), YK_OK);
        yk_solver_plan_finish(&b);
    }
    ck_assert_int_gt(refused, 1500);
    drop(&net, &a);
}
END_TEST

START_TEST(check_finds_each_fault)
{
    struct yk_network net;
    struct yk_solver_plan p;
    make(&net, &p);
    struct yk_solver_plan_node *last = &p.node[p.nnodes - 1], *n = NULL;
    for (uint32_t i = 0; i < p.nnodes; i++)
        if (p.node[i].nout && p.node[i].nsum && p.node[i].nchildren >= 2)
            n = &p.node[i];
    ck_assert_ptr_nonnull(n);
#define FAULT(lvalue, value)                                                                                           \
    do {                                                                                                               \
        uint32_t was = (lvalue);                                                                                       \
        (lvalue) = (value);                                                                                            \
        msg[0] = 0;                                                                                                    \
        ck_assert_int_eq(yk_solver_plan_check(&p, &net, msg, sizeof msg), YK_EFORMAT);                                 \
        ck_assert(msg[0]);                                                                                             \
        (lvalue) = was;                                                                                                \
        ck_assert_int_eq(yk_solver_plan_check(&p, &net, msg, sizeof msg), YK_OK);                                      \
    } while (0)
    FAULT(n->child[0], n->child[1]);              /* used twice */
    FAULT(n->child[0], p.nleaves + p.nnodes - 1); /* not earlier */
    FAULT(n->child[0], UINT32_MAX);
    FAULT(n->out[0], n->sum[0]); /* listed twice */
    FAULT(n->out[0], UINT32_MAX);
    FAULT(n->nsum, n->nsum - 1); /* lost */
    FAULT(n->nout, n->nout - 1);
    FAULT(last->nchildren, 0);
    FAULT(p.nnodes, p.nnodes - 1); /* something is left that is no scalar */
    FAULT(p.sliced[0], UINT32_MAX);
    FAULT(p.nsliced, p.nsliced - 1);
    FAULT(p.nleaves, p.nleaves - 1);
    drop(&net, &p);
}
END_TEST

START_TEST(print_names_steps_and_slices)
{
    struct yk_network net;
    struct yk_solver_plan p;
    char *text = NULL;
    size_t n = 0;
    make(&net, &p);
    FILE *f = open_memstream(&text, &n);
    yk_solver_plan_print(f, &p, &net, 3);
    fclose(f);
    ck_assert_msg(strstr(text, "multiply-adds") && strstr(text, "sliced on") && strstr(text, "more steps)"), "%s",
                  text);
    free(text);
    drop(&net, &p);
}
END_TEST

YK_TEST_MAIN("search_file", round_trip, another_network_is_refused, garbage_is_refused_at_its_line, mutated_files,
             check_finds_each_fault, print_names_steps_and_slices)
