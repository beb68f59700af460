#include "shim/queue/crew.h"
#include "base/away.h"
#include "base/thread.h"
#include "device/device.h"

static struct {
    struct yk_lock lock;
    pthread_cond_t work;
    struct yk_task *first, **last;
    bool running;
    struct yk_away away; /* of its thread */
} crew[YK_MAX_DEVICES];

static struct yk_lock done_lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t done_changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    for (unsigned i = 0; i < YK_MAX_DEVICES; i++) {
        yk_lock_init(&crew[i].lock, YK_RANK_LEAF);
        pthread_cond_init(&crew[i].work, NULL);
        crew[i].last = &crew[i].first;
    }
}

static void *crew_thread(void *arg)
{
    unsigned dev = (unsigned)(uintptr_t)arg;
    yk_lock_take(&crew[dev].lock);
    yk_away_begin(&crew[dev].away);
    yk_lock_drop(&crew[dev].lock);
    for (;;) {
        yk_lock_take(&crew[dev].lock);
        while (!crew[dev].first)
            yk_lock_wait(&crew[dev].lock, &crew[dev].work);
        yk_away_end(&crew[dev].away);
        struct yk_task *t = crew[dev].first;
        if (!(crew[dev].first = t->next))
            crew[dev].last = &crew[dev].first;
        yk_lock_drop(&crew[dev].lock);
        t->run(t);
        yk_lock_take(&done_lock);
        t->done = true;
        pthread_cond_broadcast(&done_changed);
        yk_lock_drop(&done_lock);
    }
    return NULL;
}

/* With DEV's lock held. */
static bool runs(unsigned dev)
{
    return crew[dev].running = crew[dev].running || !yk_thread_start_elsewhere(crew_thread, (void *)(uintptr_t)dev);
}

void yk_crew_ready(unsigned dev)
{
    pthread_once(&once, init);
    yk_lock_take(&crew[dev].lock);
    (void)runs(dev); /* else it is tried again when there is something to do */
    yk_lock_drop(&crew[dev].lock);
}

bool yk_crew_start(unsigned dev, struct yk_task *t, bool on_processor)
{
    pthread_once(&once, init);
    t->next = NULL;
    t->done = false;
    yk_lock_take(&crew[dev].lock);
    bool ok = runs(dev);
    if (ok) {
        *crew[dev].last = t;
        crew[dev].last = &t->next;
        if (on_processor)
            yk_away_send(&crew[dev].away);
    }
    yk_lock_drop_and_signal(&crew[dev].lock, &crew[dev].work);
    return ok;
}

void yk_crew_wait(struct yk_task *t)
{
    yk_lock_take(&done_lock);
    while (!t->done)
        yk_lock_wait(&done_lock, &done_changed);
    yk_lock_drop(&done_lock);
}
