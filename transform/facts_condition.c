/* Guards as linear conditions. */
#include "transform/facts_regions.h"

static void at_least_0(struct yk_conditions *c, const struct yk_form *f)
{
    if (f->top) {
        c->unknown = true;
    } else if (f->hi < 0) {
        c->never = true;
    } else if (f->lo < 0) {
        if (c->n < YK_REACH_CONDITIONS)
            c->at_least_0[c->n++] = *f;
        else
            c->unknown = true;
    }
}

/* x - y - less >= 0 */
static void at_least(struct yk_conditions *c, const struct yk_form *x, const struct yk_form *y, int64_t less)
{
    struct yk_form d = yk_form_sub(x, y), by = yk_form_const(-less);
    d = yk_form_add(&d, &by);
    at_least_0(c, &d);
}

static void different(struct yk_conditions *c, const struct yk_form *x, const struct yk_form *y)
{
    struct yk_form d = yk_form_sub(x, y);
    if (!d.top && d.lo == 0 && d.hi == 0) {
        c->never = true;
    } else if (!d.top && d.lo == 0) {
        at_least(c, x, y, 1);
    } else if (!d.top && d.hi == 0) {
        at_least(c, y, x, 1);
    } else if (d.top) {
        c->unknown = true;
    } else if (d.lo < 0 && d.hi > 0) {
        if (c->crosses)
            c->unknown = true;
        else
            c->not_0 = d;
        c->crosses = true;
    }
}

static void compare(const struct yk_facts_kernel *k, struct yk_reach *r, const struct yk_facts_node *n, bool want,
                    struct yk_conditions *c)
{
    unsigned bits = k->node[n->a].bits;
    bool sign = n->op != YK_NODE_ULT && n->op != YK_NODE_ULE;
    struct yk_form x = r->form[n->a], y = r->form[n->b];
    x = sign ? yk_form_signed(&r->vars, &x, bits) : yk_form_unsigned(&r->vars, &x, bits);
    y = sign ? yk_form_signed(&r->vars, &y, bits) : yk_form_unsigned(&r->vars, &y, bits);
    switch (n->op) {
    case YK_NODE_EQ:
    case YK_NODE_NE:
        if (want != (n->op == YK_NODE_EQ)) {
            different(c, &x, &y);
        } else {
            at_least(c, &x, &y, 0);
            at_least(c, &y, &x, 0);
        }
        break;
    case YK_NODE_ULT:
    case YK_NODE_SLT:
        want ? at_least(c, &y, &x, 1) : at_least(c, &x, &y, 0);
        break;
    default:
        want ? at_least(c, &y, &x, 0) : at_least(c, &x, &y, 1);
    }
}

static bool is_const(const struct yk_facts_kernel *k, unsigned i, bool *value)
{
    *value = k->node[i].imm & 1;
    return k->node[i].op == YK_NODE_CONST;
}

static bool asks(const struct yk_conditions *c)
{
    return c->n || c->crosses || c->unknown;
}

static void condition(const struct yk_facts_kernel *k, struct yk_reach *r, unsigned node, bool want,
                      struct yk_conditions *c, unsigned depth)
{
    const struct yk_facts_node *n = &k->node[node];
    bool value;
    if (depth > 8) {
        c->unknown = true;
        return;
    }
    switch (n->op) {
    case YK_NODE_AND:
    case YK_NODE_OR:
        if (want != (n->op == YK_NODE_AND)) {
            struct yk_conditions one, other; /* one of the two is enough */
            yk_conditions_init(&one);
            yk_conditions_init(&other);
            condition(k, r, n->a, want, &one, depth + 1);
            condition(k, r, n->b, want, &other, depth + 1);
            if (one.never) /* the other alone, which may be never too */
                condition(k, r, n->b, want, c, depth + 1);
            else if (other.never)
                condition(k, r, n->a, want, c, depth + 1);
            else if (asks(&one) && asks(&other))
                c->unknown = true;
            return;
        }
        condition(k, r, n->a, want, c, depth + 1);
        condition(k, r, n->b, want, c, depth + 1);
        return;
    case YK_NODE_XOR:
        if (is_const(k, n->b, &value))
            condition(k, r, n->a, want != value, c, depth + 1);
        else
            c->unknown = true;
        return;
    case YK_NODE_SELECT: /* a && b, a || c */
        if (is_const(k, n->c, &value) && !value && want) {
            condition(k, r, n->a, true, c, depth + 1);
            condition(k, r, n->b, true, c, depth + 1);
        } else if (is_const(k, n->b, &value) && value && !want) {
            condition(k, r, n->a, false, c, depth + 1);
            condition(k, r, n->c, false, c, depth + 1);
        } else {
            c->unknown = true;
        }
        return;
    case YK_NODE_EQ:
    case YK_NODE_NE:
        if (k->node[n->a].bits == 1) {
            if (is_const(k, n->b, &value))
                condition(k, r, n->a, (n->op == YK_NODE_EQ) == (want == value), c, depth + 1);
            else
                c->unknown = true;
            return;
        }
        compare(k, r, n, want, c);
        return;
    case YK_NODE_ULT:
    case YK_NODE_ULE:
    case YK_NODE_SLT:
    case YK_NODE_SLE:
        if (k->node[n->a].bits == 1)
            c->unknown = true;
        else
            compare(k, r, n, want, c);
        return;
    case YK_NODE_CONST:
        c->never |= (n->imm & 1) != want;
        return;
    default:
        if (!yk_form_is_const(&r->form[node]))
            c->unknown = true;
        else
            c->never |= (yk_form_value(&r->form[node]) & 1) != want;
    }
}

void yk_reach_condition(const struct yk_facts_kernel *k, struct yk_reach *r, unsigned node, bool want,
                        struct yk_conditions *c)
{
    condition(k, r, node, want, c, 0);
}
