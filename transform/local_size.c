/* Ids and sizes of work-groups that cancel out: get_group_id(d) * get_local_size(d) + get_local_id(d) is the item's
 * number in the range, and get_num_groups(d) * get_local_size(d) the range's size, whatever the local size is. This is
 * how kernels that were CUDA's are written. */
#include <string.h>
#include "transform/analysis.h"

enum { DEEPEST = 12, MOST_LEAVES = 24 };

enum what { NONE, ITEM, GROUP, SIZE, GROUPS };

/* Which of them call V is, and along which dimension. */
static enum what what_of(LLVMValueRef v, uint64_t *dim)
{
    static const struct {
        const char *name;
        enum what what;
    } table[] = {{"get_local_id", ITEM},
                 {"get_group_id", GROUP},
                 {"get_local_size", SIZE},
                 {"get_enqueued_local_size", SIZE},
                 {"get_num_groups", GROUPS}};
    if (!LLVMIsACallInst(v) || LLVMGetNumArgOperands(v) != 1 || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
        return NONE;
    *dim = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0));
    struct yk_builtin b = yk_call_of(v);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(b.name, table[i].name))
            return table[i].what;
    return NONE;
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

/* Is V the product of the number WHAT and the local size along DIM? */
static bool is_product(LLVMValueRef v, enum what what, uint64_t dim)
{
    if (!is(v, LLVMMul))
        return false;
    uint64_t d[2] = {0, 0};
    enum what w[2];
    for (unsigned i = 0; i < 2; i++)
        w[i] = what_of(wide(LLVMGetOperand(v, i)), &d[i]);
    return d[0] == dim && d[1] == dim && ((w[0] == what && w[1] == SIZE) || (w[0] == SIZE && w[1] == what));
}

/* What a sum is made of, along one dimension. */
struct sum {
    unsigned leaves, items, products; /* products of group and local size */
    bool cut;                         /* there is more to it than was looked at */
};

static void add_up(LLVMValueRef v, uint64_t dim, unsigned depth, struct sum *s)
{
    uint64_t d;
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
    s->items += what_of(v, &d) == ITEM && d == dim;
    s->products += is_product(v, GROUP, dim);
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
        if (!is_product(user, GROUPS, dim) && !(is_product(user, GROUP, dim) && is_completed(user, dim, 0)))
            return false;
    }
    return true;
}

bool yk_local_size_cancels(LLVMValueRef call)
{
    uint64_t dim;
    switch (what_of(call, &dim)) {
    case ITEM:
        return is_completed(call, dim, 0);
    case GROUP:
    case SIZE:
    case GROUPS:
        return is_multiplied(call, dim, 0);
    case NONE:
        break;
    }
    return false;
}
