/* Two threads that count together: with atomics (nothing to report) or without. */
#include <pthread.h>
#include <stdio.h>

static int count;

static void *add(void *arg)
{
    (void)arg;
    for (int i = 0; i < 100; i++)
#ifdef ATOMIC
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
#else
        count++;
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, add, NULL))
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", count);
    return 0;
}
