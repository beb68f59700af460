#include "shim/queue/known.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 8 << 20, FIRST_SLOTS = 256 };

/* What lies in K's bytes at an entry: this, the key, the rows. All are multiples of eight bytes. */
struct entry {
    uint64_t hash;
    uint32_t nkey, nrows;
};

static uint64_t hash_of(const void *key, size_t n)
{
    const uint64_t *p = key;
    uint64_t h = n;
    for (size_t i = 0; i < n / sizeof *p; i++) {
        h = (h ^ p[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 32;
    }
    return h;
}

/* Words that V, as an argument F, adds to a key; -1: it does not fit. */
static int words_of(const struct yk_value *v, const struct yk_facts_arg *f)
{
    if (f->kind == YK_ARG_VALUE)
        return v->kind == YK_VALUE_BYTES && v->size == f->size ? (int)((v->size + 7) / 8) : -1;
    if (f->kind == YK_ARG_LOCAL)
        return v->kind == YK_VALUE_LOCAL ? 0 : -1;
    return v->kind == YK_VALUE_MEM && v->u.mem->store ? 1 : -1;
}

bool yk_known_key(const struct yk_launch *l, const struct yk_merged *m, const uint64_t *groups, void *key, size_t size,
                  size_t *n)
{
    uint64_t *at = key, *end = at + size / sizeof *at;
    bool room = end - at >= 10;
    if (!room || l->nvalues != m->facts->nargs)
        return false;
    *at++ = m->id << 8 | l->dims << 1 | l->has_offset;
    for (unsigned i = 0; i < l->dims; i++) {
        *at++ = groups[i];
        *at++ = l->local[i];
        if (l->has_offset)
            *at++ = l->offset[i];
    }
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        int words = words_of(v, &m->facts->arg[i]);
        if (words < 0)
            return false;
        room = room && end - at >= words;
        if (!words || !room)
            continue;
        if (v->kind == YK_VALUE_BYTES) {
            at[words - 1] = 0;
            yk_value_bytes_to(at, v);
        } else {
            *at = v->u.mem->size;
        }
        at += words;
    }
    *n = room ? (size_t)((unsigned char *)at - (unsigned char *)key) : 0;
    return true;
}

static struct entry *entry_at(const struct yk_known *k, uint32_t at)
{
    return (struct entry *)(void *)(k->bytes.v + (size_t)at * 8);
}

/* Where KEY is, or would be; slots hold places in units of eight bytes, and one more. */
static uint32_t *slot_of(const struct yk_known *k, uint64_t hash, const void *key, size_t n)
{
    for (size_t i = hash >> 20;; i++) {
        uint32_t *s = &k->slot[i & (k->nslots - 1)];
        if (!*s)
            return s;
        const struct entry *e = entry_at(k, *s - 1);
        if (key && e->hash == hash && e->nkey == n && !memcmp(e + 1, key, n))
            return s;
    }
}

static bool same_words(const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < n / sizeof *a; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

/* The entry behind the last one, or the first of all, if it is of KEY. */
static const struct entry *next_is(const struct yk_known *k, const void *key, size_t n)
{
    if (!k->bytes.n)
        return NULL;
    size_t at = k->next < k->bytes.n ? k->next : 0;
    const struct entry *e = (const struct entry *)(const void *)(k->bytes.v + at);
    return e->nkey == n && same_words((const uint64_t *)(const void *)(e + 1), key, n) ? e : NULL;
}

const struct yk_known_row *yk_known_find(struct yk_known *k, const void *key, size_t n, size_t *rows)
{
    const struct entry *e = next_is(k, key, n);
    if (!e) {
        const uint32_t *s = k->nslots ? slot_of(k, hash_of(key, n), key, n) : NULL;
        if (!s || !*s)
            return NULL;
        e = entry_at(k, *s - 1);
    }
    const unsigned char *row = (const unsigned char *)(e + 1) + n;
    *rows = e->nrows;
    k->next = (size_t)(row - k->bytes.v) + e->nrows * sizeof(struct yk_known_row);
    return (const struct yk_known_row *)(const void *)row;
}

static void forget(struct yk_known *k)
{
    k->bytes.n = k->n = k->next = 0;
    if (k->nslots)
        memset(k->slot, 0, k->nslots * sizeof *k->slot);
}

/* Twice as many slots. */
static bool widen(struct yk_known *k)
{
    size_t wider = k->nslots ? 2 * k->nslots : FIRST_SLOTS;
    uint32_t *old = k->slot;
    size_t nold = k->nslots;
    uint32_t *slot = calloc(wider, sizeof *slot);
    if (!slot)
        return false;
    k->slot = slot;
    k->nslots = wider;
    for (size_t i = 0; i < nold; i++)
        if (old[i])
            *slot_of(k, entry_at(k, old[i] - 1)->hash, NULL, 0) = old[i];
    free(old);
    return true;
}

void yk_known_add(struct yk_known *k, const void *key, size_t n, const struct yk_known_row *row, size_t rows)
{
    size_t bytes = sizeof(struct entry) + n + rows * sizeof *row;
    if (k->bytes.n + bytes > MOST_BYTES)
        forget(k);
    if ((2 * k->n >= k->nslots && !widen(k)) || !yk_array_reserve(&k->bytes, k->bytes.n + bytes))
        return;
    struct entry e = {hash_of(key, n), (uint32_t)n, (uint32_t)rows};
    uint32_t *slot = slot_of(k, e.hash, key, n);
    unsigned char *to = k->bytes.v + k->bytes.n;
    memcpy(to, &e, sizeof e);
    memcpy(to + sizeof e, key, n);
    if (rows)
        memcpy(to + sizeof e + n, row, rows * sizeof *row);
    *slot = (uint32_t)(k->bytes.n / 8) + 1;
    k->bytes.n += bytes;
    k->next = k->bytes.n;
    k->n++;
}

void yk_known_finish(struct yk_known *k)
{
    yk_array_finish(&k->bytes);
    free(k->slot);
    *k = (struct yk_known){.n = 0};
}
