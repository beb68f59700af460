#include "transform/client.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "transform/client_cache.h"
#include "transform/client_child.h"
#include "transform/client_request.h"

enum { DEFAULT_SECONDS = 10, MAX_SECONDS = 3600 };
static const unsigned long MEMORY_LIMIT = 4ul << 30, OUTPUT_LIMIT = 256ul << 20;

static bool is_program(const char *path, struct stat *st)
{
    return !stat(path, st) && S_ISREG(st->st_mode) && !access(path, X_OK);
}

/* Path of the transformer: named by the user, else beside the library, else where it is installed to. */
static yk_status find(const char *dir, char *path, size_t n, struct stat *st)
{
    const char *named = yk_env_str("YOKE_TRANSFORM", NULL);
    if (named) {
        if (snprintf(path, n, "%s", named) < (int)n && is_program(path, st))
            return YK_OK;
        yk_warn_once("YOKE_TRANSFORM=%s is no program; kernels run whole", named);
        return YK_ENOTFOUND;
    }
    static const char *const places[] = {"yoke-transform", "yoke/yoke-transform", "../libexec/yoke/yoke-transform",
                                         "../../libexec/yoke/yoke-transform"};
    for (size_t i = 0; dir && i < sizeof places / sizeof *places; i++)
        if (snprintf(path, n, "%s/%s", dir, places[i]) < (int)n && is_program(path, st))
            return YK_OK;
    yk_warn_once("yoke-transform is not in %s nor installed; kernels run whole", dir ? dir : "(no folder)");
    return YK_ENOTFOUND;
}

/* Everything that the answer depends on; files that the source includes are checked against the record. */
static struct yk_hash key_of(const char *request, size_t n, const struct stat *program)
{
    struct yk_hash h = yk_hash_bytes((struct yk_hash){YK_FACTS_VERSION, 0}, request, n);
    uint64_t id[] = {(uint64_t)program->st_size, (uint64_t)program->st_mtim.tv_sec, (uint64_t)program->st_mtim.tv_nsec};
    h = yk_hash_str(yk_hash_bytes(h, id, sizeof id), YOKE_VERSION);
    if (memmem(request, n, "include", 7) || memmem(request, n, "-I", 2)) {
        char *cwd = getcwd(NULL, 0);
        h = yk_hash_str(h, cwd);
        free(cwd);
    }
    return h;
}

/* A file in memory, numbered 3 or above, holding N bytes of P. */
static int memory_file(const char *p, size_t n)
{
    int fd = memfd_create("yoke", MFD_CLOEXEC);
    if (fd >= 0 && fd < 3) { /* the app has closed its standard files */
        int up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        close(fd);
        fd = up;
    }
    for (size_t done = 0; fd >= 0 && done < n;) {
        ssize_t w = pwrite(fd, p + done, n - done, (off_t)done);
        if (w > 0) {
            done += (size_t)w;
        } else if (errno != EINTR) {
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

/* What FD holds, at most MAX bytes; NULL where there is no memory. */
static char *contents(int fd, size_t max, size_t *n)
{
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    size_t size = (size_t)st.st_size < max ? (size_t)st.st_size : max, have = 0;
    char *text = malloc(size + 1);
    while (text && have < size) {
        ssize_t r = pread(fd, text + have, size - have, (off_t)have);
        if (r > 0)
            have += (size_t)r;
        else if (r == 0 || errno != EINTR)
            break;
    }
    if (text)
        text[have] = 0;
    *n = have;
    return text;
}

/* Say what went wrong with the child, with the first line that it wrote about it. */
static yk_status judge(yk_status s, const struct yk_client_child *c)
{
    size_t n;
    char *said = contents(c->err, 300, &n);
    if (said)
        said[strcspn(said, "\n")] = 0;
    const char *why = said ? said : "";
    if (s == YK_EIO) {
        yk_warn_once("%s cannot be started: %s; kernels run whole", c->path, strerror(c->error));
    } else if (s == YK_ETIMEOUT) {
        yk_warn_once("%s took longer than %.3g s and was stopped; kernels run whole (YOKE_TRANSFORM_TIMEOUT)", c->path,
                     c->timeout_ms / 1e3);
    } else if (s == YK_OK && WIFSIGNALED(c->status)) {
        yk_warn_once("%s crashed (signal %d) %s; kernels run whole", c->path, WTERMSIG(c->status), why);
        s = YK_EIO;
    } else if (s == YK_OK && WEXITSTATUS(c->status)) {
        yk_warn_once("%s failed (status %d): %s; kernels run whole", c->path, WEXITSTATUS(c->status), why);
        s = YK_EIO;
    }
    free(said);
    return s;
}

/* What is asked, of whom, and the name of the answer in the cache. */
struct question {
    char path[PATH_MAX], *request;
    size_t n;
    struct yk_hash key;
};

static yk_status ask(const struct question *q, unsigned timeout_ms, bool aside, char **answer, size_t *size)
{
    struct yk_client_child c = {.path = q->path,
                                .in = memory_file(q->request, q->n),
                                .out = memory_file(NULL, 0),
                                .err = memory_file(NULL, 0),
                                .timeout_ms = timeout_ms,
                                .aside = aside,
                                .memory = MEMORY_LIMIT,
                                .file = OUTPUT_LIMIT};
    yk_status s = YK_ENOMEM;
    if (c.in < 0 || c.out < 0 || c.err < 0) {
        yk_warn_once("no file in memory for %s (%s); kernels run whole", q->path, strerror(errno));
    } else {
        s = judge(yk_client_child_run(&c), &c);
        if (s == YK_OK && !(*answer = contents(c.out, OUTPUT_LIMIT, size)))
            s = YK_ENOMEM;
    }
    const int files[] = {c.in, c.out, c.err};
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    return s;
}

static unsigned timeout_of(const struct yk_transform_request *req)
{
    if (req->timeout_ms)
        return req->timeout_ms;
    return (unsigned)yk_env_int("YOKE_TRANSFORM_TIMEOUT", DEFAULT_SECONDS, 1, MAX_SECONDS) * 1000;
}

static yk_status prepare(const struct yk_transform_request *req, struct question *q)
{
    struct stat program;
    yk_status s = find(req->library_dir, q->path, sizeof q->path, &program);
    if (s == YK_OK)
        s = yk_client_request_write(req, &q->request, &q->n);
    if (s == YK_OK)
        q->key = key_of(q->request, q->n, &program);
    return s;
}

yk_status yk_transform_cached(const struct yk_transform_request *req, struct yk_facts *out)
{
    *out = (struct yk_facts){.variant_options = ""};
    struct question q;
    yk_status s = prepare(req, &q);
    if (s != YK_OK)
        return s;
    free(q.request);
    return yk_client_cache_get(q.key, out) ? YK_OK : YK_ENOTFOUND;
}

yk_status yk_transform_run(const struct yk_transform_request *req, struct yk_facts *out)
{
    *out = (struct yk_facts){.variant_options = ""};
    struct question q;
    char *answer = NULL;
    size_t size;
    yk_status s = prepare(req, &q);
    if (s != YK_OK)
        return s;
    if (yk_client_cache_get(q.key, out)) {
        free(q.request);
        return YK_OK;
    }
    s = ask(&q, timeout_of(req), req->aside, &answer, &size);
    if (s == YK_OK) {
        s = yk_facts_parse(answer, size, out);
        if (s == YK_EFORMAT)
            yk_warn_once("%s printed something that is no record of facts; kernels run whole", q.path);
        if (s == YK_OK && out->ntargets != req->ntargets) {
            yk_facts_finish(out);
            s = YK_EFORMAT;
        }
        if (s == YK_OK)
            yk_client_cache_put(q.key, answer, size);
    }
    free(answer);
    free(q.request);
    return s;
}
