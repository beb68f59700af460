/* Buffers and sub-buffers; what every object owns and how it ends. A buffer lives in its context's first device: in the
 * host's memory (then USE_HOST_PTR is that memory) or in memory of its own that only commands reach. */
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

static cl_int check_flags(cl_mem_flags flags, size_t size, const void *host_ptr)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const cl_mem_flags seen = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    cl_mem_flags a = flags & access, s = flags & seen;
    if ((flags & ~(access | host | seen)) || (a & (a - 1)) || (s & (s - 1)))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_VALUE;
    if (!size)
        return CL_INVALID_BUFFER_SIZE;
    if (!host_ptr != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

/* Memory of the device or of the host for M. Locked. */
/* Of memory that the driver is given to keep it may read whole pages, whoever's the bytes are: no sanitizer looks on.
 */
__attribute__((no_sanitize("address", "thread"))) static void read_kept(char *to, const volatile char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

static cl_int fill(cl_mem m)
{
    cl_device_id d = m->context->device[0];
    m->host = d->host;
    if (m->host && (m->flags & CL_MEM_USE_HOST_PTR)) {
        m->data = m->host_ptr;
        return CL_SUCCESS;
    }
    size_t room = (m->size + STUB_ALIGN - 1) / STUB_ALIGN * STUB_ALIGN;
    if (room > d->memory || d->used > d->memory - room || !(m->data = aligned_alloc(STUB_ALIGN, room)))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    d->used += room;
    m->owns = true;
    m->given = m->host_ptr && !m->host;
    if (m->host_ptr && m->flags & CL_MEM_USE_HOST_PTR)
        read_kept(m->data, m->host_ptr, m->size);
    else if (m->host_ptr)
        memcpy(m->data, m->host_ptr, m->size);
    else
        memset(m->data, 0xa5, room); /* nobody may count on zeroes */
    return CL_SUCCESS;
}

cl_mem stub_impl_CreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *err)
{
    cl_mem m = NULL;
    cl_int rc = check_flags(flags, size, host_ptr);
    stub_enter();
    if (!stub_check(c, STUB_CONTEXT)) {
        rc = CL_INVALID_CONTEXT;
    } else if (rc == CL_SUCCESS) {
        m = stub_make(STUB_MEM, sizeof *m, c->o.device);
        rc = m ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (m) {
        stub_use(c);
        m->context = c;
        m->flags =
            flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) ? flags : flags | CL_MEM_READ_WRITE;
        m->size = size;
        m->host_ptr = host_ptr;
        rc = fill(m);
        if (rc != CL_SUCCESS) {
            stub_unref(m);
            m = NULL;
        } else if (!(flags & CL_MEM_USE_HOST_PTR)) {
            m->host_ptr = NULL;
        }
    }
    stub_leave();
    if (err)
        *err = rc;
    return m;
}

cl_mem stub_impl_CreateBufferWithProperties(cl_context c, const cl_mem_properties *properties, cl_mem_flags flags,
                                            size_t size, void *host_ptr, cl_int *err)
{
    if (!properties || !*properties)
        return stub_impl_CreateBuffer(c, flags, size, host_ptr, err);
    if (err)
        *err = CL_INVALID_PROPERTY;
    return NULL;
}

/* Sub-buffers that the program has, the newest last; and for each device, how many were released while a newer one
 * that overlaps them was there, which NVIDIA's driver does not survive. Under the lock. */
static cl_mem subs[256];
static unsigned nsubs;
static long disorder[STUB_DEVICES];

static void sub_made(cl_mem m)
{
    if (nsubs < sizeof subs / sizeof *subs)
        subs[nsubs++] = m;
}

static void sub_released(cl_mem m)
{
    bool found = false;
    for (unsigned i = 0; i < nsubs; i++) {
        const struct _cl_mem *o = subs[i];
        if (found && o->parent == m->parent && o->origin < m->origin + m->size && m->origin < o->origin + o->size)
            disorder[m->o.device]++;
        found |= o == m;
        if (found && i + 1 < nsubs)
            subs[i] = subs[i + 1];
    }
    nsubs -= found;
}

/* What NVIDIA's driver may then lose. Under the lock. */
static long early[STUB_DEVICES];

void stub_mem_used(cl_mem m)
{
    m->used = true;
    if (m->parent && m->parent->given && !m->parent->used)
        early[m->o.device]++;
}

long stub_sub_early(unsigned device)
{
    stub_enter();
    long n = early[device];
    stub_leave();
    return n;
}

long stub_sub_disorder(unsigned device)
{
    stub_enter();
    long n = disorder[device];
    stub_leave();
    return n;
}

/* May a sub-buffer of a buffer with the flags HAS have the flags WANTS? */
static bool widens(cl_mem_flags has, cl_mem_flags wants)
{
    return ((has & CL_MEM_WRITE_ONLY) && (wants & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
           ((has & CL_MEM_READ_ONLY) && (wants & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
           ((has & CL_MEM_HOST_WRITE_ONLY) && (wants & CL_MEM_HOST_READ_ONLY)) ||
           ((has & CL_MEM_HOST_READ_ONLY) && (wants & CL_MEM_HOST_WRITE_ONLY)) ||
           ((has & CL_MEM_HOST_NO_ACCESS) && (wants & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
}

cl_mem stub_impl_CreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                                 cl_int *err)
{
    const cl_buffer_region *r = info;
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    cl_mem m = NULL;
    cl_int rc = CL_SUCCESS;
    stub_enter();
    if (!stub_check(parent, STUB_MEM) || parent->parent)
        rc = CL_INVALID_MEM_OBJECT;
    else if (type != CL_BUFFER_CREATE_TYPE_REGION || !r || (flags & ~(access | host)))
        rc = CL_INVALID_VALUE;
    else if (widens(parent->flags, flags))
        rc = CL_INVALID_VALUE;
    else if (!r->size)
        rc = CL_INVALID_BUFFER_SIZE;
    else if (r->origin > parent->size || r->size > parent->size - r->origin)
        rc = CL_INVALID_VALUE;
    else if (r->origin % STUB_ALIGN)
        rc = CL_MISALIGNED_SUB_BUFFER_OFFSET;
    else if (!(m = stub_make(STUB_MEM, sizeof *m, parent->o.device)))
        rc = CL_OUT_OF_HOST_MEMORY;
    if (m) {
        stub_use(parent);
        stub_use(parent->context);
        m->context = parent->context;
        m->parent = parent;
        m->origin = r->origin;
        m->size = r->size;
        m->host = parent->host;
        m->data = parent->data + r->origin;
        m->host_ptr = parent->host_ptr ? (char *)parent->host_ptr + r->origin : NULL;
        m->flags = flags & access ? flags : flags | (parent->flags & access);
        if (!(flags & host))
            m->flags |= parent->flags & host;
        m->flags |= parent->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
        sub_made(m);
    }
    stub_leave();
    if (err)
        *err = rc;
    return m;
}

cl_int stub_impl_RetainMemObject(cl_mem m)
{
    return stub_retain(m, STUB_MEM, CL_INVALID_MEM_OBJECT);
}

cl_int stub_impl_ReleaseMemObject(cl_mem m)
{
    stub_enter();
    if (stub_check(m, STUB_MEM) && m->parent && m->o.refs == 1)
        sub_released(m);
    stub_leave();
    return stub_release(m, STUB_MEM, CL_INVALID_MEM_OBJECT);
}

cl_int stub_impl_SetMemObjectDestructorCallback(cl_mem m, void (*fn)(cl_mem, void *), void *user)
{
    struct stub_destructor *d = malloc(sizeof *d);
    cl_int rc = !d ? CL_OUT_OF_HOST_MEMORY : !fn ? CL_INVALID_VALUE : CL_INVALID_MEM_OBJECT;
    stub_enter();
    if (d && fn && stub_check(m, STUB_MEM)) {
        *d = (struct stub_destructor){(void (*)(void *, void *))fn, user, m->destructors};
        m->destructors = d;
        d = NULL;
        rc = CL_SUCCESS;
    }
    stub_leave();
    free(d);
    return rc;
}

cl_int stub_impl_GetMemObjectInfo(cl_mem m, cl_mem_info name, size_t size, void *value, size_t *size_ret)
{
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    const cl_bool no = CL_FALSE;
    cl_int rc = CL_INVALID_MEM_OBJECT;
    stub_enter();
    if (stub_check(m, STUB_MEM)) {
        switch (name) {
        case CL_MEM_TYPE:
            rc = stub_answer(&type, sizeof type, size, value, size_ret);
            break;
        case CL_MEM_FLAGS:
            rc = stub_answer(&m->flags, sizeof m->flags, size, value, size_ret);
            break;
        case CL_MEM_SIZE:
            rc = stub_answer(&m->size, sizeof m->size, size, value, size_ret);
            break;
        case CL_MEM_HOST_PTR:
            rc = stub_answer(&m->host_ptr, sizeof m->host_ptr, size, value, size_ret);
            break;
        case CL_MEM_MAP_COUNT:
            rc = stub_answer(&m->maps, sizeof m->maps, size, value, size_ret);
            break;
        case CL_MEM_REFERENCE_COUNT:
            rc = stub_answer(&m->o.refs, sizeof m->o.refs, size, value, size_ret);
            break;
        case CL_MEM_CONTEXT:
            rc = stub_answer(&m->context, sizeof m->context, size, value, size_ret);
            break;
        case CL_MEM_ASSOCIATED_MEMOBJECT:
            rc = stub_answer(&m->parent, sizeof m->parent, size, value, size_ret);
            break;
        case CL_MEM_OFFSET:
            rc = stub_answer(&m->origin, sizeof m->origin, size, value, size_ret);
            break;
        case CL_MEM_USES_SVM_POINTER:
            rc = stub_answer(&no, sizeof no, size, value, size_ret);
            break;
        case CL_MEM_PROPERTIES:
            rc = stub_answer(NULL, 0, size, value, size_ret);
            break;
        default:
            rc = CL_INVALID_VALUE;
        }
    }
    stub_leave();
    return rc;
}

static void destruct(struct stub_destructor *d, void *object)
{
    while (d) {
        struct stub_destructor *next = d->next;
        d->fn(object, d->user);
        free(d);
        d = next;
    }
}

/* Leaves the lock alone while an app's destructor runs, takes it to let go of what the object used. */
void stub_destroy(struct stub_object *o)
{
    void *used[2] = {NULL, NULL};
    switch (o->kind) {
    case STUB_CONTEXT:
        destruct(((cl_context)o)->destructors, o);
        break;
    case STUB_QUEUE:
        used[0] = ((cl_command_queue)o)->context;
        break;
    case STUB_MEM: {
        cl_mem m = (cl_mem)o;
        destruct(m->destructors, m);
        while (m->map) {
            struct stub_map *map = m->map;
            m->map = map->next;
            if (map->staged)
                free(map->ptr);
            free(map);
        }
        if (m->owns) {
            free(m->data);
            stub_enter();
            m->context->device[0]->used -= (m->size + STUB_ALIGN - 1) / STUB_ALIGN * STUB_ALIGN;
            stub_leave();
        }
        used[0] = m->parent;
        used[1] = m->context;
        break;
    }
    case STUB_PROGRAM: {
        cl_program p = (cl_program)o;
        free(p->source);
        free(p->options);
        free(p->log);
        used[0] = p->context;
        break;
    }
    case STUB_KERNEL:
        used[0] = ((cl_kernel)o)->program;
        break;
    case STUB_EVENT:
        used[0] = ((cl_event)o)->queue;
        used[1] = ((cl_event)o)->context;
        break;
    default:
        stub_die("an object of no kind ends");
    }
    free(o);
    stub_enter();
    for (int i = 0; i < 2; i++)
        if (used[i])
            stub_unuse(used[i]);
    stub_leave();
}
