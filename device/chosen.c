#include "device/chosen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "base/log.h"
#include "device/machine.h"

enum { TEXT = 1024 };

void yk_chosen_leave_out(struct yk_device *d, const char *why)
{
    if (d->usable)
        snprintf(d->why_not, sizeof d->why_not, "%s", why);
    d->usable = false;
}

void yk_chosen_devices(struct yk_machine *m, const char *list)
{
    bool named[YK_MAX_DEVICES] = {false};
    char text[TEXT], *rest = text, *item;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        yk_warn("YOKE_DEVICES is too long and is cut");
    while ((item = strsep(&rest, ","))) {
        bool any = false;
        item += strspn(item, " ");
        for (char *end = item + strlen(item); end > item && end[-1] == ' ';)
            *--end = 0;
        for (unsigned i = 0; i < m->n && *item; i++)
            if (yk_device_matches(&m->device[i], item))
                any = named[i] = true;
        if (!any && *item) {
            char msg[TEXT];
            unsigned index;
            yk_machine_find(m, item, &index, msg, sizeof msg);
            yk_error("YOKE_DEVICES: %s", msg);
        }
    }
    for (unsigned i = 0; i < m->n; i++)
        if (!named[i]) {
            m->device[i].unnamed = m->device[i].usable;
            yk_chosen_leave_out(&m->device[i], "not named by YOKE_DEVICES");
        }
}

void yk_chosen_primary(struct yk_machine *m, const char *wanted)
{
    char msg[TEXT];
    bool found = false;
    for (unsigned i = 0; i < m->n; i++)
        if (m->device[i].usable && (!found || m->device[i].speed > m->device[m->primary].speed)) {
            m->primary = i;
            found = true;
        }
    unsigned index;
    if (!wanted)
        return;
    if (yk_machine_find(m, wanted, &index, msg, sizeof msg) != YK_OK)
        yk_error("YOKE_PRIMARY: %s; using the fastest, %s", msg, m->device[m->primary].name);
    else if (!m->device[index].usable)
        yk_error("YOKE_PRIMARY: %s is left out (%s); using the fastest, %s", m->device[index].name,
                 m->device[index].why_not, m->device[m->primary].name);
    else
        m->primary = index;
}

void yk_chosen_memory(struct yk_machine *m, const char *list)
{
    char one[TEXT];
    for (const char *at = list; at && *at;) {
        size_t n = strcspn(at, ",");
        uint64_t bytes = 0;
        bool any = false;
        snprintf(one, sizeof one, "%.*s", (int)n, at);
        char *is = strchr(one, '=');
        if (is)
            *is = 0;
        bool good = is && yk_parse_bytes(is + 1, &bytes) == YK_OK && bytes;
        for (unsigned i = 0; good && i < m->n; i++) {
            struct yk_device *d = &m->device[i];
            if (!yk_device_matches(d, one))
                continue;
            any = true;
            d->global_mem = d->global_mem < bytes ? d->global_mem : bytes;
            d->max_alloc = d->max_alloc < bytes ? d->max_alloc : bytes;
        }
        if (!any)
            yk_error("YOKE_MEMORY_LIMIT: '%.*s' is not DEV=BYTES, as 0=64M, for a device there is", (int)n, at);
        at += n + (at[n] == ',');
    }
}
