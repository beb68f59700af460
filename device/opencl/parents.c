#include "device/opencl/parents.h"
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static const struct yk_cl *given, *real;
static struct yk_cl table;
static pthread_rwlock_t lock;

static inline bool changes_parents(const char *name)
{
    return !strcmp(name, "CreateSubBuffer") || !strcmp(name, "ReleaseMemObject");
}

/* What may write to a buffer. Reads and maps bear it (a million and 30,000 of them beside 20 million sub-buffers). */
static inline bool reads_parents(const char *name)
{
    static const char *const is[] = {"NDRangeKernel",     "Task",          "WriteBuffer",    "WriteBufferRect",
                                     "FillBuffer",        "CopyBuffer",    "CopyBufferRect", "CopyImageToBuffer",
                                     "MigrateMemObjects", "UnmapMemObject"};
    bool does = false;
    for (unsigned i = 0; i < sizeof is / sizeof *is; i++)
        does |= !strncmp(name, "Enqueue", 7) && !strcmp(name + 7, is[i]);
    return does;
}

struct inside {
    bool locked;
    int depth; /* yk_driver_depth outside: what a guarded table does is done here, in one thunk */
};

/* MAY_LAST: for as long as another thread pleases. */
static inline struct inside enter(const char *name, bool may_last)
{
    struct inside in = {.locked = true, .depth = yk_driver_depth};
    if (changes_parents(name))
        pthread_rwlock_wrlock(&lock);
    else if (!may_last)
        pthread_rwlock_rdlock(&lock);
    else
        in.locked = false;
    yk_driver_depth = in.depth + 1;
    return in;
}

/* By cleanup, so that entries returning void need no form of their own. */
static inline void leave(const struct inside *in)
{
    yk_driver_depth = in->depth;
    if (in->locked)
        pthread_rwlock_unlock(&lock);
}

/* For entries that have no parameter of these names. */
static const cl_bool blocking_write = CL_FALSE;
static const cl_uint num_events_in_wait_list = 0;

#define YK_CL(ret, name, version, params, args)                                                                        \
    static ret parents_##name params                                                                                   \
    {                                                                                                                  \
        const struct inside in __attribute__((cleanup(leave), unused)) =                                               \
            enter(#name, blocking_write && num_events_in_wait_list);                                                   \
        return real->name args;                                                                                        \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#include "device/opencl/api.def"
#pragma GCC diagnostic pop

static void fill(void)
{
#define YK_CL(ret, name, version, params, args)                                                                        \
    if (changes_parents(#name) || reads_parents(#name))                                                                \
        table.name = parents_##name;
#include "device/opencl/api.def"
}

const struct yk_cl *yk_cl_parents(const struct yk_cl *below)
{
    if (given)
        return given == below ? &table : below;
    pthread_rwlockattr_t waits;
    pthread_rwlockattr_init(&waits);
    pthread_rwlockattr_setkind_np(&waits, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &waits);
    pthread_rwlockattr_destroy(&waits);
    given = below;
    real = yk_cl_unguarded(below);
    table = *below;
    fill();
    return &table;
}
