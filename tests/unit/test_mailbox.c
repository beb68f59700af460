/* Mailboxes between two devices over a driver that moves bytes as late as it may: a mailbox filled again before it has
 * been emptied, emptied before it was filled, or used by a queue that does not own it, shows. And calls that fail. */
#include <pthread.h>
#include "device/link/mailbox.h"
#include "tests/unit/late_driver.h"
#include "tests/unit/main.h"

enum { BOX = 5000, BOXES = 64 };

/* The memory of mailboxes that live, and the queue that owns each. */
static struct box {
    unsigned char *at;
    struct queue *owner;
} boxes[BOXES];
static int alive, made, fail_at; /* the n-th that is made fails; 0: none */

static struct box *box_of(const void *p)
{
    for (int i = 0; i < BOXES; i++)
        if (boxes[i].at && (const unsigned char *)p >= boxes[i].at && (const unsigned char *)p < boxes[i].at + BOX)
            return &boxes[i];
    return NULL;
}

static bool fits(const struct yk_device *from, const struct yk_device *to)
{
    return from != to;
}

static cl_int make(const struct yk_mailbox_end end[2], size_t bytes, struct yk_mailbox *box)
{
    (void)end;
    ck_assert_uint_eq(bytes, BOX);
    int i = 0;
    while (boxes[i].at)
        i++;
    boxes[i] = (struct box){.at = malloc(bytes)};
    box->memory = boxes[i].at;
    alive++;
    if (++made == fail_at) /* imported on one side only */
        return CL_INVALID_VALUE;
    box->at[0] = box->at[1] = (cl_mem)(void *)boxes[i].at;
    return CL_SUCCESS;
}

static void drop(const struct yk_mailbox_end end[2], struct yk_mailbox *box)
{
    (void)end;
    if (!box->memory)
        return;
    box_of(box->memory)->at = NULL;
    free(box->memory);
    alive--;
}

/* A command that changes the owner when it runs: it copies the queue's address, or nothing, there. */
static cl_int own(const struct yk_device *device, cl_command_queue queue, cl_mem mem, bool take, cl_event *event)
{
    static struct queue *const none = NULL;
    struct queue *q = (struct queue *)(void *)queue;
    struct box *b = box_of(mem);
    (void)device;
    ck_assert_ptr_nonnull(b);
    return enqueue(queue, &b->owner, take ? (const void *)&q->self : (const void *)&none, sizeof none, event);
}

static void check_owner(const struct queue *q, const void *to, const void *from, size_t len)
{
    for (int i = 0; i < 2; i++) {
        const struct box *b = box_of(i ? to : from);
        if (!b)
            continue;
        ck_assert_ptr_eq(b->owner, q);
        ck_assert_uint_le((size_t)((const unsigned char *)(i ? to : from) - b->at) + len, BOX);
    }
}

static const struct yk_mailbox_maker owned = {"owned", fits, make, drop, own},
                                     free_for_all = {"free", fits, make, drop, NULL};

static const struct yk_device device[2] = {{.cl = &driver}, {.index = 1, .cl = &driver}};
static const struct yk_mailbox_end ends[2] = {{&device[0], NULL}, {&device[1], NULL}};

static struct yk_mailboxes *open_boxes(const struct yk_mailbox_maker *maker)
{
    cl_int err = 1;
    struct yk_mailboxes *m = yk_mailboxes_create(maker, ends, BOX, &err);
    ck_assert_int_eq(err, CL_SUCCESS);
    ck_assert_ptr_nonnull(m);
    return m;
}

/* Copies of ranges, or of rows. How many were not as they should be: an error, wrong bytes, or others changed. */
static unsigned wrong_copies(bool in_rows)
{
    unsigned wrong = 0;
    struct queue q[2];
    unsigned char *a = noise(), *b = noise(), *want = malloc(BYTES);
    memcpy(want, b, BYTES);
    srand(7);
    for (int kind = 0; kind < 2; kind++) {
        watch = kind ? NULL : check_owner;
        struct yk_mailboxes *m = open_boxes(kind ? &free_for_all : &owned);
        struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 0},
                           to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 0};
        for (int round = 0; round < 400; round++) {
            size_t row = 1 + (size_t)rand() % (round % 3 ? 100 : BOX), pitch = row + (size_t)rand() % (2 * row),
                   most = BYTES / pitch - 1, rows = 1 + (size_t)rand() % most;
            if (!in_rows) {
                row = pitch = 1 + (size_t)rand() % (round % 10 ? 3 * BOX : BYTES / 2);
                most = rows = 1;
            }
            from.off = (size_t)rand() % (most - rows + 1) * pitch + (size_t)rand() % (pitch - row + 1);
            to.off = (size_t)rand() % (most - rows + 1) * pitch + (size_t)rand() % (pitch - row + 1);
            if (!in_rows) {
                from.off = (size_t)rand() % (BYTES - row);
                to.off = (size_t)rand() % (BYTES - row);
            }
            a[from.off] ^= 1;
            for (size_t i = 0; i < rows; i++)
                memcpy(want + to.off + i * pitch, a + from.off + i * pitch, row);
            cl_int err = in_rows ? yk_mailboxes_copy_rows(m, &from, &to, row, pitch, rows, rand() % 2)
                                 : yk_mailboxes_copy(m, &from, &to, row, rand() % 2);
            wrong += err != CL_SUCCESS || memcmp(b, want, BYTES) || q[0].first || q[1].first;
        }
        yk_mailboxes_destroy(m);
    }
    watch = NULL;
    free(a), free(b), free(want);
    return wrong;
}

START_TEST(bytes_arrive_in_their_order)
{
    ck_assert_uint_eq(wrong_copies(false), 0);
    ck_assert_int_eq(alive, 0);
}
END_TEST

/* Rows of all lengths, of which several or one go into a mailbox, at places of their own at both ends. */
START_TEST(rows_arrive_and_nothing_between_them)
{
    ck_assert_uint_eq(wrong_copies(true), 0);
    ck_assert_int_eq(alive, 0);
}
END_TEST

START_TEST(what_is_no_rectangle_is_refused)
{
    struct queue q[2];
    struct yk_mailboxes *m = open_boxes(&free_for_all);
    struct yk_ring_end from = {&driver, open_queue(&q[0]), NULL, 50}, to = {&driver, open_queue(&q[1]), NULL, 0};
    ck_assert_int_eq(yk_mailboxes_copy_rows(m, &from, &to, 51, 100, 2, false), CL_INVALID_VALUE);
    ck_assert_int_eq(yk_mailboxes_copy_rows(m, &to, &from, 51, 100, 2, false), CL_INVALID_VALUE);
    ck_assert_int_eq(yk_mailboxes_copy_rows(m, &to, &to, BOX + 1, 2 * BOX, 2, false), CL_INVALID_VALUE);
    ck_assert_int_eq(yk_mailboxes_copy_rows(m, &to, &to, 0, 100, 2, false), CL_INVALID_VALUE);
    ck_assert_int_eq(q[0].calls + q[1].calls, 0);
    yk_mailboxes_destroy(m);
}
END_TEST

/* The receiver must have something to do while the sender fills the next. */
START_TEST(both_copies_go_on_at_a_time)
{
    struct queue q[2];
    unsigned char *a = noise(), *b = noise();
    struct yk_mailboxes *m = open_boxes(&free_for_all);
    struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 0},
                       to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 0};
    ck_assert_int_eq(yk_mailboxes_copy(m, &from, &to, 20 * BOX, false), CL_SUCCESS);
    ck_assert_int_eq(q[0].most, YK_MAILBOX_SLOTS);
    ck_assert_int_eq(q[1].most, YK_MAILBOX_SLOTS / 2);
    yk_mailboxes_destroy(m);
    free(a), free(b);
}
END_TEST

/* Whatever call fails, on either device: an error, nothing under way, and mailboxes that work or say that they do not.
 */
START_TEST(a_call_that_fails_leaves_nothing_under_way)
{
    unsigned char *a = noise(), *b = noise();
    for (int side = 0; side < 2; side++)
        for (int fail = 1; fail <= 60; fail++) {
            struct queue q[2];
            struct yk_mailboxes *m = open_boxes(&owned);
            struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 5},
                               to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 7};
            q[side].fail_at = fail;
            cl_int err = fail % 2 ? yk_mailboxes_copy(m, &from, &to, 7 * BOX, false)
                                  : yk_mailboxes_copy_rows(m, &from, &to, BOX / 2, BOX, 14, false);
            ck_assert((err != CL_SUCCESS) == (q[side].calls >= fail));
            ck_assert_ptr_null(q[0].first);
            ck_assert_ptr_null(q[1].first);
            q[side].fail_at = 0;
            ck_assert_int_eq(yk_mailboxes_copy(m, &from, &to, 7 * BOX, false), CL_SUCCESS);
            ck_assert(!memcmp(a + 5, b + 7, 7 * BOX));
            yk_mailboxes_destroy(m);
        }
    ck_assert_int_eq(alive, 0);
    free(a), free(b);
}
END_TEST

START_TEST(a_device_lost_in_the_middle)
{
    unsigned char *a = noise(), *b = noise();
    struct queue q[2];
    struct yk_mailboxes *m = open_boxes(&free_for_all);
    struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 0},
                       to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 0};
    q[1].fail_at = 6;
    q[1].onwards = true;
    ck_assert_int_ne(yk_mailboxes_copy(m, &from, &to, 9 * BOX, true), CL_SUCCESS);
    ck_assert_ptr_null(q[0].first);
    ck_assert_ptr_nonnull(q[1].first);
    q[0].calls = q[1].calls = 0;
    q[1].onwards = false;
    q[1].fail_at = 0;
    ck_assert_int_eq(yk_mailboxes_copy(m, &from, &to, BOX, true), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(q[0].calls + q[1].calls, 0);
    yk_mailboxes_destroy(m); /* their memory stays: the driver is at it */
    ck_assert_int_eq(alive, YK_MAILBOX_SLOTS);
    run_to(&q[1], NULL);
    for (int i = 0; i < BOXES; i++)
        free(boxes[i].at);
    free(a), free(b);
}
END_TEST

START_TEST(letters_are_under_way_together)
{
    struct queue q[2];
    unsigned char *a = noise(), *b = noise(), *want = malloc(BYTES);
    memcpy(want, b, BYTES);
    watch = check_owner;
    struct yk_mailboxes *m = open_boxes(&owned);
    struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 0},
                       to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 0};
    struct yk_letter l[YK_MAILBOX_SLOTS + 1];
    ck_assert(!yk_mailboxes_post(m, &from, &to, BOX + 1, false, &l[0]));
    for (int round = 0; round < 50; round++) {
        unsigned n = 1 + (unsigned)round % YK_MAILBOX_SLOTS;
        for (unsigned i = 0; i < n; i++) {
            size_t len = 1 + (size_t)rand() % BOX;
            from.off = i * BOX;
            to.off = (size_t)rand() % 100 + 2 * i * BOX;
            a[from.off] ^= 1;
            memcpy(want + to.off, a + from.off, len);
            ck_assert(yk_mailboxes_post(m, &from, &to, len, i % 2, &l[i]));
        }
        if (n == YK_MAILBOX_SLOTS)
            ck_assert(!yk_mailboxes_post(m, &from, &to, 1, false, &l[n]));
        ck_assert(memcmp(b, want, BYTES)); /* the driver does nothing before it is waited for */
        for (unsigned i = 0; i < n; i++)
            ck_assert_int_eq(yk_letter_send(&l[i]), CL_SUCCESS);
        for (unsigned i = 0; i < n; i++)
            ck_assert_int_eq(yk_letter_receive(&l[i]), CL_SUCCESS);
        ck_assert(!memcmp(b, want, BYTES));
    }
    ck_assert_int_eq(yk_mailboxes_copy(m, &from, &to, 9 * BOX, false), CL_SUCCESS);
    ck_assert_ptr_null(q[0].first);
    ck_assert_ptr_null(q[1].first);
    yk_mailboxes_destroy(m);
    free(a), free(b), free(want);
}
END_TEST

START_TEST(a_letter_that_fails_leaves_nothing_under_way)
{
    unsigned char *a = noise(), *b = noise();
    watch = NULL;
    for (int side = 0; side < 2; side++)
        for (int fail = 1; fail <= 12; fail++) {
            struct queue q[2];
            struct yk_mailboxes *m = open_boxes(&owned);
            struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)a, 5},
                               to = {&driver, open_queue(&q[1]), (cl_mem)(void *)b, 7};
            struct yk_letter l[2];
            bool right[2];
            q[side].fail_at = fail;
            for (int i = 0; i < 2; i++)
                right[i] = yk_mailboxes_post(m, &from, &to, BOX, false, &l[i]);
            for (int i = 0; i < 2; i++)
                right[i] = right[i] && yk_letter_send(&l[i]) == CL_SUCCESS;
            for (int i = 0; i < 2; i++)
                right[i] = right[i] && yk_letter_receive(&l[i]) == CL_SUCCESS;
            ck_assert((right[0] && right[1]) == (q[side].calls < fail));
            ck_assert_ptr_null(q[0].first);
            ck_assert_ptr_null(q[1].first);
            q[side].fail_at = 0;
            ck_assert_int_eq(yk_mailboxes_copy(m, &from, &to, 7 * BOX, false), CL_SUCCESS);
            ck_assert(!memcmp(a + 5, b + 7, 7 * BOX));
            yk_mailboxes_destroy(m);
        }
    ck_assert_int_eq(alive, 0);
    free(a), free(b);
}
END_TEST

START_TEST(an_import_that_fails_leaves_nothing)
{
    for (fail_at = 1; fail_at <= YK_MAILBOX_SLOTS; fail_at++) {
        cl_int err = CL_SUCCESS;
        made = 0;
        ck_assert_ptr_null(yk_mailboxes_create(&owned, ends, BOX, &err));
        ck_assert_int_eq(err, CL_INVALID_VALUE);
        ck_assert_int_eq(alive, 0);
    }
    cl_int err = CL_SUCCESS;
    made = 0;
    ck_assert_ptr_null(yk_mailboxes_create(&owned, ends, (size_t)YK_MAILBOX_MOST + 1, &err));
    ck_assert_int_ne(err, CL_SUCCESS);
    ck_assert_int_eq(made, 0); /* a driver would crash */
}
END_TEST

struct visitor {
    struct yk_mailboxes *m;
    unsigned char *a, *b;
    bool right;
};

static void *visit(void *arg)
{
    struct visitor *v = arg;
    struct queue q[2];
    struct yk_ring_end from = {&driver, open_queue(&q[0]), (cl_mem)(void *)v->a, 0},
                       to = {&driver, open_queue(&q[1]), (cl_mem)(void *)v->b, 0};
    for (int i = 0; i < 40; i++) {
        memset(v->a, i, 30000);
        v->right &= yk_mailboxes_copy(v->m, &from, &to, 30000, false) == CL_SUCCESS && !memcmp(v->a, v->b, 30000);
    }
    return NULL;
}

START_TEST(copies_of_several_threads_take_turns)
{
    struct yk_mailboxes *m = open_boxes(&free_for_all);
    struct visitor v[3];
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
        v[i] = (struct visitor){.m = m, .a = noise(), .b = noise(), .right = true};
        ck_assert_int_eq(pthread_create(&t[i], NULL, visit, &v[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        ck_assert(v[i].right);
        free(v[i].a), free(v[i].b);
    }
    yk_mailboxes_destroy(m);
}
END_TEST

YK_TEST_MAIN("mailbox", bytes_arrive_in_their_order, rows_arrive_and_nothing_between_them,
             what_is_no_rectangle_is_refused, both_copies_go_on_at_a_time, a_call_that_fails_leaves_nothing_under_way,
             a_device_lost_in_the_middle, letters_are_under_way_together, a_letter_that_fails_leaves_nothing_under_way,
             an_import_that_fails_leaves_nothing, copies_of_several_threads_take_turns)
