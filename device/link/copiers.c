#include "device/link/copiers.h"
#include <pthread.h>
#include <stddef.h>
#include "base/lock.h"
#include "base/thread.h"

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static struct yk_copy_job *jobs; /* those that want helpers */
static unsigned nthreads, nfree; /* nfree: in no job */

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
    (void)arg;
    yk_lock_take(&lock);
    for (;;) {
        while (!jobs)
            yk_lock_wait(&lock, &work);
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
    while (nthreads < YK_COPIERS_MOST && nfree < wanted && yk_thread_start(copier, NULL) == 0) {
        nthreads++;
        nfree++;
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
