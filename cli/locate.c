#include "cli/locate.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folder of this binary, symbolic links resolved; false where /proc does not tell. */
static int own_folder(char *path, size_t n)
{
    ssize_t len = readlink("/proc/self/exe", path, n - 1);
    if (len <= 0)
        return -1;
    path[len] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return -1;
    *slash = '\0';
    return 0;
}

static int locate(const char *variable, const char *const places[], int mode, char *path, size_t n, char *msg,
                  size_t n_msg)
{
    const char *named = getenv(variable);
    if (named && *named) {
        char *full = realpath(named, NULL);
        int used = full && access(full, mode) == 0 ? snprintf(path, n, "%s", full) : -1;
        free(full);
        if (used > 0 && (size_t)used < n)
            return 0;
        snprintf(msg, n_msg, "%s=%s: no such file, or no permission", variable, named);
        return -1;
    }
    char folder[PATH_MAX];
    if (own_folder(folder, sizeof folder) != 0) {
        snprintf(msg, n_msg, "cannot read /proc/self/exe; set %s", variable);
        return -1;
    }
    size_t used = (size_t)snprintf(msg, n_msg, "not found; looked for");
    for (unsigned i = 0; places[i]; i++) {
        char guess[2 * PATH_MAX];
        snprintf(guess, sizeof guess, "%s/%s", folder, places[i]);
        char *full = realpath(guess, NULL);
        if (full && access(full, mode) == 0 && strlen(full) < n) {
            strcpy(path, full);
            free(full);
            return 0;
        }
        free(full);
        if (used < n_msg)
            used += (size_t)snprintf(msg + used, n_msg - used, " %s", guess);
    }
    if (used < n_msg)
        snprintf(msg + used, n_msg - used, " (or set %s)", variable);
    return -1;
}

int yk_locate_library(char *path, size_t n, char *msg, size_t n_msg)
{
    static const char *const places[] = {"libyoke.so", YK_INSTALLED_LIBRARY, NULL};
    return locate("YOKE_LIB", places, R_OK, path, n, msg, n_msg);
}

int yk_locate_transform(char *path, size_t n, char *msg, size_t n_msg)
{
    static const char *const places[] = {"yoke-transform", YK_INSTALLED_TRANSFORM, NULL};
    return locate("YOKE_TRANSFORM", places, X_OK, path, n, msg, n_msg);
}
