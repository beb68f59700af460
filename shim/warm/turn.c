#include "shim/warm/turn.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "base/env.h"

/* The lock of file NAME, HOW, until we end or *FD is closed. False: somebody else has it. Where there can be no such
 * file all have it, and *FD is -1. */
static bool lock_file(const char *name, int how, int *fd)
{
    char dir[PATH_MAX - 64], path[PATH_MAX];
    *fd = -1;
    if (yk_dir("cache", "warm", dir, sizeof dir) != YK_OK)
        return true;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    *fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*fd < 0 || flock(*fd, how) == 0)
        return true;
    bool taken = errno == EWOULDBLOCK;
    close(*fd);
    *fd = -1;
    return !taken;
}

static int turn = -1;

void yk_turn_take(void)
{
    (void)lock_file("turn", LOCK_EX, &turn);
}

void yk_turn_let_others_first(void)
{
    if (turn < 0)
        return;
    close(turn);
    nanosleep(&(struct timespec){0, 50000000}, NULL); /* who waits for a lock is not given it, but woken to ask again */
    yk_turn_take();
}

bool yk_turn_place(void)
{
    enum { PLACES = 12 };
    for (int i = 0; i < PLACES; i++) {
        char name[24];
        int fd;
        snprintf(name, sizeof name, "place.%d", i);
        if (lock_file(name, LOCK_EX | LOCK_NB, &fd))
            return true;
    }
    return false;
}
