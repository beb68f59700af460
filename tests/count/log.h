/* Reading the counting layer's log. Who uses it: countcheck, tests. Pure but for the reading of the file. */
#ifndef YK_TESTS_COUNT_LOG_H
#define YK_TESTS_COUNT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/array.h"

enum { COUNT_DEVICES = 64, COUNT_KINDS = 10 };

struct count_launch {
    char kernel[128];
    unsigned device, dims;
    uint64_t offset[3], global[3], local[3]; /* work-items */
    bool has_local;                          /* false: the driver chose */
    long launch;                             /* of the program: filled by the matching; -1: none */
};

struct count_log {
    YK_ARRAY(struct count_launch) launch;
    unsigned devices;
    char device[COUNT_DEVICES][128];
    uint64_t bytes[COUNT_DEVICES][COUNT_KINDS], calls[COUNT_DEVICES][COUNT_KINDS];
};

/* "read", "write", "copy", "fill", "map", "map-invalidate", "unmap", "migrate", "create-copy", "create-use" */
extern const char *const count_kind[COUNT_KINDS];

/** Read PATH. PID: only that process; 0: of all, told apart by nothing (a program that forks none). False, with one
 * line in ERR, for a file that cannot be read or a line that is not of this format. */
bool count_log_read(const char *path, long pid, struct count_log *log, char *err, size_t n);
void count_log_finish(struct count_log *log);

#endif
