#include "shim/core/leaver.h"
#include <string.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/background.h"

enum { LATER_MS = 100, MOST_LEFT = 4 };

static struct {
    struct yk_lock lock;
    pthread_cond_t changed;
    struct yk_context *first; /* waiting */
    unsigned left;            /* taken since the process began to end */
    unsigned busy;            /* threads that are releasing some */
    uint64_t due;             /* ns; when those that wait are released */
    bool thread;              /* one waits for that */
    bool any;                 /* waiting or being released; atomic to read */
} all = {.lock = YK_LOCK_INIT(YK_RANK_LEAF), .changed = PTHREAD_COND_INITIALIZER};

bool yk_leaver_wanted(void)
{
    return !strcmp(yk_rt.primary->platform_name, "NVIDIA CUDA");
}

void yk_leaver_flush(void)
{
    if (!__atomic_load_n(&all.any, __ATOMIC_ACQUIRE))
        return;
    yk_lock_take(&all.lock);
    struct yk_context *list = all.first;
    all.first = NULL;
    all.busy++;
    yk_lock_drop(&all.lock);
    while (list) {
        struct yk_context *next = list->next_leaving;
        yk_context_release(list);
        list = next;
    }
    yk_lock_take(&all.lock);
    if (!--all.busy)
        pthread_cond_broadcast(&all.changed);
    while (all.busy)
        yk_lock_wait(&all.lock, &all.changed);
    if (!all.first)
        __atomic_store_n(&all.any, false, __ATOMIC_RELEASE);
    yk_lock_drop(&all.lock);
}

/* Those that wait when they are due, until there are none. Ends with the process. */
static void *release_later(void *nothing)
{
    yk_lock_take(&all.lock);
    while (all.first) {
        uint64_t now = yk_now_ns();
        if (now < all.due) {
            yk_lock_wait_ns(&all.lock, &all.changed, all.due - now);
            continue;
        }
        yk_lock_drop(&all.lock);
        if (!yk_background_enter())
            return nothing; /* nobody starts another */
        yk_leaver_flush();
        yk_background_leave();
        yk_lock_take(&all.lock);
    }
    all.thread = false;
    yk_lock_drop(&all.lock);
    return nothing;
}

void yk_leaver_take(struct yk_context *ctx)
{
    yk_background_prepare(); /* the end of the process is to be noticed before the thread looks */
    bool ending = yk_background_ending();
    yk_lock_take(&all.lock);
    bool starts = !ending && !all.thread, many = ending && ++all.left > MOST_LEFT;
    all.thread |= starts;
    ctx->next_leaving = all.first;
    all.first = ctx;
    all.due = yk_now_ns() + LATER_MS * 1000000ull;
    __atomic_store_n(&all.any, true, __ATOMIC_RELEASE);
    yk_lock_drop(&all.lock);
    bool failed = starts && yk_thread_start(release_later, NULL);
    if (failed) {
        yk_lock_take(&all.lock);
        all.thread = false;
        yk_lock_drop(&all.lock);
    }
    if (failed || many) /* a main that has ended by pthread_exit, and others go on for long */
        yk_leaver_flush();
}
