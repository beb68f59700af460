/* Inside the stub libOpenCL of the tests: a small, strict OpenCL in plain C. One lock for all state; kernels, copies
 * and callbacks run outside it. Handles are checked against the set of live objects at every call: one that is not live
 * aborts with a message, since a shim that keeps a dead handle is wrong even where a driver would forgive it. */
#ifndef YK_TESTS_STUB_STUB_H
#define YK_TESTS_STUB_STUB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>
#include <utlist.h>
#include "device/fault/script.h"
#include "device/opencl/cl.h"

enum stub_kind {
    STUB_PLATFORM,
    STUB_DEVICE,
    STUB_CONTEXT,
    STUB_QUEUE,
    STUB_MEM,
    STUB_PROGRAM,
    STUB_KERNEL,
    STUB_EVENT,
    STUB_KINDS
};
enum { STUB_DEVICES = 32, STUB_ARGS = 32, STUB_ALIGN = 128 };

/* The table that every handle begins with, where an ICD loader expects it; see icd.c. */
void stub_configure_table(const char *icd);
const void *stub_table(void);
bool stub_icd(void);

/* First member of every object; first of all the slot where an ICD loader expects its dispatch table. */
struct stub_object {
    const void *dispatch;
    enum stub_kind kind;
    unsigned device; /* number of the device it belongs to: the first of its context's */
    unsigned refs;   /* the program's; at 0 the handle is dead */
    unsigned uses;   /* other objects' */
    const void *self;
    UT_hash_handle hh;        /* of all live objects, by self */
    struct stub_object *next; /* among those to be freed */
};

struct _cl_platform_id {
    struct stub_object o;
    unsigned number, first, n;
    bool pocl, nvidia; /* by its name */
};

struct _cl_device_id {
    struct stub_object o;
    cl_platform_id platform;
    cl_device_type type;
    uint64_t memory, used; /* bytes */
    bool host;             /* its memory is the host's */
    bool odd;              /* another driver version */
    bool late;             /* an event that is over is said to be under way when it is first asked about */
};

struct _cl_context {
    struct stub_object o;
    unsigned n;
    cl_device_id device[STUB_DEVICES];
    size_t n_properties;
    cl_context_properties properties[8];
    struct stub_destructor *destructors;
};

struct stub_command {
    struct stub_command *prev, *next;
    cl_event event;
    cl_int (*run)(struct stub_command *c); /* outside the lock; NULL: nothing to do */
    bool flushed, after_all, barrier, transfer;
    uint64_t number; /* in its queue */
    cl_int code;     /* scripted end; with skip: without running */
    bool skip;
    uint64_t bytes;
    unsigned n_wait, n_mem;
    cl_event *wait;
    cl_mem mem[STUB_ARGS];
    cl_kernel kernel;
    max_align_t payload[];
};

struct _cl_command_queue {
    struct stub_object o;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    size_t n_array; /* as given to clCreateCommandQueueWithProperties */
    cl_queue_properties array[8];
    struct stub_command *commands;
    bool running, closed;
    pthread_cond_t flushed; /* or closed */
    uint64_t enqueued;      /* commands so far */
    void *ended;    /* what its thread leaves when it ends; here until then: a forked child has no such thread */
    cl_int failure; /* scripted, of a command whose event the program has not: the next call that waits says so */
};

struct stub_destructor { /* of contexts and memory objects; last in, first called */
    void (*fn)(void *object, void *user);
    void *user;
    struct stub_destructor *next;
};

struct stub_map {
    void *ptr;
    size_t offset, size;
    cl_map_flags flags;
    bool staged; /* ptr is memory of its own */
    struct stub_map *next;
};

struct _cl_mem {
    struct stub_object o;
    cl_context context;
    cl_mem parent;
    cl_mem_flags flags;
    size_t size, origin;
    char *data;
    void *host_ptr;
    bool owns, host;
    bool given, used; /* made with the program's bytes, in memory of the device's own; by a command */
    unsigned maps;
    struct stub_map *map;
    struct stub_destructor *destructors;
};

struct _cl_program {
    struct stub_object o;
    cl_context context;
    char *source, *options, *log;
    cl_build_status status;
    cl_program_binary_type binary;
    bool from_binary;
    unsigned kernels; /* attached */
};

enum stub_arg_kind { STUB_ARG_VALUE, STUB_ARG_GLOBAL, STUB_ARG_CONSTANT, STUB_ARG_LOCAL };

struct stub_param {
    enum stub_arg_kind kind;
    size_t size; /* of a value; 0: unknown type, any */
    char type[48], name[48];
};

/* A kernel's signature as its source has it. */
struct stub_signature {
    char name[64];
    unsigned n;
    struct stub_param param[STUB_ARGS];
};

/* What a C kernel sees: one work-item (or work-group). Ids as OpenCL defines them for this launch. */
struct stub_item {
    cl_uint dims;
    unsigned args; /* of the kernel: more than the C function's own where a variant has hidden ones */
    size_t global[3], local[3], group[3]; /* ids; global includes the offset */
    size_t global_size[3], local_size[3], groups[3], offset[3];
};

struct stub_function {
    const char *name;
    bool per_group;
    unsigned args;
    void (*fn)(const struct stub_item *i, void *const *arg);
};

struct stub_value {
    bool set;
    size_t size;
    cl_mem mem;
    unsigned char bytes[64];
};

struct _cl_kernel {
    struct stub_object o;
    cl_program program;
    struct stub_signature signature;
    const struct stub_function *function;
    struct stub_value value[STUB_ARGS];
};

struct stub_callback {
    cl_event event; /* in use while pending */
    cl_int type, status;
    void (*fn)(cl_event, cl_int, void *);
    void *user;
    struct stub_callback *prev, *next;
};

struct _cl_event {
    struct stub_object o;
    cl_context context;
    cl_command_queue queue; /* NULL: user event */
    cl_command_type type;
    cl_int status;
    bool profiling, asked; /* asked: about its status since it was over */
    uint64_t time[4];      /* queued, submit, start, end */
    struct stub_callback *callbacks;
};

/* object.c. Between enter and leave the caller holds the lock; leave also calls what became due meanwhile. */
void stub_enter(void);
void stub_leave(void);
void stub_wait(void); /* for any change of state; locked */
/* For a flush or the end of Q, by its thread: were it woken by all that happens, the time would go into that. */
void stub_wait_for_work(cl_command_queue q);
void stub_changed(void);
void *stub_make(enum stub_kind kind, size_t size, unsigned device); /* refs 1; NULL: no memory; locked */
void stub_use(void *object);                                        /* locked */
void stub_unuse(void *object);                                      /* locked */
void stub_unref(void *object);                                      /* one of the program's; locked */
void stub_callback_due(struct stub_callback *c);                    /* locked */
cl_int stub_retain(void *object, enum stub_kind kind, cl_int invalid);
cl_int stub_release(void *object, enum stub_kind kind, cl_int invalid);
/** Aborts unless OBJECT is a live KIND. False: NULL. Locked. */
bool stub_check(const void *object, enum stub_kind kind);
/** Number of the device of a live object, else STUB_DEVICES. Not locked. */
unsigned stub_device_of(const void *object);
/** Live objects that a program holds references to. Exported, for tests. */
__attribute__((visibility("default"))) long stub_live(void);
/** Sub-buffers of DEVICE that were released while a newer one that overlaps them was there. Exported, for tests. */
__attribute__((visibility("default"))) long stub_sub_disorder(unsigned device);
/** Commands on sub-buffers of DEVICE whose buffer was made with the program's bytes and had not been used itself.
 * Exported, for tests. */
__attribute__((visibility("default"))) long stub_sub_early(unsigned device);
cl_int stub_answer(const void *value, size_t size, size_t room, void *to, size_t *size_ret);
void stub_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The entry point that this thread is in. Initial-exec: LeakSanitizer stumbles over the other kind in live threads. */
extern __thread const char *stub_entry __attribute__((tls_model("initial-exec")));

/* config.c */
extern struct _cl_platform_id stub_platform[STUB_DEVICES];
extern struct _cl_device_id stub_device[STUB_DEVICES];
extern unsigned stub_platforms, stub_devices;
extern struct yk_fault_script stub_script;
extern struct yk_fault_state stub_state[STUB_DEVICES + 1]; /* the last: calls of no device */
void stub_configure(void);
/** Scripted failures so far. Exported, for tests. */
__attribute__((visibility("default"))) unsigned stub_fired(void);

/* Scripted end of the command that this thread enqueues next; export.c sets it, worker.c takes it. */
extern __thread struct yk_fault_verdict stub_verdict __attribute__((tls_model("initial-exec")));

/* worker.c */
struct stub_command *stub_command(cl_int (*run)(struct stub_command *), const void *payload, size_t size);
void stub_command_drop(struct stub_command *c); /* one not submitted; locked */
/** Take C into QUEUE and give out its event; blocking: wait for its end. Locked; the caller calls stub_leave. */
cl_int stub_submit(cl_command_queue queue, struct stub_command *c, cl_command_type type, bool blocking, cl_uint n,
                   const cl_event *wait, cl_event *event);
cl_int stub_check_enqueue(cl_command_queue queue, cl_uint n, const cl_event *wait); /* locked */
void stub_flush(cl_command_queue queue);                                            /* locked */
void stub_close(cl_command_queue queue); /* locked; the last reference is gone */
/* Join the threads whose queues are gone; WAIT: also those that are about to be. Not locked. */
void stub_join_ended(bool wait);
void stub_event_step(cl_event event, cl_int status); /* locked */
void stub_event_end(cl_event event, cl_int status);  /* locked */

/* mem.c, kernel.c, program.c, functions.c */
void stub_mem_use(struct stub_command *c, cl_mem m); /* until C is done; locked */
void stub_mem_used(cl_mem m);                        /* by a command; locked */
void stub_destroy(struct stub_object *o);            /* what an object owns, then itself; not locked */
bool stub_signature(const char *source, const char *name, struct stub_signature *s);
unsigned stub_kernel_names(const char *source, char names[][64], unsigned max);
const struct stub_function *stub_function(const char *name);

/* The implementations: stub_impl_Finish and so on. missing.c has a weak one of each that refuses. */
#define YK_CL(ret, name, version, params, args) ret stub_impl_##name params;
#include "device/opencl/api.def"

#endif
