#include "bench/again.h"
#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char again_self[PATH_MAX], again_folder[PATH_MAX], again_library[PATH_MAX + 16];

bool again_find(void)
{
    ssize_t n = readlink("/proc/self/exe", again_self, sizeof again_self - 1);
    if (n <= 0)
        return false;
    again_self[n] = 0;
    memcpy(again_folder, again_self, sizeof again_folder);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(again_folder, '/');
        if (slash)
            *slash = 0;
    }
    snprintf(again_library, sizeof again_library, "%s/libyoke.so", again_folder);
    return true;
}

static void die(const char *what, int err)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(err));
    exit(1);
}

FILE *again_start(char *const argv[], bool yoke, pid_t *pid)
{
    int out[2];
    posix_spawn_file_actions_t actions;
    if (pipe(out))
        die("pipe", errno);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    if (yoke)
        setenv("LD_PRELOAD", again_library, 1);
    else
        unsetenv("LD_PRELOAD");
    int err = posix_spawn(pid, again_self, &actions, NULL, argv, environ);
    unsetenv("LD_PRELOAD");
    close(out[1]);
    posix_spawn_file_actions_destroy(&actions);
    FILE *from = fdopen(out[0], "r");
    if (err || !from)
        die(again_self, err ? err : errno);
    return from;
}

int again_end(FILE *from, pid_t pid)
{
    int status = 0;
    fclose(from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

bool again_number(const char *text, int low, int high, int *out)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < low || v > high) {
        fprintf(stderr, "%s: %s is no number from %d to %d\n", program_invocation_short_name, text, low, high);
        return false;
    }
    *out = (int)v;
    return true;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

void again_remove(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
