#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/memo.h"

enum { SLOTS = 256 };
/* Of one plan, of all plans of a thread. */
static const size_t PLAN_BYTES = 128 << 10, THREAD_BYTES = 4 << 20;

struct slot {
    struct yk_cpu_plan *plan;
    uint32_t *word;
    uint32_t n, hash;
};

struct memo {
    size_t bytes;
    struct slot slot[SLOTS];
};

static pthread_key_t key;
static int key_status = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void yk_cpu_plan_free(struct yk_cpu_plan *plan)
{
    if (!plan)
        return;
    yk_panel_shape_finish(&plan->shape);
    yk_canon_finish(&plan->canon);
    free(plan);
}

static size_t slot_bytes(const struct slot *s)
{
    return sizeof *s->plan + s->n * sizeof *s->word + s->plan->shape.bytes;
}

static void empty(struct memo *m, struct slot *s)
{
    if (!s->plan)
        return;
    m->bytes -= slot_bytes(s);
    yk_cpu_plan_free(s->plan);
    free(s->word);
    *s = (struct slot){0};
}

static void empty_all(struct memo *m)
{
    for (int i = 0; i < SLOTS; i++)
        empty(m, &m->slot[i]);
}

static void release(void *p)
{
    empty_all(p);
    free(p);
}

static void make_key(void)
{
    key_status = pthread_key_create(&key, release);
}

static struct memo *own(bool make)
{
    pthread_once(&once, make_key);
    if (key_status != 0)
        return NULL;
    struct memo *m = pthread_getspecific(key);
    if (!m && make) {
        m = calloc(1, sizeof *m);
        if (m && pthread_setspecific(key, m) != 0) {
            free(m);
            m = NULL;
        }
    }
    return m;
}

bool yk_memo_key(struct yk_memo_key *k, const struct yk_bucket *b, uint32_t vl, int threads)
{
    size_t words = 6 + (size_t)b->rank + b->nsum + b->out.n;
    if (b->rank > YK_BUCKET_MAX_RANK || b->ninputs > YK_MEMO_WORDS || b->nsum > YK_BUCKET_MAX_RANK ||
        b->out.n > YK_BUCKET_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < b->ninputs; i++)
        words += (size_t)b->input[i].n + 2;
    if (words + 2 > YK_MEMO_WORDS)
        return false;
    uint32_t n = 0;
#define PUT(x) (k->word[n++] = (uint32_t)(x))
    PUT(vl);
    PUT(threads);
    PUT(b->rank);
    PUT(b->ninputs);
    PUT(b->nsum);
    for (uint32_t v = 0; v < b->rank; v++)
        PUT(b->domain[v]);
    for (uint32_t i = 0; i <= b->ninputs; i++) {
        const struct yk_bucket_table *t = i < b->ninputs ? &b->input[i] : &b->out;
        if (t->cells > UINT32_MAX) /* a plan is of what was checked: cells too */
            return false;
        PUT(t->cells);
        PUT(t->n);
        for (uint32_t v = 0; v < t->n; v++)
            PUT(t->var[v]);
    }
    for (uint32_t v = 0; v < b->nsum; v++)
        PUT(b->sum[v]);
#undef PUT
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ k->word[i]) * 0x9e3779b97f4a7c15u;
    k->n = n;
    k->hash = (uint32_t)(h >> 32);
    return true;
}

const struct yk_cpu_plan *yk_memo_find(const struct yk_memo_key *k)
{
    struct memo *m = own(false);
    if (!m)
        return NULL;
    const struct slot *s = &m->slot[k->hash % SLOTS];
    return s->plan && s->hash == k->hash && s->n == k->n && memcmp(s->word, k->word, k->n * sizeof *s->word) == 0
               ? s->plan
               : NULL;
}

void yk_memo_keep(const struct yk_memo_key *k, struct yk_cpu_plan *plan)
{
    struct memo *m = plan->shape.bytes <= PLAN_BYTES ? own(true) : NULL;
    struct slot s = {plan, m ? malloc(k->n * sizeof *k->word) : NULL, k->n, k->hash};
    if (!s.word) {
        yk_cpu_plan_free(plan);
        return;
    }
    memcpy(s.word, k->word, k->n * sizeof *k->word);
    struct slot *at = &m->slot[k->hash % SLOTS];
    empty(m, at);
    if (m->bytes + slot_bytes(&s) > THREAD_BYTES)
        empty_all(m);
    *at = s;
    m->bytes += slot_bytes(at);
}

void yk_memo_forget(void)
{
    struct memo *m = own(false);
    if (m)
        empty_all(m);
}
