#include "transform/explain.h"
#include "transform/facts_explain.h"
#include "transform/program.h"

yk_status yk_explain_source(const char *source, size_t n, const char *options, bool json, FILE *out)
{
    struct yk_transform_target t = {
        .c_version = "OpenCL C 1.2 ",
        .version = "OpenCL 3.0 ",
        .extensions =
            "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
            "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_fp64 "
            "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics",
        .driver = "explain",
        .address_bits = 64,
        .little_endian = true,
        .images = true};
    struct yk_transform_request req = {.source = source, .size = n, .options = options, .target = &t, .ntargets = 1};
    struct yk_facts f;
    yk_status s = yk_program_facts(&req, &f);
    if (s == YK_OK) {
        if (json)
            s = yk_facts_print_json(&f, out);
        else
            yk_facts_explain(&f, out);
        if (s == YK_OK && f.refused)
            s = YK_EBUILD;
        yk_facts_finish(&f);
    }
    return s;
}
