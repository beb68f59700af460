/* One place for an image's texels. A driver whose device works in the host's memory keeps them there, row after row,
 * and clEnqueueMapImage says where; an image of another such device that is made over that place (CL_MEM_USE_HOST_PTR)
 * has the same texels, so that nothing is copied and nothing is put together. The specification promises neither that
 * they stay there nor that such an image is not a copy: each driver is tried, with a small image of the same type. The
 * program's own memory, over which it has an image, is such a place too. Who uses it: image.c. */
#ifndef YK_SHIM_MEMORY_IMAGE_PLACE_H
#define YK_SHIM_MEMORY_IMAGE_PLACE_H

#include "shim/memory/image.h"

/** May DEV's image be over the primary's texels, as far as is known? Thread: any. Cost: loads. */
bool yk_image_place_possible(const struct yk_image *i, unsigned dev);

/** DEV's image over the texels of the primary's, FROM; the caller's. NULL: it cannot be had. The first call for a type
 * and device tries both drivers (0.1 ms with PoCL). Thread: one at a time; nobody writes FROM. */
cl_mem yk_image_place(const struct yk_image *i, struct yk_context *ctx, unsigned dev, cl_mem from);

#endif
