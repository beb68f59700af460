/* What drivers are given of a program's source, and what the program is told of it. */
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

/* The binary of shim_source with TAIL behind it, whose source is what was given. The caller's, to free. */
static unsigned char *binary_of(const char *tail, size_t *size)
{
    char text[8192], told[8192] = "";
    snprintf(text, sizeof text, "%s%s", shim_source, tail);
    cl_program p = shim_program(&s, text);
    OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof told, told, NULL));
    ck_assert_str_eq(told, text);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    unsigned char *binary = malloc(*size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    OK(clReleaseProgram(p));
    return binary;
}

START_TEST(what_pyopencl_ends_its_sources_in_makes_no_new_program)
{
    static const char *const same[] = {
        "\n\n__constant int pyopencl_defeat_cache_0123456789abcdef0123456789abcdef = 0;",
        "\n\n__constant int pyopencl_defeat_cache_fedcba9876543210fedcba9876543210 = 0;"};
    static const char *const different[] = {
        "\n\n__constant int pyopencl_defeat_cache_0123456789abcdef0123456789abcde = 0;",
        "\n\n__constant int pyopencl_defeat_cache_0123456789abcdef0123456789abcdeF = 0;",
        "\n\n__constant int pyopencl_defeat_cache_0123456789abcdef0123456789abcdef = 1;",
        "\n\n__constant int pyopencl_defeat_cache_0123456789abcdef0123456789abcdef = 0;\n"};
    shim_open(&s, 0);
    size_t plain_size, size;
    unsigned char *plain = binary_of("", &plain_size), *b;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        b = binary_of(same[i], &size);
        ck_assert(size == plain_size && !memcmp(b, plain, size));
        free(b);
    }
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        b = binary_of(different[i], &size);
        ck_assert(size != plain_size || memcmp(b, plain, size));
        free(b);
    }
    free(plain);
    shim_close(&s);
}
END_TEST

YK_TEST_MAIN("program", what_pyopencl_ends_its_sources_in_makes_no_new_program)
