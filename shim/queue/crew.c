#include "shim/queue/crew.h"
#include "base/away.h"
#include "base/clock.h"
#include "base/look.h"
#include "base/thread.h"
#include "device/device.h"

static struct {
    struct yk_lock lock;
    pthread_cond_t work;
    struct yk_task *first, **last;
    unsigned given; /* tasks so far; atomic to read */
    bool running;
    bool asleep;         /* its thread has to be woken */
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

/* The next task of DEV, of whom TAKEN have been taken. */
static struct yk_task *next(unsigned dev, unsigned taken, struct yk_look *look)
{
    uint64_t start = yk_now_ns();
    (void)yk_look(look, &crew[dev].given, taken);
    yk_lock_take(&crew[dev].lock);
    while (!crew[dev].first) {
        crew[dev].asleep = true;
        yk_lock_wait(&crew[dev].lock, &crew[dev].work);
    }
    crew[dev].asleep = false;
    yk_away_end(&crew[dev].away);
    struct yk_task *t = crew[dev].first;
    if (!(crew[dev].first = t->next))
        crew[dev].last = &crew[dev].first;
    yk_lock_drop(&crew[dev].lock);
    yk_look_over(look, start);
    return t;
}

static void *crew_thread(void *arg)
{
    unsigned dev = (unsigned)(uintptr_t)arg;
    struct yk_look look = {0};
    yk_lock_take(&crew[dev].lock);
    yk_away_begin(&crew[dev].away);
    yk_lock_drop(&crew[dev].lock);
    for (unsigned taken = 0;; taken++) {
        struct yk_task *t = next(dev, taken, &look);
        t->run(t);
        yk_lock_take(&done_lock);
        __atomic_store_n(&t->done, 1, __ATOMIC_RELEASE);
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
    t->done = 0;
    yk_lock_take(&crew[dev].lock);
    bool ok = runs(dev);
    if (ok) {
        *crew[dev].last = t;
        crew[dev].last = &t->next;
        __atomic_store_n(&crew[dev].given, crew[dev].given + 1, __ATOMIC_RELEASE);
        if (on_processor && crew[dev].asleep)
            yk_away_send(&crew[dev].away);
    }
    yk_lock_drop_and_signal(&crew[dev].lock, &crew[dev].work);
    return ok;
}

void yk_crew_wait(struct yk_task *t)
{
    static _Thread_local struct yk_look look;
    uint64_t start = yk_now_ns();
    (void)yk_look(&look, &t->done, 0);
    yk_lock_take(&done_lock);
    while (!t->done)
        yk_lock_wait(&done_lock, &done_changed);
    yk_lock_drop(&done_lock);
    yk_look_over(&look, start);
}
