#include "shim/api/extensions.h"
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>
#include "shim/api/command_buffer.h"

/* In the order of strcmp. Language features, queries and properties of core objects, and what api.def has the entry
 * points of. An extension that is not here may have entry points of its own, which would be handed virtual handles. */
static const char *const kept[] = {
    "cl_APPLE_fp64_basic_ops",
    "cl_amd_device_attribute_query",
    "cl_amd_fp64",
    "cl_amd_media_ops",
    "cl_amd_media_ops2",
    "cl_amd_popcnt",
    "cl_amd_printf",
    "cl_amd_vec3",
    "cl_arm_core_id",
    "cl_arm_get_core_id",
    "cl_arm_integer_dot_product_accumulate_int8",
    "cl_arm_integer_dot_product_int8",
    "cl_clang_storage_class_specifiers",
    "cl_ext_atomic_counters_32",
    "cl_ext_atomic_counters_64",
    "cl_ext_cxx_for_opencl",
    "cl_ext_float_atomics",
    "cl_ext_image_from_buffer",
    "cl_ext_image_raw10_raw12",
    "cl_intel_bfloat16_conversions",
    "cl_intel_device_attribute_query",
    "cl_intel_devicelib_assert",
    "cl_intel_exec_by_local_thread",
    "cl_intel_global_float_atomics",
    "cl_intel_media_block_io",
    "cl_intel_packed_yuv",
    "cl_intel_planar_yuv",
    "cl_intel_printf",
    "cl_intel_required_subgroup_size",
    "cl_intel_spirv_media_block_io",
    "cl_intel_spirv_subgroups",
    "cl_intel_split_work_group_barrier",
    "cl_intel_subgroup_2d_block_io",
    "cl_intel_subgroup_buffer_prefetch",
    "cl_intel_subgroup_local_block_io",
    "cl_intel_subgroup_matrix_multiply_accumulate",
    "cl_intel_subgroup_split_matrix_multiply_accumulate",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_intel_thread_local_exec",
    "cl_intel_vec_len_hint",
    "cl_khr_3d_image_writes",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_byte_addressable_store",
    "cl_khr_command_buffer",
    "cl_khr_create_command_queue",
    "cl_khr_depth_images",
    "cl_khr_device_enqueue_local_arg_types",
    "cl_khr_device_uuid",
    "cl_khr_expect_assume",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_extended_versioning",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_icd",
    "cl_khr_il_program",
    "cl_khr_image2d_from_buffer",
    "cl_khr_initialize_memory",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_pci_bus_info",
    "cl_khr_priority_hints",
    "cl_khr_select_fprounding_mode",
    "cl_khr_spir",
    "cl_khr_spirv_extended_debug_info",
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_spirv_queries",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_nv_compiler_options",
    "cl_nv_copy_opts",
    "cl_nv_device_attribute_query",
    "cl_nv_kernel_attribute",
    "cl_nv_pragma_unroll",
    "cl_pocl_content_size",
};

struct name {
    const char *text;
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const struct name *name = a;
    const char *entry = *(const char *const *)b;
    int order = strncmp(name->text, entry, name->n);
    return order ? order : -(int)(entry[name->n] != 0);
}

bool yk_extension_kept(const char *name, size_t n)
{
    struct name key = {name, n};
    const char *const *found = bsearch(&key, kept, sizeof kept / sizeof *kept, sizeof *kept, compare);
    return found && (strcmp(*found, "cl_khr_command_buffer") != 0 || yk_command_buffer_offered());
}

static size_t filter_text(char *list)
{
    char *to = list;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " "), gap = strspn(p + n, " ");
        if (!n || yk_extension_kept(p, n)) {
            memmove(to, p, n + gap);
            to += n + gap;
        }
        p += n + gap;
    }
    *to = 0;
    return (size_t)(to - list) + 1;
}

static size_t filter_versions(char *list, size_t size)
{
    cl_name_version *v = (cl_name_version *)(void *)list;
    size_t n = 0;
    for (size_t i = 0; i < size / sizeof *v; i++)
        if (yk_extension_kept(v[i].name, strnlen(v[i].name, sizeof v[i].name)))
            v[n++] = v[i];
    return n * sizeof *v;
}

size_t yk_extensions_filter(bool text, char *list, size_t size)
{
    if (!text)
        return filter_versions(list, size);
    list[size] = 0;
    return filter_text(list);
}
