#include "transform/facts_recall.h"
#include <string.h>

/* Append N bytes at P to C's key. */
static bool add(struct yk_recall *c, const void *p, size_t n)
{
    if (!yk_array_reserve(&c->key, c->key.n + n))
        return false;
    if (n)
        memcpy(c->key.v + c->key.n, p, n);
    c->key.n += n;
    return true;
}

static bool make_key(struct yk_recall *c, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                     const struct yk_share *share)
{
    c->key.n = 0;
    bool ok = add(c, &l->dims, sizeof l->dims) && add(c, l->groups, sizeof l->groups) &&
              add(c, l->local, sizeof l->local) && add(c, l->offset, sizeof l->offset) &&
              add(c, share->box, share->n * sizeof *share->box);
    for (unsigned i = 0; i < k->nargs && ok; i++) {
        ok = add(c, &l->arg[i].size, sizeof l->arg[i].size);
        if (ok && l->arg[i].bytes)
            ok = add(c, l->arg[i].bytes, l->arg[i].size);
    }
    return ok;
}

/* FROM's touches into TO. */
#define COPY(to, from)                                                                                                 \
    (yk_array_reserve((to), (from)->n)                                                                                 \
         ? ((from)->n ? memcpy((to)->v, (from)->v, (from)->n * sizeof *(to)->v) : NULL, (to)->n = (from)->n, true)     \
         : false)

yk_status yk_recall_share(struct yk_recall *c, struct yk_reach *r, const struct yk_facts_kernel *k,
                          const struct yk_reach_launch *l, const struct yk_share *share)
{
    if (!make_key(c, k, l, share))
        return YK_ENOMEM;
    for (unsigned i = 0; i < YK_RECALL_ENTRIES; i++) {
        const struct yk_recall_entry *e = &c->entry[i];
        if (e->key.n == c->key.n && !memcmp(e->key.v, c->key.v, c->key.n))
            return COPY(&r->touch, &e->touch) ? YK_OK : YK_ENOMEM;
    }
    yk_status s = yk_reach_share(r, k, l, share);
    struct yk_recall_entry *e = &c->entry[c->next];
    if (s != YK_OK)
        return s;
    e->key.n = 0; /* empty, should the next fail */
    if (COPY(&e->touch, &r->touch) && COPY(&e->key, &c->key))
        c->next = (c->next + 1) % YK_RECALL_ENTRIES;
    return YK_OK;
}

void yk_recall_finish(struct yk_recall *c)
{
    for (unsigned i = 0; i < YK_RECALL_ENTRIES; i++) {
        yk_array_finish(&c->entry[i].key);
        yk_array_finish(&c->entry[i].touch);
    }
    yk_array_finish(&c->key);
    c->next = 0;
}
