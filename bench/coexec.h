/* What the parts of bench/coexec share: pairs of devices, what is measured of a program on one, the charts. Main thread
 * only; what fails ends the program with a message. */
#ifndef YK_BENCH_COEXEC_H
#define YK_BENCH_COEXEC_H

#include <stdbool.h>

enum { COEXEC_ROUNDS = 15 };

struct coexec_pair {
    const char *name, *what;
    const char
        *fault; /* YOKE_FAULT; a device that it names is measured alone under yoke, which models it. NULL: none */
    bool intel; /* PoCL's basic device and Intel's runtime, held to one core */
};

struct coexec_times {
    double ms, total; /* first enqueue to last finish; from the start of the process */
};

/* Where a run's work-items were computed, by its trace. */
struct coexec_work {
    double share[2];            /* of all work-items; negative: not known */
    double in_ms[2], run_ms[2]; /* transfers to the device, kernels */
    double merge_ms;            /* putting outputs together, transfers back included */
};

/* A way of running against the devices alone: the medians of what each run had against those of its own round, since
 * what the machine does beside changes from one second to the next. 0: not kept. */
struct coexec_against {
    double ideal, fastest; /* of the ideal; end to end over the fastest device */
};

struct coexec_row {
    char pair[32], app[64], size[32];
    struct coexec_times bare[2], beside[2], cold, warm, linear; /* linear: .ms 0 where it was not measured */
    struct coexec_work work, linear_work;
    struct coexec_against cold_against, warm_against;
    struct coexec_times fresh; /* device 1 alone with nothing in its driver's cache; total 0: not measured */
    double others;             /* processors that other programs had meanwhile; negative: not known */
};

/* coexec_run.c */

/** Folders for caches, in a new one of /tmp; where the build's programs are. coexec_close removes them. */
void coexec_open(void);
void coexec_close(void);

/** What R's app takes on device 0 alone, its compilation not counted. */
double coexec_once(const struct coexec_pair *pair, const struct coexec_row *r);

/** Fill R, whose names are set, with the medians of ROUNDS rounds; of three times as many where a program is short,
 * since what disturbs it for a moment is more of it. */
void coexec_measure(const struct coexec_pair *pair, struct coexec_row *r, int rounds);

/** Time of two that work at once as fast as each alone. */
double coexec_together(const struct coexec_times *t);

/** Of the two devices alone the one whose process ends first. */
int coexec_fastest(const struct coexec_row *r);

/* coexec_line.c */

/** Append R to FILE, made if need be. */
void coexec_keep(const char *file, struct coexec_row *r);

/** The row of LINE, of older forms too, into R. False: it is none. */
bool coexec_parse(const char *line, struct coexec_row *r);

/* coexec_trace.c */

/** What the file TRACE (YOKE_TRACE) says; shares below 0: it cannot be read. */
struct coexec_work coexec_work_of(const char *trace);

/* coexec_chart.c */

/** Fig. 9(a), 9(b) and 10 of the SKMD paper for N rows, pair by pair, into FILE. False: it cannot be written. */
bool coexec_chart(const char *file, const struct coexec_row *row, int n);

#endif
