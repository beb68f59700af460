/* What the driver would say at once of a command on images that is carried out later. */
#include "shim/api/api.h"
#include "shim/api/image_command.h"

size_t yk_image_size(struct yk_mem *m, cl_image_info what)
{
    size_t v = 0;
    YK_CL_P->GetImageInfo(yk_mem_real(m, YK_P), what, sizeof v, &v, NULL);
    return v;
}

bool yk_image_inside(struct yk_mem *m, const size_t *origin, const size_t *region)
{
    size_t side[3] = {yk_image_size(m, CL_IMAGE_WIDTH), 1, 1};
    if (m->type == CL_MEM_OBJECT_IMAGE2D || m->type == CL_MEM_OBJECT_IMAGE3D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        side[1] = yk_image_size(m, CL_IMAGE_HEIGHT);
    if (m->type == CL_MEM_OBJECT_IMAGE3D)
        side[2] = yk_image_size(m, CL_IMAGE_DEPTH);
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        side[1] = yk_image_size(m, CL_IMAGE_ARRAY_SIZE);
    if (m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        side[2] = yk_image_size(m, CL_IMAGE_ARRAY_SIZE);
    for (int d = 0; d < 3; d++)
        if (!region[d] || origin[d] > side[d] || region[d] > side[d] - origin[d])
            return false;
    return true;
}

/* Rows and slices in the program's memory; 0: tight. */
static bool pitches_ok(const struct yk_image_command *i, size_t element)
{
    bool layers = i->a->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = layers || i->a->type == CL_MEM_OBJECT_IMAGE3D || i->a->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size_t row = i->row_pitch ? i->row_pitch : i->region[0] * element;
    if (row < i->region[0] * element)
        return false;
    return !i->slice_pitch || (slices && i->slice_pitch >= (layers ? row : row * i->region[1]));
}

static bool bytes_inside(const struct yk_mem *buffer, size_t offset, const size_t *region, size_t element)
{
    size_t n = element;
    for (int d = 0; d < 3; d++)
        if (__builtin_mul_overflow(n, region[d], &n))
            return false;
    return offset <= buffer->size && n <= buffer->size - offset;
}

static cl_int check_copy(const struct yk_image_command *i)
{
    cl_image_format from = {0, 0}, to = {1, 1};
    YK_CL_P->GetImageInfo(yk_mem_real(i->a, YK_P), CL_IMAGE_FORMAT, sizeof from, &from, NULL);
    YK_CL_P->GetImageInfo(yk_mem_real(i->b, YK_P), CL_IMAGE_FORMAT, sizeof to, &to, NULL);
    if (from.image_channel_order != to.image_channel_order ||
        from.image_channel_data_type != to.image_channel_data_type)
        return CL_IMAGE_FORMAT_MISMATCH;
    if (!yk_image_inside(i->a, i->origin, i->region) || !yk_image_inside(i->b, i->to_origin, i->region))
        return CL_INVALID_VALUE;
    bool meet = i->a == i->b;
    for (int d = 0; d < 3; d++)
        meet &= i->origin[d] < i->to_origin[d] + i->region[d] && i->to_origin[d] < i->origin[d] + i->region[d];
    return meet ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

static cl_int check(const struct yk_image_command *i)
{
    size_t element = yk_image_size(yk_mem_is_image(i->a) ? i->a : i->b, CL_IMAGE_ELEMENT_SIZE);
    bool good = true;
    switch (i->c.kind->type) {
    case CL_COMMAND_COPY_IMAGE:
        return check_copy(i);
    case CL_COMMAND_READ_IMAGE:
    case CL_COMMAND_WRITE_IMAGE:
        good = yk_image_inside(i->a, i->origin, i->region) && pitches_ok(i, element);
        break;
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
        good = yk_image_inside(i->b, i->to_origin, i->region) && bytes_inside(i->a, i->offset, i->region, element);
        break;
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
        good = yk_image_inside(i->a, i->origin, i->region) && bytes_inside(i->b, i->offset, i->region, element);
        break;
    default: /* fill, map */
        good = yk_image_inside(i->a, i->origin, i->region);
        break;
    }
    return good ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int yk_image_capture(struct yk_command *c)
{
    struct yk_image_command *i = (struct yk_image_command *)c;
    cl_int err = check(i);
    if (err != CL_SUCCESS)
        return err;
    yk_hold(&i->a->h);
    if (i->b)
        yk_hold(&i->b->h);
    return CL_SUCCESS;
}

void yk_image_release(struct yk_command *c)
{
    struct yk_image_command *i = (struct yk_image_command *)c;
    yk_drop(&i->a->h);
    if (i->b)
        yk_drop(&i->b->h);
}
