/* Whole numbers that depend on ids and loop rounds, as sums c + k1*v1 + k2*v2 ... with bounds: the arithmetic in which
 * facts_regions.c evaluates a launch. Pure; allocates nothing.
 *
 * A form stands for a number of some width modulo 2^width: the true value and the sum differ by a multiple of that.
 * Every variable has a range. One that is `free` stands for some number of its range that nobody knows; the others
 * (ids, rounds of loops) take each value of their range in some work-item. */
#ifndef YK_TRANSFORM_FACTS_FORM_H
#define YK_TRANSFORM_FACTS_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum { YK_FORM_TERMS = 8, YK_FORM_VARS = 48, YK_FORM_DIVISIONS = 8, YK_FORM_NO_VAR = 255 };

/* Bounds that nothing real reaches, so that sums of a few of them do not overflow. */
#define YK_FORM_MOST (INT64_C(1) << 60)

struct yk_form {
    int64_t c;
    int64_t lo, hi; /* of the sum, maybe tighter than the terms say */
    bool top;       /* nothing is known */
    uint8_t n;
    uint8_t var[YK_FORM_TERMS]; /* ascending */
    int64_t k[YK_FORM_TERMS];   /* none 0 */
};

/* OF = BY * QUOTIENT + REMAINDER, variables both, where somebody has asked for them. */
struct yk_form_division {
    struct yk_form of;
    int64_t by;
    uint8_t quotient, remainder; /* or YK_FORM_NO_VAR */
};

struct yk_form_vars {
    unsigned n, ndivisions;
    struct {
        int64_t lo, hi;
        bool free;
    } v[YK_FORM_VARS];
    struct yk_form_division division[YK_FORM_DIVISIONS]; /* of variables that stay */
};

struct yk_form yk_form_const(int64_t c);
struct yk_form yk_form_top(void);
/** A new variable of range [LO, HI]; top where there are too many or the range is too large. */
struct yk_form yk_form_new(struct yk_form_vars *v, int64_t lo, int64_t hi, bool is_free);
/** Variable I alone. */
struct yk_form yk_form_var(const struct yk_form_vars *v, unsigned i);

struct yk_form yk_form_add(const struct yk_form *a, const struct yk_form *b);
struct yk_form yk_form_scale(const struct yk_form *a, int64_t by);
struct yk_form yk_form_sub(const struct yk_form *a, const struct yk_form *b);
struct yk_form yk_form_mul(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b);

/**
 * A + B, where what is left of a number that has been divided when its remainder is taken away is known for a multiple,
 * and quotient times divisor with the remainder for the number itself.
 */
struct yk_form yk_form_sum(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b);

/** Quotient and remainder of A, which is not negative, by BY > 0. What they are of is kept in V: none of V's variables
 * may be dropped from then on but those made later. */
struct yk_form yk_form_div(struct yk_form_vars *v, const struct yk_form *a, int64_t by);
struct yk_form yk_form_rem(struct yk_form_vars *v, const struct yk_form *a, int64_t by);

/** Is A one number? */
static inline bool yk_form_is_const(const struct yk_form *a)
{
    return !a->top && (a->n == 0 || a->lo == a->hi);
}
static inline int64_t yk_form_value(const struct yk_form *a)
{
    return a->lo;
}
bool yk_form_equal(const struct yk_form *a, const struct yk_form *b);

/**
 * A of BITS bits as the number that an unsigned (signed) operation sees: its bounds lie in that type's range. Where the
 * sum may wrap it is a new free variable of the whole range (top for 64 bits).
 */
struct yk_form yk_form_unsigned(struct yk_form_vars *v, const struct yk_form *a, unsigned bits);
struct yk_form yk_form_signed(struct yk_form_vars *v, const struct yk_form *a, unsigned bits);

#endif
