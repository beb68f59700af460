/* The syntax tree of a preprocessed program, as far as rewriting needs it: its functions, which of the range's
 * built-ins each uses, who calls whom, and where in the text all that stands. Called by variant.c. */
#ifndef YK_TRANSFORM_SYNTAX_H
#define YK_TRANSFORM_SYNTAX_H

#include "base/array.h"
#include "transform/facts.h"
#include "transform/front.h"

/* What is used, as a set: bit = kind * 3 + dim. */
typedef uint32_t yk_hidden_set;
#define YK_HIDDEN_BIT(kind, dim) (UINT32_C(1) << ((kind)*3 + (dim)))

/* Built-ins that only those ask about who replace all answers (YK_SYNTAX_ALL): kinds after those of hidden arguments.
 */
enum { YK_SYNTAX_GLOBAL_ID = YK_HIDDEN_KIND_COUNT, YK_SYNTAX_WORK_DIM };

struct yk_syntax_call {
    size_t begin, end;           /* the whole call expression: end is after its ')' */
    size_t name_begin, name_end; /* what is called */
    unsigned nargs;
    int caller;    /* the function in whose body it stands */
    int callee;    /* a function of the program, or -1: a built-in: */
    unsigned kind; /* enum yk_hidden_kind or one of the above */
    bool linear;   /* get_global_linear_id */
    int dim;       /* constant argument 0..2; 3: constant beyond; -1: not constant */
};

/* A parameter as it is written: type and declarator in [begin, end), the name within. */
struct yk_syntax_param {
    size_t begin, end, name, name_len; /* name_len 0: it has none, or lies elsewhere */
};

/* One declaration or definition. */
struct yk_syntax_decl {
    int function;
    size_t open, close; /* offsets of the parentheses round its parameters */
    bool empty;         /* () or (void) */
    size_t name;        /* offset of its name */
    size_t body, end;   /* of a definition: of the '{' and one past the '}'; else 0 */
    size_t param;       /* its parameters are params.v[param ...) of the syntax */
    unsigned nparams;
};

enum yk_store_kind { YK_STORE_ASSIGN, YK_STORE_STEP, YK_STORE_VECTOR };

/* A store to a buffer: [begin, end) is left = right or left OP= right; ++left, left--...; or a call of vstoreN. */
struct yk_syntax_store {
    enum yk_store_kind kind;
    int function;
    size_t begin, end;
    size_t left, left_end; /* VECTOR: the name */
    size_t base_end;       /* of the left side without the part of a vector that it names */
    size_t right, right_end;
    unsigned lanes, of; /* that part, as bits of OF lanes; 0: all. VECTOR: of elements */
};

/* A pointer to global memory given to a function. */
struct yk_syntax_given {
    int function, callee;
};

/* A variable in local memory of a kernel: a declarator of the declaration [begin, end), whose specifiers end where the
 * first name begins. */
struct yk_syntax_local {
    int function;
    size_t begin, end, specifiers;
    size_t name, name_len, last; /* its own name, and the end of its declarator */
};

/* A use of one. */
struct yk_syntax_use {
    size_t local; /* number of the list */
    size_t begin, end;
};

struct yk_syntax_function {
    const char *name, *id; /* id tells overloads apart */
    bool defined;
    bool stores, odd;    /* to buffers; in a way that is not in the list; its own and of all that it calls */
    bool odd_locals;     /* it has variables in local memory that are not in the list */
    yk_hidden_set needs; /* its own uses and those of all that it calls */
    YK_ARRAY(int) callees;
};

struct yk_syntax {
    YK_ARRAY(struct yk_syntax_function) functions;
    YK_ARRAY(struct yk_syntax_decl) decls;
    YK_ARRAY(struct yk_syntax_param) params;
    YK_ARRAY(struct yk_syntax_call) calls; /* of built-ins concerned and of the program's functions */
    YK_ARRAY(struct yk_syntax_store) stores;
    YK_ARRAY(struct yk_syntax_given) given;
    YK_ARRAY(struct yk_syntax_local) locals; /* only with YK_SYNTAX_ALL */
    YK_ARRAY(struct yk_syntax_use) uses;
    const char *problem; /* not NULL: it cannot be rewritten; why */
};

enum yk_syntax_wanted {
    YK_SYNTAX_BOXES, /* built-ins that a box of the range answers wrongly */
    YK_SYNTAX_ALL    /* also get_global_id and get_work_dim, and variables in local memory */
};

/**
 * Parse TEXT, preprocessed, with the language options of F. Owns: *S, yk_syntax_finish; strings in A.
 * Errors: YK_ENOMEM; what does not parse or is too odd is S->problem.
 */
yk_status yk_syntax_parse(const struct yk_front *f, const char *text, size_t size, enum yk_syntax_wanted wanted,
                          struct yk_arena *a, struct yk_syntax *s);
void yk_syntax_finish(struct yk_syntax *s);

#endif
