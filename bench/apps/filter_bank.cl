/* A signal split into BANKS bands, each thinned to one sample of STEP, filled up again and put together: analysis and
 * synthesis filters of TAPS coefficients. A work-group makes GROUP samples. The signal begins after a margin of zeros
 * as long as what a group looks back on. */
#define GROUP  256
#define BEFORE (TAPS - STEP)          /* thinned samples before a group's own that still sound in it */
#define MARGIN (BEFORE + TAPS)        /* samples that those depend on */
#define MARKS  ((BEFORE + GROUP) / STEP)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
filter_bank(__global const float *signal, __global float *out, __global const float *analysis,
            __global const float *synthesis)
{
    __local float window[MARGIN + GROUP], band[MARKS * BANKS];
    size_t lid = get_local_id(0), first = get_group_id(0) * GROUP;
    for (size_t i = lid; i < MARGIN + GROUP; i += GROUP)
        window[i] = signal[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = lid; i < MARKS * BANKS; i += GROUP) {
        size_t bank = i % BANKS, at = TAPS + i / BANKS * STEP;
        float sum = 0.0f;
        for (size_t k = 0; k < TAPS; k++)
            sum += analysis[k * BANKS + bank] * window[at - k];
        band[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (size_t q = 0; q < TAPS / STEP; q++) {
        size_t mark = BEFORE / STEP + lid / STEP - q, delay = lid % STEP + q * STEP;
        for (size_t bank = 0; bank < BANKS; bank++)
            sum += synthesis[bank * TAPS + delay] * band[mark * BANKS + bank];
    }
    out[first + lid] = sum;
}
