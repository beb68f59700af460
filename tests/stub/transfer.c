/* Commands on bytes: read, write, copy, fill, rectangles, map. */
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

struct box { /* origins and pitches in bytes */
    size_t origin[3], row, slice;
};

struct job {
    char *to, *from; /* bases; of a fill: from is NULL */
    struct box to_box, from_box;
    size_t region[3];
    size_t pattern_size;
    unsigned char pattern[128];
};

static size_t at(const struct box *b, size_t y, size_t z)
{
    return b->origin[0] + (b->origin[1] + y) * b->row + (b->origin[2] + z) * b->slice;
}

static cl_int run_copy(struct stub_command *c)
{
    const struct job *j = (const struct job *)c->payload;
    for (size_t z = 0; z < j->region[2]; z++)
        for (size_t y = 0; y < j->region[1]; y++)
            memmove(j->to + at(&j->to_box, y, z), j->from + at(&j->from_box, y, z), j->region[0]);
    return CL_SUCCESS;
}

static cl_int run_fill(struct stub_command *c)
{
    const struct job *j = (const struct job *)c->payload;
    for (size_t i = 0; i < j->region[0]; i += j->pattern_size)
        memcpy(j->to + j->to_box.origin[0] + i, j->pattern, j->pattern_size);
    return CL_SUCCESS;
}

/* One buffer's side of a command: live, of the queue's context, host access allowed. */
static cl_int check_mem(cl_command_queue q, cl_mem m, cl_mem_flags forbidden)
{
    if (!stub_check(m, STUB_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (m->context != q->context)
        return CL_INVALID_CONTEXT;
    return m->flags & forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static bool inside(size_t offset, size_t size, size_t room)
{
    return size && offset <= room && size <= room - offset;
}

/* Pitches of a rectangle: 0 means tight. */
static bool pitches(struct box *b, const size_t region[3])
{
    if (!b->row)
        b->row = region[0];
    if (!b->slice)
        b->slice = region[1] * b->row;
    return b->row >= region[0] && b->slice >= region[1] * b->row && b->slice % b->row == 0;
}

static bool box_inside(const struct box *b, const size_t region[3], size_t room)
{
    return inside(at(b, region[1] - 1, region[2] - 1), region[0], room);
}

static cl_int submit(cl_command_queue q, cl_int (*run)(struct stub_command *), const struct job *j, cl_mem a, cl_mem b,
                     bool transfer, cl_command_type type, bool blocking, cl_uint n, const cl_event *wait,
                     cl_event *event)
{
    struct stub_command *c = stub_command(run, j, sizeof *j);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->transfer = transfer;
    c->bytes = j->region[0] * j->region[1] * j->region[2];
    stub_mem_use(c, a);
    if (b)
        stub_mem_use(c, b);
    return stub_submit(q, c, type, blocking, n, wait, event);
}

/* Read and write, linear or rectangular: HOST is the program's side. */
static cl_int host_copy(cl_command_queue q, cl_mem m, bool read, bool blocking, struct box mem, struct box host,
                        const size_t *region, char *ptr, cl_command_type type, cl_uint n, const cl_event *wait,
                        cl_event *event)
{
    const cl_mem_flags forbidden = CL_MEM_HOST_NO_ACCESS | (read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, m, forbidden);
    if (rc == CL_SUCCESS && (!ptr || !region || !region[0] || !region[1] || !region[2] || !pitches(&mem, region) ||
                             !pitches(&host, region) || !box_inside(&mem, region, m->size)))
        rc = CL_INVALID_VALUE;
    if (rc == CL_SUCCESS) {
        struct job j = {.region = {region[0], region[1], region[2]}};
        j.to = read ? ptr : m->data;
        j.from = read ? m->data : ptr;
        j.to_box = read ? host : mem;
        j.from_box = read ? mem : host;
        rc = submit(q, run_copy, &j, m, NULL, true, type, blocking, n, wait, event);
    }
    stub_leave();
    return rc;
}

static char *unconst(const void *p)
{
    return (char *)(uintptr_t)p;
}

cl_int stub_impl_EnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                   void *ptr, cl_uint n, const cl_event *wait, cl_event *event)
{
    return host_copy(q, m, true, blocking, (struct box){.origin = {offset}}, (struct box){{0}, 0, 0},
                     (size_t[3]){size, 1, 1}, ptr, CL_COMMAND_READ_BUFFER, n, wait, event);
}

cl_int stub_impl_EnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                    const void *ptr, cl_uint n, const cl_event *wait, cl_event *event)
{
    return host_copy(q, m, false, blocking, (struct box){.origin = {offset}}, (struct box){{0}, 0, 0},
                     (size_t[3]){size, 1, 1}, unconst(ptr), CL_COMMAND_WRITE_BUFFER, n, wait, event);
}

static struct box make_box(const size_t *origin, size_t row, size_t slice)
{
    return (struct box){{origin[0], origin[1], origin[2]}, row, slice};
}

cl_int stub_impl_EnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *mem_origin,
                                       const size_t *host_origin, const size_t *region, size_t mem_row,
                                       size_t mem_slice, size_t host_row, size_t host_slice, void *ptr, cl_uint n,
                                       const cl_event *wait, cl_event *event)
{
    if (!mem_origin || !host_origin)
        return CL_INVALID_VALUE;
    return host_copy(q, m, true, blocking, make_box(mem_origin, mem_row, mem_slice),
                     make_box(host_origin, host_row, host_slice), region, ptr, CL_COMMAND_READ_BUFFER_RECT, n, wait,
                     event);
}

cl_int stub_impl_EnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *mem_origin,
                                        const size_t *host_origin, const size_t *region, size_t mem_row,
                                        size_t mem_slice, size_t host_row, size_t host_slice, const void *ptr,
                                        cl_uint n, const cl_event *wait, cl_event *event)
{
    if (!mem_origin || !host_origin)
        return CL_INVALID_VALUE;
    return host_copy(q, m, false, blocking, make_box(mem_origin, mem_row, mem_slice),
                     make_box(host_origin, host_row, host_slice), region, unconst(ptr), CL_COMMAND_WRITE_BUFFER_RECT, n,
                     wait, event);
}

static cl_int copy(cl_command_queue q, cl_mem from, cl_mem to, struct box from_box, struct box to_box,
                   const size_t *region, cl_command_type type, cl_uint n, const cl_event *wait, cl_event *event)
{
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, from, 0);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, to, 0);
    if (rc == CL_SUCCESS && (!region || !region[0] || !region[1] || !region[2] || !pitches(&from_box, region) ||
                             !pitches(&to_box, region) || !box_inside(&from_box, region, from->size) ||
                             !box_inside(&to_box, region, to->size)))
        rc = CL_INVALID_VALUE;
    if (rc == CL_SUCCESS && type == CL_COMMAND_COPY_BUFFER) {
        const char *a = from->data + from_box.origin[0], *b = to->data + to_box.origin[0];
        if (a < b + region[0] && b < a + region[0])
            rc = CL_MEM_COPY_OVERLAP;
    }
    if (rc == CL_SUCCESS) {
        struct job j = {.to = to->data,
                        .from = from->data,
                        .to_box = to_box,
                        .from_box = from_box,
                        .region = {region[0], region[1], region[2]}};
        rc = submit(q, run_copy, &j, from, to, false, type, false, n, wait, event);
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_EnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                   size_t size, cl_uint n, const cl_event *wait, cl_event *event)
{
    return copy(q, from, to, (struct box){.origin = {from_offset}}, (struct box){.origin = {to_offset}},
                (size_t[3]){size, 1, 1}, CL_COMMAND_COPY_BUFFER, n, wait, event);
}

cl_int stub_impl_EnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                       const size_t *to_origin, const size_t *region, size_t from_row,
                                       size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,
                                       const cl_event *wait, cl_event *event)
{
    if (!from_origin || !to_origin)
        return CL_INVALID_VALUE;
    return copy(q, from, to, make_box(from_origin, from_row, from_slice), make_box(to_origin, to_row, to_slice), region,
                CL_COMMAND_COPY_BUFFER_RECT, n, wait, event);
}

cl_int stub_impl_EnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size,
                                   size_t offset, size_t size, cl_uint n, const cl_event *wait, cl_event *event)
{
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, m, 0);
    if (rc == CL_SUCCESS && (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)) ||
                             offset % pattern_size || size % pattern_size || !inside(offset, size, m->size)))
        rc = CL_INVALID_VALUE;
    if (rc == CL_SUCCESS) {
        struct job j = {
            .to = m->data, .to_box = {.origin = {offset}}, .region = {size, 1, 1}, .pattern_size = pattern_size};
        memcpy(j.pattern, pattern, pattern_size);
        rc = submit(q, run_fill, &j, m, NULL, false, CL_COMMAND_FILL_BUFFER, false, n, wait, event);
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_EnqueueMigrateMemObjects(cl_command_queue q, cl_uint n_mem, const cl_mem *mem,
                                          cl_mem_migration_flags flags, cl_uint n, const cl_event *wait,
                                          cl_event *event)
{
    const struct job nothing = {.region = {0, 0, 0}};
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS &&
        (!n_mem || !mem || (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))))
        rc = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n_mem && rc == CL_SUCCESS; i++)
        rc = check_mem(q, mem[i], 0);
    if (rc == CL_SUCCESS)
        rc = submit(q, NULL, &nothing, mem[0], NULL, false, CL_COMMAND_MIGRATE_MEM_OBJECTS, false, n, wait, event);
    stub_leave();
    return rc;
}

void *stub_impl_EnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset,
                                 size_t size, cl_uint n, const cl_event *wait, cl_event *event, cl_int *err)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const cl_mem_flags forbidden = CL_MEM_HOST_NO_ACCESS | (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
                                   (flags & ~(cl_map_flags)CL_MAP_READ ? CL_MEM_HOST_READ_ONLY : 0);
    struct stub_map *map = NULL;
    void *ptr = NULL;
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, m, forbidden);
    if (rc == CL_SUCCESS &&
        ((flags & ~known) || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && flags != CL_MAP_WRITE_INVALIDATE_REGION) ||
         !inside(offset, size, m->size)))
        rc = CL_INVALID_VALUE;
    if (rc == CL_SUCCESS && !(map = calloc(1, sizeof *map)))
        rc = CL_OUT_OF_HOST_MEMORY;
    if (rc == CL_SUCCESS) {
        *map = (struct stub_map){.offset = offset, .size = size, .flags = flags};
        if (m->host)
            map->ptr = m->data + offset;
        else if (m->host_ptr)
            map->ptr = (char *)m->host_ptr + offset;
        else if ((map->ptr = aligned_alloc(STUB_ALIGN, (size + STUB_ALIGN - 1) / STUB_ALIGN * STUB_ALIGN)))
            map->staged = true;
        ptr = map->ptr;
        struct job j = {.to = ptr, .from = m->data + offset, .region = {size, 1, 1}};
        bool moves = !m->host && !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
        rc = !ptr ? CL_MAP_FAILURE
                  : submit(q, moves ? run_copy : NULL, &j, m, NULL, moves, CL_COMMAND_MAP_BUFFER, blocking, n, wait,
                           event);
    }
    if (rc == CL_SUCCESS) {
        map->next = m->map;
        m->map = map;
        m->maps++;
    } else if (map) {
        if (map->staged)
            free(map->ptr);
        free(map);
        ptr = NULL;
    }
    stub_leave();
    if (err)
        *err = rc;
    return ptr;
}

static cl_int run_unmap(struct stub_command *c)
{
    const struct job *j = (const struct job *)c->payload;
    if (j->region[0])
        memcpy(j->to, j->from, j->region[0]);
    if (j->pattern_size)
        free(j->from);
    return CL_SUCCESS;
}

cl_int stub_impl_EnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *ptr, cl_uint n, const cl_event *wait,
                                       cl_event *event)
{
    struct stub_map **link = NULL;
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS)
        rc = check_mem(q, m, 0);
    if (rc == CL_SUCCESS) {
        for (link = &m->map; *link && (*link)->ptr != ptr; link = &(*link)->next)
            ;
        rc = *link ? CL_SUCCESS : CL_INVALID_VALUE;
    }
    if (rc == CL_SUCCESS) {
        struct stub_map *map = *link;
        bool writes = !m->host && (map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
        struct job j = {.to = m->data + map->offset,
                        .from = map->ptr,
                        .region = {writes ? map->size : 0, 1, 1},
                        .pattern_size = map->staged}; /* staged memory ends with the command */
        rc = submit(q, run_unmap, &j, m, NULL, writes, CL_COMMAND_UNMAP_MEM_OBJECT, false, n, wait, event);
        if (rc == CL_SUCCESS) {
            *link = map->next;
            m->maps--;
            free(map);
        }
    }
    stub_leave();
    return rc;
}
