/* Few work-items that take long, as programs have that count a CPU's cores: six work-groups of one work-item, which go
 * through a range that the kernel knows by step of the whole size. Prints a sum of what they have written. */
#include <inttypes.h>
#include "tests/shim/plain.h"

enum { ITEMS = 6, NUMBERS = 600, LAUNCHES = 8 };

static const char source[] = "__kernel void few(__global uint *out)\n"
                             "{\n"
                             "    for (uint i = get_global_id(0); i < 600; i += get_global_size(0)) {\n"
                             "        uint x = out[i] + i;\n"
                             "        for (uint k = 0; k < 30000; k++)\n"
                             "            x = x * 1664525u + 1013904223u ^ x >> 7;\n"
                             "        out[i] = x;\n"
                             "    }\n"
                             "}\n";

int main(void)
{
    static uint32_t number[NUMBERS];
    const size_t items = ITEMS, one = 1;
    struct plain p = plain_open(0, source);
    cl_kernel k = plain_kernel(&p, "few");
    cl_mem out = plain_filled(&p, sizeof number, number);
    check(clSetKernelArg(k, 0, sizeof out, &out), "clSetKernelArg");
    for (int i = 0; i < LAUNCHES; i++) {
        check(clEnqueueNDRangeKernel(p.queue, k, 1, NULL, &items, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        check(clFinish(p.queue), "clFinish");
    }
    check(clEnqueueReadBuffer(p.queue, out, CL_TRUE, 0, sizeof number, number, 0, NULL, NULL), "clEnqueueReadBuffer");
    uint64_t sum = 0;
    for (unsigned i = 0; i < NUMBERS; i++)
        sum = sum * 31 + number[i];
    printf("%016" PRIx64 "\n", sum);
    return 0;
}
