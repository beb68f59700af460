/**
 * What the programs of this folder share: options, picking a device, building a program, the clock, inputs that are the
 * same everywhere, the line printed at the end. Called by each program's main; never hides the OpenCL calls that the
 * program is an example of. Any failure prints one line and ends the process (status 1; bad usage: 2).
 * Thread: main thread only.
 */
#ifndef BENCH_APPS_APP_H
#define BENCH_APPS_APP_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APP_SIZES 3

struct app_size {
    const char *name;
    size_t n;
};

/** What a program is: constant, one per program. */
struct app_spec {
    const char *name;
    const char *what;                 /* one line for --help */
    const char *unit;                 /* what --size counts */
    struct app_size sizes[APP_SIZES]; /* small, table2, table2x16 */
    size_t min, max, multiple;        /* limits of --size N */
    unsigned repeat;                  /* default of --repeat */
    const char *repeat_unit;          /* what --repeat counts */
    const char *mode;                 /* one more switch (without the dashes), or NULL */
    const char *mode_help;
};

/** One run of a program. */
struct app {
    const struct app_spec *spec;
    size_t size;
    const char *size_name;
    unsigned repeat;
    bool verify, mode;
    cl_device_id device;
    cl_context context;
    double began_ms, first_ms, last_ms;
    size_t checked_one_of; /* 1: every output was compared; k: one of k */
    double kernel_ms;      /* from profiling events; negative: not measured */
    double *round_ms;      /* of each round, as many as repeat; NULL: the program has none */
    unsigned rounds;
    bool failed;
};

/** Read the options, pick the device, create the context. */
void app_start(struct app *app, const struct app_spec *spec, int argc, char **argv);

/** A command-queue with PROPERTIES (0: in order, no profiling). The caller releases it. */
cl_command_queue app_queue(const struct app *app, cl_command_queue_properties properties);

/** Does the device offer all PROPERTIES for its queues? */
bool app_queue_can(const struct app *app, cl_command_queue_properties properties);

/** Build SOURCE with OPTIONS; a failure prints the build log. The caller releases it. */
cl_program app_build(const struct app *app, const char *source, const char *options);

cl_kernel app_kernel(cl_program program, const char *name);

/** A buffer of BYTES. The caller releases it. */
cl_mem app_buffer(const struct app *app, cl_mem_flags flags, size_t bytes, void *host);

/** clSetKernelArg for INDEX with the bytes of VALUE. */
#define APP_ARG(kernel, index, value)                                                                                  \
    app_check(clSetKernelArg(kernel, index, sizeof(value), &(value)), "clSetKernelArg")

/** End the process with CALL and the error's name unless ERROR is CL_SUCCESS. */
void app_check(cl_int error, const char *call);

/** Zeroed memory of BYTES aligned to a page (USE_HOST_PTR wants that), or the end of the process. Free with free. */
void *app_alloc(size_t bytes);

/** Just before the first enqueue; just after the last finish. */
void app_clock_start(struct app *app);
void app_clock_stop(struct app *app);

/** Around what a program repeats as a whole: writes, launches, reads, and the wait for them. The last line has the
 * median. */
void app_round_start(struct app *app);
void app_round_stop(struct app *app);

/** Add the kernel time of EVENT (needs a profiling queue) and check the order of its four times. */
void app_profile_add(struct app *app, cl_event event);

/** The next number of a fixed sequence (SplitMix64) whose place is *STATE. */
uint64_t app_random(uint64_t *state);

/** The same as a float in [0, 1). */
float app_random_float(uint64_t *state);

/** Which outputs to compare: every one if COUNT <= LIMIT, else one of the returned odd number. Noted for the last line.
 */
size_t app_check_step(struct app *app, size_t count, size_t limit);

/** Note a wrong output: prints the first ones. */
void app_wrong(struct app *app, size_t index, double got, double want);

/** Compare |got - want| <= tolerance (false for NaN). */
bool app_near(double got, double want, double tolerance);

/** Print the last line with the hash of OUTPUT's BYTES, release the context; returns main's status. */
int app_end(struct app *app, const void *output, size_t bytes);

#endif
