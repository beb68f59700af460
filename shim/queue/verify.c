#include "shim/queue/verify.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "shim/queue/part.h"
#include "shim/queue/share.h"

/* Bytes of all buffer arguments; NULL where an argument is none. */
struct copies {
    unsigned char *of[YK_LOCATIONS];
};

static void drop(struct copies *c)
{
    for (unsigned i = 0; i < YK_LOCATIONS; i++)
        free(c->of[i]);
}

static cl_int take(const struct yk_launch *l, struct copies *c)
{
    uint64_t moved = 0;
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < l->nvalues && i < YK_LOCATIONS; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        if (!m || !m->store)
            continue;
        cl_int err = yk_store_need_host(m->store, m->origin, m->size, &moved);
        c->of[i] = err == CL_SUCCESS ? malloc(m->size) : NULL;
        if (!c->of[i])
            return err == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : err;
        memcpy(c->of[i], m->store->master + m->origin, m->size);
    }
    return CL_SUCCESS;
}

static void put_back(const struct yk_launch *l, const struct copies *c)
{
    for (unsigned i = 0; i < l->nvalues && i < YK_LOCATIONS; i++) {
        const struct yk_mem *m = c->of[i] ? l->value[i].u.mem : NULL;
        if (!m)
            continue;
        memcpy(m->store->master + m->origin, c->of[i], m->size);
        yk_store_wrote_host(m->store, m->origin, m->size);
    }
}

/* The device whose share writes byte AT of M, or -1: not known. */
static int writer(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                  const struct yk_mem *m, size_t at)
{
    int found = -1;
    struct yk_parts s = {.part = {NULL, 0, 0}};
    for (unsigned dev = 0; dev < yk_rt.machine->n && !d->guided; dev++)
        if (d->takes[dev] && yk_parts_add(&s, l, f, d, dev, d->from[dev], d->to[dev]) != YK_OK)
            break;
    for (size_t i = 0; i < s.part.n && found < 0; i++)
        if (s.part.v[i].write && s.part.v[i].store == m->store && m->origin + at >= s.part.v[i].region.offset &&
            m->origin + at < yk_region_end(&s.part.v[i].region))
            found = (int)s.part.v[i].dev;
    yk_parts_finish(&s);
    return found;
}

/* Bytes of the numbers that argument TYPE points to, if they are floats; else 0. */
static size_t float_bytes(const char *type)
{
    return !strncmp(type, "float", 5) ? 4 : !strncmp(type, "double", 6) ? 8 : 0;
}

/* The floats of N bytes at P as integers in their order, so that neighbours differ by one. *NAN: it is none of them. */
static int64_t ordered(const unsigned char *p, size_t n, bool *nan)
{
    uint32_t narrow;
    uint64_t x;
    memcpy(n == 4 ? (void *)&narrow : (void *)&x, p, n);
    if (n == 4)
        x = (uint64_t)(narrow & 0x7fffffffu) << 29 | (uint64_t)(narrow >> 31) << 63; /* in a double's place */
    uint64_t magnitude = x & INT64_MAX, most = n == 4 ? UINT64_C(0x7f800000) << 29 : UINT64_C(0x7ff) << 52;
    *nan = magnitude > most;
    int64_t steps = (int64_t)(n == 4 ? magnitude >> 29 : magnitude);
    return x >> 63 ? -steps : steps;
}

/* Are the numbers that byte B lies in near enough? */
static bool near(const unsigned char *a, const unsigned char *b, size_t at, size_t bytes, size_t size)
{
    bool nan_a, nan_b;
    at = bytes ? at / bytes * bytes : 0;
    if (!bytes || !yk_rt.options.verify_ulp || at + bytes > size)
        return false;
    int64_t x = ordered(a + at, bytes, &nan_a), y = ordered(b + at, bytes, &nan_b);
    uint64_t apart = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
    return nan_a || nan_b ? nan_a && nan_b : apart <= yk_rt.options.verify_ulp;
}

static void compare(const struct yk_launch *l, const struct yk_decision *d, const struct copies *split,
                    const struct copies *whole)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    for (unsigned i = 0; i < l->nvalues && i < YK_LOCATIONS; i++) {
        if (!split->of[i] || !whole->of[i])
            continue;
        const struct yk_mem *m = l->value[i].u.mem;
        size_t at = 0, differ = 0, floats = f && i < f->nargs ? float_bytes(f->arg[i].type) : 0;
        for (size_t b = m->size; b-- > 0;)
            if (split->of[i][b] != whole->of[i][b] && !near(split->of[i], whole->of[i], b, floats, m->size))
                at = b, differ++;
        if (!differ)
            continue;
        const char *name = f && i < f->nargs && f->arg[i].name[0] ? f->arg[i].name : "?";
        int dev = f ? writer(l, f, d, m, at) : -1;
        yk_error("verify: kernel %s, argument %u (%s): %zu of %zu bytes differ, the first at %zu: %02x split, %02x "
                 "whole; share of device %d",
                 l->code->name, i, name, differ, m->size, at, split->of[i][at], whole->of[i][at], dev);
    }
}

cl_int yk_verify_run(struct yk_launch *l, const struct yk_decision *d)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (f && f->images_written) { /* run twice, it might read what it has written */
        yk_warn_once("kernel %s writes an image: it is not verified", l->code->name);
        return yk_share_run(l, d);
    }
    struct copies before, split = {{NULL}}, whole = {{NULL}};
    cl_event event = NULL;
    cl_int err = yk_rt.primary->cl->Finish(l->c.queue->real);
    if (err == CL_SUCCESS)
        err = take(l, &before);
    else
        memset(&before, 0, sizeof before);
    bool copied = err == CL_SUCCESS;
    err = yk_share_run(l, d);
    if (copied && err == CL_SUCCESS && (err = take(l, &split)) == CL_SUCCESS) {
        put_back(l, &before);
        err = yk_launch_whole(l, &event);
        if (err == CL_SUCCESS)
            err = yk_rt.primary->cl->WaitForEvents(1, &event);
        if (event)
            yk_rt.primary->cl->ReleaseEvent(event);
        if (err == CL_SUCCESS)
            err = take(l, &whole);
        if (err == CL_SUCCESS)
            compare(l, d, &split, &whole);
    }
    drop(&before);
    drop(&split);
    drop(&whole);
    return err;
}
