/* The programs of the other devices, and those of the primary that are not the app's. Who uses it: build.c. */
#ifndef YK_SHIM_QUEUE_BUILD_DEVICES_H
#define YK_SHIM_QUEUE_BUILD_DEVICES_H

#include "shim/queue/build.h"

/* What the program's kernels need of other devices. */
struct yk_build_need {
    bool original, variant, classes;
};

struct yk_build_need yk_build_needs(const struct yk_facts *f);

/** The state is STATE now; REASON (of NONE) lives as long as the build. Wakes who waits. Thread: any. */
void yk_build_set_state(struct yk_build *b, enum yk_build_state state, const char *reason);

/** The process exits and no driver may be called: a hold is given up, not back. Thread: any. */
void yk_build_leave(struct yk_build *b);

/** Where that costs the program nothing (ahead.h), the primary's partition-ready program is built at once, so that its
 * launches can begin there alone. Thread: any; returns at once. */
void yk_build_want_primary(struct yk_build *b);

#endif
