#include "shim/queue/included.h"
#include <stdlib.h>
#include <string.h>
#include "base/record.h"
#include "shim/queue/warm.h"
#include "transform/client_cache.h"

static const struct yk_record_kind kind = {"included", "what binaries were made from is not known", (size_t)1 << 20};

static void keep(const struct yk_build *b, struct yk_hash binary)
{
    yk_record_put(&kind, binary, b->files, strlen(b->files));
}

void yk_included_given(struct yk_build *b, struct yk_hash binary)
{
    yk_lock_take(&b->lock);
    bool known = b->files_known;
    b->given = binary;
    b->is_given = true;
    yk_lock_drop(&b->lock);
    if (known)
        keep(b, binary);
}

void yk_included_known(struct yk_build *b)
{
    yk_lock_take(&b->lock);
    b->files_known = true;
    bool is_given = b->is_given;
    struct yk_hash binary = b->given;
    yk_lock_drop(&b->lock);
    if (is_given)
        keep(b, binary);
}

bool yk_included_same(struct yk_hash binary, const struct yk_facts *f)
{
    size_t n;
    char *kept = yk_record_get(&kind, binary, &n), *files = kept ? yk_warm_files(f) : NULL;
    bool same = files && strlen(files) == n && !memcmp(files, kept, n) && yk_client_cache_fresh(f);
    free(kept);
    free(files);
    return same;
}
