#include "shim/object/part.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "transform/client_cache.h"
#include "transform/client_linked.h"

static void free_part(struct yk_part *part)
{
    if (!part)
        return;
    free(part->text);
    free(part->plain);
    free(part->options);
    free(part->folder);
    free(part->names);
    free(part);
}

struct yk_part *yk_part_hold(struct yk_part *part)
{
    if (part)
        __atomic_fetch_add(&part->holds, 1, __ATOMIC_RELAXED);
    return part;
}

void yk_part_drop(struct yk_part *part)
{
    if (part && !__atomic_sub_fetch(&part->holds, 1, __ATOMIC_ACQ_REL))
        free_part(part);
}

void yk_part_set(struct yk_program *p, struct yk_part *part)
{
    yk_lock_take(&p->lock);
    struct yk_part *old = p->part;
    p->part = part;
    yk_lock_drop(&p->lock);
    yk_part_drop(old);
}

static bool copy(char **to, const char *from)
{
    return !from || (*to = strdup(from));
}

struct yk_part *yk_part_compiled(const struct yk_program *p, const char *options, cl_uint n, const cl_program *header,
                                 const char *const *name)
{
    struct yk_transform_header *h = calloc(n ? n : 1, sizeof *h);
    struct yk_part *part = p->source && !p->options ? calloc(1, sizeof *part) : NULL;
    bool ok = h && part;
    for (cl_uint i = 0; ok && i < n; i++) {
        const struct yk_program *from = yk_program_from(header[i]);
        ok = from && from->source && !from->options && name[i];
        if (ok)
            h[i] = (struct yk_transform_header){name[i], from->source, strlen(from->source)};
    }
    if (ok) {
        part->holds = 1;
        clock_gettime(CLOCK_REALTIME_COARSE, &part->begun);
        part->folder = getcwd(NULL, 0);
        part->names = strstr(p->source, "include") ? yk_client_cache_names() : NULL;
        part->options = strdup(options ? options : "");
        part->text = yk_linked_write(&(struct yk_linked_part){p->source, options, h, n});
        ok = part->options && part->text && copy(&part->plain, n ? NULL : p->source);
    }
    free(h);
    if (!ok)
        free_part(part);
    return ok ? part : NULL;
}

static bool earlier(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* PART becomes what the parts in FROM are together. */
static bool put_together(struct yk_part *part, cl_uint n, struct yk_part *const *from)
{
    const char **text = calloc(n, sizeof *text);
    const struct yk_part *first = from[0];
    bool ok = text != NULL;
    for (cl_uint i = 0; ok && i < n; i++) {
        ok = from[i]->folder && !strcmp(from[i]->folder, from[0]->folder);
        text[i] = from[i]->text;
        if (earlier(&from[i]->begun, &first->begun))
            first = from[i];
    }
    part->holds = 1;
    part->begun = first->begun;
    ok = ok && copy(&part->plain, n == 1 ? from[0]->plain : NULL) && copy(&part->options, from[0]->options) &&
         copy(&part->folder, first->folder) &&
         (!first->names || (part->names = yk_client_cache_names_copy(first->names))) &&
         (part->text = yk_linked_join(text, n));
    free(text);
    return ok;
}

/* What is known of P, held; NULL: nothing. */
static struct yk_part *part_of(struct yk_program *p)
{
    yk_lock_take(&p->lock);
    struct yk_part *part = yk_part_hold(p->part);
    yk_lock_drop(&p->lock);
    return part;
}

struct yk_part *yk_part_linked(cl_uint n, const cl_program *input)
{
    struct yk_part **from = calloc(n, sizeof *from), *part = calloc(1, sizeof *part);
    bool ok = from && part;
    for (cl_uint i = 0; ok && i < n; i++) {
        struct yk_program *p = yk_program_from(input[i]);
        for (cl_uint k = 0; k < i; k++)
            ok &= input[k] != input[i]; /* the driver refuses that, or not */
        ok = ok && p && (from[i] = part_of(p));
    }
    ok = ok && put_together(part, n, from);
    for (cl_uint i = 0; from && i < n; i++)
        yk_part_drop(from[i]);
    free(from);
    if (!ok)
        free_part(part);
    return ok ? part : NULL;
}
