/* The ledger of least bytes: cases counted by hand, and random ones against places that each hold the newest bytes or
 * not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/count/ledger.h"
#include "tests/unit/main.h"

static struct ledger l;

static void closed(uint64_t to_devices, uint64_t to_host)
{
    ledger_close(&l);
    ck_assert_uint_eq(l.to_devices, to_devices);
    ck_assert_uint_eq(l.to_host, to_host);
    ledger_finish(&l);
    l = (struct ledger){0};
}

START_TEST(halves_in_and_halves_out)
{
    ck_assert(ledger_allocate(&l, 1000, 100, true));
    ck_assert(ledger_allocate(&l, 5000, 100, false));
    ck_assert(ledger_load(&l, 1, 1000, 50));
    ck_assert(ledger_load(&l, 2, 1050, 50));
    ck_assert(ledger_store(&l, 1, 5000, 50));
    ck_assert(ledger_store(&l, 2, 5050, 50));
    ck_assert(ledger_end(&l));
    ck_assert(ledger_load(&l, 0, 5000, 100));
    ck_assert(ledger_load(&l, 0, 5000, 100)); /* it has them now */
    closed(100, 100);
}
END_TEST

/* Two devices, three steps, a halo of one byte each way; nothing else moves between the steps. */
START_TEST(a_stencil_moves_its_halo)
{
    ck_assert(ledger_allocate(&l, 100, 20, true));
    ck_assert(ledger_allocate(&l, 200, 20, false));
    for (unsigned step = 0; step < 3; step++) {
        uint64_t from = step % 2 ? 200 : 100, to = step % 2 ? 100 : 200;
        ck_assert(ledger_load(&l, 1, from, 11));
        ck_assert(ledger_load(&l, 2, from + 9, 11));
        ck_assert(ledger_store(&l, 1, to, 10));
        ck_assert(ledger_store(&l, 2, to + 10, 10));
        ck_assert(ledger_end(&l));
    }
    ck_assert(ledger_load(&l, 0, 200, 20));
    closed(11 + 11 + 2 * 2, 2 * 2 + 20);
}
END_TEST

START_TEST(what_a_launch_stores_itself_it_need_not_be_brought)
{
    ck_assert(ledger_allocate(&l, 0, 8, true));
    ck_assert(ledger_store(&l, 1, 0, 4));
    ck_assert(ledger_load(&l, 1, 0, 8));
    ck_assert(ledger_end(&l));
    closed(4, 0);
}
END_TEST

START_TEST(sums_are_combined_at_the_host)
{
    ck_assert(ledger_allocate(&l, 0, 8, true));
    ck_assert(ledger_atomic(&l, 1, 0, 8));
    ck_assert(ledger_atomic(&l, 2, 4, 4));
    ck_assert(ledger_end(&l));
    ck_assert(ledger_load(&l, 0, 0, 8));
    closed(4, 4 + 2 * 4); /* the first four are one device's: brought to it, and back */
}
END_TEST

START_TEST(patterns_and_copies_cost_nothing)
{
    ck_assert(ledger_allocate(&l, 0, 64, true));
    ck_assert(ledger_fill(&l, 0, 32));
    ck_assert(ledger_load(&l, 1, 0, 32));
    ck_assert(ledger_load(&l, 0, 0, 32));
    ck_assert(ledger_load(&l, 1, 32, 16));
    ck_assert(ledger_copy(&l, 0, 32, 16));
    ck_assert(ledger_load(&l, 1, 0, 16)); /* is there already, under its other address */
    ck_assert(ledger_load(&l, 2, 0, 16));
    closed(32, 0);
}
END_TEST

/* What the program writes is brought to the first device when it says so, and from there to the other. */
START_TEST(uploads_when_the_program_makes_them)
{
    l.home = 1;
    ck_assert(ledger_allocate(&l, 0, 100, true));
    ck_assert(ledger_load(&l, 1, 0, 50));
    ck_assert(ledger_load(&l, 2, 50, 50));
    ck_assert(ledger_store(&l, 0, 0, 10));
    ck_assert(ledger_load(&l, 0, 0, 100));
    closed(100 + 10 + 50, 50 + 100); /* the second half on its way to the other device, and once more */
}
END_TEST

START_TEST(what_is_no_buffer_is_refused)
{
    ck_assert(ledger_allocate(&l, 100, 10, true));
    ck_assert(!ledger_load(&l, 1, 99, 1));
    ck_assert(!ledger_load(&l, 1, 105, 6));
    ck_assert(!ledger_store(&l, 0, 110, 1));
    ck_assert(!ledger_copy(&l, 100, 0, 1));
    ck_assert(ledger_release(&l, 100));
    ck_assert(!ledger_release(&l, 100));
    ck_assert(!ledger_load(&l, 1, 100, 1));
    closed(0, 0);
}
END_TEST

enum { BYTES = 40, PLACES = 4 };

/* Bring bytes only when they are needed, through the host: nothing that is brought is superfluous, so it is the least.
 */
START_TEST(bringing_late_is_the_least)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        bool has[BYTES][PLACES];
        uint64_t to_devices = 0, to_host = 0;
        srand(seed);
        ck_assert(ledger_allocate(&l, 64, BYTES, true));
        for (int i = 0; i < BYTES; i++)
            for (int p = 0; p < PLACES; p++)
                has[i][p] = p == 0;
        for (int launch = 0; launch < 12; launch++) {
            int owner[BYTES];
            memset(owner, -1, sizeof owner);
            for (int op = 0; op < 10; op++) {
                unsigned place = (unsigned)rand() % PLACES;
                int from = rand() % BYTES, n = 1 + rand() % (BYTES - from);
                bool store = rand() % 3 == 0;
                for (int i = from; i < from + n; i++) {
                    if (owner[i] == (int)place || (store && place && owner[i] >= 0))
                        continue;
                    if (place == 0 && owner[i] >= 0)
                        continue; /* the host waits for the launch */
                    if (store)
                        ck_assert(ledger_store(&l, place, 64 + (uint64_t)i, 1));
                    else
                        ck_assert(ledger_load(&l, place, 64 + (uint64_t)i, 1));
                    if (store && place) {
                        owner[i] = (int)place;
                        continue;
                    }
                    to_host += !store && !has[i][place] && !has[i][0];
                    to_devices += !store && !has[i][place] && place;
                    has[i][0] |= !store && !has[i][place];
                    for (unsigned p = 0; store && p < PLACES; p++)
                        has[i][p] = false;
                    has[i][place] = true;
                }
            }
            ck_assert(ledger_end(&l));
            for (int i = 0; i < BYTES; i++)
                for (int p = 0; owner[i] >= 0 && p < PLACES; p++)
                    has[i][p] = p == owner[i];
        }
        closed(to_devices, to_host);
    }
}
END_TEST

YK_TEST_MAIN("ledger", halves_in_and_halves_out, a_stencil_moves_its_halo,
             what_a_launch_stores_itself_it_need_not_be_brought, sums_are_combined_at_the_host,
             patterns_and_copies_cost_nothing, uploads_when_the_program_makes_them, what_is_no_buffer_is_refused,
             bringing_late_is_the_least)
