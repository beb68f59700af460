/* transform: the record of facts: what is written is read back; what is damaged is refused, never a crash. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "tests/unit/main.h"
#include "transform/facts.h"
#include "transform/facts_write.h"

static struct yk_facts_arg sample_args[] = {
    {.name = "out",
     .type = "float*",
     .kind = YK_ARG_GLOBAL,
     .read = true,
     .written = true,
     .atomic = true,
     .atomic_ops = YK_ATOMIC_ADD | YK_ATOMIC_FLOAT,
     .is_restrict = true},
    {.name = "", .type = "", .kind = YK_ARG_VALUE, .size = 16},
    {.name = "tex", .type = "image2d_t", .kind = YK_ARG_IMAGE},
};
static struct yk_facts_hidden sample_hidden[] = {{YK_HIDDEN_GROUP_OFFSET, 0}, {YK_HIDDEN_GLOBAL_SIZE, 2}};
static struct yk_facts_kernel sample_kernels[] = {
    {.name = "f",
     .verdict = YK_VERDICT_MERGE,
     .reason = "",
     .nargs = 3,
     .arg = sample_args,
     .needs_variant = true,
     .nhidden = 2,
     .hidden = sample_hidden,
     .reqd_group = {64, 2, 1},
     .inexact = true,
     .fp64 = true,
     .barrier = true,
     .mergeable = true,
     .mixed = true,
     .unmerged = "",
     .count[YK_COUNT_LOOP] = 3},
    {.name = "g", .verdict = YK_VERDICT_WHOLE, .reason = "calls printf", .print = true, .group_hint = {8, 1, 1}},
    {.name = "h", .verdict = YK_VERDICT_MERGE, .reason = "", .unmerged = "line 3: it depends"},
};
static uint64_t sample_text[] = {1, UINT64_C(0xfedcba9876543210)};
static struct yk_facts_file sample_files[] = {{"inc/a b.h", 7, false}, {"a b.h", 0, true}};
static struct yk_facts sample = {.transformer = "0.1",
                                 .ntargets = 2,
                                 .target_text = sample_text,
                                 .nfiles = 2,
                                 .file = sample_files,
                                 .nkernels = 3,
                                 .kernel = sample_kernels,
                                 .variant_source = "kernel void f()\n{}\n",
                                 .variant_size = 19,
                                 .merge_source = "kernel void yk_merge_f()\n{}\n",
                                 .merge_size = 28,
                                 .mixed_source = "kernel void yoke_mixed_launches()\n{}\n",
                                 .mixed_size = 37,
                                 .variant_options = "-cl-std=CL1.2"};

static char *write_sample(size_t *n)
{
    char *text;
    ck_assert_int_eq(yk_facts_write(&sample, &text, n), YK_OK);
    return text;
}

START_TEST(what_is_written_is_read_back)
{
    size_t n, m;
    char *text = write_sample(&n), *again;
    struct yk_facts f;
    ck_assert_int_eq(yk_facts_parse(text, n, &f), YK_OK);
    ck_assert_uint_eq(f.nkernels, 3);
    const struct yk_facts_kernel *k = yk_facts_find(&f, "f");
    ck_assert_ptr_nonnull(k);
    ck_assert_ptr_null(yk_facts_find(&f, "i"));
    ck_assert(k->mergeable && !yk_facts_find(&f, "h")->mergeable);
    ck_assert_str_eq(yk_facts_find(&f, "h")->unmerged, "line 3: it depends");
    ck_assert_str_eq(f.merge_source, sample.merge_source);
    ck_assert(k->mixed && !yk_facts_find(&f, "h")->mixed);
    ck_assert_str_eq(f.mixed_source, sample.mixed_source);
    ck_assert_int_eq(k->verdict, YK_VERDICT_MERGE);
    ck_assert(k->needs_variant && k->inexact && k->fp64 && k->barrier && !k->print && !k->inexact_escapes);
    ck_assert_uint_eq(k->nargs, 3);
    ck_assert_uint_eq(k->arg[0].atomic_ops, YK_ATOMIC_ADD | YK_ATOMIC_FLOAT);
    ck_assert_str_eq(k->arg[1].name, "");
    ck_assert_uint_eq(k->arg[1].size, 16);
    ck_assert_str_eq(k->arg[2].type, "image2d_t");
    ck_assert_int_eq(k->hidden[1].kind, YK_HIDDEN_GLOBAL_SIZE);
    ck_assert_uint_eq(k->reqd_group[1], 2);
    ck_assert_uint_eq(k->count[YK_COUNT_LOOP], 3);
    ck_assert_str_eq(yk_facts_find(&f, "g")->reason, "calls printf");
    ck_assert_str_eq(f.variant_source, sample.variant_source);
    ck_assert_str_eq(f.file[0].path, "inc/a b.h");
    ck_assert(!f.file[0].absent && f.file[1].absent);
    ck_assert(f.target_text[1] == sample_text[1]);
    /* and everything else: the same text again */
    ck_assert_int_eq(yk_facts_write(&f, &again, &m), YK_OK);
    ck_assert_uint_eq(m, n);
    ck_assert(!memcmp(again, text, n));
    yk_facts_finish(&f);
    free(again);
    free(text);
}
END_TEST

START_TEST(no_prefix_is_a_record)
{
    size_t n;
    char *text = write_sample(&n);
    struct yk_facts f;
    for (size_t i = 0; i < n; i++) {
        char *cut = malloc(i ? i : 1); /* of its own, so that reading past it is seen */
        memcpy(cut, text, i);
        ck_assert_int_eq(yk_facts_parse(cut, i, &f), YK_EFORMAT);
        ck_assert_uint_eq(f.nkernels, 0);
        free(cut);
    }
    free(text);
}
END_TEST

START_TEST(no_changed_byte_is_taken)
{
    size_t n;
    char *text = write_sample(&n);
    struct yk_facts f;
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            text[i] ^= (char)(1 << bit);
            ck_assert_int_eq(yk_facts_parse(text, n, &f), YK_EFORMAT);
            text[i] ^= (char)(1 << bit);
        }
    free(text);
}
END_TEST

/* TEXT with its sum put right, so that the lines themselves are judged. */
static yk_status parse_summed(const char *text)
{
    char *all = malloc(strlen(text) + 64);
    struct yk_hash sum = yk_hash_bytes((struct yk_hash){0, 0}, text, strlen(text));
    int n = sprintf(all, "%ssum %016llx\n", text, (unsigned long long)sum.lo);
    struct yk_facts f;
    yk_status s = yk_facts_parse(all, (size_t)n, &f);
    if (!s)
        yk_facts_finish(&f);
    free(all);
    return s;
}

START_TEST(lines_are_judged_strictly)
{
#define HEAD "yoke-facts 3\nby x\ntarget 0123456789abcdef\n"
    ck_assert_int_eq(parse_summed(HEAD), YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "refused because\n"), YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "kernel k\nverdict split\ndone\n"), YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "kernel k\nverdict merge\nflags mergeable\ndone\nmerging 1\nx\n"), YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "kernel k\nverdict split\nflags needs_variant mixed\ndone\nvariant 1\nx\n"
                                       "mixed 1\ny\n"),
                     YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "kernel k\nverdict merge\nunmerged r\ndone\n"), YK_OK);
    ck_assert_int_eq(parse_summed(HEAD "kernel k\nverdict whole\nreason r\narg value 4 x\ndone\n"), YK_OK);
#define NODES HEAD "kernel k\nverdict split\narg global 0 b\narg value 4 n\nnode gid 64 0\nnode arg 32 1 0\n"
    ck_assert_int_eq(parse_summed(NODES "node zext 64 1\nnode ult 1 0 2\naccess write 0 4 0 exact 3 1\ndone\n"), YK_OK);
    ck_assert_int_eq(parse_summed(NODES "node const 64 -9223372036854775808\ndone\n"), YK_OK);
    ck_assert_int_eq(parse_summed(NODES "node const 64 9223372036854775807\ndone\n"), YK_OK);
    const char *const wrong[] = {
        "yoke-facts 1\nby x\ntarget 0123456789abcdef\n",
        "yoke-facts 3\nby x\n",
        NODES "node gid 64 3\ndone\n",                      /* no such dimension */
        NODES "node zext 64 2\ndone\n",                     /* of itself */
        NODES "node add 64 0 1\ndone\n",                    /* of other widths */
        NODES "node add 64 0\ndone\n",                      /* an operand is missing */
        NODES "node add 65 0 0\ndone\n",                    /* too wide */
        NODES "node const 64 -0\ndone\n",                   /* no number */
        NODES "node const 64 -9223372036854775809\ndone\n", /* none of 64 bits */
        NODES "node const 64 9223372036854775808\ndone\n",
        NODES "node trip 64 0 0 0 4106\ndone\n",     /* no such test */
        NODES "node arg 32 1 1\ndone\n",             /* past the value's end */
        NODES "node arg 32 0 0\ndone\n",             /* a buffer is no value */
        NODES "node arg 32 2 0\ndone\n",             /* no such argument */
        NODES "access read 0 0 0 exact\ndone\n",     /* no bytes */
        NODES "access read 0 4 1 exact\ndone\n",     /* an offset of 32 bits */
        NODES "access read 0 4 2 exact\ndone\n",     /* no such node */
        NODES "access read 1 4 0 exact\ndone\n",     /* a value is no buffer */
        NODES "access read 0 4 0 maybe\ndone\n",     /* exact or some */
        NODES "access read 0 4 0 exact 1 1\ndone\n", /* a guard of 32 bits */
        NODES "node eq 1 0 0\naccess read 0 4 0 exact 2 2\ndone\n",
        HEAD "\n",
        HEAD "target 0123456789abcde\n",
        HEAD "target 0123456789abcdeF\n",
        HEAD "refused a\nrefused b\n",
        HEAD "refused a\nkernel k\nverdict split\ndone\n",
        HEAD "kernel k\nverdict split\n",
        HEAD "kernel k l\nverdict split\ndone\n",
        HEAD "kernel k\nverdict\ndone\n",
        HEAD "kernel k\nverdict maybe\ndone\n",
        HEAD "kernel k\nverdict whole\ndone\n",           /* no reason */
        HEAD "kernel k\nverdict split\nreason r\ndone\n", /* a reason for nothing */
        HEAD "kernel k\nverdict split\ntype int\ndone\n", /* of no argument */
        HEAD "kernel k\nverdict split\narg value 4294967296 x\ndone\n",
        HEAD "kernel k\nverdict split\narg value 04 x\ndone\n",
        HEAD "kernel k\nverdict split\narg value -1 x\ndone\n",
        HEAD "kernel k\nverdict split\narg thing 4 x\ndone\n",
        HEAD "kernel k\nverdict split\nhidden group_offset 0\ndone\n",                      /* without needs_variant */
        HEAD "kernel k\nverdict split\nflags needs_variant\nhidden group_offset 0\ndone\n", /* without source */
        HEAD "kernel k\nverdict split\nflags needs_variant\nhidden group_offset 3\ndone\nvariant 1\nx\n",
        HEAD "kernel k\nverdict split\nflags inexact inexact\ndone\n",
        HEAD "kernel k\nverdict split\nflags  inexact\ndone\n",
        HEAD "kernel k\nverdict split\nflags shiny\ndone\n",
        HEAD "kernel k\nverdict split\ncount int\ndone\n",
        HEAD "kernel k\nverdict split\ngroup 1 1\ndone\n",
        HEAD "kernel k\nverdict split\ngroup 0 1 1\ndone\n",
        HEAD "kernel k\nverdict merge\nflags mergeable\ndone\n", /* without source */
        HEAD "kernel k\nverdict split\nflags needs_variant mixed\ndone\nvariant 1\nx\n",
        HEAD "kernel k\nverdict split\nflags mixed\ndone\nmixed 1\nx\n", /* not merged either */
        HEAD "kernel k\nverdict split\ndone\nmixed 1\nx\n",
        HEAD "kernel k\nverdict split\nflags mergeable\ndone\nmerging 1\nx\n", /* of exact regions */
        HEAD "kernel k\nverdict merge\nflags mergeable\nunmerged r\ndone\nmerging 1\nx\n",
        HEAD "merging 1\nx\n", /* for no kernel */
        HEAD "variant 1\nx\n", /* for no kernel */
        HEAD "variant 99999999999999999999\nx\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(parse_summed(wrong[i]) == YK_EFORMAT, "taken: %s", wrong[i]);
}
END_TEST

START_TEST(garbage_does_no_harm)
{
    /* Lines of real keys in random order, random bytes, all with a right sum. */
    static const char *const part[] = {"kernel ",
                                       "verdict ",
                                       "split",
                                       "whole",
                                       "\n",
                                       "done\n",
                                       "arg ",
                                       "value ",
                                       "4 ",
                                       "x",
                                       "type ",
                                       "with ",
                                       "read ",
                                       "ops ",
                                       "add",
                                       "hidden ",
                                       "flags ",
                                       "variant ",
                                       "1",
                                       " ",
                                       "options ",
                                       "file ",
                                       "target ",
                                       "sum ",
                                       "0123456789abcdef",
                                       "count ",
                                       "int ",
                                       "reason ",
                                       "\x01",
                                       "\xff",
                                       "18446744073709551616"};
    unsigned seed = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[2048] = "yoke-facts 3\nby x\ntarget 0123456789abcdef\n";
        int n = rand_r(&seed) % 40;
        for (int i = 0; i < n; i++)
            strcat(text, part[(unsigned)rand_r(&seed) % (sizeof part / sizeof *part)]);
        parse_summed(text);
    }
    struct yk_facts f;
    ck_assert_int_eq(yk_facts_parse("", 0, &f), YK_EFORMAT);
}
END_TEST

START_TEST(text_that_would_break_a_line_is_tamed)
{
    struct yk_facts f = {.transformer = "0.1", .refused = "a\nkernel x", .ntargets = 1, .target_text = sample_text}, g;
    char *text;
    size_t n;
    ck_assert_int_eq(yk_facts_write(&f, &text, &n), YK_OK);
    ck_assert_int_eq(yk_facts_parse(text, n, &g), YK_OK);
    ck_assert_str_eq(g.refused, "a?kernel x");
    yk_facts_finish(&g);
    free(text);
}
END_TEST

YK_TEST_MAIN("facts", what_is_written_is_read_back, no_prefix_is_a_record, no_changed_byte_is_taken,
             lines_are_judged_strictly, garbage_does_no_harm, text_that_would_break_a_line_is_tamed)
