/* What queries.c (asking; platform, device, context), queries_memory.c and queries_code.c share. */
#ifndef YK_TESTS_SHIM_QUERIES_H
#define YK_TESTS_SHIM_QUERIES_H

#include <CL/cl.h>
#include <stdarg.h>
#include <stdbool.h>

/* clGet*Info of one kind of object. */
typedef cl_int (*getter)(void *object, cl_uint what, size_t size, void *value, size_t *size_ret);

/* Numbers to ask for, both ends included; CHANGING: of the answer only the size is compared. The last one is {0}. */
struct range {
    cl_uint from, to;
    bool changing;
};

/** From now on HANDLE (of an object or of memory) is printed as TEXT wherever it stands in an answer. */
void name_handle(const void *handle, const char *text);

/** Ask OBJECT everything in RANGES; a line for each. */
void ask_all(const char *object_name, getter get, void *object, const struct range *ranges);

/** A line. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Make objects of each kind in CONTEXT and ask them everything: queues, memory, samplers, events; programs, kernels.
 */
void ask_of_memory(cl_context context, cl_device_id device);
void ask_of_code(cl_context context, cl_device_id device);

#endif
