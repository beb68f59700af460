#include "partitioner/tail.h"

/* Of its share a device runs this much in one piece: devices are seldom further from what is predicted. One whose speed
 * nobody knows runs so much first. */
static const double most = 0.75, half = 0.5, little = 0.125;

/* Pieces are made smaller for others' sake only where that makes a difference: each is a launch. */
static const double too_much = 1.3;

static uint64_t left(const struct yk_tail *t, unsigned dev)
{
    return t->of[dev].end - t->of[dev].next;
}

static uint64_t round_up(uint64_t n, uint64_t grain)
{
    return grain ? (n + grain - 1) / grain * grain : n;
}

/* Work-groups per ms: no more than its present piece leaves it, should that be late. */
static double speed(const struct yk_tail_part *p, double now)
{
    double gone = now - p->since;
    return p->piece && p->rate * gone > (double)p->piece ? (double)p->piece / gone : p->rate;
}

/* What is left of its present piece. */
static double flying(const struct yk_tail_part *p, double now)
{
    double rest = (double)p->piece - speed(p, now) * (now - p->since);
    return p->piece && rest > 0 ? rest : 0;
}

/* Work-groups that are no piece of their own on DEV are fewer than that. */
static uint64_t least(const struct yk_tail *t, unsigned dev)
{
    uint64_t n = (uint64_t)(t->of[dev].rate * t->piece_ms);
    return n ? n : 1;
}

/* How much of REST is the next piece on DEV where WANTED would be best: a rest that is no piece of its own goes with
 * it. */
static uint64_t piece(const struct yk_tail *t, unsigned dev, uint64_t rest, double wanted)
{
    uint64_t few = least(t, dev), n = wanted < (double)rest ? (uint64_t)wanted : rest;
    n = round_up(n > few ? n : few, t->grain);
    return n >= rest || rest - n < few ? rest : n;
}

void yk_tail_share(struct yk_tail *t, unsigned dev, uint64_t from, uint64_t to, double ms, bool unsure)
{
    t->of[dev] = (struct yk_tail_part){.next = from, .end = to, .rate = (double)(to - from) / ms, .unsure = unsure};
}

/* DEV has ended what it had. */
static void ended(struct yk_tail *t, unsigned dev, double now)
{
    struct yk_tail_part *p = &t->of[dev];
    double took = now - p->since, rate = (double)p->piece / took;
    /* Short ones say less: what a launch costs is in them. */
    if (p->piece && took > 0)
        p->rate = took > 4 * t->piece_ms ? rate : (p->rate + rate) / 2;
    p->piece = 0;
}

/* Everything that is not done, as seen by DEV, which runs nothing. */
struct all {
    double work;   /* work-groups */
    double others; /* work-groups per ms of those that run something */
};

static struct all all_of(const struct yk_tail *t, unsigned dev, double now)
{
    struct all a = {(double)left(t, dev), 0};
    for (unsigned i = 0; i < YK_SPLIT_MAX; i++) {
        const struct yk_tail_part *p = &t->of[i];
        if (i == dev)
            continue;
        a.work += (double)left(t, i) + flying(p, now);
        a.others += p->piece ? speed(p, now) : 0;
    }
    return a;
}

/* DEV's own; 0: what it would take so long for is left to others, who are at work and will be done before. */
static uint64_t own(struct yk_tail *t, unsigned dev, double now)
{
    struct yk_tail_part *p = &t->of[dev];
    uint64_t rest = left(t, dev);
    struct all a = all_of(t, dev, now);
    bool small = p->unsure && !p->begun;
    double part = small      ? little
                  : p->alone ? half
                             : most,
           wanted = part * (double)rest,
           fair = a.work * p->rate / (a.others + p->rate); /* were all to be done at once */
    uint64_t n = piece(t, dev, rest, (double)rest > too_much * fair ? part * fair : wanted);
    if (p->begun && (double)n * a.others > a.work * p->rate)
        return 0;
    p->alone |= !small;
    return n;
}

/* Of what OTHER has left, for DEV; 0: nothing that is worth it. However little it is, if that one has not even begun:
 * it may be long until it does. */
static uint64_t of_other(const struct yk_tail *t, unsigned dev, unsigned other, double now)
{
    const struct yk_tail_part *p = &t->of[other];
    uint64_t rest = left(t, other);
    double mine = t->of[dev].rate, theirs = speed(p, now);
    if (p->over)
        return rest;
    if (!p->begun || !(mine > 0)) /* one that had no share of its own */
        return piece(t, dev, rest, half * (double)rest);
    if (rest < least(t, dev) || rest < least(t, other))
        return 0;
    uint64_t n = piece(t, dev, rest, (double)rest * mine / (mine + theirs));
    bool late = (double)n * theirs > ((double)rest + flying(p, now)) * mine; /* OTHER would have been done before */
    return late ? 0 : n;
}

bool yk_tail_take(struct yk_tail *t, unsigned dev, double now, uint64_t *from, uint64_t *to)
{
    struct yk_tail_part *p = &t->of[dev];
    unsigned other = dev;
    uint64_t n;
    ended(t, dev, now);
    for (unsigned i = 0; i < YK_SPLIT_MAX; i++)
        if (i != dev && (t->of[i].begun || !t->each) && left(t, i) &&
            (other == dev || (t->of[i].over && !t->of[other].over) ||
             (t->of[i].over == t->of[other].over && left(t, i) > left(t, other))))
            other = i;
    if (left(t, dev) && (n = own(t, dev, now))) {
        *from = p->next;
        *to = p->next += n;
    } else if (!left(t, dev) && other != dev && (n = of_other(t, dev, other, now))) {
        /* From its end, so that what is left to it stays in one piece; from a multiple of the grain. */
        struct yk_tail_part *o = &t->of[other];
        uint64_t at = o->end - n;
        if (t->grain && at % t->grain)
            at -= at % t->grain;
        *to = o->end;
        *from = o->end = at < o->next ? o->next : at;
    } else {
        p->over = true;
        return false;
    }
    p->begun = true;
    p->piece = *to - *from;
    p->since = now;
    return true;
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
