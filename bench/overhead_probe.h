/* What bench/overhead measures inside a process of its own, once bare and once under yoke: a plain OpenCL program.
 * Who calls it: overhead.c, which starts itself again with --probe. Knows nothing of yoke. */
#ifndef YK_BENCH_OVERHEAD_PROBE_H
#define YK_BENCH_OVERHEAD_PROBE_H

/** Run the probe KIND: "nothing", "platforms", "calls" or "build". Prints a line "NAME VALUE" per measurement on
 * stdout. ARG: of "calls" the milliseconds to spend per call measured, of "build" the milliseconds to live on after it.
 * Returns the exit status. */
int overhead_probe(const char *kind, int arg);

#endif
