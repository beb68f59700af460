/**
 * The generator's own state, shared by expr.c, operation.c, stmt.c, argument.c, kernel.c and program.c. Nobody else
 * includes it.
 *
 * Rules that make every kernel's result defined, whatever the device:
 * - a work-item writes only cells that are its own (or its work-group's, by the work-item with local id 0);
 * - buffers that one kernel writes are never read by it at other places than the own cell, or behind all cells;
 * - of arguments that are one memory, at most one is written through;
 * - integers are computed unsigned; conversions of floats to integers are bounded; no float whose NaN bits could differ
 * is stored; barriers stand outside of all branches;
 * - one seed is one program: at most one random number is drawn per full expression, as C leaves the order open;
 * - without a given local size, no kernel asks for local or group ids.
 */
#ifndef TESTS_DIFF_GEN_H
#define TESTS_DIFF_GEN_H

#include "plan.h"

/* What expressions are of: uint, ulong, float, double, and the kernel's vector type. */
enum cls { C_U, C_L, C_F, C_D, C_V, C_COUNT };

#define NAMES 24

struct names {
    char v[NAMES][12];
    unsigned n;
};

struct input {
    char name[16], count_name[16];
    enum base base;
    size_t count;
    bool for_helper; /* may be given to hp0 */
    bool shareable;  /* no other argument changes its buffer, which is: */
    unsigned buffer;
};

struct gen {
    uint64_t rng;
    struct plan *plan;
    const struct limits *limits;
    struct text *out; /* statements go here */
    struct plan_kernel *kernel;
    struct text params; /* of the kernel being made */
    bool floats, doubles;
    bool linear; /* the program is OpenCL C 3.0: there are linear ids */
    bool items;  /* work-item functions may be called (not in plain helpers) */
    bool groups; /* local and group ids too */
    bool light;  /* the kernel is one of those that are built quickly */
    bool own;    /* it asks for nothing that only the whole launch knows, so that yoke needs no variant of it */
    unsigned dims;
    struct names set[C_COUNT], get[C_COUNT]; /* variables that may be assigned; that may be read (assigned ones too) */
    unsigned lanes;                          /* of the vector type; 0: none */
    enum cls vector_of;
    struct input inputs[8];
    unsigned input_count;
    unsigned next_name;
    bool helpers; /* helper functions exist and may be called */
    unsigned indent;
    unsigned loops;     /* how deep */
    unsigned budget;    /* of nodes in the current expression */
    size_t items_total; /* work-items of a launch */
};

unsigned gen_below(struct gen *g, unsigned n);
/** True once in N. */
bool gen_one_in(struct gen *g, unsigned n);
#define PICK(g, list) (list)[gen_below(g, sizeof(list) / sizeof((list)[0]))]

/* expr.c: write an expression of a class to TO. */
void expr(struct gen *g, struct text *to, enum cls c, unsigned depth);
/** The type's name in OpenCL C: "uint", "float4"... */
void cls_name(const struct gen *g, enum cls c, char name[16]);
/** A condition, of type int. */
void expr_condition(struct gen *g, struct text *to, unsigned depth);
/** A number of INPUT as class C at a random place. */
void expr_load(struct gen *g, struct text *to, enum cls c, const struct input *input, unsigned depth);
/** An expression converted to BASE. */
void expr_as_base(struct gen *g, struct text *to, enum base base, unsigned depth);
enum cls cls_any(struct gen *g);
/** PATTERN, of which capital letters stand for sub-expressions: U L F D V of those classes, B a condition, K a small
 * number. */
void expr_form(struct gen *g, struct text *to, const char *pattern, unsigned depth);

/* operation.c: one operation of class C and its operands, which are DEPTH deep. */
void expr_operation(struct gen *g, struct text *to, enum cls c, unsigned depth);

/* stmt.c */
/** N random statements. */
void statements(struct gen *g, unsigned n);
/** Declare a variable of class C with a random value. */
void declare(struct gen *g, enum cls c);
/** Start a line; the caller ends it with text_add. */
struct text *line(struct gen *g);

/* kernel.c */
void kernel_make(struct gen *g, struct plan_kernel *kernel, unsigned number);

/* program.c: helper functions' names have the form hu0 (uint, uint) -> uint, hf0, hd0, hg0 (uint) -> uint with global
 * ids, hl0 (uint) -> uint with group ids, hp0 (pointer, count, index) -> uint, hw0 (pointer, index, value). */

#endif
