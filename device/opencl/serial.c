#include "device/opencl/serial.h"
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/single_threaded.h>

static struct {
    const struct yk_cl *below;
    struct yk_cl table;
    pthread_mutex_t lock;
    enum yk_serial_kind kind;
} slot[YK_SERIAL_MAX];

struct inside {
    pthread_mutex_t *lock; /* NULL: there is no other thread; one that comes meanwhile was made by this call */
    int depth;             /* yk_driver_depth outside: what a guarded table does is done here, in one thunk */
};

static inline struct inside enter(unsigned i)
{
    struct inside in = {__libc_single_threaded ? NULL : &slot[i].lock, yk_driver_depth};
    if (in.lock)
        pthread_mutex_lock(in.lock);
    yk_driver_depth = in.depth + 1;
    return in;
}

/* By cleanup, so that entries returning void need no form of their own. */
static inline void leave(const struct inside *in)
{
    yk_driver_depth = in->depth;
    if (in->lock)
        pthread_mutex_unlock(in->lock);
}

/* Entry points inside which the driver may run kernels or settle events. */
static inline bool runs_commands(const char *name)
{
    return !strncmp(name, "Enqueue", 7) || !strcmp(name, "Flush") || !strcmp(name, "Finish") ||
           !strcmp(name, "WaitForEvents") || !strcmp(name, "ReleaseKernel") || !strcmp(name, "ReleaseProgram");
}

/* What may wait for another thread's call, or answers it: a user's event is set while another waits for it, and a
 * queue's or event's state is asked for meanwhile. */
static inline bool only_asks(const char *name)
{
    return !strncmp(name, "Get", 3) || !strcmp(name, "SetUserEventStatus");
}

static inline bool is_serial(unsigned i, const char *name)
{
    return slot[i].kind == YK_SERIAL_ALL ? !only_asks(name) : runs_commands(name);
}

#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define THUNK_(s, n) serial##s##_##n
#define THUNK(s, n)  THUNK_(s, n)
#define SLOT         0
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 1
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 2
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 3
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 4
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 5
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 6
#include "device/opencl/serial_slot.h"
#undef SLOT
#define SLOT 7
#include "device/opencl/serial_slot.h"
#undef SLOT

enum yk_serial_kind yk_cl_serial_wanted(const char *platform_name, const char *device_name)
{
    if (!strcmp(platform_name, "Oclgrind"))
        return YK_SERIAL_ALL;
    if (!strcmp(platform_name, "NVIDIA CUDA"))
        return YK_SERIAL_PARENTS;
    return !strcmp(platform_name, "Portable Computing Language") && !strncmp(device_name, "basic", 5)
               ? YK_SERIAL_COMMANDS
               : YK_SERIAL_NONE;
}

const struct yk_cl *yk_cl_serial(unsigned i, enum yk_serial_kind kind, const struct yk_cl *below)
{
    static void (*const fill[YK_SERIAL_MAX])(void) = {fill_0, fill_1, fill_2, fill_3, fill_4, fill_5, fill_6, fill_7};
    if (i >= YK_SERIAL_MAX)
        return below;
    slot[i].below = yk_cl_unguarded(below);
    slot[i].table = *below;
    slot[i].kind = kind;
    pthread_mutexattr_t again; /* a native kernel that the driver runs inside of a call may call it */
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&slot[i].lock, &again);
    pthread_mutexattr_destroy(&again);
    fill[i]();
    return &slot[i].table;
}
