/* Counting calls against a script. */
#include "device/fault/script.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"

static bool concerns(const struct yk_fault_rule *r, unsigned device)
{
    return r->device == UINT_MAX || r->device == device;
}

static bool modelled(const struct yk_fault_script *s, unsigned device)
{
    return device < YK_FAULT_DEVICES && (s->model[device].slow > 1 || s->model[device].bytes_per_ns > 0);
}

bool yk_fault_touches(const struct yk_fault_script *s, unsigned device)
{
    for (unsigned i = 0; i < s->n; i++)
        if (concerns(&s->rule[i], device))
            return true;
    return modelled(s, device);
}

bool yk_fault_follows_events(const struct yk_fault_script *s, unsigned device)
{
    for (unsigned i = 0; i < s->n; i++)
        if (concerns(&s->rule[i], device) &&
            (s->rule[i].kind == YK_FAULT_EVENT || s->rule[i].kind == YK_FAULT_EVENT_RAN))
            return true;
    return modelled(s, device);
}

void yk_fault_start(struct yk_fault_state *st, const struct yk_fault_script *s, unsigned device)
{
    st->script = s;
    st->device = device;
    for (int e = 0; e < YK_FAULT_ENTRIES; e++)
        atomic_init(&st->calls[e], 0);
    atomic_init(&st->failable_calls, 0);
    atomic_init(&st->fired, 0);
    atomic_init(&st->lost, false);
}

static bool begins(enum yk_fault_entry entry, const char *word)
{
    return !strncmp(yk_fault_entry_name(entry) + 2, word, strlen(word));
}

/* What a program calls to look and to tidy up works on a device that is gone, as it does on real ones. */
static bool failable(enum yk_fault_entry entry)
{
    return !begins(entry, "Get") && !begins(entry, "Retain") && !begins(entry, "Release");
}

static cl_int lost_code(enum yk_fault_entry entry)
{
    bool made = begins(entry, "Create") || begins(entry, "Build") || begins(entry, "Compile") || begins(entry, "Link");
    return made ? CL_DEVICE_NOT_AVAILABLE : CL_OUT_OF_RESOURCES;
}

static void hang(void)
{
    int64_t ms = yk_env_int("YOKE_FAULT_HANG_MS", -1, 0, INT_MAX);
    uint64_t end = ms < 0 ? UINT64_MAX : yk_now_ns() + (uint64_t)ms * 1000000;
    for (uint64_t now = yk_now_ns(); now < end; now = yk_now_ns()) {
        uint64_t left = end - now < 1000000000u ? end - now : 1000000000u;
        nanosleep(&(struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)}, NULL);
    }
}

struct yk_fault_verdict yk_fault_next(struct yk_fault_state *st, enum yk_fault_entry entry)
{
    struct yk_fault_verdict none = {YK_FAULT_NONE, CL_SUCCESS};
    bool may = failable(entry);
    uint32_t n = atomic_fetch_add(&st->calls[entry], 1) + 1;
    uint32_t any = may ? atomic_fetch_add(&st->failable_calls, 1) + 1 : 0;
    if (atomic_load(&st->lost))
        return may ? (struct yk_fault_verdict){YK_FAULT_ERROR, lost_code(entry)} : none;
    for (unsigned i = 0; i < st->script->n; i++) {
        const struct yk_fault_rule *r = &st->script->rule[i];
        if (!concerns(r, st->device) || (r->entry < 0 ? !may : r->entry != (int)entry))
            continue;
        uint32_t at = r->entry < 0 ? any : n;
        if (r->onwards ? at < r->first : at != r->first)
            continue;
        atomic_fetch_add(&st->fired, 1);
        yk_info("fault script: %s on device %u, call %u", yk_fault_entry_name(entry), st->device, n);
        switch (r->kind) {
        case YK_FAULT_HANG:
            hang();
            break;
        case YK_FAULT_LOST:
            atomic_store(&st->lost, true);
            return (struct yk_fault_verdict){YK_FAULT_ERROR, lost_code(entry)};
        default:
            return (struct yk_fault_verdict){r->kind, r->code};
        }
    }
    return none;
}
