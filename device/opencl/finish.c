#include "device/opencl/finish.h"
#include <string.h>

static const struct yk_cl *given, *real;
static struct yk_cl table;

/* By an event, not by a second clFinish: of two threads that finish one queue, one might hand on the other's marker. */
static cl_int finish(cl_command_queue queue)
{
    cl_event behind = NULL;
    const int outside = yk_driver_depth;
    yk_driver_depth = outside + 1;
    cl_int err = real->EnqueueMarkerWithWaitList(queue, 0, NULL, &behind);
    if (err == CL_SUCCESS)
        err = real->WaitForEvents(1, &behind);
    if (behind)
        real->ReleaseEvent(behind);
    cl_int finished = real->Finish(queue);
    yk_driver_depth = outside;
    return finished != CL_SUCCESS ? finished : err;
}

bool yk_cl_finish_forgets(const char *platform_name)
{
    return !strcmp(platform_name, "rusticl");
}

const struct yk_cl *yk_cl_finish(const struct yk_cl *below)
{
    if (given)
        return given == below ? &table : below;
    given = below;
    real = yk_cl_unguarded(below);
    table = *below;
    table.Finish = finish;
    return &table;
}
