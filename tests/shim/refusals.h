/* What refusals.c (running; devices, contexts, queues, events), refusals_memory.c and refusals_code.c share: calls with
 * something wrong, each printed with its code, so that two runs of one program can be compared line by line. A plain
 * OpenCL program that knows nothing of yoke. */
#ifndef YK_TESTS_SHIM_REFUSALS_H
#define YK_TESTS_SHIM_REFUSALS_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, W = 8, H = 8 };

/* Two of everything that must not be mixed: x and other. */
struct side {
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer, image;
    cl_program program;
    cl_kernel kernel; /* (global int *a, int v), set */
    cl_sampler sampler;
    cl_event event, user; /* a completed one, and one that nobody has set */
};

struct world {
    cl_platform_id platform;
    cl_device_id device;
    struct side x, other;
    cl_mem sub, host_read_only, host_write_only, host_no_access, read_only;
    cl_program unbuilt, broken;
    cl_kernel bare; /* as x.kernel, nothing set */
    cl_kernel fixed, flat, locals, images;
    cl_event gate; /* if there is one, x.queue waits for it: what is wrong is to be said at once all the same */
};

/** A line: the call as it is written, and what it returned. */
#define CODE(call)                                                                                                     \
    do {                                                                                                               \
        cl_int code_ = (call);                                                                                         \
        printf("%s: %d\n", #call, code_);                                                                              \
        fflush(stdout);                                                                                                \
    } while (0)

/** The same of a call that makes something and tells of errors in `err`; what is made is given back by RELEASE. */
#define MADE(release, call)                                                                                            \
    do {                                                                                                               \
        cl_int err = 77;                                                                                               \
        void *made_ = (call);                                                                                          \
        printf("%s: %d %s\n", #call, err, made_ ? "made" : "nothing");                                                 \
        fflush(stdout);                                                                                                \
        if (made_)                                                                                                     \
            release(made_);                                                                                            \
    } while (0)

/** The same of a call that also writes whether it gave an event. */
#define ENQUEUED(call)                                                                                                 \
    do {                                                                                                               \
        cl_event event = NULL;                                                                                         \
        cl_int code_ = (call);                                                                                         \
        printf("%s: %d %s\n", #call, code_, event ? "event" : "none");                                                 \
        fflush(stdout);                                                                                                \
        if (event) {                                                                                                   \
            if (!w->gate)                                                                                              \
                clWaitForEvents(1, &event);                                                                            \
            clReleaseEvent(event);                                                                                     \
        }                                                                                                              \
    } while (0)

extern const size_t zero3[3], one3[3], image3[3];

void refuse_buffers(struct world *w);
void refuse_images(struct world *w);
void refuse_buffer_commands(struct world *w);
void refuse_image_commands(struct world *w);
void refuse_shared_memory(struct world *w);
void refuse_programs(struct world *w);
void refuse_kernels(struct world *w);
void refuse_arguments(struct world *w);
void refuse_launches(struct world *w);

#endif
