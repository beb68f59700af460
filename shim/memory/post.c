#include "shim/memory/post.h"
#include "base/clock.h"
#include "shim/memory/transfer.h"

static uint64_t lately_ns = 60000; /* of deliveries; two H200 take 50 to 70 us; atomic */

double yk_post_ms(void)
{
    return (double)__atomic_load_n(&lately_ns, __ATOMIC_RELAXED) * 1e-6;
}

/* Deliveries of several threads may lose one another's: they are alike. */
static void took(uint64_t ns)
{
    uint64_t before = __atomic_load_n(&lately_ns, __ATOMIC_RELAXED), most = 4 * before;
    ns = ns < most ? ns : most; /* a thread that was not woken says nothing of links */
    __atomic_store_n(&lately_ns, before - before / 8 + ns / 8, __ATOMIC_RELAXED);
}

/* Has the same been begun? Two arguments may need it. */
static bool has(const struct yk_post *p, const struct yk_store *s, unsigned at, size_t off, size_t len)
{
    for (unsigned i = 0; i < p->n; i++) {
        const struct yk_posted *v = &p->v[i];
        if (v->store == s && v->at == at && v->off <= off && off + len <= v->off + v->len)
            return true;
    }
    return false;
}

bool yk_post_add(struct yk_post *p, struct yk_store *s, unsigned from, unsigned to, unsigned at, size_t off, size_t len)
{
    if (has(p, s, at, off, len))
        return true;
    if (p->n == YK_POST_MOST)
        return false;
    struct yk_posted *v = &p->v[p->n];
    *v = (struct yk_posted){.store = s, .off = off, .len = len, .at = at, .from = from, .to = to};
    if (!yk_mailbox_post(s->ctx, from, s->real[from], to, s->real[to], p->into[to], off, len, &v->letter))
        return false;
    p->n++;
    return true;
}

/* V has ended with ERR. */
static void over(struct yk_post *p, struct yk_posted *v, cl_int err)
{
    yk_mailbox_posted(v->from, v->to, v->len, err);
    if (err == CL_SUCCESS)
        err = yk_store_arrived(v->store, v->at, v->off, v->len);
    if (err != CL_SUCCESS) {
        p->failed = true;
        p->lost |= 1u << v->to;
    }
}

bool yk_post_send(struct yk_post *p)
{
    uint64_t from = yk_now_ns();
    unsigned left = 0;
    for (unsigned i = 0; i < p->n; i++) {
        cl_int err = yk_letter_send(&p->v[i].letter);
        if (err == CL_SUCCESS)
            p->v[left++] = p->v[i];
        else
            over(p, &p->v[i], err);
    }
    if (p->n)
        took(yk_now_ns() - from);
    p->n = left;
    return !p->failed;
}

bool yk_post_receive(struct yk_post *p)
{
    for (unsigned i = 0; i < p->n; i++)
        over(p, &p->v[i], yk_letter_receive(&p->v[i].letter));
    p->n = 0;
    return !p->failed;
}

bool yk_post_deliver(struct yk_post *p)
{
    (void)yk_post_send(p);
    return yk_post_receive(p);
}
