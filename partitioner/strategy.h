/* Strategies: how many work-groups each device gets. Who calls them: the shim's planner at a launch, the simulation,
 * the benches. Pure: a strategy sees numbers only, keeps no state between calls, never looks at a clock, and the same
 * problem always gives the same answer.
 *
 * To add one: a file strategy_NAME.c with its divide function, a line in the table of strategy.c, a test. */
#ifndef YK_PARTITIONER_STRATEGY_H
#define YK_PARTITIONER_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "partitioner/table.h"

enum { YK_SPLIT_MAX = 32, YK_SPLIT_NAME = 128, YK_SPLIT_NONE = ~0u };

/* What is known of one device for one launch. cost.h says what time follows from it. All zero but usable: a device of
 * unknown speed, all bytes there. */
struct yk_split_device {
    bool usable;            /* may take a share of this launch */
    double rate;            /* work-groups per ms; 0: unknown. Not looked at where there is a table */
    double latency;         /* ms that any share costs, however small */
    double bytes;           /* to be brought if it takes any share */
    double bytes_per_group; /* to be brought for each of its work-groups */
    double back;            /* results to be fetched if it takes any share */
    double back_per_group;  /* and for each of its work-groups */
    double bandwidth;       /* of its link, bytes per ms, each way; 0: nothing needs to be moved */
    unsigned link;          /* devices with the same number take turns on one link; 0: a link of its own */
    double merge;           /* ms after the last share, if it has one and is not alone */
    struct yk_table table;  /* time of its work-groups; n < 2: none, the rate counts */
};

/* One launch to divide. */
struct yk_split {
    unsigned n; /* devices, at most YK_SPLIT_MAX; at least one is usable */
    const struct yk_split_device *device;
    uint64_t total; /* work-groups */
    uint64_t grain; /* shares begin and end at multiples of this, the last one at total; 0 counts as 1 */
};

struct yk_strategy;

struct yk_strategy_ops {
    const char *name;
    const char *help; /* one line */
    /** Work-groups per device into GROUPS[split->n]: sums to total, 0 for every device that is not usable. Shares lie
     * in the flattened range in the order of the devices. */
    void (*divide)(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups);
};

/* A strategy with its arguments, as parsed. Plain data, copied at will. */
struct yk_strategy {
    const struct yk_strategy_ops *ops;
    unsigned n;                      /* percentages: how many weights */
    double weight[YK_SPLIT_MAX];     /* percentages: of the devices in their order, none negative, not all 0 */
    unsigned single;                 /* single: the device's index; YK_SPLIT_NONE while only its name is known */
    char single_name[YK_SPLIT_NAME]; /* single: as given; the caller finds it (yk_machine_find) and sets single */
};

/**
 * A strategy from its text: "waterfill", "skmd", "linear", "even", "guided", "70:30" (weights in the order of the
 * devices), "single:DEV". Errors: YK_EFORMAT, *S unchanged; MSG (N bytes, may be NULL when N is 0) says what is wrong,
 * in words for a user.
 */
yk_status yk_strategy_parse(const char *text, struct yk_strategy *s, char *msg, size_t n);

/**
 * Can S be used on DEVICES devices? More weights than devices, weights that leave all devices without work, or a single
 * device that is not there are errors: YK_EINVAL with MSG as above. To be asked once, before the first launch.
 */
yk_status yk_strategy_check(const struct yk_strategy *s, unsigned devices, char *msg, size_t n);

/** All strategies that yk_strategy_parse knows, by index; NULL past the end. */
const struct yk_strategy_ops *yk_strategy_at(unsigned i);

/**
 * Divide SPLIT by S; see yk_strategy_ops.divide. What a strategy does in doubtful cases:
 * - even: equal shares of the usable devices.
 * - percentages: in proportion to the weights; a device that is not usable leaves its part to the others in proportion,
 *   devices past the last weight get nothing; if all usable devices have weight 0, they share evenly.
 * - linear: in proportion to the rates. An unknown rate counts as the mean of the known ones, so that a device not yet
 *   measured gets real work and is measured by it; no rate known: even.
 * - waterfill, skmd: a device of unknown speed counts as of the mean of the known ones (its links as they are); no
 * speed known: even. Neither splits where one device alone is predicted to be as fast.
 * - guided: the shares it would come to are not known before; what it answers is linear's. Who runs guided takes chunks
 *   (yk_guided_chunk).
 * - single: all on that device; on the first usable one where it is not usable.
 */
void yk_strategy_divide(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups);

/**
 * The next chunk of guided self-scheduling: half of what would be the taker's part of the REST work-groups nobody has
 * yet, if it takes them at RATE and all takers together at RATES; of unknown rate (0): a small part of TOTAL. TAKERS:
 * how many devices take chunks. Rounded to grains; at least a grain and at least LEAST, never more than REST.
 */
uint64_t yk_guided_chunk(uint64_t total, uint64_t rest, uint64_t grain, uint64_t least, unsigned takers, double rate,
                         double rates);

/**
 * For strategies: cut SPLIT in proportion to WEIGHT[split->n] (none negative or infinite, sum > 0, 0 for devices that
 * are not usable). No share is a whole grain or more away from its exact part; the remainder of total by grain goes to
 * the last device that has a share.
 */
void yk_split_proportion(const struct yk_split *split, const double *weight, uint64_t *groups);

/** For strategies: the mean rate of the usable devices whose speed is known, over the whole launch; 0: none is. */
double yk_split_mean_rate(const struct yk_split *split);

/** Copy SPLIT's devices into OUT[split->n], the unknown ones with the mean rate. False: no speed is known. */
bool yk_split_presume(const struct yk_split *split, struct yk_split_device *out);

/* Of strategy_waterfill.c and strategy_skmd.c; see yk_strategy_ops.divide. */
void yk_divide_waterfill(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups);
void yk_divide_skmd(const struct yk_strategy *s, const struct yk_split *split, uint64_t *groups);

#endif
