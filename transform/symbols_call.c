/* Calls whose results are numbers of the range, or whole numbers made of others. */
#include <ctype.h>
#include <string.h>
#include "transform/symbols.h"

static unsigned bits_of(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    t = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
}

/* A node over two of 64 bits. */
static unsigned two(struct yk_symbols *s, enum yk_node_op op, unsigned x, unsigned y)
{
    return yk_symbols_node(s, op, 64, x, y, 0, 0);
}

/* The number of an item in its range, its offset taken away, or in its group. */
static unsigned linear_id(struct yk_symbols *s, bool global)
{
    enum yk_node_op id = global ? YK_NODE_GLOBAL_ID : YK_NODE_LOCAL_ID,
                    size = global ? YK_NODE_GLOBAL_SIZE : YK_NODE_LOCAL_SIZE;
    unsigned n = 0;
    for (int d = 2; d >= 0; d--) {
        unsigned x = yk_symbols_node(s, id, 64, 0, 0, 0, d);
        if (global)
            x = two(s, YK_NODE_SUB, x, yk_symbols_node(s, YK_NODE_GLOBAL_OFFSET, 64, 0, 0, 0, d));
        if (d < 2)
            x = two(s, YK_NODE_ADD, two(s, YK_NODE_MUL, n, yk_symbols_node(s, size, 64, 0, 0, 0, d)), x);
        n = x;
    }
    return n;
}

const struct yk_symbols_id *yk_symbols_id(const char *name)
{
    static const struct yk_symbols_id table[] = {
        {"get_global_id", YK_NODE_GLOBAL_ID, 0},   {"get_local_id", YK_NODE_LOCAL_ID, 0},
        {"get_group_id", YK_NODE_GROUP_ID, 0},     {"get_global_size", YK_NODE_GLOBAL_SIZE, 1},
        {"get_local_size", YK_NODE_LOCAL_SIZE, 1}, {"get_enqueued_local_size", YK_NODE_LOCAL_SIZE, 1},
        {"get_num_groups", YK_NODE_NUM_GROUPS, 1}, {"get_global_offset", YK_NODE_GLOBAL_OFFSET, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return &table[i];
    return NULL;
}

/* An id or a size. */
static bool work_item(struct yk_symbols *s, LLVMValueRef v, const char *name, unsigned *node)
{
    if (!strcmp(name, "get_work_dim")) {
        *node = yk_symbols_node(s, YK_NODE_WORK_DIM, bits_of(v), 0, 0, 0, 0);
        return true;
    }
    bool global = !strcmp(name, "get_global_linear_id");
    if (global || !strcmp(name, "get_local_linear_id")) {
        *node = linear_id(s, global);
        return bits_of(v) == 64;
    }
    const struct yk_symbols_id *id = yk_symbols_id(name);
    LLVMValueRef d = id ? LLVMGetOperand(v, 0) : NULL;
    if (!d || !LLVMIsAConstantInt(d) || bits_of(v) != 64)
        return false;
    uint64_t dim = LLVMConstIntGetZExtValue(d);
    *node = dim < 3 ? yk_symbols_node(s, id->op, 64, 0, 0, 0, (int64_t)dim)
                    : yk_symbols_node(s, YK_NODE_AND, 64, yk_symbols_unknown(s, 64),
                                      yk_symbols_const(s, 64, id->beyond), 0, 0);
    return true;
}

/* Letter of the last scalar type in a mangled name: the operands' type. "_Z3minDv2_jS_" has j. 0: not one of the
 * integers. */
static char type_letter(const char *symbol, const char *name)
{
    const char *p = strstr(symbol, name);
    if (!p)
        return 0;
    for (p += strlen(name); *p; p++) {
        if (p[0] == 'D' && p[1] == 'v') {
            for (p += 2; isdigit((unsigned char)*p); p++)
                ;
            continue; /* over the _ */
        }
        return strchr("chstijlm", *p) ? *p : 0;
    }
    return 0;
}

static bool is_signed(char letter)
{
    return strchr("csil", letter) != NULL;
}

static unsigned operand(struct yk_symbols *s, LLVMValueRef v, unsigned i, unsigned lane, unsigned user)
{
    LLVMValueRef x = LLVMGetOperand(v, i);
    /* min(int4, int) and its like */
    return yk_symbols_value(s, x, LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind ? lane : 0, user);
}

static unsigned min_max(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user, const char *name, bool sign)
{
    unsigned bits = bits_of(v), x = operand(s, v, 0, lane, user), y = operand(s, v, 1, lane, user);
    enum yk_node_op least = sign ? YK_NODE_SMIN : YK_NODE_UMIN, most = sign ? YK_NODE_SMAX : YK_NODE_UMAX;
    if (!strcmp(name, "min"))
        return yk_symbols_node(s, least, bits, x, y, 0, 0);
    x = yk_symbols_node(s, most, bits, x, y, 0, 0);
    if (!strcmp(name, "max"))
        return x;
    return yk_symbols_node(s, least, bits, x, operand(s, v, 2, lane, user), 0, 0);
}

/* convert_int4(...) from another integer, not saturating. */
static unsigned convert(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user, const char *name, bool sign)
{
    unsigned to = bits_of(v), from = bits_of(LLVMGetOperand(v, 0));
    if (strstr(name, "_sat") || !from)
        return yk_symbols_unknown(s, to);
    unsigned x = operand(s, v, 0, lane, user);
    if (from == to)
        return x;
    return yk_symbols_node(s, to < from ? YK_NODE_TRUNC : sign ? YK_NODE_SEXT : YK_NODE_ZEXT, to, x, 0, 0, 0);
}

/* X of BITS bits, negative or not, without its sign. */
static unsigned absolute(struct yk_symbols *s, unsigned bits, unsigned x)
{
    unsigned minus = yk_symbols_node(s, YK_NODE_SUB, bits, yk_symbols_const(s, bits, 0), x, 0, 0);
    return yk_symbols_node(s, YK_NODE_SMAX, bits, x, minus, 0, 0);
}

/* Y where X has no more than 24 bits, as the specification wants it of a program; beyond, drivers differ, and it is
 * OTHERWISE. */
static unsigned within_24(struct yk_symbols *s, unsigned x, bool sign, unsigned y, unsigned otherwise)
{
    unsigned bits = s->node.v[x].bits, from = x;
    if (sign)
        from = yk_symbols_node(s, YK_NODE_ADD, bits, x, yk_symbols_const(s, bits, 1 << 23), 0, 0);
    unsigned fits = yk_symbols_node(s, YK_NODE_ULT, 1, from, yk_symbols_const(s, bits, 1 << 24), 0, 0);
    return yk_symbols_node(s, YK_NODE_SELECT, bits, fits, y, otherwise, 0);
}

/* mul24(x, y), mad24(x, y, z) */
static unsigned multiply_24(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user, bool add, bool sign)
{
    unsigned bits = bits_of(v), x = operand(s, v, 0, lane, user), y = operand(s, v, 1, lane, user);
    unsigned n = yk_symbols_node(s, YK_NODE_MUL, bits, x, y, 0, 0), any = yk_symbols_unknown(s, bits);
    n = within_24(s, x, sign, within_24(s, y, sign, n, any), any);
    return add ? yk_symbols_node(s, YK_NODE_ADD, bits, n, operand(s, v, 2, lane, user), 0, 0) : n;
}

static unsigned builtin(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user)
{
    struct yk_builtin b = yk_call_of(v);
    unsigned bits = bits_of(v), node;
    size_t n;
    char letter = b.name[0] ? type_letter(LLVMGetValueName2(LLVMGetCalledValue(v), &n), b.name) : 0;
    if (b.class == YK_BI_UNKNOWN || !b.name[0])
        return yk_symbols_unknown(s, bits);
    if (work_item(s, v, b.name, &node))
        return node;
    if (!letter)
        return yk_symbols_unknown(s, bits);
    if (!strcmp(b.name, "min") || !strcmp(b.name, "max") || !strcmp(b.name, "clamp"))
        return min_max(s, v, lane, user, b.name, is_signed(letter));
    if (!strcmp(b.name, "mul24") || !strcmp(b.name, "mad24"))
        return multiply_24(s, v, lane, user, b.name[1] == 'a', is_signed(letter));
    if (!strcmp(b.name, "abs")) {
        unsigned x = operand(s, v, 0, lane, user);
        return is_signed(letter) ? absolute(s, bits, x) : x;
    }
    if (!strncmp(b.name, "convert_", 8))
        return convert(s, v, lane, user, b.name, is_signed(letter));
    return yk_symbols_unknown(s, bits);
}

static unsigned intrinsic(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user)
{
    static const struct {
        const char *name;
        enum yk_node_op op;
    } table[] = {{"llvm.umin.", YK_NODE_UMIN},
                 {"llvm.umax.", YK_NODE_UMAX},
                 {"llvm.smin.", YK_NODE_SMIN},
                 {"llvm.smax.", YK_NODE_SMAX}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (yk_is_intrinsic(v, table[i].name))
            return yk_symbols_node(s, table[i].op, bits_of(v), operand(s, v, 0, lane, user),
                                   operand(s, v, 1, lane, user), 0, 0);
    if (yk_is_intrinsic(v, "llvm.abs.")) {
        unsigned x = operand(s, v, 0, lane, user);
        return absolute(s, bits_of(v), x);
    }
    return yk_symbols_unknown(s, bits_of(v));
}

unsigned yk_symbols_call(struct yk_symbols *s, LLVMValueRef v, unsigned lane, unsigned user)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) ? intrinsic(s, v, lane, user) : builtin(s, v, lane, user);
}
