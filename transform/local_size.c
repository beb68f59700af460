/* Ids and sizes of work-groups that cancel out: get_group_id(d) * get_local_size(d) + get_local_id(d) is the item's
 * number in the range, and get_num_groups(d) * get_local_size(d) the range's size, whatever the local size is. This is
 * how kernels that were CUDA's are written. */
#include "transform/symbols.h"

enum { DEEPEST = 12, MOST_LEAVES = 24 };

/* What call V asks for, and along which dimension. False: it is no such call. */
static bool asks(LLVMValueRef v, enum yk_node_op *op, uint64_t *dim)
{
    if (!LLVMIsACallInst(v) || LLVMGetNumArgOperands(v) != 1 || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
        return false;
    struct yk_builtin b = yk_call_of(v);
    const struct yk_symbols_id *id = yk_symbols_id(b.name);
    if (!id)
        return false;
    *op = id->op;
    *dim = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0));
    return true;
}

static bool is_of(LLVMValueRef v, enum yk_node_op op, uint64_t dim)
{
    enum yk_node_op o;
    uint64_t d;
    return asks(v, &o, &d) && o == op && d == dim;
}

static bool is(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* V before numbers were made narrower: sums and products are right as far as they go. */
static LLVMValueRef wide(LLVMValueRef v)
{
    while (is(v, LLVMTrunc))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* Is V the product of OP and the local size along DIM? */
static bool is_product(LLVMValueRef v, enum yk_node_op op, uint64_t dim)
{
    if (!is(v, LLVMMul))
        return false;
    LLVMValueRef x = wide(LLVMGetOperand(v, 0)), y = wide(LLVMGetOperand(v, 1));
    return (is_of(x, op, dim) && is_of(y, YK_NODE_LOCAL_SIZE, dim)) ||
           (is_of(y, op, dim) && is_of(x, YK_NODE_LOCAL_SIZE, dim));
}

/* What a sum is made of, along one dimension. */
struct sum {
    unsigned leaves, items, products; /* products of group and local size */
    bool cut;                         /* there is more to it than was looked at */
};

static void add_up(LLVMValueRef v, uint64_t dim, unsigned depth, struct sum *s)
{
    v = wide(v);
    if (is(v, LLVMAdd)) {
        s->cut |= depth == DEEPEST || s->leaves >= MOST_LEAVES;
        if (s->cut)
            return;
        add_up(LLVMGetOperand(v, 0), dim, depth + 1, s);
        add_up(LLVMGetOperand(v, 1), dim, depth + 1, s);
        return;
    }
    s->leaves++;
    s->items += is_of(v, YK_NODE_LOCAL_ID, dim);
    s->products += is_product(v, YK_NODE_GROUP_ID, dim);
}

/* V is one half of the item's number along DIM, or a sum with it: does the other half come to all that is made of it?
 */
static bool is_completed(LLVMValueRef v, uint64_t dim, unsigned depth)
{
    struct sum s = {0, 0, 0, false};
    add_up(v, dim, 0, &s);
    if (s.cut || s.items > 1 || s.products > 1 || depth >= DEEPEST)
        return false;
    if (s.items == 1 && s.products == 1)
        return true;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!(is(user, LLVMAdd) || is(user, LLVMTrunc)) || !is_completed(user, dim, depth + 1))
            return false;
    }
    return true;
}

/* The same for products with the local size along DIM, of V: a number of a group, that of all groups, or that size. */
static bool is_multiplied(LLVMValueRef v, uint64_t dim, unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (is(user, LLVMTrunc) && depth < DEEPEST && is_multiplied(user, dim, depth + 1))
            continue;
        if (!is_product(user, YK_NODE_NUM_GROUPS, dim) &&
            !(is_product(user, YK_NODE_GROUP_ID, dim) && is_completed(user, dim, 0)))
            return false;
    }
    return true;
}

bool yk_local_size_cancels(LLVMValueRef call)
{
    enum yk_node_op op;
    uint64_t dim;
    return asks(call, &op, &dim) && (op == YK_NODE_LOCAL_ID ? is_completed(call, dim, 0) : is_multiplied(call, dim, 0));
}
