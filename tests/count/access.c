/* A plug-in of Oclgrind 21.10 (OCLGRIND_PLUGINS) that writes every access of every work-item to global memory, and what
 * the host reads and writes, to the file YOKE_ACCESS_LOG: what a program's kernels touch as a simulator carries them
 * out, to be held against what yoke moves for them.
 *
 * Oclgrind's plug-ins are C++ classes and Debian packages no header of theirs, so the table of virtual functions is
 * laid out here by hand, as the library's own has it; another version of the library is refused. One thread: the table
 * says that it is not safe for more. */
#include "tests/count/access.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLOBAL = 1, CONSTANT = 2 };                     /* address spaces */
enum { MAP_READ = 1, MAP_WRITE = 2, MAP_DISCARD = 4 }; /* cl_map_flags */
enum { FROM_HOST = (1 << 3) | (1 << 5) };              /* CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR */

struct three {
    size_t v[3];
};

/* Of the library: by value or as a reference, as in C++'s binary interface. */
static unsigned (*memory_space)(const void *memory);
static void *(*memory_pointer)(const void *memory, size_t address);
static struct three (*item_id)(const void *item);
static struct three (*launch_global)(const void *launch);
static struct three (*launch_offset)(const void *launch);
static unsigned (*launch_dims)(const void *launch);
static const void *(*launch_kernel)(const void *launch);
static char *const *(*kernel_name)(const void *kernel); /* a std::string begins with a pointer to its text */

static FILE *file;
static struct three global, offset;
static size_t loaded_from, loaded_size; /* by the host, just now */

static void record(enum access_kind kind, size_t address, size_t size, uint64_t item)
{
    struct access_record r = {kind, (uint32_t)size, address, item};
    loaded_size = 0;
    if (fwrite(&r, sizeof r, 1, file) != 1) {
        perror("access log");
        abort();
    }
}

static bool shared(const void *memory)
{
    unsigned space = memory_space(memory);
    return space == GLOBAL || space == CONSTANT;
}

static void by_item(enum access_kind kind, const void *memory, const void *item, size_t address, size_t size)
{
    if (!shared(memory))
        return;
    struct three id = item_id(item);
    for (int d = 0; d < 3; d++)
        id.v[d] -= offset.v[d];
    record(kind, address, size, (id.v[2] * global.v[1] + id.v[1]) * global.v[0] + id.v[0]);
}

/* async_work_group_copy: no program here has it, and whose access it is would have to be known. */
static void by_group(const void *memory)
{
    if (shared(memory)) {
        fprintf(stderr, "access log: a work-group's own access to global memory is not provided for\n");
        abort();
    }
}

static void destroy(void *self)
{
    (void)self;
}

static void host_load(void *self, const void *memory, size_t address, size_t size)
{
    (void)self;
    if (!shared(memory))
        return;
    record(ACCESS_HOST_LOAD, address, size, 0);
    loaded_from = address;
    loaded_size = size;
}

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static void host_store(void *self, const void *memory, size_t address, size_t size, const unsigned char *bytes)
{
    (void)self;
    if (!shared(memory))
        return;
    /* clEnqueueCopyBuffer loads and then stores the same bytes where they lie. */
    bool copied = loaded_size == size && bytes == memory_pointer(memory, loaded_from);
    size_t from = loaded_from;
    if (copied && fseek(file, -(long)sizeof(struct access_record), SEEK_CUR) != 0)
        abort();
    record(copied ? ACCESS_COPY : ACCESS_HOST_STORE, address, size, copied ? from : hash_of(bytes, size));
}

static void executed(void *self, const void *item, const void *instruction, const void *result)
{
    (void)self, (void)item, (void)instruction, (void)result;
}

static void launch_begin(void *self, const void *launch)
{
    (void)self;
    global = launch_global(launch);
    offset = launch_offset(launch);
    struct access_launch l = {.dims = launch_dims(launch)};
    snprintf(l.kernel, sizeof l.kernel, "%s", *kernel_name(launch_kernel(launch)));
    for (int d = 0; d < 3; d++) {
        l.offset[d] = offset.v[d];
        l.global[d] = global.v[d];
    }
    record(ACCESS_BEGIN, 0, sizeof l, 0);
    if (fwrite(&l, sizeof l, 1, file) != 1)
        abort();
}

static void launch_end(void *self, const void *launch)
{
    (void)self, (void)launch;
    record(ACCESS_END, 0, 0, 0);
}

static void say(void *self, int type, const char *message)
{
    (void)self, (void)type, (void)message;
}

static void allocated(void *self, const void *memory, size_t address, size_t size, unsigned long flags,
                      const void *bytes)
{
    (void)self;
    if (shared(memory))
        record(ACCESS_ALLOCATE, address, size, bytes || (flags & FROM_HOST));
}

static void atomic_load(void *self, const void *memory, const void *item, int op, size_t address, size_t size)
{
    (void)self, (void)op;
    by_item(ACCESS_ATOMIC, memory, item, address, size);
}

static void deallocated(void *self, const void *memory, size_t address)
{
    (void)self;
    if (shared(memory))
        record(ACCESS_FREE, address, 0, 0);
}

static void load(void *self, const void *memory, const void *item, size_t address, size_t size)
{
    (void)self;
    by_item(ACCESS_LOAD, memory, item, address, size);
}

static void group_load(void *self, const void *memory, const void *group, size_t address, size_t size)
{
    (void)self, (void)group, (void)address, (void)size;
    by_group(memory);
}

static void map(void *self, const void *memory, size_t address, size_t at, size_t size, unsigned long flags)
{
    (void)self;
    if (!shared(memory))
        return;
    if (!(flags & MAP_DISCARD))
        record(ACCESS_HOST_LOAD, address + at, size, 0);
    if (flags & (MAP_WRITE | MAP_DISCARD)) /* the device may not touch it before it is unmapped */
        record(ACCESS_HOST_STORE, address + at, size, 0);
}

static void store(void *self, const void *memory, const void *item, size_t address, size_t size, const void *bytes)
{
    (void)self, (void)bytes;
    by_item(ACCESS_STORE, memory, item, address, size);
}

static void group_store(void *self, const void *memory, const void *group, size_t address, size_t size,
                        const void *bytes)
{
    (void)self, (void)group, (void)address, (void)size, (void)bytes;
    by_group(memory);
}

static void unmap(void *self, const void *memory, size_t address, const void *pointer)
{
    (void)self, (void)memory, (void)address, (void)pointer;
}

static void barrier(void *self, const void *group, unsigned flags)
{
    (void)self, (void)group, (void)flags;
}

static void happens(void *self, const void *what)
{
    (void)self, (void)what;
}

static bool is_thread_safe(const void *self)
{
    (void)self;
    return false;
}

typedef void (*entry)(void);
static const entry table[] = {
    (entry)destroy,      (entry)destroy,     (entry)host_load, (entry)host_store,     (entry)executed,
    (entry)launch_begin, (entry)launch_end,  (entry)say,       (entry)allocated,      (entry)atomic_load,
    (entry)atomic_load,  (entry)deallocated, (entry)load,      (entry)group_load,     (entry)map,
    (entry)store,        (entry)group_store, (entry)unmap,     (entry)barrier,        (entry)happens,
    (entry)happens,      (entry)happens,     (entry)happens,   (entry)is_thread_safe,
};

static struct {
    const entry *table;
    const void *context;
} plugin = {table, NULL};

static void look_up(void *library, void *function, const char *symbol)
{
    void *found = dlsym(library, symbol);
    if (!found) {
        fprintf(stderr, "access log: this Oclgrind has no %s\n", symbol);
        exit(1);
    }
    memcpy(function, &found, sizeof found);
}

/** Called by Oclgrind for each context. */
__attribute__((visibility("default"))) void initializePlugins(void *context);
void initializePlugins(void *context)
{
    void *library = dlopen("liboclgrind-21.10.so", RTLD_LAZY | RTLD_NOLOAD);
    const char *path = getenv("YOKE_ACCESS_LOG");
    if (!library || !path || file) {
        fprintf(stderr, "access log: needs Oclgrind 21.10, YOKE_ACCESS_LOG and one context\n");
        exit(1);
    }
    look_up(library, &memory_space, "_ZNK8oclgrind6Memory15getAddressSpaceEv");
    look_up(library, &memory_pointer, "_ZNK8oclgrind6Memory10getPointerEm");
    look_up(library, &item_id, "_ZNK8oclgrind8WorkItem11getGlobalIDEv");
    look_up(library, &launch_global, "_ZNK8oclgrind16KernelInvocation13getGlobalSizeEv");
    look_up(library, &launch_offset, "_ZNK8oclgrind16KernelInvocation15getGlobalOffsetEv");
    look_up(library, &launch_dims, "_ZNK8oclgrind16KernelInvocation10getWorkDimEv");
    look_up(library, &launch_kernel, "_ZNK8oclgrind16KernelInvocation9getKernelEv");
    look_up(library, &kernel_name, "_ZNK8oclgrind6Kernel7getNameB5cxx11Ev");
    void (*add)(void *, void *);
    look_up(library, &add, "_ZN8oclgrind7Context14registerPluginEPNS_6PluginE");
    file = fopen(path, "wbe");
    if (!file) {
        perror(path);
        exit(1);
    }
    plugin.context = context;
    add(context, &plugin);
}

__attribute__((visibility("default"))) void releasePlugins(void *context);
void releasePlugins(void *context)
{
    (void)context;
    if (file && fclose(file) != 0)
        abort();
    file = NULL;
}
