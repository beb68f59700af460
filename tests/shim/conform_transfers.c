/* Every way of moving bytes, against the same done to plain memory: fills with patterns of every size, rectangles with
 * every kind of pitch, copies between buffers and their parts, maps of every kind, kernels between them, at random. */
#include <stdio.h>
#include "tests/shim/conform.h"

enum { OBJECTS = 5, BUFFERS = 3, STEPS = 700 };

/* Three buffers, the last over host memory, and parts of the first two, with their twins in plain memory. */
struct twins {
    cl_mem m[OBJECTS];
    cl_uchar *at[OBJECTS];
    size_t size[OBJECTS];
    cl_uchar *plain[BUFFERS], *host;
};

static cl_uint seed;

static size_t below(size_t n)
{
    seed = seed * 1664525 + 1013904223;
    return n ? (seed >> 8) % n : 0;
}

static struct twins make_twins(struct cl *c)
{
    struct twins t;
    size_t align = info_uint(c, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    t.host = aligned_alloc(4096, BYTES);
    for (int i = 0; i < BUFFERS; i++) {
        t.plain[i] = malloc(BYTES);
        for (int k = 0; k < BYTES; k++)
            t.plain[i][k] = (cl_uchar)(k * 13 + i);
        memcpy(t.host, t.plain[i], BYTES);
        t.m[i] = buffer_of(c, CL_MEM_READ_WRITE | (i == 2 ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR), BYTES, t.host);
        t.at[i] = t.plain[i];
        t.size[i] = BYTES;
    }
    for (int i = BUFFERS; i < OBJECTS; i++) {
        cl_int err;
        cl_buffer_region r = {(i == 3 ? 4 : 8) * align, 4096};
        t.m[i] = clCreateSubBuffer(t.m[i - BUFFERS], 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
        OK(err);
        t.at[i] = t.plain[i - BUFFERS] + r.origin;
        t.size[i] = r.size;
    }
    return t;
}

/* A fill or a copy that by chance has nothing to do, or is refused, says so. */
static bool fill(struct cl *c, struct twins *t)
{
    size_t o = below(OBJECTS), n = (size_t)1 << below(8), at = below(t->size[o] / n),
           count = below(t->size[o] / n - at);
    cl_uchar pattern[128];
    for (size_t i = 0; i < n; i++)
        pattern[i] = (cl_uchar)below(256);
    if (!count)
        return false;
    OK(clEnqueueFillBuffer(c->queue, t->m[o], pattern, n, at * n, count * n, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        memcpy(t->at[o] + (at + i) * n, pattern, n);
    return true;
}

static bool copy(struct cl *c, struct twins *t)
{
    size_t a = below(OBJECTS), b = below(OBJECTS), n = 1 + below(t->size[a] < t->size[b] ? t->size[a] : t->size[b]);
    size_t from = below(t->size[a] - n + 1), to = below(t->size[b] - n + 1);
    cl_int err = clEnqueueCopyBuffer(c->queue, t->m[a], t->m[b], from, to, n, 0, NULL, NULL);
    const cl_uchar *src = t->at[a] + from;
    cl_uchar *dst = t->at[b] + to;
    if (src < dst + n && dst < src + n) {
        if (a == b)
            IS(CL_MEM_COPY_OVERLAP, err);
        if (err == CL_MEM_COPY_OVERLAP)
            return false;
        ck_assert_msg(false, "an overlapping copy was taken");
    }
    OK(err);
    memcpy(dst, src, n);
    return true;
}

struct box {
    size_t origin[3], region[3], row, slice;
};

/* A box of REGION in N bytes; pitches by chance 0 where that is the same. */
static struct box box_in(size_t n, const size_t *region)
{
    struct box b;
    memcpy(b.region, region, sizeof b.region);
    b.row = region[0] + below(9);
    b.slice = b.row * (region[1] + below(4));
    size_t span = (region[2] - 1) * b.slice + (region[1] - 1) * b.row + region[0], start = below(n - span);
    b.origin[2] = start / b.slice;
    b.origin[1] = start % b.slice / b.row;
    b.origin[0] = start % b.row;
    return b;
}

static size_t offset_of(const struct box *b, size_t y, size_t z)
{
    return (b->origin[2] + z) * b->slice + (b->origin[1] + y) * b->row + b->origin[0];
}

static void move_rows(cl_uchar *to, const struct box *b, const cl_uchar *from, const struct box *a)
{
    for (size_t z = 0; z < a->region[2]; z++)
        for (size_t y = 0; y < a->region[1]; y++)
            memcpy(to + offset_of(b, y, z), from + offset_of(a, y, z), a->region[0]);
}

static size_t given(size_t pitch, size_t tight)
{
    return pitch == tight && below(2) ? 0 : pitch;
}

#define PITCHES(b) given((b).row, (b).region[0]), given((b).slice, (b).row *(b).region[1])

static void rect(struct cl *c, struct twins *t, int kind)
{
    /* PoCL 3.1 crashes where a rectangle is copied from a buffer's part. */
    size_t o = below(kind == 2 ? BUFFERS : OBJECTS), p = (o + 1) % BUFFERS;
    const size_t region[3] = {1 + below(24), 1 + below(9), 1 + below(5)};
    struct box a = box_in(t->size[o], region), b = box_in(t->size[p], region);
    cl_uchar *host = malloc(BYTES), *twin = malloc(BYTES);
    for (int i = 0; i < BYTES; i++)
        host[i] = twin[i] = (cl_uchar)below(256);
    if (kind == 0) {
        OK(clEnqueueReadBufferRect(c->queue, t->m[o], CL_TRUE, a.origin, b.origin, region, a.row, a.slice, b.row,
                                   b.slice, host, 0, NULL, NULL));
        move_rows(twin, &b, t->at[o], &a);
        ck_assert_mem_eq(host, twin, BYTES);
    } else if (kind == 1) {
        OK(clEnqueueWriteBufferRect(c->queue, t->m[o], CL_TRUE, a.origin, b.origin, region, PITCHES(a), PITCHES(b),
                                    host, 0, NULL, NULL));
        move_rows(t->at[o], &a, host, &b);
    } else { /* never a buffer and its own part */
        OK(clEnqueueCopyBufferRect(c->queue, t->m[o], t->m[p], a.origin, b.origin, region, a.row, a.slice, b.row,
                                   b.slice, 0, NULL, NULL));
        move_rows(t->at[p], &b, t->at[o], &a);
    }
    free(host);
    free(twin);
}

static void map(struct cl *c, struct twins *t)
{
    static const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    size_t o = below(OBJECTS), how = below(3), n = 1 + below(t->size[o]), at = below(t->size[o] - n + 1);
    cl_int err;
    cl_uchar *p = clEnqueueMapBuffer(c->queue, t->m[o], CL_TRUE, flags[how], at, n, 0, NULL, NULL, &err);
    OK(err);
    if (how < 2)
        ck_assert_mem_eq(p, t->at[o] + at, n);
    for (size_t i = 0; how && i < n; i++)
        if (how == 2 || i % 3 == 0)
            p[i] = t->at[o][at + i] = (cl_uchar)below(256);
    OK(clEnqueueUnmapMemObject(c->queue, t->m[o], p, 0, NULL, NULL));
}

static void kernel(struct cl *c, struct twins *t, cl_kernel add)
{
    size_t a = below(BUFFERS), b = (a + 1 + below(2)) % BUFFERS, n = N, local = LOCAL;
    OK(clSetKernelArg(add, 0, sizeof t->m[a], &t->m[a]));
    OK(clSetKernelArg(add, 1, sizeof t->m[b], &t->m[b]));
    OK(clEnqueueNDRangeKernel(c->queue, add, 1, NULL, &n, &local, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        cl_uint x, y;
        memcpy(&x, t->at[a] + i * 4, 4);
        memcpy(&y, t->at[b] + i * 4, 4);
        y += x;
        memcpy(t->at[b] + i * 4, &y, 4);
    }
}

static void write_and_read(struct cl *c, struct twins *t)
{
    size_t o = below(OBJECTS), n = 1 + below(t->size[o]), at = below(t->size[o] - n + 1);
    cl_uchar *host = malloc(n);
    OK(clEnqueueReadBuffer(c->queue, t->m[o], CL_TRUE, at, n, host, 0, NULL, NULL));
    ck_assert_mem_eq(host, t->at[o] + at, n);
    for (size_t i = 0; i < n; i++)
        host[i] = (cl_uchar)below(256);
    OK(clEnqueueWriteBuffer(c->queue, t->m[o], CL_TRUE, at, n, host, 0, NULL, NULL));
    memcpy(t->at[o] + at, host, n);
    free(host);
}

/* How many objects hold the same bytes as their twins. */
static int equal_objects(struct cl *c, struct twins *t, int step)
{
    int equal = 0;
    cl_uchar *got = malloc(BYTES);
    for (int o = 0; o < OBJECTS; o++) {
        OK(clEnqueueReadBuffer(c->queue, t->m[o], CL_TRUE, 0, t->size[o], got, 0, NULL, NULL));
        size_t i = 0;
        while (i < t->size[o] && got[i] == t->at[o][i])
            i++;
        if (i < t->size[o])
            fprintf(stderr, "step %d: byte %zu of object %d is %u, not %u\n", step, i, o, got[i], t->at[o][i]);
        equal += i == t->size[o];
    }
    free(got);
    return equal;
}

enum { FILL, COPY, RECT, MAP = RECT + 3, KERNEL, WRITE_AND_READ, KINDS };

/* A move of any kind, which counts it in MOVED. */
static void move(struct cl *c, struct twins *t, cl_kernel add, int *moved)
{
    int how;
    switch (below(8)) {
    case 0:
        moved[FILL] += fill(c, t);
        break;
    case 1:
        moved[COPY] += copy(c, t);
        break;
    case 2:
    case 3:
    case 4:
        how = (int)below(3);
        rect(c, t, how);
        moved[RECT + how]++;
        break;
    case 5:
        map(c, t);
        moved[MAP]++;
        break;
    case 6:
        kernel(c, t, add);
        moved[KERNEL]++;
        break;
    default:
        write_and_read(c, t);
        moved[WRITE_AND_READ]++;
    }
}

START_TEST(bytes_are_where_plain_memory_has_them)
{
    struct cl c = open_cl(0);
    cl_kernel add = kernel_of(c.program, "add");
    seed = 20240;
    struct twins t = make_twins(&c);
    int moved[KINDS] = {0};
    for (int step = 0; step < STEPS; step++) {
        move(&c, &t, add, moved);
        if (step % 16 == 0)
            ck_assert_int_eq(equal_objects(&c, &t, step), OBJECTS);
    }
    ck_assert_int_eq(equal_objects(&c, &t, STEPS), OBJECTS);
    for (int kind = 0; kind < KINDS; kind++)
        ck_assert_int_gt(moved[kind], 0);
    for (int o = OBJECTS; o--;)
        OK(clReleaseMemObject(t.m[o]));
    for (int i = 0; i < BUFFERS; i++)
        free(t.plain[i]);
    OK(clReleaseKernel(add));
    close_cl(&c);
    free(t.host);
}
END_TEST

/* Each pattern's size, each offset and length that is a multiple of it. */
START_TEST(fills_of_every_size_at_every_place)
{
    struct cl c = open_cl(0);
    enum { PART = 512 };
    cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE, PART, NULL);
    cl_uchar got[PART], want[PART], pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (cl_uchar)(255 - i);
    for (size_t n = 1; n <= 128; n *= 2)
        for (size_t at = 0; at < PART; at += n * (n < 8 ? 11 : 1))
            for (size_t len = n; at + len <= PART; len += n * (n < 16 ? 37 : 1)) {
                memset(want, 0x33, PART);
                OK(clEnqueueWriteBuffer(c.queue, m, CL_FALSE, 0, PART, want, 0, NULL, NULL));
                OK(clEnqueueFillBuffer(c.queue, m, pattern, n, at, len, 0, NULL, NULL));
                OK(clEnqueueReadBuffer(c.queue, m, CL_TRUE, 0, PART, got, 0, NULL, NULL));
                for (size_t i = 0; i < len; i++)
                    want[at + i] = pattern[i % n];
                ck_assert_mem_eq(got, want, PART);
            }
    OK(clReleaseMemObject(m));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_transfers", bytes_are_where_plain_memory_has_them, fills_of_every_size_at_every_place)
