/* What clCreateImage wants to know of an image whose extent is given as commands on it count texels. Who uses it: the
 * shim (copies of images), yoke-warm. Pure. */
#ifndef YK_DEVICE_IMAGE_DESC_H
#define YK_DEVICE_IMAGE_DESC_H

#include <CL/cl.h>
#include <stddef.h>

/** EXTENT: width; height, or layers of an array of lines; depth, or layers. 1 where TYPE has none. */
static inline cl_image_desc yk_image_desc(cl_mem_object_type type, const size_t extent[3])
{
    cl_image_desc d = {.image_type = type, .image_width = extent[0]};
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        d.image_array_size = extent[1];
    else if (type != CL_MEM_OBJECT_IMAGE1D)
        d.image_height = extent[1];
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_array_size = extent[2];
    else if (type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = extent[2];
    return d;
}

#endif
