#include "shim/queue/included.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/record.h"
#include "shim/queue/warm.h"
#include "transform/client_cache.h"

static const struct yk_record_kind kind = {"included", "what binaries were made from is not known", (size_t)1 << 20};

static void keep(struct yk_hash binary, const char *files)
{
    yk_record_put(&kind, binary, files, strlen(files));
}

/* Where it is not known yet what files those are: whoever looks can tell by their dates. Then the folder, and what was
 * in it, each with its 0. */
struct begun {
    struct yk_hash check; /* of all behind it */
    struct timespec at;   /* when the binary's build began */
};

static struct yk_hash begun_key(struct yk_hash binary)
{
    return yk_hash_str(binary, "begun");
}

static struct yk_hash begun_check(const char *bytes, size_t n)
{
    return yk_hash_bytes((struct yk_hash){0, 0}, bytes + sizeof(struct yk_hash), n - sizeof(struct yk_hash));
}

static void keep_begun(const struct yk_build *b, struct yk_hash binary)
{
    struct begun head = {.at = b->begun};
    size_t folder = strlen(b->folder) + 1, names = yk_client_cache_names_size(b->names),
           n = sizeof head + folder + names;
    char *bytes = calloc(1, n);
    if (!bytes)
        return;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, b->folder, folder);
    if (b->names)
        memcpy(bytes + sizeof head + folder, b->names, names);
    head.check = begun_check(bytes, n);
    memcpy(bytes, &head, sizeof head);
    yk_record_put(&kind, begun_key(binary), bytes, n);
    free(bytes);
}

/* Were the files of F as they are when the build of BINARY began? */
static bool as_when_begun(struct yk_hash binary, const struct yk_facts *f)
{
    size_t n;
    struct begun head;
    char here[PATH_MAX], *bytes = yk_record_get(&kind, begun_key(binary), &n);
    const char *folder = bytes && n > sizeof head + 2 ? bytes + sizeof head : NULL;
    bool same = folder && !bytes[n - 1];
    if (same) {
        memcpy(&head, bytes, sizeof head);
        struct yk_hash check = begun_check(bytes, n);
        const char *names = folder + strlen(folder) + 1;
        same = check.lo == head.check.lo && check.hi == head.check.hi && names < bytes + n &&
               getcwd(here, sizeof here) && !strcmp(here, folder) &&
               yk_client_cache_older(f, head.at, *names ? names : NULL);
    }
    free(bytes);
    return same;
}

void yk_included_given(struct yk_build *b, struct yk_hash binary)
{
    yk_lock_take(&b->lock);
    bool known = b->files_known;
    b->given = binary;
    b->is_given = true;
    yk_lock_drop(&b->lock);
    if (known)
        keep(binary, b->files);
    else if (b->begun.tv_sec && b->folder && strstr(b->source, "include"))
        keep_begun(b, binary);
}

void yk_included_known(struct yk_build *b)
{
    yk_lock_take(&b->lock);
    b->files_known = true;
    bool is_given = b->is_given;
    struct yk_hash binary = b->given;
    yk_lock_drop(&b->lock);
    if (is_given)
        keep(binary, b->files);
}

bool yk_included_same(struct yk_hash binary, const struct yk_facts *f)
{
    size_t n;
    char *kept = yk_record_get(&kind, binary, &n), *files = yk_warm_files(f);
    bool same = files && kept && strlen(files) == n && !memcmp(files, kept, n) && yk_client_cache_fresh(f);
    if (files && !kept && as_when_begun(binary, f)) {
        same = true;
        keep(binary, files); /* their dates need not stay */
    }
    free(kept);
    free(files);
    return same;
}
