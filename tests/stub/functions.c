/* The C kernels. A test's OpenCL C text must name one of these; the text beside each is what it computes. */
#include <string.h>
#include "tests/stub/stub.h"

/* kernel void vadd(global const float *a, global const float *b, global float *c)
 * { size_t i = get_global_id(0); c[i] = a[i] + b[i]; } */
static void vadd(const struct stub_item *i, void *const *arg)
{
    const float *a = arg[0], *b = arg[1];
    ((float *)arg[2])[i->global[0]] = a[i->global[0]] + b[i->global[0]];
}

/* kernel void iota(global uint *out) { out[get_global_id(0)] = get_global_id(0); } */
static void iota(const struct stub_item *i, void *const *arg)
{
    ((uint32_t *)arg[0])[i->global[0]] = (uint32_t)i->global[0];
}

/* kernel void scale_inplace(global float *a, float f) { a[get_global_id(0)] *= f; } */
static void scale_inplace(const struct stub_item *i, void *const *arg)
{
    ((float *)arg[0])[i->global[0]] *= *(float *)arg[1];
}

/* kernel void copy(global const uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = in[i]; } */
static void copy(const struct stub_item *i, void *const *arg)
{
    ((uint32_t *)arg[1])[i->global[0]] = ((const uint32_t *)arg[0])[i->global[0]];
}

/* kernel void ids(global uint *out): 3-D; for item (x, y, z) of the range without its offset, at
 * 8 * ((z * size1 + y) * size0 + x): global ids 0..2, local id 0, group ids 0..2, number of groups 0. */
static void ids(const struct stub_item *i, void *const *arg)
{
    size_t x = i->global[0] - i->offset[0], y = i->global[1] - i->offset[1], z = i->global[2] - i->offset[2];
    uint32_t *out = (uint32_t *)arg[0] + 8 * ((z * i->global_size[1] + y) * i->global_size[0] + x);
    const size_t v[8] = {i->global[0], i->global[1], i->global[2], i->local[0],
                         i->group[0],  i->group[1],  i->group[2],  i->groups[0]};
    for (int n = 0; n < 8; n++)
        out[n] = (uint32_t)v[n];
}

/* kernel void fill2d(global uint *out, uint width) { out[get_global_id(1) * width + get_global_id(0)] =
 * 1000 * get_global_id(1) + get_global_id(0); } */
static void fill2d(const struct stub_item *i, void *const *arg)
{
    ((uint32_t *)arg[0])[i->global[1] * *(uint32_t *)arg[1] + i->global[0]] =
        (uint32_t)(1000 * i->global[1] + i->global[0]);
}

/* kernel void stencil(global const float *in, global float *out, uint n) { size_t i = get_global_id(0);
 * out[i] = 0.25f * in[i ? i - 1 : 0] + 0.5f * in[i] + 0.25f * in[i + 1 < n ? i + 1 : n - 1]; } */
static void stencil(const struct stub_item *i, void *const *arg)
{
    const float *in = arg[0];
    size_t x = i->global[0], n = *(uint32_t *)arg[2];
    ((float *)arg[1])[x] = 0.25f * in[x ? x - 1 : 0] + 0.5f * in[x] + 0.25f * in[x + 1 < n ? x + 1 : n - 1];
}

/* kernel void count_up(global uint *n) { atomic_inc(n); } */
static void count_up(const struct stub_item *i, void *const *arg)
{
    (void)i;
    __atomic_fetch_add((uint32_t *)arg[0], 1, __ATOMIC_RELAXED);
}

/* kernel void set_flag(global const uint *in, global uint *flag) { if (in[get_global_id(0)] > 9) *flag = 1; } */
static void set_flag(const struct stub_item *i, void *const *arg)
{
    if (((const uint32_t *)arg[0])[i->global[0]] > 9)
        __atomic_store_n((uint32_t *)arg[1], 1, __ATOMIC_RELAXED);
}

/* kernel void group_sum(global const uint *in, global uint *out, local uint *scratch): out[group] = sum of the group.
 */
static void group_sum(const struct stub_item *i, void *const *arg)
{
    const uint32_t *in = (const uint32_t *)arg[0] + i->offset[0] + i->group[0] * i->local_size[0];
    uint32_t *scratch = arg[2];
    *scratch = 0;
    for (size_t n = 0; n < i->local_size[0]; n++)
        *scratch += in[n];
    ((uint32_t *)arg[1])[i->group[0]] = *scratch;
}

/* The numeric probe of device/: any bits will do, if they are always the same. */
static void probe(const struct stub_item *i, void *const *arg)
{
    uint32_t *out = (uint32_t *)arg[0] + 64 * i->global[0];
    for (uint32_t n = 0; n < 64; n++)
        out[n] = (uint32_t)(i->global[0] * 2654435761u) ^ n;
}

/* kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); } */
static void fill(const struct stub_item *i, void *const *arg)
{
    ((int32_t *)arg[0])[i->global[0]] = *(int32_t *)arg[1] + (int32_t)i->global[0];
}

/* kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; } */
static void add(const struct stub_item *i, void *const *arg)
{
    ((uint32_t *)arg[1])[i->global[0]] += ((const uint32_t *)arg[0])[i->global[0]];
}

/* Hidden argument N (of those that tests/stub/shim/transformer.c declares) behind OWN arguments, else DFLT. */
static size_t hidden(const struct stub_item *i, void *const *arg, unsigned own, unsigned n, size_t dflt)
{
    return i->args > own ? (size_t) * (const uint64_t *)arg[own + n] : dflt;
}

/* kernel void rows(global int *a, int w) { a[get_global_id(1) * w + get_global_id(0)] += (int)get_group_id(1); } */
static void rows(const struct stub_item *i, void *const *arg)
{
    ((int32_t *)arg[0])[i->global[1] * (size_t) * (int32_t *)arg[1] + i->global[0]] +=
        (int32_t)(i->group[1] + hidden(i, arg, 2, 1, 0));
}

/* kernel void whole_ids(global uint *a): see tests/shim/semantics.h. */
static void whole_ids(const struct stub_item *i, void *const *arg)
{
    size_t offset = hidden(i, arg, 1, 4, i->offset[0]), group = i->group[0] + hidden(i, arg, 1, 0, 0);
    ((uint32_t *)arg[0])[i->global[0] - offset] =
        (uint32_t)(group * 1000 + i->local[0]) ^ (uint32_t)(hidden(i, arg, 1, 2, i->groups[0]) << 20) ^
        (uint32_t)(hidden(i, arg, 1, 3, i->global_size[0]) << 8) ^ (uint32_t)offset;
}

/* kernel void slow(global float *a, int n): see tests/shim/semantics.h. */
static void slow(const struct stub_item *i, void *const *arg)
{
    float x = ((float *)arg[0])[i->global[0]];
    for (int32_t n = 0; n < *(int32_t *)arg[1]; n++)
        x = x * 0.5f + 1.0f;
    ((float *)arg[0])[i->global[0]] = x;
}

/* kernel void nothing(void) {} */
static void nothing(const struct stub_item *i, void *const *arg)
{
    (void)i;
    (void)arg;
}

static const struct stub_function all[] = {
    {"vadd", false, 3, vadd},           {"iota", false, 1, iota},         {"scale_inplace", false, 2, scale_inplace},
    {"copy", false, 2, copy},           {"ids", false, 1, ids},           {"fill2d", false, 2, fill2d},
    {"stencil", false, 3, stencil},     {"count_up", false, 1, count_up}, {"set_flag", false, 2, set_flag},
    {"group_sum", true, 3, group_sum},  {"nothing", false, 0, nothing},   {"probe", false, 2, probe},
    {"fill", false, 2, fill},           {"add", false, 2, add},           {"rows", false, 2, rows},
    {"whole_ids", false, 1, whole_ids}, {"slow", false, 2, slow},
};

const struct stub_function *stub_function(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return NULL;
}
