/* The client against programs that play the transformer: crash, hang, garbage; what the app around it can see; the
 * cache. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "tests/unit/main.h"
#include "base/hash.h"
#include "transform/client.h"
#include "transform/client_cache.h"
#include "transform/facts_write.h"

static char root[64];

static const char *in_root(const char *name)
{
    static char path[2][400];
    static int i;
    i = !i;
    snprintf(path[i], sizeof path[i], "%s/%s", root, name);
    return path[i];
}

static void put(const char *name, const char *text, size_t n, int mode)
{
    int fd = open(in_root(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    ck_assert(fd >= 0 && write(fd, text, n) == (ssize_t)n && !close(fd));
}

static void setup(void)
{
    yk_log_set_level(YK_LOG_ERROR);
    strcpy(root, "/tmp/yoke-client-XXXXXX");
    ck_assert(mkdtemp(root));
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    setenv("HOME", root, 1);
    uint64_t text = 42;
    struct yk_facts_kernel k = {.name = "f", .verdict = YK_VERDICT_SPLIT, .reason = ""};
    struct yk_facts f = {.transformer = "fake", .ntargets = 1, .target_text = &text, .nkernels = 1, .kernel = &k};
    char *record;
    size_t n;
    ck_assert_int_eq(yk_facts_write(&f, &record, &n), YK_OK);
    put("record", record, n, 0600);
    free(record);
}

static void teardown(void)
{
    char cmd[800];
    signal(SIGCHLD, SIG_DFL);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    ck_assert_int_eq(system(cmd), 0);
}

/* A transformer that is the shell script BODY. */
static void play(const char *body)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    put("yoke-transform", text, (size_t)n, 0700);
}

static const struct yk_transform_target target = {.c_version = "OpenCL C 1.2 ",
                                                  .version = "OpenCL 1.2 ",
                                                  .extensions = "",
                                                  .driver = "x",
                                                  .address_bits = 64,
                                                  .little_endian = true};

static bool aside, from_cache; /* how run_source asks */

static yk_status run_source(const char *source, unsigned timeout_ms, struct yk_facts *f)
{
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = "-DA=1",
                                       .target = &target,
                                       .ntargets = 1,
                                       .library_dir = root,
                                       .timeout_ms = timeout_ms,
                                       .aside = aside};
    return from_cache ? yk_transform_cached(&req, f) : yk_transform_run(&req, f);
}

static yk_status run(unsigned timeout_ms)
{
    struct yk_facts f;
    yk_status s = run_source("kernel void f() {}", timeout_ms, &f);
    ck_assert_uint_eq(f.nkernels, s == YK_OK);
    yk_facts_finish(&f);
    return s;
}

START_TEST(an_answer_is_taken_and_kept)
{
    setup();
    play("echo run >> \"$HOME/runs\"; cat > \"$HOME/request\"; cat \"$HOME/record\"");
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert_int_eq(run(0), YK_OK);
    struct stat st;
    ck_assert(!stat(in_root("runs"), &st));
    ck_assert_int_eq(st.st_size, 4); /* once */
    char cmd[800];
    snprintf(cmd, sizeof cmd, "head -c 15 '%s/request' | grep -q 'yoke-request 1' && grep -aq -- '-DA=1' '%s/request'",
             root, root);
    ck_assert_int_eq(system(cmd), 0);
    teardown();
}
END_TEST

static int files_named(const char *end)
{
    DIR *d = opendir(in_root("cache/yoke/facts"));
    ck_assert_ptr_nonnull(d);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t a = strlen(e->d_name), b = strlen(end);
        n += e->d_name[0] != '.' && a >= b && !strcmp(e->d_name + a - b, end);
    }
    closedir(d);
    return n;
}

START_TEST(a_damaged_cache_file_is_set_aside_and_rebuilt)
{
    setup();
    play("echo run >> \"$HOME/runs\"; cat \"$HOME/record\"");
    ck_assert_int_eq(run(0), YK_OK);
    char cmd[800];
    static const char *const damage[] = {"printf x | dd of=\"$f\" bs=1 seek=20 conv=notrunc 2>/dev/null", ": > \"$f\"",
                                         "head -c 30 \"$f\" > \"$f.t\" && mv \"$f.t\" \"$f\"",
                                         "head -c 100000 /dev/urandom > \"$f\""};
    for (int i = 0; i < 4; i++) {
        snprintf(cmd, sizeof cmd, "f=$(ls '%s'/cache/yoke/facts/* | grep -v bad) && %s", root, damage[i]);
        ck_assert_int_eq(system(cmd), 0);
        ck_assert_int_eq(run(0), YK_OK);
        ck_assert_int_eq(files_named(".bad"), 1);
        ck_assert_int_eq(files_named(""), 2);
    }
    struct stat st;
    ck_assert(!stat(in_root("runs"), &st));
    ck_assert_int_eq(st.st_size, 5 * 4);
    /* A link in its place is not followed. */
    snprintf(cmd, sizeof cmd, "f=$(ls '%s'/cache/yoke/facts/* | grep -v bad) && ln -sf '%s/record' \"$f\"", root, root);
    ck_assert_int_eq(system(cmd), 0);
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert(!stat(in_root("runs"), &st));
    ck_assert_int_eq(st.st_size, 6 * 4);
    teardown();
}
END_TEST

START_TEST(no_cache_folder_is_no_failure)
{
    setup();
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    play("cat \"$HOME/record\"");
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert_int_eq(run(0), YK_OK);
    teardown();
}
END_TEST

START_TEST(an_included_file_that_changed_is_seen)
{
    setup();
    play("echo run >> \"$HOME/runs\"; cat \"$HOME/with_file\"");
    put("a.h", "old", 3, 0600);
    struct yk_hash h = {0, 0};
    h = yk_hash_bytes(h, "old", 3);
    uint64_t text = 42;
    char path[400];
    strcpy(path, in_root("a.h"));
    char other[400];
    strcpy(other, in_root("b.h"));
    struct yk_facts_file file[] = {{path, h.lo, false}, {other, 0, true}};
    struct yk_facts f = {.transformer = "fake", .ntargets = 1, .target_text = &text, .nfiles = 2, .file = file}, got;
    char *record;
    size_t n;
    ck_assert_int_eq(yk_facts_write(&f, &record, &n), YK_OK);
    put("with_file", record, n, 0600);
    struct stat st;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(run_source("#include \"a.h\"", 0, &got), YK_OK);
        yk_facts_finish(&got);
    }
    ck_assert(!stat(in_root("runs"), &st) && st.st_size == 4);
    put("b.h", "", 0, 0600); /* now found before it */
    ck_assert_int_eq(run_source("#include \"a.h\"", 0, &got), YK_OK);
    yk_facts_finish(&got);
    ck_assert(!stat(in_root("runs"), &st) && st.st_size == 8);
    unlink(in_root("b.h"));
    put("a.h", "new", 3, 0600);
    ck_assert_int_eq(run_source("#include \"a.h\"", 0, &got), YK_OK);
    yk_facts_finish(&got);
    ck_assert(!stat(in_root("runs"), &st) && st.st_size == 12);
    free(record);
    teardown();
}
END_TEST

static struct timespec coarse_now(void)
{
    struct timespec t;
    usleep(30000); /* longer than a tick of that clock */
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    usleep(30000);
    return t;
}

/* What a compiler has read at T is known to be what is there now only where nothing has happened since. */
START_TEST(files_that_changed_since_a_build_are_seen)
{
    setup();
    char path[400], absent[400], deep[400];
    put("a.h", "old", 3, 0600);
    strcpy(path, in_root("a.h"));
    ck_assert(!mkdir(in_root("inc"), 0700));
    strcpy(absent, in_root("inc/a.h"));
    strcpy(deep, in_root("inc/sub/a.h"));
    struct yk_facts_file file[] = {{path, 7, false}, {absent, 0, true}, {deep, 0, true}};
    const struct yk_facts f = {.nfiles = 3, .file = file}, none = {.nfiles = 0};
    struct timespec t = coarse_now();
    ck_assert(yk_client_cache_older(&f, t));
    put("a.h", "new", 3, 0600);
    ck_assert(!yk_client_cache_older(&f, t));
    t = coarse_now();
    ck_assert(yk_client_cache_older(&f, t));
    put("inc/a.h", "now found before it", 3, 0600);
    ck_assert(!yk_client_cache_older(&f, t));
    t = coarse_now();
    unlink(absent); /* found by the compiler, and gone */
    ck_assert(!yk_client_cache_older(&f, t));
    t = coarse_now();
    ck_assert(yk_client_cache_older(&f, t));
    unlink(path);
    ck_assert(!yk_client_cache_older(&f, t));
    ck_assert(yk_client_cache_older(&none, (struct timespec){0, 0}));
    teardown();
}
END_TEST

START_TEST(bad_transformers_are_errors)
{
    setup();
    static const struct {
        const char *body;
        yk_status s;
    } cases[] = {
        {"kill -SEGV $$", YK_EIO},
        {"echo oops >&2; exit 3", YK_EIO},
        {"echo hello", YK_EFORMAT},
        {"exit 0", YK_EFORMAT},
        {"head -c 3000000 /dev/urandom", YK_EFORMAT},
        {"cat \"$HOME/record\"; echo more", YK_EFORMAT},
        {"head -c 50 \"$HOME/record\"", YK_EFORMAT},
        {"cat \"$HOME/record\"; kill -ABRT $$", YK_EIO},
        {"cat \"$HOME/record\"; exit 1", YK_EIO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play(cases[i].body);
        ck_assert_msg(run(0) == cases[i].s, "%s", cases[i].body);
    }
    put("yoke-transform",
        "\x7f"
        "ELF rubbish",
        12, 0700);
    ck_assert_int_eq(run(0), YK_EIO);
    put("yoke-transform", "#!/nowhere/sh\n", 14, 0700);
    ck_assert_int_eq(run(0), YK_EIO);
    chmod(in_root("yoke-transform"), 0600);
    if (geteuid()) /* to root everything may be run */
        ck_assert_int_eq(run(0), YK_ENOTFOUND);
    unlink(in_root("yoke-transform"));
    ck_assert_int_eq(run(0), YK_ENOTFOUND);
    setenv("YOKE_TRANSFORM", in_root("nothing"), 1);
    ck_assert_int_eq(run(0), YK_ENOTFOUND);
    teardown();
}
END_TEST

START_TEST(a_hang_ends_at_the_timeout_with_all_that_it_started)
{
    setup();
    play("sleep 60 & echo $! > \"$HOME/pid\"; sleep 61");
    uint64_t t = yk_now_ns();
    ck_assert_int_eq(run(1500), YK_ETIMEOUT); /* a busy machine needs a while to start a shell */
    t = (yk_now_ns() - t) / 1000000;
    ck_assert_uint_ge(t, 1400);
    ck_assert_uint_lt(t, 10000);
    FILE *f = fopen(in_root("pid"), "r");
    int pid = 0;
    ck_assert(f && fscanf(f, "%d", &pid) == 1 && pid > 1);
    fclose(f);
    /* Its reaper may take a moment; a zombie is as good as gone. */
    char path[64], state = 'R', line[512];
    for (int i = 0; i < 100 && state != 'Z' && state != 'X'; i++) {
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        if (!(f = fopen(path, "r")))
            break;
        if (fgets(line, sizeof line, f) && strrchr(line, ')'))
            state = strrchr(line, ')')[2];
        fclose(f);
        usleep(10000);
    }
    ck_assert(!f || state == 'Z' || state == 'X');
    setenv("YOKE_TRANSFORM_TIMEOUT", "1", 1);
    ck_assert_int_eq(run(0), YK_ETIMEOUT);
    teardown();
}
END_TEST

START_TEST(the_child_is_clean)
{
    setup();
    play("env | cut -d= -f1 | sort > \"$HOME/env\"; ls /proc/self/fd > \"$HOME/fds\"; pwd > \"$HOME/cwd\";"
         "grep -E '^Sig(Blk|Ign)' /proc/self/status > \"$HOME/signals\"; cat \"$HOME/record\"");
    setenv("LD_PRELOAD", "", 1);
    setenv("SECRET", "1", 1);
    signal(SIGPIPE, SIG_IGN);
    int fds[2];
    ck_assert(!pipe(fds)); /* without close-on-exec, as apps have */
    ck_assert_int_eq(run(0), YK_OK);
    char cmd[800];
    /* LD_ and SECRET are gone; the shell adds PWD, OLDPWD and _. */
    snprintf(cmd, sizeof cmd,
             "cd '%s' && ! grep -qE 'LD_|SECRET' env && grep -qx PATH env && grep -qx HOME env &&"
             "test \"$(wc -l < fds)\" -le 4 && test \"$(cat cwd)\" = \"$OLDPWD\" &&"
             "grep -q 'SigBlk:.0000000000000000' signals && grep -q 'SigIgn:.0000000000000000' signals",
             root);
    ck_assert_int_eq(system(cmd), 0);
    close(fds[0]);
    close(fds[1]);
    teardown();
}
END_TEST

START_TEST(the_cache_alone_starts_nothing)
{
    setup();
    play("echo run >> \"$HOME/runs\"; cat \"$HOME/record\"");
    struct stat st;
    from_cache = true;
    ck_assert_int_eq(run(0), YK_ENOTFOUND);
    ck_assert_int_ne(stat(in_root("runs"), &st), 0);
    from_cache = false;
    ck_assert_int_eq(run(0), YK_OK);
    from_cache = true;
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert(!stat(in_root("runs"), &st));
    ck_assert_int_eq(st.st_size, 4); /* once */
    teardown();
}
END_TEST

START_TEST(nobody_waits_for_what_runs_aside)
{
    setup();
    play("nice >> \"$HOME/nice\"; cat \"$HOME/record\"");
    ck_assert_int_eq(run(0), YK_OK);
    aside = true;
    struct yk_facts f;
    ck_assert_int_eq(run_source("kernel void other() {}", 0, &f), YK_OK);
    yk_facts_finish(&f);
    char cmd[800];
    snprintf(cmd, sizeof cmd, "test \"$(cat '%s/nice' | tr '\\n' ' ')\" = \"$(nice) $(nice -n 10 nice) \"", root);
    ck_assert_int_eq(system(cmd), 0);
    teardown();
}
END_TEST

START_TEST(closed_standard_files_are_no_trouble)
{
    setup();
    play("cat > /dev/null; cat \"$HOME/record\"");
    pid_t pid = fork();
    if (!pid) {
        close(0);
        close(1);
        close(2);
        struct yk_facts f;
        _exit(run_source("kernel void f() {}", 0, &f) != YK_OK);
    }
    int status;
    ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
    teardown();
}
END_TEST

static volatile sig_atomic_t chlds;

static void on_chld(int sig)
{
    (void)sig;
    chlds++;
}

static void *wait_thread(void *arg)
{
    *(pid_t *)arg = wait(NULL);
    return NULL;
}

START_TEST(the_app_sees_no_child)
{
    setup();
    play("cat \"$HOME/record\"; sleep 0.1");
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1); /* start it each time */
    struct sigaction sa = {.sa_handler = on_chld};
    sigaction(SIGCHLD, &sa, NULL);
    errno = 0;
    ck_assert(wait(NULL) < 0 && errno == ECHILD);
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert_int_eq(chlds, 0);
    ck_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    /* A thread that waits for a child of the app's gets that one. */
    pid_t child = fork(), got = 0;
    if (!child) {
        usleep(600000);
        _exit(0);
    }
    pthread_t t;
    ck_assert(!pthread_create(&t, NULL, wait_thread, &got));
    ck_assert_int_eq(run(0), YK_OK);
    ck_assert_int_eq(chlds, 0);
    pthread_join(t, NULL);
    ck_assert_int_eq(got, child);
    ck_assert_int_eq(chlds, 1);
    /* Children that the app wants reaped by themselves. */
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(run(0), YK_OK);
    play("exit 7");
    ck_assert_int_eq(run(0), YK_EIO);
    teardown();
}
END_TEST

static void *run_thread(void *arg)
{
    *(yk_status *)arg = run(20000);
    return NULL;
}

START_TEST(the_child_dies_with_the_app)
{
    setup();
    play("echo $$ > \"$HOME/pid\"; exec sleep 60");
    pid_t app = fork();
    if (!app) {
        yk_status s;
        pthread_t t;
        pthread_create(&t, NULL, run_thread, &s);
        for (int i = 0; i < 500 && access(in_root("pid"), F_OK); i++)
            usleep(10000);
        usleep(100000);
        _exit(0);
    }
    int status, pid = 0;
    ck_assert(waitpid(app, &status, 0) == app && status == 0);
    FILE *f = fopen(in_root("pid"), "r");
    ck_assert(f && fscanf(f, "%d", &pid) == 1 && pid > 1);
    fclose(f);
    char path[64], line[512], state = 'R';
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        if (!(f = fopen(path, "r")))
            break;
        if (fgets(line, sizeof line, f) && strrchr(line, ')'))
            state = strrchr(line, ')')[2];
        fclose(f);
        if (state == 'Z' || state == 'X')
            break;
        usleep(10000);
    }
    ck_assert(!f || state == 'Z' || state == 'X');
    teardown();
}
END_TEST

START_TEST(many_threads_at_once)
{
    setup();
    play("cat > /dev/null; cat \"$HOME/record\"");
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    pthread_t t[8];
    yk_status s[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, run_thread, &s[i]);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        ck_assert_int_eq(s[i], YK_OK);
    }
    teardown();
}
END_TEST

START_TEST(a_request_without_targets_is_refused)
{
    setup();
    play("cat \"$HOME/record\"");
    struct yk_transform_request req = {.source = "", .library_dir = root};
    struct yk_facts f;
    ck_assert_int_eq(yk_transform_run(&req, &f), YK_EINVAL);
    teardown();
}
END_TEST

YK_TEST_MAIN("client", an_answer_is_taken_and_kept, a_damaged_cache_file_is_set_aside_and_rebuilt,
             no_cache_folder_is_no_failure, an_included_file_that_changed_is_seen,
             files_that_changed_since_a_build_are_seen, bad_transformers_are_errors,
             a_hang_ends_at_the_timeout_with_all_that_it_started, the_child_is_clean, the_cache_alone_starts_nothing,
             nobody_waits_for_what_runs_aside, closed_standard_files_are_no_trouble, the_app_sees_no_child,
             the_child_dies_with_the_app, many_threads_at_once, a_request_without_targets_is_refused)
