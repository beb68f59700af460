#include "bench/transfer_ring.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "device/device.h"
#include "device/link/ring.h"

struct place {
    const struct yk_device *d;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static bool open_place(struct place *p, unsigned dev, size_t bytes)
{
    yk_status st;
    const struct yk_machine *m = yk_machine_get(&st);
    cl_int err;
    if (!m || dev >= m->n)
        return false;
    p->d = &m->device[dev];
    p->context = p->d->cl->CreateContext(NULL, 1, &p->d->id, NULL, NULL, &err);
    p->queue = p->context ? p->d->cl->CreateCommandQueue(p->context, p->d->id, 0, &err) : NULL;
    p->buffer = p->queue ? p->d->cl->CreateBuffer(p->context, CL_MEM_READ_WRITE, bytes, NULL, &err) : NULL;
    return p->buffer;
}

static struct yk_ring_end end_of(const struct place *p)
{
    return (struct yk_ring_end){p->d->cl, p->queue, p->buffer, 0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum way { IN, OUT, ACROSS, PLAIN_IN, PLAIN_OUT };

/* Median rate in GB/s; negative: it failed. */
static double rate(struct yk_ring *r, struct yk_ring_shape shape, enum way way, const struct place *a,
                   const struct place *b, void *host, size_t bytes, int repeat)
{
    double s[64];
    struct yk_ring_end at_a = end_of(a), at_b = b ? end_of(b) : at_a;
    for (int i = 0; i < repeat; i++) {
        uint64_t from = yk_now_ns();
        cl_int err = way == IN       ? yk_ring_write(r, shape, &at_a, host, bytes)
                     : way == OUT    ? yk_ring_read(r, shape, &at_a, host, bytes)
                     : way == ACROSS ? yk_ring_copy(r, shape, &at_a, &at_b, bytes)
                     : way == PLAIN_IN
                         ? at_a.cl->EnqueueWriteBuffer(a->queue, a->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL)
                         : at_a.cl->EnqueueReadBuffer(a->queue, a->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
        if (err != CL_SUCCESS)
            return -1;
        s[i] = (double)bytes / (double)(yk_now_ns() - from);
    }
    qsort(s, (size_t)repeat, sizeof *s, by_value);
    return s[repeat / 2];
}

double transfer_between(unsigned a, unsigned b, size_t bytes, int repeat)
{
    struct place pa, pb;
    cl_int err;
    struct yk_ring_shape shape = {2 << 20, 16, 0};
    if (!open_place(&pa, a, bytes) || !open_place(&pb, b, bytes))
        return -1;
    struct yk_ring *r = yk_ring_create(pa.d->cl, pa.queue, 32 << 20, &err);
    if (!r || rate(r, shape, ACROSS, &pa, &pb, NULL, bytes, 1) < 0)
        return -1;
    for (size_t chunk = 256 << 10; chunk <= 4 << 20; chunk *= 2)
        printf("ring, chunks of %zu KiB: %.1f GB/s\n", chunk >> 10,
               rate(r, (struct yk_ring_shape){chunk, (unsigned)((16 << 20) / chunk), 0}, ACROSS, &pa, &pb, NULL, bytes,
                    repeat));
    return rate(r, shape, ACROSS, &pa, &pb, NULL, bytes, repeat);
}

int transfer_sweep(unsigned dev, size_t bytes, int repeat)
{
    struct place a;
    cl_int err;
    unsigned char *host = malloc(bytes);
    if (!host || !open_place(&a, dev, bytes)) {
        fprintf(stderr, "transfer: no device %u with %zu bytes\n", dev, bytes);
        return 1;
    }
    memset(host, 3, bytes);
    struct yk_ring *r = NULL;
    for (size_t n = 1 << 20; n <= 64 << 20; n *= 2) {
        uint64_t from = yk_now_ns();
        r = yk_ring_create(a.d->cl, a.queue, n, &err);
        uint64_t made = yk_now_ns();
        if (!r)
            return 1;
        printf("a ring of %zu MiB: %.2f ms to make\n", n >> 20, (double)(made - from) * 1e-6);
        if (n < 64 << 20)
            yk_ring_destroy(r, a.queue);
    }
    for (int way = IN; way <= OUT; way++)
        for (size_t ring = 8 << 20; ring <= 64 << 20; ring *= 2)
            for (size_t chunk = 256 << 10; chunk <= 4 << 20; chunk *= 2) {
                if (ring / chunk > YK_RING_SLOTS || ring / chunk < 4)
                    continue;
                printf("%s ring %2zu MiB chunk %4zu KiB, threads 2 4 6 8 12:", way == IN ? "in " : "out", ring >> 20,
                       chunk >> 10);
                for (unsigned t = 2; t <= 12; t += t == 8 ? 4 : 2)
                    printf(" %6.1f", rate(r, (struct yk_ring_shape){chunk, (unsigned)(ring / chunk), t}, way, &a, NULL,
                                          host, bytes, repeat));
                printf("\n");
            }
    for (size_t n = 256 << 10; n <= bytes && n <= 256 << 20; n *= 2) {
        printf("%6zu KiB in GB/s: plain %5.1f;", n >> 10,
               rate(r, (struct yk_ring_shape){0}, PLAIN_IN, &a, NULL, host, n, 9));
        for (size_t chunk = 64 << 10; chunk <= 2 << 20; chunk *= 2)
            printf(" %5.1f", rate(r, (struct yk_ring_shape){chunk, 16, 8}, IN, &a, NULL, host, n, 9));
        printf("   out: plain %5.1f;", rate(r, (struct yk_ring_shape){0}, PLAIN_OUT, &a, NULL, host, n, 9));
        for (size_t chunk = 64 << 10; chunk <= 2 << 20; chunk *= 2)
            printf(" %5.1f", rate(r, (struct yk_ring_shape){chunk, 16, 8}, OUT, &a, NULL, host, n, 9));
        printf("  (chunks of 64 KiB to 2 MiB)\n");
    }
    free(host);
    return 0;
}
