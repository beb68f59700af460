/* Messages of yoke to its user, on stderr, each line starting "yoke: ". Everyone may use it; it never
 * allocates, never fails, never calls OpenCL. Level from YOKE_LOG (error|warn|info|debug; default warn). */
#ifndef YK_BASE_LOG_H
#define YK_BASE_LOG_H

#include <stdbool.h>

typedef enum yk_log_level { YK_LOG_ERROR, YK_LOG_WARN, YK_LOG_INFO, YK_LOG_DEBUG } yk_log_level;

/** Write one line if LEVEL is enabled; one write(2) per line, at most 1 KiB. Thread: any. errno is kept. */
void yk_log(yk_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Is LEVEL written? The first question looks at YOKE_LOG, and complains of a wrong one. For messages that cost
 * something to make. Thread: any. */
bool yk_log_enabled(yk_log_level level);

/** Override YOKE_LOG (the cli's --verbose, --quiet). Thread: any. */
void yk_log_set_level(yk_log_level level);

#define yk_error(...) yk_log(YK_LOG_ERROR, __VA_ARGS__)
#define yk_warn(...)  yk_log(YK_LOG_WARN, __VA_ARGS__)
#define yk_info(...)  yk_log(YK_LOG_INFO, __VA_ARGS__)
#define yk_debug(...) yk_log(YK_LOG_DEBUG, __VA_ARGS__)

/** The same message at most once per call site and process. */
#define yk_warn_once(...)                                                                                              \
    do {                                                                                                               \
        static char yk_done_;                                                                                          \
        if (!__atomic_test_and_set(&yk_done_, __ATOMIC_RELAXED))                                                       \
            yk_log(YK_LOG_WARN, __VA_ARGS__);                                                                          \
    } while (0)

#endif
