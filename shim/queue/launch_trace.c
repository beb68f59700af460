/* What the trace says of a launch before it begins. */
#include <stdio.h>
#include "base/clock.h"
#include "shim/core/trace.h"
#include "shim/queue/decide.h"

void yk_launch_trace(const struct yk_launch *l, struct yk_decision *d, uint64_t asked)
{
    char shares[1024] = "", reason[512], counts[256] = "";
    size_t used = 0;
    uint64_t now = yk_now_ns();
    d->launch = yk_trace_launch();
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    uint64_t read = 0, written = 0;
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM) {
            read += !f || i >= f->nargs || f->arg[i].read ? l->value[i].u.mem->size : 0;
            written += !f || i >= f->nargs || f->arg[i].written ? l->value[i].u.mem->size : 0;
        }
    for (unsigned i = 0; i < yk_rt.machine->n && used + 96 < sizeof shares; i++)
        used += (size_t)snprintf(shares + used, sizeof shares - used,
                                 "%s{\"groups\":%llu,\"predicted_ms\":%.6f,\"late\":%s}", i ? "," : "",
                                 (unsigned long long)(d->split && !d->guided ? d->to[i] - d->from[i] : 0),
                                 d->split ? d->share_ms[i] : 0, d->late[i] ? "true" : "false");
    for (unsigned i = 0, at = 0; f && i < YK_COUNT_CLASS_COUNT && at + 12 < sizeof counts; i++)
        at += (unsigned)snprintf(counts + at, sizeof counts - at, "%s%u", i ? "," : "", f->count[i]);
    size_t local = 1;
    for (unsigned i = 0; l->has_local && i < l->dims; i++)
        local *= l->local[i];
    yk_trace_span(YK_TRACK_DECISIONS, "decision", l->code->name, asked, now,
                  "\"launch\":%llu,\"kernel\":\"%s\",\"items\":%llu,\"groups\":%llu,\"read\":%llu,\"written\":%llu,"
                  "\"split\":%s,\"guided\":%s,"
                  "\"axis\":%u,\"verdict\":\"%s\",\"reason\":\"%s\",\"predicted_ms\":%.6f,\"alone_ms\":%.6f,\"local\":%"
                  "zu,\"counts\":[%s],"
                  "\"shares\":[%s]",
                  (unsigned long long)d->launch, l->code->name, (unsigned long long)yk_decide_items(l),
                  (unsigned long long)d->total, (unsigned long long)read, (unsigned long long)written,
                  d->split ? "true" : "false", d->guided ? "true" : "false",
                  d->range.dims ? yk_range_axis(&d->range) : 0, f ? yk_verdict_name(f->verdict) : "",
                  d->reason ? yk_trace_text(d->reason, reason, sizeof reason) : "", d->predicted_ms, d->alone_ms, local,
                  counts, shares);
    yk_trace_flow(true, d->launch, YK_TRACK_DECISIONS, asked);
}
