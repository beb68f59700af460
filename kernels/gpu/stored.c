#include "kernels/gpu/stored.h"
#include <stdlib.h>
#include <string.h>
#include "base/record.h"

static const struct yk_record_kind kind = {"sumproduct", "kernels are compiled anew each time", (size_t)16 << 20};

struct head {
    char magic[8];
    uint64_t bytes;
    struct yk_hash sum; /* of the bytes, chained onto the key: a record under another's name is bad too */
};
static const char magic[8] = "ykcubin";

static bool good(struct yk_hash key, const void *record, size_t n)
{
    struct head h;
    if (n <= sizeof h)
        return false;
    memcpy(&h, record, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.bytes != n - sizeof h)
        return false;
    struct yk_hash sum = yk_hash_bytes(key, (const char *)record + sizeof h, h.bytes);
    return sum.lo == h.sum.lo && sum.hi == h.sum.hi;
}

void *yk_gpu_stored_get(struct yk_hash key, size_t *n)
{
    char *record = yk_record_get(&kind, key, n);
    if (!record)
        return NULL;
    if (!good(key, record, *n)) {
        free(record);
        yk_record_reject(&kind, key);
        return NULL;
    }
    *n -= sizeof(struct head);
    memmove(record, record + sizeof(struct head), *n);
    return record;
}

void yk_gpu_stored_reject(struct yk_hash key)
{
    yk_record_reject(&kind, key);
}

void yk_gpu_stored_put(struct yk_hash key, const void *bytes, size_t n)
{
    struct head h = {.bytes = n, .sum = yk_hash_bytes(key, bytes, n)};
    char *record = n <= kind.most ? malloc(sizeof h + n) : NULL;
    if (!record)
        return;
    memcpy(h.magic, magic, sizeof magic);
    memcpy(record, &h, sizeof h);
    memcpy(record + sizeof h, bytes, n);
    yk_record_put(&kind, key, record, sizeof h + n);
    free(record);
}
