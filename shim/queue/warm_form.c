#include "shim/queue/warm_form.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void yk_warm_local(const struct yk_facts_kernel *f, size_t global, size_t max_group, size_t *local)
{
    for (unsigned i = 0; i < 3; i++)
        local[i] = f->reqd_group[0] ? (f->reqd_group[i] ? f->reqd_group[i] : 1) : 1;
    if (f->reqd_group[0])
        return;
    size_t want = max_group < 64 ? max_group : 64;
    for (size_t n = want; n > 1; n--)
        if (global % n == 0) {
            local[0] = n;
            break;
        }
}

uint64_t yk_warm_hidden(const struct yk_facts_hidden *h, const uint64_t local[3], const uint64_t global[3])
{
    switch (h->kind) {
    case YK_HIDDEN_NUM_GROUPS:
        return local[h->dim] ? global[h->dim] / local[h->dim] : 1;
    case YK_HIDDEN_GLOBAL_SIZE:
        return global[h->dim];
    case YK_HIDDEN_GROUP_OFFSET:
    case YK_HIDDEN_GLOBAL_OFFSET:
    case YK_HIDDEN_KIND_COUNT:
        break;
    }
    return 0;
}

char *yk_warm_options(const char *options, unsigned twin)
{
    char *text = NULL;
    if (twin ? asprintf(&text, "%s -D__yoke_twin=%u", options, twin) < 0 : asprintf(&text, "%s", options) < 0)
        return NULL;
    return text;
}

char *yk_warm_files(const struct yk_facts *f)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    bool ok = to != NULL;
    for (unsigned i = 0; ok && i < f->nfiles; i++) {
        ok = !strchr(f->file[i].path, '\n');
        if (f->file[i].absent)
            fprintf(to, "- %s\n", f->file[i].path);
        else
            fprintf(to, "%016" PRIx64 " %s\n", f->file[i].hash, f->file[i].path);
    }
    if (to && !fclose(to) && ok)
        return text;
    free(text);
    return NULL;
}
