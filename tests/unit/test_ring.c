/* Rings of pinned memory over a driver that moves bytes as late as it may: a slot filled again too early, or memory
 * taken for read too early, shows as wrong bytes. And one whose n-th call fails. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device/link/ring.h"
#include "device/link/stream.h"
#include "tests/unit/late_driver.h"
#include "tests/unit/main.h"

enum { RING = 20000 };

static struct yk_ring *make(struct queue *q, size_t bytes, enum yk_ring_place place)
{
    cl_int err = 1;
    struct yk_ring *r = yk_ring_create(&driver, open_queue(q), bytes, place, &err);
    ck_assert_int_eq(err, CL_SUCCESS);
    ck_assert_uint_eq(yk_ring_bytes(r), bytes);
    return r;
}

START_TEST(bytes_arrive_whatever_the_shape)
{
    struct queue q[3];
    struct yk_ring *in = make(&q[0], RING, YK_RING_OF_HOST), *out = make(&q[1], RING, YK_RING_OF_DRIVER);
    open_queue(&q[2]);
    srand(11);
    unsigned char *app = noise(), *back = noise(), *a = noise(), *b = noise(), *was = malloc(BYTES);
    for (int round = 0; round < 600; round++) {
        struct yk_ring_shape shape = {1 + (size_t)rand() % 6000, (unsigned)rand() % 80, (unsigned)rand() % 5,
                                      (size_t)rand() % 3000, rand() % 2};
        size_t len = (size_t)rand() % (round % 10 ? 9000 : 100000), off = (size_t)rand() % (BYTES - len),
               from = (size_t)rand() % (BYTES - len);
        struct yk_ring_end at_a = {&driver, (cl_command_queue)(void *)&q[0], (cl_mem)(void *)a, off},
                           at_b = {&driver, (cl_command_queue)(void *)&q[2], (cl_mem)(void *)b, from};
        memcpy(was, a, BYTES);
        app[from] ^= 1;
        ck_assert_int_eq(yk_ring_write(in, shape, &at_a, app + from, len), CL_SUCCESS);
        memcpy(was + off, app + from, len);
        ck_assert(!memcmp(a, was, BYTES));
        memcpy(was, b, BYTES);
        at_a.queue = (cl_command_queue)(void *)&q[1];
        ck_assert_int_eq(yk_ring_copy(out, shape, &at_a, &at_b, len), CL_SUCCESS);
        memcpy(was + from, a + off, len);
        ck_assert(!memcmp(b, was, BYTES));
        memcpy(was, back, BYTES);
        ck_assert_int_eq(yk_ring_read(out, shape, &at_a, back + from, len), CL_SUCCESS);
        memcpy(was + from, a + off, len);
        ck_assert(!memcmp(back, was, BYTES));
    }
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_null(q[i].first);
    yk_ring_destroy(in, (cl_command_queue)(void *)&q[0]);
    yk_ring_destroy(out, (cl_command_queue)(void *)&q[1]);
    free(app), free(back), free(a), free(b), free(was);
}
END_TEST

/* Ranges and rows by turns, both ways: what lies between rows stays as it was. */
START_TEST(rows_arrive_whatever_the_shape)
{
    enum { MOST = 5 };
    struct queue q;
    struct yk_ring *r = make(&q, RING, YK_RING_OF_HOST);
    cl_command_queue queue = (cl_command_queue)(void *)&q;
    srand(12);
    unsigned char *app = noise(), *a = noise(), *want = malloc(BYTES);
    for (int round = 0; round < 400; round++) {
        struct yk_ring_shape shape = {500 + (size_t)rand() % 6000, (unsigned)rand() % 20, (unsigned)rand() % 5,
                                      (size_t)rand() % 900, rand() % 2};
        struct yk_ring_piece piece[MOST];
        static const struct yk_ring_steps none = {.gate = NULL};
        size_t n = 1 + (size_t)rand() % MOST, most = yk_ring_row_most(shape, RING), at = 0, host = 0;
        bool in = rand() % 2;
        app[round] ^= 1;
        unsigned char *to = in ? a : app, *from = in ? app : a;
        memcpy(want, to, BYTES);
        for (size_t i = 0; i < n; i++) {
            size_t row = 1 + (size_t)rand() % (most < 700 ? most : 700), pitch = row + (size_t)rand() % 90,
                   host_pitch = row + (size_t)rand() % 90, rows = 1 + (size_t)rand() % 40;
            bool plain = i % 3 == 2;
            at += (pitch - at % pitch) % pitch + (size_t)rand() % (pitch - row + 1);
            piece[i] = (struct yk_ring_piece){.buffer = (cl_mem)(void *)a,
                                              .off = at,
                                              .host = app + host,
                                              .len = row * rows,
                                              .row = plain ? 0 : row,
                                              .pitch = pitch,
                                              .host_pitch = host_pitch};
            for (size_t k = 0; k < row * rows; k++) {
                size_t device_at = at + (plain ? k : k / row * pitch + k % row),
                       host_at = host + (plain ? k : k / row * host_pitch + k % row);
                want[in ? device_at : host_at] = from[in ? host_at : device_at];
            }
            at += pitch * rows;
            host += host_pitch * rows;
        }
        ck_assert_int_eq(in ? yk_ring_write_steps(r, shape, &driver, queue, piece, n, &none)
                            : yk_ring_read_steps(r, shape, &driver, queue, piece, n, &none),
                         CL_SUCCESS);
        ck_assert(!memcmp(to, want, BYTES));
    }
    yk_ring_destroy(r, queue);
    free(app), free(a), free(want);
}
END_TEST

START_TEST(rows_go_from_device_to_device)
{
    struct queue q[2];
    struct yk_ring *r = make(&q[0], RING, YK_RING_OF_DRIVER);
    srand(13);
    unsigned char *a = noise(), *b = noise(), *want = malloc(BYTES);
    struct yk_ring_end from = {&driver, (cl_command_queue)(void *)&q[0], (cl_mem)(void *)a, 0},
                       to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 0};
    for (int round = 0; round < 400; round++) {
        struct yk_ring_shape shape = {500 + (size_t)rand() % 6000, (unsigned)rand() % 20, (unsigned)rand() % 5,
                                      (size_t)rand() % 900, rand() % 2};
        size_t row_most = yk_ring_row_most(shape, RING), row = 1 + (size_t)rand() % (round % 3 ? 100 : row_most),
               pitch = row + (size_t)rand() % (2 * row), most = BYTES / pitch - 1, rows = 1 + (size_t)rand() % most;
        row = row < row_most ? row : row_most;
        from.off = (size_t)rand() % (most - rows + 1) * pitch + (size_t)rand() % (pitch - row + 1);
        to.off = (size_t)rand() % (most - rows + 1) * pitch + (size_t)rand() % (pitch - row + 1);
        a[from.off] ^= 1;
        memcpy(want, b, BYTES);
        for (size_t i = 0; i < rows; i++)
            memcpy(want + to.off + i * pitch, a + from.off + i * pitch, row);
        ck_assert_int_eq(yk_ring_copy_rows(r, shape, &from, &to, row, pitch, rows), CL_SUCCESS);
        ck_assert(!memcmp(b, want, BYTES));
        ck_assert_int_eq(yk_ring_copy_rows(r, shape, &from, &to, row_most + 1, 2 * RING, 2), CL_INVALID_VALUE);
    }
    ck_assert_int_eq(yk_ring_copy_rows(r, (struct yk_ring_shape){.chunk = 100}, &from, &to, 0, 10, 2),
                     CL_INVALID_VALUE);
    yk_ring_destroy(r, from.queue);
    free(a), free(b), free(want);
}
END_TEST

/* Whatever call fails: an error, nothing under way in the ring, and a ring that works or says that it does not. */
START_TEST(a_call_that_fails_leaves_nothing_under_way)
{
    unsigned char *app = noise(), *a = noise(), *b = noise();
    for (int way = 0; way < 3; way++)
        for (int fail = 1; fail <= 60; fail++) {
            struct queue q[2];
            struct yk_ring *r = make(&q[0], RING, fail % 3 ? YK_RING_OF_DRIVER : YK_RING_OF_HOST);
            cl_command_queue q0 = (cl_command_queue)(void *)&q[0], q1 = open_queue(&q[1]);
            struct yk_ring_end at_a = {&driver, q0, (cl_mem)(void *)a, 5}, at_b = {&driver, q1, (cl_mem)(void *)b, 7};
            struct yk_ring_shape shape = {1000, 4, 2, 300, false};
            size_t len = 9500;
            struct queue *bad = &q[fail % 2 && way == 2];
            bad->fail_at = way == 2 ? (fail + 1) / 2 : fail;
            cl_int err = way == 0   ? yk_ring_write(r, shape, &at_a, app, len)
                         : way == 1 ? yk_ring_read(r, shape, &at_a, app, len)
                                    : yk_ring_copy(r, shape, &at_a, &at_b, len);
            ck_assert((err != CL_SUCCESS) == (bad->calls >= bad->fail_at));
            ck_assert_ptr_null(q[0].first);
            ck_assert_ptr_null(q[1].first);
            q[0].fail_at = q[1].fail_at = 0;
            ck_assert_int_eq(yk_ring_write(r, shape, &at_a, app + 100, len), CL_SUCCESS);
            ck_assert(!memcmp(a + 5, app + 100, len));
            yk_ring_destroy(r, q0);
        }
    free(app), free(a), free(b);
}
END_TEST

START_TEST(a_ring_that_may_still_be_in_use_is_not_used_again)
{
    unsigned char *app = noise(), *a = noise();
    struct queue q;
    struct yk_ring *r = make(&q, RING, YK_RING_OF_DRIVER);
    struct yk_ring_end at = {&driver, (cl_command_queue)(void *)&q, (cl_mem)(void *)a, 0};
    struct yk_ring_shape shape = {1000, 4, 0, 0, false};
    q.fail_at = 6;
    q.onwards = true;
    ck_assert_int_ne(yk_ring_write(r, shape, &at, app, 20000), CL_SUCCESS);
    ck_assert_ptr_nonnull(q.first);
    q.fail_at = 0;
    q.onwards = false;
    q.calls = 0;
    ck_assert_int_eq(yk_ring_write(r, shape, &at, app, 20000), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(q.calls, 0);
    yk_ring_destroy(r, at.queue); /* its memory stays: the driver is at it */
    run_to(&q, NULL);
    free(memory);
    free(app), free(a);
}
END_TEST

struct visitor {
    struct yk_ring *ring;
    struct queue queue;
    unsigned char *app, *device;
    bool right;
};

static void *visit(void *arg)
{
    struct visitor *v = arg;
    struct yk_ring_end at = {&driver, open_queue(&v->queue), (cl_mem)(void *)v->device, 0};
    for (int i = 0; i < 40; i++) {
        memset(v->app, i, 30000);
        v->right &=
            yk_ring_write(v->ring, (struct yk_ring_shape){1024, 8, 2, 500, false}, &at, v->app, 30000) == CL_SUCCESS;
        v->right &= !memcmp(v->device, v->app, 30000);
    }
    return NULL;
}

START_TEST(transfers_of_several_threads_take_turns)
{
    struct queue q;
    struct yk_ring *r = make(&q, RING, YK_RING_OF_DRIVER);
    struct visitor v[3];
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
        v[i] = (struct visitor){.ring = r, .app = noise(), .device = noise(), .right = true};
        ck_assert_int_eq(pthread_create(&t[i], NULL, visit, &v[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        ck_assert(v[i].right);
        free(v[i].app), free(v[i].device);
    }
    yk_ring_destroy(r, (cl_command_queue)(void *)&q);
}
END_TEST

/* Where a thread that waits in the driver holds others up (device/ask.h). */
START_TEST(who_asks_waits_for_nothing)
{
    unsigned char *app = noise(), *a = noise();
    for (int asks = 0; asks < 2; asks++) {
        struct queue q;
        struct yk_ring *r = make(&q, RING, YK_RING_OF_DRIVER);
        struct yk_ring_end at = {&driver, (cl_command_queue)(void *)&q, (cl_mem)(void *)a, 3};
        struct yk_ring_shape shape = {1000, 4, 2, 300, asks};
        ck_assert_int_eq(yk_ring_write(r, shape, &at, app, 30000), CL_SUCCESS);
        ck_assert(!memcmp(a + 3, app, 30000));
        ck_assert_int_eq(yk_ring_read(r, shape, &at, app + 1000, 30000), CL_SUCCESS);
        ck_assert(!memcmp(a + 3, app + 1000, 30000));
        ck_assert_int_eq(q.waits == 0, asks);
        yk_ring_destroy(r, at.queue);
    }
    free(app), free(a);
}
END_TEST

/* The host's memory for a ring: in large pages from a boundary of theirs on, there before the driver sees it, and not
 * the same for a child of fork. */
START_TEST(a_ring_of_the_hosts_memory)
{
    enum { LARGE = 2 << 20, MUCH = 5 << 20 };
    struct queue q;
    struct yk_ring *r = make(&q, MUCH, YK_RING_OF_HOST);
    unsigned char there[MUCH / 4096] = {0};
    ck_assert_uint_eq((uintptr_t)given % LARGE, 0);
    ck_assert_int_eq(mincore(given, MUCH, there), 0);
    for (size_t i = 0; i < sizeof there; i++)
        ck_assert(there[i] & 1);
    memset(given, 7, MUCH);
    pid_t child = fork();
    if (!child)
        _exit(*(unsigned char *)given);
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    yk_ring_destroy(r, (cl_command_queue)(void *)&q);
    ck_assert_int_eq(mincore(given, MUCH, there), -1);
    ck_assert_int_eq(errno, ENOMEM);
}
END_TEST

START_TEST(no_pinned_memory_no_ring)
{
    struct queue q;
    cl_int err = CL_SUCCESS;
    for (enum yk_ring_place place = YK_RING_OF_DRIVER; place <= YK_RING_OF_HOST; place++) {
        ck_assert_ptr_null(yk_ring_create(&driver, open_queue(&q), 13, place, &err));
        ck_assert_int_eq(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        ck_assert_ptr_null(yk_ring_create(&driver, open_queue(&q), 14, place, &err));
        ck_assert_int_eq(err, CL_MAP_FAILURE);
    }
}
END_TEST

START_TEST(streaming_copies_what_memcpy_does)
{
    enum { MOST = 1500, ROOM = MOST + 300 };
    void (*const way[])(void *, const void *, size_t) = {yk_copy_streaming_narrow, yk_copy_streaming,
                                                         yk_copy_streaming_wide};
    unsigned char from[ROOM], to[ROOM], want[ROOM];
    for (int i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 7 + 1);
    for (int w = 0; w < 2 + (yk_copy_streams_wide() != 0); w++)
        for (int k = 0; k < 20000; k++) {
            size_t n = (size_t)rand() % (MOST + 1), f = (size_t)rand() % 200, t = (size_t)rand() % 200;
            memset(to, 0, sizeof to);
            memset(want, 0, sizeof want);
            way[w](to + t, from + f, n);
            memcpy(want + t, from + f, n);
            ck_assert(!memcmp(to, want, sizeof to));
        }
}
END_TEST

YK_TEST_MAIN("ring", streaming_copies_what_memcpy_does, bytes_arrive_whatever_the_shape, rows_arrive_whatever_the_shape,
             rows_go_from_device_to_device, a_call_that_fails_leaves_nothing_under_way,
             a_ring_that_may_still_be_in_use_is_not_used_again, transfers_of_several_threads_take_turns,
             who_asks_waits_for_nothing, a_ring_of_the_hosts_memory, no_pinned_memory_no_ring)
