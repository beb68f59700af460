/* How programs use memory and commands, whatever their kernels compute. Who uses it: patterns.c, patterns_probe.c. To
 * add one: a function and a line of the table in patterns_rounds.c. */
#ifndef YK_BENCH_PATTERNS_ROUNDS_H
#define YK_BENCH_PATTERNS_ROUNDS_H

struct patterns_pattern {
    const char *name, *what;
    void (*round)(unsigned i); /* the I-th of a process; looks at its results (patterns_program.h) */
};

extern const struct patterns_pattern patterns[];
extern const unsigned patterns_n;

#endif
