/* The arguments of a kernel, as clSetKernelArg sees them. */
#include <llvm-c/Target.h>
#include <string.h>
#include "transform/analysis.h"

static LLVMTypeRef by_value(LLVMValueRef fn, unsigned i)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef attr = LLVMGetEnumAttributeAtIndex(fn, i + 1, kind);
    return attr ? LLVMGetTypeAttributeValue(attr) : NULL;
}

/* Opaque types of OpenCL: images, samplers, pipes, queues... */
static bool opaque(LLVMTypeRef pointer, enum yk_arg_kind *kind)
{
    LLVMTypeRef e = LLVMGetElementType(pointer);
    const char *name = LLVMGetTypeKind(e) == LLVMStructTypeKind ? LLVMGetStructName(e) : NULL;
    if (!name || strncmp(name, "opencl.", 7))
        return false;
    name += 7;
    *kind = !strncmp(name, "image", 5)     ? YK_ARG_IMAGE
            : !strncmp(name, "sampler", 7) ? YK_ARG_SAMPLER
            : !strncmp(name, "pipe", 4)    ? YK_ARG_PIPE
                                           : YK_ARG_OTHER;
    return true;
}

static enum yk_arg_kind pointer_kind(LLVMTypeRef t)
{
    enum yk_arg_kind kind;
    if (opaque(t, &kind))
        return kind;
    switch (LLVMGetPointerAddressSpace(t)) {
    case YK_SPACE_GLOBAL:
        return YK_ARG_GLOBAL;
    case YK_SPACE_CONSTANT:
        return YK_ARG_CONSTANT;
    case YK_SPACE_LOCAL:
        return YK_ARG_LOCAL;
    default:
        return YK_ARG_OTHER;
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

static void one(struct yk_analysis *a, LLVMTargetDataRef layout, unsigned i)
{
    LLVMValueRef fn = a->ir.fn;
    struct yk_facts_arg *arg = &a->k->arg[i];
    LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(fn, i)), value = by_value(fn, i);
    arg->name = yk_ir_text(fn, "kernel_arg_name", i, a->arena);
    arg->type = yk_ir_text(fn, "kernel_arg_type", i, a->arena);
    const char *qualifiers = yk_ir_text(fn, "kernel_arg_type_qual", i, a->arena);
    arg->is_const = has_word(qualifiers, "const");
    arg->is_restrict = has_word(qualifiers, "restrict");
    arg->is_volatile = has_word(qualifiers, "volatile");
    if (value || LLVMGetTypeKind(t) != LLVMPointerTypeKind) {
        arg->kind = YK_ARG_VALUE;
        arg->size = (uint32_t)LLVMABISizeOfType(layout, value ? value : t);
        return;
    }
    arg->kind = pointer_kind(t);
    if (arg->kind == YK_ARG_CONSTANT)
        arg->read = arg->plain_read = true;
    if (arg->kind == YK_ARG_IMAGE) {
        const char *access = yk_ir_text(fn, "kernel_arg_access_qual", i, a->arena);
        arg->read = strcmp(access, "write_only") != 0;
        arg->written = strcmp(access, "read_only") != 0;
        arg->plain_read = arg->read;
        arg->plain_written = arg->written;
        a->k->images_read |= arg->read;
        a->k->images_written |= arg->written;
    }
}

yk_status yk_analyse_arguments(struct yk_analysis *a)
{
    a->k->nargs = LLVMCountParams(a->ir.fn);
    a->k->arg = yk_arena_array(a->arena, struct yk_facts_arg, a->k->nargs);
    if (!a->k->arg)
        return YK_ENOMEM;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(a->ir.fn));
    for (unsigned i = 0; i < a->k->nargs; i++)
        one(a, layout, i);
    yk_ir_triple(a->ir.fn, "reqd_work_group_size", a->k->reqd_group);
    yk_ir_triple(a->ir.fn, "work_group_size_hint", a->k->group_hint);
    return YK_OK;
}
