/* What it costs to know what a launch's shares touch and which bytes they lack: the programs of bench/apps at table2's
 * sizes, cut in two for devices with memory of their own.
 *
 * figure plan.fresh_us: facts evaluated and missing bytes looked up, both shares, median over the kernels
 * figure plan.cached_us: the same for a launch like one before (evaluation remembered) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "shim/memory/map.h"
#include "transform/client.h"
#include "transform/facts_recall.h"

enum { ARGS = 8, ROUNDS = 2000 };

/* A launch: sizes in work-items; arguments: b bytes of a buffer, n a scalar of 32 bits, l local memory. */
static const struct {
    const char *file, *kernel, *options;
    unsigned dims;
    uint64_t global[3], local[3], offset[3];
    const char *kinds;
    uint64_t arg[ARGS];
} launches[] = {
    {"aes_encrypt", "encrypt", "", 2, {512, 2048}, {16, 16}, {0}, "bbbbln", {4 << 20, 4 << 20, 256, 704, 1024, 512}},
    {"aes_decrypt", "decrypt", "", 2, {512, 2048}, {16, 16}, {0}, "bbbn", {4 << 20, 256, 704, 512}},
    {"binomial_option", "price", "-DSTEPS=254", 1, {16384 * 255}, {255}, {0}, "bbnn", {256 << 10, 256 << 10, 1, 1}},
    {"black_scholes",
     "black_scholes",
     "",
     1,
     {262144},
     {256},
     {0},
     "bbbnnn",
     {4 << 20, 4 << 20, 4 << 20, 1, 1, 262144}},
    {"convolution",
     "convolve",
     "-DRADIUS=4",
     3,
     {1024, 1024, 3},
     {16, 16, 1},
     {0},
     "bbb",
     {1032 * 1032 * 12, 12 << 20, 324}},
    {"histogram", "count", "", 1, {512 * 64}, {64}, {0}, "bb", {16 << 20, 512 << 10}},
    {"histogram", "merge", "", 1, {256}, {64}, {0}, "bbn", {512 << 10, 1024, 512}},
    {"kmeans", "to_features", "", 2, {262144, 8}, {64, 1}, {0}, "bbnn", {8 << 20, 8 << 20, 262144, 8}},
    {"kmeans", "assign", "", 1, {262144}, {64}, {0}, "bbbnnn", {8 << 20, 512, 1 << 20, 262144, 8, 16}},
    {"matrix_multiply", "multiply", "", 2, {256, 256}, {8, 8}, {0}, "bbbn", {4 << 20, 4 << 20, 4 << 20, 256}},
    {"matrix_transpose", "transpose", "", 2, {1024, 256}, {32, 8}, {0}, "bbn", {4 << 20, 4 << 20, 1024}},
    {"nbody", "advance", "", 1, {4096}, {64}, {0}, "bbbblnnn", {65536, 65536, 65536, 65536, 1024, 4096, 1, 1}},
    {"quasi_random", "sobol", "", 1, {64 * 128}, {128}, {0}, "bbn", {8192, 32 << 20, 131072}},
    {"reduction", "sum", "", 1, {2048 * 256}, {256}, {0}, "bbln", {16 << 20, 32768, 4096, 1 << 20}},
    {"scan", "scan_blocks", "", 1, {4096 * 128}, {128}, {0}, "bbn", {4 << 20, 16384, 1 << 20}},
    {"spmv", "multiply_rows", "", 1, {262144}, {64}, {0}, "bbbbb", {1048580, 8 << 20, 8 << 20, 1 << 20, 1 << 20}},
    {"stencil2d", "jacobi", "", 2, {1022, 1022}, {14, 14}, {1, 1}, "bbnn", {4 << 20, 4 << 20, 1024, 1}},
    {"vector_add", "vector_add", "", 1, {4194304}, {256}, {0}, "bbbn", {16 << 20, 16 << 20, 16 << 20, 4194304}},
    {"bfs",
     "expand",
     "",
     1,
     {1000192},
     {256},
     {0},
     "bbbbbbn",
     {4000004, 16 << 20, 1000000, 1000000, 1000000, 4000000, 1000000}},
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

static char *read_file(const char *name, size_t *n)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.cl", YK_BENCH_APPS, name);
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (!f || !text) {
        fprintf(stderr, "plan: cannot read %s\n", path);
        exit(1);
    }
    *n = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

static void facts_of(unsigned i, struct yk_facts *f)
{
    static const struct yk_transform_target target = {.c_version = "OpenCL C 1.2 ",
                                                      .version = "OpenCL 3.0 ",
                                                      .extensions = "cl_khr_fp64",
                                                      .driver = "bench",
                                                      .address_bits = 64,
                                                      .little_endian = true};
    struct yk_transform_request req = {
        .options = launches[i].options, .target = &target, .ntargets = 1, .library_dir = YK_BENCH_LIBRARY};
    char *text = read_file(launches[i].file, &req.size);
    req.source = text;
    if (yk_transform_run(&req, f) != YK_OK || !yk_facts_find(f, launches[i].kernel)) {
        fprintf(stderr, "plan: no facts of %s\n", launches[i].file);
        exit(1);
    }
    free(text);
}

/* A launch ready to be planned: two devices, each of which holds its half of every buffer. */
struct ready {
    const struct yk_facts_kernel *k;
    struct yk_reach_launch l;
    struct yk_reach_arg arg[ARGS];
    uint32_t scalar[ARGS];
    struct yk_map map[ARGS];
    struct yk_share share[2];
    struct yk_recall recall;
    struct yk_reach reach;
    uint64_t lacks; /* so that nothing is optimised away */
};

static void prepare(struct ready *r, unsigned i, const struct yk_facts *f)
{
    *r = (struct ready){.k = yk_facts_find(f, launches[i].kernel)};
    struct yk_range range = {.dims = launches[i].dims};
    r->l = (struct yk_reach_launch){.dims = range.dims, .arg = r->arg};
    for (unsigned d = 0; d < 3; d++) {
        r->l.local[d] = d < range.dims ? launches[i].local[d] : 1;
        r->l.groups[d] = range.groups[d] = d < range.dims ? launches[i].global[d] / launches[i].local[d] : 1;
        r->l.offset[d] = launches[i].offset[d];
    }
    for (unsigned a = 0; a < r->k->nargs && a < ARGS; a++) {
        uint64_t size = launches[i].arg[a];
        r->scalar[a] = (uint32_t)size;
        if (launches[i].kinds[a] == 'n')
            r->arg[a] = (struct yk_reach_arg){&r->scalar[a], 4};
        if (launches[i].kinds[a] != 'b')
            continue;
        r->arg[a].size = size;
        yk_map_init(&r->map[a], size, yk_at(1));
        yk_map_write(&r->map[a], size / 2, size - size / 2, 2);
    }
    uint64_t total = 1;
    yk_range_total(&range, &total);
    yk_range_cut(&range, 0, total / 2, &r->share[0]);
    yk_range_cut(&range, total / 2, total, &r->share[1]);
}

static void look_up(struct ready *r, unsigned dev)
{
    for (size_t i = 0; i < r->reach.touch.n; i++) {
        const struct yk_touch *t = &r->reach.touch.v[i];
        const struct yk_region *g = &t->region;
        struct yk_piece p;
        if (t->kind == YK_ACCESS_WRITE && t->exact)
            continue;
        for (uint64_t z = 0; z < g->slices; z++)
            for (uint64_t y = 0; y < g->rows; y++) {
                uint64_t off = g->offset + z * g->slice_pitch + y * g->row_pitch, end = off + g->bytes;
                while (yk_map_missing(&r->map[t->arg], off, end - off, 1 + dev, &p)) {
                    r->lacks += p.len;
                    off = p.off + p.len;
                }
            }
    }
}

static double plan_us(struct ready *r, bool cached)
{
    double best = 1e9;
    for (unsigned part = 0; part < 5; part++) {
        uint64_t from = yk_now_ns();
        for (unsigned round = 0; round < ROUNDS / 5; round++)
            for (unsigned dev = 0; dev < 2; dev++) {
                if (cached)
                    yk_recall_share(&r->recall, &r->reach, r->k, &r->l, &r->share[dev]);
                else
                    yk_reach_share(&r->reach, r->k, &r->l, &r->share[dev]);
                look_up(r, dev);
            }
        double us = (double)(yk_now_ns() - from) * 1e-3 / (ROUNDS / 5);
        best = us < best ? us : best;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double fresh[LAUNCHES], cached[LAUNCHES];
    const char *json = argc == 3 && !strcmp(argv[1], "--json") ? argv[2] : NULL;
    printf("%-16s %-14s %10s %10s %8s\n", "program", "kernel", "fresh us", "cached us", "regions");
    for (unsigned i = 0; i < LAUNCHES; i++) {
        struct yk_facts f;
        static struct ready r;
        facts_of(i, &f);
        prepare(&r, i, &f);
        fresh[i] = plan_us(&r, false);
        cached[i] = plan_us(&r, true);
        printf("%-16s %-14s %10.2f %10.2f %8zu\n", launches[i].file, launches[i].kernel, fresh[i], cached[i],
               r.reach.touch.n);
        for (unsigned a = 0; a < ARGS; a++)
            yk_map_finish(&r.map[a]);
        yk_recall_finish(&r.recall);
        yk_reach_finish(&r.reach);
        yk_facts_finish(&f);
    }
    qsort(fresh, LAUNCHES, sizeof *fresh, ascending);
    qsort(cached, LAUNCHES, sizeof *cached, ascending);
    figure("plan.fresh_us", fresh[LAUNCHES / 2], "us");
    figure("plan.cached_us", cached[LAUNCHES / 2], "us");
    return figure_finish(json);
}
