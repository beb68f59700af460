/* cl_khr_command_buffer: entry points that programs get by name (they are no symbols of the library). command_buffer.c
 * has their table, the buffers' life and their enqueue; command_buffer_record.c records. Who uses it: platform.c,
 * extensions.c, and these two. */
#ifndef YK_SHIM_API_COMMAND_BUFFER_H
#define YK_SHIM_API_COMMAND_BUFFER_H

#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>

/** May the extension be promised? The primary's driver has it, in a version whose functions are the ones known here.
 * Thread: any.  Cost: the driver is asked once. */
bool yk_command_buffer_offered(void);

/** The function of that name, or NULL. */
void *yk_command_buffer_function(const char *name);

/* The primary driver's own functions; valid once offered. */
#define YK_COMMAND_BUFFER_FUNCTIONS(X)                                                                                 \
    X(CreateCommandBufferKHR)                                                                                          \
    X(FinalizeCommandBufferKHR)                                                                                        \
    X(RetainCommandBufferKHR)                                                                                          \
    X(ReleaseCommandBufferKHR)                                                                                         \
    X(EnqueueCommandBufferKHR)                                                                                         \
    X(CommandBarrierWithWaitListKHR)                                                                                   \
    X(CommandCopyBufferKHR)                                                                                            \
    X(CommandCopyBufferRectKHR)                                                                                        \
    X(CommandCopyBufferToImageKHR)                                                                                     \
    X(CommandCopyImageKHR)                                                                                             \
    X(CommandCopyImageToBufferKHR)                                                                                     \
    X(CommandFillBufferKHR)                                                                                            \
    X(CommandFillImageKHR)                                                                                             \
    X(CommandNDRangeKernelKHR)                                                                                         \
    X(GetCommandBufferInfoKHR)

struct yk_command_buffer_driver {
#define YK_X(name) cl##name##_fn name;
    YK_COMMAND_BUFFER_FUNCTIONS(YK_X)
#undef YK_X
};
extern struct yk_command_buffer_driver yk_command_buffer_driver;

/** May a function of the extension be called: yoke is on (not in a forked child), and the driver has it. */
bool yk_command_buffer_on(void);

/* A call of the driver's own function: what that calls is not the program's. */
#define YK_ASK_DRIVER(call)                                                                                            \
    (__extension__({                                                                                                   \
        yk_driver_depth++;                                                                                             \
        cl_int said_ = (call);                                                                                         \
        yk_driver_depth--;                                                                                             \
        said_;                                                                                                         \
    }))

/* command_buffer_record.c: functions of the types that the extension names. */
#define YK_FUNCTION(pointer) __typeof__(*(pointer)NULL)
YK_FUNCTION(clCommandBarrierWithWaitListKHR_fn) yk_record_barrier;
YK_FUNCTION(clCommandCopyBufferKHR_fn) yk_record_copy;
YK_FUNCTION(clCommandCopyBufferRectKHR_fn) yk_record_copy_rect;
YK_FUNCTION(clCommandCopyBufferToImageKHR_fn) yk_record_buffer_to_image;
YK_FUNCTION(clCommandCopyImageKHR_fn) yk_record_copy_image;
YK_FUNCTION(clCommandCopyImageToBufferKHR_fn) yk_record_image_to_buffer;
YK_FUNCTION(clCommandFillBufferKHR_fn) yk_record_fill;
YK_FUNCTION(clCommandFillImageKHR_fn) yk_record_fill_image;
YK_FUNCTION(clCommandNDRangeKernelKHR_fn) yk_record_launch;

#endif
