/* partitioner/evict.h against all subsets, and what it comes to over sequences of uses. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/evict.h"
#include "tests/unit/main.h"

enum { MEMORIES = 8, TRIALS = 20000 };

static unsigned below(unsigned n)
{
    return (unsigned)rand() % n;
}

/* Is there a subset of those that may leave with as many bytes? */
static bool possible(const struct yk_evict_memory *m, unsigned n, uint64_t needed, uint64_t next)
{
    for (unsigned set = 0; set < 1u << n; set++) {
        uint64_t bytes = 0;
        bool may = true;
        for (unsigned i = 0; i < n; i++)
            if (set >> i & 1) {
                bytes += m[i].bytes;
                may &= m[i].next >= YK_EVICT_MARGIN * next;
            }
        if (may && bytes >= needed)
            return true;
    }
    return false;
}

START_TEST(whoever_is_used_last_leaves)
{
    srand(7);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct yk_evict_memory m[MEMORIES];
        unsigned n = below(MEMORIES + 1);
        uint64_t needed = 1 + below(40), next = below(8), soonest = UINT64_MAX, bytes = 0;
        for (unsigned i = 0; i < n; i++)
            m[i] = (struct yk_evict_memory){.bytes = 1 + below(20), .next = 1 + below(20), .id = i};
        bool may = possible(m, n, needed, next);
        ck_assert_int_eq(yk_evict_choose(m, n, needed, next), may);
        for (unsigned i = 0; i < n; i++)
            if (m[i].leaves) {
                ck_assert(may);
                ck_assert_uint_ge(m[i].next, YK_EVICT_MARGIN * next);
                bytes += m[i].bytes;
                soonest = m[i].next < soonest ? m[i].next : soonest;
            }
        ck_assert(!may || bytes >= needed);
        for (unsigned i = 0; i < n; i++) {
            /* None leaves in vain, and one that is used later than another that leaves stays only if it is not needed
             * too. */
            ck_assert(!m[i].leaves || bytes - m[i].bytes < needed);
            if (may && !m[i].leaves && m[i].next > soonest) {
                uint64_t without = 0;
                for (unsigned k = 0; k < n; k++)
                    without += m[k].leaves && m[k].next >= m[i].next ? m[k].bytes : 0;
                ck_assert_uint_lt(without, needed);
            }
        }
    }
}
END_TEST

/* How many of the uses of SEQUENCE find their memory among the ROOM that are there, if those of use leave and come. */
static unsigned hits(const unsigned *sequence, unsigned n, unsigned room, unsigned *exchanges)
{
    struct yk_evict_uses uses[64] = {{0, 0}};
    bool there[64] = {false};
    unsigned found = 0, used = 0;
    *exchanges = 0;
    for (unsigned now = 1; now <= n; now++) {
        unsigned at = sequence[now - 1], k = 0;
        yk_evict_use(&uses[at], now);
        found += there[at];
        if (there[at])
            continue;
        struct yk_evict_memory m[64];
        for (unsigned i = 0; i < 64; i++)
            if (there[i])
                m[k++] = (struct yk_evict_memory){.bytes = 1, .next = yk_evict_next(&uses[i], now), .id = i};
        if (used < room) {
            there[at] = true;
            used++;
        } else if (uses[at].gap && yk_evict_choose(m, k, 1, yk_evict_next(&uses[at], now))) {
            for (unsigned i = 0; i < k; i++)
                there[m[i].id] &= !m[i].leaves;
            there[at] = true;
            ++*exchanges;
        }
    }
    return found;
}

START_TEST(memories_that_take_turns_stay_where_they_are)
{
    unsigned sequence[1000], exchanges;
    for (unsigned i = 0; i < 1000; i++)
        sequence[i] = i % 10;
    ck_assert_uint_ge(hits(sequence, 1000, 4, &exchanges), 390);
    ck_assert_uint_eq(exchanges, 0);
}
END_TEST

START_TEST(the_room_goes_with_the_work)
{
    unsigned sequence[1200], exchanges; /* two of 24 for 100 uses, then the next two */
    for (unsigned i = 0; i < 1200; i++)
        sequence[i] = i / 100 * 2 + i % 2;
    ck_assert_uint_ge(hits(sequence, 1200, 2, &exchanges), 1100);
    ck_assert_uint_le(exchanges, 24);
}
END_TEST

START_TEST(the_next_use)
{
    struct yk_evict_uses u = {0, 0};
    yk_evict_use(&u, 5);
    ck_assert_uint_eq(yk_evict_next(&u, 5), 1); /* nothing is known */
    ck_assert_uint_eq(yk_evict_next(&u, 9), 4);
    yk_evict_use(&u, 11);
    ck_assert_uint_eq(yk_evict_next(&u, 11), 6);
    ck_assert_uint_eq(yk_evict_next(&u, 13), 4);
    ck_assert_uint_eq(yk_evict_next(&u, 20), 9); /* overdue */
    yk_evict_use(&u, 20);
    yk_evict_use(&u, 20);
    ck_assert_uint_eq(yk_evict_next(&u, 20), 9);
}
END_TEST

YK_TEST_MAIN("evict", whoever_is_used_last_leaves, memories_that_take_turns_stay_where_they_are,
             the_room_goes_with_the_work, the_next_use)
