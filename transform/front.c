#include "transform/front.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/array.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "transform/macros.h"
#include "transform/process.h"

#ifndef YK_CLANG
#define YK_CLANG "/usr/bin/clang-14"
#endif

/* Larger texts are compiled without line numbers, which cost more than the rest. */
enum { MAX_LINES_FOR = 128 << 10 };

typedef YK_ARRAY(char *) argv_array;

const char *const yk_front_features[] = {"-D__opencl_c_work_group_collective_functions=1",
                                         "-D__opencl_c_generic_address_space=1",
                                         "-D__opencl_c_atomic_order_acq_rel=1",
                                         "-D__opencl_c_atomic_order_seq_cst=1",
                                         "-D__opencl_c_atomic_scope_device=1",
                                         "-D__opencl_c_atomic_scope_all_devices=1",
                                         "-D__opencl_c_device_enqueue=1",
                                         "-D__opencl_c_pipes=1",
                                         "-D__opencl_c_subgroups=1",
                                         "-D__opencl_c_program_scope_global_variables=1",
                                         "-D__opencl_c_images=1",
                                         "-D__opencl_c_read_write_images=1",
                                         "-D__opencl_c_3d_image_writes=1",
                                         "-D__opencl_c_fp64=1",
                                         "-D__opencl_c_int64=1",
                                         NULL};

struct job {
    const struct yk_transform_request *req;
    struct yk_front *f;
    char headers[PATH_MAX]; /* folder of the request's headers; "" where it has none */
    struct yk_names *names;
};

static bool push(argv_array *v, const char *word)
{
    return word && yk_array_push(v, (char *)(uintptr_t)word);
}

static bool push_common(argv_array *v, const struct yk_front *f)
{
    return push(v, YK_CLANG) && push(v, "-cc1") && push(v, "-x") && push(v, "cl") && push(v, "-triple") &&
           push(v, f->address_bits == 32 ? "spir-unknown-unknown" : "spir64-unknown-unknown") &&
           push(v, yk_arena_printf(f->arena, "-cl-std=CL%u.%u", f->std / 100, f->std / 10 % 10)) && push(v, "-w") &&
           push(v, "-o") && push(v, "-");
}

/* First error of a compiler, without the "<stdin>:" that means nothing to a user. */
static const char *first_error(struct yk_arena *a, const char *said)
{
    const char *e = strstr(said, "error: ");
    if (!e)
        return "it stopped without a word";
    const char *line = e;
    while (line > said && line[-1] != '\n')
        line--;
    e += strlen("error: ");
    const char *colon = memchr(line, ':', (size_t)(e - line));
    int n = (int)strcspn(e, "\n");
    if (colon && atoi(colon + 1) > 0)
        return yk_arena_printf(a, "line %d: %.*s", atoi(colon + 1), n, e);
    return yk_arena_printf(a, "%.*s", n, e);
}

static yk_status preprocess(struct job *j, const struct yk_macros *m, struct yk_process_output *out)
{
    struct yk_front *f = j->f;
    argv_array v = {0};
    bool ok = push_common(&v, f) && push(&v, "-E") && push(&v, "-undef");
    for (size_t i = 0; ok && i < m->n; i++)
        ok = push(&v, yk_arena_printf(f->arena, "-D%s=%s", m->v[i].name, m->v[i].value));
    if (ok && j->headers[0])
        ok = push(&v, yk_arena_printf(f->arena, "-I%s", j->headers));
    for (unsigned i = 0; ok && i < f->options.npre; i++)
        ok = push(&v, f->options.pre[i]);
    ok = ok && push(&v, "-") && yk_array_push(&v, NULL);
    yk_status s = ok ? yk_process_run(v.v, j->req->source, j->req->size, out) : YK_ENOMEM;
    yk_array_finish(&v);
    if (s == YK_OK && out->status && !f->refused)
        f->refused =
            yk_arena_printf(f->arena, "the preprocessor does not take it: %s", first_error(f->arena, out->said));
    return s;
}

/* Is the line at P (up to END) a line marker? Then its file into PATH. */
static bool marker(const char *p, const char *end, char *path, size_t n)
{
    if (end - p < 5 || p[0] != '#' || p[1] != ' ' || p[2] < '0' || p[2] > '9')
        return false;
    const char *q = memchr(p, '"', (size_t)(end - p));
    size_t used = 0;
    for (q = q ? q + 1 : end; q < end && *q != '"' && used + 1 < n; q++) {
        if (*q == '\\' && q + 1 < end)
            q++;
        path[used++] = *q;
    }
    path[used] = 0;
    return true;
}

/* TEXT without line markers and empty lines, in A. */
static char *clean(struct yk_arena *a, const char *text, size_t n, size_t *out)
{
    char *copy = yk_arena_alloc(a, n + 2), path[PATH_MAX];
    size_t used = 0;
    for (const char *p = text, *end = text + n; copy && p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        const char *q = p;
        while (q < stop && (*q == ' ' || *q == '\t' || *q == '\r'))
            q++;
        if (q < stop && !marker(p, stop, path, sizeof path)) {
            memcpy(copy + used, p, (size_t)(stop - p));
            used += (size_t)(stop - p);
            copy[used++] = '\n';
        }
        p = stop + 1;
    }
    if (copy)
        copy[used] = 0;
    *out = used;
    return copy;
}

static bool read_whole(const char *path, char **text, size_t *n)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    *text = NULL;
    bool ok = f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) && (*text = malloc((size_t)st.st_size + 1));
    if (ok)
        *n = fread(*text, 1, (size_t)st.st_size, f);
    if (f)
        fclose(f);
    return ok;
}

typedef YK_ARRAY(struct yk_facts_file) file_array;

static bool add_file(struct job *j, file_array *files, struct yk_facts_file file)
{
    for (size_t i = 0; i < files->n; i++)
        if (!strcmp(files->v[i].path, file.path))
            return true;
    size_t own = strlen(j->headers); /* what came with the request is no file of the user's */
    if (own && !strncmp(file.path, j->headers, own))
        return true;
    return file.path && yk_array_push(files, file);
}

/* Hash the file at PATH and take its names in; what a #line invented is no file. */
static yk_status scan_file(struct job *j, file_array *files, const char *path)
{
    char *text;
    size_t n;
    if (!read_whole(path, &text, &n))
        return YK_OK;
    yk_status s = yk_names_add(j->names, text, n);
    struct yk_facts_file file = {yk_arena_strndup(j->f->arena, path, strlen(path)),
                                 yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo, false};
    free(text);
    return s == YK_OK && !(file.path && add_file(j, files, file)) ? YK_ENOMEM : s;
}

/* The folders that are searched before or after the one in which a file was found, and do not have it. */
static bool add_absent(struct job *j, file_array *files, const char *dir, const char *name)
{
    const char *path = dir[0] ? yk_arena_printf(j->f->arena, "%s/%s", dir, name) : name;
    struct yk_facts_file file = {path, 0, true};
    return path && (!access(path, F_OK) || add_file(j, files, file));
}

/* What would take the place of FOUND (one of the first N files) if it came to exist. */
static bool shadows(struct job *j, file_array *files, const char *found, size_t n)
{
    const struct yk_options *o = &j->f->options;
    for (unsigned i = 0; i < o->npre; i++) {
        const char *dir = o->pre[i] + 2;
        size_t len = strlen(dir);
        if (o->pre[i][1] != 'I' || strncmp(found, dir, len) || found[len] != '/')
            continue;
        const char *name = found + len + 1;
        bool ok = add_absent(j, files, "", name); /* beside the program itself */
        for (unsigned k = 0; ok && k < i; k++)
            ok = o->pre[k][1] != 'I' || add_absent(j, files, o->pre[k] + 2, name);
        for (size_t k = 0; ok && k < n; k++) { /* beside a file that includes it */
            const char *slash = strrchr(files->v[k].path, '/');
            const char *by =
                slash ? yk_arena_strndup(j->f->arena, files->v[k].path, (size_t)(slash - files->v[k].path)) : "";
            ok = by && add_absent(j, files, by, name);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* The files that the text says it came from. */
static yk_status scan_files(struct job *j)
{
    struct yk_front *f = j->f;
    file_array files = {0};
    char path[PATH_MAX], last[PATH_MAX] = "";
    yk_status s = YK_OK;
    for (const char *p = f->marked, *end = p + f->nmarked; p < end && s == YK_OK;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        if (marker(p, stop, path, sizeof path) && path[0] && path[0] != '<' && strcmp(path, last)) {
            bool known = false;
            for (size_t i = 0; i < files.n && !known; i++)
                known = !strcmp(files.v[i].path, path);
            s = known ? YK_OK : scan_file(j, &files, path);
            strcpy(last, path);
        }
        p = stop + 1;
    }
    for (size_t i = 0, n = files.n; i < n && s == YK_OK; i++)
        s = shadows(j, &files, files.v[i].path, n) ? YK_OK : YK_ENOMEM;
    f->file = yk_arena_array(f->arena, struct yk_facts_file, files.n);
    f->nfiles = (unsigned)files.n;
    if (f->file && files.n)
        memcpy(f->file, files.v, files.n * sizeof *files.v);
    yk_array_finish(&files);
    return f->file ? s : YK_ENOMEM;
}

static const char *value_of(const struct yk_macros *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->v[i].name, name))
            return m->v[i].value;
    return NULL;
}

/* Does the program name a macro that A has and B has not, or has with another value? */
static bool differ(const struct yk_names *names, const struct yk_macros *a, const struct yk_macros *b)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *other = value_of(b, a->v[i].name);
        if ((!other || strcmp(other, a->v[i].value)) && yk_names_has(names, a->v[i].name))
            return true;
    }
    return false;
}

static uint64_t hash_text(const char *text, size_t n)
{
    return yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo;
}

/* Hashes of what the other devices' compilers would see. */
static yk_status other_targets(struct job *j, const struct yk_macros *first)
{
    struct yk_front *f = j->f;
    for (unsigned i = 1; i < j->req->ntargets; i++) {
        struct yk_macros m;
        yk_status s = yk_macros_of_target(&j->req->target[i], &f->options, f->arena, &m);
        if (s != YK_OK)
            return s;
        f->target_text[i] = f->target_text[0];
        if (differ(j->names, first, &m) || differ(j->names, &m, first)) {
            struct yk_process_output out;
            s = preprocess(j, &m, &out);
            if (s != YK_OK)
                return s;
            size_t n;
            char *text = clean(f->arena, out.text, out.n, &n);
            f->target_text[i] = out.status ? ~f->target_text[0] : text ? hash_text(text, n) : 0;
            if (out.status)
                f->refused = NULL; /* of no concern to the primary */
            yk_process_finish(&out);
            if (!text)
                return YK_ENOMEM;
        }
        if (j->req->target[i].address_bits != j->req->target[0].address_bits ||
            j->req->target[i].little_endian != j->req->target[0].little_endian)
            f->target_text[i] = ~f->target_text[0]; /* the same text means something else there */
    }
    return YK_OK;
}

static yk_status first_target(struct job *j, struct yk_macros *m)
{
    struct yk_front *f = j->f;
    struct yk_process_output out;
    yk_status s = yk_macros_of_target(&j->req->target[0], &f->options, f->arena, m);
    if (s == YK_OK)
        s = preprocess(j, m, &out);
    if (s != YK_OK)
        return s;
    f->marked = yk_arena_strndup(f->arena, out.text, out.n);
    f->nmarked = out.n;
    f->text = f->marked ? clean(f->arena, f->marked, f->nmarked, &f->size) : NULL;
    yk_process_finish(&out);
    if (!f->text)
        return YK_ENOMEM;
    f->target_text[0] = hash_text(f->text, f->size);
    if (f->refused)
        return YK_OK;
    s = yk_names_add(j->names, j->req->source, j->req->size);
    if (s == YK_OK)
        s = scan_files(j);
    if (s != YK_OK)
        return s;
    f->riddle = yk_names_riddle(j->names, m, &f->options);
    f->guards = yk_names_guards(j->names, m, &f->options, f->arena);
    return f->guards ? YK_OK : YK_ENOMEM;
}

static yk_status compile(struct job *j)
{
    struct yk_front *f = j->f;
    struct yk_process_output out;
    argv_array v = {0};
    bool ok = push_common(&v, f);
    for (const char *const *w = yk_front_features; ok && f->std >= 300 && *w; w++)
        ok = push(&v, *w);
    ok = ok && push(&v, "-finclude-default-header") && push(&v, "-fdeclare-opencl-builtins") && push(&v, "-O1") &&
         push(&v, "-disable-llvm-passes") && push(&v, "-emit-llvm-bc") && push(&v, "-cl-kernel-arg-info") &&
         (f->size > MAX_LINES_FOR || push(&v, "-debug-info-kind=line-tables-only")) && push(&v, "-ffp-contract=on") &&
         (!f->options.single_constants || push(&v, "-cl-single-precision-constant")) && push(&v, "-") &&
         yk_array_push(&v, NULL);
    yk_status s = ok ? yk_process_run(v.v, f->marked, f->nmarked, &out) : YK_ENOMEM;
    yk_array_finish(&v);
    if (s != YK_OK)
        return s;
    if (out.status) {
        f->refused = yk_arena_printf(f->arena, "clang does not compile it: %s", first_error(f->arena, out.said));
    } else {
        f->bitcode = yk_arena_alloc(f->arena, out.n + 1);
        if (f->bitcode)
            memcpy(f->bitcode, out.text, out.n);
        f->nbitcode = out.n;
        s = f->bitcode ? YK_OK : YK_ENOMEM;
    }
    yk_process_finish(&out);
    return s;
}

static bool header_name_ok(const char *name)
{
    return name[0] && name[0] != '/' && !strstr(name, "..") && strlen(name) <= 200;
}

/* Headers given to clCompileProgram, as files of a private folder. */
static yk_status write_headers(struct job *j)
{
    if (!j->req->nheaders)
        return YK_OK;
    snprintf(j->headers, sizeof j->headers, "%s/yoke-headers-XXXXXX", yk_env_str("TMPDIR", "/tmp"));
    if (!mkdtemp(j->headers)) {
        yk_error("cannot make %s: %s", j->headers, strerror(errno));
        j->headers[0] = 0;
        return YK_EIO;
    }
    for (unsigned i = 0; i < j->req->nheaders; i++) {
        const struct yk_transform_header *h = &j->req->header[i];
        char path[PATH_MAX + 256];
        if (!header_name_ok(h->name)) {
            j->f->refused = yk_arena_printf(j->f->arena, "the header name %.200s leads elsewhere", h->name);
            return YK_OK;
        }
        snprintf(path, sizeof path, "%s/%s", j->headers, h->name);
        for (char *p = path + strlen(j->headers) + 1; (p = strchr(p, '/')); p++) {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
        FILE *f = fopen(path, "wxe");
        bool ok = f && fwrite(h->text, 1, h->size, f) == h->size;
        if (f)
            ok = !fclose(f) && ok;
        if (!ok) {
            yk_error("cannot write %s: %s", path, strerror(errno));
            return YK_EIO;
        }
    }
    return YK_OK;
}

static void remove_headers(struct job *j)
{
    for (unsigned i = 0; j->headers[0] && i < j->req->nheaders; i++) {
        char path[PATH_MAX + 256];
        if (!header_name_ok(j->req->header[i].name))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", j->headers, j->req->header[i].name);
        unlink(path);
        for (char *slash; (slash = strrchr(path, '/')) && slash > path + strlen(j->headers);) {
            *slash = 0;
            rmdir(path);
        }
    }
    if (j->headers[0])
        rmdir(j->headers);
}

yk_status yk_front_run(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f)
{
    *f = (struct yk_front){.arena = a, .address_bits = req->target[0].address_bits};
    struct job j = {.req = req, .f = f, .names = yk_names_create()};
    struct yk_macros m;
    yk_status s = j.names ? yk_options_parse(req->options, a, &f->options) : YK_ENOMEM;
    f->target_text = yk_arena_array(a, uint64_t, req->ntargets);
    if (s == YK_OK && !f->target_text)
        s = YK_ENOMEM;
    if (s == YK_OK) {
        f->std = yk_macros_std(&f->options, &req->target[0]);
        s = write_headers(&j);
    }
    if (s == YK_OK && !f->refused)
        s = first_target(&j, &m);
    if (s == YK_OK && !f->refused)
        s = other_targets(&j, &m);
    if (s == YK_OK && !f->refused)
        s = compile(&j);
    remove_headers(&j);
    yk_names_destroy(j.names);
    return s;
}
