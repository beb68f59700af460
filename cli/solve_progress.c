/* Progress on a terminal, and a clean end on Ctrl-C: the first one asks the work to stop after the present step, the
 * second one is the system's. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/solve_work.h"

static volatile sig_atomic_t interrupted;
static bool shown, terminal;
static uint64_t last;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

bool solve_interrupted(void)
{
    return interrupted != 0;
}

static void print_left(double seconds)
{
    if (seconds < 100)
        fprintf(stderr, ", %.0f s left", ceil(seconds));
    else
        fprintf(stderr, ", %.0f min left", ceil(seconds / 60));
}

static bool on_progress(void *ctx, const struct yk_solve_progress *p)
{
    (void)ctx;
    uint64_t now = yk_now_ns();
    if (!terminal || now - last < 200000000u || p->seconds < 0.3)
        return !interrupted;
    last = now;
    shown = true;
    fprintf(stderr, "\r\033[K");
    if (p->nparts > 1)
        fprintf(stderr, "part %zu of %zu: ", p->part + 1, p->nparts);
    if (p->phase == YK_SOLVE_SEARCH) {
        fprintf(stderr, "search %.1f s, best plan 10^%.2f multiply-adds", p->seconds, p->log10_operations);
    } else {
        fprintf(stderr, "node %u of %u, %.1f %%", p->node + 1, p->nnodes, 100 * p->done);
        if (p->done > 0.01)
            print_left(p->seconds * (1 - p->done) / p->done);
    }
    fflush(stderr);
    return !interrupted;
}

void solve_progress_begin(struct solve_settings *set)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    terminal = !set->quiet && isatty(STDERR_FILENO);
    set->options.progress = on_progress;
    set->options.ctx = set;
}

void solve_progress_end(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
