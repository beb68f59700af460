#include "device/link/mailbox_trial.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/env.h"
#include "base/log.h"
#include "device/machine.h"
#include "device/warm/request.h"

/* Another way of making or using mailboxes makes old records useless: then change this. */
static const char version[] = "mailbox 1";
static const char trying[] = "trying", fails[] = "fails", works[] = "works";

enum { WORD = 32, LONGEST_S = 120 /* that yoke-warm lives */ };

static struct yk_hash add_device(struct yk_hash h, const struct yk_device *d)
{
    unsigned char uuid[CL_UUID_SIZE_KHR] = {0};
    char text[1024];
    yk_platform_string(d->trial, d->platform, CL_PLATFORM_VERSION, text, sizeof text);
    h = yk_hash_str(yk_hash_str(yk_hash_str(h, text), d->driver), d->name);
    (void)d->trial->GetDeviceInfo(d->id, CL_DEVICE_UUID_KHR, sizeof uuid, uuid, NULL);
    h = yk_hash_bytes(h, uuid, sizeof uuid);
    return yk_hash_bytes(h, &d->twin, sizeof d->twin);
}

static bool path_of(const struct yk_mailbox_maker *maker, const struct yk_device *from, const struct yk_device *to,
                    size_t bytes, char *path, size_t n)
{
    char dir[PATH_MAX - 64], hex[33];
    if (yk_dir("cache", "mailbox", dir, sizeof dir) != YK_OK)
        return false;
    struct yk_hash h = yk_hash_str(yk_hash_str((struct yk_hash){0, 0}, version), maker->name);
    h = yk_hash_bytes(add_device(add_device(h, from), to), &bytes, sizeof bytes);
    yk_hash_hex(h, hex);
    return snprintf(path, n, "%s/%s", dir, hex) < (int)n;
}

/* The clock that time(2) reads is some ms behind others: a file just written would seem to come from the future. */
static bool is_recent(const char *path)
{
    struct stat st;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return stat(path, &st) == 0 && now.tv_sec >= st.st_mtime && now.tv_sec - st.st_mtime <= LONGEST_S;
}

/* The word at PATH; "": none. */
static void read_word(const char *path, char word[WORD + 1])
{
    unsigned char *text;
    size_t n;
    memset(word, 0, WORD + 1);
    if (!yk_warm_get(path, &text, &n))
        return;
    memcpy(word, text, n < WORD ? n : WORD);
    free(text);
}

enum yk_mailbox_word yk_mailbox_recall(const struct yk_mailbox_maker *maker, const struct yk_device *from,
                                       const struct yk_device *to, size_t bytes)
{
    char path[PATH_MAX], word[WORD + 1];
    if (!path_of(maker, from, to, bytes, path, sizeof path))
        return YK_MAILBOX_UNTRIED;
    read_word(path, word);
    if (!word[0])
        return YK_MAILBOX_UNTRIED;
    if (!strcmp(word, trying))
        return is_recent(path) ? YK_MAILBOX_UNTRIED : YK_MAILBOX_FAILS;
    return !strcmp(word, works) ? YK_MAILBOX_WORKS : YK_MAILBOX_FAILS;
}

struct place {
    struct yk_mailbox_end end;
    struct yk_ring_end at;
};

static bool open_place(struct place *p, const struct yk_device *d, size_t bytes)
{
    cl_int err;
    if (p->at.buffer)
        return true;
    p->end.device = d;
    p->at.cl = d->cl;
    if (!p->end.context)
        p->end.context = d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err);
    if (p->end.context && !p->at.queue)
        p->at.queue = d->cl->CreateCommandQueue(p->end.context, d->id, 0, &err);
    if (p->at.queue)
        p->at.buffer = d->cl->CreateBuffer(p->end.context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    return p->at.buffer;
}

static void close_place(struct place *p)
{
    if (p->at.buffer)
        p->at.cl->ReleaseMemObject(p->at.buffer);
    if (p->at.queue)
        p->at.cl->ReleaseCommandQueue(p->at.queue);
    if (p->end.context)
        p->at.cl->ReleaseContext(p->end.context);
}

static void fill(unsigned char *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = (unsigned char)(seed >> 24);
    }
}

/* N bytes at OFF from one to the other, and are they there? */
static cl_int carry_one(struct yk_mailboxes *m, struct yk_ring_end from, struct yk_ring_end to, size_t off, size_t n,
                        unsigned char *sent, unsigned char *got, bool *right)
{
    from.off = to.off = off;
    fill(sent, n, (unsigned)n);
    memset(got, 0, n);
    cl_int err = from.cl->EnqueueWriteBuffer(from.queue, from.buffer, CL_TRUE, off, n, sent, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        err = to.cl->EnqueueWriteBuffer(to.queue, to.buffer, CL_TRUE, off, n, got, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        err = yk_mailboxes_copy(m, &from, &to, n, false);
    if (err == CL_SUCCESS)
        err = to.cl->EnqueueReadBuffer(to.queue, to.buffer, CL_TRUE, off, n, got, 0, NULL, NULL);
    *right = !memcmp(sent, got, n);
    return err;
}

static bool carry(const struct yk_mailbox_maker *maker, struct place *from, struct place *to, size_t bytes, size_t len,
                  unsigned char *sent, unsigned char *got)
{
    const struct yk_mailbox_end end[2] = {from->end, to->end};
    cl_int err;
    bool right = true;
    struct yk_mailboxes *m = yk_mailboxes_create(maker, end, bytes, &err);
    if (m) {
        err = carry_one(m, from->at, to->at, 1, bytes + 3, sent, got, &right); /* an odd place and length */
        if (err == CL_SUCCESS && right)
            err = carry_one(m, from->at, to->at, 0, len, sent, got, &right);
        yk_mailboxes_destroy(m);
    }
    bool ok = err == CL_SUCCESS && right;
    yk_info("mailboxes (%s) from device %u to device %u: %s", maker->name, from->end.device->index,
            to->end.device->index,
            ok      ? "they work"
            : right ? yk_cl_error_name(err)
                    : "wrong bytes");
    return ok;
}

static void put_word(const char *path, const char *word)
{
    (void)yk_warm_put(path, (const unsigned char *)word, strlen(word));
}

static void try_pair(const struct yk_mailbox_maker *maker, struct place *from, struct place *to, size_t bytes,
                     const char *path)
{
    size_t len = 2 * YK_MAILBOX_SLOTS * bytes;
    unsigned char *sent = malloc(len), *got = malloc(len);
    put_word(path, trying); /* whoever crashes leaves that */
    bool ok = sent && got && from->at.buffer && to->at.buffer && carry(maker, from, to, bytes, len, sent, got);
    put_word(path, ok ? works : fails);
    free(sent);
    free(got);
}

unsigned yk_mailbox_try_all(const struct yk_mailbox_maker *maker, const struct yk_machine *m, size_t bytes)
{
    struct place place[YK_MAX_DEVICES];
    char path[PATH_MAX], word[WORD + 1];
    unsigned tried = 0;
    size_t len = 2 * YK_MAILBOX_SLOTS * bytes;
    memset(place, 0, sizeof place);
    for (unsigned a = 0; a < m->n; a++)
        for (unsigned b = 0; b < m->n; b++) {
            const struct yk_device *from = &m->device[a], *to = &m->device[b];
            if (a == b || !from->usable || !to->usable || !maker->fits(from, to) ||
                !path_of(maker, from, to, bytes, path, sizeof path))
                continue;
            read_word(path, word);
            if (!strcmp(word, trying))
                put_word(path, fails);
            if (word[0])
                continue;
            (void)open_place(&place[a], from, len);
            (void)open_place(&place[b], to, len);
            try_pair(maker, &place[a], &place[b], bytes, path);
            tried++;
        }
    for (unsigned i = 0; i < m->n; i++)
        close_place(&place[i]);
    return tried;
}
