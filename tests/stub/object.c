/* Handles: counts, the set of live ones, what becomes due when the lock is left, and the report of leaks. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/env.h"
#include "tests/stub/stub.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct stub_object *live; /* uses or refs */
static struct stub_object *dead; /* to be destroyed at leave */
static struct stub_callback *due;
static long count[STUB_KINDS]; /* with refs */

static const char *const kind_name[STUB_KINDS] = {"platform", "device",  "context", "queue",
                                                  "mem",      "program", "kernel",  "event"};

void stub_die(const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "stub: %s: %s\n", stub_entry, text);
    abort();
}

void stub_enter(void)
{
    pthread_mutex_lock(&lock);
}

void stub_wait(void)
{
    pthread_cond_wait(&change, &lock);
}

void stub_wait_for_work(cl_command_queue q)
{
    pthread_cond_wait(&q->flushed, &lock);
}

void stub_changed(void)
{
    pthread_cond_broadcast(&change);
}

void stub_callback_due(struct stub_callback *c)
{
    DL_APPEND(due, c);
}

void stub_leave(void)
{
    while (due || dead) {
        struct stub_callback *c = due;
        if (c) {
            DL_DELETE(due, c);
            pthread_mutex_unlock(&lock);
            c->fn(c->event, c->status, c->user);
            pthread_mutex_lock(&lock);
            stub_unuse(c->event);
            free(c);
            continue;
        }
        struct stub_object *o = dead;
        dead = o->next;
        pthread_mutex_unlock(&lock);
        stub_destroy(o);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

void *stub_make(enum stub_kind kind, size_t size, unsigned device)
{
    struct stub_object *o = calloc(1, size);
    if (!o)
        return NULL;
    o->dispatch = stub_table();
    o->kind = kind;
    o->device = device;
    o->refs = 1;
    count[kind]++;
    o->self = o;
    HASH_ADD_PTR(live, self, o);
    return o;
}

static struct stub_object *find(const void *handle)
{
    struct stub_object *o;
    HASH_FIND_PTR(live, &handle, o);
    return o;
}

bool stub_check(const void *object, enum stub_kind kind)
{
    if (!object)
        return false;
    struct stub_object *o = kind <= STUB_DEVICE ? NULL : find(object);
    if (kind == STUB_PLATFORM) {
        if ((uintptr_t)object - (uintptr_t)stub_platform < sizeof stub_platform)
            return true;
    } else if (kind == STUB_DEVICE) {
        if ((uintptr_t)object - (uintptr_t)stub_device < sizeof stub_device)
            return true;
    } else if (o && o->kind == kind && o->refs) {
        return true;
    }
    if (kind > STUB_DEVICE)
        pthread_mutex_unlock(&lock); /* helgrind minds an abort under a lock */
    stub_die("%p is no live %s%s%s", object, kind_name[kind], o ? ": it is a released or other object, a " : "",
             o ? kind_name[o->kind] : "");
}

unsigned stub_device_of(const void *object)
{
    uintptr_t at = (uintptr_t)object, first = (uintptr_t)stub_device;
    if (at - first < sizeof stub_device)
        return (unsigned)((at - first) / sizeof *stub_device);
    pthread_mutex_lock(&lock);
    struct stub_object *o = find(object);
    unsigned device = o ? o->device : STUB_DEVICES;
    pthread_mutex_unlock(&lock);
    return device;
}

static void gone(struct stub_object *o)
{
    if (o->refs || o->uses)
        return;
    HASH_DEL(live, o);
    o->next = dead;
    dead = o;
}

void stub_use(void *object)
{
    struct stub_object *o = object;
    o->uses++;
}

void stub_unuse(void *object)
{
    struct stub_object *o = object;
    o->uses--;
    gone(o);
}

void stub_unref(void *object)
{
    struct stub_object *o = object;
    if (--o->refs)
        return;
    count[o->kind]--;
    if (o->kind == STUB_QUEUE)
        stub_close(object);
    gone(o);
}

cl_int stub_retain(void *object, enum stub_kind kind, cl_int invalid)
{
    struct stub_object *o = object;
    stub_enter();
    bool ok = stub_check(object, kind);
    if (ok)
        o->refs++;
    stub_leave();
    return ok ? CL_SUCCESS : invalid;
}

cl_int stub_release(void *object, enum stub_kind kind, cl_int invalid)
{
    stub_enter();
    bool ok = stub_check(object, kind);
    if (ok)
        stub_unref(object);
    stub_leave();
    return ok ? CL_SUCCESS : invalid;
}

cl_int stub_answer(const void *value, size_t size, size_t room, void *to, size_t *size_ret)
{
    if (to && room < size)
        return CL_INVALID_VALUE;
    if (to && size)
        memcpy(to, value, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

long stub_live(void)
{
    long n = 0;
    pthread_mutex_lock(&lock);
    for (int k = STUB_CONTEXT; k < STUB_KINDS; k++)
        n += count[k];
    pthread_mutex_unlock(&lock);
    return n;
}

static pid_t loaded_by;
static void __attribute__((constructor)) remember_process(void)
{
    loaded_by = getpid();
}

/* YOKE_STUB_LEAKS=1: what the program has not released, on stderr, when it ends. A forked child has not the threads
 * that would be waited for, and perhaps a lock that one of them held. */
static void __attribute__((destructor)) report(void)
{
    if (getpid() != loaded_by)
        return;
    stub_join_ended(true);
    if (!yk_env_bool("YOKE_STUB_LEAKS", false))
        return;
    pthread_mutex_lock(&lock);
    fprintf(stderr, "stub: live:");
    for (int k = STUB_CONTEXT; k < STUB_KINDS; k++)
        fprintf(stderr, " %s %ld", kind_name[k], count[k]);
    fprintf(stderr, "\n");
    pthread_mutex_unlock(&lock);
}
