/* Random sequences of commands on a few memories against a model in plain C: whatever the devices, splits and transfers
 * behind, what is read is what an in-order queue would give. Seeds are printed; YOKE_TEST_SEED=N runs one, and
 * YOKE_TEST_SEEDS=N that many. */
#include "tests/stub/shim/model.h"
#include "tests/unit/main.h"

struct world w;

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

/* Returns how many bytes were compared, at least all that there are at the end. */
static size_t run(unsigned long seed)
{
    static const struct {
        const char *name;
        void (*fn)(void);
        unsigned weight;
    } all[] = {{"write", model_write, 2}, {"read", model_read, 3}, {"fill", model_fill, 2},
               {"copy", model_copy, 2},   {"map", model_map, 3},   {"copy rect", model_copy_rect, 2},
               {"misc", do_misc, 2},      {"launch", do_launch, 8}};
    w.random = seed * 2654435761u + 99;
    w.seed = seed;
    w.compared = 0;
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
            model_rect(pick == 24);
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
    return w.compared;
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
        ck_assert_uint_gt(run(seed), 0);
        OK(clReleaseKernel(w.fill));
        OK(clReleaseKernel(w.add));
        OK(clReleaseKernel(w.copy));
        OK(clReleaseKernel(w.rows));
        shim_close(&w.s);
    }
}
END_TEST

YK_TEST_MAIN("model", what_is_read_is_what_was_written)
