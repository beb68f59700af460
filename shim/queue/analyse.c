#include "shim/queue/analyse.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "shim/core/background.h"
#include "shim/core/runtime.h"
#include "shim/queue/build.h"
#include "shim/queue/included.h"
#include "shim/queue/targets.h"
#include "transform/client_cache.h"

unsigned yk_analyse_target(unsigned dev)
{
    return yk_targets_index(yk_rt.machine, dev);
}

bool yk_analyse_same_files(const struct yk_build *b, const struct yk_facts *f)
{
    char folder[PATH_MAX];
    if (f->nfiles && b->from_binary)
        return yk_included_same(b->binary, f);
    return !f->nfiles || (b->folder && getcwd(folder, sizeof folder) && !strcmp(folder, b->folder) &&
                          yk_client_cache_older(f, b->begun, b->names));
}

yk_status yk_analyse(const struct yk_build *b, bool cached, enum yk_analysis what, struct yk_facts *out)
{
    struct yk_transform_target targets[YK_MAX_DEVICES];
    struct yk_arena arena = {0};
    const struct yk_machine *m = yk_rt.machine;
    *out = (struct yk_facts){.variant_options = ""};
    if (!yk_background_enter())
        return YK_ECANCELED;
    yk_targets(m, &arena, targets);
    yk_background_leave();
    struct yk_transform_request req = {.source = b->source,
                                       .size = strlen(b->source),
                                       .options = b->options,
                                       .target = targets,
                                       .ntargets = m->n,
                                       .library_dir = yk_runtime_folder(),
                                       .merged = what == YK_FOR_MERGED,
                                       .windows = what == YK_FOR_WINDOWS,
                                       .aside = what != YK_FOR_WINDOWS && !yk_build_insisted() &&
                                                yk_rt.options.gather != YK_GATHER_FORCED};
    yk_status s = cached ? yk_transform_cached(&req, out) : yk_transform_run(&req, out);
    yk_arena_finish(&arena);
    if (s == YK_OK && !yk_analyse_same_files(b, out)) {
        yk_facts_finish(out);
        *out = (struct yk_facts){
            .variant_options = "",
            .refused = b->from_binary ? "the program comes from a binary, and what its source includes may have changed"
                                      : "a file that the program includes may have changed since it was built"};
    }
    return s;
}
