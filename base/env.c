#include "base/env.h"
#include "base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const char *yk_env_str(const char *name, const char *dflt)
{
    const char *s = getenv(name);
    return s && *s ? s : dflt;
}

/* Has NAME not been complained about yet? Names are literals: one slot each, found by address or text. */
static bool first_time(const char *name)
{
    static const char *told[32];
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const char *none = NULL;
        if (__atomic_compare_exchange_n(&told[i], &none, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return true;
        if (!strcmp(none, name))
            return false;
    }
    return false;
}

bool yk_env_bool(const char *name, bool dflt)
{
    const char *s = yk_env_str(name, NULL);
    if (!s)
        return dflt;
    static const char *const yes[] = {"1", "on", "yes", "true"}, *const no[] = {"0", "off", "no", "false"};
    for (int i = 0; i < 4; i++) {
        if (!strcasecmp(s, yes[i]))
            return true;
        if (!strcasecmp(s, no[i]))
            return false;
    }
    if (first_time(name))
        yk_warn("%s=%s is neither on nor off; using %s", name, s, dflt ? "on" : "off");
    return dflt;
}

yk_status yk_parse_bytes(const char *text, uint64_t *bytes)
{
    char *end;
    if (!text || !((*text >= '0' && *text <= '9') || *text == '.'))
        return YK_EFORMAT;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || errno || v < 0)
        return YK_EFORMAT;
    double unit = 1;
    switch (*end) {
    case 0:
        break;
    case 'k':
    case 'K':
        unit = 1024., end++;
        break;
    case 'm':
    case 'M':
        unit = 1024. * 1024, end++;
        break;
    case 'g':
    case 'G':
        unit = 1024. * 1024 * 1024, end++;
        break;
    case 't':
    case 'T':
        unit = 1024. * 1024 * 1024 * 1024, end++;
        break;
    default:
        return YK_EFORMAT;
    }
    if (unit > 1 && *end == 'i')
        end++;
    if (*end == 'B')
        end++;
    v *= unit;
    if (*end || v >= 9.2e18)
        return YK_EFORMAT;
    *bytes = (uint64_t)v;
    return YK_OK;
}

int64_t yk_env_int(const char *name, int64_t dflt, int64_t min, int64_t max)
{
    const char *s = yk_env_str(name, NULL);
    if (!s)
        return dflt;
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    int shift = 0;
    if (end != s && *end && !end[1])
        shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : -1;
    if (shift > 0)
        end++;
    if (end == s || *end || errno || shift < 0 || __builtin_mul_overflow(v, 1LL << shift, &v) || v < min || v > max) {
        if (first_time(name))
            yk_warn("%s=%s is not a whole number from %lld to %lld; using %lld", name, s, (long long)min,
                    (long long)max, (long long)dflt);
        return dflt;
    }
    return v;
}

/* Open (creating) NAME under DIRFD and check that it is a folder of ours. */
static int open_private_dir(int dirfd, const char *name)
{
    if (mkdirat(dirfd, name, 0700) && errno != EEXIST)
        return -1;
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    struct stat st;
    if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 022)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

yk_status yk_dir(const char *kind, const char *sub, char *path, size_t n)
{
    bool data = !strcmp(kind, "data");
    const char *xdg = getenv(data ? "XDG_DATA_HOME" : "XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[3800];
    int len = -1;
    if (getauxval(AT_SECURE))
        return YK_EIO;
    if (xdg && *xdg == '/')
        len = snprintf(parent, sizeof parent, "%s", xdg);
    else if (home && *home == '/')
        len = snprintf(parent, sizeof parent, "%s/%s", home, data ? ".local/share" : ".cache");
    if (len < 0 || len >= (int)sizeof parent) {
        yk_warn_once("no folder for files: set HOME or %s to an absolute path",
                     data ? "XDG_DATA_HOME" : "XDG_CACHE_HOME");
        return YK_EIO;
    }
    for (char *p = parent + 1;; p++)
        if (*p == '/' || !*p) {
            char c = *p;
            *p = 0;
            int bad = mkdir(parent, 0700) && errno != EEXIST;
            *p = c;
            if (bad || !c)
                break;
        }
    int base = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int own = base < 0 ? -1 : open_private_dir(base, "yoke");
    int leaf = own < 0 || !sub ? own : open_private_dir(own, sub);
    int err = errno;
    if (base >= 0)
        close(base);
    if (own >= 0)
        close(own);
    if (leaf >= 0 && leaf != own)
        close(leaf);
    if (leaf < 0) {
        yk_warn_once("cannot use %s/yoke%s%s for files (%s); going on without", parent, sub ? "/" : "", sub ? sub : "",
                     strerror(err));
        return YK_EIO;
    }
    len = snprintf(path, n, "%s/yoke%s%s", parent, sub ? "/" : "", sub ? sub : "");
    return len < 0 || (size_t)len >= n ? YK_EIO : YK_OK;
}
