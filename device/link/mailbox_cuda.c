#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "device/cuda/cuda.h"
#include "device/link/mailbox.h"
#include "device/machine.h"

/* A UUID names a GPU to both, whatever CUDA_VISIBLE_DEVICES and the platform's order make of its number. */
static bool find(const struct yk_cuda *cuda, const struct yk_device *d, yk_cu_device *found)
{
    unsigned char want[CL_UUID_SIZE_KHR], is[CL_UUID_SIZE_KHR];
    int n = 0;
    if (d->cl->GetDeviceInfo(d->id, CL_DEVICE_UUID_KHR, sizeof want, want, NULL) != CL_SUCCESS ||
        cuda->device_count(&n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        if (cuda->device_get(found, i) == 0 && cuda->device_uuid(is, *found) == 0 && !memcmp(is, want, sizeof is))
            return true;
    return false;
}

/* Does its OpenCL take file descriptors for memory? */
static bool imports(const struct yk_device *d)
{
    cl_uint type[16];
    size_t n = 0;
    if (!(d->type & CL_DEVICE_TYPE_GPU) || d->host_memory || !strstr(d->vendor, "NVIDIA") ||
        d->cl->GetDeviceInfo(d->id, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof type, type, &n) !=
            CL_SUCCESS)
        return false;
    for (size_t i = 0; i < n / sizeof *type; i++)
        if (type[i] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)
            return true;
    return false;
}

static bool has(const struct yk_cuda *cuda, int attribute, yk_cu_device d)
{
    int value = 0;
    return cuda->device_attribute(&value, attribute, d) == 0 && value;
}

static const char *why_not(const struct yk_device *from, const struct yk_device *to)
{
    const char *why = NULL;
    const struct yk_cuda *cuda;
    yk_cu_device a, b;
    int reaches = 0;
    if (from->platform != to->platform || !imports(from) || !imports(to))
        return "their OpenCL does not import memory";
    if (!(cuda = yk_cuda_get(&why)))
        return why;
    if (!find(cuda, from, &a) || !find(cuda, to, &b) || a == b)
        return "CUDA does not know them";
    if (cuda->device_peer(&reaches, b, a) != 0 || !reaches)
        return "the receiver does not reach the sender's memory";
    return has(cuda, YK_CU_VIRTUAL_MEMORY, a) && has(cuda, YK_CU_EXPORTS_DESCRIPTOR, a) ? NULL
                                                                                        : "CUDA exports no memory";
}

static bool fits(const struct yk_device *from, const struct yk_device *to)
{
    const char *why = why_not(from, to);
    if (why)
        yk_info("device %u sends nothing straight to device %u: %s", from->index, to->index, why);
    return !why;
}

/* The driver owns a descriptor that it has taken. */
static cl_int import(const struct yk_cuda *cuda, const struct yk_mailbox_end *end, uint64_t memory, size_t bytes,
                     cl_mem *out)
{
    int fd = -1;
    cl_int err = CL_SUCCESS;
    if (cuda->memory_export(&fd, memory, YK_CU_DESCRIPTOR, 0) != 0 || fd < 0)
        return CL_OUT_OF_RESOURCES;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    const cl_mem_properties as[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, 0};
    *out = end->device->cl->CreateBufferWithProperties(end->context, as, CL_MEM_READ_WRITE, bytes, NULL, &err);
    if (!*out) {
        close(fd);
        return err != CL_SUCCESS ? err : CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

static cl_int make(const struct yk_mailbox_end end[2], size_t bytes, struct yk_mailbox *box)
{
    const char *why;
    const struct yk_cuda *cuda = yk_cuda_get(&why);
    yk_cu_device on;
    uint64_t memory;
    size_t grain = 0;
    if (!cuda || !find(cuda, end[0].device, &on))
        return CL_OUT_OF_RESOURCES;
    const struct yk_cu_memory_kind kind = {
        .type = YK_CU_PINNED, .handle = YK_CU_DESCRIPTOR, .location = YK_CU_ON_DEVICE, .id = on};
    if (cuda->memory_grain(&grain, &kind, 0) != 0 || !grain)
        return CL_OUT_OF_RESOURCES;
    bytes = (bytes + grain - 1) / grain * grain;
    if (cuda->memory_create(&memory, bytes, &kind, 0) != 0)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cl_int err = import(cuda, &end[0], memory, bytes, &box->at[0]);
    if (err == CL_SUCCESS)
        err = import(cuda, &end[1], memory, bytes, &box->at[1]);
    (void)cuda->memory_release(memory); /* what has been imported lives on */
    return err;
}

static void drop(const struct yk_mailbox_end end[2], struct yk_mailbox *box)
{
    for (int i = 0; i < 2; i++)
        if (box->at[i])
            end[i].device->cl->ReleaseMemObject(box->at[i]);
}

typedef cl_int(CL_API_CALL *own_fn)(cl_command_queue queue, cl_uint n, const cl_mem *mem, cl_uint nwait,
                                    const cl_event *wait, cl_event *event);

static cl_int own(const struct yk_device *d, cl_command_queue queue, cl_mem mem, bool take, cl_event *event)
{
    static void *known[2]; /* NVIDIA has one platform; atomic */
    void *fn = __atomic_load_n(&known[take], __ATOMIC_RELAXED);
    if (!fn) {
        fn = d->cl->GetExtensionFunctionAddressForPlatform(d->platform, take ? "clEnqueueAcquireExternalMemObjectsKHR"
                                                                             : "clEnqueueReleaseExternalMemObjectsKHR");
        __atomic_store_n(&known[take], fn, __ATOMIC_RELAXED);
    }
    if (!fn)
        return CL_INVALID_OPERATION;
    yk_driver_depth++;
    cl_int err = ((own_fn)fn)(queue, 1, &mem, 0, NULL, event);
    yk_driver_depth--;
    return err;
}

const struct yk_mailbox_maker yk_mailbox_cuda = {"CUDA memory", fits, make, drop, own};
