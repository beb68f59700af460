/* One build of a program over all devices: the primary's own program, what the transformer found out, and the programs
 * of the other devices (made in the background; launches run whole meanwhile). Who uses it: object/program.c makes it,
 * launches read it. */
#ifndef YK_SHIM_QUEUE_BUILD_H
#define YK_SHIM_QUEUE_BUILD_H

#include <pthread.h>
#include "base/hash.h"
#include "base/lock.h"
#include "shim/core/context.h"
#include "transform/facts.h"

enum yk_build_state {
    YK_BUILD_PENDING,  /* no facts: the transformer works, or has not been asked */
    YK_BUILD_ANALYSED, /* facts are there; other devices' programs are not, or are being built */
    YK_BUILD_READY,    /* all that will be there is there */
    YK_BUILD_NONE      /* every launch runs whole: see reason */
};

struct yk_build {
    int32_t holds;
    struct yk_context *ctx; /* held */
    char *source;           /* NULL: not from source; then state is NONE */
    char *options;
    struct yk_hash content; /* of source and options */
    struct yk_lock lock;
    pthread_cond_t changed;
    enum yk_build_state state; /* atomic to read */
    const char *reason;        /* of NONE; lives as long as the build */
    bool has_facts;
    struct yk_facts facts;
    char *files;           /* that the source includes, as yoke-warm is told of them; NULL: none */
    struct timespec begun; /* when the primary began to build it (CLOCK_REALTIME_COARSE); 0: long ago, from a binary */
    char *folder;          /* the current one then */
    char *names;           /* what was in it, where the source may include files; NULL: not known */
    bool from_binary;      /* that yoke has given out before, */
    struct yk_hash binary; /* whose hash this is */
    bool files_known;      /* what it includes is known and what it was built from; under lock, as are these two: */
    bool is_given;         /* a binary of it has been given out, */
    struct yk_hash given;  /* the last one's hash */
    double seconds;        /* that the primary took to build it: what another device is predicted to take */
    double spent; /* seconds that the primary took, or would have, for the launches of its kernels, as far as known */
    double noted; /* what of it worth.c has last told later processes */
    struct yk_build_short {       /* short.c's; all of it atomic */
        double won;               /* seconds, by being divided */
        unsigned divided, passed; /* launches, and others that went whole by the worker */
        bool has_long;            /* some launch was */
        bool asked, off, only;    /* the profile; short ones go whole; and all are short */
    } brief;
    double told_ms, before_ms; /* told to them by anybody, and what earlier ones had told; see yk_remember_program */
    double gained;             /* seconds that other devices have won of the primary's */
    char use_known, use_told;  /* use.c's; atomic */
    /* Programs by device. original: the app's source (the primary's is the app's own, held). variant: the
     * partition-ready source. NULL: not needed, or could not be built (the device takes no share of its kernels).
     * Written under lock, most before READY; atomic to read. */
    cl_program original[YK_MAX_DEVICES], variant[YK_MAX_DEVICES];
    cl_program merge; /* the merge program, on merge_device; NULL: not built (yet). Under lock */
    unsigned merge_device;
    bool merge_asked, merge_done;     /* under lock */
    bool reads_other[YK_MAX_DEVICES]; /* its compiler makes another text of the source: atomic, before `done` */
    bool done[YK_MAX_DEVICES];        /* nothing more will come for this device; atomic */
    uint64_t wanted_at, built_at;     /* ns; when the building of the others began, the program's own ended; atomic */
    bool asked;                       /* the transformer is at work or done; atomic */
    bool kept_only;                   /* CPU devices: only what is kept, nothing is compiled in the program's time */
    bool primary_begun;               /* the primary's programs are being built or are; atomic */
    bool loading;                     /* yk_build_load is at work; atomic */
    bool warm_asked;                  /* yoke-warm has been asked to have it analysed; atomic */
    bool looking;                     /* for facts in the cache; under lock */
    bool wanted;                      /* the other devices' programs are being built or will be; atomic */
    struct yk_merge *merged;          /* merged.h; NULL until launches may be merged; atomic */
    struct yk_stages_code *stages;    /* stages_code.h; NULL until a launch may be run in parts; atomic */
    struct yk_windows_code *windows;  /* windows.h; NULL until a launch needs it; atomic */
    bool is_left;                     /* in build.c's list of what was left at exit; atomic */
    struct yk_build *next_left;
};

/* What a program is built from. Nothing is kept of it but copies. */
struct yk_build_from {
    const char *source;           /* NULL: whole, for REASON; may be a linked program's (transform/client_linked.h) */
    const char *options, *reason; /* OPTIONS NULL: "" */
    struct timespec begun;        /* as in yk_build */
    const char *folder,
        *names; /* NULL with BEGUN: what they are now; without a source that includes files, no matter */
    const struct yk_hash *binary; /* of the one that yoke has given out and that it is made from; NULL: of none */
};

/**
 * The record of a program that the primary is about to build, or has linked. Facts are looked up in the transformer's
 * cache beside the primary's build, and what earlier processes have left for other devices is loaded then.
 * REAL: the primary's program (retained). Returns with one hold; NULL: no memory, or
 * the driver does not retain REAL. yk_build_built follows, or the build has failed and the hold is given back.
 */
struct yk_build *yk_build_begin(struct yk_context *ctx, cl_program real, const struct yk_build_from *from);

/** The primary has built B, in SECONDS. Waits for the look-up in the cache; where that found nothing nobody is asked
 * yet, unless splits are insisted on. */
void yk_build_built(struct yk_build *b, double seconds);

/** When what is built or loaded for other devices, begun at FROM, could begin: a driver may have it wait for the
 * program's own build (PoCL). */
uint64_t yk_build_from(const struct yk_build *b, uint64_t from);

/** Its launches may be worth splitting: start the transformer in the background, once. Cheap when already asked.
 * Thread: any. */
void yk_build_ask(struct yk_build *b);

/** Some launch is worth splitting: build for the other devices now (contexts included), once. Beside a GPU, CPU devices
 * for which something would have to be compiled are left out unless the program is long. Where only devices of one
 * numeric class may share its kernels they wait until yoke-warm has found the classes out. Cheap when already wanted.
 * Where splits are insisted on they are built at once, without being asked for. Thread: any.
 */
void yk_build_want(struct yk_build *b);

/** Splits are asked for (a strategy, forced, reproducible): it is not for yoke to judge whether they pay. */
bool yk_build_insisted(void);

/** yoke-warm has compiled what was missing: load it, in the background. Cheap where that goes on already. Thread: any.
 */
void yk_build_load(struct yk_build *b);

/** Has DEV the program that B's kernels are split from: the partition-ready one, or the app's? */
static inline bool yk_build_has(const struct yk_build *b, unsigned dev, bool variant)
{
    return __atomic_load_n(variant ? &b->variant[dev] : &b->original[dev], __ATOMIC_ACQUIRE) != NULL;
}

void yk_build_hold(struct yk_build *b);
void yk_build_drop(struct yk_build *b);
/** The same from a thread of our own: the last hold releases the driver's objects, unless the process exits. */
void yk_build_drop_in_background(struct yk_build *b);

/** Wait until the state is at least STATE (ANALYSED or READY), at most NS nanoseconds. The state then. */
enum yk_build_state yk_build_wait(struct yk_build *b, enum yk_build_state state, uint64_t ns);

/** Wait until nothing more will come for DEV (the state is READY at the latest), at most NS nanoseconds. False: not
 * yet, or the state is NONE. */
bool yk_build_wait_for(struct yk_build *b, unsigned dev, uint64_t ns);

/** The merge program on DEV, a CPU device; NULL: there is none, or it is being built in the background, which the first
 * call begins. WAIT: until that is done. No lock held. */
cl_program yk_build_merging(struct yk_build *b, unsigned dev, bool wait);

static inline enum yk_build_state yk_build_now(struct yk_build *b)
{
    return __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
}

#endif
