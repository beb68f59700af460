/* The host decides after each level, from a flag of four bytes that it clears and reads with blocking calls, whether to
 * go on; flags that several work-items, and work-groups, set to the same value. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

#include "bfs.cl.h"

#define LOCAL  256
#define DEGREE 6

static const struct app_spec spec = {
    .name = "bfs",
    .what = "breadth-first search in a random graph",
    .unit = "nodes",
    .sizes = {{"small", 4000}, {"table2", 1000000}, {"table2x16", 16000000}},
    .min = 2,
    .max = 1u << 28,
    .multiple = 1,
    .repeat = 1,
    .repeat_unit = "searches, each from another node",
};

struct graph {
    cl_uint n, *first_edge, *edges;
};

/* Each node has 0 to 2 DEGREE edges, most to nodes nearby, so that a search takes several levels. */
static struct graph make_graph(size_t n)
{
    struct graph g = {(cl_uint)n, app_alloc((n + 1) * sizeof(cl_uint)), NULL};
    uint64_t seed = 14;
    for (size_t i = 0; i < n; i++) {
        g.first_edge[i + 1] = g.first_edge[i] + (cl_uint)(app_random(&seed) % (2 * DEGREE + 1));
    }
    size_t count = g.first_edge[n];
    g.edges = app_alloc((count + 1) * sizeof(cl_uint));
    for (size_t i = 0; i < n; i++) {
        for (cl_uint e = g.first_edge[i]; e < g.first_edge[i + 1]; e++) {
            uint64_t r = app_random(&seed);
            g.edges[e] = (cl_uint)(r % 8 == 0 ? (r >> 3) % n : (i + (r >> 3) % 1000 + n - 500 % n) % n);
        }
    }
    return g;
}

static cl_uint source_of(unsigned search, size_t n)
{
    return (cl_uint)(search * (size_t)7919 % n);
}

/* A queue of nodes, each visited once. */
static void search_plainly(const struct graph *g, cl_uint source, int *depth)
{
    cl_uint *queue = app_alloc(g->n * sizeof(cl_uint));
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < g->n; i++) {
        depth[i] = -1;
    }
    depth[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        cl_uint node = queue[head++];
        for (cl_uint e = g->first_edge[node]; e < g->first_edge[node + 1]; e++) {
            if (depth[g->edges[e]] < 0) {
                depth[g->edges[e]] = depth[node] + 1;
                queue[tail++] = g->edges[e];
            }
        }
    }
    free(queue);
}

struct search {
    cl_command_queue queue;
    cl_kernel expand, settle;
    cl_mem frontier, visited, next, depth, more;
};

static void fill(const struct search *s, cl_mem buffer, const void *pattern, size_t size, size_t offset, size_t bytes)
{
    app_check(clEnqueueFillBuffer(s->queue, buffer, pattern, size, offset, bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
}

static void search(const struct search *s, size_t n, cl_uint source)
{
    const cl_uchar no = 0, yes = 1;
    const cl_int unreached = -1, zero = 0;
    fill(s, s->frontier, &no, 1, 0, n);
    fill(s, s->visited, &no, 1, 0, n);
    fill(s, s->next, &no, 1, 0, n);
    fill(s, s->depth, &unreached, 4, 0, n * 4);
    fill(s, s->frontier, &yes, 1, source, 1);
    fill(s, s->visited, &yes, 1, source, 1);
    fill(s, s->depth, &zero, 4, (size_t)source * 4, 4);
    size_t local = LOCAL, global = (n + LOCAL - 1) / LOCAL * LOCAL;
    cl_int more;
    do {
        app_check(clEnqueueWriteBuffer(s->queue, s->more, CL_TRUE, 0, sizeof(zero), &zero, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
        app_check(clEnqueueNDRangeKernel(s->queue, s->expand, 1, NULL, &global, &local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
        app_check(clEnqueueNDRangeKernel(s->queue, s->settle, 1, NULL, &global, &local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
        app_check(clEnqueueReadBuffer(s->queue, s->more, CL_TRUE, 0, sizeof(more), &more, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
    } while (more);
}

int main(int argc, char **argv)
{
    struct app app;
    app_start(&app, &spec, argc, argv);
    size_t n = app.size;
    struct graph g = make_graph(n);
    size_t edge_bytes = ((size_t)g.first_edge[n] + 1) * sizeof(cl_uint);
    int *depth = app_alloc(n * sizeof(int)), *want = app_alloc(n * sizeof(int));

    cl_program program = app_build(&app, kernels, NULL);
    cl_mem first_edge =
        app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, (n + 1) * sizeof(cl_uint), g.first_edge);
    cl_mem edges = app_buffer(&app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, edge_bytes, g.edges);
    struct search s = {
        .queue = app_queue(&app, 0),
        .expand = app_kernel(program, "expand"),
        .settle = app_kernel(program, "settle"),
        .frontier = app_buffer(&app, CL_MEM_READ_WRITE, n, NULL),
        .visited = app_buffer(&app, CL_MEM_READ_WRITE, n, NULL),
        .next = app_buffer(&app, CL_MEM_READ_WRITE, n, NULL),
        .depth = app_buffer(&app, CL_MEM_READ_WRITE, n * sizeof(int), NULL),
        .more = app_buffer(&app, CL_MEM_READ_WRITE, sizeof(cl_int), NULL),
    };
    APP_ARG(s.expand, 0, first_edge);
    APP_ARG(s.expand, 1, edges);
    APP_ARG(s.expand, 2, s.frontier);
    APP_ARG(s.expand, 3, s.visited);
    APP_ARG(s.expand, 4, s.next);
    APP_ARG(s.expand, 5, s.depth);
    APP_ARG(s.expand, 6, g.n);
    APP_ARG(s.settle, 0, s.frontier);
    APP_ARG(s.settle, 1, s.visited);
    APP_ARG(s.settle, 2, s.next);
    APP_ARG(s.settle, 3, s.more);
    APP_ARG(s.settle, 4, g.n);

    app_clock_start(&app);
    for (unsigned k = 0; k < app.repeat; k++) {
        search(&s, n, source_of(k, n));
    }
    app_check(clEnqueueReadBuffer(s.queue, s.depth, CL_TRUE, 0, n * sizeof(int), depth, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    app_clock_stop(&app);

    if (app.verify) {
        search_plainly(&g, source_of(app.repeat - 1, n), want);
        for (size_t i = 0; i < n; i++) {
            if (depth[i] != want[i]) {
                app_wrong(&app, i, depth[i], want[i]);
            }
        }
    }
    cl_mem all[] = {first_edge, edges, s.frontier, s.visited, s.next, s.depth, s.more};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        clReleaseMemObject(all[i]);
    }
    clReleaseKernel(s.expand);
    clReleaseKernel(s.settle);
    clReleaseProgram(program);
    clReleaseCommandQueue(s.queue);
    int status = app_end(&app, depth, n * sizeof(int));
    free(g.first_edge);
    free(g.edges);
    free(depth);
    free(want);
    return status;
}
