#include "partitioner/strategy.h"
#include "partitioner/cost.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void divide_even(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups)
{
    double weight[YK_SPLIT_MAX];
    (void)s;
    for (unsigned i = 0; i < split->n; i++)
        weight[i] = split->device[i].usable;
    yk_split_proportion(split, weight, groups);
}

static void divide_weights(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups)
{
    double weight[YK_SPLIT_MAX], sum = 0;
    for (unsigned i = 0; i < split->n; i++) {
        weight[i] = i < s->n && split->device[i].usable ? s->weight[i] : 0;
        sum += weight[i];
    }
    if (sum > 0)
        yk_split_proportion(split, weight, groups);
    else
        divide_even(s, split, groups);
}

double yk_split_mean_rate(const struct yk_split *split)
{
    double sum = 0, ms;
    unsigned known = 0;
    for (unsigned i = 0; i < split->n; i++) {
        const struct yk_split_device *d = &split->device[i];
        if (!d->usable || !yk_split_known(d))
            continue;
        ms = d->table.n >= 2 ? yk_table_ms(&d->table, (double)split->total) : 0;
        sum += ms > 0 ? (double)split->total / ms : d->rate;
        known++;
    }
    return known ? sum / known : 0;
}

bool yk_split_presume(const struct yk_split *split, struct yk_split_device *out)
{
    double mean = yk_split_mean_rate(split);
    if (!(mean > 0))
        return false;
    for (unsigned i = 0; i < split->n; i++) {
        out[i] = split->device[i];
        if (!yk_split_known(&out[i]))
            out[i].rate = mean;
    }
    return true;
}

uint64_t yk_guided_chunk(uint64_t total, uint64_t rest, uint64_t grain, uint64_t least, unsigned takers, double rate,
                         double rates)
{
    uint64_t n = rate > 0 ? (uint64_t)((double)rest * rate / rates / 2) : total / (32 * takers);
    grain = grain ? grain : 1;
    n = n / grain * grain;
    n = n < least ? least : n;
    n = n < grain ? grain : n;
    return n < rest ? n : rest;
}

static void divide_linear(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups)
{
    double weight[YK_SPLIT_MAX], mean = yk_split_mean_rate(split);
    if (!(mean > 0)) {
        divide_even(s, split, groups);
        return;
    }
    for (unsigned i = 0; i < split->n; i++) {
        const struct yk_split_device *d = &split->device[i];
        double ms = d->table.n >= 2 ? yk_table_ms(&d->table, (double)split->total) : 0;
        weight[i] = !d->usable ? 0 : ms > 0 ? (double)split->total / ms : d->rate > 0 ? d->rate : mean;
    }
    yk_split_proportion(split, weight, groups);
}

static void divide_single(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups)
{
    unsigned to = s->single;
    memset(groups, 0, split->n * sizeof *groups);
    if (to >= split->n || !split->device[to].usable)
        for (to = 0; to < split->n - 1 && !split->device[to].usable; to++)
            ;
    groups[to] = split->total;
}

enum { WATERFILL, SKMD, GUIDED, EVEN, LINEAR, WEIGHTS, SINGLE };
static const struct yk_strategy_ops table[] = {
    [WATERFILL] = {"waterfill", "the least time at which all shares fit, transfers included", yk_divide_waterfill},
    [SKMD] = {"skmd", "step by step from the fastest device to the others", yk_divide_skmd},
    [GUIDED] = {"guided", "chunks, the next one to whoever is free", divide_linear},
    [EVEN] = {"even", "equal shares", divide_even},
    [LINEAR] = {"linear", "shares in proportion to measured throughput", divide_linear},
    [WEIGHTS] = {"percentages", "fixed shares such as 70:30, in the order of the devices", divide_weights},
    [SINGLE] = {"single", "all on one device: single:DEV", divide_single},
};

const struct yk_strategy_ops *yk_strategy_at(unsigned i)
{
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

static yk_status parse_weights(const char *text, struct yk_strategy *s, char *msg, size_t n)
{
    struct yk_strategy r = {.ops = &table[WEIGHTS], .single = YK_SPLIT_NONE};
    double sum = 0;
    for (const char *p = text;; p++) {
        char *end;
        /* strtod takes signs, "inf", hexadecimal: none of them a share. */
        size_t digits = strspn(p, "0123456789.");
        double w = digits ? strtod(p, &end) : 0;
        if (!digits || end != p + digits || w > 1e9) {
            snprintf(msg, n, "'%s': share %u is not a number from 0 to 1e9", text, r.n + 1);
            return YK_EFORMAT;
        }
        if (r.n == YK_SPLIT_MAX) {
            snprintf(msg, n, "'%s': more than %d shares", text, YK_SPLIT_MAX);
            return YK_EFORMAT;
        }
        r.weight[r.n++] = w;
        sum += w;
        p = end;
        if (!*p)
            break;
        if (*p != ':') {
            snprintf(msg, n, "'%s': shares are separated by ':', as in 70:30", text);
            return YK_EFORMAT;
        }
    }
    if (r.n < 2 || !(sum > 0)) {
        snprintf(msg, n,
                 r.n < 2 ? "'%s': one share alone says nothing; 70:30 has two, single:DEV is one device"
                         : "'%s': all shares are 0",
                 text);
        return YK_EFORMAT;
    }
    *s = r;
    return YK_OK;
}

static yk_status parse_single(const char *text, struct yk_strategy *s, char *msg, size_t n)
{
    struct yk_strategy r = {.ops = &table[SINGLE], .single = YK_SPLIT_NONE};
    const char *name = text + strlen("single:");
    if (!*name || strlen(name) >= sizeof r.single_name) {
        snprintf(msg, n, *name ? "single: the device's name is too long" : "single: which device? (single:DEV)");
        return YK_EFORMAT;
    }
    memcpy(r.single_name, name, strlen(name) + 1);
    if (strspn(name, "0123456789") == strlen(name) && strlen(name) < 9)
        r.single = (unsigned)atoi(name);
    *s = r;
    return YK_OK;
}

yk_status yk_strategy_parse(const char *text, struct yk_strategy *s, char *msg, size_t n)
{
    if (!strncmp(text, "single:", 7))
        return parse_single(text, s, msg, n);
    if (isdigit((unsigned char)*text) || *text == '.')
        return parse_weights(text, s, msg, n);
    for (unsigned i = WATERFILL; i <= LINEAR; i++)
        if (!strcmp(text, table[i].name)) {
            *s = (struct yk_strategy){.ops = &table[i], .single = YK_SPLIT_NONE};
            return YK_OK;
        }
    snprintf(msg, n, "no strategy '%.60s': waterfill, skmd, guided, linear, even, shares such as 70:30, or single:DEV",
             text);
    return YK_EFORMAT;
}

yk_status yk_strategy_check(const struct yk_strategy *s, unsigned devices, char *msg, size_t n)
{
    if (s->ops == &table[WEIGHTS] && s->n > devices) {
        snprintf(msg, n, "%u shares, but %u device%s", s->n, devices, devices == 1 ? "" : "s");
        return YK_EINVAL;
    }
    if (s->ops == &table[SINGLE] && s->single >= devices) {
        snprintf(msg, n, "single: no device '%s'", s->single_name);
        return YK_EINVAL;
    }
    return YK_OK;
}

void yk_strategy_divide(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups)
{
    s->ops->divide(s, split, groups);
}

void yk_split_proportion(const struct yk_split *split, const double *weight, uint64_t *groups)
{
    uint64_t grain = split->grain ? split->grain : 1, units = split->total / grain, before = 0;
    double sum = 0, upto = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < split->n; i++) {
        sum += weight[i];
        last = weight[i] > 0 ? i : last;
    }
    /* Boundaries are rounded, not shares: they rise, so that the shares add up whatever the rounding. */
    for (unsigned i = 0; i < split->n; i++) {
        upto += weight[i];
        double exact = (double)units * (upto / sum) + 0.5;
        uint64_t edge = i >= last || exact >= (double)units ? units : (uint64_t)exact;
        if (!(weight[i] > 0) || edge < before)
            edge = before;
        groups[i] = (edge - before) * grain;
        before = edge;
    }
    for (unsigned i = split->n; i-- > 0;)
        if (groups[i] || (units == 0 && i == last)) {
            groups[i] += split->total % grain;
            break;
        }
}
