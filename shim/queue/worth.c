#include "shim/queue/worth.h"
#include "shim/queue/ahead.h"
#include "shim/queue/decide.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/use.h"

/* A driver's build is followed by a compilation at the first launch on each device, which takes as long (PoCL 3.1: 300
 * and 350 ms), and the first shares are small. */
static const double least_s = 0.04, builds = 4;

/* Where the primary computes on the host's processors, what works beside it takes from it even if a processor is free:
 * two may be halves of one core. (The same patience as yoke-warm's.) */
static const double least_beside_s = 1;

/* Longer launches pass through the worker, one after the other, though that costs each some 30 us: a program that
 * enqueues all its work at once would else have given all of it to the primary before there is anything to decide. */
static const double short_s = 0.002;

/* Programs to which other devices were of no use spend so many times what that costs, and so many times what they came
 * to then, before it is done again. */
static const double patience = 4, longer = 2;

static void spend(struct yk_code *code, double seconds)
{
    yk_code_put(&code->spent, yk_code_get(&code->spent) + seconds);
    yk_code_put(&code->build->spent, yk_code_get(&code->build->spent) + seconds);
}

/* When a launch arrives, never after one: it may have been the last. */
void yk_worth_begin(struct yk_build *b)
{
    double least = yk_rt.primary->type & CL_DEVICE_TYPE_CPU ? least_beside_s : least_s;
    double spent = yk_code_get(&b->spent), cost = least + builds * b->seconds;
    if (spent > cost / 2)
        yk_build_ask(b);
    if (spent > cost && yk_use_none(b)) {
        double before = longer * yk_remember_before(b) * 1e-3;
        cost = patience * cost > before ? patience * cost : before;
    }
    if (spent > cost)
        yk_build_want(b);
}

/* Is nobody else ready for B: others are being prepared, or not yet, or not at all since they were of no use before? A
 * short launch then has nothing to be asked about, and would pass through the worker for nothing (60 us each for
 * tinygrad on two H200, 5 % of a training step: its kernels are programs of their own, none worth another build). Where
 * devices work in the host's memory a launch may begin without those that are late (takers.h), so that each is to be
 * asked about. */
static bool awaits_all(struct yk_build *b)
{
    if (yk_rt.primary->host_memory)
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (i != yk_rt.machine->primary && __atomic_load_n(&b->done[i], __ATOMIC_ACQUIRE))
            return false;
    return true;
}

bool yk_worth_early(struct yk_launch *l)
{
    struct yk_code *code = l->code;
    if (yk_build_now(code->build) == YK_BUILD_ANALYSED && !yk_build_insisted() && yk_remember_worth(code->build)) {
        yk_worth_begin(code->build); /* wanted already, where that costs nothing */
        if (!awaits_all(code->build))
            return false;
    }
    double rate = yk_code_get(&code->rate[yk_rt.machine->primary]), own = yk_code_get(&code->spent);
    if (yk_build_now(code->build) == YK_BUILD_READY || yk_build_insisted() || yk_ahead_forced())
        return false;
    yk_worth_begin(code->build);
    if (__atomic_load_n(&code->measured, __ATOMIC_RELAXED) < 2 || rate <= 0 || own >= yk_code_get(&code->measure_at))
        return false;
    double seconds = (double)yk_decide_items(l) / rate;
    if (seconds > short_s)
        return false;
    spend(code, seconds);
    return true;
}

void yk_worth_measured(struct yk_code *code, double seconds)
{
    spend(code, seconds);
    yk_code_put(&code->measure_at, 2 * yk_code_get(&code->spent));
    __atomic_add_fetch(&code->measured, 1, __ATOMIC_RELAXED);
}

void yk_worth_predicted(struct yk_code *code, double seconds)
{
    const double more = 1.2;
    struct yk_build *b = code->build;
    if (!(seconds > 0))
        return;
    spend(code, seconds);
    double spent = yk_code_get(&b->spent);
    if (spent < more * yk_code_get(&b->noted))
        return;
    yk_code_put(&b->noted, spent);
    yk_remember_program(b, spent * 1e3);
}
