/* What the client keeps of the transformer's answers, and when it does not take it. */
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include "base/hash.h"
#include "tests/transform/client.h"
#include "tests/unit/main.h"
#include "transform/client_cache.h"

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
    ck_assert(yk_client_cache_older(&f, t, NULL));
    put("a.h", "new", 3, 0600);
    ck_assert(!yk_client_cache_older(&f, t, NULL));
    t = coarse_now();
    ck_assert(yk_client_cache_older(&f, t, NULL));
    put("inc/a.h", "now found before it", 3, 0600);
    ck_assert(!yk_client_cache_older(&f, t, NULL));
    t = coarse_now();
    unlink(absent); /* found by the compiler, and gone */
    ck_assert(!yk_client_cache_older(&f, t, NULL));
    t = coarse_now();
    ck_assert(yk_client_cache_older(&f, t, NULL));
    unlink(path);
    ck_assert(!yk_client_cache_older(&f, t, NULL));
    ck_assert(yk_client_cache_older(&none, (struct timespec){0, 0}, NULL));
    teardown();
}
END_TEST

/* What a program creates in its folder changes the folder, in which headers are looked for in vain. */
START_TEST(a_file_created_beside_the_program_is_none_that_was_there)
{
    setup();
    char before[400], folder[400];
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    strcpy(folder, in_root("here"));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(chdir(folder), 0);
    put("here/was.h", "there", 5, 0600);
    struct yk_facts_file file[] = {{"a.h", 0, true}, {"./sub/b.h", 0, true}}, gone[] = {{"was.h", 0, true}},
                         above[] = {{"../here/c.h", 0, true}};
    struct yk_facts f = {.nfiles = 2, .file = file}, g = {.nfiles = 1, .file = gone}, h = {.nfiles = 1, .file = above};
    struct timespec t = coarse_now();
    char *names = yk_client_cache_names();
    ck_assert_ptr_nonnull(names);
    put("here/output", "of the program's", 16, 0600);
    ck_assert(!yk_client_cache_older(&f, t, NULL));
    ck_assert(yk_client_cache_older(&f, t, names));
    unlink(in_root("here/was.h"));
    ck_assert(!yk_client_cache_older(&g, t, names));
    ck_assert(!yk_client_cache_older(&h, t, names));
    put("here/a.h", "found before the other", 22, 0600);
    ck_assert(!yk_client_cache_older(&f, t, names));
    free(names);
    ck_assert_int_eq(chdir(before), 0);
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

YK_TEST_MAIN("client cache", an_answer_is_taken_and_kept, a_damaged_cache_file_is_set_aside_and_rebuilt,
             no_cache_folder_is_no_failure, an_included_file_that_changed_is_seen,
             files_that_changed_since_a_build_are_seen, a_file_created_beside_the_program_is_none_that_was_there,
             the_cache_alone_starts_nothing)
