#include "device/asleep.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/asleep_record.h"
#include "device/machine.h"

struct sleeper {
    char handle;       /* its address is the device's */
    cl_device_id real; /* once awake */
};

enum state { ASLEEP, AWAKE, LOST };
enum { MOST_LOOKED = 16 };

static struct {
    pthread_mutex_t lock; /* of waking */
    const struct yk_cl *below;
    struct yk_cl table;
    cl_platform_id platform;
    struct yk_hash key;
    unsigned n;
    struct sleeper device[YK_MAX_DEVICES];
    struct yk_asleep_kept kept[YK_MAX_DEVICES];
    enum state state; /* atomic */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Is ID what D was? */
static bool is_as_kept(const struct yk_asleep_kept *d, cl_device_id id)
{
    bool same = true;
    for (unsigned k = 0; same && k < YK_ASLEEP_ASKED; k++) {
        struct yk_asleep_answer now;
        const struct yk_asleep_answer *then = &d->answer[k];
        same = yk_asleep_ask(all.below, id, yk_asleep_asked[k].what, &now) &&
               (yk_asleep_asked[k].varies || (now.err == then->err && now.size == then->size &&
                                              (now.err != CL_SUCCESS || !memcmp(now.bytes, then->bytes, now.size))));
        free(now.bytes);
    }
    struct yk_device device;
    size_t align;
    return same && yk_device_query(all.below, all.platform, id, &device) &&
           yk_device_host_memory(all.below, &device, &align) == d->host.in_host && align == d->host.align;
}

static bool woken(void)
{
    cl_device_id id[YK_MAX_DEVICES];
    cl_uint n = 0;
    bool same =
        all.below->GetDeviceIDs(all.platform, CL_DEVICE_TYPE_ALL, YK_MAX_DEVICES, id, &n) == CL_SUCCESS && n == all.n;
    for (unsigned i = 0; same && i < n; i++)
        if ((same = is_as_kept(&all.kept[i], id[i])))
            all.device[i].real = id[i];
    return same;
}

static bool wake(void)
{
    enum state state = __atomic_load_n(&all.state, __ATOMIC_ACQUIRE);
    if (state != ASLEEP)
        return state == AWAKE;
    pthread_mutex_lock(&all.lock);
    if ((state = all.state) == ASLEEP) {
        state = woken() ? AWAKE : LOST;
        if (state == LOST) {
            yk_info("the devices of a platform are not what they were in an earlier process; this one does without");
            yk_asleep_reject(all.key);
        }
        __atomic_store_n(&all.state, state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&all.lock);
    return state == AWAKE;
}

/* NULL: none of them. */
static struct sleeper *sleeper_of(cl_device_id id)
{
    for (unsigned i = 0; i < all.n; i++)
        if ((void *)id == (void *)&all.device[i].handle)
            return &all.device[i];
    return NULL;
}

/* The driver's handle; NULL: it cannot be had. */
static cl_device_id real_of(cl_device_id id)
{
    const struct sleeper *d = sleeper_of(id);
    return !d ? id : wake() ? d->real : NULL;
}

/* The same of a list: into OUT. NULL: one cannot be had, or the list is too long. */
static const cl_device_id *real_list(cl_uint n, const cl_device_id *id, cl_device_id *out)
{
    if (n > YK_MAX_DEVICES)
        return NULL;
    for (cl_uint i = 0; i < n; i++)
        if (!(out[i] = real_of(id[i])))
            return NULL;
    return out;
}

static cl_int asleep_GetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
    struct sleeper *d = sleeper_of(device);
    for (unsigned k = 0; d && k < YK_ASLEEP_ASKED; k++)
        if (yk_asleep_asked[k].what == what) { /* awake or not: what the machine was taken to be */
            const struct yk_asleep_answer *a = &all.kept[d - all.device].answer[k];
            if (a->err != CL_SUCCESS)
                return a->err;
            if (value && size < a->size)
                return CL_INVALID_VALUE;
            if (value)
                memcpy(value, a->bytes, a->size);
            if (size_ret)
                *size_ret = a->size;
            return CL_SUCCESS;
        }
    cl_device_id real = real_of(device);
    return real ? all.below->GetDeviceInfo(real, what, size, value, size_ret) : CL_DEVICE_NOT_AVAILABLE;
}

static void *unavailable(cl_int *err)
{
    if (err)
        *err = CL_DEVICE_NOT_AVAILABLE;
    return NULL;
}

static cl_int asleep_RetainDevice(cl_device_id device)
{
    return sleeper_of(device) ? CL_SUCCESS : all.below->RetainDevice(device);
}

static cl_int asleep_ReleaseDevice(cl_device_id device)
{
    return sleeper_of(device) ? CL_SUCCESS : all.below->ReleaseDevice(device);
}

static cl_context asleep_CreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                                       void (*notify)(const char *, const void *, size_t, void *), void *data,
                                       cl_int *err)
{
    cl_device_id real[YK_MAX_DEVICES];
    const cl_device_id *list = real_list(n, devices, real);
    return list ? all.below->CreateContext(properties, n, list, notify, data, err) : unavailable(err);
}

static cl_command_queue asleep_CreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *err)
{
    cl_device_id real = real_of(device);
    return real ? all.below->CreateCommandQueue(context, real, properties, err) : unavailable(err);
}

static cl_command_queue asleep_CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *properties, cl_int *err)
{
    cl_device_id real = real_of(device);
    return real ? all.below->CreateCommandQueueWithProperties(context, real, properties, err) : unavailable(err);
}

static cl_program asleep_CreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                                 cl_int *err)
{
    cl_device_id real[YK_MAX_DEVICES];
    const cl_device_id *list = real_list(n, devices, real);
    return list ? all.below->CreateProgramWithBinary(context, n, list, lengths, binaries, status, err)
                : unavailable(err);
}

static cl_int asleep_BuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                                  void (*notify)(cl_program, void *), void *data)
{
    cl_device_id real[YK_MAX_DEVICES];
    const cl_device_id *list = real_list(devices ? n : 0, devices, real);
    return list ? all.below->BuildProgram(program, n, devices ? list : NULL, options, notify, data)
                : CL_DEVICE_NOT_AVAILABLE;
}

static cl_int asleep_CompileProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                                    cl_uint headers, const cl_program *header, const char **names,
                                    void (*notify)(cl_program, void *), void *data)
{
    cl_device_id real[YK_MAX_DEVICES];
    const cl_device_id *list = real_list(devices ? n : 0, devices, real);
    return list ? all.below->CompileProgram(program, n, devices ? list : NULL, options, headers, header, names, notify,
                                            data)
                : CL_DEVICE_NOT_AVAILABLE;
}

static cl_program asleep_LinkProgram(cl_context context, cl_uint n, const cl_device_id *devices, const char *options,
                                     cl_uint programs, const cl_program *program, void (*notify)(cl_program, void *),
                                     void *data, cl_int *err)
{
    cl_device_id real[YK_MAX_DEVICES];
    const cl_device_id *list = real_list(devices ? n : 0, devices, real);
    return list ? all.below->LinkProgram(context, n, devices ? list : NULL, options, programs, program, notify, data,
                                         err)
                : unavailable(err);
}

static cl_int asleep_GetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                                         size_t size, void *value, size_t *size_ret)
{
    return all.below->GetProgramBuildInfo(program, real_of(device), what, size, value, size_ret);
}

static cl_int asleep_GetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                            size_t size, void *value, size_t *size_ret)
{
    return all.below->GetKernelWorkGroupInfo(kernel, real_of(device), what, size, value, size_ret);
}

static cl_int asleep_GetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what,
                                           size_t in_size, const void *in, size_t size, void *value, size_t *size_ret)
{
    return all.below->GetKernelSubGroupInfo(kernel, real_of(device), what, in_size, in, size, value, size_ret);
}

static cl_int asleep_CreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint n,
                                      cl_device_id *out, cl_uint *n_ret)
{
    cl_device_id real = real_of(device);
    return real ? all.below->CreateSubDevices(real, properties, n, out, n_ret) : CL_DEVICE_NOT_AVAILABLE;
}

static cl_int asleep_GetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
    return all.below->GetDeviceAndHostTimer(real_of(device), device_time, host_time);
}

static cl_int asleep_GetHostTimer(cl_device_id device, cl_ulong *time)
{
    return all.below->GetHostTimer(real_of(device), time);
}

/* Every entry of the loader that takes a device and that yoke calls: the others keep BELOW's, and are never called with
 * one of these. */
static void fill(struct yk_cl *t)
{
#define E(name) t->name = asleep_##name
    E(GetDeviceInfo);
    E(RetainDevice);
    E(ReleaseDevice);
    E(CreateContext);
    E(CreateCommandQueue);
    E(CreateCommandQueueWithProperties);
    E(CreateProgramWithBinary);
    E(BuildProgram);
    E(CompileProgram);
    E(LinkProgram);
    E(GetProgramBuildInfo);
    E(GetKernelWorkGroupInfo);
    E(GetKernelSubGroupInfo);
    E(CreateSubDevices);
    E(GetDeviceAndHostTimer);
    E(GetHostTimer);
#undef E
}

/* The keys of the platforms that were looked for, as they were then: a driver that makes its devices ready may change
 * the environment (PoCL does, for hwloc). */
static struct {
    cl_platform_id platform;
    struct yk_hash key;
} looked[MOST_LOOKED];

static unsigned nlooked;

/* NULL: it was not looked for. */
static const struct yk_hash *key_of(cl_platform_id platform)
{
    for (unsigned i = 0; i < nlooked; i++)
        if (looked[i].platform == platform)
            return &looked[i].key;
    return NULL;
}

static const char pocl[] = "Portable Computing Language";

bool yk_asleep_unknown(const struct yk_cl *below, cl_platform_id platform)
{
    static const char *const of_cpus[] = {pocl, "Intel(R) OpenCL"};
    const struct yk_hash *key = key_of(platform);
    char name[YK_NAME_MAX];
    bool cpus = false;
    yk_platform_string(below, platform, CL_PLATFORM_NAME, name, sizeof name);
    for (unsigned i = 0; i < sizeof of_cpus / sizeof *of_cpus; i++)
        cpus |= !strcmp(name, of_cpus[i]);
    return key && cpus && !yk_asleep_was_without(*key);
}

bool yk_asleep_do_without(cl_platform_id platform)
{
    const struct yk_hash *key = key_of(platform);
    return key && yk_asleep_put_without(*key);
}

void yk_asleep_keep(const struct yk_cl *below, const struct yk_machine *m)
{
    cl_device_id id[YK_MAX_DEVICES];
    struct yk_asleep_host host[YK_MAX_DEVICES];
    for (unsigned first = 0, end; first < m->n; first = end) {
        bool good = true;
        for (end = first; end < m->n && m->device[end].platform == m->device[first].platform; end++) {
            const struct yk_device *d = &m->device[end];
            good &= (d->usable || d->unnamed) && d->type & CL_DEVICE_TYPE_CPU && !(d->type & CL_DEVICE_TYPE_GPU);
            id[end - first] = d->id;
            host[end - first] = (struct yk_asleep_host){d->in_host, d->usable, d->host_align};
        }
        const struct yk_hash *key = good ? key_of(m->device[first].platform) : NULL;
        if (key)
            yk_asleep_put(*key, below, id, host, end - first);
        if (good)
            return;
    }
}

/* Without yoke the driver would be asked now, in the program's thread, and PoCL sets a variable then. Woken later, by a
 * thread of yoke's, it would add one while the program may be reading others, whose place that moves; one that is there
 * is only replaced. */
static void set_before_the_driver(const struct yk_cl *below, cl_platform_id platform)
{
    char name[YK_NAME_MAX];
    yk_platform_string(below, platform, CL_PLATFORM_NAME, name, sizeof name);
    if (!strcmp(name, pocl))
        setenv(YK_POCL_SETS, YK_POCL_SETS_TO, 0);
}

const struct yk_cl *yk_asleep(const struct yk_cl *below, cl_platform_id platform, cl_device_id *id,
                              struct yk_asleep_host *host, unsigned *n)
{
    if (all.n)
        return NULL;
    all.key = yk_asleep_key(below, platform);
    if (nlooked < MOST_LOOKED) {
        looked[nlooked].platform = platform;
        looked[nlooked++].key = all.key;
    }
    all.n = *n = yk_asleep_get(all.key, all.kept);
    if (!all.n)
        return NULL;
    set_before_the_driver(below, platform);
    all.below = below;
    all.platform = platform;
    all.table = *below;
    fill(&all.table);
    for (unsigned i = 0; i < all.n; i++) {
        id[i] = (cl_device_id)(void *)&all.device[i].handle;
        host[i] = all.kept[i].host;
    }
    return &all.table;
}
