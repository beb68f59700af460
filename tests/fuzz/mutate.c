/* A fuzzer's main without libFuzzer: each file of a corpus as it is, and RUNS blind changes of it (bytes, pieces of
 * this and other files cut, doubled, moved, numbers replaced by awkward ones), the same ones every time.
 *
 *     fuzz_NAME RUNS FILE... */
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/fuzz.h"
#include "tests/unit/random_bucket.h"

enum { MAX_BYTES = 1 << 16 };

struct text {
    uint8_t v[MAX_BYTES];
    size_t n;
};

static struct text load(const char *path)
{
    static struct text t;
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    t.n = fread(t.v, 1, MAX_BYTES / 2, f);
    fclose(f);
    return t;
}

static void splice(struct text *t, size_t at, size_t cut, const void *with, size_t n)
{
    if (t->n - cut + n > MAX_BYTES)
        return;
    memmove(t->v + at + n, t->v + at + cut, t->n - at - cut);
    memcpy(t->v + at, with, n);
    t->n = t->n - cut + n;
}

static void replace_number(struct text *t, uint64_t *s)
{
    static const char *const awkward[] = {
        "0", "-1",       "1",      "2147483648", "4294967295", "18446744073709551616", "1e400", "nan", "0x10", ".",
        "-", "99999999", "1e-320", "3 3 3 3",    "\n"};
    size_t at = random_below(s, (uint32_t)t->n), end;
    while (at < t->n && !(t->v[at] >= '0' && t->v[at] <= '9'))
        at++;
    for (end = at; end < t->n && t->v[end] >= '0' && t->v[end] <= '9';)
        end++;
    const char *with = awkward[random_below(s, sizeof awkward / sizeof *awkward)];
    if (at < t->n)
        splice(t, at, end - at, with, strlen(with));
}

static void change(struct text *t, const struct text *other, uint64_t *s)
{
    if (t->n == 0)
        return;
    size_t at = random_below(s, (uint32_t)t->n), n = random_below(s, 40);
    n = n < t->n - at ? n : t->n - at;
    uint8_t piece[40];
    switch (random_below(s, 6)) {
    case 0:
        t->v[at] = (uint8_t)random_next(s);
        break;
    case 1:
        splice(t, at, n, "", 0);
        break;
    case 2:
        memcpy(piece, t->v + at, n);
        splice(t, random_below(s, (uint32_t)t->n), 0, piece, n);
        break;
    case 3:
        t->n = at; /* a file cut short */
        break;
    case 4:
        if (other->n) {
            size_t from = random_below(s, (uint32_t)other->n);
            n = n < other->n - from ? n : other->n - from;
            splice(t, at, 0, other->v + from, n);
        }
        break;
    default:
        replace_number(t, s);
    }
}

static void run(const struct text *t)
{
    uint8_t *exact = malloc(t->n + !t->n); /* so that a sanitizer sees a step beyond its end */
    memcpy(exact, t->v, t->n);
    LLVMFuzzerTestOneInput(exact, t->n);
    free(exact);
}

int main(int argc, char **argv)
{
    static struct text t, other;
    unsigned long runs = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    uint64_t seed = 1;
    if (!runs) {
        fprintf(stderr, "usage: %s RUNS FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        t = load(argv[i]);
        run(&t);
    }
    for (unsigned long k = 0; k < runs; k++) {
        t = load(argv[2 + random_below(&seed, (uint32_t)argc - 2)]);
        other = load(argv[2 + random_below(&seed, (uint32_t)argc - 2)]);
        for (uint32_t c = 1 + random_below(&seed, 4); c--;)
            change(&t, &other, &seed);
        run(&t);
    }
    printf("%lu changed inputs of %d files\n", runs, argc - 2);
    return 0;
}
