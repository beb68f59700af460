/* The client against programs that play the transformer: crash, hang, garbage; what the app around it can see. */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/clock.h"
#include "tests/transform/client.h"
#include "tests/unit/main.h"

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

/* Others have the processor for as long as they want it: what gets little of it is not given up for that. */
START_TEST(the_timeout_of_what_runs_aside_is_of_its_own_time)
{
    setup();
    aside = true;
    play("sleep 2; cat \"$HOME/record\"");
    ck_assert_int_eq(run(1000), YK_OK);
    play("while :; do :; done");
    uint64_t t = yk_now_ns();
    ck_assert_int_eq(run_source("kernel void other() {}", 1000, &(struct yk_facts){0}), YK_ETIMEOUT);
    ck_assert_uint_ge(yk_now_ns() - t, 1000000000);
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

YK_TEST_MAIN("client", bad_transformers_are_errors, a_hang_ends_at_the_timeout_with_all_that_it_started,
             the_child_is_clean, nobody_waits_for_what_runs_aside, the_timeout_of_what_runs_aside_is_of_its_own_time,
             closed_standard_files_are_no_trouble, the_app_sees_no_child, the_child_dies_with_the_app,
             many_threads_at_once, a_request_without_targets_is_refused)
