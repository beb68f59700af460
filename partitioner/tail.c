#include "partitioner/tail.h"

/* Of its share a device runs this much in one piece: devices are seldom further from what is predicted. */
static const uint64_t first_part = 3, of_parts = 4;

static uint64_t left(const struct yk_tail *t, unsigned dev)
{
    return t->of[dev].end - t->of[dev].next;
}

static uint64_t round_up(uint64_t n, uint64_t grain)
{
    return grain ? (n + grain - 1) / grain * grain : n;
}

/* How much of REST is the next piece where WANTED would be best: a rest that is no piece of its own goes with it. */
static uint64_t piece(const struct yk_tail *t, uint64_t rest, uint64_t wanted, uint64_t least)
{
    uint64_t n = round_up(wanted > least ? wanted : least, t->grain);
    return n >= rest || rest - n < least ? rest : n;
}

void yk_tail_share(struct yk_tail *t, unsigned dev, uint64_t from, uint64_t to, uint64_t least)
{
    t->of[dev].next = from;
    t->of[dev].end = to;
    t->of[dev].least = least ? least : 1;
    t->of[dev].begun = false;
}

/* DEV's own. */
static void take_own(struct yk_tail *t, unsigned dev, uint64_t *from, uint64_t *to)
{
    uint64_t rest = left(t, dev), wanted = t->of[dev].begun ? rest / 2 : rest / of_parts * first_part;
    uint64_t n = piece(t, rest, wanted, t->of[dev].least);
    t->of[dev].begun = true;
    *from = t->of[dev].next;
    *to = t->of[dev].next += n;
}

/* Half of what another has left. Of the end, so that what is left to that one stays in one piece; from a multiple of
 * the grain. However little it is, if that one has not even begun: it may be long until it does. */
static bool take_from(struct yk_tail *t, unsigned dev, unsigned other, uint64_t *from, uint64_t *to)
{
    uint64_t rest = left(t, other), n = piece(t, rest, rest / 2, t->of[dev].least);
    if (t->of[other].begun && (rest < t->of[dev].least || rest < t->of[other].least))
        return false;
    uint64_t at = t->of[other].end - n;
    if (t->grain && at % t->grain)
        at -= at % t->grain;
    if (at < t->of[other].next)
        at = t->of[other].next;
    *to = t->of[other].end;
    *from = t->of[other].end = at;
    return true;
}

bool yk_tail_take(struct yk_tail *t, unsigned dev, uint64_t *from, uint64_t *to)
{
    bool got = true;
    unsigned most = dev;
    for (unsigned i = 0; i < YK_SPLIT_MAX; i++)
        if (i != dev && (t->of[i].begun || !t->each) && (most == dev || left(t, i) > left(t, most)))
            most = i;
    if (left(t, dev))
        take_own(t, dev, from, to);
    else
        got = most != dev && left(t, most) && take_from(t, dev, most, from, to);
    return got;
}

bool yk_tail_any(const struct yk_tail *t)
{
    for (unsigned i = 0; i < YK_SPLIT_MAX; i++)
        if (left(t, i))
            return true;
    return false;
}

bool yk_tail_left(struct yk_tail *t, uint64_t *from, uint64_t *to, unsigned *share)
{
    for (unsigned i = 0; i < YK_SPLIT_MAX; i++)
        if (left(t, i)) {
            *from = t->of[i].next;
            *to = t->of[i].end;
            t->of[i].next = t->of[i].end;
            *share = i;
            return true;
        }
    return false;
}
