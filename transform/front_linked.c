/* Programs that were linked from compiled parts: each is preprocessed by itself, with its own options and headers, as
 * its compiler did; the texts are joined to one. No compiler has seen that, so what is split is launched from it, with
 * all guards, never from the app's own program (riddle). */
#include <string.h>
#include "base/hash.h"
#include "transform/front.h"
#include "transform/joined.h"
#include "transform/request.h"

static bool is_listed(const struct yk_front *f, const struct yk_facts_file *file)
{
    for (unsigned i = 0; i < f->nfiles; i++)
        if (!strcmp(f->file[i].path, file->path))
            return true;
    return false;
}

/* All files of all parts, once each. */
static yk_status list_files(struct yk_front *f, const struct yk_front *part, unsigned n)
{
    unsigned most = 0;
    for (unsigned i = 0; i < n; i++)
        most += part[i].nfiles;
    f->file = yk_arena_array(f->arena, struct yk_facts_file, most);
    for (unsigned i = 0; f->file && i < n; i++)
        for (unsigned k = 0; k < part[i].nfiles; k++)
            if (!is_listed(f, &part[i].file[k]))
                f->file[f->nfiles++] = part[i].file[k];
    return f->file ? YK_OK : YK_ENOMEM;
}

/* What the parts agree in, and their hashes and guards together. */
static yk_status combine(struct yk_front *f, const struct yk_transform_request *req, const struct yk_front *part,
                         unsigned n)
{
    f->options = part[0].options;
    f->options.npre = 0;
    f->std = part[0].std;
    f->riddle = true;
    f->guards = "";
    for (unsigned i = 0; i < n && f->guards; i++) {
        if (strcmp(part[i].options.rest, f->options.rest) != 0 || part[i].std != f->std)
            f->refused = "the parts that it is linked from were compiled with different options";
        if (!strstr(f->guards, part[i].guards))
            f->guards = yk_arena_printf(f->arena, "%s%s", f->guards, part[i].guards);
    }
    for (unsigned t = 0; t < req->ntargets; t++) {
        struct yk_hash h = {0, 0};
        for (unsigned i = 0; i < n; i++)
            h = yk_hash_bytes(h, &part[i].target_text[t], sizeof part[i].target_text[t]);
        f->target_text[t] = h.lo;
    }
    return f->guards ? list_files(f, part, n) : YK_ENOMEM;
}

static yk_status join(struct yk_front *f, const struct yk_front *part, unsigned n)
{
    const char **text = yk_arena_array(f->arena, const char *, n);
    size_t *size = yk_arena_array(f->arena, size_t, n);
    if (!text || !size)
        return YK_ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        text[i] = part[i].text;
        size[i] = part[i].size;
    }
    yk_status s = yk_joined_text(text, size, n, f->std, f->arena, &f->text, &f->size, &f->refused);
    f->marked = f->text;
    f->nmarked = f->size;
    return s;
}

yk_status yk_front_linked(const struct yk_transform_request *req, struct yk_arena *a, struct yk_front *f)
{
    struct yk_transform_request *part;
    unsigned n;
    f->target_text = yk_arena_array(a, uint64_t, req->ntargets);
    yk_status s = f->target_text ? yk_request_parts(req, a, &part, &n) : YK_ENOMEM;
    struct yk_front *of = s == YK_OK ? yk_arena_array(a, struct yk_front, n) : NULL;
    if (s == YK_OK && !of)
        s = YK_ENOMEM;
    for (unsigned i = 0; s == YK_OK && i < n && !f->refused; i++) {
        s = yk_front_preprocess(&part[i], a, &of[i]);
        f->refused = of[i].refused;
    }
    if (s == YK_OK && !f->refused)
        s = combine(f, req, of, n);
    if (s == YK_OK && !f->refused)
        s = join(f, of, n);
    return s;
}
