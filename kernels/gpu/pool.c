#include "kernels/gpu/pool.h"
#include <stdbool.h>
#include <stdlib.h>

/* Eight sizes between a power of two and the next: at most an eighth more than asked for. */
static size_t class_of(size_t bytes)
{
    size_t step = 256;
    while (bytes / 16 >= step)
        step *= 2;
    return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

static bool room(struct yk_gpu_block **list, size_t *have, size_t need)
{
    if (need <= *have)
        return true;
    size_t more = *have ? 2 * *have : 64;
    struct yk_gpu_block *v = realloc(*list, more * sizeof *v);
    if (!v)
        return false;
    *list = v;
    *have = more;
    return true;
}

static void give_back_idle(struct yk_gpu_pool *p)
{
    while (p->nidle)
        p->give_back(p->ctx, p->idle[--p->nidle].at);
    p->kept = 0;
}

yk_status yk_gpu_pool_alloc(struct yk_gpu_pool *p, size_t bytes, uint64_t *at)
{
    const size_t want = class_of(bytes ? bytes : 1);
    if (!room(&p->used, &p->used_room, p->nused + 1))
        return YK_ENOMEM;
    for (size_t i = p->nidle; i-- > 0;)
        if (p->idle[i].bytes == want) {
            *at = p->idle[i].at;
            p->used[p->nused++] = p->idle[i];
            p->idle[i] = p->idle[--p->nidle];
            p->kept -= want;
            return YK_OK;
        }
    yk_status st = p->take(p->ctx, want, at);
    if (st == YK_EDEVMEM && p->nidle) {
        give_back_idle(p);
        st = p->take(p->ctx, want, at);
    }
    if (st == YK_OK)
        p->used[p->nused++] = (struct yk_gpu_block){*at, want};
    return st;
}

void yk_gpu_pool_free(struct yk_gpu_pool *p, uint64_t at)
{
    size_t i = p->nused;
    while (i > 0 && p->used[i - 1].at != at) /* the last taken is often the first freed */
        i--;
    if (!i)
        return;
    const struct yk_gpu_block b = p->used[i - 1];
    p->used[i - 1] = p->used[--p->nused];
    if (p->kept + b.bytes > p->most || !room(&p->idle, &p->idle_room, p->nidle + 1)) {
        p->give_back(p->ctx, at);
        return;
    }
    p->idle[p->nidle++] = b;
    p->kept += b.bytes;
}

void yk_gpu_pool_finish(struct yk_gpu_pool *p)
{
    give_back_idle(p);
    free(p->idle);
    free(p->used);
    p->idle = p->used = NULL;
    p->nused = p->used_room = p->idle_room = 0;
}
