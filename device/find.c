/* Devices named by text: numbers, types, parts of names. */
#include "device/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool contains(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

bool yk_device_matches(const struct yk_device *d, const char *text)
{
    size_t n = strlen(text);
    const char *colon = strchr(text, ':');
    char platform[YK_NAME_MAX];
    if (!n)
        return false;
    if (strspn(text, "0123456789") == n)
        return n < 9 && (unsigned)atoi(text) == d->index;
    if (!strcasecmp(text, "cpu"))
        return d->type & CL_DEVICE_TYPE_CPU;
    if (!strcasecmp(text, "gpu"))
        return d->type & CL_DEVICE_TYPE_GPU;
    if (!strcasecmp(text, "accelerator"))
        return d->type & CL_DEVICE_TYPE_ACCELERATOR;
    if (contains(d->name, text) || contains(d->platform_name, text))
        return true;
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof platform)
        return false;
    snprintf(platform, sizeof platform, "%.*s", (int)(colon - text), text);
    if (!strcasecmp(platform, "platform"))
        return colon[1] && contains(d->platform_name, colon + 1);
    return contains(d->platform_name, platform) && contains(d->name, colon + 1);
}

/* "WHAT 'TEXT'; there are [0] name (platform), ...": those that match, or all. */
static void list(const struct yk_machine *m, const char *text, const char *what, bool all, char *msg, size_t n)
{
    int len = snprintf(msg, n, "%s '%.60s'; there are", what, text);
    size_t used = len > 0 ? (size_t)len : 0;
    const char *before = " ";
    for (unsigned i = 0; i < m->n && used < n; i++) {
        const struct yk_device *d = &m->device[i];
        if (!all && !yk_device_matches(d, text))
            continue;
        len = snprintf(msg + used, n - used, "%s[%u] %s (%s)", before, i, d->name, d->platform_name);
        used += len > 0 ? (size_t)len : 0;
        before = ", ";
    }
}

yk_status yk_machine_find(const struct yk_machine *m, const char *text, unsigned *index, char *msg, size_t n)
{
    unsigned found = 0, first = 0;
    bool usable = false, same = true;
    for (unsigned i = 0; i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        if (!yk_device_matches(d, text) || (usable && !d->usable))
            continue;
        if (d->usable && !usable) { /* devices that are left out stand back */
            found = 0;
            same = usable = true;
        }
        if (!found++)
            first = i;
        same = same && !strcmp(d->name, m->device[first].name) &&
               !strcmp(d->platform_name, m->device[first].platform_name);
    }
    if (!found) {
        list(m, text, "no device", true, msg, n);
        return YK_ENOTFOUND;
    }
    if (!same) {
        list(m, text, "several devices are", false, msg, n);
        return YK_EINVAL;
    }
    *index = first;
    return YK_OK;
}
