#include "device/opencl/icd.h"
#include <CL/cl_icd.h>
#include <stdint.h>
#include <string.h>
#include "device/machine.h"

/* Drivers of the second ICD interface begin with this word; the loader then has a table of its own, without gaps. */
static const uint64_t second_interface = 0x4F50454E434C3331; /* "OPENCL31" */

bool yk_icd_sets_queue_property(const struct yk_cl *cl, cl_platform_id platform, cl_command_queue queue)
{
    char extensions[4096];
    yk_platform_string(cl, platform, CL_PLATFORM_EXTENSIONS, extensions, sizeof extensions);
    if (!strstr(extensions, "cl_khr_icd")) /* no loader in between, and a handle may be anything */
        return true;
    const cl_icd_dispatch *table;
    memcpy(&table, (const void *)queue, sizeof table);
    return (uintptr_t)table->clGetPlatformIDs == second_interface || table->clSetCommandQueueProperty;
}
