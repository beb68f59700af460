/* What the transformer says of a program, for the devices of this machine. Who calls it: build.c. */
#ifndef YK_SHIM_QUEUE_ANALYSE_H
#define YK_SHIM_QUEUE_ANALYSE_H

#include "transform/client.h"

struct yk_build;

/* Which variants are wanted. */
enum yk_analysis { YK_FOR_SHARES, YK_FOR_MERGED, YK_FOR_WINDOWS };

/**
 * Facts of B's program, with partition-ready variants (YK_FOR_MERGED, YK_FOR_WINDOWS: those instead); refused where a
 * file that it includes may not be what the primary's compiler has read. CACHED: only from the cache (YK_ENOTFOUND
 * where it has none; below 1 ms), else by starting the transformer if need be (blocks). Owns: OUT is the caller's to
 * finish where YK_OK. Thread: any; no lock held. Errors: YK_ECANCELED (the process exits), those of transform/client.h.
 */
yk_status yk_analyse(const struct yk_build *b, bool cached, enum yk_analysis what, struct yk_facts *out);

/** Has every compiler that has read B's source since the primary's read the same files (of F, B's facts)? Thread: any.
 * Cost: nothing where none are included, else a stat per file. */
bool yk_analyse_same_files(const struct yk_build *b, const struct yk_facts *f);

/** Number of device DEV among the record's targets: the primary is 0, the others follow in their order. */
unsigned yk_analyse_target(unsigned dev);

#endif
