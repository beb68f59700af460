/* The trace: a Chrome/Perfetto JSON array that is written while the program runs, a line per event, so that what a
 * crash leaves can be read too (viewers need no closing bracket). Who calls it: queue/. Where YOKE_TRACE is not set
 * each call is a load. Thread: any; one write(2) per event, no lock. */
#ifndef YK_SHIM_CORE_TRACE_H
#define YK_SHIM_CORE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tracks: decisions; merges; contexts, programs and pinned memory that are made ready; of device D: its kernels, its
 * link. */
enum { YK_TRACK_DECISIONS = 1, YK_TRACK_MERGES = 2, YK_TRACK_PREPARATION = 3, YK_TRACK_DEVICE = 10 };
static inline int yk_track_device(unsigned d)
{
    return YK_TRACK_DEVICE + 2 * (int)d;
}
static inline int yk_track_link(unsigned d)
{
    return YK_TRACK_DEVICE + 2 * (int)d + 1;
}

extern bool yk_trace_active; /* atomic; ask yk_trace_on */

static inline bool yk_trace_on(void)
{
    return __atomic_load_n(&yk_trace_active, __ATOMIC_RELAXED);
}

/** Open the file of YOKE_TRACE and name the tracks; at the start of the runtime. A file that cannot be written is
 * warned of. */
void yk_trace_start(void);

/** A new number for a launch; 0 where nothing is traced. */
uint64_t yk_trace_launch(void);

/** Something took from START to END (host clock, ns) on TRACK. ARGS: a format for the members of a JSON object. */
void yk_trace_span(int track, const char *category, const char *name, uint64_t start, uint64_t end, const char *args,
                   ...) __attribute__((format(printf, 6, 7)));

/** WHAT was made ready for device DEV from START until now. */
void yk_trace_prepared(const char *what, unsigned dev, uint64_t start);

/** BYTES went between the program's memory and the primary from START until now: NAME, read or write. */
void yk_trace_moved(const char *name, size_t bytes, uint64_t start);

/** Something happened. */
void yk_trace_instant(int track, const char *category, const char *name, uint64_t at, const char *args, ...)
    __attribute__((format(printf, 5, 6)));

/** An arrow of launch ID: begins (BEGIN) or ends at AT on TRACK, inside the span that lies there. */
void yk_trace_flow(bool begin, uint64_t id, int track, uint64_t at);

/** TEXT as it stands between quotes in JSON, into OUT (N bytes); returns OUT. */
const char *yk_trace_text(const char *text, char *out, unsigned long n);

/** The closing bracket, at exit. */
void yk_trace_finish(void);

#endif
