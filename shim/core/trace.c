#include "shim/core/trace.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/runtime.h"

enum { LINE = 4096 };

bool yk_trace_active;
static int fd = -1;
static uint64_t launches;

static void put(const char *line, size_t n)
{
    struct yk_write_guard guard;
    yk_write_guard_begin(&guard);
    while (n) {
        ssize_t w = write(fd, line, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0) {
            if (__atomic_exchange_n(&yk_trace_active, false, __ATOMIC_RELAXED))
                yk_warn("the trace ends here: %m");
            break;
        }
        line += w;
        n -= (size_t)w;
    }
    yk_write_guard_end(&guard);
}

const char *yk_trace_text(const char *text, char *out, unsigned long n)
{
    unsigned long used = 0;
    for (; *text && used + 7 < n; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out[used++] = '\\';
        if (c < 32)
            used += (unsigned long)snprintf(out + used, n - used, "\\u%04x", c);
        else
            out[used++] = (char)c;
    }
    out[used] = 0;
    return out;
}

static void metadata(int track, const char *name)
{
    char line[512], text[256];
    int n =
        snprintf(line, sizeof line,
                 "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}},\n"
                 "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"sort_index\":%d}},\n",
                 (int)getpid(), track, yk_trace_text(name, text, sizeof text), (int)getpid(), track, track);
    put(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void yk_trace_start(void)
{
    const char *path = yk_env_str("YOKE_TRACE", NULL);
    char name[YK_NAME_MAX + 64], other[4096], text[256];
    if (!path)
        return;
    /* A second process of the program has a file of its own; what an earlier run left is not added to. */
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        snprintf(other, sizeof other, "%s.%d", path, (int)getpid());
        fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    }
    if (fd < 0) {
        yk_warn("YOKE_TRACE=%s: %m", path);
        return;
    }
    put("[\n", 2);
    metadata(YK_TRACK_DECISIONS, "decisions");
    metadata(YK_TRACK_MERGES, "merges");
    metadata(YK_TRACK_PREPARATION, "preparation");
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        snprintf(name, sizeof name, "device %u: %s", i, d->name);
        metadata(yk_track_device(i), name);
        if (!d->host_memory) {
            snprintf(name, sizeof name, "link of device %u", i);
            metadata(yk_track_link(i), name);
        }
    }
    snprintf(other, sizeof other,
             "{\"name\":\"yoke\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"version\":\"%s\",\"devices\":%u,"
             "\"primary\":%u,"
             "\"primary_name\":\"%s\"}},\n",
             (int)getpid(), YOKE_VERSION, yk_rt.machine->n, yk_rt.machine->primary,
             yk_trace_text(yk_rt.primary->name, text, sizeof text));
    put(other, strlen(other));
    __atomic_store_n(&yk_trace_active, true, __ATOMIC_RELEASE);
}

uint64_t yk_trace_launch(void)
{
    return yk_trace_on() ? __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED) : 0;
}

/* Finish LINE (USED bytes so far, up to its args' brace) with ARGS. */
static void finish_line(char *line, int used, const char *args, va_list ap)
{
    int more = vsnprintf(line + used, (size_t)(LINE - 8 - used), args, ap);
    if (more < 0 || more >= LINE - 8 - used)
        return; /* an event that long is not written rather than cut */
    used += more;
    memcpy(line + used, "}},\n", 4);
    put(line, (size_t)used + 4);
}

void yk_trace_span(int track, const char *category, const char *name, uint64_t start, uint64_t end, const char *args,
                   ...)
{
    char line[LINE], text[256];
    va_list ap;
    if (!yk_trace_on())
        return;
    int used = snprintf(
        line, sizeof line,
        "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
        yk_trace_text(name, text, sizeof text), category, (int)getpid(), track, (double)start * 1e-3,
        (double)(end - start) * 1e-3);
    va_start(ap, args);
    finish_line(line, used, args, ap);
    va_end(ap);
}

void yk_trace_prepared(const char *what, unsigned dev, uint64_t start)
{
    yk_trace_span(YK_TRACK_PREPARATION, "prepare", what, start, yk_now_ns(), "\"device\":%u", dev);
}

void yk_trace_moved(const char *name, size_t bytes, uint64_t start)
{
    unsigned p = yk_rt.primary->index;
    int track = yk_rt.primary->host_memory ? yk_track_device(p) : yk_track_link(p);
    yk_trace_span(track, "copy", name, start, yk_now_ns(), "\"bytes\":%zu", bytes);
}

void yk_trace_instant(int track, const char *category, const char *name, uint64_t at, const char *args, ...)
{
    char line[LINE], text[256];
    va_list ap;
    if (!yk_trace_on())
        return;
    int used = snprintf(
        line, sizeof line,
        "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"args\":{",
        yk_trace_text(name, text, sizeof text), category, (int)getpid(), track, (double)at * 1e-3);
    va_start(ap, args);
    finish_line(line, used, args, ap);
    va_end(ap);
}

void yk_trace_flow(bool begin, uint64_t id, int track, uint64_t at)
{
    char line[256];
    if (!yk_trace_on() || !id)
        return;
    int n = snprintf(line, sizeof line,
                     "{\"name\":\"launch\",\"cat\":\"launch\",\"ph\":\"%s\",\"bp\":\"e\",\"id\":%llu,\"pid\":%d,"
                     "\"tid\":%d,\"ts\":%.3f},\n",
                     begin ? "s" : "f", (unsigned long long)id, (int)getpid(), track, (double)at * 1e-3);
    put(line, (size_t)n);
}

void yk_trace_finish(void)
{
    char line[128];
    if (!__atomic_exchange_n(&yk_trace_active, false, __ATOMIC_RELAXED))
        return;
    int n =
        snprintf(line, sizeof line, "{\"name\":\"end\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"ts\":%.3f}}\n]\n",
                 (int)getpid(), (double)yk_now_ns() * 1e-3);
    put(line, (size_t)n);
}
