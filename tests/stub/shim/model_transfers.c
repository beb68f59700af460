/* Transfers and maps of a random object, or piece of one, and the same in the model. */
#include "tests/stub/shim/model.h"

void model_write(void)
{
    struct object *o = any();
    size_t off, len;
    piece(o->size, 1, &off, &len);
    unsigned char *data = malloc(len);
    for (size_t i = 0; i < len; i++)
        data[i] = (unsigned char)below(256);
    struct turn t = turn();
    bool blocking = !w.gate && below(2);
    OK(clEnqueueWriteBuffer(t.q, o->mem, blocking, off, len, data, WAITS(t)));
    memcpy(bytes_of(o) + off, data, len);
    done(&t);
    if (!blocking)
        sync_all();
    free(data);
}

static struct pending *pend(size_t n)
{
    if (w.nreads == READS)
        sync_all();
    struct pending *p = &w.read[w.nreads++];
    *p = (struct pending){malloc(n), malloc(n), n};
    memset(p->got, 0x5a, n);
    memset(p->want, 0x5a, n);
    return p;
}

void model_read(void)
{
    struct object *o = any();
    size_t off, len;
    piece(o->size, 1, &off, &len);
    struct pending *p = pend(len);
    struct turn t = turn();
    memcpy(p->want, bytes_of(o) + off, len);
    OK(clEnqueueReadBuffer(t.q, o->mem, !w.gate && below(2), off, len, p->got, WAITS(t)));
    done(&t);
}

void model_fill(void)
{
    struct object *o = any();
    size_t off, len, grain = (size_t)1 << below(o->size < 16 ? 3 : 5);
    unsigned char pattern[16];
    piece(o->size, grain, &off, &len);
    for (size_t i = 0; i < grain; i++)
        pattern[i] = (unsigned char)below(256);
    struct turn t = turn();
    OK(clEnqueueFillBuffer(t.q, o->mem, pattern, grain, off, len, WAITS(t)));
    for (size_t i = 0; i < len; i++)
        bytes_of(o)[off + i] = pattern[i % grain];
    done(&t);
}

void model_copy(void)
{
    struct object *a = any(), *b = any();
    size_t len = 1 + below(a->size < b->size ? a->size : b->size);
    size_t from = below(a->size - len + 1), to = below(b->size - len + 1);
    size_t x = a->origin + from, y = b->origin + to;
    struct turn t = turn();
    bool overlap = a->of == b->of && x < y + len && y < x + len;
    cl_int err = clEnqueueCopyBuffer(t.q, a->mem, b->mem, from, to, len, WAITS(t));
    if (overlap) {
        ck_assert_int_eq(err, CL_MEM_COPY_OVERLAP);
        return;
    }
    OK(err);
    memcpy(bytes_of(b) + to, bytes_of(a) + from, len);
    done(&t);
}

/* Rows of WIDTH bytes, HEIGHT rows, PITCH apart, inside SIZE bytes; the origin of the rect. */
struct rect {
    size_t pitch, origin[3];
};

static struct rect place(size_t size, size_t width, size_t height)
{
    struct rect r = {width + below(size / height - width + 1), {0}};
    if (r.pitch * (height - 1) + width > size)
        r.pitch = width;
    size_t room = size - (r.pitch * (height - 1) + width);
    r.origin[1] = below(room / r.pitch + 1);
    room -= r.origin[1] * r.pitch;
    r.origin[0] = below((room < r.pitch - width ? room : r.pitch - width) + 1);
    return r;
}

static size_t row_at(const struct rect *r, size_t y)
{
    return r->origin[0] + (r->origin[1] + y) * r->pitch;
}

void model_rect(bool read)
{
    struct object *o = any();
    size_t height = 1 + below(o->size < 7 ? o->size : 7), width = 1 + below(o->size / height),
           region[3] = {width, height, 1};
    struct rect mem = place(o->size, width, height), host = place(2 * o->size, width, height);
    struct turn t = turn();
    if (read) {
        struct pending *p = pend(2 * o->size);
        for (size_t y = 0; y < height; y++)
            memcpy(p->want + row_at(&host, y), bytes_of(o) + row_at(&mem, y), width);
        OK(clEnqueueReadBufferRect(t.q, o->mem, !w.gate && below(2), mem.origin, host.origin, region, mem.pitch, 0,
                                   host.pitch, 0, p->got, WAITS(t)));
        done(&t);
        return;
    }
    unsigned char *data = malloc(2 * o->size);
    for (size_t i = 0; i < 2 * o->size; i++)
        data[i] = (unsigned char)below(256);
    OK(clEnqueueWriteBufferRect(t.q, o->mem, CL_FALSE, mem.origin, host.origin, region, mem.pitch, 0, host.pitch, 0,
                                data, WAITS(t)));
    for (size_t y = 0; y < height; y++)
        memcpy(bytes_of(o) + row_at(&mem, y), data + row_at(&host, y), width);
    done(&t);
    sync_all();
    free(data);
}

void model_copy_rect(void)
{
    struct object *a = any(), *b = any();
    if (a->of == b->of)
        return;
    size_t least = a->size < b->size ? a->size : b->size, height = 1 + below(least < 7 ? least : 7),
           width = 1 + below(least / height);
    size_t region[3] = {width, height, 1};
    struct rect from = place(a->size, width, height), to = place(b->size, width, height);
    struct turn t = turn();
    OK(clEnqueueCopyBufferRect(t.q, a->mem, b->mem, from.origin, to.origin, region, from.pitch, 0, to.pitch, 0,
                               WAITS(t)));
    for (size_t y = 0; y < height; y++)
        memcpy(bytes_of(b) + row_at(&to, y), bytes_of(a) + row_at(&from, y), width);
    done(&t);
}

static unsigned char *map(struct object *o, cl_map_flags flags, size_t off, size_t len)
{
    cl_int err;
    struct turn t = turn();
    bool blocking = !w.gate && below(2);
    unsigned char *p = clEnqueueMapBuffer(t.q, o->mem, blocking, flags, off, len, WAITS(t), &err);
    OK(err);
    ck_assert_ptr_nonnull(p);
    done(&t);
    if (!blocking) {
        open_gate();
        OK(clWaitForEvents(1, &w.last));
    }
    return p;
}

static void unmap(struct object *o, void *p)
{
    struct turn t = turn();
    OK(clEnqueueUnmapMemObject(t.q, o->mem, p, WAITS(t)));
    done(&t);
}

/* Two overlapping maps for reading, undone in any order, or one for writing. */
void model_map(void)
{
    struct object *o = any();
    size_t off[2], len[2];
    for (int i = 0; i < 2; i++)
        piece(o->size, 1, &off[i], &len[i]);
    size_t how = below(3);
    if (how == 0) {
        unsigned char *p[2];
        for (int i = 0; i < 2; i++) {
            p[i] = map(o, CL_MAP_READ, off[i], len[i]);
            compare(p[i], bytes_of(o) + off[i], len[i]);
        }
        size_t first = below(2);
        unmap(o, p[first]);
        compare(p[!first], bytes_of(o) + off[!first], len[!first]);
        unmap(o, p[!first]);
        return;
    }
    unsigned char *p = map(o, how == 1 ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION, off[0], len[0]);
    if (how == 1)
        compare(p, bytes_of(o) + off[0], len[0]);
    for (size_t i = 0; i < len[0]; i++)
        if (how == 2 || below(3) == 0)
            p[i] = bytes_of(o)[off[0] + i] = (unsigned char)below(256);
    unmap(o, p);
}
