/* Memory of the program that is pinned where it lies (shim/memory/inplace.h; YOKE_PIN=force): it is let go of before a
 * driver is given memory again once it has gone, in whatever way; and with its context. The stub counts what lives. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device/link/watch.h"
#include "shim/memory/moved.h"
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

enum { BYTES = 1 << 20, OFF = 16, TIMES = 6, PINNED = BYTES / 32768 + 1 /* buffers: 64 at most */ };

static long live(void)
{
    void *stub = dlopen(YK_STUB_PATH, RTLD_NOW | RTLD_NOLOAD);
    long (*count)(void) = (long (*)(void))dlsym(stub, "stub_live");
    ck_assert(count != NULL);
    return count();
}

/* Buffers over memory that is pinned. Where it cannot be watched yoke pins nothing, and the rest holds as well. */
static long pins(void)
{
    return yk_watch_able() ? PINNED : 0;
}

static unsigned char *map_at(void *at)
{
    unsigned char *p =
        mmap(at, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    ck_assert(p != MAP_FAILED);
    return p;
}

/* No other memory comes to be where P was. */
static void unmap(unsigned char *p)
{
    ck_assert(mmap(p, 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
}

/* P's bytes there and back. */
static void there_and_back(cl_mem m, unsigned char *p, unsigned char seed)
{
    for (size_t i = 0; i < BYTES; i++)
        p[i] = (unsigned char)(seed + i * 7 + (i >> 12));
    OK(clEnqueueWriteBuffer(s.queue, m, CL_FALSE, 0, BYTES, p, 0, NULL, NULL));
    OK(clFinish(s.queue));
    memset(p, 0, BYTES);
    OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, BYTES, p, 0, NULL, NULL));
    size_t wrong = 0;
    for (size_t i = 0; i < BYTES; i++)
        wrong += p[i] != (unsigned char)(seed + i * 7 + (i >> 12));
    ck_assert_uint_eq(wrong, 0);
}

/* A small transfer of other memory: a driver is given memory of the host. */
static void touch_driver(cl_mem m)
{
    static unsigned char little[64];
    OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, sizeof little, little, 0, NULL, NULL));
}

/* What lives with nothing pinned, the rings and queues of large transfers made. */
static long settled(cl_mem m)
{
    unsigned char *p = map_at(NULL);
    for (int i = 0; i < TIMES; i++)
        there_and_back(m, p, 1);
    unmap(p);
    touch_driver(m);
    return live();
}

static const char *const ways[] = {"unmapped", "in part", "mapped over",        "emptied",
                                   "moved",    "forked",  "kept by the program"};

START_TEST(what_has_gone_is_let_go_of)
{
    shim_open(&s, 0);
    cl_mem m = shim_buffer(&s, BYTES), own = NULL;
    const long base = settled(m);
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
        unsigned char *p = map_at(NULL), *to = NULL;
        for (int i = 0; i < TIMES; i++)
            there_and_back(m, p + OFF, (unsigned char)i);
        ck_assert_msg(live() == base + pins(), "%s: %ld buffers over memory", ways[way], live() - base);
        pid_t child = 0;
        int status = 0;
        cl_int err;
        switch (way) {
        case 0:
            ck_assert_int_eq(munmap(p, 2 * BYTES), 0);
            break;
        case 1:
            ck_assert_int_eq(munmap(p + BYTES / 2, 4096), 0);
            break;
        case 2:
            map_at(p);
            break;
        case 3:
            ck_assert_int_eq(madvise(p + 4096, 4096, MADV_DONTNEED), 0);
            break;
        case 4:
            to = map_at(NULL);
            ck_assert(mremap(p, 2 * BYTES, 2 * BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
            break;
        case 5:
            if (!(child = fork()))
                _exit(0);
            ck_assert_int_eq(waitpid(child, &status, 0), child);
            break;
        default: /* a small one, which the driver is given */
            own = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 32, p + OFF, &err);
            OK(err);
        }
        if (way < 2 || way == 4)
            map_at(p);
        for (size_t i = 0; i < BYTES; i++)
            p[OFF + i] = (unsigned char)(way + i * 3);
        OK(clEnqueueWriteBuffer(s.queue, m, CL_TRUE, 0, 64, p + OFF, 0, NULL, NULL));
        if (own)
            OK(clReleaseMemObject(own));
        own = NULL;
        ck_assert_msg(live() == base, "%s: %ld buffers are left", ways[way], live() - base);
        there_and_back(m, p + OFF, (unsigned char)(100 + way));
        unmap(p);
        if (to)
            unmap(to);
        touch_driver(m);
        ck_assert_msg(live() == base, "%s: %ld buffers are left in the end", ways[way], live() - base);
    }
    OK(clReleaseMemObject(m));
    shim_close(&s);
}
END_TEST

/* A buffer over the program's memory has that pinned from its creation on, before any transfer, and a second one over
 * the same memory nothing more. */
START_TEST(what_is_given_to_a_buffer_is_pinned)
{
    shim_open(&s, 0);
    static unsigned char back[BYTES];
    unsigned char *p = map_at(NULL);
    for (size_t i = 0; i < BYTES; i++)
        p[OFF + i] = (unsigned char)(5 + i * 11);
    long before = live();
    cl_int err;
    cl_mem m = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, BYTES, p + OFF, &err);
    OK(err);
    ck_assert_int_eq(live() - before, 1 + pins());
    cl_mem again = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, BYTES, p + OFF, &err);
    OK(err);
    ck_assert_int_eq(live() - before, 2 + pins());
    OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    ck_assert(memcmp(back, p + OFF, BYTES) == 0);
    OK(clReleaseMemObject(again));
    OK(clReleaseMemObject(m));
    ck_assert_int_eq(munmap(p, 2 * BYTES), 0);
    shim_close(&s);
    ck_assert_int_eq(shim_live(), 0);
}
END_TEST

/* Several contexts over the same memory, which end while it stays. */
START_TEST(a_context_ends_with_its_own)
{
    open_two();
    unsigned char *p = map_at(NULL);
    cl_mem m = shim_buffer(&s, BYTES);
    for (int i = 0; i < TIMES; i++)
        there_and_back(m, p, 3);
    OK(clReleaseMemObject(m));
    close_two();
    ck_assert_int_eq(shim_live(), 0);
    ck_assert_int_eq(munmap(p, 2 * BYTES), 0);
}
END_TEST

START_TEST(what_is_moved_often_is_due)
{
    const struct yk_watch_range a = {4096, 8192}, b = {4096, 12288};
    unsigned due = 0;
    for (unsigned times = 1; times <= 64; times++) {
        bool is = yk_moved_is_due(&s, a, 8);
        ck_assert_msg(is == (times == 8 || times == 16 || times == 32 || times == 64), "the %u-th time", times);
        due += is;
        ck_assert(times > 7 || !yk_moved_is_due(&s, b, 8)); /* another range */
    }
    ck_assert_uint_eq(due, 4);
    ck_assert(yk_moved_is_due(&s, b, 8));
    yk_moved_forget(&s);
    for (unsigned times = 1; times < 8; times++)
        ck_assert(!yk_moved_is_due(&s, a, 8));
    for (uintptr_t at = 1; at <= 64; at++) /* others, so many that it is forgotten */
        ck_assert(!yk_moved_is_due(&other, (struct yk_watch_range){at << 20, at << 21}, 8));
    ck_assert(!yk_moved_is_due(&s, a, 8));
}
END_TEST

YK_TEST_MAIN("inplace", what_has_gone_is_let_go_of, what_is_given_to_a_buffer_is_pinned, what_is_moved_often_is_due,
             a_context_ends_with_its_own)
