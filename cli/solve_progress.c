/* Progress on a terminal, and a clean end on Ctrl-C: the first one asks the work to stop after the present step; a step
 * that takes longer than GRACE is not waited for. The second one is the system's. */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/solve_work.h"

static volatile sig_atomic_t interrupted;
static bool shown, terminal;
static uint64_t last;
static sem_t asked;
/* Once the answer, or why there is none, is being printed, nothing cuts it short. */
enum { WORKING, ANSWERING, ENDING };
static atomic_int state = WORKING;

enum { GRACE_MS = 1000 };

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    sem_post(&asked);
}

static void *end_late(void *ctx)
{
    (void)ctx;
    while (sem_wait(&asked) != 0)
        ;
    const struct timespec grace = {GRACE_MS / 1000, GRACE_MS % 1000 * 1000000L};
    nanosleep(&grace, NULL);
    int working = WORKING;
    if (atomic_compare_exchange_strong(&state, &working, ENDING)) {
        static const char said[] = "\nyoke solve: ended by request\n";
        if (write(STDERR_FILENO, said + !terminal, sizeof said - 1 - !terminal) < 0)
            _exit(130);
        _exit(130);
    }
    return NULL;
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
        fprintf(stderr, "search %.1f s, ", p->seconds);
        if (isfinite(p->log10_operations))
            fprintf(stderr, "best plan 10^%.2f multiply-adds", p->log10_operations);
        else
            fprintf(stderr, "no plan yet");
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
    pthread_t thread;
    if (sem_init(&asked, 0, 0) == 0 && pthread_create(&thread, NULL, end_late, NULL) == 0)
        pthread_detach(thread);
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    terminal = !set->quiet && isatty(STDERR_FILENO);
    set->options.progress = on_progress;
    set->options.ctx = set;
}

void solve_progress_end(void)
{
    int working = WORKING;
    if (!atomic_compare_exchange_strong(&state, &working, ANSWERING))
        while (working == ENDING)
            pause();
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
