#include "shim/queue/short.h"
#include "shim/queue/decide.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"

enum { ENOUGH = 8, OFTEN = 64, AGAIN = 8 };
static const double short_s = 0.001, first_s = 0.002, passing_s = 15e-6;

/* What was found of a program, as the work-groups of a sample of kind DECLINED. */
enum { SOME, ALL }; /* of its launches were short */

/* What earlier processes have found: the count is in how many since it was found. */
static void recall(struct yk_build *b)
{
    struct yk_series s;
    struct yk_profile_key k = yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_DECLINED);
    if (!yk_profile_loaded() || __atomic_exchange_n(&b->brief.asked, true, __ATOMIC_RELAXED) || !yk_profile_get(&k, &s))
        return;
    struct yk_sample was = s.at[0];
    bool off = was.count % AGAIN != 0;
    __atomic_store_n(&b->brief.only, off && was.groups > 1 + SOME, __ATOMIC_RELAXED);
    __atomic_store_n(&b->brief.off, off, __ATOMIC_RELAXED);
    was.count++;
    yk_profile_set(&k, was);
}

void yk_short_divided(struct yk_launch *l, double seconds, double wall)
{
    struct yk_build *b = l->code->build;
    double items = (double)yk_decide_items(l);
    if (!yk_rt.primary->host_memory || yk_build_insisted() || seconds > short_s)
        return;
    if (items > yk_code_get(&l->code->short_items))
        yk_code_put(&l->code->short_items, items);
    yk_code_put(&b->brief.won, yk_code_get(&b->brief.won) + seconds - wall);
    __atomic_add_fetch(&b->brief.divided, 1, __ATOMIC_RELAXED);
}

void yk_short_passed(struct yk_launch *l)
{
    struct yk_build *b = l->code->build;
    unsigned n = __atomic_add_fetch(&b->brief.passed, 1, __ATOMIC_RELAXED);
    if (n % OFTEN || __atomic_load_n(&b->brief.divided, __ATOMIC_RELAXED) < ENOUGH ||
        yk_code_get(&b->brief.won) >= n * passing_s || __atomic_exchange_n(&b->brief.off, true, __ATOMIC_RELAXED))
        return;
    struct yk_profile_key k = yk_remember_program_key(b, yk_rt.machine->primary, YK_SAMPLE_DECLINED);
    yk_profile_set(&k,
                   (struct yk_sample){1 + (__atomic_load_n(&b->brief.has_long, __ATOMIC_RELAXED) ? SOME : ALL), 1, 1});
}

void yk_short_measured(struct yk_launch *l, double seconds)
{
    if (seconds > first_s)
        __atomic_store_n(&l->code->build->brief.has_long, true, __ATOMIC_RELAXED);
}

bool yk_short_only(struct yk_build *b)
{
    if (!yk_rt.primary->host_memory || yk_build_insisted())
        return false;
    if (!__atomic_load_n(&b->brief.asked, __ATOMIC_RELAXED))
        recall(b);
    return __atomic_load_n(&b->brief.only, __ATOMIC_RELAXED);
}

bool yk_short_closed(struct yk_launch *l)
{
    struct yk_code *c = l->code;
    double items = (double)yk_decide_items(l), longer = yk_code_get(&c->long_items);
    if (!yk_rt.primary->host_memory || yk_build_insisted())
        return false;
    if (!__atomic_load_n(&c->build->brief.asked, __ATOMIC_RELAXED))
        recall(c->build);
    if (!__atomic_load_n(&c->build->brief.off, __ATOMIC_RELAXED) || (longer > 0 && items >= longer))
        return false;
    if (items <= yk_code_get(&c->short_items))
        return true;
    double ms = yk_remember_alone(l); /* the first one in a process takes longer */
    if (!(ms > 0 && ms < first_s * 1e3))
        return false;
    yk_code_put(&c->short_items, items);
    return true;
}
