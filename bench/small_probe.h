/* The plain OpenCL program that bench/small runs, bare and under yoke. */
#ifndef YK_BENCH_SMALL_PROBE_H
#define YK_BENCH_SMALL_PROBE_H

/** Print "compute NS" and "memory NS": what a work-group takes per unit of work. Returns the exit status. */
int small_calibrate(void);

/** Measure every case for SECONDS each, after as long again unmeasured, and print "NAME MANY ONE" (milliseconds) for
 * each: the launches one by one in an in-order queue, and the same work in as few as can be; chains have no ONE (0).
 * ONLY: the beginning of the names of the cases wanted. US: microseconds that a work-group of the independent launches
 * takes, 0: as many as their number suggests. UNIT: what small_calibrate has said of the bare driver. Returns
 * the exit status. */
int small_probe(double seconds, const char *only, double us, const double *unit);

#endif
