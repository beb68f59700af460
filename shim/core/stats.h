/* What happened to this process's launches, for the summary at exit and --json. Who calls it: queue/. Counters only;
 * never a driver. Thread: any. */
#ifndef YK_SHIM_CORE_STATS_H
#define YK_SHIM_CORE_STATS_H

#include <stdint.h>

enum { YK_REASONS = 64 };

/** Number of the reason TEXT (copied; the same text, the same number). 0: "other", when there are too many. Cost: a
 * search; keep the number. */
unsigned yk_stats_reason(const char *text);

/** A launch that ran whole for REASON. Cost: one atomic add. */
void yk_stats_whole(unsigned reason);

/** LAUNCHES launches were given to the driver as AS merged ones. */
void yk_stats_merged(unsigned launches, unsigned as);

/** A launch ran in PARTS beside its transfers; it is counted as whole too. */
void yk_stats_staged(unsigned parts);

/** A launch ran whole on another device than the primary; it is counted as whole too. */
void yk_stats_elsewhere(void);

/** A launch that was split. */
void yk_stats_split(void);

/** A launch that was split, and given to its devices without waiting for the one before or after it. */
void yk_stats_flew(void);

/** DEV ran GROUPS work-groups of split launches in SECONDS. */
void yk_stats_share(unsigned dev, uint64_t groups, double seconds);

/** BYTES copied between locations for split launches or because of them. */
void yk_stats_moved(uint64_t bytes);

/** A range of the program's memory was pinned where it lies; BYTES were moved from or to such memory. */
void yk_stats_pinned(void);
void yk_stats_moved_pinned(uint64_t bytes);

/** BYTES were copied from one device to another through mailboxes. */
void yk_stats_mailed(uint64_t bytes);

/** Deciding about a launch took DECIDING of the TOTAL nanoseconds from its turn to its end. Launches of a millisecond
 * and more are summed up. */
void yk_stats_decided(uint64_t deciding, uint64_t total);

/** A launch that strict numerics kept in the primary's class and MIXED (ANY) would have let out. */
void yk_stats_would_gain(int mixed);

/** Write the summary (stderr) and the JSON file, if asked for. Once; at exit. */
void yk_stats_report(void);

#endif
