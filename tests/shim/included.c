/* A program whose source includes factor.h of the current folder, and what becomes of that file:
 *
 *     plain            nothing
 *     rewrite          it is written anew as soon as the program is built
 *     elsewhere        the current folder is another when the program is launched, with another factor.h
 *     save|load FILE   the binary is given out, or taken in instead of the source
 *
 * Prints what the kernels write. Knows nothing of yoke; included.py says what must come out. */
#include <string.h>
#include <unistd.h>
#include "tests/shim/kept.h"

enum { LAUNCHES = 8 };

/* The second is launched over a part of its range with other group numbers: it needs more than its own text. */
static const char source[] =
    "#include \"factor.h\"\n"
    "kernel void plain(global uint *a) { size_t i = get_global_id(0); a[i] = a[i] * FACTOR + 1; }\n"
    "kernel void grouped(global uint *a) { a[get_global_id(0)] += FACTOR * (uint)get_group_id(0); }\n";

static void rewrite(void)
{
    FILE *f = fopen("factor.h", "w");
    if (!f || fputs("#define FACTOR 5\n", f) < 0 || fclose(f))
        exit(2);
}

int main(int argc, char **argv)
{
    cl_device_id d;
    const char *text = source, *how = argc > 1 ? argv[1] : "";
    cl_context c;
    cl_command_queue q;
    begin(&d, &c, &q);
    cl_program p = !strcmp(how, "load") ? load(c, d, argv[2]) : clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    need(clBuildProgram(p, 1, &d, "-I.", NULL, NULL), "build");
    if (!strcmp(how, "save"))
        save(p, argv[2]);
    if (!strcmp(how, "rewrite"))
        rewrite();
    if (!strcmp(how, "elsewhere") && chdir("elsewhere"))
        return 2;
    print_of_ones(c, q, p, "plain", LAUNCHES, NULL);
    print_of_ones(c, q, p, "grouped", LAUNCHES, NULL);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return 0;
}
