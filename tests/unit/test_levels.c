/* partitioner/levels.h against an obvious twin: sets of bytes, every pair of launches compared. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/levels.h"
#include "tests/unit/main.h"

enum { MEMORIES = 3, BYTES = 64, LAUNCHES = 40, TOUCHES = 6 };

struct launch {
    struct yk_levels_touch touch[TOUCHES];
    size_t n;
    bool read[MEMORIES][BYTES], written[MEMORIES][BYTES];
    unsigned level;
};

static bool conflict(const struct launch *a, const struct launch *b)
{
    for (unsigned m = 0; m < MEMORIES; m++)
        for (unsigned i = 0; i < BYTES; i++)
            if ((a->written[m][i] && (b->read[m][i] || b->written[m][i])) || (a->read[m][i] && b->written[m][i]))
                return true;
    return false;
}

static unsigned below(unsigned n)
{
    return (unsigned)rand() % n;
}

/* WIDTH: of the longest touch; READS: of ten touches how many only read. */
static void make(struct launch *l, unsigned width, unsigned reads)
{
    memset(l, 0, sizeof *l);
    l->n = below(TOUCHES + 1);
    for (size_t i = 0; i < l->n; i++) {
        struct yk_levels_touch *t = &l->touch[i];
        unsigned m = below(MEMORIES);
        t->memory = m * 1000 + 7;
        t->from = below(BYTES);
        t->to = t->from + below(width + 1); /* also empty ones */
        t->to = t->to > BYTES ? BYTES : t->to;
        t->write = below(10) >= reads;
        for (uint64_t b = t->from; b < t->to; b++)
            (t->write ? l->written : l->read)[m][b] = true;
    }
}

static void check_sound(const struct yk_levels *l)
{
    for (size_t i = 0; i < l->used; i++) {
        const struct yk_levels_memory *m = &l->memory.v[i];
        for (size_t k = 0; k < m->span.n; k++) {
            const struct yk_levels_span *s = &m->span.v[k];
            bool joined = k == 0 || s[-1].to != s->from || s[-1].wrote != s->wrote || s[-1].read != s->read;
            if (s->from >= s->to || (k && s[-1].to > s->from) || !joined) /* ck_assert is slow */
                ck_abort_msg("span %zu of memory %zu", k, i);
        }
    }
}

START_TEST(levels_are_those_of_the_pairs)
{
    static struct launch all[LAUNCHES];
    struct yk_levels levels = {.used = 0};
    srand(11);
    for (unsigned round = 0; round < 400; round++) {
        unsigned width = 1 + below(round % 3 ? 12 : BYTES), reads = below(11), top = 0;
        for (unsigned i = 0; i < LAUNCHES; i++) {
            struct launch *l = &all[i];
            make(l, width, reads);
            unsigned expected = 1;
            for (unsigned k = 0; k < i; k++)
                if (all[k].level >= expected && conflict(&all[k], l))
                    expected = all[k].level + 1;
            ck_assert_int_eq(yk_levels_add(&levels, l->touch, l->n, &l->level), YK_OK);
            ck_assert_uint_eq(l->level, expected);
            top = expected > top ? expected : top;
            check_sound(&levels);
        }
        ck_assert_uint_eq(levels.top, top);
        yk_levels_clear(&levels);
    }
    yk_levels_finish(&levels);
}
END_TEST

START_TEST(launches_side_by_side_stay_one_span)
{
    struct yk_levels levels = {.used = 0};
    for (uint64_t i = 0; i < 1000; i++) {
        struct yk_levels_touch t[2] = {{1, i * 64, i * 64 + 64, true}, {2, 0, 4096, false}};
        unsigned level;
        ck_assert_int_eq(yk_levels_add(&levels, t, 2, &level), YK_OK);
        ck_assert_uint_eq(level, 1);
    }
    ck_assert_uint_eq(levels.memory.v[0].span.n, 1);
    ck_assert_uint_eq(levels.memory.v[1].span.n, 1);
    struct yk_levels_touch all = {1, 10, 64000, false};
    unsigned level;
    ck_assert_int_eq(yk_levels_add(&levels, &all, 1, &level), YK_OK);
    ck_assert_uint_eq(level, 2);
    yk_levels_finish(&levels);
}
END_TEST

START_TEST(a_chain_has_as_many_levels_as_launches)
{
    struct yk_levels levels = {.used = 0};
    for (unsigned i = 1; i <= 500; i++) {
        struct yk_levels_touch t[2] = {{5, 0, 256, false}, {5, 0, 256, true}};
        unsigned level;
        ck_assert_int_eq(yk_levels_add(&levels, t, 2, &level), YK_OK);
        ck_assert_uint_eq(level, i);
    }
    yk_levels_finish(&levels);
}
END_TEST

YK_TEST_MAIN("levels", levels_are_those_of_the_pairs, launches_side_by_side_stay_one_span,
             a_chain_has_as_many_levels_as_launches)
