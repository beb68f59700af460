#include <pthread.h>
#include <stdlib.h>
#include "kernels/cpu/scratch.h"

struct scratch {
    size_t size;
    void *v;
};

static pthread_key_t key;
static int key_status = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(void *p)
{
    struct scratch *s = p;
    free(s->v);
    free(s);
}

static void make_key(void)
{
    key_status = pthread_key_create(&key, release);
}

void *yk_scratch(size_t bytes)
{
    pthread_once(&once, make_key);
    if (key_status != 0)
        return NULL;
    struct scratch *s = pthread_getspecific(key);
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s || pthread_setspecific(key, s) != 0) {
            free(s);
            return NULL;
        }
    }
    if (s->size < bytes) {
        bytes = (bytes + 4095) & ~(size_t)4095;
        free(s->v);
        s->v = aligned_alloc(64, bytes);
        s->size = s->v ? bytes : 0;
    }
    return s->v;
}
