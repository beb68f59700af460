#include "base/log.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/thread.h"

static int level_now = -1;

/* -1: no such level. */
static int level_from_env(const char *s)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(s, names[i]))
            return i;
    return -1;
}

bool yk_log_enabled(yk_log_level level)
{
    int now = __atomic_load_n(&level_now, __ATOMIC_RELAXED);
    if (now < 0) {
        const char *s = getenv("YOKE_LOG");
        int wanted = s && *s ? level_from_env(s) : YK_LOG_WARN;
        now = wanted < 0 ? YK_LOG_WARN : wanted;
        /* Only the first thread that decides complains. */
        int undecided = -1;
        if (__atomic_compare_exchange_n(&level_now, &undecided, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
            wanted < 0)
            yk_warn("YOKE_LOG=%s is none of error, warn, info, debug; using warn", s);
    }
    return (int)level <= now;
}

void yk_log_set_level(yk_log_level level)
{
    __atomic_store_n(&level_now, (int)level, __ATOMIC_RELAXED);
}

void yk_log(yk_log_level level, const char *fmt, ...)
{
    if (!yk_log_enabled(level))
        return;
    int saved = errno;
    char line[1024];
    static const char *const prefix[] = {"yoke: error: ", "yoke: warning: ", "yoke: ", "yoke: debug: "};
    int n = snprintf(line, sizeof line, "%s", prefix[level]);
    va_list ap;
    va_start(ap, fmt);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    va_end(ap);
    if (m > 0)
        n += m;
    if (n > (int)sizeof line - 2)
        n = (int)sizeof line - 2;
    line[n++] = '\n';
    struct yk_write_guard guard;
    yk_write_guard_begin(&guard);
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
    (void)ignored;
    yk_write_guard_end(&guard);
    errno = saved;
}
