/* shim/memory/map.h against a model that keeps one set of locations per byte. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "shim/memory/map.h"
#include "tests/unit/heap.h"
#include "tests/unit/main.h"
#include "tests/unit/must.h"

/* Behind the room for spans, on the heap and in the map, lies what must stay as it is. */
enum { MODEL = 96, BEHIND = 4 * sizeof(struct yk_span), MARK = 0xa5 };
static struct {
    struct yk_map m;
    unsigned char behind[BEHIND];
} room;

/* Stands in for base's: the map's only allocation, failing when told to. */
static bool no_memory;
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    if (no_memory || !*v != !*cap) /* nothing is room for none */
        return false;
    unsigned char *p = realloc(*v, need * size + BEHIND);
    if (!p)
        return false;
    memset(p + need * size, MARK, BEHIND);
    *v = p;
    *cap = need;
    return true;
}

struct model {
    unsigned size;
    yk_where at[MODEL];
};

static uint64_t seed = 88172645463325252u;
static unsigned rnd(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

static void compare(const struct yk_map *m, const struct model *w)
{
    must(yk_map_check(m));
    const unsigned char *behind = m->heap ? (const unsigned char *)(m->heap + m->cap) : room.behind;
    for (unsigned i = 0; i < BEHIND; i++)
        must(behind[i] == MARK);
    uint64_t off = 0, end = 0, end_next = 0;
    static size_t near; /* also where another map left it */
    yk_where all = ~(yk_where)0;
    for (unsigned i = 0; i < 4 && w->size; i++) { /* forwards, backwards, far and near */
        off = rnd((unsigned)w->size);
        must(yk_map_find_next(m, off, &near, &end_next) == yk_map_find(m, off, &end) && end == end_next);
    }
    off = 0;
    while (off < w->size) {
        yk_where have = yk_map_find(m, off, &end);
        must(yk_map_find_next(m, off, &near, &end_next) == have && end_next == end);
        must(end > off && end <= w->size);
        for (; off < end; off++)
            must(w->at[off] == have);
        all &= have;
    }
    for (unsigned l = 0; l < 8; l++)
        must(yk_map_whole(m, l) == (all >> l & 1));
}

static void compare_missing(const struct yk_map *m, const struct model *w, unsigned off, unsigned len,
                            unsigned location)
{
    unsigned at = off, end = off + len;
    struct yk_piece p;
    bool holds = true;
    while (yk_map_missing(m, at, end - at, location, &p)) {
        holds = false;
        must(p.off >= at && p.len > 0 && p.off + p.len <= end && p.have);
        for (; at < p.off; at++)
            must(w->at[at] & yk_at(location));
        yk_where have = ~(yk_where)0;
        for (; at < p.off + p.len; at++) {
            must(!(w->at[at] & yk_at(location)));
            have &= w->at[at];
        }
        must(have == p.have);
        must(at == end || w->at[at] & yk_at(location) || !(w->at[at] & have)); /* as long as can be */
    }
    for (; at < end; at++)
        must(w->at[at] & yk_at(location));
    must(yk_map_holds(m, off, len, location) == holds);
}

static bool drop_in_model(struct model *w, unsigned location)
{
    for (unsigned i = 0; i < w->size; i++)
        if (w->at[i] == yk_at(location))
            return false;
    for (unsigned i = 0; i < w->size; i++)
        w->at[i] &= ~yk_at(location);
    return true;
}

/* Where nothing changes nothing is allocated, and the whole is one span. */
static bool allowed(yk_status s, bool changes)
{
    return s == YK_OK || (s == YK_ENOMEM && no_memory && changes);
}

/* Is a byte of [OFF, OFF + LEN) not newest at LOCATION, or not there only where ALONE? */
static bool is_new(const struct model *w, unsigned off, unsigned len, unsigned location, bool alone)
{
    for (unsigned i = off; i < off + len; i++)
        if (!(w->at[i] & yk_at(location)) || (alone && w->at[i] != yk_at(location)))
            return true;
    return false;
}

/* Several pieces at a time; in the model byte by byte. */
static yk_status step_rows(struct yk_map *m, struct model *w, unsigned location)
{
    unsigned off = rnd(w->size), pitch = 1 + rnd(6), len = 1 + rnd(pitch + 2), rows = 1 + (w->size - off - 1) / pitch;
    bool alone = rnd(2);
    rows = rnd(2) ? rows : 1 + rnd(rows);
    if (off + (rows - 1) * pitch + len > w->size) {
        must((alone ? yk_map_write_rows : yk_map_copy_rows)(m, off, len, pitch, rows, location) == YK_EINVAL);
        return YK_OK;
    }
    yk_status s = (alone ? yk_map_write_rows : yk_map_copy_rows)(m, off, len, pitch, rows, location);
    bool changes = false;
    for (unsigned r = 0; r < rows; r++)
        changes |= is_new(w, off + r * pitch, len, location, alone);
    must(allowed(s, changes));
    for (unsigned r = 0; r < rows && s == YK_OK; r++)
        for (unsigned i = off + r * pitch; i < off + r * pitch + len; i++)
            w->at[i] = alone ? yk_at(location) : w->at[i] | yk_at(location);
    return s;
}

static unsigned long step(struct yk_map *m, struct model *w, unsigned locations)
{
    unsigned off = rnd(w->size + 1), len = rnd(w->size - off + 1), location = rnd(locations);
    if (rnd(20) == 0)
        off = 0, len = w->size;
    if (rnd(4) == 0)
        len = len > 3 ? rnd(4) : len; /* many small spans */
    no_memory = rnd(10) == 0;
    yk_status s = YK_OK;
    switch (rnd(9)) {
    case 0:
    case 1:
    case 2:
        s = yk_map_write(m, off, len, location);
        must(allowed(s, len < w->size && is_new(w, off, len, location, true)));
        for (unsigned i = off; i < off + len && s == YK_OK; i++)
            w->at[i] = yk_at(location);
        break;
    case 3:
    case 4:
    case 5:
        s = yk_map_copy(m, off, len, location);
        must(allowed(s, is_new(w, off, len, location, false)));
        for (unsigned i = off; i < off + len && s == YK_OK; i++)
            w->at[i] |= yk_at(location);
        break;
    case 6:
        must(yk_map_drop(m, location) == (drop_in_model(w, location) ? YK_OK : YK_ENOTFOUND));
        break;
    case 7:
        s = step_rows(m, w, location);
        break;
    default:
        compare_missing(m, w, off, len, location);
    }
    compare(m, w); /* after a failure: unchanged */
    return s == YK_ENOMEM;
}

START_TEST(behaves_as_a_set_per_byte)
{
    unsigned long failures = 0, ops = 0, most = 0;
    while (ops < 1200000) {
        struct model w = {.size = 1 + rnd(rnd(3) ? 24 : MODEL)};
        struct yk_map *m = &room.m;
        yk_where first = 1 + rnd(7);
        memset(&room, MARK, sizeof room);
        must(yk_map_init(m, w.size, first) == YK_OK);
        for (unsigned i = 0; i < w.size; i++)
            w.at[i] = first;
        unsigned locations = 1 + rnd(6);
        for (unsigned k = 0; k < 500; k++, ops++, must_round++) {
            failures += step(m, &w, locations);
            most = m->n > most ? m->n : most;
        }
        yk_map_finish(m);
        must(!m->heap && !m->n && !m->cap && !m->size && !m->whole);
    }
    ck_assert_uint_gt(failures, 100); /* memory did run out */
    ck_assert_uint_gt(most, 20);      /* and maps did grow */
}
END_TEST

START_TEST(what_is_held_is_given_back)
{
    enum { ROWS = 64, TIMES = 4000 };
    size_t before = heap_used();
    no_memory = false;
    for (unsigned i = 0; i < TIMES; i++) {
        struct yk_map m;
        must(yk_map_init(&m, 4 * ROWS, 1) == YK_OK);
        must(yk_map_write_rows(&m, 0, 1, 4, ROWS, 1) == YK_OK);
        must(yk_map_write_rows(&m, 1, 1, 4, ROWS, 2) == YK_OK); /* both in room of their own */
        must(m.n == 3 * ROWS);
        yk_map_finish(&m);
    }
    ck_assert_uint_lt(heap_used(), before + TIMES / 4 * ROWS * sizeof(struct yk_span));
}
END_TEST

START_TEST(a_stencil_exchanges_its_halo_only)
{
    struct yk_map m;
    struct yk_piece p;
    no_memory = true; /* two devices need no allocation */
    ck_assert_int_eq(yk_map_init(&m, 1000, yk_at(YK_HOST)), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 0, 500, 1), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 500, 500, 2), YK_OK);
    ck_assert(!yk_map_whole(&m, YK_HOST) && !yk_map_whole(&m, 1));
    ck_assert(yk_map_missing(&m, 0, 510, 1, &p));
    ck_assert(p.off == 500 && p.len == 10 && p.have == yk_at(2));
    ck_assert_int_eq(yk_map_copy(&m, p.off, p.len, 1), YK_OK);
    ck_assert(!yk_map_missing(&m, 0, 510, 1, &p));
    ck_assert(yk_map_missing(&m, 0, 1000, YK_HOST, &p));
    ck_assert(p.off == 0 && p.len == 510 && p.have == yk_at(1)); /* one source serves both spans */
    ck_assert_int_eq(yk_map_write(&m, 0, 1000, 1), YK_OK);
    ck_assert(yk_map_whole(&m, 1) && m.n == 1);
    yk_map_finish(&m);
}
END_TEST

START_TEST(bounds_are_checked)
{
    struct yk_map m;
    struct yk_piece p;
    ck_assert_int_eq(yk_map_init(&m, 10, 0), YK_EINVAL);
    ck_assert_int_eq(yk_map_init(&m, 10, 1), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 5, 6, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_write(&m, 11, 0, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_write(&m, 5, UINT64_MAX - 2, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_write(&m, 0, 5, YK_LOCATIONS), YK_EINVAL);
    ck_assert_int_eq(yk_map_copy(&m, UINT64_MAX, 2, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_copy(&m, 0, 1, YK_LOCATIONS), YK_EINVAL);
    ck_assert_int_eq(yk_map_write_rows(&m, 0, 2, UINT64_MAX / 2, 4, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_copy_rows(&m, UINT64_MAX, 2, 2, 2, 1), YK_EINVAL);
    ck_assert_int_eq(yk_map_copy_rows(&m, 0, 1, 2, 2, YK_LOCATIONS), YK_EINVAL);
    ck_assert_int_eq(yk_map_write_rows(&m, 0, 1, 2, 0, 1), YK_OK); /* nothing */
    ck_assert_int_eq(yk_map_write_rows(&m, 0, 0, 2, 3, 1), YK_OK);
    ck_assert_int_eq(yk_map_drop(&m, YK_LOCATIONS), YK_EINVAL);
    ck_assert(!yk_map_holds(&m, 5, 6, 0) && !yk_map_holds(&m, 0, 1, YK_LOCATIONS));
    ck_assert(!yk_map_missing(&m, 5, 6, 1, &p) && !yk_map_missing(&m, 0, 1, YK_LOCATIONS, &p));
    ck_assert(yk_map_holds(&m, 10, 0, 3));
    ck_assert_int_eq(yk_map_write(&m, 10, 0, 1), YK_OK);
    ck_assert(yk_map_whole(&m, 0) && yk_map_check(&m));
    yk_map_finish(&m);
}
END_TEST

START_TEST(an_empty_buffer_and_the_last_location)
{
    struct yk_map m;
    struct yk_piece p;
    ck_assert_int_eq(yk_map_init(&m, 0, 1), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 0, 0, 1), YK_OK);
    ck_assert_int_eq(yk_map_copy(&m, 0, 0, 1), YK_OK);
    ck_assert_int_eq(yk_map_drop(&m, 0), YK_OK);
    ck_assert(!yk_map_missing(&m, 0, 0, 1, &p) && yk_map_check(&m));
    yk_map_finish(&m);
    ck_assert_int_eq(yk_map_init(&m, 1ull << 40, 1), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 1, (1ull << 40) - 1, YK_LOCATIONS - 1), YK_OK);
    ck_assert(yk_map_missing(&m, 0, 1ull << 40, 0, &p));
    ck_assert(p.off == 1 && p.len == (1ull << 40) - 1 && p.have == yk_at(63));
    yk_map_finish(&m);
}
END_TEST

START_TEST(sources_are_picked_in_order)
{
    ck_assert_uint_eq(yk_where_pick(yk_at(0) | yk_at(3), 0), 0);
    ck_assert_uint_eq(yk_where_pick(yk_at(0) | yk_at(3), yk_at(3) | yk_at(5)), 3);
    ck_assert_uint_eq(yk_where_pick(yk_at(2) | yk_at(3), yk_at(5)), 2);
    ck_assert_uint_eq(yk_where_pick(yk_at(63), 0), 63);
}
END_TEST

START_TEST(the_check_sees_what_is_wrong)
{
    struct yk_map m;
    ck_assert_int_eq(yk_map_init(&m, 100, 1), YK_OK);
    ck_assert_int_eq(yk_map_write(&m, 50, 50, 1), YK_OK);
    struct yk_map good = m;
    ck_assert(yk_map_check(&m));
    static const struct {
        size_t n, cap;
        uint64_t from[2];
        yk_where where[2], whole;
    } bad[] = {
        {0, 4, {0, 50}, {1, 2}, 0}, {2, 1, {0, 50}, {1, 2}, 0},  {2, 4, {1, 50}, {1, 2}, 0},
        {2, 4, {0, 0}, {1, 2}, 0},  {2, 4, {0, 100}, {1, 2}, 0}, {2, 4, {0, 50}, {1, 0}, 0},
        {2, 4, {0, 50}, {1, 1}, 1}, {2, 4, {0, 50}, {1, 2}, 1},  {2, 4, {0, 50}, {1, 3}, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m = good;
        m.n = bad[i].n;
        m.cap = bad[i].cap;
        m.whole = bad[i].whole;
        for (unsigned k = 0; k < 2; k++)
            m.few[k] = (struct yk_span){bad[i].from[k], bad[i].where[k]};
        ck_assert_msg(!yk_map_check(&m), "case %zu", i);
    }
    for (unsigned whole = 0; whole < 4; whole++) { /* of one span */
        m = good;
        m.n = 1;
        m.whole = whole;
        ck_assert_int_eq(yk_map_check(&m), whole == 1);
    }
    m = good;
    m.size = 0;
    ck_assert(!yk_map_check(&m));
    yk_map_finish(&good);
}
END_TEST

YK_TEST_MAIN("map", the_check_sees_what_is_wrong, behaves_as_a_set_per_byte, what_is_held_is_given_back,
             a_stencil_exchanges_its_halo_only, bounds_are_checked, an_empty_buffer_and_the_last_location,
             sources_are_picked_in_order)
