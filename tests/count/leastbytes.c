/* leastbytes [--home] ACCESSES LOG [PID]: the fewest bytes that had to move for the program whose accesses are in
 * ACCESSES (access.c) with the split that the counting layer saw in LOG, and how many it saw move. --home: what the
 * program writes goes to the first device at once and stays nowhere else. See README.md. */
#include <stdio.h>
#include <string.h>
#include "tests/count/access.h"
#include "tests/count/cover.h"
#include "tests/count/ledger.h"

struct reader {
    FILE *file;
    struct ledger ledger;
    struct count_log log;
    struct access_launch launch;
    uint8_t *place; /* of each work-item of the launch */
    size_t items;
    struct access_record last; /* that the host stored; size 0: something else came since */
    long launches, split;
};

/* Who runs which work-item of the launch that begins. */
static bool begin(struct reader *r)
{
    struct access_launch *l = &r->launch;
    if (fread(l, sizeof *l, 1, r->file) != 1)
        return false;
    struct count_launch want = {.dims = l->dims, .launch = -1};
    memcpy(want.kernel, l->kernel, sizeof want.kernel);
    memcpy(want.offset, l->offset, sizeof want.offset);
    memcpy(want.global, l->global, sizeof want.global);
    struct cover_result c = cover(&want, &r->log, r->launches);
    if (!c.ok) {
        fprintf(stderr, "leastbytes: launch %ld of %s: %s\n", r->launches, l->kernel, c.why);
        return false;
    }
    r->items = l->global[0] * l->global[1] * l->global[2];
    uint8_t *more = realloc(r->place, r->items);
    if (!more)
        return false;
    r->place = more;
    for (size_t i = 0; i < r->log.launch.n; i++) {
        const struct count_launch *b = &r->log.launch.v[i];
        if (b->launch != r->launches)
            continue;
        for (uint64_t z = 0; z < b->global[2]; z++)
            for (uint64_t y = 0; y < b->global[1]; y++)
                memset(more +
                           ((z + b->offset[2] - l->offset[2]) * l->global[1] + y + b->offset[1] - l->offset[1]) *
                               l->global[0] +
                           b->offset[0] - l->offset[0],
                       (int)b->device + 1, b->global[0]);
    }
    r->launches++;
    r->split += c.devices > 1;
    return true;
}

/* clEnqueueFillBuffer stores its pattern again and again. */
static bool host_stores(struct reader *r, const struct access_record *a)
{
    if (r->last.kind == ACCESS_ALLOCATE && r->last.address == a->address && r->last.size == a->size)
        return true; /* the buffer's first bytes once more */
    bool again = r->last.kind == ACCESS_HOST_STORE && a->size <= 128 && r->last.size == a->size &&
                 r->last.address + a->size == a->address && r->last.item == a->item;
    bool ok = again ? ledger_fill(&r->ledger, a->address - a->size, 2 * (size_t)a->size)
                    : ledger_store(&r->ledger, LEDGER_HOST, a->address, a->size);
    r->last = *a;
    return ok;
}

static bool one(struct reader *r, const struct access_record *a)
{
    struct ledger *l = &r->ledger;
    if (a->kind == ACCESS_HOST_STORE)
        return host_stores(r, a);
    r->last.size = 0;
    unsigned place = a->item < r->items ? r->place[a->item] : 0;
    switch (a->kind) {
    case ACCESS_ALLOCATE:
        r->last = *a;
        r->last.size = a->item ? a->size : 0;
        return ledger_allocate(l, a->address, a->size, a->item);
    case ACCESS_FREE:
        return ledger_release(l, a->address);
    case ACCESS_BEGIN:
        return begin(r);
    case ACCESS_END:
        r->items = 0;
        return ledger_end(l);
    case ACCESS_HOST_LOAD:
        return ledger_load(l, LEDGER_HOST, a->address, a->size);
    case ACCESS_COPY:
        return ledger_copy(l, a->address, a->item, a->size);
    case ACCESS_LOAD:
        return place && ledger_load(l, place, a->address, a->size);
    case ACCESS_STORE:
        return place && ledger_store(l, place, a->address, a->size);
    case ACCESS_ATOMIC:
        return place && ledger_atomic(l, place, a->address, a->size);
    default:
        return false;
    }
}

static uint64_t moved(const struct count_log *log, const char *kind)
{
    uint64_t sum = 0;
    for (int k = 0; k < COUNT_KINDS; k++)
        for (unsigned d = 0; d < log->devices && strcmp(kind, count_kind[k]) == 0; d++)
            sum += log->bytes[d][k];
    return sum;
}

int main(int argc, char **argv)
{
    struct reader r = {0};
    char err[256];
    if (argc > 1 && strcmp(argv[1], "--home") == 0) {
        r.ledger.home = 1;
        argc--;
        argv++;
    }
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: leastbytes [--home] ACCESSES LOG [PID]\n");
        return 2;
    }
    if (!count_log_read(argv[2], argc > 3 ? atol(argv[3]) : 0, &r.log, err, sizeof err)) {
        fprintf(stderr, "leastbytes: %s\n", err);
        return 2;
    }
    r.file = fopen(argv[1], "rbe");
    if (!r.file) {
        perror(argv[1]);
        return 2;
    }
    struct access_record a;
    unsigned long number = 0;
    bool ok = true;
    while (ok && fread(&a, sizeof a, 1, r.file) == 1) {
        ok = one(&r, &a);
        number += ok;
    }
    if (!ok)
        fprintf(stderr, "leastbytes: record %lu (kind %u, %u bytes at %lx, %lu) does not fit what came before\n",
                number, a.kind, a.size, (unsigned long)a.address, (unsigned long)a.item);
    ledger_close(&r.ledger);
    printf("{\"launches\": %ld, \"split\": %ld, \"least_to_devices\": %lu, \"least_to_host\": %lu", r.launches, r.split,
           (unsigned long)r.ledger.to_devices, (unsigned long)r.ledger.to_host);
    for (int k = 0; k < COUNT_KINDS; k++)
        printf(", \"%s\": %lu", count_kind[k], (unsigned long)moved(&r.log, count_kind[k]));
    printf("}\n");
    fclose(r.file);
    free(r.place);
    ledger_finish(&r.ledger);
    count_log_finish(&r.log);
    return ok ? 0 : 1;
}
