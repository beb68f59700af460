#include "shim/queue/stages_learned.h"
#include "base/log.h"
#include "partitioner/split_size.h"
#include "shim/memory/link.h"
#include "shim/queue/decide.h"
#include "shim/queue/remember.h"

/* Nothing is tried before memory is pinned, which changes all times; where it is not by then (PATIENCE chains), it
 * never is. REPAID: pinning costs what eight transfers over a ring lose (memory/inplace.c). */
enum { ENTRIES = 32, MOST = 64, PATIENCE = 16, DUEL_TRIES = 3, REPAID = 8 };

struct entry {
    struct yk_hash kernel, problem;
    unsigned chains;
    bool tuning, pinned, settled; /* pinned: while tuning */
    unsigned kept;                /* parts, as the database has it, or what was found; 0: not known */
    struct yk_split_size size;
    uint64_t used;
    struct duel {
        bool pinned, settled, apart; /* pinned: while trying; apart: if settled */
        unsigned tries[2];           /* on the primary alone, apart */
        double best_ms[2];
    } duel;
    struct often {
        unsigned made; /* in this process, */
        double before; /* in earlier ones, once ASKED */
        bool asked, enough;
    } often;
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static struct entry entries[ENTRIES]; /* guarded by lock, as is the next */
static uint64_t now;

static bool same(struct yk_hash a, struct yk_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* The entry of K, which may be new. With the lock held. */
static struct entry *entry_of(const struct yk_profile_key *k, bool *is_new)
{
    struct entry *oldest = entries;
    *is_new = false;
    now++;
    for (int i = 0; i < ENTRIES; i++) {
        struct entry *e = &entries[i];
        if (e->used && same(e->kernel, k->kernel) && same(e->problem, k->problem)) {
            e->used = now;
            return e;
        }
        oldest = e->used < oldest->used ? e : oldest;
    }
    *is_new = true;
    *oldest = (struct entry){.kernel = k->kernel, .problem = k->problem, .used = now};
    return oldest;
}

/* Parts as the database has them, if they are LEAST and more; 0: not known (yet). */
static unsigned recall(const struct yk_profile_key *k, unsigned least)
{
    struct yk_series s;
    if (!yk_profile_loaded() || !yk_profile_get(k, &s) || !s.n)
        return 0;
    double parts = s.at[s.n - 1].groups;
    return parts >= least && parts <= MOST ? (unsigned)parts : 0;
}

unsigned yk_stages_size(const struct yk_launch *l, unsigned first, bool pinned)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_PARTS);
    unsigned kept = recall(&k, 2), parts = first;
    bool is_new;
    yk_lock_take(&lock);
    struct entry *e = entry_of(&k, &is_new);
    e->chains++;
    if (kept && !e->tuning) {
        e->kept = kept;
        e->settled = true;
    }
    if (e->settled) {
        parts = e->kept;
    } else if (pinned || e->chains > PATIENCE) {
        if (!e->tuning || pinned != e->pinned)
            e->size = yk_split_size_start(first, MOST);
        e->tuning = true;
        e->pinned = pinned;
        parts = yk_split_size_next(&e->size);
    }
    yk_lock_drop(&lock);
    return parts;
}

void yk_stages_size_took(const struct yk_launch *l, unsigned parts, bool pinned, double ms, double in, double out)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_PARTS);
    unsigned p = yk_rt.primary->index;
    double rate = yk_code_get(&l->code->rate[p]), in_ms = in / yk_link_bandwidth(p, in),
           out_ms = out / yk_link_bandwidth(p, out), longer = in_ms > out_ms ? in_ms : out_ms;
    double kernel_ms = rate > 0 ? (double)yk_decide_items(l) / rate * 1e3 : 0;
    unsigned chosen = 0;
    double best = 0;
    bool is_new;
    yk_lock_take(&lock);
    struct entry *e = entry_of(&k, &is_new);
    if (e->tuning && !e->settled && pinned == e->pinned && yk_split_size_took(&e->size, parts, ms, longer, kernel_ms)) {
        e->settled = true;
        e->kept = chosen = yk_split_size_next(&e->size);
        best = yk_split_size_ms(&e->size);
    }
    yk_lock_drop(&lock);
    if (!chosen)
        return;
    yk_info("%s runs in %u parts beside its transfers from now on", l->code->name, chosen);
    yk_profile_set(&k, (struct yk_sample){.groups = chosen, .ms = best, .count = 1});
}

enum { KEPT_ALONE = 1, KEPT_APART = 2 }; /* in the database */

bool yk_stages_apart_next(const struct yk_launch *l, bool pinned)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_PARTS),
                          apart_key = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_APART);
    unsigned kept = recall(&apart_key, KEPT_ALONE);
    bool is_new, apart = false;
    yk_lock_take(&lock);
    struct entry *e = entry_of(&k, &is_new);
    struct duel *d = &e->duel;
    if (!d->settled && kept) {
        d->settled = true;
        d->apart = kept == KEPT_APART;
    }
    if (!pinned && e->chains <= PATIENCE) {
        apart = false;
    } else if (d->settled) {
        apart = d->apart;
    } else {
        if (d->pinned != pinned)
            *d = (struct duel){.pinned = pinned};
        apart = d->tries[0] >= DUEL_TRIES;
    }
    yk_lock_drop(&lock);
    return apart;
}

bool yk_stages_apart_hopeful(const struct yk_launch *l)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_PARTS),
                          apart_key = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_APART);
    unsigned kept = recall(&apart_key, KEPT_ALONE);
    bool is_new;
    yk_lock_take(&lock);
    const struct duel *d = &entry_of(&k, &is_new)->duel;
    bool hopeful = d->settled ? d->apart : kept != KEPT_ALONE;
    yk_lock_drop(&lock);
    return hopeful;
}

double yk_stages_apart_took(const struct yk_launch *l, bool pinned, bool apart, double ms)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_PARTS);
    double best = 0, gained;
    bool is_new, settled = false;
    yk_lock_take(&lock);
    struct entry *e = entry_of(&k, &is_new);
    struct duel *d = &e->duel;
    gained = d->tries[0] ? d->best_ms[0] - ms : d->settled ? ms / 2 : 0;
    if (!d->settled && pinned == d->pinned) {
        d->best_ms[apart] = !d->tries[apart] || ms < d->best_ms[apart] ? ms : d->best_ms[apart];
        d->tries[apart]++;
        settled = d->settled = d->tries[0] >= DUEL_TRIES && d->tries[1] >= DUEL_TRIES;
        if (settled)
            d->apart = d->best_ms[1] < 0.97 * d->best_ms[0];
        apart = d->apart;
        best = d->best_ms[apart];
    }
    yk_lock_drop(&lock);
    if (!settled)
        return gained;
    yk_info("%s runs beside its transfers on %s from now on", l->code->name, apart ? "several devices" : "the primary");
    k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_APART);
    yk_profile_set(&k, (struct yk_sample){.groups = apart ? KEPT_APART : KEPT_ALONE, .ms = best, .count = 1});
    return gained;
}

static void keep_often(const struct yk_profile_key *k, double made, double ms)
{
    yk_profile_set(k, (struct yk_sample){.groups = made, .ms = ms, .count = 1});
}

bool yk_stages_often(const struct yk_launch *l)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_OFTEN);
    struct yk_series s;
    bool known = yk_profile_loaded() && yk_profile_get(&k, &s) && s.n, halve = false, is_new;
    yk_lock_take(&lock);
    struct often *o = &entry_of(&k, &is_new)->often;
    if (known && !o->asked) {
        o->before = s.at[s.n - 1].groups;
        o->enough = halve = o->before >= REPAID;
        o->asked = true;
    }
    bool enough = o->enough;
    yk_lock_drop(&lock);
    if (halve)
        keep_often(&k, s.at[s.n - 1].groups / 2, s.at[s.n - 1].ms);
    return enough;
}

void yk_stages_often_took(const struct yk_launch *l, double ms)
{
    struct yk_profile_key k = yk_remember_key(l, yk_rt.primary->index, YK_SAMPLE_OFTEN);
    bool is_new;
    yk_lock_take(&lock);
    struct often *o = &entry_of(&k, &is_new)->often;
    unsigned made = ++o->made;
    bool more = made >= REPAID && !(made & (made - 1)) && made > o->before / 2;
    yk_lock_drop(&lock);
    if (more)
        keep_often(&k, made, ms);
}
