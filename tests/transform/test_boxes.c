/* What variants are for: a kernel launched whole from the app's source, and box by box from the variant, leaves the
 * same bytes. On a real device (PoCL's `basic`), for every "// run" line of the corpus, cut at random. */
#include <CL/cl.h>
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"

enum { BUFFER = 64 << 10, ARGS = 16, CUTS = 4 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static struct yk_transform_target target;
static unsigned seed;
static int runs, needed, blind; /* blind: runs in which the original would have been wrong in boxes */

#define CL(call) ck_assert_msg((call) == CL_SUCCESS, "%s", #call)

struct run {
    char kernel[64];
    unsigned dims;
    size_t global[3], local[3], offset[3];
    bool left_open; /* the launch leaves the local size to the driver, the boxes have it all the same */
    bool whole;     /* then it is not to be cut */
};

/* "f global=8,6 local=4,3 offset=1,2", "f global=96 local=NULL" (boxes of a local size of 4), "... local=NULL whole" */
static void parse_run(const char *line, struct run *r)
{
    *r = (struct run){.dims = 0};
    char copy[512], *save;
    snprintf(copy, sizeof copy, "%s", line);
    snprintf(r->kernel, sizeof r->kernel, "%s", strtok_r(copy, " ", &save));
    for (char *w; (w = strtok_r(NULL, " ", &save));) {
        size_t *v = !strncmp(w, "global=", 7) ? r->global : !strncmp(w, "local=", 6) ? r->local : r->offset;
        char *eq = strchr(w, '=');
        if (!eq) {
            ck_assert_msg(!strcmp(w, "whole"), "%s: what is %s?", line, w);
            r->whole = true;
            continue;
        }
        if (!strcmp(eq, "=NULL")) {
            r->left_open = true;
            r->local[0] = r->local[1] = r->local[2] = 4;
            continue;
        }
        unsigned n = 0;
        for (char *p = eq; p && n < 3; p = strchr(p, ','))
            v[n++] = strtoul(++p, NULL, 10);
        if (v == r->global)
            r->dims = n;
    }
    ck_assert_msg(r->dims, "%s", line);
}

/* NULL where the device does not take it and MAY_FAIL is set. */
static cl_program build(const char *text, size_t n, const char *options, bool may_fail)
{
    cl_int e;
    cl_program p = clCreateProgramWithSource(context, 1, &text, &n, &e);
    ck_assert_int_eq(e, CL_SUCCESS);
    e = clBuildProgram(p, 1, &device, options, NULL, NULL);
    if (e && may_fail) {
        clReleaseProgram(p);
        return NULL;
    }
    if (e) {
        static char log[10000];
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        ck_abort_msg("build: %d\n%s\n%s", e, log, text);
    }
    return p;
}

struct memory {
    cl_mem buffer[ARGS];
    unsigned char *bytes[ARGS]; /* as they are after the run */
};

static void fill(void *at, const char *type)
{
    unsigned s = 7;
    for (size_t i = 0; i < BUFFER / 4; i++) {
        int x = rand_r(&s) % 100;
        if (strstr(type, "float"))
            ((float *)at)[i] = (float)x / 7;
        else
            ((int *)at)[i] = x;
    }
}

static cl_kernel make_kernel(cl_program p, const struct yk_facts_kernel *k, struct memory *m)
{
    static unsigned char init[BUFFER];
    cl_int e;
    cl_kernel kernel = clCreateKernel(p, k->name, &e);
    ck_assert_int_eq(e, CL_SUCCESS);
    ck_assert_uint_le(k->nargs, ARGS);
    for (unsigned i = 0; i < k->nargs; i++) {
        const struct yk_facts_arg *a = &k->arg[i];
        if (a->kind == YK_ARG_GLOBAL || a->kind == YK_ARG_CONSTANT) {
            fill(init, a->type);
            m->buffer[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BUFFER, init, &e);
            ck_assert_int_eq(e, CL_SUCCESS);
            CL(clSetKernelArg(kernel, i, sizeof m->buffer[i], &m->buffer[i]));
        } else if (a->kind == YK_ARG_LOCAL) {
            CL(clSetKernelArg(kernel, i, 4096, NULL));
        } else {
            int v[64] = {3, 3, 3, 3};
            float f = 1.5f;
            ck_assert_int_eq(a->kind, YK_ARG_VALUE);
            CL(clSetKernelArg(kernel, i, a->size, !strcmp(a->type, "float") ? (void *)&f : v));
        }
    }
    return kernel;
}

static void take(const struct yk_facts_kernel *k, struct memory *m)
{
    CL(clFinish(queue));
    for (unsigned i = 0; i < k->nargs; i++)
        if (m->buffer[i]) {
            m->bytes[i] = malloc(BUFFER);
            CL(clEnqueueReadBuffer(queue, m->buffer[i], CL_TRUE, 0, BUFFER, m->bytes[i], 0, NULL, NULL));
            clReleaseMemObject(m->buffer[i]);
        }
}

/* Returns whether X and Y hold the same; frees both. */
static bool same(const struct yk_facts_kernel *k, struct memory *x, const struct memory *y)
{
    bool equal = true;
    for (unsigned i = 0; i < k->nargs; i++)
        if (x->bytes[i])
            equal = equal && !memcmp(x->bytes[i], y->bytes[i], BUFFER);
    for (unsigned i = 0; i < k->nargs; i++)
        free(x->bytes[i]);
    return equal;
}

struct box {
    size_t first[3], count[3]; /* groups */
};

static cl_ulong hidden_value(const struct run *r, const struct box *b, const struct yk_facts_hidden *h)
{
    if (h->dim >= r->dims)
        return h->kind == YK_HIDDEN_NUM_GROUPS || h->kind == YK_HIDDEN_GLOBAL_SIZE;
    switch (h->kind) {
    case YK_HIDDEN_GROUP_OFFSET:
        return b->first[h->dim];
    case YK_HIDDEN_NUM_GROUPS:
        return r->global[h->dim] / r->local[h->dim];
    case YK_HIDDEN_GLOBAL_SIZE:
        return r->global[h->dim];
    default:
        return r->offset[h->dim];
    }
}

static void launch_box(cl_kernel kernel, const struct yk_facts_kernel *k, const struct run *r, const struct box *b,
                       bool hidden)
{
    size_t offset[3], global[3];
    for (unsigned d = 0; d < r->dims; d++) {
        offset[d] = r->offset[d] + b->first[d] * r->local[d];
        global[d] = b->count[d] * r->local[d];
    }
    for (unsigned i = 0; hidden && i < k->nhidden; i++) {
        cl_ulong v = hidden_value(r, b, &k->hidden[i]);
        CL(clSetKernelArg(kernel, k->nargs + i, sizeof v, &v));
    }
    CL(clEnqueueNDRangeKernel(queue, kernel, r->dims, offset, global, r->local, 0, NULL, NULL));
}

/* Cut B at random and launch the parts in random order. */
static void launch_parts(cl_kernel kernel, const struct yk_facts_kernel *k, const struct run *r, struct box b,
                         int depth, bool hidden)
{
    unsigned d = (unsigned)rand_r(&seed) % r->dims;
    if (depth == 0 || b.count[d] < 2) {
        launch_box(kernel, k, r, &b, hidden);
        return;
    }
    size_t at = 1 + (unsigned)rand_r(&seed) % (b.count[d] - 1);
    struct box part[2] = {b, b};
    part[0].count[d] = at;
    part[1].first[d] += at;
    part[1].count[d] -= at;
    int order = rand_r(&seed) & 1;
    launch_parts(kernel, k, r, part[order], depth - 1, hidden);
    launch_parts(kernel, k, r, part[!order], depth - 1, hidden);
}

static struct memory run_boxes(cl_program p, const struct yk_facts_kernel *k, const struct run *r, bool hidden)
{
    struct memory m = {{0}, {0}};
    struct box all = {{0}, {0}};
    cl_kernel kernel = make_kernel(p, k, &m);
    for (unsigned d = 0; d < r->dims; d++)
        all.count[d] = r->global[d] / r->local[d];
    launch_parts(kernel, k, r, all, 3, hidden);
    take(k, &m);
    clReleaseKernel(kernel);
    return m;
}

static void check_run(const struct corpus_file *f, const struct yk_facts_kernel *k, const struct run *r,
                      cl_program original, cl_program variant)
{
    struct memory whole = {{0}, {0}};
    cl_kernel kernel = make_kernel(original, k, &whole);
    CL(clEnqueueNDRangeKernel(queue, kernel, r->dims, r->offset, r->global, r->left_open ? NULL : r->local, 0, NULL,
                              NULL));
    take(k, &whole);
    clReleaseKernel(kernel);
    for (int i = 0; i < CUTS; i++) {
        unsigned used = seed;
        struct memory boxes = run_boxes(k->needs_variant ? variant : original, k, r, true);
        ck_assert_msg(same(k, &boxes, &whole), "%s: %s: boxes differ from the whole (seed %u)", f->path, k->name, used);
        runs++;
    }
    /* The same without the variant: shows that the comparison sees anything. */
    if (k->needs_variant) {
        struct memory boxes = run_boxes(original, k, r, false);
        needed++;
        blind += same(k, &boxes, &whole);
    }
    same(k, &whole, &whole);
}

static void ask_device(cl_device_info what, void *v, size_t n)
{
    CL(clGetDeviceInfo(device, what, n, v, NULL));
}

/* What the device shows to a program's preprocessor. */
static void describe(struct yk_transform_target *t)
{
    static char c_version[256], version[256], extensions[8192];
    cl_uint bits;
    cl_bool little, images;
    ask_device(CL_DEVICE_OPENCL_C_VERSION, c_version, sizeof c_version);
    ask_device(CL_DEVICE_VERSION, version, sizeof version);
    ask_device(CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    ask_device(CL_DEVICE_ADDRESS_BITS, &bits, sizeof bits);
    ask_device(CL_DEVICE_ENDIAN_LITTLE, &little, sizeof little);
    ask_device(CL_DEVICE_IMAGE_SUPPORT, &images, sizeof images);
    *t = (struct yk_transform_target){c_version, version, extensions, "test", bits, little, images};
    fprintf(stderr, "device: %s, %s\n", version, c_version);
}

static void open_device(void)
{
    cl_platform_id platform;
    setenv("POCL_DEVICES", "basic", 1);
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_int e;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    ck_assert_int_eq(e, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &e);
    ck_assert_int_eq(e, CL_SUCCESS);
}

/* "// not Oclgrind": a driver that such a text would crash. */
static bool not_for(const struct corpus_file *f)
{
    char word[64];
    bool not = false;
    for (const char *at = f->text; corpus_next(&at, "not", word, sizeof word);)
        not |= strstr(target.version, word) != NULL;
    return not ;
}

static void check_file(const struct corpus_file *f)
{
    struct yk_facts facts;
    char line[512];
    cl_program original = NULL, variant = NULL;
    corpus_facts_for(f, &target, &facts);
    for (const char *at = f->text; corpus_next(&at, "run", line, sizeof line);) {
        struct run r;
        parse_run(line, &r);
        const struct yk_facts_kernel *k = yk_facts_find(&facts, r.kernel);
        ck_assert_msg(k && k->verdict != YK_VERDICT_WHOLE, "%s: %s: %s", f->path, r.kernel,
                      k ? k->reason : facts.refused);
        ck_assert_msg(r.left_open || !r.whole, "%s: %s: why should it not be cut?", f->path, r.kernel);
        if (r.left_open)
            ck_assert_msg(k->local_size_matters == r.whole, "%s: %s", f->path, r.kernel);
        if (r.whole)
            continue;
        if (!original && !not_for(f))
            original = build(f->text, f->size, f->options, true);
        if (!original) {
            fprintf(stderr, "%s: not for this device\n", f->path);
            break;
        }
        if (!variant && facts.variant_source)
            variant = build(facts.variant_source, facts.variant_size, facts.variant_options, false);
        check_run(f, k, &r, original, variant);
    }
    if (original)
        clReleaseProgram(original);
    if (variant)
        clReleaseProgram(variant);
    yk_facts_finish(&facts);
}

START_TEST(boxes_leave_the_bytes_of_the_whole)
{
    static struct corpus_file files[64];
    const char *given = getenv("YOKE_TEST_SEED");
    seed = given ? (unsigned)atoi(given) : 1;
    open_device();
    describe(&target);
    int n = corpus_files(files, 64);
    for (int i = 0; i < n; i++) {
        check_file(&files[i]);
        free(files[i].text);
    }
    fprintf(stderr, "%d runs in boxes equal; of %d without their variant %d differ\n", runs, needed, needed - blind);
    ck_assert_int_gt(runs, 30);
    ck_assert_int_gt(needed - blind, needed / 2);
}
END_TEST

YK_TEST_MAIN("boxes", boxes_leave_the_bytes_of_the_whole)
