#include "device/large_pages.h"
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BALLOON = 5,
    FREE_PAGE_REPORTING = 5
}; /* VIRTIO 1.2, sections 5 and 5.5.3: a device's number, and a feature's */

static bool read_line(const char *folder, const char *device, const char *file, char *line, int n)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", folder, device, file);
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, n, f);
    if (f)
        fclose(f);
    return ok;
}

/* The features are a line of digits, the first feature first. */
static bool takes_back(const char *folder, const char *device)
{
    char line[128];
    if (!read_line(folder, device, "device", line, sizeof line) || strtol(line, NULL, 0) != BALLOON ||
        !read_line(folder, device, "features", line, sizeof line))
        return false;
    for (int i = 0; i < FREE_PAGE_REPORTING; i++)
        if (!line[i])
            return false;
    return line[FREE_PAGE_REPORTING] == '1';
}

static bool gain(const char *folder)
{
    DIR *d = opendir(folder);
    bool back = false;
    for (const struct dirent *e; d && !back && (e = readdir(d));)
        back = e->d_name[0] != '.' && takes_back(folder, e->d_name);
    if (d)
        closedir(d);
    return !back;
}

static bool here;

static void look(void)
{
    here = gain("/sys/bus/virtio/devices");
}

bool yk_large_pages_gain(const char *devices)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (devices)
        return gain(devices);
    pthread_once(&once, look);
    return here;
}
