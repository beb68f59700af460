/* What assembly is taken for: only what computes in registers alone is understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "transform/assembly.h"

static enum yk_assembly of(const char *template)
{
    char what[32];
    return yk_assembly_of(template, "=r,r,r", what, sizeof what);
}

START_TEST(what_computes_in_registers_is_understood)
{
    static const char *const exact[] = {
        "",
        "add.u32 $0, $1, $2;",
        "add.u32 $0, $1, $2",
        " mov.b64 {$0, $1}, $2 ; ",
        "{ .reg .u64 t; mul.wide.u32 t, $1, $2; shr.u64 t, t, 7; cvt.u32.u64 $0, t; }",
        "{\n\t.reg .pred p, q;\n\tsetp.eq.and.s32 p|q, $1, -1, !p;\n\t@p mov.u32 $0, 0x7f;\n\t@!q mov.u32 $0, 1;\n}",
        "prmt.b32 $0, $1, $2, 0x0123;",
        "dp4a.u32.u32 $0, $1, $2, $3;",
    };
    static const char *const rounded[] = {
        "add.rn.f32 $0, $1, $2;",
        "cvt.rzi.s32.f32 $0, $1;",
        "rsqrt.approx.ftz.f64 $0, $1;",
        "fma.rn.bf16x2 $0, $1, $2, $0;",
        "mov.u32 $0, $1; ex2.approx.ftz.f16 $0, $0;",
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        ck_assert_msg(of(exact[i]) == YK_ASSEMBLY_IS_EXACT, "%s: %d", exact[i], of(exact[i]));
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
        ck_assert_msg(of(rounded[i]) == YK_ASSEMBLY_IS_ROUNDED, "%s: %d", rounded[i], of(rounded[i]));
}
END_TEST

START_TEST(anything_else_is_not)
{
    static const struct {
        const char *template, *what;
    } other[] = {
        {"ld.global.u32 $0, [$1];", "ld.global.u32"},
        {"add.u32 $0, $1, $2; st.shared.u32 [$1], $0;", "st.shared.u32"},
        {"{ .reg .u32 t; atom.add.u32 t, [$1], 1; }", "atom.add.u32"},
        {"bar.sync 0;", "bar.sync"},
        {"shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "shfl.sync.bfly.b32"},
        {"mov.u32 $0, %laneid;", "mov.u32"},
        {"mov.u32 $0, somewhere;", "mov.u32"},
        {"add.u32 $0, $1, [$2];", "add.u32"},
        {"add.u32 $0, $1, $2; // and then\n ret;", "//"},
        {"L: add.u32 $0, $1, $2;", "L:"},
        {"@$1 bra L;", "@$1"},
        {"add .u32 $0, $1, $2;", "add"},
        {"addx.u32 $0, $1, $2;", "addx.u32"},
        {"ad", "ad"},
        {"add.u32 $0, ${1:x}, $2;", "add.u32"},
        {".reg .u32 t<4>;", ".reg"},
        {".shared .u32 s;", ".shared"},
        {"nop", "nop"},
        {"a\001b", "a"},
        {")", ""},
        {"averyveryverylongname.u32 $0;", "averyveryverylongname.u32"},
    };
    char what[32];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        enum yk_assembly is = yk_assembly_of(other[i].template, "=r,r", what, sizeof what);
        ck_assert_msg(is == YK_ASSEMBLY_IS_OTHER, "%s: %d", other[i].template, is);
        ck_assert_str_eq(what, other[i].what);
    }
    ck_assert_int_eq(yk_assembly_of("add.u32 $0, $1, $2;", "=r,r,r,~{memory}", what, sizeof what),
                     YK_ASSEMBLY_IS_OTHER);
    ck_assert_str_eq(what, "memory");
}
END_TEST

START_TEST(more_registers_than_are_followed_are_not)
{
    char text[2048] = ".reg .u32 r0", what[32];
    for (int i = 1; i < 80; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", r%d", i);
    ck_assert_int_eq(yk_assembly_of(text, "", what, sizeof what), YK_ASSEMBLY_IS_OTHER);
}
END_TEST

static char *any_register(const char *text)
{
    char *copy = strdup(text);
    yk_assembly_any_register(copy, strlen(copy));
    return copy;
}

START_TEST(operands_are_let_be_in_any_register)
{
    static const struct {
        const char *before, *after;
    } text[] = {
        {"asm(\"fl %0\" : \"=f\"(x) : \"d\"(y), \"+l\"(z));", "asm(\"fl %0\" : \"=r\"(x) : \"r\"(y), \"+r\"(z));"},
        {"__asm__ volatile (\"fl\"\n\"hf\" : [f]\"=h\"(a[\"l\"]) : \"n\"(g(\"d\")));",
         "__asm__ volatile (\"fl\"\n\"hf\" : [f]\"=r\"(a[\"l\"]) : \"n\"(g(\"d\")));"},
        {"asm (\"a;\"); f(\"l\" : \"d\"); __asm(\"l\\\"f:\" :: \"l\"(x)); \"f\"",
         "asm (\"a;\"); f(\"l\" : \"d\"); __asm(\"l\\\"f:\" :: \"r\"(x)); \"f\""},
        {"asm(\"\" : \"=f\"(", "asm(\"\" : \"=r\"("},
        {"asm(\"\" : \"=f", "asm(\"\" : \"=r"},
        {"asm(\"\\", "asm(\"\\"},
        {"fasm(\"\" : \"f\")", "fasm(\"\" : \"f\")"},
        {"asm", "asm"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *have = any_register(text[i].before);
        ck_assert_str_eq(have, text[i].after);
        free(have);
    }
}
END_TEST

START_TEST(it_is_found_by_its_keyword)
{
    static const char *const with[] = {"asm(\"\")", "x; asm volatile(\"\")", "__asm__ __volatile__ (\"\")",
                                       "__asm\n(\"\")"};
    static const char *const without[] = {"", "asm", "plasm(1)", "asm_(1)", "int asm; (1)", "asm volatile", "as m(1)"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        ck_assert_msg(yk_assembly_in(with[i], strlen(with[i])), "%s", with[i]);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        ck_assert_msg(!yk_assembly_in(without[i], strlen(without[i])), "%s", without[i]);
}
END_TEST

YK_TEST_MAIN("assembly", what_computes_in_registers_is_understood, anything_else_is_not,
             more_registers_than_are_followed_are_not, operands_are_let_be_in_any_register, it_is_found_by_its_keyword)
