#include "transform/program.h"
#include <string.h>
#include "transform/analysis.h"
#include "transform/front.h"
#include "transform/merging.h"
#include "transform/variant.h"

static yk_status analyse(struct yk_analysis *a, LLVMValueRef fn)
{
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n);
    a->k->name = yk_arena_strndup(a->arena, name, n);
    a->k->reason = a->k->unmerged = "";
    yk_status s = a->k->name ? yk_ir_kernel_init(&a->ir, fn, a->arena) : YK_ENOMEM;
    if (s == YK_OK && !(a->places = yk_arena_array(a->arena, struct yk_places *, a->ir.ninsts)))
        s = YK_ENOMEM;
    if (s == YK_OK)
        s = yk_analyse_arguments(a);
    if (s == YK_OK) {
        yk_analyse_accesses(a);
        s = yk_analyse_waits(a);
    }
    if (s == YK_OK)
        s = yk_analyse_numbers(a);
    if (s == YK_OK) {
        yk_analyse_counts(a);
        yk_analyse_verdict(a);
        s = yk_analyse_touches(a);
        if (s == YK_OK)
            s = yk_analyse_merge(a);
    }
    return s;
}

static yk_status all_kernels(const struct yk_front *f, struct yk_ir *ir, struct yk_facts *out)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(ir->module); fn; fn = LLVMGetNextFunction(fn))
        out->nkernels += yk_ir_is_kernel(fn);
    out->kernel = yk_arena_array(&out->arena, struct yk_facts_kernel, out->nkernels);
    if (!out->kernel)
        return YK_ENOMEM;
    unsigned n = 0;
    yk_status s = YK_OK;
    for (LLVMValueRef fn = LLVMGetFirstFunction(ir->module); fn && s == YK_OK; fn = LLVMGetNextFunction(fn)) {
        if (!yk_ir_is_kernel(fn))
            continue;
        struct yk_analysis a = {.options = &f->options, .arena = &out->arena, .k = &out->kernel[n++]};
        s = analyse(&a, fn);
    }
    return s;
}

yk_status yk_program_facts(const struct yk_transform_request *req, struct yk_facts *out)
{
    *out = (struct yk_facts){.transformer = "yoke-transform " YOKE_VERSION, .variant_options = ""};
    struct yk_front f;
    struct yk_ir ir = {0};
    yk_status s = yk_front_run(req, &out->arena, &f);
    out->ntargets = req->ntargets;
    out->target_text = f.target_text;
    out->file = f.file;
    out->nfiles = f.nfiles;
    out->refused = f.refused;
    if (s == YK_OK && !f.refused) {
        s = yk_ir_load(f.bitcode, f.nbitcode, f.options.all_loads, &out->arena, &ir, &out->refused);
        if (s == YK_OK)
            s = all_kernels(&f, &ir, out);
        else if (s == YK_EFORMAT)
            s = YK_OK;
        yk_ir_finish(&ir);
        if (s == YK_OK && !out->refused)
            s = req->merged ? yk_merging_make(&f, out) : yk_variant_make(&f, req->windows, out);
    }
    if (s != YK_OK)
        yk_facts_finish(out);
    return s;
}
