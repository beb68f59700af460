/* What lanes do in images: each has rows of its own. */
#include <string.h>
#include "tests/diff/lanes.h"

const char lanes_texels_source[] =
    "kernel void paint(global const int *a, int from, write_only image2d_t o, int y, int n, int c)\n"
    "{ int x = get_global_id(0), r = get_global_id(1); if (r < n) write_imageui(o, (int2)(x, y + r), "
    "(uint4)((uint)(a[from + (x & 7)] + c * r), 0, 0, 0)); }\n"
    "kernel void blend(read_only image2d_t i, int from, write_only image2d_t o, int y, int n, int c)\n"
    "{ int x = get_global_id(0), r = get_global_id(1), w = get_global_size(0);\n"
    "  if (r < n) write_imageui(o, (int2)(x, y + r), read_imageui(i, (int2)(w - 1 - x, from + r)) + (uint)c); }\n"
    "kernel void take(read_only image2d_t i, int from, global int *b, int at, int n, int c)\n"
    "{ int x = get_global_id(0), r = get_global_id(1), w = get_global_size(0);\n"
    "  if (r < n) b[at + r * w + x] = (int)read_imageui(i, (int2)(x, from + r)).x ^ c; }\n";

static unsigned some_rows(struct lane *l, unsigned i, unsigned *y)
{
    struct piece p = l->rows[i];
    *y = p.at;
    if (!p.n)
        return 0;
    unsigned from = lanes_draw(&l->state, 3) ? lanes_draw(&l->state, p.n) : 0;
    *y += from;
    return 1 + lanes_draw(&l->state, p.n - from);
}

/* GOT: N rows at Y of image I. */
static void compare(struct lane *l, const char *how, const int *got, unsigned i, unsigned y, unsigned n)
{
    lanes_compare(l, how, got, shared.texels[i] + y * WIDTH, BUFFERS + i, y * WIDTH, n * WIDTH);
}

static void launch(struct lane *l, enum kernel which, cl_mem from, unsigned at, cl_mem to, unsigned where, unsigned n,
                   int c)
{
    const size_t local[2] = {16, lanes_draw(&l->state, 2) ? 4 : 1},
                 global[2] = {WIDTH, (n + local[1] - 1) / local[1] * local[1]};
    const int values[] = {(int)at, (int)where, (int)n, c};
    static const cl_uint place[] = {1, 3, 4, 5};
    cl_kernel k = l->kernel[which];
    lanes_check(clSetKernelArg(k, 0, sizeof from, &from), "clSetKernelArg");
    lanes_check(clSetKernelArg(k, 2, sizeof to, &to), "clSetKernelArg");
    for (int v = 0; v < 4; v++)
        lanes_check(clSetKernelArg(k, place[v], sizeof values[v], &values[v]), "clSetKernelArg");
    lanes_check(clEnqueueNDRangeKernel(l->queue, k, 2, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void paint(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    unsigned at, b = lanes_draw(&l->state, BUFFERS), words = lanes_some_of(l, b, &at);
    const int c = (int)lanes_draw(&l->state, 1000);
    if (words < 8)
        return;
    lanes_note(l, "paint", BUFFERS + i, y, n);
    launch(l, PAINT, shared.buffer[b], at, shared.image[i], y, n, c);
    for (unsigned k = 0; k < n * WIDTH; k++)
        shared.texels[i][y * WIDTH + k] =
            (int)((unsigned)shared.model[b][at + k % WIDTH % 8] + (unsigned)c * (k / WIDTH));
}

static void blend(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    unsigned from, other = (i + 1 + lanes_draw(&l->state, IMAGES - 1)) % IMAGES, most = some_rows(l, other, &from);
    const int c = (int)lanes_draw(&l->state, 1000);
    n = n < most ? n : most;
    if (!n)
        return;
    lanes_note(l, "blend", BUFFERS + i, y, n);
    launch(l, BLEND, shared.image[other], from, shared.image[i], y, n, c);
    for (unsigned k = 0; k < n * WIDTH; k++)
        shared.texels[i][y * WIDTH + k] =
            (int)((unsigned)shared.texels[other][(from + k / WIDTH) * WIDTH + WIDTH - 1 - k % WIDTH] + (unsigned)c);
}

/* Of N rows at Y of image I, and of BACK's, as many as L's piece of some buffer has room for, from there or to it, by a
 * kernel or a copy. */
static void across(struct lane *l, unsigned i, unsigned y, unsigned n, bool by_kernel, bool back)
{
    const size_t origin[3] = {0, y, 0};
    unsigned at, b = lanes_draw(&l->state, BUFFERS), rows = lanes_some_of(l, b, &at) / WIDTH;
    const int c = by_kernel ? (int)lanes_draw(&l->state, 1000) : 0;
    n = n < rows ? n : rows;
    if (!n)
        return;
    const size_t region[3] = {WIDTH, n, 1};
    lanes_note(l, by_kernel ? "take" : back ? "copy of a buffer to" : "copy to a buffer of", BUFFERS + i, y, n);
    if (by_kernel)
        launch(l, TAKE, shared.image[i], y, shared.buffer[b], at, n, c);
    else if (back)
        lanes_check(clEnqueueCopyBufferToImage(l->queue, shared.buffer[b], shared.image[i], at * sizeof(int), origin,
                                               region, 0, NULL, NULL),
                    "clEnqueueCopyBufferToImage");
    else
        lanes_check(clEnqueueCopyImageToBuffer(l->queue, shared.image[i], shared.buffer[b], origin, region,
                                               at * sizeof(int), 0, NULL, NULL),
                    "clEnqueueCopyImageToBuffer");
    for (unsigned k = 0; k < n * WIDTH; k++)
        if (back)
            shared.texels[i][y * WIDTH + k] = shared.model[b][at + k];
        else
            shared.model[b][at + k] = shared.texels[i][y * WIDTH + k] ^ c;
}

static void copy(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    unsigned from, other = (i + 1 + lanes_draw(&l->state, IMAGES - 1)) % IMAGES, most = some_rows(l, other, &from);
    n = n < most ? n : most;
    if (!n)
        return;
    const size_t a[3] = {0, from, 0}, to[3] = {0, y, 0}, region[3] = {WIDTH, n, 1};
    lanes_note(l, "copy to", BUFFERS + i, y, n);
    lanes_check(clEnqueueCopyImage(l->queue, shared.image[other], shared.image[i], a, to, region, 0, NULL, NULL),
                "clEnqueueCopyImage");
    memcpy(shared.texels[i] + y * WIDTH, shared.texels[other] + from * WIDTH, n * WIDTH * sizeof(int));
}

static void write_rows(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    const size_t origin[3] = {0, y, 0}, region[3] = {WIDTH, n, 1};
    bool waits = lanes_draw(&l->state, 2);
    int *words = lanes_keep(l, BUFFERS + i, y, n * WIDTH, NULL);
    lanes_note(l, waits ? "write to" : "write later to", BUFFERS + i, y, n);
    for (unsigned k = 0; k < n * WIDTH; k++)
        shared.texels[i][y * WIDTH + k] = words[k] = (int)lanes_draw(&l->state, 1u << 20);
    lanes_check(clEnqueueWriteImage(l->queue, shared.image[i], waits, origin, region, 0, 0, words, 0, NULL, NULL),
                "clEnqueueWriteImage");
}

static void read_rows(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    const size_t origin[3] = {0, y, 0}, region[3] = {WIDTH, n, 1};
    bool waits = lanes_draw(&l->state, 2);
    lanes_note(l, waits ? "read of" : "read later of", BUFFERS + i, y, n);
    int *words = lanes_keep(l, BUFFERS + i, y * WIDTH, n * WIDTH, waits ? NULL : shared.texels[i] + y * WIDTH);
    lanes_check(clEnqueueReadImage(l->queue, shared.image[i], waits, origin, region, 0, 0, words, 0, NULL, NULL),
                "clEnqueueReadImage");
    if (waits)
        compare(l, "a read", words, i, y, n);
}

static void fill(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    const size_t origin[3] = {0, y, 0}, region[3] = {WIDTH, n, 1};
    const cl_uint colour[4] = {lanes_draw(&l->state, 1u << 20)};
    lanes_note(l, "fill of", BUFFERS + i, y, n);
    lanes_check(clEnqueueFillImage(l->queue, shared.image[i], colour, origin, region, 0, NULL, NULL),
                "clEnqueueFillImage");
    for (unsigned k = 0; k < n * WIDTH; k++)
        shared.texels[i][y * WIDTH + k] = (int)colour[0];
}

static void map(struct lane *l, unsigned i, unsigned y, unsigned n)
{
    const size_t origin[3] = {0, y, 0}, region[3] = {WIDTH, n, 1};
    bool write = lanes_draw(&l->state, 2);
    size_t pitch;
    cl_int err;
    lanes_note(l, write ? "map of" : "map to read of", BUFFERS + i, y, n);
    char *at = clEnqueueMapImage(l->queue, shared.image[i], CL_TRUE, write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ,
                                 origin, region, &pitch, NULL, 0, NULL, NULL, &err);
    lanes_check(err, "clEnqueueMapImage");
    for (unsigned r = 0; r < n; r++) {
        int *row = (int *)(void *)(at + r * pitch), *model = shared.texels[i] + (y + r) * WIDTH;
        compare(l, "a map", row, i, y + r, 1);
        for (unsigned x = 0; write && x < WIDTH; x += 3)
            model[x] = row[x] = (int)lanes_draw(&l->state, 1u << 20);
    }
    lanes_check(clEnqueueUnmapMemObject(l->queue, shared.image[i], at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

void lanes_texels(struct lane *l, bool maps)
{
    unsigned y, i = lanes_draw(&l->state, IMAGES), n = some_rows(l, i, &y);
    if (!n)
        return;
    switch (lanes_draw(&l->state, 11)) {
    case 0:
    case 1:
        paint(l, i, y, n);
        break;
    case 2:
    case 3:
        blend(l, i, y, n);
        break;
    case 4:
        across(l, i, y, n, true, false);
        break;
    case 5:
        across(l, i, y, n, false, lanes_draw(&l->state, 2));
        break;
    case 6:
        copy(l, i, y, n);
        break;
    case 7:
        write_rows(l, i, y, n);
        break;
    case 8:
        read_rows(l, i, y, n);
        break;
    case 9:
        fill(l, i, y, n);
        break;
    default:
        if (maps)
            map(l, i, y, n);
    }
}
