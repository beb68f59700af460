/* Programs of several in-order queues that work in the same buffers at once, from a seed: lanes FIRST LAST [images]
 * runs the programs FIRST..LAST, with images too. A plain OpenCL program that knows by itself what is right: in each
 * round every queue (a lane) has a piece of each buffer to itself and does as it likes in it, one to four threads
 * enqueue, and a model on the host says what every read must bring and what the buffers hold in between and in the end.
 * Pieces begin and end at any word, and change with the rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/diff/lanes.h"

enum { LANES = 4, ROUNDS = 4 };

static cl_context context;
static cl_device_id device;
static cl_program program;
static struct lane lanes[LANES];
static unsigned nlanes, nthreads;
static int *memory[BUFFERS + IMAGES];
static bool with_images;
static pthread_barrier_t meeting;

static void meet(void)
{
    pthread_barrier_wait(&meeting);
}

static void *work(void *which)
{
    unsigned first = (unsigned)(uintptr_t)which;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t state = shared.seed * 977u + (unsigned)round * 31u + first; /* which of its lanes goes on */
        for (int i = 0; i < 40; i++) {
            unsigned id = first + nthreads * lanes_draw(&state, LANES);
            if (id < nlanes)
                lanes_operate(&lanes[id], true);
        }
        for (unsigned id = first; id < nlanes; id += nthreads)
            lanes_finish(&lanes[id]);
        meet();
        meet(); /* between the two the pieces change */
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Each lane gets a piece of 8 words and more of each buffer, or one gets all of it. */
static void share_out(uint64_t *state)
{
    for (unsigned b = 0; b < BUFFERS; b++) {
        unsigned owner = lanes_draw(state, nlanes);
        bool alone = lanes_draw(state, 2);
        for (unsigned i = 0; alone && i < nlanes; i++)
            lanes[i].piece[b] = (struct piece){0, i == owner ? CELLS : 0};
        if (alone)
            continue;
        unsigned cut[LANES + 1] = {0}, turn = lanes_draw(state, nlanes), grain = lanes_draw(state, 3) ? 1 : 1024;
        for (unsigned i = 1; i < nlanes; i++)
            cut[i] = lanes_draw(state, CELLS / grain - 1) * grain;
        qsort(cut, nlanes, sizeof *cut, by_value);
        for (unsigned i = 1; i < nlanes; i++)
            if (cut[i] < cut[i - 1] + 8)
                cut[i] = cut[i - 1] + 8;
        cut[nlanes] = CELLS;
        for (unsigned i = 0; i < nlanes; i++)
            lanes[(i + turn) % nlanes].piece[b] = (struct piece){cut[i], cut[i + 1] - cut[i]};
    }
}

/* Rows of the images likewise. */
static void share_out_rows(uint64_t *state)
{
    for (unsigned i = 0; i < IMAGES; i++) {
        unsigned from = 0, turn = lanes_draw(state, nlanes), owner = lanes_draw(state, nlanes);
        bool alone = lanes_draw(state, 2);
        for (unsigned k = 0; k < nlanes; k++) {
            unsigned id = (k + turn) % nlanes, left = HEIGHT - from, rest = nlanes - 1 - k,
                     n = rest ? 1 + lanes_draw(state, left - rest) : left;
            lanes[id].rows[i] = alone ? (struct piece){0, id == owner ? HEIGHT : 0} : (struct piece){from, n};
            from += n;
        }
    }
}

static void look_at_all(const char *when)
{
    static int whole[CELLS];
    for (unsigned b = 0; b < BUFFERS; b++) {
        lanes_check(
            clEnqueueReadBuffer(lanes[0].queue, shared.buffer[b], CL_TRUE, 0, sizeof whole, whole, 0, NULL, NULL),
            "read");
        lanes_compare(NULL, when, whole, shared.model[b], b, 0, CELLS);
    }
    for (unsigned i = 0; i < IMAGES && with_images; i++) {
        const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
        lanes_check(
            clEnqueueReadImage(lanes[0].queue, shared.image[i], CL_TRUE, origin, region, 0, 0, whole, 0, NULL, NULL),
            "read");
        lanes_compare(NULL, when, whole, shared.texels[i], BUFFERS + i, 0, WIDTH * HEIGHT);
    }
}

static void make_image(unsigned i, uint64_t *state)
{
    static const cl_mem_flags kinds[IMAGES] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                               CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    int **at = &memory[BUFFERS + i];
    cl_int err;
    for (int k = 0; k < WIDTH * HEIGHT; k++)
        shared.texels[i][k] = (int)lanes_draw(state, 1u << 20);
    *at = lanes_make(sizeof shared.texels[i]);
    memcpy(*at, shared.texels[i], sizeof shared.texels[i]);
    shared.image[i] = clCreateImage(context, CL_MEM_READ_WRITE | kinds[i], &format, &desc, *at, &err);
    lanes_check(err, "clCreateImage");
}

/* Buffer B: the driver's, over the program's memory wherever that begins, or in memory that the host shares. */
static void make_buffer(unsigned b, uint64_t *state)
{
    static const cl_mem_flags kinds[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
    cl_mem_flags flags = kinds[b % 3];
    cl_int err;
    for (int i = 0; i < CELLS; i++)
        shared.model[b][i] = (int)lanes_draw(state, 1u << 20);
    memory[b] = lanes_make(sizeof shared.model[b]);
    memcpy(memory[b], shared.model[b], sizeof shared.model[b]);
    shared.buffer[b] = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, sizeof shared.model[b], memory[b], &err);
    lanes_check(err, "clCreateBuffer");
}

static void run_program(void)
{
    uint64_t state = shared.seed * 1000003u + 1;
    cl_int err;
    pthread_t thread[LANES];
    lanes_draw(&state, 2);
    nlanes = 2 + lanes_draw(&state, LANES - 1);
    nthreads = 1 + lanes_draw(&state, nlanes);
    for (unsigned b = 0; b < BUFFERS; b++)
        make_buffer(b, &state);
    for (unsigned i = 0; i < IMAGES && with_images; i++)
        make_image(i, &state);
    for (unsigned i = 0; i < nlanes; i++) {
        struct lane *l = &lanes[i];
        *l = (struct lane){.id = i, .state = shared.seed * 7919u + i};
        l->queue = clCreateCommandQueue(context, device, 0, &err);
        lanes_check(err, "clCreateCommandQueue");
        for (int k = 0; k < (with_images ? KERNELS : PAINT); k++) {
            l->kernel[k] = clCreateKernel(program, lanes_names[k], &err);
            lanes_check(err, lanes_names[k]);
        }
    }
    pthread_barrier_init(&meeting, NULL, nthreads + 1);
    share_out(&state);
    share_out_rows(&state);
    for (unsigned i = 0; i < nthreads; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i))
            lanes_check(CL_OUT_OF_HOST_MEMORY, "pthread_create");
    for (int round = 0; round < ROUNDS; round++) {
        meet();
        if (lanes_draw(&state, 2))
            look_at_all("what is there between two rounds");
        share_out(&state);
        share_out_rows(&state);
        meet();
    }
    for (unsigned i = 0; i < nthreads; i++)
        pthread_join(thread[i], NULL);
    look_at_all("the end");
    pthread_barrier_destroy(&meeting);
    for (unsigned i = 0; i < nlanes; i++) {
        for (int k = 0; k < (with_images ? KERNELS : PAINT); k++)
            lanes_check(clReleaseKernel(lanes[i].kernel[k]), "clReleaseKernel");
        lanes_check(clReleaseCommandQueue(lanes[i].queue), "clReleaseCommandQueue");
    }
    for (unsigned b = 0; b < BUFFERS; b++) {
        lanes_check(clReleaseMemObject(shared.buffer[b]), "clReleaseMemObject");
        free(memory[b]);
    }
    for (unsigned i = 0; i < IMAGES && with_images; i++) {
        lanes_check(clReleaseMemObject(shared.image[i]), "clReleaseMemObject");
        free(memory[BUFFERS + i]);
    }
}

static void CL_CALLBACK say(const char *text, const void *private_info, size_t size, void *data)
{
    (void)private_info;
    (void)size;
    (void)data;
    fprintf(stderr, "lanes: program %u: the driver says: %s\n", shared.seed, text);
}

static void set_up(void)
{
    cl_platform_id platform;
    const char *text[] = {lanes_source, lanes_texels_source};
    cl_int err;
    lanes_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    lanes_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, say, NULL, &err);
    lanes_check(err, "clCreateContext");
    program = clCreateProgramWithSource(context, with_images ? 2 : 1, text, NULL, &err);
    lanes_check(err, "clCreateProgramWithSource");
    lanes_check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    for (int i = 0; i < INDICES; i++)
        shared.indices[i] = (i * 397 + 11) % INDICES;
    shared.index =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof shared.indices, shared.indices, &err);
    lanes_check(err, "clCreateBuffer");
}

int main(int argc, char **argv)
{
    with_images = argc == 4 && !strcmp(argv[3], "images");
    if (argc != 3 + with_images) {
        fprintf(stderr, "usage: lanes FIRST LAST [images]\n");
        return 2;
    }
    unsigned first = (unsigned)atoi(argv[1]), last = (unsigned)atoi(argv[2]);
    set_up();
    for (shared.seed = first; shared.seed <= last && !shared.failed; shared.seed++)
        run_program();
    return shared.failed;
}
