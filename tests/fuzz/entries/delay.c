/* To be preloaded: threads that take or drop a lock, or wake others, sleep now and then, so that others come between
 * where they otherwise never would. How often and how long, each process chooses anew; DELAY=ONE_IN:MICROSECONDS says
 * it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pid_t chosen_by;
static unsigned one_in, most_us;

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static uint64_t seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_nsec + (uint64_t)getpid() * 7919) * UINT64_C(0x9e3779b97f4a7c15);
}

/* From many short ones to few long ones. */
static void choose(void)
{
    static const unsigned kind[][2] = {{10, 50}, {20, 100}, {50, 300}, {200, 3000}, {500, 20000}};
    uint64_t state = seed();
    const unsigned *k = kind[next(&state) % (sizeof kind / sizeof *kind)];
    const char *said = getenv("DELAY");
    if (!said || sscanf(said, "%u:%u", &one_in, &most_us) != 2 || !one_in || !most_us)
        one_in = k[0], most_us = k[1];
    chosen_by = getpid();
}

static void delay(void)
{
    static _Thread_local uint64_t state;
    if (chosen_by != getpid())
        choose();
    state = state ? state : seed() + (uintptr_t)&state;
    if (next(&state) % one_in)
        return;
    int before; /* taking a lock is no place to be cancelled at, sleeping is */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    nanosleep(&(struct timespec){.tv_nsec = (long)(next(&state) % most_us) * 1000}, NULL);
    pthread_setcancelstate(before, NULL);
}

#define DELAYED(name, type)                                                                                            \
    __attribute__((visibility("default"))) int name(type *object)                                                      \
    {                                                                                                                  \
        static int (*real)(type *);                                                                                    \
        if (!real)                                                                                                     \
            real = (int (*)(type *))dlsym(RTLD_NEXT, #name);                                                           \
        delay();                                                                                                       \
        return real(object);                                                                                           \
    }
DELAYED(pthread_mutex_lock, pthread_mutex_t)
DELAYED(pthread_mutex_unlock, pthread_mutex_t)
DELAYED(pthread_cond_signal, pthread_cond_t)
DELAYED(pthread_cond_broadcast, pthread_cond_t)
