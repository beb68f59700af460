#include "shim/memory/post.h"
#include "shim/memory/transfer.h"

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
    if (!yk_mailbox_post(s->ctx, from, s->real[from], to, s->real[to], off, len, &v->letter))
        return false;
    p->n++;
    return true;
}

bool yk_post_deliver(struct yk_post *p)
{
    cl_int err[YK_POST_MOST];
    for (unsigned i = 0; i < p->n; i++)
        err[i] = yk_letter_send(&p->v[i].letter);
    for (unsigned i = 0; i < p->n; i++) {
        struct yk_posted *v = &p->v[i];
        if (err[i] == CL_SUCCESS)
            err[i] = yk_letter_receive(&v->letter);
        yk_mailbox_posted(v->from, v->to, v->len, err[i]);
        if (err[i] == CL_SUCCESS)
            err[i] = yk_store_arrived(v->store, v->at, v->off, v->len);
        p->failed |= err[i] != CL_SUCCESS;
    }
    p->n = 0;
    return !p->failed;
}
