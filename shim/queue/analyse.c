#include "shim/queue/analyse.h"
#include <string.h>
#include "base/arena.h"
#include "shim/core/background.h"
#include "shim/core/runtime.h"
#include "shim/queue/build.h"
#include "shim/queue/targets.h"

unsigned yk_analyse_target(unsigned dev)
{
    return yk_targets_index(yk_rt.machine, dev);
}

yk_status yk_analyse(const char *source, const char *options, bool cached, bool merged, struct yk_facts *out)
{
    struct yk_transform_target targets[YK_MAX_DEVICES];
    struct yk_arena arena = {0};
    const struct yk_machine *m = yk_rt.machine;
    *out = (struct yk_facts){.variant_options = ""};
    if (!yk_background_enter())
        return YK_ECANCELED;
    yk_targets(m, &arena, targets);
    yk_background_leave();
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = options,
                                       .target = targets,
                                       .ntargets = m->n,
                                       .library_dir = yk_runtime_folder(),
                                       .merged = merged,
                                       .aside = !yk_build_insisted() && yk_rt.options.gather != YK_GATHER_FORCED};
    yk_status s = cached ? yk_transform_cached(&req, out) : yk_transform_run(&req, out);
    yk_arena_finish(&arena);
    return s;
}
