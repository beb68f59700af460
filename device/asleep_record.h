/* What is kept of devices between processes, for device/asleep.c. */
#ifndef YK_DEVICE_ASLEEP_RECORD_H
#define YK_DEVICE_ASLEEP_RECORD_H

#include "device/asleep.h"

enum { YK_ASLEEP_ASKED = 30 };

/* All that discovery, the numeric classes' key, the transformer's targets and the virtual device ask. */
/* What PoCL sets when it makes its devices ready (for hwloc). */
#define YK_POCL_SETS    "HWLOC_PLUGINS_PATH"
#define YK_POCL_SETS_TO "/dev/null"

struct yk_asleep_question {
    cl_device_info what;
    bool varies; /* from process to process, and harmless */
};

extern const struct yk_asleep_question yk_asleep_asked[YK_ASLEEP_ASKED];

struct yk_asleep_answer {
    cl_int err;
    size_t size;
    char *bytes; /* owned */
};

/* One device. */
struct yk_asleep_kept {
    struct yk_asleep_host host;
    struct yk_asleep_answer answer[YK_ASLEEP_ASKED];
};

/** What may change what PLATFORM's driver would answer, as far as it can be had without its devices. */
struct yk_hash yk_asleep_key(const struct yk_cl *cl, cl_platform_id platform);

/** The driver's answer of ID to WHAT, into A, whose bytes the caller frees. False: no memory, or too long. */
bool yk_asleep_ask(const struct yk_cl *cl, cl_device_id id, cl_device_info what, struct yk_asleep_answer *a);

/** The devices kept under KEY into KEPT (YK_MAX_DEVICES), whose bytes are the caller's. How many; 0: none are. */
unsigned yk_asleep_get(struct yk_hash key, struct yk_asleep_kept *kept);

/** Keep under KEY what the N devices ID of a driver answer, and HOST. */
void yk_asleep_put(struct yk_hash key, const struct yk_cl *below, const cl_device_id *id,
                   const struct yk_asleep_host *host, unsigned n);

/** Has a process done without the devices of KEY, and kept that? Does this one: false, it cannot be kept. */
bool yk_asleep_was_without(struct yk_hash key);
bool yk_asleep_put_without(struct yk_hash key);

/** They are not what they were. */
void yk_asleep_reject(struct yk_hash key);

#endif
