/* Threads that build programs, run their kernels, make buffers and release them on one device, in one context, all at
 * once: what yoke's background builds do beside an application's launches. Through the device's table, which keeps
 * apart what its driver cannot do at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/device.h"

enum { THREADS = 4, ROUNDS = 6, BUFFERS = 400, ITEMS = 64, TEXT = 4096 };

static const struct yk_device *d;
static cl_context context;

/* Enough of a program to keep a compiler busy; different in each round. */
static void write_source(char *text, unsigned seed)
{
    char *p = text + sprintf(text, "kernel void k(global uint *out) { uint x = get_global_id(0) + %u;\n", seed);
    for (unsigned i = 0; i < 40; i++)
        p += sprintf(p, "if (x & %u) x = x * %uu + %uu; else x ^= x >> %u;\n", 1u << i % 7, 2 * i + 3, seed + i,
                     i % 5 + 1);
    sprintf(p, "out[get_global_id(0)] = x; }\n");
}

static unsigned expected(unsigned item, unsigned seed)
{
    unsigned x = item + seed;
    for (unsigned i = 0; i < 40; i++)
        x = x & 1u << i % 7 ? x * (2 * i + 3) + seed + i : x ^ x >> (i % 5 + 1);
    return x;
}

static bool build_and_run(unsigned seed)
{
    const struct yk_cl *cl = d->cl;
    char text[TEXT];
    const char *source = text;
    unsigned out[ITEMS];
    size_t items = ITEMS;
    cl_int err;
    write_source(text, seed);
    cl_program p = cl->CreateProgramWithSource(context, 1, &source, NULL, &err);
    bool ok = p && cl->BuildProgram(p, 1, &d->id, NULL, NULL, NULL) == CL_SUCCESS;
    cl_kernel k = ok ? cl->CreateKernel(p, "k", &err) : NULL;
    cl_command_queue q = cl->CreateCommandQueue(context, d->id, 0, &err);
    cl_mem m = cl->CreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    ok = k && q && m && cl->SetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS &&
         cl->EnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS &&
         cl->EnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) == CL_SUCCESS;
    for (unsigned i = 0; ok && i < ITEMS; i++)
        ok = out[i] == expected(i, seed);
    if (m)
        cl->ReleaseMemObject(m);
    if (q)
        cl->ReleaseCommandQueue(q);
    if (k)
        cl->ReleaseKernel(k);
    if (p)
        cl->ReleaseProgram(p);
    return ok;
}

/* Buffers made from memory and read, some alive at a time, while other threads' kernels run. */
static bool make_and_read(unsigned seed)
{
    enum { ALIVE = 8 };
    const struct yk_cl *cl = d->cl;
    cl_int err;
    cl_command_queue q = cl->CreateCommandQueue(context, d->id, 0, &err);
    cl_mem buffer[ALIVE] = {NULL};
    bool ok = q != NULL;
    for (unsigned i = 0; ok && i < BUFFERS; i++) {
        cl_mem *m = &buffer[i % ALIVE];
        unsigned in[ITEMS] = {seed, i}, out[ITEMS] = {0};
        if (*m)
            cl->ReleaseMemObject(*m);
        *m = cl->CreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof in, in, &err);
        ok = *m && cl->EnqueueReadBuffer(q, *m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) == CL_SUCCESS &&
             !memcmp(in, out, sizeof in);
    }
    for (unsigned i = 0; i < ALIVE; i++)
        if (buffer[i])
            cl->ReleaseMemObject(buffer[i]);
    if (q)
        cl->ReleaseCommandQueue(q);
    return ok;
}

static void *work(void *arg)
{
    unsigned thread = *(unsigned *)arg, wrong = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        wrong += !build_and_run(thread * 1000 + i) || !make_and_read(thread * 1000 + i);
    *(unsigned *)arg = wrong;
    return NULL;
}

int main(void)
{
    yk_status status;
    const struct yk_machine *m = yk_machine_get(&status);
    if (!m) {
        printf("FAILED: %s\n", yk_status_text(status));
        return 1;
    }
    cl_int err;
    d = &m->device[m->primary];
    context = d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err);
    pthread_t thread[THREADS];
    unsigned wrong[THREADS], all = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        wrong[i] = i;
        if (pthread_create(&thread[i], NULL, work, &wrong[i]))
            return 1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        all += wrong[i];
    }
    printf("%s: %u of %u builds and launches wrong\n", d->name, all, (unsigned)(THREADS * ROUNDS));
    return all ? 1 : 0;
}
