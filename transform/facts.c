#include "transform/facts.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "transform/facts_reader.h"

/* Far above anything real, so that a damaged record cannot make us allocate without end. */
enum { MAX_TARGETS = 64, MAX_FILES = 1 << 14 };

bool yk_facts_rest(struct yk_facts_reader *r, const char **s)
{
    size_t n = (size_t)(r->t.lend - r->t.line);
    if (!n)
        return false;
    *s = yk_arena_strndup(&r->f->arena, r->t.line, n);
    r->memory |= !*s;
    r->t.line = r->t.lend;
    return *s != NULL;
}

bool yk_facts_push_failed(struct yk_facts_reader *r)
{
    r->memory = true;
    return false;
}

void *yk_facts_keep(struct yk_facts_reader *r, const void *v, size_t n, size_t size)
{
    void *p = yk_arena_alloc(&r->f->arena, n * size);
    r->memory |= !p;
    if (p && n)
        memcpy(p, v, n * size);
    return p;
}

/* A source of as many bytes as the line says, and a newline. */
static bool read_source(struct yk_facts_reader *r, const char **source, size_t *size)
{
    struct yk_facts *f = r->f;
    uint64_t n;
    if (*source || !yk_line_number(&r->t, 1u << 30, &n) || !yk_line_done(&r->t) ||
        (uint64_t)(r->t.end - r->t.at) <= n || r->t.at[n] != '\n' || memchr(r->t.at, 0, n))
        return false;
    *source = yk_arena_strndup(&f->arena, r->t.at, n);
    *size = n;
    r->t.at += n + 1;
    return *source || yk_facts_push_failed(r);
}

static bool read_file(struct yk_facts_reader *r, bool absent)
{
    struct yk_facts_file file = {.absent = absent};
    return r->files.n < MAX_FILES && (absent || yk_line_hex64(&r->t, &file.hash)) && yk_facts_rest(r, &file.path) &&
           (yk_array_push(&r->files, file) || yk_facts_push_failed(r));
}

static bool read_target(struct yk_facts_reader *r)
{
    uint64_t hash;
    return r->targets.n < MAX_TARGETS && yk_line_hex64(&r->t, &hash) && yk_line_done(&r->t) &&
           (yk_array_push(&r->targets, hash) || yk_facts_push_failed(r));
}

/* One line outside of kernels; `sum` is not among them. */
static bool read_line(struct yk_facts_reader *r)
{
    if (yk_line_key(&r->t, "kernel"))
        return yk_facts_read_kernel(r);
    if (yk_line_key(&r->t, "target"))
        return read_target(r);
    if (yk_line_key(&r->t, "file"))
        return read_file(r, false);
    if (yk_line_key(&r->t, "absent"))
        return read_file(r, true);
    if (yk_line_key(&r->t, "refused"))
        return !r->f->refused && yk_facts_rest(r, &r->f->refused);
    if (yk_line_key(&r->t, "options"))
        return !r->f->variant_options[0] && yk_facts_rest(r, &r->f->variant_options);
    if (yk_line_key(&r->t, "variant"))
        return read_source(r, &r->f->variant_source, &r->f->variant_size);
    if (yk_line_key(&r->t, "mixed"))
        return read_source(r, &r->f->mixed_source, &r->f->mixed_size);
    return yk_line_key(&r->t, "merging") && read_source(r, &r->f->merge_source, &r->f->merge_size);
}

/* The last line: a checksum of all before it. */
static bool read_sum(struct yk_facts_reader *r, const char *text, const char *line)
{
    uint64_t sum;
    return yk_line_hex64(&r->t, &sum) && yk_line_done(&r->t) && r->t.at == r->t.end &&
           yk_hash_bytes((struct yk_hash){0, 0}, text, (size_t)(line - text)).lo == sum;
}

/* What the lines say together. */
static bool consistent(const struct yk_facts *f)
{
    bool variants = false, merging = false, mixed = false;
    for (unsigned i = 0; i < f->nkernels; i++) {
        mixed |= f->kernel[i].mixed;
        if (f->kernel[i].mixed && !f->kernel[i].needs_variant)
            return false;
        variants |= f->kernel[i].needs_variant;
        merging |= f->kernel[i].mergeable;
    }
    return f->ntargets && variants == (f->variant_source != NULL) && merging == (f->merge_source != NULL) &&
           mixed == (f->mixed_source != NULL) && !(f->refused && f->nkernels);
}

static bool read_all(struct yk_facts_reader *r, const char *text)
{
    struct yk_facts *f = r->f;
    uint64_t version;
    if (!yk_line_next(&r->t) || !yk_line_key(&r->t, "yoke-facts") ||
        !yk_line_number(&r->t, YK_FACTS_VERSION, &version) || version != YK_FACTS_VERSION || !yk_line_done(&r->t) ||
        !yk_line_next(&r->t) || !yk_line_key(&r->t, "by") || !yk_facts_rest(r, &f->transformer))
        return false;
    bool summed = false;
    while (!summed) {
        const char *line = r->t.at;
        if (!yk_line_next(&r->t))
            return false;
        if (yk_line_key(&r->t, "sum")) {
            if (!read_sum(r, text, line))
                return false;
            summed = true;
        } else if (!read_line(r)) {
            return false;
        }
    }
    f->nkernels = (unsigned)r->kernels.n;
    f->kernel = yk_facts_keep(r, r->kernels.v, r->kernels.n, sizeof *r->kernels.v);
    f->nfiles = (unsigned)r->files.n;
    f->file = yk_facts_keep(r, r->files.v, r->files.n, sizeof *r->files.v);
    f->ntargets = (unsigned)r->targets.n;
    f->target_text = yk_facts_keep(r, r->targets.v, r->targets.n, sizeof *r->targets.v);
    return f->kernel && f->file && f->target_text && consistent(f);
}

yk_status yk_facts_parse(const char *text, size_t n, struct yk_facts *out)
{
    *out = (struct yk_facts){.variant_options = ""};
    struct yk_facts_reader r = {.t = {.at = text, .end = text + n}, .f = out};
    bool ok = read_all(&r, text);
    yk_array_finish(&r.kernels);
    yk_array_finish(&r.args);
    yk_array_finish(&r.hidden);
    yk_array_finish(&r.files);
    yk_array_finish(&r.targets);
    yk_array_finish(&r.nodes);
    yk_array_finish(&r.accesses);
    yk_array_finish(&r.guards);
    if (ok)
        return YK_OK;
    yk_facts_finish(out);
    return r.memory ? YK_ENOMEM : YK_EFORMAT;
}

void yk_facts_finish(struct yk_facts *f)
{
    yk_arena_finish(&f->arena);
    *f = (struct yk_facts){.variant_options = ""};
}

bool yk_facts_inexact(const struct yk_facts *f)
{
    for (unsigned i = 0; i < f->nkernels; i++)
        if (f->kernel[i].verdict != YK_VERDICT_WHOLE && (f->kernel[i].inexact || f->kernel[i].float_arith))
            return true;
    return false;
}

const struct yk_facts_kernel *yk_facts_find(const struct yk_facts *f, const char *name)
{
    for (unsigned i = 0; i < f->nkernels; i++)
        if (!strcmp(f->kernel[i].name, name))
            return &f->kernel[i];
    return NULL;
}
