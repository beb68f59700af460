#include "tests/count/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const count_kind[COUNT_KINDS] = {"read",           "write", "copy",    "fill",        "map",
                                             "map-invalidate", "unmap", "migrate", "create-copy", "create-use"};

static bool triple(const char *text, uint64_t v[3])
{
    unsigned long a, b, c;
    char rest;
    if (sscanf(text, "%lu,%lu,%lu%c", &a, &b, &c, &rest) != 3)
        return false;
    v[0] = a;
    v[1] = b;
    v[2] = c;
    return true;
}

static bool launch(const char *text, struct count_log *log)
{
    struct count_launch l = {.launch = -1};
    char o[80], g[80], loc[80];
    if (sscanf(text, "%u %127s %u %79s %79s %79s", &l.device, l.kernel, &l.dims, o, g, loc) != 6)
        return false;
    l.has_local = strcmp(loc, "-") != 0;
    if (l.device >= COUNT_DEVICES || !triple(o, l.offset) || !triple(g, l.global) ||
        (l.has_local && !triple(loc, l.local)))
        return false;
    for (int d = 0; d < 3; d++)
        if (!l.global[d] || (l.has_local && !l.local[d]))
            return false;
    return yk_array_push(&log->launch, l);
}

static bool one(const char *word, const char *text, struct count_log *log)
{
    unsigned d;
    unsigned long bytes;
    int at = 0;
    if (!strcmp(word, "launch"))
        return launch(text, log);
    if (!strcmp(word, "device")) {
        if (sscanf(text, "%u %n", &d, &at) != 1 || d >= COUNT_DEVICES)
            return false;
        snprintf(log->device[d], sizeof log->device[d], "%s", text + at);
        if (d >= log->devices)
            log->devices = d + 1;
        return true;
    }
    for (int k = 0; k < COUNT_KINDS; k++) {
        if (strcmp(word, count_kind[k]) != 0)
            continue;
        if (sscanf(text, "%u %lu", &d, &bytes) != 2 || d >= COUNT_DEVICES)
            return false;
        log->bytes[d][k] += bytes;
        log->calls[d][k]++;
        return true;
    }
    return false;
}

bool count_log_read(const char *path, long pid, struct count_log *log, char *err, size_t n)
{
    *log = (struct count_log){0};
    FILE *f = fopen(path, "re");
    if (!f) {
        snprintf(err, n, "%s: %s", path, strerror(errno));
        return false;
    }
    char line[1024], word[32];
    bool ok = true;
    for (unsigned long number = 1; ok && fgets(line, sizeof line, f); number++) {
        long owner;
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        ok = sscanf(line, "%ld %31s %n", &owner, word, &at) == 2 && at;
        if (ok && (!pid || owner == pid))
            ok = one(word, line + at, log);
        if (!ok)
            snprintf(err, n, "%s:%lu: no line of a count log: %s", path, number, line);
    }
    fclose(f);
    if (!ok)
        count_log_finish(log);
    return ok;
}

void count_log_finish(struct count_log *log)
{
    yk_array_finish(&log->launch);
}
