/* What a loader would find at the beginning of a handle. Nobody jumps through it: the stub is its own loader. */
#include "tests/stub/stub.h"
#include <CL/cl_icd.h>
#include <string.h>

static cl_icd_dispatch table;
static bool icd;

void stub_configure_table(const char *text)
{
    icd = *text;
    if (strcmp(text, "gap") != 0)
        table.clSetCommandQueueProperty = stub_impl_SetCommandQueueProperty;
}

const void *stub_table(void)
{
    return &table;
}

bool stub_icd(void)
{
    return icd;
}

cl_int stub_impl_SetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties, cl_bool enable,
                                         cl_command_queue_properties *old)
{
    cl_int rc = CL_INVALID_COMMAND_QUEUE;
    if (!table.clSetCommandQueueProperty)
        stub_die("clSetCommandQueueProperty, which the driver's table lacks");
    stub_enter();
    if (stub_check(q, STUB_QUEUE)) {
        if (old)
            *old = q->properties;
        q->properties = enable ? q->properties | properties : q->properties & ~properties;
        rc = CL_SUCCESS;
    }
    stub_leave();
    return rc;
}
