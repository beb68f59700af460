/* Samples of work-groups against time, few enough to keep for every kernel, and the table that follows from them. Who
 * uses it: profile.c, the shim's planner, `yoke profile`. Plain data; no clock, no file. Thread: the caller's lock. */
#ifndef YK_PROFILER_SERIES_H
#define YK_PROFILER_SERIES_H

#include <stdbool.h>
#include <stdint.h>

enum { YK_SERIES_SAMPLES = 16, YK_SERIES_POINTS = YK_SERIES_SAMPLES + 2 };

struct yk_sample {
    double groups, ms;
    uint32_t count; /* measurements in it */
};

struct yk_series {
    unsigned n;
    struct yk_sample at[YK_SERIES_SAMPLES]; /* groups rising */
};

struct yk_series_point {
    double groups, ms;
};

/**
 * Add a measurement: into the sample of about as many work-groups (within 5 %) where there is one, half old and half
 * new, so that a change of the machine is followed within a few launches (one measurement far above what eight and more
 * before it have said counts as half more than that); else as a new sample, for which the closest two are joined when
 * all places are taken. Samples within a ratio of 1.4 of work-groups follow by half too. Values
 * that cannot be (not finite, not above 0) are ignored.
 */
void yk_series_add(struct yk_series *s, double groups, double ms);

/** The same for what is above its true value whenever something else gets in between (a first launch, which may find
 * the driver's cache empty): a lower value counts at once, a higher one for a tenth. */
void yk_series_add_least(struct yk_series *s, double groups, double ms);

/** GROUPS work-groups took no longer than MS: samples within a ratio of 1.4 of work-groups that say more are belied,
 * and become so fast at once. */
void yk_series_lower(struct yk_series *s, double groups, double ms);

/**
 * The table: POINT[0] is at 0 work-groups, times never fall, the last line rises. Samples within a ratio of 1.4 are one
 * point, times that fall from point to point become their mean (isotonic regression), and beyond the last point a
 * work-group costs at least half of what it costs on average. Returns the number of points; 0: no samples. The time at
 * 0 continues the first line backwards, between 0 and the first point's time.
 */
unsigned yk_series_table(const struct yk_series *s, struct yk_series_point point[YK_SERIES_POINTS]);

/** Time of GROUPS work-groups by the table; negative: no samples. */
double yk_series_ms(const struct yk_series *s, double groups);

/** Is what S makes of GROUPS work-groups belied by WHOLE_MS, which so many took on a device as fast? True where they
 * lie far beyond its largest sample and it makes more than twice as much of them: a few work-groups on a device that
 * was busy say nothing of a hundred times as many. */
bool yk_series_belied(const struct yk_series *s, double groups, double whole_ms);

/**
 * Forget the samples of S that were measured while something else was: fewer than eight measurements, far longer than
 * the WHOLE_MS that GROUPS work-groups took on a device as fast, though no more work-groups than those. Only where the
 * device is proven by other samples, of at least eight measurements, to be as fast as that.
 */
void yk_series_sift(struct yk_series *s, double groups, double whole_ms);

/** How many measurements are in S? */
uint64_t yk_series_count(const struct yk_series *s);

/** Are rising, finite, positive samples in S? For what comes from a file. */
bool yk_series_good(const struct yk_series *s);

#endif
