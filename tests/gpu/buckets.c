/* Every device implementation of the sum-product against the naive reference in long double, on random buckets.
 *
 * buckets [--opencl DEVICE | --cuda N] [--count N] [--seed N] [--threads N] [--static N] [--states LOG2] [--no-double]
 *
 * Shapes are looked up at run time (one kernel for all), so that a driver that compiles for half a second compiles few
 * kernels; of the kernels with constant shapes, which are what solver and benches run, --static N buckets per variant
 * are made too. With YOKE_NIGHTLY, ten times as many of the others. Status 77: no such device. */
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include "kernels/gpu/gpu.h"
#include "tests/unit/random_bucket.h"

struct variant {
    const char *name;
    struct yk_gpu_options o;
    bool ahead; /* plans for a device whose copies go on while threads compute: right on any */
};

static const struct variant variants[] = {
    {"software cache, double", {.path = YK_GPU_SOFTWARE}, false},
    {"software cache, smallest first, little scratchpad",
     {.path = YK_GPU_SOFTWARE, .smallest = true, .local = 600},
     false},
    {"software cache, one output per thread, pages", {.path = YK_GPU_SOFTWARE, .no_tile = true, .pages = 16}, false},
    {"software cache, pages filled ahead", {.path = YK_GPU_SOFTWARE, .pages = 16}, true},
    {"software cache, float, pages filled ahead", {.path = YK_GPU_SOFTWARE, .pages = 16, .single = true}, true},
    {"software cache, float", {.path = YK_GPU_SOFTWARE, .single = true}, false},
    {"software cache, log2", {.path = YK_GPU_SOFTWARE, .log = true}, false},
    {"software cache, log2, float", {.path = YK_GPU_SOFTWARE, .log = true, .single = true}, false},
    {"software cache, native log2, float",
     {.path = YK_GPU_SOFTWARE, .log = true, .single = true, .native = true},
     false},
    {"hardware caches, double", {.path = YK_GPU_HARDWARE}, false},
    {"hardware caches, float", {.path = YK_GPU_HARDWARE, .single = true}, false},
    {"hardware caches, log2", {.path = YK_GPU_HARDWARE, .log = true}, false},
    {"texture path, double", {.path = YK_GPU_TEXTURE}, false},
    {"texture path, float", {.path = YK_GPU_TEXTURE, .single = true}, false},
};

enum { LOG_BELOW = 300 }; /* logarithms are shifted this far, beyond what a float can hold as a number */

static struct yk_gpu *gpu;

static yk_status upload(const struct random_bucket *r, const struct yk_gpu_options *o, yk_gpu_memory *in,
                        yk_gpu_memory *out)
{
    yk_status st = yk_gpu_alloc(gpu, (r->b.out.cells + 2) * 8, out);
    for (uint32_t t = 0; t < r->b.ninputs && st == YK_OK; t++) {
        size_t n = r->b.input[t].cells;
        double *v = malloc(n * sizeof *v);
        float *f = malloc(n * sizeof *f);
        if (!v || !f)
            return YK_ENOMEM;
        for (size_t i = 0; i < n; i++) {
            v[i] = o->log ? log2(r->value[t][i]) - LOG_BELOW : r->value[t][i];
            f[i] = (float)v[i];
        }
        st = yk_gpu_alloc(gpu, n * sizeof *v, &in[t]);
        if (st == YK_OK)
            st = yk_gpu_write(gpu, in[t], o->single ? (const void *)f : v, n * (o->single ? sizeof *f : sizeof *v));
        free(v);
        free(f);
    }
    return st;
}

/* The largest error of a cell as a part of what is allowed; above 1: wrong. */
static double worst(const struct random_bucket *r, const struct yk_gpu_options *o, const void *got,
                    const long double *want)
{
    double terms = 1, most = 0, eps = o->single ? FLT_EPSILON : DBL_EPSILON;
    for (uint32_t i = 0; i < r->b.nsum; i++)
        terms *= r->b.domain[r->b.sum[i]];
    for (size_t i = 0; i < r->b.out.cells; i++) {
        double x = o->single ? (double)((const float *)got)[i] : ((const double *)got)[i], error, allowed;
        if (o->log) {
            /* Logarithms of this size have few digits left behind the point; each sum adds its own rounding. */
            double exact = (double)log2l(want[i]) - (double)LOG_BELOW * r->b.ninputs;
            if (isinf(exact) || isinf(x)) {
                most = isinf(exact) && isinf(x) && x < 0 ? most : INFINITY;
                continue;
            }
            error = fabs(x - exact);
            allowed = eps * (fabs(exact) * (r->b.ninputs + 2) + 4 * terms) + (o->native ? 1e-5 * terms : 0);
        } else {
            error = (double)fabsl(x - want[i]);
            /* inputs of the float variants were rounded once */
            allowed = eps * (terms + 2.0 * r->b.ninputs) * (double)want[i] + (o->single ? FLT_MIN : 0);
        }
        if (!(error <= allowed))
            most = fmax(most, allowed > 0 && !isnan(error) ? error / allowed : INFINITY);
        else if (allowed > 0)
            most = fmax(most, error / allowed);
    }
    return most;
}

/* Status 0: right; 1: wrong; 2: not done, not counted. */
static int one(const struct variant *v, const struct yk_gpu_options *o, uint64_t seed, double states, double *error)
{
    struct random_bucket r;
    random_bucket_init(&r, seed, states);
    yk_gpu_memory in[RANDOM_INPUTS] = {0}, out = 0;
    size_t cell = o->single ? 4 : 8, n = r.b.out.cells;
    long double *want = malloc(n * sizeof *want);
    char *got = malloc((n + 1) * 8);
    int result = 1;
    yk_status st = upload(&r, o, in, &out);
    /* The cell behind the output must stay as it is. */
    memset(got, 0x55, (n + 1) * 8);
    if (st == YK_OK)
        st = yk_gpu_write(gpu, out, got, (n + 1) * cell);
    if (st == YK_OK)
        st = yk_gpu_sumproduct(gpu, &r.b, in, out, o, NULL);
    if (st == YK_ELIMIT) {
        result = 2;
        goto done;
    }
    if (st == YK_OK)
        st = yk_gpu_read(gpu, out, got, (n + 1) * cell);
    if (st != YK_OK) {
        printf("%s, seed %llu: %s\n", v->name, (unsigned long long)seed, yk_status_text(st));
        goto done;
    }
    yk_sumproduct_naive(&r.b, (const double *const *)r.value, want);
    double e = worst(&r, o, got, want);
    *error = fmax(*error, e);
    bool behind = true;
    for (size_t i = n * cell; i < (n + 1) * cell; i++)
        behind = behind && got[i] == 0x55;
    result = e <= 1 && behind ? 0 : 1;
    if (result)
        printf("%s, seed %llu: error %g of what is allowed%s\n", v->name, (unsigned long long)seed, e,
               behind ? "" : "; wrote beyond the output");
done:
    for (uint32_t t = 0; t < r.b.ninputs; t++)
        yk_gpu_free(gpu, in[t]);
    yk_gpu_free(gpu, out);
    random_bucket_finish(&r);
    free(want);
    free(got);
    return result;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"opencl", 1, 0, 'o'},  {"cuda", 1, 0, 'c'},   {"count", 1, 0, 'n'},  {"seed", 1, 0, 's'},
        {"threads", 1, 0, 't'}, {"static", 1, 0, 'k'}, {"states", 1, 0, 'l'}, {0, 0, 0, 0}};
    const char *cl = "0";
    unsigned index, count = 20, fixed = 2, threads = 0;
    int cuda = -1, wrong = 0, done = 0;
    uint64_t seed = 1;
    double states = 12;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        unsigned value = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
        switch (o) {
        case 'o':
            cl = optarg;
            break;
        case 'c':
            cuda = (int)value;
            break;
        case 'n':
            count = value;
            break;
        case 's':
            seed = value;
            break;
        case 't':
            threads = value;
            break;
        case 'k':
            fixed = value;
            break;
        case 'l':
            states = value;
            break;
        default:
            return 2;
        }
    }
    if (getenv("YOKE_NIGHTLY"))
        count *= 10;
    char msg[200] = "no such OpenCL device";
    yk_status st = YK_ENOTFOUND;
    if (cuda >= 0)
        st = yk_gpu_open_cuda((unsigned)cuda, false, &gpu, msg, sizeof msg);
    else {
        const struct yk_machine *m = yk_machine_get(&st);
        if (m)
            st = yk_machine_find(m, cl, &index, msg, sizeof msg);
        if (st == YK_OK)
            st = yk_gpu_open_opencl(&m->device[index], false, &gpu);
    }
    if (st != YK_OK) {
        printf("skipped: %s (%s)\n", msg, yk_status_text(st));
        return st == YK_ENOTFOUND ? 77 : 1;
    }
    printf("%s\n", yk_gpu_name(gpu));
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        double error = 0;
        bool async[2];
        for (int k = 0; k < 2; k++) {
            async[k] = yk_gpu_shape(gpu, k)->async;
            yk_gpu_shape(gpu, k)->async = async[k] || variants[v].ahead;
        }
        int right = 0, left = 0, n[3] = {0};
        if (!variants[v].o.single && !yk_gpu_has_double(gpu)) {
            printf("%-52s not on this device: no double\n", variants[v].name);
            continue;
        }
        for (unsigned i = 0; i < count + fixed; i++) {
            struct yk_gpu_options o = variants[v].o;
            o.generic = i < count;
            o.threads = threads;
            o.unroll = 1u << i % 3;
            if (o.generic)
                o.unroll = 1; /* one kernel */
            n[one(&variants[v], &o, seed++, states, &error)]++;
        }
        for (int k = 0; k < 2; k++)
            yk_gpu_shape(gpu, k)->async = async[k];
        right = n[0];
        left = n[2];
        wrong += n[1];
        done += right;
        printf("%-52s %d right, %d wrong, %d not taken; worst error %.2f of what is allowed\n", variants[v].name, right,
               n[1], left, error);
        fflush(stdout);
    }
    yk_gpu_close(gpu);
    printf("%d right, %d wrong\n", done, wrong);
    return wrong || !done;
}
