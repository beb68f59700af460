/* Everything that OpenCL tells of its objects, one line per question: each clGet*Info function is asked every number of
 * the specification's and the vendors' ranges, of objects made in every way there is. Handles are printed by name, so
 * that two runs of one program can be compared line by line. A plain OpenCL program that knows nothing of yoke; the
 * objects are made in queries_memory.c and queries_code.c. */
#include "tests/shim/queries.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 512, MOST_BYTES = 1 << 16 };

static struct {
    const void *handle;
    char text[64];
} names[MOST_NAMES];
static unsigned nnames;

void name_handle(const void *handle, const char *text)
{
    if (!handle || nnames == MOST_NAMES)
        return;
    names[nnames].handle = handle;
    snprintf(names[nnames++].text, sizeof names->text, "%s", text);
}

static const char *named(const void *handle)
{
    for (unsigned i = nnames; handle && i--;) /* the newest: addresses are used again */
        if (names[i].handle == handle)
            return names[i].text;
    return NULL;
}

static bool is_text(const unsigned char *v, size_t n)
{
    if (n < 2 || v[n - 1])
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        if (!isprint(v[i]) && !isspace(v[i]))
            return false;
    return true;
}

static void print_value(const unsigned char *v, size_t n)
{
    if (is_text(v, n)) {
        putchar('"');
        for (size_t i = 0; i + 1 < n; i++)
            putchar(v[i] == '\n' ? '|' : v[i]);
        putchar('"');
        return;
    }
    for (size_t i = 0; i < n;) {
        const void *p = NULL;
        if (i + sizeof p <= n && i % sizeof p == 0)
            memcpy(&p, v + i, sizeof p);
        const char *text = named(p);
        if (text) {
            printf("@%s ", text);
            i += sizeof p;
        } else {
            printf("%02x%s", v[i], i % 4 == 3 ? " " : "");
            i++;
        }
    }
}

/* The same question with too little room, more than enough, and none: what they say when it is not what it should be.
 */
static void ask_again(getter get, void *object, cl_uint what, const unsigned char *first, size_t n)
{
    static unsigned char again[MOST_BYTES + 64];
    size_t size = 0;
    if (n) {
        cl_int err = get(object, what, n - 1, again, NULL);
        printf(" less %d", err);
    }
    memset(again, 0xa7, n + 64);
    cl_int err = get(object, what, n + 32, again, &size);
    if (err != CL_SUCCESS || size != n)
        printf(" more %d %zu", err, size);
    else if (memcmp(again, first, n) != 0)
        printf(" again other");
    for (size_t i = n; i < n + 64; i++)
        if (again[i] != 0xa7) {
            printf(" overrun");
            break;
        }
}

static void ask(const char *object_name, getter get, void *object, cl_uint what, bool changing)
{
    static unsigned char v[MOST_BYTES];
    size_t n = 0, again = 0;
    cl_int err = get(object, what, 0, NULL, &n);
    printf("%s 0x%04x ", object_name, what);
    if (err != CL_SUCCESS) {
        printf("error %d\n", err);
        return;
    }
    printf("size %zu ", n);
    if (n > sizeof v) {
        printf("large\n");
        return;
    }
    memset(v, 0, sizeof v);
    err = get(object, what, n, v, &again);
    if (err != CL_SUCCESS || again != n)
        printf("then %d %zu ", err, again);
    else if (changing)
        printf("changing");
    else
        print_value(v, n);
    if (!changing)
        ask_again(get, object, what, v, n);
    putchar('\n');
}

void ask_all(const char *object_name, getter get, void *object, const struct range *ranges)
{
    for (; ranges->to; ranges++)
        for (cl_uint what = ranges->from; what <= ranges->to; what++)
            ask(object_name, get, object, what, ranges->changing);
    fflush(stdout);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

static const struct range platform_ranges[] = {{0x08f0, 0x092f, false}, {0x0930, 0x0931, false}, {0}};
static const struct range device_ranges[] = {
    {0x0ff0, 0x10ff, false}, {0x1290, 0x12af, false}, {0x4000, 0x42ff, false}, {0}};
static const struct range context_ranges[] = {{0x1080, 0x1098, false}, {0x2000, 0x2020, false}, {0}};

static cl_int of_platform(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetPlatformInfo(o, what, n, v, ret);
}

static cl_int of_device(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetDeviceInfo(o, what, n, v, ret);
}

static cl_int of_context(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetContextInfo(o, what, n, v, ret);
}

/* Formats may come in any order, but not others. */
static int by_format(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(cl_image_format));
}

static void ask_formats(cl_context context)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_BUFFER,        CL_MEM_OBJECT_IMAGE1D,        CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D_ARRAY, 0};
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_WRITE_ONLY,
                                         CL_MEM_KERNEL_READ_AND_WRITE,
                                         0,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY};
    cl_image_format f[256];
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned j = 0; j < sizeof flags / sizeof *flags; j++) {
            cl_uint n = 0;
            cl_int err = clGetSupportedImageFormats(context, flags[j], types[i], 0, NULL, &n);
            printf("formats 0x%x 0x%llx: %d %u ", types[i], (unsigned long long)flags[j], err, n);
            if (err == CL_SUCCESS && n && n <= 256) {
                err = clGetSupportedImageFormats(context, flags[j], types[i], n, f, NULL);
                qsort(f, n, sizeof *f, by_format);
                for (cl_uint k = 0; k < n; k++)
                    printf(" %x:%x", f[k].image_channel_order, f[k].image_channel_data_type);
            }
            say(" %d", err);
        }
    cl_image_format one;
    say("formats room for none: %d", clGetSupportedImageFormats(context, 1, CL_MEM_OBJECT_IMAGE2D, 0, &one, NULL));
}

static void CL_CALLBACK notified(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
}

static void ask_contexts(cl_platform_id platform, cl_device_id device)
{
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                          CL_CONTEXT_INTEROP_USER_SYNC, CL_FALSE, 0},
                                empty[] = {0};
    const cl_context_properties *lists[] = {NULL, empty, list};
    const char *const how[] = {"context", "context-empty", "context-list"};
    for (int i = 0; i < 3; i++)
        for (int type = 0; type < 2; type++) {
            cl_int err = 77;
            cl_context c = type ? clCreateContextFromType(lists[i], CL_DEVICE_TYPE_ALL, notified, &err, &err)
                                : clCreateContext(lists[i], 1, &device, NULL, NULL, &err);
            char name[32];
            snprintf(name, sizeof name, "%s%s", how[i], type ? "-type" : "");
            say("%s made %d", name, err);
            if (!c)
                continue;
            name_handle(c, name);
            ask_all(name, of_context, c, context_ranges);
            clReleaseContext(c);
        }
}

/* Without an object each function has its own error. */
static void ask_of_nothing(void)
{
    static const struct range one[] = {{1, 1, false}, {0}};
    ask_all("no-device", of_device, NULL, one);
    ask_all("no-context", of_context, NULL, one);
    cl_ulong a, b;
    say("timers of none: %d %d", clGetDeviceAndHostTimer(NULL, &a, &b), clGetHostTimer(NULL, &a));
}

int main(void)
{
    cl_platform_id platform[4];
    cl_device_id device;
    cl_uint n = 0;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    cl_int err = clGetPlatformIDs(4, platform, &n);
    say("platforms %d %u", err, n);
    if (err != CL_SUCCESS || clGetDeviceIDs(platform[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    name_handle(platform[0], "platform");
    name_handle(device, "device");
    static const cl_device_type types[] = {CL_DEVICE_TYPE_DEFAULT,
                                           CL_DEVICE_TYPE_CPU,
                                           CL_DEVICE_TYPE_GPU,
                                           CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CUSTOM,
                                           CL_DEVICE_TYPE_ALL,
                                           0,
                                           (cl_device_type)1 << 20};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        cl_device_id d = NULL;
        n = 77;
        err = clGetDeviceIDs(platform[0], types[i], 1, &d, &n);
        say("devices of type 0x%llx: %d %s", (unsigned long long)types[i], err, err ? "" : named(d));
    }
    ask_all("platform", of_platform, platform[0], platform_ranges);
    ask_all("device", of_device, device, device_ranges);
    cl_ulong a = 0, b = 0;
    err = clGetDeviceAndHostTimer(device, &a, &b);
    say("timers: %d %d, %d", err, a && b, clGetHostTimer(device, &a));
    say("timers without room: %d %d", clGetDeviceAndHostTimer(device, NULL, &b), clGetHostTimer(device, NULL));
    ask_of_nothing();
    ask_contexts(platform[0], device);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (!context)
        return 1;
    name_handle(context, "the-context");
    ask_formats(context);
    ask_of_memory(context, device);
    ask_of_code(context, device);
    return 0;
}
