#include "bench/transfer_ring.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/median.h"
#include "device/device.h"
#include "device/link/mailbox_mode.h"
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
    return median(s, (size_t)repeat);
}

double transfer_between(unsigned a, unsigned b, size_t bytes, int repeat)
{
    struct place pa, pb;
    cl_int err;
    struct yk_ring_shape shape = {2 << 20, 16, 0, 0, true};
    if (!open_place(&pa, a, bytes) || !open_place(&pb, b, bytes))
        return -1;
    struct yk_ring *r = yk_ring_create(pa.d->cl, pa.queue, 32 << 20, YK_RING_OF_DRIVER, &err);
    if (!r || rate(r, shape, ACROSS, &pa, &pb, NULL, bytes, 1) < 0)
        return -1;
    for (size_t chunk = 256 << 10; chunk <= 4 << 20; chunk *= 2)
        printf("ring, chunks of %zu KiB: %.1f GB/s\n", chunk >> 10,
               rate(r, (struct yk_ring_shape){chunk, (unsigned)((16 << 20) / chunk), 0, 0, true}, ACROSS, &pa, &pb,
                    NULL, bytes, repeat));
    return rate(r, shape, ACROSS, &pa, &pb, NULL, bytes, repeat);
}

static bool arrives(struct yk_mailboxes *m, const struct place *a, const struct place *b, size_t bytes)
{
    unsigned char *sent = malloc(bytes), *got = calloc(1, bytes);
    struct yk_ring_end from = end_of(a), to = end_of(b);
    bool right = sent && got;
    for (size_t i = 0; right && i < bytes; i++)
        sent[i] = (unsigned char)(i * 2654435761u >> 13);
    right = right &&
            from.cl->EnqueueWriteBuffer(a->queue, a->buffer, CL_TRUE, 0, bytes, sent, 0, NULL, NULL) == CL_SUCCESS &&
            yk_mailboxes_copy(m, &from, &to, bytes, true) == CL_SUCCESS &&
            to.cl->EnqueueReadBuffer(b->queue, b->buffer, CL_TRUE, 0, bytes, got, 0, NULL, NULL) == CL_SUCCESS &&
            !memcmp(sent, got, bytes);
    free(sent);
    free(got);
    return right;
}

/* Median microseconds of BYTES by mailbox, or (M is NULL) over ordinary memory by the driver; negative: it failed. */
static double copy_us(struct yk_mailboxes *m, const struct place *a, const struct place *b, void *host, size_t bytes,
                      int repeat)
{
    double us[64];
    struct yk_ring_end from = end_of(a), to = end_of(b);
    for (int i = 0; i < repeat; i++) {
        uint64_t began = yk_now_ns();
        cl_int err = m ? yk_mailboxes_copy(m, &from, &to, bytes, true)
                       : from.cl->EnqueueReadBuffer(a->queue, a->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL) |
                             to.cl->EnqueueWriteBuffer(b->queue, b->buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
        if (err != CL_SUCCESS)
            return -1;
        us[i] = (double)(yk_now_ns() - began) * 1e-3;
    }
    return median(us, (size_t)repeat);
}

/* GB/s of every second row of ROW bytes by mailbox; negative: it failed. */
static double rows_gbs(struct yk_mailboxes *m, const struct place *a, const struct place *b, size_t row, size_t rows,
                       int repeat)
{
    double gbs[64];
    struct yk_ring_end from = end_of(a), to = end_of(b);
    for (int i = 0; i < repeat; i++) {
        uint64_t began = yk_now_ns();
        if (yk_mailboxes_copy_rows(m, &from, &to, row, 2 * row, rows, true) != CL_SUCCESS)
            return -1;
        gbs[i] = (double)(row * rows) / (double)(yk_now_ns() - began);
    }
    return median(gbs, (size_t)repeat);
}

double transfer_by_mailbox(unsigned a, unsigned b, size_t bytes, int repeat)
{
    enum { HOST = 16 << 20, SMALL = 15 };
    struct place pa, pb;
    cl_int err;
    if (!open_place(&pa, a, bytes) || !open_place(&pb, b, bytes))
        return -1;
    const struct yk_mailbox_mode mode = yk_mailbox_mode(yk_machine_get(NULL));
    if (!mode.maker || !mode.maker->fits(pa.d, pb.d))
        return 0;
    const struct yk_mailbox_end end[2] = {{pa.d, pa.context}, {pb.d, pb.context}};
    uint64_t from = yk_now_ns();
    struct yk_mailboxes *m = yk_mailboxes_create(mode.maker, end, mode.bytes, &err);
    if (!m) {
        printf("no mailboxes: %s\n", yk_cl_error_name(err));
        return -1;
    }
    printf("mailboxes of %s, %d of %zu KiB: %.2f ms to make\n", mode.maker->name, YK_MAILBOX_SLOTS, mode.bytes >> 10,
           (double)(yk_now_ns() - from) * 1e-6);
    void *host = calloc(1, HOST);
    if (!host || !arrives(m, &pa, &pb, bytes))
        return -1;
    for (size_t n = 4 << 10; n <= HOST && n <= bytes; n *= 4)
        printf("%6zu KiB: mailbox %.1f us, ordinary memory %.1f us\n", n >> 10, copy_us(m, &pa, &pb, host, n, SMALL),
               copy_us(NULL, &pa, &pb, host, n, SMALL));
    free(host);
    for (size_t row = 16; row <= 1 << 20 && 8 * row <= bytes; row *= 8) {
        const size_t most = 1 << 18, rows = bytes / (2 * row) < most ? bytes / (2 * row) : most;
        printf("%7zu rows of %7zu bytes: mailbox %.1f GB/s\n", rows, row, rows_gbs(m, &pa, &pb, row, rows, 5));
    }
    double us = copy_us(m, &pa, &pb, NULL, bytes, repeat);
    yk_mailboxes_destroy(m);
    return us < 0 ? us : (double)bytes / us * 1e-3;
}

/* The ring's rate in one direction while the other goes on, of both together; negative: it failed. */
struct one_way {
    struct yk_ring *ring;
    struct yk_ring_shape shape;
    enum way way;
    struct place *at;
    void *host;
    size_t bytes;
    int repeat;
    double gbs;
};

static void *go_one_way(void *arg)
{
    struct one_way *w = arg;
    w->gbs = rate(w->ring, w->shape, w->way, w->at, NULL, w->host, w->bytes, w->repeat);
    return NULL;
}

static double rate_both(struct one_way *in, struct one_way *out)
{
    pthread_t t;
    if (pthread_create(&t, NULL, go_one_way, in))
        return -1;
    go_one_way(out);
    pthread_join(t, NULL);
    return in->gbs < 0 || out->gbs < 0 ? -1 : in->gbs + out->gbs;
}

static void sweep_shapes(struct yk_ring *const *r, struct place *at, unsigned char *const *host, size_t bytes,
                         int repeat)
{
    static const char *const names[] = {"in", "out", "both"};
    for (int way = 0; way < 3; way++)
        for (unsigned slots = 8; slots <= 16; slots *= 2)
            for (size_t chunk = 1 << 20; chunk <= 4 << 20; chunk *= 2)
                for (size_t unit = 64 << 10; unit <= 256 << 10; unit *= 4) {
                    if (slots * chunk > yk_ring_bytes(r[0]))
                        continue;
                    printf("%-4s %2u slots of %4zu KiB, units of %4zu; threads in 6 8 10 12, out half:", names[way],
                           slots, chunk >> 10, unit >> 10);
                    static const unsigned threads[] = {6, 8, 10, 12};
                    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                        struct yk_ring_shape shape = {chunk, slots, threads[t], unit, true};
                        struct one_way in = {r[0], shape, IN, &at[0], host[0], bytes, repeat, 0},
                                       out = {r[1], shape, OUT, &at[1], host[1], bytes, repeat, 0};
                        out.shape.threads /= 2;
                        if (way == 0)
                            go_one_way(&in);
                        else if (way == 1)
                            go_one_way(&out);
                        printf(" %6.1f", way == 0 ? in.gbs : way == 1 ? out.gbs : rate_both(&in, &out));
                    }
                    printf("\n");
                }
}

static void sweep_sizes(struct yk_ring *r, struct place *a, void *host, size_t bytes)
{
    for (size_t n = 256 << 10; n <= bytes && n <= 256 << 20; n *= 2) {
        printf("%6zu KiB in GB/s: plain %5.1f;", n >> 10,
               rate(r, (struct yk_ring_shape){.chunk = 0}, PLAIN_IN, a, NULL, host, n, 9));
        for (size_t chunk = 64 << 10; chunk <= 2 << 20; chunk *= 2)
            printf(" %5.1f", rate(r, (struct yk_ring_shape){chunk, 16, 8, 64 << 10, true}, IN, a, NULL, host, n, 9));
        printf("   out: plain %5.1f;", rate(r, (struct yk_ring_shape){.chunk = 0}, PLAIN_OUT, a, NULL, host, n, 9));
        for (size_t chunk = 64 << 10; chunk <= 2 << 20; chunk *= 2)
            printf(" %5.1f", rate(r, (struct yk_ring_shape){chunk, 16, 8, 64 << 10, true}, OUT, a, NULL, host, n, 9));
        printf("  (chunks of 64 KiB to 2 MiB)\n");
    }
}

int transfer_sweep(unsigned dev, size_t bytes, int repeat)
{
    struct place at[2];
    cl_int err;
    unsigned char *host[2];
    struct yk_ring *r[2];
    for (int i = 0; i < 2; i++) {
        host[i] = malloc(bytes);
        if (!host[i] || !open_place(&at[i], dev, bytes)) {
            fprintf(stderr, "transfer: no device %u with %zu bytes\n", dev, bytes);
            return 1;
        }
        memset(host[i], 3, bytes);
    }
    static const char *const whose[] = {"driver's", "host's"};
    for (unsigned place = YK_RING_OF_DRIVER; place <= YK_RING_OF_HOST; place++)
        for (size_t n = 1 << 20; n <= 32 << 20; n *= 2) {
            uint64_t from = yk_now_ns();
            r[0] = yk_ring_create(at[0].d->cl, at[0].queue, n, (enum yk_ring_place)place, &err);
            uint64_t made = yk_now_ns();
            if (!r[0])
                return 1;
            printf("a ring of %zu MiB of the %s memory: %.2f ms to make\n", n >> 20, whose[place],
                   (double)(made - from) * 1e-6);
            if (n < 32 << 20 || place != YK_RING_OF_HOST)
                yk_ring_destroy(r[0], at[0].queue);
        }
    if (!(r[1] = yk_ring_create(at[1].d->cl, at[1].queue, 32 << 20, YK_RING_OF_HOST, &err)))
        return 1;
    sweep_shapes(r, at, host, bytes, repeat);
    sweep_sizes(r[0], &at[0], host[0], bytes);
    free(host[0]);
    free(host[1]);
    return 0;
}
