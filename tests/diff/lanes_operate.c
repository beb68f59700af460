/* What lanes do in buffers, and the drawing of it. */
#include <string.h>
#include <unistd.h>
#include "tests/diff/lanes.h"

const char lanes_source[] =
    "kernel void scale(global int *b, int at, int n, int c) { int i = get_global_id(0); if (i < n) b[at + i] = b[at + "
    "i] * 3 + c; }\n"
    "kernel void move(global const int *a, int from, global int *b, int at, int n, int c)\n"
    "{ int i = get_global_id(0); if (i < n) b[at + i] = a[from + i] ^ c; }\n"
    "kernel void turn(global const int *a, int from, global int *b, int at, int n, int odd)\n"
    "{ int i = get_global_id(0); if (i < n) b[at + ((i * odd) & (n - 1))] = a[from + i]; }\n"
    "kernel void spread(global const int *index, global int *b, int at, int n, int c)\n"
    "{ int i = get_global_id(0); if (i < n) b[at + index[i]] = i * c; }\n"
    "kernel void count(global int *b, int at, int n, int c) { int i = get_global_id(0); if (i < n) atomic_add(&b[at + "
    "(i & 7)], c); }\n"
    "kernel void some(global int *b, int at, int n, int c) { int i = get_global_id(0); if (i < n && (b[at + i] & 1)) "
    "b[at + i] = c; }\n";

static void pass(cl_kernel k, cl_uint i, const void *value, size_t size)
{
    lanes_check(clSetKernelArg(k, i, size, value), "clSetKernelArg");
}

/* The last arguments, and the launch. */
static void go(struct lane *l, cl_kernel k, cl_uint i, const int *value, unsigned nvalues, unsigned n)
{
    /* Two sizes only: PoCL builds for each. */
    const size_t local = lanes_draw(&l->state, 3) ? 64 : 16, global = (n + local - 1) / local * local;
    for (unsigned v = 0; v < nvalues; v++)
        pass(k, i + v, &value[v], sizeof(int));
    lanes_check(clEnqueueNDRangeKernel(l->queue, k, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void launch_in_place(struct lane *l, enum kernel which, unsigned b, cl_mem in, unsigned origin, unsigned at,
                            unsigned n)
{
    const int c = (int)lanes_draw(&l->state, 1000);
    int *m = shared.model[b] + at;
    lanes_note(l, lanes_names[which], b, at, n);
    pass(l->kernel[which], 0, &in, sizeof in);
    go(l, l->kernel[which], 1, (const int[]){(int)(at - origin), (int)n, c}, 3, n);
    for (unsigned i = 0; i < n; i++) {
        if (which == SCALE)
            m[i] = (int)((unsigned)m[i] * 3 + (unsigned)c);
        else if (which == COUNT)
            m[i & 7] = (int)((unsigned)m[i & 7] + (unsigned)c);
        else if (m[i] & 1)
            m[i] = c;
    }
}

static void launch_across(struct lane *l, bool turn, unsigned b, unsigned other)
{
    unsigned from, at, n = lanes_some_of(l, other, &from), most = lanes_some_of(l, b, &at);
    int c = (int)(lanes_draw(&l->state, 1000) | 1);
    n = n < most ? n : most;
    if (!n)
        return;
    while (turn && (n & (n - 1)))
        n &= n - 1;
    cl_kernel k = l->kernel[turn ? TURN : MOVE];
    lanes_note(l, turn ? "turn into" : "move into", b, at, n);
    pass(k, 0, &shared.buffer[other], sizeof(cl_mem));
    pass(k, 1, &(int){(int)from}, sizeof(int));
    pass(k, 2, &shared.buffer[b], sizeof(cl_mem));
    go(l, k, 3, (const int[]){(int)at, (int)n, c}, 3, n);
    for (unsigned i = 0; i < n; i++)
        if (turn)
            shared.model[b][at + ((i * (unsigned)c) & (n - 1))] = shared.model[other][from + i];
        else
            shared.model[b][at + i] = shared.model[other][from + i] ^ c;
}

static void launch_spread(struct lane *l, unsigned b)
{
    unsigned at, n = lanes_some_of(l, b, &at);
    const int c = (int)lanes_draw(&l->state, 1000);
    if (n < INDICES)
        return;
    lanes_note(l, "spread into", b, at, INDICES);
    pass(l->kernel[SPREAD], 0, &shared.index, sizeof(cl_mem));
    pass(l->kernel[SPREAD], 1, &shared.buffer[b], sizeof(cl_mem));
    go(l, l->kernel[SPREAD], 2, (const int[]){(int)at, INDICES, c}, 3, INDICES);
    for (int i = 0; i < INDICES; i++)
        shared.model[b][at + (unsigned)shared.indices[i]] = i * c;
}

/* A launch over a sub-buffer that is released at once. */
static void launch_part(struct lane *l, unsigned b)
{
    const unsigned align = 1024; /* words */
    unsigned at, n = lanes_some_of(l, b, &at), first = (at + align - 1) / align * align;
    if (first + 8 >= at + n)
        return;
    n -= first - at;
    cl_buffer_region r = {first * sizeof(int), n * sizeof(int)};
    cl_int err;
    cl_mem part = clCreateSubBuffer(shared.buffer[b], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    lanes_check(err, "clCreateSubBuffer");
    launch_in_place(l, lanes_draw(&l->state, 2) ? SCALE : SOME, b, part, first, first, n);
    lanes_check(clReleaseMemObject(part), "clReleaseMemObject");
}

static void write_words(struct lane *l, unsigned b, unsigned at, unsigned n)
{
    bool waits = lanes_draw(&l->state, 2), rows = n >= 2 * ROW && lanes_draw(&l->state, 3) == 0;
    lanes_note(l, waits ? "write to" : "write later to", b, at, n);
    if (rows)
        n -= n % ROW;
    int *words = lanes_keep(l, b, at, n, NULL);
    for (unsigned i = 0; i < n; i++)
        words[i] = (int)lanes_draw(&l->state, 1u << 20);
    const size_t zero[3] = {0}, to[3] = {at * sizeof(int), 0, 0}, box[3] = {ROW * sizeof(int), n / ROW, 1};
    if (rows)
        lanes_check(clEnqueueWriteBufferRect(l->queue, shared.buffer[b], waits, to, zero, box, box[0], 0, box[0], 0,
                                             words, 0, NULL, NULL),
                    "clEnqueueWriteBufferRect");
    else
        lanes_check(clEnqueueWriteBuffer(l->queue, shared.buffer[b], waits, at * sizeof(int), n * sizeof(int), words, 0,
                                         NULL, NULL),
                    "clEnqueueWriteBuffer");
    memcpy(shared.model[b] + at, words, n * sizeof(int));
}

static void read_words(struct lane *l, unsigned b, unsigned at, unsigned n)
{
    bool waits = lanes_draw(&l->state, 2);
    lanes_note(l, waits ? "read of" : "read later of", b, at, n);
    int *words = lanes_keep(l, b, at, n, waits ? NULL : shared.model[b] + at);
    lanes_check(
        clEnqueueReadBuffer(l->queue, shared.buffer[b], waits, at * sizeof(int), n * sizeof(int), words, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    if (waits)
        lanes_compare(l, "a read", words, shared.model[b] + at, b, at, n);
}

static void fill(struct lane *l, unsigned b, unsigned at, unsigned n)
{
    int pattern[4];
    unsigned words = n % 4 ? 1 : 4;
    for (int i = 0; i < 4; i++)
        pattern[i] = (int)lanes_draw(&l->state, 1u << 20);
    lanes_note(l, "fill of", b, at, n);
    if (at % 4)
        words = 1;
    lanes_check(clEnqueueFillBuffer(l->queue, shared.buffer[b], pattern, words * sizeof(int), at * sizeof(int),
                                    n * sizeof(int), 0, NULL, NULL),
                "clEnqueueFillBuffer");
    for (unsigned i = 0; i < n; i++)
        shared.model[b][at + i] = pattern[i % words];
}

static void copy(struct lane *l, unsigned b, unsigned other)
{
    unsigned from, at, n = lanes_some_of(l, other, &from), most = lanes_some_of(l, b, &at);
    n = n < most ? n : most;
    if (!n)
        return;
    bool rows = n >= 2 * ROW && lanes_draw(&l->state, 2);
    if (rows)
        n -= n % ROW;
    lanes_note(l, rows ? "copy of rows to" : "copy to", b, at, n);
    const size_t a[3] = {from * sizeof(int), 0, 0}, to[3] = {at * sizeof(int), 0, 0},
                 box[3] = {ROW * sizeof(int), n / ROW, 1};
    if (rows)
        lanes_check(clEnqueueCopyBufferRect(l->queue, shared.buffer[other], shared.buffer[b], a, to, box, box[0], 0,
                                            box[0], 0, 0, NULL, NULL),
                    "clEnqueueCopyBufferRect");
    else
        lanes_check(clEnqueueCopyBuffer(l->queue, shared.buffer[other], shared.buffer[b], a[0], to[0], n * sizeof(int),
                                        0, NULL, NULL),
                    "clEnqueueCopyBuffer");
    memcpy(shared.model[b] + at, shared.model[other] + from, n * sizeof(int));
}

/* With something else of the lane's while the words are mapped. */
static void map(struct lane *l, unsigned b, unsigned at, unsigned n)
{
    static const cl_map_flags ways[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE,
                                        CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags way = ways[lanes_draw(&l->state, 4)];
    cl_int err;
    lanes_note(l, way == CL_MAP_READ ? "map to read of" : "map of", b, at, n);
    int *words = clEnqueueMapBuffer(l->queue, shared.buffer[b], CL_TRUE, way, at * sizeof(int), n * sizeof(int), 0,
                                    NULL, NULL, &err);
    lanes_check(err, "clEnqueueMapBuffer");
    if (way != CL_MAP_WRITE_INVALIDATE_REGION)
        lanes_compare(l, "a map", words, shared.model[b] + at, b, at, n);
    for (unsigned i = 0; way != CL_MAP_READ && i < n; i++)
        if (way == CL_MAP_WRITE_INVALIDATE_REGION || i % 3 == 0)
            shared.model[b][at + i] = words[i] = (int)lanes_draw(&l->state, 1u << 20);
    struct piece whole_piece = l->piece[b];
    bool before = at - whole_piece.at >= 8;
    if (before || at + n + 8 <= whole_piece.at + whole_piece.n) { /* beside the mapped words */
        l->piece[b] = before ? (struct piece){whole_piece.at, at - whole_piece.at}
                             : (struct piece){at + n, whole_piece.at + whole_piece.n - at - n};
        lanes_operate(l, false);
        l->piece[b] = whole_piece;
    }
    lanes_note(l, "unmap of", b, at, n);
    lanes_check(clEnqueueUnmapMemObject(l->queue, shared.buffer[b], words, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

void lanes_operate(struct lane *l, bool maps)
{
    unsigned b = lanes_draw(&l->state, BUFFERS), other = (b + 1 + lanes_draw(&l->state, BUFFERS - 1)) % BUFFERS, at;
    if (shared.image[0] && lanes_draw(&l->state, 4) == 0) {
        lanes_texels(l, maps);
        return;
    }
    unsigned n = lanes_some_of(l, b, &at);
    if (!n)
        return;
    switch (lanes_draw(&l->state, 15)) {
    case 0:
    case 1:
        launch_in_place(l, SCALE, b, shared.buffer[b], 0, at, n);
        break;
    case 2:
        launch_in_place(l, SOME, b, shared.buffer[b], 0, at, n);
        break;
    case 3:
        if (n >= 8)
            launch_in_place(l, COUNT, b, shared.buffer[b], 0, at, n);
        break;
    case 4:
    case 5:
        launch_across(l, false, b, other);
        break;
    case 6:
        launch_across(l, true, b, other);
        break;
    case 7:
        launch_spread(l, b);
        break;
    case 8:
        launch_part(l, b);
        break;
    case 9:
        write_words(l, b, at, n);
        break;
    case 10:
        read_words(l, b, at, n);
        break;
    case 11:
        fill(l, b, at, n);
        break;
    case 12:
        copy(l, b, other);
        break;
    case 13:
        if (maps)
            map(l, b, at, n);
        break;
    default:
        switch (lanes_draw(&l->state, 4)) {
        case 0:
            lanes_finish(l);
            break;
        case 1:
            lanes_check(clFlush(l->queue), "clFlush");
            break;
        default:
            usleep(lanes_draw(&l->state, 200));
        }
    }
}
