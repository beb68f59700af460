#include "device/fault/script.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"

static const char *const entry_name[] = {
#define YK_CL(ret, name, version, params, args) "cl" #name,
#include "device/opencl/api.def"
};

const char *yk_fault_entry_name(enum yk_fault_entry entry)
{
    return (unsigned)entry < YK_FAULT_ENTRIES ? entry_name[entry] : "?";
}

/* Each step of a model ends within seconds: with a mistyped unit the program would only seem to hang. */
enum { SLOWEST = 1000, LEAST_RATE = 1000000 /* bytes/s */, LONGEST_WAIT = 1000000000 /* ns */ };

/* One item, without blanks: texts are short, and a blank never matters. */
struct item {
    char text[160];
    const char *at;
};

static bool take(struct item *it, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(it->at, word, n) != 0)
        return false;
    it->at += n;
    return true;
}

static bool number(struct item *it, unsigned long max, unsigned long *value)
{
    if (!isdigit((unsigned char)*it->at))
        return false;
    char *end;
    errno = 0;
    *value = strtoul(it->at, &end, 10);
    it->at = end;
    return !errno && *value <= max;
}

static bool device(struct item *it, unsigned *value)
{
    if (take(it, "*")) {
        *value = UINT_MAX;
        return true;
    }
    unsigned long v;
    if (!number(it, YK_FAULT_DEVICES - 1, &v))
        return false;
    *value = (unsigned)v;
    return true;
}

static bool code(struct item *it, cl_int *value)
{
    if (*it->at == '-') {
        unsigned long v;
        it->at++;
        if (!number(it, 10000, &v) || !v)
            return false;
        *value = -(cl_int)v;
        return true;
    }
    size_t n = strcspn(it->at, ",)");
    for (cl_int c = -1; c >= -1100; c--) {
        const char *name = yk_cl_error_name(c);
        if (strlen(name) == n && !strncmp(name, it->at, n)) {
            it->at += n;
            *value = c;
            return true;
        }
    }
    return false;
}

static bool count(struct item *it, struct yk_fault_rule *r)
{
    unsigned long v;
    if (take(it, "*"))
        return true;
    if (!number(it, UINT32_MAX, &v) || !v)
        return false;
    r->first = (uint32_t)v;
    r->onwards = take(it, "+");
    return true;
}

static const char *action(struct item *it, struct yk_fault_rule *r)
{
    if (take(it, "error(")) {
        r->kind = YK_FAULT_ERROR;
        return code(it, &r->code) && take(it, ")") ? NULL : "error(CODE) wants a negative number or a CL_ name";
    }
    if (take(it, "event(")) {
        r->kind = YK_FAULT_EVENT;
        if (!code(it, &r->code))
            return "event(CODE) wants a negative number or a CL_ name";
        if (take(it, ",ran"))
            r->kind = YK_FAULT_EVENT_RAN;
        return take(it, ")") ? NULL : "event(CODE or event(CODE,ran lacks its )";
    }
    if (take(it, "hang")) {
        r->kind = YK_FAULT_HANG;
        return NULL;
    }
    if (take(it, "lost")) {
        r->kind = YK_FAULT_LOST;
        return NULL;
    }
    return "no such action: error(CODE), event(CODE[,ran]), hang or lost";
}

static bool duration(struct item *it, uint64_t *ns)
{
    if (!isdigit((unsigned char)*it->at))
        return false;
    char *end;
    double v = strtod(it->at, &end);
    it->at = end;
    double unit = take(it, "ns") ? 1 : take(it, "us") ? 1e3 : take(it, "ms") ? 1e6 : take(it, "s") ? 1e9 : 0;
    if (unit == 0 || !(v * unit <= LONGEST_WAIT))
        return false;
    *ns = (uint64_t)(v * unit);
    return true;
}

static const char *model(struct item *it, struct yk_fault_script *s, bool slow)
{
    unsigned dev;
    if (!device(it, &dev) || !take(it, "="))
        return slow ? "slow@DEVICE=FACTOR wanted" : "link@DEVICE=BYTES_PER_SECOND[,LATENCY] wanted";
    double factor = 1;
    uint64_t bytes = 0, wait = 0;
    if (slow) {
        char *end;
        factor = strtod(it->at, &end);
        if (end == it->at || !(factor >= 1 && factor <= SLOWEST))
            return "the factor of slow@ is a number from 1 to 1000";
        it->at = end;
    } else {
        char rate[32];
        size_t n = strcspn(it->at, ",");
        if (n >= sizeof rate)
            return "the bandwidth of link@ is bytes per second, as 1G or 500M";
        memcpy(rate, it->at, n);
        rate[n] = 0;
        if (yk_parse_bytes(rate, &bytes) != YK_OK || bytes < LEAST_RATE)
            return "the bandwidth of link@ is bytes per second, 1000000 at least, as 1G or 500M";
        it->at += n;
        if (take(it, ",") && !duration(it, &wait))
            return "the latency of link@ is a number with ns, us, ms or s, one second at most";
    }
    for (unsigned d = 0; d < YK_FAULT_DEVICES; d++) {
        if (dev != UINT_MAX && dev != d)
            continue;
        if (slow) {
            s->model[d].slow = factor;
        } else {
            s->model[d].bytes_per_ns = (double)bytes / 1e9;
            s->model[d].link_wait_ns = wait;
        }
    }
    return NULL;
}

static const char *taken_for(struct item *it, struct yk_fault_script *s, bool gpu)
{
    unsigned dev;
    if (!device(it, &dev))
        return gpu ? "gpu@DEVICE wanted" : "own@DEVICE wanted";
    for (unsigned d = 0; d < YK_FAULT_DEVICES; d++)
        if (dev == UINT_MAX || dev == d) {
            s->own_memory[d] = true;
            s->gpu[d] |= gpu;
        }
    return NULL;
}

static const char *rule(struct item *it, struct yk_fault_script *s)
{
    struct yk_fault_rule r = {.entry = -1, .first = 1, .onwards = true};
    size_t n = strcspn(it->at, "@");
    if (n) {
        for (int e = 0; e < YK_FAULT_ENTRIES && r.entry < 0; e++)
            if (strlen(entry_name[e]) == n && !strncmp(entry_name[e], it->at, n))
                r.entry = e;
        if (r.entry < 0)
            return "no such OpenCL entry point";
        it->at += n;
    }
    if (!take(it, "@") || !device(it, &r.device))
        return "a device is wanted after @: a number below 32, or *";
    if (take(it, ":")) {
        if (isdigit((unsigned char)*it->at) || *it->at == '*') {
            if (!count(it, &r))
                return "the count after : is N, N+ or *, from 1";
            if (!take(it, "=") && !take(it, ":"))
                return "an action is wanted after the count, with =";
        }
    } else if (!take(it, "=")) {
        return "an action is wanted after the device, with =";
    }
    const char *why = action(it, &r);
    if (why)
        return why;
    if (s->n == YK_FAULT_RULES)
        return "too many items";
    s->rule[s->n++] = r;
    return NULL;
}

yk_status yk_fault_parse(const char *text, struct yk_fault_script *s, char *err, size_t n)
{
    *s = (struct yk_fault_script){0};
    for (unsigned d = 0; d < YK_FAULT_DEVICES; d++)
        s->model[d].slow = 1;
    while (text && *text) {
        struct item it;
        size_t used = 0;
        const char *why = NULL;
        for (; *text && *text != ';'; text++) {
            if (isspace((unsigned char)*text))
                continue;
            if (used + 1 < sizeof it.text)
                it.text[used++] = *text;
            else
                why = "item too long";
        }
        text += *text == ';';
        it.text[used] = 0;
        it.at = it.text;
        if (!used)
            continue;
        if (!why)
            why = take(&it, "slow@")   ? model(&it, s, true)
                  : take(&it, "link@") ? model(&it, s, false)
                  : take(&it, "own@")  ? taken_for(&it, s, false)
                  : take(&it, "gpu@")  ? taken_for(&it, s, true)
                                       : rule(&it, s);
        if (!why && *it.at)
            why = "nothing may follow";
        if (why) {
            if (n)
                snprintf(err, n, "fault script: %s, at \"%s\" of \"%s\"", why, it.at, it.text);
            return s->n == YK_FAULT_RULES ? YK_ELIMIT : YK_EFORMAT;
        }
    }
    return YK_OK;
}
