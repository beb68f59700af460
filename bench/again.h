/* A bench that starts itself again, as a plain OpenCL program (the probe), bare and with libyoke.so preloaded. Who uses
 * it: overhead.c, patterns.c, pipeline.c, small.c, transfer.c. Not for several threads. */
#ifndef YK_BENCH_AGAIN_H
#define YK_BENCH_AGAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* This program; the build's folder above it; the libyoke.so in it, or what --library names. */
extern char again_self[PATH_MAX], again_folder[PATH_MAX], again_library[PATH_MAX + 16];

/** Find the three; first of all. False: /proc does not say. */
bool again_find(void);

/** Start this program with ARGV, under yoke where YOKE is true; what it prints is read from the file returned, which
 * again_end() closes. Exits with 1 and a message where that fails. */
FILE *again_start(char *const argv[], bool yoke, pid_t *pid);

/** Wait for PID: what waitpid() says of it. */
int again_end(FILE *from, pid_t pid);

/** The number of TEXT, from LOW to HIGH, into *OUT. False, with a message: it is none. */
bool again_number(const char *text, int low, int high, int *out);

/** Remove FOLDER with what is in it. */
void again_remove(const char *folder);

#endif
