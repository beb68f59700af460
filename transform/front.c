#include "transform/front.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"
#include "transform/assembly.h"
#include "transform/client_linked.h"
#include "transform/headers.h"
#include "transform/hints.h"
#include "transform/included.h"
#include "transform/macros.h"
#include "transform/names.h"
#include "transform/process.h"
#include "transform/wide_atomics.h"

#ifndef YK_CLANG
#define YK_CLANG           "/usr/bin/clang-14"
#define YK_CLANG_RESOURCES "/usr/lib/llvm-14/lib/clang/14.0.6"
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
    char *source;           /* the request's, with hints as words */
    char headers[PATH_MAX]; /* folder of the request's headers; "" where it has none */
    struct yk_names *names;
};

static bool push(argv_array *v, const char *word)
{
    return word && yk_array_push(v, (char *)(uintptr_t)word);
}

static bool push_common(argv_array *v, const struct yk_front *f)
{
    return push(v, YK_CLANG) && push(v, "-cc1") && push(v, "-resource-dir") && push(v, YK_CLANG_RESOURCES) &&
           push(v, "-x") && push(v, "cl") && push(v, "-triple") &&
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

/* What every compiler has a value of its own for, PoCL the name of a file that it makes for each program. */
#define OWN "yk_own_"
static const char *const own_words[] = {
    "__FILE__", "__BASE_FILE__", "__FILE_NAME__", "__DATE__", "__TIME__", "__TIMESTAMP__", NULL};

static yk_status preprocess(struct job *j, const struct yk_macros *m, struct yk_process_output *out)
{
    struct yk_front *f = j->f;
    argv_array v = {0};
    bool ok = push_common(&v, f) && push(&v, "-E") && push(&v, "-undef");
    for (size_t i = 0; ok && i < m->n; i++)
        ok = push(&v, yk_arena_printf(f->arena, "-D%s=%s", m->v[i].name, m->v[i].value));
    for (const char *const *w = own_words; ok && *w; w++)
        ok = push(&v, yk_arena_printf(f->arena, "-D%s=" OWN "%s", *w, *w));
    if (ok && j->headers[0])
        ok = push(&v, yk_arena_printf(f->arena, "-I%s", j->headers));
    for (unsigned i = 0; ok && i < f->options.npre; i++)
        ok = push(&v, f->options.pre[i]);
    ok = ok && push(&v, "-") && yk_array_push(&v, NULL);
    yk_status s = ok ? yk_process_run(v.v, j->source, j->req->size, out) : YK_ENOMEM;
    yk_array_finish(&v);
    if (s == YK_OK)
        yk_hints_as_pragmas(out->text, out->n);
    if (s == YK_OK && out->status && !f->refused)
        f->refused =
            yk_arena_printf(f->arena, "the preprocessor does not take it: %s", first_error(f->arena, out->said));
    return s;
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
        if (q < stop && !yk_included_marker(p, stop, path, sizeof path)) {
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

/* Does the program name a macro that A has and B has not, or has with another value? */
static bool differ(const struct yk_names *names, const struct yk_macros *a, const struct yk_macros *b)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *other = yk_macros_value(b, a->v[i].name);
        if ((!other || strcmp(other, a->v[i].value)) && yk_names_has(names, a->v[i].name))
            return true;
    }
    return false;
}

static uint64_t hash_text(const char *text, size_t n)
{
    return yk_hash_bytes((struct yk_hash){0, 0}, text, n).lo;
}

/* *HASH of the text that a compiler with macros M sees; one that does not take it sees another text than the primary.
 */
static yk_status text_for(struct job *j, const struct yk_macros *m, uint64_t *hash)
{
    struct yk_process_output out;
    yk_status s = preprocess(j, m, &out);
    if (s != YK_OK)
        return s;
    size_t n;
    char *text = clean(j->f->arena, out.text, out.n, &n);
    *hash = out.status ? ~j->f->target_text[0] : text ? hash_text(text, n) : 0;
    if (out.status)
        j->f->refused = NULL; /* of no concern to the primary */
    yk_process_finish(&out);
    return text ? YK_OK : YK_ENOMEM;
}

/* The OpenCL C version that T's compiler may go by in place of the one we took; 0: none. */
static unsigned other_version(const struct job *j, const struct yk_transform_target *t)
{
    unsigned version = yk_macros_device_std(t);
    bool named = yk_names_has(j->names, YK_NAMES_C_VERSION);
    return named && !j->f->options.std && version != yk_macros_std(&j->f->options, t) ? version : 0;
}

/* Does T's compiler, with macros M, see the TEXT that we saw in the other version too? */
static yk_status same_in_other_version(struct job *j, const struct yk_transform_target *t, const struct yk_macros *m,
                                       uint64_t text, bool *same)
{
    struct yk_front *f = j->f;
    unsigned version = other_version(j, t);
    *same = true;
    if (!version)
        return YK_OK;
    struct yk_macros other = {yk_arena_array(f->arena, struct yk_macro, m->n), m->n};
    const char *value = yk_arena_printf(f->arena, "%u", version);
    if (!other.v || !value)
        return YK_ENOMEM;
    memcpy(other.v, m->v, m->n * sizeof *m->v);
    for (size_t i = 0; i < other.n; i++)
        if (!strcmp(other.v[i].name, YK_NAMES_C_VERSION))
            other.v[i].value = value;
    uint64_t hash;
    yk_status s = text_for(j, &other, &hash);
    *same = s == YK_OK && hash == text;
    return s;
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
        bool differs = differ(j->names, first, &m) || differ(j->names, &m, first), same = true;
        f->target_text[i] = f->target_text[0];
        if (differs)
            s = text_for(j, &m, &f->target_text[i]);
        if (s == YK_OK && (differs || other_version(j, &j->req->target[i]) != other_version(j, &j->req->target[0])))
            s = same_in_other_version(j, &j->req->target[i], &m, f->target_text[i], &same);
        if (s != YK_OK)
            return s;
        f->riddle |= !same;
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
    if (!f->refused && strstr(f->text, OWN "__"))
        f->refused =
            "it asks for the name of its file, or for the time when it is compiled (__FILE__, __DATE__, __TIME__)";
    if (f->refused)
        return YK_OK;
    s = yk_names_add(j->names, j->req->source, j->req->size);
    if (s == YK_OK)
        s = yk_included_find(f->marked, f->nmarked, &f->options, j->headers, j->names, f->arena, &f->file, &f->nfiles);
    if (s != YK_OK)
        return s;
    f->riddle = yk_names_riddle(j->names, m, &f->options);
    bool same;
    s = same_in_other_version(j, &j->req->target[0], m, f->target_text[0], &same);
    if (s != YK_OK)
        return s;
    f->riddle |= !same;
    f->guards = yk_names_guards(j->names, m, &f->options, same ? other_version(j, &j->req->target[0]) : 0, f->arena);
    if (!same && f->guards && !strstr(f->guards, YK_NAMES_C_VERSION)) /* its name is pasted together */
        f->guards =
            yk_arena_printf(f->arena, "%s#if " YK_NAMES_C_VERSION " != %u\n#error\n#endif\n", f->guards, f->std);
    return f->guards ? YK_OK : YK_ENOMEM;
}

/* What clang is given. */
static char *marked_for_clang(const struct yk_front *f, bool wide, size_t *n)
{
    size_t before = wide ? strlen(yk_wide_atomics) : 0;
    *n = before + f->nmarked;
    if (!wide && !f->assembly)
        return f->marked;
    char *text = yk_arena_alloc(f->arena, *n + 1);
    if (!text)
        return NULL;
    memcpy(text, yk_wide_atomics, before);
    memcpy(text + before, f->marked, f->nmarked);
    text[*n] = 0;
    if (f->assembly)
        yk_assembly_any_register(text, *n);
    return text;
}

static yk_status compile_with(struct yk_front *f, bool wide)
{
    struct yk_process_output out;
    argv_array v = {0};
    size_t n;
    char *text = marked_for_clang(f, wide, &n);
    bool ok = text && push_common(&v, f);
    for (const char *const *w = yk_front_features; ok && f->std >= 300 && *w; w++)
        ok = push(&v, *w);
    ok = ok && push(&v, "-finclude-default-header") && push(&v, "-fdeclare-opencl-builtins") && push(&v, "-O1") &&
         push(&v, "-disable-llvm-passes") && push(&v, "-emit-llvm-bc") && push(&v, "-cl-kernel-arg-info") &&
         /* clang 14 looks for what was meant by names nested in one another for ever */
         push(&v, "-fno-spell-checking") &&
         (f->size > MAX_LINES_FOR || push(&v, "-debug-info-kind=line-tables-only")) && push(&v, "-ffp-contract=on") &&
         (!f->assembly || push(&v, YK_ASSEMBLY_OPTION)) &&
         (!f->options.single_constants || push(&v, "-cl-single-precision-constant")) && push(&v, "-") &&
         yk_array_push(&v, NULL);
    yk_status s = ok ? yk_process_run(v.v, text, n, &out) : YK_ENOMEM;
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

static yk_status compile(struct yk_front *f)
{
    yk_status s = compile_with(f, false);
    const char *refused = f->refused;
    if (s != YK_OK || !refused || !yk_wide_atomics_missed(refused))
        return s;
    f->refused = NULL;
    s = compile_with(f, true);
    if (s == YK_OK && f->refused)
        f->refused = refused;
    return s;
}

/* Drivers offer a program that names no version what their own has, PoCL get_global_linear_id: so what is not OpenCL C
 * 1.2 is compiled as that of the device. */
static yk_status compile_some_way(const struct yk_transform_request *req, struct yk_front *f)
{
    f->assembly = yk_assembly_in(f->text, f->size);
    unsigned first = f->std, own = yk_macros_device_std(&req->target[0]);
    own = own / 100 == 2 ? 200 : own; /* clang has no other 2.x */
    yk_status s = compile(f);
    const char *refused = f->refused;
    if (s != YK_OK || !refused || f->options.std || own <= first)
        return s;
    f->refused = NULL;
    f->std = own;
    s = compile(f);
    if (s == YK_OK && f->refused) {
        f->refused = refused;
        f->std = first;
    }
    return s;
}

yk_status yk_front_preprocess(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f)
{
    *f = (struct yk_front){.arena = a, .address_bits = req->target[0].address_bits};
    struct job j = {
        .req = req, .f = f, .source = yk_arena_strndup(a, req->source, req->size), .names = yk_names_create()};
    struct yk_macros m;
    if (j.source)
        yk_hints_as_words(j.source, req->size);
    yk_status s = j.source && j.names ? yk_options_parse(req->options, a, &f->options) : YK_ENOMEM;
    f->target_text = yk_arena_array(a, uint64_t, req->ntargets);
    if (s == YK_OK && !f->target_text)
        s = YK_ENOMEM;
    if (s == YK_OK) {
        f->std = yk_macros_std(&f->options, &req->target[0]);
        s = yk_headers_write(req, a, j.headers, sizeof j.headers, &f->refused);
    }
    if (s == YK_OK && !f->refused)
        s = first_target(&j, &m);
    if (s == YK_OK && !f->refused)
        s = other_targets(&j, &m);
    yk_headers_remove(req, j.headers);
    yk_names_destroy(j.names);
    return s;
}

yk_status yk_front_run(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f)
{
    *f = (struct yk_front){.arena = a, .address_bits = req->target[0].address_bits};
    bool linked = yk_linked_is(req->source);
    yk_status s = linked ? yk_front_linked(req, a, f) : yk_front_preprocess(req, a, f);
    if (s != YK_OK || f->refused)
        return s;
    s = compile_some_way(req, f);
    if (s != YK_OK || !f->refused || !linked)
        return s;
    f->refused = yk_arena_printf(a, "the parts that it is linked from do not go together: %s", f->refused);
    return f->refused ? YK_OK : YK_ENOMEM;
}
