/* A CPU device cut into parts, so that a machine without a second device has one: by NUMA node, where memory is near,
 * or equally, which is how splitting is tested. */
#include "device/machine.h"
#include <stdlib.h>
#include <string.h>

static unsigned make(const struct yk_cl *cl, cl_device_id id, const cl_device_partition_property *how,
                     cl_device_id *out, unsigned max)
{
    cl_uint n = 0;
    if (cl->CreateSubDevices(id, how, 0, NULL, &n) != CL_SUCCESS || n < 2 || n > max)
        return 0;
    return cl->CreateSubDevices(id, how, n, out, NULL) == CL_SUCCESS ? n : 0;
}

unsigned yk_device_cut(const struct yk_cl *cl, cl_device_id id, const char *parts, cl_device_id *out, unsigned max)
{
    cl_uint units = 0;
    if (!strcmp(parts, "numa")) {
        const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
        return make(cl, id, numa, out, max);
    }
    unsigned n = (unsigned)strtoul(parts, NULL, 10);
    if (cl->GetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) != CL_SUCCESS || n < 2 ||
        n > max || n > units)
        return 0;
    /* By counts first: "equally" leaves units over where N does not divide them. */
    cl_device_partition_property counts[YK_MAX_DEVICES + 3] = {CL_DEVICE_PARTITION_BY_COUNTS};
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, units / n, 0};
    for (unsigned i = 0; i < n && i < YK_MAX_DEVICES; i++)
        counts[i + 1] = units / n + (i < units % n);
    counts[n + 1] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    unsigned made = make(cl, id, counts, out, max);
    if (made)
        return made;
    made = make(cl, id, equally, out, max);
    for (unsigned i = n; i < made; i++)
        cl->ReleaseDevice(out[i]);
    return made < n ? made : n;
}
