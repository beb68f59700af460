#include "profiler/profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "profiler/recent.h"

enum { MOST_ENTRIES = 1 << 16, MOST_PROBLEMS = 32, FIRST_SLOTS = 256 };
enum { MOST_LEARNED = 256 }; /* of the tree; the program beside it needs the processor too */

struct entry {
    struct yk_hash id;
    struct yk_database_key key;
    struct yk_series series;
    unsigned problems;   /* of the entry for all together */
    bool dirty, as_read; /* not measured here since it was read */
};

static struct {
    struct yk_lock lock;
    pthread_cond_t idle;
    struct entry **slot; /* open addressing; a power of two of them */
    size_t slots, used;
    struct yk_database *db; /* these two only by whoever has set `busy`; NULL: not opened */
    char path[PATH_MAX];
    bool busy, loaded, disabled, dirty;
    struct yk_model *model; /* NULL: not learned, or from too little; atomic; for good */
} profile = {.lock = YK_LOCK_INIT(YK_RANK_PROFILE), .idle = PTHREAD_COND_INITIALIZER};

void yk_profile_device_text(const struct yk_device *d, char out[YK_DATABASE_TEXT])
{
    /* Control characters would not pass the check when read. */
    snprintf(out, YK_DATABASE_TEXT, "%.90s / %.60s #%u", d->name, d->driver, d->twin);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < 32)
            *c = ' ';
}

static struct yk_hash id_of(const struct yk_database_key *k)
{
    struct yk_hash h = yk_hash_str((struct yk_hash){0, 0}, k->kernel);
    h = yk_hash_str(yk_hash_str(yk_hash_str(h, k->device), k->local), k->problem);
    return yk_hash_bytes(h, &k->kind, sizeof k->kind);
}

static void key_text(const struct yk_profile_key *k, bool all, struct yk_database_key *out)
{
    memset(out, 0, sizeof *out);
    yk_hash_hex(k->kernel, out->kernel);
    snprintf(out->name, sizeof out->name, "%s", k->name ? k->name : "");
    yk_profile_device_text(k->device, out->device);
    snprintf(out->local, sizeof out->local, "%zux%zux%zu", k->local[0], k->local[1], k->local[2]);
    if (!all && (k->problem.lo || k->problem.hi))
        yk_hash_hex(k->problem, out->problem);
    out->kind = k->kind;
}

void yk_profile_key_text(const struct yk_profile_key *k, struct yk_database_key *out)
{
    key_text(k, false, out);
}

struct yk_profile_key yk_profile_link_key(const struct yk_device *d, enum yk_sample_kind kind)
{
    return (struct yk_profile_key){.name = "(link)", .device = d, .kind = kind};
}

static struct entry **find(struct yk_hash id)
{
    for (size_t i = id.lo & (profile.slots - 1);; i = (i + 1) & (profile.slots - 1))
        if (!profile.slot[i] || (profile.slot[i]->id.lo == id.lo && profile.slot[i]->id.hi == id.hi))
            return &profile.slot[i];
}

static bool grow(void)
{
    if (profile.slots && 2 * (profile.used + 1) <= profile.slots)
        return true;
    size_t old = profile.slots, n = old ? 2 * old : FIRST_SLOTS;
    struct entry **was = profile.slot, **slot = n <= 4 * MOST_ENTRIES ? calloc(n, sizeof *slot) : NULL;
    if (!slot)
        return false;
    profile.slot = slot;
    profile.slots = n;
    for (size_t i = 0; i < old; i++)
        if (was[i])
            *find(was[i]->id) = was[i];
    free(was);
    return true;
}

/* The entry of K, made if need be; NULL: no room. Lock held. */
static struct entry *entry_of(const struct yk_database_key *k, bool *made)
{
    if (!grow())
        return NULL;
    struct yk_hash id = id_of(k);
    struct entry **e = find(id);
    *made = !*e;
    if (!*e && profile.used < MOST_ENTRIES && (*e = calloc(1, sizeof **e))) {
        **e = (struct entry){.id = id, .key = *k};
        profile.used++;
    }
    return *e;
}

static void take_over(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    bool made;
    (void)arg;
    yk_lock_take(&profile.lock);
    struct entry *e = entry_of(k, &made);
    if (e && (made || e->as_read)) { /* what was measured here meanwhile is newer */
        e->series = *s;
        e->as_read = true;
    }
    yk_lock_drop(&profile.lock);
}

static void begin_work(void)
{
    yk_lock_take(&profile.lock);
    while (profile.busy)
        yk_lock_wait(&profile.lock, &profile.idle);
    profile.busy = true;
    yk_lock_drop(&profile.lock);
}

static void end_work(bool loaded)
{
    yk_lock_take(&profile.lock);
    profile.busy = false;
    if (loaded)
        __atomic_store_n(&profile.loaded, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&profile.idle);
    yk_lock_drop(&profile.lock);
}

bool yk_profile_loaded(void)
{
    return __atomic_load_n(&profile.loaded, __ATOMIC_ACQUIRE);
}

/* By whoever has set `busy`. */
static void read_database(void)
{
    if (!profile.db)
        profile.db = yk_database_open(profile.path);
    if (profile.db)
        (void)yk_recent_renew(profile.db, take_over, NULL); /* damaged: it said so, and is empty now */
}

void yk_profile_load(void)
{
    size_t appended = 0, much = 0;
    if (yk_profile_loaded())
        return;
    begin_work();
    if (!yk_profile_loaded()) {
        profile.disabled = !yk_env_bool("YOKE_PROFILE", true) || !yk_database_default_path(profile.path);
        much = profile.disabled || yk_recent_read(profile.path, take_over, NULL, &appended) ? appended : SIZE_MAX;
    }
    if (much == SIZE_MAX)
        read_database();
    end_work(true);
    if (much != SIZE_MAX && much > YK_RECENT_LONG) {
        begin_work();
        read_database();
        end_work(true);
    }
}

/* Lock held. */
static void changed(struct entry *e)
{
    e->as_read = false;
    e->dirty = profile.dirty = true;
}

static void add_to(const struct yk_database_key *k, double groups, double ms, struct entry *all)
{
    bool made;
    struct entry *e = entry_of(k, &made);
    if (!e)
        return;
    if (all && made)
        all->problems++;
    if (k->kind == YK_SAMPLE_FIRST || yk_sample_of_link(k->kind))
        yk_series_add_least(&e->series, groups, ms);
    else
        yk_series_add(&e->series, groups, ms);
    changed(e);
}

void yk_profile_add(const struct yk_profile_key *k, double groups, double ms)
{
    struct yk_database_key all, one;
    bool made;
    key_text(k, true, &all);
    key_text(k, false, &one);
    yk_lock_take(&profile.lock);
    struct entry *e = entry_of(&all, &made);
    if (e)
        add_to(&all, groups, ms, NULL);
    if (e && one.problem[0] && (e->problems < MOST_PROBLEMS || *find(id_of(&one))))
        add_to(&one, groups, ms, e);
    yk_lock_drop(&profile.lock);
}

/* The entry of K's own problem; NULL: none. Lock held. */
static struct entry *known(const struct yk_profile_key *k)
{
    struct yk_database_key key;
    key_text(k, false, &key);
    return profile.slots ? *find(id_of(&key)) : NULL;
}

void yk_profile_lower(const struct yk_profile_key *k, double groups, double ms)
{
    yk_lock_take(&profile.lock);
    struct entry *e = known(k);
    if (e) {
        yk_series_lower(&e->series, groups, ms);
        changed(e);
    }
    yk_lock_drop(&profile.lock);
}

void yk_profile_set(const struct yk_profile_key *k, struct yk_sample sample)
{
    struct yk_database_key key;
    bool made;
    key_text(k, false, &key);
    yk_lock_take(&profile.lock);
    struct entry *e = entry_of(&key, &made);
    if (e) {
        e->series = (struct yk_series){.n = 1, .at = {sample}};
        changed(e);
    }
    yk_lock_drop(&profile.lock);
}

void yk_profile_code(const struct yk_profile_key *k, const uint32_t *count)
{
    struct yk_database_key key;
    struct yk_series s;
    bool made;
    key_text(k, true, &key);
    key.device[0] = key.local[0] = 0;
    key.kind = YK_SAMPLE_CODE;
    yk_model_code(count, &s);
    yk_lock_take(&profile.lock);
    struct entry *e = s.n ? entry_of(&key, &made) : NULL;
    if (e && (e->series.n != s.n || memcmp(e->series.at, s.at, s.n * sizeof *s.at) != 0)) {
        e->series = s;
        changed(e);
    }
    yk_lock_drop(&profile.lock);
}

void yk_profile_learn(const struct yk_device *device)
{
    static char begun;
    char name[YK_DATABASE_TEXT];
    if (__atomic_test_and_set(&begun, __ATOMIC_RELAXED))
        return;
    struct yk_model *m = malloc(sizeof *m);
    struct yk_model_data *d = m ? yk_model_data_new(MOST_LEARNED) : NULL;
    bool all = d != NULL;
    yk_lock_take(&profile.lock);
    for (size_t i = 0; all && i < profile.slots; i++)
        if (profile.slot[i])
            all = yk_model_data_add(d, &profile.slot[i]->key, &profile.slot[i]->series);
    yk_lock_drop(&profile.lock);
    yk_profile_device_text(device, name);
    if (all && yk_model_train(d, name, m) == YK_OK) {
        yk_debug(
            "profile: the tree of %s has %zu kernels; half of those left out are predicted within a factor of %.2f",
            name, m->kernels, m->factor);
        __atomic_store_n(&profile.model, m, __ATOMIC_RELEASE);
    } else {
        free(m);
    }
    yk_model_data_free(d);
}

bool yk_profile_guess(const uint32_t *count, double items, double local, double *ms, double *factor)
{
    const struct yk_model *m = __atomic_load_n(&profile.model, __ATOMIC_ACQUIRE);
    if (!m)
        return false;
    *ms = yk_model_ms(m, count, items, local);
    *factor = m->factor;
    return true;
}

bool yk_profile_get(const struct yk_profile_key *k, struct yk_series *out)
{
    yk_lock_take(&profile.lock);
    struct entry *e = known(k);
    bool found = e && e->series.n;
    if (found)
        *out = e->series;
    yk_lock_drop(&profile.lock);
    return found;
}

bool yk_profile_find(const struct yk_profile_key *k, struct yk_series *out, bool *exact)
{
    struct yk_profile_key all = *k;
    *exact = yk_profile_get(k, out);
    all.problem = (struct yk_hash){0, 0};
    return *exact || yk_profile_get(&all, out);
}

/* N entries into the database. */
static void commit(const struct entry *e, size_t n)
{
    if (!profile.db)
        profile.db = yk_database_open(profile.path);
    if (!profile.db || yk_database_begin(profile.db) != YK_OK)
        return;
    yk_status s = YK_OK;
    for (size_t i = 0; i < n && s == YK_OK; i++)
        s = yk_database_write(profile.db, &e[i].key, &e[i].series);
    (void)yk_database_commit(profile.db); /* what failed has been said, and costs these samples */
}

/* N entries into the file beside it, which costs a short process less. */
static bool append(const struct entry *e, size_t n)
{
    char *records = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&records, &bytes);
    for (size_t i = 0; to && i < n; i++)
        yk_recent_put(to, &e[i].key, &e[i].series);
    bool done = to && !fclose(to) && yk_recent_append(profile.path, records, bytes);
    free(records);
    return done;
}

void yk_profile_save(void)
{
    yk_lock_take(&profile.lock);
    bool dirty = profile.dirty;
    size_t n = 0, most = profile.used;
    yk_lock_drop(&profile.lock);
    if (!dirty)
        return;
    yk_profile_load();
    begin_work();
    struct entry *copy = profile.disabled ? NULL : malloc((most + 1) * sizeof *copy);
    yk_lock_take(&profile.lock);
    profile.dirty = false;
    for (size_t i = 0; copy && i < profile.slots && n < most; i++)
        if (profile.slot[i] && profile.slot[i]->dirty) {
            profile.slot[i]->dirty = false;
            copy[n++] = *profile.slot[i];
        }
    yk_lock_drop(&profile.lock);
    struct yk_write_guard guard; /* at exit this is the app's thread */
    yk_write_guard_begin(&guard);
    if (n && !append(copy, n))
        commit(copy, n);
    yk_write_guard_end(&guard);
    free(copy);
    end_work(false);
}
