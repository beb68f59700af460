#include "device/numeric.h"
#include "base/lock.h"
#include "base/log.h"
#include "device/machine.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Changing the probe or the key makes old results useless: then change this. */
static const char probe_version[] = "probe 1";

unsigned yk_numeric_class(const struct yk_device *d)
{
    return __atomic_load_n(&d->numeric_class, __ATOMIC_ACQUIRE);
}

static void set_class(const struct yk_device *d, unsigned class)
{
    /* Machines are constant but for this field (see the header). */
    unsigned *field = (unsigned *)(uintptr_t)&d->numeric_class;
    __atomic_store_n(field, class, __ATOMIC_RELEASE);
}

/* Without faults; not the loader's own table: the device may be asleep. */
static const struct yk_cl *table_of(const struct yk_device *d)
{
    return d->trial ? d->trial : d->cl;
}

static struct yk_hash add_string(struct yk_hash h, const struct yk_device *d, cl_device_info what)
{
    char text[1024];
    yk_device_string(table_of(d), d->id, what, text, sizeof text);
    return yk_hash_str(h, text);
}

static struct yk_hash add_number(struct yk_hash h, const struct yk_device *d, cl_device_info what)
{
    uint64_t value[2] = {0, 0}; /* 4 or 8 bytes; the size tells an absent one */
    size_t size = 0;
    table_of(d)->GetDeviceInfo(d->id, what, sizeof value, value, &size);
    value[1] = size;
    return yk_hash_bytes(h, value, sizeof value);
}

struct yk_hash yk_numeric_key(const struct yk_device *d)
{
    static const cl_device_info number[] = {CL_DEVICE_SINGLE_FP_CONFIG,
                                            CL_DEVICE_DOUBLE_FP_CONFIG,
                                            CL_DEVICE_HALF_FP_CONFIG,
                                            CL_DEVICE_VENDOR_ID,
                                            CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                                            CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                                            CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
                                            CL_DEVICE_ADDRESS_BITS,
                                            CL_DEVICE_ENDIAN_LITTLE};
    char version[1024];
    struct yk_hash h = yk_hash_str((struct yk_hash){0, 0}, d->platform_name);
    yk_platform_string(table_of(d), d->platform, CL_PLATFORM_VERSION, version, sizeof version);
    h = yk_hash_str(yk_hash_str(h, version), d->driver);
    h = yk_hash_bytes(h, &d->type, sizeof d->type);
    h = add_string(h, d, CL_DEVICE_OPENCL_C_VERSION);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        h = add_number(h, d, number[i]);
    /* All CPU devices of a machine are the same processor; their names and versions tell how work is spread over its
     * cores (PoCL's basic and pthread), which is nothing numeric. */
    if (!(d->type & CL_DEVICE_TYPE_CPU)) {
        h = yk_hash_str(h, d->name);
        h = add_string(h, d, CL_DEVICE_VERSION);
    }
    return h;
}

/* Settings of drivers that change the code they make. */
static struct yk_hash add_environment(struct yk_hash h)
{
    static const char *const prefix[] = {"POCL_", "CL_", "CUDA_", "IGC_", "SYCL_", "DPCPP_"};
    static const char *const harmless[] = {"POCL_DEVICES=", "POCL_CACHE_DIR=", "POCL_DEBUG=", "CUDA_VISIBLE_DEVICES="};
    for (char **e = environ; e && *e; e++) {
        bool counts = false;
        for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
            counts = counts || !strncmp(*e, prefix[i], strlen(prefix[i]));
        for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
            counts = counts && strncmp(*e, harmless[i], strlen(harmless[i])) != 0;
        if (counts)
            h = yk_hash_str(h, *e);
    }
    return h;
}

/* The processor, for results kept on a disk that several machines see. */
static struct yk_hash add_processor(struct yk_hash h)
{
    char line[4096];
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f) && line[0] != '\n') /* the first processor */
        if (!strncmp(line, "model", 5) || !strncmp(line, "stepping", 8) || !strncmp(line, "flags", 5) ||
            !strncmp(line, "microcode", 9) || !strncmp(line, "CPU ", 4) || !strncmp(line, "Features", 8))
            h = yk_hash_str(h, line);
    if (f)
        fclose(f);
    return h;
}

/* Name of the result on disk. NTH: among the devices of the same key, so that each of them is probed. */
static struct yk_hash cache_key(const struct yk_device *d, struct yk_hash key, unsigned nth)
{
    struct yk_hash h = yk_hash_str(key, probe_version);
    h = yk_hash_bytes(yk_hash_str(h, d->name), &nth, sizeof nth);
    return add_processor(add_environment(add_string(h, d, CL_DEVICE_VERSION)));
}

static bool equal(struct yk_hash a, struct yk_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

struct candidate {
    struct yk_hash key, result;
    bool known; /* result is valid */
};

/* Classes are dense and in the order of the devices; unknown devices are alone. */
static void publish(const struct yk_machine *m, const struct candidate *c)
{
    unsigned next = 0;
    unsigned class[YK_MAX_DEVICES];
    for (unsigned i = 0; i < m->n; i++) {
        class[i] = ~0u;
        for (unsigned k = 0; k < i && c[i].known && class[i] == ~0u; k++)
            if (c[k].known && equal(c[i].key, c[k].key) && equal(c[i].result, c[k].result))
                class[i] = class[k];
        if (class[i] == ~0u)
            class[i] = next++;
    }
    for (unsigned i = 0; i < m->n; i++)
        set_class(&m->device[i], class[i]);
}

static yk_status probe_all(const struct yk_machine *m)
{
    struct candidate c[YK_MAX_DEVICES] = {{.known = false}};
    yk_status status = YK_OK;
    for (unsigned i = 0; i < m->n; i++)
        if (m->device[i].usable)
            c[i].key = yk_numeric_key(&m->device[i]);
    for (unsigned i = 0; i < m->n; i++) {
        unsigned before = 0, others = 0;
        for (unsigned k = 0; k < m->n; k++)
            if (k != i && m->device[k].usable && equal(c[k].key, c[i].key)) {
                others++;
                before += k < i;
            }
        if (!m->device[i].usable || !others)
            continue;
        struct yk_hash at = cache_key(&m->device[i], c[i].key, before);
        c[i].known = yk_numeric_cache_get(at, &c[i].result);
        if (c[i].known)
            continue;
        yk_status s = yk_numeric_run(&m->device[i], &c[i].result);
        if (s == YK_OK) {
            c[i].known = true;
            yk_numeric_cache_put(at, c[i].result);
        } else {
            status = YK_EDEVICE;
        }
    }
    publish(m, c);
    return status;
}

/* Are all results that probe_all would need on disk? */
static bool all_on_disk(const struct yk_machine *m)
{
    struct yk_hash key[YK_MAX_DEVICES], result;
    for (unsigned i = 0; i < m->n; i++)
        if (m->device[i].usable)
            key[i] = yk_numeric_key(&m->device[i]);
    for (unsigned i = 0; i < m->n; i++) {
        unsigned before = 0, others = 0;
        for (unsigned k = 0; m->device[i].usable && k < m->n; k++)
            if (k != i && m->device[k].usable && equal(key[k], key[i])) {
                others++;
                before += k < i;
            }
        if (others && !yk_numeric_cache_get(cache_key(&m->device[i], key[i], before), &result))
            return false;
    }
    return true;
}

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool busy;
static const struct yk_machine *probed; /* the last machine probed, and what came of it */
static struct yk_hash probed_id;
static yk_status probed_status;

yk_status yk_numeric_probe(const struct yk_machine *m)
{
    yk_lock_take(&lock);
    while (busy)
        yk_lock_wait(&lock, &changed);
    if (probed == m && equal(probed_id, m->id)) {
        yk_status s = probed_status;
        yk_lock_drop(&lock);
        return s;
    }
    busy = true;
    yk_lock_drop(&lock);
    yk_status s = probe_all(m);
    yk_lock_take(&lock);
    probed = m;
    probed_id = m->id;
    probed_status = s;
    busy = false;
    pthread_cond_broadcast(&changed);
    yk_lock_drop(&lock);
    return s;
}

bool yk_numeric_recall(const struct yk_machine *m)
{
    yk_lock_take(&lock);
    bool done = probed == m && equal(probed_id, m->id);
    yk_lock_drop(&lock);
    return (done || all_on_disk(m)) && yk_numeric_probe(m) == YK_OK;
}
