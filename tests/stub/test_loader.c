/* device/opencl/real.c against odd loaders and an interposed dlopen. */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device/opencl/cl.h"
#include "tests/unit/main.h"

static int hooked;

/* As libyoke.so does it: any dlopen of this program ends here first. */
__attribute__((visibility("default"))) void *dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (path && strstr(path, "libOpenCL"))
        hooked++;
    return next(path, flags);
}

START_TEST(an_interposed_dlopen_is_passed_by)
{
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    ck_assert_ptr_nonnull(yk_cl_real());
    ck_assert_int_eq(hooked, 0);
    ck_assert_ptr_nonnull(dlopen(YK_STUB_PATH, RTLD_NOW));
    ck_assert_int_eq(hooked, 1);
}
END_TEST

START_TEST(what_a_loader_lacks_refuses)
{
    setenv("YOKE_REAL_LIBOPENCL", YK_PARTIAL_PATH, 1);
    const struct yk_cl *cl = yk_cl_guarded();
    ck_assert_ptr_nonnull(cl);
    cl_uint n = 0;
    cl_int rc = 0;
    ck_assert_int_eq(cl->GetPlatformIDs(0, NULL, &n), CL_SUCCESS);
    ck_assert_uint_eq(n, 7);
    ck_assert_int_eq(cl->Finish(NULL), 40); /* it has a depth of its own */
    ck_assert_int_eq(cl->Flush(NULL), CL_INVALID_OPERATION);
    ck_assert_ptr_null(cl->CreateContext(NULL, 0, NULL, NULL, NULL, &rc));
    ck_assert_int_eq(rc, CL_INVALID_OPERATION);
}
END_TEST

START_TEST(a_loader_that_is_yoke_itself_aborts_with_one_line)
{
    int fd[2];
    char text[512] = "";
    ck_assert(!pipe(fd));
    pid_t pid = fork();
    if (!pid) {
        dup2(fd[1], 2);
        setenv("YOKE_REAL_LIBOPENCL", YK_OWN_PATH, 1);
        void *own = dlopen(YK_OWN_PATH, RTLD_NOW);
        if (!own)
            _exit(3);
        const void *(*real)(void) = (const void *(*)(void))dlsym(own, "own_real");
        real();
        _exit(4);
    }
    close(fd[1]);
    ssize_t n = read(fd[0], text, sizeof text - 1);
    close(fd[0]);
    int status;
    waitpid(pid, &status, 0);
    ck_assert(n > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_msg(strstr(text, "is yoke itself") && strchr(text, '\n') == text + n - 1, "%s", text);
}
END_TEST

static const struct yk_cl *got[16];

static void *resolve(void *arg)
{
    *(const struct yk_cl **)arg = yk_cl_guarded();
    return NULL;
}

START_TEST(many_threads_resolve_once)
{
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    pthread_t thread[16];
    for (int i = 0; i < 16; i++)
        ck_assert(!pthread_create(&thread[i], NULL, resolve, &got[i]));
    for (int i = 0; i < 16; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 16; i++)
        ck_assert(got[i] && got[i] == got[0]);
}
END_TEST

YK_TEST_MAIN("loader", an_interposed_dlopen_is_passed_by, what_a_loader_lacks_refuses,
             a_loader_that_is_yoke_itself_aborts_with_one_line, many_threads_resolve_once)
