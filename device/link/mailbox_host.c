#include <stdlib.h>
#include "device/link/mailbox.h"

static bool fits(const struct yk_device *from, const struct yk_device *to)
{
    return from != to;
}

static cl_int make(const struct yk_mailbox_end end[2], size_t bytes, struct yk_mailbox *box)
{
    const size_t page = 4096;
    cl_int err = CL_SUCCESS;
    box->memory = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!box->memory)
        return CL_OUT_OF_HOST_MEMORY;
    for (int i = 0; i < 2 && err == CL_SUCCESS; i++)
        box->at[i] = end[i].device->cl->CreateBuffer(end[i].context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                                     box->memory, &err);
    return err;
}

static void drop(const struct yk_mailbox_end end[2], struct yk_mailbox *box)
{
    for (int i = 0; i < 2; i++)
        if (box->at[i])
            end[i].device->cl->ReleaseMemObject(box->at[i]);
    free(box->memory);
}

const struct yk_mailbox_maker yk_mailbox_host = {"host memory", fits, make, drop, NULL};
