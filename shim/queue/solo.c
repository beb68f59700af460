#include "shim/queue/solo.h"
#include <pthread.h>
#include <string.h>

enum { LOCKS = 16 };

/* By what a kernel's program is made of: two programs of one text are one to PoCL. */
static pthread_mutex_t at_work[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *lock_of(const struct yk_code *code, unsigned dev)
{
    return &at_work[(code->build->content.lo + dev) % LOCKS];
}

/* The basic device runs one command at a time anyway (device/opencl/serial.h). */
bool yk_solo_wanted(unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    return !strcmp(d->platform_name, "Portable Computing Language") && strncmp(d->name, "basic", 5) != 0;
}

bool yk_solo_begin(const struct yk_code *code, unsigned dev)
{
    return yk_solo_wanted(dev) && pthread_mutex_lock(lock_of(code, dev)) == 0;
}

void yk_solo_end(const struct yk_code *code, unsigned dev)
{
    pthread_mutex_unlock(lock_of(code, dev));
}
