#include "device/asleep_record.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/record.h"
#include "device/machine.h"

enum { VERSION = 1, MOST_BYTES = 1 << 16, MOST_ANSWER = 1 << 13, UNTRIED = 2 };

const struct yk_asleep_question yk_asleep_asked[YK_ASLEEP_ASKED] = {
    {CL_DEVICE_TYPE, false},
    {CL_DEVICE_NAME, false},
    {CL_DEVICE_VENDOR, false},
    {CL_DRIVER_VERSION, false},
    {CL_DEVICE_VERSION, false},
    {CL_DEVICE_OPENCL_C_VERSION, false},
    {CL_DEVICE_EXTENSIONS, false},
    {CL_DEVICE_VENDOR_ID, false},
    {CL_DEVICE_MAX_COMPUTE_UNITS, false},
    {CL_DEVICE_ADDRESS_BITS, false},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, true},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, false},
    {CL_DEVICE_ENDIAN_LITTLE, false},
    {CL_DEVICE_SINGLE_FP_CONFIG, false},
    {CL_DEVICE_DOUBLE_FP_CONFIG, false},
    {CL_DEVICE_HALF_FP_CONFIG, false},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, false},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, false},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, false},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, false},
    {CL_DEVICE_IMAGE_SUPPORT, false},
    {CL_DEVICE_GLOBAL_MEM_SIZE, true},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, true},
    {CL_DEVICE_LOCAL_MEM_SIZE, false},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, true},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, false},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, false},
    {CL_DEVICE_AVAILABLE, false},
    {CL_DEVICE_COMPILER_AVAILABLE, false},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, false},
};

static const struct yk_record_kind records = {
    .folder = "asleep", .lost = "CPU devices are made ready at each start", .most = MOST_BYTES};

/* Of what steers drivers and this process as a whole, as it was before any of them was asked: those asked may change
 * the environment. What a process before this one was left with by that does not count. */
static struct yk_hash surroundings(void)
{
    static const char *const prefix[] = {"POCL_", "CL_", "SYCL_", "DPCPP_", "HWLOC_", "OCL_"};
    static struct yk_hash h;
    static bool known;
    cpu_set_t set;
    if (known)
        return h;
    known = true;
    const long number[] = {VERSION, YK_ASLEEP_ASKED, sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_PHYS_PAGES)};
    h = yk_hash_bytes(yk_hash_str((struct yk_hash){0, 0}, YOKE_VERSION), number, sizeof number);
    for (char **e = environ; e && *e; e++)
        for (unsigned i = 0; i < sizeof prefix / sizeof *prefix; i++)
            if (!strncmp(*e, prefix[i], strlen(prefix[i])) && strcmp(*e, YK_POCL_SETS "=" YK_POCL_SETS_TO) != 0)
                h = yk_hash_str(h, *e);
    CPU_ZERO(&set);
    if (!sched_getaffinity(0, sizeof set, &set))
        h = yk_hash_bytes(h, &set, sizeof set);
    return h;
}

struct yk_hash yk_asleep_key(const struct yk_cl *cl, cl_platform_id platform)
{
    static const cl_platform_info text[] = {CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION};
    char value[1024];
    struct yk_hash h = surroundings();
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
        yk_platform_string(cl, platform, text[i], value, sizeof value);
        h = yk_hash_str(h, value);
    }
    return h;
}

bool yk_asleep_ask(const struct yk_cl *cl, cl_device_id id, cl_device_info what, struct yk_asleep_answer *a)
{
    *a = (struct yk_asleep_answer){.bytes = NULL};
    a->err = cl->GetDeviceInfo(id, what, 0, NULL, &a->size);
    if (a->err != CL_SUCCESS) {
        a->size = 0;
        return true;
    }
    if (a->size > MOST_ANSWER || !(a->bytes = calloc(1, a->size + 1)))
        return false;
    a->err = cl->GetDeviceInfo(id, what, a->size, a->bytes, NULL);
    return true;
}

void yk_asleep_put(struct yk_hash key, const struct yk_cl *below, const cl_device_id *id,
                   const struct yk_asleep_host *host, unsigned n)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    bool ok = f != NULL;
    if (f)
        fwrite(&n, sizeof n, 1, f);
    for (unsigned i = 0; ok && i < n; i++) {
        uint64_t memory[2] = {host[i].tried ? host[i].in_host : UNTRIED, host[i].align};
        fwrite(memory, sizeof memory, 1, f);
        for (unsigned k = 0; ok && k < YK_ASLEEP_ASKED; k++) {
            struct yk_asleep_answer a;
            ok = yk_asleep_ask(below, id[i], yk_asleep_asked[k].what, &a);
            int32_t head[2] = {a.err, (int32_t)a.size};
            fwrite(head, sizeof head, 1, f);
            fwrite(a.bytes ? a.bytes : "", 1, a.size, f);
            free(a.bytes);
        }
    }
    if (f) {
        fflush(f);
        struct yk_hash check = yk_hash_bytes((struct yk_hash){0, 0}, bytes, size);
        fwrite(&check, sizeof check, 1, f);
    }
    if (f && !fclose(f) && ok)
        yk_record_put(&records, key, bytes, size);
    free(bytes);
}

/* Up to N bytes from *AT into OUT. */
static bool take(const char **at, const char *end, void *out, size_t n)
{
    if ((size_t)(end - *at) < n)
        return false;
    memcpy(out, *at, n);
    *at += n;
    return true;
}

static bool take_device(const char **at, const char *end, struct yk_asleep_kept *d)
{
    uint64_t memory[2];
    int32_t head[2];
    if (!take(at, end, memory, sizeof memory) || memory[0] > UNTRIED || !memory[1] || memory[1] > 4096)
        return false;
    d->host = (struct yk_asleep_host){memory[0] == 1, memory[0] != UNTRIED, memory[1]};
    for (unsigned k = 0; k < YK_ASLEEP_ASKED; k++) {
        struct yk_asleep_answer *a = &d->answer[k];
        if (!take(at, end, head, sizeof head) || head[1] < 0 || head[1] > MOST_ANSWER ||
            !(a->bytes = calloc(1, (size_t)head[1] + 1)) || !take(at, end, a->bytes, (size_t)head[1]))
            return false;
        a->err = head[0];
        a->size = (size_t)head[1];
    }
    return true;
}

static void forget_answers(struct yk_asleep_kept *d)
{
    for (unsigned k = 0; k < YK_ASLEEP_ASKED; k++) {
        free(d->answer[k].bytes);
        d->answer[k] = (struct yk_asleep_answer){.bytes = NULL};
    }
}

unsigned yk_asleep_get(struct yk_hash key, struct yk_asleep_kept *kept)
{
    size_t size = 0;
    struct yk_hash check;
    char *bytes = yk_record_get(&records, key, &size);
    const char *at = bytes, *end = bytes && size > sizeof check ? bytes + size - sizeof check : NULL;
    unsigned n = 0;
    bool good = false;
    if (end) {
        struct yk_hash is = yk_hash_bytes((struct yk_hash){0, 0}, bytes, size - sizeof check);
        memcpy(&check, end, sizeof check);
        good = is.lo == check.lo && is.hi == check.hi && take(&at, end, &n, sizeof n) && n && n <= YK_MAX_DEVICES;
        for (unsigned i = 0; good && i < n; i++)
            good = take_device(&at, end, &kept[i]);
        good = good && at == end;
    }
    if (bytes && !good) {
        for (unsigned i = 0; i < YK_MAX_DEVICES; i++)
            forget_answers(&kept[i]);
        yk_record_reject(&records, key);
    }
    free(bytes);
    return good ? n : 0;
}

void yk_asleep_reject(struct yk_hash key)
{
    yk_record_reject(&records, key);
}

static struct yk_hash key_without(struct yk_hash key)
{
    return yk_hash_str(key, "without");
}

bool yk_asleep_was_without(struct yk_hash key)
{
    size_t n;
    char *kept = yk_record_get(&records, key_without(key), &n);
    free(kept);
    return kept != NULL;
}

bool yk_asleep_put_without(struct yk_hash key)
{
    yk_record_put(&records, key_without(key), "", 1);
    return yk_asleep_was_without(key);
}
