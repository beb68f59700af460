#include "shim/core/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alone.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/runtime.h"

static struct {
    struct yk_lock lock;
    const char *reason[YK_REASONS];
    uint64_t whole[YK_REASONS];
    unsigned nreasons;
    uint64_t split, flown, elsewhere, merged, merged_as, staged, parts, moved, gain_mixed, gain_any, deciding_ns,
        decided_ns;
    uint64_t letters, mailed;
    uint64_t pins, pinned;
    uint64_t groups[YK_MAX_DEVICES];
    double seconds[YK_MAX_DEVICES];
} st = {.lock = YK_LOCK_INIT(YK_RANK_STATS), .reason = {"other"}, .nreasons = 1};

unsigned yk_stats_reason(const char *text)
{
    unsigned i;
    yk_lock_take(&st.lock);
    for (i = 0; i < st.nreasons && strcmp(st.reason[i], text); i++)
        ;
    if (i == st.nreasons) {
        char *copy = i < YK_REASONS ? strdup(text) : NULL;
        if (copy) {
            st.reason[i] = copy;
            __atomic_store_n(&st.nreasons, i + 1, __ATOMIC_RELEASE);
        } else {
            i = 0;
        }
    }
    yk_lock_drop(&st.lock);
    return i;
}

void yk_stats_whole(unsigned reason)
{
    yk_alone_add64(&st.whole[reason], 1);
}

void yk_stats_merged(unsigned launches, unsigned as)
{
    __atomic_fetch_add(&st.merged, launches, __ATOMIC_RELAXED);
    __atomic_fetch_add(&st.merged_as, as, __ATOMIC_RELAXED);
}

void yk_stats_staged(unsigned parts)
{
    __atomic_fetch_add(&st.staged, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&st.parts, parts, __ATOMIC_RELAXED);
}

void yk_stats_elsewhere(void)
{
    __atomic_fetch_add(&st.elsewhere, 1, __ATOMIC_RELAXED);
}

void yk_stats_flew(void)
{
    __atomic_fetch_add(&st.flown, 1, __ATOMIC_RELAXED);
}

void yk_stats_split(void)
{
    __atomic_fetch_add(&st.split, 1, __ATOMIC_RELAXED);
}

void yk_stats_share(unsigned dev, uint64_t groups, double seconds)
{
    yk_lock_take(&st.lock);
    st.groups[dev] += groups;
    st.seconds[dev] += seconds;
    yk_lock_drop(&st.lock);
}

void yk_stats_moved(uint64_t bytes)
{
    __atomic_fetch_add(&st.moved, bytes, __ATOMIC_RELAXED);
}

void yk_stats_pinned(void)
{
    __atomic_fetch_add(&st.pins, 1, __ATOMIC_RELAXED);
}

void yk_stats_moved_pinned(uint64_t bytes)
{
    __atomic_fetch_add(&st.pinned, bytes, __ATOMIC_RELAXED);
}

void yk_stats_mailed(uint64_t bytes)
{
    __atomic_fetch_add(&st.letters, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&st.mailed, bytes, __ATOMIC_RELAXED);
}

void yk_stats_would_gain(int mixed)
{
    __atomic_fetch_add(mixed ? &st.gain_mixed : &st.gain_any, 1, __ATOMIC_RELAXED);
}

void yk_stats_decided(uint64_t deciding, uint64_t total)
{
    const uint64_t least_ns = 1000000;
    if (total < least_ns)
        return;
    __atomic_fetch_add(&st.deciding_ns, deciding, __ATOMIC_RELAXED);
    __atomic_fetch_add(&st.decided_ns, total, __ATOMIC_RELAXED);
}

static uint64_t total_whole(void)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < st.nreasons; i++)
        n += st.whole[i];
    return n;
}

static uint64_t total_groups(void)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        n += st.groups[i];
    return n;
}

static void print_summary(void)
{
    uint64_t whole = total_whole(), groups = total_groups();
    fprintf(stderr, "yoke: launches: %llu split, %llu whole\n", (unsigned long long)st.split,
            (unsigned long long)whole);
    for (unsigned i = 0; i < st.nreasons; i++)
        if (st.whole[i])
            fprintf(stderr, "yoke:   %llu whole: %s\n", (unsigned long long)st.whole[i], st.reason[i]);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (st.groups[i])
            fprintf(stderr, "yoke:   device %u (%s): %.1f %% of the split work-groups, %.3f s\n", i,
                    yk_rt.machine->device[i].name, 100.0 * (double)st.groups[i] / (double)groups, st.seconds[i]);
    if (st.flown)
        fprintf(stderr, "yoke:   %llu of the split launches followed one another without being waited for\n",
                (unsigned long long)st.flown);
    if (st.merged)
        fprintf(stderr,
                "yoke:   %llu of the whole launches ran as %llu: small ones that do not depend on one another\n",
                (unsigned long long)st.merged, (unsigned long long)st.merged_as);
    if (st.elsewhere)
        fprintf(stderr, "yoke:   %llu of the whole launches ran on another device, beside others of their queue\n",
                (unsigned long long)st.elsewhere);
    if (st.split)
        fprintf(stderr, "yoke:   %.3f MB moved between devices and host for them\n", (double)st.moved / 1e6);
    if (st.letters)
        fprintf(stderr, "yoke:   %llu copies from device to device, %.3f MB, through memory that both reach\n",
                (unsigned long long)st.letters, (double)st.mailed / 1e6);
    if (st.pins)
        fprintf(
            stderr,
            "yoke:   %llu ranges of the program's memory were pinned where they lie, %.3f MB moved from and to them\n",
            (unsigned long long)st.pins, (double)st.pinned / 1e6);
    if (st.decided_ns)
        fprintf(stderr, "yoke:   deciding took %.3f ms, %.3f %% of the launches of a millisecond and more\n",
                (double)st.deciding_ns * 1e-6, 100 * (double)st.deciding_ns / (double)st.decided_ns);
    if (st.gain_mixed)
        fprintf(stderr, "yoke:   --numerics mixed would let more devices into %llu of the launches\n",
                (unsigned long long)st.gain_mixed);
    if (st.gain_any)
        fprintf(stderr, "yoke:   --numerics any would let more devices into %llu of the launches\n",
                (unsigned long long)st.gain_any);
}

static void json_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 32)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void write_json(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f) {
        yk_warn("cannot write %s: %m", path);
        return;
    }
    fprintf(f, "{\"yoke\": \"%s\", \"launches\": {\"split\": %llu, \"whole\": %llu}, \"whole_reasons\": [",
            YOKE_VERSION, (unsigned long long)st.split, (unsigned long long)total_whole());
    const char *comma = "";
    for (unsigned i = 0; i < st.nreasons; i++)
        if (st.whole[i]) {
            fprintf(f, "%s{\"count\": %llu, \"reason\": ", comma, (unsigned long long)st.whole[i]);
            json_string(f, st.reason[i]);
            fputc('}', f);
            comma = ", ";
        }
    fputs("], \"devices\": [", f);
    uint64_t groups = total_groups();
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        fprintf(f, "%s{\"index\": %u, \"name\": ", i ? ", " : "", i);
        json_string(f, yk_rt.machine->device[i].name);
        fprintf(f, ", \"groups\": %llu, \"share\": %.6f, \"seconds\": %.6f}", (unsigned long long)st.groups[i],
                groups ? (double)st.groups[i] / (double)groups : 0.0, st.seconds[i]);
    }
    fprintf(f, "], \"merged\": {\"launches\": %llu, \"as\": %llu}", (unsigned long long)st.merged,
            (unsigned long long)st.merged_as);
    fprintf(f, ", \"flown\": %llu", (unsigned long long)st.flown);
    fprintf(f, ", \"elsewhere\": %llu", (unsigned long long)st.elsewhere);
    fprintf(f, ", \"in_parts\": {\"launches\": %llu, \"parts\": %llu}", (unsigned long long)st.staged,
            (unsigned long long)st.parts);
    fprintf(f, ", \"pinned\": {\"ranges\": %llu, \"bytes\": %llu}", (unsigned long long)st.pins,
            (unsigned long long)st.pinned);
    fprintf(f, ", \"mailboxes\": {\"copies\": %llu, \"bytes\": %llu}", (unsigned long long)st.letters,
            (unsigned long long)st.mailed);
    fprintf(f, ", \"deciding_ms\": %.6f, \"decided_ms\": %.6f", (double)st.deciding_ns * 1e-6,
            (double)st.decided_ns * 1e-6);
    fprintf(f, ", \"bytes_moved\": %llu, \"would_gain\": {\"mixed\": %llu, \"any\": %llu}}\n",
            (unsigned long long)st.moved, (unsigned long long)st.gain_mixed, (unsigned long long)st.gain_any);
    if (fclose(f))
        yk_warn("cannot write %s: %m", path);
}

void yk_stats_report(void)
{
    static char once;
    if (yk_mode != YK_MODE_ON || __atomic_test_and_set(&once, __ATOMIC_RELAXED))
        return;
    struct yk_write_guard guard;
    yk_write_guard_begin(&guard);
    if (yk_rt.options.summary)
        print_summary();
    if (yk_rt.options.json)
        write_json(yk_rt.options.json);
    yk_write_guard_end(&guard);
}
