#include "kernels/gpu/builder.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 6 };

struct yk_gpu_builder {
    struct yk_gpu *g;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t more;
    struct yk_gpu_kernel *first, *last; /* waiting, by asked_next */
    bool stop;
    int waiting; /* threads without work */
    int n;
    pthread_t thread[MOST_THREADS];
};

char *yk_gpu_text(const struct yk_gpu *g, const char *file)
{
    size_t n = strlen(g->ops->head) + strlen(file) + 2;
    char *text = malloc(n);
    if (text)
        snprintf(text, n, "%s\n%s", g->ops->head, file);
    return text;
}

static void *work(void *ctx)
{
    struct yk_gpu_builder *b = ctx;
    pthread_mutex_lock(&b->mutex);
    while (!b->stop) {
        struct yk_gpu_kernel *k = b->first;
        if (!k) {
            b->waiting++;
            pthread_cond_wait(&b->more, &b->mutex);
            b->waiting--;
            continue;
        }
        b->first = k->asked_next;
        b->last = b->first ? b->last : NULL;
        pthread_mutex_unlock(&b->mutex);
        char *text = yk_gpu_text(b->g, k->asked_file);
        bool ok = text && b->g->ops->compile(b->g, text, k->options) == YK_OK;
        free(text);
        atomic_store(&k->asked, ok ? YK_GPU_COMPILED : YK_GPU_NOT_COMPILED);
        pthread_mutex_lock(&b->mutex);
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

static struct yk_gpu_builder *builder(struct yk_gpu *g)
{
    if (g->builder)
        return g->builder;
    struct yk_gpu_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->g = g;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->more, NULL);
    return g->builder = b;
}

void yk_gpu_builder_ask(struct yk_gpu *g, const char *file, struct yk_gpu_kernel *k)
{
    struct yk_gpu_builder *b = g->ops->compile ? builder(g) : NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!b) {
        atomic_store(&k->asked, YK_GPU_NOT_COMPILED);
        return;
    }
    pthread_mutex_lock(&b->mutex);
    if (!b->waiting && b->n < MOST_THREADS && (b->n == 0 || b->n < cores / 2) &&
        pthread_create(&b->thread[b->n], NULL, work, b) == 0)
        b->n++;
    if (b->n) {
        k->asked_file = file;
        k->asked_next = NULL;
        *(b->last ? &b->last->asked_next : &b->first) = k;
        b->last = k;
        pthread_cond_signal(&b->more);
    }
    atomic_store(&k->asked, b->n ? YK_GPU_ASKED : YK_GPU_NOT_COMPILED);
    pthread_mutex_unlock(&b->mutex);
}

void yk_gpu_builder_finish(struct yk_gpu *g)
{
    struct yk_gpu_builder *b = g->builder;
    if (!b)
        return;
    pthread_mutex_lock(&b->mutex);
    b->stop = true;
    pthread_cond_broadcast(&b->more);
    pthread_mutex_unlock(&b->mutex);
    for (int i = 0; i < b->n; i++)
        pthread_join(b->thread[i], NULL);
    pthread_cond_destroy(&b->more);
    pthread_mutex_destroy(&b->mutex);
    free(b);
    g->builder = NULL;
}
