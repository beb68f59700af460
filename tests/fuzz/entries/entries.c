/* Sequences of entry points, at random, over the stub: good arguments, NULL, live handles of the wrong kind, sizes at
 * the edges. Nothing may crash or hang, and when all is released no real object is left; in every other sequence, which
 * has one queue, each launch that is divided must give what it gives whole. Each sequence is a process of its own; a
 * bad one can be run again by its number.
 *
 *     fuzz_entries SECONDS [FIRST]     as many sequences as fit, from number FIRST (default 1)
 *     fuzz_entries = NUMBER            that one, in this process */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/fuzz/entries/objects.h"

enum { CALLS = 120, LIMIT_S = 20 };

static long *shared_ok; /* commands taken by all sequences */

/* Whatever else yoke does only sometimes: every sequence has some of it. */
static void choose_options(void)
{
    static const char *const option[][2] = {
        {"YOKE_RING", "force"},    {"YOKE_PIPELINE", "force"}, {"YOKE_PIPELINE", "3"},
        {"YOKE_GATHER", "force"},  {"YOKE_AHEAD", "force"},    {"YOKE_MEMORY_LIMIT", "0=16K"},
        {"YOKE_EVICT", "force"},   {"YOKE_TAIL", "force"},     {"YOKE_BESIDE", "force"},
        {"YOKE_MAILBOX", "force"}, {"YOKE_COPIERS", "force"},  {"YOKE_RECOVER", "1"},
        {"YOKE_VERIFY", "1"},      {"YOKE_FAULT", "own@*"},    {"YOKE_MEMORY_LIMIT", "0=16K,1=4K"},
        {"YOKE_PIN", "force"}};
    for (unsigned n = below(4); n; n--) {
        unsigned i = below(sizeof option / sizeof *option);
        setenv(option[i][0], option[i][1], 0);
        if (!strcmp(option[i][0], "YOKE_MEMORY_LIMIT") || !strcmp(option[i][0], "YOKE_EVICT"))
            setenv("YOKE_MEMORY", "64M", 1);
    }
}

/* What a bad sequence is run again with, and what it leaves: the first thing and the last that it says. */
static void say_options(uint64_t number)
{
    extern char **environ;
    fprintf(stderr, "sequence %llu:", (unsigned long long)number);
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "YOKE_", 5))
            fprintf(stderr, " %s", *e);
    fprintf(stderr, "\n");
    setenv("YOKE_STUB_LEAKS", "1", 1);
}

/* What a sequence says on stderr, in a file. */
static char *said(int file)
{
    static char text[1 << 16];
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

static bool differs(void)
{
    return strstr(said(STDERR_FILENO), "verify: ");
}

static void sequence(uint64_t number)
{
    static const char *const devices[] = {"cpu", "gpu,gpu", "cpu,gpu", "cpu,cpu", "gpu,cpu,accelerator"};
    seed(number);
    setenv("YOKE_STUB_DEVICES", devices[below(5)], 1);
    if (below(4))
        setenv("YOKE_FORCE_SPLIT", "1", 1);
    setenv("YOKE_STRATEGY", below(2) ? "even" : "linear", 1);
    choose_options();
    orderly = number % 2;
    if (orderly)
        setenv("YOKE_VERIFY", "1", 1);
    say_options(number);
    fill_slots();
    for (int i = 0; i < CALLS; i++) {
        static void (*const step[])(void) = {create,   set_argument, set_argument, launch, launch, launch, transfer,
                                             transfer, synchronise,  query,        map,    other,  other};
        step[below(sizeof step / sizeof *step)]();
    }
    finish_all();
    unmap_all();
    finish_all();
    empty_slots();
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD);
    long (*live)(void) = stub ? (long (*)(void))dlsym(stub, "stub_live") : NULL, left = live ? 1 : -1;
    for (int i = 0; i < 5000 && live && (left = live()); i++)
        usleep(1000);
    if (left) {
        fprintf(stderr, "sequence %llu: %ld real objects are left\n", (unsigned long long)number, left);
        exit(3);
    }
    if (orderly && differs())
        exit(4);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_entries SECONDS [FIRST] | fuzz_entries = NUMBER\n");
        return 2;
    }
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 0);
    setenv("YOKE_LOG", "error", 0);
    setenv("YOKE_NUMERICS", "any", 0);
    shared_ok = mmap(NULL, sizeof *shared_ok, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!strcmp(argv[1], "=") && argc > 2) {
        sequence(strtoull(argv[2], NULL, 10));
        return 0;
    }
    time_t end = time(NULL) + strtol(argv[1], NULL, 10);
    unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, n = first;
    unsigned bad = 0;
    for (; time(NULL) < end && bad < 10; n++) {
        int status;
        fflush(NULL);
        int file = memfd_create("stderr", 0);
        pid_t pid = file < 0 ? -1 : fork();
        if (pid < 0) {
            perror("fork");
            return 2;
        }
        if (!pid) {
            alarm(LIMIT_S);
            dup2(file, STDERR_FILENO);
            sequence(n);
            __atomic_add_fetch(shared_ok, ok_calls, __ATOMIC_RELAXED);
            exit(0);
        }
        waitpid(pid, &status, 0);
        if (status) {
            bad++;
            fprintf(stderr, "%ssequence %llu: %s\n", said(file), n,
                    !WIFSIGNALED(status)          ? "ended badly"
                    : WTERMSIG(status) == SIGALRM ? "hung"
                                                  : strsignal(WTERMSIG(status)));
        }
        close(file);
    }
    printf("%llu sequences, %ld commands taken, %u bad\n", n - first, *shared_ok, bad);
    return bad || *shared_ok == 0;
}
