#include "device/machine.h"
#include "base/env.h"
#include "base/log.h"
#include "device/asleep.h"
#include "device/chosen.h"
#include "device/fault/fault.h"
#include "device/opencl/finish.h"
#include "device/opencl/from_host.h"
#include "device/opencl/parents.h"
#include "device/opencl/serial.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_PLATFORMS = 64, TEXT = 1024 };

static void add(const struct yk_cl *cl, cl_platform_id platform, cl_device_id id, struct yk_machine *m)
{
    if (m->n == YK_MAX_DEVICES) {
        yk_warn_once("only the first %d OpenCL devices are used", YK_MAX_DEVICES);
        return;
    }
    struct yk_device *d = &m->device[m->n];
    if (!yk_device_query(cl, platform, id, d)) {
        yk_info("a device of a platform does not answer and is ignored");
        return;
    }
    d->index = m->n++;
}

static void add_or_cut(const struct yk_cl *cl, cl_platform_id platform, cl_device_id id, const char *parts,
                       struct yk_machine *m)
{
    cl_device_id part[YK_MAX_DEVICES];
    cl_device_type type = 0;
    unsigned n = 0;
    cl->GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (parts && type & CL_DEVICE_TYPE_CPU) {
        n = yk_device_cut(cl, id, parts, part, YK_MAX_DEVICES);
        if (!n)
            yk_info("a CPU device cannot be cut into %s parts and is used whole", parts);
    }
    if (!n)
        add(cl, platform, id, m);
    for (unsigned i = 0; i < n; i++)
        add(cl, platform, part[i], m);
}

/* The devices of PLATFORM as an earlier process has kept them. False: there are none. */
static bool add_asleep(const struct yk_cl *cl, cl_platform_id platform, struct yk_machine *m)
{
    cl_device_id id[YK_MAX_DEVICES];
    struct yk_asleep_host host[YK_MAX_DEVICES];
    unsigned n = 0;
    const struct yk_cl *table = yk_asleep(cl, platform, id, host, &n);
    for (unsigned i = 0; table && i < n; i++) {
        unsigned at = m->n;
        add(table, platform, id[i], m);
        if (m->n == at)
            continue;
        m->device[at].asleep = true;
        m->device[at].untried = !host[i].tried;
        m->device[at].in_host = m->device[at].host_memory = host[i].in_host;
        m->device[at].host_align = host[i].align;
    }
    return table != NULL;
}

static void add_platform(const struct yk_cl *cl, cl_platform_id platform, const char *parts, struct yk_machine *m)
{
    cl_uint n = 0;
    cl_device_id *id = NULL;
    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) == CL_SUCCESS && n && n < 4096 &&
        (id = calloc(n, sizeof *id)) && cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, id, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < n; i++)
            add_or_cut(cl, platform, id[i], parts, m);
    free(id);
}

/* "numa" or a number from 1 to YK_MAX_DEVICES; NULL: do not cut. */
static const char *checked_parts(const char *parts)
{
    char *end;
    if (!parts || !strcmp(parts, "numa"))
        return parts;
    long n = strtol(parts, &end, 10);
    if (end == parts || *end || n < 1 || n > YK_MAX_DEVICES) {
        yk_warn("YOKE_CPU_PARTS=%.40s is neither numa nor a number from 1 to %d; devices are used whole", parts,
                YK_MAX_DEVICES);
        return NULL;
    }
    return n > 1 ? parts : NULL;
}

/* Sizes and bytes of the app's data mean the same on all devices, or a device takes no part. */
static void leave_out_the_different(struct yk_machine *m)
{
    const struct yk_device *p = &m->device[m->primary];
    for (unsigned i = 0; i < m->n; i++) {
        struct yk_device *d = &m->device[i];
        if (d->address_bits != p->address_bits)
            yk_chosen_leave_out(d, "its address size differs from the primary's");
        if (d->little_endian != p->little_endian)
            yk_chosen_leave_out(d, "its byte order differs from the primary's");
    }
}

static void number_twins(struct yk_machine *m)
{
    for (unsigned i = 0; i < m->n; i++)
        for (unsigned k = 0; k < i; k++)
            m->device[i].twin += m->device[k].platform == m->device[i].platform;
}

static bool own_memory(const struct yk_device *d)
{
    cl_bool unified = CL_TRUE;
    d->cl->GetDeviceInfo(d->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    return !unified;
}

static void serialise(struct yk_machine *m)
{
    unsigned slot = 0;
    for (unsigned i = 0; i < m->n; i++) {
        struct yk_device *d = &m->device[i];
        enum yk_serial_kind kind = yk_cl_serial_wanted(d->platform_name, d->name);
        if (kind == YK_SERIAL_PARENTS)
            d->cl = yk_cl_parents(d->cl);
        else if (kind)
            d->cl = yk_cl_serial(slot++, kind, d->cl);
        else if (yk_cl_finish_forgets(d->platform_name))
            d->cl = yk_cl_finish(d->cl);
    }
}

/* After the trials: a script counts the calls of the app, not ours. */
static void wrap_faults(struct yk_machine *m, const char *script)
{
    char err[TEXT];
    for (unsigned i = 0; script && i < m->n; i++) {
        const struct yk_cl *cl = yk_cl_fault(i, m->device[i].cl, script, err, sizeof err);
        if (!cl) {
            yk_error("YOKE_FAULT: %s; no faults are made", err);
            return;
        }
        m->device[i].cl = cl;
        bool gpu;
        if (yk_cl_fault_own_memory(i, script, &gpu))
            m->device[i].host_memory = false;
        if (gpu)
            m->device[i].type = (m->device[i].type & ~(cl_device_type)CL_DEVICE_TYPE_CPU) | CL_DEVICE_TYPE_GPU;
    }
}

static struct yk_hash identity(const struct yk_machine *m, const struct yk_machine_settings *s)
{
    struct yk_hash h = yk_hash_str((struct yk_hash){0, 0}, YOKE_VERSION);
    for (unsigned i = 0; i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        const uint32_t number[] = {d->compute_units, d->version, d->usable};
        char version[YK_NAME_MAX * 4];
        yk_platform_string(d->cl, d->platform, CL_PLATFORM_VERSION, version, sizeof version);
        h = yk_hash_str(yk_hash_str(yk_hash_str(h, d->platform_name), version), d->name);
        h = yk_hash_bytes(yk_hash_str(h, d->driver), number, sizeof number);
    }
    h = yk_hash_str(yk_hash_str(h, s->cpu_parts), s->devices);
    return yk_hash_bytes(h, &m->primary, sizeof m->primary);
}

/* One is tried of devices that are alike in all that their driver tells: it costs half a millisecond. */
static void find_host_memory(const struct yk_cl *cl, struct yk_machine *m, unsigned i)
{
    struct yk_device *d = &m->device[i];
    for (unsigned k = 0; k < i; k++) {
        const struct yk_device *o = &m->device[k];
        if (o->platform != d->platform || strcmp(o->name, d->name) || strcmp(o->driver, d->driver) ||
            o->type != d->type || o->mem_align_bits != d->mem_align_bits || o->usable != d->usable)
            continue;
        d->host_align = o->host_align;
        d->in_host = d->host_memory = o->host_memory;
        return;
    }
    d->in_host = d->host_memory = yk_device_host_memory(cl, d, &d->host_align);
}

/* How may devices be asleep in a machine that was found with S? Not where the user has changed any; those that may be
 * named are there. */
static enum yk_sleep may_sleep(const struct yk_machine_settings *s)
{
    if (s->cpu_parts || s->fault)
        return YK_SLEEP_NONE;
    return s->sleep && (s->devices || s->primary || s->memory) ? YK_SLEEP_KEPT : s->sleep;
}

/* Is M one where that pays: a GPU's, whose driver was asked? */
static bool sleep_pays(const struct yk_machine *m)
{
    return m->n && m->device[m->primary].type & CL_DEVICE_TYPE_GPU && !m->device[m->primary].asleep;
}

/* What is kept does not do for who uses such a device. */
static bool uses_untried(const struct yk_machine *m)
{
    bool uses = false;
    for (unsigned i = 0; i < m->n; i++)
        uses |= m->device[i].untried && m->device[i].usable;
    return uses;
}

static yk_status discover_all(const struct yk_cl *cl, const struct yk_machine_settings *s, enum yk_sleep sleep,
                              struct yk_machine *m)
{
    cl_platform_id platform[MAX_PLATFORMS], unasked[MAX_PLATFORMS];
    cl_uint n = 0, without = 0;
    *m = (struct yk_machine){0};
    if (cl->GetPlatformIDs(MAX_PLATFORMS, platform, &n) != CL_SUCCESS)
        n = 0;
    n = n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
    const char *parts = checked_parts(s->cpu_parts);
    for (cl_uint i = 0; i < n; i++) {
        if (sleep && add_asleep(cl, platform[i], m))
            continue;
        if (sleep == YK_SLEEP_UNASKED && yk_asleep_unknown(cl, platform[i]))
            unasked[without++] = platform[i];
        else
            add_platform(cl, platform[i], parts, m);
    }
    if (!m->n && without)
        return discover_all(cl, s, YK_SLEEP_KEPT, m);
    if (!m->n) {
        yk_error("no OpenCL device: %s", n ? "no platform has one" : "the loader finds no driver");
        return YK_ENOTFOUND;
    }
    if (s->devices)
        yk_chosen_devices(m, s->devices);
    bool any = false;
    for (unsigned i = 0; i < m->n; i++) {
        struct yk_device *d = &m->device[i];
        d->speed = yk_device_speed(d, own_memory(d));
        d->numeric_class = i; /* until probed (device/numeric.h), each is a class of its own */
        any = any || d->usable;
    }
    if (!any && without)
        return discover_all(cl, s, YK_SLEEP_KEPT, m);
    if (!any) {
        yk_error("no OpenCL device is left to use: %s is left out (%s)%s", m->device[0].name, m->device[0].why_not,
                 m->n > 1 ? ", and so are all others" : "");
        return YK_ENOTFOUND;
    }
    yk_chosen_primary(m, s->primary);
    bool asleep = false;
    for (unsigned i = 0; i < m->n; i++)
        asleep |= m->device[i].asleep;
    if (asleep && (!sleep_pays(m) || uses_untried(m))) {
        yk_status st = discover_all(cl, s, YK_SLEEP_NONE, m);
        if (st == YK_OK && sleep_pays(m))
            yk_asleep_keep(cl, m);
        return st;
    }
    for (cl_uint i = 0; i < without; i++)
        if (!sleep_pays(m) || !yk_asleep_do_without(unasked[i]))
            return discover_all(cl, s, YK_SLEEP_KEPT, m);
    m->unasked = without > 0;
    if (m->unasked)
        yk_info("a CPU's driver is not asked for its devices yet: this process does without them");
    leave_out_the_different(m);
    number_twins(m);
    for (unsigned i = 0; i < m->n; i++)
        if (!m->device[i].asleep)
            find_host_memory(cl, m, i);
    if (sleep && !asleep && sleep_pays(m))
        yk_asleep_keep(cl, m);
    m->id = identity(m, s);
    yk_chosen_memory(m, s->memory);
    serialise(m);
    for (unsigned i = 0; i < m->n; i++)
        m->device[i].trial = m->device[i].cl;
    wrap_faults(m, s->fault);
    return YK_OK;
}

yk_status yk_machine_discover(const struct yk_cl *cl, const struct yk_machine_settings *s, struct yk_machine *m)
{
    return discover_all(cl, s, may_sleep(s), m);
}

/* Memory of the host may be pinned for a GPU, and for others behind the same table. */
static void ask_before_memory(struct yk_machine *m)
{
    const struct yk_device *p = &m->device[m->primary];
    const struct yk_cl *below = p->cl;
    for (unsigned i = 0; i < m->n && p->type & CL_DEVICE_TYPE_GPU && !p->host_memory; i++)
        if (m->device[i].cl == below)
            m->device[i].cl = yk_cl_from_host(below);
}

static struct yk_machine machine;
static yk_status machine_status;
static enum yk_sleep let_sleep;

void yk_machine_let_sleep(enum yk_sleep how)
{
    let_sleep = how;
}

static void discover(void)
{
    const struct yk_cl *cl = yk_cl_guarded();
    const struct yk_machine_settings s = {yk_env_str("YOKE_DEVICES", NULL),      yk_env_str("YOKE_PRIMARY", NULL),
                                          yk_env_str("YOKE_CPU_PARTS", NULL),    yk_env_str("YOKE_FAULT", NULL),
                                          yk_env_str("YOKE_MEMORY_LIMIT", NULL), let_sleep};
    machine_status = cl ? yk_machine_discover(cl, &s, &machine) : YK_ENOTFOUND; /* no loader: logged */
    if (machine_status == YK_OK)
        ask_before_memory(&machine);
}

const struct yk_machine *yk_machine_get(yk_status *status)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, discover);
    if (status)
        *status = machine_status;
    return machine_status == YK_OK ? &machine : NULL;
}
