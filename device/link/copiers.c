#include "device/link/copiers.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/away.h"
#include "base/lock.h"
#include "base/thread.h"

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static struct yk_copy_job *jobs; /* those that want helpers */
static unsigned nthreads, nfree; /* nfree: in no job */
static struct {
    bool free;
    struct yk_away away;
} thread[YK_COPIERS_MOST];

static void remove_job(struct yk_copy_job *job)
{
    for (struct yk_copy_job **p = &jobs; *p; p = &(*p)->next)
        if (*p == job) {
            *p = job->next;
            return;
        }
}

static void *copier(void *arg)
{
    unsigned i = (unsigned)(uintptr_t)arg;
    yk_lock_take(&lock);
    yk_away_begin(&thread[i].away);
    for (;;) {
        thread[i].free = true;
        while (!jobs)
            yk_lock_wait(&lock, &work);
        thread[i].free = false;
        yk_away_end(&thread[i].away);
        struct yk_copy_job *job = jobs;
        nfree--;
        job->inside++;
        if (!--job->wanted)
            remove_job(job);
        yk_lock_drop(&lock);
        job->run(job);
        yk_lock_take(&lock);
        nfree++;
        if (!--job->inside)
            pthread_cond_broadcast(&left);
    }
    return NULL;
}

/* With the lock held. */
static bool begin_one(void)
{
    if (nthreads >= YK_COPIERS_MOST || yk_thread_start(copier, (void *)(uintptr_t)nthreads))
        return false;
    nthreads++;
    nfree++;
    return true;
}

void yk_copiers_ready(unsigned n)
{
    yk_lock_take(&lock);
    while (nthreads < n && begin_one())
        ;
    yk_lock_drop(&lock);
}

void yk_copiers_join(struct yk_copy_job *job, unsigned n)
{
    job->wanted = n;
    job->inside = 0;
    if (!n)
        return;
    yk_lock_take(&lock);
    job->next = jobs;
    jobs = job;
    unsigned wanted = 0;
    for (const struct yk_copy_job *j = jobs; j; j = j->next)
        wanted += j->wanted;
    while (nfree < wanted && begin_one())
        ;
    for (unsigned i = 0; i < nthreads && n; i++)
        if (thread[i].free) {
            yk_away_send(&thread[i].away); /* the caller copies too */
            n--;
        }
    pthread_cond_broadcast(&work);
    yk_lock_drop(&lock);
}

void yk_copiers_leave(struct yk_copy_job *job)
{
    yk_lock_take(&lock);
    if (job->wanted)
        remove_job(job);
    job->wanted = 0;
    while (job->inside)
        yk_lock_wait(&lock, &left);
    yk_lock_drop(&lock);
}
