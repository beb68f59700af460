#include "transform/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/array.h"

extern char **environ;

struct sink {
    YK_ARRAY(char) a;
};

/* Take what FD has. 1: more may come, 0: it is at its end, -1: no memory. */
static int take(int fd, struct sink *s)
{
    if (!yk_array_reserve(&s->a, s->a.n + 65536))
        return -1;
    ssize_t r = read(fd, s->a.v + s->a.n, 65536 - 1);
    if (r > 0)
        s->a.n += (size_t)r;
    return r > 0 || (r < 0 && (errno == EINTR || errno == EAGAIN));
}

static void shut(struct pollfd *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

/* Feed and drain until both outputs are at their end. */
static bool pump(struct pollfd p[3], const char *in, size_t n, struct sink *out, struct sink *err)
{
    if (!n)
        shut(&p[0]);
    while (p[1].fd >= 0 || p[2].fd >= 0) {
        if (poll(p, 3, -1) < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        if (p[0].fd >= 0 && p[0].revents) {
            ssize_t w = write(p[0].fd, in, n);
            if (w > 0) {
                in += w;
                n -= (size_t)w;
            }
            if (!n || (w < 0 && errno != EINTR && errno != EAGAIN))
                shut(&p[0]);
        }
        for (int i = 1; i < 3; i++) {
            if (p[i].fd < 0 || !p[i].revents)
                continue;
            int r = take(p[i].fd, i == 1 ? out : err);
            if (r < 0)
                return false;
            if (!r)
                shut(&p[i]);
        }
    }
    return true;
}

static yk_status start(char *const argv[], int pipes[3][2], pid_t *pid)
{
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&fa, pipes[i][i == 0 ? 0 : 1], i);
    int e = posix_spawn(pid, argv[0], &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    if (e) /* who reads our diagnostics shows the first line */
        fprintf(stderr, "yoke-transform: %s, which it reads kernels with: %s\n", argv[0], strerror(e));
    return e ? YK_EIO : YK_OK;
}

yk_status yk_process_run(char *const argv[], const char *in, size_t n, struct yk_process_output *out)
{
    *out = (struct yk_process_output){0};
    signal(SIGPIPE, SIG_IGN);
    int pipes[3][2];
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC)) {
            while (i--) {
                close(pipes[i][0]);
                close(pipes[i][1]);
            }
            return YK_EIO;
        }
    pid_t pid;
    yk_status s = start(argv, pipes, &pid);
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    struct pollfd p[3] = {{pipes[0][1], POLLOUT, 0}, {pipes[1][0], POLLIN, 0}, {pipes[2][0], POLLIN, 0}};
    struct sink text = {0}, said = {0};
    if (s == YK_OK) {
        fcntl(p[0].fd, F_SETFL, O_NONBLOCK);
        if (!pump(p, in, n, &text, &said))
            s = YK_ENOMEM;
    }
    for (int i = 0; i < 3; i++)
        shut(&p[i]);
    if (s != YK_EIO)
        while (waitpid(pid, &out->status, 0) < 0 && errno == EINTR)
            ;
    if (s == YK_OK && (!yk_array_reserve(&text.a, text.a.n + 1) || !yk_array_reserve(&said.a, said.a.n + 1)))
        s = YK_ENOMEM;
    if (s != YK_OK) {
        yk_array_finish(&text.a);
        yk_array_finish(&said.a);
        return s;
    }
    text.a.v[text.a.n] = said.a.v[said.a.n] = 0;
    out->text = text.a.v;
    out->n = text.a.n;
    out->said = said.a.v;
    out->nsaid = said.a.n;
    return YK_OK;
}

void yk_process_finish(struct yk_process_output *out)
{
    free(out->text);
    free(out->said);
    *out = (struct yk_process_output){0};
}
