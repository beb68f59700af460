/* Random sequences of commands on a few memories against a model in plain C: whatever the devices, splits and transfers
 * behind, what is read is what an in-order queue would give. Seeds are printed; YOKE_TEST_SEED=N runs one, and
 * YOKE_TEST_SEEDS=N that many. */
#include <stdbool.h>
#include <stdint.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { MEMORIES = 5, OBJECTS = 3 * MEMORIES, MOST = 16384, STEPS = 60, READS = 64 };

struct memory { /* one buffer's bytes */
    unsigned char *model, *app;
    size_t size;
};

struct object {
    cl_mem mem;
    struct memory *of;
    size_t origin, size;
};

struct pending { /* a read that has not been looked at yet */
    unsigned char *got, *want;
    size_t size;
};

static struct {
    struct shim s;
    cl_command_queue queue[2];
    bool ordered; /* both are in-order queues */
    struct memory memory[MEMORIES];
    struct object object[OBJECTS];
    unsigned n;
    struct pending read[READS];
    unsigned nreads;
    cl_event last, gate; /* of the last command; NULL: none */
    unsigned gated;      /* steps until the gate opens */
    cl_kernel fill, add, copy, rows;
    uint64_t random;
    unsigned long seed, step;
    const char *what;
} w;

static size_t below(size_t n)
{
    w.random = w.random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(w.random >> 33) % n;
}

static void compare(const unsigned char *got, const unsigned char *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i])
            ck_abort_msg("seed %lu step %lu (%s): byte %zu of %zu is %02x instead of %02x", w.seed, w.step, w.what, i,
                         n, got[i], want[i]);
}

static void open_gate(void)
{
    if (!w.gate)
        return;
    OK(clSetUserEventStatus(w.gate, CL_COMPLETE));
    OK(clReleaseEvent(w.gate));
    w.gate = NULL;
}

static void look_at_reads(void)
{
    for (unsigned i = 0; i < w.nreads; i++) {
        compare(w.read[i].got, w.read[i].want, w.read[i].size);
        free(w.read[i].got);
        free(w.read[i].want);
    }
    w.nreads = 0;
}

static void sync_all(void)
{
    open_gate();
    for (int i = 0; i < 2; i++)
        OK(clFinish(w.queue[i]));
    look_at_reads();
}

/* The queue of the next command and what it must wait for. */
struct turn {
    cl_command_queue q;
    cl_event wait[2], made;
    cl_uint n;
};

static struct turn turn(void)
{
    struct turn t = {.q = w.queue[below(2)]};
    if (w.last)
        t.wait[t.n++] = w.last;
    if (w.gate && below(2))
        t.wait[t.n++] = w.gate;
    return t;
}

#define WAITS(t) (t).n, (t).n ? (t).wait : NULL, &(t).made

static void done(struct turn *t)
{
    if (w.last)
        OK(clReleaseEvent(w.last));
    w.last = t->made;
    OK(clFlush(t->q));
}

static struct object *any(void)
{
    return &w.object[below(w.n)];
}

static unsigned char *bytes_of(const struct object *o)
{
    return o->of->model + o->origin;
}

/* A piece of an object of SIZE bytes. */
static void piece(size_t size, size_t grain, size_t *off, size_t *len)
{
    *len = (1 + below(size / grain)) * grain;
    if (below(3) == 0)
        *len = size / grain * grain;
    *off = below((size - *len) / grain + 1) * grain;
}

static void do_write(void)
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

static void do_read(void)
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

static void do_fill(void)
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

static void do_copy(void)
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

static void do_rect(bool read)
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

static void do_copy_rect(void)
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
static void do_map(void)
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

static void launch(cl_kernel k, size_t n, bool may_offset, size_t *first)
{
    struct turn t = turn();
    size_t local = (size_t)1 << below(5), offset = 0;
    *first = 0;
    if (may_offset && n > 1 && below(3) == 0) {
        offset = below(n);
        *first = offset;
        n -= offset;
    }
    bool open = n % local || below(3) == 0;
    OK(clEnqueueNDRangeKernel(t.q, k, 1, offset ? &offset : NULL, &n, open ? NULL : &local, WAITS(t)));
    done(&t);
}

static int32_t get(const unsigned char *p)
{
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void put(unsigned char *p, int32_t v)
{
    memcpy(p, &v, sizeof v);
}

static void do_launch(void)
{
    struct object *a = any(), *b = any();
    size_t n = a->size / 4, first;
    switch (below(4)) {
    case 0: {
        int32_t v = (int32_t)below(1 << 20);
        shim_set(w.fill, 0, a->mem);
        shim_set_int(w.fill, 1, v);
        launch(w.fill, n, true, &first);
        for (size_t i = first; i < n; i++)
            put(bytes_of(a) + 4 * i, v + (int32_t)i);
        return;
    }
    case 1:
    case 2: {
        if (a->of == b->of) /* overlapping arguments would race */
            return;
        n = n < b->size / 4 ? n : b->size / 4;
        bool adds = below(2);
        cl_kernel k = adds ? w.add : w.copy;
        shim_set(k, 0, a->mem);
        shim_set(k, 1, b->mem);
        launch(k, n, true, &first);
        for (size_t i = first; i < n; i++) {
            uint32_t x = (uint32_t)get(bytes_of(a) + 4 * i), y = adds ? (uint32_t)get(bytes_of(b) + 4 * i) : 0;
            put(bytes_of(b) + 4 * i, (int32_t)(x + y));
        }
        return;
    }
    default: {
        size_t width = 1 + below(n < 40 ? n : 40), height = n / width;
        size_t global[2] = {width, height}, local[2] = {1, 1};
        for (size_t l = 1 + below(8); l > 1 && local[1] == 1; l--)
            if (height % l == 0)
                local[1] = l;
        shim_set(w.rows, 0, a->mem);
        shim_set_int(w.rows, 1, (cl_int)width);
        struct turn t = turn();
        OK(clEnqueueNDRangeKernel(t.q, w.rows, 2, NULL, global, local, WAITS(t)));
        for (size_t i = 0; i < width * height; i++)
            put(bytes_of(a) + 4 * i, (int32_t)((uint32_t)get(bytes_of(a) + 4 * i) + (uint32_t)(i / width / local[1])));
        done(&t);
        return;
    }
    }
}

static void do_misc(void)
{
    struct turn t = turn();
    struct object *o = any();
    switch (below(4)) {
    case 0:
        OK(clEnqueueMigrateMemObjects(t.q, 1, &o->mem, below(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, WAITS(t)));
        break;
    case 1:
        OK(clEnqueueMarkerWithWaitList(t.q, WAITS(t)));
        break;
    case 2:
        OK(clEnqueueBarrierWithWaitList(t.q, WAITS(t)));
        break;
    default:
        if (!w.gate) {
            w.gate = shim_gate(&w.s);
            w.gated = 1 + (unsigned)below(6);
            if (!w.last)
                OK(clRetainEvent(w.last = w.gate));
        }
        return;
    }
    done(&t);
}

static void make_memories(void)
{
    w.n = 0;
    for (unsigned i = 0; i < MEMORIES; i++) {
        struct memory *m = &w.memory[i];
        static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                             CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
        cl_int err;
        m->size = 256 + 4 * below((MOST - 256) / 4);
        m->model = malloc(m->size);
        m->app = aligned_alloc(4096, (m->size + 4096 + 4095) / 4096 * 4096);
        unsigned char *host = m->app + (i == 4 ? 4 : 0); /* the last is misaligned */
        for (size_t k = 0; k < m->size; k++)
            m->model[k] = host[k] = (unsigned char)below(256);
        bool given = flags[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
        cl_mem mem = clCreateBuffer(w.s.context, flags[i], m->size, given ? host : NULL, &err);
        OK(err);
        w.object[w.n++] = (struct object){mem, m, 0, m->size};
        if (!given)
            OK(clEnqueueWriteBuffer(w.queue[0], mem, CL_TRUE, 0, m->size, m->model, 0, NULL, NULL));
        for (size_t k = below(3); k && w.n < OBJECTS; k--) {
            cl_buffer_region r = {below(m->size / 128) * 128, 0};
            r.size = 4 * (1 + below((m->size - r.origin) / 4));
            cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
            OK(err);
            w.object[w.n++] = (struct object){sub, m, r.origin, r.size};
        }
    }
}

static void run(unsigned long seed)
{
    static const struct {
        const char *name;
        void (*fn)(void);
        unsigned weight;
    } all[] = {{"write", do_write, 2}, {"read", do_read, 3},           {"fill", do_fill, 2}, {"copy", do_copy, 2},
               {"map", do_map, 3},     {"copy rect", do_copy_rect, 2}, {"misc", do_misc, 2}, {"launch", do_launch, 8}};
    w.random = seed * 2654435761u + 99;
    w.seed = seed;
    w.ordered = below(2);
    cl_int err;
    for (int i = 0; i < 2; i++) {
        w.queue[i] =
            clCreateCommandQueue(w.s.context, w.s.device, w.ordered ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
        OK(err);
    }
    make_memories();
    for (w.step = 0; w.step < STEPS; w.step++) {
        size_t pick = below(26);
        if (pick >= 24) {
            w.what = pick == 24 ? "read rect" : "write rect";
            do_rect(pick == 24);
        } else {
            unsigned i = 0;
            for (; pick >= all[i].weight; i++)
                pick -= all[i].weight;
            w.what = all[i].name;
            all[i].fn();
        }
        if (w.gate && !--w.gated)
            open_gate();
        if (below(10) == 0)
            sync_all();
    }
    w.what = "end";
    sync_all();
    for (unsigned i = 0; i < w.n; i++) {
        struct object *o = &w.object[i];
        unsigned char *all_bytes = malloc(o->size);
        OK(clEnqueueReadBuffer(w.queue[0], o->mem, CL_TRUE, 0, o->size, all_bytes, 0, NULL, NULL));
        compare(all_bytes, bytes_of(o), o->size);
        free(all_bytes);
    }
    for (unsigned i = w.n; i--;)
        OK(clReleaseMemObject(w.object[i].mem));
    if (w.last)
        OK(clReleaseEvent(w.last));
    w.last = NULL;
    for (int i = 0; i < 2; i++)
        OK(clReleaseCommandQueue(w.queue[i]));
    for (unsigned i = 0; i < MEMORIES; i++) {
        free(w.memory[i].model);
        free(w.memory[i].app);
    }
}

START_TEST(what_is_read_is_what_was_written)
{
    const char *one = getenv("YOKE_TEST_SEED"), *many = getenv("YOKE_TEST_SEEDS");
    unsigned long from = one ? strtoul(one, NULL, 10) : 1, n = one ? 1 : many ? strtoul(many, NULL, 10) : 60;
    printf("seeds %lu..%lu\n", from, from + n - 1);
    for (unsigned long seed = from; seed < from + n; seed++) {
        shim_open(&w.s, 0);
        w.fill = shim_kernel(&w.s, "fill");
        w.add = shim_kernel(&w.s, "add");
        w.copy = shim_kernel(&w.s, "copy");
        w.rows = shim_kernel(&w.s, "rows");
        run(seed);
        OK(clReleaseKernel(w.fill));
        OK(clReleaseKernel(w.add));
        OK(clReleaseKernel(w.copy));
        OK(clReleaseKernel(w.rows));
        shim_close(&w.s);
    }
}
END_TEST

YK_TEST_MAIN("model", what_is_read_is_what_was_written)
