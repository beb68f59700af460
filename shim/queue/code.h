/* One kernel of one build: its real kernels per device (a pool each, since setting arguments and launching must not
 * mix), its facts, and how fast each device has been. Who uses it: object/kernel.c makes it, launches use it. */
#ifndef YK_SHIM_QUEUE_CODE_H
#define YK_SHIM_QUEUE_CODE_H

#include "shim/queue/build.h"
#include "shim/queue/moves.h"
#include "transform/facts_recall.h"

struct yk_code_kernel {
    struct yk_code_kernel *next;
    cl_kernel real;
};

/* How launches of one shape were last cut: all fields of one size, so that it can be compared as bytes. */
struct yk_code_cut {
    size_t groups[3], local[3], takers, dims;
    size_t axis; /* as in yk_range */
};

/* How a launch was last divided over devices that have memory of their own: there its bytes lie. */
struct yk_code_division {
    uint64_t total, groups[YK_MAX_DEVICES];
    unsigned axis;
};

/* Of launches of one local size, for which PoCL compiles a kernel apart. All of it atomic. */
struct yk_code_local {
    uint64_t key;    /* 0: of none yet */
    uint64_t ran[2]; /* a bit for each device that has run a share, of ranges that are not wide, and wide ones */
    /* Has yoke-warm been asked to compile it there, and has it (when was that last looked for, in ns)? By the same. */
    bool asked[YK_MAX_DEVICES][2], done[YK_MAX_DEVICES][2];
    uint64_t looked[YK_MAX_DEVICES][2];
};
enum { YK_CODE_LOCALS = 4 };

enum { YK_LOSSES = 3 }; /* so many, and launches go whole until it is tried again */

struct yk_code {
    int32_t holds;
    struct yk_build *build; /* held */
    char *name;
    struct yk_lock lock;
    struct yk_recall recall;                     /* what its shares touch; under lock */
    struct yk_code_cut cut;                      /* under lock */
    struct yk_code_division division;            /* under lock */
    struct yk_moves moves;                       /* under lock */
    struct yk_code_kernel *pool[YK_MAX_DEVICES]; /* of the program launches are split with */
    struct yk_code_kernel *whole;                /* the primary's, of the app's own program */
    const struct yk_facts_kernel *facts;         /* NULL: not looked up yet, or none; see yk_code_facts */
    double rate[YK_MAX_DEVICES];                 /* work-items per second, as last measured; 0: never */
    bool foreseen;                               /* yoke-warm has been asked about it; atomic */
    char described;                              /* the profiler knows what it looks like; atomic */
    bool warm[YK_MAX_DEVICES];                   /* has run there before (drivers compile at the first launch) */
    bool shared[YK_MAX_DEVICES];                 /* has run a share there; atomic */
    bool tailed[YK_MAX_DEVICES];                 /* has run there in the pieces of tail.h; atomic */
    double spent;                                /* seconds of its whole launches together, as far as known */
    double measure_at;                           /* when so much is spent, the next is measured; see worth.h */
    unsigned measured;                           /* whole launches; atomic */
    uint64_t measured_at;                        /* the last of them, in ns; atomic */
    double small;                                /* launches of at most this many work-items are not worth splitting */
    double long_items;                           /* the fewest work-items of a launch that was long; 0: none was */
    unsigned pass; /* so many of these, and then they are asked about again; 0: never; atomic */
    unsigned skip; /* so many go whole unasked, however large; atomic */
    /* No other device may compute it, for its numerics: not asked again before that (ns; 0: it was not so); would
     * `mixed` change that? Atomic. */
    uint64_t left_until;
    bool left_mixed;
    unsigned looks; /* since the last division: how often one was asked about in vain; atomic */
    /* Launches of one work-group: so many go whole unasked; how many have since the last one that was looked at, and
     * before the first was, and since when (ns); atomic. */
    unsigned lone_pass, lone_gone, lone_seen;
    bool lone_looked;
    uint64_t lone_since;
    struct yk_code_local by_local[YK_CODE_LOCALS];
    /* By which code it runs whole (form.h): has the app's own kernel been launched, how many launches may go without
     * it, has that begun; atomic. What its shares were compiled for; under lock. */
    bool own_ran, apart_begun, apart_wide;
    unsigned apart;
    size_t apart_local[3];
    struct yk_code_kernel *merger; /* kernels of the merge program; under lock */
    double merge_spent;            /* ns that comparing its outputs is predicted to have taken so far */
    double merge_rate;             /* work-groups per ns of the merge kernel; 0: never measured */
    bool merge_warm, merge_failed; /* it has run; it could not; atomic */
    struct yk_merged *merged;      /* merged.h; borrowed from the build; NULL: not looked up yet; atomic */
    double short_items;            /* the most of a launch that was short (short.c) */
    unsigned losses;               /* split launches in a row that were slower than the primary alone */
    unsigned lost;                 /* the same by what was measured of it alone; under lock, atomic to read */
    struct yk_code_moved {         /* of divided launches, on average; see yk_remember_moves; under lock */
        double brought_ms, fetched_ms;
        unsigned n;
    } moved;
    double after_bring; /* whole launches that wait for what is brought: of that wait, what they take longer
                           than ever; see yk_code_brought; under lock */
    bool after_bring_known;
    double closed_ms;      /* for how long they went whole after the last such losses; under lock */
    uint64_t closed_until; /* when it is tried again, in ns; 0: not by the clock; atomic */
    unsigned whole_reason; /* of the last whole launch, and its text: saves a search per launch */
    const char *whole_reason_text;
};

/* What has been learned (rate, warm, small) is read and written by workers of several queues without a lock: each value
 * whole, none torn; an update lost to another costs a measurement. */
static inline double yk_code_get(const double *v)
{
    double x;
    __atomic_load(v, &x, __ATOMIC_RELAXED);
    return x;
}
static inline void yk_code_put(double *v, double x)
{
    __atomic_store(v, &x, __ATOMIC_RELAXED);
}

/** A launch of ITEMS work-items takes MS, here or in an earlier process. */
void yk_code_lasts(struct yk_code *c, double items, double ms);

/** One was too short for splitting to pay: so are all of no more, unless others of as few have been long. What a launch
 * finds to do may differ from the last one's a hundredfold. */
void yk_code_is_small(struct yk_code *c, double items);

/** A launch was small, and goes whole. Cost: a load. */
static inline void yk_code_passed(struct yk_code *c)
{
    unsigned n = __atomic_load_n(&c->pass, __ATOMIC_RELAXED);
    if (n && __atomic_compare_exchange_n(&c->pass, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) && n == 1)
        yk_code_put(&c->small, 0);
}

/** A launch that is not small: is it to go whole unasked, as N before it were to? Cost: a load. */
static inline bool yk_code_skipped(struct yk_code *c)
{
    unsigned n = __atomic_load_n(&c->skip, __ATOMIC_RELAXED);
    return n && __atomic_compare_exchange_n(&c->skip, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/** A launch of one work-group, which nobody can divide but which may run beside others: is it to go whole unasked? Yes
 * until they are seen to follow one another slowly, and for as many as were to pass after one was looked at. Cost: an
 * atomic step; for every power of two of them the clock. */
bool yk_code_lone_passes(struct yk_code *c);

/** A launch of ITEMS work-items ran beside others: the next ones are to be looked at, too. */
static inline void yk_code_found_beside(struct yk_code *c, double items)
{
    __atomic_store_n(&c->lone_looked, true, __ATOMIC_RELAXED);
    __atomic_store_n(&c->lone_pass, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&c->looks, 0, __ATOMIC_RELAXED);
    if (yk_code_get(&c->small) >= items)
        yk_code_put(&c->small, 0);
}

/**
 * A divided launch of ITEMS work-items has taken MS where the primary alone takes ALONE_MS. After YK_LOSSES in a row
 * that were slower launches go whole. On a GPU they are tried again after a while, and after twice as long when that
 * was in vain: what was lost may have been what first launches cost, or another program's doing. Under C's lock.
 */
void yk_code_divided(struct yk_code *c, double ms, double alone_ms, double items);

/**
 * A whole launch of C, which takes ALONE_MS, has waited BROUGHT_MS for bytes and has then taken MS. What has just been
 * brought is in the cache of a GPU: 33 MB are brought in 0.7 ms to a kernel that takes 2.6 ms then, not 3.4 (H100), so
 * that nobody has lost anything.
 */
void yk_code_brought(struct yk_code *c, double brought_ms, double ms, double alone_ms);

/** Which part of what whole launches of C wait for bytes makes them slower: 0 to 1. */
double yk_code_brought_part(struct yk_code *c);

/** Dividing has cost too much, with what was moved for it: launches go whole. Under C's lock. */
void yk_code_close(struct yk_code *c);

/** Do launches go whole since divided they were slower? Thread: any. */
bool yk_code_closed(struct yk_code *c);

/** After how many launches of ALONE_MS are they to be tried again? 0: not by the clock. Thread: any. */
double yk_code_reopens(const struct yk_code *c, double alone_ms);

/** Is C's MS, of a divided launch that takes ALONE_MS on the primary, no sign of what the next ones take? The first few
 * in a process find nothing in place. Under C's lock. */
bool yk_code_is_cold(const struct yk_code *c, double ms, double alone_ms);

/** What is known of C for LOCAL[3], which is kept from now on. NULL: it has had too many others, and is not to be
 * compiled for each. Thread: any. */
struct yk_code_local *yk_code_local(struct yk_code *c, const size_t *local);

/** Has DEV run a share of C with LOCAL[3] in this process, of a range that is WIDE or not (yk_warm_wide_range)? Drivers
 * compile for both apart (PoCL). Thread: any. */
static inline bool yk_code_ran(struct yk_code *c, unsigned dev, const size_t *local, bool wide)
{
    const struct yk_code_local *of = yk_code_local(c, local);
    return of && __atomic_load_n(&of->ran[wide], __ATOMIC_RELAXED) >> dev & 1;
}

/** How many launches are to pass until the next is asked about, where WAIT of the first are: twice as many after each
 * that was asked about in vain. What the program enqueues while the worker looks at one goes by the worker too, one
 * after the other. Thread: any. */
static inline double yk_code_next_look(struct yk_code *c, double wait)
{
    enum { MOST = 24 };
    unsigned looks = __atomic_fetch_add(&c->looks, 1, __ATOMIC_RELAXED);
    return wait * (double)(1u << (looks < MOST ? looks : MOST));
}

struct yk_code *yk_code_create(struct yk_build *build, const char *name);
void yk_code_hold(struct yk_code *c);
void yk_code_drop(struct yk_code *c);

/** Facts, once the build is analysed; NULL before, or if the kernel is unknown. */
const struct yk_facts_kernel *yk_code_facts(struct yk_code *c);

/** A real kernel on DEV that nobody else uses; SPLIT: of the program that splits are launched with. NULL: DEV has none.
 * Give it back. No lock held. */
struct yk_code_kernel *yk_code_take(struct yk_code *c, unsigned dev, bool split);
void yk_code_give(struct yk_code *c, unsigned dev, bool split, struct yk_code_kernel *k);

/** The same for its merge kernel on DEV, whose program is built (yk_build_merging). */
struct yk_code_kernel *yk_code_take_merger(struct yk_code *c, unsigned dev);
void yk_code_give_merger(struct yk_code *c, struct yk_code_kernel *k);

#endif
