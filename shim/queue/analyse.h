/* What the transformer says of a program, for the devices of this machine. Who calls it: build.c. */
#ifndef YK_SHIM_QUEUE_ANALYSE_H
#define YK_SHIM_QUEUE_ANALYSE_H

#include "transform/client.h"

/**
 * Facts of SOURCE built with OPTIONS, with partition-ready variants or MERGED ones. CACHED: only from the cache
 * (YK_ENOTFOUND where it has none; below 1 ms), else by starting the transformer if need be (blocks). Owns: OUT is the
 * caller's to finish where YK_OK. Thread: any; no lock held. Errors: YK_ECANCELED (the process exits), those of
 * transform/client.h.
 */
yk_status yk_analyse(const char *source, const char *options, bool cached, bool merged, struct yk_facts *out);

/** Number of device DEV among the record's targets: the primary is 0, the others follow in their order. */
unsigned yk_analyse_target(unsigned dev);

#endif
