#include "plan.h"
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FILES 9
#define SHOWN      20

struct reader {
    const char *path;
    FILE *file;
    struct record record;
    unsigned char *bytes;
};

/* 1: a record is there; 0: end of file; -1: damaged. */
static int next(struct reader *r)
{
    size_t n = fread(&r->record, 1, sizeof(r->record), r->file);
    if (n == 0 && feof(r->file)) {
        return 0;
    }
    if (n != sizeof(r->record) || r->record.magic != RECORD_MAGIC || r->record.base >= B_COUNT ||
        r->record.bytes > 1u << 30) {
        return -1;
    }
    free(r->bytes);
    r->bytes = alloc_or_end(r->record.bytes);
    return fread(r->bytes, 1, r->record.bytes, r->file) == r->record.bytes ? 1 : -1;
}

static void print_number(enum base base, const unsigned char *at)
{
    double d;
    float f;
    if (base == B_FLOAT) {
        memcpy(&f, at, sizeof(f));
        printf("%.9g=", (double)f);
    } else if (base == B_DOUBLE) {
        memcpy(&d, at, sizeof(d));
        printf("%.17g=", d);
    }
    printf("0x");
    for (size_t i = bases[base].size; i > 0; i--) {
        printf("%02x", at[i - 1]);
    }
}

/* Numbers of the current records that are in none of the references. */
static size_t differences(const struct reader *r, int count, unsigned *shown)
{
    const struct record *got = &r[0].record;
    size_t size = bases[got->base].size, wrong = 0;
    for (size_t at = 0; at < got->bytes; at += size) {
        bool found = false;
        for (int i = 1; i < count && !found; i++) {
            found = memcmp(r[0].bytes + at, r[i].bytes + at, size) == 0;
        }
        if (found) {
            continue;
        }
        if (wrong++ == 0 && (*shown)++ < SHOWN) {
            printf("seed %llu kernel %u (%.48s) %.16s[%zu] of %zu: got ", (unsigned long long)got->seed, got->kernel,
                   got->kernel_name, got->name, at / size, (size_t)got->bytes / size);
            print_number((enum base)got->base, r[0].bytes + at);
            for (int i = 1; i < count; i++) {
                printf(i == 1 ? ", expected " : " or ");
                print_number((enum base)got->base, r[i].bytes + at);
            }
            printf("\n");
        }
    }
    return wrong;
}

static bool same_kind(const struct record *a, const struct record *b)
{
    return a->kernel == b->kernel && a->buffer == b->buffer && a->base == b->base && a->seed == b->seed &&
           a->bytes == b->bytes;
}

static int compare(struct reader *r, int count)
{
    size_t buffers = 0, wrong_buffers = 0, kernels = 0, wrong_kernels = 0;
    uint64_t last_seed = UINT64_MAX, last_kernel = UINT64_MAX;
    bool kernel_wrong = false;
    unsigned shown = 0;
    for (;;) {
        int state = next(&r[0]);
        for (int i = 1; i < count; i++) {
            int other = next(&r[i]);
            if (other != state || state < 0 || (state && !same_kind(&r[0].record, &r[i].record))) {
                fprintf(stderr, "diffgen: %s and %s do not belong together, or one is damaged\n", r[0].path, r[i].path);
                return 2;
            }
        }
        if (state <= 0) {
            break;
        }
        if (r[0].record.seed != last_seed || r[0].record.kernel != last_kernel) {
            last_seed = r[0].record.seed;
            last_kernel = r[0].record.kernel;
            kernels++;
            kernel_wrong = false;
        }
        buffers++;
        if (differences(r, count, &shown)) {
            wrong_buffers++;
            wrong_kernels += !kernel_wrong;
            kernel_wrong = true;
        }
    }
    printf("%zu buffers of %zu kernels compared: %zu buffers of %zu kernels differ\n", buffers, kernels, wrong_buffers,
           wrong_kernels);
    if (buffers == 0) {
        fprintf(stderr, "diffgen: nothing to compare\n");
        return 2;
    }
    return wrong_buffers ? 1 : 0;
}

int records_compare(const char *got, char *const *references, int count)
{
    struct reader readers[MOST_FILES] = {{0}};
    int status = 2, n = 0;
    if (count < 1 || count >= MOST_FILES) {
        fprintf(stderr, "diffgen: 1 to %d files to compare with\n", MOST_FILES - 1);
        return 2;
    }
    for (; n <= count; n++) {
        readers[n].path = n ? references[n - 1] : got;
        readers[n].file = fopen(readers[n].path, "rb");
        if (!readers[n].file) {
            perror(readers[n].path);
            break;
        }
    }
    if (n == count + 1) {
        status = compare(readers, n);
    }
    for (int i = 0; i < n; i++) {
        fclose(readers[i].file);
        free(readers[i].bytes);
    }
    return status;
}
