/* Real sub-buffers (shim/memory/subs.h): one that overlaps a newer one is never released before it, whatever order the
 * program releases its own in; what it releases otherwise goes at once; nothing is left. The driver is written down
 * here. */
#include <stdlib.h>
#include "shim/core/runtime.h"
#include "shim/memory/subs.h"
#include "tests/unit/main.h"

enum { MOST = 300, STEPS = 40000, PLACES = 64 };

struct real {
    size_t from, to;
    unsigned number; /* in the order of making */
    bool alive;
};

static struct real real[STEPS];
static unsigned made, alive, bad;

static CL_API_ENTRY cl_mem CL_API_CALL make_sub(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                                                const void *info, cl_int *err)
{
    const cl_buffer_region *r = info;
    (void)whole, (void)flags, (void)type;
    real[made] = (struct real){r->origin, r->origin + r->size, made, true};
    alive++;
    *err = CL_SUCCESS;
    return (cl_mem)&real[made++];
}

static CL_API_ENTRY cl_int CL_API_CALL release(cl_mem m)
{
    struct real *r = (struct real *)m;
    bad += !r->alive;
    r->alive = false;
    alive--;
    for (unsigned i = r->number + 1; i < made; i++)
        bad += real[i].alive && real[i].from < r->to && r->from < real[i].to;
    return CL_SUCCESS;
}

static struct yk_cl driver;
static struct yk_machine machine = {.n = 1};
static struct yk_store store;
static unsigned seed = 1;

static unsigned below(unsigned n)
{
    seed = seed * 1103515245u + 12345;
    return (seed >> 8) % n;
}

static void begin(void)
{
    driver.CreateSubBuffer = make_sub;
    driver.ReleaseMemObject = release;
    machine.device[0] = (struct yk_device){.cl = &driver, .type = CL_DEVICE_TYPE_GPU, .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    made = alive = bad = 0;
}

static cl_mem have(size_t from, size_t size)
{
    cl_int err;
    cl_mem m = yk_subs_make(&store, 0, NULL, CL_MEM_READ_WRITE, &(cl_buffer_region){from, size}, &err);
    ck_assert_int_eq(err, CL_SUCCESS);
    ck_assert_uint_eq(((struct real *)m)->from, from);
    ck_assert_uint_eq(((struct real *)m)->to, from + size);
    return m;
}

/* Random ones of up to LONGEST, about KEPT at a time. How many were released out of their order, or never. */
static unsigned walk(unsigned longest, unsigned kept)
{
    cl_mem mine[MOST];
    unsigned n = 0;
    begin();
    for (unsigned i = 0; i < STEPS; i++) {
        bool makes = n < kept ? below(3) > 0 : below(3) == 0;
        if (makes && n < MOST) {
            size_t size = 1 + below(longest);
            mine[n++] = have(below(PLACES), size);
        } else if (n) {
            unsigned k = below(2) ? 0 : below(n); /* often the oldest */
            yk_subs_release(&store, 0, mine[k], false);
            mine[k] = mine[--n];
        }
    }
    while (n)
        yk_subs_release(&store, 0, mine[--n], false);
    yk_subs_finish(&store);
    return bad + alive;
}

START_TEST(the_newest_goes_first)
{
    ck_assert_uint_eq(walk(20, 40), 0);
    ck_assert_uint_eq(walk(3, 8), 0);
    ck_assert_uint_eq(walk(2, 200), 0);
}
END_TEST

START_TEST(what_overlaps_nothing_goes_at_once)
{
    begin();
    for (unsigned round = 0; round < 4; round++) {
        cl_mem m[PLACES];
        for (unsigned i = 0; i < PLACES; i++)
            m[i] = have(10 * i, 10);
        for (unsigned i = 0; i < PLACES; i++) { /* in the order of making, in the other, from the middle */
            unsigned k = round == 0 ? i : round == 1 ? PLACES - 1 - i : (i + PLACES / 2) % PLACES;
            yk_subs_release(&store, 0, m[k], false);
            ck_assert_uint_eq(alive, PLACES - 1 - i);
        }
    }
    cl_mem a = have(0, 10), b = have(5, 10), c = have(100, 10);
    yk_subs_release(&store, 0, a, false);
    ck_assert_uint_eq(alive, 3);      /* it lies under another */
    ck_assert_ptr_eq(have(0, 10), a); /* and is there again */
    yk_subs_release(&store, 0, c, false);
    ck_assert_uint_eq(alive, 2);
    yk_subs_release(&store, 0, a, false);
    yk_subs_release(&store, 0, b, false);
    ck_assert_uint_eq(alive, 0);
    yk_subs_finish(&store);
    ck_assert_uint_eq(bad, 0);
}
END_TEST

YK_TEST_MAIN("subs", the_newest_goes_first, what_overlaps_nothing_goes_at_once)
