/* Build options of an app, as words with a meaning. Called by the transformer. */
#ifndef YK_TRANSFORM_OPTIONS_H
#define YK_TRANSFORM_OPTIONS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/status.h"

struct yk_options {
    unsigned npre;
    const char **pre;       /* for the preprocessor: "-DX=1", "-Idir" */
    unsigned std;           /* 100, 110, 120, 200, 300; 0: not given */
    const char *std_word;   /* "-cl-std=CL1.2" or NULL */
    bool correctly_rounded; /* -cl-fp32-correctly-rounded-divide-sqrt */
    bool relaxed;           /* any option that lets the compiler change results */
    bool flush;             /* -cl-denorms-are-zero */
    bool fast;              /* -cl-fast-relaxed-math: defines __FAST_RELAXED_MATH__ */
    bool all_loads;         /* -cl-opt-disable: also what no result depends on is loaded */
    bool single_constants;  /* -cl-single-precision-constant */
    const char *rest;       /* the options without those for the preprocessor, for building a variant */
};

/** Split TEXT as a compiler does: words, quotes, backslashes. Owns: all in A. Errors: YK_ENOMEM. */
yk_status yk_options_parse(const char *text, struct yk_arena *a, struct yk_options *o);

#endif
