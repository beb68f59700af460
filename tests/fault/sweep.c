/* The fault sweep: the same life of a program (life.c) again and again, each time in a process of its own and with one
 * thing going wrong in it; every n until the n-th is not reached, once and from then on.
 *
 *     sweep driver DEVICES [in-place]      every call of every entry point of the driver, on each device: an error, an
 *                                          event that ends with one (run or not), the device lost
 *     sweep backend DEVICES [in-place]     the same calls of each device, made to fail by the fault backend
 *     sweep one|one-backend DEVICES SCRIPT [MS]  one case of them, in this process; MS: the program pauses before each
 *                                          blocking read, and yoke is done with what came before
 *     sweep memory|mmap|thread|open|write DEVICES [in-place] [empty]   the same over what yoke asks of the C library;
 *                                          empty: with folders that hold nothing yet, each time
 *
 * The rule by which a case is recoverable, so that nothing but right bytes will do:
 *   - what fails is a device other than the primary (0 here), and it has memory of its own, or it cannot still be at
 * work when it fails (an event that ends with an error, an error of any call but clFinish, clWaitForEvents; a lost
 * device whose kernels nobody can stop may yet write over the host's memory); and
 *   - the launch does not overwrite what it reads on a device that works in the host's memory, or YOKE_RECOVER is set.
 *   - Of the C library: opening and writing files, and every thread but a command-queue's.
 * All others may as well give an error that the specification allows, at the call, at the event or at the next call
 * that waits. Nothing may crash, hang over 10 s, leave real objects or give wrong bytes without an error. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "device/fault/fault.h"
#include "device/fault/script.h"
#include "tests/fault/count.h"
#include "tests/fault/life.h"

enum { LIMIT_S = 10, SIDE_BY_SIDE = 2, MOST = 4000, ENDLESS = 1000 };
enum { BY_STUB = -1, BY_BACKEND = -2 }; /* whose script */

struct fault {
    bool recoverable;
    char text[96]; /* a script, or what fails of the C library */
    int kind;      /* enum count_kind, or one of those below */
    unsigned n;
    bool forever;
    cl_int injected[2];
};

static struct life *shared; /* one per process side by side */
static bool in_place, empty;
static long count[2][LIFE_ENDS], bad, cases;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Where the case of slot I keeps what it keeps, if that is to be empty. */
static void own_folder(int i, char *path, size_t n)
{
    const char *base = getenv("XDG_CACHE_HOME");
    snprintf(path, n, "%s.%d.%d", base ? base : "cache", (int)getpid(), i);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void clear_folder(int i)
{
    char path[PATH_MAX];
    own_folder(i, path, sizeof path);
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void use_folder(const char *path)
{
    if (mkdir(path, 0700) && errno != EEXIST)
        _exit(3);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("XDG_DATA_HOME", path, 1);
}

static void child(const struct fault *f, struct life *l, int said, const char *folder)
{
    alarm(LIMIT_S);
    if (empty)
        use_folder(folder);
    dup2(said, 2);
    if (f->kind < 0)
        setenv(f->kind == BY_STUB ? "YOKE_STUB_FAULT" : "YOKE_FAULT", f->text, 1);
    else
        count_start((enum count_kind)f->kind, f->n, f->forever);
    life_run(l, in_place, f->injected);
    if (f->kind >= 0)
        l->fired = f->n && count_calls() >= f->n;
    else if (f->kind == BY_BACKEND)
        l->fired = yk_cl_fault_fired();
    exit(0);
}

/* What a bad case has said. */
static void repeat(int said)
{
    char text[2000];
    ssize_t n = pread(said, text, sizeof text, 0);
    fprintf(stderr, "%.*s", n > 0 ? (int)n : 0, text);
}

static void judge(const struct fault *f, const struct life *l, int status, int said)
{
    static const char *const end[] = {"no end", "right", "an error", "an error not allowed", "wrong bytes", "a leak"};
    bool dead = !WIFEXITED(status) || WEXITSTATUS(status);
    bool right = l->end == LIFE_RIGHT || (l->end == LIFE_TOLD && !(f->recoverable && l->fired));
    cases++;
    count[f->recoverable][l->end]++;
    if (!dead && right)
        return;
    bad++;
    fprintf(stderr, "%s (%s): %s%s: %s at %s, code %d, %ld real objects left\n", f->text,
            f->recoverable ? "recoverable" : "not recoverable",
            !dead                                                ? ""
            : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung, "
            : WIFSIGNALED(status)                                ? "crashed, "
                                                                 : "ended badly, ",
            dead && WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "", end[l->end], l->call, l->code, l->left);
    repeat(said);
}

static struct {
    pid_t pid;
    struct fault fault;
    bool *reached;
    int said; /* its stderr */
} slot[SIDE_BY_SIDE];

static void reap(void)
{
    int status;
    pid_t pid = wait(&status);
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        if (pid > 0 && slot[i].pid == pid) {
            judge(&slot[i].fault, &shared[i], status, slot[i].said);
            *slot[i].reached = shared[i].fired;
            slot[i].pid = 0;
        }
}

static void begin(const struct fault *f, bool *reached)
{
    int i = -1;
    for (;;) {
        for (i = 0; i < SIDE_BY_SIDE && slot[i].pid; i++)
            ;
        if (i < SIDE_BY_SIDE)
            break;
        reap();
    }
    slot[i].fault = *f;
    slot[i].reached = reached;
    shared[i] = (struct life){.end = LIFE_NONE};
    fflush(NULL);
    char folder[PATH_MAX];
    own_folder(i, folder, sizeof folder);
    clear_folder(i);
    pid_t pid = ftruncate(slot[i].said, 0) ? -1 : fork();
    if (pid == 0)
        child(f, &shared[i], slot[i].said, folder);
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    slot[i].pid = pid;
}

static void finish(void)
{
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        while (slot[i].pid)
            reap();
}

/* MAKE for n = 1, 2, ... until the n-th is not reached, twice in a row. ENDLESS: of what is asked until it is so, how
 * often depends on how busy the machine is. */
static void countdown(struct fault f, void (*make)(struct fault *f, const void *arg), const void *arg, bool endless)
{
    static bool reached[MOST + SIDE_BY_SIDE + 1][2];
    for (unsigned n = 1; n <= (endless ? ENDLESS : MOST); n++) {
        for (int forever = 0; forever < 2; forever++) {
            f.n = n;
            f.forever = forever;
            make(&f, arg);
            reached[n][forever] = true;
            begin(&f, &reached[n][forever]);
        }
        /* All before N have ended. One not reached may be chance, since threads share the calls. */
        if (n > 1 && !reached[n - 1][0] && (n == 2 || !reached[n - 2][0])) {
            finish();
            return;
        }
    }
    finish();
    fprintf(stderr, "%s: the sweep ends here, and there may be more calls\n", f.text);
    bad += !endless;
}

struct rule {
    const char *entry, *action; /* entry "": any */
    unsigned device;            /* UINT32_MAX: any */
};

static void make_script(struct fault *f, const void *arg)
{
    const struct rule *r = arg;
    char device[12] = "*";
    if (r->device != UINT32_MAX)
        snprintf(device, sizeof device, "%u", r->device);
    snprintf(f->text, sizeof f->text, "%s@%s:%u%s=%s", r->entry, device, f->n, f->forever ? "+" : "", r->action);
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool host_memory(const char *devices, unsigned device)
{
    for (; device; device--)
        devices = strchr(devices, ',') + 1;
    return begins(devices, "cpu");
}

/* The rule at the head of this file. */
static bool recoverable(const struct rule *r, const char *devices)
{
    bool recover = getenv("YOKE_RECOVER") != NULL, lost = begins(r->action, "lost");
    if (r->device == 0 || r->device == UINT32_MAX)
        return false;
    if (!host_memory(devices, r->device))
        return true;
    if (in_place && !recover)
        return false;
    return !lost && strcmp(r->entry, "clFinish") && strcmp(r->entry, "clWaitForEvents");
}

static void sweep_driver(const char *devices, int by)
{
    unsigned n = 1;
    for (const char *p = devices; (p = strchr(p, ',')); p++)
        n++;
    for (unsigned d = 0; d < n + (by == BY_STUB); d++) { /* at last what is no device's */
        struct rule r = {.device = d < n ? d : UINT32_MAX};
        struct fault f = {.kind = by};
        for (int e = 0; e < YK_FAULT_ENTRIES; e++) {
            r.entry = yk_fault_entry_name((enum yk_fault_entry)e);
            /* A release that fails leaves its object behind: there is nothing to ask of yoke. */
            if (begins(r.entry, "clRelease") ||
                (d == n && !begins(r.entry, "clGetPlatform") && !begins(r.entry, "clGetDeviceIDs")))
                continue;
            static const char *const actions[] = {"error(-5)", "error(-4)", "event(-5)", "event(-5,ran)"};
            for (int a = 0; a < 4; a++) {
                if (a >= 1 && !begins(r.entry, "clEnqueue"))
                    continue;
                r.action = actions[a];
                f.injected[0] = a == 1 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
                f.recoverable = recoverable(&r, devices);
                countdown(f, make_script, &r, !strcmp(r.entry, "clGetEventInfo"));
            }
        }
        r.entry = "";
        r.action = "lost";
        f.injected[0] = CL_DEVICE_NOT_AVAILABLE;
        f.recoverable = recoverable(&r, devices);
        if (d < n)
            countdown(f, make_script, &r, true);
    }
}

static void make_count(struct fault *f, const void *arg)
{
    (void)arg;
    snprintf(f->text, sizeof f->text, "%s %u%s", count_name[f->kind], f->n, f->forever ? "+" : "");
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: sweep driver|backend|memory|mmap|thread|open|write DEVICES [in-place] [empty]\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        in_place |= !strcmp(argv[i], "in-place");
        empty |= !strcmp(argv[i], "empty");
    }
    double start = now();
    shared = mmap(NULL, SIDE_BY_SIDE * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 0);
    setenv("YOKE_STUB_DEVICES", argv[2], 1);
    setenv("YOKE_PRIMARY", "0", 1);
    setenv("YOKE_LOG", "error", 0);
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        char name[] = "said";
        if ((slot[i].said = memfd_create(name, 0)) < 0 || fcntl(slot[i].said, F_SETFL, O_APPEND)) {
            perror("memfd_create");
            return 2;
        }
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!strncmp(argv[1], "one", 3) && argc >= 4) {
        setenv(argv[1][3] ? "YOKE_FAULT" : "YOKE_STUB_FAULT", argv[3], 1);
        life_pause_ms = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
        life_run(shared, true, (cl_int[2]){CL_DEVICE_NOT_AVAILABLE, CL_MEM_OBJECT_ALLOCATION_FAILURE});
        printf("%s: end %d at %s, code %d\n", argv[3], shared->end, shared->call, shared->code);
        return shared->end != LIFE_RIGHT && shared->end != LIFE_TOLD;
    }
    bool reached;
    const struct fault none = {.kind = BY_STUB, .text = "", .recoverable = true};
    for (int i = 0; i < 2; i++) { /* nothing wrong; the first also fills the caches */
        begin(&none, &reached);
        finish();
    }
    if (!strcmp(argv[1], "driver") || !strcmp(argv[1], "backend"))
        sweep_driver(argv[2], argv[1][0] == 'd' ? BY_STUB : BY_BACKEND);
    for (int k = 0; k < COUNT_KINDS; k++)
        if (!strcmp(argv[1], count_name[k]))
            countdown((struct fault){.kind = k, .recoverable = k == COUNT_OPEN || k == COUNT_WRITE}, make_count, NULL,
                      false);
    for (int r = 1; r >= 0; r--)
        printf("%s: %ld right, %ld with an allowed error, %ld others\n", r ? "recoverable" : "not recoverable",
               count[r][LIFE_RIGHT], count[r][LIFE_TOLD],
               count[r][LIFE_NONE] + count[r][LIFE_BAD_CODE] + count[r][LIFE_WRONG] + count[r][LIFE_LEAK]);
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        clear_folder(i);
    printf("%s %s%s%s: %ld cases, %ld bad, %.1f s\n", argv[1], argv[2], in_place ? " in-place" : "",
           empty ? " empty" : "", cases, bad, now() - start);
    return bad || cases < 4 ? 1 : 0;
}
