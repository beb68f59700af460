/* What this process knows of how long things take: measured here, or read from the database. Who uses it: the shim's
 * planner (reads), its executors (add), a thread of its own (database). Never calls a driver; a question or an addition
 * never waits for a file. */
#ifndef YK_PROFILER_PROFILE_H
#define YK_PROFILER_PROFILE_H

#include "base/hash.h"
#include "device/device.h"
#include "profiler/database.h"
#include "profiler/model.h"

struct yk_profile_key {
    struct yk_hash kernel; /* content: source, options, name */
    const char *name;      /* borrowed */
    const struct yk_device *device;
    size_t local[3];
    struct yk_hash problem; /* arguments and range; {0, 0}: all together */
    enum yk_sample_kind kind;
};

/** Read what is remembered, once per process; later calls return at once. Thread: any but the app's; calls SQLite where
 * the file beside the database (recent.h) is not of its present state, no lock held. YOKE_PROFILE=0: no database. */
void yk_profile_load(void);

/** Has it been read (or found missing)? */
bool yk_profile_loaded(void);

/**
 * GROUPS work-groups took MS. Counts for the problem and for all together; problems beyond 32 of a kernel and device
 * count for all together only. Thread: any; no driver call, no file. Cost: a hash and a lock.
 */
void yk_profile_add(const struct yk_profile_key *k, double groups, double ms);

/** GROUPS work-groups of K's problem took no longer than MS: what is known says no more from now on. */
void yk_profile_lower(const struct yk_profile_key *k, double groups, double ms);

/** SAMPLE in place of all that is known of K's problem. */
void yk_profile_set(const struct yk_profile_key *k, struct yk_sample sample);

/** The series of K, into OUT. False: none. */
bool yk_profile_get(const struct yk_profile_key *k, struct yk_series *out);

/** The series of K's problem, else of all problems together. *EXACT: which. */
bool yk_profile_find(const struct yk_profile_key *k, struct yk_series *out, bool *exact);

/** What K's kernel looks like: COUNT[YK_MODEL_COUNTS] of model.h. Thread: any; no file. */
void yk_profile_code(const struct yk_profile_key *k, const uint32_t *count);

/** Grow the tree of model.h for DEVICE from what the database held, once per process. Thread: a background one. Cost:
 * 10 ms at most. */
void yk_profile_learn(const struct yk_device *device);

/** What ITEMS work-items of a kernel with COUNT[YK_MODEL_COUNTS] take on the device learned for, where nothing of it
 * was measured, by that tree: *MS, within *FACTOR for half of all kernels. False: nothing is known. Thread: any. Cost:
 * some comparisons. */
bool yk_profile_guess(const uint32_t *count, double items, double local, double *ms, double *factor);

/** Write what is new. Thread: any that may call SQLite; no lock held. At exit at the latest. */
void yk_profile_save(void);

/** Of what goes over D's link, of KIND, which is one of yk_sample_of_link. Borrows D. */
struct yk_profile_key yk_profile_link_key(const struct yk_device *d, enum yk_sample_kind kind);

/** K, problem included, as the database has it. */
void yk_profile_key_text(const struct yk_profile_key *k, struct yk_database_key *out);

/** What the database calls D; at most YK_DATABASE_TEXT bytes. Devices of one name are told apart by their order. */
void yk_profile_device_text(const struct yk_device *d, char out[YK_DATABASE_TEXT]);

#endif
