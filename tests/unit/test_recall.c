/* transform/facts_recall.h: shares that were asked for before, and what happens where memory runs out. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/heap.h"
#include "tests/unit/main.h"
#include "tests/unit/random.h"
#include "tests/unit/reach.h"
#include "transform/facts_recall.h"

/* Stands in for base's: arrays that cannot grow, once so many have. */
static unsigned allocations = 1000000;
static bool refused; /* one was */
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    refused |= !allocations;
    if (!allocations)
        return false;
    allocations--;
    void *p = realloc(*v, need * size);
    if (p) {
        *v = p;
        *cap = need;
    }
    return p != NULL;
}

static struct yk_recall recall;

static uint64_t recalled(const struct yk_share *share)
{
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, share), YK_OK);
    ck_assert_uint_eq(reach.touch.n, 1);
    return reach.touch.v[0].region.offset;
}

static unsigned kept(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < YK_RECALL_ENTRIES; i++)
        n += recall.entry[i].key.n > 0;
    return n;
}

START_TEST(what_was_asked_before_is_remembered)
{
    begin();
    narrow = 3;
    writes(4, plus(op(YK_NODE_ADD, times(id(0), 4), op3(YK_NODE_SEXT, 64, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0)),
                   100));
    struct yk_share share = {.n = 1};
    share.box[0] = (struct yk_box){.first = {0, 0, 0}, .count = {1, 1, 1}};
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(kept(), 1);
    kernel.naccesses = 0; /* so that what is not remembered shows */
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(kept(), 1);
    kernel.naccesses = 1;
    narrow = 4; /* another scalar, box, offset, size of a group, number of groups, of dimensions, of a buffer's bytes */
    ck_assert_uint_eq(recalled(&share), 144);
    share.box[0].first[0] = 1;
    ck_assert_uint_eq(recalled(&share), 160);
    launch.offset[0] = 11;
    ck_assert_uint_eq(recalled(&share), 164);
    launch.local[0] = 5;
    ck_assert_uint_eq(recalled(&share), 168);
    launch.groups[0] = 4;
    launch.dims = 2;
    ck_assert_uint_eq(recalled(&share), 168);
    value[0].size = 170;
    ck_assert_uint_eq(recalled(&share), 168);
    ck_assert_uint_eq(reach.touch.v[0].region.bytes, 2);
    ck_assert_uint_eq(kept(), 7);
    value[0].size = SIZE;
    for (narrow = 100; narrow < 100 + YK_RECALL_ENTRIES; narrow++)
        recalled(&share);
    ck_assert_uint_eq(kept(), YK_RECALL_ENTRIES);
    kernel.naccesses = 0; /* the last ones are there, the first is gone */
    for (narrow = 100; narrow < 100 + YK_RECALL_ENTRIES; narrow++)
        ck_assert_uint_eq(recalled(&share), 164 + (uint64_t)narrow);
    narrow = 4;
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
    ck_assert_uint_eq(reach.touch.n, 0);
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share),
                     YK_OK); /* nothing can be remembered too */
    ck_assert_uint_eq(reach.touch.n, 0);
    yk_recall_finish(&recall);
    ck_assert_uint_eq(kept(), 0);
    yk_reach_finish(&reach);
    ck_assert(!reach.form && reach.touch.n == 0);
}
END_TEST

/* Every allocation in turn fails: that is said, and the next time all is there. */
START_TEST(without_memory)
{
    for (unsigned remember = 0; remember < 2; remember++)
        for (unsigned unbounded = 0; unbounded < 2; unbounded++)
            for (unsigned left = 0;; left++) {
                begin();
                writes(4, times(id(0), 400));
                if (unbounded) {
                    arg[1].bounded = false;
                    arg[1].read = arg[1].written = true;
                }
                struct yk_share share = {.n = 1, .box = {box}};
                allocations = left;
                refused = false;
                yk_status s = remember ? yk_recall_share(&recall, &reach, &kernel, &launch, &share)
                                       : yk_reach_share(&reach, &kernel, &launch, &share);
                bool all = allocations > 0;
                allocations = 1000000;
                ck_assert(s == YK_OK || s == YK_ENOMEM);
                ck_assert(s == YK_OK || !all);
                ck_assert(remember || s == (refused ? YK_ENOMEM : YK_OK));
                ck_assert(s != YK_OK || reach.touch.n == (unbounded ? 3 : 1));
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 3 : 1);
                ck_assert_uint_eq(reach.touch.v[reach.touch.n - 1].region.rows, 8);
                yk_reach_finish(&reach); /* what is remembered needs memory too */
                allocations = 0;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_ENOMEM);
                allocations = 1000000;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 3 : 1);
                share.n = 0;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 2 : 0);
                yk_recall_finish(&recall);
                yk_reach_finish(&reach);
                if (all)
                    break;
            }
}
END_TEST

/* A write that moves with all that a launch is made of, of which each has one of two values. */
static void any_launch(struct yk_share *share)
{
    static uint64_t sizes[2] = {2000, SIZE};
    begin();
    unsigned at = op3(YK_NODE_ARG, 64, 3, 0, 0, 8);
    at = op(YK_NODE_ADD, at, op3(YK_NODE_SEXT, 64, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0));
    at = op(YK_NODE_ADD, at, times(leaf(YK_NODE_WORK_DIM, 0), 3));
    launch.dims = 1 + below(3);
    for (unsigned d = 0; d < 3; d++) {
        launch.groups[d] = 4 + below(2);
        launch.local[d] = 1 + below(2);
        launch.offset[d] = below(2);
        at = op(YK_NODE_ADD, at, times(id(d), 40 << d));
        at = op(YK_NODE_ADD, at, times(leaf(YK_NODE_NUM_GROUPS, d), 7 << d));
    }
    narrow = (int32_t)below(2);
    wide[1] = below(2);
    value[0].size = sizes[below(2)];
    writes(4, at);
    share->n = below(3);
    for (unsigned i = 0; i < share->n; i++)
        for (unsigned d = 0; d < 3; d++) {
            share->box[i].first[d] = below(2);
            share->box[i].count[d] = 1 + below(2);
        }
}

/* Far more launches than are remembered, many of them twice. */
START_TEST(what_is_remembered_is_what_would_be_said)
{
    struct yk_reach slow = {.form = NULL};
    size_t before = 0;
    for (unsigned round = 0; round < 6000; round++) {
        struct yk_share share;
        random_begin(round % 7 == 0 ? round : round / 50 * 50 + round % 3);
        any_launch(&share);
        ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
        if (yk_reach_share(&slow, &kernel, &launch, &share) != YK_OK || slow.touch.n != reach.touch.n)
            ck_abort_msg("round %u: %zu regions, not %zu", round, reach.touch.n, slow.touch.n);
        for (size_t i = 0; i < slow.touch.n; i++) {
            const struct yk_touch *a = &reach.touch.v[i], *b = &slow.touch.v[i];
            if (a->arg != b->arg || a->kind != b->kind || a->exact != b->exact || a->whole != b->whole ||
                memcmp(&a->region, &b->region, sizeof a->region))
                ck_abort_msg("round %u: another region", round);
        }
        if (round % 50 == 49) { /* all is given back */
            yk_recall_finish(&recall);
            yk_reach_finish(&reach);
        }
        if (round == 1000)
            before = heap_used();
    }
    ck_assert_uint_lt(heap_used(), before + 20000);
    yk_recall_finish(&recall);
    yk_reach_finish(&slow);
}
END_TEST

YK_TEST_MAIN("recall", without_memory, what_was_asked_before_is_remembered, what_is_remembered_is_what_would_be_said)
