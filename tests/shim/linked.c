/* A program that is linked from parts compiled by themselves, in several ways:
 *
 *     parts        two, with a header given to the compiler, options of their own, and a function of the one called by
 * the other library      the one is made a library first alone        one part by itself, without a header files they
 * include shared.h of the current folder own          both have a function of one name, and each means its own options
 * compiled with different options linked_so    linked with an option reloaded     a part is taken from its binary
 *     save|load FILE   as `parts`; the binary is given out, or taken in instead
 *
 * Prints what the kernels write. Knows nothing of yoke; linked.py says what must come out. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/kept.h"

enum { LAUNCHES = 4 };

static const char shared[] = "typedef struct { uint factor; uint step; } rule;\n"
                             "static constant uint odd[4] = {1, 3, 5, 7};\n"
                             "uint helper(uint x, rule r);\n"
                             "static uint twice(uint x) { return 2 * x; }\n"
                             "enum { SHIFT = 3 };\n";

/* The kernel; GROUPED is the group's number, which a share must be told. */
static const char of_kernel[] = "#include \"shared.h\"\n"
                                "kernel void apply(global uint *a, uint factor)\n"
                                "{\n"
                                "    rule r = {factor, STEP};\n"
                                "    size_t i = get_global_id(0);\n"
                                "    a[i] = helper(twice(a[i]), r) + odd[i & 3] + (uint)get_group_id(0);\n"
                                "}\n";

static const char of_helper[] =
    "#include \"shared.h\"\n"
    "uint helper(uint x, rule r) { return (x ^ (x >> SHIFT)) * r.factor + r.step + twice(STEP); }\n";

static const char alone[] = "kernel void apply(global uint *a, uint factor)\n"
                            "{ size_t i = get_global_id(0); a[i] = a[i] * factor + STEP + (uint)get_group_id(0); }\n";

static const char own_kernel[] = "static uint mine(uint x) { return x + 1; }\n"
                                 "uint other(uint x);\n"
                                 "kernel void apply(global uint *a, uint factor)\n"
                                 "{ size_t i = get_global_id(0); a[i] = mine(a[i]) * factor + other(a[i]); }\n";
static const char own_other[] = "static uint mine(uint x) { return x * 5; }\n"
                                "uint other(uint x) { return mine(x) + 2; }\n";

static cl_program source(cl_context c, const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    need(err, "program");
    return p;
}

static cl_program compile(cl_context c, cl_device_id d, const char *text, const char *options, cl_program header)
{
    const char *name = "shared.h";
    cl_program p = source(c, text);
    need(
        clCompileProgram(p, 1, &d, options, header != NULL, header ? &header : NULL, header ? &name : NULL, NULL, NULL),
        "compile");
    return p;
}

static cl_program join(cl_context c, cl_device_id d, const char *options, cl_program one, cl_program two)
{
    cl_int err;
    const cl_program both[] = {one, two};
    cl_program p = clLinkProgram(c, 1, &d, options, 1 + (two != NULL), both, NULL, NULL, &err);
    need(err, "link");
    return p;
}

static cl_program again(cl_context c, cl_device_id d, cl_program p)
{
    size_t n;
    unsigned char *bytes;
    cl_int err;
    need(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL), "size");
    bytes = malloc(n);
    need(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "binary");
    const unsigned char *same = bytes;
    cl_program q = clCreateProgramWithBinary(c, 1, &d, &n, &same, NULL, &err);
    need(err, "from binary");
    free(bytes);
    return q;
}

static cl_program made(cl_context c, cl_device_id d, const char *how)
{
    bool is_files = !strcmp(how, "files"), is_own = !strcmp(how, "own");
    if (!strcmp(how, "alone"))
        return join(c, d, "", compile(c, d, alone, "-DSTEP=3", NULL), NULL);
    cl_program header = is_files || is_own ? NULL : source(c, shared);
    cl_program one = compile(c, d, is_own ? own_kernel : of_kernel, is_files ? "-I . -DSTEP=3" : "-DSTEP=3", header);
    cl_program two = compile(c, d, is_own ? own_other : of_helper,
                             is_files                  ? "-I . -DSTEP=4"
                             : !strcmp(how, "options") ? "-DSTEP=4 -cl-opt-disable"
                                                       : "-DSTEP=4",
                             header);
    if (!strcmp(how, "library"))
        two = join(c, d, "-create-library", two, NULL);
    if (!strcmp(how, "reloaded"))
        two = again(c, d, two);
    return join(c, d, !strcmp(how, "linked_so") ? "-cl-mad-enable" : NULL, one, two);
}

int main(int argc, char **argv)
{
    cl_device_id d;
    cl_context c;
    cl_command_queue q;
    const cl_uint factor = 77;
    const char *how = argc > 1 ? argv[1] : "parts";
    begin(&d, &c, &q);
    cl_program p = !strcmp(how, "load") ? load(c, d, argv[2]) : made(c, d, how);
    if (!strcmp(how, "load"))
        need(clBuildProgram(p, 1, &d, NULL, NULL, NULL), "build");
    if (!strcmp(how, "save"))
        save(p, argv[2]);
    print_of_ones(c, q, p, "apply", LAUNCHES, &factor);
    return 0;
}
